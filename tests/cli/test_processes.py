"""Commands in a process of their own: signals, pipes, closed and full outputs, progress."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from evaluation.common import several

pytestmark = pytest.mark.slow
MEASURES, TABLE = ["measures"], ["table", "qrels", "run", "-m", "Annotated@5"]
ANNOTATE = ["annotate", "qrels", "trec-newswire"]
#: Text is kept until the end of the process.
BUFFERED = {**os.environ, "PYTHONUNBUFFERED": ""}


@pytest.mark.parametrize("command, says", [
    (MEASURES, ""),
    (ANNOTATE, "pt-fairness: 0 of 6 judged documents have a group (first without: a)\n")],
    ids=["measures", "annotate"])
def test_a_reader_that_has_gone(files, process, command, says):
    """``pt-fairness measures | head -n 1``: the reader may stop before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    done = process(*command, stdout=writer, stderr=subprocess.PIPE, env=BUFFERED)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, says)


@pytest.mark.parametrize("command", [MEASURES, TABLE], ids=["measures", "table"])
def test_standard_output_that_is_closed(files, process, command):
    done = process(*command, shell=">&-")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "standard output" in done.stderr


@pytest.mark.parametrize("command, text", [
    (["table", "qrels", "run", "-m", "AP", "--per-query"], "run,中,AP,1.0\n"),
    (["annotate", "qrels", "trec-newswire"], "中 - é 1\n"), (["measures", "nDCG@α"], "")],
    ids=["table", "annotate", "measures"])
def test_output_is_utf8_whatever_the_locale(folder_of, process, command, text):
    folder_of({"qrels": "中 PRO é 1\n", "run": "中 Q0 é 1 1 t\n"})
    done = process(*command, env={**os.environ, "PYTHONIOENCODING": "cp1252"}, errors="replace")
    assert text in done.stdout and "Traceback" not in done.stderr
    assert done.returncode == (0 if text else 2)


STANCE = "pt-fairness/debates/stance"


@pytest.mark.parametrize("command, says", [
    (["annotate", "pt-fairness/debates", STANCE, "-o", "out"], "judged documents have a"),
    (["table", STANCE, "run", "-m", "AWRF@5", "--groups", "groups.csv", "--uncertain", "9"], "")],
    ids=["annotate", "uncertain"])
def test_no_progress_is_left(folder_of, process, command, says):
    """ir_datasets builds its docstore here, and logs it."""
    folder = folder_of({
        "run": "1 Q0 d01-01 1 2 x\n1 Q0 d01-02 2 1 x\n",
        "groups.csv": "docno,group,weight\nd01-01,A,0.7\nd01-01,B,0.3\nd01-02,B,1\n"})
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TQDM")}
    done = process(*command, env={**environment, "IR_DATASETS_HOME": str(folder / "home")})
    assert done.returncode == 0 and says in done.stderr
    assert "\r" not in done.stderr and "%|" not in done.stderr and "[INFO]" not in done.stderr
    assert all(line.startswith("pt-fairness: ") for line in done.stderr.splitlines())


def children(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have started."""
    started = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parent = path.read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid:
                started += [int(path.parent.name), *children(int(path.parent.name))]
    return started


@several
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_sigterm_ends_the_workers(folder_of):
    folder_of({"run": "".join(f"{qid} Q0 d{rank} {rank} {-rank} t\n" for qid in range(100)
                              for rank in range(1000)),
               "qrels": "".join(f"{qid} {'AB'[i % 2]} d{i} 1\n" for qid in range(100)
                                for i in range(0, 1000, 10))})
    main = "import sys; from pt_fairness.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", main, "table", "qrels", *[f"./{'./' * i}run" for i in range(40)],
         "-m", "rKL@1000", "--names", *[f"name {i}" for i in range(40)], "--jobs", "2"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while len(children(process.pid)) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    workers = children(process.pid)
    process.send_signal(signal.SIGTERM)
    assert len(workers) >= 2 and process.wait(20) == 128 + signal.SIGTERM
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []
    assert b"Traceback" not in process.stderr.read()
