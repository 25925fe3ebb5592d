"""ndeval's measures, against ir_measures with one measure at a time."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import ERR_IA, NRBP, P_IA, StRecall, nERR_IA, nNRBP

from pt_fairness.provider.alpha_ndcg import Ndeval
from pt_fairness.rankings.trec_order import Judgments, Run

MEASURES = [ERR_IA @ 5, ERR_IA @ 10, ERR_IA(rel=2) @ 5, nERR_IA @ 5, P_IA @ 3, StRecall @ 5,
            NRBP, nNRBP(alpha=0.3, beta=0.7)]


def values_of(measures, run: pd.DataFrame, qrels: pd.DataFrame) -> dict:
    judgments = Judgments(qrels)
    found = Ndeval(measures, qrels, judgments).scores(Run(run, judgments, lambda *message: None))
    return {(measure, topic): value for measure, column in found
            for topic, value in zip(judgments.topics, column, strict=True)}


@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_one_measure_at_a_time(make_case, seed):
    case = make_case(seed, several=True)
    qrels = case.qrels_frame
    run = case.run_frame.drop_duplicates(["query_id", "doc_id"])
    found = values_of(MEASURES, run, qrels)
    annotated = qrels[~qrels["iteration"].isin(["", "-"]) & qrels["iteration"].notna()]
    # ndeval breaks ties by the order of the rows, so it gets trec_eval's.
    judgments = Judgments(qrels)
    order = Run(run, judgments, lambda *message: None)
    rows = np.arange(len(order.topic))
    ranked = pd.DataFrame({"query_id": [judgments.topics[i] for i in order.topic],
                           "doc_id": list(order.docnos(rows)), "score": -rows.astype(float)})
    assert len(found) == len(MEASURES) * len(judgments.topics)
    for measure in MEASURES:
        wanted = {one.query_id: one.value
                  for one in ir_measures.iter_calc([measure], annotated, ranked)}
        for topic in judgments.topics:
            # ndeval says NaN for a topic without relevant documents, and nothing for one without
            # rows.
            assert found[measure, topic] == pytest.approx(np.nan_to_num(wanted.get(topic, 0.0)))


def test_unjudged_documents_can_be_left_out():
    qrels = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame({"query_id": "1", "doc_id": ["x", "a", "b"], "score": [3.0, 2.0, 1.0]})
    whole, judged = P_IA @ 2, P_IA(judged_only=True) @ 2
    assert values_of([whole, judged], run, qrels) == {(whole, "1"): 0.25, (judged, "1"): 0.5}


def test_the_value_of_several_rankings_is_their_mean():
    qrels = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "x", "a"], "iteration": [0, 0, 1, 1],
                        "score": [2.0, 1.0, 2.0, 1.0]})
    assert values_of([P_IA @ 2], run, qrels) == {(P_IA @ 2, "1"): (0.5 + 0.25) / 2}
