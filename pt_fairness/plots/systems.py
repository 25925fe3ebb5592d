"""Figures of systems: averages, differences, values of topics, and correlations of measures."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pandas as pd
import textalloc
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from pt_fairness.analysis import inputs
from pt_fairness.analysis.correlations import Correlations, starred
from pt_fairness.analysis.fronts import Front
from pt_fairness.analysis.inputs import direction, distance
from pt_fairness.analysis.statistics import ALPHA
from pt_fairness.core.arrays import TIE_DECIMALS
from pt_fairness.core.messages import listed, one_of, warn
from pt_fairness.io.files import need_rows
from pt_fairness.measures.descriptions import LARGER, SMALLER
from pt_fairness.plots.appearance import (
    BLUE,
    IDEAL,
    ORANGE,
    PALE,
    PURPLE,
    SKY,
    TARGET,
    add_legend,
    best_first,
    described,
    ideal,
    letters,
    name_columns,
    name_rows,
    open_axes,
    point_style,
    points,
    wrapped,
)

#: The room beside the points, as a share of their spread.
ROOM = 0.12
#: The largest distance of the ideal value from the nearest point, relative to the spread of the
#: points, at which it is within the axes.
NEAR = 2.0
#: The styles of the baseline, and of the area beyond the front of the judgments.
SQUARE: dict[str, Any] = {"marker": "s", "s": 120, "facecolors": "none", "edgecolors": "black"}
BEYOND: dict[str, Any] = {"facecolor": "#eeeeee", "edgecolor": "#cccccc", "hatch": "///",
                          "linewidth": 0, "zorder": -1}
#: The colour and the style of reference rankings, and the dashes of each in turn.
REFERENCE: dict[str, Any] = {"color": "#666666", "linewidth": 1, "zorder": 0}
DASHES: Any = ":", "--", "-.", (0, (1, 4))
#: The largest length of a line of a name, in letters, and how often large names together may fill
#: the width of the axes.
NAME, CROWD = 28, 7
#: The font sizes of many and of few names, in points.
SMALL, LARGE = 6.0, 9.0
#: The radius of a point that names avoid, in pixels.
RADIUS = 5.0
#: How near and how far names may be, as shares of the axes, and how they look: below the points and
#: above other lines.
PLACES: dict[str, Any] = {
    "margin": 0.004, "max_distance": 0.4, "nbr_candidates": 2000, "draw_all": False,
    "avoid_label_lines_overlap": True, "linecolor": PALE, "zorder": 0.9,
    "bbox": {"facecolor": "white", "linewidth": 0, "pad": 0.5}}


def tradeoff(averages: pd.DataFrame, x: Any, y: Any, ax: Axes | None = None, *,
             front: Front | None = None, baseline: str | None = None) -> Axes:
    """Draw the systems as named points, one measure against another, with the Pareto front.

    The better end of each measure is at the top or on the right, so the axis of a measure of
    unfairness is reversed; a signed bias has its ideal value 0 inside. A system is on the Pareto
    front if no other system is at least as good by both measures and better by one. These points
    are filled and connected; there are none if the better end of a measure is unknown. The dashed
    line is the ideal value. If it is far from all systems, only the label of the axis names it.
    Reference rankings are thin dashed lines. The axes are scaled to the systems; of a reference
    outside, the legend has the value. Names that would cover points or names are left out, with a
    warning.

    :param averages: ``name`` and a column for each measure
    :param x: the measure on the x-axis, such as relevance
    :param y: the measure on the y-axis, such as fairness
    :param front: the front of both measures that the judgments allow, a line with a shaded area
        beyond it that no ranking of judged documents with a group reaches
    :param baseline: the name of the system with a square
    :raises ValueError: if the table lacks a measure, the baseline, or a system with values of both
        measures

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> averages = pd.DataFrame({"name": ["A", "B", "C"], "nDCG@5": [0.5, 0.9, 0.4],
    ...                          "rKL@5": [0.1, 0.4, 0.2]})
    >>> ax = plots.tradeoff(averages, "nDCG@5", "rKL@5", baseline="A")
    >>> ax.get_xlabel(), ax.get_ylabel(), bool(ax.yaxis_inverted())
    ('nDCG@5', 'rKL@5 (0 is fair)', True)
    """
    measures = inputs.measure_columns(averages)
    columns = [inputs.column_name(measure, measures) for measure in (x, y)]
    x, y = columns
    rows = inputs.systems(averages)
    systems = rows.reset_index(drop=True)
    is_missing = systems[columns].isna()
    missing = is_missing.any(axis=1)
    if missing.any():
        names = listed(systems["name"][missing])
        warn(f"{names}: not drawn without values of {x} and {y}")
    systems = systems[~missing]
    need_rows(systems, f"the table of systems with values of {x} and {y}")
    if baseline is not None:
        one_of("baseline", baseline, [*systems["name"]])
    best: Any = _pareto(systems, columns)
    dominated = systems.drop(best.index)
    shown = inputs.short_names(columns)
    texts = [described(name, shown.get(name)) for name in columns]
    ax = open_axes(ax, xlabel=texts[0], ylabel=texts[1])
    ax.margins(ROOM)
    places = systems
    if front is not None:
        places = pd.concat([systems, front.front])
    ax.update_datalim(places[columns])
    for axis, column in enumerate(columns):
        _draw_ideal(ax, axis, places[column])
    ax.autoscale_view()
    ax.autoscale(False)
    if front is not None:
        _draw_front(ax, front.front[columns])
    is_reference = inputs.is_reference(averages)
    references = averages[is_reference].set_index("name")
    for axis, column in enumerate(columns):
        _draw_references(ax, axis, references[column])
    if len(best):
        ends = {direction(x), direction(y)}
        line = "o-" if ends <= {LARGER, SMALLER} else "o"
        ax.plot(x, y, line, data=best, color=BLUE, label="Pareto front")
    square = systems[systems["name"] == baseline]
    if len(square):
        ax.scatter(x, y, data=square, label="baseline", **SQUARE)
    if len(dominated):
        ax.scatter(x, y, data=dominated, label="other systems", facecolors="white",
                   edgecolors=BLUE)
    add_legend(ax)
    named = pd.concat([best, dominated])
    _name_points(ax, named, columns, len(best))
    return ax


def _pareto(systems: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return the systems on the Pareto front; none if the better end of a measure is unknown."""
    far = systems[columns].astype(float)
    for column in columns:
        end = direction(column)
        if end is None:
            return systems[:0]
        far[column] = distance(far[column], end)
    far = far.round(TIE_DECIMALS)
    x, y = columns
    far = far.sort_values(columns)
    least = far[y].cummin()
    far = far[far[y] == least]
    nearest = far.groupby(y)[x].transform("min")
    far = far[far[x] == nearest]
    return systems.loc[far.index]


