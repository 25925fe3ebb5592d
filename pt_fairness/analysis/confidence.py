"""Confidence intervals of means over topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.arrays import Floats
from pt_fairness.tables import TIE_DECIMALS, long_form, per_query

#: The maximum number of resampled means, and of weights of topics, that are floats at a time.
BOOTSTRAP_CELLS = 1 << 22
#: The ways to calculate an interval.
METHODS = ("t", "bca")


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
        are NaN for fewer than two topics, and the mean if all values are equal
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


def check(confidence: Any, resamples: Any, method: Any = "t", option: str = "resamples",
          least: int = 1) -> None:
    """Check options of an interval.

    :param option: the name of the option with the number of resamples
    :param least: its smallest value
    :raises ValueError: one is not possible
    """
    if not isinstance(confidence, (int, float)) or not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} is not possible; it takes a number above 0 "
                         "and below 1, such as 0.95")
    if not isinstance(resamples, (int, np.integer)) or resamples < least:
        raise ValueError(f"{option}={resamples!r} is not possible; it takes a whole number of at "
                         f"least {least}")
    one_of("method", method, METHODS)


def one_of(option: str, value: Any, possible: Sequence[str]) -> None:
    """Check that an option has one of its values.

    :raises ValueError: it has another value
    """
    if value not in possible:
        raise ValueError(f"{option}={value!r} is not possible; it takes "
                         f"{' or '.join(map(repr, possible))}")


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

    :param keys: the columns that make a cell, such as ``['name', 'measure']``
    :returns: the keys of each cell, in order of appearance, and the values ``[T, cells]``, NaN
        where there is none
    """
    cells = frame.groupby(list(keys), sort=False).ngroup().to_numpy()
    topics, names = pd.factorize(frame["qid"], sort=True)
    heads = frame[list(keys)].drop_duplicates().reset_index(drop=True)
    values = np.full((len(names), len(heads)), np.nan)
    values[topics, cells] = frame["value"]
    return heads, values


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
    result.attrs = dict(perquery.attrs)
    return result


