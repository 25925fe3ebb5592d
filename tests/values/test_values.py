"""Numbers of documents, and runs by name: frames, mappings, files, and their names."""

import math
import pickle

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_test import each
from written_files import written

from pt_fairness import NFaiRR, RaB, evaluate, groups, rND, runs, values

pytestmark = pytest.mark.usefixtures("registered_values", "registered_runs")


def numbers(source, *pairs):
    return source.lookup([qid for qid, _ in pairs], [docno for _, docno in pairs]).tolist()


def equal(source, expected):
    """Whether a source has these values of four documents."""
    pairs = [("1", "a"), ("1", "b"), ("2", "a"), ("2", "é")]
    return numbers(source, *pairs) == pytest.approx(expected, nan_ok=True)


def test_from_a_frame():
    frame = pd.DataFrame([("1", "a", 2), ("2", "a", -0.5), ("2", "é", 0)],
                         columns=["query_id", "doc_id", "value"])
    by_topic, by_document = values.from_frame(frame), values.from_frame(
        frame[1:][["doc_id", "value"]].rename(columns={"doc_id": "docno"}))
    assert equal(by_topic, [2, math.nan, -0.5, 0]) and len(by_topic) == 3
    assert equal(by_document, [-0.5, math.nan, -0.5, 0]) and len(by_document) == 2


@each("number", ["float", "Float64", "int32", "bool", "str", object, "category"])
def test_numbers_of_any_type(number):
    column = pd.Series([1, 0]).astype(number)
    source = values.from_frame(pd.DataFrame({"docno": ["a", "b"], "value": column}))
    assert numbers(source, ("1", "a"), ("1", "b")) == [1, 0]


def test_from_a_mapping():
    assert numbers(values.from_mapping({"a": 1, 7: np.float32(0.5)}), ("1", "a"), ("1", "7")) == [
        1, 0.5]
    assert numbers(values.from_mapping(pd.Series({"a": 3})), ("1", "a")) == [3]
    by_topic = values.from_mapping({1: {"a": 1}, "2": {"a": 2, "é": 3}})
    assert equal(by_topic, [1, math.nan, 2, 3]) and math.isnan(*numbers(by_topic, ("3", "a")))


@given(st.dictionaries(st.tuples(st.sampled_from("123"), st.sampled_from("abcdé")),
                       st.floats(-9, 9)),
       st.lists(st.tuples(st.sampled_from("1234"), st.sampled_from("abcdéf"))))
def test_lookup_is_that_of_a_dictionary(known, asked):
    rows = [(*pair, number) for pair, number in known.items()]
    source = values.from_frame(pd.DataFrame(rows, columns=["qid", "docno", "value"]).astype(
        {"qid": "str", "docno": "str", "value": float}))
    expected = [known.get(pair, math.nan) for pair in asked]
    assert numbers(source, *asked) == pytest.approx(expected, nan_ok=True)
    assert math.isnan(*numbers(values.from_mapping({}), ("1", "a")))


@each("text, by_topic", [
    ("a 1\né -0.5\n", False), ("1 a 1\n2\té\t-5e-1\n", True),
    ("docno\tvalue\na\t1\né\t-0.5\n", False),
    ("\ufeffqid,doc_id,value\r\n1,a,1\r\n2,é,-0.5\r\n", True)])
def test_from_a_file(tmp_path, text, by_topic):
    for name in ("v", "v.gz"):
        path = written(tmp_path / name, text)
        for source in (values.from_file(path), values.get(path), values.get(str(path))):
            assert equal(source, [1, math.nan, math.nan if by_topic else 1, -0.5])


@each("text, says", [
    ("a\n", "docno and value.* got 'a'"),
    ("1 PRO a 1\n", "docno and value.*1 PRO"),
    ("a 1\nb x\n", "line 2: value .*'x'"),
    ("a 1\nb nan\n", "line 2: value .*'nan'"),
    ("a 1\nb inf\n", r"values.txt, line 2: value .*finite.*'inf'"),
    ("a 1\n1 b 2\n", "line 2 .*2 columns"),
    ("docno\tvalue\na\t\n", r"values.txt, line 2: value .*''"),
    ("qid,value\n1,2\n", "has no column 'docno'"),
    ("a 1\na 2\n", r"values.txt: .*one value, got 1 and 2 for 'a'")])
def test_a_file_that_cannot_be_read(folder_of, text, says):
    folder = folder_of({"values.txt": text})
    with pytest.raises(ValueError, match=says):
        values.get(folder / "values.txt")


