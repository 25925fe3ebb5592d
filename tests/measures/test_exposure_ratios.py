"""ExposureRatio, logDP, logEUR, logRUR and IAA."""

from __future__ import annotations

import itertools
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from hypothesis import given
from hypothesis import strategies as st
from measure_cases import of_lists

from pt_fairness import IAA, ExposureRatio, FairnessWarning, logDP, logEUR, logRUR


@given(st.integers(0, 10_000))
def test_sides_that_change_places_change_the_sign(make_case, values, sampled, seed):
    """With two groups, what one side has more the other has less."""
    case = make_case(seed, labels=2)
    run = sampled(case, 2, seed)
    pairs = [(measure(protected="g0", discount="trec"), measure(protected="g1", discount="trec"))
             for measure in (logDP, logEUR, logRUR, logDP(target="qrels"), logDP(target="run"))]
    found = values([measure for pair in pairs for measure in pair], case.qrels_frame, run)
    annotated = case.qrels_frame.dropna(subset="iteration")
    annotated = annotated[annotated["iteration"].str.startswith("g")]
    in_run = run.merge(annotated, on=["query_id", "doc_id"])["query_id"].unique()
    sizes = values([one(abs=True) for one, _ in pairs], case.qrels_frame, run)
    for (one, other), qid in itertools.product(pairs, set(in_run)):
        assert found[one, qid] == pytest.approx(-found[other, qid], abs=1e-9)
        assert sizes[one(abs=True), qid] == abs(found[one, qid])


def test_an_expectation_is_not_a_mean_of_values(values, worked_exposure):
    """Two unfair rankings can make a fair policy."""
    qrels, _ = worked_exposure([])
    qrels = qrels[qrels["relevance"] == 2]
    policies = [[["a1", "b3"]], [["b3", "a1"]], [["a1", "b3"], ["b3", "a1"]]]
    measures = [IAA, logDP(protected="B"), logEUR(protected="B"), logRUR(protected="B")]
    one, other, both = (values(measures, qrels, worked_exposure(policy)[1]) for policy in policies)
    for measure in measures:
        assert both[measure, "1"] == pytest.approx(0, abs=1e-12)
        assert (
            abs(one[measure, "1"]) == pytest.approx(abs(other[measure, "1"])) and one[measure, "1"])


QRELS = pd.DataFrame(
    [("1", "a", 0, "A"), ("1", "b", 0, "B"), ("2", "c", 2, "A"), ("2", "d", 1, "B"),
     ("2", "e", 1, "-"), ("3", "f", 1, "A"), ("3", "g", 3, "-")],
    columns=["query_id", "doc_id", "relevance", "iteration"])


@pytest.mark.parametrize("measure, undefined", [
    (logDP, "13"), (logDP(protected="A"), ""), (logDP(protected="A", target="qrels"), "13"),
    (logDP(protected="A", target={"A": 1.0}), "123"), (logEUR(protected="A"), "13"),
    (logRUR(protected="A"), "13"), (IAA, "1"), (IAA(by="group"), "1"), (IAA(rel=3), "12"),
    (IAA(by="group", rel=3), "123")], ids=str)
def test_undefined_topics(values, measure, undefined):
    run = pd.DataFrame([(qid, docno, 1.0) for qid, docno in zip("123", "acf", strict=True)],
                       columns=["query_id", "doc_id", "score"])
    found = values([measure], QRELS, run)
    assert not any(found[measure, qid] for qid in undefined)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ir_measures.calc_aggregate([measure], QRELS, run)
    counted = [f"on {len(undefined)} of 3 topics" in str(warning.message) for warning in told]
    assert counted == ([True] if undefined else [])


def test_a_cutoff_of_a_million(values):
    """Beyond the list, only what nothing returned is worth depends on it."""
    run = pd.DataFrame([("2", "d", 1.0)], columns=["query_id", "doc_id", "score"])
    deep = [logDP(protected="A") @ 1_000_000, IAA(discount="trec") @ 1_000_000]
    plain = [logDP(protected="A"), IAA(discount="trec")]
    found = values([*deep, *plain], QRELS, run)
    assert [found[measure, "2"] for measure in deep] == [found[measure, "2"] for measure in plain]
    assert found[deep[0], "3"] < found[plain[0], "3"] - 10


# ---------------------------------------------------------------------------- ExposureRatio

THREE = of_lists([["PRO", "PRO", "CON"]])


@pytest.mark.parametrize("params, value", [
    ({}, 0.306574), ({"target": {"PRO": 2 / 3, "CON": 1 / 3}}, 0.613149),
    ({"target": "qrels"}, 0.613149), ({"target": "run"}, 0.613149),
    ({"target": {"PRO": 0.5, "CON": 0.25, "X": 0.25}}, 0)], ids=str)
def test_worked_exposure_ratios(values, params, value):
    measure = ExposureRatio(**params) @ 3
    assert values([measure], *THREE)[measure, "0"] == pytest.approx(value, abs=2e-6)


def test_exposure_ratios_of_fewer_than_two_groups(values):
    """Topic 1 has relevant documents of one group, and shows no other."""
    qrels, run = of_lists([["PRO", "CON"], ["CON", "CON"]])
    of_qrels, of_run = ExposureRatio(target="qrels"), ExposureRatio(target="run")
    with pytest.warns(FairnessWarning, match=r"ExposureRatio\(target='qrels'\) on 1 of 2 topics"):
        assert of_qrels.calc_aggregate(qrels, run) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {m.query_id: m.value for m in of_run.iter_calc(qrels, run)}
    assert found["1"] == 0 < found["0"]


@pytest.mark.newest
@pytest.mark.parametrize("seed", quick_cases(range(5), first=1))
def test_exposure_ratio_against_fairranktune(values, seed):
    from FairRankTune.Metrics import EXP
    pick = np.random.default_rng(seed)
    labels = [*pick.choice([*"ABC"], 25, p=[0.6, 0.3, 0.1]), *"ABC"]
    measure = ExposureRatio(target="run")
    theirs, _ = EXP(pd.DataFrame({0: range(28)}), dict(enumerate(labels)), "MinMaxRatio")
    assert values([measure], *of_lists([labels]))[measure, "0"] == pytest.approx(theirs, abs=1e-12)
