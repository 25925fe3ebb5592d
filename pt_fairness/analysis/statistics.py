"""Correlations between measures, biases over topics, and corrections of p-values."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import is_constant, measure_columns
from pt_fairness.analysis.confidence import moments, t_test
from pt_fairness.analysis.directions import NEAR_ZERO, direction_of
from pt_fairness.analysis.names import ALPHA, TIE_DECIMALS
from pt_fairness.analysis.per_query import is_per_query, of_one_system, per_query
from pt_fairness.analysis.reference_rows import systems_of
from pt_fairness.core.messages import one_of, shown, warn


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
    :raises ValueError: an unknown method, or a per-query frame of several systems

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
    from scipy import stats
    tests: dict[str, Any] = {"kendall": stats.kendalltau, "spearman": stats.spearmanr,
                             "pearson": stats.pearsonr}
    one_of("method", method, list(tests))
    columns = _columns_of_measures(frame)
    names = list(columns.columns)
    missing = columns.isna().sum()
    if missing.any():
        warn("values are missing, and two measures are compared where both have one; missing are "
             + ", ".join(f"{count} of {name}" for name, count in missing.items() if count))
    values = columns.to_numpy()
    if method != "pearson":
        values = values.round(TIE_DECIMALS)
    constant = [is_constant(column) for column in values.T]
    if any(constant):
        warn(f"all values of {', '.join(itertools.compress(names, constant))} are equal, so the "
             "correlation is undefined: NaN")
    size = len(names)
    coefficients, p_values = (np.diag(np.where(constant, np.nan, own)) for own in (1.0, 0.0))
    for i, j in itertools.combinations(range(size), 2):
        both = ~np.isnan(values[:, i] + values[:, j])
        x, y = values[both, i], values[both, j]
        result = (np.nan, np.nan) if is_constant(x) or is_constant(y) else tests[method](x, y)
        coefficients[i, j] = coefficients[j, i] = result[0]
        p_values[i, j] = p_values[j, i] = result[1]
    table = [["" if j > i else starred(coefficients[i + 1, j], p_values[i + 1, j])
              for j in range(size - 1)] for i in range(size - 1)]
    named = pd.DataFrame(coefficients, names, names)
    named.attrs = dict(frame.attrs)  # what renamed columns stand for
    return Correlations(named,
                        pd.DataFrame(p_values, names, names),
                        pd.DataFrame(table, names[1:], names[:-1]))


def _columns_of_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a column for each measure, with a row for each system, or each topic of the system."""
    if not is_per_query(frame):
        return systems_of(frame)[measure_columns(frame)].astype(float)
    frame = of_one_system(frame, "correlations over topics need",
                          "; pass the averages for correlations over systems")
    measures = list(dict.fromkeys(frame["measure"]))
    return frame.pivot(index="qid", columns="measure", values="value")[measures]


def starred(coefficient: float, p_value: float, decimals: int = 4) -> str:
    """Return a coefficient as text, with a star where p < .05; ``'–'`` for NaN."""
    if math.isnan(coefficient):
        return "–"
    # Adding 0.0 turns −0 into 0.
    return f"{round(coefficient, decimals) + 0.0:.{decimals}f}" + ("*" if p_value < ALPHA else "")


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
    other = [measure for measure in dict.fromkeys(frame["measure"])
             if direction_of(measure, frame) != NEAR_ZERO]
    if other:
        raise ValueError(f"{', '.join(other)}: bias_summary takes signed measures such as "
                         "BiasP@10, without abs=True; choose their rows of the frame")
    values = frame.groupby(["name", "measure"], sort=False)["value"]
    return values.agg(
        MB="mean", SB="std", MAB=lambda column: column.abs().mean(), min="min", max="max",
        n="count", p=lambda column: t_test(*moments(column.to_numpy()[:, None].round(TIE_DECIMALS))
                                           )[1].item()).reset_index()


def corrected(p_values: pd.Series, method: str | None) -> pd.Series:
    """Return p-values that are corrected for several tests.

    A system that is equal to the baseline has the p-value NaN. It counts as 1 for the others, and
    stays NaN.

    :param p_values: those of the systems that are compared, without the baseline
    :param method: a method of ``statsmodels.stats.multitest.multipletests``; ``None`` for no
        correction
    :raises ValueError: an unknown method
    """
    if method is None:
        return p_values
    if method == "holm":  # statsmodels collects all garbage of the process for it, at each call
        ordered = p_values.fillna(1.0).astype(float).sort_values()
        steps = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)
        return steps.reindex(p_values.index).where(p_values.notna())
    from statsmodels.stats.multitest import multipletests
    try:  # the method is checked in any case
        values = multipletests(p_values.fillna(1.0) if len(p_values) else [1.0], ALPHA,
                               str(method))[1]
    except ValueError:
        raise ValueError(f"correction={shown(method)} is not possible; it takes a method of "
                         "statsmodels, such as 'holm', or None (--correction none)") from None
    return pd.Series(values[:len(p_values)], p_values.index).where(p_values.notna())
