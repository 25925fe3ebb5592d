"""Group sources as a class, and the annotations of documents that they return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Floats, Ints, distinct, ranges, recoded
from pt_fairness.core.identifiers import (
    DocumentIndex,
    as_frame,
    id_columns,
    pair_texts,
    texts_of,
)
from pt_fairness.core.messages import (
    UNANNOTATED,
    UNKNOWN_GROUP,
    distinct_labels,
    label_text,
    label_texts,
    shown,
)
from pt_fairness.core.registry import NamedObject, value_hash
from pt_fairness.io.document_files import qrels_columns, weights_of
from pt_fairness.io.files import need_columns


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
        """Return ``unknown``, ``[n]``, also if it is ``None``."""
        if self.unknown is not None:
            return self.unknown
        labelled = self.label_counts(n) > 0
        return np.where(labelled, 0.0, nan)

    def label_counts(self, n: int) -> Ints:
        """Return the number of labels of each document, ``[n]``."""
        return np.bincount(self.item, minlength=n)

    def without_group(self, n: int) -> Bools:
        """Return whether each document is known to have no group, ``[n]``."""
        unknown = self.unknown_of(n)
        is_known = ~np.isnan(unknown)
        return is_known & (self.label_counts(n) == 0)

    def with_label(self, item: Ints, label: str, weight: float | Floats = nan) -> Memberships:
        """Return annotations that give the documents ``item`` one more label."""
        items = np.append(self.item, item)
        codes = np.full(len(item), len(self.labels))
        codes = np.append(self.codes, codes)
        weights = np.broadcast_to(weight, len(item))
        weights = np.append(self.weights, weights)
        return Memberships(items, codes, [*self.labels, label], weights, self.unknown)

    def with_unknown(self, n: int) -> Memberships:
        """Return annotations with ``@UNKNOWN`` for unknown shares and documents without a group."""
        unknown = self.unknown_of(n)
        positive = unknown > 0
        item = np.flatnonzero(positive | self.without_group(n))
        weight = np.where(positive, unknown, nan)
        return self.with_label(item, UNKNOWN_GROUP, weight[item])

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
    ignored, and those of weight 0 are no membership. The weights of rows with the same document and
    group add up.

    :param qid: the topic of each row, or ``None`` if the groups are the same for every topic
    :param weight: the weight of each row, NaN for documents without weights; ``None`` if no
        document has weights
    :raises ValueError: a row with a group has no topic or no document, or the weights of a document
        sum to infinity
    """

    def __init__(self, qid: pd.Series | None, docno: pd.Series, group: pd.Series,
                 weight: Floats | None = None) -> None:
        if pd.api.types.infer_dtype(group) != "string":
            group = group.map(label_text, na_action="ignore")
        codes, names = pd.factorize(group)
        texts = list(map(str, names))
        labels = {*texts}.difference(UNANNOTATED)
        self.labels = sorted(labels)
        codes = recoded(codes, texts, [*self.labels, UNKNOWN_GROUP])
        is_unknown = codes == len(self.labels)
        labelled = (codes >= 0) & ~is_unknown
        complete = docno.notna()
        if qid is not None:
            complete &= qid.notna()
        rows = labelled | complete.to_numpy()  # a row without a group may lack its document
        if not rows.all():
            docno = docno[rows]
            codes = codes[rows]
            labelled = labelled[rows]
            is_unknown = is_unknown[rows]
            if qid is not None:
                qid = qid[rows]
            if weight is not None:
                weight = weight[rows]
        codes = codes[labelled]
        self._index = DocumentIndex(qid, docno, "groups")
        pair = self._index.pair
        documents = len(self._index)
        self._unknown = np.zeros(documents)
        members = pair[labelled]
        shares = None
        if weight is not None:
            shares = weight[labelled]
            positive = shares != 0
            members = members[positive]
            codes = codes[positive]
            shares = shares[positive]
            self._unknown += np.bincount(pair[is_unknown], weight[is_unknown], documents)
        members, self._codes, self.weight = distinct_annotations(members, codes, shares)
        if self.weight is not None:
            total = np.bincount(members, self.weight, documents) + self._unknown
            infinite = np.isinf(total)[pair]
            if infinite.any():
                raise ValueError(f"the weights of {docno.iloc[infinite.argmax()]!r} sum to "
                                 "infinity; give smaller weights, such as shares")
        count = np.bincount(members, minlength=documents)
        self._count = count.astype(np.int32)
        self._start = np.cumsum(count) - count

    @property
    def by_topic(self) -> bool:
        """Whether annotations are by topic and document."""
        return self._index.topics is not None

    @classmethod
    def of_frame(cls, frame: pd.DataFrame, what: str = "the frame of groups") -> Table:
        """Return the table of the annotations in a frame.

        :param frame: columns ``docno, group`` or ``qid, docno, group``, and ``weight`` if documents
            have weights; ir_measures' ``query_id`` and ``doc_id`` are accepted too. A group can be
            a list of labels.
        :param what: the name of the frame in errors
        :raises ValueError: a column is missing, a group is neither a label nor a list of labels, or
            a weight is no number of at least 0
        """
        frame = as_frame(frame)
        qid, docno = id_columns(frame)
        need_columns(frame, [docno, "group"], what)
        frame = one_label_each(frame, what)
        topics = frame.get(qid)
        group = frame["group"]
        weight = None
        if "weight" in frame:
            unused = group.isna() | group.isin(["", "-"])  # @UNKNOWN needs one
            numbers = weights_of(frame[["weight"]],
                                 lambda row: f"row {frame.index[row]} of {what}", unused)
            weight = numbers[:, 0]
        return cls(topics, frame[docno], group, weight)

    def documents(self) -> tuple[Any, Any]:
        """Return the topics and the docnos of the table, as :meth:`Groups.documents` does."""
        return self._index.documents()

    def content(self) -> Any:
        """Return all annotations, sorted, to be hashed independently of the order of the rows."""
        order, documents = self._index.sorted()
        count = self._count[order]
        rows = ranges(self._start[order], count)
        weights = None
        if self.weight is not None:
            weights = self.weight[rows], self._unknown[order]
        return self.labels, documents, self._codes[rows], count, weights

    def find(self, qids: Any, docnos: Any) -> Memberships:
        """Return the annotations of documents.

        :param qids: the topic of each document, ``[n]``, as text
        :param docnos: the documents, ``[n]``, as text
        """
        topic: Any = None
        topics: Any = ()
        if self.by_topic:
            qids = np.asarray(qids, dtype=object)
            topic, topics = pd.factorize(qids)
        names = list(map(label_text, topics))
        pair = self._index.find(topic, names, docnos)
        item = np.flatnonzero(pair >= 0)
        unknown = np.full(len(pair), nan)
        pair = pair[item]
        unknown[item] = self._unknown[pair]
        count = self._count[pair]
        start = self._start[pair]
        rows = ranges(start, count)
        weight = None
        if self.weight is not None:
            weight = self.weight[rows]
        codes = self._codes[rows]
        return Memberships(np.repeat(item, count), codes, self.labels, weight, unknown)


