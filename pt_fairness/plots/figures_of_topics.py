"""Figures of topics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from pt_fairness.analysis.columns import (
    distance_from_best,
    of_one_measure,
    of_one_system,
    per_query,
    stands_for,
)
from pt_fairness.analysis.group_statistics import ALL_TOPICS
from pt_fairness.core.messages import at_least, listed
from pt_fairness.io.files import need_columns, need_rows
from pt_fairness.plots.layout import (
    BLUE,
    GREEN,
    LETTER_WIDTH,
    LINE_HEIGHT,
    LONG,
    PALE,
    TITLE,
    axes_of,
    bar_style,
    cut_names,
    fair_label,
    font_size,
    has_legend_elsewhere,
    ideal,
    legend_below,
    name_ticks,
    need_numbers,
    point_style,
    size_of,
    tick_step,
    with_ideal,
    wrapped,
)
from pt_fairness.provider.measure_lists import parsed_or_none

#: The maximum number of labelled topics on an axis.
MOST_LABELS = 40
#: The gid of the guide lines, which :func:`scatter` redraws for every series.
GUIDE = "guide"
#: The style of the cells without bias.
NO_BIAS: dict[str, Any] = {"facecolor": GREEN, "alpha": 0.3}


def groups_per_topic(distribution: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the relevant documents of every group, as a stacked bar for each topic.

    Das & Lease (2019), figure 1, has the relevant documents by topic and category. Stacked bars and
    the order of the topics, by their number of relevant documents, are decisions of this package.

    :param distribution: the result of :func:`pt_fairness.analysis.group_distribution`
    :raises ValueError: an empty frame

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
    need_columns(distribution, ["qid", "group", "relevant"], "the distribution of groups")
    need_numbers(distribution, "relevant")
    topics = distribution[distribution["qid"] != ALL_TOPICS]
    need_rows(topics, "the distribution of groups")
    table = topics.pivot(index="qid", columns="group", values="relevant")
    totals = table.sum(axis=1)
    totals = totals.sort_values(ascending=False, kind="stable")
    table = table.loc[totals.index]
    count = len(table)
    ax, new = axes_of(ax)
    places = np.arange(count)
    bottom = np.zeros(count)
    bars = {}
    for i, (group, counts) in enumerate(table.items()):
        bars[group] = ax.bar(places, counts, bottom=bottom, width=1.0, linewidth=0.3,
                             **bar_style(i))
        bottom += counts.to_numpy()
    step = math.ceil(count / MOST_LABELS)
    name_ticks(ax.xaxis, table.index, new, step)
    label = "topic, by number of relevant documents"
    if step > 1:
        label += f" (one of {step} is named)"
    ax.set_xlabel(label, wrap=True)
    ax.set(ylabel="relevant documents", xlim=(-0.5, count - 0.5))
    legend_below(ax, bars, new, "group")
    return ax


def topic_groups(found: pd.DataFrame, measure: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the mean of each system in each group of topics, with its interval.

    Each group says its number of topics. A group without a line has fewer than three topics.

    :param found: the result of :func:`pt_fairness.analysis.topic_groups`
    :param measure: a measure or its name; may be omitted if the frame has only one
    :raises ValueError: an empty frame, or a measure that it does not have

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis, plots
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3", "4"], "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.6]})
    >>> domains = {"1": "health", "2": "health", "3": "sport", "4": "sport"}
    >>> ax = plots.topic_groups(analysis.topic_groups(perquery, domains))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['health (n = 2)', 'sport (n = 2)']
    """
    need_rows(found, "the frame of topic groups",
              ["name", "measure", "group", "n", "mean", "low", "high"])
    frame, name = of_one_measure(found, measure)
    need_numbers(frame, "mean", "low", "high")
    sizes = frame.groupby("group")["n"].max()
    systems = frame["name"].unique().tolist()
    ax, new = axes_of(ax)
    texts = [f"{group} (n = {n})" for group, n in sizes.items()]
    name_ticks(ax.yaxis, texts, new)
    handles = {}
    for i, (system, label) in enumerate(zip(systems, cut_names(systems), strict=True)):
        part = frame[frame["name"] == system]
        look = point_style(i)
        rows = sizes.index.get_indexer(part["group"])
        shift = (i + 0.5) / len(systems) - 0.5
        y = rows + 0.8 * shift
        ax.hlines(y, part["low"], part["high"], color=look["color"], linewidth=1.5)
        handles[label] = ax.scatter(part["mean"], y, **look, zorder=3)
    label = fair_label(name, frame)
    ax.set(xlabel=label, ylim=(len(sizes) - 0.5, -0.5))
    legend_below(ax, handles, new)
    return ax


