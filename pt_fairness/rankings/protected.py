"""The population that a ranking is compared with, and the protected groups of the measures that
compare two sides: what ``minority`` and ``majority`` mean for each topic.

Shapes: ``R`` rankings, ``D`` ranks, ``S`` label sets, ``L`` groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pt_fairness.core import arrays
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.messages import TARGET_WORDS
from pt_fairness.rankings.rankings import Rankings

#: Absolute tolerance within which sums of weights count as equal.
EQUAL = 1e-9


def distribution(rankings: Rankings, target: Any, rel: int | None) -> Floats:
    """Return the target share of each group, unsmoothed, ``[R, L]``.

    All shares of a row are 0 if its population is empty.

    :param target: the value of the parameter ``target`` of a measure
    :param rel: the lowest relevance of a relevant document
    """
    groups = len(rankings.labels)
    if isinstance(target, dict):
        listed_shares = [target.get(label, 0.0) for label in rankings.labels]
        shares = np.array(listed_shares)
    elif target == "uniform":
        shares = shares_of(np.ones(groups))
    elif target in TARGET_WORDS:
        counts = population(rankings, target, rel)
        shares = shares_of(counts)
    else:
        shares = _registered(rankings, target, rel)
    return np.broadcast_to(shares, (len(rankings), groups))


def _registered(rankings: Rankings, target: str, rel: int | None) -> Floats:
    """Return the shares of a registered target, ``[R, L]``."""
    from pt_fairness import targets
    shares = targets.shares(target, rankings.qids, rankings.labels)
    weight = targets.find(target).of_qrels
    if not weight:
        return shares
    counts = population(rankings, "qrels", rel)
    relevant = shares_of(counts)
    mixed = weight * relevant + (1 - weight) * shares
    has_relevant = relevant.any(axis=1, keepdims=True)
    return np.where(has_relevant, mixed, 0.0)


def population(rankings: Rankings, target: str, rel: int | None) -> Floats:
    """Return the number of documents of each group in an estimated target.

    :param target: ``'qrels'``, ``'run'`` or ``'collection'``
    :returns: ``[R, L]``, or ``[1, L]`` for the target ``'collection'``
    """
    if target == "collection":
        whole, pooled = rankings.pooled(rel)
        return pooled[None] @ whole.share
    counts = rankings.run_counts if target == "run" else rankings.relevant(rel)
    return counts @ rankings.share


def shares_of(counts: Floats) -> Floats:
    """Return the share of each group in each row, 0 in empty rows."""
    total = counts.sum(axis=-1, keepdims=True)
    return arrays.ratio(counts, total)


class Side(NamedTuple):
    """The protected side of each list, for a measure that compares two sides."""

    #: Mask of the protected groups, ``[R, L]``.
    labels: Bools
    #: How far each label set is protected, ``[R, S]``: the share of the protected groups in a label
    #: set with weights, 1 or 0 for others. A mask if no label set has weights.
    sets: Any
    #: Mask of the rankings that have a protected group, ``[R]``.
    present: Bools
    #: The number of protected documents and of all documents in the population, ``[R]``. They are
    #: shares if the target is a distribution, and 0 without a target.
    plus: Floats
    total: Floats
    #: Mask of the rankings that have a protected group and a population, ``[R]``. A population that
    #: is the run may be empty.
    defined: Bools

    @property
    def share(self) -> Floats:
        """The share of protected documents in the population, ``[R]``; 0 if it is empty."""
        return arrays.ratio(self.plus, self.total)

    def ranked(self, codes: Ints) -> Any:
        """Return how far the document at each rank is protected, ``[R, D]``.

        :param codes: the label set of each document, ``[R, D]``; documents of code −1 have 0
        """
        documents = np.take_along_axis(self.sets, codes, axis=1)
        return np.where(codes >= 0, documents, 0)


def side_of(rankings: Rankings, protected: str | list[str], target: Any, rel: int | None) -> Side:
    """Return the protected side of each list.

    The minority is the smallest group of the topic, of those that have documents there. With three
    or more groups all the others together are the other side.

    :param protected: the value of the parameter ``protected`` of a measure: ``'minority'``,
        ``'majority'``, a label, or labels joined by commas; or a list of labels
    :param target: the value of its parameter ``target``; ``None`` without one
    :param rel: the lowest relevance of a relevant document; ``None`` if the side is chosen among
        the annotated documents of the run
    """
    counts = rankings.run_counts if rel is None else rankings.relevant(rel)
    rows = len(counts)
    present = np.ones(rows, bool)
    if protected in ("minority", "majority"):
        sizes = counts @ rankings.degree
        chosen, present = rarest(sizes, protected == "majority")
    else:
        if isinstance(protected, str):
            protected = label_parts(protected, rankings.labels)
        chosen = np.isin(rankings.labels, protected)[None]
    labels = np.broadcast_to(chosen, (rows, len(rankings.labels)))
    sets = np.broadcast_to(_protected_sets(rankings, chosen), (rows, len(rankings.share)))
    if target in ("qrels", "run"):
        if target == "run":
            counts = rankings.run_counts
        plus = (counts * sets).sum(axis=1)
        total = counts.sum(axis=1)
    elif target == "collection":
        whole, pooled = rankings.pooled(rel)
        plus = np.broadcast_to(_protected_sets(whole, chosen) @ pooled, rows)
        total = np.full(rows, pooled.sum())
    elif target is None:
        plus = total = np.zeros(rows)
    else:
        shares = distribution(rankings, target, rel)
        plus = (shares * labels).sum(axis=1)
        total = shares.sum(axis=1)
    defined = present
    if target != "run":
        defined = present & (total > 0)
    return Side(labels, sets, present, plus, total, defined)


def _protected_sets(rankings: Rankings, chosen: Bools) -> Any:
    """Return how far each label set is protected, ``[R, S]``: see :class:`Side`.

    :param chosen: a mask of the protected groups of each ranking, ``[R, L]``
    """
    degree = chosen @ rankings.degree.T
    if rankings.weighted.any():
        return np.where(rankings.weighted, degree, degree > 0)
    return degree > 0  # a mask takes an eighth of the memory


def label_parts(protected: str, labels: Sequence[str]) -> list[str]:
    """Return the labels that a value of ``protected`` names.

    :param protected: a label, or labels joined by commas
    :param labels: the label set G; a value that is itself a label is not split
    """
    if protected in labels:
        return [protected]
    return [part.strip() for part in protected.split(",")]


def rarest(sizes: Floats, most: bool = False) -> tuple[Bools, Bools]:
    """Return a mask of the smallest group of each list, ``[R, L]``.

    Groups of size 0 are skipped. Ties go to the first group.

    :param sizes: the size of each group, ``[R, L]``
    :param most: choose the largest group instead
    :returns: the mask, and a mask of the rankings in which at least two groups have a size above 0,
        ``[R]``

    Examples
    --------
    >>> import numpy as np
    >>> smallest, present = rarest(np.array([[3.0, 0.0, 1.0, 1.0], [0.0, 2.0, 0.0, 0.0]]))
    >>> smallest.astype(int).tolist()
    [[0, 0, 1, 0], [0, 1, 0, 0]]
    >>> present.tolist()
    [True, False]
    """
    present = sizes > 0
    keys = -sizes if most else sizes
    keys = np.where(present, keys, np.inf)
    smallest = keys.min(axis=1, initial=np.inf, keepdims=True)
    least = keys <= smallest + EQUAL
    first = least.cumsum(axis=1) == 1
    groups = present.sum(axis=1)
    return least & first, groups >= 2
