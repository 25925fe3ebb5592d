"""Evaluator of any measures for many runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.arrays import Floats
from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.messages import listed, warn
from pt_fairness.provider import FAIRNESS
from pt_fairness.provider.evaluator import FairnessEvaluator
from pt_fairness.rankings.run import Run


class ManyRunsEvaluator:
    """Evaluator of many runs, with the values of ``ir_measures.evaluator(measures, qrels)``.

    pytrec_eval takes dictionaries. ir_measures builds them row by row in Python, this class from
    whole columns. Warnings are repeated for each run. If a run has several rankings of a topic, a
    further warning names the measures of other providers.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``;
        identifiers as text
    :raises ValueError: a measure that no provider computes, or that does not fit the qrels
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        plain = [m for m in measures if _provider_of(m) is ir_measures.pytrec_eval]
        others = [m for m in measures if m not in plain]
        self._measures = measures
        self._plain = ir_measures.pytrec_eval.evaluator(plain, _by_topic(qrels, "relevance")) \
            if plain else None
        self._others = ir_measures.evaluator(others, qrels) if others else None
        #: The evaluators of this package's measures: one or none.
        self.fairness = [one for one in getattr(self._others, "evaluators", [self._others])
                          if isinstance(one, FairnessEvaluator)]

    def iter_calc(self, run: pd.DataFrame) -> Iterator[Any]:
        """Yield the value of each measure for each topic.

        :param run: columns ``query_id, doc_id, score`` and, if it has several rankings of a topic,
            ``iteration``; identifiers as text, scores as floats
        """
        warn_of_one_list(self._measures, run)
        if self._plain is not None:
            yield from self._plain.iter_calc(_by_topic(run, "score"))
        for evaluator in self.fairness:
            evaluator.forget_warnings()
        if self._others is not None:
            yield from self._others.iter_calc(run)

    def contributions(self, run: Run, depth: int) -> dict[FairnessMeasure, Floats]:
        """Return what each document adds to the values, ``[T, depth]``.

        See :meth:`FairnessEvaluator.contributions`.
        """
        return {measure: added for evaluator in self.fairness
                for measure, added in evaluator.contributions(run, depth).items()}


def warn_of_one_list(measures: Sequence[Any], run: pd.DataFrame) -> None:
    """Warn about measures that evaluate one list of a topic although the run has several.

    :param run: columns ``query_id`` and, if it has several rankings of a topic, ``iteration``
    """
    if "iteration" not in run or (run.groupby("query_id")["iteration"].nunique() < 2).all():
        return
    others = [str(measure) for measure in measures if not FAIRNESS.supports(measure)]
    if others:
        warn("the run has several rankings of a topic; one list, with the last row of each "
             f"document, was ranked for {listed(others)}")


def _provider_of(measure: Any) -> Any:
    """Return the provider of a measure in ir_measures' default pipeline, or ``None``."""
    return next((one for one in ir_measures.DefaultPipeline.providers
                 if one.supports(measure) and one.is_available()), None)


def _by_topic(frame: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Return topic → docno → value; of duplicate documents the last row is used."""
    if frame.empty:
        return {}
    codes, names = pd.factorize(frame["query_id"])
    documents, values = frame["doc_id"].tolist(), frame[column].tolist()
    starts = np.flatnonzero(np.diff(codes, prepend=-1)).tolist()
    topics: dict[str, dict[str, Any]] = {}
    for start, end in zip(starts, [*starts[1:], len(codes)], strict=True):
        rows = topics.setdefault(str(names[codes[start]]), {})
        rows.update(zip(documents[start:end], values[start:end], strict=True))
    return topics
