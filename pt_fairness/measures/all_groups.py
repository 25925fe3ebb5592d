"""The divergence over all groups at once: rKL with ``protected='all'``.

Shapes: ``R`` lists, ``D`` ranks, ``L`` groups of the label set G.
"""

from __future__ import annotations

import numpy as np

from pt_fairness.core import divergences
from pt_fairness.core.arrays import Floats
from pt_fairness.rankings.view import View


def bound(T: Floats) -> Floats:
    """Return the largest divergence of one document of one group, ``[R]``."""
    return np.asarray(-np.log2(np.where(T > 0, T, 1.0).min(axis=1, initial=1.0)))


def largest_of_run(view: View, T: Floats, w: Floats, upper: Floats) -> Floats:
    """Return the sum of the order of the run with the smallest group first, ``[R]``.

    It is the largest of all orders if every rank is evaluated and documents have one group each.
    Lists with other documents have ``upper``.
    """
    counts = view.in_run
    alone = ~((counts > 0) & (view.member.sum(axis=1) > 1)).any(axis=1)
    sizes = np.where(alone[:, None], counts @ view.member, 0).astype(int)
    order = np.argsort(sizes, axis=1, kind="stable")
    ordered = np.take_along_axis(sizes, order, axis=1)
    flat = np.append(np.repeat(order.reshape(-1), ordered.reshape(-1)), 0)
    start = np.cumsum(ordered.sum(axis=1)) - ordered.sum(axis=1)
    codes = flat[np.minimum(start[:, None] + np.arange(w.shape[1]), len(flat) - 1)]
    terms = divergences.discounted_divergences(codes, np.eye(len(view.labels)), w,
                                               divergences.kl, T)
    return np.where(alone, terms.sum(axis=1), upper)
