"""The input of a measure: the ranked documents of a block of topics, with their groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from pt_fairness.core.arrays import BLOCK_CELLS, Bools, Floats, Ints, mean_of_lists, positions
from pt_fairness.rankings.labelled import LabelSets, Rankings


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

    def __init__(self, rankings: Rankings, topics: slice) -> None:
        self._rankings, self._first = rankings, topics.start
        sets, condensed = rankings.sets, rankings.condensed
        ends = [topics.start, topics.stop]
        self._pairs = slice(*np.searchsorted(rankings.pair_topic, ends))
        self._lists = slice(*np.searchsorted(rankings.list_topic, ends))
        #: The names of the topics, ``[T]``.
        self.topics: Sequence[str] = rankings.topics[topics]
        #: The topic of each list, an index into ``topics``, ``[R]``.
        self.topic: Ints = rankings.list_topic[self._lists] - topics.start
        #: The label set G, sorted.
        self.labels: list[str] = rankings.labels
        #: The labels as the group source orders them, lowest first; ``None`` if it declares no
        #: order.
        self.order: Sequence[str] | None = rankings.order
        #: The number of annotated documents of each list, ``[R]``.
        self.length: Ints = condensed.length[self._lists]
        self._start = condensed.start[self._lists]
        rows = slice(*condensed.start[[self._lists.start, self._lists.stop]])
        ranked = condensed.codes[rows]
        used = np.zeros(len(sets.weighted) + 1, bool)  # the last element is that of −1
        used[ranked] = True
        for codes in rankings.relevant.values():
            used[codes[self._pairs]] = True
        self._sets = np.flatnonzero(used[:-1])
        # The code of each label set in this view; −1 stays −1.
        self._code = np.full(len(used), -1, np.int32)
        self._code[self._sets] = np.arange(len(self._sets))
        #: The share of each group in a document of each label set, ``[S, L]``; rows sum to 1.
        self.share: Floats = sets.shares(self._sets, self.labels)
        #: Whether a document of each label set is in each group, ``[S, L]``.
        self.member: Bools = self.share > 0
        #: Whether the shares of each label set are weights of a group source, ``[S]``.
        self.weighted: Bools = sets.weighted[self._sets]
        #: The degree of membership of each label set in each group, ``[S, L]``: the share of the
        #: group if the shares are weights, and otherwise 1 for each of its groups.
        self.degree: Floats = np.where(self.weighted[:, None], self.share, self.member)
        self._condensed = self._code[ranked]
        # The topic of each judged pair of these topics.
        self._pair_topic = rankings.pair_topic[self._pairs] - topics.start
        self._counts: dict[int | None, Floats] = {}
        self._documents: dict[int | None, Documents] = {}
        #: The labels and the numbers of :meth:`note`, by name; ``None`` if they are not kept.
        self.notes: dict[str, tuple[Any, Any]] | None = None

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
                self.notes[prefix + name.replace("_", " ")] = labels, values

    def __len__(self) -> int:
        return len(self.length)

    @cached_property
    def first_list(self) -> Ints:
        """The index of the first list of each topic, ``[T]``."""
        return np.searchsorted(self.topic, np.arange(len(self.topics)))

    @cached_property
    def lists(self) -> Ints:
        """The number of lists of each topic, ``[T]``."""
        return np.bincount(self.topic, minlength=len(self.topics))

    @cached_property
    def qids(self) -> Sequence[str]:
        """The name of the topic of each list, ``[R]``."""
        return [self.topics[topic] for topic in self.topic]

    @classmethod
    def blocks(cls, rankings: Rankings) -> Iterator[View]:
        """Yield a view of each block of topics, which limits the size of arrays of a measure."""
        depth = len(rankings.list_of) if rankings.depth is None else rankings.depth
        longest = np.minimum(rankings.length, depth).max(initial=1)
        deepest = int(longest * np.bincount(rankings.list_topic).max(initial=1))
        count = np.bincount(rankings.pair_topic)
        judged = int(count.max(initial=0))
        # A block of b topics has at most min(len(sets), b · (deepest + judged)) label sets.
        least = isqrt(BLOCK_CELLS // (deepest + judged))
        sets = max(len(rankings.sets.weighted), 1)
        by_sets = max(BLOCK_CELLS // sets, least)
        block = max(1, min(BLOCK_CELLS // deepest, by_sets))
        topics = len(rankings.topics)
        for start in range(0, topics, block):
            yield cls(rankings, slice(start, min(start + block, topics)))

    def sums_by_code(self, rows: int, row: Ints, codes: Ints,
                     values: Floats | None = None) -> Floats:
        """Return the sum of the values of each row and label set, ``[rows, S]``.

        ``row`` and ``values`` are broadcast to the shape of ``codes``.

        :param rows: the number of rows
        :param row: the row of each value, such as its topic
        :param codes: the code of each value; values with −1 are ignored
        :param values: by default each value is 1
        """
        columns = len(self._sets) + 1
        cells = row * columns + codes + 1
        if values is not None:
            values = np.broadcast_to(values, cells.shape).ravel()
        sums = np.bincount(cells.ravel(), values, rows * columns)
        table = sums.reshape(rows, columns).astype(float)
        return table[:, 1:]

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
        start = self._start - self._start[:1]
        return _matrix(self._condensed, start, self.length, cutoff)

    def condensed_relevance(self, cutoff: int | None) -> Any:
        """Return the relevance of the documents of :meth:`condensed`, ``[R, D]``, 0 past the end.
        """
        pairs = self._rankings.condensed.pair
        pair, _ = _matrix(pairs, self._start, self.length, cutoff)
        return self._relevance(pair)

    def _full(self, values: Any, cutoff: int | None, empty: float = -1) -> tuple[Any, Ints]:
        """Return values of the documents of the lists, ``[R, D]``, and the lengths, ``[R]``.

        :param values: the value of each ranked document, ``[n]``
        :param empty: the value past the end of a list
        """
        start, length = self._rankings.start[self._lists], self._rankings.length[self._lists]
        return _matrix(values, start, length, cutoff, empty)

    def full(self, cutoff: int | None) -> tuple[Ints, Ints, Ints]:
        """Return the lists with their unannotated documents, cut at ``cutoff``.

        :returns: the codes ``[R, D]`` (−1 for unannotated documents and past the end), the
            relevance ``[R, D]`` (0 for unjudged documents and past the end) and the lengths ``[R]``
        """
        codes, n = self._full(self._rankings.codes, cutoff)
        pair, _ = self._full(self._rankings.pair, cutoff)
        return self._code[codes], self._relevance(pair), n

    def full_relevant(self, cutoff: int | None, rel: int) -> Ints:
        """Return the codes of the relevant documents of the lists of :meth:`full`, ``[R, D]``.

        The codes of other documents, and past the end, are −1. If the groups are from rows of the
        qrels, only rows with a relevance of at least ``rel`` contribute them.
        """
        pair, _ = self._full(self._rankings.pair, cutoff)
        codes = self._rankings.relevant[rel][pair]
        codes = np.where(pair >= 0, codes, -1)
        return self._code[codes]

    def _relevance(self, pair: Ints) -> Any:
        """Return the relevance of judged pairs, 0 for −1."""
        return np.where(pair >= 0, self._rankings.relevance[pair], 0)

    def relevant(self, rel: int | None) -> Floats:
        """Count the judged documents of each label set with a relevance of at least ``rel``.

        The counts are those of the topic of each list, ``[R, S]``.

        :param rel: ``None`` for all judged documents
        """
        if rel not in self._counts:
            of_pairs = self._rankings.relevant[rel][self._pairs]
            codes = self._code[of_pairs]
            self._counts[rel] = self.sums_by_code(len(self.topics), self._pair_topic, codes)
        counts = self._counts[rel]
        return counts if len(self.topics) == len(self.length) else counts[self.topic]

    @cached_property
    def highest_relevance(self) -> Any:
        """The highest relevance of a judged document of the topic of each list, ``[R]``."""
        first = np.searchsorted(self._pair_topic, np.arange(len(self.topics)))
        # Each topic of the qrels has a judged document.
        relevance = self._rankings.relevance[self._pairs]
        return np.maximum.reduceat(relevance, first)[self.topic]

    @property
    def highest_relevance_of_all(self) -> Any:
        """The highest relevance of a judged document of all topics."""
        return self._rankings.relevance.max()

    @cached_property
    def judgments(self) -> tuple[Ints, Ints, Any]:
        """The topic, the code and the relevance of each judged document, ``[N]`` each."""
        rankings, pairs = self._rankings, self._pairs
        codes = self._code[rankings.relevant[None][pairs]]
        return self._pair_topic, codes, rankings.relevance[pairs]

    @cached_property
    def in_run(self) -> Floats:
        """The number of documents of each label set in each condensed list, ``[R, S]``."""
        lists = len(self.length)
        row = np.repeat(np.arange(lists), self.length)
        return self.sums_by_code(lists, row, self._condensed)

    def pooled(self, rel: int | None) -> Floats:
        """Count the judged documents of each group over all topics, ``[L]``.

        A document of several groups adds its share to each of them.

        :param rel: the lowest relevance that counts, ``None`` for all judged documents
        """
        pooled = self._rankings.pooled(rel)
        counts = pooled.share * pooled.counts[pooled.row]
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
        first = np.searchsorted(pooled.row, np.arange(len(pooled.counts)))
        shares = pooled.share * chosen[:, pooled.group]
        share = np.add.reduceat(shares, first, axis=1)
        return np.where(pooled.weighted, share, share > 0) @ pooled.counts

    def values(self, source: Hashable, cutoff: int | None) -> tuple[Floats, Ints]:
        """Return the values of the ranked documents, cut at ``cutoff``.

        :param source: a value source
        :returns: the values ``[R, D]``, NaN where a document has none and past the end of a list,
            and the lengths ``[R]``
        :raises ValueError: the rankings have no values of this source
        """
        return self._full(_looked_up(self._rankings.values, source), cutoff, np.nan)

    def background(self, name: Hashable, source: Hashable) -> tuple[Ints, Floats]:
        """Return the values of the documents of a background.

        :param name: the key of the background
        :param source: a value source
        :returns: the topic of each document, an index into ``topics``, ``[N]``, and the value of
            each document, ``[N]``, NaN where it has none
        :raises ValueError: the rankings have no such background
        """
        background = _looked_up(self._rankings.backgrounds, name)
        last = self._first + len(self.topics)
        rows = slice(*np.searchsorted(background.topic, [self._first, last]))
        topic = background.topic[rows] - self._first
        return topic, background.values[source][rows]

    def attribute(self, source: str, cutoff: int | None) -> tuple[LabelSets, Ints, Ints]:
        """Return the groups of one of several sources.

        :returns: the label sets, the code of each ranked document of ``documents(cutoff)``,
            ``[n]``, and the code of each document of :attr:`judgments`, ``[N]``; −1 for documents
            that the source does not know
        """
        documents = self.documents(cutoff)
        attribute = _looked_up(self._rankings.attributes, source)
        start = self._rankings.start[self._lists]
        ranked = start[documents.list] + documents.place
        return attribute.sets, attribute.codes[ranked], attribute.pair_codes[self._pairs]

    def documents(self, cutoff: int | None) -> Documents:
        """Return the documents that are judged or in the first ``cutoff`` ranks of a list."""
        if cutoff in self._documents:
            return self._documents[cutoff]
        rankings, judged = self._rankings, len(self._pair_topic)
        n = rankings.length[self._lists]
        if cutoff is not None:
            n = np.minimum(n, cutoff)
        row = np.repeat(np.arange(len(n)), n)
        place = positions(row)
        ranked = rankings.start[self._lists][row] + place
        item = rankings.item()[ranked]
        unjudged = item >= len(rankings.pair_topic)
        _, first, number = np.unique(item[unjudged], return_index=True, return_inverse=True)
        # First the judged documents, then the unjudged ones.
        of_unjudged = self.topic[row[unjudged]]
        topic = np.append(self._pair_topic, of_unjudged[first])
        pair = np.full(len(topic), -1)
        pair[:judged] = np.arange(self._pairs.start, self._pairs.stop)
        document = item - self._pairs.start
        document[unjudged] = judged + number
        codes = np.empty(len(pair), np.int32)
        codes[document] = rankings.codes[ranked]
        codes[:judged] = rankings.relevant[None][self._pairs]
        order = np.argsort(topic, kind="stable")
        pair = pair[order]
        index = np.argsort(order, kind="stable")[document]
        codes = self._code[codes[order]]
        relevance = self._relevance(pair)
        documents = Documents(topic[order], codes, relevance, pair >= 0, row, place, index)
        self._documents[cutoff] = documents
        return documents


def _looked_up(sources: Mapping[Hashable, Any], key: Hashable) -> Any:
    if key not in sources:
        raise ValueError(f"{key!r} cannot be looked up here; measures of it can be "
                         "evaluated, but not explained or drawn")
    return sources[key]


def _matrix(flat: Any, start: Ints, length: Ints, cutoff: int | None,
            empty: float = -1) -> tuple[Any, Ints]:
    """Return the values of lists as rows, ``[R, D]``, and their lengths, ``[R]``.

    :param flat: the values, list by list
    :param start: the index of the first value of each list, ``[R]``
    :param length: the number of values of each list, ``[R]``, which are cut at ``cutoff``
    :param empty: the value past the end of a list
    """
    n = length if cutoff is None else np.minimum(length, cutoff)
    depth = int(n.max(initial=0))
    ranks = np.arange(depth)
    places = np.minimum(start[:, None] + ranks, len(flat) - 1)
    past = flat.dtype.type(empty)
    return np.where(ranks < n[:, None], flat[places], past), n
