"""The sections on groups of topics and on uncertain labels, as variables of the template."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import analysis
from pt_fairness.tables.significance import short_p

#: The confidence level of the intervals, where the report has no other.
CONFIDENCE = 0.95


def of_topic_groups(perquery: pd.DataFrame, groups: Any, confidence: float | None,
                    digits: int) -> dict[str, Any]:
    """Return the section on groups of topics, with a table for each measure.

    :param perquery: the values per topic
    :param groups: as of :func:`pt_fairness.analysis.topic_groups`
    :param confidence: the confidence level of the intervals; ``None`` for 95 %
    :param digits: the number of decimals
    """
    level = confidence or CONFIDENCE
    means = analysis.topic_groups(perquery, groups, confidence=level)
    gaps = analysis.topic_gaps(perquery, groups).set_index(["name", "measure"])
    means["text"] = _with_ends(means["mean"], means["low"], means["high"], digits)
    tables = []
    for measure, part in means.groupby("measure", sort=False):
        sizes = part.groupby("group")["n"].max()
        cells = part.pivot(index="name", columns="group", values="text").fillna("–")
        rows = []
        for name in part["name"].unique():
            gap = gaps.loc[(name, measure)]
            rows.append([name, *cells.loc[name, sizes.index], _number(gap["range"], digits),
                         _number(gap["chance"], digits),
                         "–" if np.isnan(gap["p"]) else short_p(gap["p"])])
        heads = ["system", *(f"{group} (n = {n})" for group, n in sizes.items()), "range",
                 "range by chance", "p"]
        tables.append({"title": measure, "heads": heads, "rows": rows})
    return {"id": "topic-groups", "title": "Groups of topics", "tables": tables, "lead":
            f"Means over the topics of each group, with {100 * level:g} % t intervals. The range "
            "is the largest minus the smallest mean. By chance it is the mean range where the "
            "topics exchange their groups at random; p is of a permutation test that the values "
            "have the same distribution in all groups, not corrected for several systems or "
            "measures."}


def of_uncertain_labels(found: pd.DataFrame, draws: int, confidence: float | None,
                        digits: int) -> dict[str, Any]:
    """Return the section on uncertain labels.

    :param found: the result of :func:`pt_fairness.analysis.uncertain_labels`
    :param draws: the number of draws, and ``confidence`` and ``digits`` as of
        :func:`of_topic_groups`
    """
    level = confidence or CONFIDENCE
    columns = [found["name"], found["measure"],
               _with_ends(found["mean"], found["low"], found["high"], digits),
               _with_ends(found["mean"], found["label low"], found["label high"], digits, True),
               ["–" if np.isnan(one) else f"{one:.0%}" for one in found["share"]],
               [_number(one, digits) for one in found["most probable"]]]
    return {"id": "uncertain", "title": "Uncertain labels", "tables": [{
        "title": "", "rows": list(map(list, zip(*columns, strict=True))),
        "heads": ["system", "measure", f"mean [{100 * level:g} % interval]",
                  "for these topics", "share of the labels", "with the likeliest labels"]}],
            "lead": f"The weights of the groups are read as probabilities: each of {draws} draws "
                    "gives every document one label. The interval of the mean covers the choice of "
                    "the topics and the labels, and the share is the part of its variance that is "
                    "the labels'. The interval for these topics covers the labels alone."}


def _number(value: float, digits: int) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def _with_ends(means: Any, lows: Any, highs: Any, digits: int, ends_only: bool = False
               ) -> list[str]:
    texts = []
    for mean, *ends in zip(means, lows, highs, strict=True):
        low, high = (_number(end, digits) for end in ends)
        interval = "" if low == "–" else f"[{low}, {high}]"
        texts.append(interval if ends_only else f"{_number(mean, digits)} {interval}".strip())
    return texts
