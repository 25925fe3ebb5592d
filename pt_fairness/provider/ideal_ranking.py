"""The greedy ideal ranking of α-nDCG."""

from __future__ import annotations

import numpy as np

from pt_fairness.numerics import Bools, Floats, Ints, ratio

#: Deeper rankings update only some scores at each rank, since updating all takes quadratic time.
DEEP = 100
#: Remaining gains whose sum is below this share of the first gain are set to 0. They are too small
#: to change the float64 sum.
NEGLIGIBLE = 2.0**-100
#: Number of values added at once, chosen to fit the processor's cache.
CELLS = 1 << 14


class GreedyRanking:
    """Greedy ranking: each rank takes the document of the largest gain, of ties the first.

    The documents of a topic that have the same subtopics form a queue. The score of a queue is the
    gain of each of its documents: the sum of the current gains of its subtopics, in the order of
    ``members``. A subtopic has the gain 1, multiplied by ``1 − alpha`` for each document taken.

    :param topic: the topic of each document, ``[n]``, 0 to ``T − 1``, ascending; each topic has
        documents
    :param codes: the code of the subtopic set of each document, ``[n]``
    :param members: the subtopics of each set, ``[S, m]``, padded with ``nothing``
    :param nothing: the number of subtopics
    """

    def __init__(self, topic: Ints, codes: Ints, members: Ints, nothing: int, alpha: float) -> None:
        #: The number of remaining documents of each topic, ``[T]``.
        self._left = np.bincount(topic)
        #: The topics that are not finished, ``[A]``.
        self._open = np.arange(len(self._left))
        self._factor = 1.0 - alpha
        queue, inverse = np.unique(topic * len(members) + codes, return_inverse=True)
        #: The document indices sorted by queue, ``[n]``. Queue ``q`` holds those from ``_head[q]``
        #: to ``_end[q]``.
        self._waiting = np.argsort(inverse, kind="stable")
        self._head = np.searchsorted(inverse[self._waiting], np.arange(len(queue)))
        self._end = np.append(self._head[1:], len(topic))
        self._topic, sets = np.divmod(queue, len(members))
        #: The current gain of each subtopic of each topic, ``[T · (nothing + 1)]``; 0 for padding.
        self._worth = np.tile(np.append(np.ones(nothing), 0.0), len(self._open))
        #: The indices of the subtopics of each queue in ``_worth``, ``[Q, m]``.
        self._places = members[sets] + (self._topic * (nothing + 1))[:, None]
        #: The score of each queue at its last update, ``[Q]``, −inf if the queue is empty.
        self._score = (members[sets] != nothing).sum(axis=1).astype(float)
        #: The ratio of the largest score to the largest bound at the previous rank, ``[T]``. It is
        #: the estimate for the current rank.
        self._expected = np.ones(len(self._open))

    def gains(self, depth: int) -> Floats:
        """Return the gain at each rank, ``[T, depth]``; negligible gains may be 0."""
        result = np.zeros((len(self._open), depth))
        # If gains never increase, an outdated score of a queue is an upper bound of its score.
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
            self._open = self._open[self._left[self._open] > 0]
            if not len(self._open):
                break
        return result

    def _update_largest(self) -> Ints:
        """Update each queue that can have the largest score of its topic; return their indices."""
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
        """Return the largest score of each open topic, ``[A]``.

        :param topic: the topic of each score, ascending
        """
        return np.asarray(np.maximum.reduceat(score, np.searchsorted(topic, self._open)))

    def _take(self, rows: Ints, best: Floats) -> None:
        """Remove the first document with the best score of each open topic from its queue.

        :param rows: the indices of the queues to choose from
        :param best: the best score of each open topic, ``[A]``
        """
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
        self._score[taken[self._head[taken] == self._end[taken]]] = -np.inf

    def _close(self, finished: Bools) -> None:
        """Empty the queues of topics that are finished.

        :param finished: mask of the open topics, ``[A]``
        """
        if not finished.any():
            return
        topics = self._open[finished]
        rows = np.flatnonzero(np.isin(self._topic, topics))
        self._head[rows], self._score[rows], self._left[topics] = self._end[rows], -np.inf, 0
