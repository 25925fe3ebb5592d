"""Exposure against shares and merit: logDP, logEUR and logRUR (Singh & Joachims 2018)."""

from __future__ import annotations

import math
from math import nan
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, discount, gain, ratio, sum_of_discounts
from pt_fairness.measures import params
from pt_fairness.measures.measure import SignedMeasure
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import Side
from pt_fairness.rankings.rankings import Rankings

#: Added before the logarithm is taken, so that it is finite without exposure.
EPSILON = 1e-6
#: A topic is undefined if the denominator of a side is at most this.
LEAST = 1e-12


def log_ratio(protected: Floats, rest: Floats) -> Floats:
    """Return ln(X_protected + ε) − ln(X_other + ε)."""
    return np.log(protected + EPSILON) - np.log(rest + EPSILON)


def both_sides(values: Floats, sets: Any) -> tuple[Floats, Floats]:
    """Return the sums of values over the protected and over the other documents, ``[T]`` each.

    :param values: the sum of the values of the documents of each label set, ``[T, S]``
    :param sets: how far each label set is protected, ``[T, S]``
    """
    protected = values * sets
    rest = values * (1.0 - sets)
    return protected.sum(axis=1), rest.sum(axis=1)


class LogRatio(SignedMeasure):
    """The logarithm of the ratio of X of the protected side to X of the other side.

    X is the exposure of a side, divided by what a subclass returns from :meth:`candidates`.
    """

    SOURCE = ("singh2018", "raj2022")
    RANGE = (None, None)
    DEFAULT = math.log(EPSILON)
    COMPARES = True
    FORMULA = ("ln({protected exposure} / {protected due} + 1e-6)"
               " - ln({other exposure} / {other due} + 1e-6)")
    WHERE = "exposure = Σ exposure of the side's documents, due = Σ gain of its judged documents"
    #: Whether the exposure of a document is multiplied by its gain.
    REALISED: ClassVar[bool] = False

    def candidates(self, view: Rankings, side: Side) -> tuple[Floats, Floats]:
        """Return the denominators of the protected and of the other side, ``[T]`` each."""
        raise NotImplementedError

    def score(self, view: Rankings) -> Floats:
        if not view.labels:
            return np.full(len(view.topics), nan)
        first = view.first_ranking
        side = self.side(view)
        assert side is not None
        below, rest_below = self.candidates(view, side)
        exposure, returned = self._exposure(view)
        above, rest_above = both_sides(exposure, side.sets[first])
        largest = sum_of_discounts(self["discount"], self.cutoff or 1, self["p"])
        rest_above = np.where(returned, rest_above, largest)
        view.note(protected_exposure=above, protected_due=below,
                  other_exposure=rest_above, other_due=rest_below)
        protected = ratio(above, below)
        rest = ratio(rest_above, rest_below)
        values = log_ratio(protected, rest)
        defined = side.present[first] & (below > LEAST) & (rest_below > LEAST)
        return np.where(defined, self.signed(values), nan)

    def _exposure(self, view: Rankings) -> tuple[Floats, Bools]:
        """Return the mean exposure of each label set over the lists of a topic, ``[T, S]``, and
        whether any of these lists has an annotated document above the cutoff, ``[T]``.
        """
        codes, *_ = (view.condensed if self.condensed else view.full)(self.cutoff)
        exposure = discount(self["discount"], codes.shape[1], self["p"])
        if self.REALISED:
            relevance = view.condensed_relevance(self.cutoff)
            if not self.condensed:
                _, relevance, _ = view.full(self.cutoff)
            exposure = exposure * gain(self["gains"], relevance, self.rel)
        exposure = np.broadcast_to(exposure, codes.shape)
        view.note(exposure=exposure)
        mean = exposure / view.samples[view.topic][:, None]
        annotated = (codes >= 0).any(axis=1)
        returned = np.bincount(view.topic, annotated) > 0
        sums = view.sums_by_code(len(view.topics), view.topic[:, None], codes, mean)
        return sums, returned


DISCOUNT = {
    "discount": params.discount("log2", "trec", "geometric", "none"),
    "p": params.persistence(0.85, "persistence of the geometric discount"),
}
_BEFORE = {**params.CUTOFF_AND_REL, "protected": params.protected()}
_AFTER = {**DISCOUNT, "unannotated": params.unannotated(), "abs": params.absolute(),
          "groups": params.groups()}