def distinct_annotations(item: Ints, codes: Ints,
                         weight: Floats | None = None) -> tuple[Ints, Ints, Floats | None]:
    """Return the distinct annotations, sorted by item and code, with their summed weights."""
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
    :raises ValueError: a group is neither a label nor a list of labels
    """
    group = frame["group"]
    if not pd.api.types.infer_dtype(group).startswith("mixed"):
        return frame
    rows = frame.explode("group")
    dictionaries = [value for value in group if isinstance(value, Mapping)]
    nested = [value for value in rows["group"] if not pd.api.types.is_scalar(value)]
    for wrong in [*dictionaries, *nested][:1]:
        raise ValueError(f"{what} has the group {shown(str(wrong))}; a group is a label, or a list "
                         "of labels")
    return rows


def is_no_group(value: Any) -> bool:
    """Return whether a value stands for no group: missing, empty or ``-``."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value)) or value in UNANNOTATED


class Groups(NamedObject):
    """A source of groups.

    Subclasses implement :meth:`lookup`; those of this package implement its array form,
    :meth:`annotate`.

    :param name: the name of the groups; ``None`` for one derived from a hash of their content
    :param labels: the label set, or ``None`` if it is not known beforehand; ``order`` declares its
        labels, too. With labels, a target of ``'uniform'`` and ``protected='all'`` do not depend on
        which topics are evaluated together.
    :param order: the labels in ascending order, for ordinal measures; ``None`` if they have no
        order
    :raises ValueError: ``labels`` or ``order`` is one text; ``order`` has a label twice, or lacks
        one of ``labels``
    """

    WHAT = "groups"
    #: Whether ``labels`` is the complete label set. If so, judged documents need not be looked up
    #: to determine it.
    complete = False
    #: The topics that have groups; ``None`` if any topic can have groups.
    topics: list[str] | None = None
    #: Whether looking up documents in blocks of a few thousand saves memory at the same speed.
    in_parts = False
    #: Whether documents can have weights, that is, unequal shares in their groups.
    weighted = False
    #: Whether a document can have other groups in another topic.
    by_topic = False
    #: Whether the groups are read from judgments, so that unjudged documents have none.
    judged = False

    def __init__(self, name: str | None = None, labels: Iterable[Any] | None = None,
                 order: Iterable[Any] | None = None) -> None:
        super().__init__(name)
        self.labels: list[str] | None = None
        if labels is not None:
            texts = label_texts(labels, "labels")
            self.labels = sorted({*texts})
        self.order: list[str] | None = None
        if order is not None:
            self.order = distinct_labels(order, "order")
            lacking = {*(self.labels or ())}.difference(self.order)
            if lacking:
                raise ValueError(f"order={shown(self.order)} lacks the label {min(lacking)!r}; it "
                                 "has to hold every label, lowest first")
            self.labels = sorted(self.order)

    def digest(self) -> str:
        """Return a hash of the content.

        Override it in a class of a script or notebook, which has no hash.

        :raises UnknownContentError: the content has no hash
        """
        content = type(self).__name__, self._content()
        return value_hash(content)[:12]

    def _content(self) -> Any:
        """Return the content to hash; by default what pickle stores."""
        return super().__reduce_ex__(2)

    def _take(self, base: Groups) -> None:
        """Copy the attributes that do not depend on labels from other groups."""
        self.topics = base.topics
        self.in_parts = base.in_parts
        self.by_topic = base.by_topic
        self.judged = base.judged

    def order_of(self, labels: Iterable[str]) -> list[str] | None:
        """Return the order of the labels if it holds all of ``labels``, else ``None``."""
        if self.order is not None and {*labels} <= {*self.order}:
            return self.order
        return None

    def documents(self) -> tuple[Any, Any] | None:
        """Return the topics and the docnos of all documents of the source.

        :returns: the topics are ``None`` if a document has the same groups in all; the result is
            ``None`` if the source cannot list its documents
        """
        return None

    def lookup(self, qids: Sequence[Any], docnos: Sequence[Any]) -> pd.DataFrame:
        """Return the groups of documents.

        :param qids: the topic of each document, ``[n]``
        :param docnos: the documents, ``[n]``
        :returns: columns ``qid, docno, group``, with a row for each document and group, in the
            order of the documents. A document without a group has no row. If the groups are
            ``weighted``, there is also a column ``weight``, NaN for documents without weights.
        :raises ValueError: ``qids`` and ``docnos`` differ in length

        Examples
        --------
        >>> from pt_fairness import groups
        >>> groups.from_mapping({"a": "PRO", "b": ["PRO", "CON"]}).lookup(["1", "1"], ["b", "c"])
          qid docno group
        0   1     b   CON
        1   1     b   PRO
        """
        topics, documents = pair_texts("lookup", qids, docnos)
        annotations = Memberships(*self.annotate(topics, documents))
        item, labels, weights = annotations.sorted_rows()
        columns = {"qid": topics[item], "docno": documents[item], "group": labels}
        frame = pd.DataFrame(columns, dtype="str")
        if self.weighted:
            frame["weight"] = weights
        return frame

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        """Return the groups of documents as arrays.

        :param qids: the topic of each document, ``[n]``, as text
        :param docnos: the documents, ``[n]``, as text
        :returns: the annotations: their document indices, their label codes, the labels and, if
            the groups are ``weighted``, their weights
        """
        cls = type(self)
        if cls.lookup is Groups.lookup:
            raise NotImplementedError(f"{cls.__qualname__} needs a lookup(qids, docnos) method")
        frame = self.lookup(list(qids), list(docnos))
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"{self!r}.lookup returned {shown(frame)}; it has to return a frame "
                             "with the columns qid, docno, group")
        what = f"what {self!r}.lookup returned"
        weight = ["weight"] if self.weighted else []
        need_columns(frame, ["qid", "docno", "group", *weight], what)
        if "weight" in frame and not self.weighted:
            raise ValueError(f"{what} has a column weight, but the groups are not weighted; set "
                             "weighted = True in the class, or leave the column out")
        table = Table.of_frame(frame, what)
        return table.find(qids, docnos)

    def to_qrels(self, qrels: pd.DataFrame) -> pd.DataFrame:
        """Return qrels with the group in ``iteration``, for experiments and for α-nDCG.

        :param qrels: PyTerrier's columns (``qid, docno, label``) or ir_measures' (``query_id,
            doc_id, relevance``). Other columns are kept. The frame is not modified. Of several
            rows for a topic and document, the one with the highest relevance label counts.
        :returns: a row for each judged document and group; ``-`` for a document without a group.
            Weights are dropped, because qrels have no column for them.
        :raises ValueError: a column is missing

        Examples
        --------
        >>> import pandas as pd
        >>> from pt_fairness import groups
        >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0]})
        >>> groups.from_mapping({"a": "PRO"}).to_qrels(qrels)
          qid docno  label iteration
        0   1     a      1       PRO
        1   1     b      0         -
        """
        qrels = as_frame(qrels)
        qid, docno, label = qrels_columns(qrels)
        frame = qrels.drop(columns="iteration", errors="ignore")
        frame = frame.reset_index(drop=True)
        # A document can be judged for several subtopics.
        if frame.duplicated([qid, docno]).any():
            frame = frame.sort_values(label, ascending=False, kind="stable")
            frame = frame.drop_duplicates([qid, docno]).sort_index()
        if self.topics is not None:
            topics = pd.Series(texts_of(frame[qid]), frame.index)
            has_groups = topics.isin(self.topics)
            frame = frame[has_groups]
        topics, documents = pair_texts("to_qrels", frame[qid], frame[docno])
        annotations = Memberships(*self.annotate(topics, documents))
        item, labels, _ = annotations.sorted_rows()
        group = pd.Series(labels, item, dtype=object, name="iteration")
        frame = frame.reset_index(drop=True)
        frame = frame.join(group)
        frame["iteration"] = frame["iteration"].fillna("-").astype("str")
        frame.attrs = qrels.attrs
        return frame.reset_index(drop=True)

    def override(self, frame: pd.DataFrame, name: str | None = None) -> Groups:
        """Return these groups with corrections.

        An argument of args.me has a stance towards its own conclusion, which need not be the claim
        of the topic. This method corrects such stances by topic.

        :param frame: columns ``qid, docno, group``, or ``docno, group`` for every topic. It
            replaces all groups of the documents in it. Several rows of a document are several
            groups; a missing or empty group, or ``-``, is none. These documents have weights only
            if there is a column ``weight``.
        :returns: a new Groups object. The other documents keep their weights. The order of the
            labels is kept if it holds all labels of ``frame``.
        :raises ValueError: a column is missing, or a weight is no number of at least 0

        Examples
        --------
        >>> import pandas as pd
        >>> from pt_fairness import groups
        >>> stances = groups.from_mapping({"a": "PRO", "b": "PRO"})
        >>> frame = pd.DataFrame({"qid": ["1"], "docno": ["b"], "group": ["CON"]})
        >>> stances.override(frame).lookup(["1", "1", "2"], ["a", "b", "b"])
          qid docno group
        0   1     a   PRO
        1   1     b   CON
        2   2     b   PRO
        """
        return _Override(self, frame, name)

    def relabel(self, by_topic: Mapping[Any, Any], name: str | None = None,
                order: Iterable[Any] | None = None) -> Groups:
        """Return these groups with their labels renamed by topic.

        An example is to turn stances into ideologies (Gezici et al. 2021, section 4.2).

        :param by_topic: topic → old label → new label, such as
            ``{'12': {'PRO': 'liberal', 'CON': 'conservative'}}``. Instead of a dictionary, a
            topic can have a leaning, ``'liberal'`` or ``'conservative'``: the ideology that
            supports its claim. PRO documents get this ideology, CON documents the other one. Labels
            and topics that are missing or map to nothing (``None``, ``''``, ``'-'``, ``{}``, the
            leaning ``'both or neither'``) have no groups.
        :param order: the new labels in ascending order, if they have an order
        :returns: a new Groups object. Documents keep their weights. The weights of labels with the
            same new label add up; those of labels without a new label are dropped. ``topics`` are
            the topics that map to something. For other topics, a measure is NaN, which ir_measures
            and :func:`pt_fairness.evaluate` leave out of the mean. :meth:`to_qrels` drops these
            topics, as ``pt.Experiment`` requires.
        :raises ValueError: a leaning is none of these, or these groups lack an old label

        Examples
        --------
        >>> from pt_fairness import groups
        >>> stances = groups.from_mapping({"a": "PRO", "b": "CON"})
        >>> stances.relabel({"1": "liberal"}).lookup(["1", "1", "2"], ["a", "b", "a"])
          qid docno         group
        0   1     a       liberal
        1   1     b  conservative
        """
        return _Relabelled(self, by_topic, name, order)

    def __repr__(self) -> str:
        return f"Groups({self.name!r}, {shown(self.labels)})"


