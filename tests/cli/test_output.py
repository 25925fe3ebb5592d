"""Where the output of a command goes, and what other libraries print while it runs."""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys

import pytest

from pt_fairness.cli.output import check_output, guarded, write

MAIN = [sys.executable, "-c", "import sys; from pt_fairness.cli import main; sys.exit(main())"]
MODULE = [sys.executable, "-m", "pt_fairness"]


@pytest.fixture
def run(tmp_path):
    """``run(command, argument…)``: what it writes to standard error, with an empty ir_datasets."""
    (tmp_path / "run").write_text("1 Q0 d01-01 1 2 x\n1 Q0 d01-02 2 1 x\n")
    (tmp_path / "groups.csv").write_text("docno,group,weight\nd01-01,A,0.7\nd01-01,B,0.3\n"
                                         "d01-02,B,1\n")
    environment = {**os.environ, "IR_DATASETS_HOME": str(tmp_path / "home")}
    for name in ("TQDM_DISABLE", "TQDM_LEAVE"):
        environment.pop(name, None)

    def call(command, *arguments, **more):
        done = subprocess.run([*command, *arguments], cwd=tmp_path, env={**environment, **more},
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr
    return call


STANCE = "pt-fairness/debates/stance"


@pytest.mark.exhaustive
@pytest.mark.parametrize("command, arguments, says", [
    (MAIN, ["annotate", "pt-fairness/debates", STANCE, "-o", "out"], "judged documents have a"),
    (MAIN, ["table", STANCE, "run", "-m", "rKL@5", "-o", "out", "--groups", STANCE], ""),
    (MAIN, ["table", STANCE, "run", "-m", "AWRF@5", "--groups", "groups.csv", "--uncertain", "9"],
     ""),
    (MODULE, [STANCE, "run", f"rKL(groups='{STANCE}')@5"], ""),
], ids=["annotate", "table", "uncertain", "module"])
def test_no_progress_is_left(run, command, arguments, says):
    """ir_datasets builds its docstore here, and logs it."""
    err = run(command, *arguments)
    assert "\r" not in err and "%|" not in err and "[INFO]" not in err
    assert says in err and all(line.startswith(("pt-fairness: ", "python -m pt_fairness: "))
                               for line in err.splitlines())


def test_hints_and_questions_stay(run):
    """Such as the terms of use, which ir_datasets logs before a download."""
    code = ("import sys; from pt_fairness.cli import main; import ir_datasets; main(); "
            "ir_datasets.log.easy().info('Please confirm'); "
            "ir_datasets.log.easy().info('[starting] x')")
    err = run([sys.executable, "-c", code], "measures")
    assert "Please confirm" in err and "starting" not in err


def test_a_call_from_python_changes_nothing(run):
    code = ("import os, logging; from pt_fairness.cli import main; main(['plug', '--status']); "
            "assert not logging.getLogger('ir_datasets').filters; assert 'TQDM_LEAVE' not in "
            "os.environ")
    run([sys.executable, "-c", code])


def test_text_is_written_to_a_file_compressed_by_its_name_or_printed(tmp_path, capsys):
    write("é\n", str(tmp_path / "plain"))
    write("é\n", str(tmp_path / "packed.gz"))
    write("é\n", None)
    assert (tmp_path / "plain").read_bytes() == "é\n".encode()
    assert gzip.decompress((tmp_path / "packed.gz").read_bytes()) == "é\n".encode()
    assert capsys.readouterr().out == "é\n"


@pytest.mark.parametrize(("output", "says"), [
    ("no/such/folder/x.csv", "there is no folder 'no/such/folder'"),
    ("csv", "'csv' is a form: write --format csv"), (None, None), ("table.csv", None)])
def test_an_output_that_cannot_be_written(output, says):
    options = argparse.Namespace(output=output, formats=("csv", "md"))
    if says is None:
        check_output(options)
    else:
        with pytest.raises(ValueError, match=says):
            check_output(options)


@pytest.mark.parametrize(("error", "code", "says"), [
    (ValueError("wrong"), 2, "x: error: wrong\n"), (MemoryError(), 2, "x: error: there is not"),
    (KeyboardInterrupt(), 130, ""), (BrokenPipeError(), 1, "")])
def test_errors_become_exit_codes(error, code, says, capsys):
    def command():
        raise error

    assert guarded("x", command) == code
    assert capsys.readouterr().err.startswith(says)
