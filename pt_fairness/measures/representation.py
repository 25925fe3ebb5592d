"""Representation of groups and stances: RepBias, Skew, MinSkew, MaxSkew, BiasP and others."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from pt_fairness.core.arrays import SMALLEST_SHARE, Floats, Ints, discount, log_discount, ratio
from pt_fairness.measures import params
from pt_fairness.measures.distribution import TARGET, DistributionMeasure, or_uniform
from pt_fairness.measures.measure import Quotient, SignedMeasure
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import Side, side_of
from pt_fairness.rankings.rankings import Rankings

#: A fraction within this distance of one half counts as exactly one half.
HALF_TOLERANCE = 1e-9
#: The effect of ``abs=True`` on the summands, in words of the formula.
SIGN = ", times the sign of the sum with abs=True"


def unbiased(expected: Floats, m: Floats) -> Floats:
    """Return ``expected`` rounded to integers, halves to the neighbour nearer to ``m``."""
    below = np.floor(expected)
    half = abs(expected - below - 0.5) <= HALF_TOLERANCE
    up = m - below > 0.5 + HALF_TOLERANCE
    return np.where(half, below + up, np.rint(expected))


class _RepBias(SignedMeasure):
    r"""RepBias — Representation Bias.

    How much larger the share of a group in the first documents is than an unbiased share.

    0 is fair, above 0 the group is over-represented. The order does not count. If half of the
    relevant documents are of B, ten documents without B have −0.50, with two of B −0.30.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(RepBias(group="B"), "AABAAAABAA", "AAAAAAAAAA")
    AABAAAABAA  -0.30
    AAAAAAAAAA  -0.50

    Formula
    -------
    .. math::

       \frac{m}{n} - \frac{u}{n}

    * m: the number of documents of ``group`` among the first n that have a group. A document of
      several groups counts for each.
    * n: the cutoff, even if fewer documents were returned; without one, the number of documents
      that have a group.
    * u: the unbiased number: n times the target share, rounded. Where two whole numbers are equally
      near, it is the one nearer to m.

    Example
    -------
    >>> round(RepBias(group="CON", target="uniform").calc_aggregate(qrels, run), 3)
    -0.25

    Details
    -------
    Range
        −1 to 1; 0 to 1 with ``abs=True``.
    Undefined
        A topic without a relevant document that has a group (``target='qrels'``). Every topic, if
        there is only one group.
    Nothing returned
        m is 0; without a cutoff the value is 0.
    Plain share
        ``RepBias(group='CON',target={'CON':0,'PRO':1})`` is the share of CON.
    Differs from the paper
        Its targets are the full result list, ``target='run'``, and figures from elsewhere
        (:func:`pt_fairness.targets.register`). Equation 5 has the opposite sign, text and tables
        this one. That n stays the cutoff is inferred from equation 3 and section 3.

    When it misleads
    ----------------
    * Rounding can make a missing group unbiased. One of 25 relevant documents is of B:

      >>> draw(RepBias(group="B"), "AAAAAAAAAA", relevant=24 * "A" + "B")
      AAAAAAAAAA  0.00

    * For the same reason, the mean over topics is not the mean difference of the shares.
    * Biases of opposite signs cancel out in a mean: report ``abs=True`` with it.
    * The default target is the relevant documents, and of ``Skew`` equal shares: set both to
      compare them.

    Source
    ------
    Lipani et al. (2021), section 2, equations 3 to 5.
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
        m = side.ranked(codes).sum(axis=1)
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
        "target": TARGET,
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

    How many times its target share a group has of the first documents, as a logarithm.

    0 is fair, above 0 the group is over-represented; −0.69 is half of its share. If the target is
    equal shares, ten documents with two of B have −0.92. Without B they have −6.21, because a share
    of 0 counts as 0.001.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(Skew(group="B"), "AABAAAABAA", "AAAAAAAAAA")
    AABAAAABAA  -0.92
    AAAAAAAAAA  -6.21

    Formula
    -------
    .. math::

       \ln \frac{P_g}{T_g}

    * g: the ``group``.
    * P_g: its share of the documents that have a group, up to the cutoff; a document of m groups
      counts 1/m for each.
    * T_g: its target share, by default an equal share.
    * A share of 0 becomes 0.001; the others do not change.

    Example
    -------
    >>> round(Skew(group="CON").calc_aggregate(qrels, run), 3)
    -0.693

    Details
    -------
    Range
        ln 0.001 to −ln 0.001; beyond these only for target shares below 0.001.
    Undefined
        A topic without a relevant document that has a group (``target='qrels'``). Every topic, if
        there is only one group.
    Nothing returned
        P_g is 0. With ``target='run'``, the target is then uniform.
    Differs from the paper
        What replaces shares of 0 is a choice of this package.

    When it misleads
    ----------------
    * A missing group has a value that the 0.001 decides and that outweighs other topics in a mean.
      With 5 of the group among 25 documents, the mean of random orders is −1.36 for the first five
      and −0.34 for the first ten. The exponential of a mean is not a share: see
      :func:`pt_fairness.analysis.shares`.
    * If the share of the group is less than one document, no ranking is near 0. One of 25 relevant
      documents is of B:

      >>> draw(Skew(group="B", target="qrels"), "ABAAA", "AAAAA", relevant=24 * "A" + "B")
      ABAAA  1.61
      AAAAA  -3.69

    * The default target is equal shares, and of ``RepBias`` the relevant documents: set both to
      compare them.

    Source
    ------
    Geyik et al. (2019), Skew@k.
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

    The skew of the group that lacks most.

    0 is fair; the further below 0, the more a group lacks; −0.69 is half of its share. If the
    target is equal shares, ten documents have 0.00 with five of B, −0.92 with two, −1.61 with one,
    and −6.21 without B. The order does not count.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(MinSkew, "AABAAAABAA", "AAAAAAAAAA")
    AABAAAABAA  -0.92
    AAAAAAAAAA  -6.21

    Formula
    -------
    .. math::

       \min_{g \in G} \mathrm{Skew}_g

    The smallest ``Skew`` of a group g, of all groups G.

    Example
    -------
    >>> round(MinSkew.calc_aggregate(qrels, run), 3)
    -0.693

    Details
    -------
    Range, undefined, nothing returned
        As for ``Skew``.

    When it misleads
    ----------------
    * It does not say which group lacks, nor whether one or several do.
    * As for Skew, a missing group outweighs all other rankings in a mean.

    Source
    ------
    Geyik et al. (2019), MinSkew@k.
    """

    # Slow version: min_skew in tests/slow_versions/counts.py
    FORMULA = "min({skew})"

    def compare(self, view: Rankings, target: Floats) -> Floats:
        return self.skews(view, target).min(axis=1)


class _MaxSkew(SkewMeasure):
    r"""MaxSkew — Maximum Skew.

    The skew of the group that has most, relative to its target share.

    0 is fair; the further above 0, the more a group is favoured; 0.69 is twice its share. If the
    target is equal shares, ten documents have 0.00 with five of B, 0.47 with two, 0.59 with one,
    and 0.69 without B. The order does not count.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(MaxSkew, "AABAAAABAA", "AAAAAAAAAA")
    AABAAAABAA  0.47
    AAAAAAAAAA  0.69

    Formula
    -------
    .. math::

       \max_{g \in G} \mathrm{Skew}_g

    The largest ``Skew`` of a group g, of all groups G.

    Example
    -------
    >>> round(MaxSkew.calc_aggregate(qrels, run), 3)
    0.405

    Details
    -------
    Range, undefined
        As for ``Skew``.
    Nothing returned
        The skew of the group with the smallest target share.

    When it misleads
    ----------------
    * A small group that is missing hardly counts, because the others have little more than their
      shares. A fifth of the relevant documents are of B:

      >>> draw(MaxSkew(target="qrels"), "AAAAAAAAAA", "ABABABABAB", relevant=10 * "AAAAB")
      AAAAAAAAAA  0.22
      ABABABABAB  0.92

    Source
    ------
    Geyik et al. (2019), MaxSkew@k.
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

    BiasRBP and BiasDCG override :meth:`discount`.
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

    def terms(self, view: Rankings) -> Floats:
        stances, _ = self.stances(view)
        w = self.discount(stances.shape[1])
        view.note(discount=w[None])
        return self.signed(stances * w)


