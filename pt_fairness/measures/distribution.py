"""Divergence of the groups from a target distribution: DistKL, DistFair, AWRF and NDKL.

Shapes: ``R`` lists, ``L`` groups of the label set G.
"""

from __future__ import annotations

import math
from math import nan
from typing import Any

import numpy as np

from pt_fairness.core.arrays import (
    JSD_IN_WORDS,
    KL_IN_WORDS,
    LARGEST_DIVERGENCE,
    SMALLEST_SHARE,
    Floats,
    Ints,
    divergences_of_prefixes,
    jsd,
    kl,
    laplace,
    log_discount,
    ratio,
    smoothed,
    within,
)
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, sums_by_list
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import population
from pt_fairness.rankings.rankings import Rankings

#: The parameter ``p`` of the measures with discounts.
PERSISTENCE = params.persistence(0.85, "persistence of the geometric discount")
DISCOUNT = {"discount": params.discount("log2", "trec", "geometric", "none"), "p": PERSISTENCE}
#: The target distribution of the measures that compare with equal shares by default.
TARGET = params.target("uniform")
#: The meaning of ``attention`` in the formulas.
ATTENTION = "attention = the shares at the last rank"


def or_uniform(target: Floats) -> Floats:
    """Return the target shares, with equal shares in the rows that have none, ``[R, L]``."""
    return np.where(target.any(axis=1, keepdims=True), target, 1.0 / max(target.shape[1], 1))


def one_if_zero(worst: Floats) -> Floats:
    """Replace 0 in ``worst`` with 1, so that returning nothing never scores as fair."""
    return np.where(worst > 0, worst, 1.0)


class DistributionMeasure(FairnessMeasure):
    """A measure that compares the groups of a list with a target distribution over G.

    A subclass implements :meth:`compare`. A list whose target is empty has the value NaN.
    """

    COMPARES = True

    @property
    def decided_by(self) -> str:  # type: ignore[override]
        discounted = self.param("discount") not in (None, "none")
        return "order" if discounted else "counts"

    def score(self, view: Rankings) -> Floats:
        if not view.labels:
            return np.full(len(view), nan)
        target = self.target(view)
        defined = target.any(axis=1) | self.reads_run
        values = self.compare(view, target)
        return np.where(defined, values, nan)

    def compare(self, view: Rankings, target: Floats) -> Floats:
        """Return the value of each ranking, ``[R]``, ignored without a target.

        :param target: the target share of each group, unsmoothed, ``[R, L]``
        """
        raise NotImplementedError

    def attention(self, view: Rankings) -> tuple[Floats, Ints]:
        """Return each group's share of the attention that a list gets, ``[R, L]``.

        The attention of a document is the discount of its rank by the parameters ``discount`` and
        ``p`` (:func:`pt_fairness.core.arrays.discount`), or 1. A document of m groups gives 1/m
        of it to each.

        :returns: the shares, and the number of annotated documents of each list up to the cutoff,
            ``[R]``
        """
        codes = self.codes(view)
        w = self.discount(codes.shape[1])
        groups = sums_by_list(view, codes, w) @ view.share
        annotated = codes >= 0
        total = annotated @ w
        shares = ratio(groups, total[:, None])
        view.note(discount=w[None])
        view.note(view.labels, attention=shares)
        return shares, annotated.sum(axis=1)

    def when_empty(self, largest: Any) -> Any:
        """Return the divergence of lists without results: one number, or ``[R]``.

        :param largest: the largest divergence from the target that a list can have
        """
        if self.cutoff is None and not self.reads_run:
            return 1.0
        return one_if_zero(largest)


SMOOTHING = params.real("documents that Laplace smoothing adds to every group, in the ranking and "
                        "in the targets that are estimated", "a number of at least 0",
                        lambda v: v >= 0, default=1.0)