def moments(values: Floats) -> tuple[Any, Floats, Floats]:
    """Return the number of topics with a value, their mean and their standard deviation.

    The standard deviation is 0 if all values are equal, and NaN for fewer than two.

    :param values: ``[T, cells]``, NaN where there is none
    :returns: ``[cells]`` each
    """
    n = (~np.isnan(values)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 is NaN
        mean = np.nansum(values, axis=0) / n
        sd = np.sqrt(np.nansum((values - mean) ** 2, axis=0) / (n - 1))
    even = np.fmax.reduce(values, axis=0, initial=-np.inf).round(TIE_DECIMALS) \
        == np.fmin.reduce(values, axis=0, initial=np.inf).round(TIE_DECIMALS)
    return n, mean, np.where(n < 2, np.nan, np.where(even, 0.0, sd))


def interval(values: Floats, method: str, confidence: float, resamples: int,
             seed: int) -> tuple[Floats, Floats]:
    """Return the lower and the upper ends of the intervals of means, ``[cells]`` each.

    :param values: ``[T, cells]``, topics sorted by id, NaN where there is none
    """
    from scipy import stats
    n, mean, sd = moments(values)
    ends = np.array([mean, mean])
    ends[:, n < 2] = np.nan
    if method == "t":
        some = sd > 0
        half = stats.t.ppf((1 + confidence) / 2, n[some] - 1) * sd[some] / np.sqrt(n[some])
        ends[:, some] += [-half, half]
    else:
        for some, columns in complete(values, sd > 0):
            ends[:, some] = _bca(columns, confidence, resamples, seed)
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


def complete(values: Floats, wanted: Any) -> Iterator[tuple[Any, Floats]]:
    """Yield the cells with the same number of topics, and their values, ``[cells, n]``.

    :param values: ``[T, cells]``, NaN where there is none
    :param wanted: the mask of the cells to yield; those of fewer than two topics are left out
    """
    n = (~np.isnan(values)).sum(axis=0)
    for size in np.unique(n[wanted & (n > 1)]).tolist():
        some = wanted & (n == size)
        columns = values[:, some].T
        yield some, columns[~np.isnan(columns)].reshape(-1, size)


def draws(seed: int, kinds: int, resamples: int, size: int) -> Iterator[tuple[slice, Any]]:
    """Yield the integers of ``default_rng(seed).integers(0, kinds, (resamples, size))`` in parts.
    """
    rng, step = np.random.default_rng(seed), max(1, BOOTSTRAP_CELLS // size)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        yield slice(start, start + rows), rng.integers(0, kinds, (rows, size))


def _bca(values: Floats, confidence: float, resamples: int, seed: int) -> Floats:
    """Return the ends of the BCa intervals of means, ``[2, cells]``.

    :param values: ``[cells, n]``, not all equal in any cell
    """
    from scipy.stats import norm
    size = values.shape[1]
    counts = np.zeros((resamples, size), np.min_scalar_type(size))
    for rows, drawn in draws(seed, size, resamples, size):
        cells = drawn + np.arange(len(drawn))[:, None] * size
        counts[rows] = np.bincount(cells.ravel(), minlength=cells.size).reshape(cells.shape)
    mean = values.mean(axis=1)
    errors = values - mean[:, None]
    acceleration = (errors ** 3).sum(axis=1) / (6 * (errors ** 2).sum(axis=1) ** 1.5)
    z = norm.ppf([(1 - confidence) / 2, (1 + confidence) / 2])[:, None]
    ends = np.empty((2, len(values)))
    for part, sums in resampled(values, counts):
        means = sums / size
        rounded, centre = means.round(TIE_DECIMALS), mean[part, None].round(TIE_DECIMALS)
        bias = z + norm.ppf(((rounded < centre).mean(axis=1) + (rounded <= centre).mean(axis=1))
                            / 2)
        with np.errstate(invalid="ignore"):  # all resampled means on one side: NaN
            level = norm.cdf(bias - z + bias / (1 - acceleration[part] * bias))
        ends[:, part] = _quantiles(means, level)
    return ends


def _quantiles(values: Floats, level: Floats) -> Floats:
    """Return quantiles by linear interpolation, ``[2, cells]``; NaN for a level of NaN.

    :param values: ``[cells, resamples]``
    :param level: ``[2, cells]``
    """
    last = values.shape[1] - 1
    place = np.nan_to_num(level) * last
    below = place.astype(np.int64)
    first, end = below.min(axis=1), np.minimum(below.max(axis=1) + 1, last)
    # Only the values around the quantiles have to be sorted.
    values = np.partition(values, np.append(first, end), axis=1)
    found = []
    for i in range(2):
        near = np.sort(values[:, first[i]:end[i] + 1], axis=1)
        low, high = (np.take_along_axis(near, np.minimum(k, near.shape[1] - 1)[:, None], 1)[:, 0]
                     for k in (below[i] - first[i], below[i] - first[i] + 1))
        found.append(low + (place[i] - below[i]) * (high - low))
    return np.where(np.isnan(level), np.nan, found)


def resampled(values: Floats, weights: Any) -> Iterator[tuple[slice, Floats]]:
    """Yield the weighted sums of the values of some cells at a time, ``[cells, resamples]``.

    :param values: ``[cells, n]``
    :param weights: the weight of each topic in each resample, ``[resamples, n]``, integers
    """
    cells = max(1, BOOTSTRAP_CELLS // len(weights))
    rows = max(1, BOOTSTRAP_CELLS // weights.shape[1])
    for start in range(0, len(values), cells):
        part = slice(start, start + cells)
        yield part, np.hstack([values[part] @ weights[i:i + rows].T.astype(float)
                               for i in range(0, len(weights), rows)])
