"""Base class of the measures of a number that each document has."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from pt_fairness.core import discounts
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.rankings.view import View


class ValueMeasure(FairnessMeasure):
    """A measure of the values ``v`` of the ranked documents.

    Unjudged and unannotated documents keep their ranks. A document without a value has the value
    of the parameter ``missing``.
    """

    #: Whether values below 0 raise an error.
    NOT_NEGATIVE = False
    CONDENSED = False
    RANGE: tuple[float | None, float | None] = (None, None)
    DEFAULT = 0.0

    @property
    def needs_groups(self) -> bool:
        return isinstance(self.param("values"), dict)

    @property
    def of_run(self) -> bool:
        return self.param("background") == "run"

    @property
    def value_source(self) -> Hashable:
        """Hashable key of the value source."""
        values = self.param("values")
        return tuple(values.items()) if isinstance(values, dict) else values

    @property
    def background(self) -> tuple[str, int | None] | None:
        """The name of the background and its minimum relevance, ``None`` unless it is ``qrels``.

        The property is ``None`` if the background is the ranking itself, or if the measure has no
        background.
        """
        name = self.param("background")
        if name in (None, "run"):
            return None
        return name, self.param("rel") if name == "qrels" else None

    def named_labels(self, labels: list[str]) -> list[tuple[str, str]]:
        values = self.param("values")
        return [("values", label) for label in values] if isinstance(values, dict) else []

    def values(self, view: View) -> tuple[Floats, Ints]:
        """Return the values v and the lengths of the lists, cut at ``cutoff``.

        :returns: values ``[R, D]``, 0 past the end of a list, and lengths ``[R]``
        """
        found, n = self._found(view, self.param("cutoff"))
        return np.where(discounts.within(found.shape[1], n), self._filled(found), 0.0), n

    def _found(self, view: View, cutoff: int | None) -> tuple[Floats, Ints]:
        values = self.param("values")
        if not isinstance(values, dict):
            return view.values(values, cutoff)
        codes, _, n = view.full(cutoff)
        return np.append(of_label_sets(values, view.labels, view.share), np.nan)[codes], n

    def background_values(self, view: View) -> tuple[Ints, Floats]:
        """Return the row index and the value v of each background document, both ``[N]``.

        The row indices are ascending. They index lists if each ranking is its own background, and
        topics otherwise.
        """
        if self.background is not None:
            row, found = view.background(self.background, self.value_source)
            return row, self._filled(found)
        found, n = self._found(view, None)
        inside = discounts.within(found.shape[1], n)
        return np.repeat(np.arange(len(n)), n), self._filled(found[inside])

    def of_background(self, view: View, row: Ints, values: Floats | None = None) -> Floats:
        """Return the sum of ``values`` over the background of each list, ``[R]``.

        :param row: the row indices of :meth:`background_values`, ``[N]``
        :param values: by default each document counts 1
        """
        own = self.background is None
        sums = np.bincount(row, values, len(view) if own else len(view.topics))
        return np.asarray(sums if own else sums[view.topic], float)

    def has_background(self, view: View) -> Any:
        """Return whether the background of each list has a document, ``[R]``.

        A ranking that is its own background is never undefined.
        """
        if self.background is None:
            return True
        return self.of_background(view, self.background_values(view)[0]) > 0

    def _filled(self, found: Floats) -> Floats:
        if self.NOT_NEGATIVE and (found < 0).any():
            raise ValueError(f"{self} takes values of at least 0, and a document has "
                             f"{np.nanmin(found):g}; RaB takes values of both signs")
        return np.where(np.isnan(found), self.param("missing"), found)


def of_label_sets(values: Mapping[str, float], labels: Sequence[str],
                  shares: Floats) -> Floats:
    """Return the mean value of each label set, weighted by its shares, ``[S]``.

    :param values: the values by label; other labels have the value 0
    :param shares: the share of each of ``labels`` in each label set, ``[S, L]``
    """
    return shares @ np.array([values.get(label, 0.0) for label in labels], float)
