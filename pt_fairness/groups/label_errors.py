"""How good are the labels of a model? Their agreement with human labels."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Ints
from pt_fairness.core.identifiers import texts_of
from pt_fairness.groups.combinations import single_labels
from pt_fairness.groups.memberships import Groups
from pt_fairness.groups.sources import get

#: The column of the documents without a label of the model.
NONE = "@NONE"
#: A value with its interval.
Estimate = tuple[float, float, float]


def error_rates(model: str | os.PathLike[str] | Groups, human: Any,
                qids: Sequence[Any] | None = None,
                docnos: Sequence[Any] | None = None) -> LabelErrors:
    """Compare the labels of a model with human labels of the same documents.

    :func:`pt_fairness.analysis.agreement` is for the votes of several people.

    :param model: groups with at most one label for each document: a registered name, the path of a
        group file or a Groups object
    :param human: the same of people; also a dictionary or a frame
    :param qids: the topics of the documents to compare, as of :meth:`Groups.lookup`; by default the
        documents of ``human``, or if that cannot list them, those of ``model``
    :param docnos: the documents to compare
    :returns: the counts, accuracy, precision and recall, κ and α; documents without a human label
        are left out. A document without a label of the model counts as wrong in accuracy and
        recall, and is left out of κ and α
    :raises ValueError: no document has a label of both, a document has weights or several labels,
        or the documents have to be named

    Examples
    --------
    >>> from pt_fairness import groups
    >>> model = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON", "d": "CON"}, "tagger")
    >>> print(groups.error_rates(model, {"a": "PRO", "b": "CON", "c": "CON", "d": "CON"}))
    label  human  model         precision            recall   f1
      CON      3      2 1.00 [0.34, 1.00] 0.67 [0.21, 0.94] 0.80
      PRO      1      2 0.50 [0.09, 0.91] 1.00 [0.21, 1.00] 0.67
    <BLANKLINE>
    The labels of tagger agree with 4 human labels in 75.0 % [30.1, 95.4] (κ 0.50 [-0.23, 1.23]).
    """
    model = get(model)
    human = get(human)
    if docnos is None:
        qids, docnos = _documents(model, human)
    if qids is None:
        qids = [""] * len(docnos)
    qids = texts_of(pd.Series(qids, dtype=object))
    docnos = texts_of(pd.Series(docnos, dtype=object))
    labels = {}
    for side, source in (("human", human), ("model", model)):
        codes, names = single_labels(source, qids, docnos)
        labels[side] = np.array([*names, None], dtype=object)[codes]
    frame = pd.DataFrame(labels).dropna(subset="human")
    if frame["model"].isna().all():
        sides = [_example(human, docnos), _example(model, _listed(model)[1])]
        raise ValueError("no document has a human label and one of the model: "
                         + ", ".join(filter(None, sides)))
    present = sorted({*frame["human"], *frame["model"].dropna()})
    counts = pd.crosstab(frame["human"], frame["model"].fillna(NONE))
    counts = counts.reindex(index=present, columns=[*present, NONE], fill_value=0)
    return LabelErrors(counts, model.made_of or model.registered)


def _listed(source: Groups) -> tuple[Any, Any]:
    """Return the topics and the documents of a source, none if it cannot list them."""
    return source.documents() or (None, [])


def _documents(model: Groups, human: Groups) -> tuple[Any, Any]:
    """Return the topics (``None`` if they do not matter) and the documents to compare.

    :raises ValueError: neither source can list them
    """
    qids, docnos = _listed(human)
    if len(docnos) and (qids is not None or not model.by_topic):
        return qids, docnos
    qids, docnos = _listed(model)
    if not len(docnos):
        raise ValueError(f"neither {human!r} nor {model!r} can list the documents to compare; name "
                         "them with qids= and docnos=")
    return qids, docnos


def _example(source: Groups, docnos: Any) -> str:
    """Return the first document of a source for a message, ``''`` without one."""
    return f"{source!r} has {str(docnos[0])!r}" if len(docnos) else ""


class LabelErrors:
    """Human labels and a model's labels of the same documents; see :func:`error_rates`.

    Intervals are at 95 %: Wilson's (1927) for shares, of the large-sample standard error (Fleiss,
    Cohen & Everitt 1969) for κ.

    :param counts: the number of documents by human label (rows) and label of the model; the last
        column, ``@NONE``, is that of the documents without a label of the model
    :param name: the name of the model
    """

    #: The number of documents by human label (rows) and label of the model. There is a column
    #: ``@NONE`` if the model has no label for some.
    counts: pd.DataFrame

    def __init__(self, counts: pd.DataFrame, name: str) -> None:
        self._labelled = counts.drop(columns=NONE)
        self._without = int(counts[NONE].sum())
        self.counts = counts if self._without else self._labelled
        self._name = name

    @property
    def accuracy(self) -> Estimate:
        """The share of the human labels with which the model agrees, and its interval."""
        share, low, high = _wilson(np.trace(self._labelled), self.counts.to_numpy().sum())
        return float(share), float(low), float(high)

    @property
    def kappa(self) -> Estimate:
        """Cohen's κ and its interval; NaN if there is one label only."""
        return kappa(self._labelled.to_numpy())

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's α for nominal labels, NaN if there is one label only; no interval."""
        counts = self._labelled.to_numpy()
        n = 2 * counts.sum()
        of_labels = counts.sum(axis=0) + counts.sum(axis=1)
        expected = n * n - (of_labels ** 2).sum()
        if expected == 0:
            return math.nan, math.nan, math.nan
        different = 2 * (counts.sum() - np.trace(counts))
        return float(1 - (n - 1) * different / expected), math.nan, math.nan

    @cached_property
    def labels(self) -> pd.DataFrame:
        """Precision, recall and F₁ of each label.

        ``label, human, model`` (numbers of documents)``, precision, precision low, precision high,
        recall, recall low, recall high, f1``; NaN for 0 of 0.
        """
        right = np.diag(self._labelled)
        human = self.counts.sum(axis=1)
        model = self._labelled.sum()
        columns: dict[str, Any] = {"label": model.index, "human": human, "model": model}
        for name, number in (("precision", model), ("recall", human)):
            ends = _wilson(right, number)
            columns |= dict(zip((name, f"{name} low", f"{name} high"), ends, strict=True))
        table = pd.DataFrame({**columns, "f1": 2 * right / (human + model)})
        return table.reset_index(drop=True)

    @property
    def true_given_model(self) -> dict[str, dict[str, float]]:
        """Label of the model → human label → share: ``rates`` of :func:`with_error_rates`."""
        return _shares(self._labelled.T)

    @property
    def model_given_true(self) -> dict[str, dict[str, float]]:
        """Human label → label of the model → share: its ``rates`` with a ``prior``."""
        return _shares(self._labelled)

    @property
    def sentence(self) -> str:
        """The agreement as a sentence for a paper."""
        share, low, high = (f"{100 * value:.1f}" for value in self.accuracy)
        number = self.counts.to_numpy().sum()
        text = (f"The labels of {self._name} agree with {number} human labels in "
                f"{share} % [{low}, {high}] (κ {_shown(self.kappa)}).")
        if self._without:
            text += (f" {self._without} of these documents have no label of the model: they count "
                     "as wrong, and κ and α leave them out.")
        return text

    def _table(self) -> pd.DataFrame:
        table = self.labels.loc[:, ["label", "human", "model"]]
        for name in ("precision", "recall"):
            ends = self.labels[[name, f"{name} low", f"{name} high"]]
            table[name] = [_shown(row) for row in ends.itertuples(index=False)]
        return table.assign(f1=self.labels["f1"].map("{:.2f}".format))

    def __repr__(self) -> str:
        return f"{self._table().to_string(index=False)}\n\n{self.sentence}"

    def to_latex(self) -> str:
        """Return the table of the labels in LaTeX, for the package booktabs."""
        table = self._table()
        table["label"] = table["label"].str.replace(r"([#$%&_{}])", r"\\\1", regex=True)
        return table.to_latex(index=False, column_format="lrrrrr")


def _shares(counts: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return the shares of the columns in each row that has any."""
    counts = counts[counts.any(axis=1)]
    shares: Any = counts.div(counts.sum(axis=1), axis=0).to_dict("index")
    return shares


def _shown(estimate: Estimate) -> str:
    value, low, high = estimate
    return "–" if math.isnan(value) else f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _wilson(hits: Any, number: Any) -> tuple[Any, Any, Any]:
    """Return shares with Wilson's intervals, NaN for 0 of 0."""
    from statsmodels.stats.proportion import proportion_confint
    number = np.where(number, number, math.nan)
    return hits / number, *proportion_confint(hits, number, method="wilson")


def kappa(counts: Ints) -> Estimate:
    """Return Cohen's κ with its interval at 95 %; NaN if there is one label only.

    :param counts: the number of documents of each human label (row) and label of the model
    """
    from statsmodels.stats.inter_rater import cohens_kappa
    if np.count_nonzero(counts.sum(axis=0) + counts.sum(axis=1)) < 2:
        return math.nan, math.nan, math.nan
    with np.errstate(invalid="ignore", divide="ignore"):  # of its test, which is not used
        result = cohens_kappa(counts)
    return float(result.kappa), float(result.kappa_low), float(result.kappa_upp)
