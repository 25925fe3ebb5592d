"""CSV that a spreadsheet opens: names, labels and ids are no formulas."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from pt_fairness import cli

#: Names of runs, and what they are in CSV.
NAMES = {"=1+1": "'=1+1", "@sum": "'@sum", "\t=2+2": "'\t=2+2", "plain": "plain"}


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 A d1 1\n1 B d2 1\n+2 A d1 1\n")
    for name in NAMES:
        (tmp_path / name).write_text("1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n")
    return lambda *more: cli.main(["table", "qrels", *NAMES, "-m", "nDCG@2",
                                   "BiasP(pro='B',con='A')@1", "--label", "nDCG@2=+x", *more])


@pytest.mark.parametrize("to_file", [True, False])
def test_names_and_labels(command, to_file, capsys):
    assert command(*["-o", "out.csv"] * to_file, "--baseline", "plain") == 0
    text = Path("out.csv").read_text(encoding="utf-8") if to_file else capsys.readouterr().out
    head, *rows = csv.reader(StringIO(text))
    assert [row[0] for row in rows] == list(NAMES.values())
    assert head[1:3] == ["'+x ↑", "BiasP(pro='B',con='A')@1"]
    assert [row[2] for row in rows] == ["-0.5"] * 4, "numbers are as they are"


@pytest.mark.parametrize("to_file", [True, False])
def test_values_per_topic(command, to_file, capsys):
    assert command(*["-o", "out.csv"] * to_file, "--format", "long") == 0
    table = pd.read_csv("out.csv" if to_file else StringIO(capsys.readouterr().out), dtype=str)
    assert set(table["run"]) == {*NAMES.values()}
    assert set(table["topic"]) == {"1", "'+2"} and "'+x" in set(table["measure"])
    assert table["value"].astype(float).notna().all()


def test_annotate(command, capsys, tmp_path):
    (tmp_path / "g.csv").write_text("docno,group\nd1,=1+1\nd2,plain\n")
    assert cli.main(["annotate", "qrels", "g.csv", "--format", "csv"]) == 0
    rows = list(csv.reader(StringIO(capsys.readouterr().out)))
    assert {row[0] for row in rows[1:]} == {"1", "'+2"}
    assert {value for row in rows for value in row} >= {"'=1+1", "plain"}


def test_other_forms_are_as_they_are(command, capsys):
    assert command("--format", "json") == 0 and '"name": "=1+1"' in capsys.readouterr().out
