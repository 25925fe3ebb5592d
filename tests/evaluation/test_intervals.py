"""Intervals and the choice of the test in evaluate and in its tables."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from evaluation.common import evaluate_quietly

from pt_fairness import analysis, rename
from pt_fairness.analysis.columns import measure_columns
from pt_fairness.analysis.notes import notes
from pt_fairness.evaluation import as_text

MEASURES = ["nDCG@5", "BiasP(pro='g0',con='g1')@5", "NumRel"]
SHORT = MEASURES[:2]


@pytest.fixture
def runs(make_case):
    return {f"system {seed}": make_case(seed, topics=12, labels=3).run_frame
            for seed in range(3, 7)}


class TestIntervals:
    def test_columns(self, runs, qrels):
        averages, perquery = evaluate_quietly(runs, qrels, MEASURES, confidence=0.9, baseline=0)
        assert list(averages.columns[:4]) == ["name", "nDCG@5", "nDCG@5 low", "nDCG@5 high"]
        assert measure_columns(averages) == MEASURES
        expected = analysis.intervals(perquery, confidence=0.9).set_index(["name", "measure"])
        for row in averages.to_dict("records"):
            for measure in SHORT:
                ends = [row[f"{measure} {end}"] for end in ("low", "high")]
                assert ends == expected.loc[(row["name"], measure), ["low", "high"]].tolist()
                assert ends[0] <= row[measure] <= ends[1]
            assert math.isnan(row["NumRel low"]) and math.isnan(row["NumRel high"])
        plain, _ = evaluate_quietly(runs, qrels, MEASURES, baseline=0)
        pd.testing.assert_frame_equal(plain, averages[plain.columns])
        assert averages.attrs["interval"] == {"method": "bca", "confidence": 0.9}
        assert "Intervals: 90 %, BCa bootstrap over topics." in notes(averages)
        assert "interval" not in plain.attrs

    def test_texts(self):
        table = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.48375, 0.25],
                              "nDCG@5 low": [0.3725, np.nan], "nDCG@5 high": [0.58875, np.nan]})
        lines = as_text(table, "md", 3).splitlines()
        assert lines[0] == "| name | nDCG@5 ↑ |"
        assert lines[2] == "| A | **0.484 [0.372, 0.589]** |" and lines[3] == "| B | 0.250 |"
        assert r"A & \textbf{0.484 [0.372, 0.589]} \\" in as_text(table, "latex", 3)
        assert as_text(table, "csv").splitlines()[0] == "name,nDCG@5,nDCG@5 low,nDCG@5 high"
        assert json.loads(as_text(table, "json"))[0]["nDCG@5 low"] == 0.3725
        unfair = table.rename(columns=lambda name: name.replace("nDCG@5", "rKL@5"))
        marked = as_text(rename(unfair, {"rKL@5": "U"}), "csv").splitlines()[0]
        assert marked == "name,U ↓,U ↓ low,U ↓ high"


class TestTest:
    def test_randomisation(self, runs, qrels):
        averages, perquery = evaluate_quietly(runs, qrels, SHORT, baseline=0, correction="holm",
                                              test="randomisation")
        expected = analysis.compare(perquery, 0, test="randomisation").set_index(
            ["name", "measure"])
        for row in averages[1:].to_dict("records"):
            for measure in SHORT:
                own = expected.loc[(row["name"], measure)]
                assert row[f"{measure} p-value"] == pytest.approx(own["p"], nan_ok=True)
                assert row[f"{measure} p-value corrected"] == pytest.approx(
                    own["corrected"], nan_ok=True)
        assert averages.attrs["comparison"]["test"] == "two-sided randomisation test"
        assert "two-sided randomisation test, p < .05" in notes(averages)[0]

    @pytest.mark.parametrize("options, says", [
        ({"test": "z"}, "test='z' is not possible; it takes 't' or 'randomisation'"),
        ({"confidence": 95}, "the confidence level 95 is not possible")])
    def test_wrong_options(self, runs, qrels, options, says):
        with pytest.raises(ValueError, match=says):
            evaluate_quietly(runs, qrels, SHORT, **options)


class TestVerdicts:
    TOLERANCE = {"nDCG@5": 0.05, "AWRF@5": 0}

    def test_they_are_those_of_compare(self, runs, qrels):
        measures = ["nDCG@5", "BiasP(pro='g0',con='g1')@5", "AWRF@5"]
        averages, perquery = evaluate_quietly(runs, qrels, measures, baseline=1,
                                              tolerance=self.TOLERANCE)
        expected = analysis.compare(perquery, "system 4", tolerance=self.TOLERANCE).set_index(
            ["name", "measure"])["verdict"]
        for measure in self.TOLERANCE:
            words = averages.set_index("name")[f"{measure} verdict"]
            assert words.drop("system 4").to_dict() == expected.xs(measure, level=1).to_dict()
            assert pd.isna(words["system 4"])
        assert "BiasP(pro='g0',con='g1')@5 verdict" not in averages
        assert measure_columns(averages) == measures
        assert averages.attrs["tolerance"] == {"nDCG@5": 0.05, "AWRF@5": 0}
        assert any("not worse than system 4 by more than 0.05 in nDCG@5, 0 in AWRF@5" in one
                   for one in notes(averages))

    def test_texts_and_labels(self, runs, qrels):
        averages, _ = evaluate_quietly(runs, qrels, SHORT, baseline=0, tolerance={"nDCG@5": 1.1},
                                       labels={"nDCG@5": "Relevance"})
        assert averages["Relevance verdict"].tolist()[1:] == ["within"] * 3
        lines = as_text(averages, "md").splitlines()
        assert "| verdict (Relevance) |" in lines[0] and "1.1 in Relevance;" in lines[-1]
        assert "| within |" in lines[3] and "within" not in lines[2]
        first, second, *_ = json.loads(as_text(averages, "json"))
        assert first["Relevance ↑ verdict"] is None
        assert second["Relevance ↑ verdict"] == "within"

    @pytest.mark.parametrize("options, says", [
        ({"tolerance": 0.1}, "tolerance=0.1 is of differences from a baseline; give one"),
        ({"tolerance": {"AP": 0.1}, "baseline": 0}, "has no values of 'AP'"),
        ({"tolerance": {"nDCG@5": -1}, "baseline": 0}, "the tolerance of nDCG@5 is -1")])
    def test_wrong_options(self, runs, qrels, options, says):
        with pytest.raises(ValueError, match=says):
            evaluate_quietly(runs, qrels, SHORT, **options)
