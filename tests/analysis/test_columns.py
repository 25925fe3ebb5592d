"""Which columns of a table of averages hold averages."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_fairness import rKL
from pt_fairness.analysis.columns import column_of, is_constant, measure_columns

TABLE = pd.DataFrame({"name": ["A", "B"], "rKL@5": [0.1, 0.2], "rKL@5 low": [0.0, 0.1],
                      "rKL@5 high": [0.3, 0.4], "rKL@5 +": [1, 0], "rKL@5 -": [0, 1],
                      "rKL@5 p-value": [1.0, 0.5], "rKL@5 p-value corrected": [1.0, 1.0],
                      "rKL@5 reject": [False, True], "note": ["x", "y"], "mrt": [3.0, 4.0],
                      "Unnamed: 0": [0, 1], "too low": [1.0, 2.0]})


def test_comparisons_intervals_and_text_are_no_averages():
    assert measure_columns(TABLE) == ["rKL@5", "mrt", "too low"]


@pytest.mark.parametrize(("table", "message"), [
    (TABLE.drop(columns="name"), "no column 'name'"), (TABLE.head(0), "no rows"),
    (TABLE[["name", "note"]], "no column of numbers except name"),
    (pd.concat([TABLE, TABLE[["mrt"]]], axis=1), "several columns 'mrt'"),
    (TABLE.assign(**{"rND@5": ["0.5", "high"]}), "rND@5 has to be a column of numbers, and B has"),
    (pd.DataFrame({"name": ["A"], "qid": ["1"], "measure": ["rKL@5"], "value": [1.0]}),
     "this is a per-query frame")])
def test_what_is_no_table_of_averages(table, message):
    with pytest.raises(ValueError, match=message):
        measure_columns(table)


def test_the_column_of_a_measure():
    assert column_of(TABLE, rKL @ 5) == column_of(TABLE, "rKL@5") == "rKL@5"
    with pytest.raises(ValueError, match="the table has no measure"):
        column_of(TABLE, "rND@5")


def test_equal_to_twelve_decimals_is_constant():
    assert is_constant([0.1 + 0.2, 0.3]) and is_constant([]) and is_constant([1.0, float("nan")])
    assert not is_constant([0.3, 0.3 + 1e-11])
