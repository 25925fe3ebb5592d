"""Runs by name."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

from pt_fairness import NFaiRR, runs

pytestmark = pytest.mark.usefixtures("registered_runs")

FRAME = pd.DataFrame([(1, "a", 3.0), (1, "b", 2.0), (2, "a", 1.0), (1, "a", 0.5)],
                     columns=["qid", "docno", "score"])
ROWS = [["1", "a"], ["1", "b"], ["2", "a"]]


def test_a_frame_or_a_file(tmp_path):
    runs.register("frame", FRAME)
    runs.register("names", FRAME.rename(columns={"qid": "query_id", "docno": "doc_id"}))
    path = tmp_path / "run.txt"
    lines = [f"{qid} Q0 {docno} 1 {score} x\n" for qid, docno, score in FRAME.to_numpy()]
    path.write_text("".join(lines))
    runs.register("file", path)
    assert runs.names() == ["file", "frame", "names"]
    for name in runs.names():
        assert runs.get(name).to_numpy().tolist() == ROWS
    runs.unregister("file")
    assert runs.names() == ["frame", "names"]


def test_a_copy_does_not_change_what_is_registered():
    frame = FRAME.copy()
    runs.register("bm25", frame)
    frame["docno"] = "other"
    assert runs.get("bm25").to_numpy().tolist() == ROWS


@pytest.mark.parametrize("name, run, says", [
    ("", FRAME, "runs need a name that is not empty"),
    (3, FRAME, "runs need a name that is not empty"),
    ("Run", FRAME, "runs cannot be named 'Run': 'run', 'qrels' have a meaning"),
    ("x", FRAME.drop(columns="qid"), "the run 'x' has no column 'qid'"),
    ("x", FRAME.assign(docno=["a", "b", None, "c"]), "row 2 of the run 'x' has no docno"),
])
def test_what_cannot_be_registered(name, run, says):
    with pytest.raises(ValueError, match=says):
        runs.register(name, run)


def test_a_name_that_is_not_registered():
    with pytest.raises(ValueError, match=r"no runs are registered as 'x'\. Registered are none"):
        runs.get("x")
    with pytest.raises(ValueError, match="'x' cannot be unregistered"):
        runs.unregister("x")
    with pytest.raises(ValueError, match="background takes 'run', 'qrels', or a name registered "):
        NFaiRR(values="x", background="x").validate_params()


def test_a_name_means_in_a_copy_what_it_meant_where_it_was_pickled():
    runs.register("bm25", FRAME)
    packed = pickle.dumps(NFaiRR(values="x", background="bm25"))
    runs.unregister("bm25")
    copy = pickle.loads(packed)
    copy.validate_params()
    assert runs.get(copy["background"]).to_numpy().tolist() == ROWS
