"""MS MARCO's queries that are sensitive to gender bias, with the genders of passages."""

import warnings

import ir_measures
import pytest
from msmarco_passages import GENDERS, QUERIES, TASKS, gender

from pt_fairness import groups, values
from pt_fairness.core.messages import FairnessWarning

#: The discount of the second rank.
DISCOUNT = 1 / 1.584962500721156


@pytest.mark.parametrize("task", TASKS)
def test_queries_and_judgments(irds, msmarco, qrels_of, task):
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert qrels_of(gender(task)) == GENDERS
    dataset, base = irds.load(gender(task)), irds.load(f"msmarco-passage/{task}")
    assert [(query.query_id, query.text) for query in dataset.queries_iter()] == [
        (qid, QUERIES[qid]) for qid in ("1", "2")]
    assert dataset.qrels_defs() == base.qrels_defs()
    assert irds.docs_parent_id(gender(task)) == "msmarco-passage"
    assert dataset.docs_count() == base.docs_count()
    assert dataset.queries_count() is dataset.qrels_count() is None


def test_retrieved_passages_and_their_neutrality(msmarco):
    for task in TASKS:
        found = groups.get(gender(task))
        assert found.labels == ["female", "male", "neutral"] and found.complete
        docnos = ["16", "15", "11"]
        assert found.lookup(["9"] * 3, docnos)["group"].tolist() == ["neutral", "male", "female"]
        neutrality = values.get(gender(task))
        assert neutrality.lookup(["9"] * 3, docnos).tolist() == pytest.approx([1, 2 / 3, 0])
    with pytest.warns(FairnessWarning, match="1 of 1 documents are not in the corpus"):
        assert found.lookup(["9"], ["99"]).empty


def test_neutrality_in_a_measure(irds, msmarco):
    measure = ir_measures.parse_measure(f"NFaiRR(values='{gender('dev')}')@2")
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate(("11", "15", "16"))]
    qrels = [row for row in irds.load(gender("dev")).qrels_iter() if row.query_id == "1"]
    value = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    assert value == pytest.approx(2 / 3 * DISCOUNT / (1 + 2 / 3 * DISCOUNT))