EMPTY = params.one_of("value of a topic without results: the least fair one (least fair), or that "
                      "of the smoothed shares of no documents, which are equal (smooth)",
                      "least fair", "smooth")
BASE = params.real("base of the logarithms in the divergence",
                   "a number of at least 2, so that no value is negative", lambda v: v >= 2,
                   default=2.0)


class DistMeasure(DistributionMeasure):
    """A measure based on the divergence of Das & Lease (2019)."""

    SOURCE = ("das2019",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "target": TARGET,
        "smoothing": SMOOTHING,
        "discount": params.discount("none", "log2", "trec", "geometric"),
        "p": PERSISTENCE,
        "unannotated": params.unannotated(),
        "empty": EMPTY,
        "groups": params.groups(),
    }

    def where(self) -> str:
        added = f"{self['smoothing']:g}"
        return (f"{ATTENTION}, smoothed share = (n * attention + {added}) / (n + {added} * number "
                "of groups), n the number of documents that count and have a group, "
                f"{KL_IN_WORDS}{self.WHERE}")

    def divergence(self, view: Rankings, target: Floats) -> tuple[Floats, Ints, Floats]:
        """Return the divergence of the first n documents of each list.

        Shares of 0 in a target are smoothed. A target that is estimated from documents is first
        Laplace-smoothed like the ranking.

        :returns: the divergence, ``[R]``, n, ``[R]``, and the smoothed target, ``[R, L]``
        """
        if self["target"] in ("qrels", "collection", "run"):
            counts = population(view, self["target"], self.rel)
            estimated = laplace(counts, self["smoothing"])
            target = np.broadcast_to(estimated, target.shape)
        target = smoothed(target)
        shares, n = self.attention(view)
        share = laplace(n[:, None] * shares, self["smoothing"])
        view.note(view.labels, smoothed_share=share, smoothed_target=target)
        return kl(share, target), n, target

    def largest(self, n: Any, target: Floats) -> Floats:
        """Return the largest divergence that lists of the lengths ``n`` can have, ``[R]``.

        It is reached if all documents are in the group with the smallest target share.

        :param n: a length for each list, ``[R]``, or for all of them
        """
        smallest = target.argmin(axis=1)
        alone = np.arange(target.shape[1]) == smallest[:, None]
        counts = np.reshape(n, (-1, 1)) * alone
        return kl(laplace(counts, self["smoothing"]), target)


class _DistKL(DistMeasure):
    r"""DistKL — Distributional Kullback–Leibler Divergence.

    How far the groups of the first documents diverge from a target distribution.

    0 is fair; the largest value depends on the length. The order of the documents does not count.
    If the target is equal shares, ten documents have 0.00 with five of B, 0.19 with two, 0.35 with
    one, and 0.59 without B.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(DistKL, "ABABABABAB", "AAAAAAAAAA")
    ABABABABAB  0.00
    AAAAAAAAAA  0.59

    Formula
    -------
    .. math::

       \mathrm{KL}(P \,\|\, T), \qquad P_g = \frac{c_g + \lambda}{n + \lambda |G|}

    * KL: the Kullback–Leibler divergence, base 2.
    * P_g: the smoothed share of group g; G holds all groups.
    * n: the number of documents that have a group, up to the cutoff, and c_g how many of them are
      in g. A document of m groups counts 1/m for each.
    * λ is ``smoothing``.
    * T: the target, by default equal shares.

    Example
    -------
    >>> round(DistKL.calc_aggregate(qrels, run), 3)
    0.082

    Details
    -------
    Range
        0 or more.
    Target
        Estimated from documents, it is smoothed as the ranking is. Then shares of 0 become 0.001,
        and the others shrink in proportion.
    Discount
        With ``discount``, a document counts n times its share of the discounts; section 6 of the
        paper names such an extension.
    Documents without a group
        n does not count them with ``unannotated='keep'``.
    Undefined
        A topic without a relevant document that has a group (``target='qrels'``). Every topic, if
        there is only one group.
    Nothing returned
        The largest value of ``cutoff`` documents; 1 without a cutoff, or if that is 0; −log2 0.001
        with ``target='run'``. With ``empty='smooth'``, the divergence of equal shares, so that a
        system that returns nothing can be the fairest. That the paper does so is inferred from
        tables 1 and 2, where the system of the lowest R-Precision is the fairest.
    Differs from the paper
        Choices of this package: the base, the mean over topics, n, and the share 0.001.

    When it misleads
    ----------------
    * The order does not count: a group at the end counts as one at the top, unless ``discount`` is
      set.

      >>> draw(DistKL, "ABABABABAB", "AAAAABBBBB")
      ABABABABAB  0.00
      AAAAABBBBB  0.00

    * Smoothing makes short rankings look fairer. Both of these lack B:

      >>> draw(DistKL, "AAAAAAAAAA", "AAA")
      AAAAAAAAAA  0.59
      AAA  0.28

    Source
    ------
    Das & Lease (2019), section 4.
    """

    # Slow version: dist_kl in tests/slow_versions/attention.py
    RANGE = (0.0, None)
    FORMULA = "KL({smoothed share}, {smoothed target})"

    def compare(self, view: Rankings, target: Floats) -> Floats:
        values, n, target = self.divergence(view, target)
        if self["empty"] == "smooth":
            return values
        largest: Any = LARGEST_DIVERGENCE
        if not self.reads_run:
            largest = self.largest(self.cutoff or 1, target)
        return np.where(n == 0, self.when_empty(largest), values)


