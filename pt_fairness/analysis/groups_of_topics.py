"""Means of groups of topics, and how much they differ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from math import nan
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.analysis.columns import (
    LARGER,
    SMALLER,
    TIE_DECIMALS,
    direction_of,
    from_best,
    is_constant,
    measure_of,
)
from pt_fairness.analysis.inference import by_topic, mean_intervals, values_of
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.identifiers import as_frame
from pt_fairness.core.messages import at_least, shown, warn
from pt_fairness.io.files import need_columns
from pt_fairness.measures.measure import FairnessMeasure


def topic_groups(perquery: pd.DataFrame, groups: Any, method: Literal["t", "bca"] = "t",
                 confidence: float = 0.95, resamples: int = 9999, seed: int = 0,
                 undefined: Literal["count", "drop"] = "count") -> pd.DataFrame:
    """Return the mean of each system and measure in each group of topics, with an interval.

    A topic counts wholly in each of its groups. Topics without a group are left out, with one
    warning.

    :param perquery: ``name, qid, measure, value``, of any measures
    :param groups: a dictionary from topics to labels or lists of labels, a frame with the columns
        ``qid, group``, or a dictionary from names, such as ``'domain'`` and ``'type'``, to such
        dictionaries and frames: the groups are then their intersections, with labels ``a|b``
    :param method: as of :func:`intervals`, and so are ``confidence``, ``resamples``, ``seed`` and
        ``undefined``
    :returns: ``name, measure, group, n`` (topics with a value), ``mean, low, high``
    :raises ValueError: no topic of the frame has a group, a label that contains ``|`` in an
        intersection, or an option that :func:`intervals` does not take

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3", "4"], "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.6]})
    >>> domains = {"1": "health", "2": "health", "3": "health", "4": ["sport", "law"]}
    >>> analysis.topic_groups(perquery, domains).round(3)
      name measure   group  n  mean    low   high
    0    A  rKL@10  health  3   0.2 -0.048  0.448
    1    A  rKL@10     law  1   0.6    NaN    NaN
    2    A  rKL@10   sport  1   0.6    NaN    NaN
    """
    frame = values_of(perquery, undefined)
    cells = frame.groupby(["name", "measure"], sort=False)
    frame["cell"] = cells.ngroup()
    members = _members(groups, frame)
    frame = frame.merge(members, on="qid")
    frame = frame.sort_values(["cell", "group"], kind="stable")
    keys = ["name", "measure", "group"]
    return mean_intervals(frame, keys, perquery, method, confidence, resamples, seed)


def topic_gaps(perquery: pd.DataFrame, groups: Any, resamples: int = 9999, seed: int = 0,
               undefined: Literal["count", "drop"] = "count") -> pd.DataFrame:
    """Return how much the mean of each system and measure differs between groups of topics.

    The p-value is that of a permutation test in which the topics exchange their groups. It tests
    whether the values have the same *distribution* in all groups, not only the same mean. Undefined
    topics count 0.0, which is perfectly fair for measures of unfairness; ``undefined='drop'``
    leaves them out.

    :param perquery: ``name, qid, measure, value``, of any measures
    :param groups: the groups of topics, as of :func:`topic_groups`
    :param resamples: the number of random permutations; all permutations if there are no more
    :param seed: the seed of the permutations
    :param undefined: as of :func:`intervals`
    :returns: ``name, measure`` and

        * ``groups``: the number of groups with a value
        * ``worst, worst mean``: the group with the worst mean (the largest absolute one for signed
          measures) and its mean; missing if neither larger nor smaller values are better
        * ``range, sd``: the largest minus the smallest mean, and their standard deviation
        * ``gini``: the Gini coefficient of the means, from 0, equal. Measures of unfairness with
          the range [0, 1] enter as one minus the value; it is NaN for other measures of which less
          is better, for signed ones, for negative values, and if all means are 0
        * ``p``: the p-value of the test; NaN for one group and if all values are equal
        * ``chance``: the mean range over the permutations, expected if the groups do not differ
    :raises ValueError: no topic of the frame has a group, or an option that is not possible

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3", "4"], "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.6]})
    >>> domains = {"1": "health", "2": "health", "3": "sport", "4": "sport"}
    >>> analysis.topic_gaps(perquery, domains).drop(columns=["name", "measure"]).round(3)
       groups  worst  worst mean  range    sd   gini      p  chance
    0       2  sport        0.45    0.3  0.15  0.107  0.333     0.2
    """
    at_least(1, "resamples", resamples)
    frame = values_of(perquery, undefined)
    members = _members(groups, frame)
    frame = frame[frame["qid"].isin(members["qid"])]
    heads, values = by_topic(frame, ["name", "measure"])
    member = pd.crosstab(members["qid"], members["group"]) > 0
    orders = {}
    rows = []
    for measure, y in zip(heads["measure"], values.T, strict=True):
        defined = ~np.isnan(y)
        size = int(defined.sum())
        if size not in orders:
            orders[size] = _orders(size, resamples, seed)
        y = y[defined]
        of_topics = member[defined]
        of_topics = of_topics.loc[:, of_topics.any()]
        is_member = of_topics.to_numpy()
        gap = _gap(y, is_member, of_topics.columns, measure, perquery)
        test = _permuted(y, is_member, *orders[size])
        rows.append((*gap, *test))
    table = pd.DataFrame(rows, columns=["groups", "worst", "worst mean", "range", "sd", "gini", "p",
                                        "chance"])
    table = heads.join(table)
    table.attrs = dict(perquery.attrs)
    return table


def _source(groups: Any) -> sources.Groups:
    """Return the group source of topics, with a topic in the place of a document."""
    groups = as_frame(groups)
    if isinstance(groups, pd.DataFrame):
        need_columns(groups, ["qid", "group"], "the frame of topic groups")
        frame = groups[["qid", "group"]]
        return sources.from_frame(frame.rename(columns={"qid": "docno"}))
    if not isinstance(groups, Mapping) or not groups:
        raise ValueError(f"groups={shown(groups)} are a {type(groups).__name__}; groups of "
                         "topics are a dictionary from topics to labels, or a frame with the "
                         "columns qid and group")
    if not all(isinstance(part, (Mapping, pd.DataFrame)) for part in groups.values()):
        return sources.from_mapping(groups)
    parts = [_source(part) for part in groups.values()]
    if len(parts) == 1:
        return parts[0]
    return sources.product(*parts)


def _members(groups: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``qid, group`` for each topic of a per-query frame and each of its groups.

    :raises ValueError: no topic has a group
    """
    topics = frame["qid"].unique()
    qids = topics.tolist()
    members = _source(groups).lookup([""] * len(qids), qids)
    lacking = np.setdiff1d(topics, members["docno"])
    if len(lacking) == len(topics):
        raise ValueError(f"no topic of the frame, such as {topics[0]!r}, has a group; check that "
                         "the ids match")
    if len(lacking):
        warn(f"{len(lacking)} of {len(topics)} topics (the first is {lacking[0]!r}) have no group "
             "and are left out")
    return members[["docno", "group"]].set_axis(["qid", "group"], axis=1)


