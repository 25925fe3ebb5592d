"""Groups of all kinds, and classes of one's own."""

from __future__ import annotations

import threading

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import Annotated, groups, rKL, rND
from pt_fairness.groups import Groups


class Looked(Groups):
    def __init__(self, table):
        super().__init__(labels=["P", "C"])
        self.table = table

    def lookup(self, qids, docnos):
        return pd.DataFrame(
            {"qid": qids, "docno": docnos, "group": [self.table.get(docno) for docno in docnos]})


class Stored(Groups):
    def __init__(self, table):
        super().__init__(labels=["x"])
        self.table, self.lock = table, threading.Lock()

    def __getstate__(self):
        return {"table": self.table}


def test_tables_within_groups_count_with_their_index():
    one, same, other = (
        Looked(pd.Series(["P", "C"], index=index)) for index in (["a", "b"], ["a", "b"], ["b", "a"])
    )
    assert one == same != other and one.name == same.name != other.name


def test_groups_count_by_what_pickle_stores_of_them():
    one, same, other = Stored("a"), Stored("a"), Stored("b")
    assert one == same != other and one.name == same.name != other.name


def test_ids_that_became_floats_are_found():
    source = groups.from_mapping({"1": {"7": "x"}})
    assert source.lookup([1.0], [7.0]).to_numpy().tolist() == [["1", "7", "x"]]
    assert (
        pt.fairness.annotate(source)(pd.DataFrame({"qid": [1.0, 2.0], "docno": [7.0, 7.0]}))[
            "group"].tolist()[0]
        == "x"
    )


class Even(Groups):
    """Groups of one's own: whether a docno ends with an even digit."""

    def lookup(self, qids, docnos):
        rows = [
            (qid, docno, "even" if int(docno[-1]) % 2 == 0 else "odd")
            for qid, docno in zip(qids, docnos, strict=True) if docno[-1].isdigit()]
        return pd.DataFrame(rows, columns=["qid", "docno", "group"])


def test_a_class_of_one_s_own():
    source = Even("even", ["even", "odd"])
    qrels = pd.DataFrame(
        [("1", f"d{i}", 1) for i in range(4)], columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame(
        [("1", "d2", 3.0), ("1", "d0", 2.0), ("1", "x", 1.5), ("1", "d9", 1.0)],
        columns=["query_id", "doc_id", "score"])
    measure = rND(groups=source, protected="even", norm="none")
    w = 1 / np.log2(np.arange(2, 5))
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(
        w[0] / 2 + w[1] / 2 + w[2] / 6)
    assert source.to_qrels(qrels)["iteration"].tolist() == ["even", "odd", "even", "odd"]


def test_a_class_that_returns_something_else_is_refused():
    class Wrong(Groups):
        def lookup(self, qids, docnos):
            return pd.DataFrame({"docno": docnos})

    with pytest.raises(ValueError, match=r"lookup returned has no column 'qid'"):
        Wrong("wrong").to_qrels(pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]}))
    with pytest.raises(NotImplementedError, match="needs a lookup"):
        Groups("nothing").to_qrels(pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]}))


def test_groups_that_hold_none_are_no_annotations():
    nothing = groups.from_frame(pd.DataFrame({"docno": ["a"], "group": ["-"]}))
    with pytest.raises(ValueError, match="holds no group at all"):
        ir_measures.calc_aggregate([rND(groups=nothing)], {"1": {"a": 1}}, {"1": {"a": 1.0}})


def test_a_class_that_is_defined_anew_is_another():
    """As a notebook cell that is edited and run again."""
    qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": 1})
    for n in (1, 2, 3, 3, 4):

        class Mine(groups.Groups):
            def lookup(self, qids, docnos, n=n):
                return pd.DataFrame({"qid": qids, "docno": docnos, "group": "x"}).head(n)

        measure = Annotated(groups=Mine("anew", ["x"]))
        judged = pt.model.to_ir_measures(qrels)
        assert (
            ir_measures.calc_aggregate([measure], judged, judged.assign(score=1.0))[measure]
            == n / 4)


