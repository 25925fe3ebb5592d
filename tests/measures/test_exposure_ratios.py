"""logDP, logEUR, logRUR and IAA against their slow versions, worked values and formulas by hand."""

from __future__ import annotations

import itertools
import math
import random
import warnings
from typing import Any

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_fairness import IAA, groups, logDP, logEUR, logRUR

CUTOFFS = [{}, {"cutoff": 1}, {"cutoff": 4}, {"cutoff": 99}]
DISCOUNTS: list[dict[str, Any]] = [{}, {"discount": "trec"}, {"discount": "geometric"},
                                   {"discount": "geometric", "p": 0.5}, {"discount": "none"}]
SIDES: list[dict[str, Any]] = [
    {**side, **rest, "unannotated": unannotated} for side, rest, unannotated in itertools.product(
        [{"protected": protected} for protected in ("minority", "majority", "g0", "g1,g0")],
        [{}, {"rel": 2}, {"rel": 0, "abs": True}], ["drop", "keep"])]
GAINS = [{"gains": gains} for gains in ("linear", "binary", "exp")]
TARGETS: list[dict[str, Any]] = [{"target": target} for target in (
    "uniform", "qrels", "collection", "run", {"g0": 0.25, "added": 0.75}, {"g0": 1.0})]
IAAS = [{"by": by, "norm": norm, "rel": rel, **gains} for by, norm, rel, gains in itertools.product(
    ["document", "group"], ["max", "none"], [0, 1, 2], GAINS)]


def settings(*parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for part in chosen for name, value in part.items()}
            for chosen in itertools.product(CUTOFFS, DISCOUNTS, *parts)]


SETTINGS = {"logDP": settings(SIDES, TARGETS), "logEUR": settings(SIDES, GAINS),
            "logRUR": settings(SIDES, GAINS), "IAA": settings(IAAS)}


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True, "open", "weights"],
                         ids=["iteration", "frame", "open", "weights"])
@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_against_the_slow_version(make_case, agrees, name, samples, from_frame, several, seed):
    pick = random.Random(f"{seed} {name} {samples} {from_frame} {several}")
    wanted = [(name, params) for params in pick.sample(SETTINGS[name], 50)]
    agrees(make_case(seed, several=several), wanted, from_frame, samples)


@pytest.mark.exhaustive
@pytest.mark.parametrize("samples", [1, 2])
def test_many_settings_in_one_call(make_case, agrees, samples):
    pick = random.Random(samples)
    wanted = [(name, params) for name, every in SETTINGS.items()
              for params in pick.sample(every, 250)]
    agrees(make_case(4, several=samples == 2, labels=3), wanted, False, samples)


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
    [
        ("1", "a", 0, "A"),
        ("1", "b", 0, "B"),
        ("2", "c", 2, "A"),
        ("2", "d", 1, "B"),
        ("2", "e", 1, "-"),
        ("3", "f", 1, "A"),
        ("3", "g", 3, "-")],
    columns=["query_id", "doc_id", "relevance", "iteration"],
)


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


@pytest.mark.parametrize("ranked", [[], ["x"]], ids=["nothing", "nothing annotated"])
def test_nothing_returned(values, ranked):
    """The value of k documents of the other side, without a cutoff of one."""
    two = 1 + 1 / math.log2(3)

    def log(other: float) -> float:
        return math.log(1e-6) - math.log(other + 1e-6)

    expected = {
        logDP(protected="A"): log(1), logDP(protected="A") @ 2: log(two),
        logDP(protected="A", target={"A": 0.75, "B": 0.25}) @ 2: log(two / 0.5),
        logDP(protected="A", target="run") @ 2: log(two), logEUR(protected="B") @ 2: log(two / 2),
        logRUR(protected="B", abs=True) @ 2: -log(two / 2), IAA(by="group"): 1,
        IAA(by="group", norm="none") @ 2: 1.5 + two,
        logDP(protected="A", discount="geometric", p=0.5) @ 3: log(1.75),
        logDP(protected="A", discount="trec") @ 3: log(2 + 1 / math.log2(3)),
        logDP(protected="A", unannotated="keep") @ 2: log(two)}
    if not ranked:
        expected |= {IAA: 1, IAA(norm="none"): 2 + 1, IAA(norm="none") @ 2: 2 + two}
    run = pd.DataFrame([("unknown", "c", 1.0), *(("2", docno, 1.0) for docno in ranked)],
                       columns=["query_id", "doc_id", "score"])
    found = values(expected, QRELS, run)
    for measure, value in expected.items():
        assert found[measure, "2"] == pytest.approx(value), measure


def test_a_cutoff_of_a_million(values):
    """Beyond the list, only what nothing returned is worth depends on it."""
    run = pd.DataFrame([("2", "d", 1.0)], columns=["query_id", "doc_id", "score"])
    deep = [logDP(protected="A") @ 1_000_000, IAA(discount="trec") @ 1_000_000]
    plain = [logDP(protected="A"), IAA(discount="trec")]
    found = values([*deep, *plain], QRELS, run)
    assert [found[measure, "2"] for measure in deep] == [found[measure, "2"] for measure in plain]
    assert found[deep[0], "3"] < found[plain[0], "3"] - 10


def test_unannotated_documents(values):
    """They are dropped, keep their ranks, or count like any other."""
    run = pd.DataFrame([("2", docno, -i) for i, docno in enumerate("xced")],
                       columns=["query_id", "doc_id", "score"])
    drop, keep = (logDP(protected="B", unannotated=how) for how in ("drop", "keep"))
    found = values([drop, keep, keep @ 2, IAA, IAA(by="group")], QRELS, run)
    weights = [1 / math.log2(i + 1) for i in range(1, 5)]
    expected = {drop: math.log(weights[1] + 1e-6) - math.log(1 + 1e-6),
                keep: math.log(weights[3] + 1e-6) - math.log(weights[1] + 1e-6),
                keep @ 2: math.log(1e-6) - math.log(weights[1] + 1e-6)}
    share = [weight / sum(weights) for weight in weights]
    expected[IAA] = (share[0] + abs(share[1] - 2 / 4) + abs(share[2] - 1 / 4)
                     + abs(share[3] - 1 / 4)) / 2
    expected[IAA(by="group")] = abs(weights[1] / (weights[1] + weights[3]) - 2 / 3)
    for measure, value in expected.items():
        assert found[measure, "2"] == pytest.approx(value), measure


def test_without_groups(values, worked_exposure):
    """By document, no groups are needed, and no source is asked for any."""
    qrels, run = worked_exposure()
    plain = values([IAA, IAA @ 3], qrels, run)
    assert values([IAA, IAA @ 3], qrels.drop(columns="iteration"), run) == plain
    named = IAA(groups=groups.from_mapping({}))
    assert values([named], qrels, run)[named, "1"] == plain[IAA, "1"]


def test_ranges():
    assert logDP.RANGE == (None, None) and logDP(abs=True).RANGE == (0.0, None)
    assert IAA.RANGE == (0.0, 1.0) and IAA(norm="none").RANGE == (0.0, None)
    for text in ("logRUR(protected='A',gains='exp')@5", "IAA(discount='geometric',by='group')"):
        assert str(ir_measures.parse_measure(text)) == text
