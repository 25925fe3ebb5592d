"""``pt-fairness rerank``."""

from __future__ import annotations

import gzip

import pandas as pd
import pytest
from rerank_cases import WORKED

from pt_fairness import cli, groups, read_run, rerank


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The worked example as a run, and its groups as a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bm25.run").write_text(
        "".join(f"1 Q0 {docno} {i} {score} bm25\n"
                for i, (docno, score, _) in enumerate(WORKED, 1)), encoding="utf-8")
    (tmp_path / "stances.csv").write_text("docno,group\n" + "".join(
        f"{docno},{group}\n" for docno, _, group in WORKED if group), encoding="utf-8")
    return ["rerank", "bm25.run"]


@pytest.mark.parametrize("arguments, params, wanted", [
    (["xquad"], {}, "a b u c d e f g"),
    (["xquad", "--lam", "0.8"], {"lam": 0.8}, "a e u b c d f g"),
    (["det_greedy", "--k=2"], {"k": 2}, "a e u b c d f g"),
    (["fa_ir", "--alpha", "0.3", "--adjust", "False", "--protected", "C"],
     {"alpha": 0.3, "adjust": False, "protected": "C"}, "a e u b c f d g"),
    (["det_cons", "--target", "{'P': 0.25, 'C': 0.75}"], {"target": {"P": 0.25, "C": 0.75}}, None),
])
def test_parameters_by_name(run, capsys, arguments, params, wanted):
    assert cli.main([*run, *arguments, "--groups", "stances.csv"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    found = getattr(rerank, arguments[0])("stances.csv", **params)(read_run("bm25.run"))
    assert [line[2] for line in lines] == found["docno"].tolist()
    assert wanted is None or [line[2] for line in lines] == wanted.split()
    assert lines[0] == ["1", "Q0", lines[0][2], "1", "8", arguments[0]]


def test_a_file_that_other_tools_read(run, tmp_path):
    assert cli.main([*run, "pm2", "--groups", "stances.csv", "-o", "out.gz"]) == 0
    with gzip.open("out.gz", "rt") as file:
        assert len(file.readlines()) == 8
    assert " ".join(read_run("out.gz")["docno"]) == "a e u b c d f g"


def test_policies_need_no_groups(run, capsys):
    assert cli.main([*run, "plackett_luce", "--sample", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(line.split()[2] for line in lines) == "a u b c d e f g"


@pytest.mark.parametrize("arguments, message", [
    (["xquad"], "xquad needs the groups of the documents: --groups NAME"),
    (["mmr", "--groups", "stances.csv"], "there is no re-ranker 'mmr'; use one of det_cons,"),
    (["xquad", "--groups", "none.csv"], "no groups are registered as 'none.csv'"),
    (["xquad", "--groups", "stances.csv", "--lam", "2"], "xquad(lam=2) is not possible"),
    (["xquad", "--groups", "stances.csv", "--target", "qrels"], "a re-ranker has no qrels"),
    (["plackett_luce", "--groups", "stances.csv"], "plackett_luce has no parameter groups"),
])
def test_errors(run, capsys, arguments, message):
    assert cli.main([*run, *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.count("\n") == 1 and captured.out == ""


def test_identifiers_with_white_space(run, capsys):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"qid": "1", "docno": ["a", "b c"], "score": [2.0, 1.0]})
    frame.to_parquet("bm25.parquet")
    assert cli.main(["rerank", "bm25.parquet", "plackett_luce"]) == 2
    captured = capsys.readouterr()
    assert "a TREC run cannot hold the docno 'b c'" in captured.err and captured.out == ""


def test_unknown_parameters(run, capsys):
    for arguments in ([*run, "xquad", "--groups", "stances.csv", "--alpha", "1"],
                      ["measures", "--alpha", "1"]):
        with pytest.raises(SystemExit) as error:
            cli.main(arguments)
        assert error.value.code == 2
        assert "unrecognized arguments: --alpha" in capsys.readouterr().err


def test_samples_are_not_merged(run, tmp_path, capsys):
    (tmp_path / "draws.run").write_text("".join(
        f"1 {sample} {docno} 1 {score} x\n" for sample in (0, 1) for docno, score, _ in WORKED),
        encoding="utf-8")
    assert cli.main(["rerank", "draws.run", "xquad", "--groups", "stances.csv"]) == 2
    assert "draws.run holds several rankings of a topic" in capsys.readouterr().err


def test_registered_groups(run, capsys):
    groups.register("stances", groups.from_mapping({"a": "P", "e": "C"}))
    try:
        assert cli.main([*run, "det_greedy", "--groups", "stances", "--k", "1"]) == 0
    finally:
        groups.unregister("stances")
    assert capsys.readouterr().out.startswith("1 Q0 a 1 8 det_greedy\n1 Q0 b 2 7 det_greedy\n")
