"""Runs as arrays, in trec_eval's order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.identifiers import CHUNK, PairIndex, codes_of, texts_of, words_of
from pt_fairness.numerics import Floats, Ints
from pt_fairness.rankings.judgments import Judgments

#: Takes the cause of a warning, which is given once, and its message.
Tell = Callable[[str, str], None]


class Run:
    """A run in trec_eval's order: float32(score) descending, then docno descending.

    Topics are in the order of the qrels; topics without qrels are left out.

    :param run: columns ``query_id, doc_id, score``
    :param tell: takes the cause and the message of each warning
    :raises ValueError: a score that is NaN or no number, a missing identifier
    """

    def __init__(self, run: pd.DataFrame, judgments: Judgments, tell: Tell) -> None:
        codes, names, _ = codes_of(run["query_id"], "run")
        place = {name: code for code, name in enumerate(judgments.topics)}
        table = np.array([place.get(name, -1) for name in names], np.int32)
        topic = table[codes] if names else codes
        score, docnos = _scores(run), run["doc_id"]
        rows = np.flatnonzero(topic >= 0)
        if names and place and not len(rows):
            tell("topics", f"the run has none of the {len(place)} topics of the qrels: it has "
                           f"topics such as {names[0]!r}, they have topics such as "
                           f"{judgments.topics[0]!r}")
        if len(rows) < len(topic):
            topic, score, docnos = topic[rows], score[rows], docnos.iloc[rows]
        pair, hashes = judgments.index.find(topic, docnos, "run")
        hashes.sort()
        if (hashes[1:] == hashes[:-1]).any():
            last = _last_rows(topic, docnos, judgments, tell)
            topic, score, docnos, pair = topic[last], score[last], docnos.iloc[last], pair[last]
        del hashes
        with np.errstate(over="ignore"):
            score = score.astype(np.float32)
        order = np.argsort(_sort_key(topic, score), kind="stable").astype(np.int32)
        topic, score = topic[order], score[order]
        tied = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
        #: The topic of each document in order, ``[n]``.
        self.topic = topic
        #: The tie block of each document, ``[n]``: documents of one block have the same score.
        self.block = np.zeros(len(topic), np.int32)
        np.cumsum(~tied, out=self.block[1:])
        _order_ties(order, self.block, tied, docnos)
        #: How many documents each topic has, ``[T]``, and where they start.
        self.length = np.bincount(topic, minlength=len(judgments.topics))
        self.start = np.cumsum(self.length) - self.length
        #: The 0-based rank of each document, ``[n]``.
        self.place = np.arange(len(topic), dtype=np.int32)
        self.place -= self.start.astype(np.int32)[topic]
        #: The judged pair of each document, ``[n]``, −1 where it is unjudged.
        self.pair = pair[order]
        self._docnos, self._order = docnos, order

    def docnos(self, rows: Any) -> Any:
        """Return the documents at these places of the order as text."""
        return texts_of(self._docnos.iloc[self._order[rows]])


def _scores(run: pd.DataFrame) -> Floats:
    try:
        score = run["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the run's scores have to be numbers: {error}") from None
    wrong = np.isnan(score)
    if wrong.any():
        row = run.iloc[int(np.argmax(wrong))]
        raise ValueError(f"the score of document {row['doc_id']!r} for topic {row['query_id']!r} "
                         "is NaN, so it has no rank; every document needs a score")
    return np.asarray(score)


def _sort_key(topic: Ints, score: Any) -> Ints:
    """Return integers in the order of the topics and, within one, of falling float32 scores."""
    # Non-negative floats have ordered bits; those of negative floats are in the opposite order.
    bits = (np.float32(0) - score).view(np.int32)
    bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)
    key = topic.astype(np.int64) << 32
    key += bits
    return key


def _order_ties(order: Ints, block: Ints, tied: Any, docnos: pd.Series) -> None:
    """Sort the documents of each tie block by docno, descending, in place."""
    some = np.flatnonzero(np.append(tied, False) | np.append(False, tied)).astype(np.int32)
    while len(some):
        # Whole blocks, of about as many rows as may be text at a time.
        last = block[some[min(CHUNK, len(some)) - 1]]
        part = some[:np.searchsorted(some, np.searchsorted(block, last, "right"))]
        words = words_of(texts_of(docnos.iloc[order[part]]))
        keys: list[Any] = [~words[:, column] for column in reversed(range(words.shape[1]))]
        order[part] = order[part][np.lexsort((*keys, block[part]))]
        some = some[len(part):]


def _last_rows(topic: Ints, docnos: pd.Series, judgments: Judgments, tell: Tell) -> Ints:
    """Return the last row of every document of every topic, in the order of the rows."""
    index = PairIndex(topic, docnos, "run")
    last = np.zeros(len(index), np.intp)
    np.maximum.at(last, index.pair, np.arange(len(topic)))
    again = np.flatnonzero(last[index.pair] != np.arange(len(topic)))
    if len(again):
        tell("duplicates", f"the run has {len(again)} rows whose document it gives again for the "
                           f"same topic (the first is {docnos.iloc[again[0]]!r} for topic "
                           f"{judgments.topics[topic[again[0]]]!r}); of each such document the "
                           "last row counts")
    last.sort()
    return last
