"""Read a model's labels and human labels, and check them before true labels are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pt_fairness.analysis.label_sampler import LEAST, Labelled
from pt_fairness.core.arrays import Ints, recoded
from pt_fairness.core.messages import did_you_mean, listed, warn
from pt_fairness.groups import Groups
from pt_fairness.groups.combinations import ModelLabels, WithErrorRates, single_labels

#: The first grade of relevance of each stratum of judged documents but the lowest.
GRADES = (1, 2, 3)
#: Warn of a label with fewer human labels, and of an interval of Cohen's κ that begins lower.
LEAST_HUMAN, LEAST_KAPPA = 10, 0.2


def labelled(source: ModelLabels | WithErrorRates, labels: list[str],
             documents: pd.DataFrame) -> Labelled:
    """Return documents with their labels, and further documents of their topics with human labels.

    :param labels: the groups. One more true label stands for no group, if a document is without
    :param documents: ``qid, docno, relevance``, NaN where it is not judged
    """
    if isinstance(source, ModelLabels):
        documents = pd.concat([documents, _further(source.human, documents)])
        human = _codes(source.human, documents, labels)
        model = _codes(source.model, documents, labels, likeliest=True)
        size = max(len(labels), human.max() + 1, model.max() + 1)
        errors, meaning = None, np.arange(size)
    else:
        size = len(labels)
        rates = source.table.reindex(columns=labels, fill_value=0.0)
        codes, names, _ = single_labels(source.base, documents["qid"], documents["docno"])
        model = recoded(codes, names, rates.index)
        human = np.full_like(model, -1)
        joint = rates.to_numpy().T * np.bincount(model[model >= 0], minlength=len(rates))
        errors = joint / np.maximum(joint.sum(axis=1, keepdims=True), LEAST)
        if source.errors is not None:
            errors = source.errors.reindex(index=labels, columns=rates.index, fill_value=0.0)
        errors = np.maximum(np.asarray(errors), LEAST)
        meaning = pd.Index(labels).get_indexer(rates.index)
        meaning = np.where(meaning < 0, joint.argmax(axis=0), meaning)
    grade = np.digitize(documents["relevance"], GRADES) + 1
    grade[documents["relevance"].isna()] = 0
    has_label = (human >= 0) | (model >= 0)
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
    qids, docnos = human.documents() or (None, [])
    every = pd.DataFrame({"qid": qids, "docno": docnos})
    key = ["docno"] if qids is None else ["qid", "docno"]
    joined = every.merge(documents[key].drop_duplicates(), "left", key, indicator="side")
    further = joined.loc[joined["side"] == "left_only", ["qid", "docno"]]
    used = further["qid"].isin(documents["qid"])
    if not used.all():
        warn(f"{(~used).sum()} human labels are not used: their documents are neither judged nor "
             "ranked, nor are others of their topics")
    return further[used]


def check(documents: Labelled, source: ModelLabels, labels: Sequence[str]) -> None:
    """Warn of human labels that are few, unknown to the model, or far from its labels.

    If every document has a human label, no warning is needed.

    :raises ValueError: if no document has both labels, or if people and the model use different
        labels
    """
    from statsmodels.stats.inter_rater import cohens_kappa
    counts = documents.counts.sum(axis=(0, 1))
    both = counts[:-1, :-1]
    people_counts, model_counts = counts[:-1].sum(axis=1), counts[:, :-1].sum(axis=0)
    names = np.array([*labels, "no group"][:len(both)], dtype=object)
    people, machine = names[people_counts > 0], names[model_counts > 0]
    if not both.any():
        raise ValueError(f"no document has a label in {source.human!r} and in {source.model!r}; "
                         "a random sample of the judged and ranked documents must have both")
    if not {*people} & {*machine}:
        raise ValueError(f"human labels must be labels of the model, got {listed(people[:3])} "
                         f"and {listed(machine[:3])}")
    if not counts[-1, :-1].any():
        return
    for code in np.flatnonzero((people_counts > 0) & (model_counts == 0)):
        name, number = names[code], people_counts[code]
        warn(f"the model never uses {name!r}, the human label of {number} documents."
             + did_you_mean(name, machine))
    few = names[(model_counts > 0) & (people_counts < LEAST_HUMAN)]
    if len(few):
        warn(f"fewer than {LEAST_HUMAN} human labels are {listed(few)}, which the model uses: the "
             "values are uncertain. Label more documents by hand")
    with np.errstate(invalid="ignore", divide="ignore"):  # of one label only
        kappa = cohens_kappa(both)
    if kappa.kappa_low < LEAST_KAPPA:
        warn(f"κ of the model's and the human labels is {kappa.kappa:.2f}, and its interval begins "
             f"at {kappa.kappa_low:.2f}, below {LEAST_KAPPA}: such labels carry too little. Values "
             "can be wrong in either direction, which r_hat does not show. Check whole topics")
