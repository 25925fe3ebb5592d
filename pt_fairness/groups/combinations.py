"""Groups made of other groups: products, and labels of a model with their error rates."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import nan, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import TIE_DECIMALS, Bools, Floats, Ints, is_new
from pt_fairness.core.identifiers import as_frame, pair_texts
from pt_fairness.core.messages import (
    ONCE,
    collecting_warnings,
    label_text,
    listed,
    shown,
    warn,
)
from pt_fairness.groups.group_source import Combined, Groups
from pt_fairness.groups.memberships import Memberships, distinct_annotations, is_no_group
from pt_fairness.groups.sources import get
from pt_fairness.io.document_files import read_labelled

#: The separator between the labels of the sources in a label of their product.
SEPARATOR = "|"
#: The largest number of combinations that a product declares as its labels.
MOST_DECLARED = 10_000
#: Tolerance of the sum of probabilities.
TOLERANCE = 1e-9
#: The column that counts the documents without a label of the model.
NONE = "@NONE"
#: What to do with a document whose human label is empty.
LABEL_OR_LEAVE = ("If a document is outside all groups, give it a label of its own, such as 'none' "
                  "(in Python, leave out none= of from_qrels). If it is not labelled, leave it out")
#: A value and the ends of its interval.
Estimate = tuple[float, float, float]


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
    if missing is not None:
        missing = label_text(missing)
    return _Product([*map(get, sources)], missing, name)


class _Product(Combined):
    def __init__(self, sources: list[Groups], missing: str | None, name: str | None) -> None:
        self._missing = missing
        more = [] if missing is None else [missing]
        labels = []
        for source in sources:
            possible = sorted({*(source.labels or ()), *more})
            _check(possible)
            labels.append(possible)
        declared = None
        has_labels = all(source.labels is not None for source in sources)
        if has_labels and math.prod(map(len, labels)) <= MOST_DECLARED:
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
            has_weight = ~np.isnan(part.weights)
            weighted[part.item[has_weight]] = True
        if self._missing is not None:
            item = np.unique(np.concatenate([part.item for part in parts]))
            for i, part in enumerate(parts):
                lacking = np.setdiff1d(item, part.item)
                parts[i] = part.label_added(lacking, self._missing)
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
    share = pairs["share_x"] * pairs["share_y"]
    return pairs[["item"]].assign(label=label, share=share)


def with_error_rates(source: str | os.PathLike[str] | Groups,
                     rates: pd.DataFrame | Mapping[Any, Mapping[Any, float]],
                     prior: Mapping[Any, float] | None = None, name: str | None = None) -> Groups:
    """Return the probabilities of the true labels of documents, as weights.

    A document is in each group by its probability: :func:`pt_fairness.evaluate` takes *expected
    memberships*. AWRF, rKL and other measures rate these as fairer than lists of single labels.
    :func:`pt_fairness.analysis.uncertain_labels` draws single labels instead. It assumes that
    P(label | true label) is equal in all topics, and that the shares of the true labels differ by
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
            if prior is None:
                counts = counts.T
            counts = counts[counts.any(axis=1)]
            total = counts.sum(axis=1)
            rates = counts.div(total, axis=0).to_dict("index")
        table = _table(rates, "rates")
        if prior is not None:
            shares = _table({"prior": prior}, "prior")
            if [*shares] != [*table.index]:
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
        rows = self.table.index
        for label in labels:
            if label not in rows:
                raise ValueError("rates must have a row, and a probability above 0, for each label "
                                 f"of {self.base!r}, got {listed(rows)} without {label!r}")
        return self.table.loc[labels].to_numpy()

    def _content(self) -> Any:
        return self.sources, self.order, self.table, self.errors

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        codes, labels, _ = single_labels(self.base, qids, docnos)
        item = np.flatnonzero(codes >= 0)
        used, row = np.unique(codes[item], return_inverse=True)
        rates = self._rows([labels[code] for code in used])[row]
        entry, true = np.nonzero(rates)
        weight = rates[entry, true]
        return Memberships(item[entry], true, [*self.table], weight)