class _BiasP(Quotient, StanceMeasure):
    r"""BiasP — Stance Bias by Precision.

    To which of two sides the relevant documents at the top lean, as a share of the ranks.

    0 is fair: both sides have as many relevant documents. 1 says that all are of the pro side, −1
    all of the con side. Ten relevant documents have 0.00 with five of the con side, B, 0.60 with
    two, 0.80 with one, and 1.00 without B. The order does not count.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(BiasP(pro="A", con="B"), "ABABABABAB", "AABAAAABAA")
    ABABABABAB  0.00
    AABAAAABAA  0.60

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{i \le n} s_i

    * s_i is 1 if the document at rank i is relevant and in the group ``pro``, −1 if it is relevant
      and in ``con``, else 0; in both it is 0.
    * n: the cutoff, even if fewer documents were returned; without one, the length of the ranking.
      Documents without a group keep their ranks, and unjudged ones have relevance 0.

    Example
    -------
    >>> round(BiasP.calc_aggregate(qrels, run), 3)
    0.2

    Details
    -------
    Range
        −1 to 1; 0 to 1 with ``abs=True``.
    One side
        With ``con=None``, the value is the precision of the pro documents: 0 to 1, and 1 is best.
    Means
        The mean over topics is the mean bias (MB) of the paper, with ``abs=True`` its mean absolute
        bias (MAB).
    Ideological bias
        ``pro='conservative', con='liberal'``.
    Undefined
        No topic.
    Nothing returned
        The value is 0.
    Differs from the paper
        Decisions of this package: ``rel``, documents in both groups, rankings shorter than n, no
        cutoff.

    When it misleads
    ----------------
    * It lacks a target: a ranking with the shares of its relevant documents, a fifth of B, is
      biased.

      >>> draw(BiasP(pro="A", con="B"), "AABAAAABAA", relevant=10 * "AAAAB")
      AABAAAABAA  0.60

    * A ranking without relevant documents is fair, and so is an empty one.
    * Biases of opposite signs cancel out in a mean: report ``abs=True`` with it.

    Source
    ------
    Gezici et al. (2021), section 3.2, β_P@n; with ``con=None``, the f of equation 3, which is
    equation 2.
    """

    # Slow version: bias_p in tests/slow_versions/counts.py
    WHERE = f"summand = stance{SIGN}, divisor = the number of ranks"

    def summands(self, view: Rankings) -> tuple[Floats, Any]:
        stances, n = self.stances(view)
        return self.signed(stances), self.cutoff or n


