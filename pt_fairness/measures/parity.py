"""Statistical parity against a target: rND, rKL, rRD (Pathiyan Cherumanal et al. 2021, after Yang & Stoyanovich 2017)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar

from pt_fairness.measures import params
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.late import np, numerics
from pt_fairness.measures.population import TwoGroups, distribution, two_groups
from pt_fairness.measures.registry import register

if TYPE_CHECKING:
    from pt_fairness.numerics import Floats, Ints
    from pt_fairness.rankings.view import View


class PrefixMeasure(FairnessMeasure):
    """A discounted sum, over the prefixes of the condensed list, of how far a prefix is from a population.

    A subclass gives :meth:`target_of` and :meth:`term`; this class sums and normalises.
    """

    SOURCE: ClassVar[tuple[str, ...]] = ("pathiyancherumanal2021", "yang2017")
    #: Whether :meth:`term` is convex in the count of protected documents, so that one group alone is the extreme.
    CONVEX = False

    def target_of(self, groups: TwoGroups) -> Floats:
        """``[T]``: the number that :meth:`term` compares with."""
        raise NotImplementedError

    def term(self, protected: Any, rank: Any, target: Any) -> Floats:
        """How far a prefix of ``rank`` documents, ``protected`` of them protected, is from the target; elementwise."""
        raise NotImplementedError

    def weights(self, n: Ints, depth: int) -> Floats:
        """``[T, depth]``: the discount of every rank, 0 at ranks that are not evaluated."""
        step = self.param("step") if "step" in self.SUPPORTED_PARAMS else 1
        return numerics.evaluated(depth, n, step) * numerics.log_discount(depth)

    def value_of(self, groups: TwoGroups, counts: Any, n: Ints, target: Floats) -> Floats:
        """``[T]``: the discounted sum of a ranking whose prefixes hold ``counts [T, D]`` protected documents."""
        depth = counts.shape[1]
        return (self.weights(n, depth) * self.term(counts, numerics.ranks(depth), target[:, None])).sum(axis=1)

    def score_two_groups(self, view: View, groups: TwoGroups, of_run: bool) -> Floats:
        """The value of every topic.

        :param of_run: whether the population is the run itself, whose documents alone can be permuted
        """
        codes, n = view.condensed(self.param("cutoff"))
        inside = (codes >= 0) & np.take_along_axis(groups.protected, np.maximum(codes, 0), axis=1) if codes.size else codes
        target = self.target_of(groups)
        values = self.value_of(groups, inside.cumsum(axis=1), n, target)
        norm = self.param("norm")
        if norm != "none":
            largest = (self.protected_first(groups, n, target) if norm == "protected-first"
                       else self.largest(groups, n, target, of_run))
            values = numerics.ratio(values, largest)
        if norm == "max":
            values = np.minimum(values, 1.0)  # two sums of the same numbers may differ in their last bits
        empty = view.length == 0
        if empty.any():
            values[empty] = self.when_empty(groups, target[empty], of_run)
        return np.where(groups.defined, values, np.nan)

    def largest(self, groups: TwoGroups, n: Ints, target: Floats, of_run: bool) -> Floats:
        """``[T]``: the exact maximum of the sum, over every sequence of ``n[t]`` protected and unprotected documents.

        If ``of_run``, over the first ``n[t]`` places of the permutations of the run.
        """
        depth = int(n.max(initial=0))
        if self.CONVEX and not of_run:
            # A convex term is largest where the prefix holds one group alone, and one sequence does that at every rank.
            i = numerics.ranks(depth)
            return np.maximum(self.value_of(groups, 0.0 * i + np.zeros((len(n), 1)), n, target),
                              self.value_of(groups, i + np.zeros((len(n), 1)), n, target))
        plus, total = (groups.plus, groups.total) if of_run else (n, 2 * n)
        (n, plus, total, target), where = numerics.unique_rows(n, plus, total, target)
        most, least = plus.astype(np.int64), (total - plus).astype(np.int64)
        return numerics.largest_sum(lambda a, i: self.term(a, i, target[:, None]), self.weights(n, depth), most,
                                    least)[where]

    def protected_first(self, groups: TwoGroups, n: Ints, target: Floats) -> Floats:
        """``[T]``: the sum of the ranking with every protected document first."""
        first = np.minimum(numerics.ranks(int(n.max(initial=0))), groups.plus[:, None])
        return self.value_of(groups, first, n, target)

    def when_empty(self, groups: TwoGroups, target: Floats, of_run: bool) -> Floats:
        """``[E]``: the value of topics for which nothing was returned: as unfair as ``cutoff`` documents can be, and 1 where
        that says nothing, as one document cannot differ from itself."""
        cutoff = self.param("cutoff")
        if self.param("norm") != "none" or cutoff is None:
            return np.ones(len(target))
        if not of_run:
            (distinct,), where = numerics.unique_rows(target)
            return self.largest(groups, np.full(len(distinct), cutoff), distinct, of_run=False)[where]
        # The population would be the cutoff documents themselves: the worst of the ways to split them.
        plus = np.arange(float(cutoff + 1))
        total = np.full(cutoff + 1, float(cutoff))
        every = TwoGroups(groups.protected[:0], plus, total, plus >= 0)
        worst = self.largest(every, np.full(cutoff + 1, cutoff), self.target_of(every), of_run=True).max()
        return np.full(len(target), worst or 1.0)


_NORM = "normaliser: max (the exact maximum) or none"


def _params(*protected: str) -> dict[str, params.Param]:
    return {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "protected": params.protected(*protected),
        "target": params.target(),
        "step": params.whole("evaluate every step-th rank", default=1, smallest=1),
        "norm": params.one_of(_NORM, "max", "none"),
        "groups": params.groups(),
    }


class ParityMeasure(PrefixMeasure):
    """A prefix measure whose population is a target distribution: by default the topic's relevant documents."""

    def score(self, view: View) -> Floats:
        return self.score_two_groups(view, two_groups(self, view), of_run=self.param("target") == "run")


