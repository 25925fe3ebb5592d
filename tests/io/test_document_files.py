"""Files of qrels and groups in all forms, and what is wrong in them."""

import contextlib
import gzip
import io as standard_io
import json
import os
import sys
import warnings

import pandas as pd
import pytest
from one_test import each
from written_files import written

from pt_fairness import FairnessWarning, cli, evaluate, groups, io, read_qrels, write_qrels
from pt_fairness.io.document_files import read_labelled

LINES = '1 PRO d1 1\n1 CON d2 -2\n2 - dé"3 0\n'
FRAME = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["d1", "d2", 'dé"3'], "label": [1, -2, 0],
                      "iteration": ["PRO", "CON", "-"]})


def test_identifiers_stay_text_and_labels_may_be_floats(tmp_path):
    qrels = read_qrels(written(tmp_path / "q", "001 0 007 1e0\n001 nan NA 2.0\n"
                                               "001 None null -1.0\n1 P\fRO a 1000000\n"))
    assert qrels.values.tolist() == [["001", "007", 1, "0"], ["001", "NA", 2, "nan"],
                                     ["001", "null", -1, "None"], ["1", "a", 1_000_000, "P\fRO"]]


@each("text, line", [
    ("1 0 a 1\n1 0 b\n", r"line 2 .*4 columns .*'1 0 b'"),
    ("1 0 a 1\n\n1 0 b 1 x\n", r"line 3 .*4 columns .*1 0 b 1 x"),
    ("1 0 a 1\n1 0 b high\n", r"line 2: label .*whole number.*'high'"),
    ("1 0 a 1.5\n", r"line 1: label .*'1.5'"),
    ("1 0 a nan\n", r"line 1: label .*'nan'"),
    ("1 0 a inf\n", r"line 1: label .*'inf'"),
    *((f"1 0 a 1\n\n1 0 b {label}\n", rf"line 3: label .*±1,000,000, got '{label}'")
      for label in ("1000001", "-1000001", "3e9", "99999999999999999999"))])
@each("name", ["bad.qrels", "bad.qrels.gz"])
def test_a_line_that_is_wrong_is_named(tmp_path, name, text, line):
    with pytest.raises(ValueError, match=rf"{name}, {line}"):
        read_qrels(written(tmp_path / name, text))


@each("text", ["", "\n\n"])
def test_an_empty_file_holds_no_judgments(tmp_path, text):
    found = read_qrels(written(tmp_path / "empty", text))
    assert list(found.columns) == ["qid", "docno", "label", "iteration"] and len(found) == 0
    assert found["label"].dtype == "int64"


@each("name", ["out.txt", "out.txt.gz"])
@each("columns", [{}, {"qid": "query_id", "docno": "doc_id", "label": "relevance"}])
def test_write_qrels_and_read_them_again(tmp_path, monkeypatch, name, columns):
    monkeypatch.setattr(os, "linesep", "\r\n")  # lines end alike on every system
    before = FRAME.rename(columns=columns)
    copy = before.copy(deep=True)
    write_qrels(before, tmp_path / name)
    pd.testing.assert_frame_equal(read_qrels(tmp_path / name), FRAME, check_dtype=False)
    pd.testing.assert_frame_equal(before, copy)
    data = (tmp_path / name).read_bytes()
    assert (gzip.decompress(data) if name.endswith("gz") else data) == LINES.encode()


@each("column, values, text", [
    ("qid", ["1", "1", "2"], ["1", "1", "2"]), ("qid", [1.0, 1.0, 2.0], ["1", "1", "2"]),
    ("docno", ["a", "b", "a"], None), ("label", [1, -2, 1], None),
    ("iteration", ["PRO", None, ""], ["PRO", "-", "-"]),
    ("iteration", [1, 2, 1], ["1", "2", "1"]), ("iteration", [1, None, 2], ["1", "-", "2"])])
def test_categories_are_written_as_what_they_are(tmp_path, column, values, text):
    write_qrels(FRAME.assign(**{column: pd.Categorical(values)}), tmp_path / "out")
    assert read_qrels(tmp_path / "out")[column].tolist() == (text or values)


@each("column, values, says", [
    ("iteration", "two words", "cannot hold the iteration"), ("docno", "a\tb", "hold the docno"),
    ("qid", "1\n2", "cannot hold the qid"), ("label", 0.5, "labels .*whole numbers"),
    ("label", float("nan"), "labels .*whole numbers"),
    *((column, ["1", missing, "2"], f"row 1 of the qrels has no {column}")
      for column in ("qid", "docno") for missing in ("", None))])
def test_what_cannot_be_written(tmp_path, column, values, says):
    with pytest.raises(ValueError, match=says):
        write_qrels(FRAME.assign(**{column: values}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_is_no_file_is_an_id(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Such as an index that has the name of its dataset.
    (tmp_path / "pt-fairness" / "debates").mkdir(parents=True)
    assert io.load_qrels("pt-fairness/debates")["qid"].nunique() == 10
    for name in ("pt-fairness", "none"):
        with pytest.raises(ValueError, match=f"no dataset '{name}'; .*no such file"):
            io.load_qrels(name)


def test_standard_output_of_bytes_of_text_alone_and_closed(monkeypatch):
    out = standard_io.TextIOWrapper(standard_io.BytesIO(), "cp1252", newline="\r\n")
    monkeypatch.setattr(sys, "stdout", out)
    print("a line before")
    write_qrels(FRAME.assign(iteration=["", None, "中"]))
    assert out.buffer.getvalue() == (
        'a line before\r\n1 - d1 1\n1 - d2 -2\n2 中 dé"3 0\n'.encode()), "UTF-8 in any locale"
    with contextlib.redirect_stdout(standard_io.StringIO()) as text:
        write_qrels(FRAME.drop(columns="iteration"))
    assert text.getvalue() == '1 0 d1 1\n1 0 d2 -2\n2 0 dé"3 0\n'
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(ValueError, match="standard output"):
        write_qrels(FRAME)


@each("text, says", [
    ("", "x must be a table"), ("1 PRO a 1\n1 CON b\n", r"x, line 2 .*4 columns"),
    ("docno\tgroup\na\tX\nb\tY\tZ\n", r"x, line 3 .*2 columns \(docno, group\)"),
    ("docno\tgroup\na\tX\tU\nb\tY\tZ\n", r"x, line 2 .*2 columns \(docno, group\)"),
    ("docno,group,Group\na,X,Y\n", r"has the column 'group' twice"),
    ("document,group\na,X\n", r"its columns are document, group; use .*x:document:group"),
    ("1 0 d1 1\n1 0 d2 0\n", r"must have groups .*'0'.* numbers, as in plain"),
    *((f'docno,note,group,weight\n\na,"X\nY",X,1\nb,,-,{weight}\nc,,X,{weight}\n',
       rf"x, line 6: weight must be a number of at least 0, got '{weight}'")
      for weight in ("-0.5", "nan", "inf", "", "much"))])
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_group_files_that_are_wrong(tmp_path, text, says):
    with pytest.raises(ValueError, match=says):
        read_labelled(written(tmp_path / "x", text))


@each("text, rows", [
    ("docno , group\na , PRO \n b, CON\n", [["a", "PRO"], ["b", "CON"]]),
    ("1 0 d1 1\n1 1 d2 0\n", [["1", "d1", "0"], ["1", "d2", "1"]]),
    # Text labels of qrels are groups, unless the second column holds groups.
    ("1 0 d1 FIRST\n1 Q0 d2 0\n2 0 d1 -\n", [["1", "d1", "FIRST"], ["1", "d2", "0"],
                                             ["2", "d1", "-"]]),
    # A line separator of Unicode is no white space.
    ("1 X\u2028Y a 1\n1 \x85 b 1\n", [["1", "a", "X\u2028Y"], ["1", "b", "\x85"]]),
    ("docno,group\n01,007\n1,7\n", [["01", "007"], ["1", "7"]]),
    ('docno,group\na, "X, Y"\n', [["a", "X, Y"]])])
def test_group_files(tmp_path, text, rows):
    frame, _ = read_labelled(written(tmp_path / "x", text))
    columns = ["docno", "group"] if len(rows[0]) == 2 else ["qid", "docno", "group"]
    assert frame[columns].to_numpy().tolist() == rows


ROWS = [{"docno": "d1", "group": ["PRO", "CON"]}, {"docno": "d2", "group": ["CON"]},
        {"docno": "007", "group": []}]
EXPECTED = groups.from_mapping({"d1": ["PRO", "CON"], "d2": "CON"})


def rows_of(source):
    return source.lookup(["1"] * 4, ["d1", "d2", "007", "d9"]).to_numpy().tolist()


def write(path, rows):
    if path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
        return path
    lines = "\n".join(map(json.dumps, rows)) + "\n"
    return written(path, json.dumps(rows, indent=2) if "array.json" in path.name else lines)


FORMS = ["g.jsonl", "g.jsonl.gz", "lines.json", "array.json", "array.json.gz", "g.parquet"]


@each("name", FORMS)
def test_lists_in_parquet_and_json_are_several_groups(tmp_path, name):
    assert rows_of(groups.from_file(write(tmp_path / name, ROWS))) == rows_of(EXPECTED)


@each("name", FORMS)
def test_other_columns_and_nested_keys(tmp_path, name):
    rows = [{"key": {"id": row["docno"]}, "meta": {"a": {"stance": row["group"]}}} for row in ROWS]
    source = groups.from_file(write(tmp_path / name, rows), column="meta.a.stance", id="key.id")
    assert rows_of(source) == rows_of(EXPECTED)


@each("name", FORMS)
def test_topics_and_weights(tmp_path, name):
    rows = [{"query_id": 7, "doc_id": 12, "group": "PRO", "weight": 0.25},
            {"query_id": 7, "doc_id": 12, "group": "CON", "weight": 0.75}]
    found = groups.from_file(write(tmp_path / name, rows)).lookup(["7", "8"], ["12", "12"])
    assert found.to_numpy().tolist() == [["7", "12", "CON", 0.75], ["7", "12", "PRO", 0.25]]


@each("name", FORMS)
def test_lists_beside_cells_that_are_split(tmp_path, name):
    path = write(tmp_path / name, ROWS)
    assert rows_of(groups.from_file(path, sep=";")) == rows_of(EXPECTED)
    rows = [{"docno": "d1", "group": "PRO; CON"}, {"docno": "d2", "group": "CON"},
            {"docno": "007", "group": None}]
    path = write(tmp_path / name, rows)
    with pytest.warns(FairnessWarning, match="(row|line) 3 .*empty"):
        source = groups.from_file(path, sep=";")
    assert source.labels == ["CON", "PRO"] and rows_of(source) == rows_of(EXPECTED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rows_of(groups.from_file(path, sep=";", none=[""])) == rows_of(EXPECTED)


@each("header", ["docno,P(PRO),P(CON)", "docno,PRO,CON"])
def test_a_column_of_weights_for_each_group(tmp_path, header):
    (tmp_path / "g.csv").write_text(f"{header}\nd1,0.3,0.7\nd2,0,1\n")
    assert rows_of(groups.from_file(tmp_path / "g.csv", weights="wide")) == [
        ["1", "d1", "CON", 0.7], ["1", "d1", "PRO", 0.3], ["1", "d2", "CON", 1.0]]
    with pytest.raises(ValueError, match=r"NEUTRAL.*docno"):
        groups.from_file(tmp_path / "g.csv", weights="wide", labels=["PRO", "NEUTRAL"])
    (tmp_path / "g.csv").write_text(f"{header}\nd1,0.3,0.7\nd2,,1\n")
    with pytest.raises(ValueError, match=r"g\.csv, line 3: weight .*''"):
        groups.from_file(tmp_path / "g.csv", weights="wide")
    pd.DataFrame({"docno": ["d1"], "PRO": [-1.0]}).to_parquet(tmp_path / "g.parquet")
    with pytest.raises(ValueError, match=r"g\.parquet, row 1: weight .*'-1\.0'"):
        groups.from_file(tmp_path / "g.parquet", weights="wide")


def test_a_repeated_column_of_weights_is_named(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("docno,P(PRO),P(CON),note,note\nd1,0.3,0.7,a,b\n")
    source = groups.from_file(path, weights="wide", labels=["PRO", "CON"])
    assert rows_of(source) == [["1", "d1", "CON", 0.7], ["1", "d1", "PRO", 0.3]]
    for columns in ("P(PRO),P(PRO)", "PRO,P(PRO)", "p(PRO),P(PRO)"):
        path.write_text(f"docno,{columns}\nd1,0.3,0.7\n")
        error = r"g\.csv must have one column of weights for 'PRO', got "
        with pytest.raises(ValueError, match=error):
            groups.from_file(path, weights="wide")


@each("text, says", [
    ("docno,group\nd1,PRO\ndocno,group\nd2,CON\n", r"g\.csv, line 3 .*the header again"),
    ('docno,group\nd1,PRO\n"d2,CON\nd3,PRO\n', r"g\.csv .*inside string starting at row 2"),
    ('docno,group\n"d1,PRO\nd2",CON\n', r"g\.csv, line 2: docno .*'d1,PRO\\nd2'"),
    ('docno,group\n\nd1,"PRO\nd2,CON\nd3,CON"\n', r"g\.csv, line 3: group .*'PRO\\nd2,CON"),
    ("docno,group\nd1,PRO\n,CON\n", r"g\.csv, line 3: docno")])
def test_rows_that_are_wrong(tmp_path, text, says):
    (tmp_path / "g.csv").write_text(text)
    with pytest.raises(ValueError, match=says):
        groups.from_file(tmp_path / "g.csv")


@each("text, says", [
    ("docno,group\nd1,PRO\nd2,\n", r"g\.csv, line 3 has an empty group, as have 1 of 2 rows"),
    ("docno,group\nd1,Pro Life\nd2,PRO LIFE\n", r"the labels 'PRO LIFE', 'Pro Life' differ by"),
    ("docno,group\nd1,a b\nd2,a  b\nd3,B\n", r"the labels 'a  b', 'a b' differ by case, bl"),
    ("docno,group\nd1,caf\u00e9\nd2,cafe\u0301\n", r"'cafe\\u0301', 'caf\\xe9' differ by"),
    ("docno,group\nd1,PRO\nd2,PRO\u200b\n", r"'PRO', 'PRO\\u200b' differ by")])
def test_what_is_warned_of(tmp_path, text, says):
    (tmp_path / "g.csv").write_text(text)
    with pytest.warns(FairnessWarning, match=says) as warned:
        groups.from_file(tmp_path / "g.csv")
    assert len(warned) == 1


@each("name, content, says", [
    ("g.jsonl", '{"docno": "a", "group": "X"}\n{"docno": "b", \n', r"g\.jsonl, line 2 .*JSON"),
    ("g.json", '[{"docno": "a", "group": "X"}', r"g\.json, line 1 .*JSON"),
    ("g.jsonl", '{"docno": "a", "group": "X"}\n{"group": "Y"}\n', r"g\.jsonl, line 2: docno"),
    ("g.jsonl", '{"docno": "a"}\n"a"\n', r"g\.jsonl, line 2 .*object, got 'a'"),
    ("g.json", "[]", r"g\.json has no rows"),
    ("g.jsonl", '{"docno": "a", "group": {"X": 1}}\n', r"must be a label or a list of labels"),
    ("g.parquet", "PAR1 and no more", r"g\.parquet is damaged"),
    ("g.parquet", "no parquet", r"g\.parquet must be a table")])
def test_files_that_are_damaged(tmp_path, name, content, says):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=says):
        groups.from_file(tmp_path / name)


def test_columns_of_weights_on_the_command_line(folder_of, capsys):
    folder_of({"qrels": "1 0 d1 1\n1 0 d2 0\n", "g.csv": "docno,PRO,CON\nd1,0.3,0.7\nd2,0,1\n",
               "run": "1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n"})
    assert cli.main(["table", "qrels", "run", "-m", "AWRF@2", "--groups", "g.csv::PRO,CON"]) == 0
    source = groups.from_mapping({"d1": {"PRO": 0.3, "CON": 0.7}, "d2": {"CON": 1.0}})
    means = evaluate(["run"], "qrels", ["AWRF@2"], groups=source, progress=False).averages
    assert capsys.readouterr().out == f"name,AWRF@2\nrun,{means.iloc[0, 1]}\n"
