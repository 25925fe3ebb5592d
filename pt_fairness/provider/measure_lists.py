"""Lists of measures: parsing, group sources, checks, and lookup of values and attributes."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness import groups, targets, values
from pt_fairness.core.arrays import Ints
from pt_fairness.core.identifiers import IR_MEASURES
from pt_fairness.core.messages import UNKNOWN, Warn, listed, shown, warn
from pt_fairness.core.registry import check_name, name_of
from pt_fairness.io import runs
from pt_fairness.measures.measure import FairnessMeasure, depth_of, registry_of
from pt_fairness.measures.measure_names import (
    ALPHA_MEASURES,
    NDEVAL_MEASURES,
    TAKES,
    parse,
    parsed_one,
)
from pt_fairness.measures.rank_bias import ValueMeasure, set_values
from pt_fairness.rankings.annotations import Annotations, Matches
from pt_fairness.rankings.rankings import Attribute, Background, Rankings
from pt_fairness.rankings.trec_order import Judgments, Run


def parsed(measures: Any) -> list[Any]:
    """Parse one or several measures, and remove duplicates.

    :param measures: a measure, or an iterable of measures; objects or names
    :raises ValueError: if a name is unknown, a parameter or the cutoff is wrong, or an object is
        not a measure

    Examples
    --------
    >>> from pt_fairness.provider.measure_lists import parsed
    >>> parsed(["nDCG@10", "rKL(protected='CON')@5", "nDCG@10"])
    [nDCG@10, rKL(protected='CON')@5]
    """
    if isinstance(measures, (str, ir_measures.Measure)):
        measures = [measures]
    if not isinstance(measures, Iterable) or isinstance(measures, dict):
        raise ValueError(f"measures={shown(measures)} is a {type(measures).__name__}; {TAKES}")
    distinct = dict.fromkeys(map(parsed_one, measures))
    return list(distinct)


def parsed_or_none(column: Any) -> Any:
    """Parse the name of a column as a measure; return ``None`` if it is none."""
    try:
        measure = parse(str(column))
        str(measure)  # raises if the measure has no such parameter
        return measure
    except (NameError, ValueError, TypeError, KeyError):
        return None


def takes_groups(measure: Any) -> bool:
    """Return whether a measure uses groups and its parameter ``groups`` is not set."""
    if not isinstance(measure, FairnessMeasure) or "groups" not in measure.SUPPORTED_PARAMS:
        return False
    return measure.needs_groups and measure.param("groups") is None


def reads_subtopics(measure: Any) -> bool:
    """Return whether a measure of ir_measures, such as α-nDCG, reads ``iteration`` of the qrels."""
    return measure.NAME in ALPHA_MEASURES or measure.NAME in NDEVAL_MEASURES


def take_groups(measures: Sequence[Any], qrels: pd.DataFrame, source: Any) \
        -> tuple[dict[Any, str], pd.DataFrame, groups.Groups | None]:
    """Give a group source to the measures without one of their own.

    The ``groups`` parameter of a measure holds the source itself, because a pipe can be read once.

    :param qrels: ir_measures' columns
    :param source: the group source; ``None`` for none
    :returns: the name of each measure's column by measure, the qrels (with the groups in
        ``iteration`` if a measure reads subtopics there), and the source as an object
    :raises ValueError: if ``source`` is not a group source, or lacks all judged documents
    """
    if source is None:
        return {measure: str(measure) for measure in measures}, qrels, None
    source = groups.get(source)
    columns: dict[Any, str] = {}
    for measure in measures:
        text = str(measure)
        if takes_groups(measure):
            measure = measure(groups=source)
        columns.setdefault(measure, text)
    if source.subtopics and any(map(reads_subtopics, measures)):
        annotated = source.to_qrels(qrels)
        if (annotated["iteration"] == "-").all():
            raise ValueError(f"no judged document, such as {qrels['doc_id'].iloc[0]!r}, has a "
                             f"group in {source!r}, which α-nDCG reads as subtopics; check that "
                             "the ids match")
        # Keep the topics that the source drops: measures of relevance have a value there.
        stays = qrels["query_id"].isin(annotated["query_id"])
        dropped = qrels[~stays].assign(iteration="-")
        qrels = pd.concat([annotated, dropped])
    return columns, qrels, source


def with_groups(measures: Any, source: Any, name: str | None = None) -> list[Any]:
    """Return measures that take their groups from a source, for ``pt.Experiment``.

    A measure whose parameter ``groups`` is set, and one that uses no groups, is returned
    unchanged. α-nDCG and the other measures of ndeval have no such parameter: they read the
    ``iteration`` of the qrels, and a warning names them.

    :param measures: a measure, or an iterable of measures; objects or names
    :param source: as ``groups`` of :func:`pt_fairness.evaluate`
    :param name: the name of the groups in the names of the measures, which are the columns of
        ``pt.Experiment``; by default the name of the source
    :returns: the measures in the same order, without duplicates. ``pt.Experiment`` shows them in
        this order, after those of trec_eval.
    :raises ValueError: if the source is none of these, the name is empty, or a measure is wrong

    Examples
    --------
    >>> from ir_measures import nDCG
    >>> from pt_fairness import rKL, with_groups
    >>> with_groups([nDCG @ 5, rKL @ 5, "rND(groups='no-such')@5"], "trec-newswire")
    [nDCG@5, rKL(groups='trec-newswire')@5, rND(groups='no-such')@5]
    >>> with_groups(rKL @ 5, {"a": "PRO", "b": "CON"}, name="stance")
    [rKL(groups='stance')@5]
    """
    registered = groups.get(source)
    if name is not None:
        check_name("groups", name)
        source = registered.renamed(name)
    elif not isinstance(source, (str, os.PathLike)):
        source = registered
    measures = parsed(measures)
    ndeval = [str(measure) for measure in measures if reads_subtopics(measure)]
    if ndeval:
        warn(f"{', '.join(ndeval)} cannot take groups from {shown(source)}: ndeval's measures "
             "read the iteration of the qrels; in Python, evaluate on "
             "pt_fairness.groups.get(source).to_qrels(qrels)")
    result = []
    for place, measure in enumerate(measures):
        if isinstance(measure, FairnessMeasure):
            params = {"groups": source} if takes_groups(measure) else {}
            measure = measure(**params)
            measure.place = place
        result.append(measure)
    distinct = dict.fromkeys(result)
    return list(distinct)


def check_sources(measures: Iterable[FairnessMeasure]) -> None:
    """Check that group sources and values exist, and that groups have the labels of parameters.

    Labels are checked where the group source declares all of its labels.

    :raises ValueError: if a source does not exist or cannot be read, or lacks a label
    """
    registries: dict[str, Any] = {"groups": groups, "values": values}
    for whole in measures:
        for measure in whole.parts:
            for param, name in measure.sources():
                if param in registries:
                    source = registries[param].get(name)
                    if name is measure.param("groups") and source.complete and source.labels:
                        check_labels(measure, source, source.labels, warn)


def check_names(measures: Iterable[Any]) -> None:
    """Check that no two objects that measures hold have the same name.

    :raises ValueError: if two group sources, targets, values or runs do
    """
    named: dict[tuple[str, str], Any] = {}
    sources = [measure.sources() for measure in measures if isinstance(measure, FairnessMeasure)]
    for param, source in itertools.chain(*sources):
        registered = registry_of(param).find(source)
        if registered is not None:
            first = named.setdefault((param, name_of(source)), registered)
            if first != registered:
                raise ValueError(f"{param} must have different names, got two named "
                                 f"{name_of(source)!r}: {first!r} and {registered!r}")


def check_labels(measure: FairnessMeasure, source: groups.Groups | None, labels: Sequence[str],
                 warn: Warn) -> None:
    """Check that the labels in the parameters of a measure are groups.

    A scale such as −3 to 3 need not have documents of every label in ``protected``.

    :param source: the group source; ``None`` for the qrels
    :param labels: the groups G
    :param warn: issues the warnings
    :raises ValueError: if a label is not in G, and the group source declares its labels
    """
    declared = source is not None and source.labels is not None
    groups_ = listed(labels) or "no groups"
    added = measure.added_labels
    possible = [*labels, *added]
    named = measure.named_labels(possible)
    is_scale = any(name == "protected" and label in possible for name, label in named)
    for parameter, label in named:
        if label in possible:
            continue
        given = f"{parameter}={shown(label)}"
        words = ""
        cause = f"{UNKNOWN}label {label}"
        if parameter == "protected":
            words = f"; protected takes {measure.SUPPORTED_PARAMS[parameter].allowed}"
        if parameter == "protected" and is_scale:
            cause = f"label {label}"
        elif declared:
            raise ValueError(f"{given} names no group of {source!r}; its groups are {groups_}")
        warn(f"{given} names a group that no judged document has; the qrels hold {groups_}{words}",
             cause)
    unjudged = [label for label in added if label not in labels]
    if unjudged:
        warn(f"the target of {measure} has a share for {listed(unjudged)}, which no judged "
             f"document has as its group; the judged documents have {groups_}",
             f"target {unjudged}")


def provider_of(measure: Any) -> Any:
    """Return the provider of a measure in ir_measures' default pipeline, or ``None``."""
    for provider in ir_measures.DefaultPipeline.providers:
        if provider.supports(measure) and provider.is_available():
            return provider
    return None