class _DistFair(DistMeasure):
    r"""DistFair — Distributional Fairness.

    How close the groups of the first documents are to a target distribution.

    1 is fair, 0 is the least fair ranking of its length. The order of the documents does not count.
    If the target is equal shares, ten documents have 1.00 with five of B, 0.68 with two, 0.40 with
    one, and 0.00 without B.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(DistFair, "ABABABABAB", "AAAAAAAAAA")
    ABABABABAB  1.00
    AAAAAAAAAA  0.00

    Formula
    -------
    .. math::

       1 - \frac{\mathrm{DistKL}}
       {\max_{g \in G} \mathrm{DistKL}(\text{all } n \text{ documents in } g)}

    * n: the number of documents that have a group, up to the cutoff.
    * The divisor is the largest ``DistKL`` that n documents can have: all in one group g of all
      groups G.

    Example
    -------
    >>> round(DistFair.calc_aggregate(qrels, run), 3)
    0.767

    Details
    -------
    Range
        0 to 1.
    Target, discount, documents without a group, undefined
        As for ``DistKL``.
    Nothing returned
        0, the least fair. With ``empty='smooth'``, 1 less the divergence of equal shares, divided
        by the largest one of ``cutoff`` documents, or without a cutoff by −log2 of the smallest
        target share.
    Differs from the paper
        It normalises by min–max over the compared systems, so that a value depends on the others:
        ``DistKL`` with :func:`pt_fairness.analysis.minmax`. Section 6 wants this revisited.

    When it misleads
    ----------------
    * The order does not count, as in DistKL.
    * A small group that is missing hardly counts. The target is a fifth of B:

      >>> draw(DistFair(target="qrels"), "AAAAAAAAAA", "AABAAAABAA", relevant=10 * "AAAAB")
      AAAAAAAAAA  0.95
      AABAAAABAA  1.00

    Source
    ------
    Das & Lease (2019), section 4.
    """

    # Slow version: dist_fair in tests/slow_versions/attention.py
    IDEAL = 1.0
    FORMULA = "1 - KL({smoothed share}, {smoothed target}) / {largest}"
    WHERE = ", largest = the KL of n documents of the group with the smallest smoothed target"

    def compare(self, view: Rankings, target: Floats) -> Floats:
        divergence, n, target = self.divergence(view, target)
        largest = self.largest(n, target)
        empty = n == 0
        if self["empty"] == "smooth":
            largest_if_empty = -np.log2(target.min(axis=1))
            if self.cutoff is not None:
                largest_if_empty = self.largest(self.cutoff, target)
            largest = np.where(empty, largest_if_empty, largest)
            empty = False
        view.note(largest=largest)
        fairness = np.maximum(1.0 - ratio(divergence, largest), 0.0)
        return np.where(empty, 0.0, fairness)


