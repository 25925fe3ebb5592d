"""The documents of each group that are not placed yet."""

from __future__ import annotations

import numpy as np

from pt_fairness.numerics import Bools


class Queues:
    """The documents of each group that are not placed yet, in the old order.

    :param member: whether each document is in each group, ``[n, G]``
    """

    def __init__(self, member: Bools) -> None:
        none = len(member)
        # A last document that is never placed marks the end.
        self._queues = [np.append(np.flatnonzero(column), none) for column in member.T]
        self._next = [0] * len(self._queues)
        self._left = np.ones(none + 1, bool)
        #: The best document of each group, ``[G]``; ``n`` for a group without documents.
        self.best = np.array([queue[0] for queue in self._queues], np.intp)
        self._none = none

    @property
    def left(self) -> Bools:
        """Whether each group has documents, ``[G]``."""
        return self.best < self._none

    def place(self, document: int) -> None:
        """Remove a document."""
        self._left[document] = False
        for group in np.flatnonzero(self.best == document):
            queue, place = self._queues[group], self._next[group]
            while not self._left[queue[place]]:
                place += 1
            self._next[group], self.best[group] = place, queue[place]
