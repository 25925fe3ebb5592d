"""A group source as a class, with corrections and new names of its labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import recoded
from pt_fairness.core.identifiers import as_frame, pair_texts, texts_of
from pt_fairness.core.messages import (
    distinct_labels,
    label_text,
    label_texts,
    shown,
)
from pt_fairness.core.registry import NamedObject, value_hash
from pt_fairness.groups.memberships import Memberships, Table, distinct_annotations, is_no_group
from pt_fairness.io.document_files import qrels_columns
from pt_fairness.io.files import need_columns


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
    #: The label set, sorted; ``None`` if it is not known beforehand.
    labels: list[str] | None = None
    #: The labels in ascending order; ``None`` if they have no order.
    order: list[str] | None = None
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
        if labels is not None:
            texts = label_texts(labels, "labels")
            self.labels = sorted({*texts})
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
        """Copy from ``base`` the attributes that do not depend on its labels."""
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
        rest = np.flatnonzero(np.isnan(unknown))
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
        has_labels = np.array(mappings, bool)
        rows = np.flatnonzero(has_labels[topic])
        base = Memberships(*self._base.annotate(qids[rows], docnos[rows]))
        unknown = np.full(len(docnos), nan)
        unknown[rows] = base.unknown_of(len(rows))
        labels = self.labels or []
        old_codes = np.arange(len(base.labels))
        new_codes = np.full((len(topics), len(base.labels)), -1)
        for row, mapping in enumerate(mappings):
            renamed = [mapping.get(label, "") for label in base.labels]
            new_codes[row] = recoded(old_codes, renamed, labels)
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
