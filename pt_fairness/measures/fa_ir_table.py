"""The m-tables of the ranked group fairness test (Zehlike et al. 2017).

An m-table is the minimum number of protected documents in each prefix of a ranking. It depends only
on the length of the ranking, the share of protected documents and a significance level.

Shapes: ``N`` lists, ``K`` ranks.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import numpy as np
from scipy import special

from pt_fairness.core.arrays import BLOCK_CELLS, Bools, Floats, Ints

#: Tolerance for rounding: a probability may exceed a bound by this factor.
TOLERANCE = 1 + 1e-9

_levels: dict[tuple[int, float, float], float] = {}
#: Number of cached levels from which on no more are added.
_MOST_LEVELS = 1 << 16


def m_table(k: int, p: float, alpha: float = 0.1, adjust: bool = True) -> Ints:
    """Return the minimum number of protected documents in each prefix of a list, ``[k]``.

    :param k: the length of the list
    :param p: the target share of protected documents, from 0 to 1
    :param alpha: the significance level
    :param adjust: whether ``alpha`` is the level of the whole test; otherwise of each prefix

    Examples
    --------
    >>> m_table(10, 0.5).tolist()
    [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]
    """
    shares = np.array([p])
    level = levels(np.array([k]), shares, alpha) if adjust else np.array([alpha])
    return _table(level, shares, np.zeros((1, k), np.int64), np.arange(1, k + 1)[None])[0]


def levels(k: Ints, p: Floats, alpha: float) -> Floats:
    """Return the significance level at which the prefixes of each list are tested, ``[N]``.

    It is the largest level whose table rejects a fair list with a probability of at most ``alpha``.

    :param k: the lengths of the lists, ``[N]``
    :param p: the target shares of protected documents, ``[N]``
    :param alpha: the significance level of the whole test

    Examples
    --------
    >>> levels(np.array([10, 20]), np.array([0.5, 0.25]), 0.1).round(6).tolist()
    [0.054688, 0.063476]
    """
    keys = list(zip(k.tolist(), p.tolist(), [alpha] * len(k), strict=True))
    known = {key: _levels[key] for key in keys if key in _levels}
    for size, same in groupby(sorted({*keys} - {*known}), key=itemgetter(0)):
        new, step = list(same), max(1, BLOCK_CELLS // size)
        for start in range(0, len(new), step):
            some = new[start:start + step]
            found = _adjusted(size, np.array([share for _, share, _ in some]), alpha)
            known.update(zip(some, found.tolist(), strict=True))
    if len(_levels) < _MOST_LEVELS:
        _levels.update(known)
    return np.array([known[key] for key in keys], float)


def failure_probability(tables: Ints, p: Floats) -> Floats:
    """Return the probability that a fair list fails a test, ``[N]``.

    :param tables: the minimum number of protected documents in each prefix, ``[N, K]``
    :param p: the probability that a document of the list is protected, ``[N]``

    Examples
    --------
    >>> failure_probability(np.array([[0, 1]]), np.array([0.5])).tolist()
    [0.25]
    """
    # State j is j protected documents. The last state also holds all larger counts, since no prefix
    # needs more. States below ``done`` have the probability 0.
    last = int(tables.max(initial=0))
    passing = np.zeros((len(p), last + 1))
    passing[:, 0] = 1.0
    done = 0
    for i, least in enumerate(tables.T, 1):
        top = min(i, last)
        drawn = passing[:, done:top] * p[:, None]
        passing[:, done:top] -= drawn
        passing[:, done + 1:top + 1] += drawn
        if least.max() > done:
            passing[:, done:][np.arange(done, last + 1) < least[:, None]] = 0.0
            done = int(least.min())
    return np.asarray(1.0 - passing.sum(axis=1))


def _distribution(count: Ints, p: Floats, wanted: Bools) -> Floats:
    """Return F(count; i, p) at each rank i where it is wanted, and 1 elsewhere, ``[N, K]``."""
    ranks = np.arange(1, count.shape[1] + 1)
    return np.asarray(special.bdtr(count, ranks, p[:, None], where=wanted,
                                   out=np.ones(count.shape)))


def _table(level: Floats, p: Floats, low: Ints, high: Ints) -> Ints:
    """Return the m-table of each list at its level, ``[N, K]``.

    :param low: the tables of lower levels, ``[N, K]``; the lowest are 0
    :param high: the tables of higher levels, ``[N, K]``; the highest have i at rank i
    """
    while (low < high).any():
        middle = (low + high) // 2
        more = _distribution(middle, p, low < high) <= level[:, None] * TOLERANCE
        low, high = np.where(more, middle + 1, low), np.where(more, high, middle)
    return low


def _adjusted(k: int, p: Floats, alpha: float) -> Floats:
    """Return the adjusted levels of lists of length ``k`` by bisection, ``[N]``."""
    none = np.zeros((len(p), k), np.int64)
    high = middle = _table(np.full(len(p), alpha), p, none, none + np.arange(1, k + 1))
    # By the union bound, the level alpha / k rejects a fair list with a probability of at most
    # alpha.
    low = _table(np.full(len(p), alpha / k), p, none, high)
    while True:
        kept = failure_probability(middle, p)[:, None] <= alpha * TOLERANCE
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
        # The least and the largest probability that only the higher table rejects.
        between = low < high
        least = _distribution(low, p, between).min(axis=1)
        most = np.where(between, _distribution(high - 1, p, between), 0.0).max(axis=1)
        if (most <= least * TOLERANCE ** 2).all():
            return np.where(low > 0, _distribution(low - 1, p, low > 0), 0.0).max(axis=1)
        middle = _table(np.sqrt(least * most), p, low, high)
