"""Groups of uncertain labels: the error rates of a classifier or of annotators."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats
from pt_fairness.core.labels import label_text
from pt_fairness.core.messages import listed, shown
from pt_fairness.groups.base import Groups
from pt_fairness.groups.named import get
from pt_fairness.groups.table import Memberships


def with_error_rates(source: str | os.PathLike[str] | Groups,
                     rates: Mapping[Any, Mapping[Any, float]],
                     prior: Mapping[Any, float] | None = None, name: str | None = None) -> Groups:
    """Return the probabilities of the true labels of documents, as weights.

    Measures that take weights count a document to its probability. In
    :func:`pt_fairness.analysis.uncertain_labels`, its label is drawn.

    :param source: groups with at most one label for each document, without weights: a registered
        name, the path of a group file or a Groups object
    :param rates: label → true label → P(true label | label), as estimated where both are known;
        with ``prior``, true label → label → P(label | true label), the rates of errors
    :param prior: true label → its share among the documents. P(true label | label) then follows by
        Bayes' theorem
    :param name: the name of the groups; by default derived from a hash of their content
    :raises ValueError: probabilities of a row that do not sum to 1, a label without a row or of
        probability 0, or (where they are looked up) documents with weights or several labels

    Examples
    --------
    >>> from pt_fairness import groups
    >>> guessed = groups.from_mapping({"a": "female", "b": "male"})
    >>> rates = {"female": {"female": 0.9, "male": 0.1}, "male": {"female": 0.2, "male": 0.8}}
    >>> groups.with_error_rates(guessed, rates).lookup(["1", "1"], ["a", "b"])
      qid docno   group  weight
    0   1     a  female     0.9
    1   1     a    male     0.1
    2   1     b  female     0.2
    3   1     b    male     0.8
    """
    return _WithErrorRates(get(source), rates, prior, name)


class _WithErrorRates(Groups):
    complete = weighted = True

    def __init__(self, base: Groups, rates: Mapping[Any, Mapping[Any, float]],
                 prior: Mapping[Any, float] | None, name: str | None) -> None:
        table = _table(rates, "rates")
        if prior is not None:
            shares = _table({"prior": prior}, "prior")
            if list(shares) != list(table.index):
                raise ValueError(f"prior is of {listed(shares)}, and the rows of rates are of "
                                 f"{listed(table.index)}; both need the same labels")
            joint = table.T * shares.loc["prior"]
            table = joint.div(joint.sum(axis=1), axis=0).dropna()  # NaN: a probability of 0
        #: P(true label | label), with a row for each label.
        self._base, self._table = base, table
        ordered = base.order is not None and set(table) <= set(base.order)
        super().__init__(name, table, base.order if ordered else None)
        self.topics, self.in_parts, self.by_topic = base.topics, base.in_parts, base.by_topic
        self._rows(base.labels or [])

    def _rows(self, labels: list[str]) -> Floats:
        """Return the probabilities of each label, ``[labels, true labels]``.

        :raises ValueError: a label has no row, or a probability of 0
        """
        lacking = [label for label in labels if label not in self._table.index]
        if lacking:
            raise ValueError(f"the label {lacking[0]!r} of {self._base!r} has no row in rates, or "
                             f"a probability of 0; rates are for {listed(self._table.index)}")
        return self._table.loc[labels].to_numpy()

    def _content(self) -> Any:
        return (self._base.name, self._base.digest(), list(self._table.index), self.labels,
                self.order, self._table.to_numpy())

    def state(self) -> str:
        return self._base.state()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        found = Memberships(*self._base.annotate(qids, docnos))
        several = np.bincount(found.item, minlength=1) > 1
        if several.any() or not np.isnan(found.weights).all():
            first = np.asarray(docnos, dtype=object)[
                several.argmax() if several.any() else found.item[~np.isnan(found.weights)][0]]
            raise ValueError(f"{first!r} has {'several labels' if several.any() else 'weights'} in "
                             f"{self._base!r}; error rates are for one label for each document")
        used, codes = np.unique(found.codes, return_inverse=True)
        rows = self._rows([found.labels[code] for code in used])[codes]
        place, column = np.nonzero(rows)
        return Memberships(found.item[place], column, list(map(str, self._table)),
                           rows[place, column])


def _table(rates: Any, option: str) -> pd.DataFrame:
    """Return the probabilities, with a row for each label and a column for each other, sorted.

    :raises ValueError: the probabilities of a row are no probabilities or do not sum to 1
    """
    if not isinstance(rates, Mapping) or not rates \
            or not all(isinstance(row, Mapping) for row in rates.values()):
        raise ValueError(f"{option}={str(rates)[:100]} is not possible; it takes a dictionary of "
                         "probabilities, rates one for each label")
    given = {label_text(label): {label_text(other): p for other, p in rates[label].items()}
             for label in sorted(rates, key=label_text)}
    table = pd.DataFrame({other: [row.get(other, 0.0) for row in given.values()]
                          for other in sorted(set().union(*given.values()))},
                         list(given), dtype=float)
    wrong = list(table.index[(table < 0).any(axis=1) | ~(abs(table.sum(axis=1, skipna=False) - 1)
                                                         <= 1e-9)])
    if wrong:
        raise ValueError(f"the probabilities of {wrong[0]!r} in {option} are "
                         f"{shown(given[wrong[0]])}; they have to be at least 0 and to sum to 1")
    return table
