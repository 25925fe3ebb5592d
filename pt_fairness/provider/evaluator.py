"""Evaluators: of the measures of this package, of any measures for many runs, of one group alone.

A topic with nothing to compare with has the value 0.0, and a warning names it. A topic without
results has what the measure gives an empty list, mostly its least fair value.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import providers

from pt_fairness import groups, targets
from pt_fairness.core.arrays import ROUNDING, Bools, Floats, topic_means
from pt_fairness.core.messages import (
    ONCE,
    UNDEFINED,
    UNKNOWN,
    Warn,
    are_numbers,
    listed,
    once,
    shown,
    warn,
)
from pt_fairness.measures.coverage import OfGroupMeasure
from pt_fairness.measures.measure import (
    FairnessMeasure,
    contributions,
    depth_of,
    nothing_to_compare,
    one_label,
    rels_of,
    score,
    values_of,
)
from pt_fairness.measures.rank_bias import ValueMeasure
from pt_fairness.provider.alpha_ndcg import Diversity
from pt_fairness.provider.measure_lists import (
    Attributes,
    ValueLookup,
    check_labels,
    check_names,
    provider_of,
    reads_subtopics,
)
from pt_fairness.rankings.annotations import Annotations, Matches
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run, empty_run


class RunFacts(NamedTuple):
    """What is known of a run besides its values."""

    #: Whether a measure was undefined for a topic.
    has_undefined: bool = False
    #: For each measure with a cutoff that leaves out unannotated documents: the share of the
    #: documents it counts that are in the first ``cutoff`` ranks of the whole ranking.
    within: Mapping[FairnessMeasure, float] = {}
    #: For each measure that compares a ranking with itself, a mask of the topics that have the
    #: ideal value because all documents of the ranking have the same label, ``[T]``.
    one_label: Mapping[FairnessMeasure, Bools] = {}
    #: How many ranked documents have a group, or a value, by ``'group'`` or ``'value'`` and source.
    matches: Mapping[tuple[str, str], Matches] = {}
    #: The documents with the groups of each source.
    rankings: Sequence[tuple[Any, Rankings]] = ()


class QuickEvaluator:
    """Evaluator of many runs, with the values of ``ir_measures.evaluator(measures, qrels)``.

    pytrec_eval takes dictionaries. ir_measures builds them row by row in Python, this class from
    whole columns. Warnings are repeated for each run.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``;
        identifiers as text
    :raises ValueError: if no provider computes a measure, or a measure does not fit the qrels
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        users = defaultdict(list)
        for measure in measures:
            users[provider_of(measure)].append(measure)
        plain = users.pop(ir_measures.pytrec_eval, [])
        gdeval = users.pop(ir_measures.gdeval, [])
        judged = qrels
        if plain or gdeval:
            relevance = _whole(qrels["relevance"], plain + gdeval)
            judged = qrels.assign(relevance=relevance)
        self._plain = self._gdeval = self._rest = None
        if plain:
            nested = _nested(judged, "relevance")
            self._plain = ir_measures.pytrec_eval.evaluator(plain, nested)
        if gdeval:
            # gdeval counts each row as a document, and reads only the number at the end of a topic.
            codes, self._topics = pd.factorize(qrels["query_id"])
            rows = judged.assign(query_id=codes.astype(str))
            rows = rows.drop_duplicates(["query_id", "doc_id"], keep="last")
            self._gdeval = ir_measures.evaluator(gdeval, rows)
        #: The evaluators of this package's measures: one or none.
        self.fairness = []
        rest = []
        for provider, others in users.items():
            if getattr(provider, "NAME", "") == "fairness":
                self.fairness.append(provider.evaluator(others, qrels))
            else:
                rest += others
        if rest:
            self._rest = ir_measures.evaluator(rest, qrels)
        #: The measures of other providers, which evaluate one ranking of a topic.
        self._elsewhere = [*plain, *gdeval, *rest]

    def evaluate(self, run: pd.DataFrame) -> tuple[list[Any], RunFacts]:
        """Return the value of each measure for each topic, and what is known of the run.

        :param run: columns ``query_id, doc_id, score`` and, if it has several rankings of a topic,
            ``iteration``; identifiers as text, scores as floats
        """
        if "iteration" in run and self._elsewhere:
            rankings = run.groupby("query_id")["iteration"].nunique()
            if rankings.max() > 1:
                warn("the run has several rankings of a topic; one, with the last row of each "
                     f"document, was evaluated for {listed(map(str, self._elsewhere))}")
        metrics = []
        facts = RunFacts()
        if self._plain is not None:
            metrics += self._plain.iter_calc(_nested(run, "score"))
        if self._gdeval is not None:
            topics = pd.Index(run["query_id"])
            codes = self._topics.get_indexer(topics)
            numbered = run.assign(query_id=codes.astype(str))
            for metric in self._gdeval.iter_calc(numbered[codes >= 0]):
                topic = self._topics[int(metric.query_id)]
                metrics.append(metric._replace(query_id=topic))
        for evaluator in self.fairness:
            scores, facts = evaluator.scored(run, once())
            metrics += evaluator.metrics(scores)
        if self._rest is not None:
            metrics += self._rest.iter_calc(run)
        return metrics, facts

    def iter_calc(self, run: pd.DataFrame) -> list[Any]:
        """Return the value of each measure for each topic: see :meth:`evaluate`."""
        metrics, _ = self.evaluate(run)
        return metrics


