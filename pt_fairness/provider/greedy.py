"""The greedy ideal ranking of α-nDCG, for any number of documents."""

from __future__ import annotations

import numpy as np

from pt_fairness.numerics import Bools, Floats, Ints, ratio

#: Rankings deeper than this do not compute all scores anew at every rank, which would be quadratic.
DEEP = 100
#: Gains below this share of the first one, all together, change no bit of a sum.
NEGLIGIBLE = 2.0**-100
#: How many numbers are added at once: few enough for a processor's cache.
CELLS = 1 << 14


class GreedyRanking:
    """Choose the document of the largest gain at every rank of every topic; of equals, the first.

    Documents of a topic that have the same subtopics wait in one queue. The score of a queue is the
    gain of its documents: what their subtopics are still worth, added in the order of ``members``.

    :param topic: ``[n]``: 0 to ``T − 1``, ascending; each topic has documents
    :param codes: ``[n]``: the set of subtopics of each document
    :param members: ``[S, m]``: the subtopics of each set, padded with ``nothing``
    :param nothing: the number of subtopics
    """

    def __init__(self, topic: Ints, codes: Ints, members: Ints, nothing: int, alpha: float) -> None:
        #: ``[T]``: how many documents each topic has left.
        self._left = np.bincount(topic)
        #: ``[A]``: the topics that are not finished.
        self._open = np.arange(len(self._left))
        self._factor = 1.0 - alpha
        queue, inverse = np.unique(topic * len(members) + codes, return_inverse=True)
        #: ``[n]``: the documents, queue by queue. ``[Q]``: where each queue starts and ends in it.
        self._waiting = np.argsort(inverse, kind="stable")
        self._head = np.searchsorted(inverse[self._waiting], np.arange(len(queue)))
        self._end = np.append(self._head[1:], len(topic))
        self._topic, sets = np.divmod(queue, len(members))
        #: What each subtopic of each topic is worth.
        self._worth = np.tile(np.append(np.ones(nothing), 0.0), len(self._open))
        #: ``[Q, m]``: where the subtopics of each queue are in it.
        self._places = members[sets] + (self._topic * (nothing + 1))[:, None]
        #: ``[Q]``: the score of each queue when it was last updated, −inf where it is empty.
        self._score = (members[sets] != nothing).sum(axis=1).astype(float)
        self._empty = 0
        #: ``[T]``: the largest score as a share of the largest bound at the last rank, a guess.
        self._expected = np.ones(len(self._open))

    def gains(self, depth: int) -> Floats:
        """``[T, depth]``: the gain at every rank, 0 from where on it is negligible."""
        result = np.zeros((len(self._open), depth))
        # Where worths only fall, an older score of a queue is an upper bound of its score.
        lazy = 0.0 <= self._factor <= 1.0 and depth > DEEP
        rows = np.arange(len(self._topic))
        for rank in range(depth):
            if lazy:
                rows = self._update_largest()
            elif rank:
                rows = np.flatnonzero(self._head < self._end)
                self._update(rows)
            best = self._largest(self._topic[rows], self._score[rows])
            result[self._open, rank] = best
            self._take(rows, best)
            if lazy:
                self._close(best <= result[self._open, 0] * (NEGLIGIBLE / depth))
            more = self._left[self._open] > 0
            if not more.all():
                self._open = self._open[more]
                if not len(self._open):
                    break
            if 4 * self._empty > len(self._topic):
                self._forget_empty()
        return result

    def _update_largest(self) -> Ints:
        """Update every queue that can have the largest score of its topic, and return these."""
        bound = self._largest(self._topic, self._score)
        floor = np.zeros(len(self._left))
        floor[self._open] = bound * self._expected[self._open]
        rows = np.flatnonzero(self._score >= floor[self._topic])
        self._update(rows)
        best = self._largest(self._topic[rows], self._score[rows])
        if (best < floor[self._open]).any():
            floor[self._open] = np.minimum(best, floor[self._open])
            rows = np.flatnonzero(self._score >= floor[self._topic])
            self._update(rows)
            best = self._largest(self._topic[rows], self._score[rows])
        self._expected[self._open] = ratio(best, bound)
        return rows

    def _update(self, rows: Ints) -> None:
        size = max(1, CELLS // self._places.shape[1])
        for start in range(0, len(rows), size):
            part = rows[start:start + size]
            score = np.zeros(len(part))
            for worth in self._worth.take(self._places.take(part, axis=0)).T:
                score += worth
            self._score[part] = score

    def _largest(self, topic: Ints, score: Floats) -> Floats:
        """``[A]``: the largest of these scores in each open topic; ``topic`` is ascending."""
        return np.asarray(np.maximum.reduceat(score, np.searchsorted(topic, self._open)))

    def _take(self, rows: Ints, best: Floats) -> None:
        """Take the first document that has the best score out of its queue, in every open topic."""
        best_of = np.zeros(len(self._left))
        best_of[self._open] = best
        tied = rows[~(self._score[rows] < best_of[self._topic[rows]])]
        topic, document = self._topic[tied], self._waiting[self._head[tied]]
        chosen = np.zeros(len(self._left), np.intp)
        chosen[self._open] = np.minimum.reduceat(document, np.searchsorted(topic, self._open))
        taken = tied[document == chosen[topic]]
        self._head[taken] += 1
        self._left[self._open] -= 1
        self._worth[self._places[taken]] *= self._factor
        empty = taken[self._head[taken] == self._end[taken]]
        self._score[empty] = -np.inf
        self._empty += len(empty)

    def _close(self, finished: Bools) -> None:
        """Empty the queues of topics that are finished.

        :param finished: ``[A]``
        """
        if not finished.any():
            return
        topics = self._open[finished]
        rows = np.flatnonzero(np.isin(self._topic, topics))
        self._head[rows], self._score[rows], self._left[topics] = self._end[rows], -np.inf, 0
        self._empty += len(rows)

    def _forget_empty(self) -> None:
        kept = np.flatnonzero(self._head < self._end)
        self._head, self._end, self._topic = self._head[kept], self._end[kept], self._topic[kept]
        self._places, self._score = self._places[kept], self._score[kept]
        self._empty = 0
