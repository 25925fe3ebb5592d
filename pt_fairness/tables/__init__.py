"""Columns of result tables: their measures, their directions and their best values.

*Averages* have the columns ``name`` and one for each measure. *Per-query* frames have the columns
``name, qid, measure, value``.
"""

from pt_fairness.tables.columns import column_of, is_constant, measure_columns
from pt_fairness.tables.directions import (
    LARGER,
    NEAR_ZERO,
    SMALLER,
    best_of_measures,
    columns_of_unknown_direction,
    direction_of,
    distance_from_best,
    highlight,
    measure_of,
    ranked_by,
    stands_for,
    with_mark,
)
from pt_fairness.tables.names import ALPHA, LOSSES, TEST_SUFFIXES, TIE_DECIMALS, WINS
from pt_fairness.tables.per_query import (
    is_per_query,
    long_form,
    of_one_measure,
    of_one_system,
    per_query,
)
from pt_fairness.tables.renaming import rename
from pt_fairness.tables.significance import changes, notes

__all__ = [
    "ALPHA", "LARGER", "LOSSES", "NEAR_ZERO", "SMALLER", "TEST_SUFFIXES", "TIE_DECIMALS",
    "WINS", "best_of_measures", "changes", "column_of", "columns_of_unknown_direction",
    "direction_of", "distance_from_best", "highlight", "is_constant", "is_per_query",
    "long_form", "measure_columns", "measure_of", "notes", "of_one_measure", "of_one_system",
    "per_query", "ranked_by", "rename", "stands_for", "with_mark",
]

__dir__ = __all__.copy
