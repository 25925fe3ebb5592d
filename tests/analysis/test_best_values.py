"""Which end of a measure is better, and the best values of a table."""

import math
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning, analysis, measure, table
from pt_fairness.analysis.inputs import best, direction
from pt_fairness.measures import FairnessMeasure, descriptions, params, register


def best_systems(averages: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the measure and the system of each best value."""
    marks = best(averages).stack()
    return {(column, averages["name"][row]) for row, column in marks[marks].index}


@pytest.fixture
def averages():
    return pd.DataFrame({"name": [*"ABCD"], "nDCG@5": [0.9, 0.5, 0.7, 0.1],
                         "rKL@5": [0.4, 0.1, 0.2, 0.3], "DistFair@5": [0.1, 0.2, 0.3, 0.4],
                         "BiasP@5": [-0.3, 0.2, 0.15, 0.1]})


def test_best_by_the_ideal_value(averages):
    frame = averages.assign(**{
        "rKL@5 +": [0, 2, 1, 3], "nDCG@5 p-value": 0.1, "nDCG@5 p-value corrected": 0.1, "mrt": 4.0,
        "AP": [0.3, 0.1 + 0.2, 0.2, 0.1], "BiasP(abs=True)@5": [0.3, 0.1, 0.2, 0.4],
        "map": [1.0, 2, 3, 4], "hmean(nDCG@5,1-rKL@5)": [1.0, 2, 3, 4], "qid": [1, 2, 3, 4]})
    assert best_systems(frame) == {
        ("nDCG@5", "A"), ("rKL@5", "B"), ("DistFair@5", "D"), ("BiasP@5", "D"), ("map", "D"),
        ("BiasP(abs=True)@5", "B"), ("AP", "A"), ("AP", "B"), ("hmean(nDCG@5,1-rKL@5)", "D"),
        *(("mrt", name) for name in "ABCD")}


def test_a_column_of_unknown_direction(averages):
    frame = averages.rename(columns={"rKL@5": "unfairness"})
    with pytest.warns(FairnessWarning, match="unfairness"):
        assert ("unfairness", "B") not in best_systems(frame)


class _Ratio(FairnessMeasure):
    """
    Made up: 1 is fair.

    Source: made up.
    """

    NAME = __name__ = "MadeUpRatio"
    SUPPORTED_PARAMS: ClassVar = {"cutoff": params.cutoff(), "groups": params.groups()}
    IDEAL = 1.0

    def score(self, view):
        return np.ones(len(view))


@pytest.mark.parametrize("bounds, end", [((1.0, None), "↓"), ((0.0, None), "→1"),
                                         ((0.0, 1.0), "↑"), ((0.0, 2.0), "→1")])
def test_towards_the_ideal_value_wherever_it_lies(monkeypatch, bounds, end):
    monkeypatch.setattr(_Ratio, "RANGE", bounds)
    ratio = register(_Ratio())
    fairest = {"↓": "A", "↑": "C", "→1": "B"}[end]
    frame = pd.DataFrame({"name": [*"ABC"], "MadeUpRatio@5": [0.1, 0.9, 1.7]})
    assert direction("MadeUpRatio@5") == direction(ratio) == end
    assert best_systems(frame) == {("MadeUpRatio@5", fairest)}
    assert f"MadeUpRatio@5 {end} |" in table(frame).md
    assert descriptions.ideal_in_words(ratio) == "1 is fair"
    values = [(name, str(qid), "MadeUpRatio@5", value + qid / 100) for name, value in
              zip(frame["name"], frame["MadeUpRatio@5"], strict=True) for qid in range(8)]
    perquery = pd.DataFrame(values, columns=["name", "qid", "measure", "value"])
    if end == "→1":
        with pytest.raises(ValueError, match="MadeUpRatio@5"):
            analysis.compare(perquery, "B", tolerance=0.1)
        return
    verdicts = analysis.compare(perquery, "B", tolerance=0.1)["verdict"].tolist()
    assert verdicts == {"↓": ["within", "exceeds"], "↑": ["exceeds", "within"]}[end]


def test_an_own_measure_of_which_more_is_always_better():
    def first_group(codes, length):
        return np.ones(len(codes))

    made = measure(first_group, ideal=math.inf, range=(0, None))
    assert direction(made @ 5) == "↑" and made.DEFAULT == 0
    assert descriptions.ideal_in_words(made) == "more is fairer"
    with pytest.raises(ValueError, match="ideal=inf"):
        measure(first_group, ideal=math.inf, range=(None, None))
