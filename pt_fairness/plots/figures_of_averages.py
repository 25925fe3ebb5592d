"""Figures of averages: systems, differences from a baseline, correlations, simulated sets."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.axes import Axes

from pt_fairness.analysis.columns import (
    ALPHA,
    COMPARISON,
    LARGER,
    LEAST_TESTED,
    SMALLER,
    TIE_DECIMALS,
    column_of,
    direction_of,
    distance_from_best,
    is_reference,
    of_one_measure,
    systems_of,
    with_mark,
)
from pt_fairness.analysis.correlations import Correlations, starred
from pt_fairness.analysis.statistics import SIDE
from pt_fairness.core.arrays import Bools
from pt_fairness.core.messages import listed, warn
from pt_fairness.io.files import need_columns, need_rows
from pt_fairness.plots.layout import (
    BLUE,
    GREEN,
    LONG,
    ORANGE,
    PALE,
    PURPLE,
    SKY,
    TITLE,
    arrange,
    axes_of,
    cut_names,
    fair_label,
    has_width,
    ideal,
    label_points,
    legend_below,
    name_ticks,
    need_numbers,
    point_style,
    resize,
    size_of,
    with_ideal,
    wrapped,
)

#: The indices in the palette of points before green bars: blue and cyan first.
SCORES = (0, 4, 1, 3, 5, 7)
#: The room beside the points, as a share of their spread.
ROOM = 0.12
#: The largest distance of the ideal value from the points, relative to their spread, at which it is
#: within the axes.
NEAR_END = 2.0
#: The number of systems from which a new figure is larger.
CROWD = 25
#: The style of the ideal value.
FAIR: dict[str, Any] = {"color": GREEN, "linestyle": "--", "zorder": 0}
#: The style of the references, and the dashes of each in turn.
REFERENCE: dict[str, Any] = {"color": "#666666", "linewidth": 1, "zorder": 0}
#: The label and the colour of the front, and the style of the area beyond it.
REACH, FAR = "front of the judgments", PURPLE
BEYOND: dict[str, Any] = {"facecolor": "#eeeeee", "edgecolor": "#cccccc", "hatch": "///",
                          "linewidth": 0, "zorder": -1}
#: The marks of references below and above the limits of the x-axis and the y-axis.
TRIANGLES = ("<>", "v^")
DASHES = ((0, (1, 2)), (0, (5, 3)), (0, (8, 3, 1, 3)), (0, (3, 2, 1, 2, 1, 2)))


def tradeoff(averages: pd.DataFrame, relevance: Any, fairness: Any, ax: Axes | None = None, *,
             front: pd.DataFrame | None = None) -> Axes:
    """Draw the systems as labelled points, relevance against fairness, with the Pareto front.

    The better end of each measure is at the top or on the right, so an axis of unfairness is
    reversed; a signed bias has its ideal value 0 inside. A system is on the Pareto front if no
    other is at least as good by both measures and better by one; these points are filled and
    connected.
    The dashed line is the ideal value. It is left out, and named on the axis only, if it is far
    from all systems. Rows of reference rankings are thin dashed lines; one outside of the axes,
    which are scaled to the systems, is a triangle at the edge, and its value is in the legend. The
    baseline of the table has a square. A name that would cover a point or a name at any place is
    left out, with a warning.

    :param averages: ``name`` and a column for each measure
    :param relevance: the measure on the x-axis
    :param fairness: the measure on the y-axis
    :param front: the result of :func:`pt_fairness.analysis.frontier` of both measures: a line, and
        the shaded side of it that no list of judged documents with a group can reach
    :raises ValueError: an empty table, a measure that it or the front does not have, or no system
        with a value of both

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> averages = pd.DataFrame({"name": ["A", "B", "C"], "nDCG@5": [0.5, 0.9, 0.4],
    ...                          "rKL@5": [0.1, 0.4, 0.2]})
    >>> ax = plots.tradeoff(averages, "nDCG@5", "rKL@5")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('nDCG@5', 'rKL@5 (0 is fair)')
    >>> bool(ax.yaxis_inverted())
    True
    """
    need_rows(averages, "the table of averages")
    x = column_of(averages, relevance)
    y = column_of(averages, fairness)
    need_numbers(averages, x, y)
    references = averages[is_reference(averages)]
    systems = _of_both(systems_of(averages), x, y)
    if front is None:
        front = systems[:0]
    need_columns(front, [x, y], "the front")
    optimal = _front(systems, [x, y])
    best = systems[optimal].sort_values([x, y])
    dominated = systems[~optimal]
    ax, new = axes_of(ax)
    if new:
        crowd = len(systems) / CROWD
        scale = min(3.0, max(1.0, crowd) ** 0.5)
        width, height = ax.figure.figure.get_size_inches() * scale
        resize(ax, width, height)
    points = pd.concat([systems, front])
    points.attrs = averages.attrs
    named = _draw_ideals(ax, points, x, y)
    lines = list(named.values())
    if len(front):
        named |= _draw_front(ax, front[[x, y]])
        lines.append(named[REACH])
    for i, row in enumerate(references.to_dict("records")):
        for axis, column in enumerate([x, y]):
            named |= _draw_reference(ax, axis, row["name"], row[column], i)
    if len(best):
        signed = not {direction_of(x, averages), direction_of(y, averages)} <= {LARGER, SMALLER}
        (line,) = ax.plot(best[x], best[y], "o" if signed else "o-", color=BLUE, linewidth=1,
                          zorder=1)
        named["Pareto front"] = line
        if not signed:
            lines.append(line)
    comparison = averages.attrs.get(COMPARISON)
    if comparison:
        baseline = systems[systems["name"] == comparison["baseline"]]
        named["baseline"] = ax.scatter(baseline[x], baseline[y], s=120, facecolors="none",
                                       edgecolors="black", marker="s", zorder=2)
    if len(dominated):
        named["other systems"] = ax.scatter(dominated[x], dominated[y], facecolors="white",
                                            edgecolors=BLUE, zorder=2)
    xlabel = fair_label(x, averages)
    ylabel = fair_label(y, averages)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    legend_below(ax, named, new)
    first = np.argsort(~optimal, kind="stable")  # optimal systems choose their places first
    systems = systems.iloc[first]
    names = cut_names(systems["name"])
    places = systems[[x, y]].to_numpy(float)
    label_points(ax, places, names, lines)
    return ax


def _of_both(averages: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """Return the systems with values of both measures; warn of the others.

    :raises ValueError: there is none
    """
    missing = averages[[x, y]].isna().any(axis=1)
    if missing.all():
        raise ValueError(f"no system has values of {x} and {y}, so there is nothing to draw")
    if missing.any():
        left_out = averages["name"][missing]
        warn(f"{listed(left_out)}: not drawn, because {x} or {y} is missing")
    return averages[~missing]


def _front(systems: pd.DataFrame, columns: Sequence[str]) -> Bools:
    """Return a mask of the Pareto front, ``[systems]``; empty if a direction is unknown."""
    unknown = [column for column in columns if direction_of(column, systems) is None]
    if unknown:
        warn(f"no Pareto front is drawn: it is unknown which end of {' and '.join(unknown)} is "
             "better; rename it (pt_fairness.rename, --label), or end the name with ↑ or ↓")
        return np.zeros(len(systems), bool)
    distances: Any = [distance_from_best(systems, column) for column in columns]
    far = np.round(distances, TIE_DECIMALS)
    near = far[:, None]
    rest = far[:, :, None]
    as_good = (near <= rest).all(axis=0)
    better = (near < rest).any(axis=0)
    beaten: Bools = (as_good & better).any(axis=1)
    return ~beaten


def _draw_ideals(ax: Axes, points: pd.DataFrame, x: str, y: str) -> dict[str, Any]:
    """Set the limits of both axes, draw the ideal values inside, and return these lines."""
    lines = {}
    for column, set_limits, draw in (x, ax.set_xlim, ax.axvline), (y, ax.set_ylim, ax.axhline):
        end = _set_limits(set_limits, points, column)
        if end is not None:
            lines[f"ideal value of {column}"] = draw(end, **FAIR)
    return lines


def _draw_front(ax: Axes, front: pd.DataFrame) -> dict[str, Any]:
    """Draw the front of the judgments and shade the area beyond it; return both by label.

    :param front: the values on the x-axis and on the y-axis, of a vertex in each row
    """
    worst_x, best_x = ax.get_xlim()
    worst_y, best_y = ax.get_ylim()
    front = front.sort_values(front.columns[0], ascending=worst_x < best_x)
    x, y = front.to_numpy().T.tolist()
    x = [worst_x, *x, x[-1], best_x]
    y = [y[0], *y, worst_y, worst_y]
    beyond = ax.fill_between(x, y, best_y, **BEYOND)
    line = ax.plot(x[:-1], y[:-1], color=FAR, linewidth=1.5, zorder=1)[0]
    return {REACH: line, "out of reach of documents with a group": beyond}


def _draw_reference(ax: Axes, axis: int, name: str, value: float, i: int) -> dict[str, Any]:
    """Draw reference ``i`` as a line across an axis, or a triangle at its edge; name it."""
    if np.isnan(value):
        return {}
    place = ax.transLimits.transform((value, value))[axis]
    if 0 <= place <= 1:
        draw = ax.axhline if axis else ax.axvline
        return {name: draw(value, linestyle=DASHES[i], **REFERENCE)}
    edge = int(place > 1)
    corner = [0.03 * (i + 1)] * 2
    corner[axis] = edge
    marker = TRIANGLES[axis][edge]
    triangle = ax.scatter(*corner, transform=ax.transAxes, marker=marker, clip_on=False,
                          color=REFERENCE["color"])
    return {f"{name} ({'xy'[axis]} = {value:.3f})": triangle}


def _set_limits(set_limits: Any, points: pd.DataFrame, column: str) -> float | None:
    """Set the limits of an axis, its better end last, and return the ideal value that is inside."""
    low = float(points[column].min())
    high = float(points[column].max())
    spread = high - low or abs(high) / 2 or 1.0
    end = ideal(column, points)
    if end is not None:
        if max(low - end, end - high) > NEAR_END * spread:
            end = None
        else:
            low = min(low, end)
            high = max(high, end)
    room = ROOM * spread
    limits = low - room, high + room
    if direction_of(column, points) == SMALLER:
        limits = limits[::-1]
    set_limits(limits)
    return end


#: The ratio of the limit of an axis that includes 0 to the largest value.
HEADROOM = 1.08
#: The height of a panel of one measure, in inches.
PANEL = 1.35
#: The height of a panel in inches where :func:`style` sets the width.
LOW_PANEL = 0.8


def relevance_and_fairness(averages: pd.DataFrame, relevance: Any, fairness: Any,
                           ax: Axes | None = None, panels: bool = True) -> Axes:
    """Draw relevance as bars, and below it each fairness measure as points in its own panel.

    The systems are sorted by decreasing relevance, as in Das & Lease (2019), figure 2, and Pathiyan
    Cherumanal et al. (2021), figure 2. In all panels, the better end is at the top, so the axis of
    an unfairness measure is reversed. A signed bias is fair at 0, which is a line. All axes
    include 0.

    With ``panels=False`` there is one plot, as section 5.2 of Das & Lease (2019) describes its
    figure 2: green bars on the left axis, blue and cyan points on the right axis.

    :param averages: ``name`` and a column for each measure
    :param relevance: the measure of the bars
    :param fairness: the measure of the points, or several
    :param ax: axes of a grid, such as those of ``plt.subplots``, which are divided into the panels
    :param panels: whether each fairness measure has its own panel
    :returns: the panel of the bars; the others are the last ones of ``ax.figure.axes``
    :raises ValueError: an empty table, a measure that it does not have or has no value of, axes
        without a grid, or ``panels=False`` with fairness measures whose better ends differ

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> averages = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.5, 0.9], "rKL@5": [0.1, 0.4]})
    >>> ax = plots.relevance_and_fairness(averages, "nDCG@5", "rKL@5")
    >>> lower = ax.figure.axes[-1]
    >>> [label.get_text() for label in lower.get_xticklabels()]
    ['B', 'A']
    >>> lower.get_title(loc="left"), bool(lower.yaxis_inverted())
    ('rKL@5 (0 is fair)', True)
    """
    need_rows(averages, "the table of averages")
    averages = systems_of(averages)
    if not isinstance(fairness, (list, tuple)):
        fairness = [fairness]
    points = [column_of(averages, measure) for measure in fairness]
    bars = column_of(averages, relevance)
    columns = [bars, *points]
    need_numbers(averages, *columns)
    for column in columns:
        if averages[column].isna().all():
            raise ValueError(f"no system has a value of {column}, so there is nothing to draw")
    table = averages.sort_values(bars, ascending=False, kind="stable")
    if not panels:
        return _on_two_axes(ax, table, bars, points)
    ax, new = axes_of(ax)
    place = ax.get_subplotspec()
    if place is None:
        raise ValueError("ax has to be axes of a grid, such as those of plt.subplots, because it "
                         "is divided into panels")
    count = len(columns)
    if new:
        height = LOW_PANEL if has_width() else PANEL
        ax.figure.figure.set_figheight(height * (count + 1))
    grid = place.subgridspec(count, 1)
    ax.set_subplotspec(grid[0])
    systems = np.arange(len(table))
    ax.bar(systems, table[bars], color=PALE)
    panel = ax
    for i, column in enumerate(columns):
        values = table[column]
        if i:
            panel.tick_params(labelbottom=False)
            panel = ax.figure.add_subplot(grid[i], sharex=ax)
            panel.plot(systems, values, **point_style(i - 1), linestyle="none", clip_on=False)
            panel.grid(axis="y", color=PALE, linewidth=0.5)
        _set_height(panel, values)
        if direction_of(column, averages) == SMALLER:
            panel.invert_yaxis()
        panel.axhline(0, color="black", linewidth=0.8)
        title = fair_label(column, averages, TITLE)
        panel.set_title(title, loc="left", fontsize="small")
    _name_systems(panel, table, bars, new)
    return ax


def _set_height(ax: Axes, values: Any) -> None:
    """Set the limits of the y-axis, which include 0, with room beyond the values."""
    low = np.nanmin(values, initial=0.0)
    high = np.nanmax(values, initial=0.0)
    ax.set_ylim(HEADROOM * low, HEADROOM * high or 1.0)


def _name_systems(ax: Axes, table: pd.DataFrame, bars: str, new: bool) -> None:
    """Label the x-axis with the systems.

    :param bars: the column by which the table is sorted
    """
    names = cut_names(table["name"])
    name_ticks(ax.xaxis, names, new)
    label = wrapped(f"system, by decreasing {bars}", LONG)
    ax.set(xlabel=label, xlim=(-0.6, len(table) - 0.4))


def _on_two_axes(ax: Axes | None, table: pd.DataFrame, bars: str, points: Sequence[str]) -> Axes:
    """Draw bars on the left axis and each column of points on the right one.

    :param table: sorted as the systems are drawn
    :raises ValueError: the better ends of the points differ
    """
    directions = {direction_of(column, table) for column in points}
    if len(directions) > 1:
        raise ValueError(f"the better ends of {', '.join(points)} differ, so they cannot share an "
                         "axis; panels=True draws them in panels")
    ax, new = axes_of(ax)
    systems = np.arange(len(table))
    right = ax.twinx()
    # Pale, so that the points stand out.
    handles: dict[Any, Any] = {bars: ax.bar(systems, table[bars], color=GREEN, alpha=0.4)}
    for column, score in zip(points, itertools.cycle(SCORES), strict=False):
        label = f"{with_ideal(column, table)}, right axis"
        style = point_style(score)
        (handles[label],) = right.plot(systems, table[column], **style, linestyle="none",
                                       clip_on=False)
    _set_height(ax, table[bars])
    _set_height(right, table[points])
    if directions == {SMALLER}:
        right.invert_yaxis()
    _name_systems(ax, table, bars, new)
    ax.set_ylabel(wrapped(bars, LONG))
    right.set_ylabel(wrapped(", ".join(points), LONG))
    legend_below(ax, handles, new)
    return ax


#: The meaning of a difference, by direction.
_SIDES = {LARGER: ("← worse", "better →"), SMALLER: ("← better", "worse →")}
#: The colours of the points by verdict and by significance.
VERDICTS = {"within": BLUE, "inconclusive": "white", "exceeds": SKY}
SIGNIFICANCE = {f"significant (p < {ALPHA:g})": BLUE,
                "interval without 0, but not significant": SKY, "not significant": "white"}
#: The coefficient below which a cell is so dark that its text is white.
DARK = -0.75
#: The size of a cell of a heat map, in inches.
CELL = 0.75
#: The width of the text of a cell, relative to the font size.
CELL_LETTERS = 3.6


def differences(compared: pd.DataFrame, measure: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the difference of each system from the baseline, with its interval.

    A dark point is a significant difference (at .05, after the correction of the comparison, and of
    six topics or more), an open one is not. The intervals are not corrected: a pale point is not
    significant although its interval is without 0. Where the comparison has verdicts, the interval
    is that of the verdict (at 90 %), the tolerance is a dashed line, and the points say within
    (dark), inconclusive (open) or exceeds (pale). The axis says on which side a system is better.
    The best difference is at the top.

    :param compared: the result of :func:`pt_fairness.analysis.compare`
    :param measure: a measure or its name; may be omitted if the frame has only one
    :raises ValueError: an empty frame, or a measure that it does not have

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis, plots
    >>> perquery = pd.DataFrame({"name": ["A"] * 4 + ["B"] * 4, "qid": ["1", "2", "3", "4"] * 2,
    ...                          "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.3, 0.3, 0.2, 0.4, 0.5]})
    >>> ax = plots.differences(analysis.compare(perquery, baseline="A"))
    >>> ax.get_xlabel()
    '← better   difference of rKL@10 from the baseline   worse →'
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B']
    """
    need_columns(compared, ["name", "measure", "n", "difference", "low", "high", "reject"],
                 "the comparison")
    if compared.empty:
        raise ValueError("the comparison has no rows: it needs two systems or more")
    frame, name = of_one_measure(compared, measure)
    need_numbers(frame, "difference", "low", "high")
    direction = direction_of(name, frame)
    table = frame.sort_values("difference", ascending=direction != LARGER, kind="stable",
                              ignore_index=True)
    ax, new = axes_of(ax)
    names = table["name"]
    if "against" in table:
        names = names + " − " + table["against"]
    name_ticks(ax.yaxis, cut_names(names), new)
    ax.axvline(0, color=PALE, zorder=0)
    handles: dict[str, Any] = {}
    if "verdict" in table and table["verdict"].notna().all():
        ends = "interval of the verdict (90 %)"
        interval = table[["tolerance low", "tolerance high"]]
        faces = VERDICTS
        kinds = table["verdict"]
        margin = table["tolerance"].iloc[0]
        limits = [margin, -margin]
        if table.attrs.get(SIDE) != "both":
            limits = [-margin if direction == LARGER else margin]
        for limit in limits:
            handles["tolerance"] = ax.axvline(limit, color="black", linestyle="--", linewidth=1)
    else:
        ends = "interval (not corrected)"
        interval = table[["low", "high"]]
        faces = SIGNIFICANCE
        kinds = _significance(table)
    low, high = interval.to_numpy().T
    handles[ends] = ax.hlines(table.index, low, high, color=BLUE, linewidth=1.5)
    for word, face in faces.items():
        part = table["difference"][kinds == word]
        if len(part):
            handles[word] = ax.scatter(part, part.index, facecolors=face, edgecolors=BLUE, zorder=3)
    left, right = _SIDES.get(str(direction), ("← smaller", "larger →"))
    label = f"{left}   difference of {wrapped(name, LONG)} from the baseline   {right}"
    ax.set_xlabel(label, wrap=True)
    ax.set_ylim(len(table) - 0.5, -0.5)
    legend_below(ax, handles, new)
    return ax





