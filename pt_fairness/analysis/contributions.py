"""Contributions of ranks to the values of measures that are sums or means over ranks.

Shapes: ``R`` rankings, ``K`` documents that count.
"""

from __future__ import annotations

import numpy as np

from pt_fairness import numerics
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.numerics import Floats, Ints


def contributions(measure: FairnessMeasure, so_far: Floats, n: Ints, value: Floats) -> Floats:
    """Return what each document that counts adds to the value of a measure, ``[R, K]``.

    :param measure: a measure with :attr:`~FairnessMeasure.OVER_RANKS`
    :param so_far: the value of ``measure.unnormalised`` at the cutoffs 1 to K, ``[R, K]``
    :param n: the number of documents that count, ``[R]``, at most K; later columns become 0
    :param value: the value of the measure, ``[R]``
    """
    depth = so_far.shape[1]
    factor, total = np.ones(depth), np.ones(len(n))
    if measure.OVER_RANKS == "discounted mean":
        factor = numerics.log_discount(depth).cumsum()
        total = factor[np.maximum(n, 1) - 1]
    elif measure.OVER_RANKS != "sum":
        factor = numerics.ranks(depth)
        to_cutoff = measure.OVER_RANKS == "mean to cutoff" and measure.param("cutoff") is not None
        total = np.where(to_cutoff, measure.param("cutoff") or 1, np.maximum(n, 1)).astype(float)
    added = np.diff(so_far * factor, prepend=0.0, axis=1) / total[:, None]
    added *= numerics.evaluated(depth, n, measure.param("step") or 1)
    added[np.arange(depth) >= n[:, None]] = 0.0
    if measure.param("abs"):
        return np.where(added.sum(axis=1) < 0, -1.0, 1.0)[:, None] * added
    return added if measure == measure.unnormalised else scaled(added, value)


def scaled(added: Floats, value: Floats) -> Floats:
    """Return contributions that add up to the value, ``[R, K]``.

    :param added: the contributions without a normaliser, ``[R, K]``
    :param value: ``[R]``
    """
    found = added.sum(axis=1)
    return added * np.where(found != 0, numerics.ratio(value, found), 1.0)[:, None]
