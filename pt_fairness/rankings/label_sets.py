"""The label sets of documents: labels and their shares."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, Ints, is_new, ranges, recoded

if TYPE_CHECKING:  # pandas is not needed to declare measures
    from pt_fairness.groups import Memberships


class LabelSets:
    """Table of the label sets of documents; the code of a set is its index.

    A set holds labels and their shares, which sum to 1. A set of one label has the code of that
    label, 0 to ``len(labels) − 1``. Sets of several labels have the codes from ``len(labels)`` on.

    Methods replace the arrays and never change them: a shallow copy can be extended independently.

    :param labels: every label that can occur
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = list(labels)
        n = len(labels)
        # Label and share of each entry, set by set, ``[entries]``. Set ``s`` has the entries from
        # ``_start[s]`` to ``_start[s + 1]``.
        self._label = np.arange(n, dtype=np.int32)
        self._share = np.ones(n)
        self._start = np.arange(n + 1)
        #: Whether the shares of each set are weights of a group source, ``[len(self)]``.
        self.weighted = np.zeros(n, bool)

    def __len__(self) -> int:
        return len(self.weighted)

    def code(self, item: Ints, label: Ints, items: int, weight: Floats | None = None) -> Ints:
        """Return the code of the label set of each item, ``[items]``, −1 for no labels.

        New sets of several labels are added to the table.

        :param item: the item of each annotation, ``[n]``
        :param label: the label code of each annotation, ``[n]``; −1 is ignored
        :param items: the number of items
        :param weight: the weight of each annotation, ``[n]``; by default the labels of an item have
            equal shares
        """
        labelled = label >= 0
        if not labelled.all():
            item = item[labelled]
            label = label[labelled]
            weight = None if weight is None else weight[labelled]
        codes = np.full(items, -1, np.int32)
        ascends = item[1:] > item[:-1]
        if ascends.all():  # at most one label per item
            codes[item] = label
            return codes
        order = np.lexsort((label, item))
        item = item[order]
        label = label[order]
        first = np.flatnonzero(is_new(item) | is_new(label))
        weights = np.ones(len(first))
        if weight is not None:
            weights = np.add.reduceat(weight[order], first)
        item = item[first]
        label = label[first]
        total = np.bincount(item, weights)
        share = weights / total[item]
        codes[item] = label  # items of several labels follow
        count = np.bincount(item, minlength=items)
        several = count[item] > 1
        if several.any():
            weighted = weight is not None
            added = self._added(item[several], label[several], share[several], weighted)
            codes[count > 1] = added
        return codes

    def _added(self, item: Ints, label: Ints, share: Floats, weighted: bool) -> Ints:
        """Add the sets of items to the table, and return the code of each item.

        :param item: the item of each entry, ``[n]``, ascending
        :param label: the label of each entry, ``[n]``, ascending in each item
        :param share: the share of each entry, ``[n]``
        :param weighted: whether the shares are weights
        """
        import pandas as pd
        first = np.flatnonzero(is_new(item))
        entries = pd.DataFrame({"label": label, "share": share})
        hashes = pd.util.hash_pandas_object(entries, index=False).to_numpy()
        keys = np.add.reduceat(hashes, first)
        _, chosen, number = np.unique(keys, return_index=True, return_inverse=True)
        size = np.diff(first, append=len(item))[chosen]
        entry = ranges(first[chosen], size)
        codes = len(self) + number
        self._start = np.append(self._start, self._start[-1] + np.cumsum(size))
        self._label = np.append(self._label, label[entry])
        self._share = np.append(self._share, share[entry])
        self.weighted = np.append(self.weighted, np.full(len(size), weighted))
        return codes

    def annotated(self, annotations: Memberships, items: int) -> Ints:
        """Return the code of the label set of each item, ``[items]``, −1 for no labels.

        Labels that are not in the table are ignored.

        :param items: the number of items
        """
        item, weight = annotations.item, annotations.weight
        label = recoded(annotations.codes, annotations.labels, self.labels)
        if weight is None:
            return self.code(item, label, items)
        equal = np.isnan(weight)
        unweighted = self.code(item[equal], label[equal], items)
        weighted = self.code(item[~equal], label[~equal], items, weight[~equal])
        return np.maximum(weighted, unweighted)

    def entries(self, codes: Ints, labels: Sequence[str] | None = None
                ) -> tuple[Ints, Ints, Floats]:
        """Return the entries of the sets in ``codes``.

        :param labels: the labels to return; each set has at least one. Others are dropped, and the
            remaining shares of a set are normalised to sum to 1. ``None`` for all labels
        :returns: the index in ``codes``, the index of the label and the share of each entry
        """
        start = self._start[codes]
        size = self._start[codes + 1] - start
        entry = ranges(start, size)
        row = np.repeat(np.arange(len(codes)), size)
        label = self._label[entry]
        share = self._share[entry]
        if labels is not None:
            label = recoded(label, self.labels, labels)
        inside = label >= 0
        if inside.all():
            return row, label, share
        row = row[inside]
        share = share[inside]
        total = np.bincount(row, share)
        return row, label[inside], share / total[row]

    def take(self, codes: Ints) -> LabelSets:
        """Return a table of some sets, to which none can be added; the code of a set is its place.
        """
        sets = copy.copy(self)
        row, sets._label, sets._share = self.entries(codes)
        sets._start = np.searchsorted(row, np.arange(len(codes) + 1))
        sets.weighted = self.weighted[codes]
        return sets

    def shares(self, codes: Ints, labels: Sequence[str]) -> Floats:
        """Return the share of each of ``labels`` in each set, ``[len(codes), len(labels)]``.

        Other labels are dropped, and the remaining shares of a set are normalised to sum to 1. A
        set without any of ``labels`` has a row of 0, and so has the code −1.
        """
        annotated = np.flatnonzero(codes >= 0)
        entry, label, share = self.entries(codes[annotated])
        row = annotated[entry]
        column = recoded(label, self.labels, labels)
        # The last column (−1) holds the other labels.
        shape = len(codes), len(labels) + 1
        table = np.zeros(shape)
        table[row, column] = share
        table = table[:, :-1]
        total = table.sum(axis=1, keepdims=True)
        return np.divide(table, total, out=table, where=total > 0)

    def any_of(self, labels: Sequence[str]) -> Bools:
        """Return a mask of the sets that have any of ``labels``, ``[len(self) + 1]``.

        The last element belongs to the code −1.
        """
        chosen = np.isin(self.labels, list(labels))
        chosen_entries = chosen[self._label]
        chosen_sets = np.logical_or.reduceat(chosen_entries, self._start[:-1])
        return np.append(chosen_sets, False)
