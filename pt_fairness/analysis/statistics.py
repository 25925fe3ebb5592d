"""How sure a difference is: intervals, tests against a baseline and against 0, and verdicts."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import inf, nan
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    LARGER,
    NEAR_ZERO,
    SMALLER,
    direction,
    per_query,
    topic_memberships,
    values_by_measure,
)
from pt_fairness.core.arrays import TIE_DECIMALS, Floats, Ints
from pt_fairness.core.messages import at_least, is_whole, one_of, shown, warn

#: The significance level.
ALPHA = 0.05
#: The least number of topics of a test, and of an interval.
LEAST_TESTED, LEAST_INTERVAL = 6, 3
#: Why fewer topics have no test.
TOO_FEW = ("With fewer than six topics, no difference is called significant: even where all topics "
           "agree, a sign test has p > .05.")
#: The correction of the p-values for several systems.
CORRECTION = "holm"
#: The tests of the comparisons, in words.
TESTS = {"t": "two-sided paired t-test", "randomisation": "two-sided randomisation test"}
#: The number of resamples of a bootstrap and of a randomisation test.
RESAMPLES = 9999


def intervals(perquery: pd.DataFrame, method: Literal["t", "bca"] = "bca", by: Any = None,
              confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> pd.DataFrame:
    """Return the mean of each system and measure over the topics, with a confidence interval.

    The interval is for topics like the ones of the frame. All systems and measures share the
    resamples of the bootstrap. A topic without a value (NaN) is left out.

    Source: Efron (1987), equations 2.3 and 6.6, as scipy's ``bootstrap`` and the evaluation of TREC
    Fair Ranking 2022 use it. Unlike there, resampled means that are equal to the mean to 12
    decimals are ties.

    :param perquery: ``name, qid, measure, value``
    :param method: ``'bca'``, a bias-corrected and accelerated bootstrap over topics, or ``'t'``,
        the mean ± t·s/√n of Student's distribution
    :param by: groups of topics, for a row for each group: a dictionary from topics to labels or
        lists of labels, a Series, a table ``qid, group`` (a frame, or ``FILE``, ``FILE:COLUMN`` or
        ``FILE:TOPIC:COLUMN``), or Groups of topics in place of documents, such as
        :func:`pt_fairness.groups.product` of two dictionaries. A topic counts wholly in each of its
        groups
    :param confidence: the confidence level, above 0 and below 1
    :param resamples: the number of resamples of the bootstrap
    :param seed: the seed of the bootstrap
    :returns: ``name, measure``, with ``by`` also ``group``, ``n`` (topics with a value), ``mean,
        low, high, method, confidence``. ``low`` and ``high`` are NaN for fewer than three topics,
        and the mean if all values are equal
    :raises ValueError: if an option is out of its range, or no topic has a group

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3", "4"], "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.6]})
    >>> table = analysis.intervals(perquery)
    >>> table[["name", "measure", "n", "mean", "low", "high"]].round(3)
      name measure  n  mean   low   high
    0    A  rKL@10  4   0.3  0.15  0.525
    >>> domains = {"1": "health", "2": "health", "3": "health", "4": ["sport", "law"]}
    >>> table = analysis.intervals(perquery, "t", by=domains)
    >>> table[["group", "n", "mean", "low", "high"]].round(3)
        group  n  mean    low   high
    0  health  3   0.2 -0.048  0.448
    1     law  1   0.6    NaN    NaN
    2   sport  1   0.6    NaN    NaN
    """
    check_level(confidence)
    at_least(1, "resamples", resamples)
    one_of("method", method, ("t", "bca"))
    frame = per_query(perquery)
    keys = ["name", "measure"]
    if by is not None:
        cells = frame.groupby(keys, sort=False)
        frame["cell"] = cells.ngroup()
        members = topic_memberships(by, frame)
        frame = frame.merge(members, on="qid")
        frame = frame.sort_values(["cell", "group"], kind="stable")
        keys = [*keys, "group"]
    heads, values = matrix(frame, keys)
    n, mean, _ = moments(values)
    if method == "t":
        low, high = t_interval(values, confidence)
    else:
        low, high = bca_interval(values, confidence, resamples, seed)
    table = heads.assign(n=n, mean=mean, low=low, high=high)
    return table.assign(method=method, confidence=confidence)


def check_level(confidence: Any) -> None:
    """Check a confidence level.

    :raises ValueError: if it is not a number above 0 and below 1
    """
    if not isinstance(confidence, (int, float)) or not 0 < confidence < 1:
        raise ValueError("confidence must be a number above 0 and below 1, such as 0.95, got "
                         f"{shown(confidence)}")


def matrix(frame: pd.DataFrame, keys: list[str]) -> tuple[pd.DataFrame, Floats]:
    """Return the values of a per-query frame by topic, sorted by id, and cell.

    :param keys: the columns that make a cell, two or more
    :returns: the keys of each cell, in order of appearance, and the values ``[topics, cells]``, NaN
        where there is none
    """
    heads = frame[keys].drop_duplicates(ignore_index=True)
    cells = pd.MultiIndex.from_frame(heads)
    table = frame.pivot(index="qid", columns=keys, values="value")
    table = table.reindex(columns=cells)
    return heads, table.to_numpy()


def moments(values: Floats) -> tuple[Any, Floats, Floats]:
    """Return the number of topics with a value, their mean and their standard deviation.

    The standard deviation is 0 if all values are equal, and NaN for fewer than two.

    :param values: ``[topics, cells]``, NaN where there is none
    :returns: ``[cells]`` each
    """
    table = pd.DataFrame(values)
    largest = table.max()
    spread = largest - table.min()
    sd = table.std() * (spread.round(TIE_DECIMALS) != 0)
    return table.count().to_numpy(), table.mean().to_numpy(), sd.to_numpy()


def t_interval(values: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return the lower and the upper ends of the t intervals of means, ``[cells]`` each.

    :param values: ``[topics, cells]``, NaN where there is none
    """
    from scipy import stats
    n, mean, sd = moments(values)
    level = (1 + confidence) / 2
    quantile = stats.t.ppf(level, n - 1)
    error = sd / np.sqrt(n)
    half = np.where(n < LEAST_INTERVAL, nan, quantile * error)
    return mean - half, mean + half


