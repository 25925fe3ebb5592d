"""``pt-fairness table``: the tables of evaluate, as text."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from evaluation.common import evaluate_quietly, trec_run
from ir_measures import AP, nDCG
from one_test import each

from pt_fairness import cli, rND, write_qrels
from pt_fairness import io as reading
from pt_fairness.evaluation import as_text
from pt_fairness.io.tables import EXACT


@pytest.fixture
def qrels(make_case):
    return make_case(3, topics=12, labels=3).qrels_frame


@pytest.fixture
def folder(make_case, qrels, tmp_path, monkeypatch):
    """Qrels and, in a folder, four runs."""
    monkeypatch.chdir(tmp_path)
    write_qrels(qrels, "qrels")
    (tmp_path / "runs").mkdir()
    for seed in range(3, 7):
        run = make_case(seed, topics=12, labels=3).run_frame
        (tmp_path / "runs" / f"system {seed}").write_text(trec_run(run), encoding="utf-8")
    return tmp_path / "runs"


@pytest.fixture
def table(folder, command):
    """``table(option…)``: exit code, standard output, standard error."""
    return lambda *options: command("table", "qrels", *sorted(folder.iterdir()), "-m",
                                    "nDCG@5 rND@5", "AP", *options)


@pytest.fixture
def expected(folder, qrels):
    """``expected(option…)``: what evaluate returns."""
    return lambda **options: evaluate_quietly(folder / "*", qrels, [nDCG @ 5, rND @ 5, AP],
                                              **options)


def test_every_digit_is_printed(table, expected):
    code, out, err = table()
    assert code == 0 and "8/8" not in err
    assert "warning: topics with nothing to compare with" in err
    averages, per_query = expected()
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(out), **EXACT), averages,
                                  check_exact=True)
    read = pd.read_csv(io.StringIO(table("--per-query")[1]), dtype={"qid": str}, **EXACT)
    pd.testing.assert_frame_equal(read, per_query, check_exact=True)


def test_a_baseline_by_name_or_path(table, expected, folder):
    code, out, _ = table("--baseline", "system 3", "--format", "json")
    assert code == 0
    assert table("--baseline", folder / "system 3", "--format", "json")[1] == out
    rows = json.loads(out)
    averages, _ = expected(baseline=0)
    assert [row["name"] for row in rows] == averages["name"].tolist()
    assert list(rows[0]) == list(averages.columns)
    assert rows[0]["AP p-value"] is None and rows[1]["AP +"] == int(averages["AP +"][1])
    assert [row["nDCG@5"] for row in rows] == averages["nDCG@5"].tolist()


def marked(averages, row, measure, bold):
    """The cell of a paper's table, by the rules of the table: an independent account."""
    values, p = averages[measure], averages[f"{measure} p-value corrected"][row]
    fair = values.min() if measure.startswith("r") else values.max()
    cell = f"{values[row]:.4f}"
    cell = bold.format(cell) if values[row] == fair else cell
    if not p < 0.05:
        return cell
    return cell + ("▲" if (values[row] < values[0]) == measure.startswith("r") else "▼")


def paper(averages, bold):
    return [[row["name"], *(marked(averages, i, measure, bold) for measure in
                            ("nDCG@5", "rND@5", "AP"))] for i, row in averages.iterrows()]


def test_markdown(table, expected):
    averages, _ = expected(baseline=0)
    lines = table("--baseline", "system 3", "--format", "md")[1].splitlines()
    assert lines[:2] == ["| name | nDCG@5 ↑ | rND@5 ↓ | AP ↑ |", "| --- | ---: | ---: | ---: |"]
    assert lines[2:6] == [f"| {' | '.join(row)} |" for row in paper(averages, "**{}**")]
    assert lines[6] == "" and len(lines) == 8
    for words in ("significantly worse than system 3 (two-sided paired t-test, p < .05, Holm's",
                  "rND@5: target: the distribution", "protected: the group with the fewest",
                  "Undefined: rND@5 on 7 of 12 topics."):
        assert words in lines[7]
    short = table("--baseline", "system 3", "--format", "md", "--digits", "2", "--p-values",
                  "--correction", "none")[1].splitlines()
    assert short[0] == "| name | nDCG@5 ↑ | p (nDCG@5) | rND@5 ↓ | p (rND@5) | AP ↑ | p (AP) |"
    p = f"{averages['AP p-value'][1]:.3f}".removeprefix("0")
    assert short[3].endswith(f"{averages['AP'][1]:.2f} | {p} |")
    assert "not corrected for several systems" in short[-1]


