"""Averages and comparisons where few or no topics have a value, and rounding."""

import math

import numpy as np
import pandas as pd
import pytest
from evaluation.common import evaluate_quietly
from scipy import stats

from pt_fairness import analysis
from pt_fairness.analysis.notes import Comparison, Facts
from pt_fairness.evaluation.experiment import _compared, means

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


MEASURES = ["nDCG@5", "rND@5"]


@pytest.fixture
def experiment(make_case):
    """Qrels of which some topics have one group, and three runs."""
    cases = [make_case(seed, topics=14, labels=2) for seed in range(3, 6)]
    return {f"s{i}": case.run_frame for i, case in enumerate(cases)}, cases[0].qrels_frame


def test_means_and_tests_are_over_the_defined_topics(experiment):
    options = {"baseline": "s0", "correction": None}
    counted = evaluate_quietly(*experiment, MEASURES, undefined="count", **options)
    result = evaluate_quietly(*experiment, MEASURES, **options)
    averages, values = result
    every = counted.perquery
    undefined = set(counted.facts.undefined["rND@5"])
    assert 0 < len(undefined) < 14 and result.facts.dropped
    wide = every[every["measure"] == "rND@5"].pivot(index="qid", columns="name", values="value")
    defined = wide[~wide.index.isin(undefined)]
    assert averages["rND@5"].to_numpy() == pytest.approx(defined.mean().to_numpy())
    for i, name in enumerate(("s1", "s2"), 1):
        p = stats.ttest_rel(defined[name], defined["s0"]).pvalue
        assert averages["rND@5 p-value"][i] == pytest.approx(p)
        assert averages["rND@5 +"][i] == (defined[name] > defined["s0"]).sum()
    ends = analysis.intervals(values).query("measure == 'rND@5'")
    assert (ends["n"] == len(defined)).all()
    assert ends["mean"].to_numpy() == pytest.approx(averages["rND@5"].to_numpy())
    of_rnd = values[values["measure"] == "rND@5"]
    assert set(of_rnd["qid"][of_rnd["value"].isna()]) == undefined
    columns = [column for column in averages if column.startswith("nDCG@5")]
    pd.testing.assert_frame_equal(averages[columns], counted.averages[columns])


def test_references_leave_them_out_too(experiment):
    _, qrels = experiment
    result = evaluate_quietly(*experiment, MEASURES, references=["proportional"])
    best = analysis.reference_rankings(qrels, kinds=["proportional"])["proportional"]
    _, values = evaluate_quietly({"x": best}, qrels, MEASURES)
    values = values[values["measure"] == "rND@5"].set_index("qid")["value"]
    kept = values.drop(list(result.facts.undefined["rND@5"]))
    assert result.averages["rND@5"].iloc[-1] == pytest.approx(kept.mean())