class _rND(ParityMeasure):
    """
    Normalised discounted difference: how far the share of protected documents in every prefix of the ranking is from
    their share in the population.

    ``1/Z Σ_{i∈I} 1/log2(i+1) · |S⁺_{1..i}/i − S⁺/N|`` over the annotated documents of the ranking. In [0, 1] (unbounded
    with ``norm='none'``); 0 is fair, 1 is the most unfair ranking that is possible. A topic whose population is empty,
    or has fewer than two groups where ``protected`` is a minority or majority, is undefined: 0, with a warning. A topic
    for which nothing was returned has 1.

    The equation divides by i, the paper's released code by i + 1: this is the equation. ``norm='max'`` is the exact
    maximum over every sequence of protected and unprotected documents of that length, not a sample.

    Source: Pathiyan Cherumanal et al. (2021), section 3.1, equation 1, after Yang & Stoyanovich (2017).
    """

    __name__ = "rND"
    NAME = __name__
    PRETTY_NAME = "Normalised Discounted Difference"
    SHORT_DESC = "How far the share of protected documents in every prefix is from their share in the population."
    SUPPORTED_PARAMS = _params()
    CONVEX = True

    def target_of(self, groups: TwoGroups) -> Floats:
        return numerics.ratio(groups.plus, groups.total)

    def term(self, protected: Any, rank: Any, target: Any) -> Floats:
        return abs(protected / rank - target)


