"""Parallel evaluation of many runs against the same qrels."""

from pt_fairness.analysis.columns import BROKEN as BROKEN
from pt_fairness.analysis.formats import as_text
from pt_fairness.evaluation.experiment import evaluate

__all__ = ["as_text", "evaluate"]

__dir__ = __all__.copy
