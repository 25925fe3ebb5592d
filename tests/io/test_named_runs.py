"""Names of runs that are given as paths, patterns, frames, lists or dictionaries."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pandas as pd
import pytest

from pt_fairness import evaluate
from pt_fairness.evaluation.naming import position
from pt_fairness.io.named_runs import file_name, named

FRAME = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
OTHER = FRAME.assign(docno="b")


@pytest.mark.parametrize("paths, names", [
    (["input.BM25", "input.pircRBa1"], ["BM25", "pircRBa1"]),
    (["BM25.run.gz"], ["BM25"]), (["x/BM25.run.gz", "x/DPH.run.gz"], ["BM25", "DPH"]),
    (["runs/input.a.gz", "runs/input.b.gz"], ["a", "b"]), (["input.a"], ["input.a"]),
    (["k.0.9.run", "k.0.8.run"], ["0.9", "0.8"]),
    (["bm25.run", "bm25.rm3.run"], ["bm25", "bm25.rm3"]), (["x.run", "y.txt"], ["x", "y"]),
    (["a.rm3.res", "b.rm3.run.gz", "c.rm3.parquet"], ["a", "b", "c"]),
    (["a/run.gz", "b/run.gz"], ["a/run.gz", "b/run.gz"]), (["x.run", "x.res"], ["x.run", "x.res"]),
    (["one/input.x", "two/input.x", "two/input.y"], ["one/input.x", "two/input.x", "y"]),
    (["run"], ["run"]), ([".run"], [".run"]),
])
def test_the_part_that_tells_them_apart(paths, names):
    assert list(named(paths).items()) == list(zip(names, paths, strict=True))


def test_frames_are_named_by_their_position():
    mixed = named(["input.a", FRAME, "input.b"])
    assert list(mixed) == ["a", "run 1", "b"] and mixed["run 1"] is FRAME
    assert list(named(FRAME)) == ["run 0"]
    assert list(named(iter([FRAME, OTHER]))) == ["run 0", "run 1"]


def test_a_run_twice_is_an_error():
    with pytest.raises(ValueError, match=r"the run 'runs/a\.run' is given twice"):
        named(["runs/a.run", "runs/a.run", "runs/b.run"])


@pytest.mark.parametrize("baseline", ["pircRBa1", "input.pircRBa1", "runs/input.pircRBa1.gz",
                                      "input.pircRBa1.gz", 1])
def test_a_baseline(baseline):
    assert position(baseline, named(["runs/input.BM25.gz", "runs/input.pircRBa1.gz"])) == 1


@pytest.mark.parametrize("baseline, says", [
    ("pircRBa2", r"they are BM25, pircRBa1\. Did you mean 'pircRBa1'\?$"),
    ("bm25", r"Did you mean 'BM25'\?$"), ("bm25.run", r"Did you mean 'BM25'\?$"),
    ("xyz", r"they are BM25, pircRBa1\.$")])
def test_a_baseline_that_is_none_of_them(baseline, says):
    with pytest.raises(ValueError, match=says):
        position(baseline, named(["runs/input.BM25.gz", "runs/input.pircRBa1.gz"]))


def test_evaluate_with_a_pattern(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("BM25", "DPH"):
        (tmp_path / f"{name}.run.gz").write_bytes(gzip.compress(b"1 Q0 a 1 2 x\n"))
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    averages, perquery = evaluate("*.run.gz", qrels, ["P@1"], progress=False)
    assert averages["name"].tolist() == perquery["name"].tolist() == ["BM25", "DPH"]


def test_endings_of_files_are_no_names():
    for path in ("x/bm25", "x/bm25.gz", Path("x", "bm25.run.gz"), "bm25.res", "bm25.parquet"):
        assert file_name(path) == "bm25"
    assert file_name("bm25.k.5.trec") == "bm25.k.5" and file_name(".gz") == ".gz"


def test_patterns_are_the_files_that_they_match_in_order(tmp_path):
    for path in ("a/run.gz", "a/other", "b/run.gz", "b/table.parquet"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    assert named(tmp_path / "a" / "*") == {
        "other": str(tmp_path / "a" / "other"), "run": str(tmp_path / "a" / "run.gz")}
    several = named([tmp_path / "b" / "t*", tmp_path / "**" / "other"])
    assert list(several) == ["table", "other"]
    paths = [str(tmp_path / one / "run.gz") for one in "ab"]
    assert list(named(tmp_path / "*" / "run.gz").items()) == list(zip(paths, paths, strict=True))
    (tmp_path / "a[1]").write_text("")
    assert named(tmp_path / "a[1]") == {"a[1]": str(tmp_path / "a[1]")}, "a file of that very name"


def test_names_of_dictionaries_and_lists():
    assert list(named({7: FRAME, "b": "path"})) == ["7", "b"]
    assert named({"p*": "no/such/*"}) == {"p*": "no/such/*"}, "a name stands for one run"
    assert list(named(["x/run", "y/run"], ["one", 2])) == ["one", "2"]
    assert list(named(FRAME, (name for name in ["mine"]))) == ["mine"]


@pytest.mark.parametrize(("names", "says"), [
    (["a"], "there are 1 names for 4 runs, which are run 0, bm25, run 2, "),
    ("abcd", "names='abcd': names is a list with a name for each run"), (3, "names is a list"),
    ({"a": "b"}, "names is a list"), (["a", "a", "b", "c"], "the run 'a' is given twice")])
def test_names_that_are_not_possible(names, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        named([FRAME, "bm25", OTHER, FRAME], names)


@pytest.mark.parametrize(("runs", "says"), [
    ([], "there are no runs"), ({}, "there are no runs"),
    (3, "runs=3 is a int; a run is the path of a file"),
    ([3], "3 is a int; a run is the path of a file"),
    ({"x": None}, "the run 'x' is a NoneType; a run is the path of a file"),
    ({1: FRAME, "1": OTHER}, "two runs have the same name as text; the names are 1, '1'"),
    ([Path("no", "such", "*.gz")], f"no file matches {str(Path('no', 'such', '*.gz'))!r}")])
def test_runs_that_are_not_possible(runs, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        named(runs)
    if isinstance(runs, dict):
        with pytest.raises(ValueError, match="has their names already; leave out names="):
            named(runs, ["a"])
