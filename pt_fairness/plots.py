"""Figures of experiments, in colours that everybody can tell apart. Needs matplotlib (``pip install pt-fairness[plots]``).

Every function takes a frame, draws into ``ax`` (by default a new figure) and returns the Axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    raise ImportError("the figures need matplotlib: pip install 'pt-fairness[plots]'") from error

from pt_fairness.analysis import ALL_TOPICS
from pt_fairness.io import need_columns
from pt_fairness.measures.base import FairnessMeasure

__all__ = ["PALETTE", "bias_histogram", "bias_sweep", "groups_per_topic", "relevance_and_fairness", "scatter", "strips",
           "target_against_model"]

#: The colours of Okabe & Ito (2008), told apart with every kind of colour vision; yellow and black last, as they stand out.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
HATCHES = ("", "///", "...", "xxx")
MARKERS = "osD^vPX*"
#: Bars and lines behind which something else has to be seen.
PALE = "#BBBBBB"
#: More labels than this on an axis cannot be read.
MOST_LABELS = 40


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _style(i: int) -> dict[str, Any]:
    """Face of the i-th group: the colours, then the colours hatched."""
    return {"facecolor": PALETTE[i % len(PALETTE)], "hatch": HATCHES[i // len(PALETTE) % len(HATCHES)], "edgecolor": "white"}


def _colour(i: int) -> str:
    return PALETTE[i % len(PALETTE)]


def _label(measure: str) -> str:
    """A measure's name with its fair end."""
    try:
        parsed = ir_measures.parse_measure(measure)
    except (NameError, ValueError, TypeError):
        return measure
    return f"{measure} ({parsed.FAIR_END:g} is fair)" if isinstance(parsed, FairnessMeasure) else measure


def _one_measure(frame: pd.DataFrame, measure: Any) -> tuple[pd.DataFrame, str]:
    """The rows of one measure, and its name.

    :raises ValueError: the measure is not in the frame, or none is named where it has several
    """
    names = list(dict.fromkeys(frame["measure"].map(str)))
    if measure is None and len(names) != 1:
        raise ValueError(f"the frame has {len(names)} measures, and the figure shows one; choose from "
                         f"{', '.join(map(repr, names))}")
    name = names[0] if measure is None else str(measure)
    if name not in names:
        raise ValueError(f"the frame has no values of {name!r}; it has {', '.join(map(repr, names))}")
    return frame[frame["measure"].map(str) == name], name