def test_latex(table, expected, folder):
    averages, _ = expected(baseline=0)
    lines = table("--baseline", "system 3", "--format", "latex")[1].splitlines()
    head = r"name & nDCG@5 $\uparrow$ & rND@5 $\downarrow$ & AP $\uparrow$ \\"
    assert lines[1:4] == [r"\begin{tabular}{lrrr}", r"\toprule", head]
    assert lines[5:9] == [" & ".join(row) + r" \\" for row in paper(averages, r"\textbf{{{}}}")]
    note = lines[lines.index(r"\par\smallskip{\footnotesize"):]
    assert note[1].startswith(r"$^{\blacktriangle}$ significantly better") and note[-1] == r"\par}"
    assert max(map(len, note)) <= 100
    # A system that retrieves the baseline's documents in the opposite order is worse throughout.
    run, best = reading.read_run(folder / "system 3"), reading.read_qrels("qrels")
    best = best.assign(score=best["label"] * 10.0)[["qid", "docno", "score"]]
    (folder / "system 2").write_text(trec_run(best))
    (folder / "system 1").write_text(trec_run(run.assign(score=-run["score"])))
    text = table("--baseline", "system 2", "--format", "latex")[1]
    assert r"$^{\blacktriangledown}$" in text and text.startswith("% needs booktabs and amssymb\n")
    plain = table("--format", "latex")[1]
    assert plain.startswith("% needs booktabs\n") and "blacktriangle" not in plain
    assert "textbf" not in table("--per-query", "--format", "latex")[1]


def test_a_broken_file_is_left_out(table, folder):
    (folder / "short").write_text("1 Q0 a 1 2 tag\n1 Q0 b 2 1\n")
    code, out, err = table()
    assert code == 1 and len(out.splitlines()) == 5
    assert "1 of 5 runs could not be evaluated" in err and "short, line 2: 5 columns" in err


def test_it_agrees_with_eval(folder, table, command):
    value = json.loads(table("--format", "json")[1])[0]["rND@5"]
    assert command("eval", "qrels", folder / "system 3", "rND@5")[1] == f"rND@5\t{value:.4f}\n"


def test_intervals_and_the_test(table, expected):
    options = ["--baseline", "system 3", "--correction", "none", "--test", "randomisation"]
    code, out, _ = table("--ci", "0.9", *options, "--format", "json")
    averages, _ = expected(confidence=0.9, baseline=0, correction=None, test="randomisation")
    assert code == 0
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(out)), averages, check_dtype=False)
    assert table("--ci", "95")[0] == 2


@each("options, says", [
    ("--per-query --baseline 0", "--per-query (--format long) does not go with --baseline"),
    ("--per-query --references", "does not go with --references"),
    ("--format long --test t", "does not go with --test"),
    ("--per-query --ci 0.9", "does not go with --ci"),
    ("--per-query --p-values", "does not go with --p-values"),
    ("--uncertain 9 --test t", "--uncertain does not go with --test"),
    ("--uncertain 9 --correction holm", "does not go with --correction"),
    ("--uncertain 9 --references", "does not go with --references"),
    ("--uncertain 9 --drop-undefined", "does not go with --drop-undefined"),
    ("--uncertain 9 --label AP=x", "does not go with --label"),
    ("--topic-groups topics --references", "it does not go with --references"),
    ("--topic-groups topics --baseline 0", "it does not go with --baseline"),
    ("--test t", "--test is of differences from a baseline; give --baseline, too"),
    ("--correction none", "--correction is of differences from a baseline"),
    ("--p-values", "--p-values is of differences from a baseline"),
    ("--baseline nobody", "nobody"), ("--correction x --baseline 0", "correction='x' is not poss"),
    ("--label unfair", "--label 'unfair' is not possible; it takes a measure"),
    ("--label P@1=x", "the table has no measure 'P@1'"),
    ("--names A", "there are 1 names for 4 runs"), ("--digits -1", "digits=-1 is not possible")])
def test_options_that_are_not_possible(table, options, says):
    with open("topics", "w") as file:
        file.write("qid,group\n1,a\n")
    code, out, err = table(*options.split())
    assert (code, out) == (2, "") and says in err and err.count("error: ") == 1


# --------------------------------------------------------------------------------------------------
# on a terminal

#: Means of rKL@5 and nDCG@5; only B differs from A at p < .05.
MEANS = pd.DataFrame({
    "name": ["A", "B", "C"], "nDCG@5": [0.5, 0.75, 0.625], "nDCG@5 +": [np.nan, 9, 5],
    "nDCG@5 -": [np.nan, 0, 4], "nDCG@5 p-value": [np.nan, 0.0002, 0.4],
    "rKL@5": [0.25, 0.5, 0.125], "rKL@5 +": [np.nan, 9, 5], "rKL@5 -": [np.nan, 0, 4],
    "rKL@5 p-value": [np.nan, 0.01, 0.3]})


def on_a_terminal(arguments: list[str], columns: int) -> str:
    """What a command prints on a pseudo-terminal of some columns."""
    pty = pytest.importorskip("pty")
    import fcntl
    import struct
    import termios
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("COLUMNS", "LINES")}
    code = "import sys; from pt_fairness.cli import main; sys.exit(main())"
    child = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=terminal,
                             stderr=subprocess.DEVNULL, env=environment)
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
    assert as_text(MEANS, "text").splitlines()[:7] == [
        "name  nDCG@5 ↑  rKL@5 ↓", "A     0.5000    0.2500", "B     0.7500*▲  0.5000▼",
        "C     0.6250    0.1250*", "", "* the best value.",
        "▲ significantly better, ▼ significantly worse than A (p < .05)."]


