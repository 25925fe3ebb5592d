"""Values on a model's labels, corrected by human labels of documents and of whole topics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.analysis.drawn_labels import Documents, LabelDraws
from pt_fairness.analysis.human_labels import (
    LEAST_KAPPA,
    Checked,
    HumanLabels,
    check,
    is_labelled,
    listed_documents,
)
from pt_fairness.analysis.inputs import (
    compares_with_judged,
    kept_annotations,
    measure_columns,
    measures_without_groups,
    ranked_runs,
    runs_and_qrels,
    systems,
)
from pt_fairness.analysis.statistics import ALPHA, LEAST_INTERVAL, check_level, place_of
from pt_fairness.core.arrays import ROUNDING, Bools, Floats
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.messages import (
    at_least,
    collecting_warnings,
    is_whole,
    label_texts,
    shown,
    warn,
)
from pt_fairness.groups import Groups
from pt_fairness.groups.combinations import ModelLabels, filled_in, kappa, wilson
from pt_fairness.groups.corpora import text_source, texts_in
from pt_fairness.io.runs import RunInputs, load_topics
from pt_fairness.measures.measure import depth_of, rels_of, score
from pt_fairness.provider.measure_lists import takes_groups
from pt_fairness.rankings.annotations import Annotations

#: The advice on groups in errors.
_SOURCE = "name the labels with model= and human="
#: Warn of fewer checked topics: near the end of a measure's range, intervals cover too little.
LEAST_CHECKED = 20
#: The number of draws of true labels.
DRAWS = 200
#: The level of label intervals.
CONFIDENCE = 0.95
#: The largest number of sentences on systems whose two corrections disagree.
MOST_SENTENCES = 3
#: The value and the ends of its label interval: by the functions, and in the table of both.
_VALUES = ["mean", "label low", "label high"]
BY_SAMPLE = ["corrected", "low", "high"]
BY_TOPICS = ["by topics", "topics low", "topics high"]


class Comparison:
    """Runs, judgments and the labels of a model and of people, and the values with both.

    :param caller: the name of the public function, for errors
    """

    #: The values with the model's labels, and with the human labels, NaN where undefined,
    #: ``[systems, measures, T]``.
    model_values: Floats
    human_values: Floats
    #: Whether a topic is checked, ``[T]``.
    is_checked: Bools

    def __init__(self, runs: RunInputs, qrels: pd.DataFrame, measures: Any, caller: str,
                 model: Any, human: Groups) -> None:
        self.measures = measures_without_groups(measures, caller, _SOURCE)
        frames, judged = runs_and_qrels(runs, qrels, None)
        self.model = sources.get(model)
        self.human = human
        both = Checked(self.model, human)
        self.checked = kept_annotations(judged, both, self.measures)
        model_alone = Checked(self.model, human, used=False)
        self.unchecked = kept_annotations(judged, model_alone, self.measures)
        self.judgments = self.checked.judgments
        self.runs = ranked_runs(frames, self.judgments)
        self.depth = depth_of(self.measures)

    def values(self, annotations: Annotations) -> Floats:
        """Return the values, NaN where undefined, ``[systems, measures, T]``."""
        values = []
        for run in self.runs.values():
            rankings = annotations.rankings(run, self.depth)
            scores = score(self.measures, rankings)
            values.append([scores[measure] for measure in self.measures])
        return np.array(values)

    def evaluate(self, topics: Any) -> None:
        """Evaluate the runs by the model and by hand.

        :param topics: the checked topics
        :raises IncompleteTopicError: if a document of these that counts lacks a human label
        """
        topics = label_texts(topics, "topics")
        self.is_checked = np.isin(self.judgments.topics, topics)
        checked_names = self.judgments.names[self.is_checked]
        missing = self.unchecked_documents()
        missing = missing[missing["qid"].isin(checked_names)]
        for row in missing.itertuples():
            where = "judged" if row.name is None else f"ranked by {row.name!r}"
            raise IncompleteTopicError(f"checked topics must be complete: {row.docno!r} of topic "
                                       f"{row.qid!r}, {where}, lacks a human label. "
                                       "documents_to_label lists the rest")
        self.model_values = self.values(self.unchecked)
        self.human_values = self.values(self.checked)

    def unchecked_documents(self) -> pd.DataFrame:
        """Return ``qid, docno, name``: the documents that count and lack a human label.

        A system counts its documents down to the last annotated one that a measure needs. If a
        target or population comes from the qrels, their documents count, with the name ``None``.
        """
        judgments = self.judgments
        compared = list(filter(compares_with_judged, self.measures))
        rels = np.array([*rels_of(compared)], float)  # NaN for all judged documents
        least = np.nan_to_num(rels, nan=-math.inf).min(initial=math.inf)
        relevant = np.flatnonzero(judgments.relevance >= least)
        parts: list[Any] = [(None, judgments, relevant)]
        most = math.inf if self.depth is None else self.depth
        for name, run in self.runs.items():
            is_annotated = self.checked.rankings(run, self.depth).codes >= 0
            before: Any = np.cumsum(is_annotated) - is_annotated
            before -= before[run.start[run.ranking]]
            rows = np.flatnonzero(before < most)
            parts.append((name, run, rows))
        tables = []
        for name, part, rows in parts:
            qids = judgments.names[part.topic[rows]]
            columns = {"qid": qids, "docno": part.docnos(rows)}
            table = pd.DataFrame(columns, dtype=object)
            tables.append(table.assign(name=name))
        table = pd.concat(tables, ignore_index=True)
        pairs = table["qid"], table["docno"]
        has_model_label = is_labelled(self.model, *pairs)
        has_human_label = is_labelled(self.human, *pairs)
        return table[has_model_label & ~has_human_label]

    def table(self, confidence: float, baseline: int | str | None = None) -> pd.DataFrame:
        """Return what :func:`prediction_powered` returns."""
        systems = list(self.runs)
        f, y = self.model_values, self.human_values
        if baseline is not None:
            place = place_of(baseline, systems)
            systems.pop(place)
            f = np.delete(f - f[place], place, axis=0)
            y = np.delete(y - y[place], place, axis=0)
        rows = []
        for s, name in enumerate(systems):
            for m, measure in enumerate(self.measures):
                row = estimate(f[s, m], y[s, m], self.is_checked, confidence)
                rows.append({"name": name, "measure": str(measure), **row})
        table = pd.DataFrame(rows)
        ranges = np.array([measure.RANGE for measure in self.measures], float)  # NaN for no end
        low, high = np.tile(ranges.T, len(systems))
        if baseline is not None:
            low, high = low - high, high - low
        for column in CUT:
            table[column] = table[column].clip(low, high)
        few = table["checked"].min()
        if few < LEAST_CHECKED:
            warn(f"{few} topics are checked: with fewer than {LEAST_CHECKED}, intervals can cover "
                 f"too little, and with fewer than {LEAST_INTERVAL} there are none. Check more "
                 "topics")
        return table


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
    data.evaluate(topics)
    return data.table(confidence, baseline)


class IncompleteTopicError(ValueError):
    """A document that counts in a checked topic lacks a human label."""


#: The columns that end at the range of the measure.
CUT = ["mean", "low", "high", "label low", "label high"]


def estimate(f: Floats, y: Floats, checked: Bools, confidence: float) -> dict[str, Any]:
    """Return the columns ``n`` to ``by hand`` of :func:`prediction_powered`.

    :param f: the values with the model's labels, NaN where undefined, ``[T]``
    :param y: the values with the human labels, ``[T]``
    :param checked: whether a topic is checked, ``[T]``
    """
    from scipy.stats import t
    defined = ~np.isnan(f + y)
    f = f[defined]
    sampled = checked[defined]
    f_checked = f[sampled]
    y = y[defined & checked]
    topics, n = len(f), len(y)
    row = {"n": topics, "checked": n} | dict.fromkeys(CUT, math.nan)
    row |= {"by model": pd.Series(f).mean(), "by hand": pd.Series(y).mean()}
    if n < LEAST_INTERVAL:
        return row
    variance = f.var(ddof=1)
    b = 0.0
    if variance > ROUNDING:
        slope = np.cov(y, f_checked)[0, 1] / variance
        b = np.clip(slope, 0.0, 1.0)
    rest = y - b * f_checked
    mean = b * f.mean() + rest.mean()
    label_variance = (1 - n / topics) * rest.var(ddof=1) / n
    mean_variance = label_variance + y.var(ddof=1) / topics
    quantile = t.ppf((1 + confidence) / 2, n - 1)
    half, label_half = quantile * np.sqrt([mean_variance, label_variance])
    row |= {"mean": mean, "low": mean - half, "high": mean + half}
    return row | {"label low": mean - label_half, "label high": mean + label_half}


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
    is_topical = data.model.by_topic or documents is None
    if documents is not None:
        at_least(1, "documents", documents)
        for depth in (data.depth, None):
            table = Documents(data.checked, data.runs.values(), depth, is_topical, "all").table
            pairs = table["qid"], table["docno"]
            labelled = data.model.annotate(*pairs)
            if not labelled.without_group(len(table)).any():
                break
        has_label = is_labelled(data.model, *pairs)
        checked = is_labelled(sample_labels, *pairs) & has_label
        number = max(documents - checked.sum(), 0)
        table = table[has_label & ~is_labelled(people, *pairs)]
    else:
        number = None
        every_topic = sorted(data.judgments.topics)
        order = rng.permutation(every_topic)
        chosen: Any = topics
        if is_whole(chosen):
            begun = listed_documents(topic_labels)["qid"]
            is_begun = pd.Index(order).isin(begun)
            begun_first = np.argsort(~is_begun, kind="stable")
            chosen = order[begun_first][:chosen]
        unchecked = data.unchecked_documents()
        table = unchecked.drop_duplicates(["qid", "docno"])
        table = table[table["qid"].isin(label_texts(chosen, "topics"))]
        table = table.sort_values(["qid", "docno"])
    rows = rng.permutation(len(table))[:number]
    columns = ["qid", "docno"] if is_topical else ["docno"]
    table = table.iloc[rows].reset_index(drop=True)[columns]
    if queries is not None and is_topical:
        frame = with_text_ids(load_topics(queries), "frame of topics", "qid")
        query = frame.drop_duplicates("qid").set_index("qid")["query"]
        table["query"] = table["qid"].map(query)
    if texts is not None:
        text = texts_in(text_source(texts), table["docno"])
        table["text"] = table["docno"].map(text)
    return table.assign(group="")


class Corrections:
    """Values that are corrected by human labels.

    All human labels correct as in :func:`pt_fairness.analysis.uncertain_labels`, if some are of
    documents at random. Those of whole topics correct as in
    :func:`pt_fairness.analysis.prediction_powered`.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads
    :param qrels: ``qid, docno, label`` (or ir_measures' names)
    :param measures: the measures by column. Those that take the groups of the source are corrected
    :param model: the labels of the model
    :param human: the human labels
    :param seed: the seed of the draws
    :raises ValueError: if no measure takes the groups
    :raises IncompleteTopicError: if a document that counts in a checked topic lacks a human label
    """

    def __init__(self, runs: RunInputs, qrels: pd.DataFrame, measures: dict[str, Any], model: Any,
                 human: HumanLabels, seed: int = 0) -> None:
        #: The columns of the measures that are corrected.
        self.columns = [column for column, measure in measures.items() if takes_groups(measure)]
        if not self.columns:
            raise ValueError("measures must have one that depends on the labels, got "
                             f"{', '.join(measures)}")
        self.human = human
        self.model = sources.get(model)
        corrected = [measures[column] for column in self.columns]
        self._topics: Comparison | None = None
        self._sample: LabelDraws | None = None
        if human.of_topics is not None:
            self._topics = Comparison(runs, qrels, corrected, "human_topics", self.model,
                                      human.every)
            self._topics.evaluate(human.topics)
        source = ModelLabels(self.model, human.every, None)
        draws = LabelDraws(runs, qrels, corrected, source)
        self.systems = draws.systems
        counts = draws.known.totals
        both = counts[:-1, :-1]
        #: The number of human labels, of those beside a label of the model, and of equal ones.
        self.checked = counts[:-1].sum()
        self.compared = both.sum()
        self.equal = np.trace(both)
        self.kappa = kappa(both)
        #: Whether no document has the label of the model alone.
        self.complete = not counts[-1, :-1].any()
        is_enough = self.complete or self.kappa[1] >= LEAST_KAPPA
        #: By column, see :meth:`values`: the name of a correction, the correction, and its values.
        none = "", None, pd.Series(np.nan, self.systems)
        self._best: dict[str, tuple[str, Any, pd.Series]] = dict.fromkeys(self.columns, none)
        with collecting_warnings() as messages:
            if human.documents is not None and is_enough:
                check(draws.known, source, draws.labels)
                draws.draw(DRAWS, seed)
                self._sample = draws
            # Values by topics replace those by the sample.
            for name, correction in ((BY_SAMPLE[0], self._sample), (BY_TOPICS[0], self._topics)):
                if correction is not None:
                    correction.table(CONFIDENCE)  # warns
                    summary = self._found(correction)
                    means = summary["mean"].unstack()
                    means = means.loc[self.systems].dropna(axis="columns")
                    for column in means:
                        self._best[column] = name, correction, means[column]
        #: What the corrections warn of.
        self.warnings = [message for _, message in messages]

    def _found(self, correction: Any, confidence: float = CONFIDENCE,
               baseline: str | None = None) -> Any:
        """Return a row for each system and column with what the function of a correction returns.
        """
        with collecting_warnings():
            table = correction.table(confidence, baseline)
        table["measure"] = np.resize(self.columns, len(table))
        return table.set_index(["name", "measure"])

    def table(self, averages: pd.DataFrame, confidence: float = CONFIDENCE,
              baseline: str | None = None) -> pd.DataFrame:
        """Return values with the labels as they are, and corrected ones.

        :param averages: the averages of all measures, with the human labels, and the model's
            labels of other documents
        :param confidence: the level of the label intervals
        :param baseline: the system of further rows of differences
        :returns: ``name, measure, as labelled``; with human labels of documents at random
            ``corrected, low, high``; with whole topics ``by topics, topics low, topics
            high, checked`` (the number of topics). With a baseline, ``baseline`` follows ``name``
        """
        columns = measure_columns(averages)
        named = systems(averages).set_index("name")
        values = named[columns]
        table = self._rows(values, confidence, None)
        if baseline is None:
            return table
        differences = values.drop(index=baseline) - values.loc[baseline]
        more = self._rows(differences, confidence, baseline)
        table.insert(1, "baseline", "")
        more.insert(1, "baseline", baseline)
        return pd.concat([table, more], ignore_index=True)

    def _rows(self, values: pd.DataFrame, confidence: float,
              baseline: str | None) -> pd.DataFrame:
        """Return the rows of the table for averages, or for differences from the baseline.

        :param values: a row for each system and a column for each measure
        """
        values = values.rename_axis(columns="measure")
        table = values.stack(future_stack=True).to_frame("as labelled")
        if self.human.documents is not None:
            table[BY_SAMPLE] = np.nan
            if self._sample is not None:
                found = self._found(self._sample, confidence, baseline)
                table[BY_SAMPLE] = found[_VALUES]
        if self._topics is not None:
            found = self._found(self._topics, confidence, baseline)
            table[BY_TOPICS] = found[_VALUES]
            table["checked"] = found["checked"].astype("Int64")
        return table.reset_index()

    def values(self, column: str) -> tuple[str, pd.Series]:
        """Return the correction that the answer on a measure takes, and the values by system.

        It is ``by topics`` if all systems have a value, or else ``corrected``. Without either, the
        name is empty, and the values are NaN.
        """
        name, _, values = self._best[column]
        return name, values

    def not_told_apart(self, column: str, best: str) -> list[str]:
        """Return the systems whose difference from the best may be 0, by the same correction.

        The intervals are for topics like these, and corrected for several systems.
        """
        _, correction, _ = self._best[column]
        others = len(self.systems) - 1
        if correction is None or not others:
            return []
        found = self._found(correction, 1 - ALPHA / others, best)
        found = found.xs(column, level="measure")
        is_apart = (found["low"] > 0) | (found["high"] < 0)
        return found.index[~is_apart].tolist()

    def summary(self) -> str:
        """Return a sentence on the number of human labels and their agreement with the model's."""
        text = f"{self.checked} documents were checked by hand"
        if self._topics is not None:
            text += f", {self._topics.is_checked.sum()} topics in full"
        if self.compared:
            accuracy = wilson(self.equal, self.compared)
            share, low, high = (f"{100 * number:.1f}" for number in accuracy)
            value, kappa_low, kappa_high = (f"{number:.2f}" for number in self.kappa)
            text += (f"; the labels of the model equal {share} % [{low}, {high}] of these labels "
                     f"(κ {value} [{kappa_low}, {kappa_high}])")
        return f"{text.replace('-', '−')}."

    def assumptions(self) -> list[str]:
        """Return a sentence on each correction, and on the one without values."""
        lines = []
        if self._topics is not None:
            lines.append("Values by topics are corrected by the topics checked in full "
                         "(prediction-powered inference), without assumptions about the model and "
                         "the systems.")
        if self._sample is not None:
            lines.append("Corrected values are means over draws of the true labels, which assume "
                         "that no system knows the groups better than relevance and the model do.")
        elif self.human.documents is not None:
            lines.append("No value is corrected by the sample: the interval of κ begins below "
                         f"{LEAST_KAPPA}, so the labels of the model carry too little. Whole "
                         "topics should be checked.")
        if self._topics is not None or self._sample is not None:
            lines.append("The intervals cover errors of labels, not other topics.")
        return lines

    def disagreements(self) -> list[str]:
        """Return a sentence for each value whose two corrections do not meet, at most three.

        The intervals are corrected for all values after Bonferroni.
        """
        from scipy.stats import norm
        if self._topics is None or self._sample is None:
            return []
        share = ALPHA / (len(self.systems) * len(self.columns))
        topics = self._found(self._topics, 1 - share)
        sample = self._found(self._sample, 1 - share)
        spread = np.sqrt(sample["n_eff"].fillna(0) + 1) * sample["error"]
        half = norm.isf(share / 2) * spread
        above = topics["label low"] - sample["mean"] - half
        below = sample["mean"] - half - topics["label high"]
        gap = np.maximum(above, below)
        largest = gap[gap > 0].nlargest(MOST_SENTENCES)
        lines = []
        for name, column in largest.index:
            topic_mean = topics.loc[(name, column), "mean"]
            sample_mean = sample.loc[(name, column), "mean"]
            lines.append(f"{column} of {name}: {topic_mean:.2f} by the topics checked, "
                         f"{sample_mean:.2f} by the sample: this system may know the groups better "
                         "than the model does.")
        return lines
