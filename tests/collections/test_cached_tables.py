"""Cached tables: read once, replaced atomically, made anew when outdated or invalid."""

import os
import subprocess
import sys

import ir_datasets  # noqa: F401 - first, because registering imports all of the modules
import numpy as np
import pandas as pd
import pytest

from pt_fairness import groups
from pt_fairness.collections import variants

COLUMNS = ["group", "why_not"]
ROWS = pd.DataFrame({"group": ["a", "b", "-"], "why_not": ["", "", "missing"]},
                    index=["d1", "дока", "d3"])
NUMBERS = pd.DataFrame({"a": [0, 12], "b": [3, 4]}, index=["d1", "дока"], dtype=np.int32)


@pytest.fixture
def table(tmp_path):
    return tmp_path / "qrels.gender.tsv"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source"
    path.write_text("content")
    os.utime(path, (10, 10))
    return path


@pytest.mark.parametrize("rows, labels, kind", [(ROWS, {"a", "b"}, object),
                                                (NUMBERS, None, np.int32)])
def test_rows_are_read_as_they_were_written(table, source, rows, labels, kind):
    columns = list(rows)
    absent = variants.read_rows(table, source, columns, labels, kind)
    assert absent.empty and list(absent) == columns
    variants.write_rows(table, rows)
    found = variants.read_rows(table, source, columns, labels, kind)
    pd.testing.assert_frame_equal(found, rows.astype(kind), check_names=False,
                                  check_index_type=False)
    assert list(table.parent.glob("*.part")) == []


def test_a_table_of_rows_is_a_group_file(table):
    variants.write_rows(table, ROWS)
    found = groups.from_file(table).lookup(["1"] * 3, ["d1", "дока", "d3"])
    assert found[["docno", "group"]].values.tolist() == [["d1", "a"], ["дока", "b"]]


def test_outdated_and_invalid_rows_count_as_absent(table, source):
    variants.write_rows(table, ROWS)
    content = table.read_bytes()
    assert variants.read_rows(table, source, COLUMNS, ["a"]).empty, "another label set"
    assert variants.read_rows(table, source, COLUMNS[:1]).empty, "other columns"
    for damage in (b"", b"docno\n", b"\xff" + content, content + b"d9\ta\t\t3\n",
                   content + b"d1\ta\t\n"):
        table.write_bytes(damage)
        assert variants.read_rows(table, source, COLUMNS).empty, damage
    table.write_bytes(content)
    assert len(variants.read_rows(table, source, COLUMNS)) == 3
    os.utime(table, (9, 9))
    assert variants.read_rows(table, source, COLUMNS).empty, "older than its source"
    source.unlink()
    assert len(variants.read_rows(table, source, COLUMNS)) == 3


@pytest.mark.parametrize("number", ["x", "1.5", "", "99999999999"])
def test_rows_that_hold_no_numbers_count_as_absent(table, source, number):
    table.write_text(f"docno\ta\tb\nd1\t0\t3\nd2\t{number}\t4\n")
    assert variants.read_rows(table, source, list(NUMBERS), kind=np.int32).empty


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
        assert variants.stored(table, source, _load, make, _save) == "table:content"
    assert len(read) == 1
    table.write_text("invalid")
    assert variants.stored(table, source, _load, make, _save) == "table:content"
    os.utime(table, (9, 9))
    assert variants.stored(table, source, _load, make, _save) == "table:content"
    assert len(read) == 3
    source.unlink()
    assert variants.stored(table, source, _load, make, _save) == "table:content"
    assert len(read) == 3


def test_an_error_of_the_source_leaves_no_table(table, source):
    def make():
        raise ValueError("damaged")
    with pytest.raises(ValueError, match="damaged"):
        variants.stored(table, source, _load, make, _save)
    assert not table.exists()


def test_a_table_that_cannot_be_written_is_no_obstacle(tmp_path, source):
    table = tmp_path / "no folder" / "table"
    for _ in range(2):
        assert variants.stored(table, source, _load, lambda: "table:1", _save) == "table:1"


PROCESS = """
import pathlib, sys, time
import ir_datasets  # noqa: F401 - first, because registering imports all of the modules
from pt_fairness.collections import variants
folder = pathlib.Path(sys.argv[1])
def make():
    with (folder / "made").open("a") as file:
        file.write("x")
    time.sleep(0.5)
    return "table:made"
print(variants.stored(folder / "table", folder / "source", lambda path: path.read_text(), make,
                    lambda text, file: file.write(text.encode())))
"""


@pytest.mark.exhaustive
def test_two_processes_make_a_table_once(tmp_path, source):
    processes = [subprocess.Popen([sys.executable, "-c", PROCESS, str(tmp_path)], text=True,
                                  stdout=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate(timeout=60)[0] for process in processes] == ["table:made\n"] * 2
    assert (tmp_path / "made").read_text() == "x"
