"""Readers and writers of qrels, runs, groups, values and targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt_fairness.core import lazy

if TYPE_CHECKING:
    from pt_fairness.io.qrels_files import load_qrels, qrels_columns, read_qrels, write_qrels
    from pt_fairness.io.runs import read_run

__all__ = ["load_qrels", "qrels_columns", "read_qrels", "read_run", "write_qrels"]

# The ids of datasets need no pandas, and the module that reads their documents is in this package.
_MODULES = dict.fromkeys(__all__, "pt_fairness.io.qrels_files")
__getattr__ = lazy(__name__, _MODULES | {"read_run": "pt_fairness.io.runs"})

__dir__ = __all__.copy
