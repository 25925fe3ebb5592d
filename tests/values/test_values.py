"""Numbers of documents: frames, mappings, files, and their names."""

from __future__ import annotations

import gzip
import math
import pickle
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_fairness import RaB, groups, rND, values


def numbers(source, *pairs):
    return source.lookup([qid for qid, _ in pairs], [docno for _, docno in pairs]).tolist()


# ---------------------------------------------------------------------------------------- sources

PAIRS = [("1", "a"), ("1", "b"), ("2", "a"), ("2", "é")]


@pytest.mark.parametrize("columns", [["qid", "docno"], ["query_id", "doc_id"]], ids=str)
def test_from_a_frame(columns):
    frame = pd.DataFrame([("1", "a", 2), ("2", "a", -0.5), ("2", "é", 0)],
                         columns=[*columns, "value"])
    by_topic = values.from_frame(frame)
    by_document = values.from_frame(frame[1:][[columns[1], "value"]])
    assert numbers(by_topic, *PAIRS) == pytest.approx([2, math.nan, -0.5, 0], nan_ok=True)
    assert numbers(by_document, *PAIRS) == pytest.approx([-0.5, math.nan, -0.5, 0], nan_ok=True)
    assert len(by_topic) == 3 and len(by_document) == 2


@pytest.mark.parametrize("number", ["float", "Float64", "int32", "bool", "str", object, "category"])
def test_numbers_of_any_type(number):
    column = pd.Series([1, 0]).astype(number)
    source = values.from_frame(pd.DataFrame({"docno": ["a", "b"], "value": column}))
    assert numbers(source, ("1", "a"), ("1", "b")) == [1, 0]


def test_from_a_mapping():
    assert numbers(values.from_mapping({"a": 1, 7: np.float32(0.5)}), ("1", "a"), ("1", "7")) == [
        1, 0.5]
    assert numbers(values.from_mapping(pd.Series({"a": 3})), ("1", "a")) == [3]
    by_topic = values.from_mapping({1: {"a": 1}, "2": {"a": 2, "b": 3}})
    assert numbers(by_topic, ("1", "a"), ("2", "b"), ("2", "a")) == [1, 3, 2]
    assert math.isnan(*numbers(by_topic, ("1", "b"))) and math.isnan(*numbers(by_topic, ("3", "a")))


def test_identifiers_that_became_floats_are_found():
    assert values.from_mapping({"1": {"7": 5}}).lookup([1.0], [7.0]).tolist() == [5]
    frame = pd.DataFrame({"qid": [1.0], "docno": [7.0], "value": [5.0]})
    assert numbers(values.from_frame(frame), ("1", "7")) == [5]


def test_nothing():
    empty = pd.DataFrame({"qid": [], "docno": [], "value": []}, dtype=object)
    for source in (values.from_mapping({}), values.from_frame(empty)):
        assert source.lookup([], []).tolist() == []
        assert math.isnan(*numbers(source, ("1", "a")))
    assert numbers(values.from_mapping({"a": 1})) == []


@given(st.dictionaries(st.tuples(st.sampled_from("123"), st.sampled_from("abcdé")),
                       st.floats(-9, 9)),
       st.lists(st.tuples(st.sampled_from("1234"), st.sampled_from("abcdéf"))))
def test_lookup_is_that_of_a_dictionary(known, asked):
    rows = [(*pair, number) for pair, number in known.items()]
    source = values.from_frame(pd.DataFrame(rows, columns=["qid", "docno", "value"]).astype(
        {"qid": "str", "docno": "str", "value": float}))
    expected = [known.get(pair, math.nan) for pair in asked]
    assert numbers(source, *asked) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("text, by_topic", [
    ("a 1\né -0.5\n", False),
    ("1 a 1\n2\té\t-5e-1\n", True),
    ("docno\tvalue\na\t1\né\t-0.5\n", False),
    ("\ufeffqid,doc_id,value\r\n1,a,1\r\n2,é,-0.5\r\n", True),
], ids=["columns", "with topics", "tabs", "commas"])
def test_from_a_file(tmp_path, text, by_topic, ending):
    path = tmp_path / f"values.txt{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending else text.encode())
    for source in (values.from_file(path), values.get(path), values.get(str(path))):
        expected = [1, math.nan, math.nan if by_topic else 1, -0.5]
        assert numbers(source, *PAIRS) == pytest.approx(expected, nan_ok=True)


