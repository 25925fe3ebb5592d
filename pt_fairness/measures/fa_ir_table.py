"""The m-tables of the ranked group fairness test (Zehlike et al. 2017).

An m-table says how many protected documents each prefix of a ranking needs at least. It depends on
the length of the ranking, the share of protected documents and a significance level alone.
"""

from __future__ import annotations

import numpy as np

from pt_fairness.numerics import BLOCK_CELLS, Floats, Ints

#: A probability is at most another if it exceeds it by no more than this factor.
TOLERANCE = 1 + 1e-9

_levels: dict[tuple[int, float, float], float | None] = {}
#: From how many levels on no more are kept.
_MOST_LEVELS = 1 << 16


def m_table(k: int, p: float, alpha: float = 0.1, adjust: bool = True) -> Ints:
    """Return how many protected documents each prefix of a list needs, ``[k]``.

    :param k: the length of the list
    :param p: the share of protected documents that is wanted, from 0 to 1
    :param alpha: the probability that the test rejects a fair list
    :param adjust: whether that is the probability of the whole test, not of each prefix

    Examples
    --------
    >>> m_table(10, 0.5).tolist()
    [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]
    """
    level = levels(np.array([k]), np.array([p]), alpha) if adjust else np.array([alpha])
    return _tables(_distributions(k, np.array([p])), level)[0]


def levels(k: Ints, p: Floats, alpha: float) -> Floats:
    """Return the significance levels of the prefixes, ``[N]``.

    It is the largest level whose table rejects a fair list with a probability of at most ``alpha``.

    :param k: the lengths of the lists, ``[N]``
    :param p: the shares of protected documents that are wanted, ``[N]``
    :param alpha: the probability that the test rejects a fair list

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

    :param tables: how many protected documents each prefix needs, ``[N, K]``
    :param p: the probability that a document of the list is protected, ``[N]``

    Examples
    --------
    >>> failure_probability(np.array([[0, 1]]), np.array([0.5])).tolist()
    [0.25]
    """
    # As many successes as the last prefix needs are enough for all: the last state.
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
    """Return F(j; i, p) in row i − 1 and column j < i, ``[N, K, K]``; elsewhere ∞."""
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
    """Return the table of each level, ``[N, K]``."""
    return np.asarray((distributions <= level[:, None, None] * TOLERANCE).sum(axis=2))


def _adjusted(k: int, p: Floats, alpha: float) -> Floats:
    """Return the levels of lists of one length by bisection, ``[N]``."""
    distributions = _distributions(k, p)
    # The probabilities of the prefixes to fail sum to at most k times the level, so that the
    # largest number below alpha / k is a level. It stands first.
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
