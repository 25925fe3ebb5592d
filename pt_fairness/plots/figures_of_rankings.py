"""Figures of rankings: their groups, exposure, simulated bias, and the explanation of a value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from pt_fairness.analysis.columns import (
    distance_from_best,
    measure_of,
    of_one_measure,
    per_query,
    ranked_by,
)
from pt_fairness.analysis.explanation import (
    PROTECTED_SHARE,
    PROTECTED_TARGET,
    SHARE,
    TARGET,
)
from pt_fairness.analysis.group_statistics import ALL_TOPICS
from pt_fairness.core import arrays
from pt_fairness.core.messages import listed, shown, warn
from pt_fairness.io.files import need_columns, need_rows
from pt_fairness.plots.layout import (
    BLUE,
    LETTER_WIDTH,
    LONG,
    NO_GROUP,
    PALE,
    TITLE,
    axes_of,
    bar_style,
    cut_names,
    fair_label,
    font_size,
    has_legend_elsewhere,
    legend_below,
    line_style,
    name_ticks,
    need_numbers,
    point_style,
    rank_ticks,
    size_of,
    tick_step,
    with_ideal,
    wrapped,
)
from pt_fairness.provider.measure_lists import parsed_or_none

#: The style of the dot of a relevant document.
DOT: dict[str, Any] = {"marker": "o", "color": "white", "markeredgecolor": "black",
                       "linestyle": "none"}


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
    topics = ranked["qid"].astype(str)
    topic = ranked[topics == str(qid)]
    if topic.empty:
        raise ValueError(f"no system returned a document for topic {qid!r}; choose a topic of the "
                         "frame")
    names = ranked["name"].unique().tolist()
    title = f"topic {qid}"
    values = pd.Series(dtype=float)
    if perquery is not None:
        values, title = _of_topic(perquery, qid, measure, names)
        names = list(values.index)
    elif measure is not None:
        raise ValueError(f"measure={str(measure)!r} needs the values of the systems; give the "
                         "per-query frame as perquery=")
    groups = ranked["group"].dropna().unique()
    faces = _faces(sorted(groups))
    ax, new = axes_of(ax)
    name_ticks(ax.yaxis, cut_names(names), new)
    _draw_documents(ax, topic, names, faces)
    depth = int(topic["rank"].max())
    letters = len(str(depth)) + 1
    ax.set_xticks(_labelled_ranks(ax, depth, letters))
    size = min(font_size(ax.yaxis), font_size(ax.xaxis))
    right = ax.get_yaxis_transform()
    for row, value in enumerate(values):
        text = "–" if pd.isna(value) else f"{value:.3f}"
        ax.annotate(text, (1, row), (4, 0), va="center", xycoords=right, fontsize=size,
                    textcoords="offset points")
    ax.set(xlabel="rank", title=wrapped(title, TITLE))
    ax.set(xlim=(0.4, depth + 0.6), ylim=(len(names) - 0.5, -0.5))
    legend: dict[str, Any] = {group: Patch(**face) for group, face in faces.items()}
    if topic["group"].isna().any():
        legend["no group"] = Patch(**NO_GROUP)
    legend["relevant"] = Line2D([], [], markersize=4, **DOT)
    legend_below(ax, legend, new)
    return ax


def _faces(groups: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the style of each group."""
    return {group: bar_style(i) for i, group in enumerate(groups)}


def _labelled_ranks(ax: Axes, depth: int, letters: int) -> list[int]:
    """Return the ranks that are labelled on the x-axis.

    :param letters: the length of a label
    """
    width, _ = size_of(ax)
    label = letters * LETTER_WIDTH * font_size(ax.xaxis)
    step = tick_step(depth, width, label)
    return rank_ticks(depth, step)


def _draw_documents(ax: Axes, topic: pd.DataFrame, names: list[Any],
                    faces: Mapping[str, Any]) -> None:
    """Draw the documents of each system as blocks in the colours of their groups, with dots."""
    width, height = size_of(ax)
    column = width / topic["rank"].max()
    edge = min(1.0, 0.1 * column)
    documents: Any = topic.groupby(["name", "rank"])["group"]
    for (name, rank), groups in documents:
        share = 0.8 / len(groups)
        bottom = names.index(name) - 0.4
        for i, group in enumerate(groups):
            corner = rank - 0.5, bottom + i * share
            face = faces.get(group, NO_GROUP)
            ax.add_patch(Rectangle(corner, 1, share, linewidth=edge, **face))
    relevant = topic[topic["label"] > 0].drop_duplicates(["name", "rank"])
    if len(relevant):
        rows = relevant["name"].map(names.index)
        dot = min(4.0, 0.6 * column, 0.5 * height / len(names))
        ax.plot(relevant["rank"], rows, markersize=dot, markeredgewidth=dot / 4, **DOT)


