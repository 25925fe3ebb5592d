"""Label sets, and the ranked and judged documents of all topics with the label sets of one source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pt_fairness.core.arrays import (
    Bools,
    Floats,
    Ints,
    is_new,
    positions,
    ranges,
    recoded,
    unique_rows,
)

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
        codes[item] = label  # those of several labels follow
        count = np.bincount(item)
        for size in np.unique(count[count > 1]):
            entries = np.flatnonzero(count[item] == size)
            rows = entries.reshape(-1, size)
            of_rows = item[rows[:, 0]]
            codes[of_rows] = self._added(label[rows], share[rows], weight is not None)
        return codes

    def _added(self, label: Ints, share: Floats, weighted: bool) -> Ints:
        """Add sets of ``size`` labels to the table, and return the code of each set.

        :param label: the labels of each set, ``[n, size]``
        :param share: the shares of these labels, ``[n, size]``
        :param weighted: whether the shares are weights
        """
        size = label.shape[1]
        columns, number = unique_rows(*label.T, *share.T)
        codes = number + len(self)
        labels = np.column_stack(columns[:size])
        shares = np.column_stack(columns[size:])
        sets = len(labels)
        ends = self._start[-1] + size * np.arange(1, sets + 1)
        self._start = np.append(self._start, ends)
        self._label = np.append(self._label, labels)
        self._share = np.append(self._share, shares)
        self.weighted = np.append(self.weighted, [weighted] * sets)
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

        :param labels: the labels to return, of which each set has one; others are dropped, and the
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

        The last element is that of the code −1.
        """
        chosen = np.isin(self.labels, list(labels))
        of_entries = chosen[self._label]
        of_sets = np.logical_or.reduceat(of_entries, self._start[:-1])
        return np.append(of_sets, False)


class Background(NamedTuple):
    """Reference documents, with which the rankings of a topic are compared."""

    #: The topic of each document, ``[N]``, ascending.
    topic: Ints
    #: For each value source, the value of each document, ``[N]``, NaN where it has none.
    values: Mapping[Hashable, Floats]


class Attribute(NamedTuple):
    """The groups of one of several sources, with the label @UNKNOWN."""

    #: The label sets that the codes refer to; the last of its labels is @UNKNOWN.
    sets: LabelSets
    #: The label set of each ranked document, ``[n]``, −1 where the source does not know it.
    codes: Ints
    #: The label set of each judged pair, ``[pairs]``, −1 where the source does not know it.
    pair_codes: Ints


class Condensed(NamedTuple):
    """The annotated documents of all lists."""

    #: The label set of each document, list by list, ``[m]``.
    codes: Ints
    #: The judged pair of each document, ``[m]``, −1 for an unjudged document.
    pair: Ints
    #: The number of documents of each list, ``[R]``.
    length: Ints
    #: The index of the first document of each list, ``[R]``.
    start: Ints


class Pooled(NamedTuple):
    """Judged documents of all topics, by label set."""

    #: The number of documents of each label set, ``[P]``.
    counts: Ints
    #: Whether the shares of each label set are weights, ``[P]``.
    weighted: Bools
    #: The label set of each entry, an index into ``counts``, ``[entries]``.
    row: Ints
    #: The share of each entry, ``[entries]``.
    share: Floats
    #: The group of each entry, an index into ``Rankings.labels``, ``[entries]``.
    group: Ints


