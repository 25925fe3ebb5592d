"""Parallel evaluation of many runs against the same qrels."""

from pt_fairness.evaluation.experiment import BROKEN as BROKEN
from pt_fairness.evaluation.experiment import evaluate
from pt_fairness.evaluation.text import as_text

__all__ = ["as_text", "evaluate"]
