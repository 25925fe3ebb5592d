"""Figures of simulations."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from pt_fairness.io import need_columns, need_rows
from pt_fairness.plots import style
from pt_fairness.plots.layout import axes_of, has_legend_elsewhere
from pt_fairness.tables import measure_of, of_one_measure


def bias_sweep(sweep: pd.DataFrame, measure: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the mean of a measure against the bias α of simulated rankings.

    Each set has a line and a band of ± one standard deviation: Draws et al. (2021), figures 1 and
    2. The band ends at the lower bound of the measure's range.

    :param sweep: the result of :func:`pt_fairness.simulation.sweep`
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
    need_columns(sweep, ["set", "alpha", "measure", "mean", "sd"], "the sweep")
    need_rows(sweep, "the sweep")
    frame, name = of_one_measure(sweep, measure)
    ax = axes_of(ax)
    for i, (one, part) in enumerate(frame.groupby("set", sort=False)):
        part = part.sort_values("alpha")
        mean, sd, line = part["mean"], part["sd"], style.line(i)
        ax.plot(part["alpha"], mean, **line, markersize=4, label=style.text(one))
        ax.fill_between(part["alpha"], mean - sd, mean + sd, color=line["color"], alpha=0.2,
                        linewidth=0)
    known = measure_of(name)
    least = known.RANGE[0] if known is not None else None
    cut = least is not None and bool((frame["mean"] - frame["sd"]).min() < least)
    ax.set(xlabel="ranking bias α (< 0: weighted viewpoints on top)",
           ylabel="mean ± 1 standard deviation" + (f", cut at {least:g}" if cut else ""),
           title=style.text(style.with_fair_end(name), style.TITLE))
    bottom = min(0.0, ax.get_ylim()[0])
    ax.set_ylim(bottom=bottom if least is None else max(bottom, least))
    if not has_legend_elsewhere(ax, ax.get_legend_handles_labels()[1]):
        ax.legend(title="set")
    return ax
