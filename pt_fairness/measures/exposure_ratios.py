"""Exposure against shares and merit: ExposureRatio, logDP, logEUR, logRUR (Singh & Joachims 2018),
and IAA (Biega et al. 2018).
"""

from __future__ import annotations

import math
from math import inf, nan
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, gain, ratio
from pt_fairness.measures import params
from pt_fairness.measures.distribution import ATTENTION, DISCOUNT, TARGET, DistributionMeasure
from pt_fairness.measures.expected_exposure import (
    BY,
    DocumentMeasure,
    mean_over_lists,
    sum_by_topic,
)
from pt_fairness.measures.measure import SignedMeasure
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import Side
from pt_fairness.rankings.rankings import Rankings

#: Added before the logarithm is taken, so that it is finite without exposure.
EPSILON = 1e-6
#: A topic is undefined if the denominator of a side is at most this.
TOLERANCE = 1e-12


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

    X is the exposure of a side, divided by what a subclass returns from :meth:`denominators`.
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

    def denominators(self, view: Rankings, side: Side) -> tuple[Floats, Floats]:
        """Return the denominators of the protected and of the other side, ``[T]`` each."""
        raise NotImplementedError

    def score(self, view: Rankings) -> Floats:
        if not view.labels:
            return np.full(len(view.topics), nan)
        first = view.first_ranking
        side = self.side(view)
        assert side is not None
        below, rest_below = self.denominators(view, side)
        exposure, returned = self._exposure(view)
        above, rest_above = both_sides(exposure, side.sets[first])
        largest = self.discount(self.cutoff or 1)
        rest_above = np.where(returned, rest_above, largest.sum())
        view.note(protected_exposure=above, protected_due=below,
                  other_exposure=rest_above, other_due=rest_below)
        protected = ratio(above, below)
        rest = ratio(rest_above, rest_below)
        values = log_ratio(protected, rest)
        positive = (below > TOLERANCE) & (rest_below > TOLERANCE)
        defined = side.present[first] & positive
        return np.where(defined, self.signed(values), nan)

    def _exposure(self, view: Rankings) -> tuple[Floats, Bools]:
        """Return the mean exposure of each label set over the lists of a topic, ``[T, S]``, and
        whether any of these lists has an annotated document up to the cutoff, ``[T]``.
        """
        codes = self.codes(view)
        exposure = self.discount(codes.shape[1])
        if self.REALISED:
            relevance = view.condensed_relevance(self.cutoff)
            if not self.condensed:
                _, relevance, _ = view.full(self.cutoff)
            exposure = exposure * gain(self["gains"], relevance, self.rel)
        exposure = np.broadcast_to(exposure, codes.shape)
        view.note(exposure=exposure)
        samples = view.samples[view.topic]
        mean = exposure / samples[:, None]
        annotated = (codes >= 0).any(axis=1)
        returned = np.bincount(view.topic, annotated) > 0
        sums = view.sums_by_code(len(view.topics), view.topic[:, None], codes, mean)
        return sums, returned


_EXPOSURE_PARAMS = {**DISCOUNT, "unannotated": params.unannotated(), "abs": params.absolute(),
          "groups": params.groups()}


