"""Confidence intervals of means over topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.names import INTERVAL, LEAST_INTERVAL, TIE_DECIMALS
from pt_fairness.analysis.per_query import long_form, per_query
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.messages import at_least, one_of, shown


def intervals(perquery: pd.DataFrame, method: Literal["t", "bca"] = "bca",
              confidence: float = 0.95, resamples: int = 9999, seed: int = 0,
              undefined: Literal["count", "drop"] = "count") -> pd.DataFrame:
    """Return the mean of each system and measure over the topics, with a confidence interval.

    The interval is for topics like those of the frame. All systems and measures share the resamples
    of the bootstrap.

    Source: Efron (1987), equations 2.3 and 6.6, as scipy's ``bootstrap`` and the evaluation of TREC
    Fair Ranking 2022 use it. Unlike there, resampled means that are equal to the mean to 12
    decimals are ties.

    :param perquery: ``name, qid, measure, value``
    :param method: ``'bca'``, a bias-corrected and accelerated bootstrap over topics, or ``'t'``,
        the mean ± t·s/√n of Student's distribution
    :param confidence: the confidence level
    :param resamples: the number of resamples of the bootstrap
    :param seed: the seed of the bootstrap
    :param undefined: ``'count'``: undefined topics have the value 0.0, as in the means of
        :func:`pt_fairness.evaluate`; ``'drop'`` leaves them out, in a frame of it
    :returns: ``name, measure, n`` (topics with a value), ``mean, low, high``. ``low`` and ``high``
        are NaN for fewer than three topics, and the mean if all values are equal
    :raises ValueError: an unknown method, a confidence level outside (0, 1), a number of resamples
        below 1, or ``undefined='drop'`` for a frame that does not know its undefined topics

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3", "4"], "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.6]})
    >>> analysis.intervals(perquery).round(3)
      name measure  n  mean   low   high
    0    A  rKL@10  4   0.3  0.15  0.525
    """
    check(confidence, resamples, method)
    return mean_intervals(values_of(perquery, undefined), ["name", "measure"], perquery,
                          method=method, confidence=confidence, resamples=resamples, seed=seed)


def check(confidence: Any, resamples: Any = 1, method: Any = "t") -> None:
    """Check options of an interval.

    :raises ValueError: one is not possible
    """
    if not isinstance(confidence, (int, float)) or not 0 < confidence < 1:
        raise ValueError(f"the confidence level {shown(confidence)} is not possible; it takes a "
                         "number above 0 and below 1, such as 0.95")
    at_least(1, "resamples", resamples)
    one_of("method", method, ("t", "bca"))


def values_of(perquery: pd.DataFrame, undefined: str) -> pd.DataFrame:
    """Return a per-query frame, with NaN for undefined topics if they are dropped.

    :param undefined: ``'count'`` or ``'drop'``
    :raises ValueError: another value, or the frame does not know its undefined topics
    """
    one_of("undefined", undefined, ("count", "drop"))
    frame = per_query(perquery)
    if undefined == "count":
        return frame
    known = long_form(perquery)["undefined"]
    if known.isna().any():
        raise ValueError("undefined='drop' needs to know the undefined topics, which only the "
                         "frames of pt_fairness.evaluate say (in attrs['undefined'])")
    return frame.assign(value=frame["value"].mask(known.to_numpy(bool)))


def by_topic(frame: pd.DataFrame, keys: Sequence[str]) -> tuple[pd.DataFrame, Floats]:
    """Return the values of a per-query frame as a matrix of topics, sorted by id, and cells.

    :param keys: the columns that make a cell, two or more
    :returns: the keys of each cell, in order of appearance, and the values ``[T, cells]``, NaN
        where there is none
    """
    heads = frame[[*keys]].drop_duplicates(ignore_index=True)
    table = frame.pivot(index="qid", columns=[*keys], values="value")
    return heads, table.reindex(columns=pd.MultiIndex.from_frame(heads)).to_numpy()


def mean_intervals(frame: pd.DataFrame, keys: Sequence[str], perquery: pd.DataFrame,
                   **options: Any) -> pd.DataFrame:
    """Return ``n, mean, low, high`` of each cell, after its keys.

    :param frame: ``qid, value`` and ``keys``
    :param perquery: the frame whose ``attrs`` the result has
    :param options: those of :func:`interval`
    """
    heads, values = by_topic(frame, keys)
    low, high = interval(values, **options)
    n, mean, _ = moments(values)
    result = heads.assign(n=n, mean=mean, low=low, high=high)
    result.attrs = {**perquery.attrs, INTERVAL: {key: options[key] for key in
                                                 ("method", "confidence")}}
    return result


def moments(values: Floats) -> tuple[Any, Floats, Floats]:
    """Return the number of topics with a value, their mean and their standard deviation.

    The standard deviation is 0 if all values are equal, and NaN for fewer than two.

    :param values: ``[T, cells]``, NaN where there is none
    :returns: ``[cells]`` each
    """
    table = pd.DataFrame(values)
    even = (table.max() - table.min()).round(TIE_DECIMALS) == 0
    return table.count().to_numpy(), table.mean().to_numpy(), (table.std() * ~even).to_numpy()


def by_size(values: Floats, cells: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield the cells that have equally many values, and these values, ``[cells, n]``.

    :param values: ``[T, cells]``, NaN where there is none
    :param cells: the cells that are wanted
    """
    count = (~np.isnan(values[:, cells])).sum(axis=0)
    for size in np.unique(count):
        some = cells[count == size]
        yield some, values.T[some][~np.isnan(values.T[some])].reshape(-1, size)


