"""What measures compute with arrays: types, discounts of ranks and gains, divergences, and random
numbers.

Shapes: ``T`` rows, one for each ranking; ``D`` columns, one for each rank, with the 1-based rank
``i`` in column ``i - 1``; ``L`` labels.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]
#: Target size of the largest arrays of a measure, chosen to fit the processor's cache.
BLOCK_CELLS = 1 << 17
#: Values that are equal to this many decimals are ties, because of rounding in sums.
TIE_DECIMALS = 12
#: Divergences below this are rounding errors of equal distributions.
ROUNDING = 1e-12


def is_new(values: NDArray[Any]) -> Bools:
    """Return whether each value differs from the one before, ``[n]``; the first one does."""
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values, sorted; faster than the hash table of ``np.unique``."""
    ordered = np.sort(numbers)
    return ordered[is_new(ordered)]


def ranges(start: Ints, count: Ints) -> Ints:
    """Return the integers of several ranges, ``count`` from ``start`` on, concatenated."""
    first = np.cumsum(count) - count
    offsets = start - first
    numbers = np.repeat(offsets, count)
    numbers += np.arange(len(numbers))
    return numbers


def positions(row: Ints) -> Ints:
    """Return the 0-based position of each element in its row, ``[n]``.

    :param row: the row of each element, ascending, ``[n]``
    """
    count = np.bincount(row)
    first = np.cumsum(count) - count
    return np.arange(len(row)) - first[row]


def recoded(codes: Ints, names: Iterable[str | None], new_names: Iterable[str]) -> Ints:
    """Convert codes of names to the codes of the same names among new ones, ``[n]``.

    :param codes: indices into ``names``, ``[n]``; −1 stays −1
    :param new_names: distinct names; a name that is not one of them gets the code −1
    """
    code_of: dict[Any, int] = {name: code for code, name in enumerate(new_names)}
    new_codes = [code_of.get(name, -1) for name in names]
    table = np.array([*new_codes, -1], np.int32)
    return table[codes]


def topic_means(values: Floats, topics: Ints) -> Floats:
    """Return the mean value over the rankings of each topic, ``[T]``.

    :param values: the value of each ranking, ``[R]``
    :param topics: the topic of each ranking, ``[R]``; each topic has at least one
    """
    total = np.bincount(topics, values)
    return total / np.bincount(topics)


def ratio(above: Any, below: Any) -> Floats:
    """Return ``above / below``, and 0 where ``below`` is 0."""
    above = np.asarray(above, float)
    below = np.asarray(below, float)
    shape = np.broadcast(above, below).shape
    return np.divide(above, below, out=np.zeros(shape), where=below != 0)