class _logDP(LogRatio):
    r"""logDP — Logged Demographic Parity.

    How many times more exposure the protected documents have than the others, for their target
    shares.

    The value is a logarithm: 0 is fair, −0.69 is half of the exposure that is due, 0.69 twice as
    much. If B is protected and the target is equal shares, ten documents have −0.22 with five of B
    spread evenly, −1.52 with two, −2.46 with one, and −15.33 without B.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(logDP(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  -0.22
    AAAAABBBBB  -0.61

    Formula
    -------
    .. math::

       \ln(X_\text{protected} + \epsilon) - \ln(X_\text{other} + \epsilon), \qquad
       X = \frac{E}{2T}, \quad \epsilon = 10^{-6}

    * E: the exposure of a side: the sum of the discounts at the ranks of its documents.
    * T: its share of the target, by default one half.
    * ε keeps the logarithm of an exposure of 0 finite.

    Example
    -------
    >>> round(logDP.calc_aggregate(qrels, run), 3)
    -1.417

    Details
    -------
    Range
        Unbounded; 0 or more with ``abs=True``.
    Sides
        The protected documents, and the others that have a group. The minority is as in ``rND``. A
        document with weights counts for both in proportion. Exposures are means over the rankings
        of a topic.
    Target of the run
        T is the share in the documents of the whole ranking that have a group, a mean over several
        rankings; one half if there are none.
    Undefined
        A topic in which a side lacks a share of the target; with ``target='run'``, for that run
        alone. With ``'minority'`` or ``'majority'``, a topic whose relevant documents have one
        group.
    Nothing returned
        The value of ``cutoff`` documents of the other side; without a cutoff, of one.
    Differs from the paper
        The logarithm follows Raj & Ekstrand (2022), whose code divides exposures by the discount
        instead.

    When it misleads
    ----------------
    * ε decides the value of a side without exposure, about ±14, which outweighs other topics in a
      mean:

      >>> draw(logDP(protected="B"), "AAAAABAAAA", "AAAAAAAAAA")
      AAAAABAAAA  -2.46
      AAAAAAAAAA  -15.33

    * Opposite biases cancel out in a mean: report ``abs=True`` with it.

    Source
    ------
    Singh & Joachims (2018), section 4.1.
    """

    # Slow version: log_dp in tests/slow_versions/merit.py
    WHERE = "exposure = Σ exposure of the side's documents, due = 2 * its target share"
    SUPPORTED_PARAMS = {**params.TWO_SIDES, "target": TARGET, **_EXPOSURE_PARAMS}

    def denominators(self, view: Rankings, side: Side) -> tuple[Floats, Floats]:
        lists = np.bincount(view.topic, side.total > 0)
        shares = np.bincount(view.topic, side.share)
        share = ratio(shares, lists)
        if self.reads_run:
            uniform = side.labels[view.first_ranking].mean(axis=1)
            share = np.where(lists > 0, share, uniform)
        return 2.0 * share, 2.0 - 2.0 * share


class _logEUR(LogRatio):
    r"""logEUR — Logged Exposed Utility Ratio.

    How many times more exposure the protected documents have than the others, for their relevance.

    The value is a logarithm: 0 is fair, −0.69 is half of the exposure that is due, 0.69 twice as
    much. If half of the relevant documents are of the protected group B, ten documents have −0.22
    with five of B spread evenly, −1.52 with two, −2.46 with one, and −12.11 without B.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(logEUR(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  -0.22
    AAAAABBBBB  -0.61

    Formula
    -------
    .. math::

       \ln(X_\text{protected} + \epsilon) - \ln(X_\text{other} + \epsilon), \qquad
       X = \frac{E}{U}, \quad \epsilon = 10^{-6}

    * E: the exposure of a side (``logDP``).
    * U: its merit: the sum of the gains of its judged documents. The gain of a document that is not
      relevant is 0, and ``gains`` says what it is else.
    * ε keeps the logarithm of an exposure of 0 finite.

    Example
    -------
    >>> round(logEUR.calc_aggregate(qrels, run), 3)
    -0.723

    Details
    -------
    Range, sides, nothing returned
        As for ``logDP``.
    Undefined
        A topic in which a side lacks merit.
    Differs from the paper
        The logarithm follows Raj & Ekstrand (2022), whose code divides exposures by the discount,
        and U by the size of the group.

    When it misleads
    ----------------
    * It does not see which documents have the exposure. If those of B are not relevant (lower
      case), the value is the same; ``logRUR`` differs:

      >>> draw(logEUR(protected="B"), "ABABABABAB", "AbAbAbAbAb")
      ABABABABAB  -0.22
      AbAbAbAbAb  -0.22

    * Sides without exposure, and means, are as in ``logDP``.

    Source
    ------
    Singh & Joachims (2018), section 4.2 (disparate treatment).
    """

    # Slow version: log_eur in tests/slow_versions/merit.py
    SUPPORTED_PARAMS = {**params.TWO_SIDES, "gains": params.gains("linear"), **_EXPOSURE_PARAMS}
    JUDGED = True

    def denominators(self, view: Rankings, side: Side) -> tuple[Floats, Floats]:
        documents = view.documents(self.cutoff)
        # Unjudged documents have relevance 0 and therefore gain 0.
        gains = gain(self["gains"], documents.relevance, self.rel)
        merit = view.sums_by_code(len(view.topics), documents.topic, documents.codes, gains)
        return both_sides(merit, side.sets[view.first_ranking])


