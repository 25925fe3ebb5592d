"""The page on Touché 2022, task 2: its tables are those of the script."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

import numpy as np
import pytest
from example_files import write_qrels

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]
PAGES = Path(str(importlib.resources.files("pt_fairness"))) / "pt_docs"
NAMES = ("data", "relevance", "fairness", "power", "correlations", "predicted", "judged",
         "headroom", "rerankers")


def test_the_tables_and_figures_are_those_of_the_script(script, shared, tmp_path):
    folder = shared / "data" / "touche2022"
    found = script("touche2022")(folder / "relevance.qrels.gz", folder / "stance.qrels.gz",
                                 *sorted((folder / "runs").glob("*.gz")))
    assert set(found) == set(NAMES)
    for name in NAMES:
        assert (tmp_path / f"{name}.csv").read_text() == \
            (PAGES / "touche2022" / f"{name}.csv").read_text(), name


def test_a_small_track(script, tmp_path):
    """Twelve topics of three systems; one has no predictions, and tags have spaces."""
    rng = np.random.default_rng(2)
    stances = ["FIRST", "SECOND", "NEUTRAL", "NO"]
    docnos = [f"d{i}" for i in range(16)]
    rows = [(str(q), docno, int(rng.integers(0, 3)), str(rng.choice(stances)))
            for q in range(12) for docno in docnos]
    qrels = write_qrels(tmp_path / "relevance", [(q, 0, d, label) for q, d, label, _ in rows])
    labels = write_qrels(tmp_path / "stances", [(q, 0, d, stance) for q, d, _, stance in rows])
    for name in ("a", "b", "c"):
        lines = [f"{q} {'Q0' if name == 'c' else stance} {d} 1 {rng.random()} \"my run\""
                 for q, d, _, stance in rows]
        (tmp_path / name).write_text("\n".join(lines))
    found = script("touche2022")(qrels, labels, *(tmp_path / name for name in "abc"))
    assert found["relevance"]["system"].tolist() == ["a", "b", "c"]
    # The predictions of a and b are the judgments; those of passages without stance are left out.
    assert found["predicted"]["right (%)"].tolist() == ["100.0", "100.0"]
    counts = found["data"].set_index("what")["number"]
    assert counts["topics"] == 12 and counts["judged passages"] == 12 * 16
