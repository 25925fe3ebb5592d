"""Discounts of ranks, the attention that a document gets there, and gains of relevance.

Shapes: ``T`` rows, one for each list; ``D`` columns, one for each rank, with the 1-based rank ``i``
in column ``i - 1``; ``L`` labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, Ints


def ranks(depth: int) -> Floats:
    """Return 1, 2, …, ``depth``."""
    return np.arange(1.0, depth + 1)


def log_discount(depth: int) -> Floats:
    """Return ``1 / log2(i + 1)`` for the ranks 1 to ``depth``."""
    return 1.0 / np.log2(np.arange(2.0, depth + 2))


def discount(name: str, depth: int, p: float = 0.85) -> Floats:
    """Return the weight of the ranks 1 to ``depth``, ``[depth]``.

    :param name: ``'log2'`` 1/log2(i+1), ``'trec'`` 1/log2(max(i, 2)), ``'geometric'`` p^(i−1),
        ``'mmr'`` 1/i or ``'none'`` 1
    :param p: the persistence of ``'geometric'``
    :raises ValueError: an unknown name
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
    r = np.asarray(relevance, float)
    r = np.where((r >= rel) & (r > 0), r, 0.0)
    if name == "binary":
        return (r > 0).astype(float)
    if name == "linear":
        return r
    if name == "exp":
        return np.exp2(r) - 1.0
    raise ValueError(f"no gains are named {name!r}; use binary, linear or exp")


def within(depth: int, n: Ints) -> Bools:
    """Return a mask of the first ``n[t]`` ranks of each row ``t``, ``[T, depth]``."""
    return np.arange(depth) < n[:, None]


def evaluated(depth: int, n: Ints, step: int = 1) -> Bools:
    """Return a mask of the evaluated ranks of each row, ``[T, depth]``.

    These ranks are ``step``, ``2·step``, … up to ``n[t]``, or rank ``n[t]`` alone if it is below
    ``step``.
    """
    step = min(step, depth + 1)  # a larger step has the same result, but may overflow
    i = np.arange(1, depth + 1)
    n = n[:, None]
    multiples = (i % step == 0) & (i <= n)
    return np.where(n < step, i == n, multiples)
