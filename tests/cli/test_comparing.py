"""``pt-fairness table``: the tables of evaluate, as text."""

import json
from importlib.util import find_spec

import pandas as pd
import pytest
from evaluation.common import evaluate_quietly, trec_run
from ir_measures import AP, nDCG

from pt_fairness import cli, io, rND
from pt_fairness.io.files import EXACT


@pytest.fixture
def qrels(make_case):
    return make_case(3, topics=12, labels=3).qrels_frame


@pytest.fixture
def files(make_case, tmp_path):
    """A folder with four runs."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for seed in range(3, 7):
        run = make_case(seed, topics=12, labels=3).run_frame
        (folder / f"system {seed}").write_text(trec_run(run), encoding="utf-8")
    return folder


@pytest.fixture
def command(files, qrels, tmp_path, capsys):
    """``command(option…)``: exit code, standard output, standard error."""
    path = tmp_path / "qrels"
    io.write_qrels(qrels, path)

    def run(*options):
        runs = map(str, sorted(files.iterdir()))
        code = cli.main(["table", str(path), *runs, "-m", "nDCG@5 rND@5", "AP", *options])
        return code, *capsys.readouterr()
    return run


@pytest.fixture
def expected(files, qrels):
    """``expected(baseline)``: what evaluate returns."""
    measures = [nDCG @ 5, rND @ 5, AP]
    return lambda baseline=None: evaluate_quietly(
        files / "*", qrels, measures, baseline=baseline,
        correction=None if baseline is None else "holm")


def test_every_digit_is_printed(command, expected, tmp_path):
    code, out, err = command()
    assert code == 0 and "8/8" not in err
    assert "warning: topics with nothing to compare with" in err
    (tmp_path / "out").write_text(out)
    averages, per_query = expected()
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out", **EXACT), averages,
                                  check_exact=True)
    (tmp_path / "out").write_text(command("--per-query")[1])
    read = pd.read_csv(tmp_path / "out", dtype={"qid": str}, **EXACT)
    pd.testing.assert_frame_equal(read, per_query, check_exact=True)
    if find_spec("joblib") is not None:
        assert command("--jobs", "2")[:2] == (code, out)


def test_a_baseline_by_name_or_path(command, expected, files):
    code, out, _ = command("--baseline", "system 3", "--format", "json")
    by_path = command("--baseline", str(files / "system 3"), "--format", "json")
    assert code == 0 and by_path[1] == out
    rows = json.loads(out)
    table = expected(baseline=0)[0]
    assert [row["name"] for row in rows] == table["name"].tolist()
    assert list(rows[0]) == list(table.columns)
    assert rows[0]["AP p-value"] is None and rows[1]["AP +"] == int(table["AP +"][1])
    assert [row["nDCG@5"] for row in rows] == table["nDCG@5"].tolist()


def marked(table, row, measure, bold):
    """The cell of a paper's table, by the rules of the table: an independent account."""
    values, p = table[measure], table[f"{measure} p-value corrected"][row]
    fair = values.min() if measure.startswith("r") else values.max()
    cell = f"{values[row]:.4f}"
    cell = bold.format(cell) if values[row] == fair else cell
    if not p < 0.05:
        return cell
    return cell + ("▲" if (values[row] < values[0]) == measure.startswith("r") else "▼")


def paper(table, bold):
    return [[row["name"], *(marked(table, i, measure, bold) for measure in
                            ("nDCG@5", "rND@5", "AP"))] for i, row in table.iterrows()]


NOTE = ("▲ significantly better, ▼ significantly worse than system 3 (two-sided paired t-test, "
        "p < .05, Holm's correction for 3 systems). rND@5: target: the distribution of the groups "
        "in the relevant documents of the topic; protected: the group with the fewest relevant "
        "documents, of those that have any, per topic; the others count as one. Undefined: rND@5 "
        "on 7 of 12 topics.")


def test_markdown(command, expected):
    table = expected(baseline=0)[0]
    lines = command("--baseline", "system 3", "--format", "md")[1].splitlines()
    assert lines[0] == "| name | nDCG@5 ↑ | rND@5 ↓ | AP ↑ |"
    assert lines[1] == "| --- | ---: | ---: | ---: |"
    assert lines[2:6] == [f"| {' | '.join(row)} |" for row in paper(table, "**{}**")]
    assert lines[6:] == ["", NOTE]
    short = command("--baseline", "system 3", "--format", "md", "--digits", "2", "--p-values",
                    "--correction", "none")[1].splitlines()
    assert short[0] == ("| name | nDCG@5 ↑ | p (nDCG@5) | rND@5 ↓ | p (rND@5) | AP ↑ | p (AP) |")
    p = table["AP p-value"][1]
    assert short[3].endswith(f"{table['AP'][1]:.2f} | " + f"{p:.3f}".removeprefix("0") + " |")
    assert "not corrected for several systems" in short[-1]


