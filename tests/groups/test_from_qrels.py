"""Groups from the labels of qrels, and relevance and stance qrels joined to qrels with groups."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from pt_fairness import cli, evaluate, groups, read_qrels

RELEVANCE = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n"
STANCES = "1 0 a FIRST\n1 0 b NO\n2 0 a SECOND\n2 0 z FIRST\n"
JOINED = [["1", "a", 2, "FIRST"], ["1", "b", 0, "-"], ["1", "c", 1, "-"], ["2", "a", 1, "SECOND"]]


def files(folder: Path) -> tuple[Path, Path]:
    (folder / "relevance").write_text(RELEVANCE)
    (folder / "stances.gz").write_bytes(gzip.compress(STANCES.encode()))
    return folder / "relevance", folder / "stances.gz"


def test_two_qrels_are_joined(tmp_path):
    relevance, stances = files(tmp_path)
    source = groups.from_qrels(stances, none=["NO"])
    assert source.labels == ["FIRST", "SECOND"] and source.by_topic
    assert source.to_qrels(read_qrels(relevance)).to_numpy().tolist() == JOINED
    # A document without relevance label has its group, too.
    assert source.lookup(["2"], ["z"])["group"].tolist() == ["FIRST"]


def test_every_label_is_a_group_by_default(tmp_path):
    _, stances = files(tmp_path)
    assert groups.from_qrels(stances).labels == ["FIRST", "NO", "SECOND"]
    assert groups.from_qrels(stances).digest() == groups.from_file(stances).digest()
    assert groups.from_qrels(stances, order=["SECOND", "NO", "FIRST"]).order == [
        "SECOND", "NO", "FIRST"]


@pytest.mark.parametrize("columns", [["qid", "docno", "label"],
                                     ["query_id", "doc_id", "relevance"]])
def test_a_frame_of_numbers(columns):
    frame = pd.DataFrame([["1", "a", 4], ["1", "b", 2], ["1", "c", 0]], columns=columns)
    source = groups.from_qrels(frame.assign(iteration="x"), [0], "opinions")
    assert source.name == "opinions" and source.labels == ["2", "4"]
    assert source.lookup(["1"] * 3, ["a", "b", "c"])["group"].tolist() == ["4", "2"]
    assert frame.columns.tolist() == columns, "the frame is not modified"


@pytest.mark.parametrize("none, says", [
    (["no"], r"none=\['no'\]: no document has the label 'no'; the labels are 'FIRST', 'NO'"),
    (["FIRST", "NO", "SECOND"], r"no document has a group: the labels are 'FIRST', 'NO', 'SECOND'"),
    ("NO", "none='NO' is one text")])
def test_labels_that_are_wrong(tmp_path, none, says):
    with pytest.raises(ValueError, match=says):
        groups.from_qrels(files(tmp_path)[1], none)


def test_qrels_that_are_wrong(tmp_path):
    with pytest.raises(ValueError, match="qrels need the columns qid, docno, label"):
        groups.from_qrels(pd.DataFrame({"docno": ["a"]}))
    (tmp_path / "qrels").write_text("1 0 a FIRST\n1 0 b\n")
    with pytest.raises(ValueError, match="qrels, line 2: 3 columns"):
        groups.from_qrels(tmp_path / "qrels")
    with pytest.raises(ValueError, match=r"line 1: the label 'FIRST' .*groups\.from_qrels"):
        read_qrels(files(tmp_path)[1])


def test_the_command_annotate_joins(tmp_path, capsys):
    relevance, stances = map(str, files(tmp_path))
    assert cli.main(["annotate", relevance, stances, "--none", "NO"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "1 FIRST a 2\n1 - b 0\n1 - c 1\n2 SECOND a 1\n"
    assert "2 of 4 judged documents have a group: FIRST 1, SECOND 1" in captured.err
    assert cli.main(["annotate", relevance, stances]) == 0
    assert "1 NO b 0" in capsys.readouterr().out
    assert cli.main(["annotate", relevance, stances, "--none", "NEVER"]) == 2
    assert "no document has the label 'NEVER'" in capsys.readouterr().err


def test_the_source_gives_the_values_of_the_joined_qrels(tmp_path):
    relevance, stances = files(tmp_path)
    source = groups.from_qrels(stances, ["NO"])
    run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["b", "a", "a"], "score": [2.0, 1.0, 1.0]})
    tables = [evaluate({"r": run}, qrels, ["AWRF(target='uniform')@2"], groups=given,
                       progress=False)[0]
              for qrels, given in ((relevance, source),
                                   (source.to_qrels(read_qrels(relevance)), None))]
    pd.testing.assert_frame_equal(*tables)


def test_the_real_stances(shared):
    folder = shared / "data" / "touche2022"
    source = groups.from_qrels(folder / "stance.qrels.gz", none=["NO"])
    qrels = source.to_qrels(read_qrels(folder / "relevance.qrels.gz"))
    assert qrels["iteration"].value_counts().to_dict() == {
        "-": 1012, "NEUTRAL": 418, "FIRST": 393, "SECOND": 284}
