"""``pt-fairness eval`` and ``annotate``; errors, exit codes and where the output goes."""

import gzip
import subprocess
import sys

import numpy as np
import pytest
from ir_measures.__main__ import main_cli
from one_test import each

from pt_fairness import groups
from pt_fairness.cli.options import guarded


def test_the_hand_computed_example_and_one_line_for_a_warning(files, command):
    """As a module, and as a command: the values are those of the tests of the measures."""
    given = ["qrels", "run", "rND@3 rKL@3", "AWRF(target={'PRO':0.5,'X':0.5})@3", "-q", "-n", "-p",
             "5"]
    done = subprocess.run([sys.executable, "-m", "pt_fairness", *given], capture_output=True,
                          encoding="utf-8")
    assert done.returncode == 0 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("python -m pt_fairness: warning: ")
    assert {"1\trND@3\t0.54330", "1\trKL@3\t0.48515"} <= set(done.stdout.splitlines())
    assert command("eval", *given)[:2] == (0, done.stdout)


@each("options", [[], ["-q"], ["-q", "-n"], ["-p", "8"], ["--format", "jsonl", "-q"]])
def test_options_are_those_of_ir_measures(files, command, capsys, monkeypatch, options):
    given = ["qrels", "run", "nDCG@2", "P@2 AP", *options]
    code, ours, _ = command("eval", *given)
    theirs = [option.replace("--format", "--output_format") for option in given]
    monkeypatch.setattr(sys, "argv", ["ir_measures", *theirs])
    main_cli()
    assert code == 0 and sorted(ours.splitlines()) == sorted(capsys.readouterr().out.splitlines())


def test_dataset_ids(files, command):
    assert command("eval", "pt-fairness/debates/stance", "run", "rND@5 Annotated@5")[1] == (
        "rND@5\t1.0000\nAnnotated@5\t0.0000\n")
    (files / "groups.tsv").write_text("docno\tgroup\nd01-01\tleft\n")
    _, out, _ = command("annotate", "pt-fairness/debates", "groups.tsv")
    assert out.splitlines()[:2] == ["1 left d01-01 2", "1 - d01-02 2"]


EVAL = ("eval", "qrels", "run")
TABLE = ("table", "qrels", "run", "-m")


@each("arguments, says", [
    *(((*EVAL, measure), says) for measure, says in [
        ("rND(protected='all')", "protected"), ("rKL(groups='no/such/file')", "no/such/file"),
        ("P", "cutoff"), ("nDCG@0", "cutoff"), ("nDCGG@5", "nDCGG"), ("", "measures"),
        ("AWRF(groups='large')@3", "Unable to allocate 8.00 PiB")]),
    ((*EVAL, "rND@3", "-n"), "--no_summary"),
    (("eval", "broken", "run", "rND@3"), "broken, line 2"),
    (("eval", "qrels", "broken run", "rND@3"), "broken run, line 2"),
    (("eval", "empty", "run", "nDCG@5"), "qrels"),
    (("table", "empty", "run", "-m", "P@5"), "qrels"),
    (("eval", "no/such/qrels", "run", "P@5"), "no/such/qrels"),
    (("annotate", "no/such/qrels", "trec-newswire"), "no/such/qrels"),
    (("annotate", "g.csv", "g.csv"), "g.csv"),
    *(((*TABLE, *options), says) for options, says in [
        (["AP", "--jobs", "0"], "0"), (["rKL@5"], "--groups"),
        (["rKL@5", "--groups", "x"], "'x'"), (["rKL@5", "--groups", "plain"], "--none"),
        (["AWRF(target='x')@5"], "'x'"), (["P@5", "--ci", "2"], "2.0"),
        (["P@5", "--digits", "400"], "400"), (["P@5", "--digits", "-2"], "-2"),
        (["rKL@5", "--uncertain", "9"], "--groups")]),
    (("eval", "qrels", "empty", "AWRF@2"), "the run is empty"),
    (("rerank", "empty", "xquad", "--groups", "g.csv"), "the run is empty"),
    (("table", "qrels", "empty", "-m", "AWRF@2"), "the run is empty"),
    (("report", "qrels", "empty", "-m", "AWRF@2"), "the run is empty"),
    (("plot", "shares", "qrels", "empty", "-m", "AWRF@2", "-o", "x.pdf"), "the run is empty"),
    (("table", "-m", "AWRF@2", "qrels", "run"), "behind --")])
