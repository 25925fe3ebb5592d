"""Results as lists of documents that a re-ranker moves, and queues of these by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import targets
from pt_fairness.core.arrays import Bools, Floats, Ints, ratio, recoded
from pt_fairness.core.identifiers import codes_of, texts_of
from pt_fairness.core.labels import UNANNOTATED
from pt_fairness.core.messages import warn
from pt_fairness.groups import Groups, Memberships
from pt_fairness.groups.memberships import one_label_each
from pt_fairness.rankings.labelled import LabelSets
from pt_fairness.rankings.trec_order import last_rows, scores_of, trec_order


@dataclass(frozen=True)
class Condensed:
    """The documents of one topic that a re-ranker moves, in the old order.

    These are the annotated documents, or all documents for a policy without groups. Shapes: ``n``
    documents, ``G`` groups.
    """

    qid: str
    #: The indices of the documents in the order of :class:`Results`, ascending, ``[n]``.
    places: Ints
    #: The documents as text, ``[n]``.
    docnos: Any
    #: The scores, rounded to float32, ``[n]``.
    score: Floats
    #: The groups that these documents have, sorted, ``[G]``.
    labels: list[str]
    #: The share of each document in each group, ``[n, G]``; rows sum to 1.
    shares: Floats
    #: Whether the shares of each document are weights of the group source, ``[n]``.
    weighted: Bools
    #: The target share of each group, ``[G]``; they sum to 1, or are all 0 if the target has no
    #: share for any of the groups.
    target: Floats
    #: The number of ranks to fill, at most ``n``.
    k: int

    @property
    def comparable(self) -> bool:
        """Whether there are two groups or more, and a target for them."""
        return len(self.labels) > 1 and bool(self.target.any())

    def finite(self) -> Floats:
        """Return the scores, ``[n]``.

        :raises ValueError: a score is infinite
        """
        wrong = ~np.isfinite(self.score)
        if wrong.any():
            raise ValueError(f"the score of document {self.docnos[wrong.argmax()]!r} for topic "
                             f"{self.qid!r} is {self.score[wrong.argmax()]} in float32; this "
                             "re-ranker computes with the scores and needs finite ones")
        return self.score

    def normalised(self) -> Floats:
        """Return the scores scaled to [0, 1], ``[n]``; all 1 if they are equal.

        :raises ValueError: a score is infinite
        """
        score = self.finite()
        low, high = score[-1], score[0]
        return np.ones(len(score)) if low == high else (score - low) / (high - low)


class Results:
    """A results frame as one list for each topic, in trec_eval's order.

    Topics are in order of first appearance. Of several rows with the same topic and document, the
    last one counts.

    :param frame: columns ``qid, docno, score``
    :raises ValueError: a score that is NaN or no number, or a missing identifier
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        lists, topics = codes_of(frame["qid"], "results")
        self.qids = list(topics)
        run = frame[["qid", "docno", "score"]].rename(
            columns={"qid": "query_id", "docno": "doc_id"})
        score, docnos = scores_of(run), frame["docno"]
        rows = last_rows(lists, docnos, self.qids, warn)
        order, _ = trec_order(lists[rows], score[rows], docnos.iloc[rows])
        rows = rows[order]
        self._frame = frame.iloc[rows]
        self._docnos = texts_of(docnos.iloc[rows])
        with np.errstate(over="ignore"):
            self._score = score[rows].astype(np.float32).astype(float)
        #: The number of documents of each topic, ``[T]``.
        self.length = np.bincount(lists[rows], minlength=len(self.qids))

    def annotations(self, groups: Groups | None) -> tuple[LabelSets, Ints]:
        """Return the label sets, and the code of the set of each document, −1 for no groups.

        :param groups: the group source; ``None`` for the column ``group``
        """
        if groups is None:
            return _of_column(self._frame["group"])
        topics = np.repeat(np.array(self.qids, dtype=object), self.length)
        found = Memberships(*groups.annotate(topics, self._docnos))
        sets = LabelSets(sorted(found.labels))
        return sets, sets.annotated(found, len(self._docnos))

    def whole(self, k: int | None) -> list[Condensed]:
        """Return the lists of all documents, without groups.

        :param k: the number of ranks to fill; ``None`` for all
        """
        return [Condensed(qid, places, self._docnos[places], self._score[places], labels=[],
                          shares=np.zeros((len(places), 0)), weighted=np.zeros(len(places), bool),
                          target=np.zeros(0), k=len(places[:k]))
                for qid, places in zip(self.qids, self._places(), strict=True)]

    def condensed(self, found: tuple[LabelSets, Ints], target: Any,
                  k: int | None) -> list[Condensed]:
        """Return the lists of annotated documents.

        :param found: the groups of the documents, as of :meth:`annotations`
        :param target: ``'uniform'``, ``'run'``, a registered name or the share of each label;
            other words are as ``'uniform'``
        :param k: the number of ranks to fill; ``None`` for all
        :raises ValueError: the registered target lacks a topic
        """
        sets, codes = found
        table = _target_table(target, self.qids, sets.labels)
        lists = []
        for topic, (qid, places) in enumerate(zip(self.qids, self._places(), strict=True)):
            places = places[codes[places] >= 0]
            row, label, share = sets.entries(codes[places])
            present, column = np.unique(label, return_inverse=True)
            shares = np.zeros((len(places), len(present)), order="F")
            shares[row, column] = share
            wanted = shares.sum(axis=0) if target == "run" else table[topic, present]
            lists.append(Condensed(
                qid, places, self._docnos[places], self._score[places],
                [sets.labels[code] for code in present], shares,
                sets.weighted[codes[places]], ratio(wanted, wanted.sum()), len(places[:k])))
        return lists

    def _places(self) -> list[Ints]:
        """Return the indices of each topic's documents."""
        return np.split(np.arange(len(self._docnos)), np.cumsum(self.length)[:-1])[:len(self.qids)]

    def written(self, lists: Sequence[Condensed], *draws: Sequence[Ints]) -> pd.DataFrame:
        """Return the results in a new order, or in several, one after the other.

        :param lists: the documents that are moved among their ranks
        :param draws: for each new order, the first documents of each list as indices; the others
            follow in the old order
        :returns: all columns, with new values of ``rank`` (int64, 0-based) and ``score`` (float64,
            from the number of documents of the topic to 1); rows by topic and rank
        """
        order = np.concatenate([self._ordered(lists, orders) for orders in draws])
        length = np.repeat(self.length, self.length)
        rank = np.arange(len(length)) - np.repeat(np.cumsum(self.length) - self.length, self.length)
        length, rank = np.tile(length, len(draws)), np.tile(rank, len(draws))
        return self._frame.iloc[order].reset_index(drop=True).assign(
            score=(length - rank).astype(float), rank=rank.astype("int64"))

    def _ordered(self, lists: Sequence[Condensed], orders: Sequence[Ints]) -> Ints:
        """Return the index of the document at each place of a new order."""
        order = np.arange(len(self._docnos))
        for one, first in zip(lists, orders, strict=True):
            others = np.ones(len(one.places), bool)
            others[first] = False
            order[one.places] = one.places[np.append(first, np.flatnonzero(others))]
        return order


