"""Which end of a column is better."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    COMBINATIONS,
    RESPONSE_TIME,
    SAVED_INDEX,
    TIE_DECIMALS,
    is_reference,
    mark_of,
    split_suffix,
    text_of,
)
from pt_fairness.core.messages import warn
from pt_fairness.io.frames import need_rows
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import parsed_or_none

#: The marks of a column that is best where it is largest, smallest, and nearest to 0. The mark of a
#: column that is best nearest to another value, such as ``→1``, has this value.
LARGER, SMALLER, NEAR_ZERO = "↑", "↓", "→0"


def direction_of(column: Any, table: pd.DataFrame | None = None) -> str | None:
    """Return the mark of the better end of a column that holds the values of a measure.

    :param column: the name of the column
    :param table: the table of the column, whose ``attrs`` name the measures of renamed columns
    :returns: ``'↑'`` if larger is better, ``'↓'`` if smaller is better, ``'→0'`` for a signed bias,
        ``None`` if the direction is unknown. The direction of a measure of this package is towards
        its fair end, wherever that lies in its range

    Examples
    --------
    >>> from pt_fairness.analysis.directions import direction_of
    >>> [direction_of(name) for name in ("nDCG@5", "rKL@5", "BiasP@5", "Bias ↓", "Bias")]
    ['↑', '↓', '→0', '↓', None]
    """
    text = text_of(column, table)
    mark = mark_of(text)
    if mark is not None:
        return mark
    measure = parsed_or_none(text)
    if isinstance(measure, FairnessMeasure):
        return direction_of_measure(measure)
    if text == RESPONSE_TIME:
        return SMALLER
    if measure is not None or text.startswith(COMBINATIONS) or _is_trec_name(text):
        return LARGER
    return None


def direction_of_measure(measure: FairnessMeasure) -> str:
    """Return the mark of the fair end of a measure."""
    low, high = measure.RANGE
    end = measure.FAIR_END
    if end == low:
        return SMALLER
    if end == high or (end != 0 and high is None):
        return LARGER
    return f"→{end:g}"


def _is_trec_name(name: str) -> bool:
    """Return whether a name is that of a trec_eval measure, which pt.Experiment does not change."""
    try:
        return bool(ir_measures.parse_trec_measure(name))
    except ValueError:
        return False


def with_mark(column: Any, table: pd.DataFrame, always: bool = False) -> str:
    """Return the name of a column with its mark at the end of the measure, such as ``Bias ↓ +``.

    :param always: whether to mark a column whose name determines its direction, too
    """
    name, suffix = split_suffix(str(column))
    mark = direction_of(name, table)
    if mark is None or name.endswith(mark):
        return str(column)
    if direction_of(name) == mark and not always:
        return str(column)
    return f"{name} {mark}{suffix}"


def distance_from_best(table: pd.DataFrame, column: Any) -> pd.Series | None:
    """Return the distance of each value from the best possible one, up to a constant.

    :param column: the name of the column
    :returns: ``[systems]``, or ``None`` if no value of the column is better than another, or if its
        direction is unknown
    """
    values = table[column]
    direction = direction_of(column, table)
    if direction is None or split_suffix(str(column))[1] or not _has_numbers(values):
        return None
    return from_best(values.mask(is_reference(table)), direction)


def _has_numbers(values: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(values) and values.dtype != bool


def from_best(values: Any, direction: str) -> Any:
    """Return the distance of each value from the best possible one, up to a constant."""
    if direction == LARGER:
        return -values
    if direction == SMALLER:
        return values
    return abs(values - float(direction[1:]))


def ranked_by(distance: pd.Series) -> pd.Series:
    """Return the rank of each distance, 1 for the smallest; ties share the smaller rank."""
    return distance.round(TIE_DECIMALS).rank(method="min", na_option="bottom").astype(int)


def best_of_measures(table: pd.DataFrame) -> pd.DataFrame:
    """Return a mask of the best values of each column, a frame of the shape of ``table``.

    A numeric column of unknown direction has no best value. One warning names all such columns.
    """
    marks = pd.DataFrame(False, table.index, table.columns)
    for column in table.columns:
        distance = distance_from_best(table, column)
        if distance is not None and distance.notna().any():
            marks[column] = (ranked_by(distance) == 1).to_numpy()
    unknown = columns_of_unknown_direction(table)
    if unknown:
        warn(f"no value of {', '.join(unknown)} is marked as the best: the name is no measure, so "
             "it does not say which end is better; rename it (pt_fairness.rename, --label), or "
             f"end the name with {LARGER} or {SMALLER}")
    return marks


def columns_of_unknown_direction(table: pd.DataFrame) -> list[str]:
    """Return the names of the columns of numbers of which neither end is known to be better."""
    unknown = []
    for column, values in table.items():
        name = str(column)
        if name in ("name", "qid") or name.startswith(SAVED_INDEX) or split_suffix(name)[1]:
            continue
        if _has_numbers(values) and direction_of(name, table) is None:
            unknown.append(name)
    return unknown


def highlight(table: pd.DataFrame, style: str = "font-weight: bold") -> pd.io.formats.style.Styler:
    """Highlight the best values of each measure in an experiment's table.

    ``pt.Experiment(highlight=…)`` marks the largest value of every column. Here the best value
    depends on the column:

    * A measure of this package is best where it is nearest to its fair end: smallest for
      unfairness, largest for fairness, nearest to 0 for a signed bias.
    * Any other measure is best where it is largest.
    * A column that :func:`rename` renamed is best where its measure is. Elsewhere, ``↑``, ``↓`` or
      ``→0`` at the end of the name says which end is best.
    * Comparisons and intervals (``rKL@5 +``, ``rKL@5 p-value``, ``rKL@5 low``) have no best value.
      Neither has a column of unknown direction; a warning names it.

    Values that are equal to 12 decimals are all marked.

    :param table: the result of ``pt.Experiment``, with a row for each system
    :param style: the CSS of the best cells
    :returns: a pandas Styler
    :raises ValueError: ``table`` is no DataFrame, or has no rows

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import highlight
    >>> table = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.9, 0.5], "rKL@5": [0.4, 0.1]})
    >>> print(highlight(table, "textbf:--rwrap").hide(axis="index").format(precision=1).to_latex())
    \\begin{tabular}{lrr}
    name & nDCG@5 & rKL@5 \\\\
    A & \\textbf{0.9} & 0.4 \\\\
    B & 0.5 & \\textbf{0.1} \\\\
    \\end{tabular}
    <BLANKLINE>
    """
    need_rows(table, "the table")
    marks = best_of_measures(table)
    return table.style.apply(lambda _: np.where(marks, style, ""), axis=None)
