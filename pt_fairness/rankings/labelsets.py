"""Integer codes for sets of labels with shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, Ints, recoded, unique_rows

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
        # Label and share of each entry, set by set, ``[entries]``. Set ``s`` has the entries from
        # ``_start[s]`` to ``_start[s + 1]``.
        self._label = np.arange(len(self.labels), dtype=np.int32)
        self._share = np.ones(len(self.labels))
        self._start = np.arange(len(self.labels) + 1)
        #: Whether the shares of each set are weights of a group source, ``[len(self)]``.
        self.weighted = np.zeros(len(self.labels), bool)

    def __len__(self) -> int:
        return len(self._start) - 1

    def code(self, item: Ints, label: Ints, items: int, weight: Floats | None = None) -> Ints:
        """Return the code of the label set of each item, ``[items]``, −1 for no labels.

        New sets of several labels are added to the table.

        :param item: the item of each annotation, ``[n]``
        :param label: the label code of each annotation, ``[n]``; −1 is ignored
        :param items: the number of items
        :param weight: the weight of each annotation, ``[n]``; by default the labels of an item have
            equal shares
        """
        codes = np.full(items, -1, np.int32)
        known = label >= 0
        if not known.all():
            item, label = item[known], label[known]
            weight = None if weight is None else weight[known]
        if (item[1:] > item[:-1]).all():  # at most one label per item, sorted by item
            codes[item] = label
            return codes
        order = np.lexsort((label, item))
        item, label = item[order], label[order]
        first = np.flatnonzero(np.append(True, (item[1:] != item[:-1]) | (label[1:] != label[:-1])))
        weights = np.ones(len(first)) if weight is None else np.add.reduceat(weight[order], first)
        item, label = item[first], label[first]
        count = np.bincount(item, minlength=items)
        alone = count[item] == 1
        codes[item[alone]] = label[alone]
        total = np.bincount(item, weights, minlength=items)
        for size in np.unique(count[count > 1]):
            some = count[item] == size
            labels = label[some].reshape(-1, size)
            shares = (weights[some] / total[item[some]]).reshape(-1, size)
            distinct, where = unique_rows(*labels.T, *shares.T)
            codes[item[some].reshape(-1, size)[:, 0]] = len(self) + where
            self._append(np.column_stack(distinct[:size]).astype(np.int32),
                         np.column_stack(distinct[size:]), weight is not None)
        return codes

    def annotated(self, found: Memberships, items: int) -> Ints:
        """Return the code of the label set of each item, ``[items]``, −1 for no labels.

        Labels that are not in the table are ignored.

        :param found: annotations of the items
        :param items: the number of items
        """
        label = recoded(found.codes, found.labels, self.labels)
        if found.weight is None:
            return self.code(found.item, label, items)
        own = ~np.isnan(found.weight)
        codes = self.code(found.item[own], label[own], items, found.weight[own])
        return np.maximum(codes, self.code(found.item[~own], label[~own], items))

    def _append(self, labels: Ints, shares: Floats, weighted: bool) -> None:
        sets, size = labels.shape
        self._label = np.concatenate([self._label, labels.ravel()])
        self._share = np.concatenate([self._share, shares.ravel()])
        self._start = np.concatenate([self._start, self._start[-1] + size * np.arange(1, sets + 1)])
        self.weighted = np.concatenate([self.weighted, np.full(sets, weighted)])

    def entries(self, codes: Ints) -> tuple[Ints, Ints, Floats]:
        """Return the entries of the sets in ``codes``.

        :returns: the index in ``codes``, the label code and the share of each entry
        """
        size = self._start[codes + 1] - self._start[codes]
        row = np.repeat(np.arange(len(codes)), size)
        rows = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size) \
            + np.repeat(self._start[codes], size)
        return row, self._label[rows], self._share[rows]

    def shares(self, codes: Ints, labels: Sequence[str]) -> Floats:
        """Return the share of each of ``labels`` in each set, ``[len(codes), len(labels)]``.

        Other labels are dropped, and the remaining shares of a set are normalised to sum to 1. A
        set without any of ``labels`` has a row of 0, and so has the code −1.
        """
        known = np.flatnonzero(codes >= 0)
        row, label, share = self.entries(codes[known])
        table = np.zeros((len(codes), len(labels) + 1))
        # The last column (−1) holds the other labels.
        table[known[row], recoded(label, self.labels, labels)] = share
        table = table[:, :-1]
        total = table.sum(axis=1, keepdims=True)
        return np.divide(table, total, out=table, where=total > 0)

    def any_of(self, labels: Sequence[str]) -> Bools:
        """Return a mask of the sets that have any of ``labels``, ``[len(self) + 1]``.

        The last element is that of the code −1.
        """
        chosen = np.isin(self.labels, list(labels))
        return np.append(np.logical_or.reduceat(chosen[self._label], self._start[:-1]), False)
