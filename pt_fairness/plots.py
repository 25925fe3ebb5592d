"""Figures of experiments, in colours that everybody can tell apart. Needs matplotlib (``pip install pt-fairness[plots]``).

Every function takes a frame, draws into ``ax`` (by default a new figure) and returns the Axes. A new figure grows until all
names can be read; in a given one they shrink. Where a legend stands below the axes, a given figure without a layout engine gets
matplotlib's constrained layout, which keeps room for it.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.ticker import MaxNLocator
    from matplotlib.transforms import ScaledTranslation
except ImportError as error:
    raise ImportError("the figures need matplotlib: pip install 'pt-fairness[plots]'") from error

from pt_fairness.analysis.collection import ALL_TOPICS
from pt_fairness.analysis.tables import column_of, measure_of, of_one_system, per_query
from pt_fairness.io import need_columns

__all__ = ["PALETTE", "bias_histogram", "bias_sweep", "groups_per_topic", "relevance_and_fairness", "scatter", "strips",
           "target_against_model"]

#: The colours of Okabe & Ito (2008), told apart with every kind of colour vision; yellow and black last, as they stand out.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
HATCHES = ("", "///", "...", "xxx", "|||", "ooo", "+++", "---")
MARKERS = "osD^vPX*"
LINES = ("-", "--", ":", "-.")
#: Bars and lines behind which something else has to be seen.
PALE = "#BBBBBB"
#: More topics than this on an axis cannot be read.
MOST_LABELS = 40
#: Letters, in points: what a new figure makes room for, and the smallest that a given one gets.
SMALL, SMALLEST = 8.0, 4.0
#: Height of a line, and typical width of a letter, by the size of the letters.
LINE_HEIGHT, LETTER_WIDTH = 1.3, 0.65
#: From how many letters on the title and the names of axes are broken.
LONG = 50
#: What a legend tries until it is narrow enough: size, and from how many letters on its entries are broken.
LEGENDS = (("medium", 80), ("small", 80), ("small", 40), ("x-small", 30))
MOST_LEGEND_COLUMNS = 6
#: How much higher than the largest value an axis is that begins at 0.
ROOM = 1.05
#: How much larger, against the rest, letters can become in a file with fewer dots to the inch than the figure.
SPREAD = 1.12


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _style(i: int) -> dict[str, Any]:
    """Face of the i-th group: the colours, then the colours hatched."""
    return {"facecolor": PALETTE[i % len(PALETTE)], "hatch": HATCHES[i // len(PALETTE) % len(HATCHES)], "edgecolor": "white"}


def _points(i: int) -> dict[str, Any]:
    """Colour and marker of the i-th set of points; markers shift where the colours begin anew."""
    return {"color": PALETTE[i % len(PALETTE)], "marker": MARKERS[(i + i // len(PALETTE)) % len(MARKERS)]}


def _line(i: int) -> dict[str, Any]:
    return {**_points(i), "linestyle": LINES[i // len(PALETTE) % len(LINES)]}


def _text(name: Any, longest: int | None = None) -> str:
    """A name as matplotlib prints it letter by letter: dollars would make it mathematics."""
    lines = [str(name)] if longest is None else textwrap.wrap(str(name), longest)
    return "\n".join(lines).replace("$", r"\$")


def _label(measure: str) -> str:
    """A measure's name with its fair end."""
    parsed = measure_of(measure)
    return measure if parsed is None else f"{measure} ({parsed.FAIR_END:g} is fair)"


def _need_rows(frame: pd.DataFrame, what: str) -> None:
    """:raises ValueError: there are none"""
    if frame.empty:
        raise ValueError(f"{what} has no rows, so there is nothing to draw")


def _size(ax: Axes) -> tuple[float, float]:
    """Width and height in points."""
    box, dot = ax.get_window_extent(), ax.figure.figure.dpi / 72
    return box.width / dot, box.height / dot


def _letters(axis: Axis) -> float:
    """The size of what names the places of an axis, in points."""
    return float(axis.get_ticklabels()[0].get_fontsize())


