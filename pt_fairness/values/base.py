"""The class of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core import fingerprint
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.identifiers import DocumentIndex, texts_of
from pt_fairness.core.registry import NamedObject
from pt_fairness.io.frames import need_columns


class Values(NamedObject):
    """The values of documents, by docno or by topic and docno.

    :param frame: columns ``docno, value`` or ``qid, docno, value``
    :param name: the name of the values; ``None`` for one derived from a hash of their content
    :param where: the name of the frame in errors
    :raises ValueError: a column is missing, a value is no finite number, or a document has several
    """

    WHAT = "values"

    def __init__(self, frame: pd.DataFrame, name: str | None = None,
                 where: str = "the frame of values") -> None:
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"values come from a DataFrame here, not from a "
                             f"{type(frame).__name__}; from_mapping takes dictionaries, from_file "
                             "takes paths")
        docno = "docno" if "docno" in frame or "doc_id" not in frame else "doc_id"
        qid = next((column for column in ("qid", "query_id") if column in frame), None)
        need_columns(frame, [docno, "value"], where)
        super().__init__(name)
        self._index = DocumentIndex(None if qid is None else frame[qid], frame[docno], "values")
        numbers = pd.to_numeric(frame["value"], errors="coerce").to_numpy(float, na_value=np.nan)
        wrong = ~np.isfinite(numbers)
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(f"{where}: the value {str(frame['value'].iloc[row])!r} of document "
                             f"{frame[docno].iloc[row]!r} is no finite number; leave out the "
                             "documents that have none")
        # Adding 0.0 turns −0 into 0, so that equal values have equal hashes.
        self._numbers = numbers[self._index.first] + 0.0
        other = self._numbers[self._index.pair] != numbers
        if other.any():
            row = int(other.argmax())
            first = self._numbers[self._index.pair[row]]
            of = "" if qid is None else f" for topic {frame[qid].iloc[row]!r}"
            raise ValueError(f"{where} gives document {frame[docno].iloc[row]!r}{of} the values "
                             f"{first:g} and {numbers[row]:g}; a document has one value")

    def digest(self) -> str:
        order, documents = self._index.sorted()
        return fingerprint.of_value((self._index.topics is not None, documents,
                                     self._numbers[order]))[:12]

    def lookup(self, qids: Sequence[Any], docnos: Sequence[Any]) -> Floats:
        """Return the values of documents, ``[n]``, NaN for documents without a value.

        :param qids: the topic of each document, ``[n]``
        :param docnos: the documents, ``[n]``
        :raises ValueError: ``qids`` and ``docnos`` differ in length

        Examples
        --------
        >>> from pt_fairness import values
        >>> values.from_mapping({"d1": 1, "d2": 0.5}).lookup(["q1", "q1"], ["d2", "d3"])
        array([0.5, nan])
        """
        if len(qids) != len(docnos):
            raise ValueError(f"lookup was given {len(qids)} topics and {len(docnos)} documents; it "
                             "needs a topic for each document")
        topic, topics = pd.factorize(texts_of(pd.Series(qids)))
        return self.find(topic, topics, texts_of(pd.Series(docnos)))

    def find(self, topic: Ints, topics: Sequence[str], docnos: Any) -> Floats:
        """Return the values of documents, ``[n]``, NaN for documents without a value.

        :param topic: the topic of each document, an index into ``topics``, ``[n]``
        :param topics: the names of the topics
        :param docnos: the documents as text, ``[n]``
        """
        return np.append(self._numbers, np.nan)[self._index.find(topic, topics, docnos)]

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"Values({self.name!r}, {len(self)} documents)"
