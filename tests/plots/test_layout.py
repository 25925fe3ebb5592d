"""Colours, markers, labels, ticks and legends: none covers another."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from pt_fairness import plots
from pt_fairness.plots.layout import axes_of, cut_names, label_points, name_ticks

#: Simulations of dichromacy, as matrices of linear RGB (Viénot, Brettel & Mollon 1999).
DICHROMACY = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]}


def seen(colour: str, matrix) -> np.ndarray:
    c = np.array(to_rgb(colour))
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    c = np.clip(np.asarray(matrix) @ linear, 0, 1)
    return np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)


@pytest.mark.parametrize("kind", DICHROMACY)
def test_colours_differ_for_the_colour_blind(kind):
    for one, two in itertools.combinations(plots.PALETTE, 2):
        difference = seen(one, DICHROMACY[kind]) - seen(two, DICHROMACY[kind])
        assert np.linalg.norm(difference) > 0.1, (one, two)


def test_a_new_figure_grows_for_its_names_and_a_given_one_does_not():
    names = [f"a rather long name {i}" for i in range(60)]
    sizes = []
    for new in (True, False):
        ax, _ = axes_of(None)
        ax.set_ylim(-0.5, 59.5)
        before = ax.figure.get_size_inches().tolist()
        name_ticks(ax.yaxis, names, new=new)
        sizes.append(ax.figure.get_size_inches().tolist() != before)
    assert sizes == [True, False]


def test_names_are_cut_in_the_middle():
    names = [f"a team with a long name and a run with a long name, run {i}" for i in range(3)]
    short = cut_names([*names, "BM25"])
    assert short[0] == "a team with a long n…h a long name, run 0" and short[3] == "BM25"
    inner = [f"a team with a long name {i} and a run with a long name" for i in range(3)]
    assert cut_names(inner) == inner, "they differ in the middle alone"


@pytest.fixture
def axes():
    _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    ax.set_xlim(-0.1, 1.1)
    ax.set_ylim(-0.1, 1.1)
    return ax


def test_a_label_is_nearest_to_its_point_or_has_a_line(axes):
    axes.figure.set_size_inches(3.3, 2.5)
    places = np.array([[0.3, 0.5], [0.45, 0.5], [0.5, 0.53], [0.62, 0.5]])
    label_points(axes, places, [f"a longer name {i}" for i in range(4)], [])
    points = axes.transData.transform(places)
    assert {text.arrow_patch is None for text in axes.texts} == {True, False}
    for i, text in enumerate(axes.texts):
        box = text.get_window_extent()
        gaps = [np.hypot(max(box.x0 - a, a - box.x1, 0), max(box.y0 - b, b - box.y1, 0))
                for a, b in points]
        assert text.arrow_patch is not None or np.argmin(gaps) == i
