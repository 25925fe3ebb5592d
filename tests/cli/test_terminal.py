"""``pt-fairness table`` on a terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from evaluation.common import evaluate_quietly

from pt_fairness import cli
from pt_fairness.evaluation import as_text

MAIN = [sys.executable, "-c", "import sys; from pt_fairness.cli import main; sys.exit(main())"]
#: Means of rKL@5 and nDCG@5; only B differs from A at p < .05.
TABLE = pd.DataFrame({
    "name": ["A", "B", "C"], "nDCG@5": [0.5, 0.75, 0.625], "nDCG@5 +": [np.nan, 9, 5],
    "nDCG@5 -": [np.nan, 0, 4], "nDCG@5 p-value": [np.nan, 0.0002, 0.4],
    "rKL@5": [0.25, 0.5, 0.125], "rKL@5 +": [np.nan, 9, 5], "rKL@5 -": [np.nan, 0, 4],
    "rKL@5 p-value": [np.nan, 0.01, 0.3]})


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Qrels, a group file and three runs in the working directory."""
    monkeypatch.chdir(tmp_path)
    qrels, runs = [], {"bm25": [], "dph": [], "splade": []}
    rng = np.random.default_rng(5)
    for topic in range(1, 13):
        for i in range(12):
            label = int(rng.random() < 0.4)
            qrels.append(f"{topic} {'PRO' if i % 3 else 'CON'} d{i} {label}\n")
            for strength, lines in enumerate(runs.values()):
                lines.append(f"{topic} Q0 d{i} 1 {strength * label + rng.random():.6f} x\n")
    (tmp_path / "qrels").write_text("".join(qrels))
    for name, lines in runs.items():
        (tmp_path / name).write_text("".join(lines))
    return ["table", "qrels", *runs, "-m", "nDCG@5", "rKL@5", "--baseline", "bm25"]


def on_a_terminal(arguments: list[str], columns: int) -> str:
    """What a command prints on a pseudo-terminal of some columns."""
    pty = pytest.importorskip("pty")
    import fcntl
    import struct
    import termios
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("COLUMNS", "LINES")}
    child = subprocess.Popen([*MAIN, *arguments], stdout=terminal, stderr=subprocess.DEVNULL,
                             env=environment)
    os.close(terminal)
    text = b""
    try:
        while part := os.read(main, 4096):
            text += part
    except OSError:  # Linux raises it at the end
        pass
    os.close(main)
    assert child.wait() == 0
    return text.decode().replace("\r\n", "\n")


def test_columns_are_aligned():
    lines = as_text(TABLE, "text").splitlines()
    assert lines[:4] == ["name  nDCG@5 ↑  rKL@5 ↓",
                         "A     0.5000    0.2500",
                         "B     0.7500*▲  0.5000▼",
                         "C     0.6250    0.1250*"]
    assert lines[4:7] == ["", "* the best value.",
                          "▲ significantly better, ▼ significantly worse than A (p < .05)."]


def test_narrow_terminals_and_long_names(monkeypatch):
    monkeypatch.setenv("COLUMNS", "16")
    text = as_text(TABLE, "text", digits=2)
    assert max(map(len, text.splitlines())) <= 16
    assert text.count("\nA ") == text.count("\nC ") == 2
    monkeypatch.setenv("COLUMNS", "0")
    name = "x" * 90
    assert f"\n{name} " in as_text(TABLE.assign(name=["A", name, "C"]), "text")


@pytest.mark.exhaustive
@pytest.mark.parametrize("columns", [60, 100])
def test_a_terminal_gets_a_table_and_a_pipe_csv(files, columns, capsys, monkeypatch):
    shown = on_a_terminal(files, columns)
    monkeypatch.setenv("COLUMNS", str(columns))
    averages, _ = evaluate_quietly(["bm25", "dph", "splade"], "qrels", ["nDCG@5", "rKL@5"],
                                   baseline="bm25")
    assert shown == as_text(averages, "text")
    assert "▲" in shown and "p-value" not in shown and shown.startswith("name   ")
    assert cli.main(files) == 0
    csv = capsys.readouterr().out
    assert csv == as_text(averages, "csv") and csv.startswith("name,nDCG@5,rKL@5,nDCG@5 +,")
    assert on_a_terminal([*files, "--format", "csv"], columns) == csv
    assert on_a_terminal([*files, "-o", "out.csv"], columns) == ""
    with open("out.csv", encoding="utf-8") as file:
        assert file.read() == csv
    assert cli.main([*files, "--format", "text"]) == 0
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("options", [["--per-query"], ["--uncertain", "20", "--groups", "g.csv"],
                                     ["--topic-groups", "topics.csv"]])
def test_the_other_tables(files, options, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "g.csv").write_text("docno,group,weight\n" + "".join(
        f"d{i},{label},{weight}\n" for i in range(12) for label, weight in
        (("PRO", 0.7), ("CON", 0.3))))
    (tmp_path / "topics.csv").write_text("qid,group\n" + "".join(
        f"{topic},{'odd' if topic % 2 else 'even'}\n" for topic in range(1, 13)))
    command = [*files[:-4], "rKL@5", *options, "--format", "text"]
    assert cli.main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("name ") and " measure " in lines[0]
    assert all(line.split()[0] in ("bm25", "dph", "splade") for line in lines[1:5])


def test_marks_stay_where_there_are_reference_rows():
    """The rows of reference rankings have no comparison either, and are no baseline."""
    more = pd.DataFrame({"name": ["[random order]"], "nDCG@5": np.nan, "rKL@5": [0.0625]})
    table = pd.concat([TABLE, more], ignore_index=True)
    table.attrs["references"] = ("[random order]",)
    for form, lines in (("md", slice(2, 5)), ("latex", slice(5, 8)), ("text", slice(1, 4))):
        shown = as_text(table, form).splitlines()[lines]
        assert ["▲" in line or "blacktriangle}" in line for line in shown] == [False, True, False]
    lines = as_text(table, "text").splitlines()
    assert lines[4] == "" and lines[5].split() == ["[random", "order]", "0.0625"]
