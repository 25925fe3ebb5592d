"""The script on stances that models predicted for Touché 2022, task 2."""

from __future__ import annotations

import importlib.resources
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from example_files import write_qrels

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]
STANCES = ["FIRST", "SECOND", "NEUTRAL", "NO"]
PAGES = Path(str(importlib.resources.files("pt_fairness"))) / "pt_docs"


@pytest.fixture
def few(script, monkeypatch):
    """The script with one sample of human labels and few draws."""
    run = script("touche2022_labels")
    module = sys.modules["touche2022_labels"]
    for name, value in {"HUMAN": (30,), "SAMPLES": 1, "DRAWS": 4}.items():
        monkeypatch.setattr(module, name, value)
    return run


def test_a_small_track(few, tmp_path, capsys):
    """One run has no predictions, one is always right, and one is right in two of three cases."""
    rng = np.random.default_rng(2)
    rows = [(str(q), f"d{i}", int(rng.integers(0, 3)), STANCES[i % 4])
            for q in range(6) for i in range(16)]  # fmt: skip
    qrels = write_qrels(tmp_path / "relevance", [(q, 0, d, label) for q, d, label, _ in rows])
    labels = write_qrels(tmp_path / "stances", [(q, 0, d, stance) for q, d, _, stance in rows])
    for name in ("a.run1", "b.run1", "c.run1"):
        lines = []
        for place, (q, d, _, stance) in enumerate(rows):
            guess = {"a": stance, "b": stance if place % 3 else "FIRST", "c": "Q0"}[name[0]]
            lines.append(f'{q} {guess} {d} 1 {rng.random()} "my run"')
        (tmp_path / name).write_text("\n".join(lines))
    found = few(qrels, labels, *(tmp_path / f"{name}.run1" for name in "abc"))
    assert found["models"]["model of"].tolist() == ["a.run1", "b.run1"]
    assert found["models"]["right (%)"][0].startswith("100.0")
    table = found["values"].set_index(["run", "measure"])
    right = table.loc["a.run1"]
    assert right["human"].tolist() == pytest.approx(right["model"].tolist())
    assert len(found["corrected"]) == 6 and found["rankings"]["labels"][0] == "model"
    assert "labels of b.run1 agree with" in capsys.readouterr().out
    assert (tmp_path / "labels-values.csv").read_text().startswith('run,"AWRF@5, human"')


@pytest.mark.slow
def test_the_page_shows_the_tables_of_the_script(few, shared, tmp_path):
    folder = shared / "data" / "touche2022"
    few(folder / "relevance.qrels.gz", folder / "stance.qrels.gz",
        *sorted((folder / "runs").glob("*.gz")))  # fmt: skip
    for name in ("models", "values"):
        written, shown = (pd.read_csv(place / f"labels-{name}.csv")
                          for place in (tmp_path, PAGES / "touche2022"))  # fmt: skip
        pd.testing.assert_frame_equal(written, shown)
