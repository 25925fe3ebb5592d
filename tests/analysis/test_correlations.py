"""Normalisation, combination and correlations of averages."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG
from one_test import each
from scipy import stats

from pt_fairness import FairnessWarning
from pt_fairness.analysis import combine, correlations, minmax
from pt_fairness.analysis.correlations import starred


class TestMinMax:
    def test_values(self, averages, unchanged):
        result = unchanged(minmax, averages.drop(columns="BiasP@5"))
        assert list(result.columns) == ["name", "nDCG@5", "rKL@5", "DistFair@5"]
        np.testing.assert_allclose(result["nDCG@5"], [1, 0.5, 0.75, 0])
        np.testing.assert_allclose(result["rKL@5"], [1, 0, 1 / 3, 2 / 3])

    def test_constant_but_for_rounding_noise(self):
        values = [0.20000000000000004, 0.19999999999999998, np.nan]
        table = pd.DataFrame({"name": list("ABC"), "nDCG@5": values, "AP": np.nan})
        with pytest.warns(FairnessWarning, match="nDCG@5"):
            result = minmax(table)
        assert result["nDCG@5"].tolist()[:2] == [0.0, 0.0]
        assert result.isna().sum().tolist() == [0, 1, 3]


class TestCombine:
    @pytest.mark.parametrize("how, inner, outer", [
        ("mean", float, float), ("gmean", math.log, math.exp),
        ("hmean", lambda x: 1 / x, lambda y: 1 / y)])
    def test_means(self, averages, how, inner, outer, unchanged):
        """A mean of transformed values, transformed back."""
        result = unchanged(combine, averages, [nDCG @ 5, "1-rKL@5"], how)
        assert list(result.columns) == [*averages.columns, f"{how}(nDCG@5,1-rKL@5)"]
        for i, row in averages.iterrows():
            expected = outer((inner(row["nDCG@5"]) + inner(1 - row["rKL@5"])) / 2)
            assert result.iloc[i, -1] == pytest.approx(expected)

    def test_the_ends_of_the_range(self, averages):
        table = averages.assign(**{"nDCG@5": [0, 1, 0.5, 1], "rKL@5": [0, 1, 0.5, 0]})
        found = combine(table, [nDCG @ 5, "1-rKL@5"], "gmean")
        assert found.iloc[:, -1].tolist() == pytest.approx([0, 0, 0.5, 1])

    def test_measures_of_unfairness_and_bias(self, averages):
        with pytest.warns(FairnessWarning, match="rKL@5.*'1-rKL@5'"):
            combine(averages, ["nDCG@5", "rKL@5"])
        with pytest.warns(FairnessWarning, match="BiasP@5.*abs=True") as found:
            combine(averages, ["nDCG@5", "BiasP@5"])
        assert len(found) == 1

    @each("columns, how, error", [
        (["nDCG@5", "nDCG@7"], "mean", "'nDCG@7'"), ("nDCG@5", "mean", "columns"),
        (["nDCG@5", "1-BiasP@5"], "mean", "BiasP@5.*-0.3"),
        (["nDCG@5", "DistFair@5"], "median", "'median'"),
        (["nDCG@5", "BiasP@5"], "hmean", "hmean.*-0.3")])
    @pytest.mark.filterwarnings("ignore:.*BiasP@5")
    def test_wrong_input(self, averages, columns, how, error):
        with pytest.raises(ValueError, match=error):
            combine(averages, columns, how)


class TestCorrelations:
    @each("method, test", [("kendall", stats.kendalltau), ("spearman", stats.spearmanr),
                           ("pearson", stats.pearsonr)])
    def test_over_systems(self, averages, method, test, unchanged):
        result = unchanged(correlations, averages, method)
        names = list(averages.columns[1:])
        assert list(result.coefficients.index) == list(result.coefficients.columns) == names
        for one, two in itertools.permutations(names, 2):
            found = (result.coefficients.loc[one, two], result.p_values.loc[one, two])
            assert found == pytest.approx(tuple(test(averages[one], averages[two])), abs=1e-12)
        assert (np.diag(result.coefficients) == 1).all()

    def test_table_is_a_triangle_with_stars(self):
        frame = pd.DataFrame({"name": range(10), "a": range(10), "b": [*range(9), -1],
                              "c": [5, 1, 8, 3, 9, 0, 7, 2, 6, 4]})
        table = correlations(frame).table
        assert list(table.index) == ["b", "c"] and list(table.columns) == ["a", "b"]
        assert table.loc["b", "a"] == "0.6000*" and table.loc["b", "b"] == ""
        assert table.loc["c", "a"] == f"{stats.kendalltau(frame['a'], frame['c'])[0]:.4f}"

    def test_rounding_noise_is_a_tie(self):
        frame = pd.DataFrame(
            {"name": range(4), "a": [0.3, 0.1 + 0.2, 0.5, 0.6], "b": [2.0, 1.0, 3.0, 4.0]})
        exact = frame.assign(a=[0.3, 0.3, 0.5, 0.6])
        assert correlations(frame).coefficients.equals(correlations(exact).coefficients)

    @each("values", [[0.20000000000000004, 0.2, 0.19999999999999998, 0.2], np.nan])
    @pytest.mark.filterwarnings("ignore:values are missing")
    def test_constant_measure(self, averages, values):
        with pytest.warns(FairnessWarning, match="rKL@5"):
            result = correlations(averages.assign(**{"rKL@5": values}), "pearson")
        for table in (result.coefficients, result.p_values):
            assert table["rKL@5"].isna().all() and table.loc["rKL@5"].isna().all()
            assert table.drop(index="rKL@5", columns="rKL@5").notna().all(axis=None)
        assert result.table.loc["rKL@5", "nDCG@5"] == "–"
        assert starred(-1e-5, 0.5) == "0.0000", "without a sign"

    def test_missing_values(self, perquery):
        one = perquery[perquery["name"] == "A"]
        short = one[~((one["measure"] == "BiasP@5") & one["qid"].isin(["3", "4"]))]
        with pytest.warns(FairnessWarning, match="2 of BiasP@5"):
            result = correlations(short)
        kept = one[~one["qid"].isin(["3", "4"])]
        assert result.coefficients.equals(correlations(kept).coefficients)
        wide = kept.pivot(index="qid", columns="measure", values="value")
        expected = stats.kendalltau(wide["BiasP@5"], wide["nDCG@5"])[0]
        assert result.coefficients.loc["BiasP@5", "nDCG@5"] == pytest.approx(expected)

    def test_wrong_input(self, averages, perquery):
        with pytest.raises(ValueError, match="3 systems"):
            correlations(perquery)
        with pytest.raises(ValueError, match="'tau'"):
            correlations(averages, "tau")
        with pytest.raises(ValueError, match="nDCG@5 for topic 0"):
            correlations(pd.concat([perquery[perquery["name"] == "A"]] * 2))
