"""Measures of other providers: whole columns against ir_measures' rows."""

import math

import ir_measures
import pandas as pd
import pytest
from case_marks import quick_cases
from ir_measures import AP, ERR, RR, Judged, P, nDCG

from pt_fairness import AWRF, IAA
from pt_fairness.provider.evaluator import QuickEvaluator

MEASURES = [nDCG @ 5, AP(rel=2), P @ 3, RR, Judged @ 4]


@pytest.mark.parametrize("seed", quick_cases(range(3), first=1))
def test_values_are_those_of_ir_measures(make_case, seed):
    case = make_case(seed)
    columns = ["query_id", "doc_id"]
    qrels = case.qrels_frame.drop_duplicates(columns).drop(columns="iteration")
    run = case.run_frame.drop_duplicates(columns)
    found, wanted = ({(one.query_id, str(one.measure)): one.value for one in metrics}
                     for metrics in (QuickEvaluator(MEASURES, qrels).iter_calc(run),
                                     ir_measures.iter_calc(MEASURES, qrels, run)))
    assert found == pytest.approx(wanted)


def test_of_duplicate_rows_the_last_is_used():
    qrels = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "a"], "relevance": [0, 1]})
    run = pd.DataFrame({"query_id": "1", "doc_id": ["b", "a", "b"], "score": [3.0, 2.0, 1.0]})
    assert [one.value for one in QuickEvaluator([RR], qrels).iter_calc(run)] == [1.0]


@pytest.mark.skipif(not ir_measures.gdeval.is_available(), reason="gdeval needs perl")
def test_gdeval_knows_documents_of_two_groups_and_topics_that_are_no_numbers():
    rows = [(qid, docno, label, group) for qid in ("a-1", "b-1", "x", "7")
            for docno, label, group in (("a", 2, "A"), ("a", 2, "B"), ("b", 1, "A"))]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    orders = {"a-1": "ab", "b-1": "ba", "7": "ab", "unjudged": "a"}
    run = pd.DataFrame([(qid, docno, -rank) for qid, order in orders.items()
                        for rank, docno in enumerate(order)],
                       columns=["query_id", "doc_id", "score"])  # fmt: skip
    metrics = QuickEvaluator([nDCG(dcg="exp-log2") @ 5], qrels).iter_calc(run)
    reverse = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert {one.query_id: one.value for one in metrics} == pytest.approx(
        {"a-1": 1, "b-1": reverse, "x": 0, "7": 1}, abs=1e-5)


def test_a_measure_of_another_provider_is_computed_beside_those_of_trec_eval():
    share = ir_measures.define_byquery(lambda qrels, run: len(run) / 4, name="Share")
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    run = qrels.rename(columns={"relevance": "score"})
    evaluator = QuickEvaluator([share, RR], qrels)
    assert {one.measure: one.value for one in evaluator.iter_calc(run)} == {share: 0.25, RR: 1.0}
    assert {one.measure: one.value for one in evaluator.iter_calc(run[:0])}[RR] == 0.0
    with pytest.raises(ValueError, match="Unsupported measures"):
        QuickEvaluator([nDCG @ 5, ERR], qrels)


def test_relevance_as_text_or_float_is_the_number():
    qrels = pd.DataFrame([("1", "a", 2, "A"), ("1", "b", 1, "B"), ("1", "c", 0, "A")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = qrels.drop(columns="iteration").assign(score=[1.0, 2.0, 3.0])
    measures = [nDCG @ 3, ir_measures.ERR_IA @ 3, ir_measures.alpha_nDCG @ 3, AWRF @ 3, IAA]
    wanted = QuickEvaluator(measures, qrels).iter_calc(run)
    for other in (qrels.astype({"relevance": str}), qrels.astype({"relevance": float}),
                  qrels.astype({"relevance": float}).astype({"relevance": str})):
        assert QuickEvaluator(measures, other).iter_calc(run) == wanted


@pytest.mark.parametrize("value, shown", [(None, "nan|None"), ("high", "'high'"), (1.5, "1.5")])
def test_the_row_whose_relevance_trec_eval_cannot_take(value, shown):
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": [value, 1]},
                         index=[4, 7])
    with pytest.raises(ValueError, match=f"relevance must be .*RR, got ({shown}) in row 4"):
        QuickEvaluator([RR], qrels)
