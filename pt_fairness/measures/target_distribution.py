"""The base class of the measures that compare the groups with a target distribution.

Shapes: ``R`` lists, ``L`` groups of the label set G.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pt_fairness.core import arrays, discounts, divergences
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.rankings.protected import distribution
from pt_fairness.rankings.view import View


def or_uniform(target: Floats) -> Floats:
    """Return the target shares, with equal shares in the rows that have none, ``[R, L]``."""
    return np.where(target.any(axis=1, keepdims=True), target, 1.0 / max(target.shape[1], 1))


def one_if_zero(worst: Floats) -> Floats:
    """Replace 0 in ``worst`` with 1, so that returning nothing never scores as fair."""
    return np.where(worst > 0, worst, 1.0)


class DistributionMeasure(FairnessMeasure):
    """A measure that compares the groups of a list with a target distribution over G.

    A subclass implements :meth:`compare`. A list whose target is empty has the value NaN.
    """

    COMPARES = True

    def score(self, view: View) -> Floats:
        if not view.labels:
            return np.full(len(view), np.nan)
        target = distribution(view, self.param("target"), self.param("rel"))
        defined = target.any(axis=1) | self.of_run
        return np.where(defined, self.compare(view, target), np.nan)

    def compare(self, view: View, target: Floats) -> Floats:
        """Return the value of each list, ``[R]``; that of a list without a target is ignored.

        :param target: the target share of each group, unsmoothed, ``[R, L]``
        """
        raise NotImplementedError

    def attention(self, view: View) -> tuple[Floats, Ints]:
        """Return each group's share of the attention that a list gets, ``[R, L]``.

        The attention of a document is the discount of its rank by the parameters ``discount`` and
        ``p``, or 1. A document of m groups gives 1/m of it to each.

        :returns: the shares, and the number of annotated documents of each list up to the cutoff,
            ``[R]``
        """
        cutoff = self.param("cutoff")
        keep = self.param("unannotated") == "keep"
        codes = view.full(cutoff)[0] if keep else view.condensed(cutoff)[0]
        name = self.param("discount") or "none"
        weights = discounts.discount(name, codes.shape[1], self.param("p"))
        row = np.arange(len(view))[:, None]
        groups = view.sums_by_code(len(view), row, codes, weights) @ view.share
        counted = codes >= 0
        return arrays.ratio(groups, (counted @ weights)[:, None]), counted.sum(axis=1)

    def when_empty(self, largest: Callable[[int], Floats]) -> Any:
        """Return the divergence of lists without results: one number, or ``[R]``.

        :param largest: takes the cutoff; returns the largest divergence from the target that a list
            of this length can have, ``[R]``
        """
        if self.of_run:
            return divergences.LARGEST_DIVERGENCE
        cutoff = self.param("cutoff")
        return 1.0 if cutoff is None else one_if_zero(largest(cutoff))
