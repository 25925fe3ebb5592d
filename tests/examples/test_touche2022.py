"""The tables of the pages on Touché 2022, task 2, are those of the scripts."""

import importlib.resources
import sys
from pathlib import Path

import pandas as pd
import pytest

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]
TABLES = Path(str(importlib.resources.files("pt_fairness"))) / "pt_docs" / "touche2022"


@pytest.fixture
def track(shared):
    """The files of relevance and of stances, and those of the runs."""
    folder = shared / "data" / "touche2022"
    return (folder / "relevance.qrels.gz", folder / "stance.qrels.gz",
            *sorted((folder / "runs").glob("*.gz")))


def test_the_judged_stances(script, track, tmp_path):
    for name in script("touche2022")(*track):
        written, shown = ((place / f"{name}.csv").read_text() for place in (tmp_path, TABLES))
        assert written == shown, name


def test_the_stances_that_models_predicted(script, track, tmp_path, monkeypatch):
    """One sample of human labels and few draws, which these tables do not depend on."""
    run = script("touche2022_labels")
    few = {"DOCUMENTS": (30,), "TOPICS": (10,), "SAMPLES": 1, "DRAWS": 4}
    for name, value in few.items():
        monkeypatch.setattr(sys.modules["touche2022_labels"], name, value)
    run(*track)
    for name in ("models", "values"):
        written, shown = (pd.read_csv(place / f"labels-{name}.csv") for place in (tmp_path, TABLES))
        pd.testing.assert_frame_equal(written, shown)
