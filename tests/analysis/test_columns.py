"""Columns of averages and per-query frames: their names, and what is none."""

from __future__ import annotations

import pandas as pd
import pytest
from ir_measures import nDCG
from one_test import each

from pt_fairness import rKL
from pt_fairness.analysis import columns as names
from pt_fairness.analysis.columns import (
    measure_columns,
    of_one_measure,
    per_query,
    split_suffix,
)

SUFFIXES = [names.WINS, names.LOSSES, names.P_VALUE, names.REJECT, names.CORRECTED, names.LOW,
            names.HIGH, names.VERDICT, " corrected"]


@each("suffix", ["", *SUFFIXES])
@each("measure", ["rKL@5", "mrt", "BiasP(pro='a\\x20-',con='b')@5", "x +1", ""])
def test_the_suffix_of_a_column(measure, suffix):
    assert split_suffix(measure + suffix) == (measure, suffix)
    if suffix:
        assert split_suffix(f"{measure}{suffix}@5") == (f"{measure}{suffix}@5", "")


FRAME = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": [1, 2, 1, 2], "measure": "rKL@5",
                      "value": [0.1, 0.2, 0.3, 0.4]})


@each("frame, message", [
    (FRAME.drop(columns="value"), "no column 'value'"), (FRAME.head(0), "no rows"),
    (FRAME.assign(qid=[1, None, 1, 2]), "per-query frame"),
    (pd.concat([FRAME, FRAME.head(1)]), "A has several values of rKL@5 for topic 1")])
def test_what_is_no_per_query_frame(frame, message):
    with pytest.raises(ValueError, match=message):
        per_query(frame)


def test_topics_are_texts_as_in_qrels():
    """A merge with missing rows converts 1 to 1.0."""
    assert per_query(FRAME.astype({"qid": float}))["qid"].tolist() == ["1", "2"] * 2


def test_one_measure():
    both = pd.concat([FRAME.assign(measure=[rKL @ 5] * 4), FRAME.assign(measure="nDCG@5")])
    for name in ("nDCG@5", nDCG @ 5):
        rows, found = of_one_measure(both, name)
        assert found == "nDCG@5" and len(rows) == 4
    assert of_one_measure(FRAME)[1] == "rKL@5"
    with pytest.raises(ValueError, match="has 2 measures, and one is needed"):
        of_one_measure(both)
    with pytest.raises(ValueError, match="no values of"):
        of_one_measure(both, "rND@5")


TABLE = pd.DataFrame({"name": ["A", "B"], "rKL@5": [0.1, 0.2], "rKL@5 low": [0.0, 0.1],
                      "rKL@5 high": [0.3, 0.4], "rKL@5 +": [1, 0], "rKL@5 -": [0, 1],
                      "rKL@5 p-value": [1.0, 0.5], "rKL@5 p-value corrected": [1.0, 1.0],
                      "rKL@5 reject": [False, True], "note": ["x", "y"], "mrt": [3.0, 4.0],
                      "Unnamed: 0": [0, 1], "too low": [1.0, 2.0]})


def test_comparisons_intervals_and_text_are_no_averages():
    assert measure_columns(TABLE) == ["rKL@5", "mrt", "too low"]


@each("table, message", [
    (TABLE.drop(columns="name"), "no column 'name'"), (TABLE.head(0), "no rows"),
    (TABLE[["name", "note"]], "no column of numbers except name"),
    (pd.concat([TABLE, TABLE[["mrt"]]], axis=1), "the column 'mrt' twice"),
    (TABLE.assign(**{"rND@5": ["0.5", "high"]}), "rND@5 has to be a column of numbers, and B has"),
    (pd.DataFrame({"name": ["A"], "qid": ["1"], "measure": ["rKL@5"], "value": [1.0]}),
     "this is a per-query frame")])
def test_what_is_no_table_of_averages(table, message):
    with pytest.raises(ValueError, match=message):
        measure_columns(table)
