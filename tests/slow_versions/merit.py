"""§14 logDP, logEUR, logRUR, ExposureRatio and §15 IAA.

Singh & Joachims 2018; Raj & Ekstrand 2022; Biega et al. 2018.
"""

import math
from dataclasses import replace
from functools import partial
from typing import Any

from slow_versions.common import (
    Shares,
    Topic,
    annotated_places,
    as_shares,
    attention,
    gain,
    maybe_absolute,
    protected_labels,
    target_is_empty,
    target_shares,
    two_sided_target,
)

EPSILON = 1e-6
LEAST_SIDE = 1e-12


def exposure_ratio(topic: Topic, *, cutoff: int | None = None, rel: int = 1,
                   target: Any = "uniform", discount: str = "log2", p: float = 0.85,
                   unannotated: str = "drop") -> float | None:
    """ExposureRatio: min over g of a_g/T_g over its max."""
    topic = topic.with_target(target)
    shares = target_shares(topic, target, rel)
    counted = [g for g in topic.labels if shares[g] > 0]
    if not topic.labels or (len(counted) < 2 and target != "run"):
        return None
    places = annotated_places(topic, topic.ranking, cutoff, unannotated)
    total = sum(attention(discount, i, p) for i, _ in places)
    ratios = []
    for g in counted:
        got = sum(attention(discount, i, p) * topic.shares(d).get(g, 0.0) for i, d in places)
        ratios.append(got / total / shares[g] if places else 0.0)
    if len(counted) < 2 or max(ratios) == 0:
        return 0.0  # one group alone, or none of the target was returned
    return min(ratios) / max(ratios)


def sides_of_samples(topic: Topic, sides: frozenset[str], cutoff: int | None, discount: str,
                     p: float, unannotated: str, gain_of: Any) -> tuple[float, float] | None:
    """Σ a_i·gain of the two sides, mean over samples; None: nothing annotated returned."""
    protected = other = 0.0
    returned = False
    for ranking in topic.rankings:
        for i, docno in annotated_places(topic, ranking, cutoff, unannotated):
            degree = topic.membership(docno).degree(sides, topic.labels)
            protected += degree * attention(discount, i, p) * gain_of(docno) / len(topic.rankings)
            other += (1 - degree) * attention(discount, i, p) * gain_of(docno) / len(topic.rankings)
            returned = True
    return (protected, other) if returned else None


def sides_of_target(topic: Topic, target: Any, rel: int,
                    sides: frozenset[str]) -> tuple[float, float]:
    """T of the two sides."""
    protected, other = two_sided_target(topic, target, rel, sides)
    return protected / (protected + other), other / (protected + other)


def candidate_shares(topic: Topic, sides: frozenset[str], rel: int) -> tuple[float, float]:
    """T for 'run': the mean over samples, uniform where none has an annotated document."""
    found = [sides_of_target(replace(topic, rankings=[ranking]), "run", rel, sides)
             for ranking in topic.rankings if topic.condensed(ranking)]
    if not found:
        return sides_of_target(topic, "uniform", rel, sides)
    return sum(a for a, _ in found) / len(found), sum(b for _, b in found) / len(found)


def log_ratio(topic: Topic, *, kind: str, cutoff: int | None = None, rel: int = 1,
              protected: str = "minority", target: Any = "uniform", gains: str = "linear",
              discount: str = "log2", p: float = 0.85, unannotated: str = "drop",
              abs: bool = False) -> float | None:
    """ln(X_protected + ε) − ln(X_other + ε).

    logDP: X = E/(2T), E = Σ a_i of a side, T its share of `target`. logEUR: X = E/U, U = Σ y over
    the side's judged documents. logRUR: X = (Σ a_i y)/U.
    """
    topic = topic.with_target(target)
    sides = protected_labels(protected, topic.relevant(rel), topic.labels)
    if sides is None or not topic.labels:
        return None
    if kind == "DP":
        if target_is_empty(topic, target, rel):
            return None
        if target == "run":
            plus, minus = candidate_shares(topic, sides, rel)
        else:
            plus, minus = sides_of_target(topic, target, rel, sides)
        below = 2 * plus, 2 * minus
    else:  # U = Σ y over the side's judged documents
        plus = minus = 0.0
        for docno, relevance in topic.judged.items():
            if topic.shares(docno):
                degree = topic.membership(docno).degree(sides, topic.labels)
                plus += degree * gain(relevance, rel, gains)
                minus += (1 - degree) * gain(relevance, rel, gains)
        below = plus, minus
    if min(plus, minus) <= LEAST_SIDE:
        return None

    def gain_of(docno: str) -> float:
        return gain(topic.relevance(docno), rel, gains) if kind == "RUR" else 1.0

    above = sides_of_samples(topic, sides, cutoff, discount, p, unannotated, gain_of)
    if above is None:  # nothing returned: as k (no k: 1) documents of the other side with gain 1
        above = 0.0, sum(attention(discount, i, p) for i in range(1, (cutoff or 1) + 1))
    x = [exposure / candidates for exposure, candidates in zip(above, below, strict=True)]
    value = math.log(x[0] + EPSILON) - math.log(x[1] + EPSILON)
    return maybe_absolute(value, abs)


log_dp = partial(log_ratio, kind="DP")
log_eur = partial(log_ratio, kind="EUR")
log_rur = partial(log_ratio, kind="RUR")


def attention_and_merit(topic: Topic, cutoff: int | None, rel: int, gains: str, discount: str,
                        p: float, by: str) -> tuple[Shares, Shares]:
    """(ε, y) of every document ranked within k or judged, or of every group."""
    exposures: Shares = {}
    for ranking in topic.rankings:
        for i, docno in enumerate(ranking[:cutoff], start=1):
            exposures.setdefault(docno, 0.0)
            exposures[docno] += attention(discount, i, p) / len(topic.rankings)
    merits = {docno: gain(relevance, rel, gains) for docno, relevance in topic.judged.items()}
    if by == "document":
        everything = sorted({*exposures, *merits})
        return (
            {docno: exposures.get(docno, 0.0) for docno in everything},
            {docno: merits.get(docno, 0.0) for docno in everything})
    assert by == "group"
    found = [dict.fromkeys(topic.labels, 0.0) for _ in range(2)]
    for of_documents, of_groups in zip((exposures, merits), found, strict=True):
        for docno, value in of_documents.items():
            for label, share in topic.shares(docno).items():
                of_groups[label] += share * value
    return found[0], found[1]


def iaa(topic: Topic, *, cutoff: int | None = None, rel: int = 1, gains: str = "linear",
        discount: str = "log2", p: float = 0.85, by: str = "document",
        norm: str = "max") -> float | None:
    """IAA: 'max' ½ Σ_d | ε_d/Σε − y_d/Σy |, 'none' Σ_d | ε_d − y_d/max y |. None: Σy = 0."""
    exposures, merits = attention_and_merit(topic, cutoff, rel, gains, discount, p, by)
    if sum(merits.values()) == 0 or (by == "group" and len(topic.labels) == 1):
        return None
    largest = max(merits.values())
    if sum(exposures.values()) == 0:  # nothing returned, or by group nothing annotated
        if norm == "max":
            return 1.0
        worst = sum(attention(discount, i, p) for i in range(1, (cutoff or 1) + 1))
        return sum(merits.values()) / largest + worst
    if norm == "max":
        got, due = as_shares(exposures), as_shares(merits)
        return sum(abs(got[key] - due[key]) for key in merits) / 2
    return sum(abs(exposures[key] - merits[key] / largest) for key in merits)

