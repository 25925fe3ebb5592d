"""The measures of §2 and §3 with soft membership (§20)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from slow_versions.common import (
    TIE,
    Membership,
    Shares,
    Topic,
    as_shares,
    label_counts,
    protected_labels,
    target_is_empty,
    target_shares,
    two_sided_target,
    two_sides,
)
from slow_versions.formulas import LOOKS_FAIR, jsd, kl, normalised, places_of, smooth_zeros, weight
from slow_versions.maxima import bound_all_of_run, max_all, max_all_of_run
from slow_versions.two_groups import (
    LARGEST_TERMS,
    bind,
    difference_term,
    kl_term,
    largest_sum,
    nothing_of_run,
    ratio_term,
    smoothed_kl_term,
)

Formula = Callable[[float, float, float, float], float]


def ranked(topic: Topic) -> list[Membership]:
    """The condensed list."""
    return [topic.membership(docno) for docno in topic.condensed(topic.ranking)]


def sides_of_prefixes(degrees: Sequence[float],
                      places: Sequence[int]) -> list[tuple[int, float, float]]:
    """(i, protected, other documents among the first i)."""
    return [
        (i, math.fsum(degrees[:i]), math.fsum(1 - degree for degree in degrees[:i])) for i in places
    ]


def discounted_sum(degrees: Sequence[float], places: Sequence[int], term: Any) -> float:
    """Σ_{i∈I} w_i · term(protected, other)."""
    return sum(weight(i) * term(a, b) for i, a, b in sides_of_prefixes(degrees, places))


# ----------------------------------------------------------------------------------------------- §2


def parity(topic: Topic, formula: Formula, *, cutoff: int | None = None, rel: int = 1,
           protected: str = "minority", target: Any = "qrels", step: int = 1,
           norm: str = "max") -> float | None:
    """§2: 1/Z Σ_{i∈I} w_i · formula; Z is the maximum over 0/1 sequences."""
    topic = topic.with_target(target)
    if formula is kl_term and protected == "all":
        return parity_of_all(topic, cutoff, rel, target, step, norm)
    sides = protected_labels(protected, topic.relevant(rel), topic.labels)
    if sides is None or target_is_empty(topic, target, rel):
        return None
    documents = ranked(topic)
    if not documents and norm == "max":
        return 1.0
    if not documents and target == "run":
        return nothing_of_run(LARGEST_TERMS[formula], cutoff, step)
    if not documents and cutoff is None:
        return LOOKS_FAIR
    plus, minus = two_sided_target(topic, target, rel, sides)
    supply = (round(plus), round(minus)) if target == "run" else None  # whole without weights
    if formula is kl_term and target != "run" and min(plus, minus) <= TIE:
        smooth = smooth_zeros({"+": plus / (plus + minus), "-": minus / (plus + minus)})
        plus, minus = smooth["+"], smooth["-"]
    term = bind(formula, plus, minus)
    if not documents:
        return largest_sum(term, cutoff, places_of(cutoff, step)) or LOOKS_FAIR
    n = len(documents[:cutoff])
    places = places_of(n, step)
    degrees = [document.degree(sides, topic.labels) for document in documents]
    value = discounted_sum(degrees, places, term)
    return value if norm == "none" else normalised(value, largest_sum(term, n, places, supply))


def parity_of_all(topic: Topic, cutoff: int | None, rel: int, target: Any, step: int,
                  norm: str) -> float | None:
    """§2 rKL(protected='all')."""
    if target_is_empty(topic, target, rel):
        return None
    shares = target_shares(topic, target, rel)
    if target != "run":
        shares = smooth_zeros(shares)
    documents = ranked(topic)
    if not documents:
        if norm == "max":
            return 1.0
        if target == "run":
            return nothing_of_run(LARGEST_TERMS[kl_term], cutoff, step)
        if cutoff is None:
            return LOOKS_FAIR
        return max_all(shares, places_of(cutoff, step)) or LOOKS_FAIR
    places = places_of(len(documents[:cutoff]), step)
    value = sum(
        weight(i) * over_labels(kl, prefix_shares(topic, documents, i), shares) for i in places)
    if norm == "none":
        return value
    if target == "run":
        if step == 1 and all(len(one.shares(topic.labels)) == 1 for one in documents):
            return normalised(value, max_all_of_run(label_counts(documents, topic.labels), places))
        return normalised(value, bound_all_of_run(shares, places))
    return normalised(value, max_all(shares, places))


def prefix_shares(topic: Topic, documents: Sequence[Membership], i: int) -> Shares:
    """P_i over all labels."""
    return as_shares(label_counts(documents[:i], topic.labels))


def over_labels(divergence: Any, p: Shares, t: Shares, *more: Any) -> float:
    return divergence([p[g] for g in t], [t[g] for g in t], *more)


rnd = partial(parity, formula=difference_term)
rkl = partial(parity, formula=kl_term)
rrd = partial(parity, formula=ratio_term)


# ----------------------------------------------------------------------------------------------- §3


def viewpoint(topic: Topic, formula: Formula, *, cutoff: int | None = None,
              protected: str = "minority", norm: str = "max") -> float | None:
    """§3: as §2, the population being the whole condensed run."""
    documents = ranked(topic)
    if not documents:
        return nothing_of_run(LARGEST_TERMS[formula], cutoff) if norm == "none" else 1.0
    sides = protected_labels(protected, documents, topic.labels)
    if sides is None:
        return 0.0
    supply = two_sides(documents, sides, topic.labels)
    if min(supply) <= TIE:
        return 0.0
    n = len(documents[:cutoff])
    places = places_of(n)
    term = bind(formula, *supply)
    degrees = [document.degree(sides, topic.labels) for document in documents]
    value = discounted_sum(degrees, places, term)
    if norm == "none":
        return value
    if norm == "protected-first":
        first = sorted(degrees, reverse=True)
        return normalised(value, discounted_sum(first, places, term))
    return normalised(value, largest_sum(term, n, places, supply))


ndd = partial(viewpoint, formula=difference_term)
ndr = partial(viewpoint, formula=ratio_term)
ndkl_draws = partial(viewpoint, formula=smoothed_kl_term)


def ndjs(topic: Topic, *, cutoff: int | None = None, protected: str = "all",
         norm: str = "bound") -> float | None:
    """nDJS = Σ w_i · JSD(P_i ‖ Q) / Σ w_i, over all labels or over two sides."""
    documents = ranked(topic)
    if not documents:
        return nothing_of_run(1.0, cutoff) if norm == "none" else 1.0
    places = places_of(len(documents[:cutoff]))
    if protected == "all":
        whole = prefix_shares(topic, documents, len(documents))
        value = sum(
            weight(i) * over_labels(jsd, prefix_shares(topic, documents, i), whole) for i in places)
    else:
        sides = protected_labels(protected, documents, topic.labels)
        if sides is None:
            return 0.0
        share = two_sides(documents, sides, topic.labels)[0] / len(documents)
        degrees = [document.degree(sides, topic.labels) for document in documents]
        value = discounted_sum(
            degrees, places, lambda a, b: jsd([a / (a + b), b / (a + b)], [share, 1 - share]))
    return value if norm == "none" else value / sum(weight(i) for i in places)
