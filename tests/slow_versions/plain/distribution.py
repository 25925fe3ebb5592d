"""§4: DistKL, DistFair, AWRF and NDKL.

Das & Lease 2019; Sapiezynski et al. 2019; Geyik et al. 2019.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from slow_versions.plain.formulas import (
    LOOKS_FAIR,
    Shares,
    depth,
    jsd,
    kl,
    normalised,
    places_of,
    smooth_zeros,
    weight,
)
from slow_versions.plain.targets import (
    label_counts,
    label_shares,
    population,
    target_is_empty,
    target_shares,
)
from slow_versions.plain.topics import Groups, Topic


def laplace(counts: Mapping[str, float], smoothing: float) -> Shares:
    """§4: (c_g + λ)/(n + λ|G|); for n = 0 that is 1/|G|, whatever λ is."""
    total = float(sum(counts.values())) + smoothing * len(counts)
    return {
        g: (float(count) + smoothing) / total if total else 1 / len(counts)
        for g, count in counts.items()
    }


def distribution_target(topic: Topic, params: Mapping[str, Any]) -> Shares:
    """§4 T: 'uniform' and explicit as they are, the estimated ones Laplace-smoothed; then no zeros
    (§1).
    """
    target = params.get("target", "uniform")
    if target == "uniform" or isinstance(target, Mapping):
        return smooth_zeros(target_shares(topic, target))
    counts = label_counts(population(topic, target), topic.labels)
    return smooth_zeros(laplace(counts, params.get("smoothing", 1)))


def distribution_kl(
    counts: Mapping[str, float], target: Mapping[str, float], smoothing: float
) -> float:
    """§4 DistKL = KL(P ‖ T), base 2, P the Laplace-smoothed counts."""
    shares = laplace(counts, smoothing)
    return kl([shares[g] for g in target], [target[g] for g in target])


def largest_distribution_kl(n: int, target: Mapping[str, float], smoothing: float) -> float:
    """§4: max over g of DistKL(all n documents in g)."""
    return max(
        distribution_kl({h: n if h == g else 0 for h in target}, target, smoothing) for g in target
    )


def discounted_counts(
    documents: Sequence[Groups], labels: Sequence[str], discount: str
) -> dict[str, float]:
    """§4 c_g: a document counts 1, or n·w_i/Σw with discount='log2', shared by its groups."""
    if discount == "none":
        return label_counts(documents, labels)
    total = sum(weight(i) for i in range(1, len(documents) + 1))
    counts = dict.fromkeys(labels, 0.0)
    for i, groups in enumerate(documents, start=1):
        for label in groups:
            counts[label] += len(documents) * weight(i) / total / len(groups)
    return counts


def dist_kl(topic: Topic, params: Mapping[str, Any]) -> float:
    """§4 DistKL."""
    smoothing = params.get("smoothing", 1)
    if target_is_empty(topic, params.get("target", "uniform")):
        return 0.0
    target = distribution_target(topic, params)
    if not topic.condensed:
        if params.get("target") == "run":
            return -math.log2(0.001)
        cutoff = params.get("cutoff")
        if cutoff is None:
            return LOOKS_FAIR
        return largest_distribution_kl(cutoff, target, smoothing) or LOOKS_FAIR
    n = depth(len(topic.condensed), params)
    counts = discounted_counts(topic.condensed[:n], topic.labels, params.get("discount", "none"))
    return distribution_kl(counts, target, smoothing)


def dist_fair(topic: Topic, params: Mapping[str, Any]) -> float:
    """§4 DistFair = 1 − DistKL / max over g of DistKL(all n documents in g)."""
    if target_is_empty(topic, params.get("target", "uniform")) or not topic.condensed:
        return 0.0
    n = depth(len(topic.condensed), params)
    largest = largest_distribution_kl(
        n, distribution_target(topic, params), params.get("smoothing", 1)
    )
    return 1 - normalised(dist_kl(topic, params), largest)


def awrf(topic: Topic, params: Mapping[str, Any]) -> float:
    """§4 AWRF = 1 − JSD(exposure ‖ T)."""
    target, base = params.get("target", "uniform"), params.get("base", 2)
    if target_is_empty(topic, target) or not topic.condensed:
        return 0.0
    n = depth(len(topic.condensed), params)
    exposure = dict.fromkeys(topic.labels, 0.0)
    for i, groups in enumerate(topic.condensed[:n], start=1):
        geometric = params.get("discount", "log2") == "geometric"
        attention = params.get("p", 0.85) ** (i - 1) if geometric else weight(i)
        for label in groups:
            exposure[label] += attention / len(groups)
    total = sum(exposure.values())
    shares = target_shares(topic, target)
    return 1 - jsd(
        [exposure[g] / total for g in topic.labels], [shares[g] for g in topic.labels]
    ) / math.log2(base)


def ndkl(topic: Topic, params: Mapping[str, Any]) -> float:
    """Geyik et al. 2019: Σ w_i · KL(P_i ‖ T) / Σ w_i over all of G, natural logarithm."""
    target = params.get("target", "uniform")
    if target_is_empty(topic, target):
        return 0.0
    shares = target_shares(topic, target)
    if not topic.condensed:
        if target == "run":
            return -math.log2(0.001)
        if params.get("cutoff") is None:
            return LOOKS_FAIR
        return -math.log(min(smooth_zeros(shares).values())) or LOOKS_FAIR
    if target != "run":  # a run's divergence from itself is never infinite
        shares = smooth_zeros(shares)
    places = places_of(depth(len(topic.condensed), params))
    total = 0.0
    for i in places:
        prefix = label_shares(topic.condensed[:i], topic.labels)
        total += weight(i) * kl(
            [prefix[g] for g in topic.labels], [shares[g] for g in topic.labels], math.log
        )
    return total / sum(weight(i) for i in places)
