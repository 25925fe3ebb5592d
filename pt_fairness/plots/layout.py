"""What all figures share: colours, markers, labels, ticks and legends."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from pt_fairness.analysis.columns import measure_of
from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import listed, warn
from pt_fairness.measures.descriptions import ideal_in_words, ideal_text

#: The colour-blind-safe palette of Okabe & Ito (2008), with yellow and black last because they
#: stand out.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
BLUE, ORANGE, GREEN, PURPLE, SKY = PALETTE[:5]
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


#: The width in inches and the font size in points of each style.
STYLES = {"paper": (3.3, 8.0)}
#: The limits of the width in inches, and of the font size in points.
WIDTHS, FONT_SIZES = (2.0, 30.0), (5.0, 30.0)
#: The height of a figure relative to its width, where :func:`style` sets the width.
HEIGHT = 0.75
#: The settings of :func:`style`: all texts in one size, and a compact legend.
COMPACT: dict[str, Any] = {
    "axes.titlesize": "medium", "axes.labelsize": "medium", "xtick.labelsize": "medium",
    "ytick.labelsize": "medium", "legend.fontsize": "medium", "legend.handlelength": 1.5,
    "legend.handletextpad": 0.5, "legend.columnspacing": 1.0}
#: The width of new figures in inches; ``None`` if :func:`style` does not set it.
_WIDTH: ContextVar[float | None] = ContextVar("width", default=None)
#: The number of letters that fit on a line, relative to matplotlib's default figure.
_LETTERS: ContextVar[float] = ContextVar("letters", default=1.0)


@contextmanager
def style(name: str | None = None, *, width: float | None = None,
          font_size: float | None = None) -> Iterator[None]:
    """Set the width and the font size of the new figures in a ``with`` block.

    A figure with a width grows in height only. Names and labels that are too long for it have more
    lines, or smaller letters. Save the figure in the block, without ``bbox_inches="tight"``, which
    changes the width.

    :param name: ``'paper'``: one column of a page with two, 3.3 in and 8 pt
    :param width: the width in inches, 2 to 30
    :param font_size: the size of labels, names and titles in points, 5 to 30
    :raises ValueError: an unknown style, or a width or size outside of these limits

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> averages = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.5, 0.9], "rKL@5": [0.1, 0.4]})
    >>> with plots.style("paper"):
    ...     ax = plots.tradeoff(averages, "nDCG@5", "rKL@5")
    >>> float(ax.figure.get_figwidth()), ax.xaxis.label.get_fontsize()
    (3.3, 8.0)
    """
    if name is not None:
        if name not in STYLES:
            raise ValueError(f"there is no style {name!r}; choose from {listed(STYLES)}")
        usual_width, usual_size = STYLES[name]
        width = usual_width if width is None else width
        font_size = usual_size if font_size is None else font_size
    settings: Any = dict(COMPACT)
    if width is not None:
        _check_size("width", width, WIDTHS)
        settings["figure.figsize"] = width, HEIGHT * width
    if font_size is not None:
        _check_size("font_size", font_size, FONT_SIZES)
        settings["font.size"] = font_size
    with plt.rc_context(settings):
        letters = _letters_of_a_line(plt.rcParams) / _letters_of_a_line(rcParamsDefault)
        width_before = _WIDTH.set(width)
        letters_before = _LETTERS.set(letters)
        try:
            yield
        finally:
            _WIDTH.reset(width_before)
            _LETTERS.reset(letters_before)


def _letters_of_a_line(settings: Any) -> float:
    """Return the width of a figure relative to the font size."""
    width, _ = settings["figure.figsize"]
    return float(width / settings["font.size"])


def _check_size(name: str, value: float, limits: tuple[float, float]) -> None:
    low, high = limits
    if not low <= value <= high:
        raise ValueError(f"{name}={value:g} is not possible; it takes a number from {low:g} to "
                         f"{high:g}")


def bar_style(i: int) -> dict[str, Any]:
    """Return the style of the bars of group ``i``: plain colours first, then hatched ones."""
    turn, colour = divmod(i, len(PALETTE))
    hatch = HATCHES[turn % len(HATCHES)]
    return {"facecolor": PALETTE[colour], "edgecolor": "white", "hatch": hatch}


def point_style(i: int) -> dict[str, Any]:
    """Return the colour and the marker of series ``i``.

    The marker of a colour changes each time the palette repeats.
    """
    turn, colour = divmod(i, len(PALETTE))
    marker = MARKERS[(i + turn) % len(MARKERS)]
    return {"color": PALETTE[colour], "marker": marker}


def line_style(i: int) -> dict[str, Any]:
    """Return the colour, the marker and the line style of series ``i``."""
    turn = i // len(PALETTE)
    return {**point_style(i), "linestyle": LINES[turn % len(LINES)]}


def wrapped(name: Any, width: int | None = None) -> str:
    """Wrap a name, and escape dollar signs, which start mathtext in matplotlib.

    :param width: the maximum letters of a line in matplotlib's default figure; ``None`` for a
        single line
    """
    text = str(name)
    if width is not None:
        letters = _letters(width)
        text = textwrap.fill(text, letters)
    return text.replace("$", r"\$")


def _letters(count: int) -> int:
    """Return the number of letters that fit where ``count`` fit in matplotlib's default figure.

    In a narrow figure, it is at most the length of a line of a title.
    """
    ratio = _LETTERS.get()
    if ratio < 1:
        count = min(count, TITLE)
    return max(1, round(count * ratio))


def has_width() -> bool:
    """Return whether :func:`style` sets the width of new figures."""
    return _WIDTH.get() is not None


def ideal(column: str, table: pd.DataFrame) -> float | None:
    """Return the ideal value of a column, ``None`` if it has no bound or the measure is unknown.
    """
    measure = measure_of(column, table)
    if measure is None or ideal_text(measure) == "more":
        return None
    return float(measure.IDEAL)


def fair_label(column: str, table: pd.DataFrame | None = None, width: int = LONG) -> str:
    """Return :func:`with_ideal` as a label of a figure, in lines of ``width`` characters."""
    return wrapped(with_ideal(column, table), width)


def with_ideal(column: str, table: pd.DataFrame | None = None) -> str:
    """Return the name of a column with the ideal value of its measure.

    :param table: the table of the column, which knows what renamed columns stand for
    """
    measure = measure_of(column, table)
    if measure is None:
        return column
    return f"{column} ({ideal_in_words(measure)})"


#: The minimum font size of tick labels, in points, in a new and in a given figure.
SMALL = 8.0
SMALLEST = 4.0
#: The height of a line and the typical width of a letter, relative to the font size.
LINE_HEIGHT = 1.3
LETTER_WIDTH = 0.65
#: Font sizes and maximum line lengths of a legend, tried in order until it fits the axes.
LEGENDS = (("medium", 80), ("small", 80), ("small", 40), ("x-small", 30))
MOST_LEGEND_COLUMNS = 6
#: The maximum length of the name of a system, in characters.
MOST_LETTERS = 40
#: The maximum letters of a line beside the y-axis, where :func:`style` sets the width.
NAME = 28
#: The factor by which text can grow relative to the axes in a file of lower resolution.
SPREAD = 1.12


def need_numbers(frame: pd.DataFrame, *columns: str) -> None:
    """Check that the values to draw are finite numbers. Missing values are allowed.

    :raises ValueError: a value is infinite or no number
    """
    for column in columns:
        values = frame[column].dropna()
        numbers = pd.to_numeric(values, errors="coerce")
        wrong = values[~np.isfinite(numbers)]
        for row, value in wrong[:1].items():
            raise ValueError(f"a figure needs finite numbers, and {column} is {value} in row "
                             f"{row!r}; leave the row out")


def axes_of(ax: Axes | None) -> tuple[Axes, bool]:
    """Return ``ax``, or the axes of a new figure, and whether the figure is new."""
    if ax is not None:
        return ax, False
    return plt.subplots(layout="constrained")[1], True


def size_of(artist: Any) -> tuple[float, float]:
    """Return the width and the height of axes, a legend or a text in points."""
    width, height = artist.get_window_extent().size / _dot(artist)
    return width, height


def _dot(artist: Any) -> float:
    """Return the number of pixels in a point."""
    return float(artist.figure.figure.dpi) / 72


def font_size(axis: Axis) -> float:
    """Return the font size of the tick labels in points."""
    return float(axis.get_ticklabels()[0].get_fontsize())


def resize(ax: Axes, width: float, height: float) -> None:
    """Set the size of a new figure in inches, scaled to the width that :func:`style` sets."""
    fixed = _WIDTH.get()
    if fixed is not None:
        width, height = fixed, height * fixed / width
    ax.figure.figure.set_size_inches(width, height)


def _grow(ax: Axes, width: float, height: float) -> None:
    """Enlarge a figure by a width and a height in points, where these are above 0."""
    figure = ax.figure.figure
    if has_width():
        width = 0.0
    old = figure.get_size_inches()
    growth = np.maximum([width, height], 0.0)
    figure.set_size_inches(*(old + growth / 72))


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


def cut_names(names: Sequence[Any] | pd.Series) -> list[str]:
    """Return names, of which the middle of long ones is left out unless they differ only there."""
    whole = pd.Series(names, dtype=object).astype(str)
    most = _letters(MOST_LETTERS)
    half = most // 2
    cut = whole.str.slice_replace(half, -half, "…")
    is_long = whole.str.len() > most
    short = whole.mask(is_long, cut)
    if short.nunique() < whole.nunique():
        return whole.tolist()
    return short.tolist()


def name_ticks(axis: Axis, names: Sequence[Any], new: bool, step: int = 1) -> None:
    """Label the ticks 0, 1, … of an axis; rotate labels of the x-axis that do not fit.

    :param names: the labels of all ticks
    :param new: whether the figure is new and can grow
    :param step: the step between labelled ticks
    """
    ax = axis.axes
    horizontal = axis is ax.xaxis
    per_line = NAME if has_width() and not horizontal else None
    texts = [wrapped(name, per_line) for name in names[::step]]
    ticks = range(0, len(names), step)
    axis.set_ticks(ticks, texts)
    labels = axis.get_ticklabels()
    breaks = [text.count("\n") for text in texts]
    rows = len(labels) * (1 + max(breaks))
    sizes = map(size_of, labels)
    longest, _ = max(sizes)
    old = font_size(axis)
    along, across = size_of(ax)
    longer, broader = new and not has_width(), new
    if not horizontal:
        along, across = across, along
        longer, broader = broader, longer
    each = along / rows
    if horizontal and longest + old < each:
        return
    smallest = SMALL if longer else SMALLEST
    fitting = each / LINE_HEIGHT
    size = min(old, max(fitting, smallest))
    length = longest / old
    if not broader:
        fitting = 0.4 * across / length
        size = max(SMALLEST, min(size, fitting))
    if new:
        lengthways = rows * size * LINE_HEIGHT - along
        crossways = length * size - across / 6
        if horizontal:
            _grow(ax, lengthways, crossways)
        else:
            _grow(ax, crossways, lengthways)
    rotation = 90 if horizontal else 0
    axis.set_tick_params(labelsize=size, labelrotation=rotation)


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
    texts = [wrapped(label) for label in labels]
    for panel in ax.figure.figure.axes:
        legend = panel.get_legend()
        if panel is not ax and legend is not None:
            lines = [label.get_text().replace("\n", " ") for label in legend.get_texts()]
            if lines == texts:
                return True
    return False


def legend_below(ax: Axes, handles: Mapping[Any, Any], new: bool,
                 title: str | None = None) -> None:
    """Add a legend below the axes, in as many columns as fit.

    If other axes of the figure have the same legend, it is not repeated.

    :param handles: what is drawn, by label
    :param new: whether the figure is new and can grow
    """
    figure = ax.figure.figure
    if has_legend_elsewhere(ax, list(handles)):
        return
    arrange(ax)  # long names make the axes narrower
    axis = ax.xaxis.get_tightbbox()
    assert axis is not None
    box = ax.get_window_extent()
    depth = box.y0 - axis.y0
    drop = SPREAD * depth / figure.dpi
    down = ScaledTranslation(0, -drop, figure.dpi_scale_trans)
    most = min(len(handles), MOST_LEGEND_COLUMNS)
    for (size, width), columns in itertools.product(LEGENDS, range(most, 0, -1)):
        texts = [wrapped(label, width) for label in handles]
        legend = ax.legend(list(handles.values()), texts, title=title, ncols=columns, fontsize=size,
                           loc="upper center", bbox_to_anchor=(0.5, 0.0), frameon=False,
                           bbox_transform=ax.transAxes + down)
        if legend.get_window_extent().width <= box.width:
            break
    if new:
        _, height = size_of(legend)
        _grow(ax, 0.0, height)


#: The distances of a label from its point that are tried, in points.
DISTANCES = (6, 12, 20, 30, 42, 56, 72, 90)
#: The directions that are tried.
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
#: A label further away than this has a line to its point, in points.
NEAR = 12
#: The number of places along each part of a line that labels avoid, and along that of a label.
LINE_STEPS = 60
LABEL_STEPS = 10
#: The radius of the points, in points.
RADIUS = 4.0
#: Half the width of a line, in points.
THIN = 0.5
#: The cost of covering a point, a label or the edge, relative to that of covering a line.
WORSE = 1e6
#: The minimum distance of a label without a line from other points, relative to its own point.
CLEARLY = 2.0
#: The cost of a line of 1 point to a label, relative to that of covering a line.
LENGTH = 0.1
#: The font sizes of labels, in points: the first one with the fewest overlaps is used.
SIZES = (9.0, 8.0, 7.0, 6.0)


def label_points(ax: Axes, points: Any, names: Sequence[Any], lines: Sequence[Line2D]) -> None:
    """Label points without overlaps, in a smaller font if there are many.

    The first points have the first choice. A label that would cover points or labels at any place
    is left out, with a warning.

    :param points: the places of the points, in data coordinates, ``[n, 2]``
    :param lines: the lines that labels avoid
    """
    arrange(ax)
    dot = _dot(ax)
    pixels = ax.transData.transform(points)
    inside = np.array([ax.bbox.extents])
    along = np.vstack([np.empty((0, 2)), *map(_along, lines)])
    on_lines = _boxes(along / dot, THIN)
    fewest = np.inf
    sizes = np.minimum(SIZES, plt.rcParams["font.size"])
    for tried in dict.fromkeys(sizes):
        of_names = np.array([_size(ax, name, tried) for name in names])
        of_size, covers = _places(pixels / dot, of_names, inside / dot, on_lines)
        if covers < fewest:
            size, places, fewest = tried, of_size, covers
        if not covers:
            break
    hidden = [name for name, place in zip(names, places, strict=True) if place is None]
    if hidden:
        warn(f"{listed(hidden)}: the point has no name, because there is no room for it; make the "
             "figure larger")
    line = {"arrowstyle": "-", "color": PALE, "linewidth": 0.7, "shrinkA": 0, "shrinkB": RADIUS}
    for point, name, place in zip(points, names, places, strict=True):
        if place is not None:
            offset, has_line = place
            arrow = line if has_line else None
            ax.annotate(wrapped(name), point, xytext=offset, fontsize=size, arrowprops=arrow,
                        textcoords="offset points", ha="center", va="center")


def _along(line: Line2D) -> Floats:
    """Return places along a line, in pixels, ``[n, 2]``."""
    ends = line.get_transform().transform(line.get_xydata())
    parts = np.linspace(ends[:-1], ends[1:], LINE_STEPS)
    return np.asarray(parts.reshape(-1, 2))


def _boxes(places: Floats, radius: Any) -> Floats:
    """Return the boxes around places, ``[…, 4]``: left, bottom, right, top."""
    low = places - radius
    high = places + radius
    return np.block([low, high])


def _size(ax: Axes, name: Any, size: float) -> tuple[float, float]:
    """Return the width and the height of a label in points."""
    label = ax.text(0, 0, wrapped(name), fontsize=size)
    width, height = size_of(label)
    label.remove()
    return width, height


def _places(points: Floats, sizes: Floats, axes: Floats,
            lines: Floats) -> tuple[list[tuple[Any, bool] | None], int]:
    """Return the place of each label: its offset from its point, and whether it has a line to it.

    The place is ``None`` where a label covers a point, a label, or more of the edge than it has to.
    A label without a line is nearer to its own point than to any other, where there is room.

    :param points: the points, ``[n, 2]``
    :param sizes: the widths and heights of the labels, ``[n, 2]``
    :param axes: the box of the axes, ``[1, 4]``: left, bottom, right, top
    :param lines: the boxes along lines, which labels cover only where there is no other place,
        ``[m, 4]``
    :returns: the places, and the number of labels that cover something or the edge of the axes. A
        label without a place counts as ``n`` further labels
    """
    distances = np.repeat(DISTANCES, len(DIRECTIONS))
    directions = np.tile(DIRECTIONS, (len(DISTANCES), 1))
    has_line = distances > NEAR
    lengths = LENGTH * has_line * distances
    # The line of a label from its point, as boxes: [candidates, steps, 4].
    ends = directions * distances[:, None]
    from_point = _boxes(np.linspace(directions * (RADIUS + THIN), ends, LABEL_STEPS, axis=1), THIN)
    places: list[tuple[Any, bool] | None] = []
    covers = 0
    taken = _boxes(points, RADIUS)
    for point, size in zip(points, sizes, strict=True):
        half = size / 2
        area = size.prod()
        offsets = ends + directions * half
        boxes = _boxes(point + offsets, half)
        outside = area - _covered(boxes, axes)
        beyond = outside - outside.min()
        over = _covered(boxes, taken) + beyond
        over = over.round(6)
        cost = WORSE * over + outside
        cost += _covered(boxes, lines)
        gaps = _distances(boxes, points)
        apart = (points != point).any(axis=1)
        nearest = gaps.min(axis=1, initial=np.inf, where=apart)
        gap = gaps[:, ~apart].min(axis=1)
        misread = ~has_line & (nearest < CLEARLY * gap)
        to_label = from_point + np.tile(point, 2)
        cost += has_line * _covered(to_label, taken).sum(axis=1)
        crossed = _covered(to_label, lines).sum(axis=1)
        line = has_line * crossed + lengths
        total = cost + line + misread * area
        best = total.round(6).argmin()
        if cost[best] > 1e-6:
            covers += 1
        if over[best] > 0:
            covers += len(points)
            places.append(None)
            continue
        place = offsets[best]
        places.append((place, bool(has_line[best])))
        taken = np.vstack([taken, boxes[best]])
        if has_line[best]:
            lines = np.vstack([lines, to_label[best]])
    return places, covers


def _distances(boxes: Floats, points: Floats) -> Floats:
    """Return the distance of each box from each point, ``[boxes, points]``."""
    before = boxes[:, None, :2] - points
    behind = points - boxes[:, None, 2:]
    beside = np.maximum(np.maximum(before, behind), 0.0)
    return np.asarray(np.hypot(beside[..., 0], beside[..., 1]))


def _covered(boxes: Floats, obstacles: Floats) -> Floats:
    """Return the area that each box covers of all obstacles, ``[…]`` of ``[…, 4]``."""
    low = np.maximum(boxes[..., None, :2], obstacles[:, :2])
    high = np.minimum(boxes[..., None, 2:], obstacles[:, 2:])
    sides = np.maximum(high - low, 0.0)
    areas = sides.prod(axis=-1)
    return np.asarray(areas.sum(axis=-1))
