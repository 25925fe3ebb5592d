"""Weights and orders, in every constructor."""

from __future__ import annotations

import gzip
import pickle

import numpy as np
import pandas as pd
import pytest

from pt_fairness import groups
from pt_fairness.groups import Groups


def found(source: Groups, *pairs: tuple[str, str]) -> list[tuple[str, str, str]]:
    frame = source.lookup([qid for qid, _ in pairs], [docno for _, docno in pairs])
    assert list(frame.columns) == ["qid", "docno", "group"]
    return list(frame.itertuples(index=False, name=None))


WEIGHTS = pd.DataFrame(
    {"docno": ["a", "a", "b"], "group": ["X", "Y", "Y"], "weight": [0.7, 0.3, 2]})


def weights(source: Groups, *docnos: str) -> list[tuple[str, str, float]]:
    assert source.weighted
    frame = source.lookup(["1"] * len(docnos), docnos)
    return list(frame[["docno", "group", "weight"]].itertuples(index=False, name=None))


def test_a_frame_with_weights():
    expected = [("b", "Y", 2.0), ("a", "X", 0.7), ("a", "Y", 0.3)]
    by_topic = WEIGHTS.assign(qid="1")
    text = WEIGHTS.astype({"weight": str})
    for frame in (WEIGHTS, by_topic, text, WEIGHTS.astype({"weight": "Float64"})):
        assert weights(groups.from_frame(frame), "b", "none", "a") == expected
    assert not groups.from_frame(WEIGHTS.drop(columns="weight")).weighted


def test_weights_of_a_document_and_group_add_up():
    frame = pd.concat([WEIGHTS, WEIGHTS.assign(group=["X", "-", None], weight=[1, -1, None])])
    found = weights(groups.from_frame(frame), "a", "b")
    assert found == [("a", "X", 1.7), ("a", "Y", 0.3), ("b", "Y", 2.0)]


@pytest.mark.parametrize("wrong", [-0.5, float("nan"), float("inf"), None, "much"])
def test_a_weight_that_is_no_number_of_at_least_0_is_refused(wrong, tmp_path):
    frame = WEIGHTS.astype(object)
    frame.loc[1, "weight"] = wrong
    shown = f"has the weight '{wrong}'; weights are numbers of at least 0"
    with pytest.raises(ValueError, match=f"row 1 of the frame of groups {shown}"):
        groups.from_frame(frame)
    path = tmp_path / "groups.csv"
    frame.to_csv(path, index=False, na_rep="None" if wrong is None else "nan")
    if wrong != 0:
        with pytest.raises(ValueError, match=rf"groups\.csv, line 3 {shown}"):
            groups.from_file(path)


def test_a_weight_of_0_is_no_membership(tmp_path):
    frame = WEIGHTS.assign(weight=[0.7, 0.0, 2])
    path = tmp_path / "groups.csv"
    frame.to_csv(path, index=False)
    for source in (groups.from_frame(frame), groups.from_file(path),
                   groups.from_mapping({"a": {"X": 0.7, "Y": 0.0}, "b": {"Y": 2}})):
        assert weights(source, "a", "b") == [("a", "X", 0.7), ("b", "Y", 2.0)]
    none = groups.from_mapping({"a": {"X": 0, "Y": 0.0}, "b": {"X": 1}})
    assert none.labels == ["X", "Y"] and weights(none, "a", "b") == [("b", "X", 1.0)]
    assert none.annotate(np.array(["1"]), np.array(["a"], dtype=object)).unknown.tolist() == [0]


@pytest.mark.parametrize("wrong", [-0.5, float("nan"), float("inf")])
def test_a_weight_in_a_mapping_is_checked(wrong):
    with pytest.raises(ValueError, match=rf"weight of 'Y' for 'a' is {wrong}; weights are numbers"):
        groups.from_mapping({"a": {"X": 0.7, "Y": wrong}})


@pytest.mark.parametrize(
    "mapping",
    [
        {"a": {"X": 0.7, "Y": 0.3}, "b": {"Y": 2}, "c": {}},
        {"1": {"a": {"X": 0.7, "Y": 0.3}, "b": {"Y": np.float64(2)}}, "2": {"a": {"Z": 1}}}],
    ids=["documents", "topics"],
)
def test_a_mapping_with_weights(mapping):
    source = groups.from_mapping(mapping)
    assert weights(source, "a", "b", "c") == [("a", "X", 0.7), ("a", "Y", 0.3), ("b", "Y", 2.0)]


def test_some_documents_of_a_mapping_have_weights():
    source = groups.from_mapping({"a": {"X": 0.7, "Y": 0.3}, "b": ["X", "Y"], "c": "X"})
    found = source.lookup(["1"] * 3, ["a", "b", "c"])
    assert found["weight"].fillna(-1).tolist() == [0.7, 0.3, -1, -1, -1]


def test_numbers_as_labels_by_topic():
    """Dictionaries of numbers are weights; labels that are numbers are in lists."""
    assert groups.from_mapping({"1": {"a": 1, "b": 2}}).labels == ["a", "b"]
    source = groups.from_mapping({"1": {"a": [1], "b": 2}})
    assert found(source, ("1", "a"), ("1", "b")) == [("1", "a", "1"), ("1", "b", "2")]


def test_a_file_with_weights(tmp_path):
    path = tmp_path / "groups.tsv"
    path.write_text("docno\tgroup\tweight\na\tX\t0.7\na\tY\t.3\nb\tY\t2\n")
    for source in (groups.from_file(path), groups.get(path)):
        assert weights(source, "a", "b") == [("a", "X", 0.7), ("a", "Y", 0.3), ("b", "Y", 2.0)]


