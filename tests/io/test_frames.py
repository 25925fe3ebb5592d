"""Columns of text and of numbers, against lines that are split in Python; and checks of frames."""

from __future__ import annotations

import gzip
import random

import pandas as pd
import pytest
from one_test import each

from pt_fairness.io.files import need_rows, opened
from pt_fairness.io.tables import read_columns, read_table

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
    words = ["007", "NA", "nan", "", "None", '"q', "a#", "é中", "a,b", "True", "1e3"]
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


@each("name, text, index, kind", [
    ("x", "\n \na 1 b\n\na 2 b\n\n", [3, 5], "line"),
    ("x.csv", "\ndocno,text\na,b\n\nc,d\n", [3, 5], "line"),
    ("x.csv", 'docno,text\na,"b\nb"\n,\nc,"d\n\n"\ne,\n', [2, 5, 8], "line"),
    ("x.tsv", "\ufeffdocno\ttext\r\na\tb\r\n", [2], "line"),
    ("x.jsonl", '{"docno": 1}\n\n{"docno": 2}\n', [1, 3], "line"),
    ("x.json", '[{"docno": 1},\n\n{"docno": 2}]', [1, 2], "row")])
def test_the_index_of_a_table_is_the_number_of_the_line(tmp_path, name, text, index, kind):
    (tmp_path / name).write_bytes(text.encode())
    with opened(tmp_path / name) as source:
        frame = read_columns(source, NAMES) if name == "x" else read_table(source)
    assert frame.index.tolist() == index and frame.index.name == kind


@each("frame, says", [
    ({"qid": ["1"]}, "got a dict"), (FRAME.rename(columns={"score": 0}), "column 'score'.*qid, 0"),
    (FRAME[:0], "no rows"), (FRAME.assign(x=1).set_axis([*FRAME, "qid"], axis=1), "'qid' twice")])
def test_frames_that_lack_something(frame, says):
    need_rows(FRAME, "the run", ["qid", "score"])
    with pytest.raises(ValueError, match=f"the run .*{says}"):
        need_rows(frame, "the run", ["qid", "score"])
