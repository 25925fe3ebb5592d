"""Analysis of experiments: correlations, tests, rankings of systems, properties of collections.

*Averages* are the result of ``pt.Experiment``: ``name`` and a column for each measure. *Per-query*
frames are its result with ``perquery=True``: ``name, qid, measure, value``. Both can also be read
from files. No function modifies its arguments.
"""

from pt_fairness.analysis.columns import ALPHA, highlight
from pt_fairness.analysis.drawn_labels import label_noise, uncertain_labels
from pt_fairness.analysis.explanation import explain
from pt_fairness.analysis.exposure_over_topics import (
    amortised_inequity,
    document_exposure,
    inequality,
)
from pt_fairness.analysis.formats import long_form
from pt_fairness.analysis.fronts import frontier, headroom
from pt_fairness.analysis.group_statistics import (
    agreement,
    group_distribution,
    group_effectiveness,
    group_gaps,
    ranked_groups,
    representation,
    undefined,
)
from pt_fairness.analysis.groups_of_topics import topic_gaps, topic_groups
from pt_fairness.analysis.inference import bias_summary, compare, intervals
from pt_fairness.analysis.reference_orders import against_random, reference_rankings
from pt_fairness.analysis.system_rankings import (
    Correlations,
    combine,
    correlations,
    minmax,
    rank_table,
    top,
)

__all__ = [
    "ALPHA", "Correlations", "against_random", "agreement", "amortised_inequity", "bias_summary",
    "combine", "compare", "correlations", "document_exposure", "explain", "frontier",
    "group_distribution", "group_effectiveness", "group_gaps", "headroom", "highlight",
    "inequality", "intervals", "label_noise", "long_form", "minmax", "rank_table", "ranked_groups",
    "reference_rankings", "representation", "top", "topic_gaps", "topic_groups",
    "uncertain_labels", "undefined",
]

__dir__ = __all__.copy
