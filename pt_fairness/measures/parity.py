"""Statistical parity: rND, rKL and rRD (Pathiyan Cherumanal et al. 2021)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, ClassVar

from pt_fairness.declarations import params
from pt_fairness.declarations.registry import register
from pt_fairness.measures.lazy import np, numerics
from pt_fairness.measures.prefix import Difference, Divergence, PrefixMeasure, Ratio
from pt_fairness.measures.protected import TwoGroups, two_groups
from pt_fairness.measures.target_distribution import distribution

if TYPE_CHECKING:
    from pt_fairness.numerics import Floats, Ints
    from pt_fairness.rankings.view import View


def _params(*protected: str) -> dict[str, params.Param]:
    return {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "protected": params.protected(*protected),
        "target": params.target(),
        "step": params.whole("evaluate every step-th rank", default=1, smallest=1),
        "norm": params.one_of("normaliser: max (the exact maximum) or none", "max", "none"),
        "groups": params.groups(),
    }


class ParityMeasure(PrefixMeasure):
    """A prefix measure whose population is the target, by default the relevant documents."""

    SOURCE: ClassVar[tuple[str, ...]] = ("pathiyancherumanal2021", "yang2017")

    @property
    def refuses_weights(self) -> bool:
        return self.param("target") == "run" and self.param("norm") != "none"

    def score(self, view: View) -> Floats:
        of_run = self.param("target") == "run"
        return self.score_two_groups(view, two_groups(self, view), of_run)


class _rND(Difference, ParityMeasure):
    r"""rND — Normalised Discounted Difference.

    How far the share of protected documents in every prefix is from their share in the population.

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \in I} \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_{1..i}}{i} - \frac{S^+}{N} \right|

    The sum is over the ranks of the annotated documents, up to the cutoff. S⁺_{1..i} counts the
    protected documents among the first i; S⁺ and N count the protected and all documents of the
    population, by default the topic's relevant annotated ones. The minority is the smallest group
    of the relevant documents: a document counts 1 to each of its groups or, with weights, its
    weights. I holds every ``step``-th rank, or
    the last rank alone if ``step`` is larger. Z is the exact maximum over every sequence of
    protected and unprotected documents of that length, over every order of the run's documents with
    ``target='run'``, or 1 with ``norm='none'``.

    Range
    -----
    0 to 1, unbounded with ``norm='none'``. 0 is fair; 1 is the least fair ranking.

    Edge cases
    ----------
    A topic whose population is empty is undefined: 0, with a warning. So is a topic whose
    population has fewer than two groups if ``protected`` is ``minority`` or ``majority``.

    A topic without results has 1. With ``norm='none'`` it has the largest value that
    ``cutoff`` documents can have (1 without a cutoff, and where that value is 0).

    With ``norm='none'`` and ``target='run'``, a topic without results has b times the sum of the
    discounts of the evaluated ranks up to ``cutoff``, and b without a cutoff. b is the largest term
    of all populations with shares of at least 0.001: 1 for rND, −log2 0.001 for rKL, 999 for rRD.

    The equation divides by i, the paper's released code and its tables by i + 1; this measure
    divides by i. The paper normalises by min–max over the systems: ``norm='none'`` and then
    :func:`pt_fairness.analysis.minmax`.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, equation 1, after Yang & Stoyanovich (2017).

    Examples
    --------
    >>> from pt_fairness.declarations.example import qrels, run
    >>> round(rND.calc_aggregate(qrels, run), 3)
    0.339
    """

    # Slow version: rnd in tests/slow_versions/soft.py
    NAME = "rND"
    PRETTY_NAME = "Normalised Discounted Difference"
    SUPPORTED_PARAMS = _params()


class _rKL(Divergence, ParityMeasure):
    r"""rKL — Normalised Discounted Kullback–Leibler Divergence.

    How far the groups in every prefix diverge from those of the population.

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \in I} \frac{1}{\log_2(i+1)}
       \mathrm{KL}\!\left( \left( \frac{S^+_{1..i}}{i}, \frac{S^-_{1..i}}{i} \right) \Big\|
       \left( \frac{S^+}{N}, \frac{S^-}{N} \right) \right)

    The base is 2, the symbols are those of rND. With ``protected='all'`` the divergence is over all
    groups; a document of m groups counts 1/m towards each.

    Each share of 0 in the target becomes 0.001, and the other shares are multiplied by
    1 − 0.001 · z, z the number of shares of 0. With ``target='run'`` no share is changed, because
    no prefix holds a group that the run lacks.

    Z is the exact maximum. For ``protected='all'`` it is −log2 of the smallest target share times
    the sum of the discounts. For ``protected='all'`` with ``target='run'`` it is the sum of the
    ranking that has whole groups one after the other, the smallest group first.

    If ``step`` > 1 or documents have several groups, that ranking need not be the maximum. All
    orders of the run are then searched if there are at most 131,072 states. With more states, Z is
    the upper bound, −log2 of the smallest target share times the sum of the discounts, if documents
    have several groups. Otherwise Z is the largest sum over all orders of whole groups, for at most
    six groups; for more, it is the sum with the smallest group first. Values are cut at 1.

    Range
    -----
    0 to 1, unbounded with ``norm='none'``. 0 is fair.

    Edge cases
    ----------
    As rND.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017). The measure
    over all groups at once is an extension.

    Examples
    --------
    >>> from pt_fairness.declarations.example import qrels, run
    >>> round(rKL.calc_aggregate(qrels, run), 3)
    0.237
    """

    # Slow version: rkl in tests/slow_versions/soft.py
    NAME = "rKL"
    PRETTY_NAME = "Normalised Discounted KL-Divergence"
    SUPPORTED_PARAMS = _params("all")

    def target_of(self, groups: TwoGroups) -> Floats:
        share = super().target_of(groups)
        if self.param("target") == "run":
            return share  # a prefix has no group that the run lacks: no term is infinite
        return numerics.smoothed(np.column_stack([share, 1.0 - share]))[:, 0]

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
        values = self._divergences(codes, view.share, weights, target)
        bound = -np.log2(np.where(target > 0, target, 1.0).min(axis=1, initial=1.0))
        if self.param("norm") == "max":
            largest = (self._largest_of_run(view, target, n, weights, bound) if of_run
                       else bound * weights.sum(axis=1))
            values = np.minimum(numerics.ratio(values, largest), 1.0)
        empty = view.length == 0
        if empty.any():
            worst = self.when_empty(of_run, lambda ranks: bound * numerics.discounted_sum(ranks))
            values = np.where(empty, worst, values)
        return np.where(defined, values, np.nan)

    @staticmethod
    def _divergences(codes: Ints, share: Floats, weights: Floats, target: Floats) -> Floats:
        return numerics.discounted_divergence(
            codes, share, weights, lambda shares: numerics.kl(shares, target[:, None, :]))

    #: The largest number of states for which :func:`numerics.largest_divergence` is called.
    _MOST_PLACES = 1 << 17
    #: The largest number of groups for which all orders of whole groups are evaluated.
    _EVERY_ORDER = 6

    def _largest_of_run(self, view: View, target: Floats, n: Ints, weights: Floats,
                        bound: Floats) -> Floats:
        """Return the largest sum over the permutations of the run, ``[R]``."""
        counts = view.in_run
        alone = ~((counts > 0) & (view.member.sum(axis=1) > 1)).any(axis=1)
        sizes = np.where(alone[:, None], counts @ view.member, 0)
        ascending = np.argsort(sizes, axis=1, kind="stable")
        largest = np.where(alone, self._of_whole_groups(sizes, ascending, target, weights),
                           bound * weights.sum(axis=1))
        for topic in np.flatnonzero((n > 0) & ~(alone & (self.step == 1))):
            kinds, depth = np.flatnonzero(counts[topic]), n[topic]
            if np.prod(np.minimum(counts[topic, kinds], depth) + 1.0) <= self._MOST_PLACES:
                largest[topic] = numerics.largest_divergence(
                    counts[topic, kinds], view.share[kinds], target[topic], weights[topic, :depth])
            elif alone[topic] and (sizes[topic] > 0).sum() <= self._EVERY_ORDER:
                orders = np.array(list(itertools.permutations(np.flatnonzero(sizes[topic]))))
                same = [np.broadcast_to(one, (len(orders), len(one)))
                        for one in (sizes[topic], target[topic], weights[topic])]
                largest[topic] = self._of_whole_groups(same[0], orders, *same[1:]).max()
        return largest

    @staticmethod
    def _of_whole_groups(sizes: Ints, order: Ints, target: Floats, weights: Floats) -> Floats:
        """Return the sum of each ranking that has whole groups one after the other, ``[R]``.

        :param sizes: the number of documents of each group, ``[R, L]``
        :param order: the order of the groups, as indices, ``[R, L]``
        """
        ordered = np.take_along_axis(sizes, order, axis=1)
        flat = np.append(np.repeat(order.reshape(-1), ordered.reshape(-1)), 0)
        start = np.cumsum(ordered.sum(axis=1)) - ordered.sum(axis=1)
        ranks = np.arange(weights.shape[1])
        codes = flat[np.minimum(start[:, None] + ranks, len(flat) - 1)]
        return _rKL._divergences(codes, np.eye(sizes.shape[1]), weights, target)


class _rRD(Ratio, ParityMeasure):
    r"""rRD — Normalised Discounted Ratio.

    How far the ratio of protected to unprotected documents in every prefix is from their ratio in
    the population.

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \in I} \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_{1..i}}{S^-_{1..i}} - \frac{S^+}{S^-} \right|

    The symbols are those of rND. A ratio with a numerator or denominator of 0 is 0.

    Range
    -----
    0 to 1, unbounded with ``norm='none'``. 0 is fair.

    Edge cases
    ----------
    As rND. The measure is meant for a protected group that is the minority. With a majority,
    prefixes with hardly any unprotected documents dominate Z, and in long lists most values are
    small.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017).

    Examples
    --------
    >>> from pt_fairness.declarations.example import qrels, run
    >>> round(rRD.calc_aggregate(qrels, run), 3)
    0.336
    """

    # Slow version: rrd in tests/slow_versions/soft.py
    NAME = "rRD"
    PRETTY_NAME = "Normalised Discounted Ratio"
    SUPPORTED_PARAMS = _params()


rND = register(_rND())
rKL = register(_rKL())
rRD = register(_rRD())
