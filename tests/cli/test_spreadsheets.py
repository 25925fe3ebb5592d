"""CSV files that a spreadsheet opens: names and labels are no formulas."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from pt_fairness import cli


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 A d1 1\n1 B d2 1\n+2 A d1 1\n")
    for name in ("=1+1", "@sum", "plain"):
        (tmp_path / name).write_text("1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n")
    return lambda *more: cli.main(["table", "qrels", "=1+1", "@sum", "plain", "-m", "nDCG@2",
                                   "BiasP(pro='B',con='A')@1", "--label", "nDCG@2=+x", *more])


def test_names_and_labels_in_a_file(command):
    assert command("-o", "out.csv", "--baseline", "plain") == 0
    table = pd.read_csv("out.csv")
    assert table["name"].tolist() == ["'=1+1", "'@sum", "plain"]
    assert list(table.columns)[1:3] == ["'+x ↑", "BiasP(pro='B',con='A')@1"]
    assert table.iloc[:, 2].tolist() == [-0.5] * 3, "numbers are as they are"


def test_values_per_topic(command):
    assert command("-o", "out.csv", "--format", "long") == 0
    table = pd.read_csv("out.csv", dtype=str)
    assert set(table["run"]) == {"'=1+1", "'@sum", "plain"}
    assert set(table["topic"]) == {"1", "'+2"} and "'+x" in set(table["measure"])
    assert table["value"].astype(float).notna().all()


def test_other_output_is_as_it_is(command, capsys):
    assert command() == 0 and "\n=1+1," in capsys.readouterr().out
    assert command("-o", "out.json", "--format", "json") == 0
    assert '"name": "=1+1"' in Path("out.json").read_text(encoding="utf-8")
