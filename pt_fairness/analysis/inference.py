"""Intervals of means over topics, biases, and comparisons of systems: tests and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, nan
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    ALPHA,
    CORRECTION,
    INTERVAL,
    LARGER,
    LEAST_INTERVAL,
    LEAST_TESTED,
    NEAR_ZERO,
    SMALLER,
    SYSTEMS,
    TIE_DECIMALS,
    TOO_FEW,
    by_name,
    direction_of,
    per_query,
)
from pt_fairness.analysis.formats import long_form
from pt_fairness.analysis.significance import corrected
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.messages import at_least, did_you_mean, is_whole, one_of, shown, warn


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
    frame = values_of(perquery, undefined)
    keys = ["name", "measure"]
    return mean_intervals(frame, keys, perquery, method, confidence, resamples, seed)


def check(confidence: Any, resamples: Any = 1) -> None:
    """Check the confidence level and the number of resamples of an interval.

    :raises ValueError: one is not possible
    """
    if not isinstance(confidence, (int, float)) or not 0 < confidence < 1:
        raise ValueError(f"the confidence level {shown(confidence)} is not possible; it takes a "
                         "number above 0 and below 1, such as 0.95")
    at_least(1, "resamples", resamples)


def values_of(perquery: pd.DataFrame, undefined: str) -> pd.DataFrame:
    """Return a per-query frame, with NaN for undefined topics if they are dropped.

    :param undefined: ``'count'`` or ``'drop'``
    :raises ValueError: another value, or the frame does not know its undefined topics
    """
    one_of("undefined", undefined, ("count", "drop"))
    frame = per_query(perquery)
    if undefined == "count":
        return frame
    undefined_rows = long_form(perquery)["undefined"]
    if undefined_rows.isna().any():
        raise ValueError("undefined='drop' needs to know the undefined topics, which only the "
                         "frames of pt_fairness.evaluate say (in attrs['undefined'])")
    is_undefined = undefined_rows.to_numpy(bool)
    frame.loc[is_undefined, "value"] = nan
    return frame


def by_topic(frame: pd.DataFrame, keys: list[str]) -> tuple[pd.DataFrame, Floats]:
    """Return the values of a per-query frame as a matrix of topics, sorted by id, and cells.

    :param keys: the columns that make a cell, two or more
    :returns: the keys of each cell, in order of appearance, and the values ``[T, cells]``, NaN
        where there is none
    """
    heads = frame[keys].drop_duplicates(ignore_index=True)
    cells = pd.MultiIndex.from_frame(heads)
    table = frame.pivot(index="qid", columns=keys, values="value")
    table = table.reindex(columns=cells)
    return heads, table.to_numpy()


def mean_intervals(frame: pd.DataFrame, keys: list[str], perquery: pd.DataFrame,
                   method: str, confidence: float, resamples: int, seed: int) -> pd.DataFrame:
    """Return ``n, mean, low, high`` of each cell, after its keys.

    :param frame: ``qid, value`` and ``keys``
    :param perquery: the frame whose ``attrs`` the result has
    :param method: as of :func:`intervals`, and so are the other options
    :raises ValueError: an option is not possible
    """
    check(confidence, resamples)
    one_of("method", method, ("t", "bca"))
    heads, values = by_topic(frame, keys)
    if method == "t":
        low, high = t_interval(values, confidence)
    else:
        low, high = bca_interval(values, confidence, resamples, seed)
    n, mean, _ = moments(values)
    result = heads.assign(n=n, mean=mean, low=low, high=high)
    result.attrs = dict(perquery.attrs)
    result.attrs[INTERVAL] = {"method": method, "confidence": confidence}
    return result


def moments(values: Floats) -> tuple[Any, Floats, Floats]:
    """Return the number of topics with a value, their mean and their standard deviation.

    The standard deviation is 0 if all values are equal, and NaN for fewer than two.

    :param values: ``[T, cells]``, NaN where there is none
    :returns: ``[cells]`` each
    """
    table = pd.DataFrame(values)
    spread = table.max() - table.min()
    varied = spread.round(TIE_DECIMALS) != 0
    sd = table.std() * varied
    n = table.count().to_numpy()
    mean = table.mean().to_numpy()
    return n, mean, sd.to_numpy()


def by_size(values: Floats, cells: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield the cells that have equally many values, and these values, ``[cells, n]``.

    :param values: ``[T, cells]``, NaN where there is none
    :param cells: the numbers of the cells
    """
    columns = values.T[cells]
    present = ~np.isnan(columns)
    count = present.sum(axis=1)
    for size in np.unique(count):
        equal = count == size
        numbers = columns[equal][present[equal]]
        yield cells[equal], numbers.reshape(-1, size)


