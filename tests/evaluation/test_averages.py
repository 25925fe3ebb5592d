"""Averages and comparisons of scores where few or no topics have a value, and rounding."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pt_fairness.evaluation.experiment import (
    averages_of,
    means_of,
)
from pt_fairness.evaluation.workers import Scores

COLUMNS = ["nDCG@5", "rKL@5", "NumRet"]
QIDS = [str(topic) for topic in range(1, 13)]


@pytest.fixture
def scores():
    """Two runs; one lacks a topic and a value."""
    rng = np.random.default_rng(5)
    found = {"a": Scores(QIDS, rng.random((12, 3))), "b": Scores(QIDS[:-1], rng.random((11, 3)))}
    found["b"].values[3, 1] = math.nan
    return found


def test_no_topic_has_no_mean():
    assert np.isnan(means_of(np.full((3, 1), np.nan), ["AP"])).all()
    assert means_of(np.full((3, 1), np.nan), ["NumRet"]).tolist() == [0.0]
    assert np.isnan(means_of(np.zeros((0, 1)), ["AP"])).all()
    # Summed in the order of the topics, as pt.Experiment does.
    values = [0.1] * 10 + [1e16, -1e16]
    assert means_of(np.array([values]).T, ["AP"]).tolist() == [sum(values) / len(values)]


@pytest.mark.parametrize("topics", [5, 6])
def test_few_topics_reject_nothing(topics):
    """Equal differences have the p-value 0, however few they are."""
    qids = [str(topic) for topic in range(topics)]
    runs = {name: Scores(qids, np.full((topics, 1), mean)) for name, mean in (("a", 0.5), ("b", 1))}
    table = averages_of(runs, ["AP"], [], "a", "holm")
    assert table["AP p-value"][1] == 0.0 and table["AP reject"][1] == (topics == 6)


def test_randomisation_does_not_depend_on_the_order_of_the_topics():
    rng = np.random.default_rng(2)
    qids = [str(topic) for topic in range(40)]  # more than it takes all exchanges of
    runs = {name: Scores(qids, rng.random((40, 1))) for name in "ab"}
    order = rng.permutation(40)
    other = {name: Scores([qids[i] for i in order], one.values[order])
             for name, one in runs.items()}
    one, two = (averages_of(some, ["AP"], [], "a", None, "randomisation") for some in (runs, other))
    assert 0.01 < one["AP p-value"][1] == two["AP p-value"][1]


def test_runs_that_are_missing_or_equal_have_no_p_value(scores):
    lost = averages_of(scores, COLUMNS, [], "broken", "holm")
    assert lost["nDCG@5 p-value"].isna().all() and not lost["nDCG@5 reject"].any()
    same = {"a": scores["a"], "b": scores["a"]}
    table = averages_of(same, COLUMNS, [], "a", None)
    assert math.isnan(table["rKL@5 p-value"][1])
    assert table["rKL@5 +"][1] == table["rKL@5 -"][1] == 0
