"""Evaluator of any measures for many runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import listed, warn
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.provider import FAIRNESS
from pt_fairness.provider.evaluator import FairnessEvaluator
from pt_fairness.provider.others import QuickEvaluator
from pt_fairness.rankings.trec_order import Run


class ManyRunsEvaluator(QuickEvaluator):
    """Evaluator of many runs, with the values of ``ir_measures.evaluator(measures, qrels)``.

    Warnings are repeated for each run. If a run has several rankings of a topic, a further warning
    names the measures of other providers.
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        super().__init__(measures, qrels)
        self._measures = measures
        #: The evaluators of this package's measures: one or none.
        self.fairness = [one for one in getattr(self._others, "evaluators", [self._others])
                          if isinstance(one, FairnessEvaluator)]

    def iter_calc(self, run: pd.DataFrame) -> Iterator[Any]:
        warn_of_one_list(self._measures, run)
        for evaluator in self.fairness:
            evaluator.forget_warnings()
        yield from super().iter_calc(run)

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
