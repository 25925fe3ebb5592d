"""Fairness, viewpoint-diversity and bias measures for PyTerrier and ir_measures.

The measures, such as ``rKL``, are names of this package and of ``pyterrier.measures``. The rest by
task, with the commands of ``pt-fairness`` in brackets:

* runs: ``evaluate`` [eval, table], ``table``, ``with_groups``, ``reference_rankings``; the value
  of a topic by hand: ``explain`` [explain]
* one page on them: ``report`` [report]
* tests, intervals, agreement of measures: ``analysis``, ``simulation``
* figures: ``plots`` [plot]
* fairer rankings: ``annotate`` [annotate], ``rerank`` [rerank]
* what documents are: ``groups`` [agreement, groups], ``values``, ``targets``
* measures: [measures], your own with ``measure``
* files: ``read_run``, ``read_qrels``, ``write_qrels``, ``runs``; ``FairnessWarning``
* the plain ``ir_measures`` and ``ir_datasets`` commands: [plug, unplug]
"""

# Importing the package registers its measures in ir_measures (and hence in PyTerrier). Its dataset
# ids are registered in ir_datasets when ir_datasets is imported. The import loads none of
# pyterrier, ir_datasets, pandas and scipy.

from typing import TYPE_CHECKING

from pt_fairness import collections as _collections
from pt_fairness import measures as _measures
from pt_fairness import provider as _provider
from pt_fairness.core import __version__ as __version__
from pt_fairness.core import after_import as _after_import
from pt_fairness.core import lazy as _lazy

#: Public names that are imported lazily, because they need pandas, and their modules.
_LAZY = {
    "analysis": "pt_fairness.analysis",
    "annotate": "pt_fairness.rerank.rerankers",
    "evaluate": "pt_fairness.evaluation",
    "groups": "pt_fairness.groups",
    "plots": "pt_fairness.plots",
    "report": "pt_fairness.reporting",
    "runs": "pt_fairness.io.runs",
    "simulation": "pt_fairness.analysis.simulation",
    "targets": "pt_fairness.targets",
    "values": "pt_fairness.values",
    "explain": "pt_fairness.analysis",
    "measure": "pt_fairness.measures.measure_names",
    "read_qrels": "pt_fairness.io",
    "rerank": "pt_fairness.rerank",
    "read_run": "pt_fairness.io",
    "reference_rankings": "pt_fairness.analysis",
    "table": "pt_fairness.analysis.tables",
    "with_groups": "pt_fairness.provider.measure_lists",
    "write_qrels": "pt_fairness.io",
    "FairnessWarning": "pt_fairness.core.messages",
}

#: What the package of measures has beside measures.
_FOR_NEW_MEASURES = {"FairnessMeasure", "MEASURES", "Param", "register"}
_MEASURES = {*_measures.__all__} - _FOR_NEW_MEASURES
globals().update({name: vars(_measures)[name] for name in _MEASURES})
__all__ = sorted({*_MEASURES, *_LAZY} - {"plots"})  # plots needs an extra

if TYPE_CHECKING:
    from pt_fairness import analysis as analysis
    from pt_fairness import groups as groups
    from pt_fairness import plots as plots
    from pt_fairness import rerank as rerank
    from pt_fairness import targets as targets
    from pt_fairness import values as values
    from pt_fairness.analysis import explain as explain
    from pt_fairness.analysis import reference_rankings as reference_rankings
    from pt_fairness.analysis import simulation as simulation
    from pt_fairness.analysis.tables import table as table
    from pt_fairness.core.messages import FairnessWarning as FairnessWarning
    from pt_fairness.evaluation import evaluate as evaluate
    from pt_fairness.io import read_qrels as read_qrels
    from pt_fairness.io import read_run as read_run
    from pt_fairness.io import runs as runs
    from pt_fairness.io import write_qrels as write_qrels
    from pt_fairness.measures import *  # noqa: F403
    from pt_fairness.measures.measure_names import measure as measure
    from pt_fairness.provider.measure_lists import with_groups as with_groups
    from pt_fairness.reporting import report as report
    from pt_fairness.rerank.rerankers import annotate as annotate
else:
    __getattr__ = _lazy(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted({*__all__, *_LAZY, "__version__"})


_provider.plug_in()
_after_import("ir_datasets", _collections.register_datasets)