class _logRUR(_logEUR):
    r"""logRUR — Logged Realised Utility Ratio.

    How many times more exposure relevant protected documents have than the others, for their
    relevance.

    The value is a logarithm: 0 is fair, −0.69 is half of the exposure that is due, 0.69 twice as
    much. Documents that are not relevant do not count. If half of the relevant documents are of the
    protected group B, ten of them have −0.22 with five of B spread evenly, −1.52 with two, −2.46
    with one, and −12.11 without B.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(logRUR(protected="B"), "ABABABABAB", "AbAbAbAbAb")
    ABABABABAB  -0.22
    AbAbAbAbAb  -11.52

    Formula
    -------
    .. math::

       \ln(X_\text{protected} + \epsilon) - \ln(X_\text{other} + \epsilon), \qquad
       X = \frac{\sum_i a_i y_i}{U}, \quad \epsilon = 10^{-6}

    * i runs over the ranks of the documents of a side.
    * a_i: the discount of rank i (``logDP``).
    * y_i: the gain of the document, and U the merit of the side (``logEUR``).
    * ε keeps the logarithm of 0 finite.

    Example
    -------
    >>> round(logRUR.calc_aggregate(qrels, run), 3)
    -0.489

    Details
    -------
    Range, sides
        As for ``logDP``.
    Undefined, differs from the paper
        As for ``logEUR``.
    Nothing returned
        As for ``logDP``; each of the documents has gain 1.

    When it misleads
    ----------------
    * A side without a relevant document in the ranking has a value such as −11.52 above, which
      outweighs other topics in a mean. That is often a matter of effectiveness: read nDCG beside
      it.
    * Opposite biases cancel out in a mean: report ``abs=True`` with it.

    Source
    ------
    Singh & Joachims (2018), section 4.3 (disparate impact).
    """

    # Slow version: log_rur in tests/slow_versions/merit.py
    REALISED = True


class _ExposureRatio(DistributionMeasure):
    r"""ExposureRatio — Exposure Ratio.

    How much attention the worst-served group gets for its share, relative to the best-served one.

    1 is fair, 0 says that a group is missing. The four-fifths rule, by which fairness in machine
    learning judges selection, asks for at least 0.80. If the target is equal shares, ten documents
    have 0.80 with five of B spread evenly, 0.22 with two, 0.09 with one, and 0.00 without B.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(ExposureRatio, "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.80
    AAAAABBBBB  0.54

    Formula
    -------
    .. math::

       \frac{\min_g E_g / T_g}{\max_g E_g / T_g}

    * E_g: the share of group g in the discounts of the first documents (``AWRF``).
    * T_g: the target share of the group, by default an equal share. Groups whose target share is 0
      are left out.

    Example
    -------
    >>> round(ExposureRatio.calc_aggregate(qrels, run), 3)
    0.243

    Details
    -------
    Range
        0 to 1.
    Undefined
        A topic in which fewer than two groups have a share of the target. With ``target='run'``,
        such a ranking has 0 instead.
    Nothing returned
        0, the least fair.
    Relation to FairRankTune
        ``EXP`` with ``MinMaxRatio`` is ``ExposureRatio(target='run')`` without a cutoff.
    Differs from the paper
        It asks for equal mean exposures; the ratio is a decision of this package.

    When it misleads
    ----------------
    * One missing group is enough for 0: with many small groups, most values are 0.
    * The first ranks have so much attention that a short ranking cannot be fair:

      >>> draw(ExposureRatio, "AB", "ABBA")
      AB  0.63
      ABBA  0.79

    * The default target is equal shares. A ranking like its relevant documents, a fifth of B:

      >>> draw(ExposureRatio, "AABAAAABAA", relevant=10 * "AAAAB")
      AABAAAABAA  0.22

    Source
    ------
    Singh & Joachims (2018), section 4.1.
    """

    # Slow version: exposure_ratio in tests/slow_versions/merit.py
    SOURCE = ("singh2018",)
    SUPPORTED_PARAMS = {**params.CUTOFF_AND_REL, "target": TARGET, **DISCOUNT,
                        "unannotated": params.unannotated(), "groups": params.groups()}
    IDEAL = 1.0
    FORMULA = "{smallest} / {largest}"
    WHERE = (f"{ATTENTION}, ratio = attention / target, smallest and largest of the groups with a "
             "target")

    def compare(self, view: Rankings, target: Floats) -> Floats:
        exposure, _ = self.attention(view)
        counted = target > 0
        ratios = ratio(exposure, target)
        smallest = np.where(counted, ratios, inf).min(axis=1)
        largest = ratios.max(axis=1)
        view.note(view.labels, target=target, ratio=ratios)
        view.note(smallest=smallest, largest=largest)
        undefined = 0.0 if self.reads_run else nan
        too_few = counted.sum(axis=1) < 2
        return np.where(too_few, undefined, ratio(smallest, largest))


