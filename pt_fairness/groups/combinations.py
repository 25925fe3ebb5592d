"""Groups made of other groups: products of several sources, and error rates of labels."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Mapping
from functools import reduce
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.messages import label_text, listed, shown
from pt_fairness.groups.group_source import Combined, Groups
from pt_fairness.groups.memberships import Memberships, distinct_annotations
from pt_fairness.groups.sources import get

#: The separator between the labels of the sources in a label of their product.
SEPARATOR = "|"
#: The largest number of combinations that a product declares as its labels.
MOST_DECLARED = 10_000
#: The column that counts the documents without a label of the model.
NONE = "@NONE"
#: What to do with a document whose human label is empty.
LABEL_OR_LEAVE = ("If a document is outside all groups, give it a label of its own, such as 'none' "
                  "(in Python, leave out none= of from_qrels). If it is not labelled, leave it out")


def product(*sources: str | os.PathLike[str] | Groups, missing: Any = None,
            name: str | None = None) -> Groups:
    """Return intersectional groups of several attributes, such as ``female|Asia``.

    The share of a document in a label is the product of its shares in the labels of the sources. A
    document has weights if it has weights in at least one source. If all sources declare their
    labels and there are at most 10,000 combinations, all of them are labels, else those that judged
    documents have.

    :param sources: at least two registered names, paths of group files or Groups objects
    :param missing: the label of a document in a source without a group for it, if another source
        has one; by default such documents are without a group in the product
    :param name: the name of the groups; by default derived from their content
    :raises ValueError: if fewer than two sources, or a label that contains ``|``

    Examples
    --------
    >>> from pt_fairness import groups
    >>> gender = groups.from_mapping({"a": "female", "b": "male"})
    >>> region = groups.from_mapping({"a": "Asia", "b": ["Asia", "Europe"]})
    >>> groups.product(gender, region).lookup(["1", "1"], ["a", "b"])
      qid docno        group
    0   1     a  female|Asia
    1   1     b    male|Asia
    2   1     b  male|Europe
    """
    if len(sources) < 2:
        raise ValueError(f"a product of groups must have at least two sources, got {len(sources)}")
    return _Product(list(map(get, sources)), None if missing is None else label_text(missing), name)


class _Product(Combined):
    def __init__(self, sources: list[Groups], missing: str | None, name: str | None) -> None:
        self._missing = missing
        more = [] if missing is None else [missing]
        labels = [sorted({*(source.labels or ()), *more}) for source in sources]
        for labels_of_source in labels:
            _check(labels_of_source)
        declared = None
        if all(source.labels is not None for source in sources) \
                and math.prod(map(len, labels)) <= MOST_DECLARED:
            declared = map(SEPARATOR.join, itertools.product(*labels))
            self.complete = all(source.complete for source in sources)
        super().__init__(sources, name, declared)

    def _content(self) -> Any:
        return self.sources, self._missing

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        parts = [source.annotate(qids, docnos) for source in self.sources]
        n = len(docnos)
        unknown = np.zeros(n)
        weighted = np.zeros(n, bool)
        for part in parts:
            _check(part.labels)
            # A product is known where all of its sources know the document.
            unknown += 0.0 * part.unknown_of(n)
            weighted[part.item[~np.isnan(part.weights)]] = True
        if self._missing is not None:
            item = np.unique(np.concatenate([part.item for part in parts]))
            parts = [part.with_label(np.setdiff1d(item, part.item), self._missing)
                     for part in parts]
        rows = reduce(_joined, map(_shares, parts))
        codes, labels = pd.factorize(rows["label"], sort=True)
        item = rows["item"].to_numpy()
        weight = None
        if self.weighted:
            weight = np.where(weighted[item], rows["share"], nan)
        return Memberships(item, codes, labels.tolist(), weight, unknown)


def _check(labels: Iterable[str]) -> None:
    """Check the labels of the sources of a product.

    :raises ValueError: if one contains the separator
    """
    for label in labels:
        if SEPARATOR in label:
            raise ValueError(f"a label of a product must be without {SEPARATOR!r}, which separates "
                             f"the labels of its sources, got {label!r}")


def _shares(part: Memberships) -> pd.DataFrame:
    """Return a row ``item, label, share`` for each label of each document."""
    item, codes, weight = distinct_annotations(part.item, part.codes, part.weights)
    assert weight is not None
    weight[np.isnan(weight)] = 1.0
    labels = np.array(part.labels, dtype=object)[codes]
    share = weight / np.bincount(item, weight)[item]
    return pd.DataFrame({"item": item, "label": labels, "share": share})


def _joined(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the product of two sources."""
    pairs = left.merge(right, on="item")
    label = pairs["label_x"] + SEPARATOR + pairs["label_y"]
    return pairs[["item"]].assign(label=label, share=pairs["share_x"] * pairs["share_y"])


