"""The m-tables of the ranked group fairness test (Zehlike et al. 2017).

An m-table is the minimum number of protected documents in each prefix of a ranking. It depends only
on the length of the ranking, the share of protected documents and a significance level.

Shapes: ``N`` lists, ``K`` ranks.
"""

from __future__ import annotations

import numpy as np

from pt_fairness.numerics import BLOCK_CELLS, Floats, Ints

#: Tolerance for rounding: a probability may exceed a bound by this factor.
TOLERANCE = 1 + 1e-9

_levels: dict[tuple[int, float, float], float | None] = {}
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
    level = levels(np.array([k]), np.array([p]), alpha) if adjust else np.array([alpha])
    return _tables(_distributions(k, np.array([p])), level)[0]


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
    known = {key: _levels.get(key) for key in keys}
    new: dict[int, list[float]] = {}
    for (size, share, _), level in known.items():
        if level is None:
            new.setdefault(size, []).append(share)
    for size, shares in new.items():
        step = max(1, BLOCK_CELLS // size ** 2)
        for start in range(0, len(shares), step):
            some = shares[start:start + step]
            found = _adjusted(size, np.array(some), alpha).tolist()
            known.update(((size, share, alpha), level)
                         for share, level in zip(some, found, strict=True))
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
    # needs more.
    count = np.arange(tables.max(initial=0) + 1)
    passing = np.zeros((len(p), len(count)))
    passing[:, 0] = 1.0
    for i, least in enumerate(tables.T, 1):
        drawn = passing[:, :i] * p[:, None]
        passing[:, :i] -= drawn
        passing[:, 1:i + 1] += drawn[:, :len(count) - 1]
        passing[:, -1] += drawn[:, len(count) - 1:].sum(axis=1)
        passing[count < least[:, None]] = 0.0
    return np.asarray(1.0 - passing.sum(axis=1))


def _distributions(k: int, p: Floats) -> Floats:
    """Return the binomial distribution functions F(j; i, p), ``[N, K, K]``.

    Row i − 1 and column j < i hold F(j; i, p). All other cells are ∞.
    """
    found = np.full((len(p), k, k), np.inf)
    old = np.zeros((len(p), k + 1))
    old[:, 0] = 1.0
    for i in range(1, k + 1):
        drawn = old[:, :i] * p[:, None]
        old[:, :i] *= (1.0 - p)[:, None]
        old[:, 1:i + 1] += drawn
        found[:, i - 1, :i] = old[:, :i].cumsum(axis=1)
    return found


def _tables(distributions: Floats, level: Floats) -> Ints:
    """Return the m-table of each list at its level, ``[N, K]``."""
    return np.asarray((distributions <= level[:, None, None] * TOLERANCE).sum(axis=2))


def _adjusted(k: int, p: Floats, alpha: float) -> Floats:
    """Return the adjusted levels of lists of length ``k`` by bisection, ``[N]``."""
    distributions = _distributions(k, p)
    # By the union bound, a level below alpha / k rejects a fair list with a probability of at most
    # alpha. The first candidate is therefore the largest number below alpha / k.
    below = np.where(distributions < alpha / k, distributions, 0.0).max(axis=(1, 2))
    between = (distributions >= alpha / k) & (distributions <= alpha * TOLERANCE)
    row, number = np.nonzero(between)[0], distributions[between]
    number = number[np.lexsort((number, row))]
    high = between.sum(axis=(1, 2)) + 1
    numbers = np.zeros((len(p), int(high.max(initial=1))))
    numbers[:, 0] = below
    numbers[row, np.arange(len(row)) - (np.cumsum(high - 1) - high)[row]] = number
    low = np.zeros(len(p), np.int64)
    row = np.arange(len(p))
    while (high - low > 1).any():
        middle = (low + high) // 2
        tables = _tables(distributions, numbers[row, middle])
        kept = failure_probability(tables, p) <= alpha * TOLERANCE
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    return numbers[row, low]
