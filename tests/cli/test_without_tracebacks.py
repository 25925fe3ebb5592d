"""No command ends with a traceback, and none leaves processes behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from evaluation.common import several

from pt_fairness import cli

MAIN = [sys.executable, "-c", "import sys; from pt_fairness.cli import main; sys.exit(main())"]


@pytest.fixture
def folder(folder_of):
    return folder_of({"qrels": "1 A a 1\n1 B b 1\n1 C c 1\n2 A a 1\n", "empty": "",
                      "run": "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n",
                      "g.csv": "docno,group,weight\na,A,0.5\na,B,0.5\nb,B,1\n"})


@pytest.mark.parametrize("command", [
    ["eval", "qrels", "empty", "BiasP(pro='A',con='B')@2"],
    ["rerank", "empty", "xquad", "--groups", "g.csv"],
    ["rerank", "empty", "xquad", "--groups", "g.csv", "--compare", "qrels", "-m", "nDCG@5"],
    ["table", "qrels", "empty", "-m", "AWRF@2"],
    ["table", "qrels", "run", "empty", "-m", "AWRF@2", "--groups", "g.csv", "--uncertain", "9"],
    ["report", "qrels", "empty", "-m", "AWRF@2"],
    ["plot", "lorenz", "qrels", "empty", "-m", "AWRF@2", "-o", "x.pdf"]])
def test_an_empty_run_is_refused(folder, capsys, command):
    assert cli.main(command) == 2
    out, err = capsys.readouterr()
    assert out == "" and "the run is empty" in err


@pytest.mark.parametrize("command, says", [
    (["table", "qrels", "run", "-m", "AP(rel=0)"], "rel takes a whole number of at least 1"),
    (["eval", "qrels", "run", "P(rel=0)@5"], "rel takes a whole number of at least 1"),
    (["eval", "qrels", "run", "Accuracy(rel=0)"], "rel takes a whole number of at least 1"),
    *(([*command, number], f"{number} is not possible")
      for number in ("400", "99999999999", "-2") for command in (
          ["table", "qrels", "run", "-m", "nDCG@5", "--digits"],
          ["table", "qrels", "run", "-m", "nDCG@5", "--format", "md", "--digits"],
          ["eval", "qrels", "run", "nDCG@5", "--places"])),
])
def test_numbers_out_of_range(folder, capsys, command, says):
    assert cli.main(command) == 2
    out, err = capsys.readouterr()
    assert out == "" and says in err


def test_warnings_as_errors(folder):
    command = [*MAIN, "table", "qrels", "run", "-m", "rKL@5"]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=os.environ | {"PYTHONWARNINGS": "error"})
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("pt-fairness: error: protected is not set")
    assert done.stderr.count("\n") == 1


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("as_module", [True, False])
def test_ctrl_c_while_it_is_imported(folder, as_module):
    """A stub of numpy interrupts the process."""
    (folder / "numpy.py").write_text("import os, signal, time\nos.kill(os.getpid(), "
                                     "signal.SIGINT)\ntime.sleep(5)\n")
    script = folder / "pt-fairness"
    script.write_text("import sys\nfrom pt_fairness.cli import main\nsys.exit(main())\n")
    paths = os.pathsep.join([str(folder), str(Path(cli.__file__).parents[2])])
    done = subprocess.run([sys.executable, *(["-m", "pt_fairness"] if as_module else [script]),
                           "qrels", "run", "nDCG@5"], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": paths},
                          # A shell has its background jobs ignore the signal.
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert done.returncode == -signal.SIGINT and done.stdout == done.stderr == ""


def children(pid: int) -> list[int]:
    """The processes whose parent is a process, and theirs."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if int(parent) == pid:
                found += [int(entry.name), *children(int(entry.name))]
    return found


@pytest.mark.exhaustive
@several
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_sigterm_ends_the_workers(folder):
    (folder / "run").write_text("".join(
        f"{qid} Q0 d{rank} {rank} {-rank} t\n" for qid in range(100) for rank in range(1000)))
    (folder / "qrels").write_text("".join(
        f"{qid} {'AB'[i % 2]} d{i} 1\n" for qid in range(100) for i in range(0, 1000, 10)))
    names = [f"name {i}" for i in range(40)]
    process = subprocess.Popen(
        [*MAIN, "table", "qrels", *[f"./{'./' * i}run" for i in range(40)], "-m", "rKL@1000",
         "--names", *names, "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while len(workers := children(process.pid)) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1)
    workers = children(process.pid)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 128 + signal.SIGTERM
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []
    assert b"Traceback" not in process.stderr.read()
