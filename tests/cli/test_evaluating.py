"""``pt-fairness eval`` against the command of ir_measures."""

import subprocess
import sys

import ir_measures
import pytest
from ir_measures.__main__ import main_cli


def test_the_hand_computed_example(files, run):
    given = [*files, "rND@3 rKL@3", "nDCG@3", "-q", "-n", "-p", "5"]
    done = subprocess.run([sys.executable, "-m", "pt_fairness", *given], capture_output=True,
                          text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert {"1\trND@3\t0.54330", "1\trKL@3\t0.48515"} <= set(done.stdout.splitlines())
    assert run(*given) == (0, done.stdout, "")


@pytest.mark.parametrize("options", [
    [], ["-q"], ["-q", "-n"], ["-p", "8"], ["--format", "jsonl"], ["--format", "jsonl", "-q"],
    ["--provider", "pytrec_eval"]])
def test_options_are_those_of_ir_measures(files, run, capsys, monkeypatch, options):
    given = [*files, "nDCG@2", "P@2 AP", *options]
    code, ours, _ = run(*given)
    theirs = [one.replace("--format", "--output_format") for one in given]
    monkeypatch.setattr(sys, "argv", ["ir_measures", *theirs])
    main_cli()
    theirs = capsys.readouterr().out
    assert code == 0 and sorted(ours.splitlines()) == sorted(theirs.splitlines())


def test_measures_parse_back_from_the_command_line(files, run):
    measures = ["rKL(protected='CON',target={'CON':0.25,'PRO':0.75})@2",
                "rND(step=2,norm='none')@2", "nDJS"]
    code, out, err = run(*files, *measures, "--format", "jsonl")
    assert code == 0, err
    for measure in measures:
        assert str(ir_measures.parse_measure(measure)) in out.replace('\\"', '"')


def test_dataset_ids(files, run):
    _, out, _ = run("pt-fairness/debates/stance", files[1], "rND@5 Annotated@5")
    assert out == "rND@5\t1.0000\nAnnotated@5\t0.0000\n"


@pytest.mark.parametrize("measure, says", [
    ("rND(protected='all')", "labels without commas in them, joined by commas"),
    ("rND(step=0)", "whole number of at least 1"),
    ("rKL(groups='no/such/file')", "no such file"),
    ("nDJS(norm='max')", "'bound' or 'none'"),
    ("nDD(rel=2)", "has no parameter 'rel'"),
    ("nDCG(foo=1)@5", "nDCG is not possible: it has no parameter 'foo'"),
    ("P", "P is not possible: it needs the parameter 'cutoff'"),
    ("Rprec@10", "Rprec is not possible: it has no parameter 'cutoff'"),
    ("nDCG@0", "nDCG@0 is not possible: cutoff takes a whole number from 1 to"),
    ("P@99999999999999999999", "cutoff takes a whole number from 1 to"),
    ("ERR_IA@0", "ERR_IA@0 is not possible: cutoff takes a whole number from 1 to"),
    ("nDCGG@5", "measure not found: nDCGG"), ("nDCG@", "'nDCG@' cannot be read as a measure"),
    ("", "there are no measures to compute")])
def test_errors_are_one_line(files, run, measure, says):
    code, out, err = run(*files, measure)
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert err.startswith("pt-fairness eval: error: ") and says in err
