"""The protected groups of the measures that compare two sides, and their share of a population.

Shapes: ``R`` lists, ``D`` ranks, ``S`` label sets, ``L`` groups of the label set G.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.measures.lazy import np
from pt_fairness.measures.target_distribution import distribution

if TYPE_CHECKING:
    from pt_fairness.numerics import Bools, Floats, Ints
    from pt_fairness.rankings.view import View

#: Absolute tolerance within which sums of weights count as equal.
EQUAL = 1e-9


class Protected(NamedTuple):
    """The protected groups of each list."""

    #: Mask of the protected groups, ``[R, L]``.
    labels: Bools
    #: How far each label set is protected, ``[R, S]``: the share of the protected groups in a label
    #: set with weights, 1 or 0 for others. A mask if no label set has weights.
    sets: Any
    #: Mask of the lists that have a protected group, ``[R]``.
    known: Bools

    def sides(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the sums of values over the protected and over the other documents, ``[R]`` each.

        :param values: the sum of the values of the documents of each label set, ``[R, S]``
        """
        return (values * self.sets).sum(axis=1), (values * (1.0 - self.sets)).sum(axis=1)


class TwoGroups(NamedTuple):
    """The protected label sets and the population counts of each list."""

    #: How far each label set is protected, from 0 to 1, ``[R, S]``.
    protected: Any
    #: The number of protected documents and of all documents in the population, ``[R]``. They are
    #: shares if the target is a distribution.
    plus: Floats
    total: Floats
    #: Mask of the lists that have a protected group and, unless the target is the run, a non-empty
    #: population, ``[R]``.
    defined: Bools


def protected_groups(measure: FairnessMeasure, view: View, counts: Ints) -> Protected:
    """Return the protected groups by the parameter ``protected`` or ``group`` of a measure.

    :param counts: the number of documents of each label set, ``[R, S]``, which determines
        'minority' and 'majority'
    """
    wanted = measure.param("protected")
    degree = degrees(view)
    if wanted in ("minority", "majority"):
        chosen, known = rarest(counts @ degree, wanted == "majority")
    else:
        named = [label for parameter, label in measure.named_labels(view.labels)
                 if parameter in ("protected", "group")]
        chosen, known = np.isin(view.labels, named)[None], np.ones(len(view), bool)
    sets = chosen @ degree.T
    # A mask takes an eighth of the memory.
    sets = np.where(view.weighted, sets, sets > 0) if view.weighted.any() else sets > 0
    return Protected(np.broadcast_to(chosen, (len(view), len(view.labels))),
                     np.broadcast_to(sets, (len(view), len(view.share))), known)


def degrees(view: View) -> Floats:
    """Return the degree of membership of each label set in each group, ``[S, L]``.

    It is the share of the group if the label set has weights, and otherwise 1 for each of its
    groups.
    """
    return np.where(view.weighted[:, None], view.share, view.member)


def rarest(sizes: Floats, most: bool = False) -> tuple[Bools, Bools]:
    """Return a mask of the smallest group of each list, ``[R, L]``.

    Groups of size 0 are skipped. Ties go to the first group.

    :param sizes: the size of each group, ``[R, L]``
    :param most: choose the largest group instead
    :returns: the mask, and a mask of the lists in which at least two groups have a size above 0,
        ``[R]``

    Examples
    --------
    >>> import numpy as np
    >>> chosen, known = rarest(np.array([[3.0, 0.0, 1.0, 1.0], [0.0, 2.0, 0.0, 0.0]]))
    >>> chosen.astype(int).tolist()
    [[0, 0, 1, 0], [0, 1, 0, 0]]
    >>> known.tolist()
    [True, False]
    """
    present = sizes > 0
    keys = np.where(present, -sizes if most else sizes, np.inf)
    least = keys <= keys.min(axis=1, initial=np.inf, keepdims=True) + EQUAL
    return least & (least.cumsum(axis=1) == 1), present.sum(axis=1) >= 2


def of_ranked(protected: Any, codes: Ints) -> Any:
    """Return how far the document at each rank is protected, ``[R, D]``.

    :param protected: how far each label set is protected, ``[R, S]``
    :param codes: the label set of each document, ``[R, D]``; documents of code −1 have 0
    """
    own = np.take_along_axis(protected, np.maximum(codes, 0), axis=1)
    return np.where(codes >= 0, own, 0)


def two_groups(measure: FairnessMeasure, view: View) -> TwoGroups:
    """Return the protected label sets and the population counts of a measure's target.

    If the measure has a parameter ``group``, that group is protected.
    """
    rel, target = measure.param("rel"), measure.param("target")
    relevant = view.relevant(rel)
    labels, sets, known = protected_groups(measure, view, relevant)
    if target in ("qrels", "run"):
        counts = view.in_run if target == "run" else relevant
        plus, total = (counts * sets).sum(axis=1), counts.sum(axis=1)
    elif target == "collection":
        plus, total = view.pooled_in(rel, labels), np.full(len(view), view.pooled(rel).sum())
    else:
        shares = distribution(measure, view)
        plus, total = (shares * labels).sum(axis=1), shares.sum(axis=1)
    defined = known & ((total > 0) | (target == "run"))
    return TwoGroups(sets, plus.astype(float), total.astype(float), defined)
