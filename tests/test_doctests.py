"""The examples in the docstrings of the package and in the README."""

import doctest
import importlib
import importlib.resources
import re
from pathlib import Path

import ir_datasets  # noqa: F401 - the modules of the collections need it first
import matplotlib.pyplot as plt
import pandas as pd
import pytest

import pt_fairness

FOLDER = Path(pt_fairness.__file__).parent
#: Importing ``__main__`` runs the command line.
MODULES = sorted(
    ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in FOLDER.rglob("*.py") if path.name != "__main__.py")
NAMES = {name: getattr(pt_fairness, name) for name in pt_fairness.__all__}


@pytest.fixture
def plain_output(monkeypatch, tmp_path):
    """Print frames as in a terminal of 100 columns, and write files to a temporary folder."""
    monkeypatch.chdir(tmp_path)
    with pd.option_context("display.width", 100, "display.max_columns", 20):
        yield


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, plain_output):
    plt.switch_backend("Agg")
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs=NAMES, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    plt.close("all")


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


def test_its_links_lead_somewhere():
    links = re.findall(r"\]\(((?!https?:)[^)]+)\)", README)
    assert len(links) > 5
    pages = importlib.resources.files("pt_fairness")
    for path in links:
        assert (ROOT / path).is_file() or \
            pages.joinpath(path.removeprefix("pt_fairness/")).is_file(), path
