"""Normalisation, combination, ranking and correlations of the averages of systems."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from math import inf, nan
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    ALPHA,
    LARGER,
    NEAR_ZERO,
    SMALLER,
    TIE_DECIMALS,
    column_of,
    columns_of_unknown_direction,
    direction_of,
    distance_from_best,
    from_best,
    is_constant,
    is_per_query,
    measure_columns,
    of_one_system,
    ranked_by,
    systems_of,
)
from pt_fairness.core.arrays import Floats, ratio
from pt_fairness.core.messages import at_least, one_of, shown, warn
from pt_fairness.io.files import need_columns


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
    averages = systems_of(averages)
    values = averages[columns].astype(float)
    low = values.min()
    spread = values.max() - low
    filled = values.dropna(axis="columns", how="all")
    constant = [column for column in filled if is_constant(filled[column])]
    if constant:
        warn(f"all systems have the same value of {', '.join(constant)}: the normalised value is "
             "0.0")
    signed = _towards(NEAR_ZERO, columns, averages)
    if signed:
        warn(f"0 is not the fair value of {', '.join(signed)} after normalisation; normalise the "
             "same measure with abs=True")
    spread = spread.where(spread > 0, 1.0)
    scaled = (values - low) / spread
    scaled[constant] *= 0.0  # keeps NaN
    return averages.assign(**scaled)


def combine(averages: pd.DataFrame, columns: Sequence[Any],
            how: Literal["mean", "gmean", "hmean"] = "mean",
            weights: Sequence[float] | None = None) -> pd.DataFrame:
    """Combine several measures to one score for each system, by a mean.

    Larger has to be better for every column. Use ``'1-rKL@5'``, which is one minus the column
    ``rKL@5``, for a measure of unfairness.

    Source: Das & Lease (2019), section 4 (``mean`` and ``gmean`` of N[R-Prec] and F); Pathiyan
    Cherumanal et al. (2021), section 5.1 (``hmean`` of α-nDCG@5 and 1 − rKL@5).

    :param averages: ``name`` and a column for each measure
    :param columns: measures or their names
    :param how: the arithmetic, geometric or harmonic mean
    :param weights: one for each column, not negative, equal by default; a column of weight 0 is
        ignored
    :returns: the table with one more column, such as ``hmean(α_nDCG@5,1-rKL@5)`` or, with weights,
        ``mean(2*nDCG@5,1*AWRF@5)``
    :raises ValueError: an unknown column, a negative value in a geometric or harmonic mean, or
        wrong weights

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
    need_columns(averages, ["name"], "the table of averages")
    names = list(map(str, columns))
    if isinstance(columns, str) or not names:
        raise ValueError("combine needs the names of the columns to combine in a list, such as "
                         "['nDCG@5', '1-rKL@5']")
    numbers = [1.0] * len(names)
    if weights is not None:
        numbers = list(weights)
    possible = len(numbers) == len(names) and all(0 <= weight < inf for weight in numbers)
    if not possible or not 0 < sum(numbers) < inf:
        raise ValueError(f"weights={shown(numbers)}: {len(names)} columns need {len(names)} "
                         "weights that are not negative, at least one above 0, and of a finite "
                         "sum")
    means = {"mean": np.average, "gmean": stats.gmean, "hmean": stats.hmean}
    one_of("how", how, list(means))
    _warn_of_direction(names, averages)
    counts = np.array(numbers, float)
    used = counts > 0
    values = np.column_stack([_possibly_flipped(averages, name) for name in names])
    for name, column in itertools.compress(zip(names, values.T, strict=True), used):
        if how != "mean" and (column < 0).any():
            raise ValueError(f"a {how} needs values of at least 0, and {name} has "
                             f"{column.min():g}")
    parts = names
    if weights is not None:
        parts = [f"{weight:g}*{name}" for weight, name in zip(numbers, names, strict=True)]
    column = f"{how}({','.join(parts)})"
    values = values[:, used]
    mean = means[how](values, axis=1, weights=counts[used])
    return averages.assign(**{column: mean})


def _warn_of_direction(names: Sequence[str], averages: pd.DataFrame) -> None:
    """Warn of measures for which a smaller value is fairer."""
    smaller = _towards(SMALLER, names, averages)
    if smaller:
        flipped = [repr(f"1-{name}") for name in smaller]
        warn(f"less is fairer for {', '.join(smaller)}, but larger is better in a combination: "
             f"combine {', '.join(flipped)}")
    signed = _towards(NEAR_ZERO, names, averages)
    if signed:
        warn(f"0 is fair for {', '.join(signed)}, but larger is better in a combination: combine "
             "one minus the same measure with abs=True")


def _towards(end: str, names: Sequence[str], averages: pd.DataFrame) -> list[str]:
    """Return the measures whose better end is ``end``."""
    return [name for name in names if direction_of(name, averages) == end]


