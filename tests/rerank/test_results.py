"""Results as lists, and groups in a column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from rerank_cases import WORKED, results

from pt_fairness import groups
from pt_fairness.rerank.rerankers import Results


def shares(group):
    """The shares of documents a, b, … with these values of the column ``group``."""
    frame = pd.DataFrame({"qid": "1", "docno": list("abcdefgh")[:len(group)],
                          "score": -np.arange(float(len(group))), "group": group})
    found = Results(frame)
    (one,) = found.condensed(found.annotations(None), "uniform", None)
    return {docno: dict(zip(one.labels, row, strict=True))
            for docno, row in zip(one.docnos, one.shares.tolist(), strict=True)}


def test_a_column_of_groups():
    assert shares(["P", ["P", "C"], ["P", "P"], "-", "", None, ("C", "-", None), []]) == {
        "a": {"C": 0, "P": 1}, "b": {"C": 0.5, "P": 0.5}, "c": {"C": 0, "P": 1},
        "g": {"C": 1, "P": 0}}
    assert shares([1, 2.0, np.nan, [1.0, "2"]]) == {
        "a": {"1": 1, "2": 0}, "b": {"1": 0, "2": 1}, "d": {"1": 0.5, "2": 0.5}}
    assert shares(pd.Categorical(["x", None, "é中"])) == {
        "a": {"x": 1, "é中": 0}, "c": {"x": 0, "é中": 1}}
    assert shares(["Portland, OR", ["Portland, OR", "C"]]) == {
        "a": {"C": 0, "Portland, OR": 1}, "b": {"C": 0.5, "Portland, OR": 0.5}}


@pytest.mark.parametrize("wrong", [{"P": 1}, [["P"], ["C"]]])
def test_values_that_are_no_labels(wrong):
    with pytest.raises(ValueError, match="column group must be a label or a list of labels"):
        shares([None, wrong, "P"])


@pytest.mark.parametrize("several", [["P", "C"], ["Portland, OR", "C"]])
def test_a_group_source_and_the_column_that_annotate_writes(several):
    frame = results(WORKED)
    first = several[0]
    source = groups.from_mapping({"a": several, "b": first, "g": "C"})
    column = Results(pt.fairness.annotate(source)(frame.drop(columns="group")))
    ready = Results(frame)
    (one,), (other,) = (found.condensed(found.annotations(given), {first: 0.9, "C": 0.1}, 2)
                        for found, given in ((column, None), (ready, source)))
    assert one.labels == other.labels == ["C", first] and one.k == other.k == 2
    assert one.shares.tolist() == other.shares.tolist() == [[0.5, 0.5], [0, 1], [1, 0]]
    assert one.places.tolist() == other.places.tolist() == [0, 1, 7]
    assert one.target == pytest.approx([0.1, 0.9]) and one.target.tolist() == other.target.tolist()


def test_scores_in_single_precision():
    """Scores that differ after the seventh digit tie, and docnos decide."""
    frame = results([("a", 1.0, "P"), ("b", 1.0 + 1e-9, "P"), ("c", 0.5, "C"), ("d", 0.25, "C")])
    found = Results(frame)
    (one,) = found.condensed(found.annotations(None), "uniform", None)
    assert one.docnos.tolist() == ["b", "a", "c", "d"]
    assert one.normalised() == pytest.approx([1, 1, 1 / 3, 0])


def test_a_topic_as_a_number_and_as_text_is_one_topic():
    frame = pd.DataFrame({"qid": pd.Series([1, "1"], dtype=object), "docno": ["a", "b"],
                          "score": [1.0, 2.0]})
    found = Results(frame)
    assert found.qids == ["1"] and found.length.tolist() == [2]
