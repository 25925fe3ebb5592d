"""Types and small functions of arrays, and arrays of random numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]
#: Target size of the largest arrays of a measure, chosen to fit the processor's cache.
BLOCK_CELLS = 1 << 17
#: Divergences below this are rounding errors of equal distributions.
ROUNDING = 1e-12


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values, sorted; faster than the hash table of ``np.unique``."""
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


def ranges(start: Ints, count: Ints) -> Ints:
    """Return the integers of several ranges, ``count`` from ``start`` on, concatenated."""
    before = np.cumsum(count) - count
    offsets = np.repeat(start - before, count)
    return offsets + np.arange(count.sum())


def recoded(codes: Ints, names: Iterable[str], new_names: Iterable[str]) -> Ints:
    """Convert codes of names to the codes of the same names among new ones, ``[n]``.

    :param codes: indices into ``names``, ``[n]``; −1 stays −1
    :param new_names: distinct names; a name that is not one of them gets the code −1
    """
    place = {name: code for code, name in enumerate(new_names)}
    table = [place.get(name, -1) for name in names]
    return np.array([*table, -1], np.int32)[codes]


def mean_of_lists(values: Floats, topics: Ints) -> Floats:
    """Return the mean value over the lists of each topic, ``[T]``.

    :param values: the value of each list, ``[R]``
    :param topics: the topic of each list, ``[R]``; each topic has at least one list
    """
    return np.bincount(topics, values) / np.bincount(topics)


def ratio(above: Any, below: Any) -> Floats:
    """Return ``above / below``, and 0 where ``below`` is 0."""
    above = np.asarray(above, float)
    below = np.asarray(below, float)
    out = np.zeros(np.broadcast(above, below).shape)
    return np.divide(above, below, out=out, where=below != 0)


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


def uniforms(seed: int, name: str, sample: int, size: int) -> Floats:
    """Return random numbers between 0 and 1 that depend on the arguments alone, ``[size]``.

    The stream of a counter-based generator of Salmon et al. (2011), Philox 4×64, which numpy keeps
    the same in all versions. Other names, other samples and ``size`` have no influence.

    :param seed: the seed
    :param name: what the numbers are for: a topic, or a topic and a document on two lines
    :param sample: the number of the sample, at least 0

    Examples
    --------
    >>> uniforms(0, "1", 0, 3).round(6).tolist()
    [0.627144, 0.860901, 0.656796]
    """
    digest = hashlib.sha256(f"{seed}\n{name}".encode()).digest()[:16]
    key = np.frombuffer(digest, dtype="<u8").astype(np.uint64)
    counter = np.array([0, sample, 0, 0], dtype=np.uint64)
    raw = np.random.Philox(key=key, counter=counter).random_raw(size)
    return ((raw >> np.uint64(11)) + 0.5) * 2.0 ** -53
