"""The values of ranked documents and of background documents, by value source."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import values
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.rank_bias import ValueMeasure, of_label_sets
from pt_fairness.measures.scoring import depth_of
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import Background, LabelSets, Rankings
from pt_fairness.rankings.trec_order import Run
from pt_fairness.values import runs


class ValueLookup:
    """The document values that the measures of one group source use.

    :param measures: the measures of the source; only a :class:`ValueMeasure` uses values
    :param annotations: the groups of the judged documents
    :raises ValueError: an unknown value source or background run
    """

    def __init__(self, measures: Sequence[FairnessMeasure], annotations: Annotations) -> None:
        self._annotations, self._topics = annotations, annotations.judgments.topics
        some = [measure for measure in measures if isinstance(measure, ValueMeasure)]
        by_source: dict[Hashable, list[ValueMeasure]] = {}
        for measure in some:
            by_source.setdefault(measure.value_source, []).append(measure)
        given = {key: of[0].param("values") for key, of in by_source.items()}
        self._sources = {key: value if isinstance(value, dict) else values.get(value)
                         for key, value in given.items()}
        #: The number of ranks of a list for which each value source is needed, ``None`` for all.
        self._depths = {key: depth_of(of) for key, of in by_source.items()}
        self._backgrounds: dict[Hashable, Background] = {
            background: self._background(*background)
            for background in {measure.background for measure in some} if background is not None}

    def added_to(self, rankings: Rankings, run: Run) -> Rankings:
        """Return a copy of the rankings with the values of the ranked documents and backgrounds."""
        found: dict[Hashable, Floats] = {}
        for key, source in self._sources.items():
            if isinstance(source, values.Values):
                depth = self._depths[key]
                rows = slice(None) if depth is None else np.flatnonzero(run.place < depth)
                found[key] = np.full(len(run.place), np.nan)
                found[key][rows] = source.find(run.topic[rows], self._topics, run.docnos(rows))
        return replace(rankings, values=found, backgrounds=self._backgrounds)

    def _background(self, name: str, rel: int | None) -> Background:
        """Return the documents of a background.

        :param rel: the minimum relevance of judged documents; ``None`` for those of the run
            that is registered as ``name``
        """
        judgments = self._annotations.judgments
        if rel is None:
            frame = runs.get(name)
            run = Run(pd.DataFrame({"query_id": frame["qid"], "doc_id": frame["docno"],
                                    "score": -np.arange(float(len(frame)))}),
                      judgments, lambda message, cause: None)
            ranked = self._annotations.of_run(run, None)
            topic, docnos = run.topic, run.docnos(slice(None))
            codes, sets = ranked.codes, ranked.sets
        else:
            pairs = np.flatnonzero(judgments.relevance >= rel)
            topic, docnos = judgments.topic[pairs], judgments.docnos(pairs)
            codes, sets = self._annotations.pair_codes[pairs], self._annotations.sets
        return Background(topic, {key: self._numbers(source, topic, docnos, codes, sets)
                                  for key, source in self._sources.items()})

    def _numbers(self, source: values.Values | Mapping[str, float], topic: Ints, docnos: Any,
                 codes: Ints, sets: LabelSets) -> Floats:
        """Return the value of each document, ``[n]``, NaN where it has none."""
        if isinstance(source, values.Values):
            return source.find(topic, self._topics, docnos)
        labels = self._annotations.labels
        of_set = of_label_sets(source, labels, sets.shares(np.arange(len(sets)), labels))
        return np.where(sets.any_of(labels), np.append(of_set, np.nan), np.nan)[codes]