class _rKL(ParityMeasure):
    """
    Normalised discounted Kullback–Leibler divergence of the groups in every prefix from those in the population.

    ``1/Z Σ_{i∈I} 1/log2(i+1) · KL((S⁺_{1..i}/i, S⁻_{1..i}/i) ‖ (S⁺/N, S⁻/N))``, base 2, over the annotated documents of
    the ranking; with ``protected='all'`` the divergence is over all groups at once, and a document of m groups counts
    1/m towards each. In [0, 1] (unbounded with ``norm='none'``); 0 is fair. Undefined topics and empty lists as for rND.

    Shares of 0 in the target become 0.001 and the others are scaled to make room; not for ``target='run'``, of which no prefix
    holds what the run lacks. ``norm='max'`` is the exact maximum; for ``protected='all'`` it is −log2 of the smallest target
    share times the sum of the discounts, and with ``target='run'`` the sum of the ranking that has whole groups one after the
    other, the smallest first. Where that is not the maximum (``step`` > 1, documents of several groups), all orders are
    searched. Where these are too many, it is the largest sum of whole groups in the orders of up to six groups (a ranking that
    exceeds it has 1), and, for documents of several groups, −log2 of the smallest share as above, an upper bound.

    Source: Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017). The measure over all groups at once
    is an extension.
    """

    __name__ = "rKL"
    NAME = __name__
    PRETTY_NAME = "Normalised Discounted KL-Divergence"
    SHORT_DESC = "How far the distribution over groups in every prefix diverges from that of the population."
    SUPPORTED_PARAMS = _params("all")
    CONVEX = True

    def target_of(self, groups: TwoGroups) -> Floats:
        share = numerics.ratio(groups.plus, groups.total)
        if self.param("target") == "run":
            return share  # no prefix of a run holds what the run lacks, so nothing is infinite
        return numerics.smoothed(np.column_stack([share, 1.0 - share]))[:, 0]

    def term(self, protected: Any, rank: Any, target: Any) -> Floats:
        return numerics.binary_kl(protected / rank, target)

    def score(self, view: View) -> Floats:
        return self._score_all(view) if self.param("protected") == "all" else super().score(view)

    def _score_all(self, view: View) -> Floats:
        codes, n = view.condensed(self.param("cutoff"))
        of_run = self.param("target") == "run"
        plain = distribution(self, view)
        defined = (plain.sum(axis=1) > 0) | of_run
        target = plain if of_run else numerics.smoothed(plain)
        depth = codes.shape[1]
        weights = self.weights(n, depth)
        values = np.maximum(self._divergences(codes, view.share, weights, target), 0.0)
        bound = -np.log2(np.where(target > 0, target, 1.0).min(axis=1, initial=1.0))
        norm, cutoff = self.param("norm"), self.param("cutoff")
        if norm == "max":
            largest = self._largest_of_run(view, target, n, weights, bound) if of_run else bound * weights.sum(axis=1)
            values = np.minimum(numerics.ratio(values, largest), 1.0)
        empty = view.length == 0
        if empty.any():
            worst: Any = 1.0
            if norm == "none" and cutoff is not None:
                discounts = self.weights(np.array([cutoff]), cutoff)[0]
                worst = numerics.largest_divergence_from_itself(discounts, len(view.labels)) or 1.0 if of_run \
                    else bound * discounts.sum()
            values = np.where(empty, worst, values)
        return np.where(defined, values, np.nan)

    @staticmethod
    def _divergences(codes: Ints, share: Floats, weights: Floats, target: Floats) -> Floats:
        return numerics.discounted_divergence(
            codes, share, weights, lambda shares: numerics.kl(shares, target[:, None, :]))

    #: Up to how many places of the grid of :func:`numerics.largest_divergence` all orders are searched.
    _MOST_PLACES = 1 << 17
    #: Up to how many groups every order of whole groups is tried.
    _EVERY_ORDER = 6

    def _largest_of_run(self, view: View, target: Floats, n: Ints, weights: Floats, bound: Floats) -> Floats:
        """``[T]``: the largest sum over the permutations of the run."""
        counts = view.in_run
        alone = ~((counts > 0) & (view.member.sum(axis=1) > 1)).any(axis=1)
        sizes = np.where(alone[:, None], counts @ view.member, 0)
        largest = np.where(alone, self._of_whole_groups(sizes, np.argsort(sizes, axis=1, kind="stable"), target, weights),
                           bound * weights.sum(axis=1))
        for topic in np.flatnonzero((n > 0) & ~(alone & (self.param("step") == 1))):
            kinds, depth = np.flatnonzero(counts[topic]), n[topic]
            if np.prod(np.minimum(counts[topic, kinds], depth) + 1.0) <= self._MOST_PLACES:
                largest[topic] = numerics.largest_divergence(counts[topic, kinds], view.share[kinds], target[topic],
                                                             weights[topic, :depth])
            elif alone[topic] and (sizes[topic] > 0).sum() <= self._EVERY_ORDER:
                orders = np.array(list(itertools.permutations(np.flatnonzero(sizes[topic]))))
                same = [np.broadcast_to(one, (len(orders), len(one))) for one in (sizes[topic], target[topic], weights[topic])]
                largest[topic] = self._of_whole_groups(same[0], orders, *same[1:]).max()
        return largest

    @staticmethod
    def _of_whole_groups(sizes: Ints, order: Ints, target: Floats, weights: Floats) -> Floats:
        """``[T]``: the sum of the ranking that has one group after the other, in the given order of labels ``[T, K]``."""
        ordered = np.take_along_axis(sizes, order, axis=1)
        flat = np.append(np.repeat(order.reshape(-1), ordered.reshape(-1)), 0)
        start = np.cumsum(ordered.sum(axis=1)) - ordered.sum(axis=1)
        codes = flat[np.minimum(start[:, None] + np.arange(weights.shape[1]), len(flat) - 1)]
        return numerics.discounted_divergence(codes, np.eye(sizes.shape[1]), weights,
                                              lambda shares: numerics.kl(shares, target[:, None, :]))


class _rRD(ParityMeasure):
    """
    Normalised discounted ratio: how far the ratio of protected to unprotected documents in every prefix is from their
    ratio in the population.

    ``1/Z Σ_{i∈I} 1/log2(i+1) · |S⁺_{1..i}/S⁻_{1..i} − S⁺/S⁻|``, where a fraction with a zero above or below is 0, over the
    annotated documents of the ranking. In [0, 1] (unbounded with ``norm='none'``); 0 is fair. Undefined topics and
    empty lists as for rND. Meant for a protected group that is the minority: with a majority, the ratios near an empty
    unprotected group dominate the maximum, and most values are small.

    Source: Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017).
    """

    __name__ = "rRD"
    NAME = __name__
    PRETTY_NAME = "Normalised Discounted Ratio"
    SHORT_DESC = "How far the ratio of protected to unprotected documents in every prefix is from that of the population."
    SUPPORTED_PARAMS = _params()

    def target_of(self, groups: TwoGroups) -> Floats:
        return numerics.ratio(groups.plus, groups.total - groups.plus)

    def term(self, protected: Any, rank: Any, target: Any) -> Floats:
        return abs(numerics.ratio(protected, rank - protected) - target)


rND = register(_rND())
rKL = register(_rKL())
rRD = register(_rRD())
