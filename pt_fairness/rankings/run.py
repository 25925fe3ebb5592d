"""Runs as arrays, in trec_eval's order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Floats, Ints, distinct, recoded
from pt_fairness.core.identifiers import codes_of, texts_of
from pt_fairness.core.messages import Warn, warn
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.trec_order import last_rows, scores_of, trec_order


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
        codes, names = codes_of(run["query_id"], "run")
        topic = recoded(codes, names, judgments.topics)
        score, docnos = scores_of(run), run["doc_id"]
        sample, samples = codes_of(run["iteration"], "run") if "iteration" in run \
            else (np.zeros_like(topic), {})
        known = topic >= 0
        if not names:
            warn("the run is empty: every topic counts as if it had returned nothing", "empty run")
        elif judgments.topics and not known.any():
            warn(f"the run has none of the {len(judgments.topics)} topics of the qrels: it has "
                 f"topics such as {next(iter(names))!r}, they have topics such as "
                 f"{judgments.topics[0]!r}", "topics")
        found = len(np.unique(topic[known]))
        if 0 < found < len(judgments.topics) / 2:
            warn(f"the run has results for {found} of the {len(judgments.topics)} topics of the "
                 "qrels; the others count as if it had returned nothing", "few topics")
        if not known.all():
            topic, score, sample = topic[known], score[known], sample[known]
            docnos = docnos[known]
        # ``topics``: the topic of each list, ``[R]``. ``lists``: the list of each row.
        self.topics, lists = _lists(topic, sample, len(judgments.topics), len(samples))
        pair, hashes = judgments.index.find(topic, docnos, "run")
        keys = np.sort(hashes + lists.astype(np.uint64) if self.sampled else hashes)
        if (keys[1:] == keys[:-1]).any():
            last = last_rows(lists, docnos, [judgments.topics[t] for t in self.topics], warn)
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
        short = distinct(self.topics[(self.length == 0) & (np.bincount(self.topics) > 1)[
            self.topics]])
        if len(short):
            warn(f"{len(short)} of {len(judgments.topics)} topics (the first is "
                 f"{judgments.topics[short[0]]!r}) are missing from some of the {len(samples)} "
                 "samples of the run; these samples returned nothing for them", "samples")
        #: The 0-based rank of each document, ``[n]``.
        self.place = np.arange(len(lists), dtype=np.int32)
        self.place -= self.start.astype(np.int32)[lists]
        #: The judged pair of each document, ``[n]``, −1 where it is unjudged.
        self.pair = pair[order]
        self._docnos, self._order, self._judged = docnos, order, len(judgments.topic)
        self._score = score
        self._hashes = hashes[order] if self.sampled else None

    @property
    def sampled(self) -> bool:
        """Whether a topic has several lists."""
        return bool((self.topics[1:] == self.topics[:-1]).any())

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

    def scores(self, rows: Any) -> Floats:
        """Return the scores of the documents at the indices ``rows``."""
        return self._score[self._order[rows]]

    def samples(self) -> Iterator[tuple[Ints, Bools]]:
        """Yield one list of each topic at a time: the lists, and a mask of their documents."""
        turn = np.arange(len(self.topics)) - np.searchsorted(self.topics, self.topics)
        for sample in range(int(turn.max(initial=-1)) + 1):
            lists = np.flatnonzero(turn == sample)
            yield lists, np.isin(self.list, lists)


def _lists(topic: Ints, sample: Ints, topics: int, samples: int) -> tuple[Ints, Ints]:
    """Return the topic of each list and the list of each row."""
    if samples < 2:
        return np.arange(topics, dtype=np.int32), topic
    count = np.where(np.bincount(topic, minlength=topics) > 0, samples, 1)
    start = (np.cumsum(count) - count).astype(np.int32)
    return np.repeat(np.arange(topics, dtype=np.int32), count), start[topic] + sample


def empty_run(judgments: Judgments) -> Run:
    """Return a run without rows."""
    return Run(pd.DataFrame(columns=["query_id", "doc_id", "score"]), judgments,
               lambda message, cause: None)