def _gap(y: Floats, member: Bools, labels: Any, measure: str,
         perquery: pd.DataFrame) -> tuple[Any, ...]:
    """Return a row of the result, from ``groups`` to ``gini``.

    :param y: the values, ``[N]``
    :param member: the groups of each topic, ``[N, G]``
    """
    n = len(labels)
    if not n:
        return (0, None, *[nan] * 4)
    x = y @ member / member.sum(axis=0)
    direction = direction_of(measure, perquery)
    of_column = measure_of(measure, perquery)
    gini = _gini(x, y, direction, of_column)
    worst = None
    worst_mean = nan
    if direction is not None:
        distance = from_best(x, direction)
        place = distance.round(TIE_DECIMALS).argmax()
        worst = labels[place]
        worst_mean = x[place]
    return n, worst, worst_mean, np.ptp(x), x.std(), gini


def _gini(x: Floats, y: Floats, direction: str | None, measure: FairnessMeasure | None) -> float:
    """Return the Gini coefficient of means, NaN where it is not defined.

    :param x: the means, ``[G]``
    :param y: the values, ``[N]``
    """
    if direction == SMALLER and measure is not None and tuple(measure.RANGE) == (0, 1):
        x = 1 - x
        y = 1 - y
    elif direction != LARGER:
        return nan
    n = len(x)
    total = n * x.sum()
    if y.min().round(TIE_DECIMALS) < 0 or total.round(TIE_DECIMALS) <= 0:
        return nan
    weights = 2 * np.arange(n) + 1 - n
    return weights @ np.sort(x) / total


def _permuted(y: Floats, member: Bools, orders: Ints, complete: bool) -> tuple[float, float]:
    """Return the p-value and the mean range of group means under permutations.

    :param y: the values of the topics, sorted by id, ``[N]``
    :param member: the groups of each topic, ``[N, G]``
    :param orders: the topic whose value each topic takes, ``[permutations, N]``
    :param complete: whether these are all permutations
    """
    groups = member.shape[1]
    if groups < 2 or is_constant(y):
        return nan, 0.0 if groups else nan
    size = member.sum(axis=0)
    values = np.vstack([y, y[orders]])
    means = values @ member / size
    squares = (means - y.mean()) ** 2
    spread = squares @ size
    spread = spread.round(TIE_DECIMALS)
    ranges = np.ptp(means[1:], axis=1)
    # All permutations include the observed order; it is added to random ones.
    hits = spread[int(complete):] >= spread[0]
    return float(hits.mean()), float(ranges.mean())


def _orders(size: int, resamples: int, seed: int) -> tuple[Ints, bool]:
    """Return all permutations of topics, or random ones if there are more than ``resamples``.

    :returns: the permutations, ``[permutations, size]``, and whether these are all
    """
    if math.factorial(size) <= resamples:
        orders = itertools.permutations(range(size))
        return np.array([*orders]), True
    rng = np.random.default_rng(seed)
    keys = rng.random((resamples, size))
    return keys.argsort(axis=1), False
