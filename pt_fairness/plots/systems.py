"""Figures that compare systems."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from pt_fairness.io import need_columns
from pt_fairness.plots import style
from pt_fairness.plots.layout import (
    LETTER_WIDTH,
    axes_of,
    font_size,
    legend_below,
    name_ticks,
    need_rows,
    size_of,
    tick_step,
)
from pt_fairness.tables import column_of

#: The ratio of the upper limit of an axis that starts at 0 to the largest value.
ROOM = 1.05
#: The style of the dot of a relevant document, and of a block without a group.
DOT: dict[str, Any] = {"marker": "o", "color": "white", "markeredgecolor": "black",
                       "linestyle": "none"}
NO_GROUP: dict[str, Any] = {"facecolor": "white", "edgecolor": style.PALE}


def relevance_and_fairness(averages: pd.DataFrame, relevance: Any, fairness: Any,
                           ax: Axes | None = None) -> Axes:
    """Draw relevance as bars and fairness as lines, with systems sorted by decreasing relevance.

    As in Das & Lease (2019), figure 2, and Pathiyan Cherumanal et al. (2021), figure 2. The lines
    have a separate axis on the right. Both axes start at 0, or below it if there are negative
    values.

    :param averages: ``name`` and a column for each measure
    :param relevance: the measure of the bars
    :param fairness: the measure of the line, or several
    :returns: the axes of the bars; those of the lines are ``ax.figure.axes[-1]``
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
    wanted = fairness if isinstance(fairness, (list, tuple)) else [fairness]
    lines = [column_of(averages, one) for one in wanted]
    bars = column_of(averages, relevance)
    table = averages.sort_values(bars, ascending=False, kind="stable")
    new, ax = ax is None, axes_of(ax)
    handles: list[Any] = [ax.bar(range(len(table)), table[bars], color=style.PALE)]
    name_ticks(ax.xaxis, table["name"].tolist(), new)
    ax.set(xlabel=style.text(f"system, by decreasing {bars}", style.LONG),
           ylabel=style.text(bars, style.LONG), xlim=(-0.6, len(table) - 0.4))
    right = ax.twinx()
    for i, name in enumerate(lines):
        handles += right.plot(range(len(table)), table[name], **style.line(i))
    if not (table[lines] < 0).any(axis=None):
        largest = table[lines].max(axis=None)
        right.set_ylim(0, ROOM * largest if largest > 0 else None)
    right.set_ylabel(style.text(style.with_fair_end(lines[0]), style.LONG) if len(lines) == 1
                     else "fairness measures")
    legend_below(ax, handles, [bars, *map(style.with_fair_end, lines)], new)
    return ax


def strips(ranked: pd.DataFrame, qid: Any, ax: Axes | None = None) -> Axes:
    """Draw the groups at the top ranks of every system as coloured blocks, for one topic.

    The block of a document with several groups is divided equally. A document without a group has a
    white block, and a relevant document has a dot.

    :param ranked: the result of :func:`pt_fairness.analysis.ranked_groups`; the first system is
        drawn on top
    :param qid: the topic
    :raises ValueError: the frame does not have the topic

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
    names = list(dict.fromkeys(ranked["name"]))
    groups = sorted(ranked["group"].dropna().unique())
    faces = {group: style.face(i) for i, group in enumerate(groups)}
    depth = int(topic["rank"].max())
    new, ax = ax is None, axes_of(ax)
    name_ticks(ax.yaxis, names, new)
    width, height = size_of(ax)
    dot = min(4.0, 0.6 * width / depth, 0.5 * height / len(names))
    edge = min(1.0, 0.1 * width / depth)
    relevant = []
    for (name, rank), document in topic.groupby(["name", "rank"]):
        row = names.index(name)
        share = 0.8 / len(document)
        for i, group in enumerate(document["group"]):
            ax.add_patch(Rectangle((rank - 0.5, row - 0.4 + i * share), 1, share, linewidth=edge,
                                   **(NO_GROUP if pd.isna(group) else faces[group])))
        if document["label"].max() > 0:
            relevant.append((rank, row))
    if relevant:
        ax.plot(*zip(*relevant, strict=True), markersize=dot, markeredgewidth=dot / 4, **DOT)
    step = tick_step(depth, width, (len(str(depth)) + 1) * LETTER_WIDTH * font_size(ax.xaxis))
    ax.set_xticks(sorted({1, *range(step, depth + 1, step)}))
    ax.set(xlabel="rank", title=style.text(f"topic {qid}", style.LONG), xlim=(0.4, depth + 0.6),
           ylim=(len(names) - 0.5, -0.5))
    legend: dict[str, Any] = {group: Patch(**faces[group]) for group in groups}
    if topic["group"].isna().any():
        legend["no group"] = Patch(**NO_GROUP)
    handles = [*legend.values(), Line2D([], [], markersize=4, **DOT)]
    legend_below(ax, handles, [*legend, "relevant"], new)
    return ax
