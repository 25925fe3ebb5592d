"""The names that runs have by their files."""

import gzip

import pandas as pd
import pytest

from pt_fairness import evaluate
from pt_fairness.evaluation.naming import position
from pt_fairness.io.named_runs import named


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
    frame = pd.DataFrame({"qid": ["1"]})
    assert list(named(["input.a", frame, "input.b"])) == ["a", "run 1", "b"]


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
