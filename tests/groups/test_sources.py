"""Groups from frames, mappings, patterns and files."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from pt_fairness import groups
from pt_fairness.groups import Groups


def found(source: Groups, *pairs: tuple[str, str]) -> list[tuple[str, str, str]]:
    frame = source.lookup([qid for qid, _ in pairs], [docno for _, docno in pairs])
    assert list(frame.columns) == ["qid", "docno", "group"]
    return list(frame.itertuples(index=False, name=None))


def test_from_a_frame_of_documents():
    source = groups.from_frame(
        pd.DataFrame(
            {"docno": ["b", "a", "a", "c", "d", "e"], "group": ["Y", "X", "Y", None, "", "-"]})
    )
    assert source.labels == ["X", "Y"]
    assert found(
        source, ("1", "a"), ("2", "b"), ("1", "c"), ("1", "d"), ("1", "e"), ("1", "f"), ("3", "a")
    ) == [("1", "a", "X"), ("1", "a", "Y"), ("2", "b", "Y"), ("3", "a", "X"), ("3", "a", "Y")]


def test_from_a_frame_of_topics_and_documents():
    frame = pd.DataFrame(
        {"qid": [1, 1, 2], "docno": ["a", "b", "a"], "group": [1, 1.0, 2], "more": 0})
    for names in ({}, {"qid": "query_id", "docno": "doc_id"}):
        source = groups.from_frame(frame.rename(columns=names))
        assert source.labels == ["1", "2"]
        assert found(source, ("1", "a"), ("2", "a"), ("2", "b"), ("3", "a"), ("1", "b")) == [
            ("1", "a", "1"),
            ("2", "a", "2"),
            ("1", "b", "1")]


def test_a_frame_that_lacks_a_column_is_refused():
    with pytest.raises(
        ValueError, match="no column 'group'; it needs docno, group and has docno, stance"
    ):
        groups.from_frame(pd.DataFrame({"docno": ["a"], "stance": ["PRO"]}))


@pytest.mark.parametrize(
    "mapping",
    [
        {"a": "X", "b": ["X", "Y"], "c": None},
        {"a": "X", "b": ("Y", "X"), "c": []},
        {"a": "X", "b": {"X", "Y"}, "c": "-"}],
    ids=["list", "tuple", "set"],
)
def test_from_a_mapping(mapping):
    source = groups.from_mapping(mapping)
    assert source.labels == ["X", "Y"]
    assert sorted(found(source, ("1", "a"), ("1", "b"), ("1", "c"))) == [
        ("1", "a", "X"),
        ("1", "b", "X"),
        ("1", "b", "Y")]


def test_from_a_mapping_by_topic():
    source = groups.from_mapping({"1": {"a": "X"}, 2: {"a": ["Y"], "b": "X"}})
    assert found(source, ("1", "a"), ("1", "b"), ("2", "a"), ("2", "b")) == [
        ("1", "a", "X"),
        ("2", "a", "Y"),
        ("2", "b", "X")]


@pytest.mark.parametrize(
    "pattern, expected",
    [
        (r"^[A-Z]+", ["FT", "LA"]),
        (r"^([A-Z]+)-(\d)", ["FT", "LA"]),
        (r"^([A-Z]+)-(?P<group>\d)", ["1", "2"])],
)
def test_from_a_pattern(pattern, expected):
    source = groups.from_pattern(pattern)
    assert source.labels is None
    assert [
        group for _, _, group in found(source, ("1", "FT-1"), ("1", "none"), ("1", "LA-2"))
    ] == expected


def test_from_a_pattern_with_labels():
    source = groups.from_pattern(r"^[A-Z]+", ["FT", "LA", "FR"])
    assert source.labels == ["FR", "FT", "LA"]
    assert found(source, ("1", "FT-1"), ("1", "XX-1")) == [("1", "FT-1", "FT")]
    with pytest.raises(ValueError, match="no regular expression"):
        groups.from_pattern("(")


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "1 PRO a 1\n1 CON b 0\n1 - c 0\n2 CON a 1\n",
            [("1", "a", "PRO"), ("1", "b", "CON"), ("2", "a", "CON")]),
        (
            "docno\tgroup\na\tPRO\nb\tein Wort\nc\t-\n",
            [("1", "a", "PRO"), ("1", "b", "ein Wort"), ("2", "a", "PRO")]),
        (
            'qid,docno,group\n1,a,PRO\n1,b,"x, y"\n2,a,é\n',
            [("1", "a", "PRO"), ("1", "b", "x, y"), ("2", "a", "é")]),
        ("\ufeffgroup,doc_id\r\n1.0,a\r\n", [("1", "a", "1.0"), ("2", "a", "1.0")]),
    ],
    ids=["qrels", "tabs", "commas", "byte order mark"],
)
def test_from_a_file(tmp_path, text, expected, ending):
    path = tmp_path / f"groups.txt{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending else text.encode())
    for source in (groups.from_file(path), groups.get(path), groups.get(str(path))):
        assert found(source, ("1", "a"), ("1", "b"), ("1", "c"), ("2", "a")) == expected
        assert source.labels == sorted({group for _, _, group in expected})


def test_trec_newswire():
    source = groups.get("trec-newswire")
    assert source.labels == ["FBIS", "FR", "FT", "LA"]
    assert [
        g
        for _, _, g in found(
            source,
            *(("1", d) for d in ("FBIS3-1", "FR940104-0-1", "FT911-7", "LA010189-1", "CR93E-1")))
    ] == ["FBIS", "FR", "FT", "LA"]


def test_lookup_of_nothing():
    for source in (
        groups.from_mapping({"a": "X"}),
        groups.from_pattern("a"),
        groups.from_mapping({}),
    ):
        assert found(source) == []


@pytest.mark.parametrize(
    "mapping, says",
    [
        ({"1": {"a": "PRO"}, "b": "CON"}, "either all or none"),
        ({"a": object}, "the groups of 'a' are")],
)
def test_a_mapping_of_something_else_is_refused(mapping, says):
    with pytest.raises(ValueError, match=says):
        groups.from_mapping(mapping)


def test_a_mapping_may_hold_arrays():
    found = groups.from_mapping({"a": np.array(["PRO", "X"]), "b": "CON"}).lookup(
        ["1", "1"], ["a", "b"])
    assert found["group"].tolist() == ["PRO", "X", "CON"]


@pytest.mark.parametrize("pattern, labels", [("^(F?)", None), ("(-|F)", None), ("(-|F)", ["F"])])
def test_a_pattern_that_finds_nothing_gives_no_group(pattern, labels):
    assert groups.from_pattern(pattern, labels).lookup(["1", "1"], ["F1", "-2"])[
        "docno"].tolist() == ["F1"]


def test_a_series_is_a_mapping():
    assert groups.from_mapping(pd.Series({"a": "X", "b": "Y"})) == groups.from_mapping(
        {"a": "X", "b": "Y"})


def test_lists_of_labels_in_a_frame():
    frame = pd.DataFrame({"docno": ["a", "b", "c", "d"],
                          "group": ["X", ["X", "Y, Z"], [], ("-", 1.0)]})
    assert groups.from_frame(frame).lookup(["1"] * 4, list("abcd"))["group"].tolist() == [
        "X", "X", "Y, Z", "1"]
    for wrong in ({"X": 1.0}, [["X"]]):
        with pytest.raises(ValueError, match=r"frame of groups has the group .*X.* a list of lab"):
            groups.from_frame(frame.assign(group=["X", wrong, "X", "X"]))
