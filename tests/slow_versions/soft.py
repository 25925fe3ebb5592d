"""§2 and §3: how far prefixes are from a population, with soft membership (§20)."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from slow_versions.common import (
    LOOKS_FAIR,
    TIE,
    ZERO_SHARE,
    Membership,
    Shares,
    Topic,
    as_shares,
    jsd,
    kl,
    label_counts,
    normalised,
    places_of,
    protected_labels,
    ratio,
    smooth_zeros,
    target_is_empty,
    target_shares,
    two_sided_target,
    two_sides,
    weight,
)

#: (protected, unprotected documents so far) -> how far from the population
Term = Callable[[float, float], float]
#: the same, and (protected, unprotected) of the population
Formula = Callable[[float, float, float, float], float]


def difference_term(a: float, b: float, plus: float, minus: float) -> float:
    """rND, nDD: | S⁺_{1..i}/i − S⁺/N |."""
    return abs(a / (a + b) - plus / (plus + minus))


def ratio_term(a: float, b: float, plus: float, minus: float) -> float:
    """rRD, nDR: | S⁺_{1..i}/S⁻_{1..i} − S⁺/S⁻ |."""
    return abs(ratio(a, b) - ratio(plus, minus))


def kl_term(a: float, b: float, plus: float, minus: float) -> float:
    """rKL: KL( (S⁺_{1..i}/i, S⁻_{1..i}/i) ‖ (S⁺/N, S⁻/N) )."""
    return kl([a / (a + b), b / (a + b)], [plus / (plus + minus), minus / (plus + minus)])


def smoothed_kl_term(a: float, b: float, plus: float, minus: float) -> float:
    """nDKL: as rKL, but P = (0, 1) becomes (0.001, 0.999) (§3; Draws et al. 2021, footnote 5)."""
    if a == 0:
        return kl([ZERO_SHARE, 1 - ZERO_SHARE], [plus / (plus + minus), minus / (plus + minus)])
    return kl_term(a, b, plus, minus)


#: The largest terms of all populations whose shares are at least 0.001.
LARGEST_TERMS: dict[Formula, float] = {
    difference_term: 1.0, ratio_term: 999.0, kl_term: -math.log2(0.001),
    smoothed_kl_term: -math.log2(0.001)}


def nothing_of_run(largest_term: float, cutoff: int | None, step: int = 1) -> float:
    """norm='none', target 'run', nothing returned: Σ_{i∈I} w_i of the cutoff · the largest term.

    Without a cutoff, 1 stands for the sum.
    """
    discounts = 1.0 if cutoff is None else sum(weight(i) for i in places_of(cutoff, step))
    return discounts * largest_term


def largest_sum(term: Term, n: int, places: Sequence[int],
                supply: tuple[int, int] | None = None) -> float:
    """§2 Z = 'max': the largest Σ_{i∈I} w_i · term over all sequences of n documents, from the best
    sum for each number of protected documents so far.

    `supply`: (protected, unprotected) documents of the whole run, for the first n places of its
    permutations.
    """
    best = {0: 0.0}
    for i in range(1, n + 1):
        following: dict[int, float] = {}
        for a_before, value in best.items():
            for a in (a_before, a_before + 1):
                if supply is not None and (a > supply[0] or i - a > supply[1]):
                    continue
                following[a] = max(value, following.get(a, 0.0))
        if i in places:
            following = {a: value + weight(i) * term(a, i - a) for a, value in following.items()}
        best = following
    return max(best.values())


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
            [count / i for count in prefix], [size / sum(blocks) for size in blocks])
    return total


def bound_all_of_run(target: Mapping[str, float], places: Sequence[int]) -> float:
    """§2, target='run' with a longer step or documents of several groups: an upper bound."""
    return max_all({label: share for label, share in target.items() if share > 0}, places)


def ranked(topic: Topic) -> list[Membership]:
    """The condensed list."""
    return [topic.membership(docno) for docno in topic.condensed(topic.ranking)]


def discounted_sum(degrees: Sequence[float], places: Sequence[int], term: Term) -> float:
    """Σ_{i∈I} w_i · term(protected, other documents among the first i)."""
    total = 0.0
    for i in places:
        protected = math.fsum(degrees[:i])
        other = math.fsum(1 - degree for degree in degrees[:i])
        total += weight(i) * term(protected, other)
    return total


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

    def term(a: float, b: float) -> float:
        return formula(a, b, plus, minus)

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


def viewpoint(topic: Topic, formula: Formula, *, cutoff: int | None = None,
              protected: str = "minority", norm: str = "max") -> float | None:
    """§3: as §2, the population being the whole condensed run."""
    documents = ranked(topic)
    if not documents:
        return nothing_of_run(LARGEST_TERMS[formula], cutoff) if norm == "none" else 1.0
    sides = protected_labels(protected, documents, topic.labels)
    if sides is None:
        return 0.0
    plus, minus = supply = two_sides(documents, sides, topic.labels)
    if min(supply) <= TIE:
        return 0.0
    n = len(documents[:cutoff])
    places = places_of(n)

    def term(a: float, b: float) -> float:
        return formula(a, b, plus, minus)

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
