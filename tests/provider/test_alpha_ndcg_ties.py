"""The warning on ties of measures of ndeval, and the way to leave them to ndeval."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from provider_cases import subtopic_case, told

pytest.importorskip("pyndeval")

QRELS = pd.DataFrame(
    [
        ("q", "a", 1, "X"),
        ("q", "b", 1, "Y"),
        ("q", "c", 1, "X"),
        ("q", "d", 1, "X"),
        ("q", "e", 0, "Y")],
    columns=["query_id", "doc_id", "relevance", "iteration"],
)


def told_of(measures: list[Any], qrels: pd.DataFrame, run: pd.DataFrame) -> list[str]:
    return told(lambda: list(ir_measures.iter_calc(measures, qrels, run)))


def tied(*scores: tuple[str, float]) -> pd.DataFrame:
    return pd.DataFrame(
        [("q", docno, score) for docno, score in scores], columns=["query_id", "doc_id", "score"])


@pytest.mark.parametrize(
    "measure",
    [
        alpha_nDCG @ 3, alpha_DCG @ 3, alpha_nDCG, ERR_IA @ 3, nERR_IA @ 3, NRBP, nNRBP, AP_IA,
        P_IA @ 2, StRecall @ 2],
    ids=str,
)
def test_ties_that_can_change_a_value_are_warned_of_once(measure):
    found = told_of([measure], QRELS, tied(("a", 2.0), ("b", 1.0), ("c", 1.0), ("f", 0.5)))
    assert len(found) == 1
    assert str(measure) in found[0] and "PT_FAIRNESS_ALPHA=ndeval" in found[0]


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(tied(("a", 3.0), ("b", 2.0), ("c", 1.0)), id="no ties"),
        pytest.param(tied(("a", 3.0), ("c", 1.0), ("d", 1.0)), id="equals"),
        pytest.param(tied(("a", 3.0), ("e", 1.0), ("f", 1.0)), id="worth nothing"),
        pytest.param(
            tied(("a", 3.0), ("c", 2.0), ("d", 1.5), ("b", 0.5), ("f", 0.5)), id="below the cutoff"
        ),
    ],
)
def test_ties_that_cannot_are_not(run):
    assert (
        told_of([alpha_nDCG @ 3, alpha_DCG(alpha=0.9) @ 2, ERR_IA @ 3, StRecall @ 3], QRELS, run)
        == [])


def test_ties_within_the_cutoff_do_not_matter_to_a_set():
    assert (
        told_of(
            [P_IA @ 3, StRecall @ 3], QRELS, tied(("a", 2.0), ("b", 1.0), ("c", 1.0), ("f", 0.5)))
        == []
    )


def test_scores_that_are_equal_as_float32_are_tied():
    assert told_of([alpha_nDCG @ 2], QRELS, tied(("b", 1.00000001), ("c", 1.0)))
    assert not told_of([alpha_nDCG @ 2], QRELS, tied(("b", 1.0001), ("c", 1.0)))


def test_one_warning_per_evaluator():
    evaluator = ir_measures.evaluator(
        [alpha_nDCG @ 3, alpha_nDCG(alpha=0.9) @ 3, alpha_DCG @ 3], QRELS)
    run = tied(("b", 1.0), ("c", 1.0))
    assert len(told(lambda: [evaluator.calc_aggregate(run) for _ in range(3)])) == 1


@pytest.mark.exhaustive
def test_the_environment_variable_leaves_all_of_it_to_ndeval():
    # In a process of its own: with all scores tied, ndeval ranks differently.
    qrels, run = subtopic_case(3, topics=3)
    run = run.assign(score=1.0)
    code = f"""
import pandas as pd, ir_measures, pt_fairness
from ir_measures import *
qrels = pd.DataFrame({qrels.to_dict("list")!r}); run = pd.DataFrame({run.to_dict("list")!r})
differ = 0
for measure in [alpha_nDCG @ 5, alpha_DCG @ 5, ERR_IA @ 5, nERR_IA @ 5, NRBP, nNRBP, AP_IA,
                P_IA @ 5, StRecall @ 5]:
    theirs = {{m.query_id: m.value for m in ir_measures.pyndeval.iter_calc([measure], qrels, run)}}
    ours = {{m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}}
    differ += ours != theirs
print(differ)
"""
    for setting, expected in (("ndeval", "0"), ("", None)):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True,
            check=True, env={**os.environ, "PT_FAIRNESS_ALPHA": setting})
        assert done.stdout.strip() == expected or (expected is None and int(done.stdout) >= 5)


def test_ndeval_itself_is_untouched():
    qrels, run = subtopic_case(4)
    run = run.assign(score=1.0)
    theirs = {
        m.query_id: m.value for m in ir_measures.pyndeval.iter_calc([alpha_nDCG @ 5], qrels, run)}
    ours = {m.query_id: m.value for m in ir_measures.iter_calc([alpha_nDCG @ 5], qrels, run)}
    assert theirs != ours
