"""Files in and out: qrels, runs, groups and targets as frames."""

from pt_fairness.io.columns import need_columns as need_columns
from pt_fairness.io.groups import read_groups
from pt_fairness.io.groups import read_targets as read_targets
from pt_fairness.io.qrels import load_qrels, qrels_columns, read_qrels, write_qrels
from pt_fairness.io.runs import read_run

__all__ = ["load_qrels", "qrels_columns", "read_groups", "read_qrels", "read_run", "write_qrels"]
