"""The sections on groups of topics and on uncertain labels, as variables of the template."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pt_fairness import analysis
from pt_fairness.analysis.significance import short_p


def of_topic_groups(perquery: pd.DataFrame, groups: Any, level: float,
                    digits: int) -> dict[str, Any]:
    """Return the title, the lead and a table for each measure of the section on groups of topics.

    :param perquery: the values per topic
    :param groups: as of :func:`pt_fairness.analysis.topic_groups`
    :param level: the confidence level of the intervals
    :param digits: the number of decimals
    """
    means = analysis.topic_groups(perquery, groups, confidence=level)
    means["text"] = _texts(digits, means["mean"], means["low"], means["high"])
    means["head"] = means["group"] + " (n = " + means["n"].astype(str) + ")"
    tables = []
    for measure, gap in analysis.topic_gaps(perquery, groups).groupby("measure", sort=False):
        cells = means[means["measure"] == measure].pivot(index="name", columns="head",
                                                         values="text")
        ends = pd.DataFrame({"system": gap["name"], **{
            name: cells.loc[gap["name"], name].fillna("–").to_numpy() for name in cells}, **{
            head: _texts(digits, gap[column]) for head, column in (
                ("range", "range"), ("range by chance", "chance"))},
            "p": ["–" if pd.isna(p) else short_p(p) for p in gap["p"]]})
        tables.append((measure, ends))
    return {"id": "topic-groups", "title": "Groups of topics", "tables": tables, "lead":
            f"Means over the topics of each group, with {100 * level:g} % t intervals. The range "
            "is the largest minus the smallest mean. By chance it is the mean range where the "
            "topics exchange their groups at random; p is of a permutation test that the values "
            "have the same distribution in all groups, not corrected for several systems or "
            "measures."}


def of_uncertain_labels(found: pd.DataFrame, draws: int, level: float,
                        digits: int) -> dict[str, Any]:
    """Return the title, the lead and the table of the section on uncertain labels.

    :param found: the result of :func:`pt_fairness.analysis.uncertain_labels`
    :param draws: the number of draws
    :param level: the confidence level of the intervals
    :param digits: the number of decimals
    """
    table = pd.DataFrame({
        "system": found["name"], "measure": found["measure"],
        f"mean [{100 * level:g} % interval]": _texts(digits, *map(found.get, ("mean", "low",
                                                                              "high"))),
        "for these topics": _texts(digits, found["label low"], found["label high"]),
        "share of the labels": ["–" if pd.isna(one) else f"{one:.0%}" for one in found["share"]],
        "with the likeliest labels": _texts(digits, found["most probable"])})
    return {"id": "uncertain", "title": "Uncertain labels", "tables": [("", table)], "lead":
            f"The weights of the groups are read as probabilities: each of {draws} draws gives "
            "every document one label. The interval of the mean covers the choice of the topics "
            "and the labels, and the share is the part of its variance that is the labels'. The "
            "interval for these topics covers the labels alone."}


def _texts(digits: int, *columns: Any) -> list[str]:
    """Return numbers, intervals, or means with intervals, for one, two or three columns."""
    form = ("{}", "[{}, {}]", "{} [{}, {}]")[len(columns) - 1]
    return [form.format(*(f"{number:.{digits}f}" for number in row)).replace("-", "−").replace(
        " [nan, nan]", "").replace("nan", "–") for row in zip(*columns, strict=True)]