def _draw_ideal(ax: Axes, axis: int, values: pd.Series) -> None:
    """Draw the ideal value of a measure if it is near, and put the better end last."""
    column = str(values.name)
    end = ideal(column)
    if abs(values - end).min() <= NEAR * (np.ptp(values) or 1.0):
        draw = ax.axhline if axis else ax.axvline
        draw(end, label="ideal value", **IDEAL)
    is_inverted = direction(column) == SMALLER
    (ax.xaxis, ax.yaxis)[axis].set_inverted(is_inverted)


def _draw_front(ax: Axes, vertices: pd.DataFrame) -> None:
    """Draw the front of the judgments, and shade the area beyond it."""
    worst_x, best_x = ax.get_xlim()
    worst_y, best_y = ax.get_ylim()
    first = vertices.columns[0]
    vertices = vertices.sort_values(first, ascending=worst_x < best_x)
    corners = vertices.to_numpy()
    x, y = corners.T
    x = [worst_x, *x, x[-1]]
    y = [y[0], *y, worst_y]
    ax.plot(x, y, color=PURPLE, label="front of the judgments")
    ax.fill_between([*x, best_x], [*y, worst_y], best_y,
                    label="out of reach of documents with a group", **BEYOND)


def _draw_references(ax: Axes, axis: int, values: pd.Series) -> None:
    """Draw each reference as a line across the axes; the legend has the value of one outside."""
    draw = ax.axhline if axis else ax.axvline
    letter = "xy"[axis]
    for i, (name, value) in enumerate(values.dropna().items()):
        corner = ax.transLimits.transform((value, value))
        label = name
        if not 0 <= corner[axis] <= 1:
            label = f"{name} ({letter} = {value:.3f})"
        draw(value, linestyle=DASHES[i], label=label, **REFERENCE)


