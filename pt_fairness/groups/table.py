"""Annotations by document, or by topic and document."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import io
from pt_fairness.identifiers import PairIndex, missing
from pt_fairness.numerics import Ints
from pt_fairness.text import UNANNOTATED, label_text

#: What ``Groups.annotate`` returns: the document of each annotation, the code of its label, and the
#: labels.
Annotated = tuple[Ints, Ints, list[str]]


class Table:
    """Annotations by document, or by topic and document.

    Several rows of a document are several groups. A row whose group is missing, empty or ``-`` is
    none.

    :param qid: the topic of each row, or ``None`` if the groups are the same for every topic
    :raises ValueError: a row with a group has no topic or no document
    """

    def __init__(self, qid: pd.Series | None, docno: pd.Series, group: pd.Series) -> None:
        group = group.map(label_text, na_action="ignore")
        kept = (group.notna() & ~group.isin(UNANNOTATED)).to_numpy()
        codes, labels = pd.factorize(group[kept], sort=True)
        self.labels = [str(one) for one in labels]
        self.by_topic = qid is not None
        self.topics: dict[str, int] = {}
        topic = np.zeros(int(kept.sum()), np.int64)
        if qid is not None:
            if qid[kept].isna().any():
                raise missing(qid[kept], qid[kept].isna().to_numpy().argmax(), "groups")
            topic, texts = pd.factorize(qid[kept].map(label_text))
            self.topics = {str(text): i for i, text in enumerate(texts)}
        self.index = PairIndex(topic, docno[kept], "groups")
        pair, self.codes = distinct_annotations(self.index.pair, codes)
        self.count = np.bincount(pair, minlength=len(self.index))
        self.start = np.cumsum(self.count) - self.count

    @classmethod
    def of_frame(cls, frame: pd.DataFrame, what: str = "the frame of groups") -> Table:
        """Return the annotations of a frame.

        :param frame: columns ``docno, group`` or ``qid, docno, group``; ir_measures' ``query_id``
            and ``doc_id`` are accepted too
        :param what: the name of the frame in errors
        :raises ValueError: a column is missing
        """
        docno = "docno" if "docno" in frame or "doc_id" not in frame else "doc_id"
        qid = next((column for column in ("qid", "query_id") if column in frame), None)
        io.need_columns(frame, [docno, "group"], what)
        return cls(None if qid is None else frame[qid], frame[docno], frame["group"])

    def content(self) -> Any:
        """Return all annotations, the same for every order of the rows."""
        topics = sorted(self.topics)
        place = np.zeros(len(topics) + 1, np.int64)
        place[[self.topics[topic] for topic in topics]] = np.arange(len(topics))
        topic, docnos = place[self.index.topic], self.index.docnos()
        order = np.lexsort((docnos.astype(str), topic))
        return (self.labels, topics, topic[order], docnos[order], self.codes[self._rows(order)],
                self.count[order])

    def find(self, qids: Any, docnos: Any) -> Annotated:
        """Return the annotations of documents.

        :param qids: the topic of each document, ``[n]``
        :param docnos: the documents, ``[n]``
        """
        topic = np.zeros(len(docnos), np.int64)
        if self.by_topic:
            codes, texts = pd.factorize(np.asarray(qids, dtype=object))
            table = np.array([self.topics.get(label_text(text), -1) for text in texts] + [-1],
                             np.int64)
            topic = table[codes]
        pair, _ = self.index.find(topic, pd.Series(docnos, dtype=object, name="docno"))
        item = np.flatnonzero(pair >= 0)
        pair = pair[item]
        count = self.count[pair]
        return np.repeat(item, count), self.codes[self._rows(pair)], self.labels

    def _rows(self, pairs: Ints) -> Ints:
        """Return the annotations of some pairs, one pair after the other."""
        count = self.count[pairs]
        rows: Ints = np.repeat(self.start[pairs] - (np.cumsum(count) - count), count) \
            + np.arange(count.sum())
        return rows


def distinct_annotations(item: Ints, codes: Ints) -> tuple[Ints, Ints]:
    """Return annotations sorted by item and code, each once."""
    kinds = int(codes.max(initial=0)) + 1
    return np.divmod(np.unique(item.astype(np.int64) * kinds + codes), kinds)
