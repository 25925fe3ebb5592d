"""The examples without tests of their own, run as a user runs them."""

import os
import re
import subprocess
import sys

import pytest
from ir_datasets_home import EXAMPLES, OFFLINE

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


@pytest.fixture
def example(tmp_path):
    """``example(name, argument…)``: what a script prints, in a folder of its own, offline."""
    (tmp_path / "sitecustomize.py").write_text(OFFLINE)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "IR_DATASETS_HOME": str(tmp_path / "home"),
                   "IR_DATASETS_DL_TRIES": "1", "PYTHONPATH": path}

    def run(name, *arguments):
        done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], text=True,
                              capture_output=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


@pytest.mark.parametrize("name, arguments", [
    ("quickstart.py", []), ("touche.py", ["generated"]), ("neuclir.py", []),
    ("msmarco_gender.py", []), ("trec_fair.py", []), ("rerankers.py", []), ("fairweb.py", [])])
def test_it_runs(example, name, arguments, tmp_path):
    printed = example(name, *arguments)
    assert printed
    for path in re.findall(r"^figure: (.*)$", printed, re.MULTILINE):
        assert (tmp_path / path).read_bytes().startswith(b"\x89PNG")


def test_newswire_on_a_small_run(example, tmp_path):
    (tmp_path / "qrels").write_text("301 0 FT911-1 1\n301 0 LA010189-1 1\n301 0 FBIS3-1 0\n")
    (tmp_path / "run").write_text("301 Q0 FT911-1 0 2 x\n301 Q0 FR940104-0-1 1 1 x\n")
    printed = example("newswire.py", tmp_path / "qrels", tmp_path / "run")
    rows = dict(line.rsplit(maxsplit=1) for line in printed.splitlines()[1:])
    # FR is the minority's (FT's, first of equals) opposite: shares 1 and 1/2 of FT against 1/2.
    assert float(rows["rND(groups='trec-newswire')@10"]) == pytest.approx(
        0.5 / (0.5 + 0.5 * 0.6309), abs=1e-4)
    assert float(rows["Rprec"]) == 0.5
