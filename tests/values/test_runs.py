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
    ("x", FRAME.assign(docno=["a", "b", None, "c"]), "row 2 of the run 'x' has no docno")])
def test_what_cannot_be_registered(name, run, says):
    with pytest.raises(ValueError, match=says):
        runs.register(name, run)


def test_a_name_that_is_not_registered():
    with pytest.raises(ValueError, match=r"no runs are registered as 'x' and no such file exists"):
        runs.get("x")
    with pytest.raises(ValueError, match="'x' cannot be unregistered"):
        runs.unregister("x")
    with pytest.raises(ValueError, match="background takes 'run', 'qrels', a registered name"):
        NFaiRR(values="x", background="x").validate_params()


def test_a_name_means_in_a_copy_what_it_meant_where_it_was_pickled():
    runs.register("bm25", FRAME)
    packed = pickle.dumps(NFaiRR(values="x", background="bm25"))
    runs.unregister("bm25")
    copy = pickle.loads(packed)
    copy.validate_params()
    assert runs.get(copy["background"]).to_numpy().tolist() == ROWS


def test_a_file_or_a_folder_needs_no_registration(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, docnos in (("one", "ab"), ("two", "bc")):
        (folder / name).write_text("".join(f"1 Q0 {docno} 1 2 x\n" for docno in docnos))
    assert runs.get(folder / "two").to_numpy().tolist() == [["1", "b"], ["1", "c"]]
    assert runs.get(folder).to_numpy().tolist() == [["1", "a"], ["1", "b"], ["1", "c"]]
    qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": 1})
    run = qrels.assign(score=[4.0, 3.0, 2.0, 1.0])
    (tmp_path / "groups.csv").write_text("docno,group\na,PRO\nb,CON\nc,PRO\nd,CON\n")
    values = f"values={{'PRO':1,'CON':0}},groups='{tmp_path / 'groups.csv'}'"
    wanted = [f"NFaiRR({values},background='{path}')@2" for path in (folder, folder / "two")]
    by_path = evaluate({"x": run}, qrels, wanted, perquery=False, progress=False)
    for column, docnos in zip(wanted, ("abc", "bc"), strict=True):
        runs.register("pool", pd.DataFrame({"qid": "1", "docno": list(docnos)}))
        named = f"NFaiRR({values},background='pool')@2"
        by_name = evaluate({"x": run}, qrels, [named], perquery=False, progress=False)
        assert by_path.iloc[0, 1 + wanted.index(column)] == by_name.iloc[0, 1]
    assert by_path.iloc[0, 1] != by_path.iloc[0, 2]
    with pytest.raises(ValueError, match="has no runs"):
        (tmp_path / "empty").mkdir()
        runs.get(tmp_path / "empty")
