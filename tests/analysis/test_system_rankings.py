"""Normalisation, combination, ranking and correlations of averages; biases over topics."""

from __future__ import annotations

import io
import itertools
import math

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import nDCG, parse_measure
from one_test import each
from scipy import stats
from statsmodels.stats.multitest import multipletests

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
from pt_fairness.analysis.notes import corrected


class TestMinMax:
    def test_values(self, averages, unchanged):
        result = unchanged(minmax, averages.drop(columns="BiasP@5"))
        assert list(result.columns) == ["name", "nDCG@5", "rKL@5", "DistFair@5"]
        np.testing.assert_allclose(result["nDCG@5"], [1, 0.5, 0.75, 0])
        np.testing.assert_allclose(result["rKL@5"], [1, 0, 1 / 3, 2 / 3])

    def test_constant_but_for_rounding_noise(self):
        values = [0.20000000000000004, 0.19999999999999998, np.nan]
        table = pd.DataFrame({"name": list("ABC"), "nDCG@5": values, "AP": np.nan})
        with pytest.warns(FairnessWarning, match="same value of nDCG@5: the"):
            result = minmax(table)
        assert result["nDCG@5"].tolist()[:2] == [0.0, 0.0]
        assert result.isna().sum().tolist() == [0, 1, 3]

    def test_columns_of_a_baseline_comparison_are_unchanged(self, experiment, unchanged):
        table = experiment[0]
        with pytest.warns(FairnessWarning, match="fair value of BiasP@5"):
            result = unchanged(minmax, table)
        others = r" [+-]$| p-value$"
        pd.testing.assert_frame_equal(result.filter(regex=others), table.filter(regex=others))


def test_tables_from_files(experiment):
    """With the index that pandas writes, and topics that are read as numbers."""
    averages, perquery, *_ = experiment
    read = pd.read_csv(io.StringIO(averages.to_csv()))
    pd.testing.assert_frame_equal(rank_table(read), rank_table(averages), check_dtype=False)
    perquery = perquery.astype({"qid": int})
    read = pd.read_csv(io.StringIO(perquery.to_csv(index=False)))
    found, expected = (compare(one, "one", None, resamples=99) for one in (read, perquery))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    for row in expected.itertuples():  # as pt.Experiment has them
        of_system = averages.set_index("name").loc[row.name]
        assert row.p == pytest.approx(of_system[f"{row.measure} p-value"])
        assert row.mean == pytest.approx(of_system[row.measure])

    def test_published_normalisation(self, shared):
        """The N[R-Prec] of Das & Lease (2019), table 1."""
        table = pd.read_csv(shared / "data" / "trec8" / "published-rprec.tsv", sep="\t")
        values = set(minmax(table.rename(columns={"run": "name"}))["Rprec"].round(4))
        assert {1.0, 0.88, 0.8552, 0.8472, 0.6854, 0.6, 0.0868, 0.0536, 0.0} <= values


class TestCombine:
    @pytest.mark.parametrize("how, inner, outer", [
        ("mean", float, float), ("gmean", math.log, math.exp),
        ("hmean", lambda x: 1 / x, lambda y: 1 / y)])
    def test_means(self, averages, how, inner, outer, unchanged):
        """A mean of transformed values, transformed back."""
        plain = unchanged(combine, averages, ["nDCG@5", "1-rKL@5"], how)
        assert list(plain.columns) == [*averages.columns, f"{how}(nDCG@5,1-rKL@5)"]
        heavy = combine(averages, [nDCG @ 5, parse_measure("DistFair@5")], how, weights=[3, 1])
        assert heavy.columns[-1] == f"{how}(3*nDCG@5,1*DistFair@5)"
        for i, row in averages.iterrows():
            relevance = inner(row["nDCG@5"])
            expected = outer((relevance + inner(1 - row["rKL@5"])) / 2)
            assert plain.iloc[i, -1] == pytest.approx(expected)
            expected = outer((3 * relevance + inner(row["DistFair@5"])) / 4)
            assert heavy.iloc[i, -1] == pytest.approx(expected)

    @pytest.mark.filterwarnings("error")
    @each("how", ["mean", "gmean", "hmean"])
    def test_weight_of_zero(self, averages, how):
        table = averages.assign(**{"nDCG@5": [0.0, -1.0, np.nan, 0.5]})
        result = combine(table, ["nDCG@5", "DistFair@5", "1-rKL@5"], how, [0, 2, 1]).iloc[:, -1]
        np.testing.assert_allclose(
            result, combine(table, ["DistFair@5", "1-rKL@5"], how, [2, 1]).iloc[:, -1])

    def test_published_means(self):
        """Das & Lease (2019), table 1, from its own N[R-Prec] and Fair."""
        table = pd.DataFrame({
            "name": ["SN1", "SN2", "SN127", "SN15"], "N": [1.0, 0.88, 0.0536, 0.6854],
            "F": [0.1158, 0.1578, 0.7306, 0.2112]})
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

    @each("columns, options, error", [
        (["nDCG@5", "nDCG@7"], {}, "no measure 'nDCG@7'; it has 'nDCG@5'"),
        ([], {}, "needs the names"),
        (["nDCG@5", "1-BiasP@5"], {}, r"values of BiasP@5 in \[0, 1\].*-0.3 to 0.2"),
        (["nDCG@5", "DistFair@5"], {"weights": [1]}, "2 columns need 2 weights"),
        (["nDCG@5", "DistFair@5"], {"weights": [1, -1]}, "not negative"),
        (["nDCG@5", "DistFair@5"], {"weights": [1, math.nan]}, "not negative"),
        (["nDCG@5", "DistFair@5"], {"weights": [math.inf, 1]}, "not negative"),
        (["nDCG@5", "DistFair@5"], {"how": "median"}, "'mean', 'gmean' or 'hmean'"),
        (["nDCG@5", "BiasP@5"], {"how": "hmean"}, "at least 0, and BiasP@5 has -0.3")])
    @pytest.mark.filterwarnings("ignore:0 is fair")
    def test_wrong_input(self, averages, columns, options, error):
        with pytest.raises(ValueError, match=error):
            combine(averages, columns, **options)


