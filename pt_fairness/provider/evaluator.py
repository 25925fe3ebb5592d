"""The ir_measures Evaluator: runs against one set of qrels."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import providers

from pt_fairness import groups as sources
from pt_fairness import targets
from pt_fairness.core.arrays import Bools, Floats
from pt_fairness.core.labels import TARGET_WORDS
from pt_fairness.core.messages import ONCE, UNKNOWN, listed, warn
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.coverage import OfGroupMeasure
from pt_fairness.measures.rank_bias import ValueMeasure
from pt_fairness.measures.scoring import contributions, depth_of, nothing_to_compare, rels_of, score
from pt_fairness.provider import ALPHA_MEASURES, NDEVAL_MEASURES
from pt_fairness.provider.alpha_ndcg import Diversity
from pt_fairness.provider.attributes import Attributes
from pt_fairness.provider.checks import check_labels, check_names, check_weights
from pt_fairness.provider.ndeval import Ndeval
from pt_fairness.provider.others import OfGroups
from pt_fairness.provider.value_lookup import ValueLookup
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run, empty_run


class GroupedMeasures:
    """The measures of one group source, with the annotations and values that they use.

    :param name: the name of the source, ``None`` for ``iteration``
    :param needed: whether the measures need groups
    :param measures: the measures; they combine the same sources, or none
    :raises ValueError: an unknown source, or qrels without groups
    """

    def __init__(self, name: str | None, needed: bool, measures: Sequence[FairnessMeasure],
                 judgments: Judgments) -> None:
        self.groups, self.measures = None if name is None else sources.get(name), measures
        self.needed = needed
        if self.groups is not None and self.groups.weighted:
            check_weights(measures, self.groups)
        self.annotations = Annotations(
            judgments, self.groups, rels_of(measures),
            {label for measure in measures for label in measure.added_labels}, needed)
        self.values = ValueLookup(measures, self.annotations)
        self.of_group = OfGroups(measures, self.annotations)
        self.of_views = [one for one in measures if not isinstance(one, OfGroupMeasure)]
        self.attributes = Attributes(measures, judgments)
        #: Masks of the topics that each source drops, ``[T]``: their value is NaN.
        self.dropping = {one: ~np.isin(judgments.topics, list(one.topics))
                         for one in (self.groups, *self.attributes.sources.values())
                         if one is not None and one.topics is not None}
        self.dropped: Bools = np.any([np.zeros(len(judgments.topics), bool),
                                      *self.dropping.values()], axis=0)


def grouped(measures: Iterable[FairnessMeasure], judgments: Judgments) -> list[GroupedMeasures]:
    """Return the group sources of the parts of some measures."""
    by_source: dict[tuple[Any, ...], list[FairnessMeasure]] = {}
    for measure in dict.fromkeys(part for whole in measures for part in whole.parts):
        name = measure.param("groups") if measure.needs_groups else None
        by_source.setdefault((name, measure.needs_groups, tuple(measure.joint)), []).append(measure)
    return [GroupedMeasures(name, needed, some, judgments)
            for (name, needed, _), some in by_source.items()]


class FairnessEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Evaluator of runs against one set of qrels, which is read once.

    Several threads can use one evaluator.
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        self._judgments = Judgments(qrels)
        super().__init__(measures, self._judgments.qids)
        #: The topics of the qrels, as text.
        self.topics = self._judgments.topics
        self._warned: set[str] = set()
        self._warn_of_conflicts()
        #: The measures of this package, without the parts of composed measures.
        self._own = [measure for measure in measures if isinstance(measure, FairnessMeasure)]
        check_names(self._own)
        self._sources = grouped(self._own, self._judgments)
        #: The number of groups of each measure that compares one of three or more with the others,
        #: because its ``protected`` is not set.
        self.several: dict[FairnessMeasure, int] = {}
        for source in self._sources:
            self._check_source(source)
        if self.several:
            self._warn(f"protected is not set: {', '.join(map(str, self.several))} compare the "
                       "smallest group of each topic, of those that have documents there, with "
                       "all the others as one", f"{ONCE}protected")
        #: The share of the documents that count for a measure with a cutoff that stand within it in
        #: the last run, for each measure that leaves out unannotated documents.
        self.within: dict[FairnessMeasure, float] = {}
        self._alpha = [m for m in measures if m.NAME in ALPHA_MEASURES]
        self._others = [m for m in measures if m.NAME in NDEVAL_MEASURES]
        self._diversity = Diversity(self._judgments, [*self._alpha, *self._others])
        self._ndeval = Ndeval(self._others, qrels, self._judgments) if self._others else None

    def _warn_of_conflicts(self) -> None:
        """Warn about documents that are judged again with another relevance."""
        judgments, rows = self._judgments, self._judgments.conflicts
        if len(rows):
            pair = judgments.index.pair[rows[:1]]
            self._warn(f"{len(rows)} rows of the qrels judge a document again for the same topic "
                       "and group, with another relevance (the first is "
                       f"{judgments.docnos(pair)[0]!r} for topic "
                       f"{self.topics[judgments.topic[pair[0]]]!r}): measures of this package "
                       "count the highest, those of trec_eval, such as nDCG, the last", "conflicts")

    def _check_source(self, source: GroupedMeasures) -> None:
        """Check that the measures can use the labels and topics of a source; warn otherwise.

        :raises ValueError: a parameter names a label that the source does not declare
        """
        for groups, dropped in source.dropping.items():
            if dropped.any():
                self._warn(f"{groups!r} drops {dropped.sum()} of {len(self.topics)} topics (the "
                           f"first is {self.topics[dropped.argmax()]!r}): they have no value (NaN) "
                           "and are left out of the means. In Python, pt.Experiment leaves them "
                           "out if it is given groups.to_qrels(qrels)", f"topics {groups}")
        for measure in source.measures:
            check_labels(measure, source.annotations, self._warn)
            if "protected" in measure.SUPPORTED_PARAMS.keys() - measure.params.keys() \
                    and measure.param("protected") != "all" \
                    and len(source.annotations.labels) > 2:
                self.several[measure] = len(source.annotations.labels)
            target = measure.params.get("target")
            if isinstance(target, str) and target not in TARGET_WORDS:
                targets.check(target, self._judgments.topics)

    def forget_warnings(self) -> None:
        """Forget which warnings were issued, so that the next run issues them again."""
        self._warned.clear()

    def _warn(self, message: str, cause: str) -> None:
        """Warn once for each cause."""
        if cause not in self._warned:
            self._warned.add(cause)
            warn(message, cause)

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield the value of each measure for each topic of the qrels, with or without results."""
        ranked = Run(ir_measures.util.RunConverter(run).as_pd_dataframe(), self._judgments,
                     self._warn)
        values = self._values(ranked)
        undefined: dict[str, list[str]] = {}
        for measure in self._own:
            nothing = np.isnan(values[measure]) & ~self._dropped(measure)
            if nothing.any():
                undefined.setdefault(self.how_many(measure, nothing), []).append(str(measure))
            values[measure] = np.where(nothing, 0.0, values[measure])
        if undefined:
            # It depends on the qrels and not on the run, so equal texts have the same cause.
            message = ("topics with nothing to compare with have the value 0.0, for every system: "
                       + "; ".join(f"{', '.join(names)} on {how_many}"
                                   for how_many, names in undefined.items()))
            self._warn(message, message)
        for measure in self._alpha:
            values[measure] = self._diversity.scores(measure, ranked, self._warn)
        if self._ndeval is not None:
            values.update(self._ndeval.scores(ranked))
            for measure in self._others:
                self._diversity.warn_of_ties(measure, ranked, self._warn)
        columns = [(measure, values[measure].tolist()) for measure in self.measures]
        for i, qid in enumerate(self.qrel_qids):
            for measure, column in columns:
                yield ir_measures.Metric(query_id=qid, measure=measure, value=column[i])

    def contributions(self, run: Run, depth: int) -> dict[FairnessMeasure, Floats]:
        """Return what each document that counts adds to the values, ``[T, depth]``.

        The measures are those that are sums; undefined topics have 0.

        :param run: a run with one ranking of each topic
        :param depth: the number of documents that count
        """
        added: dict[FairnessMeasure, Floats] = {}
        for source in self._sources:
            rankings = self._rankings(run, source)
            added |= {measure: contributions(measure, rankings, depth)
                      for measure in source.measures if measure.is_sum}
        return {measure: np.nan_to_num(measure.compose([added[part] for part in measure.parts]))
                for measure in self._own if measure.is_sum}

    def undefined(self) -> dict[FairnessMeasure, Bools]:
        """Return a mask of the undefined and the dropped topics of each measure, ``[T]``."""
        return {measure: np.isnan(values) for measure, values in
                self._values(empty_run(self._judgments)).items()}

    def parts(self, run: Run) -> dict[FairnessMeasure, Floats]:
        """Return the values of the parts of all measures, ``[T]``; NaN where undefined."""
        return {part: values for source in self._sources
                for part, values in self._scores(run, source).items()}

    def _values(self, run: Run) -> dict[Any, Floats]:
        """Return the values of all measures, ``[T]``; NaN where undefined or dropped."""
        parts = self.parts(run)
        return {measure: np.where(self._dropped(measure), np.nan, measure.compose(
            [parts[part] for part in measure.parts])) for measure in self._own}

    def _dropped(self, measure: FairnessMeasure) -> Bools:
        return np.any([source.dropped for source in self._grouped_of(measure)], axis=0)

    def _grouped_of(self, measure: FairnessMeasure) -> list[GroupedMeasures]:
        return [source for source in self._sources
                if not set(source.measures).isdisjoint(measure.parts)]

    @staticmethod
    def _rankings(run: Run, source: GroupedMeasures) -> Rankings:
        """Return the rankings of a run with the groups and values of a source."""
        ranked = source.annotations.of_run(run, depth_of(source.measures))
        return source.values.added_to(ranked, run)

    def _scores(self, run: Run, source: GroupedMeasures) -> dict[FairnessMeasure, Floats]:
        """Return the values of each measure of a source, ``[T]``; NaN where undefined."""
        ranked = source.attributes.added_to(self._rankings(run, source), run, self._warn)
        values = score(source.of_views, ranked) | source.of_group.scores(run, ranked)
        for measure in source.measures:
            cutoff = measure.param("cutoff")
            if cutoff is not None and measure.condensed and source.needed:
                self.within[measure] = ranked.share_within(cutoff)
        # If a measure is undefined for all topics, the warning of undefined topics covers it.
        undefined = any(np.isnan(some).all() for some in values.values())
        unknown = source.groups is not None and bool((ranked.codes < 0).all())
        if unknown and (source.annotations.pair_codes < 0).all():
            others = f", such as {run.docnos(np.zeros(1, int))[0]!r}," if len(run.topic) else ""
            self._warn(f"no judged document, such as "
                       f"{self._judgments.docnos(np.zeros(1, int))[0]!r}, and no document of the "
                       f"run{others} has a group in {source.groups!r}; check that the ids match",
                       f"{UNKNOWN}groups {source.groups}")
        elif unknown and len(run.topic) and not undefined:
            self._warn(f"no document of the run, such as {run.docnos(np.zeros(1, int))[0]!r}, has "
                       f"a group in {source.groups!r}, so the values say nothing of its groups; "
                       "check that the ids match", f"none {source.groups}")
        if ranked.foreign and not all(measure.added_labels for measure in source.measures):
            self._warn(f"{ranked.foreign} ranked documents have groups that no judged document has "
                       f"and that {source.groups!r} does not declare: "
                       f"{listed(ranked.foreign_labels)}; they count as unannotated",
                       f"foreign {source.groups}")
        return values

    def how_many(self, measure: FairnessMeasure, topics: Bools) -> str:
        """Return the number of topics for which a measure is undefined, as text.

        The text names the topics, or gives the reason if the measure is undefined for all topics.

        :param topics: a mask of them, ``[T]``
        """
        text = f"{topics.sum()} of {len(topics)} topics"
        if not topics.all():
            return f"{text} ({listed(itertools.compress(self.topics, topics))})"
        reasons = [nothing_to_compare(part, sorted({*source.annotations.labels,
                                                    *part.added_labels}))
                   for source in self._grouped_of(measure) for part in measure.parts
                   if part in source.measures and source.annotations.labels]
        if any(reasons):
            return f"{text} ({next(filter(None, reasons))}: there is nothing to compare)"
        known = measure.needs_groups and "rel" in measure.SUPPORTED_PARAMS \
            and not isinstance(measure, ValueMeasure)
        for source in self._grouped_of(measure) if known else []:
            document = source.annotations.without_group(measure.param("rel"))
            if source.needed and document is not None:
                text += (f" (no relevant document, such as {document!r}, has a group in "
                         f"{source.groups or 'the iteration of the qrels'})")
        return text
