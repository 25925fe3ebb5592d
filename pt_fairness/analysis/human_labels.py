"""Human labels beside a model's: read, joined, and checked before true labels are drawn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.analysis.label_sampler import LEAST, Labelled
from pt_fairness.core.arrays import Bools, Ints, recoded
from pt_fairness.core.messages import did_you_mean, label_texts, listed, warn
from pt_fairness.groups import Groups, Memberships
from pt_fairness.groups.combinations import (
    ModelLabels,
    WithErrorRates,
    filled_in,
    kappa,
    single_labels,
)
from pt_fairness.groups.group_source import Combined, Override
from pt_fairness.groups.sources import located
from pt_fairness.io.column_roles import Columns
from pt_fairness.io.document_files import read_labelled

#: The first grade of relevance of each stratum of judged documents but the lowest.
GRADES = (1, 2, 3)
#: Warn of a label with fewer human labels, and of an interval of Cohen's κ that begins lower.
LEAST_HUMAN, LEAST_KAPPA = 10, 0.2


class Checked(Override):
    """The labels of a model, and human labels in their place where there are some.

    The label set holds the labels of both sources, also if human labels are not used.

    :param used: whether human labels are used
    """

    def __init__(self, model: Groups, human: Groups, used: bool = True) -> None:
        labels = (model.labels or []) + (human.labels or [])
        order = model.order_of(labels)
        Combined.__init__(self, [human, model], None, labels, order)
        self.topics = model.topics
        self.used = used

    def _content(self) -> Any:
        return self.sources[::-1], self.used

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        if self.used:
            return super().annotate(qids, docnos)
        human, model = self.sources
        memberships = model.annotate(qids, docnos)
        added = human.annotate(qids, docnos).labels
        return memberships._replace(labels=memberships.labels + added)

    def documents(self) -> tuple[Any, Any] | None:
        """Return the topics, missing for labels that hold in all, and the docnos of both sources.
        """
        table = pd.concat(map(listed_documents, self.sources)).drop_duplicates()
        return table["qid"].to_numpy(), table["docno"].to_numpy()


def listed_documents(source: Groups) -> pd.DataFrame:
    """Return ``qid, docno`` of the documents that a source lists; a topic is missing for all."""
    qids, docnos = source.documents() or (None, [])
    return pd.DataFrame({"qid": qids, "docno": docnos}, dtype=object)


def is_labelled(source: Groups, qids: Any, docnos: Any) -> Bools:
    """Return whether a source has a label for each document, or says that it has no group."""
    unknown = source.annotate(qids, docnos).unknown_of(len(docnos))
    return ~np.isnan(unknown)


class HumanLabels(NamedTuple):
    """Human labels of documents at random and of whole topics; see :func:`human_labels`."""

    #: Both kinds as one source.
    every: Groups
    #: The labels of each kind; ``None`` without any.
    documents: Groups | None
    of_topics: Groups | None
    #: The topics of the second kind, also those without a label yet.
    topics: list[str]


def human_labels(documents: Any = None, topics: Any = None,
                 none: Iterable[Any] = ()) -> HumanLabels:
    """Read human labels. Rows whose label is empty are not filled in yet.

    :param documents: the labels of documents at random: a file, a list of files, or another form
        that :func:`pt_fairness.groups.model_labels` reads; ``None`` without; or a result of this
        function, which is returned
    :param topics: the labels of whole topics, in the same forms
    :param none: the labels that mean no group
    :raises ValueError: if there are no labels, a document has two different ones (the error names
        both lines), or the labels of whole topics are without topics
    """
    if isinstance(documents, HumanLabels):
        return documents
    sample, whole = _rows(documents), _rows(topics)
    rows = pd.concat([sample, whole])
    filled = rows.dropna(subset="group")
    if filled.empty:
        raise ValueError("human labels must have a document with a label, got none")
    _refuse_two_labels(filled)
    for row in whole[whole["qid"].isna()].itertuples():
        raise ValueError(f"the human labels of whole topics must have topics, got {row.docno!r} "
                         f"without one ({row.place})")
    dropped = label_texts(none, "none")
    every: Any
    every, sample_labels, topic_labels = (_source(kind, dropped) for kind in (rows, sample, whole))
    names = whole["qid"].unique()
    return HumanLabels(every, sample_labels, topic_labels, names.tolist())


#: The columns of human labels: topic (missing for all), document, label, file and line.
_ROWS = ["qid", "docno", "group", "place"]


def _rows(human: Any) -> pd.DataFrame:
    """Return the rows of one kind of human labels. A label that is not filled in is missing."""
    tables = [pd.DataFrame(columns=_ROWS, dtype=object)]
    for part in human if isinstance(human, list) else [human]:
        if part is not None:
            tables.append(_rows_of_part(part))
    rows = pd.concat(tables)
    return rows.replace({"group": {"": None}})


def _rows_of_part(human: Any) -> pd.DataFrame:
    file, column = located(human)
    if isinstance(file, str) and os.path.isfile(file):
        frame, _ = read_labelled(Path(file), Columns(column or None))
        rows = f"{file}, {frame.index.name} "
        lines = frame.index.astype(str)
        frame["place"] = rows + lines
        return frame.reindex(columns=_ROWS).astype(object)
    source = filled_in(human)
    frame = listed_documents(source)
    topics = frame["qid"].fillna("")
    codes, labels, _ = single_labels(source, topics, frame["docno"])
    names = np.array([*labels, "-"], object)
    frame = frame.assign(group=names[codes], place=repr(source))
    if isinstance(human, pd.DataFrame) and {"qid", "group"}.issubset(human):
        unfilled = human[human["group"].isna() | human["group"].eq("")]
        frame = pd.concat([frame, unfilled.reindex(columns=_ROWS).astype({"qid": str})])
    return frame


def _refuse_two_labels(rows: pd.DataFrame) -> None:
    """Check that each document has one label.

    :raises ValueError: if a document has two labels
    """
    pairs = rows.merge(rows, on="docno", suffixes=("", "_2"))
    pairs = pairs[pairs["group"] != pairs["group_2"]]
    qid, qid_2 = pairs["qid"], pairs["qid_2"]
    same = (qid == qid_2) | qid.isna() | qid_2.isna()
    for pair in pairs[same].itertuples():
        raise ValueError(f"{pair.docno!r} must have one human label, got {pair.group!r} "
                         f"({pair.place}) and {pair.group_2!r} ({pair.place_2})")


def _source(rows: pd.DataFrame, none: Sequence[str]) -> Groups | None:
    """Return the labels in rows as groups, ``None`` without labels."""
    no_group = dict.fromkeys(none, "-")
    filled = rows.dropna(subset="group")
    rows = filled.replace({"group": no_group})
    source: Groups | None = None
    for _, part in rows.groupby(rows["qid"].notna()):
        labels = part.drop(columns="place")
        frame = labels.dropna(axis="columns")
        groups = sources.from_frame(frame)
        source = groups if source is None else Checked(source, groups)
    if source is not None:
        files = rows["place"].str.rpartition(", ")[0]
        names = files.unique()
        source.made_of = ", ".join(names)
    return source


def labelled(source: ModelLabels | WithErrorRates, labels: list[str],
             documents: pd.DataFrame) -> Labelled:
    """Return documents with their labels, and further documents of their topics with human labels.

    :param labels: the groups. One more true label stands for no group, if a document is without
    :param documents: ``qid, docno, relevance``, NaN where it is not judged
    """
    if isinstance(source, ModelLabels):
        further = _further(source.human, documents)
        documents = pd.concat([documents, further])
        human = _codes(source.human, documents, labels)
        model = _codes(source.model, documents, labels, likeliest=True)
        largest = max(human.max(), model.max())
        size = max(len(labels), largest + 1)
        meaning = np.arange(size)
        errors = None
    else:
        size = len(labels)
        rates = source.table
        codes, names, _ = single_labels(source.base, documents["qid"], documents["docno"])
        model = recoded(codes, names, rates.index)
        human = np.full_like(model, -1)
        frequencies = np.bincount(model[model >= 0], minlength=len(rates))
        joint = rates.to_numpy().T * frequencies
        errors = joint / np.maximum(joint.sum(axis=1, keepdims=True), LEAST)
        if source.errors is not None:
            errors = source.errors[rates.index].to_numpy()
        errors = np.maximum(errors, LEAST)
        meaning = recoded(np.arange(len(rates)), rates.index, labels)
        meaning = np.where(meaning == -1, joint.argmax(axis=0), meaning)
    relevance = documents["relevance"]
    grade = np.digitize(relevance, GRADES) + 1
    grade[relevance.isna()] = 0
    label = np.maximum(human, model)
    has_label = label >= 0
    grade[~has_label] = grade[has_label].max(initial=0)  # any stratum that has documents
    topic, _ = pd.factorize(documents["qid"])
    _, stratum = np.unique(grade, return_inverse=True)
    return Labelled(topic, stratum, human, model, size, meaning, errors)


def _codes(source: Groups, table: pd.DataFrame, labels: Sequence[str],
           likeliest: bool = False) -> Ints:
    """Return the code of each label, ``len(labels)`` for no group, −1 for no label."""
    codes, names, without = single_labels(source, table["qid"], table["docno"], likeliest)
    codes = recoded(codes, names, labels)
    return np.where(without, len(labels), codes)


def _further(human: Groups, documents: pd.DataFrame) -> pd.DataFrame:
    """Return further documents with human labels; warn of documents in other topics."""
    every = listed_documents(human)
    qid, docno = every["qid"], every["docno"]
    pairs = pd.MultiIndex.from_frame(documents[["qid", "docno"]])
    found = pd.MultiIndex.from_frame(every).isin(pairs)
    found |= qid.isna() & docno.isin(documents["docno"])
    used = qid.isin(documents["qid"])
    unused = np.count_nonzero(~used & ~found)
    if unused:
        warn(f"{unused} human labels are not used: their documents are neither judged nor ranked, "
             "nor are others of their topics")
    return every[used & ~found]


def check(documents: Labelled, source: ModelLabels, labels: Sequence[str]) -> None:
    """Warn of human labels that are few, unknown to the model, or far from its labels.

    If every document has a human label, no warning is needed.

    :raises ValueError: if no document has both labels, or if people and the model use different
        labels
    """
    counts = documents.totals
    both = counts[:-1, :-1]
    human_counts = counts[:-1].sum(axis=1)
    model_counts = counts[:, :-1].sum(axis=0)
    names = np.array([*labels, "no group"][:len(both)], dtype=object)
    people = names[human_counts > 0]
    machine = names[model_counts > 0]
    if not both.any():
        raise ValueError(f"no document has a label in {source.human!r} and in {source.model!r}; "
                         "a random sample of the judged and ranked documents must have both")
    if not np.isin(people, machine).any():
        raise ValueError(f"human labels must be labels of the model, got {listed(people[:3])} "
                         f"and {listed(machine[:3])}")
    if not counts[-1, :-1].any():
        return
    for name, n_people, n_model in zip(names, human_counts, model_counts, strict=True):
        if n_people and not n_model:
            warn(f"the model never uses {name!r}, the human label of {n_people} documents."
                 + did_you_mean(name, machine))
    few = names[(model_counts != 0) & (human_counts < LEAST_HUMAN)]
    if len(few):
        warn(f"fewer than {LEAST_HUMAN} human labels are {listed(few)}, which the model uses: the "
             "values are uncertain. Label more documents by hand")
    value, low, _ = kappa(both)
    if low < LEAST_KAPPA:
        warn(f"κ of the model's and the human labels is {value:.2f}, and its interval begins "
             f"at {low:.2f}, below {LEAST_KAPPA}: such labels carry too little. Values "
             "can be wrong in either direction, which r_hat does not show. Check whole topics")
