"""The evaluators: of this package's measures, of a group's judgments, and of any measures.

A topic with nothing to compare with has the value 0.0, and a warning names it. A topic without
results has what the measure gives an empty list, mostly its least fair value.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import providers

from pt_fairness import groups, targets
from pt_fairness.core.arrays import Bools, Floats, mean_of_lists
from pt_fairness.core.messages import ONCE, UNKNOWN, Warn, listed, shown, warn
from pt_fairness.measures.coverage import OfGroupMeasure
from pt_fairness.measures.measure import (
    FairnessMeasure,
    contributions,
    depth_of,
    nothing_to_compare,
    rels_of,
    score,
    values_of,
)
from pt_fairness.measures.measure_names import ALPHA_MEASURES, NDEVAL_MEASURES
from pt_fairness.measures.own_measures import FunctionMeasure
from pt_fairness.measures.rank_bias import ValueMeasure
from pt_fairness.provider.alpha_ndcg import Diversity, Ndeval
from pt_fairness.provider.measure_lists import (
    Attributes,
    ValueLookup,
    check_labels,
    check_names,
    check_weights,
    provider_of,
    warn_of_one_list,
)
from pt_fairness.rankings.annotations import Annotations, Matches
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run, empty_run
from pt_fairness.rankings.view import View

#: The largest relevance that gdeval reads.
LARGEST_OF_GDEVAL = 4


class QuickEvaluator:
    """Evaluator of many runs, with the values of ``ir_measures.evaluator(measures, qrels)``.

    pytrec_eval takes dictionaries. ir_measures builds them row by row in Python, this class from
    whole columns. Warnings are repeated for each run. If a run has several rankings of a topic, a
    further warning names the measures of other providers.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``;
        identifiers as text
    :raises ValueError: a measure that no provider computes, or that does not fit the qrels
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        self._measures = measures
        plain = []
        of_gdeval = []
        rest = []
        for measure in measures:
            provider = provider_of(measure)
            if provider is ir_measures.pytrec_eval:
                plain.append(measure)
            elif provider is ir_measures.gdeval:
                of_gdeval.append(measure)
            else:
                rest.append(measure)
        self._plain = self._of_gdeval = self._rest = None
        if plain or of_gdeval:
            column = qrels["relevance"]
            relevance = pd.to_numeric(column, errors="coerce")
            if len(qrels) and (relevance.hasnans or pd.api.types.is_float_dtype(relevance)):
                row = int(relevance.isna().argmax())
                value = column.tolist()[row]
                texts = map(str, plain + of_gdeval)
                names = ", ".join(texts)
                raise ValueError(f"relevance must be whole numbers for {names}, and row "
                                 f"{column.index[row]} of the qrels has {shown(value)}; give "
                                 "every row one, round floats and convert the column with "
                                 "astype(int)")
            judged = qrels.assign(relevance=relevance)
        if plain:
            by_topic = _by_topic(judged, "relevance")
            self._plain = ir_measures.pytrec_eval.evaluator(plain, by_topic)
        if of_gdeval:
            largest = relevance.max()
            if largest > LARGEST_OF_GDEVAL:
                raise ValueError(f"{of_gdeval[0]} is computed by gdeval, for a relevance of at "
                                 f"most {LARGEST_OF_GDEVAL}; the qrels have {largest}")
            # gdeval counts each row as a document, and reads only the number at the end of a topic.
            codes, self._topics = pd.factorize(qrels["query_id"])
            rows = judged.assign(query_id=codes.astype(str))
            rows = rows.drop_duplicates(["query_id", "doc_id"], keep="last")
            self._of_gdeval = ir_measures.evaluator(of_gdeval, rows)
        if rest:
            self._rest = ir_measures.evaluator(rest, qrels)
        evaluators = getattr(self._rest, "evaluators", [self._rest])
        #: The evaluators of this package's measures: one or none.
        self.fairness = [evaluator for evaluator in evaluators
                         if isinstance(evaluator, FairnessEvaluator)]

    def iter_calc(self, run: pd.DataFrame) -> list[Any]:
        """Return the value of each measure for each topic.

        :param run: columns ``query_id, doc_id, score`` and, if it has several rankings of a topic,
            ``iteration``; identifiers as text, scores as floats
        """
        if "iteration" in run:
            warn_of_one_list(self._measures, run)
        for evaluator in self.fairness:
            evaluator.warned.clear()
        metrics = []
        if self._plain is not None:
            metrics += self._plain.iter_calc(_by_topic(run, "score"))
        if self._of_gdeval is not None:
            topics = pd.Index(run["query_id"])
            codes = self._topics.get_indexer(topics)
            numbered = run.assign(query_id=codes.astype(str))
            for metric in self._of_gdeval.iter_calc(numbered[codes >= 0]):
                topic = self._topics[int(metric.query_id)]
                metrics.append(metric._replace(query_id=topic))
        if self._rest is not None:
            metrics += self._rest.iter_calc(run)
        return metrics

    def contributions(self, run: Run, depth: int) -> dict[FairnessMeasure, Floats]:
        """Return the contributions of documents: see :meth:`FairnessEvaluator.contributions`."""
        added = {}
        for evaluator in self.fairness:
            terms = evaluator.contributions(run, depth)
            added.update(terms)
        return added


