"""§6 RepBias (Lipani et al. 2021), and Skew, MinSkew, MaxSkew (Geyik et al. 2019)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from slow_versions.plain.formulas import ZERO_SHARE, depth, maybe_absolute, normalised
from slow_versions.plain.targets import (
    count_protected,
    label_shares,
    target_is_empty,
    target_shares,
    two_group_target,
)
from slow_versions.plain.topics import Topic

TOLERANCE = 1e-9  # §6


def unbiased_target(mu: float, n: int, count: int) -> float:
    """§6, Lipani et al. 2021, equation (4), times n: μ·n rounded, halves to the neighbour nearer to
    the model.
    """
    below = math.floor(mu * n)
    fraction = mu * n - below
    if abs(fraction - 0.5) <= TOLERANCE:
        return min((below, below + 1), key=lambda x: abs(x - count))
    return below if fraction < 0.5 else below + 1


def rep_bias(topic: Topic, params: Mapping[str, Any]) -> float:
    """§6 RepBias = model − unbiased target (Lipani et al. 2021, equations 3 to 5, the sign of its
    tables).
    """
    target, group = params.get("target", "qrels"), {params["group"]}
    if target_is_empty(topic, target):
        return 0.0
    n = len(topic.condensed) if params.get("cutoff") is None else params["cutoff"]
    if n == 0:
        return 0.0
    plus, minus = two_group_target(topic, target, group)
    count, _ = count_protected(topic.condensed[:n], group)
    mu = normalised(plus, plus + minus)
    return maybe_absolute((count - unbiased_target(mu, n, count)) / n, params)


def skews(topic: Topic, params: Mapping[str, Any]) -> dict[str, float] | None:
    """Geyik et al. 2019, Skew@k of every label; None: undefined topic."""
    target = params.get("target", "uniform")
    if target_is_empty(topic, target):
        return None
    shares = target_shares(topic, target)
    found = label_shares(topic.condensed[: depth(len(topic.condensed), params)], topic.labels)
    return {
        g: math.log(float(found[g] or ZERO_SHARE) / float(shares[g] or ZERO_SHARE))
        for g in topic.labels
    }


def skew(topic: Topic, params: Mapping[str, Any]) -> float:
    """Skew@k = ln(share of `group` in the first n / its target share), a share of 0 being 0.001."""
    found = skews(topic, params)
    return 0.0 if found is None else found.get(params["group"], 0.0)


def min_skew(topic: Topic, params: Mapping[str, Any]) -> float:
    """MinSkew@k: the smallest Skew over G."""
    found = skews(topic, params)
    return 0.0 if found is None else min(found.values())


def max_skew(topic: Topic, params: Mapping[str, Any]) -> float:
    """MaxSkew@k: the largest Skew over G."""
    found = skews(topic, params)
    return 0.0 if found is None else max(found.values())