def _significance(table: pd.DataFrame) -> Any:
    """Return the key of :data:`SIGNIFICANCE` of each row."""
    significant, apart, rest = SIGNIFICANCE
    tested = table["n"] >= LEAST_TESTED
    above = table["low"] > 0
    below = table["high"] < 0
    kinds = np.where(above | below, apart, rest)
    rejected = table["reject"].astype(bool)
    return np.where(rejected & tested, significant, kinds)


def correlations(found: Correlations, ax: Axes | None = None) -> Axes:
    """Draw the correlations of every two measures as a heat map.

    Each cell has its coefficient, with a star where p < .05; blue is −1, white 0 and orange 1. The
    names have an arrow towards the better end of a measure (``→0`` for a signed bias), because two
    measures of opposite directions agree where their correlation is negative.

    :param found: the result of :func:`pt_fairness.analysis.correlations`
    :raises ValueError: an argument that is no such result

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis, plots
    >>> averages = pd.DataFrame({"name": ["A", "B", "C", "D"], "AP": [0.4, 0.3, 0.2, 0.1],
    ...                          "rKL@5": [0.1, 0.2, 0.4, 0.3]})
    >>> ax = plots.correlations(analysis.correlations(averages))
    >>> [text.get_text() for text in ax.texts]
    ['-0.67']
    >>> ax.get_yticklabels()[0].get_text(), ax.get_xticklabels()[0].get_text()
    ('rKL@5 ↓', 'AP ↑')
    """
    from matplotlib.colors import LinearSegmentedColormap
    if not isinstance(found, Correlations):
        raise ValueError(f"correlations takes the result of pt_fairness.analysis.correlations, not "
                         f"a {type(found).__name__}")
    names = [with_mark(name, found.coefficients, always=True) for name in found.coefficients]
    size = len(names) - 1
    if size < 1:
        raise ValueError("a correlation needs two measures, and the table has "
                         f"{listed(names) or 'none'}")
    # The lower triangle without the diagonal.
    below = np.tri(size, dtype=bool)
    coefficients = found.coefficients.to_numpy(float)
    values = np.where(below, coefficients[1:, :-1], nan)
    p_values = found.p_values.to_numpy(float)[1:, :-1]
    ax, new = axes_of(ax)
    figure = ax.figure.figure
    if new:
        resize(ax, 3.0 + CELL * size, 2.0 + CELL * size)
    colours = LinearSegmentedColormap.from_list("blue to orange", [BLUE, "white", ORANGE])
    image = ax.imshow(values, colours, vmin=-1, vmax=1)
    name_ticks(ax.xaxis, names[:-1], new)
    name_ticks(ax.yaxis, names[1:], new)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    side = "top" if has_width() else "right"
    figure.colorbar(image, ax=ax, shrink=0.8, label="correlation (* p < .05)", location=side)
    arrange(ax)
    width, _ = size_of(ax)
    letters = min(rcParams["font.size"], 130.0 / size, width / size / CELL_LETTERS)
    for i, j in np.argwhere(below):
        value = values[i, j]
        cell = starred(value, p_values[i, j], 2)
        colour = "white" if value < DARK else "black"
        ax.text(j, i, cell, ha="center", va="center", color=colour, fontsize=letters)
    return ax
