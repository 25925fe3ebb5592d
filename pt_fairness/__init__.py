"""Fairness, viewpoint-diversity and bias measures for PyTerrier and ir_measures.

Importing the package plugs its measures into ir_measures (and hence into PyTerrier) and, when ir_datasets is imported, its
dataset ids into ir_datasets. It imports neither pyterrier, ir_datasets, pandas nor numpy.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from pt_fairness import collections as _collections
from pt_fairness import provider as _provider
from pt_fairness._imports import after_import as _after_import
from pt_fairness.measures import (
    AWRF,
    NDKL,
    Annotated,
    BiasDCG,
    BiasP,
    BiasRBP,
    DistFair,
    DistKL,
    MaxSkew,
    MinSkew,
    RepBias,
    Skew,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
    β_DCG,
    β_P,
    β_RBP,
)
from pt_fairness.measures.base import listen as _listen

if TYPE_CHECKING:
    from pt_fairness import analysis, groups, simulation, targets
    from pt_fairness.analysis import highlight
    from pt_fairness.evaluation import evaluate
    from pt_fairness.io import read_qrels, read_run, write_qrels
    from pt_fairness.pipelines import annotate
    from pt_fairness.ranking import FairnessWarning

__version__ = "0.1.0"

#: Public names that need numpy or pandas, and where they are.
_LAZY = {
    "analysis": "pt_fairness.analysis",
    "annotate": "pt_fairness.pipelines",
    "evaluate": "pt_fairness.evaluation",
    "groups": "pt_fairness.groups",
    "plots": "pt_fairness.plots",
    "simulation": "pt_fairness.simulation",
    "targets": "pt_fairness.targets",
    "highlight": "pt_fairness.analysis",
    "read_qrels": "pt_fairness.io",
    "read_run": "pt_fairness.io",
    "write_qrels": "pt_fairness.io",
    "FairnessWarning": "pt_fairness.ranking",
}

#: ``plots`` is public too, but not here: ``import *`` would need matplotlib.
__all__ = [
    "AWRF", "Annotated", "BiasDCG", "BiasP", "BiasRBP", "DistFair", "DistKL", "FairnessWarning", "MaxSkew", "MinSkew", "NDKL",
    "RepBias", "Skew", "analysis", "annotate", "evaluate", "groups", "highlight", "nDD", "nDJS", "nDKL", "nDR", "rKL", "rND",
    "rRD", "read_qrels", "read_run", "simulation", "targets", "write_qrels", "β_DCG", "β_P", "β_RBP",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_LAZY[name])
    value = module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LAZY})


def _name_in_pyterrier(name: str, measure: Any) -> None:
    # pyterrier.measures copies ir_measures' registry when it is imported; what comes later has to be added.
    module = sys.modules.get("pyterrier.measures")
    if module is not None:
        setattr(module, name, measure)


def _name_here(name: str, measure: Any) -> None:
    # So that one class is enough to add a measure; those above are named there for type checkers.
    globals().setdefault(name, measure)


_provider.plug_in()
_listen(_name_in_pyterrier)
_listen(_name_here)
_after_import("ir_datasets", _collections.register_datasets)
_after_import("pt_fairness.groups", _collections.register_groups)
