"""Averages and comparisons of scores where few or no topics have a value, and rounding."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pt_fairness.analysis.columns import BROKEN, UNDEFINED_EVERYWHERE
from pt_fairness.evaluation.experiment import Options, averages_of, means_of

COLUMNS = ["nDCG@5", "rKL@5", "NumRet"]
QIDS = [str(topic) for topic in range(1, 13)]


def compared(values, baseline, correction, test="t"):
    """Return the averages of systems that are compared with a baseline."""
    by_topic = pd.concat(values, names=["name", "qid"]).stack().rename("value").reset_index()
    by_topic.attrs = {BROKEN: {}, UNDEFINED_EVERYWHERE: {}}
    options = Options(baseline, correction, test, None, False, None, "count", None, 0)
    return averages_of(values, by_topic, baseline, options)


@pytest.fixture
def values():
    """Two runs; one lacks a topic and a value."""
    rng = np.random.default_rng(5)
    first = pd.DataFrame(rng.random((12, 3)), QIDS, COLUMNS)
    second = pd.DataFrame(rng.random((11, 3)), QIDS[:-1], COLUMNS)
    second.iloc[3, 1] = math.nan
    return {"a": first, "b": second}


def test_no_topic_has_no_mean():
    nothing = pd.DataFrame({"AP": [math.nan] * 3, "NumRet": math.nan})
    assert np.nan_to_num(means_of(nothing), nan=-1).tolist() == [-1, 0.0]
    # Summed in the order of the topics, as pt.Experiment does.
    values = [0.1] * 10 + [1e16, -1e16]
    assert means_of(pd.DataFrame({"AP": values})).tolist() == [sum(values) / len(values)]


@pytest.mark.parametrize("topics", [5, 6])
def test_few_topics_reject_nothing(topics):
    """Equal differences have the p-value 0, however few they are."""
    runs = {name: pd.DataFrame({"AP": [mean] * topics}, QIDS[:topics])
            for name, mean in (("a", 0.5), ("b", 1.0))}
    table = compared(runs, "a", "holm")
    assert table["AP p-value"][1] == 0.0 and table["AP reject"][1] == (topics == 6)


def test_randomisation_does_not_depend_on_the_order_of_the_topics():
    rng = np.random.default_rng(2)
    qids = [str(topic) for topic in range(40)]  # more than it takes all exchanges of
    runs = {name: pd.DataFrame({"AP": rng.random(40)}, qids) for name in "ab"}
    order = rng.permutation(40)
    shuffled = {name: of_run.iloc[order] for name, of_run in runs.items()}
    p_values = {compared(of_systems, "a", None, "randomisation")["AP p-value"][1]
                for of_systems in (runs, shuffled)}
    assert len(p_values) == 1 and min(p_values) > 0.01


def test_runs_that_are_missing_or_equal_have_no_p_value(values):
    lost = compared(values, "broken", "holm")
    assert lost["nDCG@5 p-value"].isna().all() and not lost["nDCG@5 reject"].any()
    same = {"a": values["a"], "b": values["a"]}
    table = compared(same, "a", None)
    assert math.isnan(table["rKL@5 p-value"][1])
    assert table["rKL@5 +"][1] == table["rKL@5 -"][1] == 0
