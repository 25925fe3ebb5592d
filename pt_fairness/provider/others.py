"""Measures that other providers of ir_measures compute, on all judgments or on those of a group."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Floats, mean_of_lists
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.coverage import OfGroupMeasure
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.trec_order import Run


class QuickEvaluator:
    """Evaluator with the values of ``ir_measures.evaluator(measures, qrels)``.

    pytrec_eval takes dictionaries. ir_measures builds them row by row in Python, this class from
    whole columns.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``;
        identifiers as text
    :raises ValueError: a measure that no provider computes, or that does not fit the qrels
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        plain = [m for m in measures if _provider_of(m) is ir_measures.pytrec_eval]
        others = [m for m in measures if m not in plain]
        if plain and len(qrels) and pd.api.types.is_float_dtype(qrels["relevance"]):
            raise ValueError(f"{', '.join(map(str, plain))} take whole numbers as relevance, and "
                             f"the qrels have floats, such as {qrels['relevance'].iloc[0]}; round "
                             "them and convert the column with astype(int)")
        self._plain = ir_measures.pytrec_eval.evaluator(plain, _by_topic(qrels, "relevance")) \
            if plain else None
        self._others = ir_measures.evaluator(others, qrels) if others else None

    def iter_calc(self, run: pd.DataFrame) -> Iterator[Any]:
        """Yield the value of each measure for each topic.

        :param run: columns ``query_id, doc_id, score`` and, if it has several rankings of a topic,
            ``iteration``; identifiers as text, scores as floats
        """
        if self._plain is not None:
            yield from self._plain.iter_calc(_by_topic(run, "score"))
        if self._others is not None:
            yield from self._others.iter_calc(run)


def _provider_of(measure: Any) -> Any:
    """Return the provider of a measure in ir_measures' default pipeline, or ``None``."""
    return next((one for one in ir_measures.DefaultPipeline.providers
                 if one.supports(measure) and one.is_available()), None)


def _by_topic(frame: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Return topic → docno → value; of duplicate documents the last row is used."""
    codes, names = pd.factorize(frame["query_id"])
    documents, values = frame["doc_id"].tolist(), frame[column].tolist()
    starts = np.flatnonzero(np.diff(codes, prepend=-1)).tolist()
    topics: dict[str, dict[str, Any]] = {}
    for start, end in itertools.pairwise([*starts, len(codes)]):
        topics.setdefault(str(names[codes[start]]), {}).update(
            zip(documents[start:end], values[start:end], strict=True))
    return topics


class OfGroups:
    """Evaluators of the measures :class:`OfGroup` of one group source.

    :param measures: the measures of the source; others are ignored
    :param annotations: the groups of the judged documents
    :raises ValueError: no provider computes a measure
    """

    def __init__(self, measures: Sequence[FairnessMeasure], annotations: Annotations) -> None:
        self._annotations = annotations
        self._names = np.array(annotations.judgments.topics, dtype=object)
        #: Mask of the topics with a relevant document of the group, ``[T]``, and the evaluator.
        self._evaluators = {measure: self._evaluator(measure) for measure in measures
                            if isinstance(measure, OfGroupMeasure)}

    def _evaluator(self, measure: OfGroupMeasure) -> tuple[Bools, QuickEvaluator]:
        # Each measure has an evaluator of its own: that of pytrec_eval confuses some measures.
        judgments = self._annotations.judgments
        member, relevance = self._of_group(measure.param("group"))
        defined = np.zeros(len(self._names), bool)
        defined[judgments.topic[member & (relevance >= measure.rel)]] = True
        # Providers may not take a topic without a relevant document.
        kept = np.flatnonzero(defined[judgments.topic]
                              & (member | (measure.param("others") == "irrelevant")))
        qrels = pd.DataFrame({"query_id": self._names[judgments.topic[kept]],
                              "doc_id": judgments.docnos(kept), "relevance": relevance[kept]})
        return defined, QuickEvaluator([measure.inner], qrels)

    def _of_group(self, label: str) -> tuple[Bools, Any]:
        """Return a mask of the judged pairs of a group, and the relevance of all, ``[pairs]``."""
        judgments = self._annotations.judgments
        member = self._annotations.sets.any_of([label])[self._annotations.pair_codes]
        own = judgments.relevance
        if self._annotations.groups is None and member.any():
            codes, labels = judgments.row_labels
            rows = codes == labels.index(label)
            own = np.full(len(member), np.iinfo(np.int64).min, own.dtype)
            np.maximum.at(own, judgments.index.pair[rows], judgments.row_relevance[rows])
        return member, np.where(member, own, np.minimum(judgments.relevance, 0))

    def scores(self, run: Run, ranked: Rankings) -> dict[FairnessMeasure, Floats]:
        """Return the value of each measure for each topic, ``[T]``; NaN where it is undefined.

        :param ranked: the groups of the ranked documents
        """
        found: dict[FairnessMeasure, Floats] = {}
        for measure, (defined, evaluator) in self._evaluators.items():
            values = np.zeros(len(run.topics))
            kept = ranked.sets.any_of([measure.param("group")])[ranked.codes] \
                | (measure.param("others") == "irrelevant")
            kept &= defined[run.topic]
            for lists, inside in run.samples():
                rows = np.flatnonzero(inside & kept)
                frame = pd.DataFrame({"query_id": self._names[run.topic[rows]],
                                      "doc_id": run.docnos(rows), "score": run.scores(rows)})
                try:
                    of_topic = {one.query_id: one.value for one in evaluator.iter_calc(frame)} \
                        if len(rows) else {}
                except ZeroDivisionError:
                    raise ValueError(f"{measure} cannot be computed: {measure.inner} divides by "
                                     "zero where all documents of a list are relevant") from None
                values[lists] = [of_topic.get(topic, measure.inner.DEFAULT)
                                 for topic in self._names[run.topics[lists]]]
            found[measure] = np.where(defined, mean_of_lists(values, run.topics), np.nan)
        return found
