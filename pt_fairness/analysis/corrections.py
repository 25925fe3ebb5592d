"""Values on a model's labels, corrected by human labels of documents and of whole topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.analysis.checked_topics import CheckedValues, Comparison
from pt_fairness.analysis.drawn_labels import DrawnValues, LabelDraws
from pt_fairness.analysis.human_labels import LEAST_KAPPA, HumanLabels, check
from pt_fairness.analysis.inputs import measure_columns, systems
from pt_fairness.analysis.statistics import ALPHA
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.groups.combinations import ModelLabels, kappa, wilson
from pt_fairness.io.runs import RunInputs
from pt_fairness.provider.measure_lists import takes_groups

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
        self._topics: CheckedValues | None = None
        self._sample: DrawnValues | None = None
        if human.of_topics is not None:
            data = Comparison(runs, qrels, corrected, "human_topics", self.model, human.every)
            self._topics = data.checked_values(human.topics)
        source = ModelLabels(self.model, human.every, None)
        draws = LabelDraws(runs, qrels, corrected, source)
        self.systems = draws.systems
        counts = draws.known.totals
        both = counts[:-1, :-1]
        #: The number of human labels, of those beside a label of the model, and of equal ones.
        self.checked, self.compared = counts[:-1].sum(), both.sum()
        self.equal = np.trace(both)
        self.kappa = kappa(both)
        #: Whether no document has the label of the model alone.
        self.complete = not counts[-1, :-1].any()
        #: By column, see :meth:`values`: the name of a correction, the correction, and its values.
        self._best: dict[str, tuple[str, Any, pd.Series]] = {}
        with collecting_warnings() as messages:
            if human.documents is not None and not self.too_weak:
                check(draws.known, source, draws.labels)
                self._sample = draws.values(DRAWS, seed)
            for name, correction in ((BY_TOPICS[0], self._topics), (BY_SAMPLE[0], self._sample)):
                if correction is not None:
                    correction.table(CONFIDENCE)
                    means = self._found(correction)["mean"].unstack().loc[self.systems]
                    for column in means.columns[means.notna().all()]:
                        self._best.setdefault(column, (name, correction, means[column]))
        for column in self.columns:
            self._best.setdefault(column, ("", None, pd.Series(np.nan, self.systems)))
        #: What the corrections warn of.
        self.warnings = [message for _, message in messages]

    @property
    def too_weak(self) -> bool:
        """Whether the labels of the model carry too little to correct values by a sample."""
        return not (self.complete or self.kappa[1] >= LEAST_KAPPA)

    def _found(self, correction: Any, confidence: float = CONFIDENCE,
               baseline: str | None = None) -> Any:
        """Return a row for each system and column with what the function of a correction returns.
        """
        place = None if baseline is None else self.systems.index(baseline)
        with collecting_warnings():
            table = correction.table(confidence, place)
        table["measure"] = self.columns * (len(table) // len(self.columns))
        return table.set_index(["name", "measure"])

    def table(self, averages: pd.DataFrame, confidence: float | None = None,
              baseline: str | None = None) -> pd.DataFrame:
        """Return values with the labels as they are, and corrected ones.

        :param averages: the averages of all measures, with the human labels, and the model's
            labels of other documents
        :param confidence: the level of the label intervals; by default 0.95
        :param baseline: the system of further rows of differences
        :returns: ``name, measure, as labelled``; with human labels of documents at random
            ``corrected, low, high``; with whole topics ``by topics, topics low, topics
            high, checked`` (the number of topics). With a baseline, ``baseline`` follows ``name``
        """
        columns = measure_columns(averages)
        values = systems(averages).set_index("name")[columns]
        level = confidence or CONFIDENCE
        table = self._rows(values, level, None)
        if baseline is not None:
            differences = values.drop(index=baseline) - values.loc[baseline]
            more = self._rows(differences, level, baseline)
            table.insert(1, "baseline", "")
            more.insert(1, "baseline", baseline)
            table = pd.concat([table, more], ignore_index=True)
        return table

    def _rows(self, values: pd.DataFrame, confidence: float,
              baseline: str | None) -> pd.DataFrame:
        """Return the rows of the table for averages, or for differences from the baseline.

        :param values: a row for each system and a column for each measure
        """
        table = values.rename_axis(columns="measure").stack(future_stack=True).to_frame()
        table.columns = ["as labelled"]
        if self.human.documents is not None:
            table[BY_SAMPLE] = np.nan
            if self._sample is not None:
                table[BY_SAMPLE] = self._found(self._sample, confidence, baseline)[_VALUES]
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
        found = self._found(correction, 1 - ALPHA / others, best).xs(column, level="measure")
        told_apart = (found["low"] > 0) | (found["high"] < 0)
        return found.index[~told_apart].tolist()

    def summary(self) -> str:
        """Return a sentence on the number of human labels and their agreement with the model's."""
        text = f"{self.checked} documents were checked by hand"
        if self._topics is not None:
            text += f", {self._topics.checked.sum()} topics in full"
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
        width = norm.isf(share / 2) * np.sqrt(sample["n_eff"].fillna(0) + 1)
        half = width * sample["error"]
        above = topics["label low"] - sample["mean"] - half
        below = sample["mean"] - half - topics["label high"]
        gap = np.maximum(above, below)
        largest = gap[gap > 0].nlargest(MOST_SENTENCES).index
        means = zip(topics["mean"][largest], sample["mean"][largest], strict=True)
        lines = []
        for (name, column), (by_topics, by_sample) in zip(largest, means, strict=True):
            lines.append(f"{column} of {name}: {by_topics:.2f} by the topics checked, "
                         f"{by_sample:.2f} by the sample: this system may know the groups better "
                         "than the model does.")
        return lines
