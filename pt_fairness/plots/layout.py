"""Layout of a figure: axes, tick labels and legends."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.transforms import ScaledTranslation

from pt_fairness.plots.style import text

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
    axis.set_ticks(range(0, len(names), step), [text(name) for name in names[::step]])
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
    wanted = [text(label) for label in labels]
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
        legend = ax.legend(handles, [text(label, width) for label in labels], title=title,
                           ncols=columns, fontsize=size, loc="upper center",
                           bbox_to_anchor=(0.5, 0.0), bbox_transform=below, frameon=False)
        if legend.get_window_extent().width <= box.width:
            break
    if new:
        _grow(ax, 0.0, legend.get_window_extent().height * 72 / figure.dpi)
