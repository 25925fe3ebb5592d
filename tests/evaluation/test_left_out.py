"""Undefined topics that are left out of averages, tests and intervals."""

from __future__ import annotations

import pandas as pd
import pytest
from evaluation.common import evaluate_quietly
from scipy import stats

from pt_fairness import analysis

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
