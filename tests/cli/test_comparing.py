"""``pt-fairness table``: the tables of evaluate, as text."""

import io
import json
import sys

import pandas as pd
import pytest
from evaluation.common import evaluate_quietly, trec_run
from one_test import each

from pt_fairness import analysis, write_qrels
from pt_fairness.io.tables import EXACT

MEASURES = ["nDCG@5", "rND@5", "AP"]


@pytest.fixture
def qrels(make_case):
    return make_case(3, topics=12, labels=3).qrels_frame


@pytest.fixture
def folder(make_case, qrels, tmp_path, monkeypatch):
    """Qrels and, in a folder, four runs."""
    monkeypatch.chdir(tmp_path)
    write_qrels(qrels, "qrels")
    (tmp_path / "runs").mkdir()
    for seed in range(3, 6):
        run = make_case(seed, topics=12, labels=3).run_frame
        (tmp_path / "runs" / f"system {seed}").write_text(trec_run(run), encoding="utf-8")
    (tmp_path / "topics").write_text("qid,group\n" + "".join(
        f"{qid},{'odd' if qid % 2 else 'even'}\n" for qid in range(1, 13)))
    return tmp_path / "runs"


@pytest.fixture
def table(folder, command):
    """``table(option…)``: exit code, standard output, standard error."""
    return lambda *options: command("table", "qrels", *sorted(folder.iterdir()), "-m",
                                    "nDCG@5 rND@5", "AP", *options)


@pytest.fixture
def expected(folder, qrels):
    """``expected(option…)``: what evaluate returns."""
    return lambda **options: evaluate_quietly(folder / "*", qrels, MEASURES, **options)


def assert_printed(text, frame):
    read = pd.read_csv(io.StringIO(text), dtype={"qid": str}, **EXACT)
    pd.testing.assert_frame_equal(read, frame, check_exact=True, check_dtype=False)


def test_every_digit_is_printed(table, expected):
    code, out, err = table()
    assert code == 0 and "warning: undefined topics" in err
    averages, per_query = expected()
    assert_printed(out, averages)
    assert_printed(table("--per-query")[1], per_query)


def test_a_baseline_by_name_or_path(table, expected, folder):
    _, out, _ = table("--baseline", "system 3", "--format", "json")
    assert table("--baseline", folder / "system 3", "--format", "json")[1] == out
    rows = json.loads(out)
    averages, _ = expected(baseline=0)
    assert list(rows[0]) == list(averages.columns)
    assert rows[0]["AP p-value"] is None and rows[1]["AP +"] == int(averages["AP +"][1])
    assert [row["nDCG@5"] for row in rows] == averages["nDCG@5"].tolist()


@each("form", ["json", "latex", "text"])
def test_the_forms_are_those_of_the_function(table, expected, form):
    options = ["--label", "AP=A = B", "--digits", "2", "--p-values", "--correction", "none"]
    printed = table("--baseline", "system 3", "--format", form, *options)[1]
    shown = expected(baseline=0, correction=None).table(labels={"AP": "A = B"}, digits=2,
                                                        p_values=True)
    assert printed == getattr(shown, form) and "A = B" in printed


def test_a_broken_file_is_left_out(table, folder):
    (folder / "short").write_text("1 Q0 a 1 2 tag\n1 Q0 b 2 1\n")
    code, out, err = table()
    assert code == 1 and len(out.splitlines()) == 4
    assert "1 of 4 runs" in err and "short, line 2" in err


def test_intervals_verdicts_and_the_test(table, expected):
    options = ["--baseline", "system 3", "--correction", "none", "--test", "randomisation"]
    result = expected(baseline=0, correction=None, test="randomisation")
    intervals = analysis.intervals(result.perquery, confidence=0.9)
    verdicts = analysis.compare(result.perquery, "system 3", tolerance={"AP": 0.2})
    shown = result.table(intervals=intervals, verdicts=verdicts)
    code, out, _ = table("--ci", "0.9", *options, "--tolerance", "AP=0.2")
    assert (code, out) == (0, shown.csv) and {"AP low", "AP verdict"} <= {*out.split(",")}
    assert table("--ci", "0.9", *options, "--tolerance", "AP=0.2", "--format", "md")[1] == shown.md