@dataclass(frozen=True)
class Rankings:
    """The ranked and the judged documents of all topics, with the groups of one source.

    Ranked documents are sorted by list and rank, judged pairs by topic.
    """

    #: The topic of each list, ``[R]``, ascending.
    list_topic: Ints
    #: The index of the first document of each list, ``[R]``.
    start: Ints
    #: The number of documents of each list whose groups were looked up, ``[R]``.
    length: Ints
    #: The list of each ranked document, ``[n]``.
    list_of: Ints
    #: The judged pair of each ranked document, ``[n]``, −1 where it is unjudged.
    pair: Ints
    #: The label set of each ranked document, ``[n]``, −1 where it is unannotated.
    codes: Ints
    #: Returns the identifier of each ranked document, ``[n]``: see ``Run.item``.
    item: Callable[[], Ints]
    #: The names of the topics, ``[T]``.
    topics: Sequence[str]
    #: The topic of each judged pair, ``[pairs]``.
    pair_topic: Ints
    #: The relevance of each judged pair, ``[pairs]``.
    relevance: Any
    #: For each ``rel``, the label set of each pair, ``[pairs]``; −1 for pairs of a lower relevance.
    #: The key ``None`` stands for all pairs.
    relevant: Mapping[int | None, Ints]
    #: The label sets that the codes refer to.
    sets: LabelSets
    #: The label set G, sorted. Documents without any of these labels are unannotated.
    labels: list[str]
    #: The labels as the group source orders them, lowest first; ``None`` if it declares no order.
    order: Sequence[str] | None = None
    #: The number of ranked documents whose labels are all outside the label set, and the labels.
    foreign: int = 0
    foreign_labels: Sequence[str] = ()
    #: For each value source, the value of each ranked document, ``[n]``, NaN where it has none.
    values: Mapping[Hashable, Floats] = field(default_factory=dict)
    backgrounds: Mapping[Hashable, Background] = field(default_factory=dict)
    #: The groups of each source in ``FairnessMeasure.joint``.
    attributes: Mapping[Hashable, Attribute] = field(default_factory=dict)
    #: The number of annotated documents of each list that measures use, ``None`` for all.
    depth: int | None = None
    _pools: dict[int | None, Pooled] = field(default_factory=dict, init=False)
    _labelled: dict[Any, Rankings] = field(default_factory=dict, init=False)

    def of_labels(self, added: Sequence[str] = (), depth: int | None = None) -> Rankings:
        """Return the rankings for one label set: other labels are no annotations.

        :param added: labels to add to the label set
        :param depth: the number of annotated documents of each list to keep, ``None`` for all
        """
        labels = sorted({*self.labels, *added})
        key = *labels, depth
        if key in self._labelled:
            return self._labelled[key]
        codes = self.codes
        relevant = dict(self.relevant)
        if not set(labels).issuperset(self.sets.labels):
            usable = self.sets.any_of(labels)
            codes = np.where(usable[codes], codes, -1)
            for rel, of_pairs in relevant.items():
                relevant[rel] = np.where(usable[of_pairs], of_pairs, -1)
        self._labelled[key] = replace(self, labels=labels, depth=depth, codes=codes,
                                      relevant=relevant)
        return self._labelled[key]

    def repeated(self, times: int) -> Rankings:
        """Return the rankings ``times`` times, each with topics of its own."""
        turns = np.arange(times)[:, None]
        topics = len(self.topics)
        pairs = len(self.relevance)

        def moved(indices: Ints, step: int) -> Ints:
            later = indices + step * turns
            return np.where(indices < 0, -1, later).ravel()

        def items() -> Ints:
            # Identifiers of unjudged documents follow those of all judged ones.
            item = self.item()
            judged = item + pairs * turns
            unjudged = item * times + turns
            return np.where(item < pairs, judged, unjudged).ravel()

        list_topic = moved(self.list_topic, topics)
        list_of = moved(self.list_of, len(self.list_topic))
        start = moved(self.start, len(self.list_of))
        pair = moved(self.pair, pairs)
        pair_topic = moved(self.pair_topic, topics)
        length = np.tile(self.length, times)
        codes = np.tile(self.codes, times)
        relevance = np.tile(self.relevance, times)
        relevant = {rel: np.tile(of_rel, times) for rel, of_rel in self.relevant.items()}
        return replace(self, list_topic=list_topic, list_of=list_of, start=start, length=length,
                       pair=pair, codes=codes, item=items, topics=[*self.topics] * times,
                       pair_topic=pair_topic, relevance=relevance, relevant=relevant)

    def reordered(self, rows: Ints) -> Rankings:
        """Return the rankings with other documents at the ranks.

        :param rows: the index of the document at each place, ``[n]``; of the same list
        """
        pair = self.pair[rows]
        codes = self.codes[rows]
        return replace(self, pair=pair, codes=codes, item=lambda: self.item()[rows])

    def shares_within(self, cutoffs: Collection[int]) -> dict[int, float]:
        """Return how many of the documents that count at a cutoff stand within it in the lists.

        These are the first annotated documents of each list, at most ``cutoff``.

        :returns: their share for each cutoff; NaN if no document counts
        """
        counts = self.sets.any_of(self.labels)
        rows = np.flatnonzero(counts[self.codes])
        if not len(rows):
            return dict.fromkeys(cutoffs, np.nan)
        lists = self.list_of[rows]
        number = positions(lists)
        place = rows - self.start[lists]
        return {cutoff: float(np.mean(place[number < cutoff] < cutoff)) for cutoff in cutoffs}

    @cached_property
    def condensed(self) -> Condensed:
        """The first ``depth`` annotated documents of each list."""
        rows = np.flatnonzero(self.codes >= 0)
        lists = self.list_of[rows]
        if self.depth is not None:
            within = positions(lists) < self.depth
            rows = rows[within]
            lists = lists[within]
        length = np.bincount(lists, minlength=len(self.list_topic))
        start = np.cumsum(length) - length
        return Condensed(self.codes[rows], self.pair[rows], length, start)

    def pooled(self, rel: int | None) -> Pooled:
        """Return the judged documents of all topics with a relevance of at least ``rel``.

        :param rel: ``None`` for all judged documents
        """
        if rel not in self._pools:
            codes = self.relevant[rel]
            codes, counts = np.unique(codes[codes >= 0], return_counts=True)
            row, group, share = self.sets.entries(codes, self.labels)
            weighted = self.sets.weighted[codes]
            self._pools[rel] = Pooled(counts, weighted, row, share, group)
        return self._pools[rel]
