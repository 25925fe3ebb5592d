"""Divergences between distributions of groups, and the largest sums of them.

Shapes: ``T`` rows, one for each list; ``D`` columns, one for each rank, with the 1-based rank ``i``
in column ``i - 1``; ``L`` labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pt_fairness.core.arrays import BLOCK_CELLS, ROUNDING, Floats, Ints
from pt_fairness.core.discounts import ranks

#: Replaces a share of 0 where a divergence would be infinite (Draws et al. 2021, footnote 5).
SMALLEST_SHARE = 0.001
#: The largest Kullback–Leibler divergence, base 2, from shares of at least SMALLEST_SHARE.
LARGEST_DIVERGENCE = -math.log2(SMALLEST_SHARE)
#: The largest ratio of two groups with shares of at least SMALLEST_SHARE.
LARGEST_RATIO = 1 / SMALLEST_SHARE - 1
#: Smaller shares of a target count as 0. They are rounding errors, since one document of any real
#: collection has a larger share. A ratio with such a denominator can overflow.
SMALLEST_TARGET = 1e-12


def discounted_divergences(codes: NDArray[np.integer[Any]], rows: Floats, weights: Floats,
                           divergence: Callable[[Floats, Floats], Floats],
                           target: Floats) -> Floats:
    """Return w_i · divergence(P_i, target), ``[T, D]``.

    ``P_i`` is the share of each label among the first i documents.

    :param codes: the index of each document's label set in ``rows``, ``[T, D]``; −1 adds nothing
    :param rows: the share of each label in each label set, ``[S, L]``
    :param weights: the weight of each rank, ``[T, D]``
    :param divergence: takes shares ``[T, ranks, L]`` and ``[T, 1, L]``, and returns divergences
        ``[T, ranks]``
    :param target: the target share of each label, ``[T, L]``
    """
    padded = np.vstack([rows, np.zeros(rows.shape[1])])
    terms = weights.copy()
    counts = np.zeros((len(codes), rows.shape[1]))
    # A divergence holds about four arrays of this size at a time.
    size = max(1, BLOCK_CELLS // max(1, 4 * counts.size))
    for start in range(0, codes.shape[1], size):
        sums = padded[codes[:, start:start + size]]
        sums[:, 0] += counts
        np.cumsum(sums, axis=1, out=sums)
        counts = sums[:, -1].copy()
        sums /= (start + ranks(sums.shape[1]))[:, None]
        terms[:, start:start + size] *= divergence(sums, target[:, None, :])
    return terms


def smoothed(shares: Floats) -> Floats:
    """Return shares ``[…, L]`` with 0 replaced by ``SMALLEST_SHARE``.

    The other shares are scaled down so that the sum stays 1.

    :raises ValueError: so many shares are 0 that nothing is left for the others
    """
    most = round(1 / SMALLEST_SHARE) - 1
    zero = shares < SMALLEST_TARGET
    zeros = zero.sum(axis=-1, keepdims=True)
    if shares.shape[-1] > most and ((zeros > most) & (zeros < shares.shape[-1])).any():
        raise ValueError(f"{zeros.max()} of {shares.shape[-1]} groups have no share in the target "
                         f"distribution; a divergence counts each of them as {SMALLEST_SHARE:g}, "
                         f"so at most {most} can have none. Use fewer groups, a target in which "
                         "they have a share, or a measure that compares two groups")
    return np.where(zero, SMALLEST_SHARE, shares * (1.0 - SMALLEST_SHARE * zeros))


def _p_log_ratio(p: Any, q: Any) -> Floats:
    """Return ``p · log2(p / q)``, and 0 where ``p`` or ``q`` is 0.

    Callers smooth ``q`` if it can be 0 where ``p`` is not.
    """
    p, q = np.broadcast_arrays(p, q)
    out = np.divide(p, q, out=np.ones(p.shape), where=(p > 0) & (q > 0))
    np.log2(out, out=out)
    out *= p
    return out


def kl(p: Floats, q: Floats) -> Floats:
    """Return the Kullback–Leibler divergence of ``p`` from ``q`` over the last axis, base 2.

    Callers smooth shares of 0 in ``q``. Values below ``ROUNDING`` are 0.
    """
    divergence = _p_log_ratio(p, q).sum(axis=-1)
    return np.where(divergence < ROUNDING, 0.0, divergence)


def binary_kl(p: Any, q: Any) -> Floats:
    """Return :func:`kl` of ``(p, 1 − p)`` from ``(q, 1 − q)``, at least 0."""
    p, q = np.broadcast_arrays(p, q)
    divergence = _p_log_ratio(np.array([p, 1.0 - p]), np.array([q, 1.0 - q])).sum(axis=0)
    return np.maximum(divergence, 0.0)


def jsd(p: Floats, q: Floats) -> Floats:
    """Return the Jensen–Shannon divergence over the last axis, base 2, in [0, 1]."""
    middle = (p + q) / 2.0
    return (kl(p, middle) + kl(q, middle)) / 2.0


def laplace(counts: Floats, smoothing: float) -> Floats:
    """Return shares ``[…, L]`` of the counts plus ``smoothing``.

    The shares are equal if the sum of the counts and ``smoothing`` is 0.
    """
    counts = counts + smoothing
    total = counts.sum(axis=-1, keepdims=True)
    equal = np.full(counts.shape, 1.0 / max(counts.shape[-1], 1))
    return np.divide(counts, total, out=equal, where=total > 0)


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
    best = np.full((rows, states), -inf)
    best[:, 0] = 0.0
    for i in range(1, depth + 1):
        reached = min(i + 1, states)
        np.maximum(best[:, 1:reached], best[:, :reached - 1], out=best[:, 1:reached])
        best[full, grow[full] + 1] = -inf
        behind = i - stay - 1
        spent = everyone[(behind >= 0) & (behind < states)]
        best[spent, behind[spent]] = -inf
        weight = weights[:, i - 1]
        if not weight.any():
            continue
        a = counts[:, :reached]
        best[:, :reached] += weight[:, None] * term(i - a if flip else a, float(i))
        ended = last == i
        if ended.any():
            result[ended] = best[ended].max(axis=1)
    return result
