"""Parallel evaluation of many runs against the same qrels."""

from pt_fairness.evaluation.experiment import evaluate
from pt_fairness.tables.formats import as_text
from pt_fairness.tables.names import BROKEN as BROKEN

__all__ = ["as_text", "evaluate"]

__dir__ = __all__.copy
