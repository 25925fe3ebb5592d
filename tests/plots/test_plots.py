"""Empty frames, and a missing matplotlib."""

from __future__ import annotations

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from pt_fairness import plots


@pytest.mark.parametrize(
    "draw, frame",
    [
        (plots.groups_per_topic, pd.DataFrame(columns=["qid", "group", "relevant"])),
        (plots.groups_per_topic, pd.DataFrame({"qid": ["all"], "group": "g", "relevant": 1.0})),
        (
            lambda frame: plots.relevance_and_fairness(frame, "AP", "rKL@5"),
            pd.DataFrame(columns=["name", "AP", "rKL@5"])),
        (plots.bias_sweep, pd.DataFrame(columns=["set", "alpha", "measure", "mean", "sd"])),
        (plots.bias_histogram, pd.DataFrame(columns=["name", "qid", "measure", "value"])),
        (
            plots.bias_histogram,
            pd.DataFrame({"name": "A", "qid": ["1"], "measure": "m", "value": np.nan})),
        (
            lambda frame: plots.tradeoff(frame, "AP", "rKL@5"),
            pd.DataFrame(columns=["name", "AP", "rKL@5"])),
        (
            lambda frame: plots.tradeoff(frame, "AP", "rKL@5"),
            pd.DataFrame({"name": ["A"], "AP": 0.5, "rKL@5": np.nan})),
        (
            plots.differences,
            pd.DataFrame(columns=["name", "measure", "n", "difference", "low", "high", "reject"])),
        (plots.exposure, pd.DataFrame(columns=["name", "qid", "rank", "label", "group"])),
        (plots.explain, pd.DataFrame(columns=["rank", "docno", "group", "counts", "value"])),
        (plots.target_against_model, pd.DataFrame(columns=["target", "model"])),
        (
            lambda frame: plots.scatter(frame, ("A", "m"), ("A", "m")),
            pd.DataFrame(columns=["name", "qid", "measure", "value"])),
    ],
)
def test_nothing_to_draw(draw, frame):
    with pytest.raises(ValueError, match=r"has no rows|nothing to draw"):
        draw(frame)
    assert not plt.get_fignums()


def test_only_figures_import_matplotlib():
    code = """
import sys, pt_fairness, pt_fairness.analysis, pt_fairness.analysis.simulation
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = None
try:
    pt_fairness.plots
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'pt-fairness[plots]'" in done.stdout


def test_pdf_fonts_are_true_type(tmp_path):
    ax = plots.tradeoff(pd.DataFrame({"name": ["A"], "AP": [0.5], "nDCG": [0.5]}), "AP", "nDCG")
    ax.figure.savefig(tmp_path / "figure.pdf")
    content = (tmp_path / "figure.pdf").read_bytes()
    assert b"Type3" not in content and b"/CIDFontType2" in content
