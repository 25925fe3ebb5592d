"""How the averages of systems agree between measures, and several measures as one score."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from math import nan
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    NEAR_ZERO,
    SMALLER,
    column_name,
    direction,
    is_constant,
    is_per_query,
    measure_columns,
    single_system,
    systems,
)
from pt_fairness.analysis.statistics import ALPHA
from pt_fairness.core.arrays import TIE_DECIMALS, Floats
from pt_fairness.core.messages import one_of, shown, warn


def minmax(averages: pd.DataFrame) -> pd.DataFrame:
    """Scale the averages of every measure to [0, 1] by (x − min) / (max − min) over the systems.

    The result depends on the systems in the table. A column whose values are equal to 12 decimals
    becomes 0, with a warning. A signed bias gets a warning, because its fair value is no longer
    0.

    Source: Das & Lease (2019), section 4; Pathiyan Cherumanal et al. (2021), section 3.1.

    :param averages: ``name`` and a column for each measure
    :returns: the same columns; those that do not hold averages of a measure are unchanged

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> averages = pd.DataFrame({"name": ["A", "B", "C"], "nDCG@5": [0.9, 0.5, 0.7]})
    >>> analysis.minmax(averages)
      name  nDCG@5
    0    A     1.0
    1    B     0.0
    2    C     0.5
    """
    columns = measure_columns(averages)
    averages = systems(averages)
    values = averages[columns].astype(float)
    rounded = values.round(TIE_DECIMALS)
    constant = rounded.nunique() == 1
    if constant.any():
        warn(f"all systems have the same value of {', '.join(constant[constant].index)}: the "
             "normalised value is 0.0")
    signed = [column for column in columns if direction(column) == NEAR_ZERO]
    if signed:
        warn(f"0 is not the ideal value of {', '.join(signed)} after normalisation; normalise the "
             "same measure with abs=True")
    low = values.min()
    spread = values.max() - low
    scaled = (values - low) / spread.mask(constant, math.inf)
    return averages.assign(**scaled)


def combine(averages: pd.DataFrame, columns: Sequence[Any],
            how: Literal["mean", "gmean", "hmean"] = "mean") -> pd.DataFrame:
    """Combine several measures to one score for each system, by a mean.

    Larger values must be better for every column. Use ``'1-rKL@5'``, which is one minus the column
    ``rKL@5``, for a measure of unfairness.

    Source: Das & Lease (2019), section 4 (``mean`` and ``gmean`` of N[R-Prec] and F); Pathiyan
    Cherumanal et al. (2021), section 5.1 (``hmean`` of α-nDCG@5 and 1 − rKL@5).

    :param averages: ``name`` and a column for each measure
    :param columns: measures or their names
    :param how: the arithmetic, geometric or harmonic mean
    :returns: the table with one more column, such as ``hmean(α_nDCG@5,1-rKL@5)``
    :raises ValueError: if a column is unknown, or a value is negative in a geometric or harmonic
        mean

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> averages = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.9, 0.5], "rKL@5": [0.4, 0.1]})
    >>> analysis.combine(averages, ["nDCG@5", "1-rKL@5"], "hmean").round(3)
      name  nDCG@5  rKL@5  hmean(nDCG@5,1-rKL@5)
    0    A     0.9    0.4                  0.720
    1    B     0.5    0.1                  0.643
    """
    from scipy import stats
    means = {"mean": np.mean, "gmean": stats.gmean, "hmean": stats.hmean}
    one_of("how", how, list(means))
    names = list(map(str, columns))
    if isinstance(columns, str) or not names:
        raise ValueError(f"columns must be a list of measures, got {shown(columns)}")
    values = np.column_stack([_larger_better(averages, name) for name in names])
    if how != "mean" and (values < 0).any():
        raise ValueError(f"the columns of a {how} must be at least 0, got {values.min():g}")
    combination = f"{how}({','.join(names)})"
    mean = means[how](values, axis=1)
    return averages.assign(**{combination: mean})


def _larger_better(averages: pd.DataFrame, name: str) -> pd.Series:
    """Return a column, or one minus the column if its name starts with ``1-``."""
    columns = measure_columns(averages)
    if name in columns or not name.startswith("1-"):
        end = direction(name)
        if end in (SMALLER, NEAR_ZERO):
            warn(f"larger is better in a combination, and {end} in {name}; combine '1-{name}', of "
                 "a signed measure with abs=True")
        return averages[column_name(name, columns)].astype(float)
    column = column_name(name.removeprefix("1-"), columns)
    values = averages[column].astype(float)
    if ((values < 0) | (values > 1)).any():
        limits = f"{values.min():g} to {values.max():g}"
        raise ValueError(f"{name} must have values of {column} in [0, 1], got {limits}; normalise "
                         "the table with minmax first")
    return 1.0 - values


class Correlations(NamedTuple):
    """The result of :func:`correlations`, with a row and a column for each measure."""

    #: −1 to 1; NaN where a measure is constant, also on the diagonal.
    coefficients: pd.DataFrame
    #: The p-values of a two-sided test of no association; NaN where the coefficient is NaN.
    p_values: pd.DataFrame
    #: The lower triangle as text with four decimals and a star where p < .05, as in the papers.
    table: pd.DataFrame


def correlations(frame: pd.DataFrame,
                 method: Literal["kendall", "spearman", "pearson"] = "kendall") -> Correlations:
    """Return the correlation of every two measures, over systems or over the topics of one system.

    Kendall's τ is τ-b. For τ and for Spearman's ρ, values that are equal to 12 decimals are ties.
    Two measures are compared on the systems (or topics) that have a value of both. One warning
    counts the missing values, and one names the measures whose values are all equal.

    Source: Pathiyan Cherumanal et al. (2021), section 4.4 and tables 2 to 4; Das & Lease (2019),
    table 3.

    :param frame: averages (over systems), or a per-query frame of one system (over topics)
    :param method: the coefficient
    :raises ValueError: if the method is unknown, or a per-query frame has several systems

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> averages = pd.DataFrame({"name": ["A", "B", "C", "D"], "AP": [0.4, 0.3, 0.2, 0.1],
    ...                          "nDCG@5": [0.5, 0.6, 0.3, 0.2], "rKL@5": [0.1, 0.2, 0.3, 0.4]})
    >>> analysis.correlations(averages).coefficients.round(3)
               AP  nDCG@5  rKL@5
    AP      1.000   0.667 -1.000
    nDCG@5  0.667   1.000 -0.667
    rKL@5  -1.000  -0.667  1.000
    """
    one_of("method", method, ["kendall", "spearman", "pearson"])
    if is_per_query(frame):
        frame = single_system(frame)
        measures = frame["measure"].unique()
        columns = frame.pivot(index="qid", columns="measure", values="value")
        columns = columns[measures]
    else:
        columns = systems(frame)[measure_columns(frame)]
    columns = columns.astype(float)
    if method != "pearson":
        columns = columns.round(TIE_DECIMALS)
    missing = columns.isna().sum()
    if missing.any():
        counts = [f"{count} of {name}" for name, count in missing.items() if count]
        warn("values are missing, and two measures are compared where both have one; missing are "
             f"{', '.join(counts)}")
    names = list(columns)
    constant = columns.apply(is_constant)
    if constant.any():
        warn(f"all values of {', '.join(constant[constant].index)} are equal, so the correlation "
             "is undefined: NaN")
    coefficients = np.diag(np.where(constant, nan, 1.0))
    p_values = coefficients - np.eye(len(names))
    table = np.full_like(coefficients, "", object)
    for i, j in itertools.combinations(range(len(names)), 2):
        pairs = columns.iloc[:, [i, j]]
        pairs = pairs.dropna()
        coefficient, p_value = _correlation(pairs.to_numpy(), method)
        cells = [i, j], [j, i]
        coefficients[cells] = coefficient
        p_values[cells] = p_value
        table[j, i] = starred(coefficient, p_value)
    texts = pd.DataFrame(table, names, names)
    return Correlations(pd.DataFrame(coefficients, names, names),
                        pd.DataFrame(p_values, names, names), texts.iloc[1:, :-1])


def _correlation(pairs: Floats, method: str) -> tuple[float, float]:
    """Return the correlation of two measures and its p-value, NaN where it is undefined.

    :param pairs: the values of both measures, ``[n, 2]``
    """
    from scipy import stats
    tests = {"kendall": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}
    x, y = pairs.T
    if is_constant(x) or is_constant(y):
        return nan, nan
    return tests[method](x, y)


def starred(coefficient: float, p_value: float, decimals: int = 4) -> str:
    """Return a coefficient as text, with a star where p < .05; ``'–'`` for NaN."""
    if math.isnan(coefficient):
        return "–"
    rounded = round(coefficient, decimals) + 0.0  # without −0
    text = f"{rounded:.{decimals}f}"
    if p_value < ALPHA:
        return f"{text}*"
    return text
