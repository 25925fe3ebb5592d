"""Averages of systems: normalised, combined and ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.tables import (
    column_of,
    distance_from_best,
    is_constant,
    is_signed,
    measure_columns,
    measure_of,
    ranked_by,
)
from pt_fairness.text import warn


def minmax(averages: pd.DataFrame) -> pd.DataFrame:
    """N[·]: every measure's averages over the systems brought into [0, 1], by (x − min) / (max − min).

    The values depend on which systems the table holds. A column that is constant to 12 decimals becomes 0, with a warning. A
    signed bias, whose fair end 0 would land anywhere, gets a warning too.

    Source: Das & Lease (2019), section 4; Pathiyan Cherumanal et al. (2021), section 3.1.

    :param averages: ``name`` and a column for each measure
    :returns: the same columns; those that are no measure's averages are kept as they are
    """
    columns = measure_columns(averages)
    values = averages[columns].astype(float)
    low, spread = values.min(), values.max() - values.min()
    constant = [column for column in columns if is_constant(values[column]) and values[column].notna().any()]
    if constant:
        warn(f"all systems have the same value of {', '.join(constant)}: it is 0.0 after normalisation")
    signed = [column for column in columns if (measure := measure_of(column)) is not None and is_signed(measure)]
    if signed:
        warn(f"after normalisation 0 is no longer the fair value of {', '.join(signed)}; normalise the same with abs=True")
    scaled = (values - low) / spread.where(spread > 0, 1.0)
    scaled[constant] *= 0.0  # what is missing stays so
    return averages.assign(**{column: scaled[column] for column in columns})


def _flipped(averages: pd.DataFrame, name: str) -> pd.Series:
    """A column, or ``1 −`` it where its name has ``1-`` in front."""
    if name in averages or not name.startswith("1-"):
        return averages[column_of(averages, name)].astype(float)
    column = column_of(averages, name.removeprefix("1-"))
    values = averages[column].astype(float)
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"{name} needs values of {column} in [0, 1], and they go from {values.min():g} to {values.max():g}; "
                         "normalise the table before, with minmax")
    return 1.0 - values


def combine(averages: pd.DataFrame, columns: Sequence[Any], how: Literal["mean", "gmean", "hmean"] = "mean",
            weights: Sequence[float] | None = None) -> pd.DataFrame:
    """One score for every system out of several: their arithmetic, geometric or harmonic mean.

    Larger has to be better in all that is combined: ``'1-rKL@5'`` is one minus the column ``rKL@5``, for measures of which
    less is fairer.

    Source: Das & Lease (2019), section 4 (``mean`` and ``gmean`` of N[R-Prec] and F); Pathiyan Cherumanal et al. (2021),
    section 5.1 (``hmean`` of α-nDCG@5 and 1 − rKL@5).

    :param averages: ``name`` and a column for each measure
    :param columns: measures or their names
    :param weights: one for each column, not negative, equal by default; a column of weight 0 does not count
    :returns: the table with one more column, named like ``hmean(α_nDCG@5,1-rKL@5)`` or, with weights,
        ``mean(2*nDCG@5,1*AWRF@5)``
    :raises ValueError: an unknown column, a negative value in a geometric or harmonic mean, wrong weights
    """
    from scipy import stats
    names = [str(column) for column in columns]
    if not names:
        raise ValueError("combine needs the names of the columns to combine")
    if weights is not None and (len(weights) != len(names) or not all(0 <= weight < math.inf for weight in weights)
                                or sum(weights) <= 0):
        raise ValueError(f"weights={list(weights)!r}: {len(names)} columns need {len(names)} weights that are not negative, "
                         "and one of them above 0")
    means = {"mean": np.average, "gmean": stats.gmean, "hmean": stats.hmean}
    if how not in means:
        raise ValueError(f"how={how!r} is not possible; it takes {', '.join(map(repr, means))}")
    unfair = [name for name in names if (measure := measure_of(name)) is not None and measure.FAIR_END == 0]
    signed = [name for name in unfair if (measure := measure_of(name)) is not None and is_signed(measure)]
    less = [name for name in unfair if name not in signed]
    if less:
        warn(f"less is fairer in {', '.join(less)}, but a combination counts more as better: combine "
             f"{', '.join(repr(f'1-{name}') for name in less)}")
    if signed:
        warn(f"0 is fair in {', '.join(signed)}, but a combination counts more as better: combine one minus the same with "
             "abs=True")
    values = np.column_stack([_flipped(averages, name) for name in names])
    heavy = np.ones(len(names)) if weights is None else np.asarray(weights, float)
    counted = values[:, heavy > 0]
    if how != "mean" and (counted < 0).any():
        negative = int(((values < 0) & (heavy > 0)).any(axis=0).argmax())
        raise ValueError(f"a {how} needs values of at least 0, and {names[negative]} has {values[:, negative].min():g}")
    parts = names if weights is None else [f"{weight:g}*{name}" for weight, name in zip(weights, names, strict=True)]
    return averages.assign(**{f"{how}({','.join(parts)})": means[how](counted, axis=1, weights=heavy[heavy > 0])})


def _ranks(averages: pd.DataFrame, column: str) -> pd.Series:
    """1 for the best system; equals share the better rank.

    :raises ValueError: the column has no best value
    """
    distance = distance_from_best(column, averages[column])
    if distance is None:
        raise ValueError(f"{column} has no best value to rank by")
    return ranked_by(distance)


def top(averages: pd.DataFrame, by: Any = None, n: int = 3) -> pd.DataFrame:
    """The ``n`` leading systems under each measure, as in table 1 of Das & Lease (2019).

    A measure of this package leads where it is nearest to its fair end; any other where it is largest.

    :param averages: ``name`` and a column for each measure
    :param by: a measure, or several (measures or names); all by default
    :param n: at least 1
    :returns: ``by, rank, name`` and the measures; equals share the better rank and come in the order of the table
    :raises ValueError: a measure that the table does not have, none at all, or an ``n`` below 1
    """
    columns = measure_columns(averages)
    wanted = columns if by is None else [column_of(averages, one) for one in (by if isinstance(by, (list, tuple)) else [by])]
    if not wanted:
        raise ValueError(f"by={by!r}: top needs at least one measure; it takes {', '.join(map(repr, columns))}")
    if n < 1:
        raise ValueError(f"n={n}: at least one system has to lead")
    parts = []
    for column in wanted:
        ranks = _ranks(averages, column).to_numpy()
        rows = ranks.argsort(kind="stable")[:n]
        part = averages[["name", *columns]].iloc[rows]
        part.insert(0, "rank", ranks[rows])
        part.insert(0, "by", column)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def rank_table(averages: pd.DataFrame, by: Any = None) -> pd.DataFrame:
    """The rank of every system under every measure, and how far it moves from its rank under one of them.

    :param averages: ``name`` and a column for each measure
    :param by: the measure that the others are compared with; the first by default
    :returns: ``name``, the rank under each measure (1 is the best; equals share the better rank), and for each of the other
        measures a column such as ``rKL@5 move``: how many places the system is higher (> 0) or lower (< 0) than under ``by``;
        sorted by ``by``
    """
    columns = [column for column in measure_columns(averages) if distance_from_best(column, averages[column]) is not None]
    first = columns[0] if by is None else column_of(averages, by)
    ranks = pd.DataFrame({column: _ranks(averages, column) for column in [first, *(c for c in columns if c != first)]})
    moves = {f"{column} move": ranks[first] - ranks[column] for column in ranks.columns[1:]}
    table = pd.concat([averages["name"], ranks, pd.DataFrame(moves)], axis=1)
    return table.sort_values(first, kind="stable").reset_index(drop=True)
