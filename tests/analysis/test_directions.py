"""The best values of a table."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning, analysis, highlight, plots, rename
from pt_fairness.analysis.columns import direction_of
from pt_fairness.evaluation import as_text
from pt_fairness.measures import FairnessMeasure, params, register
from pt_fairness.plots.layout import with_ideal


def marked(table: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the measure and the system of each cell that ``highlight`` marks."""
    styled = highlight(table)
    styled._compute()
    cells = [cell for cell, style in styled.ctx.items() if style]
    return {(table.columns[column], table["name"][row]) for row, column in cells}


class TestHighlight:
    def test_best_by_the_ideal(self, averages):
        table = averages.assign(**{"rKL@5 +": [0, 2, 1, 3], "nDCG@5 +": [1, 0, 3, 2],
                                   "BiasP@5 +": [1, 2, 3, 4], "mrt": 4.0, "nDCG@5 -": [2, 3, 0, 1],
                                   "nDCG@5 low": [0.1, 0.2, 0.3, 0.4], "nDCG@5 p-value": 0.1,
                                   "nDCG@5 p-value corrected": [0.1, 0.2, 0.3, 0.4],
                                   "tie@5 ↑": [0.3, 0.1 + 0.2, 0.2, 0.1],
                                   "BiasP(abs=True)@5": [0.3, 0.1, 0.2, 0.4]})
        assert marked(table) == {("nDCG@5", "A"), ("rKL@5", "B"), ("DistFair@5", "D"),
                                 ("BiasP@5", "D"), ("BiasP(abs=True)@5", "B"), ("tie@5 ↑", "A"),
                                 ("tie@5 ↑", "B"), *(("mrt", name) for name in "ABCD")}

    def test_columns_that_are_no_measure(self, averages):
        table = averages.rename(columns={"rKL@5": "unfairness"}).assign(
            **{
                "unfairness +": [0, 2, 1, 3], "unfairness p-value": 0.1, "map": [1.0, 2, 3, 4],
                "hmean(nDCG@5,1-rKL@5)": [1.0, 2, 3, 4], "qid": [1, 2, 3, 4]}
        )
        with pytest.warns(FairnessWarning) as told:
            found = marked(table)
        (message,) = (str(one.message) for one in told)
        assert message.startswith("no value of unfairness is marked")
        assert found == {("nDCG@5", "A"), ("DistFair@5", "D"), ("BiasP@5", "D"), ("map", "D"),
                         ("hmean(nDCG@5,1-rKL@5)", "D")}

    def test_joined_tables(self, averages):
        joined = pd.concat([averages, averages])
        html = highlight(joined).set_uuid("").to_html()
        assert html == highlight(joined.reset_index(drop=True)).set_uuid("").to_html()

    @pytest.mark.filterwarnings("error")
    def test_columns_renamed_afterwards(self, averages):
        styled = highlight(averages).relabel_index([*"abcde"], axis="columns")
        assert styled.to_html().count("font-weight: bold") == 1
        assert "unfairness" not in highlight(averages).to_html()


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


@pytest.fixture(params=[((1.0, None), "↓"), ((0.0, None), "↑"), ((0.0, 1.0), "↑"),
                        ((0.0, 2.0), "→1")])  # fmt: skip
def ratio(request, monkeypatch):
    """The range of a measure whose ideal value is 1, and the direction of the measure."""
    monkeypatch.setattr(_Ratio, "RANGE", request.param[0])
    return register(_Ratio()), request.param[1]


def test_towards_the_ideal_wherever_it_lies(ratio):
    measure, direction = ratio
    best = {"↓": "A", "↑": "C", "→1": "B"}[direction]
    table = pd.DataFrame({"name": [*"ABC"], "MadeUpRatio@5": [0.1, 0.9, 1.7]})
    assert direction_of("MadeUpRatio@5") == direction
    assert marked(table) == {("MadeUpRatio@5", best)}
    assert f"MadeUpRatio@5 {direction} |" in as_text(table, "md")
    assert analysis.top(table, n=1)["name"].tolist() == [best]
    assert direction_of(rename(table, {"MadeUpRatio@5": f"R {direction}"}).columns[1]) == direction
    end = with_ideal("MadeUpRatio@5")
    unbounded = direction == "↑" and measure.RANGE[1] is None
    assert end == f"MadeUpRatio@5 ({'more is fairer' if unbounded else '1 is fair'})"
    rows = [(name, str(qid), "MadeUpRatio@5", value + qid / 100) for name, value in
            zip(table["name"], table["MadeUpRatio@5"], strict=True) for qid in range(8)]
    perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    if direction == "→1":
        with pytest.raises(ValueError, match="a system cannot be worse in MadeUpRatio@5"):
            analysis.compare(perquery, "B", tolerance=0.1)
        return
    verdicts = analysis.compare(perquery, "B", tolerance=0.1)["verdict"].tolist()
    assert verdicts == {"↓": ["within", "exceeds"], "↑": ["exceeds", "within"]}[direction]
    ax = plots.tradeoff(table.assign(AP=0.5), "AP", "MadeUpRatio@5")
    assert ax.yaxis_inverted() == (direction == "↓")
