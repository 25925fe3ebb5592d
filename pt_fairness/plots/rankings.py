"""Figures of rankings and of their groups: blocks, exposure, explanations and judgments."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, inf
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pt_fairness.analysis.explanation import (
    PROTECTED_SHARE,
    PROTECTED_TARGET,
    SHARE,
    Explanation,
)
from pt_fairness.analysis.explanation import TARGET as TARGET_SHARE
from pt_fairness.analysis.group_statistics import ALL_TOPICS
from pt_fairness.analysis.inputs import per_query, single_measure
from pt_fairness.analysis.statistics import t_interval
from pt_fairness.core import arrays
from pt_fairness.core.messages import listed, one_of
from pt_fairness.io.files import need_rows
from pt_fairness.plots.appearance import (
    BLUE,
    PALE,
    PALETTE,
    TARGET,
    add_legend,
    bar_style,
    best_first,
    described,
    line_style,
    name_columns,
    name_rows,
    open_axes,
)
from pt_fairness.provider.measure_lists import parsed_or_none

#: The label and the style of documents without a group.
WITHOUT = "no group"
NO_GROUP: dict[str, Any] = {"facecolor": "white", "edgecolor": PALE}
#: The size of dots in points, times the number of ranks.
DOT = 100
#: The largest number of ranks with a label.
LABELLED = 10


def strips(ranked: pd.DataFrame, qid: Any, ax: Axes | None = None,
           perquery: pd.DataFrame | None = None, measure: Any = None) -> Axes:
    """Draw the groups at the top ranks of every system as coloured blocks, for one topic.

    The block of a document with several groups is divided equally. A document without a group has a
    white block, and a relevant document has a dot. With ``perquery``, the systems are sorted by a
    measure, the best at the top, and its value is at the end of each row ("–" if it is missing);
    the last rank is that of the last document that counts for a measure with a cutoff.

    :param ranked: the result of :func:`pt_fairness.analysis.ranked_groups`; without ``perquery``,
        the first system is at the top
    :param qid: the topic
    :param perquery: ``name, qid, measure, value``
    :param measure: the measure of ``perquery``, or its name; may be omitted if it has only one
    :raises ValueError: if the frames do not have the topic or the measure

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> ranked = pd.DataFrame({"name": "BM25", "qid": "1", "rank": [1, 2], "docno": ["b", "a"],
    ...                        "label": [0, 1], "group": ["CON", "PRO"]})
    >>> ax = plots.strips(ranked, "1")
    >>> [text.get_text() for text in ax.figure.legends[0].get_texts()]
    ['relevant', 'CON', 'PRO']
    """
    topic = ranked[ranked["qid"] == str(qid)]
    need_rows(topic, f"the frame of ranked groups of topic {qid!r}")
    names: Any = ranked["name"].unique()
    title = f"topic {qid}"
    if perquery is not None:
        rows, name = single_measure(per_query(perquery), measure)
        rows = rows[rows["qid"] == str(qid)]
        values = rows.set_index("name")["value"]
        known = values.reindex(names)
        scores = best_first(known, name)
        names = scores.index
        title += f", by {described(name)}"
        last = _last_counted(topic, name)
        topic = topic[topic["rank"] <= last]
    ax = open_axes(ax, xlabel="rank", title=title)
    name_rows(ax, names)
    if perquery is not None:
        right = ax.secondary_yaxis("right")
        texts = [f"{score:.3f}".replace("nan", "–") for score in scores]
        label, *_ = ax.get_yticklabels()
        size = label.get_fontsize()
        right.set_yticks(ax.get_yticks(), texts, fontsize=size)
        right.tick_params(length=0)
    depth = topic["rank"].max()
    row = pd.Index(names).get_indexer(topic["name"])
    topic = topic.assign(row=row)
    _draw_documents(ax, topic, depth)
    ax.set(xlim=(0.4, depth + 0.6), xticks=_labelled(depth))
    return add_legend(ax)


def _last_counted(topic: pd.DataFrame, name: str) -> float:
    """Return the largest rank of a document that counts for a measure, infinite without a cutoff.

    :param topic: the ranked groups of a topic
    """
    measure = parsed_or_none(name)
    cutoff = None if measure is None else measure.params.get("cutoff")
    if cutoff is None:
        return inf
    documents = topic.drop_duplicates(["name", "rank"])
    counts = documents["group"].notna() | (not getattr(measure, "condensed", False))
    documents = documents[counts]
    systems = documents.groupby("name")
    counted = systems.head(cutoff)
    deepest = counted["rank"].max()
    return max(cutoff, deepest)


def _draw_documents(ax: Axes, topic: pd.DataFrame, depth: int) -> None:
    """Draw documents as blocks in the colours of their groups, with dots.

    :param topic: the ranked groups of a topic, with the column ``row``
    """
    documents: Any = topic.groupby(["row", "rank"])["group"]
    share = 0.8 / documents.transform("size")
    below = share * documents.cumcount()
    bottom = topic["row"] - 0.4 + below
    blocks = topic.assign(share=share, bottom=bottom)
    groups = topic["group"].fillna(WITHOUT)
    for group, look in _looks(topic["group"]).items():
        part = blocks[groups == group]
        if len(part):
            ax.bar("rank", "share", 1.0, "bottom", data=part, label=group, linewidth=0.5, **look)
    relevant = topic[topic["label"] > 0]
    size = min(4.0, DOT / depth)
    width = size / 4
    ax.scatter("rank", "row", size ** 2, "white", data=relevant, edgecolors="black",
               linewidths=width, label="relevant")


def _looks(groups: pd.Series | pd.Index) -> dict[str, dict[str, Any]]:
    """Return the style of each group, and the style of documents without one."""
    present = groups.dropna()
    names = sorted(present.unique())
    looks = {name: bar_style(i) for i, name in enumerate(names)}
    looks[WITHOUT] = NO_GROUP
    return looks


def _labelled(depth: int) -> list[int]:
    """Return the ranks with a label: 1, 2, 3, … or 1, 2, 4, 6, … or 1, 5, 10, …"""
    step = ceil(depth / LABELLED)
    return sorted({1, *range(step, depth + 1, step)})


def exposure(ranked: pd.DataFrame, target: Mapping[str, float] | pd.Series | None = None,
             discount: str = "log2", ax: Axes | None = None) -> Axes:
    """Draw the share of each group in the exposure of the first ranks, over all topics.

    At rank k, a line is the mean over the topics of the share of a group in the exposure of the
    first k ranks; the band is its 95 % t interval over the topics, of three topics or more. A
    document of m groups gives 1/m of its exposure to each; one without a group gives none. A dashed
    line is the target of the group in the same colour. Of two groups, whose shares add up to 1,
    only the first is drawn, or the first one in ``target``.

    :param ranked: the rows of one system of the result of
        :func:`pt_fairness.analysis.ranked_groups`
    :param target: the target share of each group
    :param discount: the exposure of a rank: ``'log2'``, ``'trec'``, ``'mmr'``, ``'geometric'`` or
        ``'none'``, as the parameter of :data:`pt_fairness.AWRF`
    :raises ValueError: if the frame has several systems or no document with a group, the discount
        is unknown, or the target has another group

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> ranked = pd.DataFrame({"name": "BM25", "qid": "1", "rank": [1, 2], "docno": ["b", "a"],
    ...                        "label": [0, 1], "group": ["CON", "PRO"]})
    >>> ax = plots.exposure(ranked, {"CON": 0.5, "PRO": 0.5}, discount="none")
    >>> ax.get_ylabel(), ax.lines[0].get_ydata().tolist()
    ('share of CON in the exposure', [1.0, 0.5])
    """
    names = ranked["name"].unique()
    if len(names) > 1:
        raise ValueError(f"the frame must have one system, got {listed(names)}")
    documents = ranked.dropna(subset="group")
    need_rows(documents, "the frame of documents with a group")
    depth = ranked["rank"].max()
    shares = _exposure_shares(documents, discount, depth)
    topics = shares.unstack("rank")
    low, high = t_interval(topics.to_numpy(), 0.95)
    bands = pd.DataFrame({"mean": topics.mean(), "low": low, "high": high})
    bands = bands.clip(0, 1)
    groups = [*shares]
    targets = pd.Series(target, dtype=float)
    for group in targets.index:
        one_of("a group of target", group, groups)
    drawn = groups
    text = "share of the exposure"
    if len(groups) == 2:
        drawn = [*targets.index, *groups][:1]
        text = f"share of {drawn[0]} in the exposure"
    title = f"{names[0]}: mean of {len(topics)} topics (band: 95 % confidence interval)"
    ax = open_axes(ax, xlabel="first ranks", ylabel=text, title=title)
    for group in drawn:
        look = line_style(groups.index(group))
        colour = look["color"]
        band = bands.loc[group]
        ax.plot(band["mean"], markersize=3, label=group, **look)
        ax.fill_between("rank", "low", "high", data=band.reset_index(), color=colour, alpha=0.2)
        if group in targets:
            ax.axhline(targets[group], color=colour, **TARGET)
    if len(targets):
        ax.plot([], color="black", label="target", **TARGET)
    ax.set(xlim=(0.5, depth + 0.5), ylim=(0, 1), xticks=_labelled(depth))
    return add_legend(ax)


def _exposure_shares(documents: pd.DataFrame, discount: str, depth: int) -> pd.DataFrame:
    """Return the share of each group in the exposure of the first ranks.

    :returns: a row for each topic and rank, NaN above the first document with a group, and a column
        for each group
    """
    place = documents["rank"] - 1
    weights = arrays.discount(discount, depth)[place]
    count = documents.groupby(["qid", "rank"])["group"].transform("size")
    parts = documents.assign(part=weights / count)
    table = parts.pivot_table("part", ["qid", "rank"], "group", "sum", fill_value=0.0)
    topics = documents["qid"].unique()
    ranks = range(1, depth + 1)
    places = pd.MultiIndex.from_product([topics, ranks], names=table.index.names)
    table = table.reindex(places, fill_value=0.0)
    sums = table.groupby("qid").cumsum()
    total = sums.sum(axis=1)
    return sums.div(total, axis=0)


#: The label and the style of documents in several groups.
SEVERAL = "several groups"
SEVERAL_GROUPS = {"facecolor": "#777777", "edgecolor": "white"}


def explain(explanation: Explanation, ax: Axes | None = None) -> Axes:
    """Draw what each rank contributes to a value, and the shares so far against the target.

    The upper panel has a bar for the contribution of each rank in the colour of its group, or, if
    the measure is not a sum over ranks, a line of the value so far. The ranks are counted among the
    documents that count; a grey cross is a document that does not. The lower panel has the shares
    of the groups so far, or of the protected side, with the targets as dashed lines. It is left out
    without groups.

    :param explanation: the result of :func:`pt_fairness.explain`
    :param ax: axes of a grid, as ``plt.subplots`` makes them, which are divided into the panels
    :returns: the upper panel; the lower one is ``ax.figure.axes[-1]``
    :raises ValueError: if the ranking is empty

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import explain, plots
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "x", "c"], "score": [3.0, 2.0, 1.0]})
    >>> ax = plots.explain(explain("rND@5", run, qrels, "1"))
    >>> ax.get_title()
    'topic 1: rND@5 = 0.403 (0 is fair)'
    """
    ranks = explanation.frame.set_index("rank", drop=False)
    need_rows(ranks, "the explanation")
    name, qid = ranks[["measure", "qid"]].iloc[0]
    ideal = described(name).removeprefix(name)
    value = "undefined" if explanation.reason else f"{explanation.value:.3f}"
    title = f"topic {qid}: {name} = {value}{ideal}"
    ax = open_axes(ax, ylabel="value so far", title=title)
    shares = ranks.filter(regex=f"^{SHARE}")
    shares.columns = shares.columns.str.removeprefix(SHARE)
    if "contribution" in ranks:
        _draw_contributions(ax, ranks, shares.columns)
    else:
        ax.plot("rank", "value", "ko-", data=ranks, markersize=4, label="_")
    counts = ranks["counts"].astype(bool)
    out = ranks["rank"][~counts]
    if len(out):
        bottom = np.zeros(len(out))
        at_the_edge = ax.get_xaxis_transform()
        ax.plot(out, bottom, "x", color="#777777", clip_on=False, label="does not count",
                transform=at_the_edge)
    ax.set_xlim(0.4, len(ranks) + 0.6)
    lower = _draw_shares(ax, ranks, shares)
    numbers = counts.cumsum()
    is_labelled = numbers.isin(_labelled(numbers.max()))
    named = numbers[counts & is_labelled]
    lower.set_xticks(named.index, named)
    lower.set_xlabel("rank among the documents that count")
    return add_legend(ax)


def _draw_contributions(ax: Axes, ranks: Any, groups: pd.Index) -> None:
    """Draw the contributions in the colours of the groups."""
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_ylabel("contribution")
    if groups.empty:
        ax.bar("rank", "contribution", data=ranks, color=BLUE)
        return
    looks = _looks(groups)
    kinds = ranks["group"].fillna(WITHOUT)
    kinds = kinds.where(kinds.isin(looks), SEVERAL)
    looks[SEVERAL] = SEVERAL_GROUPS
    for kind, look in looks.items():
        part = ranks[kinds == kind]
        if len(part):
            ax.bar("rank", "contribution", data=part, label=kind, **look)


def _draw_shares(ax: Axes, ranks: pd.DataFrame, shares: pd.DataFrame) -> Axes:
    """Draw the panel of shares and return it, or ``ax`` without groups."""
    place = ax.get_subplotspec()
    if shares.columns.empty or place is None:
        return ax
    panels = place.subgridspec(2, 1, height_ratios=(3, 2))
    ax.set_subplotspec(panels[0])
    ax.tick_params(labelbottom=False)
    lower = ax.figure.add_subplot(panels[1], sharex=ax)
    lower.set(ylim=(-0.03, 1.03), ylabel="share so far")
    targets = ranks.filter(regex=f"^{TARGET_SHARE}")
    colours: tuple[str, ...] = PALETTE
    if PROTECTED_SHARE in ranks:
        side = f"protected: {ranks['protected'].iloc[0]}"
        shares = ranks[PROTECTED_SHARE].to_frame(side)
        targets = ranks.filter([PROTECTED_TARGET])
        colours = ("black",)
    shares.plot(ax=lower, color=colours, style="o-", markersize=4, legend=False)
    if len(targets.columns):
        lower.set_prop_cycle(color=colours)
        lower.plot(targets, **TARGET)
        lower.plot([], color="black", label="target", **TARGET)
    return lower


def lorenz(exposure: pd.DataFrame, population: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw Lorenz curves: the cumulative share of the exposure over the share of the documents.

    The documents are sorted by exposure, the least exposed first. Each run has a line; equal
    exposures are the diagonal. The Gini coefficient is twice the area between the line and the
    diagonal.

    :param exposure: the result of :func:`pt_fairness.analysis.document_exposure`
    :param population: the number of documents of the collection; those that were not returned lack
        rows

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
    kind = "groups" if "group" in exposure else "documents"
    ax = open_axes(ax, xlabel=f"share of {kind}", ylabel="cumulative share of exposure")
    ax.plot([0, 1], [0, 1], color=PALE, zorder=0)
    runs = exposure.groupby("name", sort=False)["exposure"]
    for i, (name, values) in enumerate(runs):
        unseen = max(0, (population or 0) - len(values))
        ascending = np.pad(np.sort(values), (unseen + 1, 0))
        sums = ascending.cumsum()
        places = np.linspace(0, 1, len(sums))
        heights = arrays.ratio(sums, sums[-1])
        look = line_style(i) | {"marker": ""}
        ax.plot(places, heights, label=name, **look)
    ax.margins(0)
    return add_legend(ax)


def groups_per_topic(distribution: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the relevant documents of every group, as a stacked bar for each topic.

    Das & Lease (2019), figure 1, has the relevant documents by topic and category. Stacked bars and
    the order of the topics, by their number of relevant documents, are decisions of this package.

    :param distribution: the result of :func:`pt_fairness.analysis.group_distribution`

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> distribution = pd.DataFrame({"qid": ["1", "1", "2", "2"], "group": ["CON", "PRO"] * 2,
    ...                              "relevant": [1, 2, 3, 4]})
    >>> ax = plots.groups_per_topic(distribution)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['2', '1']
    """
    topics = distribution[distribution["qid"] != ALL_TOPICS]
    table = topics.pivot(index="qid", columns="group", values="relevant")
    totals = table.sum(axis=1)
    totals = totals.sort_values(ascending=False, kind="stable")
    table = table.loc[totals.index]
    ax = open_axes(ax, xlabel="topic, by number of relevant documents",
                   ylabel="relevant documents")
    places = range(len(table))
    bottom = np.zeros(len(table))
    for i, (group, counts) in enumerate(table.items()):
        ax.bar(places, counts, 1.0, bottom, linewidth=0.3, label=group, **bar_style(i))
        bottom += counts.to_numpy()
    name_columns(ax, table.index)
    ax.margins(x=0)
    return add_legend(ax)