def _whole(relevance: pd.Series, measures: Sequence[Any]) -> pd.Series:
    """Return the relevance of each row as whole numbers.

    :raises ValueError: if one is not a whole number
    """
    column = pd.to_numeric(relevance, errors="coerce")
    numbers = column.to_numpy(float, na_value=np.nan)
    whole = numbers % 1 == 0
    if not whole.all():
        row = int(whole.argmin())
        value = relevance.tolist()[row]
        names = ", ".join(map(str, measures))
        raise ValueError(f"relevance must be a whole number for {names}, got {shown(value)} in row "
                         f"{relevance.index[row]} of the qrels")
    return pd.Series(numbers.astype("int64"), relevance.index)


def _nested(frame: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Return topic → docno → value; of duplicate documents the last row is used."""
    docnos = frame["doc_id"].to_numpy(object)
    numbers = frame[column].to_numpy(object)
    topics = frame.groupby("query_id").indices
    nested = {}
    for qid, rows in topics.items():
        pairs = zip(docnos[rows], numbers[rows], strict=True)
        nested[str(qid)] = dict(pairs)
    return nested


class OfGroups:
    """Evaluators of the measures :class:`OfGroup` of one group source.

    :param annotations: the groups of the judged documents
    :raises ValueError: if no provider computes a measure
    """

    def __init__(self, measures: Sequence[OfGroupMeasure], annotations: Annotations) -> None:
        self._annotations = annotations
        self._names = annotations.judgments.names
        #: Mask of the topics with a relevant document of the group, ``[T]``, and the evaluator.
        self._evaluators = {measure: self._evaluator(measure) for measure in measures}

    def _evaluator(self, measure: OfGroupMeasure) -> tuple[Bools, QuickEvaluator]:
        # Each measure has an evaluator of its own, because pytrec_eval confuses some measures.
        judgments = self._annotations.judgments
        member, relevance = self._judged(measure.param("group"))
        rel = measure.inner.params.get("rel", 1)
        relevant = member & (relevance >= rel)
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

    def _judged(self, label: str) -> tuple[Bools, Any]:
        """Return a mask of the judged pairs of a group, and the relevance of all, ``[pairs]``."""
        judgments = self._annotations.judgments
        has_label = self._annotations.sets.any_of([label])
        member = has_label[self._annotations.pair_codes]
        relevance = judgments.relevance.copy()
        if self._annotations.groups is None and member.any():
            codes, labels = judgments.row_labels
            rows = codes == labels.index(label)
            row_relevance = judgments.row_relevance
            relevance[member] = row_relevance.min()
            np.maximum.at(relevance, judgments.index.pair[rows], row_relevance[rows])
        np.minimum(relevance, 0, out=relevance, where=~member)
        return member, relevance

    def scores(self, run: Run, rankings: Rankings) -> Iterator[tuple[FairnessMeasure, Floats]]:
        """Yield each measure with its value for each topic, ``[T]``; NaN where it is undefined."""
        for measure, (defined, evaluator) in self._evaluators.items():
            counting = defined[run.topic]
            if measure.param("others") != "irrelevant":
                member = rankings.sets.any_of([measure.param("group")])
                counting &= member[rankings.codes]
            default = measure.inner.DEFAULT
            values = np.full(len(run.topics), default, float)
            for number, rows in run.samples(np.flatnonzero(counting)):
                if not len(rows):
                    continue
                frame = run.frame(rows)
                scores = run.scores(rows)
                metrics = evaluator.iter_calc(frame.assign(score=scores))
                topic_values = {metric.query_id: metric.value for metric in metrics}
                qids = self._names[run.topics[number]]
                values[number] = [topic_values.get(qid, default) for qid in qids]
            yield measure, np.where(defined, topic_means(values, run.topics), np.nan)


class GroupedMeasures:
    """The measures of one group source, with the annotations and values that they use.

    :param source: the source or its name, ``None`` for ``iteration``
    :param needed: whether the measures need groups
    :param measures: the measures; they combine the same sources, or none
    :raises ValueError: if a source is unknown, or the qrels are without groups
    """

    def __init__(self, source: Any, needed: bool, measures: Sequence[FairnessMeasure],
                 judgments: Judgments) -> None:
        self.groups = None if source is None else groups.get(source)
        self.measures = measures
        self.needed = needed
        #: The number of documents of each ranking that the measures need; ``None`` for all.
        self.depth = depth_of(measures)
        added = {label for measure in measures for label in measure.added_labels}
        rels = rels_of(measures)
        self.annotations = Annotations(judgments, self.groups, rels, added, needed)
        sources = []
        if self.groups is not None:
            sources.append(self.groups)
            self._check_weights()
        value_measures = [measure for measure in measures if isinstance(measure, ValueMeasure)]
        group_measures = [measure for measure in measures if isinstance(measure, OfGroupMeasure)]
        self.ranked_measures = [measure for measure in measures if measure not in group_measures]
        self.values = self.effectiveness = self._attributes = None
        if value_measures:
            self.values = ValueLookup(value_measures, self.annotations)
        if group_measures:
            self.effectiveness = OfGroups(group_measures, self.annotations)
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

    def _check_weights(self) -> None:
        """Check that measures allow weights; some sources know theirs only after a lookup.

        :raises ValueError: if the groups have weights that a measure refuses
        """
        if self.groups is not None and self.groups.weighted:
            for measure in self.measures:
                if measure.refuses_weights:
                    raise ValueError(f"groups must be without weights for {measure}, got "
                                     f"{self.groups!r}")

    def rankings(self, run: Run, warn: Warn) -> Rankings:
        """Return the documents of a run with all that the measures use."""
        rankings = self.annotations.rankings(run, self.depth)
        self._check_weights()
        if self.values is not None:
            rankings = self.values.added_to(rankings, run)
        if self._attributes is not None:
            rankings = self._attributes.added_to(rankings, run, warn)
        return rankings

    def scores(self, run: Run, rankings: Rankings) -> dict[FairnessMeasure, Floats]:
        """Return the value of each measure for each topic, ``[T]``; NaN where it is undefined, and
        infinite where the run alone has no value.
        """
        scores = score(self.ranked_measures, rankings, np.inf)
        if self.effectiveness is not None:
            scores.update(self.effectiveness.scores(run, rankings))
        return scores

    def reason(self, measure: FairnessMeasure) -> str:
        """Return why a measure is undefined for all topics; ``''`` if it is not known."""
        labels = {*self.annotations.labels, *measure.added_labels}
        reason = nothing_to_compare(measure, sorted(labels))
        if self.annotations.labels and reason:
            return f"{reason}: there is nothing to compare"
        if self.needed and "rel" in measure.SUPPORTED_PARAMS \
                and not isinstance(measure, ValueMeasure):
            docno = self.annotations.without_group(measure.rel)
            if docno is not None:
                return (f"no relevant document, such as {docno!r}, has a group in "
                        f"{self.groups or 'the iteration of the qrels'}")
        return ""


def grouped(measures: Iterable[FairnessMeasure], judgments: Judgments) -> list[GroupedMeasures]:
    """Return the group sources of the parts of some measures."""
    sharing = defaultdict(list)
    for part in dict.fromkeys(part for measure in measures for part in measure.parts):
        needed = part.needs_groups
        source = part.param("groups") if needed else None
        key = source, needed, *part.joint
        sharing[key].append(part)
    return [GroupedMeasures(source, needed, users, judgments)
            for (source, needed, *_), users in sharing.items()]


class FairnessEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Evaluator of runs against one set of qrels, which is read once.

    Several threads can use one evaluator: calls change nothing but caches.
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        #: The qrels as arrays.
        self.judgments = judgments = Judgments(qrels)
        super().__init__(measures, judgments.qids)
        #: The topics of the qrels, as text.
        self.topics = judgments.topics
        self._warn = once()
        #: The measures of this package, without the parts of composed measures.
        self._fairness = [measure for measure in measures if isinstance(measure, FairnessMeasure)]
        check_names(self._fairness)
        #: The group sources of the measures.
        self.sources = grouped(self._fairness, judgments)
        #: The number of groups, if there are three or more, for each measure whose ``protected`` is
        #: not set.
        self.several: dict[FairnessMeasure, int] = {}
        #: The groups in the qrels; ``None`` if no measure uses them.
        self.qrels_labels: list[str] | None = None
        masks = {}
        for source in self.sources:
            self._warn_of_dropped(source)
            labels = source.annotations.labels
            if source.groups is None and source.needed:
                self.qrels_labels = labels
                comparing = [str(part) for part in source.measures if not part.SUBTOPICS]
                _, _, judged_apart = judgments.row_groups
                if labels and comparing and are_numbers(labels) and not judged_apart.any():
                    self._warn(f"the groups of {', '.join(comparing)} are {listed(labels)}, the "
                               "second column of the qrels. If these are rounds or subtopics, name "
                               "the groups with groups= (--groups)", "numbers")
            for part in source.measures:
                masks[part] = source.dropped
                check_labels(part, source.groups, labels, self._warn)
                unset = "protected" not in part.params
                if len(labels) > 2 and unset and part.param("protected") not in (None, "all"):
                    self.several[part] = len(labels)
                target = part.registered_target
                if target is not None:
                    targets.check(target, self.topics)
        #: A mask of the topics that the sources of each measure drop, ``[T]``.
        self._dropped = []
        for measure in self._fairness:
            dropped = [masks[part] for part in measure.parts]
            self._dropped.append(np.any(dropped, axis=0))
        if self.several:
            self._warn("protected is not set: the smallest group of each topic, of those that have "
                       "documents there, is compared with all the others as one; protected='all' "
                       f"compares each ({', '.join(map(str, self.several))})", f"{ONCE}protected")
        diverse = list(filter(reads_subtopics, measures))
        self._diversity = Diversity(diverse, qrels, judgments) if diverse else None

    def _warn_of_dropped(self, source: GroupedMeasures) -> None:
        for dropper, dropped in source.dropping.items():
            if dropped.any():
                first = self.topics[dropped.argmax()]
                self._warn(f"{dropper!r} drops {dropped.sum()} of {len(self.topics)} topics (the "
                           f"first is {first!r}): their value is NaN, which the means leave "
                           "out. In Python, pt.Experiment leaves them out if it is given "
                           "groups.to_qrels(qrels)", f"topics {dropper}")

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield the value of each measure for each topic of the qrels, with or without results."""
        scores, _ = self.scored(run, self._warn, facts_needed=False)
        yield from self.metrics(scores)

    def metrics(self, scores: Mapping[Any, Floats]) -> Iterator[Any]:
        """Yield values, ``[T]``, as ir_measures does."""
        columns = [(measure, scores[measure].tolist()) for measure in self.measures]
        for i, qid in enumerate(self.qrel_qids):
            for measure, column in columns:
                yield ir_measures.Metric(query_id=qid, measure=measure, value=column[i])

    def scored(self, run: Any, warn: Warn, facts_needed: bool = True) \
            -> tuple[dict[Any, Floats], RunFacts]:
        """Return the values of the measures, ``[T]``, and what is known of the run.

        :param facts_needed: whether the facts other than ``has_undefined`` are needed
        """
        frame = ir_measures.util.RunConverter(run).as_pd_dataframe()
        ranked = Run(frame, self.judgments, warn)
        rankings = self._rankings(ranked, warn)
        undefined = {}
        scores: dict[Any, Floats] = {}
        for measure, values, dropped in self._composed(self.parts(ranked, rankings, warn)):
            open_here = np.isinf(values)
            nothing = (np.isnan(values) | open_here) & ~dropped
            if nothing.any():
                undefined[measure] = nothing
                values[nothing] = 0.0
                if facts_needed:
                    values[open_here] = np.nan
            scores[measure] = values
        if undefined:
            names = defaultdict(list)
            for measure, topics in undefined.items():
                names[self.how_many(measure, topics)].append(str(measure))
            texts = [f"{', '.join(same)} on {how_many}" for how_many, same in names.items()]
            message = (f"undefined: {'; '.join(texts)}. Such topics have nothing to compare with. "
                       "ir_measures and pt.Experiment count 0.0 there, which their frames do not "
                       "tell from a true 0.0; pt_fairness.evaluate leaves them out, so its "
                       "averages differ")
            warn(message, f"{UNDEFINED}{message}")
        if self._diversity is not None:
            scores |= self._diversity.scores(ranked, warn)
        if not facts_needed:
            return scores, RunFacts(bool(undefined))
        matches = {}
        within = {}
        alike = {}
        for source, documents in rankings:
            if source.needed:
                cut = [measure for measure in source.measures
                       if measure.condensed and measure.cutoff is not None]
                shares = documents.shares_within({measure.cutoff for measure in cut})
                within.update({measure: shares[measure.cutoff] for measure in cut})
                for measure in source.measures:
                    if measure in scores and measure.target_word == "run":
                        distance = abs(scores[measure] - measure.IDEAL)
                        has_one = one_label(measure, documents)
                        alike[measure] = has_one & (distance < ROUNDING)
                if source.groups is not None:
                    key = "group", source.groups.registered
                    matches[key] = source.annotations.ranked_matches(ranked, documents,
                                                                        source.depth)
            if source.values is not None:
                for name, found in source.values.matches(documents, ranked):
                    matches["value", name] = found
        return scores, RunFacts(bool(undefined), within, alike, matches, rankings)

    def contributions(self, run: Run, depth: int) -> dict[FairnessMeasure, Floats]:
        """Return what each document that counts adds to the values, ``[T, depth]``.

        The measures are those that are sums; undefined topics have 0.

        :param run: a run with one ranking of each topic
        :param depth: the number of documents that count
        """
        part_terms = {}
        for source, rankings in self._rankings(run, self._warn):
            for part in source.measures:
                if part.is_sum:
                    part_terms[part] = contributions(part, rankings, depth)
        added = {}
        for measure in self._fairness:
            if measure.is_sum:
                parts = [part_terms[part] for part in measure.parts]
                composed = measure.compose(parts)
                added[measure] = np.nan_to_num(composed)
        return added

    def noted(self, run: Run, topics: slice) -> dict[FairnessMeasure, Rankings]:
        """Return the rankings of each part of the measures, with their :attr:`Rankings.notes`.

        :param run: a run with one ranking of each topic
        :param topics: the indices of the topics
        """
        noted = {}
        for source, rankings in self._rankings(run, self._warn):
            for part in source.ranked_measures:
                restricted = rankings.restricted(part.added_labels, part.depth)
                restricted = replace(restricted, notes={})
                noted[part] = restricted.block(topics.start, topics.stop)
                values_of(part, noted[part])
        return noted

    def undefined(self) -> dict[FairnessMeasure, Bools]:
        """Return a mask of the topics that are undefined for every run, or dropped, ``[T]``."""
        composed = self._composed(self.parts(empty_run(self.judgments)))
        return {measure: np.isnan(values) for measure, values, _ in composed}

    def _composed(self, parts: dict[FairnessMeasure, Floats]) \
            -> Iterator[tuple[FairnessMeasure, Floats, Bools]]:
        """Yield each measure, its values, and a mask of its dropped topics, ``[T]`` each.

        The values of undefined and of dropped topics are NaN.
        """
        for measure, dropped in zip(self._fairness, self._dropped, strict=True):
            composed = measure.compose([parts[part] for part in measure.parts])
            yield measure, np.where(dropped, np.nan, composed), dropped

    def _rankings(self, run: Run, warn: Warn) -> list[tuple[GroupedMeasures, Rankings]]:
        """Return the documents of a run with the groups of each source."""
        return [(source, source.rankings(run, warn)) for source in self.sources]

    def parts(self, run: Run, rankings: Iterable[tuple[GroupedMeasures, Rankings]] = (),
              warn: Warn | None = None) -> dict[FairnessMeasure, Floats]:
        """Return the values of the parts of all measures, ``[T]``; NaN where undefined.

        :param rankings: the documents of the run with the groups of each source, if they are known
        """
        warn = warn or self._warn
        parts = {}
        for source, documents in rankings or self._rankings(run, warn):
            scores = source.scores(run, documents)
            parts.update(scores)
            undefined = any(np.isnan(values).all() for values in scores.values())
            # A batch of pt.Experiment may be without a judged topic.
            if source.groups is not None and self.topics and (documents.codes == -1).all():
                self._warn_of_no_group(source, run, undefined, warn)
            if documents.foreign and not all(measure.added_labels for measure in source.measures):
                warn("ranked documents have groups that no judged document has and that "
                     f"{source.groups!r} does not declare: {listed(documents.foreign)}; they "
                     "count as unannotated", f"foreign {source.groups}")
            if source.values is not None:
                for name, found in source.values.matches(documents, run):
                    if found.first and found.documents == found.without:
                        warn(f"no document of the run, such as {found.first!r}, has a value in "
                             f"{name!r}; check that the ids match", f"{UNKNOWN}values {name}")
        return parts

    def _warn_of_no_group(self, source: GroupedMeasures, run: Run, undefined: bool,
                          warn: Warn) -> None:
        # That a measure is undefined for all topics has a warning of its own.
        ranked = "no document of the run"
        if len(run.ranking):
            ranked += f", such as {run.docnos([0])[0]!r},"
        ending = f"has a group in {source.groups!r}; check that the ids match"
        if (source.annotations.pair_codes == -1).all():
            judged = f"no judged document, such as {self.judgments.docnos([0])[0]!r},"
            warn(f"{judged} and {ranked} {ending}", f"{UNKNOWN}groups {source.groups}")
        elif len(run.ranking) and not undefined:
            warn(f"{ranked} {ending}", f"none {source.groups}")

    def judged_matches(self) -> dict[tuple[str, str], Matches | None]:
        """Return the matches of the judged documents by ``'group'`` and source."""
        matches = {}
        for source in self.sources:
            if source.groups is not None and source.needed:
                key = "group", source.groups.registered
                matches[key] = source.annotations.judged_matches()
        return matches

    def how_many(self, measure: FairnessMeasure, topics: Bools) -> str:
        """Return the number of undefined topics as text, with their names or the reason."""
        text = f"{topics.sum()} of {len(topics)} topics"
        if not topics.all():
            return f"{text} ({listed(itertools.compress(self.topics, topics))})"
        for source in self.sources:
            for part in measure.parts:
                reason = source.reason(part) if part in source.measures else ""
                if reason:
                    return f"{text} ({reason})"
        return text