#: The range of the random vertical shifts of points, in rows.
STRIP = 0.6


def distribution(perquery: pd.DataFrame, measure: Any = None, ax: Axes | None = None,
                 seed: int = 0) -> Axes:
    """Draw the value of each topic as a point, in a row for each system, and the mean as a line.

    The system with the best mean is at the top. The points are moved up or down at random, so that
    equal values can be told apart. The dashed line is the ideal value, if it is within the axes.

    :param perquery: ``name, qid, measure, value``
    :param measure: a measure or its name; may be omitted if the frame has only one
    :param seed: the seed of the random shifts
    :raises ValueError: an empty frame, a measure that it does not have, or no value

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> perquery = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": ["1", "2"] * 2,
    ...                          "measure": "rKL@10", "value": [0.1, 0.5, 0.2, 0.2]})
    >>> ax = plots.distribution(perquery)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B', 'A']
    """
    frame = per_query(perquery)
    frame, name = of_one_measure(frame, measure)
    topics = frame.dropna(subset="value")
    if topics.empty:
        raise ValueError(f"no topic has a value of {name}, so there is nothing to draw")
    need_numbers(topics, "value")
    at_least(0, "seed", seed)
    means = topics.groupby("name", sort=False)["value"].mean()
    table = pd.DataFrame({name: means})
    table.attrs = perquery.attrs
    distance = distance_from_best(table, name)
    if distance is not None:
        distance = distance.sort_values(kind="stable")
        table = table.loc[distance.index]
    ax, new = axes_of(ax)
    names = cut_names(table.index)
    name_ticks(ax.yaxis, names, new)
    rows = table.index.get_indexer(topics["name"])
    random = np.random.default_rng(seed)
    moves = random.uniform(-STRIP / 2, STRIP / 2, len(rows))
    points = ax.scatter(topics["value"], rows + moves, s=12, color=BLUE, alpha=0.5, linewidths=0)
    count = len(table)
    top = np.arange(count) - 0.4
    line = ax.vlines(table[name], top, top + 0.8, color="black", linewidth=1.5)
    handles: dict[str, Any] = {"topic (moved up or down)": points, "mean": line}
    end = ideal(name, table)
    low, high = ax.get_xlim()
    if end is not None and low <= end <= high:
        handles["ideal value"] = ax.axvline(end, color=GREEN, linestyle="--", zorder=0)
    label = fair_label(name, table)
    ax.set(xlabel=label, xlim=(low, high), ylim=(count - 0.5, -0.5))
    legend_below(ax, handles, new)
    return ax


def scatter(perquery: pd.DataFrame, x: tuple[Any, Any], y: tuple[Any, Any], ax: Axes | None = None,
            label: str | None = None, colour: int = 0, limits: tuple[float, float] | None = None,
            quadrants: bool = False) -> Axes:
    """Draw one value against another, with a point for each topic that has both.

    The values are those of two measures for one system, such as one for the pro and one for the con
    stance (Gezici et al. 2021, figures 3 and 4), or those of one measure for two systems (figures 5
    and 6). The grey lines are 0, if there are values on both sides of it, and x = y, if both axes
    show the same measure (up to its parameters) or measures that the package does not know. Then
    the axes have the same scale.

    :param perquery: ``name, qid, measure, value``
    :param x: the system and the measure
    :param y: the system and the measure of the other axis
    :param label: the name of the points in the legend
    :param colour: the index of the colour and the marker, for several series in one figure
    :param limits: the smallest and the largest value of both axes, such as the range of the
        measure, so that figures can be compared; by default those of the points
    :param quadrants: whether to write the number of points of each quadrant into its corner. Points
        on a line through 0 are in no quadrant
    :raises ValueError: a system or measure that the frame does not have; systems without a common
        topic; two values of one system, topic and measure; or a value outside the limits

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> perquery = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": ["1", "2"] * 2,
    ...                          "measure": "BiasP@10", "value": [0.5, -0.25, 0.25, 0.0]})
    >>> ax = plots.scatter(perquery, ("A", "BiasP@10"), ("B", "BiasP@10"))
    >>> ax.get_xlabel()
    'A: BiasP@10 (0 is fair)'
    >>> ax.collections[0].get_offsets().tolist()
    [[0.5, 0.25], [-0.25, 0.0]]
    """
    perquery = per_query(perquery)
    columns = [_values_of(perquery, *series) for series in (x, y)]
    values = pd.concat(columns, axis=1, join="inner", keys=["x", "y"]).dropna()
    if values.empty:
        raise ValueError(f"no topic has a value of {x[1]} for {x[0]!r} and one of {y[1]} for "
                         f"{y[0]!r}, so there is nothing to draw")
    low, high = limits or (-np.inf, np.inf)
    outside = (values < low) | (values > high)
    for topic, pair in values[outside.any(axis=1)][:1].iterrows():
        raise ValueError(f"limits={limits!r} does not include topic {topic!r} with the values "
                         f"{pair['x']:g} and {pair['y']:g}")
    ax, _ = axes_of(ax)
    if label is not None:
        label = wrapped(label)
    ax.scatter(values["x"], values["y"], s=36, **point_style(colour), alpha=0.7, linewidths=0,
               label=label, zorder=2)
    names = []
    for axis, (system, measure) in ((ax.xaxis, x), (ax.yaxis, y)):
        text = with_ideal(str(measure), perquery)
        if str(x[1]) == str(y[1]):
            text = f"{system}: {text}"
        axis.set_label_text(wrapped(text, LONG))
        parsed = parsed_or_none(stands_for(measure, perquery))
        names.append(getattr(parsed, "NAME", None))
    if quadrants:
        _write_quadrants(ax, values)
    if not ax.get_title():
        corners = ", with their numbers in the corners" if quadrants else ""
        title = wrapped(f"a point for each topic{corners}", TITLE)
        ax.set_title(title, fontsize="medium")
    _add_guides(ax, names[0] == names[1], limits)
    if label is not None:
        legend = ax.legend()
        _, labels = ax.get_legend_handles_labels()
        if has_legend_elsewhere(ax, labels):
            legend.remove()
    return ax


