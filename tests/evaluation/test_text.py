"""Tables as text: what is escaped, marked and left out."""

import json

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning
from pt_fairness.evaluation import as_text


def test_a_renamed_column_is_not_bold():
    table = pd.DataFrame({"name": ["a", "b"], "unfairness": [0.1, 0.9], "AP": [0.2, 0.4]})
    with pytest.warns(FairnessWarning, match="no value of unfairness is marked as") as told:
        latex = as_text(table, "latex")
    assert sum(one.category is FairnessWarning for one in told) == 1
    assert r"b & 0.9000 & \textbf{0.4000} \\" in latex and r"a & 0.1000 & 0.2000 \\" in latex


def test_characters_with_a_meaning_are_escaped():
    table = pd.DataFrame({"name": ["a|b", "c_d"], "alpha_nDCG@5": [0.5, np.nan]})
    assert as_text(table, "md").splitlines()[2:] == ["| a\\|b | **0.5000** |", "| c_d |  |"]
    assert as_text(table.assign(name="a\nb"), "md").splitlines()[2] == "| a b | **0.5000** |"
    latex = as_text(table, "latex")
    for escaped in (r"alpha\_nDCG@5", r"c\_d &  \\", r"a\textbar{}b & \textbf{0.5000} \\"):
        assert escaped in latex
    assert json.loads(as_text(table, "json")) == [{"name": "a|b", "alpha_nDCG@5": 0.5},
                                                  {"name": "c_d", "alpha_nDCG@5": None}]


def test_marks_stay_with_their_systems():
    table = pd.DataFrame({"name": ["a", "b", "c"], "rKL@5": [0.3, 0.1, 0.2],
                          "rKL@5 +": [0, 1, 2], "rKL@5 -": [0, 2, 1],
                          "rKL@5 p-value": [np.nan, 0.01, 0.5], "flag": [True, False, True]})
    for given in (table, table.sort_values("rKL@5", ascending=False), table[table["name"] != "c"],
                  table.drop(columns=["rKL@5 +", "rKL@5 -"])):
        lines = as_text(given, "latex").splitlines()
        assert r"b & \textbf{0.1000}$^{\blacktriangle}$ & False \\" in lines
        assert sum("blacktriangle" in line for line in lines) == 1
