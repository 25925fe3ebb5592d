"""A group source as a class, with corrections and new names of its labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import recoded
from pt_fairness.core.identifiers import as_frame, pair_texts, texts_of
from pt_fairness.core.messages import distinct_labels, label_text, label_texts, shown
from pt_fairness.core.registry import NamedObject
from pt_fairness.groups.memberships import Memberships, Table, distinct_annotations, is_no_group
from pt_fairness.io.column_roles import frame_rows
from pt_fairness.io.files import need_columns
from pt_fairness.io.qrels_files import qrels_columns

#: The largest number of characters of the labels in a name that is derived from content.
MOST_CHARACTERS = 24


class Groups(NamedObject):
    """A source of groups.

    Subclasses implement :meth:`lookup`, or its array form :meth:`annotate`.

    :param name: the name of the groups; ``None`` for one derived from their content
    :param labels: the possible labels, or ``None`` if they are not known beforehand; ``order``
        declares its labels as well. With labels, a target of ``'uniform'`` and ``protected='all'``
        do not depend on which topics are evaluated together.
    :param order: the labels in ascending order, for ordinal measures; ``None`` if they are not
        ordered
    :raises ValueError: if ``labels`` or ``order`` is one text; ``order`` has a label twice, or
        lacks one of ``labels``
    """

    WHAT = "groups"
    #: The possible labels, sorted; ``None`` if they are not known beforehand.
    labels: list[str] | None = None
    #: The labels in ascending order; ``None`` if they are not ordered.
    order: list[str] | None = None
    #: Whether ``labels`` holds all labels. If so, judged documents need not be looked up to
    #: determine them.
    complete = False
    #: The topics that have groups; ``None`` if any topic can have groups.
    topics: list[str] | None = None
    #: Whether looking up documents in blocks of a few thousand saves memory at the same speed.
    blockwise = False
    #: Whether documents can have weights, that is, unequal shares in their groups.
    weighted = False
    #: Whether a document can have other groups in another topic.
    by_topic = False
    #: Whether the groups are read from judgments, so that unjudged documents have none.
    judged = False
    #: Whether α-nDCG and other measures of ir_measures read the groups as subtopics.
    subtopics = True

    def __init__(self, name: str | None = None, labels: Iterable[Any] | None = None,
                 order: Iterable[Any] | None = None) -> None:
        super().__init__(name)
        if labels is not None:
            self.labels = sorted({*label_texts(labels, "labels")})
        if order is not None:
            self.order = distinct_labels(order, "order")
            lacking = {*(self.labels or ())}.difference(self.order)
            if lacking:
                raise ValueError("order must hold every label, lowest first, got "
                                 f"{shown(self.order)} without {min(lacking)!r}")
            self.labels = sorted(self.order)

    def _words(self) -> str:
        labels = "-".join(self.labels or ())
        return labels if 0 < len(labels) <= MOST_CHARACTERS else super()._words()

    def order_of(self, labels: Iterable[str]) -> list[str] | None:
        """Return the order of the labels if it holds all of ``labels``, else ``None``."""
        if self.order is not None and {*labels} <= {*self.order}:
            return self.order
        return None

    def documents(self) -> tuple[Any, Any] | None:
        """Return the topics and the docnos of all documents of the source.

        :returns: the topics, ``None`` if the groups do not depend on topics, and the docnos; or
            ``None`` if the source cannot list its documents
        """
        return None

    def lookup(self, qids: Sequence[Any], docnos: Sequence[Any]) -> pd.DataFrame:
        """Return the groups of documents.

        :param qids: the topic of each document, ``[n]``
        :param docnos: the documents, ``[n]``
        :returns: columns ``qid, docno, group``, with a row for each document and group, in the
            order of the documents. A document without a group lacks a row. If the groups are
            ``weighted``, there is also a column ``weight``, NaN for documents without weights.
        :raises ValueError: if ``qids`` and ``docnos`` differ in length

        Examples
        --------
        >>> from pt_fairness import groups
        >>> groups.from_mapping({"a": "PRO", "b": ["PRO", "CON"]}).lookup(["1", "1"], ["b", "c"])
          qid docno group
        0   1     b   CON
        1   1     b   PRO
        """
        topics, documents = pair_texts("lookup", qids, docnos)
        item, labels, weights = self.annotate(topics, documents).sorted_rows()
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
        what = f"the result of {self!r}.lookup"
        weight = ["weight"] if self.weighted else []
        need_columns(frame, ["qid", "docno", "group", *weight], what)
        if "weight" in frame and not self.weighted:
            raise ValueError(f"{what} must be without a column weight unless the class sets "
                             "weighted = True")
        return Table.read(frame, what).find(qids, docnos)

    def to_qrels(self, qrels: pd.DataFrame) -> pd.DataFrame:
        """Return qrels with the group in ``iteration``, for experiments and for α-nDCG.

        :param qrels: PyTerrier's columns (``qid, docno, label``) or ir_measures' (``query_id,
            doc_id, relevance``). Other columns are kept. The frame is not modified. Of several
            rows for a topic and document, the one with the highest relevance label counts.
        :returns: a row for each judged document and group; ``-`` for a document without a group.
            Weights are dropped, because qrels lack a column for them.
        :raises ValueError: if a column is missing

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
        frame = qrels.drop(columns="iteration", errors="ignore").reset_index(drop=True)
        # A document can be judged for several subtopics.
        relevance = pd.to_numeric(frame[label], errors="coerce")
        relevance = relevance.sort_values(ascending=False, kind="stable")
        frame = frame.loc[relevance.index]
        frame = frame.drop_duplicates([qid, docno]).sort_index()
        if self.topics is not None:
            names = texts_of(frame[qid]).astype(str)
            frame = frame[np.isin(names, self.topics)]
        topics, documents = pair_texts("to_qrels", frame[qid], frame[docno])
        item, labels, _ = self.annotate(topics, documents).sorted_rows()
        group = pd.Series(labels, item, dtype=object, name="iteration")
        frame = frame.reset_index(drop=True).join(group)
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
        :raises ValueError: if a column is missing, or a weight is not a number of at least 0

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
        rows = frame_rows(frame, "the frame of groups")
        return Override(Listed(Table.read(rows)), self, name)

    def relabel(self, by_topic: Mapping[Any, Any], name: str | None = None,
                order: Iterable[Any] | None = None) -> Groups:
        """Return these groups with their labels renamed by topic.

        An example is to turn stances into ideologies (Gezici et al. 2021, section 4.2).

        :param by_topic: topic → old label → new label, such as
            ``{'12': {'PRO': 'liberal', 'CON': 'conservative'}}``. Instead of a dictionary, a
            topic can have a leaning, ``'liberal'`` or ``'conservative'``: the ideology that
            supports its claim. PRO documents get this ideology, CON documents the other one. Labels
            and topics that are missing or map to nothing (``None``, ``''``, ``'-'``, ``{}``, the
            leaning ``'both or neither'``) lose their groups.
        :param order: the new labels in ascending order, if they have an order
        :returns: a new Groups object. Documents keep their weights. The weights of labels with the
            same new label add up; weights of labels without a new label are dropped. ``topics`` are
            the topics that map to something. For other topics, a measure is NaN, which ir_measures
            and :func:`pt_fairness.evaluate` leave out of the mean. :meth:`to_qrels` drops these
            topics, as ``pt.Experiment`` requires.
        :raises ValueError: if a leaning is none of these, or these groups lack an old label

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


class Listed(Groups):
    """Groups that a table lists."""

    complete = True
    blockwise = True

    def __init__(self, table: Table, name: str | None = None, order: Iterable[Any] | None = None,
                 labels: Iterable[str] = ()) -> None:
        self._table = table
        super().__init__(name, [*table.labels, *labels], order)
        self.weighted = table.weight is not None
        self.by_topic = table.by_topic

    def _content(self) -> Any:
        return self.labels, self.order, self._table.content()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        return self._table.find(qids, docnos)

    def documents(self) -> tuple[Any, Any]:
        return self._table.documents()


class Combined(Groups):
    """Groups made of other group sources, which are read when they are needed."""

    def __init__(self, sources: Sequence[Groups], name: str | None,
                 labels: Iterable[Any] | None = None, order: Iterable[Any] | None = None) -> None:
        super().__init__(name, labels, order)
        self.sources = sources
        self.blockwise = all(source.blockwise for source in sources)
        topics = [{*source.topics} for source in sources if source.topics is not None]
        if topics:
            self.topics = sorted(set.intersection(*topics))

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        return any(source.weighted for source in self.sources)

    @property
    def by_topic(self) -> bool:  # type: ignore[override]
        return any(source.by_topic for source in self.sources)

    @property
    def judged(self) -> bool:  # type: ignore[override]
        return any(source.judged for source in self.sources)

    def _content(self) -> Any:
        return self.sources


class Override(Combined):
    """The groups of the first source, or of the second for documents that the first lacks."""

    def __init__(self, corrections: Groups, base: Groups, name: str | None) -> None:
        corrected = corrections.labels or []
        labels = None if base.labels is None else [*base.labels, *corrected]
        super().__init__([corrections, base], name, labels, base.order_of(corrected))
        self.complete = base.complete

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        qids = np.asarray(qids, dtype=object)
        docnos = np.asarray(docnos, dtype=object)
        corrections, other = self.sources
        corrected = corrections.annotate(qids, docnos)
        unknown = corrected.unknown_of(len(docnos))
        rest = np.flatnonzero(np.isnan(unknown))
        base = other.annotate(qids[rest], docnos[rest])
        unknown[rest] = base.unknown_of(len(rest))
        item = np.append(corrected.item, rest[base.item])
        labels = [*corrected.labels, *base.labels]
        codes = np.append(corrected.codes, base.codes + len(corrected.labels))
        weights = None
        if self.weighted:
            weights = np.append(corrected.weights, base.weights)
        return Memberships(item, codes, labels, weights, unknown)


class _Relabelled(Combined):
    complete = True
    by_topic = True

    def __init__(self, base: Groups, by_topic: Mapping[Any, Any], name: str | None,
                 order: Iterable[Any] | None) -> None:
        self._new: dict[str, dict[str, str]] = {}
        labels: list[str] = []
        for topic, value in by_topic.items():
            new = _new_labels(topic, value, base)
            self._new[label_text(topic)] = new
            labels += new.values()
        super().__init__([base], name, labels, order)
        topics = {topic for topic, mapping in self._new.items() if mapping}
        if self.topics is not None:
            topics &= {*self.topics}
        self.topics = sorted(topics)

    def _content(self) -> Any:
        mappings = sorted((topic, sorted(new.items())) for topic, new in self._new.items())
        return self.sources, self.order, mappings

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        qids = np.asarray(qids, dtype=object)
        docnos = np.asarray(docnos, dtype=object)
        topic, topics = pd.factorize(qids)
        mappings = [self._new.get(label_text(text), {}) for text in topics]
        rows = np.flatnonzero(np.array(mappings, bool)[topic])
        base = self.sources[0].annotate(qids[rows], docnos[rows])
        unknown = np.full(len(docnos), nan)
        unknown[rows] = base.unknown_of(len(rows))
        labels = self.labels or []
        old_codes = np.arange(len(base.labels))
        new_codes = np.empty((len(topics), len(base.labels)), int)
        for row, mapping in enumerate(mappings):
            renamed = map(mapping.get, base.labels)
            new_codes[row] = recoded(old_codes, renamed, labels)
        item = rows[base.item]
        codes = new_codes[topic[item], base.codes]
        is_label = codes >= 0
        weight = None if base.weight is None else base.weight[is_label]
        item = item[is_label]
        # Old labels may share a new one.
        item, codes, weight = distinct_annotations(item, codes[is_label], weight)
        return Memberships(item, codes, labels, weight, unknown)


def _new_labels(topic: Any, value: Any, base: Groups) -> dict[str, str]:
    """Return the new label of each old one in a topic.

    :param value: a dictionary or a leaning
    :raises ValueError: if it is neither, or the groups lack an old label
    """
    if is_no_group(value) or value == _NO_LEANING:
        return {}
    if isinstance(value, Mapping):
        new = {}
        for old, label in value.items():
            if not is_no_group(label):
                new[label_text(old)] = label_text(label)
    elif value in [*_OPPOSITE]:
        new = {"PRO": value, "CON": _OPPOSITE[value]}
    else:
        raise ValueError(f"the leaning of topic {topic!r} must be 'liberal', 'conservative', None, "
                         f"{_NO_LEANING!r} or a mapping from labels to labels, got {shown(value)}")
    labels = new if base.labels is None else base.labels
    unknown = {*new}.difference(labels)
    if unknown:
        raise ValueError(f"the old labels of topic {topic!r} must be labels of {base!r}, got "
                         f"{min(unknown)!r}; a leaning renames PRO and CON")
    return new
