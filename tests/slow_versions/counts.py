"""Annotated, the stance measures (§5), RepBias (§6), NDKL and Skew with soft membership (§20)."""

import math
from typing import Any

from slow_versions.common import (
    LOOKS_FAIR,
    ZERO_SHARE,
    Shares,
    Topic,
    kl,
    maybe_absolute,
    normalised,
    places_of,
    smooth_zeros,
    target_is_empty,
    target_shares,
    two_sided_target,
    two_sides,
    uniform,
    weight,
)
from slow_versions.soft import over_labels, prefix_shares, ranked


def annotated(topic: Topic, *, cutoff: int | None = None) -> float | None:
    """Annotated@k: a document with any group is annotated."""
    first = topic.ranking[:cutoff]
    return len(topic.condensed(first)) / len(first) if first else 0.0


def stances(topic: Topic, cutoff: int | None, rel: int, pro: str,
            con: str | None) -> list[float]:
    """s_i = m_pro − m_con with weights, else +1, −1 or 0; 0 below `rel`."""
    found = []
    for docno in topic.ranking[:cutoff]:
        sign = 0.0
        if topic.relevance(docno) >= rel:
            shares = topic.shares(docno)
            if topic.membership(docno).soft:
                sign = shares.get(pro, 0.0) - shares.get(con, 0.0)
            else:
                sign = float((pro in shares) - (con in shares))
        found.append(sign)
    return found


def bias_p(topic: Topic, *, cutoff: int | None = None, rel: int = 1, pro: str = "PRO",
           con: str | None = "CON", abs: bool = False) -> float | None:
    """BiasP@n = 1/n Σ s_i."""
    found = stances(topic, cutoff, rel, pro, con)
    n = len(found) if cutoff is None else cutoff
    return maybe_absolute(normalised(sum(found), n), abs)


def bias_rbp(topic: Topic, *, cutoff: int | None = None, rel: int = 1, pro: str = "PRO",
             con: str | None = "CON", p: float = 0.8, abs: bool = False) -> float | None:
    """BiasRBP = (1−p) Σ p^{i−1} s_i."""
    found = enumerate(stances(topic, cutoff, rel, pro, con), start=1)
    return maybe_absolute((1 - p) * sum(p ** (i - 1) * s for i, s in found), abs)


def bias_dcg(topic: Topic, *, cutoff: int | None = None, rel: int = 1, pro: str = "PRO",
             con: str | None = "CON", abs: bool = False) -> float | None:
    """BiasDCG@n = Σ s_i / log2(i+1)."""
    found = enumerate(stances(topic, cutoff, rel, pro, con), start=1)
    return maybe_absolute(sum(s / math.log2(i + 1) for i, s in found), abs)


TOLERANCE = 1e-9  # §6


def unbiased_target(mu: float, n: int, count: int) -> float:
    """§6, Lipani et al. 2021, equation (4), times n: μ·n rounded, halves towards the model."""
    below = math.floor(mu * n)
    fraction = mu * n - below
    if abs(fraction - 0.5) <= TOLERANCE:
        return min((below, below + 1), key=lambda x: abs(x - count))
    return below if fraction < 0.5 else below + 1


def rep_bias(topic: Topic, *, group: str, cutoff: int | None = None, rel: int = 1,
             target: Any = "qrels", abs: bool = False) -> float | None:
    """RepBias = model − unbiased target; the model is Σ m of the first n / n."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    documents = ranked(topic)
    n = len(documents) if cutoff is None else cutoff
    if n == 0:
        return 0.0
    plus, minus = two_sided_target(topic, target, rel, {group})
    count, _ = two_sides(documents[:n], {group}, topic.labels)
    mu = normalised(plus, plus + minus)
    return maybe_absolute((count - unbiased_target(mu, n, count)) / n, abs)


def ndkl(topic: Topic, *, cutoff: int | None = None, rel: int = 1,
         target: Any = "uniform") -> float | None:
    """Geyik et al. 2019: Σ w_i · KL(P_i ‖ T) / Σ w_i, natural logarithm."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    documents = ranked(topic)
    shares = target_shares(topic, target, rel)
    if target != "run":
        shares = smooth_zeros(shares)
    if not documents:
        if target == "run":
            return -math.log(0.001)
        if cutoff is None:
            return LOOKS_FAIR
        return -math.log(min(shares.values())) or LOOKS_FAIR
    places = places_of(len(documents[:cutoff]))
    value = sum(
        weight(i) * over_labels(kl, prefix_shares(topic, documents, i), shares, math.log)
        for i in places)
    return value / sum(weight(i) for i in places)


def skews(topic: Topic, cutoff: int | None, rel: int, target: Any) -> Shares | None:
    """Skew@k = ln(share in the first n / target share) of every label, a share of 0 being 0.001."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    shares = target_shares(topic, target, rel)
    if not any(shares.values()):  # the target is the run, and nothing was returned
        shares = uniform(topic.labels)
    documents = ranked(topic)[:cutoff]
    found = prefix_shares(topic, documents, len(documents))
    return {g: math.log((found[g] or ZERO_SHARE) / (shares[g] or ZERO_SHARE)) for g in shares}


def skew(topic: Topic, *, group: str, cutoff: int | None = None, rel: int = 1,
         target: Any = "uniform") -> float | None:
    """Skew of `group`."""
    found = skews(topic, cutoff, rel, target)
    return None if found is None else found.get(group, 0.0)


def min_skew(topic: Topic, *, cutoff: int | None = None, rel: int = 1,
             target: Any = "uniform") -> float | None:
    """The smallest Skew over G."""
    found = skews(topic, cutoff, rel, target)
    return None if found is None else min(found.values())


def max_skew(topic: Topic, *, cutoff: int | None = None, rel: int = 1,
             target: Any = "uniform") -> float | None:
    """The largest Skew over G."""
    found = skews(topic, cutoff, rel, target)
    return None if found is None else max(found.values())
