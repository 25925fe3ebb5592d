"""The warning on ties of measures of ndeval, and the way to leave them to ndeval."""

from __future__ import annotations

import os
import subprocess
import sys

import ir_measures
import pandas as pd
import pytest
from case_marks import quick_cases
from ir_measures import AP_IA, ERR_IA, NRBP, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from provider_cases import QRELS, subtopic_case, told, told_of

pytest.importorskip("pyndeval")

JUDGED = pd.DataFrame([("q", "a", 1, "X"), ("q", "b", 1, "Y"), ("q", "c", 1, "X"),
                       ("q", "d", 1, "X"), ("q", "e", 0, "Y")], columns=QRELS)


def run_of(**scores: float) -> pd.DataFrame:
    return pd.DataFrame({"query_id": "q", "doc_id": [*scores], "score": [*scores.values()]})


TIED = run_of(a=2.0, b=1.0, c=1.0, f=0.5)


MEASURES = [alpha_nDCG @ 3, alpha_DCG @ 3, alpha_nDCG, alpha_DCG, ERR_IA @ 3, nERR_IA @ 3, NRBP,
            nNRBP, AP_IA, StRecall @ 2]


@pytest.mark.parametrize("seed", quick_cases(range(4), first=1))
def test_the_warning_has_the_number_of_topics_that_differ_from_ndeval(seed):
    qrels, run = subtopic_case(seed, documents=12, topics=9)
    run["score"] = run["score"].round(1)
    qids = sorted(set(qrels["query_id"]))
    measures = [alpha_nDCG @ 5, ERR_IA @ 5]
    differ = set()
    for measure in measures:
        theirs, ours = ({one.query_id: one.value for one in provider.iter_calc(
            [measure], qrels, run.sort_values("query_id"))}
            for provider in (ir_measures.pyndeval, ir_measures))
        differ |= {qid for qid in qids if abs(theirs.get(qid, 0) - ours[qid]) > 1e-7}
    (text,) = told_of(measures, qrels, run)
    assert f"{len(differ)} of {len(qids)} topics" in text


@pytest.mark.parametrize("run", [
    pytest.param(run_of(a=3.0, b=2.0, c=1.0), id="no ties"),
    pytest.param(run_of(a=3.0, c=1.0, d=1.0), id="equals"),
    pytest.param(run_of(a=3.0, e=1.0, f=1.0), id="worth nothing"),
    pytest.param(run_of(a=3.0, c=2.0, d=1.5, b=0.5, f=0.5), id="below the cutoff"),
    pytest.param(run_of(b=2.0, c=2.0), id="of the same value")])
def test_ties_that_cannot_are_not(run):
    measures = [alpha_nDCG @ 3, alpha_DCG(alpha=0.9) @ 2, ERR_IA @ 3, StRecall @ 3]
    assert told_of(measures, JUDGED, run) == []


def test_scores_that_are_equal_as_float32_are_tied():
    assert told_of([alpha_nDCG @ 2], JUDGED, run_of(a=2.0, b=1.00000001, c=1.0, d=0.5, f=0.2))
    assert not told_of([alpha_nDCG @ 2], JUDGED, run_of(a=2.0, b=1.0001, c=1.0))


def test_one_warning_per_evaluator():
    evaluator = ir_measures.evaluator(
        [alpha_nDCG @ 3, alpha_nDCG(alpha=0.9) @ 3, alpha_DCG @ 3], JUDGED)
    run = run_of(a=2.0, b=1.0, c=1.0)
    assert len(told(lambda: [evaluator.calc_aggregate(run) for _ in range(3)])) == 1


@pytest.mark.slow
def test_the_environment_variable_leaves_all_of_it_to_ndeval():
    # In a process of its own: with all scores tied, ndeval ranks differently.
    qrels, run = subtopic_case(3, topics=3)
    code = f"""
import pandas as pd, ir_measures, pt_fairness
from ir_measures import *
qrels = pd.DataFrame({qrels.to_dict("list")!r})
run = pd.DataFrame({run.assign(score=1.0).to_dict("list")!r})
differ = 0
for measure in [alpha_nDCG @ 5, alpha_DCG @ 5, ERR_IA @ 5, nERR_IA @ 5, NRBP, nNRBP, AP_IA,
                P_IA @ 5, StRecall @ 5]:
    theirs = {{m.query_id: m.value for m in ir_measures.pyndeval.iter_calc([measure], qrels, run)}}
    ours = {{m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}}
    differ += ours != theirs
print(differ)
"""
    differing = [int(subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PT_FAIRNESS_ALPHA": setting}).stdout) for setting in ("ndeval", "")]
    assert differing[0] == 0 and differing[1] >= 5
