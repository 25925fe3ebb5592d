"""Qrels as arrays, and runs in trec_eval's order: its tie-breaking, and duplicate documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import (
    Bools,
    Floats,
    Ints,
    is_new,
    positions,
    recoded,
)
from pt_fairness.core.identifiers import PairIndex, codes_of, missing, texts_of, words_of
from pt_fairness.core.messages import (
    LARGEST_LABEL,
    UNANNOTATED,
    Warn,
    group_labels,
    shown,
    warn,
)
from pt_fairness.groups.memberships import naming_rows
from pt_fairness.io.files import need_columns


class Judgments:
    """Qrels as arrays: a *pair* is a judged (topic, document), which may have several rows.

    Rows and pairs are sorted by topic, and topics are in order of first appearance.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``
    :raises ValueError: if a value is missing, trec_eval cannot read an identifier, or a relevance
        is outside ±1,000,000
    """

    def __init__(self, qrels: pd.DataFrame) -> None:
        need_columns(qrels, [], "the frame of qrels")
        topic, topics = codes_of(qrels["query_id"], "qrels")
        #: The distinct topics as text, ``[T]``.
        self.topics = list(topics)
        #: The topics as given in the frame, ``[T]``.
        self.qids = list(topics.values())
        # The groups of the rows as given: labels are in the order in which ndeval sees them.
        self._iteration = qrels.get("iteration")
        self._order: Any = slice(None)
        if not pd.Index(topic).is_monotonic_increasing:
            self._order = np.argsort(topic, kind="stable")
            topic = topic[self._order]
            qrels = qrels.iloc[self._order]
        self._places = qrels.index
        self.index = PairIndex(topic, qrels["doc_id"], "qrels")
        #: The topic code of each pair, ``[pairs]``, ascending.
        self.topic = self.index.topic
        #: Returns the docnos of pairs as text.
        self.docnos = self.index.docnos
        column = qrels["relevance"]
        if column.hasnans:
            raise missing(column, column.isna().argmax(), "qrels")
        numbers = pd.to_numeric(column, errors="coerce")
        allowed = numbers.between(-LARGEST_LABEL, LARGEST_LABEL)
        if not allowed.all():
            row = int(allowed.argmin())
            value = column.tolist()[row]
            raise ValueError(f"relevance must be a number within ±{LARGEST_LABEL:,}, got "
                             f"{shown(value)} in row {column.index[row]} of the qrels")
        relevance = numbers.to_numpy()
        if relevance.dtype.kind != "f":
            relevance = np.asarray(relevance, np.int64)
        #: The relevance of each row, ``[rows]``.
        self.row_relevance = relevance
        #: The highest relevance of each pair, ``[pairs]``.
        self.relevance = relevance
        if len(self.topic) != len(relevance):
            pairs = pd.Series(relevance).groupby(self.index.pair)
            highest = pairs.max()
            self.relevance = highest.to_numpy()

    @cached_property
    def names(self) -> Any:
        """The topics as text, as an array of objects, ``[T]``."""
        return np.array(self.topics, dtype=object)

    @cached_property
    def row_labels(self) -> tuple[Ints, list[str]]:
        """The label code of each row, ``[rows]``, and the labels in order of appearance.

        The labels are the values of ``iteration``; −1 is unannotated. Without that column, every
        row has the label ``'0'``.
        """
        if self._iteration is None:
            return np.zeros(len(self.row_relevance), np.int32), ["0"]
        codes, texts = codes_of(self._iteration)
        labels = [text for text in texts if text not in UNANNOTATED]
        codes = recoded(codes, texts, labels)
        return codes[self._order], labels

    @cached_property
    def row_groups(self) -> tuple[Ints, list[str], Bools]:
        """The code of the group that each row names, ``[rows]``, −1 for none; all groups; and which
        topics are judged by group, ``[T]``: there, only rows with a relevance above 0 name one.
        """
        codes, labels = self.row_labels
        groups = group_labels(labels)
        codes = recoded(codes, labels, groups)
        names, grouped = naming_rows(self.topics, self.topic, self.index.pair, codes,
                                      self.row_relevance, None, "qrels", self._places)
        return np.where(names, codes, -1), groups, grouped


class Run:
    """A run in trec_eval's order: float32(score) descending, then docno descending.

    A topic of the qrels has a ranking for each sample of the run, which is empty if the sample has
    no rows for it. Rankings are sorted by topic, in the order of the qrels. Topics that are not in
    the qrels are left out.

    :param run: columns ``query_id, doc_id, score`` and, if it holds several rankings of a topic,
        ``iteration``, the sample of each row
    :param warn: issues the warnings
    :raises ValueError: if a score is NaN or not a number, or an identifier or sample is missing
    """

    def __init__(self, run: pd.DataFrame, judgments: Judgments, warn: Warn = warn) -> None:
        need_columns(run, [], "the run")
        self._judgments = judgments
        codes, run_qids = codes_of(run["query_id"], "run")
        topic = recoded(codes, run_qids, judgments.topics)
        score = scores_of(run)
        docnos = run["doc_id"]
        sample = np.zeros(len(run), np.int32)
        samples = 1
        if "iteration" in run and len(run):
            sample, names = codes_of(run["iteration"], "run")
            samples = len(names)
        topics = judgments.topics
        warn_of_topics(run_qids, topics, warn)
        judged = topic >= 0
        if not judged.all():
            topic = topic[judged]
            sample = sample[judged]
            score = score[judged]
            docnos = docnos[judged]
        #: The topic of each ranking, ``[R]``.
        self.topics = np.repeat(np.arange(len(topics), dtype=np.int32), samples)
        ranking = topic * samples + sample
        #: Whether topics have several rankings.
        self.sampled = samples != 1
        pair, hashes = judgments.index.find(topic, docnos, "run")
        if len(pair) and (pair == -1).all():
            warn(f"none of the {len(pair)} documents of the run is judged: it has documents such "
                 f"as {str(docnos.iloc[0])!r}, the qrels such as {judgments.docnos([0])[0]!r}",
                 "no judged document")
        keys = np.sort(hashes ^ ranking.astype(np.uint64))
        if not is_new(keys).all():
            qids = judgments.names[self.topics]
            rows = last_rows(ranking, docnos, qids, warn)
            ranking = ranking[rows]
            score = score[rows]
            docnos = docnos.iloc[rows]
            pair = pair[rows]
            hashes = hashes[rows]
        del keys
        order, self._block = trec_order(ranking, score, docnos)
        self._docnos = docnos
        self._score = score
        self._order = order
        self._hashes = hashes[order] if self.sampled else None
        #: The judged pair of each document, ``[n]``, −1 where it is unjudged.
        self.pair = pair[order]
        ranking = ranking[order]
        #: The ranking of each document in order, ``[n]``.
        self.ranking = ranking
        #: The number of documents of each ranking, ``[R]``.
        self.length = np.bincount(ranking, minlength=len(self.topics))
        #: The index of the first document of each ranking, ``[R]``.
        self.start = np.cumsum(self.length) - self.length
        start = self.start.astype(np.int32)
        #: The 0-based rank of each document, ``[n]``.
        self.place = np.arange(len(ranking), dtype=np.int32)
        self.place -= start[ranking]

    @property
    def topic(self) -> Ints:
        """The topic of each document in order, ``[n]``."""
        if not self.sampled:
            return self.ranking
        return self.topics[self.ranking]

    @cached_property
    def item(self) -> Ints:
        """The identifier of each document, ``[n]``, the same in all rankings of a topic.

        A judged document has the index of its pair. Unjudged documents have larger integers.
        """
        item = self.pair.astype(np.int64)
        unjudged = np.flatnonzero(item < 0)
        number = np.arange(len(unjudged))
        if self._hashes is not None:
            number, _ = pd.factorize(self._hashes[unjudged])
        number += len(self._judgments.topic)
        item[unjudged] = number
        return item

    def docnos(self, rows: Any = slice(None)) -> Any:
        """Return the docnos of the documents at the indices ``rows`` as text."""
        docnos = self._docnos.iloc[self._order[rows]]
        return texts_of(docnos)

    def frame(self, rows: Any) -> pd.DataFrame:
        """Return documents with the columns of ir_measures, and scores in descending order."""
        qids = self._judgments.names[self.topic[rows]]
        docnos = self.docnos(rows)
        scores = -np.arange(float(len(qids)))
        return pd.DataFrame({"query_id": qids, "doc_id": docnos, "score": scores})

    def scores(self, rows: Any) -> Floats:
        """Return the scores of the documents at the indices ``rows``."""
        return self._score[self._order[rows]]

    def samples(self, rows: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Yield one ranking of each topic at a time, and the documents in them.

        :param rows: the indices of the documents to choose from
        """
        sample = positions(self.topics)
        number = sample[self.ranking[rows]]
        for one in range(sample.max(initial=-1) + 1):
            yield np.flatnonzero(sample == one), rows[number == one]

    @property
    def tied(self) -> Ints:
        """The indices of the documents that share a score with others of their ranking."""
        size = np.bincount(self._block)
        return np.flatnonzero(size[self._block] != 1)

    def order_of_ndeval(self) -> Ints:
        """Return the documents in ndeval's order: score descending, then docno ascending, ``[n]``.
        """
        tied = self.tied
        words = words_of(self.docnos(tied))
        keys = (*words.T[::-1], -self.scores(tied), self._block[tied])
        order = np.arange(len(self.ranking))
        order[tied] = tied[np.lexsort(keys)]
        return order