def test_means_by_groups_of_topics(table, expected):
    perquery = expected().perquery
    groups = {str(qid): "odd" if qid % 2 else "even" for qid in range(1, 13)}
    means = analysis.intervals(perquery, by=groups, confidence=0.9)
    assert_printed(table("--topic-groups", "topics", "--ci", "0.9")[1], means)
    named = pd.read_csv(io.StringIO(table("--topic-groups", "topics", "--label", "AP=x")[1]))
    assert named["measure"].unique().tolist() == ["nDCG@5", "rND@5", "x ↑"]


def test_who_is_hidden_is_said_beside_csv(command, tmp_path, monkeypatch):
    """Ten topics with ten relevant documents of A, which are ranked first, and ten of B."""
    monkeypatch.chdir(tmp_path)
    documents = [f"{group}{i}" for group in "AB" for i in range(10)]
    pairs = [(qid, docno) for qid in range(10) for docno in documents]
    qrels = [f"{qid} {docno[0]} {docno} 1\n" for qid, docno in pairs]
    (tmp_path / "qrels").write_text("".join(qrels))
    rows = [f"{qid} Q0 {docno} 1 {-documents.index(docno)} t\n" for qid, docno in pairs]
    (tmp_path / "mine").write_text("".join(rows))
    asked = ["table", "qrels", "mine", "-m", "AWRF@5"]
    for more in ([], ["-o", "out.csv"], ["--format", "json"]):
        _, out, err = command(*asked, *more)
        assert "mine shows no B" in err and "shows" not in out
    shown = command(*asked, "--shares", "--format", "text")[1]
    assert "< .001" in shown and "1.000" in shown and "0.0000\n" not in shown


@each("options, says", [
    ("--per-query --baseline 0", "--baseline"), ("--per-query --ci 0.9", "--ci"),
    ("--uncertain 9 --test t", "--test: not allowed with --uncertain"),
    ("--uncertain 9 --count-undefined", "--count-undefined"),
    ("--topic-groups topics --references", "--references: not allowed with --topic-groups"),
    ("--test-zero --ci 0.9", "--ci: not allowed with --test-zero"),
    ("--test-zero --per-query", "--per-query"), ("--shares --baseline 0", "--shares"),
    ("--shares --label AP=x", "--label"), ("--shares --per-query", "--shares"),
    *((option, "without --baseline") for option in ("--test t", "--correction none",
                                                    "--p-values", "--tolerance AP=0.1")),
    ("--baseline nobody", "nobody"), ("--correction x --baseline 0", "got 'x'"),
    ("--label unfair", "--label"), ("--label P@1=x", "P@1"), ("--tolerance AP", "--tolerance"),
    ("--names A", "names"), ("--digits -1", "digits"), ("--ci 95", "95")])
def test_options_that_are_wrong(table, options, says):
    code, out, err = table(*options.split())
    assert (code, out) == (2, "") and says in err and err.count("error: ") == 1


def test_shares(folder, command, qrels):
    runs = sorted(folder.iterdir())[:2]
    asked = ["table", "qrels", *runs, "-m", "nDCG@5", "rND@5", "--shares"]
    assert_printed(command(*asked)[1], analysis.shares({run.name: run for run in runs}, qrels,
                                                       cutoff=5))
    text = command(*asked, "--format", "text")[1]
    assert "*" not in text and "first 5 documents" in text
    code, _, error = command("table", "qrels", *runs, "-m", "nDCG@5", "--shares")
    assert code == 2 and "groups" in error


def test_a_terminal_gets_a_table(table, expected, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert table()[1] == expected().table().text
