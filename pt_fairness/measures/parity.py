"""Statistical parity: rND, rKL and rRD (Pathiyan Cherumanal et al. 2021).

The measures of viewpoint diversity share their discounted sums over prefixes.

Shapes: ``R`` lists, ``D`` ranks, ``L`` groups of the label set G. The symbols are as in the
papers: the first i documents hold ``plus`` protected ones, the population S protected ones of N.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import nan
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core.arrays import (
    KL_IN_WORDS,
    LARGEST_DIVERGENCE,
    LARGEST_RATIO,
    ROUNDING,
    Floats,
    Ints,
    binary_kl,
    divergences_of_prefixes,
    kl,
    largest_sum,
    ranks,
    ratio,
    smoothed,
    unique_rows,
)
from pt_fairness.measures import params
from pt_fairness.measures.distribution import one_if_zero
from pt_fairness.measures.measure import FairnessMeasure, Keys, values_of
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import Side, distribution
from pt_fairness.rankings.rankings import Rankings

#: The divergences in the formulas of the prefix measures.
DIFFERENCE = "divergence = abs(protected share - protected target)"
RATIO = ("divergence = abs(p / (1 - p) - t / (1 - t)), p the protected share, t the protected "
         "target, p / 0 = 0")
KULLBACK = ("divergence = p * log2(p / t) + (1 - p) * log2((1 - p) / (1 - t)), p the protected "
            "share, t the protected target")
#: The sums in the formulas, by the parameter ``norm``.
NORMS = {
    "max": "Z the largest possible Σ product",
    "protected-first": "Z the Σ product where the protected documents come first",
    "none": "Z = 1",
    "range": "contribution = (product - discount * fairest sum / Σ discount) / (least fair sum - "
             "fairest sum), these sums the smallest and the largest possible Σ product",
}
#: The summand of a measure: takes ``plus``, i, S and N, elementwise.
Term = Callable[[Any, Any, Any, Any], Floats]


def terms_of_prefixes(term: Term, plus: Any, S: Floats, N: Floats) -> Floats:
    """Return ``term(plus_i, i, S, N)``, ``[R, D]``.

    :param plus: the number of protected documents among the first i, ``[R, D]``
    :param S: the number of protected documents of the population, ``[R]``
    :param N: the number of documents of the population, ``[R]``

    Examples
    --------
    The shares 1, 1/2 and 1/3 of the prefixes against 1/3 in the population:

    >>> import numpy as np
    >>> from pt_fairness.core.arrays import log_discount
    >>> S, N, w = np.array([1.0]), np.array([3.0]), log_discount(3)[None]
    >>> terms = w * terms_of_prefixes(rnd, np.array([[1, 1, 1]]), S, N)
    >>> terms.round(3).tolist()
    [[0.667, 0.105, 0.0]]
    >>> Z = sum_of_largest_terms(rnd, S, N, w)
    >>> (terms.sum() / Z).round(3).item()
    0.543
    """
    return term(plus, ranks(plus.shape[1]), S[:, None], N[:, None])


def discounts(n: Ints, depth: int, step: int | None = None) -> Floats:
    """Return the discount of each rank, 0 at ranks that are not evaluated, ``[R, depth]``.

    Evaluated are the ranks ``step``, ``2·step``, … up to ``n[r]``, or rank ``n[r]`` alone if it is
    below ``step``.

    :param step: ``None`` for 1
    """
    step = min(step or 1, depth + 1)  # the same result; a larger step can overflow
    i = np.arange(1, depth + 1)
    n = n[:, None]
    evaluated = (i % np.clip(n, 1, step) == 0) & (i <= n)
    return evaluated / np.log2(i + 1.0)


def sum_of_largest_terms(term: Term, S: Floats, N: Floats, w: Floats) -> Floats:
    """Return the largest discounted sum over every sequence of documents, ``[R]``.

    The maximum is exact, because one sequence has the largest term at every rank. A difference and
    a divergence are convex in the share of protected documents, hence largest if all documents are
    protected, or none. A ratio is then 0; it is largest if all documents but one are protected. The
    sequence has that one at the first rank where this ratio is further from S / (N − S) than 0 is.

    :param w: the discount of each rank, ``[R, D]``, or ``[1, D]`` for all lists
    """
    S = S[:, None]
    N = N[:, None]
    without = term(0.0, 1.0, S, N)
    protected = term(1.0, 1.0, S, N)
    terms = np.maximum(without, protected)
    # The largest term never falls from rank to rank.
    last = float(max(w.shape[1], 1))
    if (term(last - 1.0, last, S, N) > terms).any():
        i = ranks(int(last))
        all_but_one = term(i - 1.0, i, S, N)
        terms = np.maximum(terms, all_but_one)
    return (w * terms).sum(axis=1)


class PrefixMeasure(FairnessMeasure):
    """A discounted sum over the prefixes of the condensed list, each compared with a population."""

    COMPARES = True
    #: The largest :meth:`term` over all populations without shares below ``SMALLEST_SHARE``.
    BOUND: ClassVar[float]

    @staticmethod
    def term(plus: Any, i: Any, S: Any, N: Any) -> Floats:
        """Return the summand of the paper, elementwise."""
        raise NotImplementedError

    def population(self, side: Side) -> tuple[Floats, Floats]:
        """Return S and N, ``[R]`` each; 0 and 1 if the population is empty."""
        return side.plus, np.where(side.total > 0, side.total, 1.0)

    def terms(self, view: Rankings) -> Floats:
        terms, *_ = self.compared(view)
        return terms

    def compared(self, view: Rankings) -> tuple[Floats, Any, Callable[[Floats], Floats]]:
        """Return the terms, ``[R, D]``, whether each list has a population, and a function.

        The function takes the discount of each rank, ``[1, D]``, and returns the largest discounted
        sum that each list can have, ``[R]``.
        """
        side: Any = self.side(view)
        S, N = self.population(side)
        codes, n = view.condensed(self.cutoff)
        w = discounts(n, codes.shape[1], self.param("step"))
        plus = side.ranked(codes).cumsum(axis=1)
        divergence = terms_of_prefixes(self.term, plus, S, N)
        product = w * divergence
        view.note(divergence=divergence, discount=w, product=product)
        largest = partial(sum_of_largest_terms, self.term, S, N)
        if self.param("norm") != "range":
            Z = self.normaliser(S, N, n, w)
            view.note(Z=Z)
            return product * ratio(1.0, Z)[:, None], side.defined, largest
        fairest = self.fairest_sum(S, N, n, w)
        least_fair = self.least_fair_sum(S, N, n, w)
        view.note(fairest_sum=fairest, least_fair_sum=least_fair)
        span = least_fair - fairest
        span[span <= ROUNDING] = 0.0
        mean_term = ratio(fairest, w.sum(axis=1))
        excess = product - w * mean_term[:, None]
        terms = excess * ratio(1.0, span)[:, None]
        return terms, side.defined, largest

    def formula(self) -> str:
        if self.param("norm") == "range":
            return "(Σ {product} - {fairest sum}) / ({least fair sum} - {fairest sum})"
        return "Σ {product} / {Z}"

    def where(self) -> str:
        return f"product = discount * divergence, {self.WHERE}, {NORMS[self.param('norm')]}"

    def normaliser(self, S: Floats, N: Floats, n: Ints, w: Floats) -> Floats:
        """Return Z, ``[R]``, by which the sum is divided.

        :param n: the number of documents of each list, ``[R]``
        :param w: the discount of each rank, ``[R, D]``
        """
        if self.param("norm") == "max":
            return self.least_fair_sum(S, N, n, w)
        if self.param("norm") != "protected-first":
            return np.ones(len(S))
        first = np.minimum(ranks(w.shape[1]), S[:, None])
        terms = w * terms_of_prefixes(self.term, first, S, N)
        return terms.sum(axis=1)

    def least_fair_sum(self, S: Floats, N: Floats, n: Ints, w: Floats) -> Floats:
        """Return the sum of the least fair ranking of ``n`` documents, ``[R]``."""
        if self.reads_run:
            return self._extreme_sum(S, N, n, w.shape[1])
        return sum_of_largest_terms(self.term, S, N, w)

    def fairest_sum(self, S: Floats, N: Floats, n: Ints, w: Floats) -> Floats:
        """Return the sum of the fairest possible ranking of ``n`` documents, ``[R]``."""
        return self._extreme_sum(S, N, n, w.shape[1], -1.0)

    def _extreme_sum(self, S: Floats, N: Floats, n: Ints, depth: int, sign: float = 1.0) -> Floats:
        """Return the largest, or with ``sign=-1`` the smallest, sum of any order, ``[R]``."""
        most = least = n
        if self.reads_run:
            most = S.astype(int)
            least = (N - S).astype(int)
        (n, S, N, most, least), where = unique_rows(n, S, N, most, least)
        S = S[:, None]
        N = N[:, None]
        w = sign * discounts(n, depth, self.param("step"))
        sums = largest_sum(partial(self.term, S=S, N=N), w, most, least)
        return sign * sums[where]

    def fairest(self, view: Rankings) -> Floats | None:
        """Return the value of the fairest possible ranking of each list, ``[R]``.

        That is a ranking of as many documents, of the same kinds where the population is the run. A
        list without annotated documents has its own value. NaN stands for an undefined topic and
        for documents with weights.
        """
        values = values_of(self, view)
        side: Any = self.side(view)
        S, N = self.population(side)
        _, n = view.condensed(self.cutoff)
        w = discounts(n, int(n.max(initial=0)), self.param("step"))
        fairest: Any = 0.0
        if self.param("norm") != "range":
            fairest = self.fairest_sum(S, N, n, w)
            Z = self.normaliser(S, N, n, w)
            fairest = ratio(fairest, Z)
        undefined = np.isnan(values) | view.weighted.any()
        fairest = np.where(n == 0, values, fairest)
        return np.where(undefined, nan, fairest)

    def score(self, view: Rankings) -> Floats:
        terms, defined, largest = self.compared(view)
        values = terms.sum(axis=1)
        empty = view.length == 0
        if empty.any():
            values = np.where(empty, self.when_empty(largest), values)
        values = np.clip(values, *self.RANGE)  # rounding
        return np.where(defined, values, nan)

    def when_empty(self, largest: Callable[[Floats], Floats]) -> Any:
        """Return the value of lists without annotated documents, one number or ``[R]``.

        :param largest: the function of :meth:`compared`
        """
        if self.param("norm") != "none":
            return 1.0
        if self.cutoff is None:
            return self.BOUND if self.reads_run else 1.0
        w = discounts(np.array([self.cutoff]), self.cutoff, self.param("step"))
        return self.BOUND * w.sum() if self.reads_run else one_if_zero(largest(w))


def largest_divergence(T: Floats) -> Floats:
    """Return the largest divergence of one document of one group, ``[R]``."""
    shares = np.where(T > 0, T, 1.0)
    smallest = shares.min(axis=1, initial=1.0)
    return -np.log2(smallest)


def largest_of_orders(view: Rankings, T: Floats, w: Floats, upper: Floats) -> Floats:
    """Return the sum of the order of the run with the smallest group first, ``[R]``.

    It is the largest of all orders if every rank is evaluated and documents have one group each.
    Lists with other documents have ``upper``.
    """
    sizes = view.run_counts @ view.member
    several = view.member.sum(axis=1) > 1
    shared = several & (view.run_counts != 0)
    group = view.member @ np.arange(len(view.labels))
    codes, _ = view.condensed(None)
    sizes = sizes @ view.member.T
    size = np.take_along_axis(sizes, codes, axis=1)
    size = np.where(codes < 0, np.inf, size)
    order = np.lexsort((group[codes], size))
    ordered = np.take_along_axis(codes, order, axis=1)
    depth = w.shape[1]
    terms = w * divergences_of_prefixes(ordered[:, :depth], view.share, kl, T)
    return np.where(shared.any(axis=1), upper, terms.sum(axis=1))


def rnd(plus: Any, i: Any, S: Any, N: Any) -> Floats:
    """Return the summand of rND, equation 1: ``|S⁺_{1..i} / i − S⁺ / N|``."""
    return abs(plus / i - S / N)


def rkl(plus: Any, i: Any, S: Any, N: Any) -> Floats:
    """Return the summand of rKL: ``KL((S⁺_{1..i} / i, S⁻_{1..i} / i) ‖ (S⁺ / N, S⁻ / N))``."""
    return binary_kl(plus / i, S / N)


def rrd(plus: Any, i: Any, S: Any, N: Any) -> Floats:
    """Return the summand of rRD: ``|S⁺_{1..i} / S⁻_{1..i} − S⁺ / S⁻|``; a ratio to 0 is 0."""
    return abs(ratio(plus, i - plus) - ratio(S, N - S))


STEP = params.whole("evaluate every step-th rank", default=1, smallest=1)


class ParityMeasure(PrefixMeasure):
    """A prefix measure whose population is the target, by default the relevant documents."""

    SOURCE: ClassVar[Keys] = ("pathiyancherumanal2021", "yang2017")
    SUPPORTED_PARAMS = {
        **params.TWO_SIDES,
        "target": params.target(),
        "step": STEP,
        "norm": params.one_of(
            "normaliser: max (the exact maximum), range (0 is the fairest possible ranking, 1 the "
            "least fair) or none", "max", "range", "none"),
        "groups": params.groups(),
    }

    decided_by = "prefixes"

    @property
    def refuses_weights(self) -> bool:  # type: ignore[override]
        norm = self["norm"]
        return norm == "range" or (norm != "none" and self["target"] == "run")


class _rND(ParityMeasure):
    r"""rND — Normalised Discounted Difference.

    How far the share of protected documents is from its target, at every depth of the ranking.

    0 is fair, 1 is the least fair ranking, and early ranks count more. If half of the relevant
    documents are of the protected group B, ten documents have 0.29 with five of B spread evenly,
    0.71 with two, 0.91 with one, and 1.00 without B. Even the fairest ranking is above 0, because
    its first document has one group.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(rND(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.29
    AAAAABBBBB  0.76

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \le n} \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_i}{i} - \frac{S^+}{N} \right|

    * i: a rank among the documents with a group, up to the cutoff n.
    * S⁺_i: the protected documents among the first i.
    * S⁺/N: the target, by default the share of protected documents among the relevant ones.
    * Z: the largest sum that a ranking of this length can have.

    Example
    -------
    >>> round(rND.calc_aggregate(qrels, run), 3)
    0.339

    Details
    -------
    Range
        0 to 1; 0 or more with ``norm='none'``.
    Protected group
        The *minority* is the group with the fewest relevant documents, of those that have any. A
        document of several groups counts 1 for each, or its weights.
    Step
        A ranking shorter than ``step`` counts once, at its last rank.
    Norm
        Z is exact. With ``target='run'`` it is the maximum over the orders of the run. ``'range'``
        is ``(sum − min) / (max − min)``, and 0 where min is max; ``explain`` spreads min over the
        ranks in proportion to their discounts. Weights raise a ValueError with it.
    Undefined
        A topic without a relevant document that has a group; with ``'minority'`` or ``'majority'``
        also one whose relevant documents have one group. Every topic, if there is only one group or
        all are protected.
    Nothing returned
        1, the least fair. With ``norm='none'``, the largest sum that ``cutoff`` documents can have;
        1 without a cutoff, or if that sum is 0. With ``target='run'`` as well, the sum whose
        differences are all the largest that shares of at least 0.001 allow: 1 in rND, −log2 0.001
        in rKL, 999 in rRD; without a cutoff, one of them.
    Differs from the paper
        Equation 1 lacks Z (``norm='none'``). The exact maximum is a choice of this package. The
        paper normalises by min–max, and does not say over what; over the rankings of its controlled
        scenario that gives its values of rKL. Over systems it is ``norm='none'`` with
        :func:`pt_fairness.analysis.minmax`. The equation divides by i, as here; the released code,
        and as we infer the tables, by i + 1.

    When it misleads
    ----------------
    * A small group that is missing hardly counts. If a fifth of the relevant documents are of B,
      ten documents without B have a smaller value than ten with five of B:

      >>> draw(rND(protected="B"), "AAAAAAAAAA", "ABABABABAB", relevant=10 * "AAAAB")
      AAAAAAAAAA  0.25
      ABABABABAB  0.30

    * The smallest possible value differs between topics; ``norm='range'`` makes it 0.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017).
    """

    # Slow version: rnd in tests/slow_versions/soft.py
    WHERE = DIFFERENCE
    term = staticmethod(rnd)
    BOUND = 1.0


class _rKL(ParityMeasure):
    r"""rKL — Normalised Discounted Kullback–Leibler Divergence.

    How far the groups of a ranking diverge from their target shares, at every depth.

    0 is fair, 1 is the least fair ranking, and early ranks count more. If half of the relevant
    documents are of the protected group B, ten documents have 0.23 with five of B spread evenly,
    0.51 with two, 0.80 with one, and 1.00 without B. Even the fairest ranking is above 0, because
    its first document has one group.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(rKL(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.23
    AAAAABBBBB  0.69

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \le n} \frac{1}{\log_2(i+1)} \mathrm{KL}\!\left(
       \left( \frac{S^+_i}{i}, \frac{S^-_i}{i} \right) \Big\|
       \left( \frac{S^+}{N}, \frac{S^-}{N} \right) \right)

    * i: a rank among the documents with a group, up to the cutoff n.
    * S⁺_i, S⁻_i: the protected and other documents among the first i.
    * S⁺/N, S⁻/N: the target, by default the shares of both sides among the relevant documents.
    * KL: the Kullback–Leibler divergence, base 2.
    * Z: the largest sum that a ranking of this length can have.

    Example
    -------
    >>> round(rKL.calc_aggregate(qrels, run), 3)
    0.237

    Details
    -------
    Range
        0 to 1; 0 or more with ``norm='none'``.
    All groups
        With ``protected='all'``, a document of m groups counts 1/m for each. Z is the value of a
        ranking of the group with the smallest target share alone; with ``target='run'``, of whole
        groups one after the other, the smallest first, or an upper bound with ``step`` or several
        groups a document.
    Target shares of 0
        They become 0.001 and the others shrink in proportion; not with ``target='run'``.
    Protected group, step, norm, undefined, nothing returned
        As for ``rND``. ``norm='range'`` is for two groups.
    Differs from the paper
        Equation 3 lacks Z (``norm='none'``). ``protected='all'`` is an extension. More: ``rND``.

    When it misleads
    ----------------
    * A small group that is missing hardly counts. If a fifth of the relevant documents are of B,
      ten documents without B differ little from ten with five of B:

      >>> draw(rKL(protected="B"), "AAAAAAAAAA", "ABABABABAB", relevant=10 * "AAAAB")
      AAAAAAAAAA  0.14
      ABABABABAB  0.11

      Read ``Skew`` of the group beside it, or compare with equal shares (``target='uniform'``): the
      first ranking is then at 1.
    * The mean counts chance in each topic. If 35 % of the relevant documents are of B, ten random
      ones have 0.26 on average; two of B in every topic have 0.11. Read the shares.
    * The smallest possible value differs between topics; ``norm='range'`` makes it 0.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017).
    """

    # Slow version: rkl in tests/slow_versions/soft.py
    WHERE = KULLBACK
    SUPPORTED_PARAMS = {**ParityMeasure.SUPPORTED_PARAMS, "protected": params.protected("all")}

    term = staticmethod(rkl)
    BOUND = LARGEST_DIVERGENCE

    def check_together(self) -> None:
        if self["protected"] == "all" and self["norm"] == "range":
            raise ValueError(f"protected must be one group for norm='range', got {self}")

    def fairest(self, view: Rankings) -> Floats | None:
        if self["protected"] == "all":
            return None
        return super().fairest(view)

    def where(self) -> str:
        if self["protected"] != "all":
            return super().where()
        return ("product = discount * divergence, divergence = KL(shares, smoothed targets), "
                f"{KL_IN_WORDS}, {NORMS[self['norm']]}")

    def population(self, side: Side) -> tuple[Floats, Floats]:
        if self.reads_run:  # a prefix lacks each group that the run lacks: no term is infinite
            return super().population(side)
        shares = np.column_stack([side.share, 1.0 - side.share])
        shares = smoothed(shares)
        return shares[:, 0], np.ones(len(shares))

    def compared(self, view: Rankings) -> tuple[Floats, Any, Callable[[Floats], Floats]]:
        if self["protected"] != "all":
            return super().compared(view)
        T = distribution(view, self["target"], self.rel)
        defined: Any = T.any(axis=1) | self.reads_run
        if not self.reads_run:
            T = np.where(defined[:, None], smoothed(T), 0.0)
        codes, n = view.condensed(self.cutoff)
        w = discounts(n, codes.shape[1], self["step"])
        divergence = divergences_of_prefixes(codes, view.share, kl, T)
        product = w * divergence
        upper = largest_divergence(T)
        Z = np.ones(len(w))
        if self["norm"] == "max":
            Z = upper * w.sum(axis=1)
            if self.reads_run and self["step"] == 1:
                Z = largest_of_orders(view, T, w, Z)
        view.note(divergence=divergence, discount=w, product=product, Z=Z)
        view.note(view.labels, smoothed_target=T)
        terms = product * ratio(1.0, Z)[:, None]
        return terms, defined, lambda w: upper * w.sum()


class _rRD(ParityMeasure):
    r"""rRD — Normalised Discounted Ratio.

    How far the ratio of protected to other documents is from its target, at every depth.

    0 is fair, 1 is the least fair ranking, and early ranks count more. If half of the relevant
    documents are of the protected group B, ten documents have 0.11 with five of B spread evenly,
    0.27 with two, 0.32 with one, and 0.34 without B. Even the fairest ranking is above 0.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(rRD(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.11
    AAAAABBBBB  0.27

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \le n} \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_i}{S^-_i} - \frac{S^+}{S^-} \right|

    * i: a rank among the documents with a group, up to the cutoff n.
    * S⁺_i, S⁻_i: the protected and other documents among the first i.
    * S⁺/S⁻: the target, by default the ratio of both sides among the relevant documents.
    * Z: the largest sum that a ranking of this length can have. A ratio with 0 above or below is 0.

    Example
    -------
    >>> round(rRD.calc_aggregate(qrels, run), 3)
    0.336

    Details
    -------
    Range, protected group, step, norm, undefined, nothing returned
        As for ``rND``.
    Differs from the paper
        Equation 4 lacks Z (``norm='none'``). More: ``rND``.

    When it misleads
    ----------------
    * A ranking without the group is far from 1, and so is one of the group alone, whose ratio
      counts as 0:

      >>> draw(rRD(protected="B"), "AAAAAAAAAA", "BBBBBBBBBB", "BBBBBBBBBA")
      AAAAAAAAAA  0.34
      BBBBBBBBBB  0.34
      BBBBBBBBBA  0.48

    * Most values are small in long rankings, because Z belongs to a ranking with many protected
      documents to one other. Random orders, a fifth of B, have a median of 0.06 for ten documents
      and of 0.01 for fifty, where rND has 0.18 and 0.11.
    * A small group that is missing hardly counts, as in rND.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017).
    """

    # Slow version: rrd in tests/slow_versions/soft.py
    WHERE = RATIO
    term = staticmethod(rrd)
    BOUND = LARGEST_RATIO
    refuses_weights = True  # type: ignore[assignment]


rND = register(_rND())
rKL = register(_rKL())
rRD = register(_rRD())