def refuse_unknown(warnings: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Raise an error for a group source that knows no document, and a label that no document has.

    :param warnings: the causes and messages of the warnings of each run
    :raises ValueError: if such a warning applies to every run
    """
    causes = list(map(dict, warnings))
    for cause in causes[0]:
        if cause.startswith(UNKNOWN) and all(cause in issued for issued in causes):
            messages = [issued[cause] for issued in causes]
            raise ValueError(max(messages, key=len))  # shorter for a run without documents


class ValueLookup:
    """The document values that measures use.

    :param annotations: the groups of the judged documents
    :raises ValueError: if a value source or background run is unknown
    """

    def __init__(self, measures: Sequence[ValueMeasure], annotations: Annotations) -> None:
        self._annotations = annotations
        self._topics = annotations.judgments.topics
        sharing = defaultdict(list)
        for measure in measures:
            key = measure.value_source
            sharing[key].append(measure)
        #: The values of labels, and the sources of the values of documents.
        self._label_numbers = {}
        self._sources = {}
        #: The number of ranks of a list for which each source is needed, infinite for all.
        self._depths = {}
        for key, users in sharing.items():
            source = users[0].param("values")
            if isinstance(source, dict):
                self._label_numbers[key] = source
                continue
            self._sources[key] = values.get(source)
            self._depths[key] = depth_of(users) or np.inf
        self._backgrounds: dict[Hashable, Background] = {}
        for background in dict.fromkeys(measure.background for measure in measures):
            if background is not None:
                self._backgrounds[background] = self._background(*background)

    def added_to(self, rankings: Rankings, run: Run) -> Rankings:
        """Return a copy of the rankings with the values of the ranked documents and backgrounds."""
        numbers = {}
        for key, source in self._sources.items():
            rows = self._rows(key, run)
            topic = run.topic[rows]
            column = np.full(len(run.place), np.nan)
            column[rows] = source.find(topic, self._topics, run.docnos(rows))
            numbers[key] = column
        return replace(rankings, document_values=numbers, backgrounds=self._backgrounds)

    def matches(self, rankings: Rankings, run: Run) -> Iterator[tuple[str, Matches]]:
        """Yield the name of each value source, with the ranked documents that have a value."""
        for key, source in self._sources.items():
            rows = self._rows(key, run)
            numbers = rankings.document_values[key][rows]
            has_value = ~np.isnan(numbers)
            matches = Matches.of(run, rows, has_value)
            yield source.registered, matches

    def _rows(self, key: Hashable, run: Run) -> Ints:
        """Return the ranked documents whose values are looked up."""
        is_seen = run.place < self._depths[key]
        return np.flatnonzero(is_seen)

    def _background(self, name: str, rel: int | None) -> Background:
        """Return the documents of a background.

        :param rel: the minimum relevance of judged documents; ``None`` for the documents of
            the run that is registered as ``name``
        """
        judgments = self._annotations.judgments
        sets = self._annotations.sets
        if rel is None:
            frame = runs.get(name).rename(columns=IR_MEASURES)
            frame = frame[["query_id", "doc_id"]]
            order = np.arange(float(len(frame)))
            frame = frame.assign(score=-order)
            run = Run(frame, judgments, lambda message, cause: None)
            rankings = self._annotations.rankings(run, None)
            topic = run.topic
            docnos = run.docnos()
            codes = rankings.codes
            sets = rankings.sets
        else:
            relevant = judgments.relevance >= rel
            pairs = np.flatnonzero(relevant)
            topic = judgments.topic[pairs]
            docnos = judgments.docnos(pairs)
            codes = self._annotations.pair_codes[pairs]
        labels = self._annotations.labels
        numbers = {key: source.find(topic, self._topics, docnos)
                   for key, source in self._sources.items()}
        for key, label_numbers in self._label_numbers.items():
            shares = sets.shares(codes, labels)
            label_values = set_values(label_numbers, labels, shares)
            numbers[key] = np.where(shares.any(axis=1), label_values, np.nan)
        return Background(topic, numbers)


class Attributes:
    """The sources whose labels measures combine: their :attr:`FairnessMeasure.joint`.

    :param measures: measures with the same sources
    :raises ValueError: if a source or target is unknown, a target depends on the topic, or a source
        in ``whole`` has weights
    """

    def __init__(self, measures: Sequence[FairnessMeasure], judgments: Judgments) -> None:
        self._depth = depth_of(measures)
        self.sources = {attribute: groups.get(attribute) for attribute in measures[0].joint}
        self._rel = min(measure.param("rel") or 0 for measure in measures)
        self._annotations = {}
        for place, (attribute, source) in enumerate(self.sources.items()):
            added: set[str] = set()
            for measure in measures:
                if source.weighted and measure.whole[place]:
                    raise ValueError(f"whole must name groups without weights, got {measure}")
                target = targets.find(measure.joint[attribute])
                if target.topics is not None or target.of_qrels:
                    raise ValueError("target must have the same shares for all topics, to which "
                                     "TrecFair adds the relevant documents, got "
                                     f"{target.name!r}")
                added.update(target.labels)
            annotations = Annotations(judgments, source, [self._rel], added, unknown=True)
            self._annotations[attribute] = annotations

    def added_to(self, rankings: Rankings, run: Run, warn: Warn) -> Rankings:
        """Return a copy of the rankings with the label sets of the ranked and judged documents."""
        attributes = {}
        for attribute, judged in self._annotations.items():
            name = name_of(attribute)
            ranked = judged.rankings(run, self._depth)
            pair_codes = judged.judged_codes[self._rel]
            attributes[attribute] = Attribute(ranked.sets, ranked.codes, pair_codes)
            if len(run.ranking) and (ranked.codes == -1).all():
                warn(f"no document of the run, such as {run.docnos([0])[0]!r}, is in the groups "
                     f"{name!r}, so all of them weigh nothing; check that the ids match",
                     f"none {name}")
        return replace(rankings, attributes=attributes)
