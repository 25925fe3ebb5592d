"""What rankings need besides the groups of a source: numbers of documents, and attributes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pt_fairness import groups, targets, values
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.messages import Warn
from pt_fairness.core.registry import name_of
from pt_fairness.measures.measure import FairnessMeasure, depth_of
from pt_fairness.measures.rank_bias import ValueMeasure, of_label_sets
from pt_fairness.rankings.annotations import Annotations, Matches
from pt_fairness.rankings.labelled import Attribute, Background, LabelSets, Rankings
from pt_fairness.rankings.trec_order import Judgments, Run
from pt_fairness.values import runs


class ValueLookup:
    """The document values that measures use.

    :param annotations: the groups of the judged documents
    :raises ValueError: an unknown value source or background run
    """

    def __init__(self, measures: Sequence[ValueMeasure], annotations: Annotations) -> None:
        self._annotations, self._topics = annotations, annotations.judgments.topics
        by_source: dict[Hashable, list[ValueMeasure]] = {}
        for measure in measures:
            by_source.setdefault(measure.value_source, []).append(measure)
        self._sources: dict[Hashable, values.Values | Mapping[str, float]] = {}
        #: The number of ranks of a list for which each value source is needed, ``None`` for all.
        self._depths: dict[Hashable, int | None] = {}
        for key, users in by_source.items():
            source = users[0].param("values")
            self._sources[key] = source if isinstance(source, dict) else values.get(source)
            self._depths[key] = depth_of(users)
        self._backgrounds: dict[Hashable, Background] = {}
        for measure in measures:
            background = measure.background
            if background is not None and background not in self._backgrounds:
                self._backgrounds[background] = self._background(*background)

    def added_to(self, rankings: Rankings, run: Run) -> Rankings:
        """Return a copy of the rankings with the values of the ranked documents and backgrounds."""
        numbers: dict[Hashable, Floats] = {}
        for key, source in self._sources.items():
            if isinstance(source, values.Values):
                depth = self._depths[key]
                rows = slice(None) if depth is None else np.flatnonzero(run.place < depth)
                docnos = run.docnos(rows)
                numbers[key] = np.full(len(run.place), np.nan)
                topic = run.topic[rows]
                numbers[key][rows] = source.find(topic, self._topics, docnos)
        return replace(rankings, values=numbers, backgrounds=self._backgrounds)

    def matches(self, rankings: Rankings, run: Run) -> Iterator[tuple[str, Matches]]:
        """Yield the name of each value source, with the ranked documents that have a value."""
        for key, source in self._sources.items():
            if isinstance(source, values.Values):
                depth = self._depths[key] or len(run.place)
                rows = np.flatnonzero(run.place < depth)
                has_value = ~np.isnan(rankings.values[key][rows])
                yield source.registered, Matches.of(run, rows, has_value)

    def _background(self, name: str, rel: int | None) -> Background:
        """Return the documents of a background.

        :param rel: the minimum relevance of judged documents; ``None`` for those of the run
            that is registered as ``name``
        """
        judgments = self._annotations.judgments
        if rel is None:
            frame = runs.get(name).rename(columns={"qid": "query_id", "docno": "doc_id"})
            scores = -np.arange(float(len(frame)))
            frame = frame[["query_id", "doc_id"]].assign(score=scores)
            run = Run(frame, judgments, lambda message, cause: None)
            rankings = self._annotations.of_run(run, None)
            topic, docnos = run.topic, run.docnos()
            codes, sets = rankings.codes, rankings.sets
        else:
            pairs = np.flatnonzero(judgments.relevance >= rel)
            topic, docnos = judgments.topic[pairs], judgments.docnos(pairs)
            codes = self._annotations.pair_codes[pairs]
            sets = self._annotations.sets
        numbers = {}
        for key, source in self._sources.items():
            numbers[key] = self._numbers(source, topic, docnos, codes, sets)
        return Background(topic, numbers)

    def _numbers(self, source: values.Values | Mapping[str, float], topic: Ints, docnos: Any,
                 codes: Ints, sets: LabelSets) -> Floats:
        """Return the value of each document, ``[n]``, NaN where it has none."""
        if isinstance(source, values.Values):
            return source.find(topic, self._topics, docnos)
        labels = self._annotations.labels
        shares = sets.shares(np.arange(len(sets)), labels)
        of_sets = np.append(of_label_sets(source, labels, shares), np.nan)
        return np.where(sets.any_of(labels), of_sets, np.nan)[codes]


class Attributes:
    """The sources whose labels measures combine: their :attr:`FairnessMeasure.joint`.

    :param measures: measures with the same sources
    :raises ValueError: an unknown source or target, a target that depends on the topic, or a source
        with weights in ``whole``
    """

    def __init__(self, measures: Sequence[FairnessMeasure], judgments: Judgments) -> None:
        self._depth = depth_of(measures)
        self.sources = {attribute: groups.get(attribute) for attribute in measures[0].joint}
        self._rel = min(measure.param("rel") or 0 for measure in measures)
        self._annotations: dict[Any, Annotations] = {}
        cells = 1
        for attribute, source in self.sources.items():
            name = name_of(attribute)
            added: set[str] = set()
            for measure in measures:
                if source.weighted and name in map(name_of, measure.param("whole")):
                    raise ValueError(f"{measure} has {name!r} in whole, but documents have weights "
                                     "there; leave it out of whole")
                added.update(_labels(measure.joint[attribute]))
            annotations = Annotations(judgments, source, [self._rel], added, unknown=True)
            self._annotations[attribute] = annotations
            cells *= len(annotations.sets.labels)
        if cells >= 2**63:
            raise ValueError(f"{measures[0]} has {cells:.2g} combinations of labels, more than an "
                             "integer can number; use fewer attributes")

    def added_to(self, rankings: Rankings, run: Run, warn: Warn) -> Rankings:
        """Return a copy of the rankings with the label sets of the ranked and judged documents."""
        attributes: dict[Hashable, Attribute] = {}
        for attribute, judged in self._annotations.items():
            name = name_of(attribute)
            ranked = judged.of_run(run, self._depth)
            pair_codes = judged.by_rel[self._rel]
            attributes[attribute] = Attribute(ranked.sets, ranked.codes, pair_codes)
            if len(run.list) and (ranked.codes < 0).all():
                warn(f"no document of the run, such as {run.docnos([0])[0]!r}, is in the groups "
                     f"{name!r}, so all of them weigh nothing; check that the ids match",
                     f"none {name}")
        return replace(rankings, attributes=attributes)


def _labels(target: Any) -> tuple[str, ...]:
    """Return the labels of a target.

    :raises ValueError: the target is not registered, or depends on the topic
    """
    target = targets.find(target)
    if target.topics is not None or target.of_qrels:
        raise ValueError(f"the target {target.name!r} depends on the topic; TrecFair takes targets "
                         "with the same shares for all topics, and adds those of the relevant "
                         "documents itself (of_qrels)")
    return target.labels
