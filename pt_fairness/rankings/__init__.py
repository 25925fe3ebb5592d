"""Qrels and runs as arrays, with the groups of each judged and ranked document."""

from pt_fairness.rankings.view import View

__all__ = ["View"]
