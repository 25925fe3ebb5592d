"""MRecall: worked values, its slow version, and StRecall of ir_measures."""

from __future__ import annotations

import pandas as pd
import pytest
from ir_measures import StRecall
from measure_cases import values_of

from pt_fairness import MRecall, groups

PARAMS = [{"cutoff": 1}, {"cutoff": 3}, {"cutoff": 99}, {}, {"cutoff": 4, "rel": 2}]
WANTED = [("MRecall", params | {"value": value}) for params in PARAMS for value in ("all", "share")]


@pytest.mark.parametrize(("cutoff", "every", "share"), [(1, 0, 0), (2, 1, 2 / 3), (3, 1, 1)])
def test_worked_values(cutoff, every, share):
    qrels = pd.DataFrame([("1", "a", 1, "P"), ("1", "b", 2, "P"), ("1", "b", 2, "Q"),
                          ("1", "c", 1, "R"), ("1", "d", 0, "S"), ("1", "e", 1, "R")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([("1", docno, -float(i)) for i, docno in enumerate("dbca")],
                       columns=["query_id", "doc_id", "score"])
    both = [MRecall @ cutoff, MRecall(value="share") @ cutoff]
    found = values_of(both, qrels, run)
    assert [found[one, "1"] for one in both] == pytest.approx([every, share])


@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("kind", [False, True, "open", "weights"])
@pytest.mark.parametrize("seed", range(8))
def test_against_the_slow_version(make_case, agrees, seed, kind, samples):
    agrees(make_case(seed, several=seed % 2 == 0), WANTED, kind, samples)


@pytest.mark.parametrize("seed", range(10))
def test_the_share_is_st_recall(make_case, seed):
    case = make_case(seed, several=True)
    qrels = case.qrels_frame
    pairs = [(MRecall(value="share", rel=rel) @ k, StRecall(rel=rel) @ k)
             for k in (1, 3, 10) for rel in (1, 2)]
    found = values_of([one for pair in pairs for one in pair], qrels, case.run_frame)
    for ours, theirs in pairs:
        for qid in set(qrels["query_id"]):
            assert found[ours, qid] == pytest.approx(found[theirs, qid], abs=1e-12)


def test_real_runs_against_the_slow_version(robust03, values):
    qrels, runs = robust03
    source = groups.get("trec-newswire").to_qrels(qrels)
    for run in runs.values():
        found = values([MRecall(value="share") @ 10, StRecall @ 10], source, run)
        for qid in set(qrels["query_id"]):
            assert found[MRecall(value="share") @ 10, qid] == pytest.approx(
                found[StRecall @ 10, qid], abs=1e-12)


def test_nothing_returned_and_undefined():
    qrels = pd.DataFrame([("1", "a", 1, "P"), ("2", "a", 0, "Q"), ("2", "b", 1, "-")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([("2", "a", 1.0)], columns=["query_id", "doc_id", "score"])
    with pytest.warns(match="nothing to compare with.*MRecall@5 on 1 of 2 topics"):
        import ir_measures
        values = {m.query_id: m.value for m in ir_measures.iter_calc([MRecall @ 5], qrels, run)}
    assert values == {"1": 0.0, "2": 0.0}