def _grow(ax: Axes, width: float, height: float) -> None:
    """A larger figure, by so many points."""
    figure = ax.figure.figure
    figure.set_size_inches(*(old + more / 72 for old, more in zip(figure.get_size_inches(), (width, height), strict=True)))


def _step(places: int, room: float, label: float) -> int:
    """Of how many places one is named, so that names of ``label`` points have room: 1, 2, 5, 10, 20, …"""
    steps = (digit * 10**power for power in itertools.count() for digit in (1, 2, 5))
    return next(step for step in steps if places / step * label <= max(room, label))


def _name(axis: Axis, names: Sequence[Any], new: bool, every: int = 1) -> None:
    """Names the places 0, 1, … of an axis, upright below it where they have no room side by side.

    :param new: whether the figure is new, and may grow
    """
    axis.set_ticks(range(0, len(names), every), [_text(name) for name in names[::every]])
    labels, across = axis.get_ticklabels(), axis is axis.axes.xaxis
    letters, dot = _letters(axis), axis.axes.figure.figure.dpi / 72
    longest = max(label.get_window_extent().width for label in labels) / dot
    along, other = _size(axis.axes) if across else _size(axis.axes)[::-1]
    if across and longest + letters < along / len(labels):
        return
    size = min(letters, max(along / len(labels) / LINE_HEIGHT, SMALL if new else SMALLEST))
    if new:
        more = max(0.0, len(labels) * size * LINE_HEIGHT - along), max(0.0, longest * size / letters - other / 6)
        _grow(axis.axes, *(more if across else more[::-1]))
    else:
        size = max(SMALLEST, min(size, 0.4 * other * letters / longest))
    axis.set_tick_params(labelsize=size, labelrotation=90 if across else 0)


def _legend(ax: Axes, handles: Sequence[Any], labels: Sequence[Any], new: bool, title: str | None = None) -> None:
    """A legend below the axes, not on what they show, in as many columns as have room.

    :param new: whether the figure is new, and may grow
    """
    figure = ax.figure.figure
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    axis = ax.xaxis.get_tightbbox()
    assert axis is not None
    box = ax.get_window_extent()
    below = ax.transAxes + ScaledTranslation(0, -SPREAD * (box.y0 - axis.y0) / figure.dpi, figure.dpi_scale_trans)
    for (size, longest), columns in itertools.product(LEGENDS, range(min(len(labels), MOST_LEGEND_COLUMNS), 0, -1)):
        legend = ax.legend(handles, [_text(label, longest) for label in labels], title=title, ncols=columns, fontsize=size,
                           loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=below, frameon=False)
        if legend.get_window_extent().width <= box.width:
            break
    if new:
        _grow(ax, 0.0, legend.get_window_extent().height * 72 / figure.dpi)


