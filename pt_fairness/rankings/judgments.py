"""Qrels as arrays."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Ints, recoded
from pt_fairness.core.identifiers import PairIndex, codes_of, missing
from pt_fairness.core.labels import LARGEST_LABEL, UNANNOTATED


class Judgments:
    """Qrels as arrays: a *pair* is a judged (topic, document), which may have several rows.

    Rows and pairs are sorted by topic, and topics are in order of first appearance.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``
    :raises ValueError: a missing value, an identifier with a character that trec_eval cannot read,
        or a relevance outside ±1,000,000
    """

    def __init__(self, qrels: pd.DataFrame) -> None:
        topic, topics = codes_of(qrels["query_id"], "qrels")
        # ``topics``: the distinct topics as text, ``[T]``. ``qids``: the topics as given in the
        # frame, ``[T]``.
        self.topics, self.qids = list(topics), list(topics.values())
        # The groups of the rows as given: labels are in the order in which ndeval sees them.
        self._iteration = qrels.get("iteration")
        self._order: Any = slice(None)
        if (topic[1:] < topic[:-1]).any():
            self._order = np.argsort(topic, kind="stable")
            topic, qrels = topic[self._order], qrels.iloc[self._order]
        self.index = PairIndex(topic, qrels["doc_id"], "qrels")
        #: The topic code of each pair, ``[pairs]``, ascending.
        self.topic = self.index.topic
        #: Returns the docnos of pairs as text.
        self.docnos = self.index.docnos
        if qrels["relevance"].isna().any():
            raise missing(qrels["relevance"], np.argmax(qrels["relevance"].isna()), "qrels")
        relevance = pd.to_numeric(qrels["relevance"]).to_numpy()
        outside = (relevance < -LARGEST_LABEL) | (relevance > LARGEST_LABEL)
        if outside.any():
            row = int(outside.argmax())
            raise ValueError(f"row {qrels.index[row]} of the qrels has the relevance "
                             f"{relevance[row]}, which is outside ±{LARGEST_LABEL:,}")
        if relevance.dtype.kind != "f":
            relevance = relevance.astype(np.int64, copy=False)
        self.row_relevance = self.relevance = relevance
        if len(self.index) < len(relevance):
            #: The highest relevance of each pair, ``[pairs]``.
            self.relevance = np.full(len(self.index), np.iinfo(np.int64).min, relevance.dtype)
            np.maximum.at(self.relevance, self.index.pair, relevance)

    @cached_property
    def conflicts(self) -> Ints:
        """The rows whose relevance is not that of the first row of the same pair and label."""
        pair = self.index.pair
        if (self.row_relevance == self.relevance[pair]).all():
            return np.zeros(0, np.intp)
        codes, labels = self.row_labels
        cell = pair.astype(np.int64) * (len(labels) + 1) + codes
        _, first, number = np.unique(cell, return_index=True, return_inverse=True)
        return np.flatnonzero(self.row_relevance != self.row_relevance[first[number]])

    @cached_property
    def row_labels(self) -> tuple[Ints, list[str]]:
        """The label code of each row, ``[rows]``, and the labels in order of appearance.

        The labels are the values of ``iteration``; −1 is unannotated. Without that column, every
        row has the label ``'0'``.
        """
        if self._iteration is None:
            rows = len(self.row_relevance)
            return np.zeros(rows, np.int32), ["0"][:rows]
        codes, texts = codes_of(self._iteration)
        labels = [text for text in texts if text not in UNANNOTATED]
        return recoded(codes, texts, labels)[self._order], labels