def groups_per_topic(distribution: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Relevant documents of every group, one stacked bar for each topic, the largest first (Das & Lease 2019, figure 1).

    :param distribution: what :func:`pt_fairness.analysis.group_distribution` returned
    """
    need_columns(distribution, ["qid", "group", "relevant"], "the distribution of groups")
    table = distribution[distribution["qid"] != ALL_TOPICS].pivot(index="qid", columns="group", values="relevant")
    table = table.loc[table.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    ax = _axes(ax)
    bottom = np.zeros(len(table))
    for i, group in enumerate(table.columns):
        ax.bar(range(len(table)), table[group], bottom=bottom, width=1.0, label=str(group), linewidth=0.3, **_style(i))
        bottom += table[group].to_numpy()
    _name_ticks(ax, [str(qid) for qid in table.index])
    ax.set(xlabel="topic", ylabel="relevant documents", xlim=(-0.5, len(table) - 0.5))
    ax.legend(title="group")
    return ax


def _name_ticks(ax: Axes, names: Sequence[str]) -> None:
    every = -(-len(names) // MOST_LABELS)
    ax.set_xticks(range(0, len(names), every), names[::every], rotation=90 if len(names) > 6 else 0)


def relevance_and_fairness(averages: pd.DataFrame, relevance: Any, fairness: Any, ax: Axes | None = None) -> Axes:
    """Relevance as bars in decreasing order of the systems, (un)fairness as lines on an axis of their own, to the right
    (Das & Lease 2019, figure 2; Pathiyan Cherumanal et al. 2021, figure 2).

    :param averages: ``name`` and a column for each measure
    :param relevance: the measure of the bars
    :param fairness: the measure of the line, or several
    :returns: the axes of the bars; those of the lines are the figure's next
    """
    lines = [str(one) for one in (fairness if isinstance(fairness, (list, tuple)) else [fairness])]
    bars = str(relevance)
    need_columns(averages, ["name", bars, *lines], "the table of averages")
    table = averages.sort_values(bars, ascending=False, kind="stable")
    ax = _axes(ax)
    ax.bar(range(len(table)), table[bars], color=PALE, label=bars)
    _name_ticks(ax, table["name"].astype(str).tolist())
    ax.set(xlabel=f"system, by decreasing {bars}", ylabel=bars, xlim=(-0.6, len(table) - 0.4))
    right = ax.twinx()
    for i, name in enumerate(lines):
        right.plot(range(len(table)), table[name], color=_colour(i), marker=MARKERS[i % len(MARKERS)], label=name)
    right.set_ylabel(_label(lines[0]) if len(lines) == 1 else "fairness measures")
    handles = [handle for one in (ax, right) for handle in one.get_legend_handles_labels()[0]]
    ax.legend(handles, [bars, *map(_label, lines)], loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return ax


def bias_sweep(sweep: pd.DataFrame, measure: Any = None, ax: Axes | None = None) -> Axes:
    """A measure's mean against the bias α of simulated rankings, one line and band (± one standard deviation) for each set
    (Draws et al. 2021, figures 1 and 2).

    :param sweep: what :func:`pt_fairness.simulation.sweep` returned
    :param measure: which; may be left out where the frame has one
    """
    need_columns(sweep, ["set", "alpha", "measure", "mean", "sd"], "the sweep")
    frame, name = _one_measure(sweep, measure)
    ax = _axes(ax)
    for i, (one, part) in enumerate(frame.groupby("set", sort=False)):
        part = part.sort_values("alpha")
        ax.plot(part["alpha"], part["mean"], color=_colour(i), marker=MARKERS[i % len(MARKERS)], markersize=4, label=str(one))
        ax.fill_between(part["alpha"], part["mean"] - part["sd"], part["mean"] + part["sd"], color=_colour(i), alpha=0.2,
                        linewidth=0)
    ax.set(xlabel="ranking bias α (< 0: weighted viewpoints on top)", ylabel="mean value", title=_label(name))
    # A band may reach below the smallest value that there can be; it is not shown there.
    ax.set_ylim(bottom=min(0.0, float(frame["mean"].min())))
    ax.legend(title="set")
    return ax


def scatter(perquery: pd.DataFrame, x: tuple[Any, Any], y: tuple[Any, Any], ax: Axes | None = None, label: str | None = None,
            colour: int = 0) -> Axes:
    """One value against another, a point for each topic that has both.

    Of one system, a measure for the pro stance against one for the con stance (Gezici et al. 2021, figures 3 and 4; call it
    once for each engine, with another ``colour``)::

        ax = scatter(perquery, ("Engine 1", pro), ("Engine 1", con), label="Engine 1")
        scatter(perquery, ("Engine 2", pro), ("Engine 2", con), ax, label="Engine 2", colour=1)

    One engine against another by the same measure (figures 5 and 6)::

        scatter(perquery, ("Engine 1", bias), ("Engine 2", bias))

    The grey lines are x = y and, where there are values on both sides of it, 0.

    :param perquery: ``name, qid, measure, value``
    :param x: the system and the measure
    :param y: the same of the other axis
    :param label: what the legend calls these points
    :param colour: which colour and marker
    :raises ValueError: a system or measure that the frame does not have
    """
    need_columns(perquery, ["name", "qid", "measure", "value"], "the per-query frame")
    columns = []
    for system, measure in (x, y):
        part, _ = _one_measure(perquery, measure)
        part = part[part["name"] == system]
        if part.empty:
            raise ValueError(f"the frame has no values of {measure} for {system!r}; it has the systems "
                             f"{', '.join(map(repr, dict.fromkeys(perquery['name'])))}")
        columns.append(part.set_index("qid")["value"])
    points = pd.concat(columns, axis=1, join="inner", keys=["x", "y"])
    ax = _axes(ax)
    ax.scatter(points["x"], points["y"], s=36, color=_colour(colour), marker=MARKERS[colour % len(MARKERS)], alpha=0.7,
               linewidths=0, label=label, zorder=2)
    same = str(x[1]) == str(y[1])
    ax.set(xlabel=f"{x[0]}: {x[1]}" if same else str(x[1]), ylabel=f"{y[0]}: {y[1]}" if same else str(y[1]))
    _guides(ax)
    if label is not None:
        ax.legend()
    return ax


def _guides(ax: Axes) -> None:
    """Both axes alike, with the diagonal and, inside of the range, the zeros; drawn anew with every set of points."""
    for line in [line for line in ax.lines if line.get_gid() == "guide"]:
        line.remove()
    offsets = np.concatenate([np.asarray(points.get_offsets()) for points in ax.collections])
    low, high = min(0.0, float(offsets.min())), max(0.0, float(offsets.max()))
    room = 0.05 * (high - low or 1.0)
    ax.set(xlim=(low - room, high + room), ylim=(low - room, high + room), aspect="equal")
    ax.axline((0, 0), slope=1, color=PALE, linewidth=1, zorder=1, gid="guide")
    if low < 0 < high:
        ax.axhline(0, color=PALE, linewidth=1, zorder=1, gid="guide")
        ax.axvline(0, color=PALE, linewidth=1, zorder=1, gid="guide")


def bias_histogram(perquery: pd.DataFrame, measures: Any = None, width: float = 0.1, ax: Axes | None = None) -> Axes:
    """How many topics have which bias: bars around the multiples of ``width``, side by side for several measures, such as
    those of the two groups (Lipani et al. 2021, figure 2).

    :param perquery: ``name, qid, measure, value``, of one system
    :param measures: which; all by default
    :param width: of a bar's interval: 0.1 for a representation bias at 10
    """
    need_columns(perquery, ["qid", "measure", "value"], "the per-query frame")
    wanted = list(dict.fromkeys(perquery["measure"].map(str))) if measures is None else (
        measures if isinstance(measures, (list, tuple)) else [measures])
    ax = _axes(ax)
    places: list[int] = []
    for i, measure in enumerate(wanted):
        part, name = _one_measure(perquery, measure)
        # Rounded first: values such as 0.30000000000000004 belong to the middle of their interval.
        middle, counts = np.unique(np.floor((part["value"].dropna() / width).round(6) + 0.5).astype(int), return_counts=True)
        left = middle * width - 0.4 * width + i * 0.8 * width / len(wanted)
        ax.bar(left, counts, width=0.8 * width / len(wanted), align="edge", label=name, linewidth=0.3, **_style(i))
        places.extend(middle.tolist())
    ax.set_xticks([round(place * width, 6) for place in range(min(places), max(places) + 1)])
    ax.tick_params(axis="x", rotation=90)
    ax.axvline(0, color=PALE, zorder=0)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="bias (0: none)", ylabel="topics")
    ax.legend()
    return ax


def target_against_model(ratios: pd.DataFrame, n: int = 10, ax: Axes | None = None, seed: int = 0) -> Axes:
    """Share of a group that a list should have against the share that it has, a point for each topic, moved at random
    within its square of the grid; the topics in the green squares are free of bias (Lipani et al. 2021, figure 3).

    :param ratios: ``target`` (rounded to documents) and ``model``, both multiples of 1/n
    :param n: the cutoff
    :param seed: of the jitter
    """
    need_columns(ratios, ["target", "model"], "the frame of ratios")
    ax = _axes(ax)
    for i in range(n + 1):
        ax.add_patch(Rectangle(((i - 0.5) / n, (i - 0.5) / n), 1 / n, 1 / n, facecolor=PALETTE[2], alpha=0.3, linewidth=0))
    jitter = np.random.default_rng(seed).uniform(-0.4 / n, 0.4 / n, (2, len(ratios)))
    ax.scatter(ratios["target"] + jitter[0], ratios["model"] + jitter[1], s=12, color=PALETTE[0], alpha=0.7, linewidths=0)
    edges = (np.arange(n + 2) - 0.5) / n
    ax.set_xticks(np.arange(n + 1) / n)
    ax.set_yticks(np.arange(n + 1) / n)
    ax.set_xticks(edges, minor=True)
    ax.set_yticks(edges, minor=True)
    ax.grid(which="minor", color=PALE, linewidth=0.5)
    ax.tick_params(which="minor", length=0)
    ax.set(xlabel="target ratio", ylabel="model ratio", xlim=(edges[0], edges[-1]), ylim=(edges[0], edges[-1]), aspect="equal")
    return ax


def strips(ranked: pd.DataFrame, qid: Any, ax: Axes | None = None) -> Axes:
    """The groups at the top ranks of every system for a topic, as coloured blocks: the picture that explains a score.

    A block is shared where a document has several groups, and white where it has none. A dot marks the relevant documents.

    :param ranked: what :func:`pt_fairness.analysis.ranked_groups` returned; its first system is drawn on top
    :param qid: the topic
    :raises ValueError: the frame does not have the topic
    """
    need_columns(ranked, ["name", "qid", "rank", "label", "group"], "the frame of ranked groups")
    topic = ranked[ranked["qid"].astype(str) == str(qid)]
    if topic.empty:
        raise ValueError(f"no system returned anything for topic {qid!r}")
    names = list(dict.fromkeys(ranked["name"]))
    groups = sorted(ranked["group"].dropna().unique())
    place = {group: i for i, group in enumerate(groups)}
    ax = _axes(ax)
    for (name, rank), document in topic.groupby(["name", "rank"]):
        row = names.index(name)
        height = 0.8 / len(document)
        for i, group in enumerate(document["group"]):
            style = {"facecolor": "white", "edgecolor": PALE} if pd.isna(group) else _style(place[group])
            ax.add_patch(Rectangle((rank - 0.5, row - 0.4 + i * height), 1, height, **style))
        if document["label"].max() > 0:
            ax.plot(rank, row, marker="o", markersize=4, color="white", markeredgecolor="black", linestyle="none")
    depth = int(topic["rank"].max())
    ax.set_xticks(range(1, depth + 1))
    ax.set_yticks(range(len(names)), [str(name) for name in names])
    ax.set(xlabel="rank", title=f"topic {qid}", xlim=(0.4, depth + 0.6), ylim=(len(names) - 0.5, -0.5))
    handles: list[Any] = [Patch(label=str(group), **_style(i)) for i, group in enumerate(groups)]
    if topic["group"].isna().any():
        handles.append(Patch(label="no group", facecolor="white", edgecolor=PALE))
    handles.append(Line2D([], [], marker="o", markersize=4, color="white", markeredgecolor="black", label="relevant"))
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax
