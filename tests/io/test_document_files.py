"""Files of qrels, groups and targets, and pipes in their place."""

from __future__ import annotations

import contextlib
import gzip
import io as standard_io
import os
import sys
from pathlib import Path

import pandas as pd
import pytest
from one_test import each

from pt_fairness import io, read_qrels, write_qrels
from pt_fairness.io.document_files import read_groups

TEXT = "1 PRO d1 1\n1\tCON  d2 -2\n2 - dé\"3 0\n"
LINES = '1 PRO d1 1\n1 CON d2 -2\n2 - dé"3 0\n'
FRAME = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["d1", "d2", 'dé"3'], "label": [1, -2, 0],
                      "iteration": ["PRO", "CON", "-"]})


def written(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.txt.gz"])
def test_read_qrels(tmp_path, name):
    qrels = read_qrels(written(tmp_path / name, TEXT))
    pd.testing.assert_frame_equal(qrels, FRAME, check_dtype=False)
    assert qrels["label"].dtype == "int64"


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
      for label in ("1000001", "-1000001", "3e9", "99999999999999999999")),
])
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
        with pytest.raises(ValueError, match=f"{name} is neither a file nor a dataset id"):
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
    with pytest.raises(ValueError, match="standard output is closed"):
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
        read_groups(written(tmp_path / "x", text))


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
    frame = read_groups(written(tmp_path / "x", text))
    columns = ["docno", "group"] if len(rows[0]) == 2 else ["qid", "docno", "group"]
    assert frame[columns].to_numpy().tolist() == rows
