"""Cached tables: read once, replaced atomically, made anew when outdated or invalid."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from pt_fairness import groups
from pt_fairness.collections import cached

COLUMNS = ["docno", "group", "weight", "value", "why_not"]
ROWS = pd.DataFrame({"docno": ["d1", "d1", "дока", "d3"], "group": ["a", "b", "a", "-"],
                     "weight": [0.25, 0.75, np.nan, np.nan], "value": [1.5, 1.5, -2.0, np.nan],
                     "why_not": ["", "", "", "missing"]})


@pytest.fixture
def table(tmp_path):
    return tmp_path / "qrels.gender.tsv"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source"
    path.write_text("content")
    os.utime(path, (10, 10))
    return path


def test_rows_with_labels_weights_and_numbers(table, source):
    assert cached.read_rows(table, source, COLUMNS) is None
    cached.write_rows(table, ROWS)
    pd.testing.assert_frame_equal(cached.read_rows(table, source, COLUMNS, {"a", "b"}), ROWS,
                                  check_dtype=False)
    assert list(table.parent.glob("*.part")) == []


def test_a_table_of_rows_is_a_group_file(table):
    weighted = ROWS.assign(weight=ROWS["weight"].fillna(1.0))
    cached.write_rows(table, weighted.drop(columns="value"))
    found = groups.from_file(table).lookup(["1"] * 3, ["d1", "дока", "d3"])
    assert found[["docno", "group", "weight"]].values.tolist() == [
        ["d1", "a", 0.25], ["d1", "b", 0.75], ["дока", "a", 1.0]]


def test_outdated_and_invalid_rows_count_as_absent(table, source):
    cached.write_rows(table, ROWS)
    content = table.read_bytes()
    assert cached.read_rows(table, source, COLUMNS, ["a"]) is None, "another label set"
    assert cached.read_rows(table, source, COLUMNS[:2]) is None, "other columns"
    for damage in (b"", b"docno\n", content.replace(b"0.25", b"x"), b"\xff" + content,
                   content + b"d9\ta\t1\t2\t\t3\n"):
        table.write_bytes(damage)
        assert cached.read_rows(table, source, COLUMNS) is None, damage
    table.write_bytes(content)
    assert cached.read_rows(table, source, COLUMNS) is not None
    os.utime(table, (9, 9))
    assert cached.read_rows(table, source, COLUMNS) is None, "older than its source"
    source.unlink()
    assert cached.read_rows(table, source, COLUMNS) is not None


def _load(path):
    text = path.read_text()
    if not text.startswith("table:"):
        raise ValueError(text)
    return text


def _save(text, file):
    file.write(text.encode())


def test_a_table_is_made_once(table, source):
    read = []

    def make():
        read.append(source.read_text())
        return f"table:{read[-1]}"
    for _ in range(2):
        assert cached.stored(table, source, _load, make, _save) == "table:content"
    assert len(read) == 1
    table.write_text("invalid")
    assert cached.stored(table, source, _load, make, _save) == "table:content"
    os.utime(table, (9, 9))
    assert cached.stored(table, source, _load, make, _save) == "table:content"
    assert len(read) == 3
    source.unlink()
    assert cached.stored(table, source, _load, make, _save) == "table:content"
    assert len(read) == 3


def test_an_error_of_the_source_leaves_no_table(table, source):
    def make():
        raise ValueError("damaged")
    with pytest.raises(ValueError, match="damaged"):
        cached.stored(table, source, _load, make, _save)
    assert not table.exists()


def test_a_table_that_cannot_be_written_is_no_obstacle(tmp_path, source):
    table = tmp_path / "no folder" / "table"
    for _ in range(2):
        assert cached.stored(table, source, _load, lambda: "table:1", _save) == "table:1"


PROCESS = """
import pathlib, sys, time
from pt_fairness.collections import cached
folder = pathlib.Path(sys.argv[1])
def make():
    with (folder / "made").open("a") as file:
        file.write("x")
    time.sleep(1)
    return "table:made"
print(cached.stored(folder / "table", folder / "source", lambda path: path.read_text(), make,
                    lambda text, file: file.write(text.encode())))
"""


def test_two_processes_make_a_table_once(tmp_path, source):
    processes = [subprocess.Popen([sys.executable, "-c", PROCESS, str(tmp_path)], text=True,
                                  stdout=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate(timeout=60)[0] for process in processes] == ["table:made\n"] * 2
    assert (tmp_path / "made").read_text() == "x"