def test_latex(command, expected, files):
    table = expected(baseline=0)[0]
    lines = command("--baseline", "system 3", "--format", "latex")[1].splitlines()
    head = r"name & nDCG@5 $\uparrow$ & rND@5 $\downarrow$ & AP $\uparrow$ \\"
    assert lines[1:4] == [r"\begin{tabular}{lrrr}", r"\toprule", head]
    assert lines[5:9] == [" & ".join(row) + r" \\" for row in paper(table, r"\textbf{{{}}}")]
    note = lines[lines.index(r"\par\smallskip{\footnotesize"):]
    assert note[1].startswith(r"$^{\blacktriangle}$ significantly better") and note[-1] == r"\par}"
    assert max(map(len, note)) <= 100
    # A system that retrieves the baseline's documents in the opposite order is worse throughout.
    run = io.read_run(files / "system 3")
    best = io.load_qrels(str(files.parent / "qrels"))
    best = best.assign(score=best["label"] * 10.0)[["qid", "docno", "score"]]
    (files / "system 2").write_text(trec_run(best))
    (files / "system 1").write_text(trec_run(run.assign(score=-run["score"])))
    text = command("--baseline", "system 2", "--format", "latex")[1]
    assert r"$^{\blacktriangledown}$" in text and text.startswith("% needs booktabs and amssymb\n")
    plain = command("--format", "latex")[1]
    assert plain.startswith("% needs booktabs\n") and "blacktriangle" not in plain
    assert "textbf" not in command("--per-query", "--format", "latex")[1]


def test_a_broken_file_is_left_out(command, files):
    (files / "short").write_text("1 Q0 a 1 2 tag\n1 Q0 b 2 1\n")
    code, out, err = command()
    assert code == 1 and len(out.splitlines()) == 5
    assert "warning: 1 of 5 runs could not be evaluated" in err
    assert "short, line 2: 5 columns" in err


def test_an_error_is_one_line(command):
    code, out, err = command("--baseline", "nobody")
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert "'nobody' is none of the runs" in err


def test_it_agrees_with_eval(files, command, capsys):
    value = json.loads(command("--format", "json")[1])[0]["rND@5"]
    assert cli.main(["eval", str(files.parent / "qrels"), str(files / "system 3"), "rND@5"]) == 0
    assert capsys.readouterr().out == f"rND@5\t{value:.4f}\n"


def test_intervals_and_the_test(command, files, qrels):
    options = ["--baseline", "system 3", "--correction", "none", "--test", "randomisation"]
    code, out, _ = command("--ci", "0.9", *options, "--format", "json")
    averages, _ = evaluate_quietly(files / "*", qrels, [nDCG @ 5, rND @ 5, AP], confidence=0.9,
                                   baseline=0, correction=None, test="randomisation")
    assert code == 0
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(out)), averages, check_dtype=False)
    assert "| system 3 | " in command("--ci", "0.9", "--format", "md")[1]
    assert command("--ci", "95")[0] == 2


@pytest.mark.parametrize("options, says", [
    (["--per-query", "--baseline", "0"], "--per-query (--format long) does not go with --baseline"),
    (["--per-query", "--references"], "does not go with --references"),
    (["--format", "long", "--test", "t"], "does not go with --test"),
    (["--per-query", "--ci", "0.9"], "does not go with --ci"),
    (["--per-query", "--p-values"], "does not go with --p-values"),
    (["--uncertain", "9", "--test", "t"], "--uncertain does not go with --test"),
    (["--uncertain", "9", "--correction", "holm"], "does not go with --correction"),
    (["--uncertain", "9", "--references"], "does not go with --references"),
    (["--uncertain", "9", "--drop-undefined"], "does not go with --drop-undefined"),
    (["--uncertain", "9", "--label", "AP=x"], "does not go with --label"),
    (["--topic-groups", "topics", "--references"], "it does not go with --references"),
    (["--topic-groups", "topics", "--baseline", "0"], "it does not go with --baseline"),
    (["--test", "t"], "--test is of differences from a baseline; give --baseline, too"),
    (["--correction", "none"], "--correction is of differences from a baseline"),
    (["--p-values"], "--p-values is of differences from a baseline")])
def test_no_option_is_ignored(command, options, says, tmp_path):
    (tmp_path / "topics").write_text("qid,group\n1,a\n")
    options = [str(tmp_path / "topics") if option == "topics" else option for option in options]
    code, out, err = command(*options)
    assert code == 2 and out == "" and says in err


@pytest.mark.parametrize("figure", ["tradeoff", "lorenz"])
def test_plot_ignores_no_topic(files, qrels, tmp_path, capsys, figure):
    io.write_qrels(qrels, tmp_path / "qrels")
    assert cli.main(["plot", figure, str(tmp_path / "qrels"), str(files / "*"), "-m", "AP",
                     "nDCG@5", "--topic", "1", "-o", str(tmp_path / "x.pdf")]) == 2
    assert f"{figure} shows all topics; leave out --topic" in capsys.readouterr().err