def _of_topic(perquery: pd.DataFrame, qid: Any, measure: Any,
              names: list[Any]) -> tuple[pd.Series, str]:
    """Return the value of each system for a topic, the best first, and the title of the figure."""
    frame = per_query(perquery)
    frame, name = of_one_measure(frame, measure)
    of_topic = frame[frame["qid"] == str(qid)]
    if of_topic.empty:
        raise ValueError(f"the per-query frame has no value of {name} for topic {str(qid)!r}; "
                         "choose a topic that it has")
    values = of_topic.set_index("name")["value"].reindex(names)
    table = pd.DataFrame({name: values})
    table.attrs = dict(perquery.attrs)
    distance = distance_from_best(table, name)
    label = with_ideal(name, table)
    if distance is None:
        warn(f"the systems are not sorted: it is unknown which end of {name} is better; end the "
             "name with ↑ or ↓")
        return values, f"topic {qid}, with {label}"
    ranks = ranked_by(distance)
    order = ranks.sort_values(kind="stable").index
    return values[order], f"topic {qid}, by {label}"


#: The heights of the panels of values and of shares, relative to each other.
PANELS = (3, 2)
#: The style of a document in several groups.
SEVERAL: dict[str, Any] = {"facecolor": "#777777", "edgecolor": "white"}
#: The target in the legend.
TARGET_LINE = Line2D([], [], color="black", linestyle="--", linewidth=1)
#: The half-width of a 95 % confidence interval of a mean, in standard errors.
Z_95 = 1.96


