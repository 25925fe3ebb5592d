"""Figures of the ranks: the exposure of the groups, and the explanation of a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pt_fairness.analysis.collection import ALL_TOPICS
from pt_fairness.analysis.ranking_shares import (
    PROTECTED_SHARE,
    PROTECTED_TARGET,
    SHARE,
    TARGET,
)
from pt_fairness.core import discounts
from pt_fairness.core.messages import listed
from pt_fairness.io.frames import need_columns, need_rows
from pt_fairness.plots import style
from pt_fairness.plots.layout import (
    LETTER_WIDTH,
    axes_of,
    font_size,
    legend_below,
    rank_ticks,
    size_of,
    tick_step,
)
from pt_fairness.provider.parsing import parsed_or_none

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
    first k ranks; the band is the 95 % confidence interval of the mean (± 1.96 standard errors).
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
    names = list(dict.fromkeys(ranked["name"]))
    if len(names) > 1:
        raise ValueError(f"the frame has {len(names)} systems, and the figure shows one; choose it "
                         f"with frame[frame['name'] == {names[0]!r}]")
    shares, groups = _exposure_shares(ranked, discount)
    targets = _targets(target, groups)
    new, ax = ax is None, axes_of(ax)
    ranks = np.arange(1, shares.shape[2] + 1)
    handles: dict[str, Any] = {}
    means, errors = shares.mean(axis=0), Z_95 * shares.std(axis=0) / np.sqrt(shares.count(axis=0))
    mirrored = len(groups) == 2 and (len(targets) < 2 or np.isclose(sum(targets.values()), 1.0))
    for i, group in ((i, group) for i, group in enumerate(groups)
                     if not mirrored or group == [*targets, *groups][0]):
        line, mean, error = style.line(i), means[i], errors[i]
        (handles[group],) = ax.plot(ranks, mean, **line, markersize=4,
                                    markevery=max(1, len(ranks) // 10))
        ax.fill_between(ranks, mean - error, mean + error, color=line["color"], alpha=0.2,
                        linewidth=0)
        if group in targets:
            ax.axhline(targets[group], color=line["color"], linestyle="--", linewidth=1, zorder=1)
    if targets:
        handles["target"] = TARGET_LINE
    name = f"share of {next(iter(handles))} in the exposure" if mirrored \
        else "share of the exposure"
    ax.set(xlabel="first ranks", ylabel=style.text(name, style.LONG), ylim=(0, 1),
           xlim=(0.5, len(ranks) + 0.5), title=style.text(
               f"{names[0]}: mean of {len(shares)} topics (band: 95 % confidence interval)",
               style.TITLE))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_below(ax, list(handles.values()), list(handles), new)
    return ax


def _exposure_shares(ranked: pd.DataFrame, discount: str) -> tuple[Any, list[str]]:
    """Return the share of each group in the first ranks, ``[topics, groups, ranks]``, and groups.

    The shares are masked above the first document with a group.
    """
    held = ranked[ranked["group"].notna()]
    if held.empty:
        raise ValueError("no document of the frame has a group, so there is nothing to draw")
    depth = int(ranked["rank"].max())
    place = held["rank"].to_numpy(int) - 1
    each = held.groupby(["qid", "rank"])["group"].transform("size").to_numpy()
    topic, topics = pd.factorize(held["qid"])
    group, groups = pd.factorize(held["group"], sort=True)
    found = np.zeros((len(topics), len(groups), depth))
    np.add.at(found, (topic, group, place), discounts.discount(discount, depth)[place] / each)
    found = found.cumsum(axis=2)
    return np.ma.divide(found, found.sum(axis=1, keepdims=True)), groups.tolist()


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
    frame, ranks = explanation, explanation["rank"].to_numpy()
    new, ax = ax is None, axes_of(ax)
    groups = [column.removeprefix(SHARE) for column in map(str, frame.columns)
              if column.startswith(SHARE)]
    faces = {group: style.face(i) for i, group in enumerate(groups)}
    handles: dict[str, Any] = {}
    if "contribution" not in frame:
        ax.plot(ranks, frame["value"], color="black", marker="o", markersize=4)
    else:
        if not faces:
            ax.bar(ranks, frame["contribution"], color=style.PALETTE[0])
        else:
            for face, label, rows in _bars(frame, faces):
                if rows.any():
                    handles[label] = ax.bar(ranks[rows], frame["contribution"][rows], **face)
        ax.axhline(0, color="black", linewidth=0.8)
    out = ~frame["counts"].to_numpy(bool)
    if out.any():
        (handles["does not count"],) = ax.plot(
            ranks[out], np.zeros(out.sum()), "x", color="#777777", clip_on=False,
            transform=ax.get_xaxis_transform())
    ax.set(ylabel="contribution" if "contribution" in frame else "value so far",
           xlim=(0.4, ranks[-1] + 0.6))
    lower = _draw_shares(frame, ax, faces, handles)
    step = tick_step(len(ranks), size_of(ax)[0], 4 * LETTER_WIDTH * font_size(lower.xaxis))
    numbers = pd.Series((~out).cumsum(), ranks)[~out]
    numbers = numbers[numbers.isin(rank_ticks(len(ranks), step))]
    lower.set(xticks=numbers.index, xticklabels=numbers,
              xlabel="rank among the documents that count")
    measure = parsed_or_none(frame.attrs.get("measure"))
    source = None
    if measure is not None:
        params = dict(measure.params)
        source = params.pop("groups", None)
        name = str(type(measure)(**params))
        fair_end = style.with_fair_end(name).removeprefix(name)
        ax.set_title(style.text(f"topic {frame.attrs['qid']}: {name} = {frame.attrs['value']:.3f}"
                                f"{fair_end}", style.TITLE))
    if handles:
        legend_below(lower, list(handles.values()), list(handles), new,
                     None if source is None else f"groups: {source}")
    return ax


def _bars(frame: pd.DataFrame,
          faces: Mapping[str, Any]) -> list[tuple[dict[str, Any], str, pd.Series]]:
    """Return the style, the name and the rows of each kind of document."""
    group, none = frame["group"], frame["group"].isna()
    return [*((face, label, group == label) for label, face in faces.items()),
            (SEVERAL, "several groups", ~none & ~group.isin(list(faces))),
            (style.NO_GROUP, "no group", none)]


def _draw_shares(frame: pd.DataFrame, ax: Axes, faces: Mapping[str, Any],
                 handles: dict[str, Any]) -> Axes:
    """Draw the panel of shares and return it, or ``ax`` if there are no groups."""
    two = PROTECTED_SHARE in frame
    side = f"protected: {', '.join(frame.attrs.get('protected', ()))}".removesuffix(": ")
    columns = {side: (PROTECTED_SHARE, PROTECTED_TARGET, "black")} if two else {
        label: (SHARE + label, TARGET + label, face["facecolor"]) for label, face in faces.items()}
    place = ax.get_subplotspec()
    if not columns or place is None:
        return ax
    panels = place.subgridspec(2, 1, height_ratios=PANELS)
    ax.set_subplotspec(panels[0])
    lower = ax.figure.add_subplot(panels[1], sharex=ax)
    for i, (label, (share, target, colour)) in enumerate(columns.items()):
        (line,) = lower.plot(frame["rank"], frame[share], color=colour, markersize=4,
                             marker=style.points(i)["marker"])
        handles.setdefault(label, line)
        if target in frame:
            lower.plot(frame["rank"], frame[target], color=colour, linestyle="--", linewidth=1)
    if {target for _, target, _ in columns.values()} & {*frame.columns}:
        handles["target"] = TARGET_LINE
    ax.tick_params(labelbottom=False)
    lower.set(ylim=(-0.03, 1.03), ylabel="share so far")
    return lower