def _values_of(perquery: pd.DataFrame, system: Any, measure: Any) -> pd.Series:
    """Return the values of a system by topic.

    :raises ValueError: the system has none
    """
    part, _ = of_one_measure(perquery, measure)
    part = part[part["name"] == system]
    if part.empty:
        raise ValueError(f"the frame has no values of {measure} for {system!r}; it has the systems "
                         f"{listed(perquery['name'].unique())}")
    need_numbers(part, "value")
    return part.set_index("qid")["value"]


def _write_quadrants(ax: Axes, values: pd.DataFrame) -> None:
    """Write the number of points of each quadrant into the corners of the axes."""
    signs: Any = np.sign(values.round(12))  # a sum of floats may be almost 0
    quadrants = signs.value_counts()
    box = {"facecolor": "white", "linewidth": 0, "pad": 1}
    for side, x, align in ((-1, 0.03, "left"), (1, 0.97, "right")):
        for level, y in ((-1, 0.05), (1, 0.95)):
            number = quadrants.get((side, level), 0)
            ax.text(x, y, str(number), ha=align, va="center", transform=ax.transAxes, bbox=box)


def _add_guides(ax: Axes, comparable: bool, limits: tuple[float, float] | None) -> None:
    """Set the limits of the axes, and draw guide lines.

    :param comparable: whether both axes have the same scale, and the diagonal is drawn
    :param limits: the smallest and the largest value of both axes, by default those of the points
    """
    for line in list(ax.lines):
        if line.get_gid() == GUIDE:
            line.remove()
    offsets = [points.get_offsets() for points in ax.collections]
    places = np.vstack([(0, 0), *offsets])
    low = places.min(axis=0)
    high = places.max(axis=0)
    if comparable:
        low[:] = low.min()
        high[:] = high.max()
    if limits is not None:
        low[:], high[:] = limits
    spread = high - low
    spread[spread == 0] = 1.0
    room = 0.05 * spread
    xlim, ylim = np.column_stack([low - room, high + room])
    ax.set(xlim=xlim, ylim=ylim)
    ax.set_aspect("equal" if comparable else "auto")
    look: dict[str, Any] = {"color": PALE, "linewidth": 1, "zorder": 1, "gid": GUIDE}
    if comparable:
        ax.axline((0, 0), slope=1, **look)
    for place, draw in enumerate((ax.axvline, ax.axhline)):
        if low[place] < 0 < high[place]:
            draw(0, **look)