def test_from_a_pipe(pipe):
    assert numbers(values.get(pipe("values.txt.gz", "a 1\n")), ("1", "a")) == [1]


@pytest.mark.parametrize("text, says", [
    ("", "is no file of values: it needs the columns docno and value"),
    ("a\n", "is no file of values.*its first line is 'a'"),
    ("1 PRO a 1\n", "is no file of values"),
    ("a 1\nb x\n", "line 2: the value 'x' is no number"),
    ("a 1\nb nan\n", "line 2: the value 'nan' is no number"),
    ("a 1\nb inf\n", r"values.txt: the value 'inf' of document 'b' is no finite number; leave out"),
    ("a 1\n1 b 2\n", "line 2: 3 columns where there should be 2"),
    ("docno\tvalue\na\t\n", r"values.txt: the value '' of document 'a' is no finite number"),
    ("qid,value\n1,2\n", "has no column 'docno'"),
    ("a 1\na 2\n", r"values.txt gives document 'a' the values 1 and 2; a document has one value")])
def test_a_file_that_cannot_be_read(tmp_path, text, says):
    (tmp_path / "values.txt").write_text(text)
    with pytest.raises(ValueError, match=says):
        values.get(tmp_path / "values.txt")


@pytest.mark.parametrize("number", [math.nan, None, pd.NA, "x", math.inf, -math.inf])
def test_a_value_that_is_no_number_is_refused(number):
    with pytest.raises(ValueError, match=r"the value .* of document 'b' is no finite number"):
        values.from_frame(pd.DataFrame({"docno": ["a", "b"], "value": [1.0, number]}))
    with pytest.raises(ValueError, match=r"the value .* of document 'b' is no finite number"):
        values.from_mapping({"a": 1, "b": number})


def test_a_document_has_one_value():
    frame = pd.DataFrame({"qid": ["1", "1", 1], "docno": ["a", "b", "a"], "value": [1, 1, 1.0]})
    assert len(values.from_frame(frame)) == 2
    with pytest.raises(ValueError, match="gives document 'a' for topic 1 the values 1 and 2"):
        values.from_frame(frame.assign(value=[1, 1, 2]))


@pytest.mark.parametrize("make, says", [
    (lambda: values.from_frame({"a": 1}),
     "from a DataFrame here, not from a dict; from_mapping takes"),
    (lambda: values.from_mapping(pd.DataFrame()), "not from a DataFrame; from_frame takes"),
    (lambda: values.from_mapping({"1": {"a": 1}, "b": 2}),
     "either all or none of the values are dictionaries"),
    (lambda: values.from_mapping({"a": [1, 2]}),
     r"the value of 'a' is \[1, 2\]; it has to be a number"),
    (lambda: values.from_frame(pd.DataFrame({"docno": ["a"], "group": ["X"]})),
     "the frame of values has no column 'value'; it needs docno, value and has docno, group"),
    (lambda: values.from_frame(pd.DataFrame({"value": [1]})), "has no column 'docno'"),
    (lambda: values.from_frame(pd.DataFrame({"qid": [None], "docno": ["a"], "value": [1]})),
     "row 0 of the values has no qid"),
    (lambda: values.from_frame(pd.DataFrame({"docno": ["a", None], "value": [1, 2]})),
     "row 1 of the values has no docno"),
    (lambda: values.from_mapping({"a": 1}).lookup(["1"], []), "given 1 topics and 0 documents"),
])
def test_what_is_no_source_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


# ------------------------------------------------------------------------------------------ names


def test_content_makes_the_name(registered_values):
    frame = pd.DataFrame({"qid": ["1", "2", "10"], "docno": ["a", "b", "a"], "value": [1, 2, 0.0]})
    one = values.from_frame(frame)
    same = values.from_frame(frame[::-1].assign(value=[-0.0, 2, 1]))
    assert one == same and one.name == same.name and hash(one) == hash(same)
    others = [values.from_frame(frame.drop(columns="qid")[:2]),
              values.from_mapping({"a": 1, "b": 2.5}),
              values.from_frame(frame.assign(qid=["1", "2", "11"])),
              values.from_mapping({"a": 1, "c": 2})]
    assert len({source.name for source in [one, *others]}) == 5
    assert one != others[0] and one != groups.from_mapping({"a": "X"})
    assert repr(values.from_mapping({"a": 1}, name="length")) == "Values('length', 1 documents)"


