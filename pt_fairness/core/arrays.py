"""Types and small functions of arrays."""

from __future__ import annotations

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
    above, below = np.asarray(above, float), np.asarray(below, float)
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape),
                     where=below != 0)


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