def inequity(eps: Floats, y: Floats) -> Floats:
    """Return |ε_d − y_d|, which adds up to IAA (Biega et al. 2018, equation 1)."""
    return abs(eps - y)


class _IAA(DocumentMeasure):
    r"""IAA — Inequity of Attention.

    How far each document's share of the exposure is from its share of the relevance.

    0 is fair, 1 is the least fair value. One fixed ranking is above 0. Five relevant documents
    before five others (in lower case) have 0.37, after them 0.65. With groups (``by='group'``), ten
    relevant documents of A and B in turn have 0.05, and 0.50 without B.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(IAA, "AAAAAaaaaa", "aaaaaAAAAA", relevant="AAAAA")
    AAAAAaaaaa  0.37
    aaaaaAAAAA  0.65

    Formula
    -------
    .. math::

       \frac{1}{2} \sum_d \left| \frac{\varepsilon_d}{\sum \varepsilon}
       - \frac{y_d}{\sum y} \right|, \qquad
       \texttt{norm='none'}: \ \sum_d \left| \varepsilon_d - \frac{y_d}{\max y} \right|

    * d: a document that is ranked or judged.
    * ε_d: its exposure, which the paper calls attention: the ``discount`` of its rank in the whole
      ranking, 0 after the cutoff, averaged over the rankings of the topic.
    * y_d: its merit: the gain of its relevance (``gains``), 0 if it is not relevant.
    * Σε, Σy and max y are the sums and the largest merit over all d.

    Example
    -------
    >>> round(IAA.calc_aggregate(qrels, run), 3)
    0.307

    Details
    -------
    Range
        0 to 1; 0 or more with ``norm='none'``.
    Groups
        Their ε and y are sums over their documents. A document of m groups counts 1/m, or its
        weights.
    Undefined
        A topic without a relevant document. By group, every topic if there is only one group.
    Nothing returned
        1, the least fair; with ``norm='none'``, Σ y/max y and the discounts of the first ``cutoff``
        ranks (one without a cutoff), by group without documents that have none.
    Differs from other papers
        This is equation 1 of the paper for one topic. Raj & Ekstrand (2022) report twice the value
        by group.

    When it misleads
    ----------------
    * One fixed ranking cannot reach 0: compare it with an ideal order, such as 0.37 above.
    * By document, groups do not count:

      >>> draw(IAA, "ABABABABAB", "AAAAAAAAAA")
      ABABABABAB  0.80
      AAAAAAAAAA  0.80

    Source
    ------
    Biega et al. (2018), equation 1.
    """

    # Slow version: iaa in tests/slow_versions/merit.py
    WHERE = ("summand = abs(exposure - merit), halved with norm='max', where exposures are shares "
             "of Σ discount, merits of Σ gain; with norm='none', merits of the largest gain")
    SOURCE = ("biega2018", "raj2022")
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "gains": params.gains("linear"),
        **DISCOUNT,
        "by": BY,
        "norm": params.one_of("normaliser: max (shares, half their differences) or none", "max",
                              "none"),
        "groups": params.groups(),
    }

    def score(self, view: Rankings) -> Floats:
        documents = view.documents(self.cutoff)
        depth = int(documents.place.max(initial=-1)) + 1
        exposures = self.discount(depth)[documents.place]
        means = mean_over_lists(view, documents, exposures)
        eps = self.compared(view, documents, means)
        gains = gain(self["gains"], documents.relevance, self.rel)
        y = self.compared(view, documents, gains)
        topic = self.topics(view, documents)
        all_eps = sum_by_topic(view, topic, eps)
        all_y = sum_by_topic(view, topic, y)
        worst: Any = 1.0
        if self["norm"] == "none":
            largest = np.zeros(len(view.topics))
            np.maximum.at(largest, topic, y)
            y = ratio(y, largest[topic])
            most_exposure = self.discount(self.cutoff or 1).sum()
            worst = ratio(all_y, largest) + most_exposure
        else:
            eps = ratio(eps, all_eps[topic])
            y = ratio(y, all_y[topic])
        terms = inequity(eps, y)
        if self["norm"] != "none":
            terms /= 2.0
        self.note(view, documents, exposure=eps, merit=y, summand=terms)
        values = np.where(all_eps > 0, sum_by_topic(view, topic, terms), worst)
        return np.where(all_y > 0, values, nan)


ExposureRatio = register(_ExposureRatio())
logDP = register(_logDP())
logEUR = register(_logEUR())
logRUR = register(_logRUR())
IAA = register(_IAA())
