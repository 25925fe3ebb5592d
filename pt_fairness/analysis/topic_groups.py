"""How much the means of groups of topics differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.directions import LARGER, SMALLER, direction, distance
from pt_fairness.analysis.exposure import gini
from pt_fairness.analysis.frames import fairness_measure, is_constant, per_query
from pt_fairness.analysis.inputs import topic_memberships
from pt_fairness.analysis.statistics import RESAMPLES, matrix
from pt_fairness.core.arrays import TIE_DECIMALS, Bools, Floats
from pt_fairness.core.messages import at_least

#: The columns of the result behind ``name`` and ``measure``.
COLUMNS = ["groups", "worst", "worst mean", "range", "sd", "gini", "p", "chance"]


def topic_gaps(perquery: pd.DataFrame, groups: Any, resamples: int = RESAMPLES,
               seed: int = 0) -> pd.DataFrame:
    """Return how much the mean of each system and measure differs between groups of topics.

    In the permutation test, the topics exchange their groups. The test is whether the values have
    the same *distribution* in all groups, not only the same mean. Topics without a value (NaN) are
    left out.

    :param perquery: ``name, qid, measure, value``, of any measures
    :param groups: the groups of topics, in any form of ``by`` of
        :func:`~pt_fairness.analysis.intervals`
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
    :raises ValueError: if no topic of the frame has a group, or ``resamples`` is below 1

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
    rows = []
    for measure, y in zip(heads["measure"], values.T, strict=True):
        defined = ~np.isnan(y)
        present = member[defined]
        present = present.loc[:, present.any()]
        row = {"groups": present.shape[1]}
        if defined.any():
            row |= _gap(y[defined], present, measure)
            row |= _permuted(y[defined], present.to_numpy(), resamples, seed)
        rows.append(row)
    return heads.join(pd.DataFrame(rows, columns=COLUMNS))


def _gap(y: Floats, member: pd.DataFrame, measure: str) -> dict[str, Any]:
    """Return the columns from ``worst`` to ``gini``; without those that are undefined.

    :param y: the values, ``[N]``
    :param member: whether each topic is in each group, ``[N, G]``
    """
    x = pd.Series(y @ member.to_numpy(), member.columns) / member.sum()
    gap = {"range": np.ptp(x), "sd": x.std(ddof=0)}
    end = direction(measure)
    if end is not None:
        worst = distance(x, end).round(TIE_DECIMALS).idxmax()
        gap |= {"worst": worst, "worst mean": x[worst]}
    unfairness = fairness_measure(measure)
    if end == SMALLER and unfairness is not None and tuple(unfairness.RANGE) == (0, 1):
        x = 1 - x
    elif end != LARGER or y.min().round(TIE_DECIMALS) < 0:
        return gap
    if x.sum().round(TIE_DECIMALS) > 0:
        gap["gini"] = gini(x.to_numpy(), len(x))
    return gap


def _permuted(y: Floats, member: Bools, resamples: int, seed: int) -> dict[str, float]:
    """Return ``p`` and ``chance``.

    :param y: the values of the topics, ``[N]``
    :param member: whether each topic is in each group, ``[N, G]``
    """
    if member.shape[1] == 1 or is_constant(y):
        return {"chance": 0.0}
    from scipy import stats
    size = member.sum(axis=0)

    def spread_and_range(values: Floats, axis: int) -> Floats:
        x = values @ member / size
        spread = (x - y.mean()) ** 2 @ size
        return np.stack([spread, np.ptp(x, axis)], axis).round(TIE_DECIMALS)

    test = stats.permutation_test([y], spread_and_range, permutation_type="pairings",
                                  vectorized=True, n_resamples=resamples, alternative="greater",
                                  random_state=np.random.default_rng(seed))
    return {"p": test.pvalue[0], "chance": test.null_distribution[:, 1].mean()}
