"""What all figures share: colours, markers, labels, ticks and legends."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.transforms import ScaledTranslation

from pt_fairness.analysis.columns import measure_of
from pt_fairness.core.arrays import Bools, Floats
from pt_fairness.core.messages import listed, warn
from pt_fairness.measures.descriptions import fair_end_in_words, fair_end_of
from pt_fairness.measures.measure import FairnessMeasure

#: The colour-blind-safe palette of Okabe & Ito (2008), with yellow and black last because they
#: stand out.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
HATCHES = ("", "///", "...", "xxx", "|||", "ooo", "+++", "---")
MARKERS = "osD^vPX*"
LINES = ("-", "--", ":", "-.")
#: The colour of bars and lines in the background.
PALE = "#BBBBBB"
#: The style of a document without a group.
NO_GROUP: dict[str, Any] = {"facecolor": "white", "edgecolor": PALE}
#: The maximum length of a line of an axis label, in characters.
LONG = 50
#: The maximum length of a line of a title.
TITLE = 60


def bar_style(i: int) -> dict[str, Any]:
    """Return the style of the bars of group ``i``: plain colours first, then hatched ones."""
    return {"facecolor": PALETTE[i % len(PALETTE)], "edgecolor": "white",
            "hatch": HATCHES[i // len(PALETTE) % len(HATCHES)]}


def point_style(i: int) -> dict[str, Any]:
    """Return the colour and the marker of series ``i``.

    The marker of a colour changes each time the palette repeats.
    """
    return {"color": PALETTE[i % len(PALETTE)],
            "marker": MARKERS[(i + i // len(PALETTE)) % len(MARKERS)]}


def line_style(i: int) -> dict[str, Any]:
    """Return the colour, the marker and the line style of series ``i``."""
    return {**point_style(i), "linestyle": LINES[i // len(PALETTE) % len(LINES)]}


def wrapped(name: Any, width: int | None = None) -> str:
    """Wrap a name, and escape dollar signs, which start mathtext in matplotlib.

    :param width: the maximum length of a line, ``None`` for one line
    """
    lines = [str(name)] if width is None else textwrap.wrap(str(name), width)
    return "\n".join(lines).replace("$", r"\$")


def fair_end(measure: FairnessMeasure) -> float | None:
    """Return the fair end of a measure, or ``None`` if it is the largest value and has no bound."""
    return None if fair_end_of(measure) == "more" else float(measure.FAIR_END)


def with_fair_end(column: str, table: pd.DataFrame | None = None) -> str:
    """Return the name of a column with the fair end of its measure.

    :param table: the table of the column, which knows what renamed columns stand for
    """
    known = measure_of(column, table)
    if known is None:
        return column
    return f"{column} ({fair_end_in_words(known)})"


#: The minimum font size of tick labels, in points, in a new and in a given figure.
SMALL, SMALLEST = 8.0, 4.0
#: The height of a line and the typical width of a letter, relative to the font size.
LINE_HEIGHT, LETTER_WIDTH = 1.3, 0.65
#: Font sizes and maximum line lengths of a legend, tried in order until it fits the axes.
LEGENDS = (("medium", 80), ("small", 80), ("small", 40), ("x-small", 30))
MOST_LEGEND_COLUMNS = 6
#: The maximum length of the name of a system, in characters.
MOST_LETTERS = 40
#: The factor by which text can grow relative to the axes in a file of lower resolution.
SPREAD = 1.12


def axes_of(ax: Axes | None) -> Axes:
    """Return ``ax``, or the axes of a new figure."""
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def size_of(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of axes in points."""
    box, dots = ax.get_window_extent(), ax.figure.figure.dpi / 72
    return box.width / dots, box.height / dots


def font_size(axis: Axis) -> float:
    """Return the font size of the tick labels in points."""
    return float(axis.get_ticklabels()[0].get_fontsize())


def _grow(ax: Axes, width: float, height: float) -> None:
    """Enlarge a figure by a width and a height in points."""
    figure = ax.figure.figure
    old = figure.get_size_inches()
    figure.set_size_inches(old[0] + width / 72, old[1] + height / 72)


def tick_step(ticks: int, room: float, label: float) -> int:
    """Return the smallest step of 1, 2, 5, 10, 20, … at which the tick labels fit.

    :param ticks: the number of ticks
    :param room: the length of the axis, in points
    :param label: the length of a label along the axis, in points
    """
    steps = (digit * 10**power for power in itertools.count() for digit in (1, 2, 5))
    return next(step for step in steps if ticks / step * label <= max(room, label))


