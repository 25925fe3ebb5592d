"""Qrels and runs as arrays, with the groups of each judged and ranked document."""

from pt_fairness.rankings.rankings import Rankings

__all__ = ["Rankings"]