def test_a_registered_name_beats_a_path(registered_values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("a 1\n")
    assert numbers(values.get("mine"), ("1", "a")) == [1]
    values.register("mine", values.from_mapping({"a": 2}))
    assert numbers(values.get("mine"), ("1", "a")) == [2] and "mine" in values.names()
    values.unregister("mine")
    assert numbers(values.get("mine"), ("1", "a")) == [1] and "mine" not in values.names()


def test_a_function_is_called_once(registered_values):
    calls = []

    def make():
        calls.append(1)
        return values.from_mapping({"a": 1})
    values.register("late", make)
    assert str(RaB(values="late")) == "RaB(values='late')" and calls == []
    assert values.get("late") is values.get("late") and calls == [1]


def test_a_file_that_changes_is_read_again(tmp_path):
    path = tmp_path / "values.txt"
    path.write_text("a 1\n")
    assert values.get(path) is values.get(path)
    path.write_text("a 2\n")
    assert numbers(values.get(path), ("1", "a")) == [2]


def test_a_measure_names_its_object(registered_values):
    one, same, other = (values.from_mapping({"a": number}) for number in (1, 1, 2))
    assert RaB(values=one) == RaB(values=same) != RaB(values=other)
    for source in (one, other, values.from_mapping({"a": 1}, name="x y")):
        measure = RaB(values=source) @ 3
        copy = pickle.loads(pickle.dumps(measure))
        assert str(copy) == str(measure) and measure == copy
        assert values.get(copy["values"]) == source
    values.register("one", one)
    measure = RaB(values=one)
    assert measure == RaB(values="one") == ir_measures.parse_measure(str(measure))


def test_objects_of_one_name_and_other_content_are_kept_apart(registered_values):
    one, other = (values.from_mapping({"a": number}, name="length") for number in (1, 2))
    measures = [RaB(values=one), RaB(values=other)]
    assert measures[0] != measures[1]
    assert [values.get(measure["values"]) for measure in measures] == [one, other]


def test_a_name_means_in_a_copy_what_it_meant_where_it_was_pickled(registered_values):
    source = values.from_mapping({"a": 1})
    values.register("sent", source)
    packed = pickle.dumps(RaB(values="sent"))
    values.unregister("sent")
    assert values.get(pickle.loads(packed)["values"]) == source
    other = values.from_mapping({"a": 2})
    values.register("sent", other)
    assert values.get(pickle.loads(packed)["values"]) == source


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_name_that_is_none_is_refused(registered_values, name):
    with pytest.raises(ValueError, match="values need a name that is not empty, not"):
        values.register(name, values.from_mapping({}))


def test_names_that_are_not_known(registered_values):
    with pytest.raises(ValueError, match=r"'x' cannot be unregistered; .* has added are: none"):
        values.unregister("x")
    with pytest.raises(ValueError, match=r"no values are registered as 'x' and no such file "
                       r"exists\. .* .*values\.register\(name, values\)"):
        values.get("x")
    with pytest.raises(ValueError, match="values are a registered name, the path of a file or a "):
        values.get(3)
    with pytest.raises(ValueError, match="'x' cannot be registered as a dict: make a Values "):
        values.register("x", {"a": 1})


def test_groups_are_no_values(registered_values):
    labels, lengths = groups.from_mapping({"a": "X"}), values.from_mapping({"a": 1})
    with pytest.raises(ValueError, match=r"values takes numbers, and Groups\(.* holds labels; "
                       "give it as groups="):
        RaB(values=labels)
    with pytest.raises(ValueError, match=r"groups takes labels, and Values\(.* holds numbers; "
                       ".* take it as values="):
        rND(groups=lengths)
    with pytest.raises(ValueError, match=r"or a Values object, not Groups\("):
        values.get(rND(groups=labels)["groups"])


def test_a_frame_is_no_parameter():
    with pytest.raises(ValueError, match="values takes the name of registered values, the path of "
                       r"a file of values, or a Values object, not a DataFrame; pt_fairness\.values"
                       r"\.from_frame makes values of a DataFrame"):
        RaB(values=pd.DataFrame())
