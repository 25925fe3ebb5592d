"""Annotations by document, or by topic and document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.identifiers import DocumentIndex
from pt_fairness.core.labels import UNANNOTATED, UNKNOWN_GROUP, label_text
from pt_fairness.core.messages import shown
from pt_fairness.io.frames import need_columns


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
    #: and NaN for those that the source does not know; ``None`` if it knows those with a label.
    unknown: Floats | None = None

    def unknown_of(self, n: int) -> Floats:
        """Return ``unknown``, ``[n]``, also if it is ``None``."""
        return np.where(np.bincount(self.item, minlength=n) > 0, 0.0, np.nan) \
            if self.unknown is None else self.unknown

    def with_label(self, item: Ints, label: str, weight: float | Floats = np.nan) -> Memberships:
        """Return annotations that give the documents ``item`` one more label."""
        return self._replace(item=np.append(self.item, item),
                             codes=np.append(self.codes, np.full(len(item), len(self.labels))),
                             labels=[*self.labels, label],
                             weight=np.append(self.weights, np.broadcast_to(weight, len(item))))

    def with_unknown(self, n: int) -> Memberships:
        """Return annotations in which every known document has a label, ``@UNKNOWN`` if no other.
        """
        unknown = self.unknown_of(n)
        alone = np.bincount(self.item, minlength=n) == 0
        item = np.flatnonzero((unknown > 0) | (alone & (unknown == 0)))
        return self.with_label(item, UNKNOWN_GROUP,
                               np.where(unknown[item] > 0, unknown[item], np.nan))

    @property
    def weights(self) -> Floats:
        """The weight of each annotation, NaN for documents without weights."""
        return np.full(len(self.item), np.nan) if self.weight is None else self.weight


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
        group = group.map(label_text, na_action="ignore")
        labelled = _has_group(group)
        kept = labelled | (docno.notna() if qid is None else docno.notna() & qid.notna()).to_numpy()
        if not kept.all():
            docno, group, labelled = docno[kept], group[kept], labelled[kept]
            qid, weight = (None if one is None else one[kept] for one in (qid, weight))
        codes, labels = pd.factorize(group[labelled], sort=True)
        self.labels = [str(one) for one in labels]
        self._index = DocumentIndex(qid, docno, "groups")
        pair, share = self._index.pair[labelled], None if weight is None else weight[labelled]
        if share is not None:
            member = share != 0
            pair, codes, share = pair[member], codes[member], share[member]
        pair, self._codes, self.weight = distinct_annotations(pair, codes, share)
        known = len(self._index)
        self._unknown = np.zeros(known)
        if weight is not None:
            named = (group == UNKNOWN_GROUP).to_numpy()
            self._unknown += np.bincount(self._index.pair[named], weight[named], known)
        endless = np.isinf(np.bincount(pair, self.weight, known) + self._unknown)[self._index.pair]
        if endless.any():
            raise ValueError(f"the weights of {docno.iloc[endless.argmax()]!r} sum to "
                             "infinity; give smaller weights, such as shares")
        self._count = np.bincount(pair, minlength=known)
        self._start = np.cumsum(self._count) - self._count

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
        docno = "docno" if "docno" in frame or "doc_id" not in frame else "doc_id"
        qid = next((column for column in ("qid", "query_id") if column in frame), None)
        need_columns(frame, [docno, "group"], what)
        frame = one_label_each(frame, what)
        return cls(None if qid is None else frame[qid], frame[docno], frame["group"],
                   _weights(frame, what) if "weight" in frame else None)

    def content(self) -> Any:
        """Return all annotations, sorted, to be hashed independently of the order of the rows."""
        order, documents = self._index.sorted()
        rows = ranges(self._start[order], self._count[order])
        return (self.labels, documents, self._codes[rows], self._count[order],
                None if self.weight is None else (self.weight[rows], self._unknown[order]))

    def find(self, qids: Any, docnos: Any) -> Memberships:
        """Return the annotations of documents.

        :param qids: the topic of each document, ``[n]``, as text
        :param docnos: the documents, ``[n]``, as text
        """
        topic, topics = np.zeros(0, np.int64), np.zeros(0, object)
        if self._index.topics is not None:
            topic, topics = pd.factorize(np.asarray(qids, dtype=object))
        pair = self._index.find(topic, list(map(label_text, topics)), docnos)
        item = np.flatnonzero(pair >= 0)
        unknown = np.full(len(pair), np.nan)
        pair = pair[item]
        unknown[item] = self._unknown[pair]
        rows = ranges(self._start[pair], self._count[pair])
        return Memberships(np.repeat(item, self._count[pair]), self._codes[rows], self.labels,
                         None if self.weight is None else self.weight[rows], unknown)


def ranges(start: Ints, count: Ints) -> Ints:
    """Return the integers of several ranges, ``count`` from ``start`` on, concatenated."""
    return np.repeat(start - (np.cumsum(count) - count), count) + np.arange(count.sum())


def distinct_annotations(item: Ints, codes: Ints,
                         weight: Floats | None = None) -> tuple[Ints, Ints, Floats | None]:
    """Return the distinct annotations, sorted by item and code, with their summed weights."""
    kinds = int(codes.max(initial=0)) + 1
    keys = item.astype(np.int64) * kinds + codes
    if weight is None:
        return *np.divmod(np.unique(keys), kinds), None
    distinct, inverse = np.unique(keys, return_inverse=True)
    return *np.divmod(distinct, kinds), np.bincount(inverse, weight, len(distinct)).astype(float)


def one_label_each(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return a frame with a row for each label in the lists of its column ``group``.

    :param what: the name of the frame in the error
    :raises ValueError: a group is neither a label nor a list of labels
    """
    group = frame["group"]
    if not pd.api.types.infer_dtype(group).startswith("mixed"):
        return frame
    rows = frame.explode("group")
    wrong = [*group[group.map(lambda value: isinstance(value, Mapping))],
             *rows["group"][~rows["group"].map(pd.api.types.is_scalar)]]
    if wrong:
        raise ValueError(f"{what} has the group {shown(str(wrong[0]))}; a group is a label, or a "
                         "list of labels")
    return rows


def is_no_group(value: Any) -> bool:
    """Return whether a value stands for no group: missing, empty or ``-``."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value)) or value in UNANNOTATED


def _has_group(group: pd.Series) -> Any:
    """Return the mask of the rows that have a group, ``[n]``."""
    return (group.notna() & ~group.isin(UNANNOTATED)).to_numpy()


def _weights(frame: pd.DataFrame, what: str) -> Floats:
    """Return the column ``weight`` of a frame as floats.

    :raises ValueError: the weight of a row with a group, or ``@UNKNOWN``, is no number of at least
        0
    """
    weight = pd.to_numeric(frame["weight"], errors="coerce").to_numpy(float, na_value=np.nan)
    weighted = _has_group(frame["group"]) | (frame["group"] == UNKNOWN_GROUP).to_numpy()
    wrong = weighted & ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"row {frame.index[row]} of {what} has the weight "
                         f"{str(frame['weight'].iloc[row])!r}; weights are numbers of at least 0")
    return np.asarray(weight)