class _AWRF(DistributionMeasure):
    r"""AWRF — Attention-Weighted Rank Fairness.

    How close the groups' shares of the attention are to a target distribution.

    1 is fair. Values are close together near 1, and with two groups and equal shares no ranking is
    below 0.69. Ten documents then have 1.00 with five of B spread evenly, 0.91 with two, 0.83 with
    one, and 0.69 without B. Early ranks have more attention: with five of B at the end the value is
    0.98.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(AWRF, "ABABABABAB", "AAAAAAAAAA")
    ABABABABAB  1.00
    AAAAAAAAAA  0.69

    Formula
    -------
    .. math::

       1 - \mathrm{JSD}(E \,\|\, T), \qquad
       E_g = \frac{\sum_{i \le n} a_i m_{ig}}{\sum_{i \le n} a_i}

    * JSD: the Jensen–Shannon divergence, in logarithms to ``base``.
    * E_g: the share of group g in the attention.
    * a_i: the attention at rank i, its ``discount``; n is the last rank up to the cutoff, counted
      over the documents that have a group.
    * m_ig is 1/m for each of the m groups of the document, else 0.
    * T: the target, by default equal shares.

    Example
    -------
    >>> round(AWRF.calc_aggregate(qrels, run), 3)
    0.924

    Details
    -------
    Range
        0 to 1.
    Undefined
        A topic without a relevant document that has a group (``target='qrels'``). Every topic, if
        there is only one group.
    Nothing returned
        0, the least fair. The TREC track gave equal exposure (2021) or NaN (2022).
    TREC Fair Ranking 2021 and 2022
        ``AWRF(base=2.718281828459045,discount='trec',unannotated='keep')``. No value is then below
        1 − ln 2, unless nothing was returned.
    AWRF in FairRankTune
        Another measure, of the attention per document of each group.

    When it misleads
    ----------------
    * The default target is equal shares, as in its paper: a ranking like its relevant documents
      (``target='qrels'``) can look unfair.
    * The mean counts chance in each topic. If 35 % of the relevant documents are of B, ten random
      ones have 0.98 on average; two of B in every topic have 0.99. Read the shares.
    * A small group that is missing hardly counts. The target is a fifth of B:

      >>> draw(AWRF(target="qrels"), "AAAAAAAAAA", "ABABABABAB", relevant=10 * "AAAAB")
      AAAAAAAAAA  0.89
      ABABABABAB  0.95

    Source
    ------
    Sapiezynski et al. (2019), in the form of the TREC Fair Ranking track.
    """

    # Slow version: awrf in tests/slow_versions/attention.py
    SOURCE = ("sapiezynski2019",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "target": TARGET,
        **DISCOUNT,
        "unannotated": params.unannotated(),
        "base": BASE,
        "groups": params.groups(),
    }
    IDEAL = 1.0
    WHERE = f"{ATTENTION}, {JSD_IN_WORDS}"

    def formula(self) -> str:
        formula = "1 - JSD({attention}, {target})"
        if self["base"] == 2:
            return formula
        return f"{formula} / log2({self['base']:.5g})"

    def compare(self, view: Rankings, target: Floats) -> Floats:
        exposure, n = self.attention(view)
        view.note(view.labels, target=target)
        divergence = jsd(exposure, target)
        unfair = divergence / math.log2(self["base"])
        fair = np.maximum(1.0 - unfair, 0.0)
        return np.where(n == 0, 0.0, fair)


