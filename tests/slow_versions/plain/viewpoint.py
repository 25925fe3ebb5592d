"""§3: nDD, nDR, nDKL, nDJS (Draws et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from slow_versions.plain.formulas import depth, jsd, normalised, places_of, weight
from slow_versions.plain.targets import (
    count_protected,
    is_protected,
    label_shares,
    protected_labels,
)
from slow_versions.plain.topics import Topic
from slow_versions.plain.two_groups import (
    LARGEST_TERMS,
    Formula,
    bind,
    difference_term,
    discounted_sum,
    exact_max,
    nothing_of_run,
    ratio_term,
    smoothed_kl_term,
)


def viewpoint(topic: Topic, params: Mapping[str, Any], formula: Formula) -> float:
    """§3 (Draws et al. 2021): 1/Z Σ w_i · formula, the population being the whole condensed run."""
    norm = params.get("norm", "max")
    if not topic.condensed:
        if norm == "none":
            return nothing_of_run(LARGEST_TERMS[formula], params.get("cutoff"))
        return 1.0
    protected = protected_labels(params.get("protected", "minority"), topic.condensed, topic.labels)
    if protected is None:
        return 0.0
    supply = count_protected(topic.condensed, protected)
    if 0 in supply:
        return 0.0
    n = depth(len(topic.condensed), params)
    places = places_of(n)
    term = bind(formula, *supply)
    value = discounted_sum(
        [is_protected(groups, protected) for groups in topic.condensed], places, term
    )
    if norm == "none":
        return value
    if norm == "protected-first":
        return normalised(
            value, discounted_sum([True] * supply[0] + [False] * supply[1], places, term)
        )
    return normalised(value, exact_max(term, n, places, supply))


def ndd(topic: Topic, params: Mapping[str, Any]) -> float:
    """§3 nDD."""
    return viewpoint(topic, params, difference_term)


def ndr(topic: Topic, params: Mapping[str, Any]) -> float:
    """§3 nDR."""
    return viewpoint(topic, params, ratio_term)


def ndkl_draws(topic: Topic, params: Mapping[str, Any]) -> float:
    """§3 nDKL."""
    return viewpoint(topic, params, smoothed_kl_term)


def ndjs(topic: Topic, params: Mapping[str, Any]) -> float:
    """§3 nDJS = Σ w_i · JSD(P_i ‖ Q) / Σ w_i; norm='none' leaves out the division.

    With a protected group, each document is relabelled as one of two sides first.
    """
    norm = params.get("norm", "bound")
    if not topic.condensed:
        return nothing_of_run(1.0, params.get("cutoff")) if norm == "none" else 1.0  # JSD ≤ 1
    wanted = params.get("protected", "all")
    if wanted != "all":
        sides = protected_labels(wanted, topic.condensed, topic.labels)
        if sides is None:  # one label: nothing to compare
            return 0.0
        topic = replace(
            topic,
            condensed=[
                frozenset("+" if is_protected(groups, sides) else "-") for groups in topic.condensed
            ],
            labels=["+", "-"],
        )
    whole = label_shares(topic.condensed, topic.labels)
    places = places_of(depth(len(topic.condensed), params))
    value = 0.0
    for i in places:
        prefix = label_shares(topic.condensed[:i], topic.labels)
        value += weight(i) * jsd(
            [prefix[g] for g in topic.labels], [whole[g] for g in topic.labels]
        )
    return value if norm == "none" else value / sum(weight(i) for i in places)
