"""The collection that ships with the package."""

import ir_datasets
import pytest


@pytest.fixture(scope="module")
def docs():
    return {doc.doc_id: doc for doc in ir_datasets.load("pt-fairness/debates").docs_iter()}


@pytest.mark.parametrize("field", ["stance", "viewpoint"])
def test_variants_carry_the_group_in_the_iteration(docs, field):
    plain = list(ir_datasets.load("pt-fairness/debates").qrels_iter())
    groups = list(ir_datasets.load(f"pt-fairness/debates/{field}").qrels_iter())
    assert [q[:3] for q in plain] == [q[:3] for q in groups]
    assert {q.iteration for q in plain} == {"0"}
    assert [q.iteration for q in groups] == [str(getattr(docs[q.doc_id], field)) for q in groups]
