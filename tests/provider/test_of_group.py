"""OfGroup and MRecall where users meet measures."""

from __future__ import annotations

import ir_measures
import pandas as pd
import pytest
from ir_measures import nDCG

from pt_fairness import MRecall, OfGroup, evaluate, groups

QRELS = pd.DataFrame([("1", "a", 1, "human"), ("1", "b", 1, "llm"), ("2", "c", 1, "human"),
                      ("2", "d", 1, "llm")], columns=["qid", "docno", "label", "iteration"])
RUN = pd.DataFrame([("1", "b", 2.0), ("1", "a", 1.0), ("2", "d", 1.0)],
                   columns=["qid", "docno", "score"])
HUMAN, LLM = (OfGroup(measure=nDCG @ 5, group=group) for group in ("human", "llm"))
MEASURES = [HUMAN, LLM, MRecall @ 2, nDCG @ 5]
NAMES = list(map(str, MEASURES))
VALUES = pytest.approx([0.315465, 1.0, 0.5, 0.806574], abs=1e-6)
TWO_CUTOFFS = "OfGroup(measure='nDCG@5',group='human')@3"


def test_evaluate():
    source = groups.from_mapping(dict(zip(QRELS["docno"], QRELS["iteration"], strict=True)))
    for qrels, of_source in ((QRELS, {}), (QRELS.drop(columns="iteration"), {"groups": source})):
        table = evaluate({"one": RUN}, qrels, NAMES, progress=False, **of_source).averages
        assert [*table[NAMES].iloc[0]] == VALUES


def test_several_rankings_of_a_topic_are_averaged():
    run = pd.concat([RUN.assign(iteration="0"), RUN.assign(score=-RUN["score"], iteration="1")])
    columns = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    found = {one.query_id: one.value for one in ir_measures.iter_calc(
        [HUMAN], QRELS.rename(columns=columns), run.rename(columns=columns))}
    assert found == pytest.approx({"1": (1 + 0.630930) / 2, "2": 0.0}, abs=1e-6)


def test_topics_without_a_relevant_document_of_the_group_are_zero():
    """Some providers never end, or divide by zero, on a topic of which none is relevant."""
    qrels = pd.DataFrame([("1", "a", 1, "A"), ("1", "c", 0, "A"), ("2", "a", -1, "A"),
                          ("2", "b", -1, "B"), ("3", "a", 0, "A"), ("3", "b", 1, "B")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = qrels.assign(score=1.0)[["query_id", "doc_id", "score"]]
    measures = [OfGroup(measure=name, group="A", others=others)
                for name in ("nDCG@2", "Accuracy") for others in ("irrelevant", "dropped")]
    for one in ir_measures.iter_calc(measures, qrels, run):
        assert one.query_id == "1" or one.value == 0


def test_a_list_that_a_provider_cannot_take_is_an_error():
    with pytest.raises(ValueError, match=r"measure must be .*Accuracy"):
        evaluate({"one": RUN}, QRELS, [OfGroup(measure="Accuracy", group="llm", others="dropped")],
                 progress=False)


def test_the_relevance_for_a_group_is_that_of_its_rows():
    """Every document is relevant, but one only for the other group."""
    qrels = pd.DataFrame([("1", "a", "A", 0), ("1", "a", "B", 2), ("1", "b", "A", 1)],
                         columns=["query_id", "doc_id", "iteration", "relevance"])
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    for others, value in (("irrelevant", 0.5), ("dropped", 1.0)):  # a is of the group B alone
        values = {group: OfGroup(measure="RR", group=group, others=others).calc_aggregate(
            qrels, run) for group in "AB"}
        assert values == {"A": value, "B": 1.0}