class TestRanks:
    def test_no_measure_to_rank_by(self):
        table = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [np.nan] * 2})
        for ranked in (top, rank_table):
            with pytest.raises(ValueError, match=r"no measure to rank by: .*, or it has no values"):
                ranked(table)

    def test_top(self, averages, unchanged):
        result = unchanged(top, averages, by=["nDCG@5", "rKL@5", "BiasP@5"], n=2)
        assert list(result.columns) == ["by", "rank", *averages.columns]
        assert result["by"].tolist() == ["nDCG@5"] * 2 + ["rKL@5"] * 2 + ["BiasP@5"] * 2
        assert result["rank"].tolist() == [1, 2] * 3 and "".join(result["name"]) == "ACBCDB"
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

    @each("function", [top, rank_table])
    def test_index_that_is_not_unique(self, averages, function, unchanged):
        two = averages.assign(
            name=[f"{name}2" for name in averages["name"]], **{"nDCG@5": [0.8, 0.4, 0.6, 0.0]})
        table = pd.concat([averages, two])
        expected = function(table.reset_index(drop=True), by="nDCG@5")
        pd.testing.assert_frame_equal(unchanged(function, table, by="nDCG@5"), expected)


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

    @each("method", ["kendall", "spearman", "pearson"])
    @each("values", [0.2, [0.20000000000000004, 0.2, 0.19999999999999998, 0.2], np.nan])
    @pytest.mark.filterwarnings("ignore:values are missing")
    def test_constant_measure(self, averages, method, values):
        with pytest.warns(FairnessWarning, match=r"^all values of rKL@5 are equal, so"):
            result = correlations(averages.assign(**{"rKL@5": values}), method)
        for table in (result.coefficients, result.p_values):
            assert table["rKL@5"].isna().all() and table.loc["rKL@5"].isna().all()
            assert table.drop(index="rKL@5", columns="rKL@5").notna().all(axis=None)
        assert result.table.loc["rKL@5", "nDCG@5"] == "–"

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
        several = "3 systems, and correlations over topics need one; choose it with .* == 'A'"
        with pytest.raises(ValueError, match=several):
            correlations(perquery)
        with pytest.raises(ValueError, match="'kendall', 'spearman', 'pearson' or 'ap'"):
            correlations(averages, "tau")
        with pytest.raises(ValueError, match="several values of nDCG@5 for topic 0"):
            correlations(pd.concat([perquery[perquery["name"] == "A"]] * 2))


