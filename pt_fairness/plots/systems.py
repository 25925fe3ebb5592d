"""Figures that compare systems."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from pt_fairness.analysis.columns import column_of, of_one_measure, per_query, systems_of
from pt_fairness.analysis.directions import SMALLER, direction_of, distance_from_best, ranked_by
from pt_fairness.core.messages import warn
from pt_fairness.io.frames import need_columns, need_rows
from pt_fairness.plots import style
from pt_fairness.plots.layout import (
    LETTER_WIDTH,
    axes_of,
    cut_names,
    font_size,
    legend_below,
    name_ticks,
    rank_ticks,
    size_of,
    tick_step,
)

#: The ratio of the limit of an axis that includes 0 to the largest value.
ROOM = 1.08
#: The height of a panel of one measure, in inches.
PANEL = 1.35
#: The style of the dot of a relevant document.
DOT: dict[str, Any] = {"marker": "o", "color": "white", "markeredgecolor": "black",
                       "linestyle": "none"}


def relevance_and_fairness(averages: pd.DataFrame, relevance: Any, fairness: Any,
                           ax: Axes | None = None) -> Axes:
    """Draw relevance as bars, and below it each fairness measure as points in its own panel.

    The systems are sorted by decreasing relevance, as in Das & Lease (2019), figure 2, and Pathiyan
    Cherumanal et al. (2021), figure 2. In all panels, the better end is at the top, so the axis of
    an unfairness measure is reversed. A signed bias is fair at 0, which is a line. All axes
    include 0.

    :param averages: ``name`` and a column for each measure
    :param relevance: the measure of the bars
    :param fairness: the measure of the points, or several
    :param ax: axes of a grid, such as those of ``plt.subplots``, which are divided into the panels
    :returns: the panel of the bars; the others are the last ones of ``ax.figure.axes``
    :raises ValueError: an empty table, a measure that it does not have, or axes without a grid

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
    wanted = fairness if isinstance(fairness, (list, tuple)) else [fairness]
    points = [column_of(averages, one) for one in wanted]
    bars = column_of(averages, relevance)
    table = averages.sort_values(bars, ascending=False, kind="stable")
    new, ax = ax is None, axes_of(ax)
    place, figure = ax.get_subplotspec(), ax.figure.figure
    if place is None:
        raise ValueError("ax has to be axes of a grid, such as those of plt.subplots, because it "
                         "is divided into panels")
    if new:
        figure.set_size_inches(figure.get_figwidth(), PANEL * (2 + len(points)))
    grid = place.subgridspec(1 + len(points), 1)
    ax.set_subplotspec(grid[0])
    panels = [ax, *(ax.figure.add_subplot(grid[i + 1], sharex=ax) for i in range(len(points)))]
    ax.bar(range(len(table)), table[bars], color=style.PALE)
    for i, (column, panel) in enumerate(zip([bars, *points], panels, strict=True)):
        if i:
            panel.plot(range(len(table)), table[column], **style.points(i - 1), linestyle="none",
                       clip_on=False)
            panel.grid(axis="y", color=style.PALE, linewidth=0.5)
        limits = (ROOM * min(0.0, table[column].min()), ROOM * max(0.0, table[column].max()) or 1.0)
        panel.set_ylim(*limits[::-1 if direction_of(column, averages) == SMALLER else 1])
        panel.axhline(0, color="black", linewidth=0.8)
        panel.set_title(style.text(style.with_fair_end(column, averages), style.TITLE), loc="left",
                        fontsize="small")
        panel.tick_params(labelbottom=panel is panels[-1])
    name_ticks(panels[-1].xaxis, cut_names(table["name"]), new)
    panels[-1].set(xlabel=style.text(f"system, by decreasing {bars}", style.LONG),
                   xlim=(-0.6, len(table) - 0.4))
    return ax


