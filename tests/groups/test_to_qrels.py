"""Qrels with groups."""

from __future__ import annotations

import ir_measures
import pandas as pd
import pytest

from pt_fairness import groups, nDJS, rND


@pytest.mark.parametrize(
    "names", [["qid", "docno", "label"], ["query_id", "doc_id", "relevance"]], ids=str)
def test_to_qrels(names):
    qrels = pd.DataFrame(
        [("1", "a", 2, "x"), ("1", "b", 0, "y"), ("2", "a", 1, "z")], columns=[*names, "note"],
        index=[5, 5, 7])
    before = qrels.copy(deep=True)
    found = groups.from_mapping({"a": ["Y", "X"]}).to_qrels(qrels)
    assert list(found.columns) == [*names, "note", "iteration"]
    assert list(found.itertuples(index=False, name=None)) == [
        ("1", "a", 2, "x", "X"),
        ("1", "a", 2, "x", "Y"),
        ("1", "b", 0, "y", "-"),
        ("2", "a", 1, "z", "X"),
        ("2", "a", 1, "z", "Y")]
    pd.testing.assert_frame_equal(qrels, before)


def test_to_qrels_replaces_earlier_groups():
    qrels = pd.DataFrame(
        [("1", "a", 0, "old"), ("1", "a", 2, "older"), ("1", "b", 1, "0")],
        columns=["qid", "docno", "label", "iteration"])
    found = groups.from_mapping({"a": "X"}).to_qrels(qrels)
    assert found.to_dict("list") == {
        "qid": ["1", "1"], "docno": ["a", "b"], "label": [2, 1], "iteration": ["X", "-"]}


def test_auxiliary_qrels_give_the_values_of_the_groups_parameter(make_case):
    case = make_case(9, several=True)
    source = groups.from_frame(case.groups_frame)
    plain = case.qrels_frame.drop(columns="iteration").drop_duplicates(["query_id", "doc_id"])
    qrels = source.to_qrels(plain)
    # Unjudged documents have groups by the parameter alone.
    run = case.run_frame.merge(plain[["query_id", "doc_id"]])
    for kind in (rND @ 5, nDJS):
        measure = kind(groups=source)
        by_parameter = {m.query_id: m.value for m in ir_measures.iter_calc([measure], plain, run)}
        by_qrels = {m.query_id: m.value for m in ir_measures.iter_calc([kind], qrels, run)}
        assert by_parameter == pytest.approx(by_qrels)


def test_qrels_without_their_columns_are_refused():
    with pytest.raises(
        ValueError, match="qid, docno, label or query_id, doc_id, relevance; these have topic"
    ):
        groups.from_mapping({"a": "X"}).to_qrels(pd.DataFrame({"topic": ["1"]}))


def test_labels_of_several_types_and_attrs_stay_as_they_are():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"],
                          "label": pd.Series([1, "0"], dtype=object)})
    qrels.attrs["track"] = "2021"
    annotated = groups.from_mapping({"a": "PRO"}).to_qrels(qrels)
    assert annotated["label"].tolist() == [1, "0"] and annotated.attrs == {"track": "2021"}
    assert annotated["iteration"].tolist() == ["PRO", "-"]
