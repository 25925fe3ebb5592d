"""§4 and §9: AWRF, DistKL, DistFair; §13: RADio.

Sapiezynski et al. 2019; TREC Fair Ranking track 2021 and 2022; Das & Lease 2019; Vrijenhoek et al.
2022.
"""

import math
from collections.abc import Mapping
from typing import Any

from slow_versions.common import (
    LOOKS_FAIR,
    Shares,
    Topic,
    annotated_places,
    as_shares,
    attention,
    explicit,
    jsd,
    kl,
    label_counts,
    population,
    smooth_zeros,
    target_is_empty,
    target_shares,
    uniform,
)


def awrf(topic: Topic, *, cutoff: int | None = None, rel: int = 1, target: Any = "uniform",
         discount: str = "log2", p: float = 0.85, base: float = 2,
         unannotated: str = "drop") -> float | None:
    """AWRF = 1 − JSD(exposure ‖ T)."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    places = annotated_places(topic, topic.ranking, cutoff, unannotated)
    if not places:
        return 0.0  # nothing annotated returned: the opposite of fair
    exposure = dict.fromkeys(topic.labels, 0.0)
    for i, docno in places:
        for label, share in topic.shares(docno).items():
            exposure[label] += share * attention(discount, i, p)
    total = sum(exposure.values())
    shares = target_shares(topic, target, rel)
    found = [exposure[g] / total for g in topic.labels]
    return 1 - jsd(found, [shares[g] for g in topic.labels]) / math.log2(base)


def laplace(counts: Mapping[str, float], smoothing: float) -> Shares:
    """§4: (c_g + λ)/(n + λ|G|); for n = 0 that is 1/|G|, whatever λ is."""
    total = float(sum(counts.values())) + smoothing * len(counts)
    return {
        g: (float(count) + smoothing) / total if total else 1 / len(counts)
        for g, count in counts.items()}


def distribution_kl(counts: Mapping[str, float], target: Mapping[str, float],
                    smoothing: float) -> float:
    """§4 DistKL = KL(P ‖ T), base 2, P the Laplace-smoothed counts."""
    shares = laplace(counts, smoothing)
    return kl([shares[g] for g in target], [target[g] for g in target])


def largest_kl(n: int, target: Mapping[str, float], smoothing: float) -> float:
    """§4: max over g of DistKL(all n documents in g)."""
    return max(
        distribution_kl({h: n if h == g else 0 for h in target}, target, smoothing) for g in target)


def distribution_target(topic: Topic, target: Any, rel: int, smoothing: float) -> Shares:
    """§4 T: 'uniform' and explicit ones as they are, the others Laplace-smoothed; no zeros."""
    if target == "uniform" or explicit(topic, target) is not None:
        return smooth_zeros(target_shares(topic, target, rel))
    counts = label_counts(population(topic, target, rel), topic.labels)
    return smooth_zeros(laplace(counts, smoothing))


def distribution(topic: Topic, cutoff: int | None, rel: int, target: Any, discount: str, p: float,
                 smoothing: float, unannotated: str) -> tuple[float, float] | None:
    """(DistKL, its largest value for as many documents); None: nothing annotated returned."""
    wanted = distribution_target(topic, target, rel, smoothing)
    places = annotated_places(topic, topic.ranking, cutoff, unannotated)
    if not places:
        return None
    n = len(places)  # the annotated documents that count
    total = sum(attention(discount, i, p) for i, _ in places)
    counts = dict.fromkeys(topic.labels, 0.0)
    for i, docno in places:
        for label, share in topic.shares(docno).items():
            counts[label] += share * n * attention(discount, i, p) / total  # each n·a_i/Σa
    return distribution_kl(counts, wanted, smoothing), largest_kl(n, wanted, smoothing)


def equal_shares_kl(wanted: Shares) -> float:
    """KL(U ‖ T): add-λ smoothing of no documents gives every group 1/|G|."""
    return sum(math.log2(1 / (len(wanted) * share)) / len(wanted) for share in wanted.values())


def dist_kl(topic: Topic, *, cutoff: int | None = None, rel: int = 1, target: Any = "uniform",
            discount: str = "none", p: float = 0.85, smoothing: float = 1,
            unannotated: str = "drop", empty: str = "least fair") -> float | None:
    """DistKL = KL(P ‖ T), base 2."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    found = distribution(topic, cutoff, rel, target, discount, p, smoothing, unannotated)
    if found is not None:
        return found[0]
    wanted = distribution_target(topic, target, rel, smoothing)
    if empty == "smooth":
        return equal_shares_kl(wanted)
    if target == "run":
        return -math.log2(0.001)
    # The largest value that k documents could have.
    return 1.0 if cutoff is None else largest_kl(cutoff, wanted, smoothing) or LOOKS_FAIR


def dist_fair(topic: Topic, *, cutoff: int | None = None, rel: int = 1, target: Any = "uniform",
              discount: str = "none", p: float = 0.85, smoothing: float = 1,
              unannotated: str = "drop", empty: str = "least fair") -> float | None:
    """DistFair = 1 − DistKL / max over g of DistKL(all n documents in g)."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    found = distribution(topic, cutoff, rel, target, discount, p, smoothing, unannotated)
    if found is None and empty == "smooth":
        wanted = distribution_target(topic, target, rel, smoothing)
        if cutoff is None:  # a list of one group, however long
            most = -math.log2(min(wanted.values()))
        else:
            most = largest_kl(cutoff, wanted, smoothing)
        return 1 - equal_shares_kl(wanted) / most if most else 1.0
    if found is None:
        return 0.0
    value, largest = found
    return 1 - value / largest if largest else 1.0


def divergence_from(p: Mapping[str, float], q: Mapping[str, float], alpha: float,
                    divergence: str) -> float:
    """'jsd': √JSD(P̃, Q̃); 'kl': KL(Q̃ ‖ P̃). P̃ = (1−α)P + αQ, Q̃ = (1−α)Q + αP."""
    labels = sorted(q)
    p_mixed = [(1 - alpha) * p[g] + alpha * q[g] for g in labels]
    q_mixed = [(1 - alpha) * q[g] + alpha * p[g] for g in labels]
    if divergence == "jsd":
        return math.sqrt(max(0.0, jsd(p_mixed, q_mixed)))
    assert divergence == "kl"
    return kl(q_mixed, p_mixed)


def radio(topic: Topic, *, cutoff: int | None = None, rel: int = 1, target: Any = "run",
          divergence: str = "jsd", discount: str = "mmr", p: float = 0.85, alpha: float = 0.001,
          unannotated: str = "drop") -> float | None:
    """RADio: how far the shares P of the first n are from the context Q."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    context = target_shares(topic, target, rel)  # 'run': whole list, unweighted
    if target == "run" and not topic.condensed(topic.ranking):
        context = uniform(topic.labels)
    places = annotated_places(topic, topic.ranking, cutoff, unannotated)
    if not places:  # nothing returned: 1.0; kl the largest over P = one group
        if divergence == "jsd":
            return 1.0
        return max(
            divergence_from({h: float(h == g) for h in context}, context, alpha, divergence)
            for g in context)
    counts = dict.fromkeys(topic.labels, 0.0)
    for i, docno in places:
        for label, share in topic.shares(docno).items():
            counts[label] += share * attention(discount, i, p)
    return divergence_from(as_shares(counts), context, alpha, divergence)