def _name_points(ax: Axes, systems: pd.DataFrame, columns: list[str], best: int) -> None:
    """Name the points of systems, the first ones first, and warn of names without room.

    :param best: the number of systems on the Pareto front, the first ones; names avoid its line
    """
    names = systems["name"]
    texts = [wrapped(name, NAME) for name in names]
    full_lines = sum(map(len, texts)) / letters(ax)
    size = SMALL if full_lines > CROWD else LARGE
    places = systems[columns].to_numpy(float)
    x, y = places.T
    front = places[:max(1, best)]
    x_line, y_line = front.T
    size = min(size, rcParams["font.size"])
    radii: Any = [RADIUS] * len(x)
    *_, labels, _ = textalloc.allocate(
        ax, x, y, texts, x_scatter=x, y_scatter=y, x_lines=[x_line], y_lines=[y_line],
        scatter_sizes=radii, textsize=size, **PLACES)
    is_hidden = [text is None for text in labels]
    hidden = names[is_hidden]
    if len(hidden):
        warn(f"{listed(hidden)}: no room for the name of the point; make the figure larger")


#: The meaning of the sides of a difference, by direction.
SIDES = {LARGER: ("← worse", "better →"), SMALLER: ("← better", "worse →")}
#: The colours of the points by verdict and by significance.
VERDICTS = {"within": BLUE, "inconclusive": "white", "exceeds": SKY}
SIGNIFICANCE = {f"significant (p < {ALPHA:g})": BLUE,
                "interval without 0, but not significant": SKY, "not significant": "white"}


def differences(comparison: pd.DataFrame, measure: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the difference of each system from the baseline, with its interval.

    A dark point is a significant difference (at .05, after the correction of the comparison, and of
    six topics or more), an open one is not. The intervals are not corrected: a pale point is not
    significant although its interval is without 0. Where the comparison has verdicts, the interval
    is the one of the verdict (at 90 %), the tolerance is a dashed line, and the points are within
    (dark), inconclusive (open) or exceed it (pale). The axis tells on which side a system is
    better. The best difference is at the top.

    :param comparison: the result of :func:`pt_fairness.analysis.compare`
    :param measure: a measure or its name; may be omitted if the frame has only one
    :raises ValueError: if the frame does not have the measure, or any comparison

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
    need_rows(comparison, "the comparison of two systems or more")
    rows, name = inputs.single_measure(comparison, measure)
    end = direction(name)
    rows = rows.sort_values("difference", ascending=end != LARGER, kind="stable", ignore_index=True)
    rows = rows.reset_index(names="row")
    names = rows["name"]
    if "against" in rows:
        baselines = " − " + rows["against"]
        names = names + baselines
    left, right = SIDES.get(str(end), ("← smaller", "larger →"))
    text = f"{left}   difference of {name} from the baseline   {right}"
    ax = open_axes(ax, xlabel=text)
    name_rows(ax, names)
    ax.axvline(0, color=PALE, zorder=0)
    if "verdict" in rows and rows["verdict"].notna().all():
        interval = "tolerance low", "tolerance high", "interval of the verdict (90 %)"
        colours, kinds = VERDICTS, rows["verdict"]
        margin = rows["tolerance"][0]
        limits = {-margin, margin}
        if rows["side"][0] == "worse":
            limits = {-margin if end == LARGER else margin}
        for limit in limits:
            ax.axvline(limit, color="black", label="tolerance", **TARGET)
    else:
        interval = "low", "high", "interval (not corrected)"
        colours = SIGNIFICANCE
        *kinds, rest = colours
        is_above = rows["low"] > 0
        apart = is_above | (rows["high"] < 0)
        kinds = np.select([rows["reject"], apart], kinds, rest)
    low, high, text = interval
    ax.hlines("row", low, high, data=rows, color=BLUE, label=text)
    for kind, colour in colours.items():
        part = rows[kinds == kind]
        if len(part):
            ax.scatter("difference", "row", data=part, facecolors=colour, edgecolors=BLUE,
                       zorder=3, label=kind)
    return add_legend(ax)


#: The largest random vertical shift of points, in rows.
STRIP = 0.3


def distribution(perquery: pd.DataFrame, measure: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the value of each topic as a point, in a row for each system, and the mean as a line.

    The system with the best mean is at the top. The points are moved up or down at random, so that
    equal values can be told apart. The dashed line is the ideal value, if it is within the axes.

    :param perquery: ``name, qid, measure, value``
    :param measure: a measure or its name; may be omitted if the frame has only one
    :raises ValueError: if the frame does not have the measure, or a value of it

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> perquery = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": ["1", "2"] * 2,
    ...                          "measure": "rKL@10", "value": [0.1, 0.5, 0.2, 0.2]})
    >>> ax = plots.distribution(perquery)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B', 'A']
    """
    values = inputs.per_query(perquery)
    rows, name = inputs.single_measure(values, measure)
    topics = rows.dropna(subset="value")
    need_rows(topics, f"the frame of values of {name}")
    systems = topics.groupby("name", sort=False)["value"]
    means = best_first(systems.mean(), name)
    ax = open_axes(ax, xlabel=described(name))
    name_rows(ax, means.index)
    row = means.index.get_indexer(topics["name"])
    random = np.random.default_rng(0)
    moves = random.uniform(-STRIP, STRIP, len(topics))
    topics = topics.assign(row=row + moves)
    text = "topic (moved up or down)"
    ax.scatter("value", "row", 12, BLUE, data=topics, label=text, alpha=0.5, linewidths=0)
    row = np.arange(len(means))
    top = row - 0.4
    ax.vlines(means, top, row + 0.4, color="black", label="mean")
    low, high = ax.get_xlim()
    end = ideal(name)
    if low <= end <= high:
        ax.axvline(end, label="ideal value", **IDEAL)
    return add_legend(ax)


def topic_groups(intervals: pd.DataFrame, measure: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the mean of each system in each group of topics, with its interval.

    Each group has its number of topics in brackets. A group without lines has fewer than three.

    :param intervals: the result of :func:`pt_fairness.analysis.intervals` with ``by``
    :param measure: a measure or its name; may be omitted if the frame has only one
    :raises ValueError: if the frame does not have groups or the measure

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis, plots
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3", "4"], "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.6]})
    >>> domains = {"1": "health", "2": "health", "3": "sport", "4": "sport"}
    >>> ax = plots.topic_groups(analysis.intervals(perquery, by=domains))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['health (n = 2)', 'sport (n = 2)']
    """
    need_rows(intervals, "the frame of intervals", ["group"])
    rows, name = inputs.single_measure(intervals, measure)
    topics = rows.groupby("group")["n"]
    sizes = topics.max()
    names = [f"{group} (n = {n})" for group, n in sizes.items()]
    systems = rows["name"].unique()
    ax = open_axes(ax, xlabel=described(name))
    name_rows(ax, names)
    for i, system in enumerate(systems):
        part = rows[rows["name"] == system]
        look = point_style(i)
        middle = (i + 0.5) / len(systems)
        shift = 0.8 * (middle - 0.5)
        row = sizes.index.get_indexer(part["group"])
        part = part.assign(row=row + shift)
        ax.hlines("row", "low", "high", data=part, color=look["color"], label="_")
        ax.scatter("mean", "row", data=part, zorder=3, label=system, **look)
    return add_legend(ax)


