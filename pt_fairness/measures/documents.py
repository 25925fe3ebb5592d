"""Base class and helper functions for measures that compare documents or groups.

Shapes: ``N`` documents of a block of topics, ``n`` ranked documents, ``T`` topics, ``S`` label
sets, ``L`` groups.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.measures import params
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.rankings.view import Documents, View

#: Whether a measure compares documents or groups.
BY = params.one_of("whether documents are compared, which needs no groups, or groups",
                   "document", "group")


def places(row: Ints) -> Ints:
    """Return the 0-based position of each element in its row, ``[n]``.

    :param row: the row index of each element, ``[n]``, ascending
    """
    return np.arange(len(row)) - np.searchsorted(row, row)


def counts_before(chosen: Bools, place: Ints) -> Ints:
    """Return the number of chosen elements before each element in its row, ``[n]``.

    :param chosen: mask of the chosen elements, ``[n]``
    :param place: the 0-based position of each element in its row, ``[n]``
    """
    counts: Ints = np.cumsum(chosen) - chosen
    return counts - counts[np.arange(len(counts)) - place]


def mean_over_lists(view: View, documents: Documents, values: Floats) -> Floats:
    """Return the mean value of each document over the lists of its topic, ``[N]``.

    A document that a list lacks has the value 0 in that list.

    :param values: the value of each ranked document, ``[n]``
    """
    lists = view.lists[view.topic[documents.list]]
    sums = np.bincount(documents.document, values / lists, minlength=len(documents.topic))
    return sums.astype(float)


def sum_by_topic(view: View, topic: Ints, values: Any) -> Floats:
    """Return the sum of ``values`` by topic, ``[T]``.

    :param topic: the topic index of each value
    """
    return np.bincount(topic, values, minlength=len(view.topics)).astype(float)


class DocumentMeasure(FairnessMeasure):
    """A measure that compares documents, or groups with ``by='group'``."""

    CONDENSED = False
    JUDGED = True

    @property
    def needs_groups(self) -> bool:
        return self.param("by") == "group"

    @property
    def added_labels(self) -> tuple[str, ...]:
        return super().added_labels if self.needs_groups else ()

    def target(self, view: View) -> Floats | None:
        return None

    def compared(self, view: View, documents: Documents, values: Floats,
                 counted: Bools | None = None) -> Floats:
        """Return the value of each document, ``[N]``, or of each group of each topic, ``[T · L]``.

        The value of a group is the sum over its documents, weighted by their shares.

        :param values: the value of each document, ``[N]``
        :param counted: mask of the documents that count for their groups, ``[N]``; by default all
        """
        if not self.needs_groups:
            return values
        if counted is not None:
            values = np.where(counted, values, 0.0)
        sums = view.sums_by_code(len(view.topics), documents.topic, documents.codes, values)
        return np.asarray((sums @ view.share).ravel())

    def topics(self, view: View, documents: Documents) -> Ints:
        """Return the topic index of each value of :meth:`compared`, ``[N]`` or ``[T · L]``."""
        if not self.needs_groups:
            return documents.topic
        return np.repeat(np.arange(len(view.topics)), len(view.labels))