def bca_interval(values: Floats, confidence: float, resamples: int, seed: int) -> Floats:
    """Return the lower and the upper ends of the BCa intervals of means, ``[2, cells]``.

    :param values: ``[topics, cells]``, topics sorted by id, NaN where there is none
    """
    n, mean, sd = moments(values)
    enough = n >= LEAST_INTERVAL
    ends = np.array([mean, mean])
    ends[:, ~enough] = nan
    is_varied = (sd > 0) & enough
    varied = np.flatnonzero(is_varied)
    for cells, columns in _equal_sizes(values, varied):
        size = columns.shape[1]
        rng = np.random.default_rng(seed)
        draws = rng.integers(0, size, (resamples, size))
        counts = [np.bincount(draw, minlength=size) for draw in draws]
        weights = np.array(counts, float).T / size
        resampled = columns @ weights
        for cell, column, means in zip(cells, columns, resampled, strict=True):
            ends[:, cell] = _bca(column, means, confidence)
    return ends


def _equal_sizes(values: Floats, cells: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield the cells that have equally many values, and these values, ``[cells, n]``."""
    columns = values.T[cells]
    present = ~np.isnan(columns)
    count = present.sum(axis=1)
    for size in np.unique(count):
        equal = count == size
        numbers = columns[equal]
        numbers = numbers[present[equal]]
        yield cells[equal], numbers.reshape(-1, size)


def _bca(values: Floats, means: Floats, confidence: float) -> Any:
    """Return the ends of the BCa interval of a mean.

    :param values: ``[n]``, not all equal
    :param means: the means of the resamples, ``[resamples]``
    """
    from scipy.special import ndtr, ndtri
    mean = values.mean()
    # Rounding the difference, because equal means can lie on both sides of a rounding boundary.
    gap = (means - mean).round(TIE_DECIMALS)
    below = (gap < 0).mean() + (gap <= 0).mean()
    bias = ndtri(below / 2)
    errors = values - mean
    variation = (errors ** 2).sum()
    skew = (errors ** 3).sum()
    acceleration = skew / (6 * variation ** 1.5)
    tail = (1 - confidence) / 2
    shifted = bias + ndtri([tail, 1 - tail])
    with np.errstate(invalid="ignore"):  # all resampled means on one side: NaN
        moved = shifted / (1 - acceleration * shifted)
    levels = ndtr(bias + moved)
    if np.isnan(levels).any():
        return nan
    return np.quantile(means, levels)


def compare(perquery: pd.DataFrame, baseline: str | Sequence[str] | None,
            correction: str | None = CORRECTION, confidence: float = 0.95,
            resamples: int = RESAMPLES, seed: int = 0,
            test: Literal["t", "randomisation"] = "t",
            tolerance: float | Mapping[Any, float] | None = None,
            side: Literal["worse", "both"] = "worse") -> pd.DataFrame:
    """Compare systems with a baseline, with several, or all pairs, for each measure.

    The tests use the topics for which both systems have a value. Differences below 1e-12 are none.
    To compare mean absolute biases, use measures with ``abs=True``.

    With ``tolerance``, a *verdict* says whether a system is not worse than the baseline by more
    than δ (or, with ``side='both'``, whether both are equal up to δ): ``'within'``, ``'exceeds'``
    or ``'inconclusive'``. It is a one-sided test at 5 %, laxer than the 2.5 % that are usual for
    non-inferiority. Verdicts are not corrected for several systems.

    Source: Gezici et al. (2021), section 3.3 (t-test); Smucker et al. (2007) (randomisation);
    Schuirmann (1987) (``side='both'``).

    :param perquery: ``name, qid, measure, value``
    :param baseline: the name of a system. With a list, each other system is compared with each
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
        from measures to δ. With ``side='worse'`` and δ = 0, ``'within'`` means better.
    :param side: ``'worse'``, only a worse mean counts, or ``'both'``, a difference in either
        direction counts
    :returns: ``name, measure, n`` (topics), ``baseline`` and ``mean`` (mean values),
        ``difference``, ``low, high`` (interval), ``effect`` (Cohen's d: the mean of the differences
        divided by their standard deviation), ``t`` (NaN for a randomisation test), ``p, corrected,
        reject`` (at .05, and never with fewer than six topics). With several baselines or all
        pairs, ``against``, the name of the baseline, follows ``name``. With ``tolerance``, there
        are also ``tolerance`` (δ), ``side``, ``tolerance low, tolerance high`` (the t interval of
        the mean difference at 90 %), ``p tolerance`` (of the one-sided test or tests) and
        ``verdict``; missing for measures without δ
    :raises ValueError: if a baseline or an option is unknown, or with ``side='worse'`` if neither
        larger nor smaller values of a measure are better

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
    check_level(confidence)
    at_least(1, "resamples", resamples)
    one_of("test", test, [*TESTS])
    one_of("side", side, ("worse", "both"))
    frame = per_query(perquery)
    names = frame["name"].unique().tolist()
    measures = frame["measure"].unique().tolist()
    single = isinstance(baseline, str)
    baselines: Any = names
    if baseline is not None:
        baselines = [baseline] if single else list(baseline)
    for name in baselines:
        one_of("baseline", name, names)
    pairs = _pairs(names, baselines)
    margins = {}
    if tolerance is not None:
        margins = values_by_measure(tolerance, measures)
        _check_margins(margins, side)
    parts = []
    for measure in measures:
        part = frame[frame["measure"] == measure]
        values = part.pivot(index="qid", columns="name", values="value")
        absent = [name for name in baselines if name not in values]
        if absent and baseline is not None:
            raise ValueError(f"the baseline {absent[0]!r} has no values of {measure}")
        rows, differences = _paired(values, pairs.assign(measure=measure))
        columns = _tests(differences, test, confidence, resamples, seed)
        rows = rows.assign(**columns)
        rows = _decided(rows, correction)
        if measure in margins:
            verdicts = _verdicts(differences, margins[measure], side, measure)
            rows = rows.assign(**verdicts)
        parts.append(rows)
    result = pd.concat(parts, ignore_index=True)
    if (result["n"] < LEAST_TESTED).any():
        warn(TOO_FEW)
    if single:
        return result.drop(columns="against")
    return result


def place_of(baseline: Any, systems: Sequence[str]) -> int:
    """Return the position of a system that is given by name or position.

    :raises ValueError: if it is not among the systems, or alone
    """
    if not (is_whole(baseline) and 0 <= baseline < len(systems)):
        one_of("baseline", baseline, systems)
        baseline = systems.index(baseline)
    if len(systems) == 1:
        raise ValueError(f"baseline must have other systems beside it, got {systems[0]!r} alone")
    return int(baseline)


def _pairs(names: Sequence[Any], baselines: Sequence[Hashable]) -> pd.DataFrame:
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
    is_complete = present.all(axis=1)
    rows = rows[is_complete]
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
        pair = f"{row.name} and {row.against}"
        topics = f"{row.n} of {len(values)} topics, for which both have a value"
        warn(f"{pair} are compared by {row.measure} on {topics}")
    return rows, differences


def _tests(differences: Floats, test: str, confidence: float, resamples: int,
           seed: int) -> dict[str, Any]:
    """Return the columns ``difference`` to ``p`` of :func:`compare`.

    :param differences: ``[topics, cells]``, topics sorted by id, NaN where there is none
    """
    _, mean, sd = moments(differences)
    low, high = bca_interval(differences, confidence, resamples, seed)
    with np.errstate(invalid="ignore", divide="ignore"):  # equal differences
        effect = mean / sd
    effect[sd + abs(mean) == 0] = 0.0
    t, p = t_test(differences)
    if test == "randomisation":
        t = np.full_like(mean, nan)
        p = randomisation(differences, resamples, seed)
    return {"difference": mean, "low": low, "high": high, "effect": effect, "t": t, "p": p}


def t_test(values: Floats) -> tuple[Floats, Floats]:
    """Return t and the two-sided p-value of one-sample t-tests of a mean of 0, ``[cells]`` each.

    Both are NaN for fewer than two values and if all values are 0. If all values are equal and not
    0, t is ±∞ and p is 0.

    :param values: ``[topics, cells]``, NaN where there is none
    """
    from scipy import stats
    values = values.round(TIE_DECIMALS)
    with warnings.catch_warnings():  # of values that are almost equal, and of too few
        warnings.simplefilter("ignore", RuntimeWarning)
        result = stats.ttest_1samp(values, 0.0, nan_policy="omit")
    t = np.ma.filled(result.statistic, nan)
    p = np.ma.filled(result.pvalue, nan)
    return t, p


def randomisation(differences: Floats, resamples: int, seed: int) -> Floats:
    """Return the two-sided p-value of each cell under random signs, ``[cells]``.

    The p-value is NaN if all differences are 0 and for fewer than two topics.

    :param differences: ``[topics, cells]``, topics sorted by id, NaN where there is none
    """
    _, mean, sd = moments(differences)
    p = np.full_like(mean, nan)
    for cells, columns in _equal_sizes(differences, np.flatnonzero(sd + abs(mean) > 0)):
        n = columns.shape[1]
        if 2 ** n <= resamples:
            flips = np.array([*itertools.product([0, 1], repeat=n)])
        else:
            rng = np.random.default_rng(seed)
            flips = rng.integers(0, 2, (resamples, n))
            flips = np.vstack([np.zeros(n), flips])  # the observed signs count as a draw
        signs = 1.0 - 2 * flips
        for cell, column in zip(cells, columns, strict=True):
            means = abs(signs @ column / n)
            excess = means - abs(column.mean())
            as_large = excess.round(TIE_DECIMALS) >= 0
            p[cell] = as_large.mean()
    return p


def _decided(rows: pd.DataFrame, correction: str | None) -> pd.DataFrame:
    """Add the columns ``corrected`` and ``reject`` to tests.

    :param rows: ``measure, n, p``
    """
    p_values = rows.groupby("measure")["p"]
    values = p_values.transform(corrected, correction)
    is_significant = (rows["n"] >= LEAST_TESTED) & (values < ALPHA)
    return rows.assign(corrected=values, reject=is_significant)


def corrected(p_values: pd.Series, method: str | None) -> pd.Series:
    """Return p-values that are corrected for the several tests of a measure.

    A system that is equal to the baseline has the p-value NaN. It counts as 1 for the others, and
    stays NaN.

    :param p_values: a p-value for each system but the baseline
    :param method: a method of ``statsmodels.stats.multitest.multipletests``; ``None`` for no
        correction
    :raises ValueError: if statsmodels does not know the method
    """
    if method is None or not len(p_values):
        return p_values
    known = p_values.fillna(1.0)
    filled = known.astype(float)
    if method == "holm":  # statsmodels collects all garbage of the process for it, at each call
        ranked = filled.sort_values(kind="stable")
        left = np.arange(len(ranked), 0, -1)
        steps = ranked * left
        largest = steps.cummax().clip(upper=1.0)
        return largest.reindex(p_values.index).where(p_values.notna())
    from statsmodels.stats.multitest import multipletests
    try:
        _, values, *_ = multipletests(filled, ALPHA, str(method))
    except ValueError:
        raise ValueError("correction must be a method of statsmodels, such as 'holm', or None, got "
                         f"{shown(method)}") from None
    return pd.Series(values, p_values.index).where(p_values.notna())


def check_tests(measures: Sequence[Any], baseline: Any, tolerance: Any, test_zero: bool) -> None:
    """Check the options of tests before systems retrieve.

    :raises ValueError: if ``tolerance`` is wrong or has no baseline, or no measure is signed
    """
    names = [str(measure) for measure in measures]
    if tolerance is not None:
        if baseline is None:
            raise ValueError("tolerance must have a baseline, got None")
        margins = tolerance if isinstance(tolerance, Mapping) else dict.fromkeys(names, tolerance)
        _check_margins(margins, "worse")
    if test_zero:
        _signed(names)


def _signed(measures: Sequence[str]) -> list[str]:
    """Return the measures whose ideal value 0 lies inside their range.

    :raises ValueError: if there is none
    """
    signed = [measure for measure in measures if direction(measure) == NEAR_ZERO]
    if not signed:
        raise ValueError("measures must have a signed one such as BiasP@10, without abs=True, got "
                         f"{', '.join(measures)}")
    return signed


def _check_margins(margins: Mapping[str, Any], side: str) -> None:
    """Check the δ of each measure.

    :raises ValueError: if a δ is not a number of at least 0, or no end of a measure is better
    """
    for name, margin in margins.items():
        number = isinstance(margin, Real)
        if not number or not 0 <= margin < inf:
            raise ValueError("tolerance must be a number of at least 0, or a dictionary from "
                             f"measures to such numbers, got {shown(margin)} for {name}")
        if side == "worse" and direction(name) not in (LARGER, SMALLER):
            raise ValueError(f"tolerance must be of measures of which larger or smaller values are "
                             f"better, got {name}; for a signed measure use abs=True, or "
                             "side='both'")


def _verdicts(differences: Floats, margin: float, side: str, measure: str) -> dict[str, Any]:
    """Return the columns of the verdicts of one measure.

    :param differences: ``[topics, cells]``, NaN where there is none
    :param margin: δ
    """
    from scipy import stats
    signs = [1, -1]
    if side == "worse":
        signs = [-1] if direction(measure) == LARGER else [1]
    n, mean, sd = moments(differences)
    error = sd / np.sqrt(n)
    low, high = t_interval(differences, 1 - 2 * ALPHA)
    half = high - mean
    limit = round(float(margin), TIE_DECIMALS)
    loss = np.outer(signs, mean)
    worst = (loss + half).round(TIE_DECIMALS)
    least = (loss - half).round(TIE_DECIMALS)
    within = (worst < limit).all(axis=0)
    exceeds = (least > limit).any(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (loss - margin) / error
    p = stats.t.cdf(t, n - 1)
    p = np.where(error == 0, ~within, p.max(axis=0))
    p[n < LEAST_INTERVAL] = nan
    verdict = np.select([within, exceeds], ["within", "exceeds"], "inconclusive")
    return {"tolerance": float(margin), "side": side, "tolerance low": low, "tolerance high": high,
            "p tolerance": p, "verdict": verdict}


def bias_test(perquery: pd.DataFrame, correction: str | None = CORRECTION) -> pd.DataFrame:
    """Test whether the mean bias of each system is 0, by each signed measure of a frame.

    Source: Gezici et al. (2021), equation 4 and section 3.3 (MB and its one-sample t-test).

    :param perquery: ``name, qid, measure, value``. Measures that are not signed are left out.
    :param correction: the correction of the tests of several systems by one measure, as
        :func:`compare` takes it
    :returns: ``name, measure, n`` (topics with a value), ``mean, t, p, corrected, reject``; p is
        NaN if all values are 0 or fewer than two topics have a value
    :raises ValueError: if no measure is signed: one of bias, without ``abs=True``

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3"], "measure": "BiasP@10",
    ...                          "value": [0.5, 0.25, -0.25]})
    >>> analysis.bias_test(perquery).round(3)
      name   measure  n   mean      t      p  corrected  reject
    0    A  BiasP@10  3  0.167  0.756  0.529      0.529   False
    """
    frame = per_query(perquery)
    measures = frame["measure"].unique().tolist()
    signed = _signed(measures)
    is_signed = frame["measure"].isin(signed)
    tested = frame[is_signed]
    rows, values = matrix(tested, ["name", "measure"])
    n, mean, _ = moments(values)
    t, p = t_test(values)
    rows = rows.assign(n=n, mean=mean, t=t, p=p)
    if (n < LEAST_TESTED).any():
        warn(TOO_FEW)
    return _decided(rows, correction)
