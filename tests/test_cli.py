"""The command line, called as a user calls it."""

import gzip
import inspect
import os
import subprocess
import sys

import ir_measures
import pytest

from pt_fairness import cli
from pt_fairness.measures import MEASURES
from pt_fairness.measures.bibliography import BIBLIOGRAPHY

QRELS = "1 PRO a 1\n1 PRO b 1\n1 CON c 1\n2 PRO é 1\n2 CON f 2\n2 - g 0\n"
RUN = "1 Q0 c 1 4 t\n1 Q0 a 2 3 t\n1 Q0 d 3 2 t\n1 Q0 b 4 1 t\n2 Q0 f 1 2 t\n2 Q0 é 2 1 t\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    (tmp_path / "run").write_text(RUN, encoding="utf-8")
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def python_m(*arguments, module="pt_fairness"):
    return subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, encoding="utf-8")


def test_the_hand_computed_example(files):
    done = python_m(*files, "rND@3 rKL@3", "nDCG@3", "-q", "-n", "-p", "5")
    assert done.returncode == 0, done.stderr
    assert {"1\trND@3\t0.54330", "1\trKL@3\t0.48515"} <= set(done.stdout.splitlines())


@pytest.mark.parametrize("options", [[], ["-q"], ["-q", "-n"], ["-p", "8"], ["-o", "jsonl"], ["-o", "jsonl", "-q"],
                                     ["--provider", "pytrec_eval"]])
def test_options_are_those_of_ir_measures(files, options):
    ours, theirs = (python_m(*files, "nDCG@2", "P@2 AP", *options, module=m) for m in ("pt_fairness", "ir_measures"))
    assert ours.returncode == theirs.returncode == 0
    assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines())


def test_measures_parse_back_from_the_command_line(files):
    measures = ["rKL(protected='CON',target={'CON':0.25,'PRO':0.75})@2", "rND(step=2,norm='none')@2", "nDJS"]
    done = python_m(*files, *measures, "-o", "jsonl")
    assert done.returncode == 0, done.stderr
    assert [str(ir_measures.parse_measure(m)) in done.stdout.replace('\\"', '"') for m in measures] == [True] * 3


def test_pt_fairness_eval_is_the_same(files, capsys):
    assert cli.main(["eval", *files, "rND@3"]) == 0
    assert capsys.readouterr().out == python_m(*files, "rND@3").stdout