def strips(ranked: pd.DataFrame, qid: Any, ax: Axes | None = None,
           perquery: pd.DataFrame | None = None, measure: Any = None) -> Axes:
    """Draw the groups at the top ranks of every system as coloured blocks, for one topic.

    The block of a document with several groups is divided equally. A document without a group has a
    white block, and a relevant document has a dot. With ``perquery``, the systems are sorted by a
    measure, the best at the top, and its value is at the end of each row ("–" if it is missing).

    :param ranked: the result of :func:`pt_fairness.analysis.ranked_groups`; without ``perquery``,
        the first system is at the top
    :param qid: the topic
    :param perquery: ``name, qid, measure, value``
    :param measure: the measure of ``perquery``, or its name; may be omitted if it has only one
    :raises ValueError: a topic or a measure that the frames do not have, or a measure without
        ``perquery``

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> ranked = pd.DataFrame({"name": "BM25", "qid": "1", "rank": [1, 2], "docno": ["b", "a"],
    ...                        "label": [0, 1], "group": ["CON", "PRO"]})
    >>> ax = plots.strips(ranked, "1")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['CON', 'PRO', 'relevant']
    """
    need_columns(ranked, ["name", "qid", "rank", "label", "group"], "the frame of ranked groups")
    topic = ranked[ranked["qid"].astype(str) == str(qid)]
    if topic.empty:
        raise ValueError(f"no system returned a document for topic {qid!r}; choose a topic of the "
                         "frame")
    names, title, values = list(dict.fromkeys(ranked["name"])), f"topic {qid}", None
    if perquery is not None:
        values, title = _of_topic(perquery, qid, measure, names)
        names = list(values.index)
    elif measure is not None:
        raise ValueError(f"measure={str(measure)!r} needs the values of the systems; give the "
                         "per-query frame as perquery=")
    groups = sorted(ranked["group"].dropna().unique())
    faces = {group: style.face(i) for i, group in enumerate(groups)}
    depth = int(topic["rank"].max())
    new, ax = ax is None, axes_of(ax)
    name_ticks(ax.yaxis, cut_names(names), new)
    width, height = size_of(ax)
    dot = min(4.0, 0.6 * width / depth, 0.5 * height / len(names))
    for (name, rank), document in topic.groupby(["name", "rank"]):
        row = names.index(name)
        share = 0.8 / len(document)
        for i, group in enumerate(document["group"]):
            ax.add_patch(Rectangle((rank - 0.5, row - 0.4 + i * share), 1, share,
                                   linewidth=min(1.0, 0.1 * width / depth),
                                   **(style.NO_GROUP if pd.isna(group) else faces[group])))
    relevant = topic[topic["label"] > 0].drop_duplicates(["name", "rank"])
    if len(relevant):
        ax.plot(relevant["rank"], relevant["name"].map(names.index), markersize=dot,
                markeredgewidth=dot / 4, **DOT)
    step = tick_step(depth, width, (len(str(depth)) + 1) * LETTER_WIDTH * font_size(ax.xaxis))
    ax.set_xticks(rank_ticks(depth, step))
    for row, value in enumerate([] if values is None else values):
        ax.annotate("–" if pd.isna(value) else f"{value:.3f}", (1, row), (4, 0), va="center",
                    xycoords=ax.get_yaxis_transform(), textcoords="offset points",
                    fontsize=min(font_size(ax.yaxis), font_size(ax.xaxis)))
    ax.set(xlabel="rank", title=style.text(title, style.TITLE), xlim=(0.4, depth + 0.6),
           ylim=(len(names) - 0.5, -0.5))
    legend: dict[str, Any] = {group: Patch(**faces[group]) for group in groups}
    if topic["group"].isna().any():
        legend["no group"] = Patch(**style.NO_GROUP)
    legend_below(ax, [*legend.values(), Line2D([], [], markersize=4, **DOT)],
                 [*legend, "relevant"], new)
    return ax


def _of_topic(perquery: pd.DataFrame, qid: Any, measure: Any,
              names: list[Any]) -> tuple[pd.Series, str]:
    """Return the value of each system for a topic, the best first, and the title of the figure."""
    frame, name = of_one_measure(per_query(perquery), measure)
    frame = frame[frame["qid"] == str(qid)].set_index("name")[["value"]]
    if frame.empty:
        raise ValueError(f"the per-query frame has no value of {name} for topic {str(qid)!r}; "
                         "choose a topic that it has")
    frame = frame.reindex(names).rename(columns={"value": name})
    frame.attrs = dict(perquery.attrs)
    far, shown = distance_from_best(frame, name), style.with_fair_end(name, frame)
    if far is not None:
        order = ranked_by(far).to_numpy().argsort(kind="stable")
        return frame[name].iloc[order], f"topic {qid}, by {shown}"
    warn(f"the systems are not sorted: it is unknown which end of {name} is better; end the name "
         "with ↑ or ↓")
    return frame[name], f"topic {qid}, with {shown}"
