"""Array functions of the measures: discounts, divergences and exact maxima.

Shapes: ``T`` rows, one for each list; ``D`` columns, one for each rank, with the 1-based rank ``i``
in column ``i - 1``; ``L`` labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]

#: Target size of the largest arrays of a measure, chosen to fit the processor's cache.
BLOCK_CELLS = 1 << 17

#: Replaces a share of 0 where a divergence would be infinite (Draws et al. 2021, footnote 5).
SMALLEST_SHARE = 0.001
#: The largest Kullback–Leibler divergence, base 2, from shares of at least SMALLEST_SHARE.
LARGEST_DIVERGENCE = -math.log2(SMALLEST_SHARE)
#: The largest ratio of two groups with shares of at least SMALLEST_SHARE.
LARGEST_RATIO = 1 / SMALLEST_SHARE - 1
#: Divergences below this are rounding errors of equal distributions.
ROUNDING = 1e-12
#: Smaller shares of a target count as 0. They are rounding errors, since one document of any real
#: collection has a larger share. A ratio with such a denominator can overflow.
SMALLEST_TARGET = 1e-12


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values, sorted; faster than the hash table of ``np.unique``."""
    ordered = np.sort(numbers)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[:len(ordered)]]


def recoded(codes: Ints, names: Iterable[str], others: Iterable[str]) -> Ints:
    """Convert codes of some names to the codes of the same names among others, ``[n]``.

    :param codes: indices into ``names``, ``[n]``; −1 stays −1
    :param others: distinct names; a name that is not one of them gets the code −1
    """
    place = {name: code for code, name in enumerate(others)}
    return np.array([*(place.get(name, -1) for name in names), -1], np.int32)[codes]


def mean_of_lists(values: Floats, topics: Ints) -> Floats:
    """Return the mean value over the lists of each topic, ``[T]``.

    :param values: the value of each list, ``[R]``
    :param topics: the topic of each list, ``[R]``; each topic has at least one list
    """
    return np.asarray(np.bincount(topics, values) / np.bincount(topics))


def ratio(above: Any, below: Any) -> Floats:
    """Return ``above / below``, and 0 where ``below`` is 0."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    return np.divide(above, below, out=np.zeros(above.shape), where=below != 0)


def ranks(depth: int) -> Floats:
    """Return 1, 2, …, ``depth``."""
    return np.arange(1.0, depth + 1)


def log_discount(depth: int) -> Floats:
    """Return ``1 / log2(i + 1)`` for the ranks 1 to ``depth``."""
    return np.asarray(1.0 / np.log2(ranks(depth) + 1.0))


def geometric_discount(depth: int, p: float) -> Floats:
    """Return ``p ** (i - 1)`` for the ranks 1 to ``depth``."""
    return np.asarray(p ** (ranks(depth) - 1.0))


def discount(name: str, depth: int, p: float = 0.85) -> Floats:
    """Return the weight of the ranks 1 to ``depth``, ``[depth]``.

    :param name: ``'log2'`` 1/log2(i+1), ``'trec'`` 1/log2(max(i, 2)), ``'geometric'`` p^(i−1),
        ``'mmr'`` 1/i or ``'none'`` 1
    :param p: the persistence of ``'geometric'``
    :raises ValueError: an unknown name
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


def sum_of_discounts(name: str, depth: int, p: float = 0.85, power: int = 1) -> float:
    """Return the sum of ``discount(name, depth, p) ** power``."""
    return float((discount(name, depth, p) ** power).sum())


