"""Discounted sums over prefixes: the common part of rND, rKL, rRD, nDD, nDR and nDKL.

Shapes: ``R`` lists, ``D`` ranks. The symbols are those of the papers: the first i documents hold
``plus`` protected ones, the population S protected ones of N.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core import arrays, discounts, maxima
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.target_distribution import one_if_zero
from pt_fairness.rankings.protected import Side, of_ranked
from pt_fairness.rankings.view import View

#: The summand of a measure: takes ``plus``, i, S and N, elementwise.
Term = Callable[[Any, Any, Any, Any], Floats]


def discounted(term: Term, plus: Any, S: Floats, N: Floats, w: Floats,
               Z: Floats | None = None) -> Floats:
    """Return ``w_i · term(plus_i, i, S, N) / Z``, ``[R, D]``; 0 where Z is 0.

    :param plus: the number of protected documents among the first i, ``[R, D]``
    :param S: the number of protected documents of the population, ``[R]``
    :param N: the number of documents of the population, ``[R]``
    :param w: the weight of each rank, ``[R, D]``
    :param Z: the normaliser, ``[R]``; by default 1

    Examples
    --------
    The shares 1, 1/2 and 1/3 of the prefixes against 1/3 in the population:

    >>> import numpy as np
    >>> from pt_fairness.measures.parity import rnd
    >>> from pt_fairness.core.discounts import log_discount
    >>> S, N, w = np.array([1.0]), np.array([3.0]), log_discount(3)[None]
    >>> discounted(rnd, np.array([[1, 1, 1]]), S, N, w).round(3).tolist()
    [[0.667, 0.105, 0.0]]
    >>> Z = sum_of_largest_terms(rnd, S, N, w)
    >>> discounted(rnd, np.array([[1, 1, 1]]), S, N, w, Z).sum().round(3).item()
    0.543
    """
    terms = term(plus, discounts.ranks(w.shape[1]), S[:, None], N[:, None])
    terms *= w
    if Z is not None:
        terms *= arrays.ratio(1.0, Z)[:, None]
    return terms


def weights(n: Ints, depth: int, step: int) -> Floats:
    """Return the discount of each rank, 0 at ranks that are not evaluated, ``[R, depth]``."""
    return discounts.evaluated(depth, n, step) * discounts.log_discount(depth)


def sum_of_largest_terms(term: Term, S: Floats, N: Floats, w: Floats) -> Floats:
    """Return the largest discounted sum over every sequence of documents, ``[R]``.

    :param w: the weight of each rank, ``[R, D]``, or ``[1, D]`` for all lists
    """
    (S, N), where = arrays.unique_rows(S, N)
    i = discounts.ranks(max(w.shape[1], 1))
    terms = largest_term(term, i[[0, -1]], S[:, None], N[:, None])
    # The largest term never falls from rank to rank: equal ends mean that all ranks have it.
    terms = terms[:, :1] if (terms[:, 0] == terms[:, 1]).all() \
        else largest_term(term, i, S[:, None], N[:, None])
    if len(w) == 1:
        return np.asarray((w * terms).sum(axis=1)[where])
    return np.asarray((w * terms[where]).sum(axis=1))


def largest_term(term: Term, i: Any, S: Any, N: Any) -> Floats:
    """Return the largest term over all counts of protected documents, elementwise.

    A difference and a divergence are convex in the share of protected documents, and so largest
    where all or none are protected. A ratio is then 0, and largest with one other document. One
    sequence attains the largest term at every rank, so sums of it are exact maxima: those of a
    difference or a divergence hold one kind of documents, that of a ratio has one other document,
    at the first rank where the ratio is further from S / (N − S) than 0 is.
    """
    # With one kind of documents, the term is the same at every rank.
    same = np.maximum(term(0.0, 1.0, S, N), term(1.0, 1.0, S, N))
    return np.maximum(same, term(i - 1.0, i, S, N))


class PrefixMeasure(FairnessMeasure):
    """A discounted sum over the prefixes of the condensed list, each compared with a population."""

    COMPARES = True
    #: The largest :meth:`term` over all populations without shares below ``SMALLEST_SHARE``.
    BOUND: ClassVar[float]

    @staticmethod
    def term(plus: Any, i: Any, S: Any, N: Any) -> Floats:
        """Return the summand of the paper, elementwise."""
        raise NotImplementedError

    @property
    def step(self) -> int:
        """The distance between evaluated ranks."""
        return self.param("step") or 1

    def population(self, side: Side) -> tuple[Floats, Floats]:
        """Return S and N, ``[R]`` each; 0 and 1 if the population is empty."""
        return side.plus, np.where(side.total > 0, side.total, 1.0)

    def terms(self, view: View) -> Floats:
        side = self.side(view)
        assert side is not None
        return self.terms_of(view, side)

    def terms_of(self, view: View, side: Side) -> Floats:
        """Return what each document adds to the value, ``[R, D]``."""
        codes, n = view.condensed(self.param("cutoff"))
        (S, N), w = self.population(side), weights(n, codes.shape[1], self.step)
        plus = of_ranked(side.sets, codes).cumsum(axis=1)
        if self.param("norm") == "range":
            fairest = self.fairest_sum(side, n, w)
            span = self.least_fair_sum(side, n, w) - fairest
            excess = discounted(self.term, plus, S, N, w) \
                - w * arrays.ratio(fairest, w.sum(axis=1))[:, None]
            return excess * np.where(span > arrays.ROUNDING, arrays.ratio(1.0, span),
                                     0.0)[:, None]
        return discounted(self.term, plus, S, N, w, self.normaliser(side, n, w))

    def normaliser(self, side: Side, n: Ints, w: Floats) -> Floats | None:
        """Return Z, ``[R]``, by which the sum is divided; ``None`` for 1.

        :param n: the number of documents of each list, ``[R]``
        :param w: the weight of each rank, ``[R, D]``
        """
        if self.param("norm") == "max":
            return self.least_fair_sum(side, n, w)
        if self.param("norm") != "protected-first":
            return None
        S, N = self.population(side)
        first = np.minimum(discounts.ranks(w.shape[1]), S[:, None])
        return np.asarray(discounted(self.term, first, S, N, w).sum(axis=1))

    def least_fair_sum(self, side: Side, n: Ints, w: Floats) -> Floats:
        """Return the sum of the least fair ranking of ``n`` documents, ``[R]``."""
        if self.of_run:
            return self._of_orders(side, n, w.shape[1])
        return sum_of_largest_terms(self.term, *self.population(side), w)

    def fairest_sum(self, side: Side, n: Ints, w: Floats) -> Floats:
        """Return the sum of the fairest possible ranking of ``n`` documents, ``[R]``."""
        return self._of_orders(side, n, w.shape[1], -1.0)

    def _of_orders(self, side: Side, n: Ints, depth: int, sign: float = 1.0) -> Floats:
        """Return the largest, or with ``sign=-1`` the smallest, sum of any order, ``[R]``."""
        S, N = self.population(side)
        most, least = (S.astype(int), (N - S).astype(int)) if self.of_run else (n, n)
        (n, S, N, most, least), where = arrays.unique_rows(n, S, N, most, least)
        return sign * maxima.largest_sum(
            lambda a, i: self.term(a, i, S[:, None], N[:, None]),
            sign * weights(n, depth, self.step), most, least)[where]

    def fairest(self, view: View) -> Floats | None:
        """Return the value of the fairest possible ranking of each list, ``[R]``.

        That is a ranking of as many documents, of the same kinds where the population is the run. A
        list without annotated documents has its own value. NaN stands for an undefined topic and
        for documents with weights.
        """
        values, side = self.score(view), self.side(view)
        assert side is not None
        _, n = view.condensed(self.param("cutoff"))
        w = weights(n, int(n.max(initial=0)), self.step)
        Z = self.normaliser(side, n, w)
        fairest = 0.0 if self.param("norm") == "range" else self.fairest_sum(side, n, w)
        found = np.where(n > 0, fairest if Z is None else arrays.ratio(fairest, Z), values)
        return np.where(np.isnan(values) | view.weighted.any(), np.nan, found)

    def score(self, view: View) -> Floats:
        side = self.side(view)
        assert side is not None
        S, N = self.population(side)
        values, empty = self.terms_of(view, side).sum(axis=1), view.length == 0
        if empty.any():
            values[empty] = self.when_empty(
                lambda w: sum_of_largest_terms(self.term, S[empty], N[empty], w))
        return self.of_lists(values, side.defined)

    def of_lists(self, values: Floats, defined: Any) -> Floats:
        """Return the values with NaN where undefined, and at most 1 where that is the maximum."""
        if self.param("norm") in ("max", "range"):
            values = np.clip(values, 0.0, 1.0)  # rounding
        return np.where(defined, values, np.nan)

    def when_empty(self, largest_of: Callable[[Floats], Any]) -> Any:
        """Return the value of lists without annotated documents.

        :param largest_of: takes the weight of each rank, ``[1, D]``; returns the largest discounted
            sum that each of these lists can have
        """
        cutoff = self.param("cutoff")
        if self.param("norm") != "none":
            return 1.0
        if cutoff is None:
            return self.BOUND if self.of_run else 1.0
        w = weights(np.array([cutoff]), cutoff, self.step)
        return self.BOUND * w.sum() if self.of_run else one_if_zero(largest_of(w))