def _target_table(target: Any, qids: list[str], labels: list[str]) -> Floats:
    """Return the target share of each label for each topic, not rescaled, ``[T, L]``."""
    if isinstance(target, dict):
        return np.tile([target.get(label, 0.0) for label in labels], (len(qids), 1))
    if not isinstance(target, targets.Target):  # 'uniform'; other words are computed for each list
        return np.ones((len(qids), len(labels)))
    others = sorted({*target.labels} - {*labels})
    return targets.shares(target, qids, [*labels, *others])[:, :len(labels)]


def _of_column(column: pd.Series) -> tuple[LabelSets, Ints]:
    """Return the label sets in the column ``group``, and the code of each row.

    :raises ValueError: a value is neither a label nor a list of labels
    """
    parts = one_label_each(column.reset_index(drop=True).to_frame(), "the column group")["group"]
    codes, found = codes_of(parts)
    sets = LabelSets(sorted({*found}.difference(UNANNOTATED)))
    return sets, sets.code(parts.index.to_numpy(), recoded(codes, found, sets.labels), len(column))


class Queues:
    """The documents of each group that are not placed yet, in the old order.

    :param member: whether each document is in each group, ``[n, G]``
    """

    def __init__(self, member: Bools) -> None:
        self._none = len(member)
        self._left = np.ones(self._none + 1, bool)
        # A last document that is never placed marks the end.
        self._queues = [iter(np.append(np.flatnonzero(column), self._none)) for column in member.T]
        #: The best document of each group, ``[G]``; ``n`` for a group without documents.
        self.best = np.array(list(map(next, self._queues)), np.intp)

    @property
    def left(self) -> Bools:
        """Whether each group has documents, ``[G]``."""
        return self.best < self._none

    def place(self, document: int) -> None:
        """Remove a document."""
        self._left[document] = False
        for group in np.flatnonzero(self.best == document):
            while not self._left[self.best[group]]:
                self.best[group] = next(self._queues[group])
