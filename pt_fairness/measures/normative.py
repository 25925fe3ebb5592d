"""Normative diversity: how far a ranking is from its context, RADio (Vrijenhoek et al. 2022)."""

from __future__ import annotations

import numpy as np

from pt_fairness.core import arrays, divergences
from pt_fairness.core.arrays import Floats
from pt_fairness.measures import params
from pt_fairness.measures.registration import register
from pt_fairness.measures.target_distribution import DistributionMeasure, or_uniform
from pt_fairness.rankings.view import View


class _RADio(DistributionMeasure):
    r"""RADio — Rank-Aware Divergence.

    How far the groups in the first documents are from those of a context, by default of the whole
    list.

    Formula
    -------
    .. math::

       \sqrt{\mathrm{JSD}(\tilde P, \tilde Q)}, \qquad
       \tilde P = (1 - \alpha) P + \alpha Q, \quad \tilde Q = (1 - \alpha) Q + \alpha P

    The base is 2. With ``divergence='kl'`` the value is ``KL(Q̃ ‖ P̃)``. α is ``alpha``. P holds
    the shares of the groups in the first n annotated documents, weighted by rank (``discount``); a
    document of m groups counts 1/m towards each. With ``unannotated='keep'``, unannotated documents
    keep their ranks. Q is the target, unsmoothed and without a discount.

    The measures of the paper differ in labels and context. Representation and Alternative Voices:
    the whole list. Calibration: the user's history, registered as a target. Activation: bins of a
    number as labels. Fragmentation compares the lists of several users and is not covered.

    Range
    -----
    At least 0, always below 1; with ``divergence='kl'`` 0 or more. 0 means that the groups are as
    in the context; whether that is good depends on the norm.

    Edge cases
    ----------
    A topic without relevant annotated documents is undefined for ``target='qrels'``: 0, with a
    warning. So is every topic if there is only one group. A topic without results has 1. With
    ``divergence='kl'`` it has the largest value of all lists of one group. With ``target='run'``, a
    list without annotated documents has a uniform context.

    ``alpha=0`` with ``divergence='kl'`` raises a ValueError. With ``alpha=0``, the same discount
    and the same target, ``1 − RADio²`` is AWRF. The published code approximates the harmonic
    numbers and counts a document of m labels m times.

    The value depends on the whole label set. With ``pt.Experiment(batch_size=…)``, use a Groups
    object that declares its labels.

    Source
    ------
    Vrijenhoek et al. (2022), with the smoothing of their package RADio.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(RADio.calc_aggregate(qrels, run), 3)
    0.095
    """

    # Slow version: radio in tests/slow_versions/normative.py
    SOURCE = ("vrijenhoek2022",)
    RANGES = {("divergence", "kl"): (0.0, None)}
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "target": params.target("run"),
        "divergence": params.one_of("divergence: the root of the Jensen-Shannon divergence (jsd) "
                                    "or the Kullback-Leibler divergence (kl)", "jsd", "kl"),
        "discount": params.discount("mmr", "log2", "trec", "geometric", "none"),
        "p": params.persistence(0.85, "persistence of the geometric discount"),
        "alpha": params.real("share of the other distribution that is mixed into each",
                             "a number of at least 0 and below 0.5", lambda v: 0 <= v < 0.5,
                             default=0.001),
        "unannotated": params.unannotated(),
        "groups": params.groups(),
    }

    def check_together(self) -> None:
        if self.param("divergence") == "kl" and self.param("alpha") == 0:
            raise ValueError("RADio(divergence='kl',alpha=0.0) is not possible: the divergence is "
                             "infinite where the ranking lacks a group; use an alpha above 0")

    def compare(self, view: View, target: Floats) -> Floats:
        alpha, q = self.param("alpha"), or_uniform(target)
        p, n = self.attention(view)
        p_mixed, q_mixed = (1.0 - alpha) * p + alpha * q, (1.0 - alpha) * q + alpha * p
        if self.param("divergence") == "jsd":
            return np.where(n == 0, 1.0, _distance(p_mixed, q_mixed))
        return np.where(n == 0, self.largest(q), divergences.kl(q_mixed, p_mixed))

    def largest(self, target: Floats) -> Floats:
        """Return the largest ``KL(Q̃ ‖ P̃)`` of all lists of one group, ``[R]``."""
        alpha = self.param("alpha")
        own, others = (1.0 - alpha) * target, (1.0 - alpha) * (1.0 - target)
        divergence = (own + alpha) * np.log2((own + alpha) / (alpha * target + 1.0 - alpha)) \
            + others * np.log2((1.0 - alpha) / alpha)
        return np.asarray(divergence.max(axis=1))


def _distance(p: Floats, q: Floats) -> Floats:
    """Return the root of the Jensen–Shannon divergence over the last axis, base 2.

    Values below ``ROUNDING`` are 0.
    """
    from scipy import special
    # With p = m(1 + x) and q = m(1 − x), no term loses digits where p is close to q.
    middle = (p + q) / 2.0
    x = arrays.ratio((p - q) / 2.0, middle)
    terms = special.xlog1py(1.0 + x, x) + special.xlog1py(1.0 - x, -x)
    found = np.sqrt(np.maximum((middle * terms).sum(axis=-1), 0.0) / np.log(4.0))
    return np.where(found < arrays.ROUNDING, 0.0, found)



RADio = register(_RADio())