def exposure(ranked: pd.DataFrame, target: Mapping[str, float] | pd.DataFrame | None = None,
             discount: str = "log2", ax: Axes | None = None) -> Axes:
    """Draw the share of each group in the exposure of the first ranks, over all topics.

    At rank k, a line is the mean over the topics of the share of a group in the exposure of the
    first k ranks; the band is the 95 % confidence interval of the mean (± 1.96 standard errors, of
    two topics or more).
    A document of m groups gives 1/m of its exposure to each; one without a group gives none. A
    dashed line is the target of the group in the same colour. Of two groups, whose shares add up
    to 1, only the first is drawn, or the one that ``target`` names.

    :param ranked: the rows of one system of the result of
        :func:`pt_fairness.analysis.ranked_groups`
    :param target: the target share of each group; or the result of
        :func:`pt_fairness.analysis.group_distribution`, of which the mean share over the topics is
        drawn
    :param discount: the exposure of a rank: ``'log2'``, ``'trec'``, ``'mmr'``, ``'geometric'`` or
        ``'none'``, as the parameter of :data:`pt_fairness.AWRF`
    :raises ValueError: several systems, no document with a group, an unknown discount, or a target
        of a group that is not in the frame

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
    need_columns(ranked, ["name", "qid", "rank", "group"], "the frame of ranked groups")
    names = ranked["name"].unique().tolist()
    if len(names) > 1:
        raise ValueError(f"the frame has {len(names)} systems, and the figure shows one; choose it "
                         f"with frame[frame['name'] == {names[0]!r}]")
    shares, groups = _exposure_shares(ranked, discount)
    targets = _targets(target, groups)
    ax, new = axes_of(ax)
    topics, _, depth = shares.shape
    ranks = range(1, depth + 1)
    every = max(1, depth // 10)
    handles = {}
    means = shares.mean(axis=0)
    roots = np.sqrt(shares.count(axis=0))
    errors = Z_95 * shares.std(axis=0, ddof=1) / roots
    low = means - errors
    high = means + errors
    drawn = groups
    name = "share of the exposure"
    if len(groups) == 2 and (len(targets) < 2 or np.isclose(sum(targets.values()), 1.0)):
        first, *_ = [*targets, *groups]
        drawn = [first]
        name = f"share of {first} in the exposure"
    for group in drawn:
        i = groups.index(group)
        line = line_style(i)
        colour = line["color"]
        (handles[group],) = ax.plot(ranks, means[i], **line, markersize=4, markevery=every)
        ax.fill_between(ranks, low[i], high[i], color=colour, alpha=0.2, linewidth=0)
        if group in targets:
            ax.axhline(targets[group], color=colour, linestyle="--", linewidth=1, zorder=1)
    if targets:
        handles["target"] = TARGET_LINE
    title = f"{names[0]}: mean of {topics} topics (band: 95 % confidence interval)"
    ax.set(xlabel="first ranks", ylabel=wrapped(name, LONG), title=wrapped(title, TITLE))
    ax.set(xlim=(0.5, depth + 0.5), ylim=(0, 1))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_below(ax, handles, new)
    return ax


def _exposure_shares(ranked: pd.DataFrame, discount: str) -> tuple[Any, list[str]]:
    """Return the share of each group in the first ranks, ``[topics, groups, ranks]``, and groups.

    The shares are masked above the first document with a group.
    """
    documents = ranked[ranked["group"].notna()]
    if documents.empty:
        raise ValueError("no document of the frame has a group, so there is nothing to draw")
    depth = int(ranked["rank"].max())
    weights = arrays.discount(discount, depth)
    place = documents["rank"].to_numpy(int) - 1
    count = documents.groupby(["qid", "rank"])["group"].transform("size").to_numpy()
    parts = weights[place] / count
    topic, topics = pd.factorize(documents["qid"])
    group, groups = pd.factorize(documents["group"], sort=True)
    exposures = np.zeros((len(topics), len(groups), depth))
    np.add.at(exposures, (topic, group, place), parts)
    exposures = exposures.cumsum(axis=2)
    totals = exposures.sum(axis=1, keepdims=True)
    return np.ma.divide(exposures, totals), groups.tolist()


def _targets(target: Mapping[str, float] | pd.DataFrame | None,
             groups: Sequence[str]) -> dict[str, float]:
    if target is None:
        return {}
    if isinstance(target, pd.DataFrame):
        need_columns(target, ["qid", "group", "share", "skew"], "the distribution of groups")
        topics = target[(target["qid"] != ALL_TOPICS) & target["skew"].notna()]
        means = topics.groupby("group")["share"].mean()
        return means.reindex(groups, fill_value=0.0).to_dict()
    unknown = [group for group in target if group not in groups]
    if unknown:
        raise ValueError(f"the target has a share for {listed(unknown)}, and no ranked document "
                         f"has that group; the groups are {listed(groups)}")
    return dict(target)


def explain(explanation: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what each rank contributes to a value, and the shares so far against the target.

    The upper panel has a bar for the contribution of each rank in the colour of its group, or, if
    the measure is no sum over ranks, a line of the value so far. The ranks are those among the
    documents that count, which determine the weights; a grey cross is a document that does not
    count. The lower panel has the shares of the groups so far, or of the protected
    side, with the targets as dashed lines; it is left out if there are no groups.

    :param explanation: the result of :func:`pt_fairness.explain`
    :param ax: axes of a grid, such as those of ``plt.subplots``, which are divided into the panels
    :returns: the upper panel; the lower one is ``ax.figure.axes[-1]``
    :raises ValueError: a frame that is no such result, or one without rows

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
    need_rows(explanation, "the explanation", ["rank", "docno", "group", "counts"])
    if not {"contribution", "value"} & {*explanation.columns}:
        raise ValueError("the explanation has neither a column 'contribution' nor 'value'; it "
                         "takes the result of pt_fairness.explain")
    ranks = explanation["rank"]
    ax, new = axes_of(ax)
    shares = explanation.filter(regex=f"^{SHARE}").columns
    faces = _faces(shares.str.removeprefix(SHARE))
    if "contribution" in explanation:
        handles = _draw_bars(explanation, ax, faces)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_ylabel("contribution")
    else:
        handles = {}
        ax.plot(ranks, explanation["value"], color="black", marker="o", markersize=4)
        ax.set_ylabel("value so far")
    counts = explanation["counts"].astype(bool)
    out = ranks[~counts]
    if len(out):
        bottom = ax.get_xaxis_transform()
        (handles["does not count"],) = ax.plot(out, 0 * out, "x", color="#777777", clip_on=False,
                                               transform=bottom)
    ax.set_xlim(0.4, ranks.iloc[-1] + 0.6)
    lower = _draw_shares(explanation, ax, faces, handles)
    numbers = counts.cumsum()
    labelled = _labelled_ranks(lower, len(ranks), 4)
    has_label = counts & numbers.isin(labelled)
    lower.set(xticks=ranks[has_label], xticklabels=numbers[has_label],
              xlabel="rank among the documents that count")
    legend_title = None
    attrs = explanation.attrs
    measure = parsed_or_none(attrs.get("measure"))
    if measure is not None:
        params = dict(measure.params)
        source = params.pop("groups", None)
        if source is not None:
            legend_title = f"groups: {source}"
        name = str(type(measure)(**params))
        ideal = with_ideal(name).removeprefix(name)
        title = f"topic {attrs['qid']}: {name} = {attrs['value']:.3f}{ideal}"
        ax.set_title(wrapped(title, TITLE))
    if handles:
        legend_below(lower, handles, new, legend_title)
    return ax


def _draw_bars(frame: pd.DataFrame, ax: Axes, faces: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the contributions in the colours of the groups, and return the bars of each group."""
    if not faces:
        ax.bar(frame["rank"], frame["contribution"], color=BLUE)
        return {}
    kinds = frame["group"].fillna("no group")
    is_single = kinds.isin([*faces, "no group"])
    kinds = kinds.where(is_single, "several groups")
    bars = {}
    for label, face in {**faces, "several groups": SEVERAL, "no group": NO_GROUP}.items():
        part = frame[kinds == label]
        if len(part):
            bars[label] = ax.bar(part["rank"], part["contribution"], **face)
    return bars


