"""The collection that ships with the package."""

import ir_datasets
import pytest

STANCE = {True: "PRO", False: "CON"}


@pytest.fixture(scope="module")
def docs():
    return {doc.doc_id: doc for doc in ir_datasets.load("pt-fairness/debates").docs_iter()}


def test_size_and_balance(docs):
    dataset = ir_datasets.load("pt-fairness/debates")
    assert len(docs) == 150 and len(list(dataset.queries_iter())) == 10
    for query in dataset.queries_iter():
        prefix = f"d{int(query.query_id):02d}-"
        own = [doc for doc in docs.values() if doc.doc_id.startswith(prefix)]
        assert len(own) == 15
        assert {doc.stance for doc in own} >= {"PRO", "CON"}
        assert min(doc.viewpoint for doc in own) == -3 and max(doc.viewpoint for doc in own) == 3
        relevant = {docs[q.doc_id].stance for q in dataset.qrels_iter()
                    if q.query_id == query.query_id and q.relevance > 0}
        assert relevant >= {"PRO", "CON"}
    assert {q.relevance for q in dataset.qrels_iter()} == {0, 1, 2}


def test_stance_is_the_sign_of_the_viewpoint(docs):
    for doc in docs.values():
        assert doc.stance == ("-" if doc.viewpoint == 0 else STANCE[doc.viewpoint > 0])
        assert len(doc.text.split()) >= 40 and doc.default_text() == f"{doc.title}\n{doc.text}"


@pytest.mark.parametrize("field", ["stance", "viewpoint"])
def test_variants_carry_the_group_in_the_iteration(docs, field):
    plain = list(ir_datasets.load("pt-fairness/debates").qrels_iter())
    groups = list(ir_datasets.load(f"pt-fairness/debates/{field}").qrels_iter())
    assert [q[:3] for q in plain] == [q[:3] for q in groups]
    assert {q.iteration for q in plain} == {"0"}
    assert [q.iteration for q in groups] == [str(getattr(docs[q.doc_id], field)) for q in groups]
