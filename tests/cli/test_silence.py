"""What other libraries print while a command runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