def interval(values: Floats, method: str, confidence: float, resamples: int = 1,
             seed: int = 0) -> tuple[Floats, Floats]:
    """Return the lower and the upper ends of the intervals of means, ``[cells]`` each.

    :param values: ``[T, cells]``, topics sorted by id, NaN where there is none
    """
    from scipy import stats
    n, mean, sd = moments(values)
    if method == "t":
        half = stats.t.ppf((1 + confidence) / 2, np.maximum(n - 1, 1)) * sd / np.sqrt(n)
        half[n < LEAST_INTERVAL] = np.nan
        return mean - half, mean + half
    ends = np.where(n < LEAST_INTERVAL, np.nan, [mean, mean])
    for cells, columns in by_size(values, np.flatnonzero((sd > 0) & (n >= LEAST_INTERVAL))):
        size = columns.shape[1]
        counts = [np.bincount(row, minlength=size) for row in
                  np.random.default_rng(seed).integers(0, size, (resamples, size))]
        resampled = columns @ np.array(counts, float).T / size
        for cell, own, means in zip(cells, columns, resampled, strict=True):
            ends[:, cell] = _bca(own, means, confidence)
    return ends[0], ends[1]


def t_test(n: Any, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Return t and the two-sided p-value of one-sample t-tests of a mean of 0, ``[cells]`` each.

    Both are NaN for fewer than two values and if all values are 0. If all values are equal and not
    0, t is ±∞ and p is 0. The arguments are those that :func:`moments` returns.
    """
    from scipy import stats
    with np.errstate(invalid="ignore", divide="ignore"):
        t = mean / (sd / np.sqrt(n))
    return t, np.asarray(2 * stats.t.sf(abs(t), np.maximum(n - 1, 1)))


def _bca(values: Floats, means: Floats, confidence: float) -> Any:
    """Return the ends of the BCa interval of a mean.

    :param values: ``[n]``, not all equal
    :param means: the means of the resamples, ``[resamples]``
    """
    from scipy.special import ndtr, ndtri
    mean = values.mean()
    # Rounding the difference, because equal means can lie on both sides of a rounding boundary.
    gap = (means - mean).round(TIE_DECIMALS)
    errors = values - mean
    acceleration = (errors ** 3).sum() / (6 * (errors ** 2).sum() ** 1.5)
    bias = ndtri(((gap < 0).mean() + (gap <= 0).mean()) / 2)
    shifted = bias + ndtri([(1 - confidence) / 2, (1 + confidence) / 2])
    with np.errstate(invalid="ignore"):  # all resampled means on one side: NaN
        levels = ndtr(bias + shifted / (1 - acceleration * shifted))
    return np.nan if np.isnan(levels).any() else np.quantile(means, levels)
