"""The divergence over all groups at once: rKL with ``protected='all'``.

Shapes: ``R`` lists, ``D`` ranks, ``L`` groups of the label set G.
"""

from __future__ import annotations

import numpy as np

from pt_fairness import arrays, divergences
from pt_fairness.arrays import Floats, Ints
from pt_fairness.rankings.view import View


def discounted(view: View, codes: Ints, T: Floats, w: Floats, Z: Floats | None = None) -> Floats:
    """Return ``w_i · KL(P_i ‖ T) / Z``, base 2, ``[R, D]``; 0 where Z is 0.

    P_i holds the shares of the groups among the first i documents.

    :param codes: the label set of each document, ``[R, D]``
    :param T: the target shares, ``[R, L]``
    :param w: the weight of each rank, ``[R, D]``
    :param Z: the normaliser, ``[R]``; by default 1
    """
    terms = divergences.discounted_divergences(codes, view.share, w,
                                            lambda P: divergences.kl(P, T[:, None, :]))
    return terms if Z is None else terms * arrays.ratio(1.0, Z)[:, None]


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
    sizes = np.where(alone[:, None], counts @ view.member, 0)
    order = np.argsort(sizes, axis=1, kind="stable")
    ordered = np.take_along_axis(sizes, order, axis=1)
    flat = np.append(np.repeat(order.reshape(-1), ordered.reshape(-1)), 0)
    start = np.cumsum(ordered.sum(axis=1)) - ordered.sum(axis=1)
    codes = flat[np.minimum(start[:, None] + np.arange(w.shape[1]), len(flat) - 1)]
    groups = np.eye(len(view.labels))
    terms = divergences.discounted_divergences(codes, groups, w,
                                            lambda P: divergences.kl(P, T[:, None, :]))
    return np.where(alone, terms.sum(axis=1), upper)