#: The ideologies that a topic can lean to, each with its opposite, and the literature's term for a
#: topic without leaning.
_OPPOSITE = {"conservative": "liberal", "liberal": "conservative"}
_NO_LEANING = "both or neither"


class _Override(Groups):
    def __init__(self, base: Groups, frame: pd.DataFrame, name: str | None = None) -> None:
        corrections = Table.of_frame(frame)
        labels = base.labels
        if labels is not None:
            labels = [*labels, *corrections.labels]
        super().__init__(name, labels, base.order_of(corrections.labels))
        self._base = base
        self._corrections = corrections
        self._take(base)
        self.complete = base.complete
        self.by_topic |= corrections.by_topic

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        return self._base.weighted or self._corrections.weight is not None

    def _content(self) -> Any:
        return self._base.name, self._base.digest(), self._corrections.content()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        qids = np.asarray(qids, dtype=object)
        docnos = np.asarray(docnos, dtype=object)
        corrected = self._corrections.find(qids, docnos)
        unknown = corrected.unknown_of(len(docnos))
        is_base = np.isnan(unknown)
        rest = np.flatnonzero(is_base)
        base = Memberships(*self._base.annotate(qids[rest], docnos[rest]))
        unknown[rest] = base.unknown_of(len(rest))
        item = np.append(corrected.item, rest[base.item])
        base_codes = base.codes + len(corrected.labels)
        codes = np.append(corrected.codes, base_codes)
        labels = [*corrected.labels, *base.labels]
        weights = None
        if self.weighted:
            weights = np.append(corrected.weights, base.weights)
        return Memberships(item, codes, labels, weights, unknown)


