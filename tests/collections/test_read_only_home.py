"""Local files and the debates, where ir_datasets can neither create nor write its home folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DEBATES = "pt-fairness/debates"
CODE = """
import sys
from pt_fairness.cli import main
sys.exit(main())
"""


def done(folder: Path, home: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if name != "IR_DATASETS_HOME"}
    variables |= {"HOME": home, "TMPDIR": str(folder / "tmp")}
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.run([sys.executable, "-c", CODE, *arguments], capture_output=True, text=True,
                          cwd=folder, env=variables, timeout=120)


def homes(folder: Path, kind: str) -> str:
    """A home below a file, or one in which the docstore of the debates would be below a file."""
    (folder / "home" / ".ir_datasets").mkdir(parents=True)
    (folder / "home" / ".ir_datasets" / "pt-fairness").touch()
    return {"impossible": "/dev/null/home", "of the kernel": "/proc/home",
            "not writable": str(folder / "home")}[kind]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    rows = [f"{qid} Q0 d{qid:02d}-{i:02d} 1 {-i} x\n" for qid in range(1, 11) for i in range(1, 16)]
    (tmp_path / "a.run").write_text("".join(rows))
    (tmp_path / "qrels").write_text("1 PRO d01-01 1\n1 CON d01-02 1\n")
    return tmp_path


FILES = ("table", "qrels", "a.run", "-m", "rKL@5")
STANCES = ("table", DEBATES, "a.run", "-m", "rKL@5", "--groups", f"{DEBATES}/stance")
REPORT = ("report", *STANCES[1:], "--topics", DEBATES)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind, arguments", [
    ("impossible", FILES), ("impossible", REPORT), ("of the kernel", STANCES),
    ("not writable", STANCES)])
def test_a_command(run, kind, arguments):
    command = done(run, homes(run, kind), *arguments, "-o", "written")
    assert command.returncode == 0, command.stderr
    assert "Traceback" not in command.stderr
    assert ("home folder" in command.stderr) == (kind != "not writable" and DEBATES in arguments)
    assert (run / "written").stat().st_size > 0
    assert [*(run / "tmp").glob("pt-fairness-*")] == [], "temporary folders are deleted"
