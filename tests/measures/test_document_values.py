"""Values of documents: means of label sets, and which values are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FaiRR, RaB, values
from pt_fairness.measures.document_values import of_label_sets

QRELS = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B"), ("2", "a", 1, "A")],
                     columns=["query_id", "doc_id", "relevance", "iteration"])
RUN = pd.DataFrame([("1", "a", 2.0), ("1", "x", 1.0), ("2", "x", 1.0)],
                   columns=["query_id", "doc_id", "score"])


def test_a_label_set_has_the_mean_of_its_labels():
    shares = np.array([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.0, 0.0]])
    assert of_label_sets({"A": 2.0, "C": 9.0}, ["A", "B"], shares).tolist() == [2.0, 1.0, 0.5, 0.0]


def mean(measure) -> list[float]:
    found = {one.query_id: one.value for one in measure.iter_calc(QRELS, RUN)}
    return [found["1"], found["2"]]


def test_a_document_without_a_value_has_that_of_missing():
    source = values.from_mapping({"a": 1.0})
    assert mean(RaB(values=source) @ 2) == pytest.approx([0.5, 0.0])
    assert mean(RaB(values=source, missing=-1.0) @ 2) == pytest.approx([0.0, -1.0])


def test_values_of_labels_are_named_labels():
    measure = RaB(values={"A": 1.0, "none such": 2.0})
    assert ("values", "none such") in measure.named_labels(["A"])
    assert measure.needs_groups and not RaB(values="words").needs_groups


def test_the_background_is_named_with_its_relevance():
    assert FaiRR(values="v").background is None
    assert {RaB(values="v").value_source, RaB(values={"A": 1.0}).value_source} == {
        "v", (("A", 1.0),)}


def test_negative_values_are_refused_where_they_have_no_meaning():
    with pytest.raises(ValueError, match="takes values of at least 0, and a document has -1"):
        FaiRR(values=values.from_mapping({"a": -1.0})).calc_aggregate(QRELS, RUN)
