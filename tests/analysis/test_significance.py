"""Significant changes in the fair direction, and the note under a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness import rename
from pt_fairness.analysis.columns import best_of_measures
from pt_fairness.analysis.notes import baseline_row, changes, notes, short_p
from pt_fairness.evaluation import as_text


@pytest.fixture
def averages() -> pd.DataFrame:
    """A baseline in the second row, and systems with larger and smaller means."""
    values = {"nDCG@5": [0.9, 0.5, 0.1], "rKL@5": [0.9, 0.5, 0.1], "BiasP@5": [0.1, -0.5, -0.9]}
    table = pd.DataFrame({"name": ["A", "base", "C"], **values})
    for column in values:
        table[f"{column} +"] = [9, np.nan, 1]
        table[f"{column} -"] = [1, np.nan, 9]
        table[f"{column} p-value"] = [0.04, np.nan, 0.01]
    return table


def test_better_is_the_fair_direction(averages):
    assert changes(averages).to_dict("list") == {
        "nDCG@5": ["▲", "", "▼"], "rKL@5": ["▼", "", "▲"], "BiasP@5": ["≠", "", "≠"]}
    corrected = averages.assign(**{"rKL@5 p-value corrected": [0.06, np.nan, 0.02]})
    assert changes(corrected)["rKL@5"].tolist() == ["", "", "▲"]


def test_the_sign_of_a_bias_is_no_better_end(averages):
    """Means of equal size on either side of 0 are different, and neither is nearer to 0."""
    table = averages.assign(**{"BiasP@5": [-0.4333, 0.0, 0.4167]})
    assert changes(table)["BiasP@5"].tolist() == ["≠", "", "≠"]
    absolute = table.rename(columns=lambda name: name.replace("BiasP@5", "BiasP(abs=True)@5"))
    absolute["BiasP(abs=True)@5"] = [0.5, 0.4, 0.3]
    assert changes(absolute)["BiasP(abs=True)@5"].tolist() == ["▼", "", "▲"]
    assert "≠ significantly different by a measure with 0 within its range" in notes(table)[0]
    assert "abs=True tests the nearness to 0" in notes(table)[0]
    assert "≠" not in notes(absolute)[0]
    assert as_text(table, "md").splitlines()[2].endswith("| -0.4333≠ |")
    assert r"0.4167$^{\neq}$" in as_text(table, "latex")
    assert best_of_measures(table)["BiasP@5"].tolist() == [False, True, False]


def test_without_a_baseline_or_a_direction(averages):
    assert (changes(averages[["name", "nDCG@5", "rKL@5"]]) == "").all(axis=None)
    assert baseline_row(averages) == 1 and baseline_row(averages[["name", "rKL@5"]]) is None
    unknown = averages.rename(columns=lambda column: column.replace("rKL@5", "unfairness"))
    assert changes(unknown)["unfairness"].tolist() == ["", "", ""]
    assert baseline_row(averages[averages["name"] != "base"]) is None


def test_the_notes_of_attrs():
    table = pd.DataFrame({"name": ["A"], "nDCG@5": [0.1], "EEL": [0.1], "Annotated@5": [0.5]})
    assert notes(table) == []
    table.attrs = {"groups": "sources", "labels": ["FR", "LA"], "topics": 50,
                   "broken": {"B": "line 3"},
                   "undefined": {"rKL@5": ("1",), "rND@5": ("2",), "AWRF": ("1", "2")},
                   "comparison": {"baseline": "A", "test": "t", "correction": "fdr_bh",
                                  "alpha": 0.01, "systems": 2}}
    assert notes(table) == [
        "▲ significantly better, ▼ significantly worse than A (t, p < .01, correction fdr_bh for 2 "
        "systems).", "Groups: sources (FR, LA).",
        "Undefined: rKL@5, rND@5 on 1 of 50 topics; AWRF on 2 of 50 topics.",
        "Not evaluated because of errors: B."]
    table.attrs["comparison"]["systems"] = 1
    assert notes(table)[0].endswith("than A (t, p < .01).")


@each("p, text", [(0.0, "< .001"), (0.00099, "< .001"), (0.001, ".001"),
                                     (0.5, ".500"), (0.9999, "1.000"), (1.0, "1.000")])
def test_p_values_as_text(p, text):
    assert short_p(p) == text


QRELS_TARGET = "target: the distribution of the groups in the relevant documents of the topic"
FEWEST = ("protected: the group with the fewest relevant documents, of those that have any, per "
          "topic")


@each("names, text", [
    (["rKL@5", "rND@10"], f"{QRELS_TARGET}; {FEWEST}"),
    (["rKL(protected='all')@5"], f"{QRELS_TARGET}; protected: none, all groups are compared"),
    (["nDD"], "target: the distribution of the groups in the whole ranking; protected: the group "
              "with the fewest ranked documents, of those that have any, per topic"),
    (["FAIR(protected='majority',p=0.5)@5"],
     "protected: the group with the most relevant documents, per topic"),
    (["BiasP@5"], "protected: PRO against CON"),
    (["EEL(by='group')@5"], "target: the exposure of the groups under ideal rankings"),
    (["GFR(attributes={'a':'jsd','b':'jsd'},targets={'b':'run'})@5"],
     "a: target: equal shares of all groups; b: target: the distribution of the groups in the "
     "whole ranking")])
def test_target_and_protected_group_are_named(names, text):
    table = pd.DataFrame({"name": ["A"], "AP": [0.5], **{name: [0.1] for name in names}})
    sentence = f"{', '.join(names)}: {text}."
    assert notes(table) == [sentence]
    perquery = pd.DataFrame({"name": "A", "qid": "1", "measure": names, "value": 0.1})
    assert notes(perquery) == [sentence] and as_text(table, "md").endswith(f"\n{sentence}\n")


def test_one_group_against_several_others():
    table = pd.DataFrame({"name": ["A"], "rKL@5": [0.1], "rND@5": [0.1]})
    renamed = rename(table, {"rKL@5": "Unfairness"})
    assert notes(renamed) == [f"Unfairness (rKL@5), rND@5: {QRELS_TARGET}; {FEWEST}."]
    table.attrs = {"several groups": {"rKL@5": 4, "rND@5": 4}, "topics": 2,
                   "interval": {"method": "bca", "confidence": 0.95}}
    assert notes(table) == [
        "Intervals need at least three topics.",
        f"rKL@5, rND@5: {QRELS_TARGET}; {FEWEST}; the others count as one."]


@pytest.mark.parametrize("topics, dropped, marks", [(6, 0, "▲"), (5, 0, ""), (6, 1, "")])
def test_few_topics_have_no_marks(averages, topics, dropped, marks):
    averages.attrs = {
        "topics": topics, "undefined": {"rKL@5": ("1",) * dropped}, "undefined left out": True,
        "comparison": {"baseline": "base", "test": "paired t-test", "correction": None,
                       "alpha": 0.05, "systems": 2}}
    assert changes(averages)["rKL@5"].tolist()[2] == marks
    few = [one for one in notes(averages) if one.startswith("With fewer than six topics, no")]
    assert len(few) == (not marks)
    assert ("▲" in as_text(averages, "md")) == (topics == 6)
