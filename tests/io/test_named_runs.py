"""Names of runs that are given as paths, patterns, frames, lists or dictionaries."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from pt_fairness.io.named_runs import file_name, named

FRAME = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
OTHER = FRAME.assign(docno="b")


@pytest.fixture
def folder(tmp_path):
    """Run files in two folders, of which one name is in both."""
    for path in ("a/run.gz", "a/other", "b/run.gz", "b/table.parquet"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    return tmp_path


def test_files_are_called_by_their_names_without_endings(folder):
    for path, name in (("a/run.gz", "run"), ("a/other", "other"), ("b/table.parquet", "table")):
        for given in (folder / path, str(folder / path), [folder / path]):
            assert named(given) == {name: str(folder / path)}
            assert file_name(folder / path) == name
    assert file_name("bm25.txt.gz") == "bm25.txt"


def test_patterns_are_the_files_that_they_match_in_order(folder):
    assert named(folder / "a" / "*") == {
        "other": str(folder / "a" / "other"), "run": str(folder / "a" / "run.gz")}
    several = named([folder / "b" / "t*", folder / "**" / "other"])
    assert [*several] == ["table", "other"]
    (folder / "a[1]").write_text("")
    assert named(folder / "a[1]") == {"a[1]": str(folder / "a[1]")}, "a file of that very name"


def test_files_of_the_same_name_are_called_by_their_paths(folder):
    paths = [str(folder / one / "run.gz") for one in "ab"]
    assert named(folder / "*" / "run.gz") == dict(zip(paths, paths, strict=True))
    mixed = named([*paths, folder / "a" / "other"])
    assert [*mixed] == [*paths, "other"], "the others keep their short names"


def test_frames_are_called_by_their_places():
    alone = named(FRAME)
    assert [*alone] == ["run 0"] and alone["run 0"] is FRAME
    mixed = named([FRAME, "x/bm25.gz", OTHER])
    assert [*mixed] == ["run 0", "bm25", "run 2"] and mixed["run 2"] is OTHER
    assert [*named(iter([FRAME, OTHER]))] == ["run 0", "run 1"]


def test_names_of_dictionaries_and_lists():
    assert [*named({7: FRAME, "b": "path"})] == ["7", "b"]
    assert named({"p*": "no/such/*"}) == {"p*": "no/such/*"}, "a name stands for one run"
    assert [*named(["x/run", "y/run"], ["one", 2])] == ["one", "2"]
    assert [*named(FRAME, (name for name in ["mine"]))] == ["mine"]


@pytest.mark.parametrize(("names", "says"), [
    (["a"], "there are 1 names for 4 runs, which are run 0, bm25, run 2, run 3"),
    ("abcd", "names='abcd': names is a list with a name for each run"), (3, "names is a list"),
    ({"a": "b"}, "names is a list"), (["a", "a", "b", "c"], "the run 'a' is given twice")])
def test_names_that_are_not_possible(names, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        named([FRAME, "bm25", OTHER, FRAME], names)


@pytest.mark.parametrize(("runs", "says"), [
    ([], "there are no runs"), ({}, "there are no runs"),
    (3, "runs=3 is a int; runs are paths or DataFrames"),
    ([3], "3 is a int; a run is the path of a file or a DataFrame"),
    ({"x": None}, "the run 'x' is a NoneType; a run is the path of a file or a DataFrame"),
    ({1: FRAME, "1": OTHER}, "two runs have the same name as text; the names are 1, '1'"),
    (["a/x", "a/x"], "the run 'a/x' is given twice"),
    ([Path("no", "such", "*.gz")], f"no file matches {str(Path('no', 'such', '*.gz'))!r}")])
def test_runs_that_are_not_possible(runs, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        named(runs)
    if isinstance(runs, dict):
        with pytest.raises(ValueError, match="has their names already; leave out names="):
            named(runs, ["a"])
