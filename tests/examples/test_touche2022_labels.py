"""The script on stances that models predicted for Touché 2022, task 2."""

from __future__ import annotations

import importlib.resources
import sys
from pathlib import Path

import pandas as pd
import pytest

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]
PAGES = Path(str(importlib.resources.files("pt_fairness"))) / "pt_docs"


@pytest.fixture
def few(script, monkeypatch):
    """The script with one sample of human labels and few draws."""
    run = script("touche2022_labels")
    module = sys.modules["touche2022_labels"]
    for name, value in {"DOCUMENTS": (30,), "TOPICS": (10,), "SAMPLES": 1, "DRAWS": 4}.items():
        monkeypatch.setattr(module, name, value)
    return run


@pytest.mark.slow
def test_the_page_shows_the_tables_of_the_script(few, shared, tmp_path):
    folder = shared / "data" / "touche2022"
    few(folder / "relevance.qrels.gz", folder / "stance.qrels.gz",
        *sorted((folder / "runs").glob("*.gz")))  # fmt: skip
    for name in ("models", "values"):
        written, shown = (pd.read_csv(place / f"labels-{name}.csv")
                          for place in (tmp_path, PAGES / "touche2022"))  # fmt: skip
        pd.testing.assert_frame_equal(written, shown)
