"""Correlations between measures, and tests of their values topic by topic."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.tables import (
    TIE_DECIMALS,
    is_constant,
    is_per_query,
    is_signed,
    measure_columns,
    measure_of,
    of_one_system,
    per_query,
)
from pt_fairness.numerics import Floats
from pt_fairness.text import warn

#: A p-value below this is called significant: the star of the papers' tables.
ALPHA = 0.05


class Correlations(NamedTuple):
    """What :func:`correlations` finds; a row and a column for each measure."""

    #: −1 to 1; NaN where a measure is constant, with itself too.
    coefficients: pd.DataFrame
    #: Two-sided, of no association; NaN where the coefficient is.
    p_values: pd.DataFrame
    #: Text as papers print it: the lower triangle, four decimals, a star where p < .05.
    table: pd.DataFrame


def _columns_of_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """A column for each measure: over systems, or over the topics of the one system of a per-query frame."""
    if not is_per_query(frame):
        return frame[measure_columns(frame)].astype(float)
    frame = of_one_system(frame, "correlations over topics are those", "; pass the averages for correlations over systems")
    return frame.pivot(index="qid", columns="measure", values="value")[list(dict.fromkeys(frame["measure"]))]


def correlations(frame: pd.DataFrame, method: Literal["kendall", "spearman", "pearson"] = "kendall") -> Correlations:
    """How much the measures agree, over systems or over the topics of one system.

    Kendall's τ is tau-b. Values that agree to 12 decimals are ties in τ and in Spearman's ρ, and a measure whose values all do
    is constant. A pair of measures is compared on
    the systems (topics) that have both values; a warning says how many values are missing, and which measures are constant.

    Source: Pathiyan Cherumanal et al. (2021), section 4.4 and tables 2 to 4; Das & Lease (2019), table 3.

    :param frame: averages (over systems) or a per-query frame of one system (over topics)
    :raises ValueError: an unknown method; a per-query frame of several systems
    """
    from scipy import stats
    tests: dict[str, Any] = {"kendall": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}
    if method not in tests:
        raise ValueError(f"method={method!r} is not possible; it takes {', '.join(map(repr, tests))}")
    columns = _columns_of_measures(frame)
    names = list(columns.columns)
    missing = columns.isna().sum()
    if missing.any():
        warn("values are missing, and the pairs that need them are compared without: "
             + ", ".join(f"{count} of {name}" for name, count in missing.items() if count))
    values = columns.to_numpy()
    if method != "pearson":
        values = values.round(TIE_DECIMALS)
    constant = [is_constant(column) for column in values.T]
    if any(constant):
        warn(f"{', '.join(itertools.compress(names, constant))} is the same throughout, so nothing can be said of its "
             "correlation: NaN")
    size = len(names)
    coefficients, p_values = (np.diag(np.where(constant, np.nan, itself)) for itself in (1.0, 0.0))
    for i in range(size):
        for j in range(i):
            both = ~np.isnan(values[:, i] + values[:, j])
            x, y = values[both, i], values[both, j]
            result = (np.nan, np.nan) if is_constant(x) or is_constant(y) else tests[method](x, y)
            coefficients[i, j] = coefficients[j, i] = result[0]
            p_values[i, j] = p_values[j, i] = result[1]
    table = [["" if j > i else _starred(coefficients[i + 1, j], p_values[i + 1, j]) for j in range(size - 1)]
             for i in range(size - 1)]
    return Correlations(pd.DataFrame(coefficients, names, names), pd.DataFrame(p_values, names, names),
                        pd.DataFrame(table, names[1:], names[:-1]))


def _starred(coefficient: float, p_value: float) -> str:
    return "–" if math.isnan(coefficient) else f"{coefficient:.4f}" + ("*" if p_value < ALPHA else "")


def _t_test(values: Floats) -> tuple[float, float]:
    """t and two-sided p of a mean of 0; values without variation leave nothing to test, unless they are not 0."""
    from scipy import stats
    if len(values) < 2:
        return math.nan, math.nan
    if np.ptp(values) == 0:
        return (math.copysign(math.inf, values[0]), 0.0) if values[0] else (math.nan, math.nan)
    result = stats.ttest_1samp(values, 0.0)
    return float(result.statistic), float(result.pvalue)


def bias_summary(perquery: pd.DataFrame) -> pd.DataFrame:
    """How biased each system is over its topics, by each measure.

    Source: Gezici et al. (2021), equation 4 and section 3.3 (MB, MAB, one-sample t-test); Lipani et al. (2021), table 1.

    :param perquery: ``name, qid, measure, value``, of bias measures without ``abs=True``
    :returns: ``name, measure`` and ``MB`` (mean), ``SB`` (sample standard deviation), ``MAB`` (mean
        of the absolute values), ``min``, ``max``, ``n`` (topics), ``p`` (two-sided one-sample
        t-test of a mean of 0; NaN where all values are 0 or there is one topic, and where the
        measure is not a signed one of this package, because a mean of 0 then says nothing of bias);
        NaN where no topic has a value
    """
    rows = []
    for (name, measure), group in per_query(perquery).groupby(["name", "measure"], sort=False):
        values = group["value"].dropna().to_numpy()
        known = measure_of(measure)
        signed = known is not None and is_signed(known)
        rows.append({"name": name, "measure": measure, "MB": mean_of(values),
                     "SB": values.std(ddof=1) if len(values) > 1 else math.nan, "MAB": mean_of(abs(values)),
                     "min": values.min() if len(values) else math.nan, "max": values.max() if len(values) else math.nan,
                     "n": len(values),
                     "p": _t_test(values.round(TIE_DECIMALS))[1] if signed else math.nan})
    return pd.DataFrame(rows, columns=["name", "measure", "MB", "SB", "MAB", "min", "max", "n", "p"])


def mean_of(values: Floats) -> float:
    """The mean; NaN of nothing."""
    return float(values.mean()) if len(values) else math.nan


#: How many numbers a bootstrap may draw at a time.
BOOTSTRAP_CELLS = 1 << 22


def compare(perquery: pd.DataFrame, baseline: str, correction: str | None = "holm", confidence: float = 0.95,
            resamples: int = 9999, seed: int = 0) -> pd.DataFrame:
    """Every system against a baseline, by each measure: two-sided paired t-test over the topics that both have.

    Source: Gezici et al. (2021), section 3.3. To compare mean absolute biases, measure with ``abs=True``.

    :param perquery: ``name, qid, measure, value``
    :param baseline: the name of a system
    :param correction: a method of ``statsmodels.stats.multitest.multipletests``, over the systems compared by one measure, as
        ``pt.Experiment`` does it; or ``None``
    :param confidence: of the interval around the mean difference (bias-corrected and accelerated bootstrap over topics)
    :param resamples: of the bootstrap, which is the same for the same ``seed``
    :returns: ``name, measure, n`` (topics), ``baseline`` and ``mean`` (mean values), ``difference``, ``low, high`` (interval),
        ``effect`` (Cohen's d of the differences: their mean by their standard deviation), ``t, p, corrected, reject`` (at .05)
    :raises ValueError: the frame has no such baseline; a confidence outside of (0, 1)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: it has to be above 0 and below 1, as in 0.95")
    frame = per_query(perquery)
    names = list(dict.fromkeys(frame["name"]))
    if baseline not in names:
        raise ValueError(f"no system is named {baseline!r}; the frame has {', '.join(map(repr, names))}")
    rows = []
    for measure, part in frame.groupby("measure", sort=False):
        table = part.pivot(index="qid", columns="name", values="value")
        if baseline not in table:
            raise ValueError(f"the baseline {baseline!r} has no values of {measure}")
        for name in (one for one in names if one != baseline and one in table):
            pairs = table[[baseline, name]].dropna()
            if len(pairs) < len(table):
                warn(f"{name} and {baseline} are compared by {measure} on the {len(pairs)} of {len(table)} topics that both "
                     "have")
            rows.append({"name": name, "measure": measure, "n": len(pairs), "baseline": pairs[baseline].mean(),
                         "mean": pairs[name].mean(),
                         **_difference((pairs[name] - pairs[baseline]).to_numpy(), confidence, resamples, seed)})
    columns = ["name", "measure", "n", "baseline", "mean", "difference", "low", "high", "effect", "t", "p"]
    result = pd.DataFrame(rows, columns=columns)
    corrected = result.groupby("measure", sort=False)["p"].transform(lambda p: _corrected(p, correction))
    return result.assign(corrected=corrected, reject=corrected < ALPHA)


def _difference(differences: Floats, confidence: float, resamples: int, seed: int) -> dict[str, float]:
    from scipy import stats
    differences = differences.round(TIE_DECIMALS)
    t, p = _t_test(differences)
    low = high = mean_of(differences)
    if len(differences) < 2:
        low = high = effect = math.nan
    elif np.ptp(differences) == 0:
        effect = math.copysign(math.inf, differences[0]) if differences[0] else 0.0
    else:
        effect = float(differences.mean() / differences.std(ddof=1))
        interval = stats.bootstrap((differences,), np.mean, n_resamples=resamples, confidence_level=confidence,
                                   batch=max(1, BOOTSTRAP_CELLS // len(differences)),
                                   random_state=np.random.default_rng(seed)).confidence_interval
        low, high = float(interval.low), float(interval.high)
    return {"difference": mean_of(differences), "low": low, "high": high, "effect": effect, "t": t, "p": p}


def _corrected(p_values: pd.Series, method: str | None) -> pd.Series:
    known = p_values.notna()
    if method is None or not known.any():
        return p_values
    from statsmodels.stats.multitest import multipletests
    corrected = p_values.copy()
    corrected[known] = multipletests(p_values[known], ALPHA, method)[1]
    return corrected