class _logDP(LogRatio):
    r"""logDP — Logged Demographic Parity.

    How the exposure of the protected documents compares with the exposure of the others, given the
    share that each side should have.

    Formula
    -------
    .. math::

       \ln(X_\text{protected} + \epsilon) - \ln(X_\text{other} + \epsilon), \qquad
       X = \frac{E}{2T}, \quad \epsilon = 10^{-6}

    E is the exposure of a side: the sum of the discounts of the ranks of its documents, averaged
    over the sampled rankings of the topic. The discount of rank i is ``1/log2(i+1)`` with
    ``discount='log2'``, ``1/log2(max(i, 2))`` with ``'trec'``, ``p^(i−1)`` with ``'geometric'`` and
    1 with ``'none'``.

    Unannotated documents are dropped before the list is cut. With ``unannotated='keep'``, the list
    is cut first and unannotated documents keep their ranks. The sides are the protected and the
    other annotated documents; the minority is as in rND. A document with weights counts towards
    both sides, in proportion to its weights.

    T is the side's share of the target. With ``target='run'`` it is the share of the annotated
    documents of the whole list, averaged over the sampled rankings; it is uniform if the run lacks
    annotated documents.

    Range
    -----
    Unbounded. 0 is fair, above 0 the protected documents have more exposure than their share.
    ``abs=True`` gives the absolute value.

    Edge cases
    ----------
    A topic is undefined if a side lacks a share of the target or the target is empty: 0, with a
    warning. With ``target='run'`` this is so for one run alone, whose ranking lacks a side. A topic
    is also undefined if fewer than two groups have relevant documents and ``protected`` is
    ``minority`` or ``majority``. A topic without annotated results has the value of a ranking of
    ``cutoff`` documents, all of the other side; without a cutoff, of one such document.

    Source
    ------
    Singh & Joachims (2018), section 4.1, as a logarithm as in Raj & Ekstrand (2022), whose code
    divides exposures by the discount instead.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(logDP.calc_aggregate(qrels, run), 3)
    -1.417
    """

    # Slow version: log_dp in tests/slow_versions/merit.py
    WHERE = "exposure = Σ exposure of the side's documents, due = 2 * its target share"
    SUPPORTED_PARAMS = {**_BEFORE, "target": params.target("uniform"), **_AFTER}

    def candidates(self, view: Rankings, side: Side) -> tuple[Floats, Floats]:
        lists = np.bincount(view.topic, side.total > 0)
        shares = np.bincount(view.topic, side.share)
        share = ratio(shares, lists)
        if self.reads_run:
            uniform = side.labels[view.first_ranking].mean(axis=1)
            share = np.where(lists > 0, share, uniform)
        return 2.0 * share, 2.0 - 2.0 * share


class _logEUR(LogRatio):
    r"""logEUR — Logged Exposed Utility Ratio.

    How the exposure of the protected documents compares with the exposure of the others, given the
    merit of each side.

    Formula
    -------
    .. math::

       \ln(X_\text{protected} + \epsilon) - \ln(X_\text{other} + \epsilon), \qquad
       X = \frac{E}{U}, \quad \epsilon = 10^{-6}

    E and the sides are as in logDP. U is the merit of a side: the sum of the gains of its judged
    documents. The gain of a document of relevance r ≥ ``rel``, r > 0, is r with ``gains='linear'``,
    1 with ``'binary'`` and ``2^r − 1`` with ``'exp'``; the gain of another document is 0.

    Range
    -----
    Unbounded. 0 is fair, above 0 the protected documents have more exposure than merit.
    ``abs=True`` gives the absolute value.

    Edge cases
    ----------
    A topic is undefined if a side lacks merit: 0, with a warning. So is a topic in which fewer
    than two groups have relevant documents if ``protected`` is ``minority`` or ``majority``. A
    topic without results is treated as for logDP.

    Source
    ------
    Singh & Joachims (2018), section 4.2 (disparate treatment), as a logarithm as in Raj & Ekstrand
    (2022), whose code divides exposures by the discount and U by the size of the group.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(logEUR.calc_aggregate(qrels, run), 3)
    -0.723
    """

    # Slow version: log_eur in tests/slow_versions/merit.py
    SUPPORTED_PARAMS = {**_BEFORE, "gains": params.gains("linear"), **_AFTER}
    JUDGED = True

    def candidates(self, view: Rankings, side: Side) -> tuple[Floats, Floats]:
        documents = view.documents(self.cutoff)
        # Unjudged documents have relevance 0 and therefore gain 0.
        gains = gain(self["gains"], documents.relevance, self.rel)
        merit = view.sums_by_code(len(view.topics), documents.topic, documents.codes, gains)
        return both_sides(merit, side.sets[view.first_ranking])


class _logRUR(_logEUR):
    r"""logRUR — Logged Realised Utility Ratio.

    How the exposure that relevant protected documents get compares with the others, given the
    merit of each side.

    Formula
    -------
    .. math::

       \ln(X_\text{protected} + \epsilon) - \ln(X_\text{other} + \epsilon), \qquad
       X = \frac{\sum_i a_i y_i}{U}, \quad \epsilon = 10^{-6}

    The discounts a_i of the ranks are as in logDP, the gains y and the merit U as in logEUR.

    Range
    -----
    Unbounded. 0 is fair, above 0 the relevant protected documents have more exposure than merit.
    ``abs=True`` gives the absolute value.

    Edge cases
    ----------
    A topic is undefined as for logEUR. A topic without results is treated as for logDP; each of the
    documents that it is given has gain 1.

    Source
    ------
    Singh & Joachims (2018), section 4.3 (disparate impact), as a logarithm as in Raj & Ekstrand
    (2022), whose code divides exposures by the discount and U by the size of the group.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(logRUR.calc_aggregate(qrels, run), 3)
    -0.489
    """

    # Slow version: log_rur in tests/slow_versions/merit.py
    REALISED = True


logDP = register(_logDP())
logEUR = register(_logEUR())
logRUR = register(_logRUR())
