"""Styles, colours, fonts, and what importing the figures changes."""

import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from pt_fairness import plots
from pt_fairness.plots.appearance import bar_style, line_style, point_style, wrapped

AVERAGES = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.5, 0.9], "rKL@5": [0.1, 0.4]})

@pytest.mark.parametrize("look", [bar_style, point_style, line_style])
def test_thirty_series_look_different(look):
    assert len({tuple(look(i).items()) for i in range(30)}) == 30


@pytest.mark.parametrize("options, width, size", [
    ({"name": "paper"}, 3.3, 8), ({"name": "paper", "width": 4}, 4, 8), ({"font_size": 7}, 6.4, 7)])
def test_sizes(options, width, size):
    before = dict(matplotlib.rcParams)
    with plots.style(**options):
        ax = plots.tradeoff(AVERAGES, "nDCG@5", "rKL@5")
    assert ax.figure.get_figwidth() == width and ax.title.get_fontsize() == size
    assert dict(matplotlib.rcParams) == before


def test_pdf_fonts_are_true_type(tmp_path):
    with plots.style():
        plots.tradeoff(AVERAGES, "nDCG@5", "rKL@5").figure.savefig(tmp_path / "figure.pdf")
    content = (tmp_path / "figure.pdf").read_bytes()
    assert b"Type3" not in content and b"/CIDFontType2" in content


@pytest.mark.parametrize("width", [20, 80])
def test_long_names_break_behind_words(width):
    name = "AWRF(target='qrels',discount='trec')@10"
    lines = wrapped(name, width).replace(" ", "").split("\n")
    assert "".join(lines) == name
    assert all(line.endswith((",", ")@10")) for line in lines)


def test_a_given_figure_keeps_its_size():
    figure, ax = plt.subplots(figsize=(9, 3))
    plots.tradeoff(AVERAGES, "nDCG@5", "rKL@5", ax)
    assert figure.get_size_inches().tolist() == [9, 3]
    assert figure.get_layout_engine() is not None


@pytest.mark.slow
def test_importing_changes_no_settings_and_needs_the_extra():
    code = """
import sys, pt_fairness, pt_fairness.analysis, pt_fairness.analysis.simulation
assert "matplotlib" not in sys.modules
import matplotlib
before = dict(matplotlib.rcParams)
pt_fairness.plots
assert dict(matplotlib.rcParams) == before
for name in [name for name in sys.modules if name.startswith("pt_fairness.plots")]:
    del sys.modules[name]
sys.modules["textalloc"] = None
try:
    import pt_fairness.plots
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'pt-fairness[plots]'" in done.stdout
