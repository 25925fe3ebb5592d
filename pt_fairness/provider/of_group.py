"""OfGroup: measures of ir_measures on the judgments of one group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.arrays import Bools, Floats, mean_of_lists
from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.measures.of_group import OfGroupMeasure
from pt_fairness.provider.by_topic import by_topic, provider_of
from pt_fairness.rankings.annotations import Annotations, Ranked
from pt_fairness.rankings.run import Run


class OfGroups:
    """Evaluators of the measures :class:`OfGroup` of one group source.

    :param annotations: the groups of the judged documents
    :raises ValueError: no provider computes a measure
    """

    def __init__(self, measures: Sequence[OfGroupMeasure], annotations: Annotations) -> None:
        self._annotations = annotations
        self._names = np.array(annotations.judgments.topics, dtype=object)
        #: Mask of the topics with a relevant document of the group, ``[T]``, and the evaluator.
        self._evaluators = {measure: self._evaluator(measure) for measure in measures}

    def _evaluator(self, measure: OfGroupMeasure) -> tuple[Bools, Any, bool]:
        """Return a mask of the defined topics, the evaluator, and whether it takes dictionaries."""
        judgments = self._annotations.judgments
        member, relevance = self._of_group(measure.param("group"))
        some = member & (relevance >= measure.rel)
        defined = np.bincount(judgments.topic[some], minlength=len(self._names)) > 0
        kept = np.flatnonzero(member) if measure.param("others") == "dropped" \
            else np.arange(len(member))
        qrels = pd.DataFrame({"query_id": self._names[judgments.topic[kept]],
                              "doc_id": judgments.docnos(kept), "relevance": relevance[kept]})
        # Each measure has an evaluator of its own: that of pytrec_eval confuses some measures.
        if provider_of(measure.inner) is not ir_measures.pytrec_eval:
            return defined, ir_measures.evaluator([measure.inner], qrels), False
        found = ir_measures.pytrec_eval.evaluator([measure.inner], by_topic(qrels, "relevance"))
        return defined, found, True

    def _of_group(self, label: str) -> tuple[Bools, Any]:
        """Return a mask of the judged pairs of a group, and the relevance of all, ``[pairs]``."""
        judgments = self._annotations.judgments
        member = self._members(self._annotations.sets, self._annotations.judged, label)
        own = judgments.relevance
        if self._annotations.groups is None and member.any():
            codes, labels = judgments.row_labels
            rows = codes == labels.index(label)
            own = np.full(len(member), np.iinfo(np.int64).min, judgments.relevance.dtype)
            np.maximum.at(own, judgments.index.pair[rows], judgments.row_relevance[rows])
        return member, np.where(member, own, np.minimum(judgments.relevance, 0))

    @staticmethod
    def _members(sets: Any, codes: Any, label: str) -> Bools:
        """Return a mask of the documents with a label, by their label sets."""
        return np.append(sets.any_of(np.arange(len(sets)), [label]), False)[codes]

    def scores(self, run: Run, ranked: Ranked) -> dict[FairnessMeasure, Floats]:
        """Return the value of each measure for each topic, ``[T]``; NaN where it is undefined.

        :param ranked: the groups of the ranked documents
        """
        values = {measure: np.full(len(run.topics), float(measure.inner.DEFAULT))
                  for measure in self._evaluators}
        by_group: dict[str | None, list[OfGroupMeasure]] = {}
        for measure in values:
            dropped = measure.param("others") == "dropped"
            by_group.setdefault(measure.param("group") if dropped else None, []).append(measure)
        for group, measures in by_group.items():
            kept = True if group is None else self._members(ranked.sets, ranked.codes, group)
            for lists, inside in run.samples():
                rows = np.flatnonzero(inside & kept)
                topics = self._names[run.topics[lists]]
                frame = pd.DataFrame({"query_id": self._names[run.topic[rows]],
                                      "doc_id": run.docnos(rows), "score": run.scores(rows)})
                of_topic, place = by_topic(frame, "score"), dict(zip(topics, lists, strict=True))
                for measure in measures if len(rows) else ():
                    _, evaluator, takes_dicts = self._evaluators[measure]
                    for metric in evaluator.iter_calc(of_topic if takes_dicts else frame):
                        if metric.query_id in place:
                            values[measure][place[metric.query_id]] = metric.value
        return {measure: np.where(self._evaluators[measure][0],
                                  mean_of_lists(some, run.topics), np.nan)
                for measure, some in values.items()}
