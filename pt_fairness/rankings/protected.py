"""The protected groups of the measures that compare two sides, and their share of a population.

Shapes: ``R`` lists, ``D`` ranks, ``S`` label sets, ``L`` groups of the label set G.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pt_fairness.core import arrays
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.rankings.populations import distribution
from pt_fairness.rankings.view import View

#: Absolute tolerance within which sums of weights count as equal.
EQUAL = 1e-9


class Side(NamedTuple):
    """The protected side of each list, for a measure that compares two sides."""

    #: Mask of the protected groups, ``[R, L]``.
    labels: Bools
    #: How far each label set is protected, ``[R, S]``: the share of the protected groups in a label
    #: set with weights, 1 or 0 for others. A mask if no label set has weights.
    sets: Any
    #: Mask of the lists that have a protected group, ``[R]``.
    known: Bools
    #: The number of protected documents and of all documents in the population, ``[R]``. They are
    #: shares if the target is a distribution, and 0 without a target.
    plus: Floats
    total: Floats
    #: Mask of the lists that have a protected group and a population, ``[R]``. A population that is
    #: the run may be empty.
    defined: Bools

    @property
    def share(self) -> Floats:
        """The share of protected documents in the population, ``[R]``; 0 if it is empty."""
        return arrays.ratio(self.plus, self.total)


def side_of(view: View, wanted: str | list[str], target: Any, rel: int | None) -> Side:
    """Return the protected side of each list.

    :param wanted: the value of the parameter ``protected`` of a measure, or a list of labels
    :param target: the value of its parameter ``target``; ``None`` without one
    :param rel: the lowest relevance of a relevant document; ``None`` if the side is chosen among
        the annotated documents of the run
    """
    counts = view.in_run if rel is None else view.relevant(rel)
    labels, sets, known = protected_groups(view, wanted, counts)
    if target in ("qrels", "run"):
        counts = view.in_run if target == "run" else counts
        plus, total = (counts * sets).sum(axis=1), counts.sum(axis=1)
    elif target == "collection":
        everyone = view.pooled_in(rel, np.ones((1, len(view.labels)), bool))
        plus, total = view.pooled_in(rel, labels), np.full(len(view), everyone)
    elif target is None:
        plus = total = np.zeros(len(view))
    else:
        shares = distribution(view, target, rel)
        plus, total = (shares * labels).sum(axis=1), shares.sum(axis=1)
    defined = known & ((total > 0) | (target == "run"))
    return Side(labels, sets, known, plus.astype(float), total.astype(float), defined)


def protected_groups(view: View, wanted: str | list[str],
                     counts: Floats) -> tuple[Bools, Any, Bools]:
    """Return the fields ``labels``, ``sets`` and ``known`` of :class:`Side`.

    :param wanted: ``'minority'``, ``'majority'``, a label, labels joined by commas, or a list
    :param counts: the number of documents of each label set, ``[R, S]``, which determines
        'minority' and 'majority'
    """
    degree = degrees(view)
    if wanted in ("minority", "majority"):
        chosen, known = rarest(counts @ degree, wanted == "majority")
    else:
        parts = label_parts(wanted, view.labels) if isinstance(wanted, str) else wanted
        named = np.isin(view.labels, parts)
        chosen, known = named[None], np.ones(len(view), bool)
    sets = chosen @ degree.T
    # A mask takes an eighth of the memory.
    sets = np.where(view.weighted, sets, sets > 0) if view.weighted.any() else sets > 0
    return (np.broadcast_to(chosen, (len(view), len(view.labels))),
            np.broadcast_to(sets, (len(view), len(view.share))), known)


def label_parts(wanted: str, labels: Sequence[str]) -> list[str]:
    """Return the labels that a value of ``protected`` names.

    :param wanted: a label, or labels joined by commas
    :param labels: the label set G; a value that is itself a label is not split
    """
    return [wanted] if wanted in labels else [part.strip() for part in wanted.split(",")]


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