class TestBiasSummary:
    def test_values(self, perquery, unchanged):
        result = unchanged(bias_summary, perquery[perquery["measure"] == "BiasP@5"])
        statistics = ["MB", "SB", "MAB", "min", "max", "n", "p"]
        assert list(result.columns) == ["name", "measure", *statistics]
        assert result["name"].tolist() == [*"ABC"]
        row = result.iloc[1]
        chosen = perquery.query("name == 'B' and measure == 'BiasP@5'")
        values = chosen["value"].to_numpy()
        mean = sum(values) / 20
        assert row["MB"] == pytest.approx(mean)
        assert row["SB"] == pytest.approx(math.sqrt(sum((v - mean) ** 2 for v in values) / 19))
        assert row["MAB"] == pytest.approx(sum(map(abs, values)) / 20)
        assert (row["min"], row["max"], row["n"]) == (min(values), max(values), 20)
        assert row["p"] == pytest.approx(stats.ttest_1samp(values, 0).pvalue)

    @each("measure, signed", [("BiasP@5", True), ("BiasP(abs=True)@5", False), ("rKL@5", False),
                              ("nDCG@5", False), ("Skew(group='a')@5", True),
                              ("RepBias(group='a')@5", True), ("lean", False), ("lean →0", True)])
    def test_only_signed_measures(self, perquery, measure, signed):
        frame = perquery[perquery["measure"] == "BiasP@5"].assign(measure=measure)
        if signed:
            assert bias_summary(frame)["p"].notna().all()
            return
        with pytest.raises(ValueError, match="bias_summary takes signed measures such as BiasP@10"):
            bias_summary(frame)

    def test_equal_values(self):
        frame = pd.DataFrame({"name": ["A", "A", "B", "B", "C"], "qid": [1, 2, 1, 2, 1],
                              "measure": "BiasP@5", "value": [0.0, 0.0, 0.1, 0.1, 0.5]})
        result = bias_summary(frame)
        assert result["p"].isna().tolist() == [True, False, True] and result["p"][1] == 0
        assert result["SB"].isna().tolist() == [False, False, True]
        none = bias_summary(frame.assign(value=np.nan)).iloc[0]
        assert none["n"] == 0 and none[["MB", "SB", "MAB", "min", "max", "p"]].isna().all()

    def test_rounding_noise_is_no_bias(self):
        frame = pd.DataFrame({"name": "A", "qid": ["1", "2", "3"], "measure": "BiasP@5",
                              "value": [1e-17, 1.1e-17, 1.2e-17]})
        assert bias_summary(frame)["p"].isna().all()

    @each("column", ["name", "qid", "measure"])
    def test_row_without_a_name_topic_or_measure(self, perquery, column):
        frame = perquery.copy()
        frame.loc[7, column] = None
        for function in (bias_summary, lambda frame: compare(frame, "A")):
            with pytest.raises(ValueError, match=f"row 7 of the per-query frame has no {column}"):
                function(frame)

    def test_mab_is_the_mean_of_the_measure_with_abs(self, experiment):
        *_, qrels, runs = experiment
        topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "x"})
        measures = [parse_measure("BiasP@5"), parse_measure("BiasP(abs=True)@5")]
        averages, perquery = pt.Experiment(
            list(runs.values()), topics, qrels, measures, names=list(runs), perquery="both")
        signed = perquery[perquery["measure"] == "BiasP@5"]
        result = bias_summary(signed).set_index("name")
        assert (result["MAB"] > abs(result["MB"])).any()
        expected = averages.set_index("name")["BiasP(abs=True)@5"].sort_index()
        pd.testing.assert_series_equal(result["MAB"].sort_index(), expected, check_names=False)


class TestCompare:
    def test_against_scipy_and_statsmodels(self, perquery, unchanged):
        result = unchanged(compare, perquery, "B", resamples=999)
        columns = "name measure n baseline mean difference low high effect t p corrected reject"
        assert list(result.columns) == columns.split()
        assert sorted(result["name"].unique()) == ["A", "C"] and len(result) == 4
        wide = perquery.pivot(index="qid", columns=["name", "measure"], values="value")
        for row in result.itertuples():
            one, base = wide[row.name, row.measure], wide["B", row.measure]
            expected = stats.ttest_rel(one, base)
            assert (row.t, row.p) == pytest.approx((expected.statistic, expected.pvalue))
            assert (row.mean, row.baseline) == pytest.approx((one.mean(), base.mean()))
            assert row.difference == pytest.approx((one - base).mean()) and row.n == 20
            assert row.effect == pytest.approx((one - base).mean() / (one - base).std())
            assert row.low < row.difference < row.high
        for _, part in result.groupby("measure"):
            expected = multipletests(part["p"], method="holm")[1]
            np.testing.assert_allclose(part["corrected"], expected)

    def test_other_corrections_and_confidence(self, perquery):
        bonferroni = compare(perquery, "A", "bonferroni", resamples=99)
        np.testing.assert_allclose(bonferroni["corrected"], np.minimum(1, 2 * bonferroni["p"]))
        wide, narrow = (
            compare(perquery, "A", confidence=level, resamples=999) for level in (0.99, 0.5))
        assert (wide["high"] - wide["low"] > narrow["high"] - narrow["low"]).all()

    def test_topics_of_one_of_the_systems(self, perquery):
        short = perquery[~((perquery["name"] == "A") & (perquery["qid"] == "7"))]
        with pytest.warns(FairnessWarning, match="19 of 20 topics"):
            result = compare(short, "B", resamples=99)
        assert result["n"].where(result["name"] == "A", 19).eq(19).all()
        assert result["n"].where(result["name"] == "C", 20).eq(20).all()

    def test_no_difference(self, perquery):
        one = perquery[perquery["name"] == "A"]
        above = one.assign(name="above", value=one["value"] + 0.5)
        result = compare(pd.concat([one, one.assign(name="twin"), above]), "A", resamples=99)
        twin = result[result["name"] == "twin"]
        assert (twin[["difference", "low", "high", "effect"]] == 0).all(axis=None)
        assert twin["p"].isna().all() and not twin["reject"].any()


@each("seed", range(8))
def test_holms_method_is_that_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    p = pd.Series(rng.random(rng.integers(0, 9)).round(1), dtype=float)
    p[rng.random(len(p)) < 0.2] = np.nan
    found = corrected(p, "holm")
    if len(p):
        wanted = multipletests(p.fillna(1.0), method="holm")[1]
        np.testing.assert_array_equal(found, np.where(p.isna(), np.nan, wanted))
    assert len(found) == len(p)