def rank_ticks(ranks: int, step: int) -> list[int]:
    """Return the ranks with a label: 1, 2, 3, … or 1, 3, 5, … or 1, 5, 10, …

    :param step: the step between labels, as :func:`tick_step` returns it
    """
    return [1, *range(step if step > 2 else 1 + step, ranks + 1, step)]


def cut_names(names: Sequence[Any]) -> list[str]:
    """Return names, of which the middle of long ones is left out unless they differ only there."""
    whole = list(map(str, names))
    half = MOST_LETTERS // 2
    short = [name if len(name) <= MOST_LETTERS else f"{name[:half]}…{name[-half:]}"
             for name in whole]
    return short if len({*short}) == len({*whole}) else whole


def name_ticks(axis: Axis, names: Sequence[Any], new: bool, step: int = 1) -> None:
    """Label the ticks 0, 1, … of an axis; rotate labels of the x-axis that do not fit.

    :param names: the labels of all ticks
    :param new: whether the figure is new and can grow
    :param step: the step between labelled ticks
    """
    axis.set_ticks(range(0, len(names), step), [wrapped(name) for name in names[::step]])
    labels, across = axis.get_ticklabels(), axis is axis.axes.xaxis
    old, dots = font_size(axis), axis.axes.figure.figure.dpi / 72
    longest = max(label.get_window_extent().width for label in labels) / dots
    along, other = size_of(axis.axes) if across else size_of(axis.axes)[::-1]
    if across and longest + old < along / len(labels):
        return
    size = min(old, max(along / len(labels) / LINE_HEIGHT, SMALL if new else SMALLEST))
    if new:
        more = (max(0.0, len(labels) * size * LINE_HEIGHT - along),
                max(0.0, longest * size / old - other / 6))
        _grow(axis.axes, *(more if across else more[::-1]))
    else:
        size = max(SMALLEST, min(size, 0.4 * other * old / longest))
    axis.set_tick_params(labelsize=size, labelrotation=90 if across else 0)


def arrange(ax: Axes) -> None:
    """Lay out the figure of axes, with matplotlib's constrained layout if it has no other."""
    figure = ax.figure.figure
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)


def has_legend_elsewhere(ax: Axes, labels: Sequence[Any]) -> bool:
    """Return whether other axes of the figure have a legend with these labels."""
    wanted = [wrapped(label) for label in labels]
    legends = [other.get_legend() for other in ax.figure.figure.axes if other is not ax]
    return any([label.get_text().replace("\n", " ") for label in legend.get_texts()] == wanted
               for legend in legends if legend is not None)


def legend_below(ax: Axes, handles: Sequence[Any], labels: Sequence[Any], new: bool,
                 title: str | None = None) -> None:
    """Add a legend below the axes, in as many columns as fit.

    If other axes of the figure have the same legend, it is not repeated.

    :param new: whether the figure is new and can grow
    """
    figure = ax.figure.figure
    if has_legend_elsewhere(ax, labels):
        return
    arrange(ax)  # long names make the axes narrower
    axis = ax.xaxis.get_tightbbox()
    assert axis is not None
    box = ax.get_window_extent()
    below = ax.transAxes + ScaledTranslation(0, -SPREAD * (box.y0 - axis.y0) / figure.dpi,
                                             figure.dpi_scale_trans)
    most = min(len(labels), MOST_LEGEND_COLUMNS)
    for (size, width), columns in itertools.product(LEGENDS, range(most, 0, -1)):
        legend = ax.legend(handles, [wrapped(label, width) for label in labels], title=title,
                           ncols=columns, fontsize=size, loc="upper center",
                           bbox_to_anchor=(0.5, 0.0), bbox_transform=below, frameon=False)
        if legend.get_window_extent().width <= box.width:
            break
    if new:
        _grow(ax, 0.0, legend.get_window_extent().height * 72 / figure.dpi)


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
        arrow = {"arrowstyle": "-", "color": PALE, "linewidth": 0.7, "shrinkA": 0,
                 "shrinkB": RADIUS} if distance > NEAR else None
        place = ax.transData.inverted().transform(point * dot)
        ax.annotate(wrapped(name), (place[0], place[1]), xytext=tuple(centre - point),
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
    label = ax.text(0, 0, wrapped(name), fontsize=size)
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
