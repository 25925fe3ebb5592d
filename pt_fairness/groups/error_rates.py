"""Groups of uncertain labels: the error rates of a classifier or of annotators."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from pt_fairness.arrays import Floats
from pt_fairness.groups.base import Groups
from pt_fairness.groups.named import get
from pt_fairness.groups.table import Memberships
from pt_fairness.labels import label_text
from pt_fairness.messages import listed, shown


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
    complete = True
    weighted = True

    def __init__(self, base: Groups, rates: Mapping[Any, Mapping[Any, float]],
                 prior: Mapping[Any, float] | None, name: str | None) -> None:
        self._base = base
        rows, columns, table = _table(rates, "rates")
        if prior is not None:
            _, shared, shares = _table({"prior": prior}, "prior")
            if shared != rows:
                raise ValueError(f"prior is of {listed(shared)}, and the rows of rates are of "
                                 f"{listed(rows)}; both need the same labels")
            joint = (shares[0][:, None] * table).T
            total = joint.sum(axis=1, keepdims=True)
            table = np.divide(joint, total, out=np.zeros(joint.shape), where=total > 0)
            rows, columns = columns, rows
        self._rows, self._table = rows, table
        ordered = base.order is not None and set(columns) <= set(base.order)
        super().__init__(name, columns, base.order if ordered else None)
        self.topics, self.in_parts, self.by_topic = base.topics, base.in_parts, base.by_topic
        self._places(base.labels or [])

    def _places(self, labels: list[str]) -> Any:
        """Return the row of each label.

        :raises ValueError: a label has no row, or a probability of 0
        """
        known = [label for label, row in zip(self._rows, self._table, strict=True) if row.any()]
        for label in labels:
            if label not in known:
                raise ValueError(f"the label {label!r} of {self._base!r} has no row in rates, or "
                                 f"a probability of 0; rates are for {listed(known)}")
        return np.array([self._rows.index(label) for label in labels], np.int64)

    def _content(self) -> Any:
        return (self._base.name, self._base.digest(), self._rows, self.labels, self.order,
                self._table)

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
        rows = self._places([found.labels[code] for code in used])[codes]
        place, column = np.nonzero(self._table[rows])
        assert self.labels is not None
        return Memberships(found.item[place], column, self.labels, self._table[rows[place], column])


def _table(rates: Any, option: str) -> tuple[list[str], list[str], Floats]:
    """Return the names of rows and columns, sorted, and the probabilities.

    :raises ValueError: the probabilities of a row are no probabilities or do not sum to 1
    """
    if not isinstance(rates, Mapping) or not rates \
            or not all(isinstance(row, Mapping) for row in rates.values()):
        raise ValueError(f"{option}={str(rates)[:100]} is not possible; it takes a dictionary of "
                         "probabilities, rates one for each label")
    given = {label_text(label): {label_text(other): p for other, p in row.items()}
             for label, row in rates.items()}
    rows, columns = sorted(given), sorted({other for row in given.values() for other in row})
    table = np.array([[given[row].get(other, 0.0) for other in columns] for row in rows], float)
    wrong = (table < 0).any(axis=1) | ~(abs(table.sum(axis=1) - 1) <= 1e-9)
    if wrong.any():
        row = rows[int(wrong.argmax())]
        raise ValueError(f"the probabilities of {row!r} in {option} are {shown(given[row])}; they "
                         "have to be at least 0 and to sum to 1")
    return rows, columns, table
