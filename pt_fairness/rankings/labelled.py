"""The ranked and the judged documents of all topics, with the groups of one source."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from pt_fairness.core.arrays import BLOCK_CELLS, Bools, Floats, Ints, recoded
from pt_fairness.rankings.labelsets import LabelSets


@dataclass(frozen=True)
class Lists:
    """The ranked documents, sorted by list and rank."""

    #: The topic of each list, ``[R]``, ascending.
    topics: Ints
    #: The index of the first document of each list, ``[R]``.
    start: Ints
    #: The number of documents of each list, ``[R]``.
    length: Ints
    #: The list of each document, ``[n]``.
    list: Ints
    #: The judged pair of each document, ``[n]``, −1 where it is unjudged.
    pair: Ints
    #: The label set of each document, ``[n]``, −1 where it is unannotated.
    codes: Ints
    #: Returns the identifier of each document, ``[n]``: see ``Run.item``.
    item: Callable[[], Ints]


@dataclass(frozen=True)
class Judged:
    """The judged documents of all topics."""

    #: The names of the topics, ``[T]``.
    topics: Sequence[str]
    #: The topic of each judged pair, ``[pairs]``, ascending.
    topic: Ints
    #: The relevance of each judged pair, ``[pairs]``.
    relevance: Any
    #: For each ``rel``, the label set of each pair, ``[pairs]``; −1 for pairs of a lower relevance.
    #: The key ``None`` stands for all pairs.
    relevant: Mapping[int | None, Ints]


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
    ranked: Ints
    #: The label set of each judged pair, ``[pairs]``, −1 where the source does not know it.
    judged: Ints


@dataclass(frozen=True)
class Rankings:
    """The ranked and the judged documents of all topics, with the groups of one source."""

    lists: Lists
    judged: Judged
    #: The label sets that the codes refer to.
    sets: LabelSets
    #: The label set G, sorted.
    labels: list[str]
    #: For each value source, the value of each ranked document, ``[n]``, NaN where it has none.
    values: Mapping[Hashable, Floats] = field(default_factory=dict)
    backgrounds: Mapping[Hashable, Background] = field(default_factory=dict)
    #: The groups of each source in ``FairnessMeasure.joint``.
    attributes: Mapping[Hashable, Attribute] = field(default_factory=dict)
    #: The labels as the group source orders them, lowest first; ``None`` if it declares no order.
    order: Sequence[str] | None = None

    def labelled(self, added: Sequence[str] = (), depth: int | None = None) -> Labelled:
        """Return the rankings for one label set.

        :param added: labels to add to the label set; labels outside the label set are ignored
        :param depth: the number of annotated documents of each list to keep, ``None`` for all
        """
        return Labelled(self, sorted({*self.labels, *added}), depth)

    def repeated(self, times: int) -> Rankings:
        """Return the rankings ``times`` times, each with topics of its own."""
        lists, judged = self.lists, self.judged

        def moved(indices: Ints, step: int) -> Ints:
            by = step * np.arange(times)[:, None]
            return np.where(indices < 0, -1, indices + by).ravel()

        def items() -> Ints:
            # Identifiers of unjudged documents follow those of all judged ones.
            item, pairs = lists.item(), len(judged.topic)
            unjudged = item >= pairs
            step = np.where(unjudged, item.max(initial=0) + 1 - pairs, pairs)
            by = step * np.arange(times)[:, None] + unjudged * pairs * (times - 1)
            return (item + by).ravel()

        topics = len(judged.topics)
        return replace(
            self,
            lists=Lists(moved(lists.topics, topics), moved(lists.start, len(lists.list)),
                        np.tile(lists.length, times), moved(lists.list, len(lists.topics)),
                        moved(lists.pair, len(judged.topic)), np.tile(lists.codes, times),
                        items),
            judged=Judged([*judged.topics] * times, moved(judged.topic, topics),
                          np.tile(judged.relevance, times),
                          {rel: np.tile(codes, times) for rel, codes in judged.relevant.items()}))

    def reordered(self, rows: Ints) -> Rankings:
        """Return the rankings with other documents at the ranks.

        :param rows: the index of the document at each place, ``[n]``; of the same list
        """
        lists = self.lists
        return replace(self, lists=replace(lists, pair=lists.pair[rows], codes=lists.codes[rows],
                                           item=lambda: lists.item()[rows]))


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
    #: The group of each entry, an index into ``Labelled.labels``, ``[entries]``.
    group: Ints


class Labelled:
    """Rankings for one label set: only documents with a label in it are annotated."""

    def __init__(self, rankings: Rankings, labels: list[str], depth: int | None) -> None:
        self.rankings, self.labels = rankings, labels
        lists, judged, sets = rankings.lists, rankings.judged, rankings.sets
        usable = sets.any_of(labels)

        def known(codes: Ints) -> Ints:
            return codes if usable[:-1].all() else np.where(usable[codes], codes, -1)

        #: The label set of each ranked document, ``[n]``, −1 where it is unannotated.
        self.codes = known(lists.codes)
        rows = np.flatnonzero(self.codes >= 0)
        if depth is not None:
            of_list = lists.list[rows]
            start = np.searchsorted(of_list, np.arange(len(lists.topics)))
            rows = rows[np.arange(len(rows)) - start[of_list] < depth]
        #: The number of annotated documents of each list, ``[R]``, at most ``depth``.
        self.length = np.bincount(lists.list[rows], minlength=len(lists.topics))
        #: The label sets of these documents, list by list.
        self.condensed = self.codes[rows]
        #: The judged pair of each of these documents, −1 for an unjudged document.
        self.condensed_pair = lists.pair[rows]
        #: The index of the first document of each list in ``condensed``, ``[R + 1]``.
        self.start = np.concatenate(([0], np.cumsum(self.length)))
        #: For each ``rel``, the label set of each judged pair, ``[pairs]``.
        self.relevant = {rel: known(codes) for rel, codes in judged.relevant.items()}
        self._pooled: dict[int | None, Pooled] = {}
        #: The number of topics in a block, which limits the size of the arrays of a measure.
        self.block = self._block(len(lists.list) if depth is None else depth)

    def _block(self, depth: int) -> int:
        lists, topic = self.rankings.lists, self.rankings.judged.topic
        deepest = int(np.bincount(lists.topics).max(initial=1)
                      * np.minimum(lists.length, depth).max(initial=1))
        judged = max((int(np.bincount(topic[codes >= 0]).max(initial=0))
                      for codes in self.relevant.values()), default=0)
        # A block of b topics has at most min(len(sets), b · (deepest + judged)) label sets.
        sets = max(BLOCK_CELLS // max(len(self.rankings.sets), 1),
                   isqrt(BLOCK_CELLS // (deepest + judged)))
        return max(1, min(BLOCK_CELLS // deepest, sets))

    def pooled(self, rel: int | None) -> Pooled:
        """Return the judged documents of all topics with a relevance of at least ``rel``.

        :param rel: ``None`` for all judged documents
        """
        if rel not in self._pooled:
            codes = self.relevant[rel]
            codes, counts = np.unique(codes[codes >= 0], return_counts=True)
            sets = self.rankings.sets
            row, label, share = sets.entries(codes)
            group = recoded(label, sets.labels, self.labels)
            known = group >= 0
            if not known.all():  # labels of the targets of other measures
                row, share, group = row[known], share[known], group[known]
                share = share / np.bincount(row, share)[row]
            self._pooled[rel] = Pooled(counts, sets.weighted[codes], row, share, group)
        return self._pooled[rel]
