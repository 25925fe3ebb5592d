"""The target distribution over the groups, and the base class of measures that compare with it.

Shapes: ``R`` lists, ``L`` groups of the label set G.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.measures.lazy import np, numerics
from pt_fairness.text import TARGET_WORDS

if TYPE_CHECKING:
    from pt_fairness.numerics import Floats, Ints
    from pt_fairness.rankings.view import View


def distribution(measure: FairnessMeasure, view: View) -> Floats:
    """Return the target share of each group, unsmoothed, ``[R, L]``.

    All shares of a row are 0 if its population is empty.
    """
    target: Any = measure.param("target")
    if isinstance(target, dict):
        shares = np.array([target.get(name, 0.0) for name in view.labels])
    elif target == "uniform":
        shares = np.full(len(view.labels), 1.0 / max(len(view.labels), 1))
    elif target in TARGET_WORDS:
        shares = shares_of(population(measure, view))
    else:
        shares = _registered(measure, view)
    return np.broadcast_to(shares, (len(view), len(view.labels)))


def _registered(measure: FairnessMeasure, view: View) -> Floats:
    """Return the shares of a registered target, ``[R, L]``."""
    from pt_fairness import targets
    target = measure.param("target")
    shares = targets.shares(target, view.qids, view.labels)
    of_qrels = targets.find(target).of_qrels
    if not of_qrels:
        return shares
    relevant = shares_of(view.relevant(measure.param("rel")) @ view.share)
    known = relevant.any(axis=1, keepdims=True)
    return np.where(known, of_qrels * relevant + (1 - of_qrels) * shares, 0.0)


def population(measure: FairnessMeasure, view: View) -> Floats:
    """Return the number of documents of each group in an estimated target.

    :returns: ``[R, L]``, or ``[1, L]`` for the target ``'collection'``
    """
    target = measure.param("target")
    if target == "collection":
        return view.pooled(measure.param("rel"))[None]
    return (view.in_run if target == "run" else view.relevant(measure.param("rel"))) @ view.share


def shares_of(counts: Floats) -> Floats:
    """Return the share of each group in each row, 0 in empty rows."""
    return numerics.ratio(counts, counts.sum(axis=-1, keepdims=True))


def or_uniform(target: Floats) -> Floats:
    """Return the target shares, with equal shares in the rows that have none, ``[R, L]``."""
    return np.where(target.any(axis=1, keepdims=True), target, 1.0 / target.shape[1])


def one_if_zero(worst: Floats) -> Floats:
    """Replace 0 in ``worst`` with 1, so that returning nothing never scores as fair."""
    return np.where(worst > 0, worst, 1.0)


class DistributionMeasure(FairnessMeasure):
    """A measure that compares the groups of a list with a target distribution over G.

    A subclass implements :meth:`compare`. A list whose target is empty has the value NaN.
    """

    def score(self, view: View) -> Floats:
        if not view.labels:
            return np.full(len(view), np.nan)
        target = distribution(self, view)
        defined = target.any(axis=1) | (self.param("target") == "run")
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
        weights = numerics.discount(name, codes.shape[1], self.param("p"))
        groups = numerics.tally(codes, weights, len(view.share)) @ view.share
        counted = codes >= 0
        return numerics.ratio(groups, (counted @ weights)[:, None]), counted.sum(axis=1)

    def when_empty(self, largest: Callable[[int], Floats]) -> Any:
        """Return the divergence of lists without results: one number, or ``[R]``.

        :param largest: takes the cutoff; returns the largest divergence from the target that a list
            of this length can have, ``[R]``
        """
        if self.param("target") == "run":
            return numerics.LARGEST_DIVERGENCE
        cutoff = self.param("cutoff")
        return 1.0 if cutoff is None else one_if_zero(largest(cutoff))
