"""Values that are corrected by topics of which people checked every document that counts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.drawn_labels import Documents
from pt_fairness.analysis.human_labels import Checked, is_labelled
from pt_fairness.analysis.inputs import (
    compares_with_judged,
    kept_annotations,
    measures_without_groups,
    ranked_runs,
    runs_and_qrels,
)
from pt_fairness.analysis.statistics import LEAST_INTERVAL, check_level, place_of
from pt_fairness.core.arrays import ROUNDING, Bools, Floats
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.messages import at_least, is_whole, label_texts, shown, warn
from pt_fairness.groups import Groups
from pt_fairness.groups import get as get_groups
from pt_fairness.groups.combinations import filled_in
from pt_fairness.groups.corpora import text_source, texts_in
from pt_fairness.io.runs import RunInputs, load_topics
from pt_fairness.measures.measure import FairnessMeasure, depth_of, rels_of, score
from pt_fairness.rankings.annotations import Annotations

#: The advice on groups in errors.
_SOURCE = "name the labels with model= and human="
#: Warn of fewer checked topics: near the end of a measure's range, intervals cover too little.
LEAST_CHECKED = 20


class Comparison:
    """Runs, judgments and the labels of a model and of people.

    :param caller: the name of the public function, for errors
    """

    def __init__(self, runs: RunInputs, qrels: pd.DataFrame, measures: Any, caller: str,
                 model: Any, human: Groups) -> None:
        self.measures = measures_without_groups(measures, caller, _SOURCE)
        frames, judged = runs_and_qrels(runs, qrels, None)
        self.model = get_groups(model)
        self.human = human
        self.checked, self.unchecked = (
            kept_annotations(judged, Checked(self.model, human, used), self.measures)
            for used in (True, False))
        self.judgments = self.checked.judgments
        self.runs = ranked_runs(frames, self.judgments)

    def values(self, annotations: Annotations) -> Floats:
        """Return the values, NaN where undefined, ``[systems, measures, T]``."""
        depth = depth_of(self.measures)
        values = []
        for run in self.runs.values():
            scores = score(self.measures, annotations.rankings(run, depth))
            values.append([scores[measure] for measure in self.measures])
        return np.array(values)

    def checked_values(self, topics: Any) -> CheckedValues:
        """Return the values by the model and by hand.

        :param topics: the checked topics
        :raises IncompleteTopicError: if a document of these that counts lacks a human label
        """
        checked = np.isin(self.judgments.topics, label_texts(topics, "topics"))
        missing = self.unchecked_documents()
        missing = missing[missing["qid"].isin(self.judgments.names[checked])]
        for row in missing[:1].itertuples():
            where = "judged" if row.name is None else f"ranked by {row.name!r}"
            raise IncompleteTopicError(f"checked topics must be complete: {row.docno!r} of topic "
                                       f"{row.qid!r}, {where}, lacks a human label. "
                                       "documents_to_label lists the rest")
        by_model, by_hand = self.values(self.unchecked), self.values(self.checked)
        return CheckedValues(list(self.runs), self.measures, by_model, by_hand, checked)

    def unchecked_documents(self) -> pd.DataFrame:
        """Return ``qid, docno, name``: the documents that count and lack a human label.

        A system counts its documents down to the last annotated one that a measure needs. If a
        target or population comes from the qrels, their documents count, with the name ``None``.
        """
        judgments = self.judgments
        rels = rels_of([measure for measure in self.measures if compares_with_judged(measure)])
        least = min((-math.inf if rel is None else rel for rel in rels), default=math.inf)
        relevant = np.flatnonzero(judgments.relevance >= least)
        parts: list[Any] = [(None, judgments, relevant)]
        depth = depth_of(self.measures)
        for name, run in self.runs.items():
            annotated = self.checked.rankings(run, depth).codes >= 0
            before: Any = np.cumsum(annotated) - annotated
            before -= before[run.start[run.ranking]]
            rows = np.arange(len(before))
            if depth is not None:
                rows = rows[before < depth]
            parts.append((name, run, rows))
        tables = []
        for name, part, rows in parts:
            qids, docnos = judgments.names[part.topic[rows]], part.docnos(rows)
            table = pd.DataFrame({"qid": qids, "docno": docnos, "name": name}, dtype=object)
            tables.append(table)
        table = pd.concat(tables, ignore_index=True)
        qids, docnos = table["qid"].to_numpy(), table["docno"].to_numpy()
        has_label = is_labelled(self.model, qids, docnos)
        return table[has_label & ~is_labelled(self.human, qids, docnos)]


def prediction_powered(runs: RunInputs, qrels: pd.DataFrame, measures: Any, model: Any,
                       human: Any, topics: Iterable[Any] | None = None, confidence: float = 0.95,
                       baseline: int | str | None = None) -> pd.DataFrame:
    """Correct values on a model's labels by topics that people checked in full.

    The difference between the values by hand and by the model on the checked topics corrects the
    mean over all topics. This assumes nothing about the model, the systems or the errors. The
    checked topics must be a random sample of all topics, and all of that sample: topics that happen
    to be complete are not a sample.

    With f the values with the model's labels, y the values with the human labels, T topics where
    both are defined, and n of them checked (L):

    .. code-block:: text

       b            Cov_L(y, f) / Var_T(f), from 0 to 1
       mean         b · mean_T(f) + mean_L(y − b · f)
       label error² (1 − n / T) · Var_L(y − b · f) / n
       error²       label error² + Var_L(y) / T

    Intervals are ± t · error, with n − 1 degrees of freedom. Mean and intervals end at the range of
    the measure.

    Source: Angelopoulos et al. (2023), *Prediction-powered inference*; Cochran (1977), chapter 7.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads
    :param qrels: ``qid, docno, label`` (or ir_measures' names)
    :param measures: measures of this package without a ``groups`` parameter, or their names
    :param model: the labels of the model, also several or weights of a document
    :param human: the human labels. An empty list or ``-`` is the label of a document without group
    :param topics: the checked topics; by default the topics of the rows of ``human``
    :param confidence: the confidence level
    :param baseline: a system, by name or position, to return differences from; it is left out
    :returns: ``name, measure, n`` (T), ``checked`` (n), ``mean``; ``low, high``: its interval for
        topics like these; ``label low, label high``: its interval for these topics; ``by model``:
        the mean of f; and ``by hand``: the mean of y over the checked topics. With fewer than three
        checked topics, mean and intervals are NaN. Near the end of a measure's range, the interval
        covers too little
    :raises ValueError: if the checked topics are not named, or if one is not complete: a document
        that counts lacks a human label

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": [*"11223344"], "docno": [*"abcdefgh"], "label": 1})
    >>> run = qrels.assign(score=range(8))
    >>> model = dict(zip("abcdefgh", "FMFMFFMM"))
    >>> human = {"a": "F", "b": "M", "c": "F", "d": "F", "e": "F", "f": "F"}
    >>> found = analysis.prediction_powered({"A": run}, qrels, "AWRF@2", model, human, [1, 2, 3])
    >>> found[["n", "checked", "mean", "by model", "by hand"]].round(3)
       n  checked   mean  by model  by hand
    0  4        3  0.764      0.84    0.789
    """
    check_level(confidence)
    data = Comparison(runs, qrels, measures, "prediction_powered", model, filled_in(human))
    if topics is None:
        topics, _ = data.human.documents() or (None, None)
        if topics is None:
            raise ValueError("topics must be the checked topics where human labels have none, got "
                             "None")
    checked = data.checked_values(topics)
    place = None if baseline is None else place_of(baseline, checked.systems)
    return checked.table(confidence, place)


class IncompleteTopicError(ValueError):
    """A document that counts in a checked topic lacks a human label."""


class CheckedValues(NamedTuple):
    """Values of measures with the labels of a model and with human labels."""

    systems: list[str]
    measures: list[FairnessMeasure]
    #: The values with the model's labels, and with the human labels, NaN where undefined,
    #: ``[systems, measures, T]``.
    by_model: Floats
    by_hand: Floats
    #: Whether a topic is checked, ``[T]``.
    checked: Bools

    def table(self, confidence: float, baseline: int | None = None) -> pd.DataFrame:
        """Return what :func:`prediction_powered` returns.

        :param baseline: the position of the system to return differences from
        """
        systems, f, y = self.systems, self.by_model, self.by_hand
        if baseline is not None:
            systems = [*systems[:baseline], *systems[baseline + 1:]]
            f, y = (np.delete(values - values[[baseline]], baseline, axis=0) for values in (f, y))
        rows = []
        for s, name in enumerate(systems):
            for m, measure in enumerate(self.measures):
                row = estimate(f[s, m], y[s, m], self.checked, confidence)
                rows.append({"name": name, "measure": str(measure), **row})
        table = pd.DataFrame(rows)
        ranges = np.array([measure.RANGE for measure in self.measures], float)  # NaN for no end
        low, high = np.tile(ranges.T, len(systems))
        if baseline is not None:
            low, high = low - high, high - low
        table[CUT] = table[CUT].clip(pd.Series(low), pd.Series(high), axis="index")
        few = table["checked"].min()
        if few < LEAST_CHECKED:
            warn(f"{few} topics are checked: with fewer than {LEAST_CHECKED}, intervals can cover "
                 f"too little, and with fewer than {LEAST_INTERVAL} there are none. Check more "
                 "topics")
        return table


#: The columns that end at the range of the measure.
CUT = ["mean", "low", "high", "label low", "label high"]


def estimate(f: Floats, y: Floats, checked: Bools, confidence: float) -> dict[str, Any]:
    """Return the columns ``n`` to ``by hand`` of :func:`prediction_powered`.

    :param f: the values with the model's labels, NaN where undefined, ``[T]``
    :param y: the values with the human labels, ``[T]``
    :param checked: whether a topic is checked, ``[T]``
    """
    from scipy.stats import t
    defined = ~np.isnan(f) & ~np.isnan(y)
    f, y, checked = f[defined], y[defined], checked[defined]
    f_checked, y = f[checked], y[checked]
    topics, n = len(f), len(y)
    row = dict.fromkeys(["n", "checked", *CUT, "by model", "by hand"], math.nan)
    row |= {"n": topics, "checked": n}
    if topics:
        row["by model"] = f.mean()
    if n:
        row["by hand"] = y.mean()
    if n < LEAST_INTERVAL:
        return row
    variance = f.var(ddof=1)
    b = 0.0
    if variance > ROUNDING:
        b = np.clip(np.cov(y, f_checked)[0, 1] / variance, 0.0, 1.0)
    rest = y - b * f_checked
    mean = b * f.mean() + rest.mean()
    label_variance = (1 - n / topics) * rest.var(ddof=1) / n
    mean_variance = label_variance + y.var(ddof=1) / topics
    half = t.ppf((1 + confidence) / 2, n - 1) * np.sqrt([mean_variance, label_variance])
    low, label_low = mean - half
    high, label_high = mean + half
    corrected = mean, low, high, label_low, label_high
    return row | dict(zip(CUT, corrected, strict=True))


def documents_to_label(runs: RunInputs, qrels: pd.DataFrame, measures: Any, model: Any,
                       human: Any = None, human_topics: Any = None,
                       documents: int | None = None, topics: int | Iterable[Any] | None = None,
                       seed: int = 0, queries: Any = None, texts: Any = None) -> pd.DataFrame:
    """Return the documents to check by hand, in random order and without the model's labels.

    ``documents`` is for :func:`pt_fairness.groups.model_labels`: a random sample of the judged and
    ranked documents with a label of the model. ``topics`` is for :func:`prediction_powered`: all
    documents that the measures need in random topics. If people find that a document is without
    group, the next document of the ranking counts: repeat the call until nothing is missing.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads
    :param qrels: ``qid, docno, label`` (or ir_measures' names)
    :param measures: measures of this package without a ``groups`` parameter, or their names
    :param model: the labels of the model
    :param human: the human labels of documents at random
    :param human_topics: the human labels of whole topics. What either holds is left out
    :param documents: the number of documents, with those of ``human``
    :param topics: the topics, or their number; the topics in ``human_topics`` come first
    :param seed: the seed of the sample
    :param queries: the topics, in any form that :func:`pt_fairness.evaluate` reads
    :param texts: the texts, in any form that :func:`pt_fairness.groups.from_transformer` reads
    :returns: ``qid`` (for whole topics, and where the model's labels depend on the topic),
        ``docno``, ``query`` and ``text`` if they are given, and an empty ``group``
    :raises ValueError: if both or neither of ``documents`` and ``topics`` are given

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": [*"1122"], "docno": [*"abcd"], "label": 1})
    >>> run = qrels.assign(score=range(4))
    >>> model = dict(zip("abcd", "FMFM"))
    >>> rows = analysis.documents_to_label({"A": run}, qrels, "AWRF@1", model, topics=["1"])
    >>> rows.to_dict("records")
    [{'qid': '1', 'docno': 'b', 'group': ''}]
    """
    if (documents is None) == (topics is None):
        raise ValueError("one of documents and topics must be given, got "
                         f"{shown(documents)} and {shown(topics)}")
    topic_labels = filled_in({} if human_topics is None else human_topics)
    sample_labels = filled_in({} if human is None else human)
    people = Checked(sample_labels, topic_labels)
    data = Comparison(runs, qrels, measures, "documents_to_label", model, people)
    rng = np.random.default_rng(seed)
    by_topic = data.model.by_topic or documents is None
    if documents is not None:
        at_least(1, "documents", documents)
        for depth in (depth_of(data.measures), None):
            table = Documents(data.checked, data.runs.values(), depth, by_topic, "all").table
            pairs = table["qid"], table["docno"]
            labels = data.model.annotate(*pairs)
            if not labels.without_group(len(table)).any():
                break
        has_label = is_labelled(data.model, *pairs)
        checked = is_labelled(sample_labels, *pairs) & has_label
        number = documents - checked.sum()
        table = table[has_label & ~is_labelled(people, *pairs)]
    else:
        order = rng.permutation(sorted(data.judgments.topics))
        chosen: Any = topics
        if is_whole(chosen):
            begun, _ = topic_labels.documents() or (None, None)
            is_begun = np.isin(order, [] if begun is None else begun)
            chosen = order[np.argsort(~is_begun, kind="stable")][:chosen]
        chosen = label_texts(chosen, "topics")
        table = data.unchecked_documents().drop_duplicates(["qid", "docno"])
        table = table[table["qid"].isin(chosen)].sort_values(["qid", "docno"])
        number = len(table)
    rows = rng.permutation(len(table))[:max(number, 0)]
    columns = ["qid", "docno"] if by_topic else ["docno"]
    table = table.iloc[rows].reset_index(drop=True)[columns]
    if queries is not None and by_topic:
        frame = with_text_ids(load_topics(queries), "frame of topics", "qid")
        frame = frame.drop_duplicates("qid").set_index("qid")
        table["query"] = table["qid"].map(frame["query"])
    if texts is not None:
        table["text"] = table["docno"].map(texts_in(text_source(texts), table["docno"]))
    return table.assign(group="")
