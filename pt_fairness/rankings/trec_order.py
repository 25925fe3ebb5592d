"""Qrels as arrays, and runs in trec_eval's order: its tie-breaking, and duplicate documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Floats, Ints, distinct, positions, recoded
from pt_fairness.core.identifiers import CHUNK, PairIndex, codes_of, missing, texts_of, words_of
from pt_fairness.core.messages import LARGEST_LABEL, UNANNOTATED, Warn, warn
from pt_fairness.io.files import need_distinct_columns


class Judgments:
    """Qrels as arrays: a *pair* is a judged (topic, document), which may have several rows.

    Rows and pairs are sorted by topic, and topics are in order of first appearance.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``
    :raises ValueError: a missing value, an identifier with a character that trec_eval cannot read,
        or a relevance outside ±1,000,000
    """

    def __init__(self, qrels: pd.DataFrame) -> None:
        need_distinct_columns(qrels, "the frame of qrels")
        topic, topics = codes_of(qrels["query_id"], "qrels")
        #: The distinct topics as text, ``[T]``.
        self.topics = list(topics)
        #: The topics as given in the frame, ``[T]``.
        self.qids = list(topics.values())
        # The groups of the rows as given: labels are in the order in which ndeval sees them.
        self._iteration = qrels.get("iteration")
        self._order: Any = slice(None)
        if (topic[1:] < topic[:-1]).any():
            self._order = np.argsort(topic, kind="stable")
            topic = topic[self._order]
            qrels = qrels.iloc[self._order]
        self.index = PairIndex(topic, qrels["doc_id"], "qrels")
        #: The topic code of each pair, ``[pairs]``, ascending.
        self.topic = self.index.topic
        #: Returns the docnos of pairs as text.
        self.docnos = self.index.docnos
        column = qrels["relevance"]
        if column.hasnans:
            raise missing(column, np.argmax(column.isna()), "qrels")
        relevance = pd.to_numeric(column).to_numpy()
        outside = (relevance < -LARGEST_LABEL) | (relevance > LARGEST_LABEL)
        if outside.any():
            row = int(outside.argmax())
            raise ValueError(f"row {qrels.index[row]} of the qrels has the relevance "
                             f"{relevance[row]}, which is outside ±{LARGEST_LABEL:,}")
        if relevance.dtype.kind != "f":
            relevance = relevance.astype(np.int64, copy=False)
        self.row_relevance = self.relevance = relevance
        if len(self.topic) < len(relevance):
            #: The highest relevance of each pair, ``[pairs]``.
            of_pairs = pd.Series(relevance).groupby(self.index.pair)
            self.relevance = of_pairs.max().to_numpy()

    @cached_property
    def names(self) -> Any:
        """The topics as text, as an array of objects, ``[T]``."""
        return np.array(self.topics, dtype=object)

    @cached_property
    def conflicts(self) -> Ints:
        """The rows whose relevance is not that of the first row of the same pair and label."""
        pair = self.index.pair
        if (self.row_relevance == self.relevance[pair]).all():
            return np.zeros(0, np.intp)
        codes, labels = self.row_labels
        cell = pair.astype(np.int64) * (len(labels) + 1) + codes
        relevance = pd.Series(self.row_relevance)
        of_first = relevance.groupby(cell).transform("first")
        return np.flatnonzero(self.row_relevance != of_first)

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


class Run:
    """A run in trec_eval's order: float32(score) descending, then docno descending.

    A *list* is one ranking of a topic. A topic has a list for each sample of the run, which is
    empty if the sample has no rows for it. Lists are sorted by topic, in the order of the qrels. A
    topic of the qrels without rows has one empty list. Topics that are not in the qrels are left
    out.

    :param run: columns ``query_id, doc_id, score`` and, if it holds several rankings of a topic,
        ``iteration``, the sample of each row
    :param warn: issues the warnings
    :raises ValueError: a score that is NaN or no number, a missing identifier or sample
    """

    def __init__(self, run: pd.DataFrame, judgments: Judgments, warn: Warn = warn) -> None:
        qids = judgments.topics
        need_distinct_columns(run, "the run")
        codes, run_qids = codes_of(run["query_id"], "run")
        topic = recoded(codes, run_qids, qids)
        score, docnos = scores_of(run), run["doc_id"]
        sample = np.zeros(len(run), np.int32)
        samples: dict[str, Any] = {}
        if "iteration" in run:
            sample, samples = codes_of(run["iteration"], "run")
        judged = topic >= 0
        if not run_qids:
            warn("the run is empty: every topic counts as if it had returned nothing", "empty run")
        elif qids and not judged.any():
            warn(f"the run has none of the {len(qids)} topics of the qrels: it has topics such as "
                 f"{next(iter(run_qids))!r}, they have topics such as {qids[0]!r}", "topics")
        count = np.bincount(topic[judged], minlength=len(qids))
        present = count > 0
        results = present.sum()
        if 0 < results < len(qids) / 2:
            warn(f"the run has results for {results} of the {len(qids)} topics of the qrels; the "
                 "others count as if it had returned nothing", "few topics")
        if not judged.all():
            topic, sample = topic[judged], sample[judged]
            score, docnos = score[judged], docnos[judged]
        #: The topic of each list, ``[R]``.
        self.topics = np.arange(len(qids), dtype=np.int32)
        lists = topic
        if len(samples) > 1:
            count = np.where(present, len(samples), 1)
            start = np.cumsum(count) - count
            self.topics = np.repeat(self.topics, count)
            lists = start.astype(np.int32)[topic] + sample
        #: Whether a topic has several lists.
        self.sampled = len(self.topics) > len(qids)
        pair, hashes = judgments.index.find(topic, docnos, "run")
        keys = np.sort(hashes + lists.astype(np.uint64) if self.sampled else hashes)
        if (keys[1:] == keys[:-1]).any():
            of_lists = [qids[topic] for topic in self.topics]
            last = last_rows(lists, docnos, of_lists, warn)
            score, docnos = score[last], docnos.iloc[last]
            pair, lists, hashes = pair[last], lists[last], hashes[last]
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
        if self.sampled:
            empty = (self.length == 0) & present[self.topics]
            short = distinct(self.topics[empty])
            if len(short):
                warn(f"{len(short)} of {len(qids)} topics (the first is {qids[short[0]]!r}) are "
                     f"missing from some of the {len(samples)} samples of the run; these samples "
                     "returned nothing for them", "samples")
        #: The 0-based rank of each document, ``[n]``.
        self.place = np.arange(len(lists), dtype=np.int32)
        self.place -= self.start.astype(np.int32)[lists]
        #: The judged pair of each document, ``[n]``, −1 where it is unjudged.
        self.pair = pair[order]
        self._docnos, self._order, self._score = docnos, order, score
        self._judgments = judgments
        self._hashes = hashes[order] if self.sampled else None

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
        item[unjudged] = len(self._judgments.topic) + number
        return item

    def docnos(self, rows: Any = slice(None)) -> Any:
        """Return the docnos of the documents at the indices ``rows`` as text."""
        return texts_of(self._docnos.iloc[self._order[rows]])

    def frame(self, rows: Any) -> pd.DataFrame:
        """Return documents with the columns of ir_measures, and scores that descend with the rank.
        """
        qids = self._judgments.names[self.topic[rows]]
        scores = -self.place[rows].astype(float)
        return pd.DataFrame({"query_id": qids, "doc_id": self.docnos(rows), "score": scores})

    def scores(self, rows: Any) -> Floats:
        """Return the scores of the documents at the indices ``rows``."""
        return self._score[self._order[rows]]

    def samples(self) -> Iterator[tuple[Ints, Bools]]:
        """Yield one list of each topic at a time: the lists, and a mask of their documents."""
        turn = positions(self.topics)
        for sample in range(turn.max(initial=-1) + 1):
            lists = np.flatnonzero(turn == sample)
            yield lists, np.isin(self.list, lists)


def empty_run(judgments: Judgments) -> Run:
    """Return a run without rows."""
    rows = pd.DataFrame(columns=["query_id", "doc_id", "score"])
    return Run(rows, judgments, lambda message, cause: None)


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
    return score


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
    # One sort of integers, by list and by score, is faster than lexsort, most of all for a run that
    # is in order. The bits of floats of at least 0 sort as the floats do, those of negative floats
    # in reverse.
    bits = (np.float32(0) - score).view(np.int32)
    bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)
    key = (lists.astype(np.int64) << 32) + bits
    del bits
    order = np.argsort(key, kind="stable").astype(np.int32)
    del key
    lists, score = lists[order], score[order]
    same_list = lists[1:] == lists[:-1]
    tied = same_list & (score[1:] == score[:-1])
    block = np.zeros(len(lists), np.int32)
    np.cumsum(~tied, out=block[1:])
    if tied.any():
        _order_ties(order, block, tied, docnos)
    return order, block


def _order_ties(order: Ints, block: Ints, tied: Bools, docnos: pd.Series) -> None:
    """Sort the documents of each tie block by docno, descending, in place.

    :param tied: whether each document is tied with the next one, ``[n − 1]``
    """
    in_block = np.append(tied, False) | np.append(False, tied)
    rows = np.flatnonzero(in_block).astype(np.int32)
    while len(rows):
        # Whole blocks, with about CHUNK rows, bound the memory for docnos as text.
        last = block[rows[:CHUNK][-1]]
        end = np.searchsorted(block, last, "right")
        part = rows[:np.searchsorted(rows, end)]
        texts = texts_of(docnos.iloc[order[part]])
        words = ~words_of(texts)
        within_part = np.lexsort((*words.T[::-1], block[part]))
        order[part] = order[part][within_part]
        rows = rows[len(part):]


def last_rows(lists: Ints, docnos: pd.Series, qids: Sequence[str], warn: Warn) -> Ints:
    """Return the index of the last row of each document of each list, ascending.

    :param lists: the list of each row, ``[n]``
    :param docnos: the document of each row, ``[n]``
    :param qids: the topic of each list, ``[R]``
    :param warn: issues the warning of other rows
    """
    index = PairIndex(lists, docnos, "run")
    earlier = pd.Series(index.pair).duplicated(keep="last").to_numpy()
    if earlier.any():
        row = int(earlier.argmax())
        warn(f"the run has {earlier.sum()} rows whose document it gives again for the same topic "
             f"(the first is {docnos.iloc[row]!r} for topic {qids[lists[row]]!r}); of each such "
             "document the last row counts", "duplicates")
    return np.flatnonzero(~earlier)
