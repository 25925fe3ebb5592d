"""Labels of points, placed so that they do not overlap."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pt_fairness.core.arrays import Bools, Floats
from pt_fairness.core.messages import listed, warn
from pt_fairness.plots import style
from pt_fairness.plots.layout import arrange

#: The distances of a label from its point that are tried, in points.
DISTANCES = (6, 12, 20, 30, 42, 56, 72, 90)
#: The directions that are tried.
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
#: A label further away than this has a line to its point, in points.
NEAR = 12
#: The number of places along each part of a line that labels avoid, and along that of a label.
STEPS, OWN_STEPS = 60, 10
#: The radius of the points, in points.
RADIUS = 4.0
#: Half the width of a line, in points.
THIN = 0.5
#: The cost of covering a point, a label or the edge, relative to that of covering a line.
WORSE = 1e6
#: The font sizes that are tried until every label has a place, in points.
SIZES = (9.0, 8.0, 7.0, 6.0, 5.0)


def label_points(ax: Axes, x: Any, y: Any, names: Sequence[Any], lines: Sequence[Any]) -> None:
    """Label points without overlaps, in a smaller font if there are many.

    The first points have the first choice. A label that would cover points or labels at any place
    is left out, with a warning.

    :param x: the places of the points, in data coordinates, ``[n]``
    :param lines: the corners of each line that labels avoid, in data coordinates, ``[m, 2]``
    """
    arrange(ax)
    dot = ax.figure.figure.dpi / 72
    points = ax.transData.transform(np.column_stack([x, y])) / dot
    inside = np.array(ax.bbox.extents) / dot
    drawn = np.vstack([np.empty((0, 4)), *(_boxes(_along(ax, line) / dot, THIN)
                                           for line in lines)])
    for size in SIZES:
        sizes = np.array([_size(ax, name, size) for name in names]).reshape(-1, 2) / dot
        centres, distances, shown, covered = _centres(points, sizes, inside, drawn)
        if not covered:
            break
    if not shown.all():
        warn(f"{listed(itertools.compress(names, ~shown))}: the point has no name, because there "
             "is no room for it; make the figure larger")
    for name, point, centre, distance in itertools.compress(
            zip(names, points, centres, distances, strict=True), shown):
        arrow = {"arrowstyle": "-", "color": style.PALE, "linewidth": 0.7, "shrinkA": 0,
                 "shrinkB": RADIUS} if distance > NEAR else None
        place = ax.transData.inverted().transform(point * dot)
        ax.annotate(style.text(name), (place[0], place[1]), xytext=tuple(centre - point),
                    textcoords="offset points", ha="center", va="center", fontsize=size,
                    arrowprops=arrow)


def _along(ax: Axes, corners: Any) -> Floats:
    """Return places along a line, in pixels, ``[n, 2]``."""
    ends = ax.transData.transform(np.asarray(corners, float))
    steps = np.linspace(0.0, 1.0, STEPS)[:, None, None]
    return np.asarray((ends[:-1] + steps * (ends[1:] - ends[:-1])).reshape(-1, 2))


def _boxes(places: Floats, radius: float) -> Floats:
    """Return the boxes around places, ``[n, 4]``: left, bottom, right, top."""
    return np.hstack([places - radius, places + radius])


def _size(ax: Axes, name: Any, size: float) -> tuple[float, float]:
    """Return the width and the height of a label in pixels."""
    label = ax.text(0, 0, style.text(name), fontsize=size)
    box = label.get_window_extent()
    label.remove()
    return box.width, box.height


def _centres(points: Floats, sizes: Floats, axes: Floats,
             lines: Floats) -> tuple[Floats, Floats, Bools, bool]:
    """Return the centre of each label, ``[n, 2]``, its distance from its point, ``[n]``, and
    whether it covers no point, no label, and of the edge no more than it has to, ``[n]``.

    :param points: the points, ``[n, 2]``
    :param sizes: the widths and heights of the labels, ``[n, 2]``
    :param axes: the box of the axes: left, bottom, right, top
    :param lines: the boxes along lines, which labels cover only where there is no other place,
        ``[m, 4]``
    :returns: the fourth value is whether a label covers anything, or the edge of the axes
    """
    distances = np.repeat(DISTANCES, len(DIRECTIONS))[:, None]
    directions = np.tile(DIRECTIONS, (len(DISTANCES), 1))
    # The line of a label from its point, as boxes: [candidates, places, 4].
    places = np.linspace((RADIUS + THIN) / distances, 1.0, OWN_STEPS, axis=1) * distances[:, None]
    own = _boxes((places * directions[:, None]).reshape(-1, 2), THIN).reshape(
        len(distances), OWN_STEPS, 4)
    has_line = distances[:, 0] > NEAR
    found, far, shown, covers, taken = [], [], [], False, _boxes(points, RADIUS)
    for point, size in zip(points, sizes, strict=True):
        centres = point + directions * (size / 2 + distances)
        boxes = np.hstack([centres - size / 2, centres + size / 2])
        outside = size.prod() - _shared(boxes, axes[None])[:, 0]
        over = (_shared(boxes, taken).sum(axis=1) + outside - outside.min()).round(6)
        cost = WORSE * over + outside + _shared(boxes, lines).sum(axis=1)
        best = int(cost.round(6).argmin())
        to_label = own + np.tile(point, 2)
        if has_line[best]:
            crossed = _shared(to_label.reshape(-1, 4), np.vstack([taken, lines])).reshape(
                len(own), -1).sum(axis=1)
            cost += np.where(has_line, crossed, 0.0)
            best = int(cost.round(6).argmin())
        covers |= bool(cost[best] > 1e-6)
        shown.append(over[best] == 0)
        if shown[-1]:
            taken = np.vstack([taken, boxes[best]])
            lines = np.vstack([lines, *(to_label[best] if has_line[best] else ())])
        found.append(centres[best])
        far.append(distances[best, 0])
    return np.array(found).reshape(-1, 2), np.array(far), np.array(shown, bool), covers


def _shared(boxes: Floats, others: Floats) -> Floats:
    """Return the area that each of some boxes shares with each of others, ``[C, n]``."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.maximum(high - low, 0.0).prod(axis=2))
