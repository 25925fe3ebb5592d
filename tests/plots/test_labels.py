"""Labels of points: none covers another, a point, or leaves the axes."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest

from pt_fairness.plots.labels import label_points


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
