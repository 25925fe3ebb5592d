"""Figures that compare systems."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from pt_fairness.io import need_columns, need_rows
from pt_fairness.messages import warn
from pt_fairness.plots import style
from pt_fairness.plots.layout import (
    LETTER_WIDTH,
    axes_of,
    font_size,
    legend_below,
    name_ticks,
    size_of,
    tick_step,
)
from pt_fairness.tables import (
    column_of,
    direction_of,
    distance_from_best,
    of_one_measure,
    per_query,
    ranked_by,
)
from pt_fairness.tables.references import systems_of

#: The ratio of the upper limit of an axis that starts at 0 to the largest value.
ROOM = 1.05
#: The distance of the second axis on the right from the first, in points.
APART = 55
#: The style of the dot of a relevant document.
DOT: dict[str, Any] = {"marker": "o", "color": "white", "markeredgecolor": "black",
                       "linestyle": "none"}


def relevance_and_fairness(averages: pd.DataFrame, relevance: Any, fairness: Any,
                           ax: Axes | None = None) -> Axes:
    """Draw relevance as bars and fairness as points, with systems sorted by decreasing relevance.

    As in Das & Lease (2019), figure 2, and Pathiyan Cherumanal et al. (2021), figure 2, but without
    lines between systems. The points have a separate axis on the right. If the measures of the
    points have several fair ends, there is such an axis for each. All axes start at 0, or below it
    if there are negative values.

    :param averages: ``name`` and a column for each measure
    :param relevance: the measure of the bars
    :param fairness: the measure of the points, or several
    :returns: the axes of the bars; those of the points are the last ones of ``ax.figure.axes``
    :raises ValueError: an empty table, or a measure that it does not have

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> averages = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.5, 0.9], "rKL@5": [0.1, 0.4]})
    >>> ax = plots.relevance_and_fairness(averages, "nDCG@5", "rKL@5")
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['B', 'A']
    >>> ax.figure.axes[-1].get_ylabel()
    'rKL@5 (0 is fair)'
    """
    need_rows(averages, "the table of averages")
    averages = systems_of(averages)
    wanted = fairness if isinstance(fairness, (list, tuple)) else [fairness]
    points = [column_of(averages, one) for one in wanted]
    bars = column_of(averages, relevance)
    table = averages.sort_values(bars, ascending=False, kind="stable")
    new, ax = ax is None, axes_of(ax)
    handles: list[Any] = [ax.bar(range(len(table)), table[bars], color=style.PALE)]
    name_ticks(ax.xaxis, table["name"].tolist(), new)
    ax.set(xlabel=style.text(f"system, by decreasing {bars}", style.LONG),
           ylabel=style.text(bars, style.LONG), xlim=(-0.6, len(table) - 0.4))
    ends = [direction_of(name, averages) for name in points]
    for place, end in enumerate(dict.fromkeys(ends)):
        some = [i for i, other in enumerate(ends) if other == end]
        right = ax.twinx()
        right.spines["right"].set_position(("outward", place * APART))
        for i in some:
            handles += right.plot(range(len(table)), table[points[i]], **style.points(i),
                                  linestyle="none")
        own = table[[points[i] for i in some]]
        if not (own < 0).any(axis=None):
            largest = own.max(axis=None)
            right.set_ylim(0, ROOM * largest if largest > 0 else None)
        right.set_ylabel(_axis_name([points[i] for i in some], averages))
    legend_below(ax, handles, [bars, *(style.with_fair_end(name, averages) for name in points)],
                 new)
    return ax


def _axis_name(columns: list[str], averages: pd.DataFrame) -> str:
    """Return the label of an axis of measures with the same fair end."""
    ends = {style.with_fair_end(column, averages).removeprefix(column) for column in columns}
    name = columns[0] if len(columns) == 1 else "fairness measures"
    return style.text(name + (ends.pop() if len(ends) == 1 else ""), style.LONG)


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
    name_ticks(ax.yaxis, names, new)
    width, height = size_of(ax)
    dot = min(4.0, 0.6 * width / depth, 0.5 * height / len(names))
    edge = min(1.0, 0.1 * width / depth)
    for (name, rank), document in topic.groupby(["name", "rank"]):
        row = names.index(name)
        share = 0.8 / len(document)
        for i, group in enumerate(document["group"]):
            ax.add_patch(Rectangle((rank - 0.5, row - 0.4 + i * share), 1, share, linewidth=edge,
                                   **(style.NO_GROUP if pd.isna(group) else faces[group])))
    relevant = topic[topic["label"] > 0].drop_duplicates(["name", "rank"])
    if len(relevant):
        ax.plot(relevant["rank"], relevant["name"].map(names.index), markersize=dot,
                markeredgewidth=dot / 4, **DOT)
    step = tick_step(depth, width, (len(str(depth)) + 1) * LETTER_WIDTH * font_size(ax.xaxis))
    ax.set_xticks(sorted({1, *range(step, depth + 1, step)}))
    for row, value in enumerate([] if values is None else values):
        ax.annotate("–" if pd.isna(value) else f"{value:.3f}", (1, row), (4, 0), va="center",
                    xycoords=ax.get_yaxis_transform(), textcoords="offset points",
                    fontsize=min(font_size(ax.yaxis), font_size(ax.xaxis)))
    ax.set(xlabel="rank", title=style.text(title, style.TITLE), xlim=(0.4, depth + 0.6),
           ylim=(len(names) - 0.5, -0.5))
    legend: dict[str, Any] = {group: Patch(**faces[group]) for group in groups}
    if topic["group"].isna().any():
        legend["no group"] = Patch(**style.NO_GROUP)
    handles = [*legend.values(), Line2D([], [], markersize=4, **DOT)]
    legend_below(ax, handles, [*legend, "relevant"], new)
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
