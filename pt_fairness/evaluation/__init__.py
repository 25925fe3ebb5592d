"""Parallel evaluation of many runs against the same qrels, and tuning."""

from pt_fairness.analysis.columns import BROKEN as BROKEN
from pt_fairness.analysis.formats import as_text
from pt_fairness.evaluation.experiment import evaluate
from pt_fairness.evaluation.tuning import tune

__all__ = ["as_text", "evaluate", "tune"]

__dir__ = __all__.copy