def warn_of_topics(run_qids: Collection[str], topics: Sequence[str], warn: Warn = warn) -> None:
    """Warn if a run lacks topics of the qrels."""
    missing = [qid for qid in topics if qid not in run_qids]
    foreign = {*run_qids}.difference(topics)
    if missing:
        example = f", not for {missing[0]!r}"
        if foreign:
            example += f", and for others, such as {min(foreign)!r}"
        present = len(topics) - len(missing)
        warn(f"the run has results for {present} of the {len(topics)} topics of the qrels{example};"
             " the others count as if it had returned nothing", "few topics")


def empty_run(judgments: Judgments) -> Run:
    """Return a run without rows."""
    rows = pd.DataFrame(columns=["query_id", "doc_id", "score"])
    return Run(rows, judgments, lambda message, cause: None)


def scores_of(run: pd.DataFrame) -> Floats:
    """Return the score of each row, ``[n]``.

    :param run: columns ``query_id, doc_id, score``
    :raises ValueError: if a score is NaN or not a number
    """
    try:
        score = run["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(f"score must be a number for each row of the run: {error}") from None
    wrong = np.isnan(score)
    if wrong.any():
        first = wrong.argmax()
        row = run.iloc[first]
        raise ValueError("score must be a number for each row of the run, got NaN for document "
                         f"{row['doc_id']!r} and topic {row['query_id']!r}")
    return score


def trec_order(ranking: Ints, score: Floats, docnos: pd.Series) -> tuple[Ints, Ints]:
    """Return the order of documents by ranking and in trec_eval's order within each ranking.

    trec_eval orders by float32(score), descending, then by docno, descending.

    :param ranking: the ranking of each document, ``[n]``
    :param score: the scores, ``[n]``
    :param docnos: the documents, ``[n]``; a ranking has each only once
    :returns: the indices of the documents in order, and the tie block of each document in that
        order, both ``[n]``; documents of a ranking with equal scores share a tie block
    """
    with np.errstate(over="ignore"):
        score = score.astype(np.float32)
    # One sort of integers, by ranking and score, is faster than lexsort, above all for a run in
    # order.
    key = ranking.astype(np.int64) << 32
    # The bits of floats of at least 0 sort as the floats do, negative floats in reverse.
    negated = np.float32(0) - score  # has no −0
    bits = negated.view(np.int32)
    key += np.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    order = np.argsort(key, kind="stable")
    del key
    order = order.astype(np.int32)
    ranking = ranking[order]
    score = score[order]
    new = is_new(ranking) | is_new(score)
    block = np.cumsum(new, dtype=np.int32)
    block -= 1
    if not new.all():
        _order_ties(order, block, docnos)
    return order, block


def _order_ties(order: Ints, block: Ints, docnos: pd.Series) -> None:
    """Sort the documents of each tie block by docno, descending, in place."""
    size = np.bincount(block)
    rows = np.flatnonzero(size[block] != 1)
    tied = order[rows]
    words = ~words_of(texts_of(docnos.iloc[tied]))
    order[rows] = tied[np.lexsort((*words.T[::-1], block[rows]))]


def last_rows(ranking: Ints, docnos: pd.Series, qids: Sequence[str], warn: Warn) -> Ints:
    """Return the index of the last row of each document of each ranking, ascending.

    :param ranking: the ranking of each row, ``[n]``
    :param docnos: the document of each row, ``[n]``
    :param qids: the topic of each ranking, ``[R]``
    :param warn: issues the warning of other rows
    """
    index = PairIndex(ranking, docnos, "run")
    earlier = pd.Series(index.pair).duplicated(keep="last").to_numpy()
    if earlier.any():
        row = int(earlier.argmax())
        warn(f"the run has {earlier.sum()} rows whose document it gives again for the same topic "
             f"(the first is {docnos.iloc[row]!r} for topic {qids[ranking[row]]!r}); of each such "
             "document the last row counts", "duplicates")
    return np.flatnonzero(~earlier)
