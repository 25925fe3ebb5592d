"""Every block of code in the README, as it stands there."""

import importlib.resources
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_the_python_blocks_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    """The first blocks print the tables that follow them."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, block in enumerate(blocks("python"), 1):
        exec(compile(block, f"README.md, Python block {number}", "exec"), names)
        if number <= len(blocks("text")):
            assert capsys.readouterr().out == blocks("text")[number - 1]


@pytest.mark.slow
def test_the_table_is_what_the_quickstart_prints():
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "quickstart.py")], capture_output=True, text=True)
    assert done.stdout.startswith("\n".join(blocks("text")))


def test_its_links_lead_somewhere():
    links = re.findall(r"\]\(((?!https?:)[^)]+)\)", README)
    assert len(links) > 5
    pages = importlib.resources.files("pt_fairness")
    for path in links:
        assert (ROOT / path).is_file() or \
            pages.joinpath(path.removeprefix("pt_fairness/")).is_file(), path
