"""MS MARCO: queries that are sensitive to gender bias, and the genders of passages."""

import pickle

import pandas as pd
import pytest
from measure_cases import values_of
from msmarco_passages import GENDERS, QUERIES, TASKS, gender

from pt_fairness import MRecall, groups, values
from pt_fairness.core.messages import FairnessWarning


@pytest.mark.filterwarnings("error::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("task", TASKS)
def test_queries_and_judgments(irds, msmarco, qrels_of, task):
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
    with pytest.warns(FairnessWarning, match="1 of 1"):
        assert found.lookup(["9"], ["99"]).empty


NAME = "msmarco-passage/msmgenderbias"
FILE = "msmarco-passage/fair/biases.csv"
CSV = "doc_id,gender_bias\n8210786,M\n7660865,F\n12,N\n"


def test_annotated_genders(irds, files):
    source = groups.get(NAME)
    assert source.labels == ["female", "male", "neutral"] and source.complete, "before it is read"
    files.write(FILE, CSV)
    docnos = ["12", "8210786", "13", "7660865"]
    found = source.lookup(["1"] * 4, docnos)
    assert [*zip(found["docno"], found["group"], strict=True)] == [
        ("12", "neutral"), ("8210786", "male"), ("7660865", "female")]
    assert pickle.loads(pickle.dumps(source)).lookup(["1"], ["12"])["group"].tolist() == ["neutral"]
    qrels = pd.DataFrame({"query_id": "1", "doc_id": docnos, "relevance": 1})
    run = qrels[["query_id", "doc_id"]].assign(score=[4.0, 3.0, 2.0, 1.0])
    measure = MRecall(value="share", groups=NAME) @ 2
    assert values_of([measure], qrels, run) == {(measure, "1"): pytest.approx(2 / 3)}
