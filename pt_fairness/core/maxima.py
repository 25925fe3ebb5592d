"""The largest sum that an order of documents can have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pt_fairness.core.arrays import Floats, Ints


def largest_sum(term: Callable[[Floats, float], Floats], weights: Floats, most: Ints,
                least: Ints) -> Floats:
    """Return the maximum of Σ w_i · term(a_i, i) over orders of two kinds of documents, ``[T]``.

    ``a_i`` is the number of documents of the first kind among the first i. The maximum is exact: a
    dynamic programme over ranks and counts.

    :param term: takes the counts ``a_i`` of some states and the rank, returns the terms; both
        arrays broadcast to ``[T, states]``
    :param weights: the weight of each rank, ``[T, D]``; 0 for a rank that is not evaluated
    :param most: the number of documents of the first kind, ``[T]``
    :param least: the number of documents of the second kind, ``[T]``
    """
    rows, depth = weights.shape
    result = np.zeros(rows)
    if not weights.any():
        return result
    # The count of either kind can be the state; the smaller count has fewer states.
    flip = int(np.minimum(least, depth).max()) < int(np.minimum(most, depth).max())
    grow, stay = (least, most) if flip else (most, least)
    states = int(np.minimum(grow, depth).max()) + 1
    counts = np.arange(float(states))[None, :]
    everyone = np.arange(rows)
    full = everyone[grow + 1 < states]
    last = np.where(weights.any(axis=1), depth - np.argmax(weights[:, ::-1] != 0, axis=1), 0)
    best = np.full((rows, states), -np.inf)
    best[:, 0] = 0.0
    for i in range(1, depth + 1):
        reached = min(i + 1, states)
        np.maximum(best[:, 1:reached], best[:, :reached - 1], out=best[:, 1:reached])
        best[full, grow[full] + 1] = -np.inf
        behind = i - stay - 1
        spent = everyone[(behind >= 0) & (behind < states)]
        best[spent, behind[spent]] = -np.inf
        weight = weights[:, i - 1]
        if not weight.any():
            continue
        a = counts[:, :reached]
        best[:, :reached] += weight[:, None] * term(i - a if flip else a, float(i))
        ended = last == i
        if ended.any():
            result[ended] = best[ended].max(axis=1)
    return result
