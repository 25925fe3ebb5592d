"""One's own runs: the first command of the pages, and a tutorial whose steps may be skipped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from importlib import resources
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
PAGES = resources.files("pt_fairness") / "pt_docs"
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def blocks(text, language):
    found = re.findall(rf"^\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)", text, re.MULTILINE)
    return [textwrap.dedent(block).strip() for block in found]


def sections(name):
    """Title → text of the sections of a page."""
    text = (PAGES / f"{name}.rst").read_text(encoding="utf-8")
    parts = re.split(r"^(.+)\n-+$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture
def folder(tmp_path):
    """Files with the names of the commands."""
    (tmp_path / "judgments.qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 1\n2 0 a 1\n2 0 c 1\n")
    for name, order in (("bm25", "abc"), ("qld", "bca"), ("neural", "cab")):
        (tmp_path / f"{name}.run").write_text("".join(
            f"{qid} Q0 {docno} {rank} {9 - rank} x\n"
            for qid in "12" for rank, docno in enumerate(order)))
    for name in ("groups", "stances"):
        (tmp_path / f"{name}.csv").write_text("docno,group\na,PRO\nb,PRO\nc,CON\n")
    return tmp_path


def test_the_first_command_writes_the_report(folder):
    command = blocks(sections("index")["Your own runs"], "console")[0]
    subprocess.run(["bash", "-euc", command.removeprefix("$ ")], cwd=folder, check=True,
                   capture_output=True, env={**os.environ, "PATH": PATH})
    assert (folder / "report.html").exists()


STEPS = [title for title in sections("tutorial") if re.match(r"\d+\. ", title)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("step", STEPS[2:])
def test_a_step_of_the_tutorial_runs_without_the_others(step, folder, monkeypatch):
    """With files of one's own, and the block of their names."""
    monkeypatch.chdir(folder)
    found = sections("tutorial")
    (names,) = blocks(found["2. The names of the files"], "python")
    scope = {}
    for block in [names.replace("conclusions.run", "neural.run"), *blocks(found[step], "python")]:
        exec(compile(block, step, "exec"), scope)
