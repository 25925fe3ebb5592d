"""The ranked and the judged documents of topics, with the groups of one source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pt_fairness.core.arrays import (
    BLOCK_CELLS,
    Bools,
    Floats,
    Ints,
    is_new,
    positions,
    ranges,
    topic_means,
)

if TYPE_CHECKING:  # pandas is not needed to declare measures
    from pt_fairness.groups.memberships import LabelSets


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
    #: The label set of each judged document, ``[N]``, −1 where the source does not know it.
    judged: Ints


class Documents(NamedTuple):
    """The distinct documents of rankings, ranked or judged, sorted by topic."""

    #: The topic of each document, an index into ``Rankings.topics``, ``[N]``.
    topic: Ints
    #: The code of each document, ``[N]``, −1 where it is unannotated.
    codes: Ints
    #: The relevance of each document, ``[N]``, 0 where it is unjudged.
    relevance: Ints
    #: Whether each document is judged, ``[N]``.
    judged: Bools
    #: The ranking of each ranked document, ``[n]``, ascending.
    ranking: Ints
    #: The 0-based rank of each ranked document, ``[n]``.
    place: Ints
    #: The index of each ranked document in ``topic``, ``[n]``.
    document: Ints


@dataclass(frozen=True, eq=False)
class Rankings:
    """The ranked and the judged documents of topics, with the groups of one source.

    Measures read :meth:`blocks` of topics, which have the same attributes as all topics.

    Shapes: ``T`` topics, ``R`` rankings, ``n`` ranked and ``N`` judged documents, ``S`` label sets,
    ``L = len(labels)`` groups. A topic has one ranking, or several if the run is sampled. Ranked
    documents are sorted by ranking and rank, judged ones by topic. The *code* of a document is its
    label set, an index into ``sets``, ``share`` and ``member``, and −1 if it is unannotated.
    """

    #: The names of the topics, ``[T]``.
    topics: Sequence[str]
    #: The topic of each ranking, an index into ``topics``, ``[R]``, ascending.
    topic: Ints
    #: The index of the first document of each ranking, ``[R]``.
    start: Ints
    #: The number of documents of each ranking whose groups were looked up, ``[R]``.
    looked_up: Ints
    #: The ranking of each ranked document, ``[n]``.
    ranking: Ints
    #: The judged document at each rank, ``[n]``, −1 for an unjudged one.
    pair: Ints
    #: The code of each ranked document, ``[n]``.
    codes: Ints
    #: Returns the identifier of each ranked document, ``[n]``: see ``Run.item``.
    item: Callable[[], Ints]
    #: The topic of each judged document, ``[N]``.
    judged_topic: Ints
    #: The relevance of each judged document, ``[N]``.
    relevance: Any
    #: For each ``rel``, the code of each judged document, ``[N]``; −1 below this
    #: relevance. The key ``None`` stands for any relevance.
    judged_codes: Mapping[int | None, Ints]
    #: The label sets.
    sets: LabelSets
    #: The groups G, sorted. Documents without any of these labels are unannotated.
    labels: list[str]
    #: The labels as the group source orders them, lowest first; ``None`` if it declares no order.
    order: Sequence[str] | None = None
    #: The labels of ranked documents without a label in G.
    foreign: Sequence[str] = ()
    #: For each value source, the value of each ranked document, ``[n]``, NaN where it has none.
    document_values: Mapping[Hashable, Floats] = field(default_factory=dict)
    backgrounds: Mapping[Hashable, Background] = field(default_factory=dict)
    #: The groups of each source in ``FairnessMeasure.joint``.
    attributes: Mapping[Hashable, Attribute] = field(default_factory=dict)
    #: The labels and the numbers of :meth:`note`, by name; ``None`` if they are not kept.
    notes: dict[str, tuple[Any, Any]] | None = None
    #: The rankings of all topics, of which these are a block; ``None`` for all topics.
    all_topics: Rankings | None = None
    _counts: dict[int | None, Floats] = field(default_factory=dict, init=False)
    _pooled: dict[int | None, Ints] = field(default_factory=dict, init=False)
    _documents: dict[int | None, Documents] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.topic)

    def restricted(self, added: Collection[str] = (), depth: int | None = None) -> Rankings:
        """Return the rankings in which other labels, and lower documents, are unannotated.

        :param added: labels to add to the groups G
        :param depth: the number of annotated documents of each ranking to keep, ``None`` for all
        """
        labels = sorted({*self.labels, *added})
        codes = self.codes
        judged_codes: Any = self.judged_codes
        if not set(labels).issuperset(self.sets.labels):
            usable = self.sets.any_of(labels)
            codes = np.where(usable[codes], codes, -1)
            judged_codes = {}
            for rel, table in self.judged_codes.items():
                judged_codes[rel] = np.where(usable[table], table, -1)
        if depth is not None:
            rows = np.flatnonzero(codes >= 0)
            below = rows[positions(self.ranking[rows]) >= depth]
            codes = codes.copy()
            codes[below] = -1
        return replace(self, labels=labels, codes=codes, judged_codes=judged_codes)

    def blocks(self, added: Collection[str] = (), depth: int | None = None) -> Iterator[Rankings]:
        """Yield the :meth:`restricted` rankings of blocks of topics, which limits memory."""
        restricted = self.restricted(added, depth)
        longest = self.looked_up.max(initial=1)
        if depth is not None:
            longest = min(longest, depth)
        samples = np.bincount(self.topic)
        deepest = int(longest * samples.max(initial=1))
        judged = np.bincount(self.judged_topic)
        documents = deepest + int(judged.max(initial=0))
        # A block of b topics has at most min(sets, b · documents) label sets.
        fewest = BLOCK_CELLS // max(len(self.sets), 1)
        fewest = max(fewest, isqrt(BLOCK_CELLS // documents))
        size = min(BLOCK_CELLS // deepest, fewest)
        size = max(size, 1)
        for first in range(0, len(self.topics), size):
            yield restricted.block(first, first + size)

    def block(self, first: int, stop: int) -> Rankings:
        """Return the rankings of the topics from ``first`` to before ``stop``."""
        ends = [first, stop]
        rankings = slice(*np.searchsorted(self.topic, ends))
        judged = slice(*np.searchsorted(self.judged_topic, ends))
        start = np.append(self.start, len(self.codes))
        documents = slice(start[rankings.start], start[rankings.stop])
        # The label sets of the block get codes of their own.
        codes = self.codes[documents]
        judged_codes = _rows_of(self.judged_codes, judged)
        is_used = np.zeros(len(self.sets) + 1, bool)
        for part in [codes, *judged_codes.values()]:
            is_used[part] = True
        used = np.flatnonzero(is_used[:-1])  # the last element belongs to −1
        sets = self.sets
        if len(used) != len(sets):
            code = np.full(len(is_used), -1, np.int32)
            code[used] = np.arange(len(used))
            codes = code[codes]
            judged_codes = {rel: code[table] for rel, table in judged_codes.items()}
            sets = sets.take(used)
        backgrounds = {}
        for name, (topic, values) in self.backgrounds.items():
            rows = slice(*np.searchsorted(topic, ends))
            backgrounds[name] = Background(topic[rows] - first, _rows_of(values, rows))
        attributes = {}
        for source, (all_sets, ranked_codes, pair_codes) in self.attributes.items():
            attributes[source] = Attribute(all_sets, ranked_codes[documents], pair_codes[judged])

        def items() -> Ints:
            item = self.item()
            return item[documents] - judged.start

        topic = self.topic[rankings] - first
        start = self.start[rankings] - documents.start
        looked_up = self.looked_up[rankings]
        ranking = self.ranking[documents] - rankings.start
        pair = self.pair[documents] - judged.start
        pair = np.maximum(pair, -1)
        judged_topic = self.judged_topic[judged] - first
        relevance = self.relevance[judged]
        document_values = _rows_of(self.document_values, documents)
        block = replace(self, topics=self.topics[first:stop], topic=topic, start=start,
                        looked_up=looked_up, ranking=ranking, pair=pair, item=items)
        return replace(block, codes=codes, sets=sets, judged_codes=judged_codes,
                       judged_topic=judged_topic, relevance=relevance, attributes=attributes,
                       document_values=document_values, backgrounds=backgrounds, all_topics=self)

    def repeated(self, times: int) -> Rankings:
        """Return the rankings ``times`` times, each with topics of its own."""
        turns = np.arange(times)[:, None]
        judged = len(self.relevance)

        def moved(indices: Ints, step: int) -> Ints:
            later = indices + step * turns
            return np.where(indices < 0, -1, later).ravel()

        def items() -> Ints:
            # Identifiers of unjudged documents are larger than all judged ones.
            item = self.item()
            later = item + judged * turns
            later_unjudged = item * times + turns
            return np.where(item < judged, later, later_unjudged).ravel()

        topics = len(self.topics)
        topic = moved(self.topic, topics)
        start = moved(self.start, len(self.codes))
        ranking = moved(self.ranking, len(self.topic))
        pair = moved(self.pair, judged)
        judged_topic = moved(self.judged_topic, topics)
        codes = np.tile(self.codes, times)
        looked_up = np.tile(self.looked_up, times)
        relevance = np.tile(self.relevance, times)
        judged_codes = {rel: np.tile(table, times) for rel, table in self.judged_codes.items()}
        repeated = replace(self, topics=[*self.topics] * times, topic=topic, start=start,
                           looked_up=looked_up, ranking=ranking, pair=pair)
        return replace(repeated, item=items, codes=codes, judged_topic=judged_topic,
                       relevance=relevance, judged_codes=judged_codes)

    def reordered(self, rows: Ints) -> Rankings:
        """Return the rankings with other documents at the ranks.

        :param rows: the index of the document at each place, ``[n]``; of the same ranking
        """
        pair = self.pair[rows]
        codes = self.codes[rows]
        return replace(self, pair=pair, codes=codes, item=lambda: self.item()[rows])

    def shares_within(self, cutoffs: Collection[int]) -> dict[int, float]:
        """Return the share of the counted documents that are in the first ``cutoff`` ranks.

        The first ``cutoff`` annotated documents of each ranking are counted.

        :returns: the share for each cutoff; NaN if no document is counted
        """
        annotated = self.restricted()
        rows = annotated._annotated
        place = rows - self.start[self.ranking[rows]]
        shares = {}
        for cutoff in cutoffs:
            count = np.minimum(annotated.length, cutoff).sum()
            inside = (place < cutoff).sum()
            shares[cutoff] = inside / count if count else np.nan
        return shares

    def note(self, labels: Sequence[str] | None = None, prefix: str = "", /, **numbers: Any
             ) -> None:
        """Keep intermediate numbers of a measure, if :attr:`notes` is a dictionary.

        :param labels: the labels of the numbers; ``None`` for numbers by rank, ``[R, D]`` or
            ``[1, D]``, of the documents that count, and for a number of each ranking, ``[R]``
        :param prefix: a prefix of the names
        :param numbers: the numbers by name, in which _ stands for a space
        """
        if self.notes is not None:
            for name, values in numbers.items():
                words = name.replace("_", " ")
                self.notes[prefix + words] = labels, values

    @cached_property
    def share(self) -> Floats:
        """The share of each group in a document of each label set, ``[S, L]``; rows sum to 1."""
        return self.sets.shares(np.arange(len(self.sets)), self.labels)

    @cached_property
    def member(self) -> Bools:
        """Whether a document of each label set is in each group, ``[S, L]``."""
        return self.share > 0

    @property
    def weighted(self) -> Bools:
        """Whether the shares of each label set are weights of a group source, ``[S]``."""
        return self.sets.weighted

    @cached_property
    def degree(self) -> Floats:
        """The degree of membership of each label set in each group, ``[S, L]``.

        It is the share of the group if the shares are weights, and otherwise 1 for each group.
        """
        return np.where(self.weighted[:, None], self.share, self.member)

    @cached_property
    def samples(self) -> Ints:
        """The number of rankings of each topic, ``[T]``."""
        return np.bincount(self.topic)

    @cached_property
    def first_ranking(self) -> Ints:
        """The index of the first ranking of each topic, ``[T]``."""
        last = np.cumsum(self.samples)
        return last - self.samples

    @cached_property
    def qids(self) -> Sequence[str]:
        """The name of the topic of each ranking, ``[R]``."""
        return [self.topics[topic] for topic in self.topic]

    def topic_means(self, values: Floats) -> Floats:
        """Return the mean value over the rankings of each topic, ``[T]``.

        :param values: the value of each ranking, ``[R]``, or of each topic, ``[T]``
        """
        if len(values) == len(self.topics):
            return values
        return topic_means(values, self.topic)

    def sums_by_code(self, rows: int, row: Ints, codes: Ints,
                     values: Floats | None = None) -> Floats:
        """Return the sum of the values of each row and label set, ``[rows, S]``.

        ``row`` and ``values`` are broadcast to the shape of ``codes``.

        :param rows: the number of rows
        :param row: the row of each value, such as its topic
        :param codes: the code of each value; values with −1 are ignored
        :param values: by default each value is 1
        """
        columns = len(self.sets) + 1
        cells = row * columns + codes + 1
        if values is not None:
            values = np.broadcast_to(values, cells.shape).ravel()
        sums = np.bincount(cells.ravel(), values, rows * columns)
        table = sums.reshape(rows, columns)
        return table[:, 1:].astype(float)

    @cached_property
    def _annotated(self) -> Ints:
        """The indices of the annotated documents, ascending."""
        return np.flatnonzero(self.codes >= 0)

    @cached_property
    def length(self) -> Ints:
        """The number of annotated documents of each ranking, ``[R]``."""
        return np.bincount(self.ranking[self._annotated], minlength=len(self))

    def _condensed(self, flat: Any, cutoff: int | None, empty: float) -> tuple[Any, Ints]:
        """Return the first annotated documents of each ranking: see :func:`_matrix`."""
        end = np.cumsum(self.length)
        start = end - self.length
        return _matrix(flat[self._annotated], start, self.length, cutoff, empty)

    def _full(self, flat: Any, cutoff: int | None, empty: float) -> tuple[Any, Ints]:
        """Return the first documents of each ranking: see :func:`_matrix`."""
        return _matrix(flat, self.start, self.looked_up, cutoff, empty)

    def condensed(self, cutoff: int | None) -> tuple[Ints, Ints]:
        """Return the condensed rankings (without unannotated documents), cut at ``cutoff``.

        :returns: the codes ``[R, D]``, −1 past the end of a ranking, and the lengths ``[R]``
        """
        return self._condensed(self.codes, cutoff, -1)

    def condensed_relevance(self, cutoff: int | None) -> Any:
        """Return the relevance of the documents of :meth:`condensed`, ``[R, D]``, 0 past the end.
        """
        pair, _ = self._condensed(self.pair, cutoff, -1)
        return np.append(self.relevance, 0)[pair]

    def full(self, cutoff: int | None) -> tuple[Ints, Ints, Ints]:
        """Return the rankings with their unannotated documents, cut at ``cutoff``.

        :returns: the codes ``[R, D]`` (−1 for unannotated documents and past the end), the
            relevance ``[R, D]`` (0 for unjudged documents and past the end) and the lengths ``[R]``
        """
        codes, n = self._full(self.codes, cutoff, -1)
        pair, _ = self._full(self.pair, cutoff, -1)
        return codes, np.append(self.relevance, 0)[pair], n

    def full_relevant(self, cutoff: int | None, rel: int) -> Ints:
        """Return the codes of the relevant documents of :meth:`full`, ``[R, D]``.

        The codes of other documents, and past the end, are −1. If the groups are from rows of the
        qrels, only rows with a relevance of at least ``rel`` contribute them.
        """
        pair, _ = self._full(self.pair, cutoff, -1)
        return np.append(self.judged_codes[rel], -1)[pair]

    def relevant(self, rel: int | None) -> Floats:
        """Count the judged documents of each label set with a relevance of at least ``rel``.

        The counts belong to the topic of each ranking, ``[R, S]``.

        :param rel: ``None`` for all judged documents
        """
        if rel not in self._counts:
            codes = self.judged_codes[rel]
            topics = len(self.topics)
            self._counts[rel] = self.sums_by_code(topics, self.judged_topic, codes)
        counts = self._counts[rel]
        if len(counts) == len(self):
            return counts
        return counts[self.topic]

    def pooled(self, rel: int | None) -> tuple[Rankings, Ints]:
        """Count the judged documents of all topics with a relevance of at least ``rel``.

        :returns: the rankings of all topics, and the count of each of their label sets
        """
        whole = self._whole
        if rel not in whole._pooled:
            column = whole.judged_codes[rel] + 1
            counts = np.bincount(column, minlength=len(whole.sets) + 1)
            whole._pooled[rel] = counts[1:]
        return whole, whole._pooled[rel]

    @property
    def _whole(self) -> Rankings:
        return self if self.all_topics is None else self.all_topics

    @cached_property
    def highest_relevance(self) -> Any:
        """The highest relevance of a judged document of the topic of each ranking, ``[R]``."""
        is_first = is_new(self.judged_topic)
        first = np.flatnonzero(is_first)  # each topic has a judged document
        highest = np.maximum.reduceat(self.relevance, first)
        return highest[self.topic]

    @property
    def highest_relevance_of_all(self) -> Any:
        """The highest relevance of a judged document of all topics."""
        return self._whole.relevance.max()

    @property
    def judgments(self) -> tuple[Ints, Ints, Any]:
        """The topic, the code and the relevance of each judged document, ``[N]`` each."""
        return self.judged_topic, self.judged_codes[None], self.relevance

    @cached_property
    def run_counts(self) -> Floats:
        """The number of documents of each label set in each condensed ranking, ``[R, S]``."""
        rows = self._annotated
        return self.sums_by_code(len(self), self.ranking[rows], self.codes[rows])

    def values(self, source: Hashable, cutoff: int | None) -> tuple[Floats, Ints]:
        """Return the values of the ranked documents, cut at ``cutoff``.

        :param source: a value source
        :returns: the values ``[R, D]``, NaN where a document has none and past the end of a
            ranking, and the lengths ``[R]``
        :raises ValueError: if the rankings lack values of this source
        """
        values = _looked_up(self.document_values, source)
        return self._full(values, cutoff, np.nan)

    def background(self, name: Hashable, source: Hashable) -> tuple[Ints, Floats]:
        """Return the values of the documents of a background.

        :param name: the key of the background
        :param source: a value source
        :returns: the topic of each document, an index into ``topics``, ``[N]``, and the value of
            each document, ``[N]``, NaN where it has none
        :raises ValueError: if the rankings lack this background
        """
        background = _looked_up(self.backgrounds, name)
        return background.topic, background.values[source]

    def attribute(self, source: str, cutoff: int | None) -> tuple[LabelSets, Ints, Ints]:
        """Return the groups of one of several sources.

        :returns: the label sets, the code of each ranked document of ``documents(cutoff)``,
            ``[n]``, and the code of each document of :attr:`judgments`, ``[N]``; −1 for documents
            that the source does not know
        """
        documents = self.documents(cutoff)
        sets, codes, judged = _looked_up(self.attributes, source)
        rows = self.start[documents.ranking] + documents.place
        return sets, codes[rows], judged

    def documents(self, cutoff: int | None) -> Documents:
        """Return the documents that are judged or in the first ``cutoff`` ranks of a ranking."""
        if cutoff in self._documents:
            return self._documents[cutoff]
        topic, codes, relevance = self.judgments
        judged = len(topic)
        length = self.looked_up
        if cutoff is not None:
            length = np.minimum(length, cutoff)
        ranked = ranges(self.start, length)
        row = self.ranking[ranked]
        # Judged documents have the smallest identifiers.
        item = np.append(np.arange(judged), self.item()[ranked])
        _, first, document = np.unique(item, return_index=True, return_inverse=True)
        topic = np.append(topic, self.topic[row])[first]
        order = np.argsort(topic, kind="stable")
        index = np.argsort(order, kind="stable")
        first = first[order]
        codes = np.append(codes, self.codes[ranked])
        relevance = np.append(relevance, np.zeros_like(row))
        is_judged = order < judged
        place = ranked - self.start[row]
        document = index[document[judged:]]
        documents = Documents(topic[order], codes[first], relevance[first], is_judged, row, place,
                              document)
        self._documents[cutoff] = documents
        return documents


def _matrix(flat: Any, start: Ints, length: Ints, cutoff: int | None,
            empty: float) -> tuple[Any, Ints]:
    """Return the numbers of the first ``cutoff`` documents of each ranking, ``[R, D]``.

    :param flat: the number of each document, ``[n]``
    :param start: the index of the first document of each ranking, ``[R]``
    :param length: the number of documents of each ranking, ``[R]``
    :param empty: the number past the end of a ranking
    :returns: the numbers, and how many of each ranking are documents, ``[R]``
    """
    n = length
    if cutoff is not None:
        n = np.minimum(n, cutoff)
    ranks = np.arange(n.max(initial=0))
    values = flat.take(start[:, None] + ranks, mode="clip")
    return np.where(ranks < n[:, None], values, empty), n


def _rows_of(columns: Mapping[Any, Any], rows: slice) -> dict[Any, Any]:
    return {name: numbers[rows] for name, numbers in columns.items()}


def _looked_up(sources: Mapping[Hashable, Any], key: Hashable) -> Any:
    if key not in sources:
        raise ValueError(f"the source must be one that is looked up here, got {key!r}: its "
                         "measures can be evaluated, but not explained or drawn")
    return sources[key]
