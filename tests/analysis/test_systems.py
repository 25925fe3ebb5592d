"""Averages that are normalised, combined and ranked."""

from __future__ import annotations

import io
import math

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG, parse_measure

from pt_fairness import FairnessWarning
from pt_fairness.analysis import (
    bias_summary,
    combine,
    compare,
    correlations,
    minmax,
    rank_table,
    top,
)


class TestMinMax:
    def test_values(self, averages, unchanged):
        result = unchanged(minmax, averages.drop(columns="BiasP@5"))
        assert list(result.columns) == ["name", "nDCG@5", "rKL@5", "DistFair@5"]
        np.testing.assert_allclose(result["nDCG@5"], [1, 0.5, 0.75, 0])
        np.testing.assert_allclose(result["rKL@5"], [1, 0, 1 / 3, 2 / 3])

    def test_constant_column(self, averages):
        with pytest.warns(FairnessWarning, match="same value of nDCG@5"):
            result = minmax(averages[["name"]].assign(**{"nDCG@5": 0.3}))
        assert result["nDCG@5"].tolist() == [0.0] * 4

    def test_constant_but_for_rounding_noise(self):
        values = [0.20000000000000004, 0.19999999999999998, np.nan]
        table = pd.DataFrame({"name": list("ABC"), "nDCG@5": values, "AP": np.nan})
        with pytest.warns(FairnessWarning, match="same value of nDCG@5: the"):
            result = minmax(table)
        assert result["nDCG@5"].tolist()[:2] == [0.0, 0.0]
        assert result.isna().sum().tolist() == [0, 1, 3]

    def test_signed_bias(self, averages):
        with pytest.warns(FairnessWarning, match="fair value of BiasP@5"):
            minmax(averages)

    def test_columns_of_a_baseline_comparison_are_unchanged(self, experiment, unchanged):
        table = experiment[0]
        with pytest.warns(FairnessWarning, match="BiasP"):
            result = unchanged(minmax, table)
        others = r" [+-]$| p-value$"
        pd.testing.assert_frame_equal(result.filter(regex=others), table.filter(regex=others))
        assert result["nDCG@5"].min() == 0 and result["nDCG@5"].max() == 1

    def test_published_normalisation(self, shared):
        """The N[R-Prec] of Das & Lease (2019), table 1."""
        table = pd.read_csv(shared / "data" / "trec8" / "published-rprec.tsv", sep="\t")
        values = set(minmax(table.rename(columns={"run": "name"}))["Rprec"].round(4))
        assert {1.0, 0.88, 0.8552, 0.8472, 0.6854, 0.6, 0.0868, 0.0536, 0.0} <= values

    @pytest.mark.parametrize(
        "table, error",
        [
            (pd.DataFrame({"nDCG": [1.0]}), "no column 'name'"),
            (pd.DataFrame({"name": ["A"], "x": ["y"]}), "no column of numbers"),
            (pd.DataFrame([["A", 1.0, 2.0]], columns=["name", "AP", "AP"]), "several columns 'AP'"),
            (
                pd.DataFrame({"name": ["A", "B"], "AP": 0.5, "rKL@5": ["0.1", "-"]}),
                "rKL@5 has to be a column of numbers, and B has '-'",
            ),
            (pd.DataFrame({"name": ["A", "B"], "AP": ["0.5", "0.6"]}), "A has '0.5'"),
        ],
    )
    @pytest.mark.parametrize(
        "function", [minmax, top, rank_table, correlations, lambda table: combine(table, ["AP"])]
    )
    def test_wrong_table(self, table, error, function):
        with pytest.raises(ValueError, match=error):
            function(table)

    def test_text_columns_are_unchanged(self, averages):
        table = averages[["name", "nDCG@5"]].assign(**{"system type": "neural", "comment": "-"})
        assert list(minmax(table)) == list(table)


