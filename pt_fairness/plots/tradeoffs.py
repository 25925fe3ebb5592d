"""Relevance against fairness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pt_fairness.analysis.columns import (
    COMPARISON,
    TIE_DECIMALS,
    column_of,
    is_reference,
    measure_of,
    systems_of,
)
from pt_fairness.analysis.directions import LARGER, SMALLER, direction_of, distance_from_best
from pt_fairness.core.arrays import Bools, Floats
from pt_fairness.core.messages import listed, warn
from pt_fairness.io.frames import need_rows
from pt_fairness.plots import style
from pt_fairness.plots.labels import label_points
from pt_fairness.plots.layout import axes_of, cut_names, legend_below

#: The room beside the points, as a share of their spread.
ROOM = 0.12
#: The largest distance of the fair end from the points, relative to their spread, at which it is
#: within the axes.
NEAR_END = 2.0
#: The number of systems from which a new figure is larger.
CROWD = 25
#: The style of the fair end.
FAIR: dict[str, Any] = {"color": style.PALETTE[2], "linestyle": "--", "zorder": 0}
#: The style of the references, and the dashes of each in turn.
REFERENCE: dict[str, Any] = {"color": "#666666", "linewidth": 1, "zorder": 0}
#: The marks of references below and above the limits of the x-axis and the y-axis.
TRIANGLES = ("<>", "v^")
DASHES = ((0, (1, 2)), (0, (5, 3)), (0, (8, 3, 1, 3)), (0, (3, 2, 1, 2, 1, 2)))


def tradeoff(averages: pd.DataFrame, relevance: Any, fairness: Any, ax: Axes | None = None) -> Axes:
    """Draw the systems as labelled points, relevance against fairness, with the Pareto front.

    The better end of each measure is at the top or on the right, so an axis of unfairness is
    reversed; a signed bias has its fair end 0 inside. A system is on the Pareto front if no other
    is at least as good by both measures and better by one; these points are filled and connected.
    The dashed line is the fair end. It is left out, and named on the axis only, if it is far from
    all systems. Rows of reference rankings are thin dashed lines; one outside of the axes,
    which are scaled to the systems, is a triangle at the edge, and its value is in the legend. The
    baseline of the table has a square. A name that would cover a point
    or a name at any place is left out, with a warning.

    :param averages: ``name`` and a column for each measure
    :param relevance: the measure on the x-axis
    :param fairness: the measure on the y-axis
    :raises ValueError: an empty table, a measure that it does not have, or no system with a value
        of both

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
    columns = [column_of(averages, relevance), column_of(averages, fairness)]
    references = averages[is_reference(averages)]
    averages = systems_of(averages)
    systems = averages[["name", *dict.fromkeys(columns)]].dropna(subset=columns)
    if systems.empty:
        raise ValueError(f"no system has values of {columns[0]} and {columns[1]}, so there is "
                         "nothing to draw")
    left_out = averages["name"][~averages.index.isin(systems.index)]
    if len(left_out):
        warn(f"{listed(left_out)}: not drawn, because {columns[0]} or {columns[1]} is missing")
    x, y = (systems[column].to_numpy(float) for column in columns)
    front = _front(systems, columns)
    new, ax = ax is None, axes_of(ax)
    if new:
        ax.figure.figure.set_size_inches(
            ax.figure.figure.get_size_inches() * min(3.0, max(1.0, len(x) / CROWD) ** 0.5))
    ends = [_set_limits(ax.set_xlim, x, columns[0], averages),
            _set_limits(ax.set_ylim, y, columns[1], averages)]
    colour = style.PALETTE[0]
    named: dict[str, Any] = {}
    lines = []
    for axis, (end, column) in enumerate(zip(ends, columns, strict=True)):
        if end is not None:
            named[f"fair end of {column}"] = (ax.axvline, ax.axhline)[axis](end, **FAIR)
            corners = np.column_stack([ax.get_xlim(), ax.get_ylim()])
            corners[:, axis] = end
            lines.append(corners)
    for i, row in enumerate(references.to_dict("records")):
        for axis, column in enumerate(columns):
            if not np.isnan(row[column]):
                named |= _draw_reference(ax, axis, row["name"], row[column], i)
    if front.any():
        order = np.flatnonzero(front)[np.lexsort((y[front], x[front]))]
        connected = {direction_of(column, averages) for column in columns} <= {LARGER, SMALLER}
        (named["Pareto front"],) = ax.plot(x[order], y[order], color=colour, marker="o",
                                           linewidth=1 if connected else 0, zorder=1)
        if connected:
            lines.append(np.column_stack([x[order], y[order]]))
    baseline = systems["name"].eq(averages.attrs.get(COMPARISON, {}).get("baseline")).to_numpy()
    if baseline.any():
        named["baseline"] = ax.scatter(x[baseline], y[baseline], s=120, facecolors="none",
                                       edgecolors="black", marker="s", zorder=2)
    if not front.all():
        named["other systems"] = ax.scatter(x[~front], y[~front], facecolors="white",
                                            edgecolors=colour, zorder=2)
    ax.set(xlabel=style.text(style.with_fair_end(columns[0], averages), style.LONG),
           ylabel=style.text(style.with_fair_end(columns[1], averages), style.LONG))
    legend_below(ax, list(named.values()), list(named), new)
    names = cut_names(systems["name"])
    first = np.argsort(~front, kind="stable")  # the front has the first choice of places
    label_points(ax, x[first], y[first], [names[i] for i in first], lines)
    return ax


def _front(systems: pd.DataFrame, columns: Sequence[str]) -> Bools:
    """Return a mask of the Pareto front, ``[systems]``; empty if a direction is unknown."""
    unknown = [column for column in columns if direction_of(column, systems) is None]
    if unknown:
        warn(f"no Pareto front is drawn: it is unknown which end of {' and '.join(unknown)} is "
             "better; rename it (pt_fairness.rename, --label), or end the name with ↑ or ↓")
        return np.zeros(len(systems), bool)
    far = np.column_stack([np.asarray(distance_from_best(systems, column), float)
                           for column in columns]).round(TIE_DECIMALS)
    one, two = far[:, None], far[None]
    return np.asarray(~((two <= one).all(axis=2) & (two < one).any(axis=2)).any(axis=1))


def _draw_reference(ax: Axes, axis: int, name: str, value: float, i: int) -> dict[str, Any]:
    """Draw reference ``i`` as a line across an axis, or a triangle at its edge; name it."""
    place = ax.transLimits.transform((value, value))[axis]
    if 0 <= place <= 1:
        draw = ax.axhline if axis else ax.axvline
        return {name: draw(value, linestyle=DASHES[i], **REFERENCE)}
    edge = int(place > 1)
    corner = [0.03 * (i + 1)] * 2
    corner[axis] = edge
    triangle = ax.scatter(*corner, transform=ax.transAxes, marker=TRIANGLES[axis][edge],
                          color=REFERENCE["color"], clip_on=False)
    return {f"{name} ({'xy'[axis]} = {value:.3f})": triangle}


def _set_limits(set_limits: Any, values: Floats, column: str,
                averages: pd.DataFrame) -> float | None:
    """Set the limits of an axis, its better end last, and return the fair end that is inside."""
    low, high = float(values.min()), float(values.max())
    spread = high - low or abs(high) / 2 or 1.0
    measure = measure_of(column, averages)
    end = None if measure is None else style.fair_end(measure)
    if end is not None and max(low - end, end - high) > NEAR_END * spread:
        end = None
    places = [low, high] if end is None else [low, high, end]
    limits = min(places) - ROOM * spread, max(places) + ROOM * spread
    set_limits(limits[::-1] if direction_of(column, averages) == SMALLER else limits)
    return end