def with_error_rates(source: str | os.PathLike[str] | Groups,
                     rates: pd.DataFrame | Mapping[Any, Mapping[Any, float]],
                     prior: Mapping[Any, float] | None = None, name: str | None = None) -> Groups:
    """Return the probabilities of the true labels of documents, as weights.

    A document is in each group by its probability: :func:`pt_fairness.evaluate` takes *expected
    memberships*. AWRF, rKL and other measures rate these as fairer than lists of single labels.
    :func:`pt_fairness.analysis.uncertain_labels` draws single labels instead. It takes
    P(label | true label) as equal in all topics, and the shares of the true labels as different by
    topic. If you have the human labels that the rates were estimated from, :func:`model_labels`
    also covers the uncertainty of the rates.

    :param source: groups with at most one label for each document, without weights: a registered
        name, the path of a group file or a Groups object
    :param rates: label → true label → P(true label | label), as estimated where both are known;
        with ``prior``, true label → label → P(label | true label), the rates of errors; or the
        ``counts`` of :func:`error_rates`, which have both
    :param prior: true label → its share among the documents. P(true label | label) then follows by
        Bayes' theorem
    :param name: the name of the groups; by default derived from their content
    :raises ValueError: if the probabilities of a row do not sum to 1, a label lacks a row or has
        probability 0, or, once groups are looked up, a document has weights or several labels

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
    return WithErrorRates(get(source), rates, prior, name)


class WithErrorRates(Combined):
    """Labels with known error rates; see :func:`with_error_rates`."""

    complete = weighted = True
    #: The labels as given.
    base: Groups
    #: P(true label | label), with a row for each label.
    table: pd.DataFrame
    #: P(label | true label), with a row for each true label, if a prior is given.
    errors: pd.DataFrame | None = None

    def __init__(self, base: Groups, rates: pd.DataFrame | Mapping[Any, Mapping[Any, float]],
                 prior: Mapping[Any, float] | None, name: str | None) -> None:
        if isinstance(rates, pd.DataFrame):
            counts = rates.drop(columns=NONE, errors="ignore")
            counts = counts.T if prior is None else counts
            counts = counts[counts.any(axis=1)]
            rates = counts.div(counts.sum(axis=1), axis=0).to_dict("index")
        table = _table(rates, "rates")
        if prior is not None:
            shares = _table({"prior": prior}, "prior")
            if list(shares) != list(table.index):
                raise ValueError("prior must have the labels of the rows of rates, "
                                 f"{listed(table.index)}, got {listed(shares)}")
            self.errors = table
            joint = table.T * shares.loc["prior"]
            total = joint.sum(axis=1)
            table = joint.div(total, axis=0)[total > 0]
        self.base = base
        self.table = table
        super().__init__([base], name, table, base.order_of(table.columns))
        self._rows(base.labels or [])

    def _rows(self, labels: list[str]) -> Floats:
        """Return the probabilities of each label, ``[labels, true labels]``.

        :raises ValueError: if a label lacks a row, or has a probability of 0
        """
        for label in labels:
            if label not in self.table.index:
                raise ValueError("rates must have a row, and a probability above 0, for each label "
                                 f"of {self.base!r}, got {listed(self.table.index)} without "
                                 f"{label!r}")
        return self.table.loc[labels].to_numpy()

    def _content(self) -> Any:
        return self.sources, self.order, self.table, self.errors

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        codes, labels, _ = single_labels(self.base, qids, docnos)
        item = np.flatnonzero(codes >= 0)
        used, row = np.unique(codes[item], return_inverse=True)
        rates = self._rows([labels[code] for code in used])[row]
        entry, true = np.nonzero(rates)
        return Memberships(item[entry], true, self.table.columns.tolist(), rates[entry, true])


class ModelLabels(Combined):
    """Labels of a model, and human labels of some documents; see :func:`model_labels`."""

    weighted = False

    def __init__(self, model: Groups, human: Groups, name: str | None) -> None:
        labels = [*(model.labels or ()), *(human.labels or ())]
        super().__init__([model, human], name, labels, model.order_of(labels))
        #: The labels of the model, and human ones.
        self.model = model
        self.human = human
        self.topics = model.topics
        declared = None not in (model.labels, human.labels)
        self.complete = declared and model.complete and human.complete
        if model.made_of and human.made_of:
            files = map(os.path.basename, (model.made_of, human.made_of))
            self.made_of = " and ".join(files)

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        human, human_labels, without = single_labels(self.human, qids, docnos)
        model, model_labels, _ = single_labels(self.model, qids, docnos)
        for item in np.flatnonzero(without & (model >= 0))[:1]:
            raise ValueError(f"a document with a label of the model must have a group in "
                             f"{self.human!r}, got {docnos[item]!r}. {LABEL_OR_LEAVE}")
        model[model >= 0] += len(human_labels)
        codes = np.where(human >= 0, human, model)
        item = np.flatnonzero(codes >= 0)
        return Memberships(item, codes[item], [*human_labels, *model_labels])


def model_labels(model: str | os.PathLike[str] | Groups, human: Any,
                 name: str | None = None) -> Groups:
    """Return human labels, and the labels of a model for other documents.

    :func:`pt_fairness.analysis.uncertain_labels` estimates the error rates of the model and the
    shares of the true labels in each topic, and corrects the values of measures, which can be too
    fair or too unfair on the labels of a model. Other functions, such as
    :func:`pt_fairness.evaluate`, correct nothing.

    A document that ``human`` lists without a group is an error if the model has a label for it. A
    document that ``human`` does not list keeps the label of the model. :func:`from_votes` does not
    list documents without a majority, and :func:`from_pattern` does not list documents that do not
    match.

    :param model: groups with at most one label for each document, without weights: a registered
        name, the path of a group file or a Groups object, as :func:`from_transformer` returns
    :param human: the human labels, in the same forms; also a dictionary or a frame. Their documents
        are a random sample of those judged and ranked
    :param name: the name of the groups; by default derived from their content
    :raises ValueError: once groups are looked up, a document has weights or several labels, or a
        label of the model and an empty human one. Give documents that belong to no group a label of
        their own, which measures count as a group

    Examples
    --------
    >>> from pt_fairness import groups
    >>> guessed = groups.from_mapping({"a": "PRO", "b": "PRO"})
    >>> groups.model_labels(guessed, {"b": "CON"}).lookup(["1", "1"], ["a", "b"])
      qid docno group
    0   1     a   PRO
    1   1     b   CON
    """
    return ModelLabels(get(model), get(human), name)


def single_labels(source: Groups, qids: Any,
                  docnos: Any) -> tuple[Ints, list[str], Bools]:
    """Return the label of each document.

    :returns: its code, ``[n]``, −1 for none; the labels; and whether the document is known to be
        without a group, ``[n]``
    :raises ValueError: if a document has several labels or weights
    """
    annotations = source.annotate(qids, docnos)
    n = len(docnos)
    count = annotations.label_counts(n)
    weighted = annotations.item[~np.isnan(annotations.weights)]
    for documents, what in ((np.flatnonzero(count > 1), "several labels"), (weighted, "weights")):
        if len(documents):
            raise ValueError(f"documents of {source!r} must have one label each, got "
                             f"{docnos[documents.min()]!r} with {what}")
    codes = np.full(n, -1)
    codes[annotations.item] = annotations.codes
    return codes, annotations.labels, annotations.without_group(n)


def _table(rates: Any, option: str) -> pd.DataFrame:
    """Return a dictionary of probabilities as a frame, with sorted rows and columns.

    :param option: the name of the parameter in the error
    :raises ValueError: if a probability is negative, or a row does not sum to 1
    """
    if not isinstance(rates, Mapping) \
            or not all(isinstance(row, Mapping) for row in rates.values()):
        raise ValueError(f"{option} must be a dictionary of the probabilities of each label, got "
                         f"{shown(rates)}")
    rows = {label_text(label): {label_text(name): p for name, p in row.items()}
            for label, row in rates.items()}
    columns = sorted(set().union(*rows.values()))
    numbers = [[row.get(name, 0.0) for name in columns] for row in rows.values()]
    table = pd.DataFrame(numbers, list(rows), columns, dtype=float).sort_index()
    total = table.sum(axis=1, skipna=False)
    possible = (table >= 0).all(axis=1) & (abs(total - 1) <= 1e-9)
    for label in table.index[~possible][:1]:
        raise ValueError(f"the probabilities of {label!r} in {option} must be at least 0 and sum "
                         f"to 1, got {shown(rows[label])}")
    return table
