"""Variants of the ids of ir_datasets, with the groups of documents in their judgments."""

import pytest
from touche_arguments import QRELS, TASK

from pt_fairness.core.messages import FairnessWarning


def test_the_counts_of_ir_datasets(irds):
    plain, found = irds.load(TASK), irds.load(f"{TASK}/stance")
    assert found.queries_count() == plain.queries_count() > 0
    assert found.docs_count() == plain.docs_count() > 0
    assert found.qrels_count() is None, "a document can have several rows"


def test_unannotated_documents_are_counted_in_one_warning(irds, files, qrels_of):
    files.argsme()
    files.touche2020(QRELS + "2 0 b1 1\n2 0 gone1 0\n2 0 gone2 0\n")
    with pytest.warns(FairnessWarning) as told:
        for _ in range(2):
            assert qrels_of(f"{TASK}/stance")[5:] == [
                ("2", "b1", 1, "-"), ("2", "gone1", 0, "-"), ("2", "gone2", 0, "-")]
    message, = [str(one.message) for one in told if one.category is FairnessWarning]
    assert "3 of 8 documents" in message and "'b1'" in message