class ModelLabels(Combined):
    """Labels of a model, and human labels of some documents; see :func:`model_labels`."""

    weighted = False

    def __init__(self, model: Groups, human: Groups, name: str | None) -> None:
        labels = [*(model.labels or ()), *(human.labels or ())]
        super().__init__([model, human], name, labels, model.order_of(labels))
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
        model, model_labels, _ = single_labels(self.model, qids, docnos, likeliest=True)
        model[without] = -1
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

    A human label ``-`` or an empty list, and a label that ``from_qrels(none=…)`` drops, says that a
    document has no group. A document that ``human`` does not list, or whose label is empty,
    ``None`` or NaN there, is not labelled yet: it keeps the label of the model.
    :func:`from_votes` does not list documents without a majority, and :func:`from_pattern` does not
    list documents that do not match.

    :param model: groups with one label for each document, or weights, of which the most probable
        label counts: a registered name, the path of a group file or a Groups object, as
        :func:`from_transformer` returns
    :param human: the human labels, one for each document, in the same forms; also a dictionary or a
        frame. Their documents are a random sample of those judged and ranked
    :param name: the name of the groups; by default derived from their content
    :raises ValueError: once groups are looked up, if a document has several labels without weights,
        or if human labels have weights

    Examples
    --------
    >>> from pt_fairness import groups
    >>> guessed = groups.from_mapping({"a": "PRO", "b": "PRO"})
    >>> groups.model_labels(guessed, {"b": "CON"}).lookup(["1", "1"], ["a", "b"])
      qid docno group
    0   1     a   PRO
    1   1     b   CON
    """
    return ModelLabels(get(model), filled_in(human), name)


def filled_in(human: Any) -> Groups:
    """Return human labels without the rows that nobody has filled in yet."""
    path = None
    judged = False
    if not isinstance(human, (str, os.PathLike)):
        human = as_frame(human)
    elif os.path.isfile(human):
        path = os.fspath(human)
        with collecting_warnings():  # of empty cells
            human, judged = read_labelled(Path(path))
    if isinstance(human, pd.DataFrame) and "group" in human:
        is_empty = human["group"].isna() | human["group"].eq("")
        human = human[~is_empty]
    elif isinstance(human, (Mapping, pd.Series)):
        labels = {}
        for docno, label in human.items():
            if not is_no_group(label) or label == "-":
                labels[docno] = label
        human = labels
    source = get(human)
    if path is not None:
        source.made_of = path
        source.judged = judged
    return source


def single_labels(source: Groups, qids: Any, docnos: Any,
                  likeliest: bool = False) -> tuple[Ints, list[str], Bools]:
    """Return the label of each document.

    :param likeliest: whether a document with weights has its most probable label, with a warning;
        of equally probable labels, the first in sorted order
    :returns: the code of each document's label, ``[n]``, −1 for none; the labels; and whether the
        document is known to have no group, ``[n]``
    :raises ValueError: if a document has several labels or weights
    """
    annotations = source.annotate(qids, docnos)
    item, codes, labels, _, _ = annotations
    n = len(docnos)
    weights = annotations.weights.round(TIE_DECIMALS)
    weighted = item[~np.isnan(weights)]
    if likeliest and len(weighted):
        warn(f"documents with weights in {source!r} count with their most probable label",
             f"{ONCE}likeliest {source.name}")
        names = np.asarray(labels)[codes]
        order = np.lexsort((names, -weights, item))
        is_first = is_new(item[order]) | np.isnan(weights[order])
        order = order[is_first]
        item = item[order]
        codes = codes[order]
        weighted = weighted[:0]
    several = np.flatnonzero(np.bincount(item) > 1)
    for documents, what in ((several, "several labels"), (weighted, "weights")):
        if len(documents):
            docno = docnos[documents.min()]
            raise ValueError(f"documents of {source!r} must have one label each, got {docno!r} "
                             f"with {what}")
    code = np.full(n, -1)
    code[item] = codes
    return code, labels, annotations.without_group(n)


def _table(rates: Any, option: str) -> pd.DataFrame:
    """Return a dictionary of probabilities as a frame, with sorted rows and columns.

    :param option: the name of the parameter in the error
    :raises ValueError: if a probability is negative, or a row does not sum to 1
    """
    if not isinstance(rates, Mapping) \
            or not all(isinstance(row, Mapping) for row in rates.values()):
        raise ValueError(f"{option} must be a dictionary of the probabilities of each label, got "
                         f"{shown(rates)}")
    rows = {}
    for label, row in rates.items():
        rows[label_text(label)] = {label_text(name): p for name, p in row.items()}
    columns = sorted(set().union(*rows.values()))
    numbers = [[row.get(name, 0.0) for name in columns] for row in rows.values()]
    table = pd.DataFrame(numbers, list(rows), columns, dtype=float).sort_index()
    total = table.sum(axis=1, skipna=False)
    possible = (table >= 0).all(axis=1)
    possible &= abs(total - 1) <= TOLERANCE
    for label in table.index[~possible]:
        raise ValueError(f"the probabilities of {label!r} in {option} must be at least 0 and sum "
                         f"to 1, got {shown(rows[label])}")
    return table


class ErrorRates(NamedTuple):
    """The agreement of the labels of a model with human labels; see :func:`error_rates`."""

    #: Rows ``accuracy, kappa, alpha``, columns ``value, low, high, n``.
    summary: pd.DataFrame
    #: Columns ``label, human, model, precision, precision low, precision high, recall, recall low,
    #: recall high, f1``.
    labels: pd.DataFrame
    #: The number of documents by human label (rows) and label of the model.
    counts: pd.DataFrame


def error_rates(model: str | os.PathLike[str] | Groups, human: Any,
                qids: Sequence[Any] | None = None,
                docnos: Sequence[Any] | None = None) -> ErrorRates:
    """Compare the labels of a model with human labels of the same documents.

    :func:`pt_fairness.analysis.agreement` is for the votes of several people.

    :param model: groups with at most one label for each document: a registered name, the path of a
        group file or a Groups object
    :param human: the human labels, in the same forms; also a dictionary or a frame
    :param qids: the topic of each document to compare, ``[n]``
    :param docnos: the documents to compare, ``[n]``; by default all documents of ``human``, or of
        ``model`` if ``human`` cannot list them
    :returns: three frames, with intervals at 95 %:

        - ``summary``: accuracy with Wilson's interval (1927), Cohen's κ with the large-sample
          interval of Fleiss, Cohen and Everitt (1969), and Krippendorff's α for nominal labels. κ
          and α are NaN if all labels are equal
        - ``labels``: the number of documents, precision, recall (Wilson) and F₁ of each label,
          NaN for 0 of 0
        - ``counts``: documents by human label and label of the model, ``@NONE`` if it has none.
          :func:`with_error_rates` takes it as ``rates``

        Documents without a human label are left out, with a warning if ``human`` lists them
        without a group. A document without a label of the model counts as wrong in accuracy and
        recall, and is left out of κ and α
    :raises ValueError: if no document has both labels, a document has weights or several labels,
        neither source can list its documents, or ``qids`` without ``docnos``

    Examples
    --------
    >>> from pt_fairness import groups
    >>> model = {"a": "PRO", "b": "PRO", "c": "CON", "d": "CON"}
    >>> rates = groups.error_rates(model, {"a": "PRO", "b": "CON", "c": "CON", "d": "CON"})
    >>> rates.summary.round(2)
              value   low  high  n
    accuracy   0.75  0.30  0.95  4
    kappa      0.50 -0.23  1.23  4
    alpha      0.53   NaN   NaN  4
    >>> rates.labels[["label", "human", "model", "precision", "recall", "f1"]].round(2)
      label  human  model  precision  recall    f1
    0   CON      3      2        1.0    0.67  0.80
    1   PRO      1      2        0.5    1.00  0.67
    """
    model = get(model)
    human = get(human)
    topical = model.by_topic or human.by_topic
    if docnos is None:
        if qids is not None:
            raise ValueError("docnos must be the documents of the topics in qids, got None")
        qids, docnos = _documents(model, human)
    if qids is None:
        if topical:
            raise ValueError(f"qids must be the topic of each document, because {model!r} or "
                             f"{human!r} has labels by topic, got None")
        qids = docnos  # any topic
    topics, documents = pair_texts("error_rates", qids, docnos)
    pairs = pd.DataFrame({"qid": topics, "docno": documents}, dtype=object)
    pairs = pairs.drop_duplicates(["qid", "docno"] if topical else "docno")
    topics, documents = pairs.to_numpy().T
    model_code, model_labels, _ = single_labels(model, topics, documents)
    human_code, human_labels, without = single_labels(human, topics, documents)
    left_out = documents[without & (model_code >= 0)]
    if len(left_out):
        warn(f"{len(left_out)} documents with a label of the model, such as {left_out[0]!r}, are "
             f"without a group in {human!r} and are left out. {LABEL_OR_LEAVE}")
    labelled = human_code >= 0
    human_code = human_code[labelled]
    model_code = model_code[labelled]
    if not (model_code >= 0).any():
        raise ValueError(f"{human!r} and {model!r} must have labels of the same documents, got "
                         f"none for {shown(documents[:3].tolist())}")
    human_label = np.array(human_labels, object)[human_code]
    model_label = np.array([*model_labels, NONE], object)[model_code]
    counts = pd.crosstab(human_label, model_label, rownames=["human"], colnames=["model"])
    labels = sorted({*counts.index, *counts} - {NONE})
    columns = [*labels, NONE] if NONE in counts else labels
    counts = counts.reindex(index=labels, columns=columns, fill_value=0)
    table = counts[labels].to_numpy()
    n = len(human_label)
    compared = table.sum()
    right = np.diag(table)
    accuracy = (*wilson(right.sum(), n), n)
    rows = [accuracy, (*kappa(table), compared), (_alpha(table), nan, nan, compared)]
    summary = pd.DataFrame(rows, ["accuracy", "kappa", "alpha"], ["value", "low", "high", "n"])
    per_label = pd.DataFrame({"label": labels})
    per_label["human"] = counts.sum(axis=1).to_numpy()
    per_label["model"] = table.sum(axis=0)
    for name, side in (("precision", "model"), ("recall", "human")):
        titles = [name, f"{name} low", f"{name} high"]
        per_label[titles] = np.transpose(wilson(right, per_label[side]))
    per_label["f1"] = 2 * right / (per_label["human"] + per_label["model"])
    return ErrorRates(summary, per_label, counts)


def _documents(model: Groups, human: Groups) -> tuple[Any, Any]:
    """Return the topics (``None`` if they do not matter) and the documents to compare.

    :raises ValueError: if neither source can list them
    """
    qids, docnos = human.documents() or (None, ())
    if len(docnos) and (qids is not None or not model.by_topic):
        return qids, docnos
    qids, docnos = model.documents() or (None, ())
    if not len(docnos):
        raise ValueError(f"docnos must be the documents to compare, because neither {human!r} nor "
                         f"{model!r} lists its documents, got None")
    return qids, docnos


def wilson(hits: Any, number: Any) -> tuple[Any, Any, Any]:
    """Return shares with Wilson's intervals, NaN for 0 of 0."""
    from statsmodels.stats.proportion import proportion_confint
    number = np.where(number, number, nan)
    low, high = proportion_confint(hits, number, method="wilson")
    return hits / number, low, high


def kappa(counts: Ints) -> Estimate:
    """Return Cohen's κ with its interval at 95 %; NaN if there is one label only.

    :param counts: the number of documents by human label (row) and label of the model (column)
    """
    from scipy.stats import norm
    from statsmodels.stats.inter_rater import cohens_kappa
    with np.errstate(invalid="ignore", divide="ignore"):
        result = cohens_kappa(counts)
    # Its own interval is NaN where rounding makes the variance of κ = 1 negative.
    half = norm.isf(0.025) * sqrt(max(result.var_kappa, 0))
    value = float(result.kappa)
    return value, float(value - half), float(value + half)


def _alpha(counts: Ints) -> float:
    """Return Krippendorff's α for nominal labels, NaN if there is one label only."""
    n = 2 * counts.sum()
    labels = counts.sum(axis=0) + counts.sum(axis=1)
    different = n - 2 * np.trace(counts)
    expected = n * n - labels @ labels
    with np.errstate(invalid="ignore"):
        return float(1 - (n - 1) * different / expected)
