"""§2: rND, rKL, rRD.

Yang & Stoyanovich 2017; Pathiyan Cherumanal et al. 2021.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from slow_versions.plain.formulas import (
    LOOKS_FAIR,
    depth,
    kl,
    normalised,
    places_of,
    smooth_zeros,
    weight,
)
from slow_versions.plain.targets import (
    is_protected,
    label_counts,
    label_shares,
    protected_labels,
    target_is_empty,
    target_shares,
    two_group_target,
)
from slow_versions.plain.topics import Groups, Topic
from slow_versions.plain.two_groups import (
    LARGEST_TERMS,
    Formula,
    bind,
    difference_term,
    discounted_sum,
    exact_max,
    kl_term,
    nothing_of_run,
    ratio_term,
)


def parity(topic: Topic, params: Mapping[str, Any], formula: Formula) -> float:
    """§2: 1/Z Σ_{i∈I} w_i · formula."""
    target, norm, step = (
        params.get("target", "qrels"),
        params.get("norm", "max"),
        params.get("step", 1),
    )
    protected = protected_labels(params.get("protected", "minority"), topic.relevant, topic.labels)
    if protected is None or target_is_empty(topic, target):
        return 0.0
    plus, minus = two_group_target(topic, target, protected)
    if not topic.condensed:
        if norm == "max":
            return 1.0
        if target == "run":
            return nothing_of_run(LARGEST_TERMS[formula], params.get("cutoff"), step)
        if params.get("cutoff") is None:
            return 1.0
    if formula is kl_term and target != "run" and 0 in (plus, minus):
        # A run's prefixes hold no label that the run lacks: its divergence from itself is never
        # infinite.
        smooth = smooth_zeros({"+": plus / (plus + minus), "-": minus / (plus + minus)})
        plus, minus = smooth["+"], smooth["-"]
    term = bind(formula, plus, minus)
    if not topic.condensed:
        return exact_max(term, params["cutoff"], places_of(params["cutoff"], step)) or LOOKS_FAIR

    n = depth(len(topic.condensed), params)
    places = places_of(n, step)
    value = discounted_sum(
        [is_protected(groups, protected) for groups in topic.condensed], places, term
    )
    if norm == "none":
        return value
    supply = (plus, minus) if target == "run" else None
    return normalised(value, exact_max(term, n, places, supply))


def rnd(topic: Topic, params: Mapping[str, Any]) -> float:
    """§2 rND."""
    return parity(topic, params, difference_term)


def rrd(topic: Topic, params: Mapping[str, Any]) -> float:
    """§2 rRD."""
    return parity(topic, params, ratio_term)


def rkl(topic: Topic, params: Mapping[str, Any]) -> float:
    """§2 rKL."""
    if params.get("protected", "minority") == "all":
        return rkl_all(topic, params)
    return parity(topic, params, kl_term)


def rkl_all(topic: Topic, params: Mapping[str, Any]) -> float:
    """§2 rKL(protected='all'): the divergence over all of G at once."""
    target, norm, step = (
        params.get("target", "qrels"),
        params.get("norm", "max"),
        params.get("step", 1),
    )
    if target_is_empty(topic, target):
        return 0.0
    shares = target_shares(topic, target)
    if target != "run":
        shares = smooth_zeros(shares)
    if not topic.condensed:
        k = params.get("cutoff")
        if norm == "max":
            return 1.0
        if target == "run":
            return nothing_of_run(LARGEST_TERMS[kl_term], k, step)
        return LOOKS_FAIR if k is None else max_all(shares, places_of(k, step)) or LOOKS_FAIR

    n = depth(len(topic.condensed), params)
    places = places_of(n, step)
    value = discounted_kl_all(topic.condensed, topic.labels, shares, places)
    if norm == "none":
        return value
    if target != "run":
        return normalised(value, max_all(shares, places))
    if step == 1 and all(len(groups) == 1 for groups in topic.condensed):
        return normalised(
            value, max_all_of_run(label_counts(topic.condensed, topic.labels), places)
        )
    return normalised(value, bound_all_of_run(shares, places))


def discounted_kl_all(
    documents: Sequence[Groups],
    labels: Sequence[str],
    target: Mapping[str, float],
    places: Sequence[int],
) -> float:
    """Σ_{i∈I} w_i · KL(P_i ‖ T) over all labels."""
    total = 0.0
    for i in places:
        prefix = label_shares(documents[:i], labels)
        total += weight(i) * kl([prefix[g] for g in labels], [target[g] for g in labels])
    return total


def max_all(target: Mapping[str, float], places: Sequence[int]) -> float:
    """§2: −log2(min share)·Σ w_i."""
    return -math.log2(min(target.values())) * sum(weight(i) for i in places)


def max_all_of_run(sizes: Mapping[str, int], places: Sequence[int]) -> float:
    """§2, target='run': label blocks in ascending population size.

    The exact maximum for step 1 and documents of one group each. A longer step may skip the places
    where a small block stands out, and documents of several groups do not form label blocks: a
    larger sum may exist then.
    """
    blocks = sorted(int(size) for size in sizes.values() if size > 0)
    total = 0.0
    for i in places:
        left, prefix = i, []
        for size in blocks:
            prefix.append(min(size, left))
            left -= prefix[-1]
        total += weight(i) * kl(
            [count / i for count in prefix], [size / sum(blocks) for size in blocks]
        )
    return total


def bound_all_of_run(target: Mapping[str, float], places: Sequence[int]) -> float:
    """§2, target='run' with a longer step or documents of several groups: an upper bound."""
    return max_all({label: share for label, share in target.items() if share > 0}, places)


def brute_max_all(target: Mapping[str, float], n: int, places: Sequence[int]) -> float:
    """The maximum that `max_all` gives, by trying every sequence of n labels."""
    labels = sorted(target)
    sequences = itertools.product([frozenset([label]) for label in labels], repeat=n)
    return max(discounted_kl_all(sequence, labels, target, places) for sequence in sequences)


def brute_max_all_of_run(documents: Sequence[Groups], places: Sequence[int]) -> float:
    """The same maximum by trying every permutation of the run's documents."""
    labels = sorted(set().union(*documents))
    target = label_shares(documents, labels)
    return max(
        discounted_kl_all(order, labels, target, places)
        for order in itertools.permutations(documents)
    )
