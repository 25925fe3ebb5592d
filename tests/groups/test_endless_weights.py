"""Weights whose sum is no number."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_fairness import analysis, groups


@pytest.mark.parametrize("make", [
    lambda: groups.from_mapping({"a": {"X": 1.0}, "b": {"X": 1e308, "Y": 1e308}}),
    lambda: groups.from_frame(pd.DataFrame({"docno": ["a", "b", "b"], "group": ["X", "X", "Y"],
                                            "weight": [1.0, 1e308, 1e308]}))])
def test_weights_of_a_document(make):
    with pytest.raises(ValueError, match="the weights of 'b' sum to infinity; give smaller"):
        make()


def test_weights_of_columns():
    table = pd.DataFrame({"name": ["A"], "AP": [0.5], "nDCG": [0.5]})
    with pytest.raises(ValueError, match="of a finite sum"):
        analysis.combine(table, ["AP", "nDCG"], weights=[1e308, 1e308])
