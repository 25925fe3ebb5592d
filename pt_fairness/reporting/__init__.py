"""The report on an experiment: one HTML file with the systems, the topics and their groups."""

from pt_fairness.reporting.document import Report, report

__all__ = ["Report", "report"]

__dir__ = __all__.copy