def _one_measure(frame: pd.DataFrame, measure: Any) -> tuple[pd.DataFrame, str]:
    """The rows of one measure, and its name.

    :raises ValueError: the measure is not in the frame, or none is named where it has several
    """
    _need_rows(frame, "the frame")
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
    topics = distribution[distribution["qid"] != ALL_TOPICS]
    _need_rows(topics, "the distribution of groups")
    table = topics.pivot(index="qid", columns="group", values="relevant")
    table = table.loc[table.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    new, ax = ax is None, _axes(ax)
    bottom = np.zeros(len(table))
    for i, group in enumerate(table.columns):
        ax.bar(range(len(table)), table[group], bottom=bottom, width=1.0, linewidth=0.3, **_style(i))
        bottom += table[group].to_numpy()
    _name(ax.xaxis, table.index, new, -(-len(table) // MOST_LABELS))
    ax.set(xlabel="topic", ylabel="relevant documents", xlim=(-0.5, len(table) - 0.5))
    _legend(ax, ax.containers, table.columns, new, "group")
    return ax


def relevance_and_fairness(averages: pd.DataFrame, relevance: Any, fairness: Any, ax: Axes | None = None) -> Axes:
    """Relevance as bars in decreasing order of the systems, (un)fairness as lines on an axis of their own, to the right
    (Das & Lease 2019, figure 2; Pathiyan Cherumanal et al. 2021, figure 2). Both axes begin at 0, or below it where there are
    negative values.

    :param averages: ``name`` and a column for each measure
    :param relevance: the measure of the bars
    :param fairness: the measure of the line, or several
    :returns: the axes of the bars; those of the lines are then the figure's last, ``ax.figure.axes[-1]``
    """
    _need_rows(averages, "the table of averages")
    lines = [column_of(averages, one) for one in (fairness if isinstance(fairness, (list, tuple)) else [fairness])]
    bars = column_of(averages, relevance)
    table = averages.sort_values(bars, ascending=False, kind="stable")
    new, ax = ax is None, _axes(ax)
    handles: list[Any] = [ax.bar(range(len(table)), table[bars], color=PALE)]
    _name(ax.xaxis, table["name"].tolist(), new)
    ax.set(xlabel=_text(f"system, by decreasing {bars}", LONG), ylabel=_text(bars, LONG), xlim=(-0.6, len(table) - 0.4))
    right = ax.twinx()
    for i, name in enumerate(lines):
        handles += right.plot(range(len(table)), table[name], **_line(i))
    if not (table[lines] < 0).any(axis=None):
        largest = table[lines].max(axis=None)
        right.set_ylim(0, ROOM * largest if largest > 0 else None)
    right.set_ylabel(_text(_label(lines[0]), LONG) if len(lines) == 1 else "fairness measures")
    _legend(ax, handles, [bars, *map(_label, lines)], new)
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
        ax.plot(part["alpha"], part["mean"], **_line(i), markersize=4, label=_text(one))
        ax.fill_between(part["alpha"], part["mean"] - part["sd"], part["mean"] + part["sd"], color=_line(i)["color"], alpha=0.2,
                        linewidth=0)
    ax.set(xlabel="ranking bias α (< 0: weighted viewpoints on top)", ylabel="mean value", title=_text(_label(name), 2 * LONG))
    parsed = measure_of(name)
    least = parsed.RANGE[0] if parsed is not None else None
    # A band may reach below the smallest value that there can be; it is not shown there.
    ax.set_ylim(bottom=max(min(0.0, ax.get_ylim()[0]), -np.inf if least is None else least))
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
    :raises ValueError: a system or measure that the frame does not have, systems without a common topic, two values of a
        system, topic and measure
    """
    perquery = per_query(perquery)
    columns = []
    for system, measure in (x, y):
        part, _ = _one_measure(perquery, measure)
        part = part[part["name"] == system]
        if part.empty:
            raise ValueError(f"the frame has no values of {measure} for {system!r}; it has the systems "
                             f"{', '.join(map(repr, dict.fromkeys(perquery['name'])))}")
        columns.append(part.set_index("qid")["value"])
    points = pd.concat(columns, axis=1, join="inner", keys=["x", "y"]).dropna()
    if points.empty:
        raise ValueError(f"no topic has a value of {x[1]} for {x[0]!r} and one of {y[1]} for {y[0]!r}, so there is nothing to "
                         "draw")
    ax = _axes(ax)
    ax.scatter(points["x"], points["y"], s=36, **_points(colour), alpha=0.7, linewidths=0,
               label=None if label is None else _text(label), zorder=2)
    same = str(x[1]) == str(y[1])
    ax.set(**{f"{axis}label": _text(f"{system}: {measure}" if same else measure, LONG)
              for axis, (system, measure) in (("x", x), ("y", y))})
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
    :raises ValueError: several systems, no value at all, a measure that the frame does not have
    """
    frame = of_one_system(perquery, "the figure is that")
    wanted = list(dict.fromkeys(frame["measure"])) if measures is None else (
        measures if isinstance(measures, (list, tuple)) else [measures])
    values = {name: part["value"].dropna() for part, name in (_one_measure(frame, measure) for measure in wanted)}
    if not any(map(len, values.values())):
        raise ValueError(f"no topic has a value of {', '.join(values) or 'any measure'}, so there is nothing to draw")
    new, ax = ax is None, _axes(ax)
    places: list[int] = []
    for i, part in enumerate(values.values()):
        # Rounded first: values such as 0.30000000000000004 belong to the middle of their interval. Those half-way go to the
        # even neighbour, so that what is symmetric looks so.
        middle, counts = np.unique(np.rint((part / width).round(6)).astype(int), return_counts=True)
        left = middle * width - 0.4 * width + i * 0.8 * width / len(values)
        ax.bar(left, counts, width=0.8 * width / len(values), align="edge", linewidth=0.3, **_style(i))
        places.extend(middle.tolist())
    low, high = min(places), max(places)
    every = _step(high - low + 1, _size(ax)[0], LINE_HEIGHT * _letters(ax.xaxis))
    ax.set_xticks([round(place * width, 6) for place in range(-(-low // every) * every, high + 1, every)])
    ax.tick_params(axis="x", rotation=90)
    ax.axvline(0, color=PALE, zorder=0)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="bias (0: none)", ylabel="topics")
    _legend(ax, ax.containers[-len(values):], list(values), new)
    return ax


def target_against_model(ratios: pd.DataFrame, n: int = 10, ax: Axes | None = None, seed: int = 0) -> Axes:
    """Share of a group that a list should have against the share that it has, a point for each topic, moved at random
    within its square of the grid; the topics in the green squares are free of bias (Lipani et al. 2021, figure 3).

    :param ratios: ``target`` (rounded to documents) and ``model``, both multiples of 1/n
    :param n: the cutoff
    :param seed: of the jitter
    """
    need_columns(ratios, ["target", "model"], "the frame of ratios")
    _need_rows(ratios, "the frame of ratios")
    ax = _axes(ax)
    for i in range(n + 1):
        ax.add_patch(Rectangle(((i - 0.5) / n, (i - 0.5) / n), 1 / n, 1 / n, facecolor=PALETTE[2], alpha=0.3, linewidth=0))
    jitter = np.random.default_rng(seed).uniform(-0.4 / n, 0.4 / n, (2, len(ratios)))
    ax.scatter(ratios["target"] + jitter[0], ratios["model"] + jitter[1], s=12, color=PALETTE[0], alpha=0.7, linewidths=0)
    edges = (np.arange(n + 2) - 0.5) / n
    # The axes are square: what has room below them has room beside them.
    every = _step(n + 1, min(_size(ax)), len("0.00 ") * LETTER_WIDTH * _letters(ax.xaxis))
    shares = np.arange(0, n + 1, every) / n
    ax.set_xticks(shares, [f"{share:.2g}" for share in shares])
    ax.set_yticks(shares, [f"{share:.2g}" for share in shares])
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
    depth = int(topic["rank"].max())
    new, ax = ax is None, _axes(ax)
    _name(ax.yaxis, names, new)
    width, height = _size(ax)
    dot = min(4.0, 0.6 * width / depth, 0.5 * height / len(names))
    edge = min(1.0, 0.1 * width / depth)
    for (name, rank), document in topic.groupby(["name", "rank"]):
        row = names.index(name)
        share = 0.8 / len(document)
        for i, group in enumerate(document["group"]):
            style = {"facecolor": "white", "edgecolor": PALE} if pd.isna(group) else _style(place[group])
            ax.add_patch(Rectangle((rank - 0.5, row - 0.4 + i * share), 1, share, linewidth=edge, **style))
        if document["label"].max() > 0:
            ax.plot(rank, row, marker="o", markersize=dot, color="white", markeredgecolor="black", markeredgewidth=dot / 4,
                    linestyle="none")
    every = _step(depth, width, (len(str(depth)) + 1) * LETTER_WIDTH * _letters(ax.xaxis))
    ax.set_xticks(sorted({1, *range(every, depth + 1, every)}))
    ax.set(xlabel="rank", title=_text(f"topic {qid}", LONG), xlim=(0.4, depth + 0.6), ylim=(len(names) - 0.5, -0.5))
    handles: list[Any] = [Patch(**_style(i)) for i in range(len(groups))]
    labels = list(groups)
    if topic["group"].isna().any():
        handles.append(Patch(facecolor="white", edgecolor=PALE))
        labels.append("no group")
    handles.append(Line2D([], [], marker="o", markersize=4, color="white", markeredgecolor="black", linestyle="none"))
    _legend(ax, handles, [*labels, "relevant"], new)
    return ax
