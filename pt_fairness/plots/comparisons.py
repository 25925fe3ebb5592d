"""Figures that compare systems with a baseline, measures with each other, and simulated sets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pt_fairness.analysis.columns import ALPHA, LEAST_TESTED, measure_of, of_one_measure
from pt_fairness.analysis.directions import LARGER, SMALLER, direction_of, with_mark
from pt_fairness.analysis.inference import SIDE
from pt_fairness.analysis.system_rankings import Correlations, starred
from pt_fairness.io.frames import need_columns, need_rows
from pt_fairness.plots import style
from pt_fairness.plots.layout import (
    arrange,
    axes_of,
    cut_names,
    has_legend_elsewhere,
    legend_below,
    name_ticks,
)

#: The meaning of a difference, by direction.
_SIDES = {LARGER: ("← worse", "better →"), SMALLER: ("← better", "worse →")}
#: The coefficient below which a cell is so dark that its text is white.
DARK = -0.75
#: The size of a cell of a heat map, in inches.
CELL = 0.75


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
    direction = direction_of(name, frame)
    table = frame.sort_values("difference", ascending=direction != LARGER, kind="stable")
    new, ax = ax is None, axes_of(ax)
    rows = np.arange(len(table))
    names = table["name"] if "against" not in table else table["name"] + " − " + table["against"]
    name_ticks(ax.yaxis, cut_names(names), new)
    ax.axvline(0, color=style.PALE, zorder=0)
    colour, pale = style.PALETTE[0], style.PALETTE[4]
    handles: dict[str, Any] = {}
    if "verdict" in table and table["verdict"].notna().all():
        ends, label = table[["tolerance low", "tolerance high"]], "interval of the verdict (90 %)"
        limits = {side * table["tolerance"].iloc[0] for side in (
            (-1, 1) if table.attrs.get(SIDE) == "both" else (-1,) if direction == LARGER else (1,))}
        for limit in limits:
            handles["tolerance"] = ax.axvline(limit, color="black", linestyle="--", linewidth=1)
        marks = [(table["verdict"] == word, face, word) for word, face in (
            ("within", colour), ("inconclusive", "white"), ("exceeds", pale))]
    else:
        ends, label = table[["low", "high"]], "interval (not corrected)"
        sure = table["reject"].astype(bool) & (table["n"] >= LEAST_TESTED)
        apart = (table["low"] > 0) | (table["high"] < 0)
        marks = [(sure, colour, f"significant (p < {ALPHA:g})"),
                 (~sure & apart, pale, "interval without 0, but not significant"),
                 (~sure & ~apart, "white", "not significant")]
    handles[label] = ax.hlines(rows, *ends.to_numpy(float).T, color=colour, linewidth=1.5)
    for mask, face, label in marks:
        if mask.any():
            handles[label] = ax.scatter(table["difference"][mask], rows[mask], facecolors=face,
                                        edgecolors=colour, zorder=3)
    left, right = _SIDES.get(str(direction), ("← smaller", "larger →"))
    ax.set(xlabel=style.text(f"{left}   difference of {name} from the baseline   {right}",
                             2 * style.LONG), ylim=(len(table) - 0.5, -0.5))
    legend_below(ax, list(handles.values()), list(handles), new)
    return ax


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
                         f"{', '.join(map(repr, names)) or 'none'}")
    # The lower triangle without the diagonal.
    below = np.tril(np.ones((size, size), bool))
    values = np.where(below, found.coefficients.to_numpy(float)[1:, :-1], np.nan)
    p_values = found.p_values.to_numpy(float)[1:, :-1]
    new, ax = ax is None, axes_of(ax)
    figure = ax.figure.figure
    if new:
        figure.set_size_inches(3.0 + CELL * size, 2.0 + CELL * size)
    colours = LinearSegmentedColormap.from_list(
        "blue to orange", [style.PALETTE[0], "white", style.PALETTE[1]])
    image = ax.imshow(values, colours, vmin=-1, vmax=1)
    name_ticks(ax.xaxis, names[:-1], new)
    name_ticks(ax.yaxis, names[1:], new)
    for i, j in zip(*np.nonzero(below), strict=True):
        ax.text(j, i, starred(values[i, j], p_values[i, j], 2), ha="center", va="center",
                color="white" if values[i, j] < DARK else "black", fontsize=min(10.0, 130.0 / size))
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    figure.colorbar(image, ax=ax, shrink=0.8, label="correlation (* p < .05)")
    arrange(ax)
    return ax


def bias_sweep(sweep: pd.DataFrame, measure: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the mean of a measure against the bias α of simulated rankings.

    Each set has a line and a band of ± one standard deviation: Draws et al. (2021), figures 1 and
    2. The band ends at the lower bound of the measure's range.

    :param sweep: the result of :func:`pt_fairness.analysis.simulation.sweep`
    :param measure: a measure or its name; may be omitted if the frame has only one
    :raises ValueError: an empty frame, or a measure that it does not have

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> sweep = pd.DataFrame({"set": "S1", "alpha": [-1.0, 0.0, 1.0], "measure": "nDJS",
    ...                       "mean": [0.2, 0.03, 0.08], "sd": 0.01})
    >>> ax = plots.bias_sweep(sweep)
    >>> ax.get_title()
    'nDJS (0 is fair)'
    """
    need_rows(sweep, "the sweep", ["set", "alpha", "measure", "mean", "sd"])
    frame, name = of_one_measure(sweep, measure)
    ax = axes_of(ax)
    for i, (one, part) in enumerate(frame.groupby("set", sort=False)):
        part = part.sort_values("alpha")
        mean, sd, line = part["mean"], part["sd"], style.line(i)
        ax.plot(part["alpha"], mean, **line, markersize=4, label=style.text(one))
        ax.fill_between(part["alpha"], mean - sd, mean + sd, color=line["color"], alpha=0.2,
                        linewidth=0)
    known = measure_of(name)
    least = -math.inf if known is None or known.RANGE[0] is None else known.RANGE[0]
    cut = (frame["mean"] - frame["sd"]).min() < least
    ax.set(xlabel="ranking bias α (< 0: weighted viewpoints on top)",
           ylabel="mean ± 1 standard deviation" + (f", cut at {least:g}" if cut else ""),
           title=style.text(style.with_fair_end(name), style.TITLE))
    ax.set_ylim(bottom=max(least, min(0.0, ax.get_ylim()[0])))
    if not has_legend_elsewhere(ax, ax.get_legend_handles_labels()[1]):
        ax.legend(title="set")
    return ax