def t_interval(values: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return the lower and the upper ends of the t intervals of means, ``[cells]`` each.

    :param values: ``[T, cells]``, NaN where there is none
    """
    from scipy import stats
    n, mean, sd = moments(values)
    level = (1 + confidence) / 2
    quantile = stats.t.ppf(level, n - 1)
    half = quantile * sd / np.sqrt(n)
    half[n < LEAST_INTERVAL] = nan
    return mean - half, mean + half


def bca_interval(values: Floats, confidence: float, resamples: int, seed: int) -> Floats:
    """Return the lower and the upper ends of the BCa intervals of means, ``[2, cells]``.

    :param values: ``[T, cells]``, topics sorted by id, NaN where there is none
    """
    n, mean, sd = moments(values)
    ends = np.array([mean, mean])
    few = n < LEAST_INTERVAL
    ends[:, few] = nan
    varied = (sd > 0) & ~few
    for cells, columns in by_size(values, np.flatnonzero(varied)):
        size = columns.shape[1]
        rng = np.random.default_rng(seed)
        draws = rng.integers(0, size, (resamples, size))
        counts = [np.bincount(draw, minlength=size) for draw in draws]
        shares = np.array(counts, float).T / size
        resampled = columns @ shares
        for cell, column, means in zip(cells, columns, resampled, strict=True):
            ends[:, cell] = _bca(column, means, confidence)
    return ends


def t_test(n: Any, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Return t and the two-sided p-value of one-sample t-tests of a mean of 0, ``[cells]`` each.

    Both are NaN for fewer than two values and if all values are 0. If all values are equal and not
    0, t is ±∞ and p is 0. The arguments are those that :func:`moments` returns.
    """
    from scipy import stats
    with np.errstate(invalid="ignore", divide="ignore"):
        error = sd / np.sqrt(n)
        t = mean / error
    tail = stats.t.sf(abs(t), n - 1)
    return t, 2 * tail


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
    cubes = (errors ** 3).sum()
    squares = (errors ** 2).sum()
    acceleration = cubes / (6 * squares ** 1.5)
    below = (gap < 0).mean()
    not_above = (gap <= 0).mean()
    bias = ndtri((below + not_above) / 2)
    tail = (1 - confidence) / 2
    shifted = bias + ndtri([tail, 1 - tail])
    with np.errstate(invalid="ignore"):  # all resampled means on one side: NaN
        scaled = shifted / (1 - acceleration * shifted)
    levels = ndtr(bias + scaled)
    if np.isnan(levels).any():
        return nan
    return np.quantile(means, levels)


#: The key of ``attrs`` of a comparison that says which differences count: ``side``.
SIDE = "side"


def compare(perquery: pd.DataFrame, baseline: int | str | Sequence[int | str] | None,
            correction: str | None = CORRECTION, confidence: float = 0.95, resamples: int = 9999,
            seed: int = 0, test: Literal["t", "randomisation"] = "t",
            tolerance: float | Mapping[Any, float] | None = None,
            side: Literal["worse", "both"] = "worse") -> pd.DataFrame:
    """Compare systems with a baseline, with several, or all pairs, for each measure.

    The tests use the topics for which both systems have a value. To compare mean absolute biases,
    use measures with ``abs=True``.

    With ``tolerance``, a *verdict* says whether a system is not worse than the baseline by more
    than δ (or, with ``side='both'``, whether both are equal up to δ): ``'within'``, ``'exceeds'``
    or ``'inconclusive'``. It is a one-sided test at 5 %, laxer than the 2.5 % that are usual for
    non-inferiority. Verdicts are not corrected for several systems.

    Source: Gezici et al. (2021), section 3.3 (t-test); Smucker et al. (2007) (randomisation);
    Schuirmann (1987) (``side='both'``).

    :param perquery: ``name, qid, measure, value``
    :param baseline: a system, by its name or its position: among the runs of :func:`evaluate`; in
        other frames, in the order of the rows. With a list, each other system is compared with each
        baseline of the list, and of two baselines the later one with the earlier. ``None`` compares
        all pairs, the later system with the earlier.
    :param correction: a method of ``statsmodels.stats.multitest.multipletests``, applied to all
        comparisons by one measure; ``None`` for no correction
    :param confidence: the confidence level of the interval of the mean difference, which is a
        bias-corrected and accelerated (BCa) bootstrap over topics
    :param resamples: the number of resamples of the bootstrap and of the randomisation test
    :param seed: the seed of both
    :param test: ``'t'``, a two-sided paired t-test, or ``'randomisation'``, a two-sided test in
        which the signs of the differences are random (all of their 2ⁿ combinations if these are at
        most ``resamples``)
    :param tolerance: the largest difference δ that does not matter, at least 0, or a dictionary
        from measures to δ. With ``side='worse'`` and a δ of 0, ``'within'``
        says that the system is better.
    :param side: ``'worse'``, only a worse mean counts, or ``'both'``, a difference in either
        direction counts
    :returns: ``name, measure, n`` (topics), ``baseline`` and ``mean`` (mean values),
        ``difference``, ``low, high`` (interval), ``effect`` (Cohen's d: the mean of the differences
        divided by their standard deviation), ``t`` (NaN for a randomisation test), ``p, corrected,
        reject`` (at .05, and never with fewer than six topics). With several baselines or all
        pairs, ``against``, the name of the baseline, follows ``name``. With ``tolerance``, there
        are also ``tolerance`` (δ), ``tolerance low, tolerance high`` (the t interval of the mean
        difference at 90 %), ``p tolerance`` (of the one-sided test or tests) and
        ``verdict``; missing for measures without δ
    :raises ValueError: an unknown baseline, an option that is not possible, or
        ``side='worse'`` for a measure of which neither larger nor smaller values are better

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": ["A"] * 4 + ["B"] * 4, "qid": ["1", "2", "3", "4"] * 2,
    ...                          "measure": "BiasP@10",
    ...                          "value": [0.1, -0.1, 0.3, -0.3, 0.3, 0.2, 0.4, 0.1]})
    >>> compared = analysis.compare(perquery, baseline="A")
    >>> compared[["name", "n", "difference", "low", "high", "effect", "p", "reject"]].round(3)
      name  n  difference   low  high  effect     p  reject
    0    B  4        0.25  0.15  0.35   1.936  0.03   False
    >>> same = analysis.compare(perquery, baseline="A", tolerance=0.5, side="both")
    >>> same[["tolerance", "tolerance low", "tolerance high", "p tolerance", "verdict"]].round(3)
       tolerance  tolerance low  tolerance high  p tolerance verdict
    0        0.5          0.098           0.402        0.015  within
    """
    check(confidence, resamples)
    one_of("test", test, ("t", "randomisation"))
    one_of("side", side, ("worse", "both"))
    frame = per_query(perquery)
    names = frame["name"].unique().tolist()
    order = perquery.attrs.get(SYSTEMS, names)
    several = baseline is None or isinstance(baseline, (list, tuple))
    baselines = names
    if baseline is not None:
        listed: Any = baseline if several else [baseline]
        baselines = [baseline_of(name, names, order) for name in listed]
    pairs = _pairs(names, baselines)
    margins = {}
    if tolerance is not None:
        margins = _margins(tolerance, side, perquery)
    parts = []
    for measure in frame["measure"].unique():
        part = frame[frame["measure"] == measure]
        values = part.pivot(index="qid", columns="name", values="value")
        absent = [name for name in baselines if name not in values]
        if absent and baseline is not None:
            raise ValueError(f"the baseline {absent[0]!r} has no values of {measure}")
        rows, differences = _paired(values, pairs.assign(measure=measure))
        tests = _tests(differences, test, confidence, resamples, seed)
        rows = rows.assign(**tests)
        rows["corrected"] = corrected(rows["p"], correction)
        enough = rows["n"] >= LEAST_TESTED
        rows["reject"] = enough & (rows["corrected"] < ALPHA)
        if measure in margins:
            direction = direction_of(measure, perquery)
            verdicts = _verdicts(differences, margins[measure], side, direction)
            rows = rows.assign(**verdicts)
        parts.append(rows)
    result = pd.concat(parts, ignore_index=True)
    if (result["n"] < LEAST_TESTED).any():
        warn(TOO_FEW)
    if not several:
        result = result.drop(columns="against")
    result.attrs = dict(perquery.attrs)  # what renamed measures stand for
    result.attrs[SIDE] = side
    return result


def _pairs(names: Sequence[Any], baselines: Sequence[Any]) -> pd.DataFrame:
    """Return ``name, against``: each system and each baseline, as :func:`compare` pairs them."""
    later = list(names)
    pairs = []
    for baseline in dict.fromkeys(baselines):
        later.remove(baseline)
        pairs += [(name, baseline) for name in later]
    return pd.DataFrame(pairs, columns=["name", "against"])


def _paired(values: pd.DataFrame, rows: pd.DataFrame) -> tuple[pd.DataFrame, Floats]:
    """Return the pairs of which both systems have values, with the columns ``n, baseline, mean``.

    :param values: ``[topics, systems]``
    :param rows: ``name, against, measure``
    :returns: the pairs, and the differences of their values, ``[topics, pairs]``, NaN where there
        is none
    """
    present = rows[["name", "against"]].isin(values.columns)
    rows = rows[present.all(axis=1)]
    first = values[rows["against"]].to_numpy(copy=True)
    second = values[rows["name"]].to_numpy(copy=True)
    differences = (second - first).round(TIE_DECIMALS)
    missing = np.isnan(differences)
    first[missing] = nan
    second[missing] = nan
    n, mean, _ = moments(second)
    _, base, _ = moments(first)
    rows = rows.assign(n=n, baseline=base, mean=mean)
    for row in rows[n < len(values)].itertuples():
        warn(f"{row.name} and {row.against} are compared by {row.measure} on {row.n} of "
             f"{len(values)} topics, for which both have a value")
    return rows, differences


def _tests(differences: Floats, test: str, confidence: float, resamples: int,
           seed: int) -> dict[str, Any]:
    """Return the columns of a comparison from ``difference`` to ``p``.

    :param differences: ``[T, cells]``, topics sorted by id, NaN where there is none
    """
    n, mean, sd = moments(differences)
    low, high = bca_interval(differences, confidence, resamples, seed)
    with np.errstate(invalid="ignore", divide="ignore"):  # equal differences
        effect = mean / sd
    effect[sd + abs(mean) == 0] = 0.0
    if test == "t":
        t, p = t_test(n, mean, sd)
    else:
        t = np.full_like(mean, nan)
        p = randomisation(differences, resamples, seed)
    return {"difference": mean, "low": low, "high": high, "effect": effect, "t": t, "p": p}


def baseline_of(baseline: Any, names: Sequence[Any], order: Sequence[Any]) -> Any:
    """Return the name of the baseline.

    :param names: the names of the systems of a frame
    :param order: the names in the order of the runs
    :raises ValueError: there is no such system
    """
    if is_whole(baseline) and baseline not in names:
        if not 0 <= baseline < len(order):
            raise ValueError(f"baseline={baseline} is no position among {len(order)} systems; the "
                             f"first is 0, and the frame has {', '.join(map(repr, names))}")
        baseline = order[int(baseline)]
    if baseline not in names:
        raise ValueError(f"no system is named {shown(baseline)}; the frame has "
                         f"{', '.join(map(repr, names))}.{did_you_mean(baseline, names)}")
    return baseline


def randomisation(differences: Floats, resamples: int, seed: int) -> Floats:
    """Return the two-sided p-value of each cell under random signs, ``[cells]``.

    The p-value is NaN if all differences are 0 and for fewer than two topics.

    :param differences: ``[T, cells]``, topics sorted by id, NaN where there is none
    """
    _, mean, sd = moments(differences)
    p = np.full_like(mean, nan)
    differing = sd + abs(mean) > 0
    for cells, columns in by_size(differences, np.flatnonzero(differing)):
        n = columns.shape[1]
        if 2 ** n <= resamples:
            numbers = np.arange(2 ** n)
            flips = numbers[:, None] >> np.arange(n) & 1
        else:
            rng = np.random.default_rng(seed)
            flips = rng.integers(0, 2, (resamples, n))
            flips = np.vstack([np.zeros(n), flips])  # the observed signs count as a draw
        signs = 1.0 - 2 * flips
        for cell, column in zip(cells, columns, strict=True):
            means = signs @ column / n
            excess = abs(means) - abs(column.mean())
            excess = excess.round(TIE_DECIMALS)
            p[cell] = (excess >= 0).mean()
    return p


def _margins(tolerance: Any, side: str, perquery: pd.DataFrame) -> dict[str, float]:
    """Return the δ of each measure that has one.

    :raises ValueError: a δ is no number of at least 0, there is no such measure, or no end of it is
        better
    """
    margins = by_name(tolerance, perquery)
    for name, margin in margins.items():
        number = isinstance(margin, Real) and not isinstance(margin, bool)
        if not number or not 0 <= margin < inf:
            raise ValueError(f"the tolerance of {name} is {shown(margin)}; it takes a number of at "
                             "least 0, or a dictionary from measures to such numbers")
        if side == "worse" and direction_of(name, perquery) not in (LARGER, SMALLER):
            raise ValueError(f"a system cannot be worse in {name}, of which neither larger nor "
                             "smaller values are known to be better; for a signed measure, use "
                             "abs=True, else give a tolerance of each other measure or, in Python, "
                             "side='both'")
    return margins


def _verdicts(differences: Floats, margin: float, side: str,
              direction: str | None) -> dict[str, Any]:
    """Return the columns of the verdicts of one measure.

    :param differences: ``[T, cells]``, NaN where there is none
    :param margin: δ
    :param direction: the better end of the measure
    """
    from scipy import stats
    signs = [1, -1]
    if side == "worse":
        signs = [-1] if direction == LARGER else [1]
    n, mean, sd = moments(differences)
    error = sd / np.sqrt(n)
    low, high = t_interval(differences, 1 - 2 * ALPHA)
    half = high - mean
    limit = round(float(margin), TIE_DECIMALS)
    loss = np.outer(signs, mean)
    largest = (loss + half).round(TIE_DECIMALS)
    smallest = (loss - half).round(TIE_DECIMALS)
    within = (largest < limit).all(axis=0)
    exceeds = (smallest > limit).any(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (loss - margin) / error
    p = stats.t.cdf(t, n - 1)
    p = p.max(axis=0)
    p = np.where(error == 0, ~within, p)
    p[n < LEAST_INTERVAL] = nan
    verdict = np.select([within, exceeds], ["within", "exceeds"], "inconclusive")
    return {"tolerance": float(margin), "tolerance low": low, "tolerance high": high,
            "p tolerance": p, "verdict": verdict}


def bias_summary(perquery: pd.DataFrame) -> pd.DataFrame:
    """Summarise the bias of each system over its topics, by each measure.

    Source: Gezici et al. (2021), equation 4 and section 3.3 (MB, MAB, one-sample t-test); Lipani et
    al. (2021), table 1.

    :param perquery: ``name, qid, measure, value``, of signed measures (``→0``): those of bias
        without ``abs=True``
    :returns: ``name, measure`` and

        * ``MB`` (mean), ``SB`` (sample standard deviation), ``MAB`` (mean of the absolute values),
          ``min``, ``max``: NaN if no topic has a value
        * ``n``: the number of topics
        * ``p``: the p-value of the two-sided one-sample t-test of MB = 0. NaN if all values are 0
          or fewer than two topics have a value
    :raises ValueError: a measure that is not signed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3"], "measure": "BiasP@10",
    ...                          "value": [0.5, 0.25, -0.25]})
    >>> analysis.bias_summary(perquery).round(3)
      name   measure     MB     SB    MAB   min  max  n      p
    0    A  BiasP@10  0.167  0.382  0.333 -0.25  0.5  3  0.529
    """
    frame = per_query(perquery)
    unsigned = frame.loc[~_is_signed(frame), "measure"]
    if len(unsigned):
        raise ValueError(f"{', '.join(unsigned.unique())}: bias_summary takes signed measures such "
                         "as BiasP@10, without abs=True; choose their rows of the frame")
    keys = ["name", "measure"]
    frame["size"] = frame["value"].abs()
    groups = frame.groupby(keys, sort=False)
    summary = groups.agg(MB=("value", "mean"), SB=("value", "std"), MAB=("size", "mean"),
                         min=("value", "min"), max=("value", "max"), n=("value", "count"))
    _, values = by_topic(frame, keys)
    values = values.round(TIE_DECIMALS)
    _, summary["p"] = t_test(*moments(values))
    return summary.reset_index()


def _is_signed(frame: pd.DataFrame) -> pd.Series:
    """Return a mask of the rows of signed measures."""
    measures = frame["measure"].unique()
    directions = {measure: direction_of(measure, frame) for measure in measures}
    return frame["measure"].map(directions) == NEAR_ZERO


def tests_of_zero(perquery: pd.DataFrame, correction: str | None) -> pd.DataFrame:
    """Return :func:`bias_summary` of the signed measures of a frame, with corrected p-values.

    :param correction: the correction of the tests of several systems by one measure
    :raises ValueError: there is no signed measure
    """
    frame = per_query(perquery)
    signed = frame[_is_signed(frame)]
    if signed.empty:
        measures = frame["measure"].unique()
        raise ValueError(f"none of {', '.join(measures)} is signed, so none is tested against 0; "
                         "give a measure of bias such as BiasP@10, without abs=True")
    summary = bias_summary(signed)
    by_measure = summary.groupby("measure")["p"]
    summary["p corrected"] = by_measure.transform(corrected, correction)
    if (summary["n"] < LEAST_TESTED).any():
        warn(TOO_FEW)
    return summary