def _possibly_flipped(averages: pd.DataFrame, name: str) -> pd.Series:
    """Return a column, or one minus the column if its name starts with ``1-``."""
    if name in averages or not name.startswith("1-"):
        column = column_of(averages, name)
        return averages[column].astype(float)
    column = column_of(averages, name.removeprefix("1-"))
    values = averages[column].astype(float)
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"{name} needs values of {column} in [0, 1], and they range from "
                         f"{values.min():g} to {values.max():g}; normalise the table with minmax "
                         "first")
    return 1.0 - values


def _ranks(averages: pd.DataFrame, column: str) -> pd.Series:
    """Return the rank of every system, 1 for the best; ties share the smaller rank.

    :raises ValueError: no value of the column is better than another
    """
    distance = distance_from_best(averages, column)
    if distance is None:
        raise ValueError(f"{column} has no best value to rank by: its name is no measure; rename "
                         "columns with pt_fairness.rename, or end the name with ↑ or ↓")
    if distance.isna().all():
        raise ValueError(f"{column} has no best value to rank by: it has no values")
    return ranked_by(distance)


def _rankable(averages: pd.DataFrame) -> list[str]:
    """Return the columns of measures that have values and a known direction.

    One warning names those of unknown direction.

    :raises ValueError: the table has no measure to rank by
    """
    columns = measure_columns(averages)
    unknown = columns_of_unknown_direction(averages[columns])
    if unknown:
        warn(f"systems are not ranked by {', '.join(unknown)}: the name is no measure, so it does "
             "not say which end is better; rename columns with pt_fairness.rename, or end the "
             "name with ↑ or ↓")
    filled = averages[columns].dropna(axis="columns", how="all")
    rankable = [column for column in filled if column not in unknown]
    if not rankable:
        raise ValueError("the table has no measure to rank by: the name of each column is no "
                         "measure, or it has no values; rename columns with pt_fairness.rename")
    return rankable


def top(averages: pd.DataFrame, by: Any = None, n: int = 3) -> pd.DataFrame:
    """Return the ``n`` best systems for each measure, as in table 1 of Das & Lease (2019).

    A measure of this package is best where it is nearest to its ideal value. Any other measure is
    best where it is largest.

    :param averages: ``name`` and a column for each measure
    :param by: a measure, or several (objects or names); all by default
    :param n: the number of systems, at least 1
    :returns: ``by, rank, name`` and the measures; ties share the smaller rank, in the order of the
        table
    :raises ValueError: a measure that the table does not have, no measure, or ``n`` below 1

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> averages = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.9, 0.5], "rKL@5": [0.4, 0.1]})
    >>> analysis.top(averages, n=1)
           by  rank name  nDCG@5  rKL@5
    0  nDCG@5     1    A     0.9    0.4
    1   rKL@5     1    B     0.5    0.1
    """
    columns = measure_columns(averages)
    averages = systems_of(averages)
    if by is None:
        by = _rankable(averages)
    if not isinstance(by, (list, tuple)):
        by = [by]
    ranking = [column_of(averages, measure) for measure in by]
    if not ranking:
        raise ValueError(f"by={shown(by)}: top needs at least one measure; it takes "
                         f"{', '.join(map(repr, columns))}")
    at_least(1, "n", n)
    parts = []
    for column in ranking:
        ranked = averages[["name", *columns]]
        ranked.insert(0, "by", column)
        ranked.insert(1, "rank", _ranks(averages, column))
        ranked = ranked.sort_values("rank", kind="stable")
        parts.append(ranked.head(n))
    return pd.concat(parts, ignore_index=True)


def rank_table(averages: pd.DataFrame, by: Any = None) -> pd.DataFrame:
    """Rank every system by every measure, and compare the ranks with those of one measure.

    :param averages: ``name`` and a column for each measure
    :param by: the measure to compare with; by default the first
    :returns: ``name``, the rank by each measure (1 is the best; ties share the smaller rank), and
        for each other measure a column such as ``rKL@5 move``: by how many ranks the system is
        better (> 0) or worse (< 0) than by ``by``. The table is sorted by ``by``

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> averages = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.5, 0.9], "rKL@5": [0.1, 0.4]})
    >>> analysis.rank_table(averages)
      name  nDCG@5  rKL@5  rKL@5 move
    0    B       1      2          -1
    1    A       2      1           1
    """
    columns = _rankable(averages)
    averages = systems_of(averages)
    first = columns[0]
    if by is not None:
        first = column_of(averages, by)
    columns = list(dict.fromkeys([first, *columns]))
    ranks = averages[["name"]].copy()
    for column in columns:
        ranks[column] = _ranks(averages, column)
    for column in columns[1:]:
        move = ranks[first] - ranks[column]
        ranks[f"{column} move"] = move
    return ranks.sort_values(first, kind="stable", ignore_index=True)


