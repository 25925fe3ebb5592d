"""Means of groups of topics, and how much they differ."""

from __future__ import annotations

import itertools
import math
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.directions import LARGER, SMALLER, direction, distance
from pt_fairness.analysis.frames import fairness_measure, is_constant, per_query
from pt_fairness.analysis.inputs import topic_memberships
from pt_fairness.analysis.statistics import matrix
from pt_fairness.core.arrays import TIE_DECIMALS, Bools, Floats, Ints
from pt_fairness.core.messages import at_least
from pt_fairness.measures.measure import FairnessMeasure


def topic_gaps(perquery: pd.DataFrame, groups: Any, resamples: int = 9999,
               seed: int = 0) -> pd.DataFrame:
    """Return how much the mean of each system and measure differs between groups of topics.

    The p-value is that of a permutation test in which the topics exchange their groups. It tests
    whether the values have the same *distribution* in all groups, not only the same mean. Topics
    without a value (NaN) are left out.

    :param perquery: ``name, qid, measure, value``, of any measures
    :param groups: the groups of topics, as of :func:`topic_groups`
    :param resamples: the number of random permutations; all permutations if there are no more
    :param seed: the seed of the permutations
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
    frame = per_query(perquery)
    members = topic_memberships(groups, frame)
    frame = frame[frame["qid"].isin(members["qid"])]
    heads, values = matrix(frame, ["name", "measure"])
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
        gap = _gap(y, is_member, of_topics.columns, measure)
        test = _permuted(y, is_member, *orders[size])
        rows.append((*gap, *test))
    table = pd.DataFrame(rows, columns=["groups", "worst", "worst mean", "range", "sd", "gini", "p",
                                        "chance"])
    return heads.join(table)


def _gap(y: Floats, member: Bools, labels: Any, measure: str) -> tuple[Any, ...]:
    """Return a row of the result, from ``groups`` to ``gini``.

    :param y: the values, ``[N]``
    :param member: the groups of each topic, ``[N, G]``
    """
    n = len(labels)
    if not n:
        return (0, None, *[nan] * 4)
    x = y @ member / member.sum(axis=0)
    end = direction(measure)
    gini = _gini(x, y, end, fairness_measure(measure))
    worst = None
    worst_mean = nan
    if end is not None:
        far = distance(x, end)
        place = far.round(TIE_DECIMALS).argmax()
        worst = labels[place]
        worst_mean = x[place]
    return n, worst, worst_mean, np.ptp(x), x.std(), gini


def _gini(x: Floats, y: Floats, end: str | None, measure: FairnessMeasure | None) -> float:
    """Return the Gini coefficient of means, NaN where it is not defined.

    :param x: the means, ``[G]``
    :param y: the values, ``[N]``
    """
    if end == SMALLER and measure is not None and tuple(measure.RANGE) == (0, 1):
        x = 1 - x
        y = 1 - y
    elif end != LARGER:
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
