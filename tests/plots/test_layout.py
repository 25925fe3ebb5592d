"""Colours, markers, labels, ticks and legends: none covers another."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from pt_fairness import plots
from pt_fairness.plots.layout import (
    arrange,
    axes_of,
    cut_names,
    has_legend_elsewhere,
    label_points,
    legend_below,
    name_ticks,
    rank_ticks,
    size_of,
    tick_step,
)

#: Simulations of dichromacy, as matrices of linear RGB (Viénot, Brettel & Mollon 1999).
DICHROMACY = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]}


def seen(colour: str, matrix) -> np.ndarray:
    linear = np.array(
        [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)])
    linear = np.clip(np.asarray(matrix) @ linear, 0, 1)
    return np.array(
        [12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear])


def distance(one: str, two: str, kind: str) -> float:
    return np.linalg.norm(seen(one, DICHROMACY[kind]) - seen(two, DICHROMACY[kind]))


@pytest.mark.parametrize("kind", DICHROMACY)
def test_colours_differ_for_the_colour_blind(kind):
    for one, two in itertools.combinations(plots.PALETTE, 2):
        assert distance(one, two, kind) > 0.1, (one, two)


def test_simulated_red_and_green_are_similar():
    red, green = "#D62728", "#7F6A00"
    assert distance(red, green, "protan") < np.linalg.norm(np.subtract(to_rgb(red), to_rgb(green)))


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.mark.parametrize(("ticks", "room", "label", "wanted"), [
    (10, 100, 10, 1), (10, 99, 10, 2), (10, 20, 10, 5), (10, 10, 10, 10), (1000, 100, 10, 100),
    (10, 1, 10, 10)])
def test_the_smallest_step_at_which_labels_fit(ticks, room, label, wanted):
    assert tick_step(ticks, room, label) == wanted


def test_given_axes_are_used_and_new_ones_made():
    _, ax = plt.subplots()
    assert axes_of(ax) is ax is not axes_of(None)


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("names", [["a", "b"], [f"a rather long name {i}" for i in range(40)]],
                         ids=["short", "long"])
def test_names_of_ticks_do_not_overlap(across, names):
    ax = axes_of(None)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylim(-0.5, len(names) - 0.5)
    axis = ax.xaxis if across else ax.yaxis
    name_ticks(axis, names, new=True)
    arrange(ax)
    labels = axis.get_ticklabels()
    assert [label.get_text() for label in labels] == names
    boxes = sorted((label.get_window_extent() for label in labels),
                   key=lambda box: box.x0 if across else box.y0)
    for one, other in itertools.pairwise(boxes):
        assert (one.x1 <= other.x0 + 1) if across else (one.y1 <= other.y0 + 1)


def test_a_new_figure_grows_for_its_names_and_a_given_one_does_not():
    names = [f"a rather long name {i}" for i in range(60)]
    sizes = []
    for new in (True, False):
        ax = axes_of(None)
        ax.set_ylim(-0.5, 59.5)
        before = ax.figure.get_size_inches().tolist()
        name_ticks(ax.yaxis, names, new=new)
        sizes.append(ax.figure.get_size_inches().tolist() != before)
    assert sizes == [True, False]


@pytest.mark.parametrize("labels", [["A", "B"], ["a name of some length " * 3] * 5])
def test_a_legend_is_below_the_axes_and_no_wider(labels):
    ax = axes_of(None)
    lines = [ax.plot([0, 1], [0, i], label=label)[0] for i, label in enumerate(labels)]
    legend_below(ax, dict(zip(labels, lines, strict=True)), new=True)
    arrange(ax)
    legend = ax.get_legend()
    box, axes = legend.get_window_extent(), ax.get_window_extent()
    assert box.y1 <= axes.y0
    assert box.width <= axes.width * 1.05
    assert size_of(ax)[1] > 50


def test_the_legend_of_other_axes_is_not_repeated():
    _, (one, other) = plt.subplots(ncols=2)
    lines = [one.plot([0, 1])[0], one.plot([1, 0])[0]]
    legend_below(one, dict(zip("AB", lines, strict=True)), new=False)
    assert has_legend_elsewhere(other, ["A", "B"]) and not has_legend_elsewhere(other, ["A"])
    legend_below(other, dict(zip("AB", lines, strict=True)), new=False)
    assert other.get_legend() is None


@pytest.mark.parametrize("step, ticks", [(1, [1, 2, 3, 4, 5, 6]), (2, [1, 3, 5]), (5, [1, 5])])
def test_labelled_ranks_are_evenly_apart(step, ticks):
    assert rank_ticks(6, step) == ticks


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
    yield ax
    plt.close("all")


@pytest.mark.parametrize("n", [1, 20])
@pytest.mark.parametrize("seed", range(3))
def test_labels_cover_no_label_and_no_point(axes, seed, n):
    x, y = np.random.default_rng(seed).random((2, n))
    axes.scatter(x, y)
    label_points(axes, x, y, [f"system {i}" for i in range(n)], [])
    boxes = [text.get_window_extent() for text in axes.texts]
    assert [text.get_text() for text in axes.texts] == [f"system {i}" for i in range(n)]
    for one, other in itertools.combinations(boxes, 2):
        shared = (min(one.x1, other.x1) - max(one.x0, other.x0),
                  min(one.y1, other.y1) - max(one.y0, other.y0))
        assert min(shared) < 0.5
    points = axes.transData.transform(np.column_stack([x, y]))
    for box, point in itertools.product(boxes, points):
        assert not (box.x0 < point[0] < box.x1 and box.y0 < point[1] < box.y1)


def test_a_label_is_beside_a_line(axes):
    axes.plot([0, 1], [0.5, 0.5])
    label_points(axes, [0.5], [0.5], ["on the line"], [[(0, 0.5), (1, 0.5)]])
    box = axes.texts[0].get_window_extent()
    height = axes.transData.transform((0, 0.5))[1]
    assert not box.y0 < height < box.y1


def test_a_label_is_nearest_to_its_point_or_has_a_line(axes):
    axes.figure.set_size_inches(3.3, 2.5)
    x, y = np.array([0.3, 0.45, 0.5, 0.62]), np.array([0.5, 0.5, 0.53, 0.5])
    label_points(axes, x, y, [f"a longer name {i}" for i in range(4)], [])
    points = axes.transData.transform(np.column_stack([x, y]))
    assert {text.arrow_patch is None for text in axes.texts} == {True, False}
    for i, text in enumerate(axes.texts):
        box = text.get_window_extent()
        gaps = [np.hypot(max(box.x0 - a, a - box.x1, 0), max(box.y0 - b, b - box.y1, 0))
                for a, b in points]
        assert text.arrow_patch is not None or np.argmin(gaps) == i


@pytest.mark.exhaustive
def test_no_room_is_a_warning_that_names_the_points(axes):
    axes.figure.set_size_inches(3, 2)
    names = [f"a system with a very long name {i}" for i in range(90)]
    x, y = np.random.default_rng(0).random((2, 90))
    with pytest.warns(UserWarning, match="the point has no name, because there is no room"):
        label_points(axes, x, y, names, [])
    assert 0 < len(axes.texts) < 90


def test_no_points(axes):
    label_points(axes, [], [], [], [])
    assert not axes.texts
