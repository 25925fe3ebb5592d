"""Array functions behind the measures: discounts, divergences, exact maxima. Nothing here knows retrieval.

Shapes: ``T`` rows (one a topic), ``D`` columns (one a rank, 1-based rank ``i`` in column ``i - 1``), ``L`` labels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]

#: How many numbers the largest arrays of a measure hold: little enough for a processor's cache.
BLOCK_CELLS = 1 << 18

#: What replaces a share of zero where a divergence would be infinite (Draws et al. 2021, footnote 5).
SMALLEST_SHARE = 0.001
#: Smaller shares of a target count as 0. They are rounding errors, since no collection has as many
#: documents, and the ratio of a share to one of them can overflow.
SMALLEST_TARGET = 1e-12


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct numbers, sorted; sorting is faster than the hash table of np.unique."""
    ordered = np.sort(numbers)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[:len(ordered)]]


def ratio(above: Any, below: Any) -> Floats:
    """``above / below``, and 0 wherever ``below`` is 0."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    return np.divide(above, below, out=np.zeros(above.shape), where=below != 0)


def ranks(depth: int) -> Floats:
    """1, 2, …, ``depth``."""
    return np.arange(1.0, depth + 1)


def log_discount(depth: int) -> Floats:
    """``1 / log2(i + 1)`` for the ranks 1 to ``depth``."""
    return np.asarray(1.0 / np.log2(ranks(depth) + 1.0))


def geometric_discount(depth: int, p: float) -> Floats:
    """``p ** (i - 1)`` for the ranks 1 to ``depth``."""
    return np.asarray(p ** (ranks(depth) - 1.0))


def discount(name: str, depth: int, p: float = 0.85) -> Floats:
    """Return the weight of the ranks 1 to ``depth``, ``[depth]``.

    :param name: ``'log2'`` 1/log2(i+1), ``'trec'`` 1/log2(max(i, 2)), ``'geometric'`` p^(i−1),
        ``'mmr'`` 1/i or ``'none'`` 1
    :param p: the persistence of ``'geometric'``
    :raises ValueError: another name
    """
    if name == "log2":
        return log_discount(depth)
    if name == "trec":
        return np.asarray(1.0 / np.log2(np.maximum(ranks(depth), 2.0)))
    if name == "geometric":
        return geometric_discount(depth, p)
    if name == "mmr":
        return np.asarray(1.0 / ranks(depth))
    if name == "none":
        return np.ones(depth)
    raise ValueError(f"no discount is named {name!r}; use log2, trec, geometric, mmr or none")


def gain(name: str, relevance: Any, rel: int) -> Floats:
    """Return the gain of each relevance, elementwise; 0 below ``rel`` and at most 0.

    :param name: ``'binary'`` 1, ``'linear'`` r or ``'exp'`` 2^r − 1
    :raises ValueError: another name
    """
    relevance = np.asarray(relevance, float)
    relevance = np.where((relevance >= rel) & (relevance > 0), relevance, 0.0)
    if name == "binary":
        return np.asarray(relevance > 0, float)
    if name == "linear":
        return relevance
    if name == "exp":
        return np.asarray(np.exp2(relevance) - 1.0)
    raise ValueError(f"no gains are named {name!r}; use binary, linear or exp")


def within(depth: int, n: Ints) -> Bools:
    """``[T, depth]``: which ranks each row has, where row ``t`` has ``n[t]`` of them."""
    return np.asarray(np.arange(depth) < n[:, None])


def evaluated(depth: int, n: Ints, step: int = 1) -> Bools:
    """``[T, depth]``: the ranks ``step``, ``2·step``, … up to ``n[t]``; rank ``n[t]`` alone where ``step > n[t]``."""
    if step == 1:
        return within(depth, n)
    i = np.arange(1, depth + 1)
    return np.asarray(np.where((n < step)[:, None], i == n[:, None], (i % step == 0) & (i <= n[:, None])))


def discounted_divergence(codes: NDArray[np.integer[Any]], rows: Floats, weights: Floats,
                          divergence: Callable[[Floats], Floats]) -> Floats:
    """Return Σ_i w_i · divergence(P_i), ``[T]``: P_i the share of each label among the first i.

    :param codes: the row of ``rows`` that each document counts, ``[T, D]``; −1 counts nothing
    :param rows: ``[S, L]``
    :param weights: ``[T, D]``
    :param divergence: takes shares ``[T, some ranks, L]``, returns ``[T, some ranks]``
    """
    padded = np.vstack([rows, np.zeros(rows.shape[1])])
    total, counts = np.zeros(len(codes)), np.zeros((len(codes), rows.shape[1]))
    size = max(1, BLOCK_CELLS // max(1, counts.size))
    for start in range(0, codes.shape[1], size):
        sums = padded[codes[:, start:start + size]]
        sums[:, 0] += counts
        np.cumsum(sums, axis=1, out=sums)
        counts = sums[:, -1].copy()
        sums /= (start + ranks(sums.shape[1]))[:, None]
        total += (weights[:, start:start + size] * divergence(sums)).sum(axis=1)
    return total


def smoothed(shares: Floats) -> Floats:
    """``[…, L]``: shares of 0 become ``SMALLEST_SHARE`` and the others shrink to make room for them.

    :raises ValueError: so many are 0 that nothing is left for the others
    """
    most = round(1 / SMALLEST_SHARE) - 1
    zero = shares < SMALLEST_TARGET
    zeros = zero.sum(axis=-1, keepdims=True)
    room = 1.0 - SMALLEST_SHARE * zeros
    if shares.shape[-1] > most and ((zeros > most) & (zeros < shares.shape[-1])).any():
        raise ValueError(f"{zeros.max()} of {shares.shape[-1]} groups have no share in the target distribution; a divergence "
                         f"counts each of them as {SMALLEST_SHARE:g}, so at most {most} can have none. Use fewer groups, a "
                         "target in which they have a share, or a measure that compares two groups")
    return np.asarray(np.where(zero, SMALLEST_SHARE, shares * room))


def _p_log_ratio(p: Any, q: Any) -> Floats:
    """``p · log2(p / q)``, and 0 wherever ``p`` or ``q`` is 0: where a q of 0 can meet a p above 0, callers smooth it."""
    p, q = np.broadcast_arrays(p, q)
    out = np.divide(p, q, out=np.ones(p.shape), where=(p > 0) & (q > 0))
    np.log2(out, out=out)
    out *= p
    return out


def kl(p: Floats, q: Floats) -> Floats:
    """Kullback–Leibler divergence of ``p`` from ``q`` over the last axis, base 2; zeros of ``q`` are smoothed before."""
    return np.asarray(_p_log_ratio(p, q).sum(axis=-1))


def binary_kl(p: Any, q: Any) -> Floats:
    """:func:`kl` of ``(p, 1 − p)`` from ``(q, 1 − q)``."""
    return _p_log_ratio(p, q) + _p_log_ratio(1.0 - np.asarray(p), 1.0 - np.asarray(q))


def jsd(p: Floats, q: Floats) -> Floats:
    """Jensen–Shannon divergence over the last axis, base 2: in [0, 1]."""
    middle = (p + q) / 2.0
    return np.asarray(np.maximum((kl(p, middle) + kl(q, middle)) / 2.0, 0.0))


def unique_rows(*columns: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """The distinct rows of equally long columns: the columns of the distinct rows, and where each row went."""
    _, first, inverse = np.unique(np.column_stack([np.asarray(c, float) for c in columns]), axis=0,
                                  return_index=True, return_inverse=True)
    return [np.asarray(c)[first] for c in columns], inverse.reshape(-1)


def largest_sum(term: Callable[[Floats, float], Floats], weights: Floats, most: Ints, least: Ints) -> Floats:
    """``[T]``: the largest Σ w_i · term(a_i, i) over all ways in which a count can grow along the ranks.

    A dynamic programme over (rank, count), exact: the count ``a_i`` grows by 0 or 1 with every rank, is at most
    ``most[t]``, and ``i − a_i`` is at most ``least[t]``.

    :param term: takes the counts ``[T, states]`` and the rank, gives ``[T, states]``
    :param weights: ``[T, D]``, the discount of each rank, 0 where a rank does not count (past the end included)
    :param most: ``[T]``, how often the count can grow (the protected documents there are)
    :param least: ``[T]``, how often it can stay (the unprotected ones)
    """
    rows, depth = weights.shape
    result = np.zeros(rows)
    if not weights.any():
        return result
    # Either count can be the state: the one that can grow less has fewer states.
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


def laplace(counts: Floats, smoothing: float) -> Floats:
    """``[…, L]``: shares of labels of which ``smoothing`` more are counted than there are; equal shares of nothing."""
    counts = counts + smoothing
    total = counts.sum(axis=-1, keepdims=True)
    equal = np.full(counts.shape, 1.0 / max(counts.shape[-1], 1))
    return np.asarray(np.divide(counts, total, out=equal, where=total > 0))


def tally(codes: Ints, weights: Floats, kinds: int) -> Floats:
    """``[T, kinds]``: the weights of each row's ranks, summed by code; −1 counts nothing.

    :param codes: ``[T, D]``
    :param weights: ``[D]``
    """
    rows = len(codes)
    places = codes + (1 + (kinds + 1) * np.arange(rows))[:, None]
    sums = np.bincount(places.ravel(), np.broadcast_to(weights, codes.shape).ravel(), rows * (kinds + 1))
    return np.asarray(sums.reshape(rows, kinds + 1)[:, 1:], float)


def largest_divergence(sizes: Ints, shares: Floats, target: Floats, weights: Floats) -> float:
    """The largest Σ w_i · KL(P_i ‖ target), base 2, over all orders of documents of several kinds; exact.

    The longest path through the grid of how many documents of each kind there are so far: ``Π (sizes + 1)`` places.

    :param sizes: ``[K]``: how many documents of each kind there are, in all at least as many as there are weights
    :param shares: ``[K, L]``: what a document of each kind counts towards each label
    :param weights: ``[D]``
    """
    depth = len(weights)
    shape = np.minimum(sizes, depth) + 1
    counts = np.indices(shape.tolist()).reshape(len(shape), -1)
    total = counts.sum(axis=0)
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    order = np.argsort(total, kind="stable")
    ends = np.searchsorted(total[order], np.arange(depth + 2))
    best = np.zeros(len(total))
    for i in range(1, depth + 1):
        places = order[ends[i]:ends[i + 1]]
        before = np.where(counts[:, places] > 0, best[places - strides[:, None]], -np.inf).max(axis=0)
        best[places] = before if weights[i - 1] == 0 else before + weights[i - 1] * kl(counts[:, places].T @ shares / i, target)
    return float(best[order[ends[depth]:ends[depth + 1]]].max())


def largest_divergence_from_itself(weights: Floats, kinds: int) -> float:
    """The largest Σ w_i · KL(P_i ‖ P_D), base 2, over all lists of ``D = len(weights)`` documents of ``kinds`` labels; exact.

    The worst list has its labels in blocks. Its i-th term is then log2(D/i) less (j/i) · log2(m/j), where the first i end
    with j of a block's m documents: that loss depends on the block alone, so a dynamic programme over the blocks' ends
    finds the least.
    """
    depth = len(weights)
    i = ranks(depth)
    #: [blocks, documents]: the least loss of that many documents in at most that many blocks.
    loss = np.full((min(kinds, depth) + 1, depth + 1), np.inf)
    loss[0, 0] = 0.0
    for start in range(depth):
        m = ranks(depth - start)
        shares = weights[start:] * m / i[start:]
        block = np.log2(m) * np.cumsum(shares) - np.cumsum(shares * np.log2(m))
        np.minimum(loss[1:, start + 1:], loss[:-1, start, None] + block, out=loss[1:, start + 1:])
    return float((weights * np.log2(depth / i)).sum() - loss[:, depth].min())
