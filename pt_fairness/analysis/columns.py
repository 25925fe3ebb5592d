"""Columns of a table of averages."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pt_fairness.analysis.directions import name_of
from pt_fairness.analysis.names import (
    HIGH,
    LOSSES,
    LOW,
    SAVED_INDEX,
    TEST_SUFFIXES,
    TIE_DECIMALS,
    WINS,
    split_suffix,
)
from pt_fairness.analysis.per_query import is_per_query
from pt_fairness.io.frames import need_rows
from pt_fairness.provider.parsing import parsed_or_none


def is_constant(values: Any) -> bool:
    """Return whether all values but NaN are equal to :data:`TIE_DECIMALS` decimals."""
    return pd.Series(values, dtype=float).round(TIE_DECIMALS).nunique() < 2


def measure_columns(averages: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold averages, without comparisons and intervals.

    :raises ValueError: no column ``name``, no row, no measure, a per-query frame, two columns of
        one name, or a column that is named after a measure and does not hold numbers
    """
    need_rows(averages, "the table of averages", ["name"])
    if is_per_query(averages):
        raise ValueError("this is a per-query frame, and averages are needed: a row for each "
                         "system and a column for each measure")
    repeated = averages.columns[averages.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"the table of averages has several columns {repeated[0]!r}; keep or "
                         "rename one")
    for column in averages.columns:
        values = averages[column]
        if not pd.api.types.is_numeric_dtype(values) and parsed_or_none(column) is not None:
            # If every value can be converted, argmax is 0, the first row.
            row = int(pd.to_numeric(values, errors="coerce").isna().to_numpy().argmax())
            raise ValueError(f"{column} has to be a column of numbers, and "
                             f"{averages['name'].iloc[row]} has {values.iloc[row]!r}")
    columns = [column for column in averages.columns
               if column != "name" and pd.api.types.is_numeric_dtype(averages[column])
               and not str(column).endswith((WINS, LOSSES, *TEST_SUFFIXES))
               and not str(column).startswith(SAVED_INDEX)
               and not (str(column).endswith((LOW, HIGH))
                        and split_suffix(str(column))[0] in averages)]
    if not columns:
        raise ValueError("the table of averages has no column of numbers except name; its columns "
                         f"are {', '.join(map(str, averages.columns))}")
    return columns


def column_of(averages: pd.DataFrame, measure: Any) -> str:
    """Return the name of the column of a measure.

    :param measure: the name of the column, or what else :func:`name_of` takes
    :raises ValueError: the table has no such column, or several
    """
    return name_of(measure, measure_columns(averages), averages, "the table has no measure")
