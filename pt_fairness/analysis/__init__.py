"""Analysis of experiments: correlations, tests, rankings of systems, properties of collections.

*Averages* are the result of ``pt.Experiment``: ``name`` and a column for each measure. *Per-query*
frames are its result with ``perquery=True``: ``name, qid, measure, value``. Both can also be read
from files. No function modifies its arguments.
"""

from pt_fairness.analysis.corrections import documents_to_label, prediction_powered
from pt_fairness.analysis.correlations import Correlations, combine, correlations, minmax
from pt_fairness.analysis.drawn_labels import label_noise, uncertain_labels
from pt_fairness.analysis.explanation import explain
from pt_fairness.analysis.exposure import document_exposure, inequality, shares
from pt_fairness.analysis.fronts import frontier, headroom
from pt_fairness.analysis.group_statistics import (
    agreement,
    group_distribution,
    group_effectiveness,
    group_gaps,
    ranked_groups,
    topic_gaps,
    undefined,
)
from pt_fairness.analysis.simulation import against_random, ladder, reference_rankings
from pt_fairness.analysis.statistics import ALPHA, bias_test, compare, intervals

__all__ = [
    "ALPHA", "Correlations", "against_random", "agreement", "bias_test", "combine", "compare",
    "correlations", "document_exposure", "documents_to_label", "explain", "frontier",
    "group_distribution", "group_effectiveness", "group_gaps", "headroom", "inequality",
    "intervals", "label_noise", "ladder", "minmax", "prediction_powered", "ranked_groups",
    "reference_rankings", "shares", "topic_gaps", "uncertain_labels", "undefined",
]

__dir__ = __all__.copy
