"""Runs as arrays, in trec_eval's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.io.identifiers import CHUNK, PairIndex, codes_of, texts_of, words_of
from pt_fairness.numerics import Floats, Ints
from pt_fairness.rankings.judgments import Judgments

#: Callback for warnings; takes the cause and the message.
Tell = Callable[[str, str], None]


class Run:
    """A run in trec_eval's order: float32(score) descending, then docno descending.

    A *list* is one ranking of a topic. A topic has one list, or one for each sample that has rows
    for it. Lists are sorted by topic, in the order of the qrels. A topic of the qrels without rows
    has one empty list. Topics that are not in the qrels are left out.

    :param run: columns ``query_id, doc_id, score`` and, if it holds several rankings of a topic,
        ``iteration``, the sample of each row
    :param tell: takes the cause and the message of each warning
    :raises ValueError: a score that is NaN or no number, a missing identifier or sample
    """

    def __init__(self, run: pd.DataFrame, judgments: Judgments, tell: Tell) -> None:
        codes, names, _ = codes_of(run["query_id"], "run")
        place = {name: code for code, name in enumerate(judgments.topics)}
        table = np.array([place.get(name, -1) for name in names], np.int32)
        topic = table[codes] if names else codes
        score, docnos, sample = scores_of(run), run["doc_id"], _samples(run)
        known = topic >= 0
        if names and place and not known.any():
            tell("topics", f"the run has none of the {len(place)} topics of the qrels: it has "
                           f"topics such as {names[0]!r}, they have topics such as "
                           f"{judgments.topics[0]!r}")
        if not known.all():
            topic, score, sample = topic[known], score[known], sample[known]
            docnos = docnos[known]
        # ``topics``: the topic of each list, ``[R]``. ``lists``: the list of each row.
        self.topics, lists = _lists(topic, sample, len(judgments.topics))
        pair, hashes = judgments.index.find(topic, docnos, "run")
        keys = np.sort(hashes + lists.astype(np.uint64) if self.sampled else hashes)
        if (keys[1:] == keys[:-1]).any():
            last = last_rows(lists, docnos, [judgments.topics[t] for t in self.topics], tell)
            score, docnos, pair = score[last], docnos.iloc[last], pair[last]
            lists, hashes = lists[last], hashes[last]
        del keys
        # ``block``: the tie block of each document, ``[n]``. Documents of a list with equal scores
        # share one.
        order, self.block = trec_order(lists, score, docnos)
        #: The list of each document in order, ``[n]``.
        self.list = lists = lists[order]
        #: The number of documents of each list, ``[R]``.
        self.length = np.bincount(lists, minlength=len(self.topics))
        #: The index of the first document of each list, ``[R]``.
        self.start = np.cumsum(self.length) - self.length
        #: The 0-based rank of each document, ``[n]``.
        self.place = np.arange(len(lists), dtype=np.int32)
        self.place -= self.start.astype(np.int32)[lists]
        #: The judged pair of each document, ``[n]``, −1 where it is unjudged.
        self.pair = pair[order]
        self._docnos, self._order, self._judged = docnos, order, len(judgments.topic)
        self._hashes = hashes[order] if self.sampled else None

    @property
    def sampled(self) -> bool:
        """Whether a topic has several lists."""
        return len(self.topics) > 0 and bool((self.topics[1:] == self.topics[:-1]).any())

    @property
    def topic(self) -> Ints:
        """The topic of each document in order, ``[n]``."""
        return self.topics[self.list] if self.sampled else self.list

    @cached_property
    def item(self) -> Ints:
        """The identifier of each document, ``[n]``, the same in all lists of a topic.

        A judged document has the index of its pair. Unjudged documents have larger integers.
        """
        item = self.pair.astype(np.int64)
        unjudged = np.flatnonzero(item < 0)
        number = np.arange(len(unjudged))
        if self._hashes is not None:
            number = pd.factorize(self._hashes[unjudged])[0]
        item[unjudged] = self._judged + number
        return item

    def docnos(self, rows: Any) -> Any:
        """Return the docnos of the documents at the indices ``rows`` as text."""
        return texts_of(self._docnos.iloc[self._order[rows]])


def _samples(run: pd.DataFrame) -> Ints:
    """Return the sample of each row, ``[n]``; 0 if the run has no column ``iteration``.

    :raises ValueError: the sample of a row is missing
    """
    if "iteration" not in run:
        return np.zeros(len(run), np.int32)
    return codes_of(run["iteration"], "run")[0]


def _lists(topic: Ints, sample: Ints, topics: int) -> tuple[Ints, Ints]:
    """Return the topic of each list and the list of each row."""
    if not sample.any():
        return np.arange(topics, dtype=np.int32), topic
    samples = int(sample.max()) + 1
    keys = topic.astype(np.int64) * samples + sample
    absent = np.setdiff1d(np.arange(topics), topic) * samples
    lists = np.union1d(keys, absent)
    return (lists // samples).astype(np.int32), np.searchsorted(lists, keys).astype(np.int32)


def scores_of(run: pd.DataFrame) -> Floats:
    """Return the score of each row, ``[n]``.

    :param run: columns ``query_id, doc_id, score``
    :raises ValueError: a score is NaN or no number
    """
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


def trec_order(lists: Ints, score: Floats, docnos: pd.Series) -> tuple[Ints, Ints]:
    """Return the order of documents by list and in trec_eval's order within each list.

    trec_eval orders by float32(score), descending, then by docno, descending.

    :param lists: the list of each document, ``[n]``
    :param score: the scores, ``[n]``
    :param docnos: the documents, ``[n]``; a list has each only once
    :returns: the indices of the documents in order, and the tie block of each document in that
        order, both ``[n]``; documents of a list with equal scores share a tie block
    """
    with np.errstate(over="ignore"):
        score = score.astype(np.float32)
    order = np.argsort(_sort_key(lists, score), kind="stable").astype(np.int32)
    lists, score = lists[order], score[order]
    tied = (lists[1:] == lists[:-1]) & (score[1:] == score[:-1])
    block = np.zeros(len(lists), np.int32)
    np.cumsum(~tied, out=block[1:])
    _order_ties(order, block, tied, docnos)
    return order, block


def _sort_key(lists: Ints, score: Any) -> Ints:
    """Return integers that sort by list, ascending, then by float32 score, descending."""
    # The bits of non-negative floats sort like the floats, those of negative ones in reverse.
    bits = (np.float32(0) - score).view(np.int32)
    bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)
    key = lists.astype(np.int64) << 32
    key += bits
    return key


def _order_ties(order: Ints, block: Ints, tied: Any, docnos: pd.Series) -> None:
    """Sort the documents of each tie block by docno, descending, in place."""
    some = np.flatnonzero(np.append(tied, False) | np.append(False, tied)).astype(np.int32)
    while len(some):
        # Whole blocks, with about CHUNK rows, bound the memory for docnos as text.
        last = block[some[min(CHUNK, len(some)) - 1]]
        part = some[:np.searchsorted(some, np.searchsorted(block, last, "right"))]
        words = words_of(texts_of(docnos.iloc[order[part]]))
        keys: list[Any] = [~words[:, column] for column in reversed(range(words.shape[1]))]
        order[part] = order[part][np.lexsort((*keys, block[part]))]
        some = some[len(part):]


def empty_run(judgments: Judgments, tell: Tell) -> Run:
    """Return a run without rows."""
    frame = pd.DataFrame({"query_id": [], "doc_id": [], "score": []})
    return Run(frame.astype({"query_id": "str", "doc_id": "str"}), judgments, tell)


def last_rows(lists: Ints, docnos: pd.Series, qids: Sequence[str], tell: Tell) -> Ints:
    """Return the index of the last row of each document of each list, ascending.

    :param lists: the list of each row, ``[n]``
    :param docnos: the document of each row, ``[n]``
    :param qids: the topic of each list, ``[R]``
    :param tell: takes the cause and the message of the warning of other rows
    """
    index = PairIndex(lists, docnos, "run")
    last = np.zeros(len(index), np.intp)
    np.maximum.at(last, index.pair, np.arange(len(lists)))
    again = np.flatnonzero(last[index.pair] != np.arange(len(lists)))
    if len(again):
        tell("duplicates", f"the run has {len(again)} rows whose document it gives again for the "
                           f"same topic (the first is {docnos.iloc[again[0]]!r} for topic "
                           f"{qids[lists[again[0]]]!r}); of each such document the last row counts")
    last.sort()
    return last
