"""Averages and comparisons of scores where few or no topics have a value, and rounding."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pt_fairness.analysis.notes import Comparison, Facts
from pt_fairness.evaluation.experiment import _compared, means

COLUMNS = ["nDCG@5", "rKL@5", "NumRet"]
QIDS = [str(topic) for topic in range(1, 13)]


def compared(values, correction, test="t"):
    """Return the averages of systems that are compared with the first one."""
    facts = Facts(comparison=Comparison(next(iter(values)), test, correction, len(values) - 1))
    return _compared(means(values), values, facts, 0)


def test_no_topic_has_no_mean():
    nothing = pd.DataFrame({"AP": [math.nan] * 3, "NumRet": math.nan})
    assert means({"a": nothing}).isna().all(axis=None)
    # Summed in the order of the topics, as pt.Experiment does.
    values = [1e16, -1e16] + [0.1] * 10
    table = means({"a": pd.DataFrame({"AP": values, "NumRet": values})})
    assert table.to_numpy().tolist() == [[sum(values) / len(values), sum(values)]]


@pytest.mark.parametrize("topics", [5, 6])
def test_few_topics_reject_nothing(topics):
    """Equal differences have the p-value 0, however few they are."""
    runs = {name: pd.DataFrame({"AP": [mean] * topics}, QIDS[:topics])
            for name, mean in (("a", 0.5), ("b", 1.0))}
    table = compared(runs, "holm")
    assert table["AP p-value"]["b"] == 0.0 and table["AP reject"]["b"] == (topics == 6)


@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_differences_by_rounding_are_none(test):
    """Eight topics that differ in the last digit: no win, no p-value, no rejection."""
    runs = {name: pd.DataFrame({"rKL@5": [value] * 8, "AP": np.arange(8) * factor}, QIDS[:8])
            for name, value, factor in (("a", 0.5708133003613007, 1), ("b", 0.5708133003613008, 2))}
    row = compared(runs, "holm", test).loc["b"]
    assert row["rKL@5 +"] == row["rKL@5 -"] == 0 and math.isnan(row["rKL@5 p-value"])
    assert not row["rKL@5 reject"] and row["AP +"] == 7


def test_a_failed_run_counts_in_the_correction():
    rng = np.random.default_rng(5)
    values = {name: pd.DataFrame(rng.random((12, 3)), QIDS, COLUMNS) for name in "ab"}
    facts = Facts(comparison=Comparison("a", "t", "bonferroni", 2), failed={"c": "broken"})
    table = _compared(means(values), values, facts, 0).loc["b"]
    assert table["rKL@5 p-value corrected"] == min(1, 2 * table["rKL@5 p-value"])