def test_errors_are_one_line(files, folder_of, command, registered_groups, arguments, says):
    folder_of({"broken": "1 PRO a 1\n1 PRO b\n", "broken run": "1 Q0 a 1 2 t\n1 Q0 b 2 x t\n",
               "empty": "", "g.csv": "docno,group\na,A\nb,B\n", "plain": "1 0 a 1\n1 0 b 0\n"})
    if "large" not in groups.names():
        registered_groups("large", lambda: np.ones(1 << 50))
    qrels = "plain" if "--groups" in says else arguments[1]
    code, out, err = command(arguments[0], qrels, *arguments[2:])
    assert (code, out) == (2, "") and err.splitlines()[-1].startswith("pt-fairness")
    assert says in err and err.count("error: ") == 1


def test_annotate_writes_auxiliary_qrels(files, command):
    (files / "qrels").write_text("303 0 FT911-1 1\n303 0 LA010189-1 0\n303 0 XX-1 2\n")
    expected = "303 FT FT911-1 1\n303 LA LA010189-1 0\n303 - XX-1 2\n"
    summary = "2 of 3 judged documents have a group: FT 1, LA 1 (first without: XX-1)"
    assert command("annotate", "qrels", "trec-newswire") == (
        0, expected, f"pt-fairness: {summary}\n")
    assert command("annotate", "qrels", "trec-newswire", "-o", "out.gz")[1] == ""
    assert gzip.decompress((files / "out.gz").read_bytes()).decode() == expected


# --------------------------------------------------------------------------------------------------
# output


@each("arguments, near", [
    (["annotate", "qrels", "gruops.csv"], "groups.csv"), (["eval", "qrsel", "run", "P@2"], "qrels"),
    (["table", "qrels", "rnu", "-m", "P@2"], "run"),
    (["table", "qrels", "run", "-m", "AWRF@2", "--groups", "./gruops.csv:group"], "groups.csv"),
    (["rerank", "run", "xquad", "--groups", "gruops.csv"], "groups.csv")])
def test_a_misspelt_file_has_a_suggestion(files, command, arguments, near):
    (files / "groups.csv").touch()
    code, _, err = command(*arguments)
    assert code == 2 and f"Did you mean {near!r}?" in err


def test_options_can_come_before_the_files(files, command):
    behind = command("table", "-m", "AWRF@2", "P@1", "--", "qrels", "run")
    assert behind == command("table", "qrels", "run", "-m", "AWRF@2", "P@1") and behind[0] == 0


@each("arguments", [["-m", "P@5", "--groups", "in.csv"], ["-m", "P@5", "--groups", "in.csv:text"],
                    ["-m", "rKL(groups='in.csv')@5"], ["*.csv", "-m", "P@5"]])
def test_an_input_is_not_replaced(folder_of, command, arguments):
    folder = folder_of({"in.csv": "x"})
    code, out, err = command("table", "qrels", "run", *arguments, "-o", "./in.csv")
    assert (code, out) == (2, "") and "--output './in.csv'" in err
    assert (folder / "in.csv").read_text() == "x"


@pytest.mark.parametrize(("error", "code", "says"), [
    (ValueError("wrong"), 2, "x: error: wrong\n"), (MemoryError(), 2, "x: error: there is not"),
    (KeyboardInterrupt(), 130, ""), (BrokenPipeError(), 1, "")])
def test_errors_become_exit_codes(error, code, says, capsys):
    def raising():
        raise error

    assert guarded("x", raising) == code
    assert capsys.readouterr().err.startswith(says)