class TestCombine:
    @pytest.mark.parametrize(
        "how, expected",
        [
            ("mean", lambda a, b: (a + b) / 2),
            ("gmean", lambda a, b: math.sqrt(a * b)),
            ("hmean", lambda a, b: 2 * a * b / (a + b)),
        ],
    )
    def test_means(self, averages, how, expected, unchanged):
        result = unchanged(combine, averages, ["nDCG@5", "1-rKL@5"], how)
        assert list(result.columns) == [*averages.columns, f"{how}(nDCG@5,1-rKL@5)"]
        for relevance, unfairness, value in zip(
            averages["nDCG@5"], averages["rKL@5"], result.iloc[:, -1], strict=True
        ):
            assert value == pytest.approx(expected(relevance, 1 - unfairness))

    def test_weights_and_measure_objects(self, averages):
        result = combine(averages, [nDCG @ 5, parse_measure("DistFair@5")], weights=[3, 1])
        assert result["mean(3*nDCG@5,1*DistFair@5)"][0] == pytest.approx((3 * 0.9 + 0.2) / 4)
        heavy = combine(averages, ["nDCG@5", "DistFair@5"], "gmean", [3, 1]).iloc[:, -1]
        assert heavy[0] == pytest.approx((0.9**3 * 0.2) ** 0.25)

    def test_zero_in_a_geometric_or_harmonic_mean(self, averages):
        table = averages.assign(**{"nDCG@5": 0.0})
        for how in ("gmean", "hmean"):
            assert (combine(table, ["nDCG@5", "DistFair@5"], how).iloc[:, -1] == 0).all()

    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("how", ["mean", "gmean", "hmean"])
    def test_weight_of_zero(self, averages, how):
        table = averages.assign(**{"nDCG@5": [0.0, -1.0, np.nan, 0.5]})
        result = combine(table, ["nDCG@5", "DistFair@5", "1-rKL@5"], how, [0, 2, 1]).iloc[:, -1]
        np.testing.assert_allclose(
            result, combine(table, ["DistFair@5", "1-rKL@5"], how, [2, 1]).iloc[:, -1]
        )

    def test_published_means(self):
        """Das & Lease (2019), table 1, from its own N[R-Prec] and Fair."""
        table = pd.DataFrame(
            {
                "name": ["SN1", "SN2", "SN127", "SN15"],
                "N": [1.0, 0.88, 0.0536, 0.6854],
                "F": [0.1158, 0.1578, 0.7306, 0.2112],
            }
        )
        arithmetic = combine(table, ["N", "F"])["mean(N,F)"]
        assert arithmetic.round(4).tolist() == [0.5579, 0.5189, 0.3921, 0.4483]
        geometric = combine(table, ["N", "F"], "gmean")["gmean(N,F)"]
        np.testing.assert_allclose(geometric, [0.3403, 0.3727, 0.1979, 0.3805], atol=1e-4)

    def test_measures_of_unfairness_and_bias(self, averages):
        with pytest.warns(FairnessWarning, match="less is fairer for rKL@5.*'1-rKL@5'"):
            combine(averages, ["nDCG@5", "rKL@5"])
        with pytest.warns(FairnessWarning, match="0 is fair for BiasP@5.*abs=True") as found:
            combine(averages, ["nDCG@5", "BiasP@5"])
        assert len(found) == 1

    @pytest.mark.parametrize(
        "columns, options, error",
        [
            (["nDCG@5", "nDCG@7"], {}, "no measure 'nDCG@7'; it has 'nDCG@5'"),
            (["AP(rell=2)"], {}, "no measure 'AP.rell=2.'"),
            ([], {}, "needs the names"),
            (["nDCG@5", "1-BiasP@5"], {}, r"values of BiasP@5 in \[0, 1\].*-0.3 to 0.2"),
            (["nDCG@5", "DistFair@5"], {"weights": [1]}, "2 columns need 2 weights"),
            (["nDCG@5", "DistFair@5"], {"weights": [1, -1]}, "not negative"),
            (["nDCG@5", "DistFair@5"], {"weights": [1, math.nan]}, "not negative"),
            (["nDCG@5", "DistFair@5"], {"weights": [math.inf, 1]}, "not negative"),
            (["nDCG@5", "DistFair@5"], {"how": "median"}, "'mean', 'gmean' or 'hmean'"),
        ],
    )
    def test_wrong_input(self, averages, columns, options, error):
        with pytest.raises(ValueError, match=error):
            combine(averages, columns, **options)

    @pytest.mark.filterwarnings("ignore:0 is fair")
    def test_negative_value(self, averages):
        error = "hmean needs values of at least 0, and BiasP@5 has -0.3"
        with pytest.raises(ValueError, match=error):
            combine(averages, ["nDCG@5", "BiasP@5"], "hmean")