def test_classes_of_one_name_that_do_different_things_are_distinguished():
    def made(label):
        class Mine(groups.Groups):
            def lookup(self, qids, docnos):
                return pd.DataFrame({"qid": qids, "docno": docnos, "group": label})

        return Mine("twin", ["x", "y"])

    one, other = made("x"), made("y")
    assert rND(groups=one) == rND(groups=one) != rND(groups=other)
    with pytest.raises(ValueError, match="two groups of this call are named 'twin'"):
        ir_measures.evaluator([rND(groups=one), rND(groups=other)], {"1": {"a": 1}})
    frame = pd.DataFrame({"docno": ["b"], "group": ["x"]})
    corrected = [one.override(frame), other.override(frame)]
    assert corrected[0] != corrected[1] and corrected[0].name != corrected[1].name


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT, "", "-"])
def test_what_maps_to_nothing(nothing):
    source = groups.from_mapping({"a": "PRO", "b": "CON"})
    assert source.relabel({"1": nothing, "2": "liberal"}).topics == ["2"]
    assert source.relabel({"1": {"PRO": "x", "CON": nothing}}).labels == ["x"]


def test_relabelling_again_does_not_bring_topics_back():
    once = groups.from_mapping({"a": "PRO", "b": "CON"}).relabel({"1": "liberal"})
    twice = once.relabel({qid: {"liberal": "L", "conservative": "C"} for qid in "12"})
    assert once.topics == twice.topics == ["1"]


class Forgetful(groups.Groups):
    def lookup(self, qids, docnos):
        return None


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: groups.from_pattern("^(FT)", labels="FT"), r"labels='FT' is one text.*\['FT'\]"),
        (
            lambda: groups.get(None),
            "the path of a file, a dictionary, a DataFrame or a Groups object, not None"),
        (
            lambda: rKL(groups=pd.DataFrame({"docno": ["a"], "source": ["x"]})),
            "the frame of groups has no column 'group'"),
        (lambda: groups.from_frame({"a": "X"}), "not from a dict; from_mapping takes dictionaries"),
        (
            lambda: groups.from_mapping(pd.DataFrame({"docno": ["a"], "group": ["x"]})),
            "not from a DataFrame; from_frame takes"),
        (lambda: groups.from_mapping([("a", "X")]), "not from a list"),
        (
            lambda: groups.from_mapping({"a": "X"}).to_qrels("qrels.txt"),
            "not a str; pt_fairness.read_qrels reads a file into one"),
        (
            lambda: groups.from_mapping({"a": "X"}).relabel({"1": "liberal"}),
            "to rename; a leaning such as 'liberal' renames"),
        (
            lambda: Forgetful("forgetful").annotate(["1"], ["a"]),
            "lookup returned None; it has to return a frame"),
        (
            lambda: groups.from_mapping({"a": "X"}).lookup(["1", "2"], ["a"]),
            "2 topics and 1 documents"),
        (
            lambda: groups.from_irds(
                "pt-fairness/debates", lambda document: document.premises[0]
            ).lookup(["1"], ["d01-01"]),
            "the function for the groups of 'd01-01' in pt-fairness/debates raised AttributeError",
        ),
    ],
)
def test_wrong_groups_are_named(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def test_a_class_without_weights_returns_none():
    class Wrong(Groups):
        def lookup(self, qids, docnos):
            return pd.DataFrame({"qid": qids, "docno": docnos, "group": "x", "weight": 0.5})

    with pytest.raises(ValueError, match=r"has a column weight, .*; set weighted = True in the"):
        Wrong("wrong").annotate(["1"], ["a"])
    Wrong.weighted = True
    assert Wrong("right").annotate(["1"], ["a"]).weight.tolist() == [0.5]


def test_a_class_with_weights_returns_them():
    class Wrong(Groups):
        weighted = True

        def lookup(self, qids, docnos):
            return pd.DataFrame({"qid": qids, "docno": docnos, "group": "x"})

    with pytest.raises(ValueError, match="lookup returned has no column 'weight'"):
        Wrong("wrong").annotate(["1"], ["a"])
