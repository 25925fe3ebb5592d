"""The collection that ships with the package."""

import ir_datasets
import pandas as pd
import pytest

STANCE = {True: "PRO", False: "CON"}


@pytest.fixture(scope="module")
def docs():
    return {doc.doc_id: doc for doc in ir_datasets.load("pt-fairness/debates").docs_iter()}


def test_size_and_balance(docs):
    dataset = ir_datasets.load("pt-fairness/debates")
    qrels = pd.DataFrame(dataset.qrels_iter())
    assert len(docs) == 150 and len(list(dataset.queries_iter())) == 10
    assert {*qrels["relevance"]} == {0, 1, 2}
    relevant = qrels[qrels["relevance"] > 0]
    stances = relevant["doc_id"].map(lambda docno: docs[docno].stance)
    pairs = {*zip(relevant["query_id"], stances, strict=True)}
    for query in dataset.queries_iter():
        prefix = f"d{int(query.query_id):02d}-"
        viewpoints = [doc.viewpoint for docno, doc in docs.items() if docno.startswith(prefix)]
        assert len(viewpoints) == 15 and {-3, 3} <= {*viewpoints}
        assert {(query.query_id, "PRO"), (query.query_id, "CON")} <= pairs


def test_stance_is_the_sign_of_the_viewpoint(docs):
    for doc in docs.values():
        assert doc.stance == ("-" if doc.viewpoint == 0 else STANCE[doc.viewpoint > 0])
        assert doc.default_text() == f"{doc.title}\n{doc.text}"


@pytest.mark.parametrize("field", ["stance", "viewpoint"])
def test_variants_carry_the_group_in_the_iteration(docs, field):
    plain = list(ir_datasets.load("pt-fairness/debates").qrels_iter())
    groups = list(ir_datasets.load(f"pt-fairness/debates/{field}").qrels_iter())
    assert [q[:3] for q in plain] == [q[:3] for q in groups]
    assert {q.iteration for q in plain} == {"0"}
    assert [q.iteration for q in groups] == [str(getattr(docs[q.doc_id], field)) for q in groups]
