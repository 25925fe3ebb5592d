"""§2 and §3: how far prefixes of two groups are from a population, and the largest sums of that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from slow_versions.formulas import ZERO_SHARE, kl, places_of, ratio, weight

#: (protected, unprotected documents so far) -> how far from the population
Term = Callable[[int, int], float]
#: the same, and (protected, unprotected) of the population
Formula = Callable[[int, int, float, float], float]


def difference_term(a: int, b: int, plus: float, minus: float) -> float:
    """rND, nDD: | S⁺_{1..i}/i − S⁺/N |."""
    return abs(a / (a + b) - plus / (plus + minus))


def ratio_term(a: int, b: int, plus: float, minus: float) -> float:
    """rRD, nDR: | S⁺_{1..i}/S⁻_{1..i} − S⁺/S⁻ |."""
    return abs(ratio(a, b) - ratio(plus, minus))


def kl_term(a: int, b: int, plus: float, minus: float) -> float:
    """rKL: KL( (S⁺_{1..i}/i, S⁻_{1..i}/i) ‖ (S⁺/N, S⁻/N) )."""
    return kl([a / (a + b), b / (a + b)], [plus / (plus + minus), minus / (plus + minus)])


def smoothed_kl_term(a: int, b: int, plus: float, minus: float) -> float:
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


def bind(formula: Formula, plus: float, minus: float) -> Term:
    """The formula for one population."""
    return lambda a, b: formula(a, b, plus, minus)


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

