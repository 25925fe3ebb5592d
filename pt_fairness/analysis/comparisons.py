"""Comparisons of systems over topics: tests, intervals of differences, and verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.confidence import (
    by_topic,
    check,
    interval,
    moments,
    one_of,
    t_test,
)
from pt_fairness.analysis.statistics import corrected
from pt_fairness.arrays import Floats
from pt_fairness.messages import did_you_mean, warn
from pt_fairness.tables import (
    ALPHA,
    LARGER,
    NEAR_ZERO,
    TIE_DECIMALS,
    direction_of,
    of_one_measure,
    per_query,
)
from pt_fairness.tables.names import CORRECTION, SYSTEMS

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
    both, parts = side == "both", []
    for measure, part in frame.groupby("measure", sort=False):
        heads, values = by_topic(part, ["name"])
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
        sign = -1 if direction_of(str(measure), perquery) == LARGER and not both else 1
        rows = pd.DataFrame({"name": [name for name, _ in pairs]})
        if several:
            rows["against"] = [base for _, base in pairs]
        parts.append(rows.assign(
            measure=measure, n=n, baseline=before, mean=after,
            difference=difference, low=low, high=high, effect=effect, t=t, p=p,
            corrected=lambda table: corrected(table["p"], correction),
            reject=lambda table: table["corrected"] < ALPHA,
            **({} if tolerance is None else
               _verdicts(n, difference, sd, margins.get(str(measure)), sign, both))))
    result = pd.concat(parts, ignore_index=True)
    result.attrs = {**perquery.attrs, SIDE: side}  # what renamed measures stand for, too
    return result


def baseline_of(baseline: Any, names: Sequence[Any], systems: Any) -> Any:
    """Return the name of the baseline.

    :param names: the names of the systems of a frame
    :param systems: the names in the order of the runs, if the frame knows it
    :raises ValueError: there is no such system
    """
    order = names if systems is None else list(systems)
    by_position = isinstance(baseline, (int, np.integer)) and not isinstance(baseline, bool)
    if by_position and baseline not in names:
        if not 0 <= baseline < len(order):
            raise ValueError(f"baseline={baseline} is no position among {len(order)} systems; the "
                             f"first is 0, and the frame has {', '.join(map(repr, names))}")
        baseline = order[int(baseline)]
    if baseline not in names:
        raise ValueError(f"no system is named {baseline!r}; the frame has "
                         f"{', '.join(map(repr, names))}.{did_you_mean(baseline, names)}")
    return baseline


def randomisation(differences: Floats, resamples: int, seed: int) -> Floats:
    """Return the two-sided p-value of each cell under random signs, ``[cells]``.

    The p-value is NaN if all differences are 0 and for fewer than two topics.

    :param differences: ``[T, cells]``, topics sorted by id, NaN where there is none
    """
    signs, p = {}, []
    for column in differences.T:
        column = column[~np.isnan(column)]
        n = len(column)
        if n < 2 or not column.any():
            p.append(math.nan)
            continue
        exact = 2 ** n <= resamples
        if n not in signs:
            flips = np.arange(2 ** n)[:, None] >> np.arange(n) & 1 if exact else \
                np.random.default_rng(seed).integers(0, 2, (resamples, n))
            signs[n] = 1.0 - 2 * flips
        more = abs(signs[n] @ column / n) - abs(column.mean())
        hits = (more.round(TIE_DECIMALS) >= 0).sum()
        p.append(hits / 2 ** n if exact else (1 + hits) / (1 + resamples))
    return np.array(p)


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
            raise ValueError(f"the tolerance of {name} is {margin!r}; it takes a number of at "
                             "least 0, or a dictionary from measures to such numbers")
        if side == "worse" and direction_of(name, perquery) in (NEAR_ZERO, None):
            raise ValueError(f"a system cannot be worse in {name}, of which neither larger nor "
                             "smaller values are known to be better; use side='both' or, for a "
                             "signed measure, abs=True, or give a dictionary of tolerances "
                             "without it")
    return margins


def _verdicts(n: Any, difference: Floats, sd: Floats, margin: float | None, sign: int,
              both: bool) -> dict[str, Any]:
    """Return the columns of the verdicts of one measure.

    :param n: the number of topics of each comparison, ``[cells]``
    :param difference: the mean difference, ``[cells]``
    :param sd: the standard deviation of the differences, ``[cells]``
    :param margin: δ; ``None`` for no verdict
    :param sign: −1 if larger values are better and only worse ones count, else 1
    :param both: whether differences in both directions count
    """
    from scipy import stats
    verdict = np.full(len(n), None, dtype=object)
    low = high = p = np.full(len(n), np.nan)
    if margin is not None:
        error, free = sd / np.sqrt(n), np.maximum(n - 1, 1)
        half = stats.t.ppf(1 - ALPHA, free) * error
        low, high = difference - half, difference + half
        ends = np.sort([sign * low, sign * high], axis=0).round(TIE_DECIMALS)
        limit = round(float(margin), TIE_DECIMALS)
        within = (ends[1] < limit) & ((not both) | (ends[0] > -limit))
        exceeds = (ends[0] > limit) | (both & (ends[1] < -limit))
        verdict = np.select([within, exceeds], ["within", "exceeds"], "inconclusive").astype(object)
        with np.errstate(invalid="ignore", divide="ignore"):
            p = stats.t.cdf((sign * difference - margin) / error, free)
            if both:
                p = np.maximum(p, stats.t.sf((difference + margin) / error, free))
        p = np.where(error == 0, np.where(within, 0.0, 1.0), p)
    return {"tolerance": np.nan if margin is None else float(margin), "tolerance low": low,
            "tolerance high": high, "p tolerance": p, "verdict": verdict}
