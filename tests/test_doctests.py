"""The examples in the docstrings of the package."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import ir_datasets  # noqa: F401 - the modules of the collections need it first
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
    if name.startswith("pt_fairness.plots"):
        plt = pytest.importorskip("matplotlib.pyplot")
        plt.switch_backend("Agg")
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs=NAMES, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    if name.startswith("pt_fairness.plots"):
        plt.close("all")