MEMBERSHIPS = "P1 a 0.0 1.0 0\nP1 b .5 0.25 2.5e-1\n\nP2 a 1 0 0\n"


@pytest.mark.parametrize("packed", [False, True])
def test_a_membership_file(tmp_path, packed):
    path = tmp_path / ("groups.gmemb.gz" if packed else "groups.gmemb")
    path.write_bytes(gzip.compress(MEMBERSHIPS.encode()) if packed else MEMBERSHIPS.encode())
    source = groups.from_file(path, labels=["low", "mid", "none at all"])
    assert source.weighted and source.complete
    assert source.labels == ["low", "mid", "none at all"]
    frame = source.lookup(["P1", "P1", "P2", "P2"], ["a", "b", "a", "b"])
    assert frame.values.tolist() == [
        ["P1", "a", "mid", 1.0],
        ["P1", "b", "low", 0.5],
        ["P1", "b", "mid", 0.25],
        ["P1", "b", "none at all", 0.25],
        ["P2", "a", "low", 1.0]]


@pytest.mark.parametrize(
    ("text", "labels", "says"),
    [
        (MEMBERSHIPS, ["low", "mid"], "line 1: 5 columns where there should be 4"),
        ("P1 a 0.5 half\n", ["low", "mid"], "line 1: the share of mid 'half' is no number"),
        ("P1 a 0.5 0.5\nP1 b 1 nan\n", ["low", "mid"], "line 2: the share of mid 'nan' is no numb"),
        ("P1 a 0.5 0.5\nP1 b 1 -0.5\n", ["low", "mid"], "gmemb, line 2 has the weight '-0.5'"),
        ("P1 a 1 0\n", ["low", "low"], r"labels=\['low', 'low'\] has the label 'low' twice"),
        ("P1 a 1 0\n", "low", "labels='low' is one text; it has to be a list"),
        (MEMBERSHIPS, None, "a membership file .topic, docno, shares. needs the names of ")],
)
def test_a_membership_file_that_cannot_be_read(tmp_path, text, labels, says):
    path = tmp_path / "groups.gmemb"
    path.write_text(text)
    with pytest.raises(ValueError, match=says):
        groups.from_file(path, labels=labels)


def test_a_membership_file_of_a_task(shared):
    """That of the h-index in NTCIR-17 FairWeb-1."""
    path = shared / "data" / "fairweb1" / "fairweb1pilot.R-HINDEX.gmemb"
    source = groups.from_file(path, labels=range(1, 5), order=range(1, 5))
    found = source.lookup(
        ["P001"] * 3,
        ["025eae77-6dd4-43f5-8981-af9dfbe77be4", "03fcec7a-9666-41f0-9419-6f4bdd7b95c3", "none"])
    assert found["group"].tolist() == ["1", "2", "3", "4", "3", "4"]
    assert found["weight"].tolist() == [0.25] * 4 + [0.6666666666666666, 0.3333333333333333]


def test_weights_and_order_are_part_of_the_content():
    frames = [WEIGHTS, WEIGHTS.drop(columns="weight"), WEIGHTS.assign(weight=1)]
    orders = [None, ["X", "Y"], ["Y", "X"]]
    sources = [groups.from_frame(frame, order=order) for frame in frames for order in orders]
    assert len({source.name for source in sources}) == len({one.digest() for one in sources}) == 9
    assert groups.from_frame(WEIGHTS.iloc[::-1]) == groups.from_frame(WEIGHTS)


@pytest.mark.parametrize(
    "made",
    [
        lambda order: groups.from_frame(WEIGHTS, order=order),
        lambda order: groups.from_mapping({"a": ["X", "Y"]}, order=order),
        lambda order: groups.from_pattern("^[XY]", ["X", "Y"], order=order),
        lambda order: groups.from_irds("pt-fairness/debates", "stance", ["X", "Y"], order=order),
        lambda order: groups.from_mapping({"a": ["1", "2"]}).relabel(
            {"1": {"1": "X", "2": "Y"}}, order=order),
    ],
    ids=["frame", "mapping", "pattern", "irds", "relabel"],
)
def test_every_constructor_takes_an_order(made, tmp_path):
    assert made(None).order is None and made(("Y", "X", "more")).order == ["Y", "X", "more"]
    assert made(["Y", "X"]) != made(["X", "Y"]) != made(None)
    assert pickle.loads(pickle.dumps(made(["Y", "X"]))).order == ["Y", "X"]
    for wrong, says in (
        (["X"], r"order=\['X'\] lacks the label 'Y'; it has to hold every label, lowest first"),
        (["X", "Y", "X"], "has the label 'X' twice"),
        ("X,Y", "order='X,Y' is one text; it has to be a list of labels"),
    ):
        with pytest.raises(ValueError, match=says):
            made(wrong)


def test_a_file_with_an_order(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text("docno,group\na,1\nb,2\n")
    assert groups.from_file(path, order=[2, 1.0]).order == ["2", "1"]


def test_an_order_declares_its_labels():
    order = ["low", "mid", "high"]
    source = groups.from_mapping({"a": "mid", "b": "high"}, order=order)
    assert source.labels == ["high", "low", "mid"] and source.order == order
    pattern = groups.from_pattern("[a-z]+", order=order)
    assert pattern.labels == ["high", "low", "mid"] and not pattern.complete
    assert pattern.lookup(["1"], ["other"])["group"].tolist() == ["other"]
