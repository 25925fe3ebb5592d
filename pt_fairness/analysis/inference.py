"""Intervals of means over topics, biases, and comparisons of systems: tests and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, nan
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
    return mean_intervals(frame, ["name", "measure"], perquery, method, confidence, resamples, seed)


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
    return frame.assign(value=frame["value"].mask(is_undefined))


def by_topic(frame: pd.DataFrame, keys: Sequence[str]) -> tuple[pd.DataFrame, Floats]:
    """Return the values of a per-query frame as a matrix of topics, sorted by id, and cells.

    :param keys: the columns that make a cell, two or more
    :returns: the keys of each cell, in order of appearance, and the values ``[T, cells]``, NaN
        where there is none
    """
    keys = list(keys)
    heads = frame[keys].drop_duplicates(ignore_index=True)
    cells = pd.MultiIndex.from_frame(heads)
    table = frame.pivot(index="qid", columns=keys, values="value")
    return heads, table.reindex(columns=cells).to_numpy()


def mean_intervals(frame: pd.DataFrame, keys: Sequence[str], perquery: pd.DataFrame,
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
    low, high = interval(values, method, confidence, resamples, seed)
    n, mean, _ = moments(values)
    result = heads.assign(n=n, mean=mean, low=low, high=high)
    facts = {"method": method, "confidence": confidence}
    result.attrs = perquery.attrs | {INTERVAL: facts}
    return result


def moments(values: Floats) -> tuple[Any, Floats, Floats]:
    """Return the number of topics with a value, their mean and their standard deviation.

    The standard deviation is 0 if all values are equal, and NaN for fewer than two.

    :param values: ``[T, cells]``, NaN where there is none
    :returns: ``[cells]`` each
    """
    table = pd.DataFrame(values)
    spread = table.max() - table.min()
    sd = table.std() * (spread.round(TIE_DECIMALS) != 0)
    n = table.count()
    mean = table.mean()
    return n.to_numpy(), mean.to_numpy(), sd.to_numpy()


def by_size(values: Floats, cells: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield the cells that have equally many values, and these values, ``[cells, n]``.

    :param values: ``[T, cells]``, NaN where there is none
    :param cells: the numbers of the cells
    """
    present = ~np.isnan(values)
    count = present[:, cells].sum(axis=0)
    for size in np.unique(count):
        equal = cells[count == size]
        numbers = values.T[equal][present.T[equal]]
        yield equal, numbers.reshape(-1, size)


def interval(values: Floats, method: str, confidence: float, resamples: int = 1,
             seed: int = 0) -> tuple[Floats, Floats]:
    """Return the lower and the upper ends of the intervals of means, ``[cells]`` each.

    :param values: ``[T, cells]``, topics sorted by id, NaN where there is none
    """
    from scipy import stats
    n, mean, sd = moments(values)
    if method == "t":
        free = np.maximum(n - 1, 1)
        quantile = stats.t.ppf((1 + confidence) / 2, free)
        half = quantile * sd / np.sqrt(n)
        half[n < LEAST_INTERVAL] = nan
        return mean - half, mean + half
    ends = np.where(n < LEAST_INTERVAL, nan, [mean, mean])
    spread = np.flatnonzero((sd > 0) & (n >= LEAST_INTERVAL))
    for cells, columns in by_size(values, spread):
        size = columns.shape[1]
        rng = np.random.default_rng(seed)
        draws = rng.integers(0, size, (resamples, size))
        counts = [np.bincount(draw, minlength=size) for draw in draws]
        resampled = columns @ np.array(counts, float).T / size
        for cell, column, means in zip(cells, columns, resampled, strict=True):
            ends[:, cell] = _bca(column, means, confidence)
    return ends[0], ends[1]


