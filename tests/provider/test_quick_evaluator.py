"""Measures of other providers: whole columns against ir_measures' rows."""

from __future__ import annotations

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, ERR, RBP, RR, Judged, P, nDCG

from pt_fairness.provider.evaluator import QuickEvaluator

MEASURES = [nDCG @ 5, AP(rel=2), P @ 3, RR, Judged @ 4, RBP(p=0.8)]


def available(measures) -> list:
    return [measure for measure in measures if any(
        provider.is_available() and provider.supports(measure)
        for provider in ir_measures.DefaultPipeline.providers)]


@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_ir_measures(make_case, seed):
    case = make_case(seed)
    columns = ["query_id", "doc_id"]
    qrels = case.qrels_frame.drop_duplicates(columns).drop(columns="iteration")
    run = case.run_frame.drop_duplicates(columns)
    measures = available(MEASURES)
    assert {nDCG @ 5, AP(rel=2), P @ 3, RR} <= {*measures}
    found = {(one.query_id, str(one.measure)): one.value
             for one in QuickEvaluator(measures, qrels).iter_calc(run)}
    wanted = {(one.query_id, str(one.measure)): one.value
              for one in ir_measures.iter_calc(measures, qrels, run)}
    assert found == pytest.approx(wanted)


def test_of_duplicate_rows_the_last_is_used():
    qrels = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "a"], "relevance": [0, 1]})
    run = pd.DataFrame({"query_id": "1", "doc_id": ["b", "a", "b"], "score": [3.0, 2.0, 1.0]})
    assert [one.value for one in QuickEvaluator([RR], qrels).iter_calc(run)] == [1.0]


def test_a_measure_of_another_provider_is_computed_beside_those_of_trec_eval():
    share = ir_measures.define_byquery(lambda qrels, run: len(run) / 4, name="Share")
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    run = qrels.rename(columns={"relevance": "score"})
    assert {one.measure: one.value for one in QuickEvaluator([share, RR], qrels).iter_calc(run)} \
        == {share: 0.25, RR: 1.0}


def test_a_measure_that_no_provider_computes_is_an_error():
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    with pytest.raises(ValueError, match="Unsupported measures"):
        QuickEvaluator([nDCG @ 5, ERR], qrels)


def test_no_rows():
    none = pd.DataFrame(columns=["query_id", "doc_id", "score"])
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    assert [(one.query_id, one.value) for one in QuickEvaluator([RR], qrels).iter_calc(none)] == [
        ("1", 0.0)]