class _NDKL(DistributionMeasure):
    r"""NDKL — Normalised Discounted Cumulative Kullback–Leibler Divergence.

    How far the groups of a ranking diverge from a target distribution, at every depth.

    0 is fair, and early ranks count more. Even the fairest ranking is above 0, because its first
    document has one group. If the target is equal shares, ten documents have 0.16 with five of B
    spread evenly, 0.36 with two, 0.56 with one, and 0.69 without B. With two groups, 0.69 is the
    largest value.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(NDKL, "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.16
    AAAAABBBBB  0.48

    Formula
    -------
    .. math::

       \frac{\sum_{i \le n} w_i \, \mathrm{KL}(P_i \,\|\, T)}{\sum_{i \le n} w_i}, \qquad
       w_i = \frac{1}{\log_2(i+1)}

    * i: a rank among the documents with a group, up to the cutoff n.
    * KL: the Kullback–Leibler divergence, in natural logarithms.
    * P_i: the shares of the groups among the first i; a document of m groups counts 1/m for each.
    * T: the target, by default equal shares.

    Example
    -------
    >>> round(NDKL.calc_aggregate(qrels, run), 3)
    0.474

    Details
    -------
    Range
        0 or more. A ranking has at most −ln of the smallest target share, which is the logarithm of
        the number of groups for equal shares.
    Target shares of 0
        They become 0.001 and the others shrink in proportion; not with ``target='run'``.
    Undefined
        A topic without a relevant document that has a group (``target='qrels'``). Every topic, if
        there is only one group.
    Nothing returned
        The largest value; 1 without a cutoff, or if that is 0; −ln 0.001 with ``target='run'``.
    Relation to rKL
        ``rKL(protected='all',norm='none')`` of the same target, in natural logarithms, divided by
        the sum of the discounts.

    When it misleads
    ----------------
    * A small group that is missing hardly counts. The target is a fifth of B:

      >>> draw(NDKL(target="qrels"), "AAAAAAAAAA", "ABABABABAB", relevant=10 * "AAAAB")
      AAAAAAAAAA  0.22
      ABABABABAB  0.18

    * The default target is equal shares: a ranking like its relevant documents can look unfair.

    Source
    ------
    Geyik et al. (2019), NDKL.
    """

    # Slow version: ndkl in tests/slow_versions/counts.py
    SOURCE = ("geyik2019",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "target": TARGET,
        "groups": params.groups(),
    }
    RANGE = (0.0, None)
    FORMULA = "Σ {product} / {Z}"
    WHERE = ("product = discount * divergence, divergence = Σ p * ln(p / t), p the share of a "
             "group, t its smoothed target, Z = Σ discount")
    decided_by = "prefixes"  # type: ignore[assignment]

    def terms(self, view: Rankings) -> Floats:
        target = self.target(view)
        if not self.reads_run:  # no prefix has a group that the run lacks
            target = smoothed(target)
        codes, n = view.condensed(self.cutoff)
        depth = codes.shape[1]
        w = within(depth, n) * log_discount(depth)
        divergence = divergences_of_prefixes(codes, view.share, kl, target)
        terms = w * divergence
        Z = w.sum(axis=1, keepdims=True)
        nats = math.log(2)
        view.note(divergence=divergence * nats, discount=w, product=terms * nats, Z=Z[:, 0])
        view.note(view.labels, smoothed_target=target)
        return terms * (nats * ratio(1.0, Z))

    def compare(self, view: Rankings, target: Floats) -> Floats:
        least: Any = SMALLEST_SHARE
        if not self.reads_run:
            least = smoothed(target).min(axis=1)
        worst = self.when_empty(-np.log(least))
        values = self.terms(view).sum(axis=1)
        return np.where(view.length == 0, worst, values)


DistKL = register(_DistKL())
DistFair = register(_DistFair())
AWRF = register(_AWRF())
NDKL = register(_NDKL())
