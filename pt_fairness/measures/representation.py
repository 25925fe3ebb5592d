"""Representation of groups and stances: RepBias (Lipani et al. 2021), Skew, MinSkew, MaxSkew (Geyik
et al. 2019), BiasP, BiasRBP and BiasDCG (Gezici et al. 2021).
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from pt_fairness.core.arrays import SMALLEST_SHARE, Floats, Ints, discount, log_discount, ratio
from pt_fairness.measures import params
from pt_fairness.measures.distribution import DistributionMeasure, or_uniform
from pt_fairness.measures.measure import Quotient, SignedMeasure
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import Side, of_ranked, side_of
from pt_fairness.rankings.rankings import Rankings

#: A fraction within this distance of one half counts as exactly one half.
HALF_TOLERANCE = 1e-9
#: The effect of ``abs=True`` on the summands, in words of the formula.
SIGN = ", times the sign of the sum with abs=True"


def unbiased(expected: Floats, m: Floats) -> Floats:
    """Return ``expected`` rounded to integers, halves to the neighbour nearer to ``m``."""
    below = np.floor(expected)
    fraction = expected - below
    half = abs(fraction - 0.5) <= HALF_TOLERANCE
    return below + np.where(half, m - below > 0.5 + HALF_TOLERANCE, fraction > 0.5)


class _RepBias(SignedMeasure):
    r"""RepBias — Representation Bias.

    The share of a group in the first documents minus the share that would be unbiased.

    Formula
    -------
    .. math::

       \frac{m}{n} - \frac{u}{n}

    m counts the documents of ``group`` among the first n annotated ones; a document counts if any
    of its groups is that group. u is μ·n rounded, μ the target share of the group. If μ·n is
    halfway between two whole numbers (within 1e-9), u is the one nearer to m: with μ = 0.5 and n =
    11, five and six documents are both unbiased. n is the cutoff, also if fewer documents were
    returned; without a cutoff, the number of annotated documents.

    Range
    -----
    −1 to 1; 0 to 1 with ``abs=True``. 0 is fair; above 0 the group is over-represented.

    The target is rounded to whole documents of the cutoff. If 29 % of the relevant documents have
    the group, a list of ten with three documents of it has the value 0, and one with two has −0.1.
    If 9 % have it, a list of five without it has the value 0. So the mean over topics is not the
    mean difference of the shares. For the plain share of CON, m/n, give
    ``group='CON', target={'CON': 0, 'PRO': 1}``.

    Edge cases
    ----------
    A topic without relevant annotated documents is undefined for ``target='qrels'``: 0, with a
    warning. So is every topic if there is only one group. In a topic without results m is 0;
    without a cutoff the value is 0.

    The default target is the relevant documents, of Skew equal shares: give both the same
    target before you compare them. In the example, the default target would give 0.

    Equation 5 of the paper has the opposite sign; its text and its tables have this one. The
    paper's targets are the full result list, ``target='run'``, and figures from elsewhere, which
    :func:`pt_fairness.targets.register` takes. That n stays the cutoff if fewer documents were
    returned is inferred from equation 3, and from what section 3 says of such lists.

    Source
    ------
    Lipani et al. (2021), section 2, equations 3 to 5.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(RepBias(group="CON", target="uniform").calc_aggregate(qrels, run), 3)
    -0.25
    """

    # Slow version: rep_bias in tests/slow_versions/counts.py
    WHERE = "m documents of the group, u = n * protected target, rounded"
    SOURCE = ("lipani2021",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "group": params.label("the group whose representation is measured"),
        "target": params.target(),
        "abs": params.absolute(),
        "groups": params.groups(),
    }
    COMPARES = True
    FORMULA = "({m} - {u}) / {n}"
    decided_by = "counts"

    def side(self, view: Rankings) -> Side:
        return side_of(view, [self.param("group")], self["target"], self.rel)

    def score(self, view: Rankings) -> Floats:
        side = self.side(view)
        codes, n = view.condensed(self.cutoff)
        m = of_ranked(side.sets, codes).sum(axis=1)
        n = self.cutoff or n
        u = unbiased(side.share * n, m)
        view.note(m=m, u=u, n=n)
        return np.where(side.defined, self.signed(ratio(m - u, n)), nan)


class SkewMeasure(DistributionMeasure):
    """A measure based on the skew of each group."""

    RANGE = (None, None)
    SOURCE = ("geyik2019",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "target": params.target("uniform"),
        "groups": params.groups(),
    }
    WHERE = ("skew = ln(smoothed share / smoothed target), smoothed share = the share at the last "
             "rank; shares of 0 are smoothed to 0.001")
    #: ln 0.001: the skew of a group with target share 1 and without documents.
    DEFAULT = -6.907755278982137
    #: What replaces shares of 0.
    smallest = SMALLEST_SHARE

    def skews(self, view: Rankings, target: Floats) -> Floats:
        """Return the skew of each group, ``[R, L]``."""
        shares, _ = self.attention(view)
        target = or_uniform(target)
        shares = np.where(shares == 0, self.smallest, shares)
        target = np.where(target == 0, self.smallest, target)
        skews = np.log(shares / target)
        view.note(view.labels, smoothed_share=shares, smoothed_target=target, skew=skews)
        return skews


class _Skew(SkewMeasure):
    r"""Skew — Skew of a Group.

    The logarithm of the ratio of a group's share of the first documents to its target share.

    Formula
    -------
    .. math::

       \ln \frac{P_g}{T_g}

    g is the ``group``. P_g is its share of the first n annotated documents, n = min(cutoff,
    annotated documents); a document of m groups counts 1/m towards each. T_g is its target share. A
    share of 0 becomes 0.001; other shares do not change.

    Range
    -----
    Unbounded. 0 is fair; above 0 the group is over-represented.

    Random orders of documents that have the target shares have a mean below 0, far below for a
    small group: a list without the group has ln(0.001/T_g). With 5 documents of the group among 25
    and a target share of 0.2, it is −1.36 for five documents and −0.34 for ten. So the mean over
    topics depends on 0.001, and its exponential is not a share: :func:`pt_fairness.analysis.shares`
    returns the shares. The note of a table says for how many topics a share of 0 was replaced.

    Edge cases
    ----------
    A topic without relevant annotated documents is undefined for ``target='qrels'``: 0, with a
    warning. So is every topic if there is only one group. In a topic without results P_g is 0; with
    ``target='run'``, the target is then uniform.

    The default target is equal shares, of RepBias the relevant documents: give both the same
    target before you compare them.

    Source
    ------
    Geyik et al. (2019), Skew@k. What replaces shares of 0 is a choice of this package.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(Skew(group="CON").calc_aggregate(qrels, run), 3)
    -0.693
    """

    # Slow version: skew in tests/slow_versions/counts.py
    SUPPORTED_PARAMS = {"group": params.label("the group whose share is measured"),
                        **SkewMeasure.SUPPORTED_PARAMS}

    def compare(self, view: Rankings, target: Floats) -> Floats:
        # A group outside of G has a share of 0 in the ranking and in the target, hence a skew of 0.
        column = np.array(view.labels) == self.param("group")
        return self.skews(view, target)[:, column].sum(axis=1)

    def formula(self) -> str:
        group = self["group"]
        return f"ln({{smoothed share of {group}}} / {{smoothed target of {group}}})"


class _MinSkew(SkewMeasure):
    r"""MinSkew — Minimum Skew.

    The skew of the most under-represented group.

    Formula
    -------
    .. math::

       \min_{g \in G} \mathrm{Skew}_g

    Range
    -----
    Unbounded. 0 is fair; the further below 0, the more a group lacks.

    Edge cases
    ----------
    As Skew.

    Source
    ------
    Geyik et al. (2019), MinSkew@k.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(MinSkew.calc_aggregate(qrels, run), 3)
    -0.693
    """

    # Slow version: min_skew in tests/slow_versions/counts.py
    FORMULA = "min({skew})"

    def compare(self, view: Rankings, target: Floats) -> Floats:
        return self.skews(view, target).min(axis=1)


class _MaxSkew(SkewMeasure):
    r"""MaxSkew — Maximum Skew.

    The skew of the most over-represented group.

    Formula
    -------
    .. math::

       \max_{g \in G} \mathrm{Skew}_g

    Range
    -----
    Unbounded. 0 is fair; the further above 0, the more a group is favoured.

    Edge cases
    ----------
    As Skew. In a topic without results P_g is 0 for all groups: the value is the skew of the
    group with the smallest target share.

    Source
    ------
    Geyik et al. (2019), MaxSkew@k.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(MaxSkew.calc_aggregate(qrels, run), 3)
    0.405
    """

    # Slow version: max_skew in tests/slow_versions/counts.py
    FORMULA = "max({skew})"

    def compare(self, view: Rankings, target: Floats) -> Floats:
        return self.skews(view, target).max(axis=1)


RepBias = register(_RepBias())
Skew = register(_Skew())
MinSkew = register(_MinSkew())
MaxSkew = register(_MaxSkew())


class StanceMeasure(SignedMeasure):
    """The effectiveness of the pro documents minus the effectiveness of the con documents.

    BiasRBP and BiasDCG implement :meth:`discount`.
    """

    FORMULA = "Σ {contribution}"
    WHERE = f"contribution = stance * discount{SIGN}"
    SOURCE = ("gezici2021",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "pro": params.label("the group that counts as positive", default="PRO"),
        "con": params.label("the group that counts as negative; None for the effectiveness of the "
                            "pro documents alone", default="CON", optional=True),
        "abs": params.absolute(),
        "groups": params.groups(),
    }
    CONDENSED = False
    RELEVANCE = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if self.param("con") is None:
            self.RANGE = (0.0, self.RANGE[1])
            self.IDEAL = inf if self.RANGE[1] is None else 1.0

    def check_together(self) -> None:
        if self["pro"] == self["con"]:
            raise ValueError(f"pro and con must be two groups, got {self}")

    def stances(self, view: Rankings) -> tuple[Floats, Ints]:
        """Return the stance of each document, ``[R, D]``, and the lengths of the lists, ``[R]``.

        The stance is 1 for a relevant pro document, −1 for a relevant con document and 0 for others
        and past the end of a list. A relevant document with weights has its share in ``pro`` minus
        its share in ``con``. No document has the stance −1 if ``con`` is ``None``.
        """
        codes, relevance, n = view.full(self.cutoff)
        pro = np.isin(view.labels, self["pro"])
        con = np.isin(view.labels, self["con"])
        degrees = view.degree @ pro - view.degree @ con
        degrees = np.append(degrees, 0.0)
        stances = np.where(relevance >= self.rel, degrees[codes], 0.0)
        view.note(stance=stances)
        return stances, n

    def discount(self, depth: int) -> Floats:
        """Return the discount of the ranks 1 to ``depth``, ``[depth]``."""
        raise NotImplementedError

    def terms(self, view: Rankings) -> Floats:
        stances, _ = self.stances(view)
        w = self.discount(stances.shape[1])
        view.note(discount=w[None])
        return self.signed(stances * w)


class _BiasP(Quotient, StanceMeasure):
    r"""BiasP — Stance Bias by Precision.

    Relevant pro documents minus relevant con documents, as a share of the ranks.

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{i \le n} s_i

    s_i is 1 if the document at rank i has relevance ≥ ``rel`` and is in the group ``pro``, −1 if it
    is in ``con``, and 0 if it is in both or neither or is not relevant. Unannotated documents keep
    their ranks. An unjudged document has relevance 0. n is the cutoff, also if fewer documents were
    returned; without a cutoff, the length of the list. With ``con=None``, no s_i is −1: the value
    is the precision of the pro documents.

    Range
    -----
    −1 to 1; 0 to 1 with ``abs=True``. 0 is fair; above 0 the ranking is biased towards ``pro``.
    With ``con=None``, 0 to 1, and 1 is best.

    Edge cases
    ----------
    A topic without results has 0. The mean over topics is the paper's mean bias (MB), with
    ``abs=True`` its mean absolute bias (MAB). Ideological bias is the same measure over groups that
    name an ideology: ``pro='conservative', con='liberal'``.

    Source
    ------
    Gezici et al. (2021), section 3.2, β_P@n; with ``con=None``, the f of equation 3, which is
    equation 2. Decisions of this package: ``rel``, and the values of a document in both groups, of
    a list that is shorter than n and of a measure without a cutoff.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(BiasP.calc_aggregate(qrels, run), 3)
    0.2
    """

    # Slow version: bias_p in tests/slow_versions/counts.py
    WHERE = f"summand = stance{SIGN}, divisor = the number of ranks"

    def summands(self, view: Rankings) -> tuple[Floats, Any]:
        stances, n = self.stances(view)
        return self.signed(stances), self.cutoff or n


class _BiasRBP(StanceMeasure):
    r"""BiasRBP — Stance Bias by Rank-Biased Precision.

    Rank-biased precision of the relevant pro documents minus that for the relevant con documents.

    Formula
    -------
    .. math::

       (1 - p) \sum_i p^{i-1} s_i

    The sum is over the first ``cutoff`` ranks, or all. s_i is as in BiasP. With ``con=None``, it
    is the rank-biased precision of the pro documents.

    Range
    -----
    −1 to 1; 0 to 1 with ``abs=True``. 0 is fair; above 0 the ranking is biased towards ``pro``.
    With ``con=None``, 0 to 1, and 1 is best.

    Edge cases
    ----------
    A topic without results has 0.

    Source
    ------
    Gezici et al. (2021), section 3.2, from equation 5, which is f, the value with ``con=None``. The
    equation lacks an upper limit of the sum: the limit is a decision of this package.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(BiasRBP.calc_aggregate(qrels, run), 3)
    0.258
    """

    # Slow version: bias_rbp in tests/slow_versions/counts.py
    SUPPORTED_PARAMS = {
        **StanceMeasure.SUPPORTED_PARAMS,
        "p": params.persistence(0.8),
    }

    def discount(self, depth: int) -> Floats:
        p = self["p"]
        return (1.0 - p) * discount("geometric", depth, p)


class _BiasDCG(StanceMeasure):
    r"""BiasDCG — Stance Bias by Discounted Cumulative Gain.

    Discounted cumulative gain of the relevant pro documents minus that for the relevant
    con documents.

    Formula
    -------
    .. math::

       \sum_{i \le n} \frac{s_i}{\log_2(i+1)}

    The sum is over the first ``cutoff`` ranks, or all. s_i is as in BiasP. With ``con=None``, it
    is the discounted cumulative gain of the pro documents.

    Range
    -----
    Between minus and plus the sum of the discounts, which grows with the depth. 0 is fair; above 0
    the ranking is biased towards ``pro``. ``abs=True`` gives the absolute value. With ``con=None``,
    0 or more, and more is better.

    Edge cases
    ----------
    A topic without results has 0.

    Source
    ------
    Gezici et al. (2021), section 3.2, equation 7; with ``con=None``, equation 6. They have log
    without a base; base 2 is inferred from table 4. With a mean ``P@10`` of 0.8509, the mean of
    ``DCG@10`` is at least 3.23 with base 2 and at least 4.67 with base e; the table has 3.9114.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(BiasDCG.calc_aggregate(qrels, run), 3)
    1.2
    """

    # Slow version: bias_dcg in tests/slow_versions/counts.py
    RANGE = (None, None)

    def discount(self, depth: int) -> Floats:
        return log_discount(depth)


BiasP = register(_BiasP(), ["β_P"])
BiasRBP = register(_BiasRBP(), ["β_RBP"])
BiasDCG = register(_BiasDCG(), ["β_DCG"])
#: The paper's names.
β_P = BiasP
β_RBP = BiasRBP
β_DCG = BiasDCG
