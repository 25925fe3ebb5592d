"""Parallel evaluation of many runs against the same qrels."""

from pt_fairness.evaluation.experiment import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]

__dir__ = __all__.copy
