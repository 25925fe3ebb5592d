"""The best values of a table."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_fairness import FairnessWarning, highlight


def marked(table: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the measure and the system of each cell that ``highlight`` marks."""
    styled = highlight(table)
    styled._compute()
    cells = [cell for cell, style in styled.ctx.items() if style]
    return {(table.columns[column], table["name"][row]) for row, column in cells}


class TestHighlight:
    def test_best_by_the_fair_end(self, averages):
        table = averages.assign(
            **{
                "rKL@5 +": [0, 2, 1, 3],
                "nDCG@5 +": [1, 0, 3, 2],
                "BiasP@5 +": [1, 2, 3, 4],
                "mrt": 4.0,
                "nDCG@5 -": [2, 3, 0, 1],
                "nDCG@5 low": [0.1, 0.2, 0.3, 0.4],
                "nDCG@5 p-value": [0.1, 0.2, 0.3, 0.4],
                "nDCG@5 p-value corrected": [0.1, 0.2, 0.3, 0.4],
                "BiasP(abs=True)@5": [0.3, 0.1, 0.2, 0.4],
            }
        )
        assert marked(table) == {
            ("nDCG@5", "A"),
            ("rKL@5", "B"),
            ("DistFair@5", "D"),
            ("BiasP@5", "D"),
            ("BiasP(abs=True)@5", "B"),
            *(("mrt", name) for name in "ABCD"),
        }

    def test_columns_that_are_no_measure(self, averages):
        table = averages.rename(columns={"rKL@5": "unfairness"}).assign(
            **{
                "unfairness +": [0, 2, 1, 3],
                "unfairness p-value": 0.1,
                "map": [1.0, 2, 3, 4],
                "hmean(nDCG@5,1-rKL@5)": [1.0, 2, 3, 4],
                "qid": [1, 2, 3, 4],
            }
        )
        with pytest.warns(FairnessWarning) as told:
            found = marked(table)
        (message,) = (str(one.message) for one in told)
        assert message.startswith("no value of unfairness is marked")
        assert found == {
            ("nDCG@5", "A"),
            ("DistFair@5", "D"),
            ("BiasP@5", "D"),
            ("map", "D"),
            ("hmean(nDCG@5,1-rKL@5)", "D"),
        }

    @pytest.mark.filterwarnings("error")
    def test_columns_renamed_afterwards(self, averages):
        styled = highlight(averages).relabel_index([*"abcde"], axis="columns")
        assert styled.to_html().count("font-weight: bold") == 1
        assert "unfairness" not in highlight(averages).to_html()

    def test_rounding_noise_is_a_tie(self):
        table = pd.DataFrame({"name": list("ABC"), "nDCG@5": [0.3, 0.1 + 0.2, 0.2]})
        assert marked(table) == {("nDCG@5", "A"), ("nDCG@5", "B")}