class _BiasRBP(StanceMeasure):
    r"""BiasRBP — Stance Bias by Rank-Biased Precision.

    To which of two sides the relevant documents lean, for a user who reads on with a fixed
    probability.

    0 is fair, above 0 the pro side is favoured, and early ranks count more. Ten relevant documents
    have 0.10 with five of the con side, B, spread evenly, 0.55 with two, 0.76 with one, and 0.89
    without B. With five of B at the end the value is 0.45.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(BiasRBP(pro="A", con="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.10
    AAAAABBBBB  0.45

    Formula
    -------
    .. math::

       (1 - p) \sum_{i \le n} p^{i-1} s_i

    * s_i: 1 for a relevant pro document at rank i, −1 for a con one, else 0 (``BiasP``).
    * p: the probability that the user reads on.
    * n: the cutoff, or the length of the ranking if that is less.

    Example
    -------
    >>> round(BiasRBP.calc_aggregate(qrels, run), 3)
    0.258

    Details
    -------
    Range
        −1 to 1; 0 to 1 with ``abs=True``.
    One side
        With ``con=None``, the value is the rank-biased precision of the pro documents: 0 to 1, and
        1 is best.
    Undefined
        No topic.
    Nothing returned
        The value is 0.
    Differs from the paper
        Equation 5, which is the value with ``con=None``, has a sum without an upper limit.

    When it misleads
    ----------------
    * See ``BiasP``: it lacks a target, an empty ranking is fair, and opposite biases cancel out in
      a mean.
    * The first ranks decide: three pro documents outweigh the next seven.

      >>> draw(BiasRBP(pro="A", con="B"), "AAABBBBBBB")
      AAABBBBBBB  0.08

    Source
    ------
    Gezici et al. (2021), section 3.2.
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

    To which of two sides the relevant documents lean, with early ranks counting more.

    0 is fair, above 0 the pro side is favoured. The value grows with the cutoff. Ten relevant
    documents have 0.50 with five of the con side, B, spread evenly, 2.91 with two, 3.83 with one,
    and 4.54 without B. With five of B at the end the value is 1.35.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(BiasDCG(pro="A", con="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.50
    AAAAABBBBB  1.35

    Formula
    -------
    .. math::

       \sum_{i \le n} \frac{s_i}{\log_2(i+1)}

    * s_i: 1 for a relevant pro document at rank i, −1 for a con one, else 0 (``BiasP``).
    * n: the cutoff, or the length of the ranking if that is less.

    Example
    -------
    >>> round(BiasDCG.calc_aggregate(qrels, run), 3)
    1.2

    Details
    -------
    Range
        Between minus and plus the sum of the discounts; not negative with ``abs=True``.
    One side
        With ``con=None``, the value is the discounted cumulative gain of the pro documents: 0 or
        more, and more is better.
    Undefined
        No topic.
    Nothing returned
        The value is 0.
    Differs from the paper
        Its logarithm lacks a base. Base 2 is inferred from table 4: a mean ``P@10`` of 0.8509
        allows means of ``DCG@10`` from 3.23 with base 2 and from 4.67 with base e; the table has
        3.9114.

    When it misleads
    ----------------
    * Values of different cutoffs cannot be compared.
    * See ``BiasP``: it lacks a target, an empty ranking is fair, and opposite biases cancel out in
      a mean.

    Source
    ------
    Gezici et al. (2021), section 3.2, equation 7; with ``con=None``, equation 6.
    """

    # Slow version: bias_dcg in tests/slow_versions/counts.py
    RANGE = (None, None)

    def discount(self, depth: int) -> Floats:
        return log_discount(depth)


# With the paper's names.
BiasP = β_P = register(_BiasP(), ["β_P"])
BiasRBP = β_RBP = register(_BiasRBP(), ["β_RBP"])
BiasDCG = β_DCG = register(_BiasDCG(), ["β_DCG"])
