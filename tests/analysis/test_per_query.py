"""Per-query frames: what they have to hold, one system, one measure, the long form."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from ir_measures import nDCG

from pt_fairness import evaluate, rKL
from pt_fairness.analysis.per_query import (
    is_per_query,
    long_form,
    of_one_measure,
    of_one_system,
    per_query,
)

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