def _by_topic(frame: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Return topic → docno → value; of duplicate documents the last row is used."""
    docnos = frame["doc_id"].to_numpy(object)
    numbers = frame[column].to_numpy(object)
    topics = frame.groupby("query_id", sort=False).indices
    return {str(qid): dict(zip(docnos[rows], numbers[rows], strict=True))
            for qid, rows in topics.items()}


class OfGroups:
    """Evaluators of the measures :class:`OfGroup` of one group source.

    :param annotations: the groups of the judged documents
    :raises ValueError: no provider computes a measure
    """

    def __init__(self, measures: Sequence[OfGroupMeasure], annotations: Annotations) -> None:
        self._annotations = annotations
        self._names = annotations.judgments.names
        #: Mask of the topics with a relevant document of the group, ``[T]``, and the evaluator.
        self._evaluators = {measure: self._evaluator(measure) for measure in measures}

    def _evaluator(self, measure: OfGroupMeasure) -> tuple[Bools, QuickEvaluator]:
        # Each measure has an evaluator of its own: that of pytrec_eval confuses some measures.
        judgments = self._annotations.judgments
        member, relevance = self._of_group(measure.param("group"))
        relevant = relevance >= measure.inner_rel
        relevant &= member
        defined = np.zeros(len(self._names), bool)
        defined[judgments.topic[relevant]] = True
        # Providers may not take a topic without a relevant document.
        rows = defined[judgments.topic]
        if measure.param("others") != "irrelevant":
            rows &= member
        pairs = np.flatnonzero(rows)
        topic = judgments.topic[pairs]
        qrels = pd.DataFrame({"query_id": self._names[topic]})
        qrels["doc_id"] = judgments.docnos(pairs)
        qrels["relevance"] = relevance[pairs]
        return defined, QuickEvaluator([measure.inner], qrels)

    def _of_group(self, label: str) -> tuple[Bools, Any]:
        """Return a mask of the judged pairs of a group, and the relevance of all, ``[pairs]``."""
        judgments = self._annotations.judgments
        has_label = self._annotations.sets.any_of([label])
        member = has_label[self._annotations.pair_codes]
        relevance = judgments.relevance
        if self._annotations.groups is None and member.any():
            codes, labels = judgments.row_labels
            rows = codes == labels.index(label)
            pair = judgments.index.pair[rows]
            relevance = np.full_like(relevance, judgments.row_relevance.min())
            np.maximum.at(relevance, pair, judgments.row_relevance[rows])
        at_most_0 = np.minimum(judgments.relevance, 0)
        return member, np.where(member, relevance, at_most_0)

    def scores(self, run: Run, rankings: Rankings) -> Iterator[tuple[FairnessMeasure, Floats]]:
        """Yield each measure with its value for each topic, ``[T]``; NaN where it is undefined.

        :param rankings: the documents of the run with their groups
        """
        for measure, (defined, evaluator) in self._evaluators.items():
            counting = defined[run.topic]
            if measure.param("others") != "irrelevant":
                group = measure.param("group")
                member = rankings.sets.any_of([group])
                counting &= member[rankings.codes]
            default = measure.inner.DEFAULT
            of_lists = np.full(len(run.topics), default, float)
            for lists, inside in run.samples():
                rows = np.flatnonzero(inside & counting)
                if not len(rows):
                    continue
                frame = run.frame(rows)
                frame["score"] = run.scores(rows)
                try:
                    metrics = evaluator.iter_calc(frame)
                except ZeroDivisionError:
                    raise ValueError(f"{measure} cannot be computed: {measure.inner} divides by "
                                     "zero where all documents of a list are relevant") from None
                of_topic = {metric.query_id: metric.value for metric in metrics}
                topic = run.topics[lists]
                qids = self._names[topic]
                of_lists[lists] = [of_topic.get(qid, default) for qid in qids]
            of_topics = mean_of_lists(of_lists, run.topics)
            yield measure, np.where(defined, of_topics, np.nan)


class GroupedMeasures:
    """The measures of one group source, with the annotations and values that they use.

    :param source: the source or its name, ``None`` for ``iteration``
    :param needed: whether the measures need groups
    :param measures: the measures; they combine the same sources, or none
    :raises ValueError: an unknown source, or qrels without groups
    """

    def __init__(self, source: Any, needed: bool, measures: Sequence[FairnessMeasure],
                 judgments: Judgments) -> None:
        self.groups = None if source is None else groups.get(source)
        self.measures = measures
        self.needed = needed
        self._depth = depth_of(measures)
        added = {label for measure in measures for label in measure.added_labels}
        rels = rels_of(measures)
        self.annotations = Annotations(judgments, self.groups, rels, added, needed)
        sources = []
        if self.groups is not None:
            sources.append(self.groups)
            # Some sources know whether they have weights once the judged documents are looked up.
            if self.groups.weighted:
                check_weights(measures, self.groups)
        of_values = [measure for measure in measures if isinstance(measure, ValueMeasure)]
        of_group = [measure for measure in measures if isinstance(measure, OfGroupMeasure)]
        self.of_views = [measure for measure in measures if measure not in of_group]
        self.values = self.of_group = self._attributes = None
        if of_values:
            self.values = ValueLookup(of_values, self.annotations)
        if of_group:
            self.of_group = OfGroups(of_group, self.annotations)
        if measures[0].joint:
            self._attributes = Attributes(measures, judgments)
            sources += self._attributes.sources.values()
        #: Masks of the topics that each source drops, ``[T]``: their value is NaN.
        self.dropping = {}
        self.dropped = np.zeros(len(judgments.topics), bool)
        for source in sources:
            if source.topics is not None:
                evaluated = np.isin(judgments.topics, list(source.topics))
                self.dropping[source] = ~evaluated
                self.dropped |= ~evaluated

    def rankings(self, run: Run, warn: Warn) -> Rankings:
        """Return the documents of a run with all that the measures use."""
        rankings = self.annotations.of_run(run, self._depth)
        if self.values is not None:
            rankings = self.values.added_to(rankings, run)
        if self._attributes is not None:
            rankings = self._attributes.added_to(rankings, run, warn)
        return rankings


def grouped(measures: Iterable[FairnessMeasure], judgments: Judgments) -> list[GroupedMeasures]:
    """Return the group sources of the parts of some measures."""
    by_source = defaultdict(list)
    for part in dict.fromkeys(part for measure in measures for part in measure.parts):
        needed = part.needs_groups
        source = part.param("groups") if needed else None
        key = source, needed, *part.joint
        by_source[key].append(part)
    return [GroupedMeasures(source, needed, users, judgments)
            for (source, needed, *_), users in by_source.items()]


class FairnessEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Evaluator of runs against one set of qrels, which is read once.

    Several threads can use one evaluator.
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        #: The qrels as arrays.
        self.judgments = judgments = Judgments(qrels)
        super().__init__(measures, judgments.qids)
        #: The topics of the qrels, as text.
        self.topics = judgments.topics
        #: The causes of the warnings that were issued, which are not issued again.
        self.warned: set[str] = set()
        if len(judgments.relevance) < len(judgments.row_relevance) and len(judgments.conflicts):
            self._warn_of_conflicts()
        #: The measures of this package, without the parts of composed measures.
        self._fairness = [measure for measure in measures if isinstance(measure, FairnessMeasure)]
        if len(self._fairness) > 1 or any(measure.joint for measure in self._fairness):
            check_names(self._fairness)
        #: The group sources of the measures.
        self.sources = grouped(self._fairness, judgments)
        #: The number of groups of each measure that compares one of three or more with the others,
        #: because its ``protected`` is not set.
        self.several: dict[FairnessMeasure, int] = {}
        masks = {}
        for source in self.sources:
            if source.dropped.any():
                self._warn_of_dropped(source)
            labels = source.annotations.labels
            for part in source.measures:
                masks[part] = source.dropped
                check_labels(part, source.annotations, self._warn)
                by_default = "protected" not in part.params
                if len(labels) > 2 and by_default and part.param("protected") not in (None, "all"):
                    self.several[part] = len(labels)
                target = part.registered_target
                if target is not None:
                    targets.check(target, self.topics)
        # A mask of the topics that the sources of each measure drop, ``[T]``.
        self._dropped = []
        for measure in self._fairness:
            of_parts = [masks[part] for part in measure.parts]
            self._dropped.append(np.any(of_parts, axis=0))
        if self.several:
            texts = map(str, self.several)
            names = ", ".join(texts)
            self._warn("protected is not set: the smallest group of each topic, of those that have "
                       f"documents there, is compared with all the others as one ({names})",
                       f"{ONCE}protected")
        #: Whether :attr:`within` is computed, and :attr:`ranked` filled.
        self.notes_within = False
        #: The documents of the last run with the groups of each source, for who clears the list.
        self.ranked: list[tuple[GroupedMeasures, Rankings]] = []
        #: The share of the documents that count for a measure with a cutoff that stand within it in
        #: the last run, for each measure that leaves out unannotated documents.
        self.within: dict[FairnessMeasure, float] = {}
        #: Whether a measure was undefined for a topic of the last run.
        self.has_undefined = False
        #: How many ranked documents of the last run have a group, or a value, in each source.
        self.matches: dict[tuple[str, str], Matches] = {}
        self._alpha = [measure for measure in measures if measure.NAME in ALPHA_MEASURES]
        self._of_ndeval = [measure for measure in measures if measure.NAME in NDEVAL_MEASURES]
        diverse = self._alpha + self._of_ndeval
        if diverse:
            self._diversity = Diversity(judgments, diverse)
        if self._of_ndeval:
            self._ndeval = Ndeval(self._of_ndeval, qrels, judgments)

    def _warn_of_conflicts(self) -> None:
        judgments = self.judgments
        conflicts = judgments.conflicts
        pair = judgments.index.pair[conflicts[0]]
        (docno,) = judgments.docnos([pair])
        topic = self.topics[judgments.topic[pair]]
        self._warn(f"{len(conflicts)} rows of the qrels judge a document again for the same topic "
                   f"and group, with another relevance (the first is {docno!r} for topic "
                   f"{topic!r}): measures of this package count the highest, those of trec_eval, "
                   "such as nDCG, the last", "conflicts")

    def _warn_of_dropped(self, source: GroupedMeasures) -> None:
        for dropper, dropped in source.dropping.items():
            if dropped.any():
                first = self.topics[dropped.argmax()]
                self._warn(f"{dropper!r} drops {dropped.sum()} of {len(self.topics)} topics (the "
                           f"first is {first!r}): they have no value (NaN) and are left out of the "
                           "means. In Python, pt.Experiment leaves them out if it is given "
                           "groups.to_qrels(qrels)", f"topics {dropper}")

    def _warn(self, message: str, cause: str) -> None:
        """Warn once for each cause."""
        if cause not in self.warned:
            self.warned.add(cause)
            warn(message, cause)

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield the value of each measure for each topic of the qrels, with or without results."""
        converter = ir_measures.util.RunConverter(run)
        frame = converter.as_pd_dataframe()
        ranked = Run(frame, self.judgments, self._warn)
        of_parts = self.parts(ranked)
        undefined = {}
        scores = {}
        for measure, of_topics, dropped in self._composed(of_parts):
            nothing = np.isnan(of_topics)
            nothing &= ~dropped
            if nothing.any():
                undefined[measure] = nothing
                of_topics[nothing] = 0.0
            scores[measure] = of_topics
        self.has_undefined = bool(undefined)
        if undefined:
            self._warn_of_undefined(undefined)
        for measure in self._alpha:
            scores[measure] = self._diversity.scores(measure, ranked, self._warn)
        if self._of_ndeval:
            scores.update(self._ndeval.scores(ranked))
        for measure in self._of_ndeval:
            self._diversity.warn_of_ties(measure, ranked, self._warn)
        columns = [(measure, scores[measure].tolist()) for measure in self.measures]
        for i, qid in enumerate(self.qrel_qids):
            for measure, column in columns:
                yield ir_measures.Metric(query_id=qid, measure=measure, value=column[i])

    def _warn_of_undefined(self, undefined: dict[FairnessMeasure, Bools]) -> None:
        """Warn of the topics that are undefined for every run, and of those for this run.

        A ranking can be undefined if its target is the run, or a function of the user says so.

        :param undefined: a mask of the undefined topics of each measure, ``[T]``
        """
        of_run = {}
        if any(measure.of_run or isinstance(measure, FunctionMeasure) for measure in undefined):
            everywhere = self.undefined(warns=False)
            for measure, topics in undefined.items():
                of_run[measure] = topics & ~everywhere[measure]
                undefined[measure] = topics & everywhere[measure]
        for masks, systems in (undefined, "every system"), (of_run, "this run"):
            names = defaultdict(list)
            for measure, topics in masks.items():
                if topics.any():
                    how_many = self.how_many(measure, topics)
                    names[how_many].append(str(measure))
            if names:
                texts = [f"{', '.join(same)} on {how_many}" for how_many, same in names.items()]
                message = ("topics with nothing to compare with have the value 0.0, for "
                           f"{systems}: {'; '.join(texts)}")
                self._warn(message, message)

    def contributions(self, run: Run, depth: int) -> dict[FairnessMeasure, Floats]:
        """Return what each document that counts adds to the values, ``[T, depth]``.

        The measures are those that are sums; undefined topics have 0.

        :param run: a run with one ranking of each topic
        :param depth: the number of documents that count
        """
        of_parts = {}
        for source in self.sources:
            rankings = source.rankings(run, self._warn)
            for part in source.measures:
                if part.is_sum:
                    of_parts[part] = contributions(part, rankings, depth)
        added = {}
        for measure in self._fairness:
            if measure.is_sum:
                composed = measure.compose([of_parts[part] for part in measure.parts])
                added[measure] = np.nan_to_num(composed)
        return added

    def views(self, run: Run, topics: slice) -> dict[FairnessMeasure, View]:
        """Return the view of each part of the measures, with its :attr:`View.notes`.

        :param run: a run with one ranking of each topic
        :param topics: the indices of the topics
        """
        views = {}
        for source in self.sources:
            rankings = source.rankings(run, self._warn)
            for part in source.of_views:
                labelled = rankings.of_labels(part.added_labels, part.depth)
                view = views[part] = View(labelled, topics)
                view.notes = {}
                values_of(part, view)
        return views

    def undefined(self, warns: bool = True) -> dict[FairnessMeasure, Bools]:
        """Return a mask of the topics that are undefined for every run, or dropped, ``[T]``.

        :param warns: as of :meth:`parts`
        """
        nothing = empty_run(self.judgments)
        composed = self._composed(self.parts(nothing, warns))
        return {measure: np.isnan(of_topics) for measure, of_topics, _ in composed}

    def _composed(self, of_parts: dict[FairnessMeasure, Floats]) \
            -> Iterator[tuple[FairnessMeasure, Floats, Bools]]:
        """Yield each measure, its values, ``[T]``, and a mask of its dropped topics, ``[T]``.

        The values of undefined and of dropped topics are NaN.

        :param of_parts: the values of the parts of the measures, ``[T]``
        """
        for measure, dropped in zip(self._fairness, self._dropped, strict=True):
            values = [of_parts[part] for part in measure.parts]
            composed = measure.compose(values)
            yield measure, np.where(dropped, np.nan, composed), dropped

    def parts(self, run: Run, warns: bool = True) -> dict[FairnessMeasure, Floats]:
        """Return the values of the parts of all measures, ``[T]``; NaN where undefined.

        :param warns: whether to warn of documents without a group or value, and count the others
        """
        scores = {}
        for source in self.sources:
            rankings = source.rankings(run, self._warn)
            of_source = score(source.of_views, rankings)
            if source.of_group is not None:
                of_source.update(source.of_group.scores(run, rankings))
            scores.update(of_source)
            if not warns:
                continue
            self._count(source, rankings, run)
            # A batch of pt.Experiment may have no judged topic.
            if source.groups is not None and self.topics and (rankings.codes < 0).all():
                undefined = [np.isnan(of_topics).all() for of_topics in of_source.values()]
                self._warn_of_no_group(source, run, any(undefined))
            if rankings.foreign and not all(measure.added_labels for measure in source.measures):
                self._warn(f"{rankings.foreign} ranked documents have groups that no judged "
                           f"document has and that {source.groups!r} does not declare: "
                           f"{listed(rankings.foreign_labels)}; they count as unannotated",
                           f"foreign {source.groups}")
        return scores

    def _count(self, source: GroupedMeasures, rankings: Rankings, run: Run) -> None:
        """Count the documents with a group or value, and those within the cutoffs."""
        if source.groups is not None and source.needed:
            key = "group", source.groups.registered
            self.matches[key] = source.annotations.ranked_matches(run, rankings)
        if source.values is not None:
            for name, documents in source.values.matches(rankings, run):
                self.matches["value", name] = documents
                if 0 < documents.documents == documents.without:
                    self._warn(f"no document of the run, such as {documents.first!r}, has a value "
                               f"in {name!r}; check that the ids match", f"{UNKNOWN}values {name}")
        if self.notes_within and source.needed:
            cut = [measure for measure in source.measures
                   if measure.condensed and measure.cutoff is not None]
            shares = rankings.shares_within({measure.cutoff for measure in cut})
            for measure in cut:
                self.within[measure] = shares[measure.cutoff]
            self.ranked.append((source, rankings))

    def _warn_of_no_group(self, source: GroupedMeasures, run: Run, undefined: bool) -> None:
        """Warn that no ranked document has a group in a source.

        :param undefined: whether a measure is undefined for all topics, which has its own warning
        """
        first = ""
        if len(run.list):
            (docno,) = run.docnos([0])
            first = f", such as {docno!r},"
        if (source.annotations.pair_codes < 0).all():
            (judged,) = self.judgments.docnos([0])
            self._warn(f"no judged document, such as {judged!r}, and no document of the run{first} "
                       f"has a group in {source.groups!r}; check that the ids match",
                       f"{UNKNOWN}groups {source.groups}")
        elif first and not undefined:
            self._warn(f"no document of the run{first} has a group in {source.groups!r}, so the "
                       "values say nothing of its groups; check that the ids match",
                       f"none {source.groups}")

    def judged_matches(self) -> dict[tuple[str, str], Matches | None]:
        """Return the matches of the judged documents by ``'group'`` and source."""
        return {("group", source.groups.registered): source.annotations.judged_matches()
                for source in self.sources if source.groups is not None and source.needed}

    def how_many(self, measure: FairnessMeasure, topics: Bools) -> str:
        """Return a text with the number of undefined topics, and with their names or the reason.

        :param topics: a mask of the undefined topics, ``[T]``
        """
        text = f"{topics.sum()} of {len(topics)} topics"
        if not topics.all():
            names = itertools.compress(self.topics, topics)
            return f"{text} ({listed(names)})"
        parts = set(measure.parts)
        sources = [source for source in self.sources if parts.intersection(source.measures)]
        for source in sources:
            for part in parts.intersection(source.measures):
                labels = {*source.annotations.labels, *part.added_labels}
                reason = nothing_to_compare(part, sorted(labels))
                if source.annotations.labels and reason:
                    return f"{text} ({reason}: there is nothing to compare)"
        if measure.needs_groups and "rel" in measure.SUPPORTED_PARAMS \
                and not isinstance(measure, ValueMeasure):
            for source in sources:
                docno = source.annotations.without_group(measure.rel)
                if source.needed and docno is not None:
                    text += (f" (no relevant document, such as {docno!r}, has a group in "
                             f"{source.groups or 'the iteration of the qrels'})")
        return text