#: The width of the text of a cell, relative to the font size.
CELL = 5.0


def correlations(result: Correlations, ax: Axes | None = None) -> Axes:
    """Draw the correlations of every two measures as a heat map.

    Each cell has its coefficient, with a star where p < .05; blue is −1, white 0 and orange 1. The
    names have an arrow towards the better end of a measure (``→0`` for a signed bias), because two
    measures of opposite directions agree where their correlation is negative.

    :param result: the result of :func:`pt_fairness.analysis.correlations`
    :raises ValueError: if it has fewer than two measures

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
    need_rows(result.table, "the table of correlations")
    columns = [*result.coefficients]
    shown = inputs.short_names(columns)
    names = [f"{shown.get(name, name)} {direction(name) or ''}" for name in columns]
    values = result.coefficients.iloc[1:, :-1].to_numpy(float)
    p_values = result.p_values.iloc[1:, :-1].to_numpy(float)
    size = len(values)
    below = np.tri(size)
    colours = LinearSegmentedColormap.from_list("blue to orange", [BLUE, "white", ORANGE])
    ax = open_axes(ax, title="correlation (* p < .05)")
    cells = np.where(below, values, nan)
    ax.imshow(cells, colours, vmin=-1, vmax=1, aspect="auto")
    name_rows(ax, names[1:])
    name_columns(ax, names[:-1])
    ax.spines[:].set_visible(False)
    width, _ = points(ax)
    font = min(rcParams["font.size"], width / size / CELL)
    for i, j in np.argwhere(below):
        cell = i, j
        text = starred(values[cell], p_values[cell], 2)
        ax.text(j, i, text, ha="center", va="center", fontsize=font)
    return ax
