"""Renamed measures keep their direction, in attrs and by marks."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG

from pt_fairness import FairnessWarning, analysis, highlight, rename, rKL
from pt_fairness.analysis.columns import column_of
from pt_fairness.analysis.directions import direction_of, stands_for, with_mark
from pt_fairness.evaluation import as_text


@pytest.fixture
def averages() -> pd.DataFrame:
    return pd.DataFrame({
        "name": ["A", "B", "C"], "nDCG@5": [0.9, 0.5, 0.7], "rKL@5": [0.4, 0.1, 0.2],
        "BiasP@5": [-0.3, 0.1, 0.05], "rKL@5 +": [np.nan, 1, 2], "rKL@5 -": [np.nan, 4, 3],
        "rKL@5 p-value": [np.nan, 0.01, 0.2], "rKL@5 reject": [False, True, False],
        "rKL@5 p-value corrected": [np.nan, 0.02, 0.2]})


LABELS = {rKL @ 5: "Unfairness", "BiasP@5": "Bias", nDCG @ 5: "Relevance"}


@pytest.fixture
def renamed(averages) -> pd.DataFrame:
    return rename(averages, LABELS)


def best(table: pd.DataFrame) -> dict[str, str]:
    """Return the system that ``highlight`` marks, by column."""
    styled = highlight(table)
    styled._compute()
    return {table.columns[column]: table["name"].iloc[row]
            for (row, column), style in styled.ctx.items() if style}


def test_columns_of_comparisons_are_renamed_too(averages, renamed):
    assert list(renamed.columns) == [
        "name", "Relevance", "Unfairness", "Bias", "Unfairness +", "Unfairness -",
        "Unfairness p-value", "Unfairness reject", "Unfairness p-value corrected"]
    assert renamed.attrs["measures"] == {"Unfairness": "rKL@5", "Bias": "BiasP@5",
                                         "Relevance": "nDCG@5"}
    assert averages.attrs == {} and averages.columns[2] == "rKL@5"
    assert (renamed.to_numpy() == averages.to_numpy())[:, 1:4].all()


@pytest.mark.filterwarnings("error")
def test_the_best_systems_stay_the_best(averages, renamed):
    assert best(averages) == {"nDCG@5": "A", "rKL@5": "B", "BiasP@5": "C"}
    assert best(renamed) == {"Relevance": "A", "Unfairness": "B", "Bias": "C"}
    ranks = analysis.rank_table(renamed, by="Unfairness")
    assert ranks["name"].tolist() == ["B", "C", "A"]
    assert analysis.top(renamed, "Bias", n=1)["name"].tolist() == ["C"]


@pytest.mark.filterwarnings("error")
def test_a_file_says_it_with_marks(renamed):
    text = as_text(renamed, "csv")
    assert text.startswith("name,Relevance ↑,Unfairness ↓,Bias →0,Unfairness ↓ +,")
    read = pd.read_csv(io.StringIO(text))
    assert best(read) == {"Relevance ↑": "A", "Unfairness ↓": "B", "Bias →0": "C"}
    again = rename(read, {"Unfairness ↓": "Unfair"})
    assert best(again)["Unfair"] == "B" and direction_of("Unfair", again) == "↓"


def test_without_attrs_and_marks_nothing_is_best(renamed):
    renamed.attrs = {}
    with pytest.warns(FairnessWarning) as told:
        assert best(renamed) == {}
    (message,) = {str(one.message) for one in told}
    assert message.startswith("no value of Relevance, Unfairness, Bias is marked")
    with pytest.warns(FairnessWarning, match="systems are not ranked by Relevance, Unfairness"), \
            pytest.raises(ValueError, match="no measure to rank by"):
        analysis.rank_table(renamed[["name", "Relevance", "Unfairness", "Bias"]])
    with pytest.raises(ValueError, match="Unfairness has no best value to rank by"):
        analysis.top(renamed, "Unfairness")


def test_per_query_frames():
    frame = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": ["1", "2"] * 2,
                          "measure": "BiasP@5", "value": [0.1, -0.2, 0.3, 0.4]})
    renamed = rename(frame, {"BiasP@5": "Bias"})
    assert renamed["measure"].tolist() == ["Bias"] * 4 and frame["measure"][0] == "BiasP@5"
    pd.testing.assert_frame_equal(analysis.bias_summary(renamed).drop(columns="measure"),
                                  analysis.bias_summary(frame).drop(columns="measure"))
    assert analysis.long_form(renamed)["fair_end"].tolist() == [0.0] * 4


def test_columns_are_found_by_measure_and_by_label(renamed):
    assert column_of(renamed, "Unfairness") == column_of(renamed, rKL @ 5) == "Unfairness"
    assert stands_for("Unfairness", renamed) == "rKL@5"
    assert with_mark("Unfairness p-value", renamed) == "Unfairness ↓ p-value"
    assert rename(renamed, {"rKL@5": "Other"}).attrs["measures"]["Other"] == "rKL@5"


def test_minmax_and_combine_know_the_direction(renamed):
    with pytest.warns(FairnessWarning, match="0 is not the fair value of Bias after"):
        analysis.minmax(renamed[["name", "Bias", "Unfairness"]])
    with pytest.warns(FairnessWarning, match="less is fairer for Unfairness"):
        analysis.combine(renamed, ["Relevance", "Unfairness"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = analysis.combine(renamed, ["Relevance", "1-Unfairness"], weights=[1, 3])
        assert best(table[["name", table.columns[-1]]]) == {table.columns[-1]: "B"}


@pytest.mark.parametrize(
    "labels, says",
    [
        (["Unfairness"], "labels are a list here; they have to be a dictionary"),
        ({"rKL@7": "x"}, "the table has no measure 'rKL@7'; it has 'nDCG@5', 'rKL@5'"),
        ({"name": "x"}, "the table has no measure 'name'"),
        ({"rKL@5": "nDCG@5"}, "another column has this name"),
        ({"rKL@5": "name"}, "another column has this name"),
        ({"rKL@5": "x", "nDCG@5": "x"}, "another column has this name"),
        ({"rKL@5": ""}, "a label is a text that is not empty"),
        ({"rKL@5": 3}, "a label is a text that is not empty"),
        ({"rKL@5": "x p-value"}, "it ends with ' p-value'"),
        ({"rKL@5": "Unfairness ↑"}, "the mark of rKL@5 is ↓"),
    ],
)
def test_labels_that_are_not_possible(averages, labels, says):
    with pytest.raises(ValueError, match=says.replace("+", r"\+")):
        rename(averages, labels)


def test_labels_may_be_swapped(averages):
    swapped = rename(averages, {"rKL@5": "nDCG@5", "nDCG@5": "rKL@5"})
    assert direction_of("nDCG@5", swapped) == "↓" and direction_of("rKL@5", swapped) == "↑"
    assert as_text(swapped, "csv").startswith("name,rKL@5 ↑,nDCG@5 ↓,BiasP@5,")
