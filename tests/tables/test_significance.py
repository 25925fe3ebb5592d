"""Significant changes in the fair direction, and the note under a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pt_fairness.tables import changes, notes
from pt_fairness.tables.significance import baseline_row, short_p


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
        "nDCG@5": [1, 0, -1], "rKL@5": [-1, 0, 1], "BiasP@5": [1, 0, -1]}


def test_corrected_p_values_count(averages):
    corrected = averages.assign(**{"rKL@5 p-value corrected": [0.06, np.nan, 0.02]})
    assert changes(corrected)["rKL@5"].tolist() == [0, 0, 1]
    assert changes(averages, alpha=0.02)["rKL@5"].tolist() == [0, 0, 1]


def test_without_a_baseline_or_a_direction(averages):
    assert (changes(averages[["name", "nDCG@5", "rKL@5"]]) == 0).all(axis=None)
    assert baseline_row(averages) == 1 and baseline_row(averages[["name", "rKL@5"]]) is None
    unknown = averages.rename(columns=lambda column: column.replace("rKL@5", "unfairness"))
    assert changes(unknown)["unfairness"].tolist() == [0, 0, 0]
    assert baseline_row(averages[averages["name"] != "base"]) is None


def test_the_notes_of_attrs():
    table = pd.DataFrame({"name": ["A"], "rKL@5": [0.1]})
    assert notes(table) == []
    table.attrs = {"groups": "sources", "topics": 50, "broken": {"B": "line 3"},
                   "undefined": {"rKL@5": ("1",), "rND@5": ("2",), "AWRF": ("1", "2")},
                   "comparison": {"baseline": "A", "test": "t", "correction": "fdr_bh",
                                  "alpha": 0.01, "systems": 2}}
    assert notes(table) == [
        "▲ significantly better, ▼ significantly worse than A (t, p < .01, correction fdr_bh for 2 "
        "systems).", "Groups: sources.",
        "Undefined: rKL@5, rND@5 on 1 of 50 topics; AWRF on 2 of 50 topics.",
        "Not evaluated because of errors: B."]
    table.attrs["comparison"]["systems"] = 1
    assert notes(table)[0].endswith("than A (t, p < .01).")


@pytest.mark.parametrize("p, text", [(0.0, "< .001"), (0.00099, "< .001"), (0.001, ".001"),
                                     (0.5, ".5"), (0.9999, "1"), (1.0, "1")])
def test_p_values_as_text(p, text):
    assert short_p(p) == text
