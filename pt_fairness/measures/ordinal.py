"""Divergences between distributions over labels that have an order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pt_fairness.core import arrays
from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import listed


def places(labels: Sequence[str], order: str | None, declared: Sequence[str] | None) -> list[int]:
    """Return the indices that sort the labels from the lowest to the highest.

    :param labels: the label set
    :param order: the labels in order, joined by commas
    :param declared: the order that the Groups object declares
    :raises ValueError: the labels have no order, or the order lacks a label
    """
    if order is None and declared is None:
        numbers = [_number(name) for name in labels]
        if not all(map(math.isfinite, numbers)):
            raise ValueError(
                f"an ordinal divergence needs the order of the labels {listed(labels)}: name them "
                "from the lowest to the highest with order='…' or, in Python, use a Groups "
                "object that declares their order")
        return sorted(range(len(labels)), key=numbers.__getitem__)
    found = order.split(",") if order is not None else list(declared or ())
    lacking = sorted({*labels} - {*found})
    if lacking:
        raise ValueError(f"the order {','.join(found)!r} lacks the labels {listed(lacking)}; an "
                         "ordinal divergence needs an order of all labels of the groups")
    place = {name: i for i, name in enumerate(labels)}
    return [place[name] for name in found if name in place]


def _number(name: str) -> float:
    try:
        return float(name)
    except ValueError:
        return math.nan


def nmd(p: Floats, q: Floats) -> Floats:
    """Return ``Σ_g |cumP_g − cumQ_g| / (L − 1)`` over the last axis; 0 if L = 1."""
    return arrays.ratio(abs(np.cumsum(p - q, axis=-1)).sum(axis=-1), p.shape[-1] - 1)


def rnod(p: Floats, q: Floats) -> Floats:
    """Return ``√(OD / (L − 1))`` over the last axis; 0 if L = 1.

    OD is the mean of ``Σ_j |i − j| · (p_j − q_j)²`` over the indices i with q_i > 0.
    """
    i = np.arange(p.shape[-1])
    distances = (p - q) ** 2 @ abs(i[:, None] - i)
    held = q > 0
    od = arrays.ratio((distances * held).sum(axis=-1), held.sum(axis=-1))
    return np.sqrt(arrays.ratio(od, p.shape[-1] - 1))