#: The name of the bar of the relevant documents.
RELEVANT = "relevant documents"


def shares(shares: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw who is shown: the attention that each group gets from every system, as a stacked bar.

    The bar at the top and the dashed lines are the shares of the relevant documents.

    :param shares: the result of :func:`pt_fairness.analysis.shares`
    :raises ValueError: if no share is known

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> shares = pd.DataFrame({"name": "BM25", "group": ["CON", "PRO"], "attention": [0.1, 0.9],
    ...                        "relevant": [0.4, 0.6]})
    >>> ax = plots.shares(shares)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['relevant documents', 'BM25']
    """
    need_rows(shares.dropna(subset="relevant"), "the frame of known shares")
    groups = shares.drop_duplicates("group")
    relevant = groups.set_index("group")["relevant"]
    systems = shares["name"].unique()
    table = shares.pivot(index="name", columns="group", values="attention")
    table = table.loc[systems, relevant.index]
    bars = np.vstack([relevant, table.fillna(0.0)])
    ax = open_axes(ax, xlabel="share of the attention")
    name_rows(ax, [RELEVANT, *systems])
    places = range(len(bars))
    left = np.zeros(len(bars))
    for i, (group, widths) in enumerate(zip(table, bars.T, strict=True)):
        ax.barh(places, widths, 0.8, left, label=group, **bar_style(i))
        left += widths
    for end in relevant.cumsum().iloc[:-1]:
        ax.axvline(end, color="black", **TARGET)
    ax.set_xlim(0, 1)
    return add_legend(ax)