def gain(name: str, relevance: Any, rel: int) -> Floats:
    """Return the gain of each relevance, elementwise.

    A relevance below ``rel``, 0 or negative has the gain 0.

    :param name: ``'binary'`` 1, ``'linear'`` r or ``'exp'`` 2^r − 1
    :raises ValueError: an unknown name
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
    """Return a mask of the first ``n[t]`` ranks of each row ``t``, ``[T, depth]``."""
    return np.asarray(np.arange(depth) < n[:, None])


def evaluated(depth: int, n: Ints, step: int = 1) -> Bools:
    """Return a mask of the evaluated ranks of each row, ``[T, depth]``.

    These ranks are ``step``, ``2·step``, … up to ``n[t]``, or rank ``n[t]`` alone if it is below
    ``step``.
    """
    step = min(step, depth + 1)  # a larger step has the same result, but may overflow
    if step == 1:
        return within(depth, n)
    i = np.arange(1, depth + 1)
    multiples = (i % step == 0) & (i <= n[:, None])
    return np.asarray(np.where((n < step)[:, None], i == n[:, None], multiples))


def discounted_divergences(codes: NDArray[np.integer[Any]], rows: Floats, weights: Floats,
                           divergence: Callable[[Floats], Floats]) -> Floats:
    """Return w_i · divergence(P_i), ``[T, D]``.

    ``P_i`` is the share of each label among the first i documents.

    :param codes: the index of each document's label set in ``rows``, ``[T, D]``; −1 adds nothing
    :param rows: the share of each label in each label set, ``[S, L]``
    :param weights: the weight of each rank, ``[T, D]``
    :param divergence: takes shares ``[T, ranks, L]`` and returns divergences ``[T, ranks]``
    """
    padded = np.vstack([rows, np.zeros(rows.shape[1])])
    terms, counts = weights.copy(), np.zeros((len(codes), rows.shape[1]))
    # A divergence holds about four arrays of this size at a time.
    size = max(1, BLOCK_CELLS // max(1, 4 * counts.size))
    for start in range(0, codes.shape[1], size):
        sums = padded[codes[:, start:start + size]]
        sums[:, 0] += counts
        np.cumsum(sums, axis=1, out=sums)
        counts = sums[:, -1].copy()
        sums /= (start + ranks(sums.shape[1]))[:, None]
        terms[:, start:start + size] *= divergence(sums)
    return terms


def smoothed(shares: Floats) -> Floats:
    """Return shares ``[…, L]`` with 0 replaced by ``SMALLEST_SHARE``.

    The other shares are scaled down so that the sum stays 1.

    :raises ValueError: so many shares are 0 that nothing is left for the others
    """
    most = round(1 / SMALLEST_SHARE) - 1
    zero = shares < SMALLEST_TARGET
    zeros = zero.sum(axis=-1, keepdims=True)
    room = 1.0 - SMALLEST_SHARE * zeros
    if shares.shape[-1] > most and ((zeros > most) & (zeros < shares.shape[-1])).any():
        raise ValueError(f"{zeros.max()} of {shares.shape[-1]} groups have no share in the target "
                         f"distribution; a divergence counts each of them as {SMALLEST_SHARE:g}, "
                         f"so at most {most} can have none. Use fewer groups, a target in which "
                         "they have a share, or a measure that compares two groups")
    return np.asarray(np.where(zero, SMALLEST_SHARE, shares * room))


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
    divergence = _p_log_ratio(p, q) + _p_log_ratio(1.0 - np.asarray(p), 1.0 - np.asarray(q))
    return np.maximum(divergence, 0.0)


def jsd(p: Floats, q: Floats) -> Floats:
    """Return the Jensen–Shannon divergence over the last axis, base 2, in [0, 1]."""
    middle = (p + q) / 2.0
    return (kl(p, middle) + kl(q, middle)) / 2.0


def unique_rows(*columns: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct rows of equally long columns, and the index of each row in them."""
    order = np.lexsort(columns[::-1])  # np.unique(axis=0) compares rows as bytes, which is slow
    ordered = [np.asarray(column)[order] for column in columns]
    new = np.arange(len(order)) == 0
    for column in ordered:
        new[1:] |= column[1:] != column[:-1]
    where = np.empty(len(order), np.intp)
    where[order] = np.cumsum(new) - 1
    return [column[new] for column in ordered], where


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


def laplace(counts: Floats, smoothing: float) -> Floats:
    """Return shares ``[…, L]`` of the counts plus ``smoothing``.

    The shares are equal if the sum of the counts and ``smoothing`` is 0.
    """
    counts = counts + smoothing
    total = counts.sum(axis=-1, keepdims=True)
    equal = np.full(counts.shape, 1.0 / max(counts.shape[-1], 1))
    return np.asarray(np.divide(counts, total, out=equal, where=total > 0))


def tally(codes: Ints, weights: Floats, kinds: int) -> Floats:
    """Return the sum of the weights of each code in each row, ``[T, kinds]``.

    :param codes: the codes 0 to ``kinds − 1``, ``[T, D]``; −1 is ignored
    :param weights: the weight of each rank, ``[D]``
    :param kinds: the number of codes
    """
    rows = len(codes)
    places = codes + (1 + (kinds + 1) * np.arange(rows))[:, None]
    every = np.broadcast_to(weights, codes.shape)
    sums = np.bincount(places.ravel(), every.ravel(), rows * (kinds + 1))
    return np.asarray(sums.reshape(rows, kinds + 1)[:, 1:], float)
