"""Runs by name."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

from pt_fairness import NFaiRR, evaluate, runs

pytestmark = pytest.mark.usefixtures("registered_runs")

FRAME = pd.DataFrame([(1, "a", 3.0), (1, "b", 2.0), (2, "a", 1.0), (1, "a", 0.5)],
                     columns=["qid", "docno", "score"])
ROWS = [["1", "a"], ["1", "b"], ["2", "a"]]


def test_a_frame_or_a_file(folder_of):
    frame = FRAME.copy()
    runs.register("frame", frame)
    frame["docno"] = "other"  # changes nothing
    runs.register("names", FRAME.rename(columns={"qid": "query_id", "docno": "doc_id"}))
    lines = [f"{qid} Q0 {docno} 1 {score} x\n" for qid, docno, score in FRAME.to_numpy()]
    runs.register("file", folder_of({"run.txt": "".join(lines)}) / "run.txt")
    assert runs.names() == ["file", "frame", "names"]
    for name in runs.names():
        assert runs.get(name).to_numpy().tolist() == ROWS
    packed = pickle.dumps(NFaiRR(values="x", background="frame"))
    runs.unregister("frame")
    assert runs.names() == ["file", "names"]
    copy = pickle.loads(packed)  # its name means what it meant
    copy.validate_params()
    assert runs.get(copy["background"]).to_numpy().tolist() == ROWS


@pytest.mark.parametrize("call, says", [
    (lambda: runs.register("", FRAME), "the name of runs"),
    (lambda: runs.register("Run", FRAME), "'Run'"),
    (lambda: runs.register("x", FRAME.drop(columns="qid")), "'x' has no column 'qid'"),
    (lambda: runs.register("x", FRAME.assign(docno=["a", "b", None, "c"])), "row 2 .*docno"),
    (lambda: runs.get("x"), "'x'"), (lambda: runs.unregister("x"), "'x'"),
    (NFaiRR(values="x", background="x").validate_params, "background must")])
def test_what_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_a_file_or_a_folder_needs_no_registration(folder_of, tmp_path):
    for name in ("runs", "empty"):
        (tmp_path / name).mkdir()
    folder_of({f"runs/{name}": "".join(f"1 Q0 {docno} 1 2 x\n" for docno in docnos)
               for name, docnos in (("one", "ab"), ("two", "bc"))})
    assert runs.get(tmp_path / "runs").to_numpy().tolist() == [["1", "a"], ["1", "b"], ["1", "c"]]
    qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": 1})
    groups = {"a": "PRO", "b": "CON", "c": "PRO", "d": "CON"}
    measures = [NFaiRR(values={"PRO": 1, "CON": 0}, background=background) @ 2
                for background in (tmp_path / "runs", tmp_path / "runs" / "two", "abc", "bc")]
    for docnos in ("abc", "bc"):
        runs.register(docnos, pd.DataFrame({"qid": "1", "docno": list(docnos)}))
    table, _ = evaluate({"x": qrels.assign(score=[4.0, 3.0, 2.0, 1.0])}, qrels, measures,
                        groups=groups, progress=False)
    folder, file, all_three, two = table.iloc[0, 1:]
    assert folder == all_three != file == two
    with pytest.raises(ValueError, match="must hold runs"):
        runs.get(tmp_path / "empty")
