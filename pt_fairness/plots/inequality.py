"""Inequality of exposure."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pt_fairness.core.messages import shown
from pt_fairness.io.frames import need_rows
from pt_fairness.plots import style
from pt_fairness.plots.layout import axes_of, legend_below


def lorenz(exposure: pd.DataFrame, population: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw Lorenz curves: the cumulative share of the exposure over the share of the documents.

    The documents are sorted by exposure, the least exposed first. There is a line for each run;
    that of equal exposures is the diagonal. The Gini coefficient is twice the area between the line
    and the diagonal.

    :param exposure: the result of :func:`pt_fairness.analysis.document_exposure`
    :param population: the number of documents of the collection, where those that were not
        returned have no rows
    :raises ValueError: an empty table, a missing column, a population below the number of rows of a
        run, or no run with exposure

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis, plots
    >>> run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [2, 1, 1]})
    >>> exposure = analysis.document_exposure({"BM25": run}, population=10)
    >>> ax = plots.lorenz(exposure, population=10)
    >>> ax.get_xlabel()
    'share of documents'
    """
    need_rows(exposure, "the table of exposures", ["name", "exposure"])
    curves = {}
    for name, some in exposure.groupby("name", sort=False)["exposure"]:
        n = len(some) if population is None else population
        if n < len(some):
            raise ValueError(f"population={shown(population)} is not possible: {name!r} has "
                             f"{len(some)} rows")
        values = np.append(np.zeros(n - len(some) + 1), np.sort(some.to_numpy(float)))
        if values.any():
            curves[name] = values.cumsum() / values.sum()
    if not curves:
        raise ValueError("no run has any exposure, so there is nothing to draw")
    new, ax = ax is None, axes_of(ax)
    ax.plot([0, 1], [0, 1], color=style.PALE, zorder=0)
    lines = [ax.plot(np.linspace(0, 1, len(curve)), curve, **style.line(i) | {"marker": ""})[0]
             for i, curve in enumerate(curves.values())]
    ax.set(xlabel="share of groups" if "group" in exposure else "share of documents",
           ylabel="cumulative share of exposure", xlim=(0, 1), ylim=(0, 1))
    legend_below(ax, lines, list(curves), new)
    return ax