def test_narrow_terminals_and_long_names(monkeypatch):
    monkeypatch.setenv("COLUMNS", "16")
    text = as_text(MEANS, "text", digits=2)
    assert max(map(len, text.splitlines())) <= 16
    assert text.count("\nA ") == text.count("\nC ") == 2
    monkeypatch.setenv("COLUMNS", "0")
    name = "x" * 90
    assert f"\n{name} " in as_text(MEANS.assign(name=["A", name, "C"]), "text")


@pytest.mark.exhaustive
def test_a_terminal_gets_a_table_and_a_pipe_csv(folder, expected, capsys, monkeypatch):
    arguments = ["table", "qrels", *map(str, sorted(folder.iterdir())), "-m", "nDCG@5 rND@5", "AP",
                 "--baseline", "system 3"]
    shown = on_a_terminal(arguments, 60)
    monkeypatch.setenv("COLUMNS", "60")
    averages, _ = expected(baseline=0)
    assert shown == as_text(averages, "text") and "p-value" not in shown
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out == as_text(averages, "csv")
    assert on_a_terminal([*arguments, "-o", "out.csv"], 60) == ""
    with open("out.csv", encoding="utf-8") as file:
        assert file.read() == as_text(averages, "csv")


@pytest.mark.parametrize("options", ["--per-query", "--uncertain 20 --groups g.csv",
                                     "--topic-groups topics.csv"])
def test_the_other_tables(folder, command, options, monkeypatch, qrels):
    monkeypatch.setenv("COLUMNS", "200")
    with open("g.csv", "w", encoding="utf-8") as file:
        file.write("docno,group,weight\n" + "".join(
            f"{docno},{label},{weight}\n" for docno in qrels["doc_id"].unique()
            for label, weight in (("PRO", 0.7), ("CON", 0.3))))
    with open("topics.csv", "w") as file:
        file.write("qid,group\n" + "".join(f"{qid},{'odd' if qid % 2 else 'even'}\n"
                                           for qid in range(1, 13)))
    code, out, err = command("table", "qrels", folder / "*", "-m", "rKL@5", *options.split(),
                             "--format", "text")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("name ") and " measure " in lines[0]
    assert all(line.startswith("system ") for line in lines[1:5])


def test_marks_stay_where_there_are_reference_rows():
    """The rows of reference rankings have no comparison either, and are no baseline."""
    more = pd.DataFrame({"name": ["[random order]"], "nDCG@5": np.nan, "rKL@5": [0.0625]})
    means = pd.concat([MEANS, more], ignore_index=True)
    means.attrs["references"] = ("[random order]",)
    for form, lines in (("md", slice(2, 5)), ("latex", slice(5, 8)), ("text", slice(1, 4))):
        shown = as_text(means, form).splitlines()[lines]
        assert ["▲" in line or "blacktriangle}" in line for line in shown] == [False, True, False]
    lines = as_text(means, "text").splitlines()
    assert lines[4] == "" and lines[5].split() == ["[random", "order]", "0.0625"]


# --------------------------------------------------------------------------------------------------
# in a spreadsheet, where names, labels and ids are no formulas

#: Names of runs, and what they are in CSV.
NAMES = {"=1+1": "'=1+1", "@sum": "'@sum", "\t=2+2": "'\t=2+2", "plain": "plain"}


def test_csv_for_spreadsheets(folder_of, command):
    run = "1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n"
    folder_of({"qrels": "1 A d1 1\n1 B d2 1\n+2 A d1 1\n", **dict.fromkeys(NAMES, run),
               "g.csv": "docno,group\nd1,=1+1\nd2,plain\n"})
    arguments = ["table", "qrels", *NAMES, "-m", "nDCG@2", "BiasP(pro='B',con='A')@1", "--label",
                 "nDCG@2=+x"]
    _, out, _ = command(*arguments, "--baseline", "plain")
    means = pd.read_csv(io.StringIO(out), header=None, dtype=str)
    assert means[0].tolist() == ["name", *NAMES.values()]
    assert means.loc[0, 1:2].tolist() == ["'+x ↑", "BiasP(pro='B',con='A')@1"]
    assert means.loc[1:, 2].tolist() == ["-0.5"] * 4, "numbers are as they are"
    assert command(*arguments, "--format", "long", "-o", "out.csv")[0] == 0
    values = pd.read_csv("out.csv", dtype=str)
    assert set(values["run"]) == {*NAMES.values()} and set(values["topic"]) == {"1", "'+2"}
    assert "'+x" in set(values["measure"]) and values["value"].astype(float).notna().all()
    assert '"name": "=1+1"' in command(*arguments, "--format", "json")[1]
    annotated = pd.read_csv(io.StringIO(command("annotate", "qrels", "g.csv", "--format",
                                                "csv")[1]), dtype=str)
    assert set(annotated["qid"]) == {"1", "'+2"}
    assert set(annotated["iteration"]) == {"'=1+1", "plain"}