class TestRanks:
    def test_top(self, averages, unchanged):
        result = unchanged(top, averages, by=["nDCG@5", "rKL@5", "BiasP@5"], n=2)
        assert list(result.columns) == ["by", "rank", *averages.columns]
        assert result[["by", "rank", "name"]].values.tolist() == [
            ["nDCG@5", 1, "A"],
            ["nDCG@5", 2, "C"],
            ["rKL@5", 1, "B"],
            ["rKL@5", 2, "C"],
            ["BiasP@5", 1, "D"],
            ["BiasP@5", 2, "B"],
        ]
        assert result["nDCG@5"].tolist() == [0.9, 0.7, 0.5, 0.7, 0.1, 0.5]

    def test_top_under_every_measure_and_ties(self, averages):
        result = top(averages.assign(**{"nDCG@5": [0.3, 0.9, 0.9, 0.9]}), n=3)
        assert result["by"].tolist() == averages.columns[1:].repeat(3).tolist()
        assert result.loc[:2, ["rank", "name"]].values.tolist() == [[1, "B"], [1, "C"], [1, "D"]]

    def test_rank_table(self, averages, unchanged):
        result = unchanged(rank_table, averages, by="nDCG@5").set_index("name")
        assert result.index.tolist() == ["A", "C", "B", "D"]
        others = ["rKL@5", "DistFair@5", "BiasP@5"]
        moves = [f"{name} move" for name in others]
        assert result.columns.tolist() == ["nDCG@5", *others, *moves]
        assert result.loc["A"].tolist() == [1, 4, 4, 4, -3, -3, -3]
        assert result.loc["B", ["nDCG@5", "rKL@5", "rKL@5 move"]].tolist() == [3, 1, 2]

    def test_of_an_experiment_with_a_baseline(self, experiment):
        names = {"name", "nDCG@5", "rKL@5", "BiasP@5", "rKL@5 move", "BiasP@5 move"}
        assert set(rank_table(experiment[0])) == names

    @pytest.mark.parametrize("function", [top, rank_table])
    def test_index_that_is_not_unique(self, averages, function, unchanged):
        two = averages.assign(
            name=[f"{name}2" for name in averages["name"]], **{"nDCG@5": [0.8, 0.4, 0.6, 0.0]}
        )
        table = pd.concat([averages, two])
        expected = function(table.reset_index(drop=True), by="nDCG@5")
        pd.testing.assert_frame_equal(unchanged(function, table, by="nDCG@5"), expected)

    @pytest.mark.parametrize(
        "options, error",
        [
            ({"by": "AP"}, "no measure 'AP'"),
            ({"by": []}, "needs at least one measure"),
            ({"n": -1}, "n=-1"),
            ({"n": 0}, "n=0"),
        ],
    )
    def test_wrong_input(self, averages, options, error):
        with pytest.raises(ValueError, match=error):
            top(averages, **options)


class TestFramesFromFiles:
    def test_saved_index(self, experiment):
        averages = experiment[0]
        read = pd.read_csv(io.StringIO(averages.to_csv()))
        assert read.columns[0] == "Unnamed: 0"
        pd.testing.assert_frame_equal(rank_table(read), rank_table(averages), check_dtype=False)

    def test_topics_are_read_as_numbers(self, experiment):
        averages, perquery, *_ = experiment
        perquery = perquery.astype({"qid": int})
        read = [
            pd.read_csv(io.StringIO(frame.to_csv(index=False))) for frame in (averages, perquery)
        ]
        pd.testing.assert_frame_equal(rank_table(read[0]), rank_table(averages), check_dtype=False)
        signed = [one[one["measure"].str.startswith("BiasP@")] for one in (read[1], perquery)]
        pd.testing.assert_frame_equal(*map(bias_summary, signed), check_dtype=False)
        found, expected = (compare(one, "one", resamples=99) for one in (read[1], perquery))
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