class Correlations(NamedTuple):
    """The result of :func:`correlations`, with a row and a column for each measure."""

    #: −1 to 1; NaN where a measure is constant, also on the diagonal.
    coefficients: pd.DataFrame
    #: The p-values of a two-sided test of no association; NaN where the coefficient is NaN.
    p_values: pd.DataFrame
    #: The lower triangle as text with four decimals and a star where p < .05, as in the papers.
    table: pd.DataFrame


def correlations(frame: pd.DataFrame,
                 method: Literal["kendall", "spearman", "pearson", "ap"] = "kendall") \
        -> Correlations:
    """Return the correlation of every two measures, over systems or over the topics of one system.

    Kendall's τ is τ-b. For τ and for Spearman's ρ, values that are equal to 12 decimals are ties.
    Two measures are compared on the systems (or topics) that have a value of both. One warning
    counts the missing values, and one names the measures whose values are all equal.

    ``'ap'`` is the AP correlation, in which the best systems weigh more. One measure ranks the
    systems. Each system is compared with those above it: a pair counts 1 if the values of both
    measures are in the same order, −1 if not, and 0 for a tie. The mean over these pairs is
    averaged over the systems, and then over both choices of the measure that ranks. Whatever end is
    better, the sign is that of τ. There is no p-value.

    Source: Pathiyan Cherumanal et al. (2021), section 4.4 and tables 2 to 4; Das & Lease (2019),
    table 3; Yilmaz et al. (2008) for ``'ap'``, with ties and its sign as decided here.

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
    one_of("method", method, ["kendall", "spearman", "pearson", "ap"])
    if is_per_query(frame):
        frame = of_one_system(frame, "correlations over topics need",
                              "; pass the averages for correlations over systems")
        columns = frame.pivot(index="qid", columns="measure", values="value")
        columns = columns[frame["measure"].unique()]
    else:
        columns = systems_of(frame)[measure_columns(frame)]
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
        equal = constant[constant].index
        warn(f"all values of {', '.join(equal)} are equal, so the correlation is undefined: NaN")
    of_itself = np.where(constant, nan, 1.0)
    coefficients = np.diag(of_itself)
    p_values = np.diag(of_itself - 1.0)
    table = np.full_like(coefficients, "", object)
    ends = [direction_of(name, frame) or LARGER for name in names]
    for i, j in itertools.combinations(range(len(names)), 2):
        pairs = columns.iloc[:, [i, j]].dropna()
        coefficient, p_value = _correlation(pairs.to_numpy(), method, ends[i], ends[j])
        cells = [i, j], [j, i]
        coefficients[cells] = coefficient
        p_values[cells] = p_value
        table[j, i] = starred(coefficient, p_value)
    named = pd.DataFrame(coefficients, names, names)
    named.attrs = dict(frame.attrs)  # what renamed columns stand for
    of_tests = pd.DataFrame(p_values, names, names)
    texts = pd.DataFrame(table, names, names)
    return Correlations(named, of_tests, texts.iloc[1:, :-1])


def _correlation(pairs: Floats, method: str, first: str, second: str) -> tuple[float, float]:
    """Return the correlation of two measures and its p-value, NaN where it is undefined.

    :param pairs: the values of both measures, ``[n, 2]``
    :param first: the better end of the first measure, and ``second`` that of the second
    """
    from scipy import stats
    x, y = pairs.T
    if is_constant(x) or is_constant(y):
        return nan, nan
    if method == "ap":
        by_first = _ap(x, y, first)
        by_second = _ap(y, x, second)
        return (by_first + by_second) / 2, nan
    if method == "spearman":
        return stats.spearmanr(x, y)
    if method == "pearson":
        return stats.pearsonr(x, y)
    return stats.kendalltau(x, y)


def _ap(x: Floats, y: Floats, end: str) -> float:
    """Return the AP correlation of two measures, with the ranking by the first.

    :param end: the better end of the first measure
    """
    distance = from_best(x, end)
    above = distance < distance[:, None]  # row i: the systems better than system i
    dx = np.subtract.outer(x, x)
    dy = np.subtract.outer(y, y)
    agree = np.sign(dx * dy)
    below = above.any(axis=1)
    agreeing = (agree * above).sum(axis=1)
    means = ratio(agreeing, above.sum(axis=1))
    return float(means[below].mean())


def starred(coefficient: float, p_value: float, decimals: int = 4) -> str:
    """Return a coefficient as text, with a star where p < .05; ``'–'`` for NaN."""
    if math.isnan(coefficient):
        return "–"
    rounded = round(coefficient, decimals) + 0.0  # without −0
    text = f"{rounded:.{decimals}f}"
    if p_value < ALPHA:
        return f"{text}*"
    return text
