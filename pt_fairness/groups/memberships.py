"""The annotations of documents that group sources return, and their tables and label sets.

The second column of qrels holds groups in two senses. If a document is judged for each group, with
relevance 1 or 0, its groups are those that it is relevant for. Otherwise the column says what the
document is, whether it is relevant or not.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import partial
from math import nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import (
    Bools,
    Floats,
    Ints,
    distinct,
    is_new,
    ranges,
    recoded,
    topic_means,
)
from pt_fairness.core.identifiers import DocumentIndex
from pt_fairness.core.messages import (
    UNANNOTATED,
    UNKNOWN_GROUP,
    label_text,
    plural,
    shown,
    warn,
)
from pt_fairness.io.document_files import weights_of
from pt_fairness.io.tables import label_names


class Memberships(NamedTuple):
    """The groups of ``n`` documents as arrays with an entry for each document and group."""

    #: The index of the document of each annotation, below ``n``.
    item: Ints
    #: The label code of each annotation: an index into ``labels``.
    codes: Ints
    labels: list[str]
    #: The weight of each annotation, above 0, NaN for documents without weights; ``None`` if no
    #: document has weights.
    weight: Floats | None = None
    #: The weight of ``@UNKNOWN`` for each document, ``[n]``, 0 for documents without such a weight
    #: and NaN for those that the source does not know; ``None`` if it knows only documents with
    #: a label.
    unknown: Floats | None = None

    def unknown_of(self, n: int) -> Floats:
        """Return the weight of ``@UNKNOWN`` for each document, ``[n]``.

        It defaults to 0 for documents with a label, and to NaN for others.
        """
        if self.unknown is not None:
            return self.unknown
        labelled = self.label_counts(n) > 0
        return np.where(labelled, 0.0, nan)

    def label_counts(self, n: int) -> Ints:
        """Return the number of labels of each document, ``[n]``."""
        return np.bincount(self.item, minlength=n)

    def without_group(self, n: int) -> Bools:
        """Return whether each document is known to be without a group, ``[n]``."""
        unknown = self.unknown_of(n)
        is_known = ~np.isnan(unknown)
        return is_known & (self.label_counts(n) == 0)

    def label_added(self, item: Ints, label: str, weight: float | Floats = nan) -> Memberships:
        """Return annotations that give the documents ``item`` one more label."""
        items = np.append(self.item, item)
        code = np.full(len(item), len(self.labels))
        codes = np.append(self.codes, code)
        weights = np.append(self.weights, np.broadcast_to(weight, len(item)))
        return Memberships(items, codes, [*self.labels, label], weights, self.unknown)

    def unknown_added(self, n: int) -> Memberships:
        """Return annotations with ``@UNKNOWN`` for unknown shares and documents without a group."""
        unknown = self.unknown_of(n)
        positive = unknown > 0
        item = np.flatnonzero(positive | self.without_group(n))
        weight = np.where(positive, unknown, nan)
        return self.label_added(item, UNKNOWN_GROUP, weight[item])

    def sorted_rows(self) -> tuple[Ints, Any, Floats]:
        """Return the document, the label and the weight of each annotation, sorted by document."""
        order = np.lexsort((self.codes, self.item))
        codes = self.codes[order]
        labels = np.asarray(self.labels, dtype=object)
        return self.item[order], labels[codes], self.weights[order]

    @property
    def weights(self) -> Floats:
        """The weight of each annotation, NaN for documents without weights."""
        if self.weight is not None:
            return self.weight
        return np.full(len(self.item), nan)


class Table:
    """Annotations by document, or by topic and document.

    Several rows of a document are several groups. Rows whose group is missing, empty or ``-`` are
    ignored, and a weight of 0 means that the document is outside the group. The weights of rows
    with the same document and group add up.

    :param qid: the topic of each row, or ``None`` if the groups are the same for every topic
    :param weight: the weight of each row, NaN for documents without weights; ``None`` if no
        document has weights
    :param relevance: the relevance of each row, if the rows are judgments: see
        :func:`naming_rows`
    :param judged: whether relevance is judged by group in all topics; ``None`` to decide by topic
    :param what: the name of the rows in warnings
    :raises ValueError: if a row lacks its topic or its document
    """

    def __init__(self, qid: pd.Series | None, docno: pd.Series, group: pd.Series,
                 weight: Floats | None = None, relevance: Floats | None = None,
                 judged: bool | None = None, what: str = "groups") -> None:
        if pd.api.types.infer_dtype(group) != "string":
            group = group.map(label_text, na_action="ignore")
        codes, names = pd.factorize(group)
        texts = label_names(map(str, names), what)
        self.labels = sorted({*texts}.difference(UNANNOTATED))
        codes = recoded(codes, texts, [*self.labels, UNKNOWN_GROUP])
        self._index = DocumentIndex(qid, docno, "groups")
        #: Whether annotations are by topic and document.
        self.by_topic = qid is not None
        pair = self._index.pair
        documents = len(self._index)
        is_unknown = codes == len(self.labels)
        is_member = (codes >= 0) & ~is_unknown
        if relevance is not None:
            topics = self._index.topics or [""]
            label = np.where(is_member, codes, -1)
            names_group, _ = naming_rows(topics, self._index.topic, pair, label, relevance, judged,
                                         what, group.index)
            is_member &= names_group
        unknown = np.zeros(documents)
        if weight is not None:
            unknown += np.bincount(pair[is_unknown], weight[is_unknown], documents)
            is_member &= weight != 0
            weight = weight[is_member]
        pair = pair[is_member]
        codes = codes[is_member]
        pair, self._codes, self.weight = distinct_annotations(pair, codes, weight)
        count = np.bincount(pair, minlength=documents)
        # The last element stands for documents that are not in the table.
        self._count = np.append(count, 0).astype(np.int32)
        self._start = np.append(np.cumsum(count) - count, 0)
        self._unknown = np.append(unknown, nan)

    @classmethod
    def read(cls, frame: pd.DataFrame, what: str = "the frame of groups",
                 judged: bool | None = None) -> Table:
        """Return the table of the annotations in a frame.

        :param frame: columns ``docno, group`` or ``qid, docno, group``, and ``weight`` if documents
            have weights. A group can be a list of labels
        :param what: the name of the frame in errors
        :param judged: whether relevance, in the column ``label`` or ``relevance``, is judged by
            group in all topics; ``None`` to decide by topic
        :raises ValueError: if a group is neither a label nor a list of labels, a weight is not a
            number of at least 0, or relevance is not there but ``judged`` is
        """
        frame = one_label_each(frame, what)
        qid = frame.get("qid")
        group = frame["group"]
        weight = None
        if "weight" in frame:
            texts = group.astype(object)
            unused = texts.isna() | texts.isin(["", "-"])  # @UNKNOWN needs one
            weight = weights_of(frame[["weight"]], what, unused)[:, 0]
        relevance = None if qid is None and judged is None else _relevance(frame)
        if relevance is None and judged is not None:
            columns = ", ".join(map(str, frame))
            raise ValueError(f"{what} must have numbers in a column label or relevance for "
                             f"judged={judged}, got the columns {columns}")
        return cls(qid, frame["docno"], group, weight, relevance, judged, what)

    def documents(self) -> tuple[Any, Any]:
        """Return the topics and the docnos of the table, as :meth:`Groups.documents` does."""
        return self._index.documents()

    def content(self) -> Any:
        """Return all annotations, to be hashed."""
        return (self.labels, self._index.content(), self._codes, self._count, self.weight,
                self._unknown)

    def counts(self) -> Ints:
        """Return the number of documents of each label."""
        return np.bincount(self._codes, minlength=len(self.labels))

    def ambiguous(self) -> tuple[Ints, Ints]:
        """Return the rows of documents with several groups, and the number of their documents."""
        pair = self._index.pair
        rows = np.flatnonzero(self._count[pair] > 1)
        return rows, pair[rows]

    def find(self, qids: Any, docnos: Any) -> Memberships:
        """Return the annotations of documents.

        :param qids: the topic of each document, ``[n]``, as text
        :param docnos: the documents, ``[n]``, as text
        """
        topic: Any = None
        topics: Any = ()
        if self.by_topic:
            topic, topics = pd.factorize(np.asarray(qids, dtype=object))
        names = [*map(label_text, topics)]
        pair = self._index.positions(topic, names, docnos)
        count = self._count[pair]
        rows = ranges(self._start[pair], count)
        weight = None if self.weight is None else self.weight[rows]
        item = np.repeat(np.arange(len(pair)), count)
        return Memberships(item, self._codes[rows], self.labels, weight, self._unknown[pair])


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


def naming_rows(topics: Sequence[str], topic: Ints, pair: Ints, label: Ints, relevance: Floats,
                judged: bool | None, what: str, places: pd.Index) -> tuple[Bools, Bools]:
    """Return which rows of qrels can name a group, and which topics are judged by group.

    A topic is judged by group if a document is relevant for one label and not for another; or if
    there are several labels, each document has a row for each of them, and is not relevant for one.
    There, only rows with a relevance above 0 name groups. A warning says so.

    :param topics: the topics, ``[T]``
    :param topic: the topic of each pair of a topic and a document, ``[pairs]``
    :param pair: the pair of each row, ``[n]``
    :param label: the code of the label of each row, −1 for none, ``[n]``
    :param relevance: the relevance of each row, ``[n]``
    :param judged: whether all topics are judged by group; ``None`` to decide by topic
    :param what: the name of the qrels in warnings
    :param places: the number of each row in warnings, ``[n]``; its name is ``line`` or ``row``
    :returns: masks, ``[n]`` and ``[T]``

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> naming_rows(["1"], np.array([0]), np.array([0, 0]), np.array([0, 1]), np.array([1, 0]),
    ...             True, "qrels", pd.RangeIndex(2))
    (array([ True, False]), array([ True]))
    """
    judged_topics = np.full(len(topics), bool(judged))
    positive = relevance > 0
    rows = np.flatnonzero(label >= 0)
    # If each document has one row, or all are relevant, both senses are the same.
    if judged is None and len(topic) != len(pair) and not positive[rows].all():
        topics_of_pairs = topic.astype(np.int64)
        judged_topics = _topics_by_group(topics, topics_of_pairs, pair[rows], label[rows],
                                         positive[rows], what, places[rows])
    return positive | ~judged_topics[topic[pair]], judged_topics


def _topics_by_group(topics: Sequence[str], topic: Ints, pair: Ints, label: Ints,
                     positive: Bools, what: str, places: pd.Index) -> Bools:
    """Return which topics are judged by group, ``[T]``, and warn of them.

    :param label: the code of the label of each row, ``[n]``
    :param positive: whether the relevance of each row is above 0, ``[n]``
    """
    labels = int(label.max()) + 1
    # An entry is a document with one of its labels.
    document_labels = pair.astype(np.int64) * labels + label
    entry, entries = pd.factorize(document_labels)
    document = entries // labels
    owner = topic[document]
    share = topic_means(positive.astype(float), entry)
    count = partial(np.bincount, minlength=len(topics))
    topic_labels = pd.unique(owner * labels + entries % labels)
    groups = count(topic_labels // labels)
    differs = count(owner[share == 0]) > 0
    is_complete = count(owner) == groups * count(topic)
    judged_topics = differs & (groups > 1) & is_complete
    lacks = np.zeros(len(topic), bool)
    lacks[document[share == 0]] = True
    has_both = (share == 1) & lacks[document]
    judged_topics[owner[has_both]] = True
    number = places.name or "row"
    twice = (share > 0) & (share < 1)
    if twice.any():
        row = int((twice[entry] & ~positive).argmax())
        warn(f"{what}: {number} {places[row]} says that a document is not relevant for a group, "
             f"and another row that it is (for {plural(twice.sum(), 'document')}); the document "
             "is in the group", f"judged twice {what}")
    if judged_topics.any():
        message = ("relevance is judged by group; the groups of a document are those that it is "
                   "relevant for")
        others = np.flatnonzero(differs & ~judged_topics)
        if len(others):
            row = int((judged_topics[owner[entry]] & ~positive).argmax())
            example = f"{topics[topic[pair[row]]]}: {number} {places[row]}"
            counts = f"{judged_topics.sum()} of {differs.sum()}"
            message = (f"judged by group in {counts} topics (e.g. {example}); in the others (e.g. "
                       f"{topics[others[0]]}) a document belongs to a group whatever its "
                       "relevance; --judged-by-group (judged= of groups.from_file and from_frame) "
                       "decides for all")
        warn(f"{what}: {message}", f"judged by group {what}")
    return judged_topics


def _relevance(frame: pd.DataFrame) -> Floats | None:
    """Return the relevance of each row of qrels, ``[n]``; ``None`` for other frames."""
    for column in frame.columns.intersection(["label", "relevance"]):
        level, values = pd.factorize(frame[column])
        numbers = pd.to_numeric(pd.Series(values), errors="coerce")
        if (level >= 0).all() and numbers.notna().all():
            return numbers.to_numpy(float)[level]
    return None


def distinct_annotations(item: Ints, codes: Ints,
                         weight: Floats | None = None) -> tuple[Ints, Ints, Floats | None]:
    """Return the distinct annotations, sorted by item and code, and the sum of their weights."""
    labels = int(codes.max(initial=0)) + 1
    keys = item.astype(np.int64) * labels + codes
    sums = None
    if weight is None:
        keys = distinct(keys)
    else:
        keys, place = np.unique(keys, return_inverse=True)
        sums = np.bincount(place, weight, len(keys)).astype(float)
    item, codes = np.divmod(keys, labels)
    return item, codes.astype(np.int32), sums


def one_label_each(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return a frame with a row for each label in the lists of its column ``group``.

    :param what: the name of the frame in the error
    :raises ValueError: if a group is neither a label nor a list of labels
    """
    group = frame["group"]
    # pandas infers "unknown-array" for lists of Arrow.
    if not pd.api.types.infer_dtype(group).startswith(("mixed", "unknown")):
        return frame
    rows = frame.explode("group")
    dictionaries = [value for value in group if isinstance(value, Mapping)]
    nested = [value for value in rows["group"] if not pd.api.types.is_scalar(value)]
    for wrong in [*dictionaries, *nested]:
        raise ValueError(f"a group of {what} must be a label or a list of labels, got "
                         f"{shown(wrong)}")
    return rows


def is_no_group(value: Any) -> bool:
    """Return whether a value stands for no group: missing, empty or ``-``."""
    is_missing = pd.api.types.is_scalar(value) and pd.isna(value)
    return bool(is_missing) or value in UNANNOTATED
