"""Which values of a table are the best; frames read from files; the public names."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from pt_fairness import FairnessWarning, analysis
from pt_fairness.analysis import (
    bias_summary,
    compare,
    highlight,
    rank_table,
)


class TestHighlight:
    def test_best_by_the_fair_end(self, averages):
        table = averages.assign(**{"rKL@5 +": [0, 2, 1, 3], "nDCG@5 +": [1, 0, 3, 2], "BiasP@5 +": [1, 2, 3, 4], "mrt": 4.0,
                                   "nDCG@5 p-value": [0.1, 0.2, 0.3, 0.4], "BiasP(abs=True)@5": [0.3, 0.1, 0.2, 0.4]})
        styled = highlight(table)
        styled._compute()
        bold = {(table.columns[column], table["name"][row]) for (row, column), style in styled.ctx.items() if style}
        assert bold == {("nDCG@5", "A"), ("rKL@5", "B"), ("DistFair@5", "D"), ("BiasP@5", "D"), ("rKL@5 +", "A"),
                        ("nDCG@5 +", "C"), ("BiasP(abs=True)@5", "B"), *(("mrt", name) for name in "ABCD")}

    def test_a_name_that_is_no_measure_is_not_marked(self, averages):
        table = averages.rename(columns={"rKL@5": "unfairness"}).assign(
            **{"unfairness +": [0, 2, 1, 3], "unfairness p-value": 0.1, "map": [1.0, 2, 3, 4],
               "hmean(nDCG@5,1-rKL@5)": [1.0, 2, 3, 4], "qid": [1, 2, 3, 4]})
        with pytest.warns(FairnessWarning) as told:
            styled = highlight(table)
            styled._compute()
        assert [str(one.message).partition(" is marked")[0] for one in told] == [
            "no value of unfairness, unfairness +"]
        bold = {(table.columns[column], table["name"][row])
                for (row, column), style in styled.ctx.items() if style}
        assert bold == {("nDCG@5", "A"), ("DistFair@5", "D"), ("BiasP@5", "D"), ("map", "D"),
                        ("hmean(nDCG@5,1-rKL@5)", "D")}

    @pytest.mark.filterwarnings("error")
    def test_columns_may_be_renamed_afterwards(self, averages):
        styled = highlight(averages).relabel_index([*"abcde"], axis="columns")
        assert styled.to_html().count("font-weight: bold") == 1
        assert "unfairness" not in highlight(averages).to_html()

    def test_rounding_noise_is_a_tie(self):
        styled = highlight(pd.DataFrame({"name": list("ABC"), "nDCG@5": [0.3, 0.1 + 0.2, 0.2]}))
        styled._compute()
        assert {row for (row, _), style in styled.ctx.items() if style} == {0, 1}


class TestFilesAreAsGood:
    def test_an_index_that_was_saved_is_no_measure(self, experiment):
        averages = experiment[0]
        read = pd.read_csv(io.StringIO(averages.to_csv()))
        assert read.columns[0] == "Unnamed: 0"
        pd.testing.assert_frame_equal(rank_table(read), rank_table(averages), check_dtype=False)

    def test_frames_read_from_csv(self, experiment):
        """Topic identifiers come back as numbers."""
        averages, perquery, *_ = experiment
        perquery = perquery.astype({"qid": int})
        read = [pd.read_csv(io.StringIO(frame.to_csv(index=False))) for frame in (averages, perquery)]
        pd.testing.assert_frame_equal(rank_table(read[0]), rank_table(averages), check_dtype=False)
        pd.testing.assert_frame_equal(bias_summary(read[1]), bias_summary(perquery), check_dtype=False)
        pd.testing.assert_frame_equal(compare(read[1], "one"), compare(perquery, "one"), check_dtype=False)


def test_public_names_exist():
    for name in analysis.__all__:
        assert hasattr(analysis, name)
