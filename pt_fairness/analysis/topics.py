"""Values by groups of topics, and the gaps between the groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.analysis.columns import TIE_DECIMALS, is_constant, measure_of
from pt_fairness.analysis.directions import LARGER, SMALLER, direction_of, from_best
from pt_fairness.analysis.inference import by_topic, check, mean_intervals, values_of
from pt_fairness.core.arrays import Bools, Floats
from pt_fairness.core.messages import shown, warn
from pt_fairness.io.frames import need_columns


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
    >>> domains = {"1": "health", "2": "health", "3": "sport", "4": ["sport", "law"]}
    >>> analysis.topic_groups(perquery, domains).round(3)
      name measure   group  n  mean    low   high
    0    A  rKL@10  health  2  0.15 -0.485  0.785
    1    A  rKL@10     law  1  0.60    NaN    NaN
    2    A  rKL@10   sport  2  0.45 -1.456  2.356
    """
    check(confidence, resamples, method)
    frame = values_of(perquery, undefined)
    frame = frame.assign(cell=frame.groupby(["name", "measure"], sort=False).ngroup())
    frame = frame.merge(_members(groups, frame), on="qid")
    return mean_intervals(frame.sort_values(["cell", "group"], kind="stable"),
                          ["name", "measure", "group"], perquery, method=method,
                          confidence=confidence, resamples=resamples, seed=seed)


def topic_gaps(perquery: pd.DataFrame, groups: Any, resamples: int = 9999, seed: int = 0,
               undefined: Literal["count", "drop"] = "count") -> pd.DataFrame:
    """Return how much the mean of each system and measure differs between groups of topics.

    The p-value is that of a permutation test in which the topics exchange their groups. It tests
    whether the values have the same *distribution* in all groups, not only the same mean. Undefined
    topics count 0.0, which is perfectly fair for measures of unfairness; ``undefined='drop'``
    leaves them out.

    :param perquery: ``name, qid, measure, value``, of any measures
    :param groups: the groups of topics, as of :func:`topic_groups`
    :param resamples: the number of permutations; all are taken if there are at most as many
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
        * ``chance``: the mean range over the permutations: the range without any difference
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
    check(0.95, resamples)
    frame = values_of(perquery, undefined)
    members = _members(groups, frame)
    frame = frame[frame["qid"].isin(members["qid"])]
    heads, values = by_topic(frame, ["name", "measure"])
    member = pd.crosstab(members["qid"], members["group"]).sort_index().to_numpy() > 0
    labels = np.sort(members["group"].unique())
    orders = {size: _orders(size, resamples, seed)
              for size in np.unique((~np.isnan(values)).sum(axis=0)).tolist()}
    rows = []
    for measure, y in zip(heads["measure"], values.T, strict=True):
        own, y = member[~np.isnan(y)], y[~np.isnan(y)]
        used = own.any(axis=0)
        rows.append([*_gap(y, own[:, used], labels[used], measure, perquery),
                     *_permuted(y, own[:, used], *orders[len(y)])])
    result = heads.join(pd.DataFrame(rows, columns=[
        "groups", "worst", "worst mean", "range", "sd", "gini", "p", "chance"]))
    result.attrs = dict(perquery.attrs)
    return result


def _source(groups: Any) -> sources.Groups:
    """Return groups of topics as a source whose documents are the topics."""
    if isinstance(groups, pd.DataFrame):
        need_columns(groups, ["qid", "group"], "the frame of topic groups")
        return sources.from_frame(groups[["qid", "group"]].rename(columns={"qid": "docno"}))
    if not isinstance(groups, Mapping) or not groups:
        raise ValueError(f"groups={shown(groups)} are a {type(groups).__name__}; groups of "
                         "topics are a dictionary from topics to labels, or a frame with the "
                         "columns qid and group")
    if not all(isinstance(one, (Mapping, pd.DataFrame)) for one in groups.values()):
        return sources.from_mapping(groups)
    several = [_source(one) for one in groups.values()]
    return several[0] if len(several) == 1 else sources.product(*several)


def _members(groups: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``qid, group`` for each topic of a per-query frame and each of its groups.

    :raises ValueError: no topic has a group
    """
    topics = frame["qid"].unique()
    found = _source(groups).lookup([""] * len(topics), topics.tolist())
    lacking = np.setdiff1d(topics, found["docno"])
    if len(lacking) == len(topics):
        raise ValueError(f"no topic of the frame, such as {topics[0]!r}, has a group; check that "
                         "the ids match")
    if len(lacking):
        warn(f"{len(lacking)} of {len(topics)} topics (the first is {lacking[0]!r}) have no group "
             "and are left out")
    return found[["docno", "group"]].rename(columns={"docno": "qid"})


def _gap(y: Floats, own: Bools, labels: Any, measure: str, perquery: pd.DataFrame) -> list[Any]:
    """Return a row of the result, from ``groups`` to ``gini``.

    :param y: the values, ``[N]``
    :param own: the groups of each topic, ``[N, G]``
    """
    if not len(labels):
        return [0, None, *[math.nan] * 4]
    x = y @ own / own.sum(axis=0)
    direction, known = direction_of(measure, perquery), measure_of(measure, perquery)
    worst = None if direction is None \
        else int(from_best(x, direction).round(TIE_DECIMALS).argmax())
    turned = direction == SMALLER and known is not None and tuple(known.RANGE) == (0, 1)
    good, means = (1 - y, np.sort(1 - x)) if turned else (y, np.sort(x))
    total = len(x) * means.sum()
    defined = (turned or direction == LARGER) and good.round(TIE_DECIMALS).min() >= 0 \
        and total.round(TIE_DECIMALS) > 0
    place = 2 * np.arange(len(x)) + 1 - len(x)
    return [len(x), None if worst is None else labels[worst],
            math.nan if worst is None else x[worst], np.ptp(x), x.std(),
            (place * means).sum() / total if defined else math.nan]


def _permuted(y: Floats, own: Bools, orders: Any, complete: bool) -> tuple[float, float]:
    """Return the p-value and the mean range of group means under permutations.

    :param y: the values of the topics, sorted by id, ``[N]``
    :param own: the groups of each topic, ``[N, G]``
    :param orders: the topic whose value each topic takes, ``[permutations, N]``
    :param complete: whether these are all permutations
    """
    if own.shape[1] < 2 or is_constant(y):
        return math.nan, 0.0 if own.shape[1] else math.nan
    size = own.sum(axis=0)
    means = np.vstack([y, y[orders]]) @ own / size
    found = ((means - y.mean()) ** 2 @ size).round(TIE_DECIMALS)
    hits, more = (found[1:] >= found[0]).sum(), int(not complete)
    return float((more + hits) / (more + len(orders))), float(np.ptp(means[1:], axis=1).mean())


def _orders(size: int, resamples: int, seed: int) -> tuple[Any, bool]:
    """Return permutations of topics, and whether these are all, which are at most ``resamples``."""
    if math.factorial(size) <= resamples:
        return np.array(list(itertools.permutations(range(size)))), True
    return np.random.default_rng(seed).random((resamples, size)).argsort(axis=1), False