def bias_histogram(perquery: pd.DataFrame, measures: Any = None, width: float = 0.1,
                   ax: Axes | None = None) -> Axes:
    """Draw a histogram of the bias over the topics of one system.

    The bars are at the multiples of ``width``. The bars of several measures, such as those of two
    groups, are side by side: Lipani et al. (2021), figure 2.

    :param perquery: ``name, qid, measure, value``, of one system
    :param measures: a measure or several (objects or names); all by default
    :param width: the width of an interval, such as 0.1 for a representation bias at 10
    :raises ValueError: several systems, no value, or a measure that the frame does not have

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> perquery = pd.DataFrame({"qid": ["1", "2", "3"], "measure": "BiasP@10",
    ...                          "value": [0.1, 0.1, -0.2]})
    >>> ax = plots.bias_histogram(perquery)
    >>> ax.get_xticks().tolist()
    [-0.2, -0.1, 0.0, 0.1]
    """
    frame = of_one_system(perquery, "the figure shows")
    if measures is None:
        measures = frame["measure"].unique()
    elif not isinstance(measures, (list, tuple)):
        measures = [measures]
    places = {}
    for measure in measures:
        part, name = of_one_measure(frame, measure)
        need_numbers(part, "value")
        # Round to 6 decimals first, because of floating-point errors. rint rounds halves to even,
        # so that a symmetric distribution has a symmetric histogram.
        widths = part["value"].dropna() / width
        middles = np.rint(widths.round(6))
        places[name] = middles.astype(int)
    if not any(map(len, places.values())):
        raise ValueError(f"no topic has a value of {', '.join(places) or 'any measure'}, so there "
                         "is nothing to draw")
    ax, new = axes_of(ax)
    bar = 0.8 / len(places)
    bars = {}
    for i, (name, part) in enumerate(places.items()):
        middle, counts = np.unique(part, return_counts=True)
        left = middle - 0.4 + i * bar
        bars[name] = ax.bar(width * left, counts, width=width * bar, align="edge", linewidth=0.3,
                            **bar_style(i))
    joined = pd.concat(places.values())
    low = joined.min()
    high = joined.max()
    room, _ = size_of(ax)
    line = LINE_HEIGHT * font_size(ax.xaxis)
    step = tick_step(high - low + 1, room, line)
    first = math.ceil(low / step)
    ticks = np.arange(first * step, high + 1, step) * width
    ax.set_xticks(ticks.round(6))
    ax.tick_params(axis="x", rotation=90)
    ax.axvline(0, color=PALE, zorder=0)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel=f"bias (0 is fair), in intervals of {width:g}", ylabel="topics")
    legend_below(ax, bars, new)
    return ax


def target_against_model(ratios: pd.DataFrame, n: int = 10, ax: Axes | None = None,
                         seed: int = 0) -> Axes:
    """Draw the share of a group in the ranking against its target share, for each topic.

    The points are jittered inside their grid cells. The topics in the green cells have no
    bias: Lipani et al. (2021), figure 3.

    :param ratios: ``target`` (rounded to documents) and ``model``, both multiples of 1/n. With a
        column ``group``, each group has its own colour.
    :param n: the cutoff of the ranking
    :param seed: the seed of the jitter
    :raises ValueError: an empty frame, or a cutoff below 1

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> ax = plots.target_against_model(pd.DataFrame({"target": [0.5, 0.2], "model": [0.4, 0.2]}))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('target ratio', 'model ratio')
    """
    need_rows(ratios, "the frame of ratios", ["target", "model"])
    need_numbers(ratios, "target", "model")
    at_least(1, "n", n)
    at_least(0, "seed", seed)
    ax, new = axes_of(ax)
    edges = np.arange(-0.5, n + 1) / n
    side = 1 / n
    for edge in edges[:-1]:
        cell = Rectangle((edge, edge), side, side, linewidth=0, **NO_BIAS)
        ax.add_patch(cell)
    random = np.random.default_rng(seed)
    jitter = random.uniform(-0.4 * side, 0.4 * side, (2, len(ratios)))
    if "group" not in ratios:
        ratios = ratios.assign(group="topic")
    places = ratios[["target", "model"]] + jitter.T
    handles: dict[str, Any] = {}
    for i, (group, part) in enumerate(places.groupby(ratios["group"], sort=False)):
        points = ax.scatter(part["target"], part["model"], s=12, alpha=0.7, linewidths=0,
                            **point_style(i))
        handles[f"{wrapped(group)}, moved at random within its cell"] = points
    handles["no bias"] = Patch(**NO_BIAS)
    # The axes are square, so the step of the x-axis also fits the y-axis.
    length = len("0.00 ") * LETTER_WIDTH * font_size(ax.xaxis)
    step = tick_step(n + 1, min(size_of(ax)), length)
    shares = np.arange(0, n + 1, step) / n
    labels = [f"{share:.2g}" for share in shares]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(shares, labels)
        axis.set_ticks(edges, minor=True)
    ax.grid(which="minor", color=PALE, linewidth=0.5)
    ax.tick_params(which="minor", length=0)
    limits = edges[0], edges[-1]
    ax.set(xlabel="target ratio", ylabel="model ratio", xlim=limits, ylim=limits, aspect="equal")
    legend_below(ax, handles, new)
    return ax
