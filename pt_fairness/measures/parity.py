"""Statistical parity: rND, rKL and rRD (Pathiyan Cherumanal et al. 2021)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pt_fairness.core import arrays, divergences
from pt_fairness.core.arrays import Floats
from pt_fairness.measures import all_groups, params
from pt_fairness.measures.prefix import PrefixMeasure, weights
from pt_fairness.measures.registration import register
from pt_fairness.rankings.protected import Side, distribution
from pt_fairness.rankings.view import View


def rnd(plus: Any, i: Any, S: Any, N: Any) -> Floats:
    """Return the summand of rND, equation 1: ``|S⁺_{1..i} / i − S⁺ / N|``."""
    return np.asarray(abs(plus / i - S / N))


def rkl(plus: Any, i: Any, S: Any, N: Any) -> Floats:
    """Return the summand of rKL: ``KL((S⁺_{1..i} / i, S⁻_{1..i} / i) ‖ (S⁺ / N, S⁻ / N))``."""
    return divergences.binary_kl(plus / i, S / N)


def rrd(plus: Any, i: Any, S: Any, N: Any) -> Floats:
    """Return the summand of rRD: ``|S⁺_{1..i} / S⁻_{1..i} − S⁺ / S⁻|``; a ratio to 0 is 0."""
    return np.asarray(abs(arrays.ratio(plus, i - plus) - arrays.ratio(S, N - S)))


def _params(*protected: str) -> dict[str, params.Param]:
    return {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "protected": params.protected(*protected),
        "target": params.target(),
        "step": params.whole("evaluate every step-th rank", default=1, smallest=1),
        "norm": params.one_of(
            "normaliser: max (the exact maximum), range (0 is the fairest possible ranking, 1 the "
            "least fair) or none", "max", "range", "none"),
        "groups": params.groups(),
    }


class ParityMeasure(PrefixMeasure):
    """A prefix measure whose population is the target, by default the relevant documents."""

    SOURCE: ClassVar[tuple[str, ...]] = ("pathiyancherumanal2021", "yang2017")

    @property
    def refuses_weights(self) -> bool:
        norm = self.param("norm")
        return norm == "range" or (norm != "none" and self.param("target") == "run")


class _rND(ParityMeasure):
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
    of the relevant documents, of those that have any: a document counts 1 to each of its groups or,
    with weights, its weights. Of equally small groups it is the first in the order of their labels,
    so that CON comes before PRO. I holds every ``step``-th rank, or the last rank alone if ``step``
    is larger. Z is the exact maximum over every sequence of protected and unprotected documents of
    that length, over every order of the run's documents with ``target='run'``, or 1 with
    ``norm='none'``.

    ``norm='range'`` is ``(v − v_min) / (v_max − v_min)``: v is the sum, v_max its maximum Z, and
    v_min its exact minimum over the same rankings. The terms of the ranks, which add up to the
    value, share v_min in proportion to the discounts: that of a rank with the discount w_i and the
    difference d_i is ``(w_i · d_i − v_min · w_i / Σ_j w_j) / (v_max − v_min)``, negative where d_i
    is below ``v_min / Σ_j w_j``.

    Range
    -----
    0 to 1, unbounded with ``norm='none'``. 0 is fair; 1 is the least fair ranking. 0 cannot be
    reached with ``norm='max'`` and ``step=1`` if the population has protected and other documents,
    because the first document alone is not like it. With ``norm='range'``, 0 is the fairest
    possible ranking.

    Edge cases
    ----------
    A topic whose population is empty is undefined: 0, with a warning. So is a topic whose
    population has fewer than two groups if ``protected`` is ``minority`` or ``majority``, and every
    topic if there is only one group or if all groups are protected.

    A topic without results has 1. With ``norm='none'`` it has the largest value that
    ``cutoff`` documents can have (1 without a cutoff, and where that value is 0).

    With ``norm='none'`` and ``target='run'``, a topic without results has b times the sum of the
    discounts of the evaluated ranks up to ``cutoff``, and b without a cutoff. b is the largest term
    of all populations with shares of at least 0.001: 1 for rND, −log2 0.001 for rKL, 999 for rRD.

    With ``norm='range'``, a topic whose rankings all have the same value has 0, and documents with
    weights are an error: sequences of protected and other documents do not bound their value.

    The equation divides by i, the paper's released code and its tables by i + 1; this measure
    divides by i. The paper normalises by min–max over the systems: ``norm='none'`` and then
    :func:`pt_fairness.analysis.minmax`.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017). Equation 1 is
    the sum without Z, ``norm='none'``.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(rND.calc_aggregate(qrels, run), 3)
    0.339
    """

    # Slow version: rnd in tests/slow_versions/soft.py
    SUPPORTED_PARAMS = _params()
    term, BOUND = staticmethod(rnd), 1.0




