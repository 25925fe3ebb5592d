"""Divergence of every prefix from a target distribution: NDKL (Geyik et al. 2019)."""

from __future__ import annotations

import math

import numpy as np

from pt_fairness.core import arrays, discounts, divergences
from pt_fairness.core.arrays import Floats
from pt_fairness.measures import params
from pt_fairness.measures.registration import register
from pt_fairness.measures.target_distribution import DistributionMeasure
from pt_fairness.rankings.protected import distribution
from pt_fairness.rankings.view import View


class _NDKL(DistributionMeasure):
    r"""NDKL — Normalised Discounted Cumulative Kullback–Leibler Divergence.

    How far the groups in every prefix diverge from a target distribution, on average.

    Formula
    -------
    .. math::

       \frac{\sum_i w_i \, \mathrm{KL}(P_i \,\|\, T)}{\sum_i w_i}, \qquad
       w_i = \frac{1}{\log_2(i+1)}

    The logarithm of KL is natural. P_i holds the shares of all groups of G among the first i
    annotated documents; a document of m groups counts 1/m towards each. T is the target. Each share
    of 0 in it becomes 0.001, and the other shares are multiplied by 1 − 0.001 · z, z the number of
    shares of 0. With ``target='run'`` no share is changed.

    For the same target it is rKL(protected='all',norm='none') in natural logarithms, divided by the
    sum of the discounts.

    Range
    -----
    0 or more. 0 is fair, but a list whose first document has one group is above it. A list with
    annotated documents has at most −ln of the smallest share in T, which is the logarithm of the
    number of groups for equal shares. Only a topic without results can have more.

    Edge cases
    ----------
    A topic without relevant annotated documents is undefined for ``target='qrels'``: 0, with a
    warning. So is every topic if there is only one group. A topic without results has the largest
    possible value, −ln of the smallest target share (1 without a cutoff, and where that value is
    0); for ``target='run'``, −log2 0.001, which is in bits although the measure is in nats.

    The value depends on the whole label set. With ``pt.Experiment(batch_size=…)``, use a Groups
    object that declares its labels.

    Source
    ------
    Geyik et al. (2019), NDKL.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(NDKL.calc_aggregate(qrels, run), 3)
    0.474
    """

    # Slow version: ndkl in tests/slow_versions/counts.py
    SOURCE = ("geyik2019",)
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "target": params.target("uniform"),
        "groups": params.groups(),
    }
    RANGE = (0.0, None)

    def smoothed(self, target: Floats) -> Floats:
        """Return the target, smoothed unless it is the run, of which no prefix lacks a group."""
        return target if self.of_run else divergences.smoothed(target)

    def terms(self, view: View) -> Floats:
        target = distribution(view, self.param("target"), self.param("rel"))
        return self.terms_of(view, self.smoothed(target))

    def terms_of(self, view: View, target: Floats) -> Floats:
        """Return what each document adds to the value, ``[R, D]``.

        :param target: the smoothed target, ``[R, L]``
        """
        codes, n = view.condensed(self.param("cutoff"))
        depth = codes.shape[1]
        w = discounts.within(depth, n) * discounts.log_discount(depth)
        terms = divergences.discounted_divergences(codes, view.share, w, divergences.kl, target)
        return terms * (math.log(2) * arrays.ratio(1.0, w.sum(axis=1)))[:, None]

    def compare(self, view: View, target: Floats) -> Floats:
        target = self.smoothed(target)
        worst = self.when_empty(lambda _: -np.log(target.min(axis=1)))
        return np.where(view.length == 0, worst, self.terms_of(view, target).sum(axis=1))


NDKL = register(_NDKL())
