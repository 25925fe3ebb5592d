"""One's own runs: the first commands, recipes, and a tutorial whose steps may be skipped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from importlib import metadata, resources
from pathlib import Path

import pytest

PAGES = resources.files("pt_fairness") / "pt_docs"
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def page(name):
    return (PAGES / f"{name}.rst").read_text(encoding="utf-8")


def blocks(text, language):
    found = re.findall(rf"^\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)", text, re.MULTILINE)
    return [textwrap.dedent(block).strip() for block in found]


def sections(text):
    """Title → text of the sections of a page."""
    parts = re.split(r"^(.+)\n-+$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def write_files(folder):
    """Files with the names of the commands."""
    (folder / "judgments.qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 1\n2 0 a 1\n2 0 c 1\n")
    for name, order in (("bm25", "abc"), ("qld", "bca"), ("neural", "cab")):
        (folder / f"{name}.run").write_text("".join(
            f"{qid} Q0 {docno} {rank} {9 - rank} x\n"
            for qid in "12" for rank, docno in enumerate(order)))
    for name in ("groups", "stances"):
        (folder / f"{name}.csv").write_text("docno,group\na,PRO\nb,PRO\nc,CON\n")


@pytest.mark.parametrize(
    "name", ["index", pytest.param("tutorial", marks=pytest.mark.slow)])
def test_the_first_command_writes_the_report_with_its_paragraph(name, tmp_path):
    write_files(tmp_path)
    (command,) = blocks(sections(page(name))["Your own runs"], "console")[:1]
    subprocess.run(["bash", "-euc", command.removeprefix("$ ")], cwd=tmp_path, check=True,
                   capture_output=True, env={**os.environ, "PATH": PATH})
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "For the paper" in report
    assert re.search(r"--groups (\S+)", command)[1] in report


def test_the_installation_is_from_the_public_address():
    urls = dict(one.split(", ") for one in metadata.metadata("pt_fairness").get_all("Project-URL"))
    assert f"git clone {urls['Repository']}\n" in sections(page("index"))["Install"]


STEPS = [title for title in sections(page("tutorial")) if re.match(r"\d+\. ", title)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("step", STEPS[1:])
def test_a_step_of_the_tutorial_runs_without_the_others(step, tmp_path, monkeypatch):
    """With files of one's own, and the block of their names."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    found = sections(page("tutorial"))
    (names,) = blocks(found["The names of the files"], "python")
    names = names.replace(
        '"BM25 (conclusions)": "conclusions.run"', '"neural": "neural.run"')
    assert "neural.run" in names
    scope = {}
    for block in [names, *blocks(found[step], "python")]:
        exec(compile(block, step, "exec"), scope)


def test_recipes_have_about_ten_lines():
    found = sections(page("recipes"))
    assert {"Groups in a CSV file", "Three groups", "No qrels", "Stochastic runs",
            "Recommendations in a DataFrame", "A figure for a paper",
            "A language model labelled my documents"} <= set(found)
    for title, text in found.items():
        code = blocks(text, "python")
        assert code, title
        assert all(len(block.splitlines()) <= 12 for block in code), title