def t_test(n: Any, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Return t and the two-sided p-value of one-sample t-tests of a mean of 0, ``[cells]`` each.

    Both are NaN for fewer than two values and if all values are 0. If all values are equal and not
    0, t is ±∞ and p is 0. The arguments are those that :func:`moments` returns.
    """
    from scipy import stats
    with np.errstate(invalid="ignore", divide="ignore"):
        t = mean / (sd / np.sqrt(n))
    free = np.maximum(n - 1, 1)
    return t, 2 * stats.t.sf(abs(t), free)


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
    shifted = bias + ndtri([tail, (1 + confidence) / 2])
    with np.errstate(invalid="ignore"):  # all resampled means on one side: NaN
        levels = ndtr(bias + shifted / (1 - acceleration * shifted))
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
    several = baseline is None or isinstance(baseline, (list, tuple))
    baselines: Any = [baseline]
    if several:
        baselines = names if baseline is None else baseline
    order = perquery.attrs.get(SYSTEMS, names)
    baselines = [baseline_of(name, names, order) for name in baselines]
    baselines = list(dict.fromkeys(baselines))
    pairs = []
    for i, base in enumerate(baselines):
        before = baselines[:i + 1]
        pairs += [(name, base) for name in names if name not in before]
    margins = {} if tolerance is None else _margins(tolerance, side, perquery)
    parts = []
    for measure in frame["measure"].unique():
        part = frame[frame["measure"] == measure]
        values = part.pivot(index="qid", columns="name", values="value")
        for name in [] if baseline is None else baselines:
            if name not in values:
                raise ValueError(f"the baseline {name!r} has no values of {measure}")
        present = set(values)
        both = [pair for pair in pairs if present.issuperset(pair)]
        rows = pd.DataFrame(both, columns=["name", "against"])
        rows["measure"] = measure
        first = values[rows["against"]].to_numpy()
        second = values[rows["name"]].to_numpy()
        differences = (second - first).round(TIE_DECIMALS)
        missing = np.isnan(differences)
        n, mean, sd = moments(differences)
        rows["n"] = n
        rows["baseline"] = moments(np.where(missing, nan, first))[1]
        rows["mean"] = moments(np.where(missing, nan, second))[1]
        rows["difference"] = mean
        for row in rows[n < len(values)].itertuples():
            warn(f"{row.name} and {row.against} are compared by {measure} on {row.n} of "
                 f"{len(values)} topics, for which both have a value")
        rows["low"], rows["high"] = interval(differences, "bca", confidence, resamples, seed)
        with np.errstate(invalid="ignore", divide="ignore"):  # equal differences
            effect = mean / sd
        rows["effect"] = np.where(sd + abs(mean) == 0, 0.0, effect)
        if test == "t":
            rows["t"], rows["p"] = t_test(n, mean, sd)
        else:
            rows["t"] = nan
            rows["p"] = randomisation(differences, resamples, seed)
        rows["corrected"] = corrected(rows["p"], correction)
        rows["reject"] = (rows["corrected"] < ALPHA) & (rows["n"] >= LEAST_TESTED)
        if measure in margins:
            signs = [1, -1]
            if side == "worse":
                signs = [-1 if direction_of(measure, perquery) == LARGER else 1]
            verdicts = _verdicts(differences, margins[measure], signs)
            rows = rows.assign(**verdicts)
        parts.append(rows)
    result = pd.concat(parts, ignore_index=True)
    if (result["n"] < LEAST_TESTED).any():
        warn(TOO_FEW)
    if not several:
        result = result.drop(columns="against")
    result.attrs = perquery.attrs | {SIDE: side}  # what renamed measures stand for, too
    return result


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
    p = np.full(len(mean), nan)
    for cells, columns in by_size(differences, np.flatnonzero(sd + abs(mean) > 0)):
        n = columns.shape[1]
        exact = 2 ** n <= resamples
        if exact:
            numbers = np.arange(2 ** n)[:, None]
            flips = numbers >> np.arange(n) & 1
        else:
            rng = np.random.default_rng(seed)
            flips = rng.integers(0, 2, (resamples, n))
        signs = 1.0 - 2 * flips
        observed = int(not exact)  # counts as one of the draws
        for cell, column in zip(cells, columns, strict=True):
            means = signs @ column / n
            excess = abs(means) - abs(column.mean())
            hits = (excess.round(TIE_DECIMALS) >= 0).sum()
            p[cell] = (hits + observed) / (len(signs) + observed)
    return p


def _margins(tolerance: Any, side: str, perquery: pd.DataFrame) -> dict[str, float]:
    """Return the δ of each measure that has one.

    :raises ValueError: a δ is no number of at least 0, there is no such measure, or no end of it is
        better
    """
    margins = by_name(tolerance, perquery)
    for name, margin in margins.items():
        number = isinstance(margin, (int, float)) and not isinstance(margin, bool)
        if not number or not 0 <= margin < inf:
            raise ValueError(f"the tolerance of {name} is {shown(margin)}; it takes a number of at "
                             "least 0, or a dictionary from measures to such numbers")
        if side == "worse" and direction_of(name, perquery) not in (LARGER, SMALLER):
            raise ValueError(f"a system cannot be worse in {name}, of which neither larger nor "
                             "smaller values are known to be better; for a signed measure, use "
                             "abs=True, else give a tolerance of each other measure or, in Python, "
                             "side='both'")
    return margins


def _verdicts(differences: Floats, margin: float, signs: Sequence[int]) -> dict[str, Any]:
    """Return the columns of the verdicts of one measure.

    :param differences: ``[T, cells]``, NaN where there is none
    :param margin: δ
    :param signs: 1 if a positive difference counts as a loss, −1 if a negative one does; or both
    """
    from scipy import stats
    n, mean, sd = moments(differences)
    error = sd / np.sqrt(n)
    low, high = interval(differences, "t", 1 - 2 * ALPHA)
    half = high - mean
    limit = round(float(margin), TIE_DECIMALS)
    loss = np.outer(signs, mean)
    largest = (loss + half).round(TIE_DECIMALS)
    smallest = (loss - half).round(TIE_DECIMALS)
    within = (largest < limit).all(axis=0)
    exceeds = (smallest > limit).any(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (loss - margin) / error
    p = stats.t.cdf(t, np.maximum(n - 1, 1)).max(axis=0)
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
    measures = frame["measure"].unique()
    unsigned = [measure for measure in measures if direction_of(measure, frame) != NEAR_ZERO]
    if unsigned:
        raise ValueError(f"{', '.join(unsigned)}: bias_summary takes signed measures such as "
                         "BiasP@10, without abs=True; choose their rows of the frame")
    keys = ["name", "measure"]
    groups = frame.assign(size=frame["value"].abs()).groupby(keys, sort=False)
    summary = groups.agg(MB=("value", "mean"), SB=("value", "std"), MAB=("size", "mean"),
                         min=("value", "min"), max=("value", "max"), n=("value", "count"))
    _, values = by_topic(frame, keys)
    _, p = t_test(*moments(values.round(TIE_DECIMALS)))
    return summary.reset_index().assign(p=p)


def tests_of_zero(perquery: pd.DataFrame, correction: str | None) -> pd.DataFrame:
    """Return :func:`bias_summary` of the signed measures of a frame, with corrected p-values.

    :param correction: the correction of the tests of several systems by one measure
    :raises ValueError: there is no signed measure
    """
    frame = per_query(perquery)
    measures = frame["measure"].unique()
    signed = [measure for measure in measures if direction_of(measure, frame) == NEAR_ZERO]
    if not signed:
        raise ValueError(f"none of {', '.join(measures)} is signed, so none is tested against 0; "
                         "give a measure of bias such as BiasP@10, without abs=True")
    summary = bias_summary(frame[frame["measure"].isin(signed)])
    by_measure = summary.groupby("measure")["p"]
    summary["p corrected"] = by_measure.transform(corrected, correction)
    if (summary["n"] < LEAST_TESTED).any():
        warn(TOO_FEW)
    return summary
