"""Readers and writers of qrels, runs, groups, values and targets."""

from pt_fairness.io.frames import need_columns as need_columns
from pt_fairness.io.frames import need_frame as need_frame
from pt_fairness.io.frames import need_rows as need_rows
from pt_fairness.io.groups import memberships as memberships
from pt_fairness.io.groups import read_groups, read_values
from pt_fairness.io.groups import read_labels as read_labels
from pt_fairness.io.groups import read_memberships as read_memberships
from pt_fairness.io.groups import read_targets as read_targets
from pt_fairness.io.groups import read_topic_groups as read_topic_groups
from pt_fairness.io.qrels import load_qrels, qrels_columns, read_qrels, write_qrels
from pt_fairness.io.runs import read_run

__all__ = ["load_qrels", "qrels_columns", "read_groups", "read_qrels", "read_run", "read_values",
           "write_qrels"]

__dir__ = __all__.copy