class _rKL(ParityMeasure):
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
    ranking that has whole groups one after the other, the smallest group first, which is the
    maximum if ``step`` is 1 and documents have one group each. Otherwise Z is an upper bound: −log2
    of the smallest target share times the sum of the discounts. ``norm='range'`` and its terms are
    those of rND; it takes two groups.

    Range
    -----
    0 to 1, unbounded with ``norm='none'``. 0 is fair. It cannot be reached with ``norm='max'`` and
    ``step=1`` if the population has protected and other documents.

    Edge cases
    ----------
    As rND.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017). Equation 3 is
    the sum without Z, ``norm='none'``. The measure over all groups at once is an extension.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(rKL.calc_aggregate(qrels, run), 3)
    0.237
    """

    # Slow version: rkl in tests/slow_versions/soft.py
    SUPPORTED_PARAMS = _params("all")

    term, BOUND = staticmethod(rkl), divergences.LARGEST_DIVERGENCE

    def check_together(self) -> None:
        if self.param("protected") == "all" and self.param("norm") == "range":
            raise ValueError(f"{self} is not possible: norm='range' takes two groups, so name a "
                             "protected one, or use norm='max' for all groups")

    def fairest(self, view: View) -> Floats | None:
        return None if self.param("protected") == "all" else super().fairest(view)

    def population(self, side: Side) -> tuple[Floats, Floats]:
        S, N = super().population(side)
        if self.of_run:
            return S, N  # a prefix has no group that the run lacks: no term is infinite
        share = S / N
        return divergences.smoothed(np.column_stack([share, 1.0 - share]))[:, 0], np.ones(len(N))

    def terms(self, view: View) -> Floats:
        if self.param("protected") != "all":
            return super().terms(view)
        return self._terms_of_all(view, self._target(view))

    def score(self, view: View) -> Floats:
        if self.param("protected") != "all":
            return super().score(view)
        T = self._target(view)
        values, upper = self._terms_of_all(view, T).sum(axis=1), all_groups.bound(T)
        empty = view.length == 0
        if empty.any():
            values = np.where(empty, self.when_empty(lambda w: upper * w.sum()), values)
        return self.of_lists(values, T.any(axis=1) | self.of_run)

    def _target(self, view: View) -> Floats:
        T = distribution(view, self.param("target"), self.param("rel"))
        known = T.any(axis=1, keepdims=True)
        return T if self.of_run else np.where(known, divergences.smoothed(T), 0.0)

    def _terms_of_all(self, view: View, T: Floats) -> Floats:
        codes, n = view.condensed(self.param("cutoff"))
        w = weights(n, codes.shape[1], self.step)
        terms = divergences.discounted_divergences(codes, view.share, w, divergences.kl, T)
        if self.param("norm") != "max":
            return terms
        Z = all_groups.bound(T) * w.sum(axis=1)
        if self.of_run and self.step == 1:
            Z = all_groups.largest_of_run(view, T, w, Z)
        return terms * arrays.ratio(1.0, Z)[:, None]


class _rRD(ParityMeasure):
    r"""rRD — Normalised Discounted Ratio.

    How far the ratio of protected to unprotected documents in every prefix is from their ratio in
    the population.

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \in I} \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_{1..i}}{S^-_{1..i}} - \frac{S^+}{S^-} \right|

    The symbols and ``norm``, with the terms of ``norm='range'``, are those of rND. A ratio with a
    numerator or denominator of 0 is 0.

    Range
    -----
    0 to 1, unbounded with ``norm='none'``. 0 is fair. It cannot be reached with ``norm='max'`` and
    ``step=1`` if the population has protected and other documents.

    Edge cases
    ----------
    As rND. The measure is meant for a protected group that is the minority. With a majority,
    prefixes with hardly any unprotected documents dominate Z, and in long lists most values are
    small.

    Source
    ------
    Pathiyan Cherumanal et al. (2021), section 3.1, after Yang & Stoyanovich (2017). Equation 4 is
    the sum without Z, ``norm='none'``.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(rRD.calc_aggregate(qrels, run), 3)
    0.336
    """

    # Slow version: rrd in tests/slow_versions/soft.py
    SUPPORTED_PARAMS = _params()
    term, BOUND = staticmethod(rrd), divergences.LARGEST_RATIO
    refuses_weights = True  # type: ignore[assignment]




rND = register(_rND())
rKL = register(_rKL())
rRD = register(_rRD())
