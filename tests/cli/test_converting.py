"""``pt-fairness rerank``."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rerank_cases import WORKED

from pt_fairness import analysis, cli, evaluate, groups, read_run, rerank
from pt_fairness.analysis.significance import short_p


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
    (["plackett_luce", "--groups", "stances.csv"], "plackett_luce has no parameter groups")])
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


METHODS = {name: getattr(rerank, name) for name in rerank.__all__}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("arguments", [["{}", "--help"], ["any.run", "{}", "-h"]])
def test_the_help_of_a_method_lists_its_parameters(capsys, name, arguments, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as stop:
        cli.main(["rerank", *(one.format(name) for one in arguments)])
    out = capsys.readouterr().out
    assert stop.value.code == 0 and out.startswith(f"usage: pt-fairness rerank RUN {name} ")
    flat = " ".join(out.split())
    for parameter, one in METHODS[name].parameters().items():
        assert f"\n  --{parameter} " in out
        if one.default is not None:
            assert f"(default: {one.default})" in flat
    assert ("weight of the groups against relevance" in flat) == (name in ("xquad", "pm2"))
    assert not re.search(r"``|:func:|:param|default: None", out) and "--verbose" not in out


def test_the_help_of_the_command(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["rerank", "--help"])
    assert stop.value.code == 0
    assert "usage: pt-fairness rerank RUN METHOD --groups SOURCE" in capsys.readouterr().out


@pytest.fixture
def qrels(run, tmp_path):
    """Twelve topics with the documents of the worked example, and their run in two files."""
    rng = np.random.default_rng(4)
    lines = [(topic, docno, int(rng.random() < 0.5), score) for topic in range(1, 13)
             for docno, score, _ in WORKED]
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {d} {label}\n" for t, d, label, _ in lines))
    (tmp_path / "bm25.run").write_text("".join(
        f"{t} Q0 {d} 1 {score + rng.random() * 3} x\n" for t, d, _, score in lines))
    return "qrels"


def test_what_it_costs_and_brings(run, qrels, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    measures = ["nDCG@4", "rKL(protected='C', rel=0)@4"]
    command = [*run, "det_greedy", "--groups", "stances.csv", "--k", "4"]
    assert cli.main([*command, "--compare", qrels, "-m", *measures]) == 0
    shown = capsys.readouterr().out
    before = read_run("bm25.run")
    after = rerank.det_greedy("stances.csv", k=4)(before)
    _, values = evaluate({"before": before, "after": after}, "qrels",
                         ["nDCG@4", "rKL(protected='C',rel=0)@4"], groups="stances.csv",
                         progress=False)
    found = analysis.compare(values, "before", None)
    lines = shown.splitlines()
    assert lines[0].split() == ["measure", "before", "after", "difference", "95", "%", "interval",
                                "p"]
    for line, arrow, row in zip(lines[1:3], "↑↓", found.itertuples(), strict=True):
        assert line.startswith(f"{row.measure} {arrow}")
        cells = line.replace("▲", "").replace("▼", "").split(f" {arrow}")[1].split()
        assert cells == [f"{row.baseline:.4f}", f"{row.mean:.4f}", f"{row.difference:+.4f}",
                         f"[{row.low:.4f},", f"{row.high:.4f}]", *short_p(row.p).split()]
        better = (row.difference > 0) == (arrow == "↑")
        assert ("▲" in line, "▼" in line) == (row.reject and better, row.reject and not better)
    assert found["reject"].any() and "BCa bootstrap over topics" in shown
    assert "\nGroups: stances.csv (" in shown
    assert cli.main([*command, "--compare", qrels, "-m", *measures, "-o", "new.run"]) == 0
    assert capsys.readouterr().out == shown
    assert cli.main(command) == 0
    assert capsys.readouterr().out == Path("new.run").read_text(encoding="utf-8")


def test_compare_needs_measures(run, qrels, capsys):
    for options in (["--compare", qrels], ["-m", "nDCG@4"]):
        assert cli.main([*run, "xquad", "--groups", "stances.csv", *options]) == 2
        assert "--compare QRELS and -m MEASURE go together" in capsys.readouterr().err


def test_undefined_topics_are_dropped_from_compare_only(run, capsys):
    assert cli.main([*run, "xquad", "--groups", "stances.csv", "--drop-undefined"]) == 2
    assert "--drop-undefined belongs to --compare QRELS" in capsys.readouterr().err


@pytest.mark.parametrize("depth", [100, 60_000])
def test_a_target_that_is_a_long_sum_is_an_error(run, capsys, depth):
    target = "1+" * depth + "1"
    assert cli.main([*run, "xquad", "--groups", "stances.csv", "--target", target]) == 2
    assert "is not possible: target takes 'uniform', 'run'" in capsys.readouterr().err
