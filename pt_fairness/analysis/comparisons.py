"""Comparisons of systems over topics: tests, intervals of differences, and verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.confidence import by_size, by_topic, check, interval, moments, t_test
from pt_fairness.analysis.directions import LARGER, SMALLER, direction_of
from pt_fairness.analysis.names import (
    ALPHA,
    CORRECTION,
    LEAST_INTERVAL,
    LEAST_TESTED,
    SYSTEMS,
    TIE_DECIMALS,
    TOO_FEW,
)
from pt_fairness.analysis.per_query import of_one_measure, per_query
from pt_fairness.analysis.statistics import corrected
from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import did_you_mean, one_of, shown, warn

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
        from measures to δ. With ``side='worse'`` and a δ of 0, within means better.
    :param side: ``'worse'``, only a worse mean counts, or ``'both'``, a difference in either
        direction counts
    :returns: ``name, measure, n`` (topics), ``baseline`` and ``mean`` (mean values),
        ``difference``, ``low, high`` (interval), ``effect`` (Cohen's d: the mean of the differences
        divided by their standard deviation), ``t`` (NaN for a randomisation test), ``p, corrected,
        reject`` (at .05). With several baselines or all pairs, ``against``, the name of the
        baseline, follows ``name``. With ``tolerance``, there are also ``tolerance`` (δ),
        ``tolerance low, tolerance high`` (the t interval of the mean difference at 90 %),
        ``p tolerance`` (of the one-sided test or tests) and ``verdict``; missing for measures
        without δ
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
    0    B  4        0.25  0.15  0.35   1.936  0.03    True
    >>> same = analysis.compare(perquery, baseline="A", tolerance=0.5, side="both")
    >>> same[["tolerance", "tolerance low", "tolerance high", "p tolerance", "verdict"]].round(3)
       tolerance  tolerance low  tolerance high  p tolerance verdict
    0        0.5          0.098           0.402        0.015  within
    """
    check(confidence, resamples)
    one_of("test", test, ("t", "randomisation"))
    one_of("side", side, ("worse", "both"))
    frame = per_query(perquery)
    names = list(dict.fromkeys(frame["name"]))
    several = baseline is None or isinstance(baseline, (list, tuple))
    given: Any = names if baseline is None else baseline if several else [baseline]
    chosen = list(dict.fromkeys(baseline_of(one, names, perquery.attrs.get(SYSTEMS))
                                for one in given))
    every = [(name, base) for i, base in enumerate(chosen) for name in names
             if name not in chosen[:i + 1]]
    margins = {} if tolerance is None else _margins(tolerance, side, frame, perquery)
    parts = []
    for measure, part in frame.groupby("measure", sort=False):
        heads, values = by_topic(part, ["name", "measure"])
        place = {name: i for i, name in enumerate(heads["name"])}
        absent = [name for name in chosen if name not in place]
        if absent and baseline is not None:
            raise ValueError(f"the baseline {absent[0]!r} has no values of {measure}")
        pairs = [pair for pair in every if place.keys() >= {*pair}]
        first, second = (values[:, [place[pair[i]] for pair in pairs]] for i in (1, 0))
        differences = (second - first).round(TIE_DECIMALS)
        n, difference, sd = moments(differences)
        for (name, base), count in zip(pairs, n, strict=True):
            if count < len(values):
                warn(f"{name} and {base} are compared by {measure} on {count} of {len(values)} "
                     "topics, for which both have a value")
        before, after = (moments(np.where(np.isnan(differences), np.nan, own))[1]
                         for own in (first, second))
        low, high = interval(differences, "bca", confidence, resamples, seed)
        with np.errstate(invalid="ignore", divide="ignore"):  # equal differences
            effect = np.where(sd + abs(difference) == 0, 0.0, difference / sd)
        t, p = t_test(n, difference, sd) if test == "t" \
            else (math.nan, randomisation(differences, resamples, seed))
        signs = (1, -1) if side == "both" else \
            (-1,) if direction_of(str(measure), perquery) == LARGER else (1,)
        parts.append(pd.DataFrame(pairs, columns=["name", "against"]).assign(
            measure=measure, n=n, baseline=before, mean=after,
            difference=difference, low=low, high=high, effect=effect, t=t, p=p,
            corrected=lambda table: corrected(table["p"], correction),
            reject=lambda table: table["corrected"] < ALPHA,
            **(_verdicts(differences, margins[str(measure)], signs)
               if str(measure) in margins else {})))
    if any((part["n"] < LEAST_TESTED).any() for part in parts):
        warn(TOO_FEW)
    result = pd.concat(parts, ignore_index=True).drop(columns=[] if several else "against")
    result.attrs = {**perquery.attrs, SIDE: side}  # what renamed measures stand for, too
    return result


def baseline_of(baseline: Any, names: Sequence[Any], systems: Any) -> Any:
    """Return the name of the baseline.

    :param names: the names of the systems of a frame
    :param systems: the names in the order of the runs, if the frame knows it
    :raises ValueError: there is no such system
    """
    order = names if systems is None else list(systems)
    if isinstance(baseline, (int, np.integer)) and not isinstance(baseline, bool) \
            and baseline not in names:
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
    p = np.full(len(mean), np.nan)
    for cells, columns in by_size(differences, np.flatnonzero(sd + abs(mean) > 0)):
        n = columns.shape[1]
        exact = 2 ** n <= resamples
        signs = 1.0 - 2 * (np.arange(2 ** n)[:, None] >> np.arange(n) & 1 if exact else
                           np.random.default_rng(seed).integers(0, 2, (resamples, n)))
        for cell, column in zip(cells, columns, strict=True):
            more = abs(signs @ column / n) - abs(column.mean())
            hits = (more.round(TIE_DECIMALS) >= 0).sum() + (not exact)
            p[cell] = hits / (len(signs) + (not exact))
    return p


def _margins(tolerance: Any, side: str, frame: pd.DataFrame,
             perquery: pd.DataFrame) -> dict[str, float]:
    """Return the δ of each measure that has one.

    :param frame: ``perquery`` with measures as text
    :raises ValueError: a δ is no number of at least 0, there is no such measure, or no end of it is
        better
    """
    names = dict.fromkeys(frame["measure"])
    margins = {of_one_measure(perquery, measure)[1]: margin for measure, margin in tolerance.items()
               } if isinstance(tolerance, Mapping) else dict.fromkeys(names, tolerance)
    for name, margin in margins.items():
        if not isinstance(margin, (int, float)) or isinstance(margin, bool) \
                or not 0 <= margin < math.inf:
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
    error, free = sd / np.sqrt(n), np.maximum(n - 1, 1)
    half, limit = stats.t.ppf(1 - ALPHA, free) * error, round(float(margin), TIE_DECIMALS)
    half[n < LEAST_INTERVAL] = np.nan
    loss = np.outer(signs, mean)
    within = ((loss + half).round(TIE_DECIMALS) < limit).all(axis=0)
    exceeds = ((loss - half).round(TIE_DECIMALS) > limit).any(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = stats.t.cdf((loss - margin) / error, free).max(axis=0)
    return {"tolerance": float(margin), "tolerance low": mean - half, "tolerance high": mean + half,
            "p tolerance": np.where(n < LEAST_INTERVAL, np.nan, np.where(error == 0, ~within, p)),
            "verdict": np.select([within, exceeds], ["within", "exceeds"], "inconclusive")}