@each("number", [math.nan, None, pd.NA, "x", math.inf, -math.inf])
def test_a_value_that_is_no_number_is_refused(number):
    with pytest.raises(ValueError, match=r"finite .*'b'"):
        values.from_mapping({"a": 1, "b": number})


def test_a_measure_names_its_object():
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


@each("call, says", [
    (lambda: values.from_frame(pd.DataFrame({"qid": ["1", 1], "docno": "a", "value": [1, 2]})),
     "got 1 and 2 for 'a' in topic '1'"),
    (lambda: values.from_frame({"a": 1}), "got a dict"),
    (lambda: values.from_mapping(pd.DataFrame()), "got a DataFrame"),
    (lambda: values.from_mapping({"1": {"a": 1}, "b": 2}), "got \"{'a': 1}\" for document '1'"),
    (lambda: values.from_frame(pd.DataFrame({"qid": [None], "docno": "a", "value": 1})),
     "row 0 of the values has no qid"),
    (lambda: values.from_mapping({"a": 1}).lookup(["1"], []), "1 topics and 0 documents"),
    (RaB(values=groups.from_mapping({"a": "X"})).validate_params, r"values must .*Groups\("),
    (rND(groups=values.from_mapping({"a": 1})).validate_params, r"groups must .*Values\("),
    (lambda: runs.register("Run", FRAME), "'Run'"),
    (lambda: runs.register("x", FRAME.drop(columns="qid")), "'x' has no column 'qid'"),
    (lambda: runs.register("x", FRAME.assign(docno=["a", "b", None, "c"])), "row 2 .*docno"),
    (NFaiRR(values="x", background="x").validate_params, "background must"),
    (lambda: str(RaB(values=pd.DataFrame({"docno": ["a"], "value": [1]}))), "from_frame")])
def test_what_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


FRAME = pd.DataFrame([(1, "a", 3.0), (1, "b", 2.0), (2, "a", 1.0), (1, "a", 0.5)],
                     columns=["qid", "docno", "score"])
ROWS = [["1", "a"], ["1", "b"], ["2", "a"]]


def test_a_frame_or_a_file(folder_of):
    frame = FRAME.copy()
    runs.register("frame", frame)
    frame["docno"] = "other"  # changes nothing
    runs.register("names", FRAME.rename(columns={"qid": "query_id", "docno": "doc_id"}))
    lines = [f"{qid} Q0 {docno} 1 {score} x\n" for qid, docno, score in FRAME.to_numpy()]
    runs.register("file", folder_of({"run.txt": "".join(lines)}) / "run.txt")
    assert runs.names() == ["file", "frame", "names"]
    for name in runs.names():
        assert runs.get(name).to_numpy().tolist() == ROWS
    packed = pickle.dumps(NFaiRR(values="x", background="frame"))
    runs.unregister("frame")
    assert runs.names() == ["file", "names"]
    copy = pickle.loads(packed)  # its name means what it meant
    copy.validate_params()
    assert runs.get(copy["background"]).to_numpy().tolist() == ROWS


def test_a_file_or_a_folder_needs_no_registration(folder_of, tmp_path):
    for name in ("runs", "empty"):
        (tmp_path / name).mkdir()
    folder_of({f"runs/{name}": "".join(f"1 Q0 {docno} 1 2 x\n" for docno in docnos)
               for name, docnos in (("one", "ab"), ("two", "bc"))})
    assert runs.get(tmp_path / "runs").to_numpy().tolist() == [["1", "a"], ["1", "b"], ["1", "c"]]
    qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": 1})
    groups = {"a": "PRO", "b": "CON", "c": "PRO", "d": "CON"}
    measures = [NFaiRR(values={"PRO": 1, "CON": 0}, background=background) @ 2
                for background in (tmp_path / "runs", tmp_path / "runs" / "two", "abc", "bc")]
    for docnos in ("abc", "bc"):
        runs.register(docnos, pd.DataFrame({"qid": "1", "docno": list(docnos)}))
    table, _ = evaluate({"x": qrels.assign(score=[4.0, 3.0, 2.0, 1.0])}, qrels, measures,
                        groups=groups, progress=False)
    folder, file, all_three, two = table.iloc[0, 1:]
    assert folder == all_three != file == two
    with pytest.raises(ValueError, match="must hold runs"):
        runs.get(tmp_path / "empty")
