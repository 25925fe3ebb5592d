"""The input of a measure: the ranked documents of a block of topics, with their groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from pt_fairness.core.arrays import (
    BLOCK_CELLS,
    Bools,
    Floats,
    Ints,
    is_new,
    mean_of_lists,
    ranges,
)
from pt_fairness.rankings.labelled import LabelSets, Rankings


class Lists(NamedTuple):
    """The places of lists in an array of their documents."""

    #: The index of the first document of each list, ``[R]``.
    start: Ints
    #: The number of documents of each list, ``[R]``.
    length: Ints

    def matrix(self, flat: Any, cutoff: int | None, empty: float = -1) -> tuple[Any, Ints]:
        """Return the values of the first ``cutoff`` documents of each list, ``[R, D]``.

        :param flat: the value of each document, ``[n]``
        :param empty: the value past the end of a list
        :returns: the values, and the number of these documents of each list, ``[R]``
        """
        n = self.length
        if cutoff is not None:
            n = np.minimum(n, cutoff)
        ranks = np.arange(n.max(initial=0))
        places = self.start[:, None] + ranks
        values = flat.take(places, mode="clip")
        inside = ranks < n[:, None]
        return np.where(inside, values, empty), n


class Documents(NamedTuple):
    """The distinct documents of a block of topics, ranked or judged, sorted by topic."""

    #: The topic of each document, an index into ``View.topics``, ``[N]``.
    topic: Ints
    #: The code of each document, ``[N]``, −1 where it is unannotated.
    codes: Ints
    #: The relevance of each document, ``[N]``, 0 where it is unjudged.
    relevance: Ints
    #: Whether each document is judged, ``[N]``.
    judged: Bools
    #: The list of each ranked document, ``[n]``, ascending.
    list: Ints
    #: The 0-based rank of each ranked document, ``[n]``.
    place: Ints
    #: The index of each ranked document in ``topic``, ``[n]``.
    document: Ints


class View:
    """The ranked documents of a block of topics, with their groups.

    Shapes: ``T`` topics, ``R`` lists, ``S`` label sets, ``L = len(labels)`` groups. A topic has one
    list, or several if the run holds several rankings of it. The *code* of a document is the index
    of its label set in the rows of ``share`` and ``member``, and −1 if it is unannotated.

    :param topics: the block
    """

    #: The names of the topics, ``[T]``.
    topics: Sequence[str]
    #: The topic of each list, an index into ``topics``, ``[R]``.
    topic: Ints
    #: The label set G, sorted.
    labels: list[str]
    #: The labels as the group source orders them, lowest first; ``None`` if it declares no order.
    order: Sequence[str] | None
    #: The number of annotated documents of each list, ``[R]``.
    length: Ints
    #: The share of each group in a document of each label set, ``[S, L]``; rows sum to 1.
    share: Floats
    #: Whether a document of each label set is in each group, ``[S, L]``.
    member: Bools
    #: Whether the shares of each label set are weights of a group source, ``[S]``.
    weighted: Bools
    #: The degree of membership of each label set in each group, ``[S, L]``: the share of the group
    #: if the shares are weights, and otherwise 1 for each of its groups.
    degree: Floats
    #: The labels and the numbers of :meth:`note`, by name; ``None`` if they are not kept.
    notes: dict[str, tuple[Any, Any]] | None = None

    def __init__(self, rankings: Rankings, topics: slice) -> None:
        self._rankings = rankings
        self._first = first = topics.start
        ends = [first, topics.stop]
        self.topics = rankings.topics[topics]
        self.labels = rankings.labels
        self.order = rankings.order
        pairs = slice(*np.searchsorted(rankings.pair_topic, ends))
        pair_topic = rankings.pair_topic[pairs]
        self._pairs = pairs
        # The topic of each judged pair of these topics.
        self._pair_topic = pair_topic - first
        lists = slice(*np.searchsorted(rankings.list_topic, ends))
        topic = rankings.list_topic[lists]
        self.topic = topic - first
        start = rankings.start[lists]
        length = rankings.length[lists]
        self._lists = Lists(start, length)
        condensed = rankings.condensed
        start = condensed.start[lists]
        length = condensed.length[lists]
        self.length = length
        self._condensed = Lists(start, length)
        end = start[-1] + length[-1]
        # The label set of each document of the condensed lists, an index into ``rankings.sets``.
        self._ranked = condensed.codes[start[0]:end]
        sets = rankings.sets
        is_used = np.zeros(len(sets.weighted) + 1, bool)
        is_used[self._ranked] = True
        for of_pairs in rankings.relevant.values():
            codes = of_pairs[pairs]
            is_used[codes] = True
        used = np.flatnonzero(is_used[:-1])  # the last element is that of −1
        # The code of each label set of the rankings in this view; −1 stays −1.
        self._code = np.full(len(sets.weighted) + 1, -1, np.int32)
        self._code[used] = np.arange(len(used))
        self.share = sets.shares(used, self.labels)
        self.member = self.share > 0
        self.weighted = sets.weighted[used]
        weighted = self.weighted[:, None]
        self.degree = np.where(weighted, self.share, self.member)
        self._counts: dict[int | None, Floats] = {}
        self._documents: dict[int | None, Documents] = {}

    def note(self, labels: Sequence[str] | None = None, prefix: str = "", /, **numbers: Any
             ) -> None:
        """Keep intermediate numbers of a measure, if :attr:`notes` is a dictionary.

        :param labels: the labels of the numbers; ``None`` for numbers by rank, ``[R, D]`` or
            ``[1, D]``, of the documents that count, and for a number of each list, ``[R]``
        :param prefix: a prefix of the names
        :param numbers: the numbers by name, in which _ stands for a space
        """
        if self.notes is not None:
            for name, values in numbers.items():
                words = name.replace("_", " ")
                self.notes[prefix + words] = labels, values

    def __len__(self) -> int:
        return len(self.length)

    @cached_property
    def first_list(self) -> Ints:
        """The index of the first list of each topic, ``[T]``."""
        return np.cumsum(self.lists) - self.lists

    @cached_property
    def lists(self) -> Ints:
        """The number of lists of each topic, ``[T]``."""
        return np.bincount(self.topic)

    @cached_property
    def qids(self) -> Sequence[str]:
        """The name of the topic of each list, ``[R]``."""
        return [self.topics[topic] for topic in self.topic]

    @classmethod
    def blocks(cls, rankings: Rankings) -> Iterator[View]:
        """Yield a view of each block of topics, which limits the size of arrays of a measure."""
        longest = rankings.length.max(initial=1)
        if rankings.depth is not None:
            longest = min(longest, rankings.depth)
        lists = np.bincount(rankings.list_topic)
        deepest = int(longest * lists.max(initial=1))
        count = np.bincount(rankings.pair_topic)
        judged = int(count.max(initial=0))
        # A block of b topics has at most min(sets, b · (deepest + judged)) label sets.
        sets = max(len(rankings.sets.weighted), 1)
        least = isqrt(BLOCK_CELLS // (deepest + judged))
        by_sets = max(BLOCK_CELLS // sets, least)
        by_depth = BLOCK_CELLS // deepest
        block = max(1, min(by_depth, by_sets))
        for start in range(0, len(rankings.topics), block):
            yield cls(rankings, slice(start, start + block))

    def sums_by_code(self, rows: int, row: Ints, codes: Ints,
                     values: Floats | None = None) -> Floats:
        """Return the sum of the values of each row and label set, ``[rows, S]``.

        ``row`` and ``values`` are broadcast to the shape of ``codes``.

        :param rows: the number of rows
        :param row: the row of each value, such as its topic
        :param codes: the code of each value; values with −1 are ignored
        :param values: by default each value is 1
        """
        columns = len(self.share) + 1
        cells = row * columns + codes + 1
        if values is not None:
            values = np.broadcast_to(values, cells.shape).ravel()
        sums = np.bincount(cells.ravel(), values, rows * columns)
        table = sums.reshape(rows, columns)
        return table[:, 1:].astype(float)

    def mean_of_lists(self, values: Floats) -> Floats:
        """Return the mean value over the lists of each topic, ``[T]``.

        :param values: the value of each list, ``[R]``, or of each topic, ``[T]``
        """
        if len(values) == len(self.topics):
            return values
        return mean_of_lists(values, self.topic)

    def condensed(self, cutoff: int | None) -> tuple[Ints, Ints]:
        """Return the condensed lists (without unannotated documents), cut at ``cutoff``.

        :returns: the codes ``[R, D]``, −1 past the end of a list, and the lengths ``[R]``
        """
        flat = self._rankings.condensed.codes
        codes, n = self._condensed.matrix(flat, cutoff)
        return self._code[codes], n

    def condensed_relevance(self, cutoff: int | None) -> Any:
        """Return the relevance of the documents of :meth:`condensed`, ``[R, D]``, 0 past the end.
        """
        flat = self._rankings.condensed.pair
        pair, _ = self._condensed.matrix(flat, cutoff)
        return self._relevance(pair)

    def full(self, cutoff: int | None) -> tuple[Ints, Ints, Ints]:
        """Return the lists with their unannotated documents, cut at ``cutoff``.

        :returns: the codes ``[R, D]`` (−1 for unannotated documents and past the end), the
            relevance ``[R, D]`` (0 for unjudged documents and past the end) and the lengths ``[R]``
        """
        codes, n = self._lists.matrix(self._rankings.codes, cutoff)
        pair, _ = self._lists.matrix(self._rankings.pair, cutoff)
        relevance = self._relevance(pair)
        return self._code[codes], relevance, n

    def full_relevant(self, cutoff: int | None, rel: int) -> Ints:
        """Return the codes of the relevant documents of the lists of :meth:`full`, ``[R, D]``.

        The codes of other documents, and past the end, are −1. If the groups are from rows of the
        qrels, only rows with a relevance of at least ``rel`` contribute them.
        """
        pair, _ = self._lists.matrix(self._rankings.pair, cutoff)
        of_pairs = self._rankings.relevant[rel]
        codes = np.where(pair >= 0, of_pairs[pair], -1)
        return self._code[codes]

    def _relevance(self, pair: Ints) -> Any:
        """Return the relevance of judged pairs, 0 for −1."""
        relevance = self._rankings.relevance[pair]
        return np.where(pair >= 0, relevance, 0)

    def relevant(self, rel: int | None) -> Floats:
        """Count the judged documents of each label set with a relevance of at least ``rel``.

        The counts are those of the topic of each list, ``[R, S]``.

        :param rel: ``None`` for all judged documents
        """
        if rel not in self._counts:
            of_pairs = self._rankings.relevant[rel]
            codes = self._code[of_pairs[self._pairs]]
            self._counts[rel] = self.sums_by_code(len(self.topics), self._pair_topic, codes)
        counts = self._counts[rel]
        if len(counts) == len(self.length):
            return counts
        return counts[self.topic]

    @cached_property
    def highest_relevance(self) -> Any:
        """The highest relevance of a judged document of the topic of each list, ``[R]``."""
        relevance = self._rankings.relevance[self._pairs]
        first = np.flatnonzero(is_new(self._pair_topic))  # each topic has a judged document
        highest = np.maximum.reduceat(relevance, first)
        return highest[self.topic]

    @property
    def highest_relevance_of_all(self) -> Any:
        """The highest relevance of a judged document of all topics."""
        return self._rankings.relevance.max()

    @cached_property
    def judgments(self) -> tuple[Ints, Ints, Any]:
        """The topic, the code and the relevance of each judged document, ``[N]`` each."""
        of_pairs = self._rankings.relevant[None]
        codes = self._code[of_pairs[self._pairs]]
        relevance = self._rankings.relevance[self._pairs]
        return self._pair_topic, codes, relevance

    @cached_property
    def in_run(self) -> Floats:
        """The number of documents of each label set in each condensed list, ``[R, S]``."""
        codes = self._code[self._ranked]
        row = np.repeat(np.arange(len(self)), self.length)
        return self.sums_by_code(len(self), row, codes)

    def pooled(self, rel: int | None) -> Floats:
        """Count the judged documents of each group over all topics, ``[L]``.

        A document of several groups adds its share to each of them.

        :param rel: the lowest relevance that counts, ``None`` for all judged documents
        """
        pooled = self._rankings.pooled(rel)
        documents = pooled.counts[pooled.row]
        counts = pooled.share * documents
        sums = np.bincount(pooled.group, counts, minlength=len(self.labels))
        return sums.astype(float)

    def pooled_in(self, rel: int | None, chosen: Bools) -> Floats:
        """Count the protected documents among the judged documents of all topics, ``[R]``.

        A document counts 1 if any of its groups is protected. If its shares are weights, it counts
        the sum of its shares of protected groups.

        :param rel: the lowest relevance that counts, ``None`` for all judged documents
        :param chosen: mask of the protected groups of each list, ``[R, L]``
        """
        pooled = self._rankings.pooled(rel)
        first = np.flatnonzero(is_new(pooled.row))
        shares = pooled.share * chosen[:, pooled.group]
        share = np.add.reduceat(shares, first, axis=1)
        degree = np.where(pooled.weighted, share, share > 0)
        return degree @ pooled.counts

    def values(self, source: Hashable, cutoff: int | None) -> tuple[Floats, Ints]:
        """Return the values of the ranked documents, cut at ``cutoff``.

        :param source: a value source
        :returns: the values ``[R, D]``, NaN where a document has none and past the end of a list,
            and the lengths ``[R]``
        :raises ValueError: the rankings have no values of this source
        """
        flat = _looked_up(self._rankings.values, source)
        return self._lists.matrix(flat, cutoff, np.nan)

    def background(self, name: Hashable, source: Hashable) -> tuple[Ints, Floats]:
        """Return the values of the documents of a background.

        :param name: the key of the background
        :param source: a value source
        :returns: the topic of each document, an index into ``topics``, ``[N]``, and the value of
            each document, ``[N]``, NaN where it has none
        :raises ValueError: the rankings have no such background
        """
        background = _looked_up(self._rankings.backgrounds, name)
        ends = [self._first, self._first + len(self.topics)]
        rows = slice(*np.searchsorted(background.topic, ends))
        topic = background.topic[rows]
        values = background.values[source]
        return topic - self._first, values[rows]

    def attribute(self, source: str, cutoff: int | None) -> tuple[LabelSets, Ints, Ints]:
        """Return the groups of one of several sources.

        :returns: the label sets, the code of each ranked document of ``documents(cutoff)``,
            ``[n]``, and the code of each document of :attr:`judgments`, ``[N]``; −1 for documents
            that the source does not know
        """
        documents = self.documents(cutoff)
        attribute = _looked_up(self._rankings.attributes, source)
        first = self._lists.start[documents.list]
        codes = attribute.codes[first + documents.place]
        return attribute.sets, codes, attribute.pair_codes[self._pairs]

    def documents(self, cutoff: int | None) -> Documents:
        """Return the documents that are judged or in the first ``cutoff`` ranks of a list."""
        if cutoff in self._documents:
            return self._documents[cutoff]
        rankings = self._rankings
        topic, codes, relevance = self.judgments
        judged = len(topic)
        start = self._lists.start
        length = self._lists.length
        if cutoff is not None:
            length = np.minimum(length, cutoff)
        row = np.repeat(np.arange(len(length)), length)
        ranked = ranges(start, length)
        # Judged documents have the smallest identifiers.
        item = np.arange(self._pairs.start, self._pairs.stop)
        item = np.append(item, rankings.item()[ranked])
        _, first, document = np.unique(item, return_index=True, return_inverse=True)
        of_ranked = self._code[rankings.codes[ranked]]
        codes = np.append(codes, of_ranked)[first]
        relevance = np.append(relevance, np.zeros_like(row))[first]
        topic = np.append(topic, self.topic[row])[first]
        order = np.argsort(topic, kind="stable")
        index = np.argsort(order, kind="stable")
        self._documents[cutoff] = Documents(
            topic[order], codes[order], relevance[order], order < judged, row, ranked - start[row],
            index[document[judged:]])
        return self._documents[cutoff]


def _looked_up(sources: Mapping[Hashable, Any], key: Hashable) -> Any:
    if key not in sources:
        raise ValueError(f"{key!r} cannot be looked up here; measures of it can be "
                         "evaluated, but not explained or drawn")
    return sources[key]
