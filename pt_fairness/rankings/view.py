"""What a measure sees: the ranked documents of a block of topics, with their groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np

from pt_fairness.numerics import BLOCK_CELLS, Bools, Floats, Ints, distinct, within
from pt_fairness.rankings.labelsets import LabelSets


@dataclass(frozen=True)
class Lists:
    """The ranked documents of all topics, topic by topic and in order of rank."""

    #: The topic of each document, ``[n]``.
    topic: Ints
    #: Its judged pair, ``[n]``, −1 where it is unjudged.
    pair: Ints
    #: Its label set, ``[n]``, −1 where it is unannotated.
    codes: Ints
    #: Where the list of each topic starts, ``[T]``, and how many documents it has.
    start: Ints
    length: Ints


@dataclass(frozen=True)
class Judged:
    """The judged documents of all topics."""

    #: The names of the topics, ``[T]``.
    topics: Sequence[str]
    #: The topic and the relevance of each judged pair, ``[pairs]``.
    topic: Ints
    relevance: Any
    #: For each ``rel``, the label set of each pair of at least that relevance, −1 for the others.
    relevant: dict[int, Ints]


@dataclass(frozen=True)
class Rankings:
    """The ranked and the judged documents of all topics, with the groups of one source."""

    lists: Lists
    judged: Judged
    #: The label sets that the codes refer to.
    sets: LabelSets
    #: The label set G, sorted.
    labels: list[str]

    def views(self, added: Sequence[str] = (), depth: int | None = None) -> Iterator[View]:
        """Yield the topics in blocks, so that no array of a measure gets much larger than one.

        :param added: labels that belong to the label set too; others are no annotation
        :param depth: how many annotated documents of a list matter, ``None`` for all
        """
        labelled = _Labelled(self, sorted({*self.labels, *added}), depth)
        for start in range(0, len(labelled.length), labelled.block):
            yield View(labelled, slice(start, min(start + labelled.block, len(labelled.length))))


class _Labelled:
    """Rankings for one label set: only documents with a label in it are annotated."""

    def __init__(self, rankings: Rankings, labels: list[str], depth: int | None) -> None:
        self.lists, self.judged = rankings.lists, rankings.judged
        self.sets, self.labels = rankings.sets, labels
        lists, judged, sets = self.lists, self.judged, self.sets
        usable = np.append(sets.any_of(np.arange(len(sets)), labels), False)
        self.codes = np.where(usable[lists.codes], lists.codes, -1)
        rows = np.flatnonzero(self.codes >= 0)
        topic = lists.topic[rows]
        self.length = np.bincount(topic, minlength=len(lists.length))
        if depth is not None:
            start = np.cumsum(self.length) - self.length
            rows = rows[np.arange(len(rows)) - start[topic] < depth]
            self.length = np.minimum(self.length, depth)
        self.condensed = self.codes[rows]
        self.start = np.concatenate(([0], np.cumsum(self.length)))
        #: For each ``rel``, the topic and label set of the annotated pairs, sorted by topic.
        self.relevant: dict[int, tuple[Ints, Ints]] = {}
        for rel, codes in judged.relevant.items():
            pairs = np.flatnonzero((codes >= 0) & usable[codes])
            pairs = pairs[np.argsort(judged.topic[pairs], kind="stable")]
            self.relevant[rel] = judged.topic[pairs], codes[pairs]
        self._pooled: dict[int, tuple[Ints, Ints, Floats, Ints]] = {}
        #: How many topics a block has.
        self.block = self._block(len(lists.topic) if depth is None else depth)

    def _block(self, depth: int) -> int:
        deepest = int(np.minimum(self.lists.length, depth).max(initial=1))
        judged = max((int(np.bincount(topic).max(initial=0)) for topic, _ in self.relevant.values()),
                     default=0)
        # A block of b topics has at most min(len(sets), b · (deepest + judged)) label sets.
        sets = max(BLOCK_CELLS // max(len(self.sets), 1), isqrt(BLOCK_CELLS // (deepest + judged)))
        return max(1, min(BLOCK_CELLS // deepest, sets))

    def pooled(self, rel: int) -> tuple[Ints, Ints, Floats, Ints]:
        """Return the judged documents of at least ``rel`` of all topics, by label set.

        :returns: the number of documents of each label set, ``[P]``; and the entries of these sets:
            the set, the share and the group (a place in ``labels``) of each, ``[entries]``
        """
        if rel not in self._pooled:
            codes, counts = np.unique(self.relevant[rel][1], return_counts=True)
            row, label, share = self.sets.entries(codes)
            place = {name: i for i, name in enumerate(self.labels)}
            group = np.array([place.get(name, -1) for name in self.sets.labels] + [-1])[label]
            self._pooled[rel] = counts, row[group >= 0], share[group >= 0], group[group >= 0]
        return self._pooled[rel]


class View:
    """The ranked documents of a block of topics, with their groups.

    ``T`` topics, ``S`` label sets, ``L = len(labels)`` groups. The *code* of a document is the
    number of its label set, a row of ``share`` and ``member``, and −1 if it is unannotated.
    """

    def __init__(self, rankings: _Labelled, topics: slice) -> None:
        self._all, self._topics = rankings, topics
        #: The label set G, sorted.
        self.labels: list[str] = rankings.labels
        #: The names of the topics, ``[T]``.
        self.qids: Sequence[str] = rankings.judged.topics[topics]
        #: How many annotated documents each topic has, ``[T]``.
        self.length: Ints = rankings.length[topics]
        self._start = rankings.start[topics]
        self._rows = slice(rankings.start[topics.start], rankings.start[topics.stop])
        ranked = rankings.condensed[self._rows]
        relevant = {}
        for rel, (topic, codes) in rankings.relevant.items():
            rows = slice(*np.searchsorted(topic, [topics.start, topics.stop]))
            relevant[rel] = topic[rows] - topics.start, codes[rows]
        self._sets = distinct(np.concatenate([ranked, *(codes for _, codes in relevant.values())]))
        #: The share of each group in a document of each label set, ``[S, L]``; rows sum to 1.
        self.share: Floats = rankings.sets.shares(self._sets, self.labels)
        #: Whether a document of each label set is in each group, ``[S, L]``.
        self.member: Bools = self.share > 0
        self._condensed = self._local(ranked)
        self._relevant = {rel: self._count(topic, self._local(codes))
                          for rel, (topic, codes) in relevant.items()}

    def __len__(self) -> int:
        return len(self.length)

    def _local(self, codes: Ints) -> Ints:
        """Return codes of all topics as codes of this block; those that are not in it are −1."""
        return np.where(codes >= 0, np.searchsorted(self._sets, codes), -1).astype(np.int32)

    def _count(self, topic: Ints, codes: Ints) -> Ints:
        sets = len(self._sets)
        counts = np.bincount(topic * sets + codes, minlength=len(self) * sets)
        return counts.reshape(len(self), sets)

    def condensed(self, cutoff: int | None) -> tuple[Ints, Ints]:
        """Return the lists without unannotated documents, cut at ``cutoff``.

        :returns: codes ``[T, D]``, −1 past the end of a list, and the lengths ``[T]``
        """
        n = self.length if cutoff is None else np.minimum(self.length, cutoff)
        return _matrix(self._condensed, self._start - self._rows.start, n, -1), n

    def full(self, cutoff: int | None) -> tuple[Ints, Ints, Ints]:
        """Return the lists as they were returned, cut at ``cutoff``.

        :returns: codes ``[T, D]`` (−1: unannotated, or past the end), relevance ``[T, D]`` (0 where
            a document is unjudged) and the lengths ``[T]``
        """
        lists, relevance = self._all.lists, self._all.judged.relevance
        n = lists.length[self._topics]
        n = n if cutoff is None else np.minimum(n, cutoff)
        start = lists.start[self._topics]
        pair = _matrix(lists.pair, start, n, -1)
        codes = self._local(_matrix(self._all.codes, start, n, -1))
        return codes, np.where(pair >= 0, np.append(relevance, 0)[pair], 0), n

    def relevant(self, rel: int) -> Ints:
        """Return how many judged documents of at least ``rel`` have each label set, ``[T, S]``."""
        return self._relevant[rel]

    @cached_property
    def in_run(self) -> Ints:
        """How many documents of the whole condensed run have each label set, ``[T, S]``."""
        topic = np.repeat(np.arange(len(self)), self.length)
        return self._count(topic, self._condensed)

    def pooled(self, rel: int) -> Floats:
        """Return the judged documents of at least ``rel`` of all topics by group, ``[L]``.

        A document of several groups counts its share towards each.
        """
        counts, row, share, group = self._all.pooled(rel)
        return np.bincount(group, share * counts[row], minlength=len(self.labels)).astype(float)

    def pooled_in(self, rel: int, chosen: Bools) -> Floats:
        """Return how many of these documents are in any chosen group, ``[T]``.

        :param chosen: which groups are chosen for each topic, ``[T, L]``
        """
        counts, row, _, group = self._all.pooled(rel)
        rows, where = np.unique(chosen, axis=0, return_inverse=True)
        found = [counts[distinct(row[one[group]])].sum() for one in rows]
        return np.array(found, float)[where.reshape(-1)]


def _matrix(flat: Ints, start: Ints, n: Ints, empty: int) -> Ints:
    """Return the first ``n[t]`` values from ``start[t]`` on as rows of a matrix."""
    depth = int(n.max(initial=0))
    if len(flat) == 0:
        return np.full((len(n), depth), empty, np.int32)
    places = np.minimum(start[:, None] + np.arange(depth), len(flat) - 1)
    return np.where(within(depth, n), flat[places], empty)