def unique_rows(*columns: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct rows of equally long columns, and the index of each row in them."""
    order = np.lexsort(columns[::-1])  # np.unique(axis=0) compares rows as bytes, which is slow
    ordered = [np.asarray(column)[order] for column in columns]
    new = np.zeros(len(order), bool)
    for column in ordered:
        new |= is_new(column)
    where = np.empty(len(order), np.intp)
    where[order] = np.cumsum(new) - 1
    return [column[new] for column in ordered], where


def uniforms(seed: int, name: str, sample: int, size: int) -> Floats:
    """Return random numbers between 0 and 1 that depend on the arguments alone, ``[size]``.

    The stream of a counter-based generator of Salmon et al. (2011), Philox 4×64, which numpy keeps
    the same in all versions. They do not depend on ``size``.

    :param seed: the seed
    :param name: what the numbers are for: a topic, or a topic and a document on two lines
    :param sample: the number of the sample, at least 0

    Examples
    --------
    >>> uniforms(0, "1", 0, 3).round(6).tolist()
    [0.627144, 0.860901, 0.656796]
    """
    text = f"{seed}\n{name}".encode()
    digest = hashlib.sha256(text).digest()
    key = np.frombuffer(digest[:16], dtype="<u8").astype(np.uint64)
    counter = np.array([0, sample, 0, 0], dtype=np.uint64)
    generator = np.random.Philox(key=key, counter=counter)
    bits = generator.random_raw(size) >> np.uint64(11)
    return (bits + 0.5) * 2.0 ** -53


def ranks(depth: int) -> Floats:
    """Return 1, 2, …, ``depth``."""
    return np.arange(1.0, depth + 1)


def log_discount(depth: int) -> Floats:
    """Return ``1 / log2(i + 1)`` for the ranks 1 to ``depth``."""
    i = ranks(depth)
    return 1.0 / np.log2(i + 1)


def discount(name: str, depth: int, p: float = 0.85) -> Floats:
    """Return the discount of the ranks 1 to ``depth``, ``[depth]``.

    :param name: ``'log2'`` 1/log2(i+1), ``'trec'`` 1/log2(max(i, 2)), ``'geometric'`` p^(i−1),
        ``'mmr'`` 1/i or ``'none'`` 1
    :param p: the persistence of ``'geometric'``
    :raises ValueError: if the name is none of these
    """
    i = ranks(depth)
    if name == "log2":
        return log_discount(depth)
    if name == "trec":
        return 1.0 / np.log2(np.maximum(i, 2.0))
    if name == "geometric":
        return p ** (i - 1.0)
    if name == "mmr":
        return 1.0 / i
    if name == "none":
        return np.ones(depth)
    raise ValueError(f"discount must be log2, trec, geometric, mmr or none, got {name!r}")


def gain(name: str, relevance: Any, rel: int) -> Floats:
    """Return the gain of each relevance, elementwise.

    A relevance below ``rel``, 0 or negative has the gain 0.

    :param name: ``'binary'`` 1, ``'linear'`` r or ``'exp'`` 2^r − 1
    """
    r = np.asarray(relevance, float)
    is_relevant = (r >= rel) & (r > 0)
    r = np.where(is_relevant, r, 0.0)
    if name == "binary":
        return (r > 0).astype(float)
    if name == "exp":
        return np.exp2(r) - 1.0
    return r


def within(depth: int, n: Ints) -> Bools:
    """Return a mask of the first ``n[t]`` ranks of each row ``t``, ``[T, depth]``."""
    return np.arange(depth) < n[:, None]


#: Replaces a share of 0 where a divergence would be infinite (Draws et al. 2021, footnote 5).
SMALLEST_SHARE = 0.001
#: The largest Kullback–Leibler divergence, base 2, from shares of at least SMALLEST_SHARE.
LARGEST_DIVERGENCE = -math.log2(SMALLEST_SHARE)
#: The largest ratio of two groups with shares of at least SMALLEST_SHARE.
LARGEST_RATIO = 1 / SMALLEST_SHARE - 1
#: The definitions of KL and JSD, for the formulas of measures.
KL_IN_WORDS = "KL(p, q) = Σ p * log2(p / q)"
JSD_IN_WORDS = f"JSD(p, q) = (KL(p, m) + KL(q, m)) / 2, m = (p + q) / 2, {KL_IN_WORDS}"
#: Smaller shares of a target count as 0. They are rounding errors, since one document of any real
#: collection has a larger share. A ratio with such a denominator can overflow.
SMALLEST_TARGET = 1e-12


def divergences_of_prefixes(codes: NDArray[np.integer[Any]], rows: Floats,
                            divergence: Callable[[Floats, Floats], Floats],
                            target: Floats) -> Floats:
    """Return divergence(P_i, target), ``[T, D]``; values past the end of a ranking are arbitrary.

    ``P_i`` is the share of each label among the first i documents.

    :param codes: the index of each document's label set in ``rows``, ``[T, D]``; −1 adds nothing
    :param rows: the share of each label in each label set, ``[S, L]``
    :param divergence: takes shares ``[T, ranks, L]`` and ``[T, 1, L]``, and returns divergences
        ``[T, ranks]``
    :param target: the target share of each label, ``[T, L]``
    """
    padded = np.vstack([rows, np.zeros(rows.shape[1])])
    terms = np.empty(codes.shape)
    counts = np.zeros((len(codes), rows.shape[1]))
    # A divergence holds about four arrays of this size at a time.
    size = max(1, BLOCK_CELLS // max(1, 4 * counts.size))
    for start in range(0, codes.shape[1], size):
        block = slice(start, start + size)
        sums = padded[codes[:, block]]
        sums[:, 0] += counts
        np.cumsum(sums, axis=1, out=sums)
        counts = sums[:, -1].copy()
        i = start + ranks(sums.shape[1])
        sums /= i[:, None]
        terms[:, block] = divergence(sums, target[:, None])
    return terms


def smoothed(shares: Floats) -> Floats:
    """Return shares ``[…, L]`` with 0 replaced by ``SMALLEST_SHARE``.

    The other shares are scaled down so that the sum stays 1.

    :raises ValueError: if so many shares are 0 that nothing is left for the others
    """
    most = round(1 / SMALLEST_SHARE) - 1
    zero = shares < SMALLEST_TARGET
    zeros = zero.sum(axis=-1, keepdims=True)
    labels = shares.shape[-1]
    too_many = (zeros > most) & (zeros < labels)
    if too_many.any():
        raise ValueError(f"{zeros.max()} of {labels} groups lack a share in the target "
                         f"distribution; a divergence counts each of them as {SMALLEST_SHARE:g}, "
                         f"so at most {most} can have none. Use fewer groups, a target in which "
                         "they have a share, or a measure that compares two groups")
    rest = 1.0 - SMALLEST_SHARE * zeros
    return np.where(zero, SMALLEST_SHARE, shares * rest)


def _p_log_ratio(p: Any, q: Any) -> Floats:
    """Return ``p · log2(p / q)``, and 0 where ``p`` or ``q`` is 0.

    Callers smooth ``q`` if it can be 0 where ``p`` is not.
    """
    p, q = np.broadcast_arrays(p, q)
    positive = (p > 0) & (q > 0)
    out = np.divide(p, q, out=np.ones(p.shape), where=positive)
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
    divergence = _p_log_ratio(p, q)
    divergence += _p_log_ratio(1.0 - p, 1.0 - q)
    return np.maximum(divergence, 0.0)


def jsd(p: Floats, q: Floats) -> Floats:
    """Return the Jensen–Shannon divergence over the last axis, base 2, in [0, 1]."""
    middle = (p + q) / 2.0
    both = kl(p, middle) + kl(q, middle)
    return both / 2.0


def jsd_terms(p: Floats, q: Floats) -> Floats:
    """Return p ln(p/m) + q ln(q/m), m = (p + q) / 2, elementwise; their sum is ln 4 times the JSD.

    No digits are lost where p is close to q: p = m(1 + x) and q = m(1 − x).
    """
    from scipy import special  # takes longer to import than the whole package
    middle = (p + q) / 2.0
    x = ratio((p - q) / 2.0, middle)
    p_term = special.xlog1py(1.0 + x, x)
    q_term = special.xlog1py(1.0 - x, -x)
    return middle * (p_term + q_term)


def laplace(counts: Floats, smoothing: float) -> Floats:
    """Return shares ``[…, L]`` of the counts plus ``smoothing``.

    The shares are equal if the sum of the counts and ``smoothing`` is 0.
    """
    counts = counts + smoothing
    total = counts.sum(axis=-1, keepdims=True)
    labels = max(counts.shape[-1], 1)
    equal = np.full(counts.shape, 1.0 / labels)
    return np.divide(counts, total, out=equal, where=total > 0)


def largest_sum(term: Callable[[Floats, float], Floats], w: Floats, most: Ints,
                least: Ints) -> Floats:
    """Return the maximum of Σ w_i · term(a_i, i) over orders of two kinds of documents, ``[T]``.

    ``a_i`` is the number of documents of the first kind among the first i. The maximum is exact: a
    dynamic programme over ranks and counts.

    :param term: takes the counts ``a_i`` of some states and the rank, returns the terms; both
        arrays broadcast to ``[T, states]``
    :param w: the discount of each rank, ``[T, D]``; 0 for a rank that is not evaluated
    :param most: the number of documents of the first kind, ``[T]``
    :param least: the number of documents of the second kind, ``[T]``
    """
    rows, depth = w.shape
    result = np.zeros(rows)
    if not w.any():
        return result
    # The count of either kind can be the state; the smaller count has fewer states.
    grow, stay = most, least
    flip = min(least.max(), depth) < min(most.max(), depth)
    if flip:
        grow, stay = least, most
    states = min(int(grow.max()), depth) + 1
    counts = np.arange(float(states))[None]
    everyone = np.arange(rows)
    full = everyone[grow + 1 < states]
    evaluated = (w != 0) * ranks(depth)
    last = evaluated.max(axis=1)
    best = np.full((rows, states), -inf)
    best[:, 0] = 0.0
    for i in range(1, depth + 1):
        reached = min(i + 1, states)
        later = best[:, 1:reached]
        np.maximum(later, best[:, :reached - 1], out=later)
        best[full, grow[full] + 1] = -inf
        behind = i - stay - 1
        spent = everyone[(behind >= 0) & (behind < states)]
        best[spent, behind[spent]] = -inf
        w_i = w[:, i - 1]
        if not w_i.any():
            continue
        a = counts[:, :reached]
        if flip:
            a = i - a
        best[:, :reached] += w_i[:, None] * term(a, float(i))
        ended = last == i
        if ended.any():
            result[ended] = best[ended].max(axis=1)
    return result