class _Relabelled(Groups):
    def __init__(self, base: Groups, by_topic: Mapping[Any, Any], name: str | None,
                 order: Iterable[Any] | None) -> None:
        self._base = base
        self._new = {}
        for topic, value in by_topic.items():
            mapping = self._mapping(topic, value)
            possible = mapping if base.labels is None else base.labels
            unknown = mapping.keys() - {*possible}
            if unknown:
                leaning = ""
                if not isinstance(value, Mapping):
                    leaning = f"; a leaning such as {shown(value)} renames PRO and CON"
                raise ValueError(f"topic {topic!r}: {base!r} has no label {min(unknown)!r} to "
                                 f"rename{leaning}")
            self._new[label_text(topic)] = mapping
        labels = [new for mapping in self._new.values() for new in mapping.values()]
        super().__init__(name, labels, order)
        self._take(base)
        self.complete = self.by_topic = True
        topics = [topic for topic, mapping in self._new.items() if mapping]
        if base.topics is not None:
            topics = [topic for topic in topics if topic in base.topics]
        self.topics = sorted(topics)

    @staticmethod
    def _mapping(topic: Any, value: Any) -> dict[str, str]:
        if isinstance(value, Mapping):
            return {label_text(old): label_text(new) for old, new in value.items()
                    if not is_no_group(new)}
        if is_no_group(value) or value == _NO_LEANING:
            return {}
        if value not in list(_OPPOSITE):
            raise ValueError(f"topic {topic!r} has the leaning {shown(value)}; it has to be "
                             f"{' or '.join(map(repr, _OPPOSITE))}, None or {_NO_LEANING!r} for "
                             "none, or a mapping from labels to labels")
        return {"PRO": value, "CON": _OPPOSITE[value]}

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        return self._base.weighted

    def _content(self) -> Any:
        mappings = sorted((topic, sorted(new.items())) for topic, new in self._new.items())
        return self._base.name, self._base.digest(), self.order, mappings

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        qids = np.asarray(qids, dtype=object)
        docnos = np.asarray(docnos, dtype=object)
        topic, topics = pd.factorize(qids)
        mappings = [self._new.get(label_text(text), {}) for text in topics]
        has_labels = np.array(list(map(bool, mappings)), bool)
        rows = np.flatnonzero(has_labels[topic])
        base = Memberships(*self._base.annotate(qids[rows], docnos[rows]))
        unknown = np.full(len(docnos), nan)
        unknown[rows] = base.unknown_of(len(rows))
        labels = self.labels or []
        code = {label: place for place, label in enumerate(labels)}
        new_codes = np.full((len(topics), len(base.labels)), -1)
        for row, mapping in enumerate(mappings):
            renamed = [mapping.get(label, "") for label in base.labels]
            new_codes[row] = [code.get(label, -1) for label in renamed]
        item = rows[base.item]
        codes = new_codes[topic[item], base.codes]
        is_renamed = codes >= 0
        item = item[is_renamed]
        codes = codes[is_renamed]
        weight = base.weight
        if weight is not None:
            weight = weight[is_renamed]
        # Old labels may share a new one.
        item, codes, weight = distinct_annotations(item, codes, weight)
        return Memberships(item, codes, labels, weight, unknown)
