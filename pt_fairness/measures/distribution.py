"""Divergence of the groups from a target distribution: DistKL, DistFair and AWRF."""

from __future__ import annotations

import math

import numpy as np

from pt_fairness.core import arrays, divergences
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.measures import params
from pt_fairness.measures.registration import register
from pt_fairness.measures.target_distribution import DistributionMeasure
from pt_fairness.rankings.protected import population
from pt_fairness.rankings.view import View


class DistMeasure(DistributionMeasure):
    """A measure based on the divergence of Das & Lease (2019)."""

    SOURCE = ("das2019",)
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "target": params.target("uniform"),
        "smoothing": params.real("documents that Laplace smoothing adds to every group, in the "
                                 "ranking and in the targets that are estimated",
                                 "a number of at least 0", lambda v: v >= 0, default=1.0),
        "discount": params.discount("none", "log2", "trec", "geometric"),
        "p": params.persistence(0.85, "persistence of the geometric discount"),
        "unannotated": params.unannotated(),
        "empty": params.one_of("value of a topic without results: the least fair one (least fair), "
                               "or that of the smoothed shares of no documents, which are equal "
                               "(smooth)", "least fair", "smooth"),
        "groups": params.groups(),
    }

    def divergence(self, counts: Floats, target: Floats) -> Floats:
        """Return the divergence of the smoothed shares of ``counts`` from the target, ``[R]``.

        :param counts: the number of documents of each group, ``[R, L]``
        :param target: ``[R, L]``, without shares of 0
        """
        return divergences.kl(divergences.laplace(counts, self.param("smoothing")), target)

    def of_ranking(self, view: View, target: Floats) -> tuple[Floats, Ints, Floats]:
        """Return the divergence of the first n documents of each list.

        Shares of 0 in a target are smoothed. A target that is estimated from documents is first
        Laplace-smoothed like the ranking.

        :returns: the divergence, ``[R]``, n, ``[R]``, and the smoothed target, ``[R, L]``
        """
        if self.param("target") in ("qrels", "collection", "run"):
            counts = population(view, self.param("target"), self.param("rel"))
            estimated = divergences.laplace(counts, self.param("smoothing"))
            target = np.broadcast_to(estimated, target.shape)
        target = divergences.smoothed(target)
        shares, n = self.attention(view)
        return self.divergence(n[:, None] * shares, target), n, target

    def largest(self, n: Ints, target: Floats) -> Floats:
        """Return the largest divergence that lists of the lengths ``n`` can have, ``[R]``.

        It is reached if all documents are in the group with the smallest target share.
        """
        alone = np.arange(target.shape[1]) == target.argmin(axis=1)[:, None]
        return self.divergence(n[:, None] * alone, target)


class _DistKL(DistMeasure):
    r"""DistKL — Distributional Kullback–Leibler Divergence.

    How far the groups of the first documents diverge from a target distribution.

    Formula
    -------
    .. math::

       \mathrm{KL}(P \,\|\, T), \qquad P_g = \frac{c_g + \lambda}{n + \lambda |G|}

    The base is 2. P holds the smoothed shares of all groups g of G among the first n annotated
    documents: n = min(cutoff, annotated documents), λ = ``smoothing``, c_g the number of documents
    in g. A document of m groups counts 1/m towards each. With ``discount`` the document at rank i
    counts n · a_i / Σa, a_i the weight of the rank; the paper names this as an extension.

    With ``unannotated='keep'`` the list is cut first and unannotated documents keep their ranks; n
    is then the number of annotated documents among the first ``cutoff``.

    T is the target. Targets that are estimated from documents (qrels, collection, run) are smoothed
    in the same way. Then each share of 0 becomes 0.001, and the other shares are multiplied by
    1 − 0.001 · z, z the number of shares of 0.

    Range
    -----
    0 or more. 0 is fair.

    Edge cases
    ----------
    A topic without relevant annotated documents is undefined for ``target='qrels'``: 0, with a
    warning. So is every topic if there is only one group. A topic without results has the largest
    value that ``cutoff`` documents can have (1 without a cutoff, and where that value is 0); for
    ``target='run'``, −log2 0.001.

    In the paper, no documents have equal shares of all groups, by its smoothing: with
    ``empty='smooth'``, a topic without results has KL(U ‖ T), U the equal shares, whatever
    ``cutoff`` is. That is 0, the fair value, for ``target='uniform'`` and ``target='run'``, so a
    system that returns nothing is among the fairest.

    The value depends on the whole label set. With ``pt.Experiment(batch_size=…)``, use a Groups
    object that declares its labels.

    Source
    ------
    Das & Lease (2019), section 4.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(DistKL.calc_aggregate(qrels, run), 3)
    0.082
    """

    # Slow version: dist_kl in tests/slow_versions/attention.py
    RANGE = (0.0, None)

    def compare(self, view: View, target: Floats) -> Floats:
        values, n, target = self.of_ranking(view, target)
        if self.param("empty") == "smooth":
            return values
        worst = self.when_empty(lambda cutoff: self.largest(np.full(len(n), cutoff), target))
        return np.where(n == 0, worst, values)