def test_dataset_ids(files, tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("")
    done = python_m("pt-fairness/debates/stance", str(empty), "rND@5 Annotated@5")
    assert done.stdout == "rND@5\t1.0000\nAnnotated@5\t0.0000\n"


@pytest.mark.parametrize("measure, says", [
    ("rND(protected='all')", "labels without commas in them, joined by commas"),
    ("rND(step=0)", "whole number of at least 1"),
    ("rKL(groups='no/such/file')", "no such file"),
    ("nDJS(norm='max')", "'bound' or 'none'"),
    ("nDD(rel=2)", "has no parameter 'rel'"),
    ("nDCG(foo=1)@5", "a measure has no parameter 'foo'"),
])
def test_errors_are_one_line(files, measure, says):
    done = python_m(*files, measure)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and says in done.stderr and "Traceback" not in done.stderr


def test_warnings_are_one_line(files):
    done = python_m(*files, "rND(protected='NEITHER')@3")
    assert done.returncode == 0
    assert done.stderr.startswith("python -m pt_fairness: warning: protected='NEITHER'") and done.stderr.count("\n") == 1


def test_measures_lists_everything(capsys):
    assert cli.main(["measures"]) == 0
    out = capsys.readouterr().out
    for name, measure in MEASURES.items():
        entry = out[out.index(f"{name}  {measure.PRETTY_NAME}"):].split("\n\n")[0]
        assert measure.SHORT_DESC in entry and f"; {measure.FAIR_END:g} is " in entry
        for parameter in measure.SUPPORTED_PARAMS:
            assert f"\n    {parameter}: " in entry


def test_measures_shows_some_in_full(capsys):
    assert cli.main(["measures", "rKL", "β_P"]) == 0
    out = capsys.readouterr().out
    for name in ("rKL", "BiasP"):
        assert all(line in out for line in inspect.cleandoc(type(MEASURES[name]).__doc__).splitlines())
        assert all(str(BIBLIOGRAPHY[key]) in out for key in MEASURES[name].SOURCE)
    assert cli.main(["measures", "nDCG"]) == 2 and "'nDCG' is none of the measures of this package" in capsys.readouterr().err


def test_annotate_writes_auxiliary_qrels(tmp_path, capsys):
    (tmp_path / "qrels").write_text("303 0 FT911-1 1\n303 0 LA010189-1 0\n303 0 XX-1 2\n")
    assert cli.main(["annotate", str(tmp_path / "qrels"), "trec-newswire"]) == 0
    expected = "303 FT FT911-1 1\n303 LA LA010189-1 0\n303 - XX-1 2\n"
    assert capsys.readouterr() == (expected, "pt-fairness: 2 of 3 judged documents have a group: FT 1, LA 1\n")
    assert cli.main(["annotate", str(tmp_path / "qrels"), "trec-newswire", "-o", str(tmp_path / "out.gz")]) == 0
    with gzip.open(tmp_path / "out.gz", "rt") as out:
        assert out.read() == expected


def test_annotate_takes_dataset_ids_and_files(tmp_path, capsys):
    (tmp_path / "groups.tsv").write_text("docno\tgroup\nd01-01\tleft\n")
    assert cli.main(["annotate", "pt-fairness/debates", str(tmp_path / "groups.tsv")]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["1 left d01-01 2", "1 - d01-02 2"]


def test_annotate_names_what_is_missing(tmp_path, capsys):
    assert cli.main(["annotate", "no/such/qrels", "trec-newswire"]) == 2
    assert "neither a file nor a dataset id" in capsys.readouterr().err


def test_labels_written_as_floats_are_read(files, tmp_path):
    (tmp_path / "floats").write_text(QRELS.replace(" 1\n", " 1.0\n"), encoding="utf-8")
    assert python_m(str(tmp_path / "floats"), files[1], "rND@3 nDCG@3").stdout == python_m(*files, "rND@3 nDCG@3").stdout


def test_a_broken_line_of_the_qrels_is_named(files, tmp_path):
    (tmp_path / "broken").write_text("1 PRO a 1\n1 PRO b\n")
    done = python_m(str(tmp_path / "broken"), files[1], "rND@3")
    assert done.returncode == 2 and "broken, line 2: 3 columns" in done.stderr and done.stderr.count("\n") == 1


def test_a_broken_line_of_the_run_is_named(files, tmp_path):
    (tmp_path / "broken").write_text("1 Q0 a 1 2 tag\n1 Q0 b 2 x tag\n")
    done = python_m(files[0], str(tmp_path / "broken"), "nDCG@3")
    assert done.returncode == 2 and "broken, line 2: the score 'x' is no number" in done.stderr and done.stderr.count("\n") == 1


def test_options_that_do_not_go_together_are_one_line(files):
    done = python_m(*files, "rND@3", "-n")
    assert done.returncode == 2 and "--no_summary" in done.stderr and "Traceback" not in done.stderr


def test_version(capsys):
    import pt_fairness
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"pt_fairness {pt_fairness.__version__}\n"


@pytest.mark.parametrize("arguments", [["measures"], ["plug", "--status"], ["eval", "QRELS", "RUN", "Annotated@5"]])
def test_a_reader_that_has_gone(files, arguments):
    """``pt-fairness measures | head -n 1``: the reader may stop before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-c", "import sys; from pt_fairness.cli import main; sys.exit(main())",
                           *({"QRELS": files[0], "RUN": files[1]}.get(one, one) for one in arguments)],
                          stdout=writer, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": ""})
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
