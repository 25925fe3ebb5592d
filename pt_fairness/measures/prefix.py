"""Discounted sums over prefixes: the common part of rND, rKL, rRD, nDD, nDR and nDKL."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.measures.lazy import np, numerics
from pt_fairness.measures.protected import TwoGroups, of_ranked
from pt_fairness.measures.target_distribution import one_if_zero

if TYPE_CHECKING:
    from pt_fairness.numerics import Floats, Ints
    from pt_fairness.rankings.view import View


def unfairest_of_run(bound: float, cutoff: int | None, step: int = 1) -> float:
    """Return the unnormalised value of a topic without results if the population is the run.

    It is ``bound`` times the sum of the discounts of the evaluated ranks up to ``cutoff``. Without
    a cutoff it is ``bound``.

    :param bound: the largest term over all populations without shares below ``SMALLEST_SHARE``
    """
    if cutoff is None:
        return bound
    return bound * numerics.discounted_sum(numerics.evaluated_ranks(cutoff, step))


class PrefixMeasure(FairnessMeasure):
    """Discounted sum over the prefixes of the condensed list, which compares each with a target.

    :class:`Difference`, :class:`Ratio` and :class:`Divergence` implement the terms. This class sums
    and normalises them. Shapes: ``R`` lists, ``D`` ranks.
    """

    OVER_RANKS = "sum"

    def target_of(self, groups: TwoGroups) -> Floats:
        """Return the target value of :meth:`term`, the share of protected documents, ``[R]``."""
        return numerics.ratio(groups.plus, groups.total)

    def term(self, protected: Any, rank: Any, target: Any) -> Floats:
        """Return the distance of a prefix of ``rank`` documents from the target, elementwise.

        :param protected: the number of protected documents in the prefix
        """
        raise NotImplementedError

    @property
    def bound(self) -> float:
        """The largest :meth:`term` over all populations without shares below ``SMALLEST_SHARE``."""
        raise NotImplementedError

    def largest_term(self, rank: Any, target: Any) -> Floats:
        """Return the largest :meth:`term` over all counts of protected documents, elementwise.

        One sequence of documents attains it at every rank, so sums of it are exact maxima. A term
        that is convex in the share of protected documents is largest at a share of 0 or 1.
        """
        return np.maximum(self.term(0.0, 1.0, target), self.term(1.0, 1.0, target))

    def largest_sum(self, ranks: range, target: Floats) -> Floats:
        """Return the discounted sum of :meth:`largest_term` over ``ranks``, ``[R]``.

        There may be billions of ranks.
        """
        return numerics.discounted_sum(ranks) * self.largest_term(1.0, target)

    @property
    def step(self) -> int:
        """The distance between evaluated ranks."""
        return self.param("step") or 1

    def weights(self, n: Ints, depth: int) -> Floats:
        """Return the discount of each rank, 0 at ranks that are not evaluated, ``[R, depth]``."""
        return numerics.evaluated(depth, n, self.step) * numerics.log_discount(depth)

    def value_of(self, counts: Any, n: Ints, target: Floats) -> Floats:
        """Return the discounted sum of the terms of each list, ``[R]``.

        :param counts: the number of protected documents in each prefix, ``[R, D]``
        :param n: the lengths of the lists, ``[R]``
        """
        depth = counts.shape[1]
        terms = self.term(counts, numerics.ranks(depth), target[:, None])
        return (self.weights(n, depth) * terms).sum(axis=1)

    def score_two_groups(self, view: View, groups: TwoGroups, of_run: bool) -> Floats:
        """Return the value of each list, ``[R]``.

        :param of_run: whether the population is the run, so that the maximum is over permutations
            of its documents
        """
        codes, n = view.condensed(self.param("cutoff"))
        target = self.target_of(groups)
        values = self.value_of(of_ranked(groups.protected, codes).cumsum(axis=1), n, target)
        norm = self.param("norm")
        if norm != "none":
            largest = (self.protected_first(groups, n, target) if norm == "protected-first"
                       else self.largest(groups, n, target, of_run))
            values = numerics.ratio(values, largest)
        if norm == "max":
            values = np.minimum(values, 1.0)  # rounding
        empty = view.length == 0
        if empty.any():
            values[empty] = self.when_empty(
                of_run, lambda ranks: self.largest_sum(ranks, target[empty]))
        return np.where(groups.defined, values, np.nan)

    def largest(self, groups: TwoGroups, n: Ints, target: Floats, of_run: bool) -> Floats:
        """Return the exact maximum of the sum over all sequences of ``n`` documents, ``[R]``.

        If ``of_run``, the maximum is over the first ``n`` ranks of all permutations of the run.
        """
        depth = int(n.max(initial=0))
        if not of_run:
            terms = self.largest_term(numerics.ranks(depth), target[:, None])
            return (self.weights(n, depth) * terms).sum(axis=1)
        (n, plus, total, target), where = numerics.unique_rows(n, groups.plus, groups.total, target)
        most, least = plus.astype(np.int64), (total - plus).astype(np.int64)
        return numerics.largest_sum(lambda a, i: self.term(a, i, target[:, None]),
                                    self.weights(n, depth), most, least)[where]

    def protected_first(self, groups: TwoGroups, n: Ints, target: Floats) -> Floats:
        """Return the sum of the ranking with all protected documents first, ``[R]``."""
        first = np.minimum(numerics.ranks(int(n.max(initial=0))), groups.plus[:, None])
        return self.value_of(first, n, target)

    def when_empty(self, of_run: bool, largest: Callable[[range], Floats]) -> Any:
        """Return the value of lists without annotated documents: one number, or ``[E]``.

        :param largest: takes the evaluated ranks; returns the largest discounted sum over them that
            each of these lists can have, ``[E]``
        """
        if self.param("norm") != "none":
            return 1.0
        cutoff = self.param("cutoff")
        if of_run:
            return unfairest_of_run(self.bound, cutoff, self.step)
        if cutoff is None:
            return 1.0
        return one_if_zero(largest(numerics.evaluated_ranks(cutoff, self.step)))


class Difference(PrefixMeasure):
    """Prefix measure of the difference between shares of protected documents."""

    def term(self, protected: Any, rank: Any, target: Any) -> Floats:
        return abs(protected / rank - target)

    @property
    def bound(self) -> float:
        return 1.0


class Ratio(PrefixMeasure):
    """Prefix measure of the difference between ratios of protected to unprotected documents."""

    def target_of(self, groups: TwoGroups) -> Floats:
        return numerics.ratio(groups.plus, groups.total - groups.plus)

    def term(self, protected: Any, rank: Any, target: Any) -> Floats:
        return abs(numerics.ratio(protected, rank - protected) - target)

    @property
    def bound(self) -> float:
        return numerics.LARGEST_RATIO

    @property
    def refuses_weights(self) -> bool:
        return True

    def largest_term(self, rank: Any, target: Any) -> Floats:
        # The ratio is 0 while all documents are protected. The first unprotected document raises it
        # to rank − 1, the largest ratio. The sequence has it at the first rank where rank − 1 is
        # further from the target than 0 is.
        return np.maximum(target, rank - 1.0 - target)

    def largest_sum(self, ranks: range, target: Floats) -> Floats:
        (distinct,), where = numerics.unique_rows(target)
        return np.array([self._largest_sum(ranks, one) for one in distinct.tolist()])[where]

    @staticmethod
    def _largest_sum(ranks: range, target: float) -> float:
        change = bisect_right(ranks, 2 * target + 1)
        return (target * numerics.discounted_sum(ranks[:change])
                + numerics.discounted_sum(ranks[change:], lambda i: i - 1.0 - target))


class Divergence(PrefixMeasure):
    """Prefix measure of the Kullback–Leibler divergence between the shares of two groups."""

    def term(self, protected: Any, rank: Any, target: Any) -> Floats:
        return numerics.binary_kl(protected / rank, target)

    @property
    def bound(self) -> float:
        return numerics.LARGEST_DIVERGENCE
