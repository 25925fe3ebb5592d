"""``pt-fairness rerank``."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from one_test import each
from rerank_cases import WORKED

from pt_fairness import analysis, cli, evaluate, read_run, rerank
from pt_fairness.analysis.notes import short_p


@pytest.fixture
def run(folder_of, command):
    """``run(argument…)``: ``rerank`` of the worked example, whose groups are a file."""
    folder_of({
        "bm25.run": "".join(f"1 Q0 {docno} {i} {score} bm25\n"
                            for i, (docno, score, _) in enumerate(WORKED, 1)),
        "stances.csv": "docno,group\n" + "".join(f"{docno},{group}\n"
                                                 for docno, _, group in WORKED if group)})
    return lambda *arguments: command("rerank", "bm25.run", *arguments)


@pytest.mark.parametrize("arguments, params, order", [
    (["xquad"], {}, "a b u c d e f g"),
    (["xquad", "--lam", "0.8"], {"lam": 0.8}, "a e u b c d f g"),
    (["det_greedy", "--k=2"], {"k": 2}, "a e u b c d f g"),
    (["fa_ir", "--alpha", "0.3", "--adjust", "False", "--protected", "C"],
     {"alpha": 0.3, "adjust": False, "protected": "C"}, "a e u b c f d g"),
    (["det_cons", "--target", "{'P': 0.25, 'C': 0.75}"], {"target": {"P": 0.25, "C": 0.75}}, None),
])
def test_parameters_by_name(run, arguments, params, order):
    code, out, _ = run(*arguments, "--groups", "stances.csv")
    lines = [line.split() for line in out.splitlines()]
    ranking = getattr(rerank, arguments[0])("stances.csv", **params)(read_run("bm25.run"))
    assert code == 0 and [line[2] for line in lines] == ranking["docno"].tolist()
    assert order is None or [line[2] for line in lines] == order.split()
    assert lines[0] == ["1", "Q0", lines[0][2], "1", "8", arguments[0]]


def test_a_file_that_other_tools_read(run):
    assert run("pm2", "--groups", "stances.csv", "-o", "out.gz")[0] == 0
    with gzip.open("out.gz", "rt") as file:
        assert len(file.readlines()) == 8
    assert " ".join(read_run("out.gz")["docno"]) == "a e u b c d f g"


def test_policies_need_no_groups(run):
    lines = run("plackett_luce", "--sample", "1")[1].splitlines()
    assert " ".join(line.split()[2] for line in lines) == "a u b c d e f g"


GROUPS = ["--groups", "stances.csv"]


@each("arguments, message", [
    (["xquad"], "xquad needs the groups of the documents: --groups NAME"),
    (["mmr", *GROUPS], "there is no re-ranker 'mmr'; use one of det_cons,"),
    (["xquad", "--groups", "none.csv"], "no groups are registered as 'none.csv'"),
    (["xquad", *GROUPS, "--lam", "2"], "xquad(lam=2) is not possible"),
    (["xquad", *GROUPS, "--target", "qrels"], "the shares, such as {'PRO':0.5,"),
    (["xquad", *GROUPS, "--target", "1+" * 60_000 + "1"], "is not possible: target takes"),
    (["xquad", *GROUPS, "--drop-undefined"], "--drop-undefined belongs to --compare QRELS"),
    (["xquad", *GROUPS, "-m", "P@5"], "--compare QRELS and -m MEASURE go together"),
    (["xquad", *GROUPS, "--compare", "bm25.run"], "--compare QRELS and -m MEASURE go together"),
    (["plackett_luce", *GROUPS], "plackett_luce has no parameter groups")])
def test_errors(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1


def test_unknown_parameters(run, command, capsys):
    for call in (lambda: run("xquad", *GROUPS, "--alpha", "1"),
                 lambda: command("measures", "--alpha", "1")):
        with pytest.raises(SystemExit) as error:
            call()
        assert error.value.code == 2
        assert "unrecognized arguments: --alpha" in capsys.readouterr().err


def test_runs_that_cannot_be_written(run, command, folder_of):
    pytest.importorskip("pyarrow")
    folder_of({"draws.run": "".join(f"1 {sample} {docno} 1 {score} x\n" for sample in (0, 1)
                                    for docno, score, _ in WORKED)})
    frame = pd.DataFrame({"qid": "1", "docno": ["a", "b c"], "score": [2.0, 1.0]})
    frame.to_parquet("bm25.parquet")
    for name, says in (("draws.run", "draws.run holds several rankings of a topic"),
                       ("bm25.parquet", "a TREC run cannot hold the docno 'b c'")):
        code, out, err = command("rerank", name, "plackett_luce")
        assert (code, out) == (2, "") and says in err


METHODS = {name: getattr(rerank, name) for name in rerank.__all__}


@each("name", METHODS)
def test_the_help_of_a_method_lists_its_parameters(capsys, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    texts = []
    for arguments in ([name, "--help"], ["any.run", name, "-h"]):
        with pytest.raises(SystemExit) as stop:
            cli.main(["rerank", *arguments])
        assert stop.value.code == 0
        texts.append(capsys.readouterr().out)
    out, again = texts
    assert out == again and out.startswith(f"usage: pt-fairness rerank RUN {name} ")
    flat = " ".join(out.split())
    for parameter, meaning in METHODS[name].parameters().items():
        assert f"\n  --{parameter} " in out
        assert meaning.default is None or f"(default: {meaning.default})" in flat
    assert ("weight of the groups against relevance" in flat) == (name in ("xquad", "pm2"))
    assert not re.search(r"``|:func:|:param|default: None", out) and "--verbose" not in out


def test_the_help_of_the_command(capsys):
    with pytest.raises(SystemExit):
        cli.main(["rerank", "--help"])
    assert "usage: pt-fairness rerank RUN METHOD --groups SOURCE" in capsys.readouterr().out


def test_what_it_costs_and_brings(run, folder_of, monkeypatch):
    """Of twelve topics with the documents of the worked example."""
    monkeypatch.setenv("COLUMNS", "200")
    rng = np.random.default_rng(4)
    rows = [(topic, docno, int(rng.random() < 0.5), score) for topic in range(1, 13)
            for docno, score, _ in WORKED]
    folder_of({"qrels": "".join(f"{t} 0 {d} {label}\n" for t, d, label, _ in rows),
               "bm25.run": "".join(f"{t} Q0 {d} 1 {score + rng.random() * 3} x\n"
                                   for t, d, _, score in rows)})
    measures = ["nDCG@4", "rKL(protected='C',rel=0)@4"]
    arguments = ["det_greedy", *GROUPS, "--k", "4"]
    compared = [*arguments, "--compare", "qrels", "-m", *measures]
    code, shown, _ = run(*compared)
    before = read_run("bm25.run")
    after = rerank.det_greedy("stances.csv", k=4)(before)
    _, values = evaluate({"before": before, "after": after}, "qrels", measures,
                         groups="stances.csv", progress=False)
    expected = analysis.compare(values, "before", None)
    assert "The values are by the groups that decided the order" in shown
    head, *lines = shown.splitlines()
    assert code == 0 and head.split() == ["measure", "before", "after", "difference", "95", "%",
                                          "interval", "p"]
    for line, arrow, row in zip(lines[:2], "↑↓", expected.itertuples(), strict=True):
        assert line.startswith(f"{row.measure} {arrow}")
        cells = line.replace("▲", "").replace("▼", "").split(f" {arrow}")[1].split()
        assert cells == [f"{row.baseline:.4f}", f"{row.mean:.4f}", f"{row.difference:+.4f}",
                         f"[{row.low:.4f},", f"{row.high:.4f}]", *short_p(row.p).split()]
        better = (row.difference > 0) == (arrow == "↑")
        assert ("▲" in line, "▼" in line) == (row.reject and better, row.reject and not better)
    assert expected["reject"].any() and "BCa bootstrap over topics" in shown
    assert "\nGroups: stances.csv (" in shown
    assert run(*compared, "-o", "new.run")[1] == shown
    assert run(*arguments)[1] == Path("new.run").read_text(encoding="utf-8")
