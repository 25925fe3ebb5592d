"""Columns of text and of numbers, against lines that are split in Python; and checks of frames."""

from __future__ import annotations

import gzip
import math
import random

import pandas as pd
import pytest
from one_test import each

from pt_fairness.io.files import (
    first_line,
    is_number,
    need_columns,
    need_frame,
    need_rows,
    opened,
    read_columns,
    read_csv,
)

NAMES = ["topic", "value", "tag"]
FRAME = pd.DataFrame({"qid": ["1"], "score": [2.0]})


def columns_of(path, text, types=None):
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    with opened(path) as source:
        return read_columns(source, NAMES, types)


@each("name", ["file", "file.gz"])
@each("seed", range(6))
def test_fields_are_those_of_the_split_lines(tmp_path, name, seed):
    pick = random.Random(seed)
    words = ["007", "NA", "nan", "", "None", '"q', "#", "é中", "a,b", "True", "1e3"]
    rows = [[pick.choice(words) or "x", repr(pick.choice([0, 1, 2.5, -1e300]) * pick.random()),
             pick.choice(words) or "y"] for _ in range(pick.randrange(1, 30))]
    text = "".join(pick.choice(["", "\n", "  \n"]) + pick.choice([" ", "\t", "  \t"]).join(row)
                   + pick.choice(["\n", "\r\n", " \n"]) for row in rows)
    found = columns_of(tmp_path / name, text, {"value": float})
    assert list(found.columns) == NAMES
    assert found["value"].tolist() == [float(row[1]) for row in rows]
    assert found[["topic", "tag"]].values.tolist() == [[row[0], row[2]] for row in rows]
    assert columns_of(tmp_path / name, text).values.tolist() == rows, "text, where no type is given"


def test_a_file_without_lines_has_no_rows_and_the_same_types(tmp_path):
    for text in ("", "\n \n"):
        found = columns_of(tmp_path / "file", text, {"value": float})
        assert found.empty and list(found.columns) == NAMES and found["value"].dtype == "float64"


@each("text, says", [
    ("a 1 b\n\na 1\n", "line 3: 2 columns where there should be 3 (topic, value, tag): 'a 1'"),
    ("a 1 b c\na 1 b\n", "line 1: 4 columns where there should be 3"),
    ("a 1 b\na 1 b c d e\n", "line 2: 6 columns where there should be 3"),
    ("a 1 b\na x b\n", "line 2: the value 'x' is no number"),
    ("a 1 b\na nan b\n", "line 2: the value 'nan' is no number"),
    ("a 1 b\na 1_0 b\n", "line 2: the value '1_0' is no number"),
    ("a True b\na False b\n", "line 1: the value 'True' is no number"),
    (b"a 1 b\na 1 \xff\n", "line 2: not UTF-8 text")])
@each("name", ["file", "file.gz"])
def test_the_first_wrong_line_is_named(tmp_path, name, text, says):
    with pytest.raises(ValueError) as error:
        columns_of(tmp_path / name, text, {"value": float})
    assert str(error.value).startswith(f"{tmp_path / name}, {says}")


def test_csv_files_may_be_compressed_and_read_again(tmp_path):
    (tmp_path / "file.csv.gz").write_bytes(gzip.compress(b"a;b\n1;x\n"))
    with opened(tmp_path / "file.csv.gz") as source:
        for _ in range(2):
            frame, control_characters = read_csv(source, sep=";")
            assert frame.to_dict("list") == {"a": [1], "b": ["x"]} and not control_characters


@each("text, line", [
    ("a\nb\n", "a"), ("\n \n b \n", " b "), ("\ufeffqid,docno\n", "qid,docno"), ("a\rb\n", "a"),
    ("", ""), (" \n\n", "")])
def test_the_first_line_with_text(tmp_path, text, line):
    (tmp_path / "file").write_bytes(text.encode())
    with opened(tmp_path / "file") as source:
        assert first_line(source) == line


def test_numbers():
    for text in ("1", "-1.5", "+1.e-3", "inf", "-Infinity", "1E5", ".5"):
        assert is_number(text) and not math.isnan(float(text)), text
    for text in ("", "x", "nan", "NaN", "1_000", "١", "1,5", "True", "0x1"):
        assert not is_number(text), text


def test_frames_with_what_they_need_pass():
    need_frame(FRAME, "the run")
    need_columns(FRAME, ["score", "qid"], "the run")
    need_columns(FRAME[:0], ["qid"], "the run")
    need_rows(FRAME, "the run", ["qid"])


@each("frame, says", [
    ({"qid": ["1"]}, "the run has to be a DataFrame, not a dict"),
    (None, "the run has to be a DataFrame, not a NoneType"),
    (FRAME["qid"], "the run has to be a DataFrame, not a Series"),
    (FRAME.rename(columns={"score": 0}),
     "the run has no column 'score'; it needs qid, score and has qid, 0"),
    (FRAME[:0], "the run has no rows")])
def test_frames_that_lack_something(frame, says):
    with pytest.raises(ValueError) as error:
        need_rows(frame, "the run", ["qid", "score"])
    assert str(error.value) == says