def _draw_shares(frame: pd.DataFrame, ax: Axes, faces: Mapping[str, Any],
                 handles: dict[str, Any]) -> Axes:
    """Draw the panel of shares and return it, or ``ax`` if there are no groups."""
    sides = [(label, SHARE + label, TARGET + label, face) for label, face in faces.items()]
    if PROTECTED_SHARE in frame:
        protected = ", ".join(frame.attrs.get("protected", ()))
        label = f"protected: {protected}" if protected else "protected"
        sides = [(label, PROTECTED_SHARE, PROTECTED_TARGET, {"facecolor": "black"})]
    place = ax.get_subplotspec()
    if not sides or place is None:
        return ax
    panels = place.subgridspec(2, 1, height_ratios=PANELS)
    ax.set_subplotspec(panels[0])
    lower = ax.figure.add_subplot(panels[1], sharex=ax)
    targets = {}
    for i, (label, share, target, face) in enumerate(sides):
        colour = face["facecolor"]
        marker = point_style(i)["marker"]
        (line,) = lower.plot(frame["rank"], frame[share], color=colour, markersize=4, marker=marker)
        handles.setdefault(label, line)
        if target in frame:
            lower.plot(frame["rank"], frame[target], color=colour, linestyle="--", linewidth=1)
            targets["target"] = TARGET_LINE
    handles |= targets
    ax.tick_params(labelbottom=False)
    lower.set(ylim=(-0.03, 1.03), ylabel="share so far")
    return lower


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
    need_numbers(exposure, "exposure")
    curves = {}
    for name, exposures in exposure.groupby("name", sort=False)["exposure"]:
        rows = len(exposures)
        unseen = 0 if population is None else population - rows
        if unseen < 0:
            raise ValueError(f"population={shown(population)} is not possible: {name!r} has "
                             f"{rows} rows")
        increasing = np.sort(exposures)
        sums = np.pad(increasing, (unseen + 1, 0)).cumsum()
        if sums[-1]:
            curves[name] = sums / sums[-1]
    if not curves:
        raise ValueError("no run has any exposure, so there is nothing to draw")
    ax, new = axes_of(ax)
    ax.plot([0, 1], [0, 1], color=PALE, zorder=0)
    lines = {}
    for i, (name, curve) in enumerate(curves.items()):
        style = line_style(i) | {"marker": ""}
        places = np.linspace(0, 1, len(curve))
        (lines[name],) = ax.plot(places, curve, **style)
    label = "share of groups" if "group" in exposure else "share of documents"
    ax.set(xlabel=label, ylabel="cumulative share of exposure", xlim=(0, 1), ylim=(0, 1))
    legend_below(ax, lines, new)
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
    need_numbers(frame, "alpha", "mean", "sd")
    ax, _ = axes_of(ax)
    for i, (group, part) in enumerate(frame.groupby("set", sort=False)):
        part = part.sort_values("alpha")
        mean = part["mean"]
        sd = part["sd"]
        line = line_style(i)
        ax.plot(part["alpha"], mean, **line, markersize=4, label=wrapped(group))
        ax.fill_between(part["alpha"], mean - sd, mean + sd, color=line["color"], alpha=0.2,
                        linewidth=0)
    measure = measure_of(name)
    least = -math.inf
    if measure is not None and measure.RANGE[0] is not None:
        least = measure.RANGE[0]
    label = "mean ± 1 standard deviation"
    if (frame["mean"] - frame["sd"]).min() < least:
        label += f", cut at {least:g}"
    ax.set(xlabel="ranking bias α (< 0: weighted viewpoints on top)", ylabel=label)
    title = fair_label(name, width=TITLE)
    ax.set_title(title)
    low, _ = ax.get_ylim()
    bottom = max(least, min(0.0, low))
    ax.set_ylim(bottom=bottom)
    if not has_legend_elsewhere(ax, ax.get_legend_handles_labels()[1]):
        ax.legend(title="set")
    return ax