class _DistFair(DistMeasure):
    r"""DistFair — Distributional Fairness.

    How close the groups of the first documents are to a target distribution.

    Formula
    -------
    .. math::

       1 - \frac{\mathrm{DistKL}}
       {\max_{g \in G} \mathrm{DistKL}(\text{all } n \text{ documents in } g)}

    DistKL and its parameters are those of that measure.

    The paper normalises by min–max over the compared systems, so the value of a system depends on
    the others. This measure divides by the largest value that a list of n documents can have
    instead. The paper's form is DistKL with :func:`pt_fairness.analysis.minmax`.

    Range
    -----
    0 to 1. 1 is fair.

    Edge cases
    ----------
    A topic without relevant annotated documents is undefined for ``target='qrels'``: 0, with a
    warning. So is every topic if there is only one group. A topic without results has 0.

    With ``empty='smooth'``, it has 1 − KL(U ‖ T) / M, U the equal shares of all groups, as in the
    paper. M is the largest divergence that ``cutoff`` documents can have, and without a cutoff that
    of a single group, −log2 of the smallest target share. The value is 1, the fair one, for
    ``target='uniform'`` and ``target='run'``.

    The value depends on the whole label set. With ``pt.Experiment(batch_size=…)``, use a Groups
    object that declares its labels.

    Source
    ------
    Das & Lease (2019), sections 4 and 6.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(DistFair.calc_aggregate(qrels, run), 3)
    0.767
    """

    # Slow version: dist_fair in tests/slow_versions/attention.py
    FAIR_END = 1.0

    def compare(self, view: View, target: Floats) -> Floats:
        values, n, target = self.of_ranking(view, target)
        largest, smooth = self.largest(n, target), self.param("empty") == "smooth"
        if smooth:
            k = self.param("cutoff")
            of_empty = (-np.log2(target.min(axis=1)) if k is None
                        else self.largest(np.full(len(n), k), target))
            largest = np.where(n == 0, of_empty, largest)
        fair = np.maximum(1.0 - arrays.ratio(values, largest), 0.0)
        return fair if smooth else np.where(n == 0, 0.0, fair)


class _AWRF(DistributionMeasure):
    r"""AWRF — Attention-Weighted Rank Fairness.

    How close the groups' shares of the exposure are to a target distribution.

    Formula
    -------
    .. math::

       1 - \mathrm{JSD}(E \,\|\, T), \qquad
       E_g = \frac{\sum_{i \le n} a_i m_{ig}}{\sum_{i \le n} a_i}

    E_g is the share of group g in Σ a_i over the first n annotated documents, a_i the weight of the
    rank (``discount``); a document of m groups gives 1/m of its exposure to each. The logarithm of
    JSD has the base ``base``. T is the target, unsmoothed. With ``unannotated='keep'`` the list is
    cut first and unannotated documents keep their ranks.

    The form of the TREC Fair Ranking track in 2021 and 2022 is
    ``AWRF(base=2.718281828459045,discount='trec',unannotated='keep')``: the first two ranks weigh
    the same, the logarithms are natural. With that base no value is below 1 − ln 2 unless nothing
    was returned. AWRF in FairRankTune is another measure: it compares the attention per document of
    each group, as a ratio or a difference.

    Range
    -----
    0 to 1. 1 is fair.

    Edge cases
    ----------
    A topic without relevant annotated documents is undefined for ``target='qrels'``: 0, with a
    warning. So is every topic if there is only one group. A topic without results has 0; the track
    gave a list without annotations equal exposure (2021) or NaN (2022).

    The value depends on the whole label set. With ``pt.Experiment(batch_size=…)``, use a Groups
    object that declares its labels.

    Source
    ------
    Sapiezynski et al. (2019), in the form of the TREC Fair Ranking track.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(AWRF.calc_aggregate(qrels, run), 3)
    0.924
    """

    # Slow version: awrf in tests/slow_versions/attention.py
    SOURCE = ("sapiezynski2019",)
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "target": params.target("uniform"),
        "discount": params.discount("log2", "trec", "geometric", "none"),
        "p": params.persistence(0.85, "persistence of the geometric discount"),
        "unannotated": params.unannotated(),
        "base": params.real(
            "base of the logarithms in the divergence",
            "a number of at least 2, so that no value is negative",
            lambda v: v >= 2,
            default=2.0,
        ),
        "groups": params.groups(),
    }
    FAIR_END = 1.0

    def compare(self, view: View, target: Floats) -> Floats:
        exposure, n = self.attention(view)
        unfair = divergences.jsd(exposure, target) / math.log2(self.param("base"))
        fair = np.maximum(1.0 - unfair, 0.0)
        return np.where(n == 0, 0.0, fair)


DistKL = register(_DistKL())
DistFair = register(_DistFair())
AWRF = register(_AWRF())
