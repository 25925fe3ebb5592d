"""Columns of averages and per-query frames: their names, and what is none."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from ir_measures import nDCG
from one_test import each

from pt_fairness import evaluate, rKL
from pt_fairness.analysis import columns as names
from pt_fairness.analysis.columns import (
    column_of,
    is_constant,
    is_per_query,
    measure_columns,
    of_one_measure,
    of_one_system,
    per_query,
    split_suffix,
)
from pt_fairness.analysis.formats import long_form

SUFFIXES = [names.WINS, names.LOSSES, names.P_VALUE, names.REJECT, names.CORRECTED, names.LOW,
            names.HIGH, names.VERDICT, " corrected"]


@each("suffix", ["", *SUFFIXES])
@each("measure", ["rKL@5", "mrt", "BiasP(pro='a\\x20-',con='b')@5", "x +1", ""])
def test_the_suffix_of_a_column(measure, suffix):
    assert split_suffix(measure + suffix) == (measure, suffix)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_suffix_is_taken_off_once_and_as_it_is_written(suffix):
    assert split_suffix(f"rKL@5{suffix}{suffix}") == (f"rKL@5{suffix}", suffix)
    assert split_suffix(f"rKL@5{suffix}@5") == (f"rKL@5{suffix}@5", "")
    assert split_suffix(f"rKL@5{suffix.replace(' ', '_')}")[1] == ""


def test_no_two_columns_of_a_measure_have_one_name():
    columns = [measure + suffix for measure in ("rKL@5", "rKL@50") for suffix in ("", *SUFFIXES)]
    assert len({*columns}) == len(columns)


def test_keys_of_attrs_are_different():
    keys = [names.MEASURES, names.GROUPS, names.TOPICS, names.UNDEFINED,
            names.UNDEFINED_EVERYWHERE, names.SEVERAL, names.COMPARISON, names.INTERVAL,
            names.TOLERANCE, names.REFERENCES, names.SYSTEMS, names.BROKEN]
    assert len({*keys}) == len(keys)


FRAME = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": [1, 2, 1, 2], "measure": "rKL@5",
                      "value": [0.1, 0.2, 0.3, 0.4]})


def test_the_two_forms_of_a_table():
    assert is_per_query(FRAME) and not is_per_query(FRAME.drop(columns="qid"))
    with pytest.raises(ValueError, match="the table has to be a DataFrame, not a dict"):
        is_per_query({})


def test_topics_and_measures_are_text():
    frame = per_query(FRAME.assign(measure=[rKL @ 5] * 4, more=1))
    assert list(frame) == ["name", "qid", "measure", "value"]
    assert {*frame["qid"]} == {"1", "2"} and {*frame["measure"]} == {"rKL@5"}


@pytest.mark.parametrize(("frame", "message"), [
    (FRAME.drop(columns="value"), "no column 'value'"), (FRAME.head(0), "no rows"),
    (FRAME.assign(qid=[1, None, 1, 2]), "per-query frame"),
    (pd.concat([FRAME, FRAME.head(1)]), "A has several values of rKL@5 for topic 1")])
def test_what_is_no_per_query_frame(frame, message):
    with pytest.raises(ValueError, match=message):
        per_query(frame)


def test_one_system():
    alone = of_one_system(FRAME.drop(columns="name").head(2), "it shows")
    assert alone["name"].tolist() == ["", ""]
    with pytest.raises(ValueError, match=r"has 2 systems, and it shows one; .*'A'\].*'A', 'B'"):
        of_one_system(FRAME, "it shows")


def test_one_measure():
    both = pd.concat([FRAME, FRAME.assign(measure="nDCG@5")])
    for name in ("nDCG@5", nDCG @ 5):
        rows, found = of_one_measure(both, name)
        assert found == "nDCG@5" and len(rows) == 4
    assert of_one_measure(FRAME)[1] == "rKL@5"
    with pytest.raises(ValueError, match="has 2 measures, and one is needed"):
        of_one_measure(both)
    with pytest.raises(ValueError, match="no values of"):
        of_one_measure(both, "rND@5")


def test_the_long_form_marks_undefined_topics():
    qrels = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B"), ("2", "a", 0, "A")],
                         columns=["qid", "docno", "label", "iteration"])
    run = pd.DataFrame([("1", "a", 1.0), ("2", "a", 1.0)], columns=["qid", "docno", "score"])
    _, frame = evaluate({"A": run}, qrels, ["rKL@2", "nDCG@2"], progress=False)
    long = long_form(frame).set_index(["measure", "topic"])
    assert long["undefined"].to_dict() == {("nDCG@2", "1"): False, ("nDCG@2", "2"): False,
                                           ("rKL@2", "1"): False, ("rKL@2", "2"): True}
    assert long.loc[("rKL@2", "1"), "fair_end"] == 0.0
    assert math.isnan(long.loc[("nDCG@2", "1"), "fair_end"])
    assert long_form(FRAME)["undefined"].isna().all()


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
    (pd.concat([TABLE, TABLE[["mrt"]]], axis=1), "the column 'mrt' twice"),
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
