"""Tables to findings: against hand-worked values, scipy and statsmodels called directly, and real runs."""

from __future__ import annotations

import io
import math

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
import slow
from ir_measures import nDCG, parse_measure
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_fairness import FairnessWarning, analysis, groups
from pt_fairness.analysis import (
    bias_summary,
    combine,
    compare,
    correlations,
    group_distribution,
    highlight,
    label_noise,
    minmax,
    rank_table,
    ranked_groups,
    top,
    undefined,
)


@pytest.fixture
def averages() -> pd.DataFrame:
    return pd.DataFrame({"name": ["A", "B", "C", "D"], "nDCG@5": [0.9, 0.5, 0.7, 0.1], "rKL@5": [0.4, 0.1, 0.2, 0.3],
                         "DistFair@5": [0.2, 0.4, 0.6, 0.8], "BiasP@5": [-0.3, 0.1, 0.2, -0.05]})


@pytest.fixture
def perquery() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame([(name, str(q), measure) for name in "ABC" for q in range(20) for measure in ("nDCG@5", "BiasP@5")],
                         columns=["name", "qid", "measure"])
    return frame.assign(value=rng.normal(0.1, 0.3, len(frame)))


@pytest.fixture(scope="module")
def experiment() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, dict[str, pd.DataFrame]]:
    """Averages and per-query frame of real experiments; qrels and runs."""
    rng = np.random.default_rng(1)
    docs = [f"d{i}" for i in range(12)]
    qrels = pd.DataFrame([(str(q), docno, int(rng.integers(0, 2)), rng.choice(["PRO", "CON"]))
                          for q in range(8) for docno in docs],
                         columns=["qid", "docno", "label", "iteration"])
    runs = {name: pd.DataFrame([(str(q), docno, rng.random()) for q in range(8) for docno in docs],
                               columns=["qid", "docno", "score"]) for name in ("one", "two", "three")}
    topics = pd.DataFrame({"qid": [str(q) for q in range(8)], "query": "x"})
    arguments = ([pt.Transformer.from_df(run) for run in runs.values()], topics, qrels,
                 [nDCG @ 5, parse_measure("rKL@5"), parse_measure("BiasP@5")])
    with pytest.warns(FairnessWarning, match="rKL@5 on 1 of 8 topics"):
        averages = pt.Experiment(*arguments, names=list(runs), baseline=0)
        return averages, pt.Experiment(*arguments, names=list(runs), perquery=True), qrels, runs


def unchanged(function, frame, *arguments, **options):
    """The result, after a look at whether the input is as it was."""
    before = frame.copy(deep=True)
    result = function(frame, *arguments, **options)
    pd.testing.assert_frame_equal(frame, before)
    return result


class TestHighlight:
    def test_best_by_the_fair_end(self, averages):
        table = averages.assign(**{"rKL@5 +": [0, 2, 1, 3], "nDCG@5 +": [1, 0, 3, 2], "BiasP@5 +": [1, 2, 3, 4], "mrt": 4.0,
                                   "nDCG@5 p-value": [0.1, 0.2, 0.3, 0.4], "BiasP(abs=True)@5": [0.3, 0.1, 0.2, 0.4]})
        styled = highlight(table)
        styled._compute()
        bold = {(table.columns[column], table["name"][row]) for (row, column), style in styled.ctx.items() if style}
        assert bold == {("nDCG@5", "A"), ("rKL@5", "B"), ("DistFair@5", "D"), ("BiasP@5", "D"), ("rKL@5 +", "A"),
                        ("nDCG@5 +", "C"), ("BiasP(abs=True)@5", "B"), *(("mrt", name) for name in "ABCD")}


    def test_rounding_noise_is_a_tie(self):
        styled = highlight(pd.DataFrame({"name": list("ABC"), "nDCG@5": [0.3, 0.1 + 0.2, 0.2]}))
        styled._compute()
        assert {row for (row, _), style in styled.ctx.items() if style} == {0, 1}


class TestMinMax:
    def test_values(self, averages):
        result = unchanged(minmax, averages.drop(columns="BiasP@5"))
        assert list(result.columns) == ["name", "nDCG@5", "rKL@5", "DistFair@5"]
        np.testing.assert_allclose(result["nDCG@5"], [1, 0.5, 0.75, 0])
        np.testing.assert_allclose(result["rKL@5"], [1, 0, 1 / 3, 2 / 3])

    def test_constant_column(self, averages):
        with pytest.warns(FairnessWarning, match="same value of nDCG@5"):
            assert minmax(averages[["name", "nDCG@5"]].assign(**{"nDCG@5": 0.3}))["nDCG@5"].tolist() == [0.0] * 4

    def test_constant_but_for_rounding_noise(self):
        with pytest.warns(FairnessWarning, match="same value of nDCG@5: it"):
            result = minmax(pd.DataFrame({"name": list("ABC"), "nDCG@5": [0.20000000000000004, 0.19999999999999998, np.nan],
                                          "AP": np.nan}))
        assert result["nDCG@5"].tolist()[:2] == [0.0, 0.0] and result.isna().sum().tolist() == [0, 1, 3]

    def test_signed_bias(self, averages):
        with pytest.warns(FairnessWarning, match="fair value of BiasP@5"):
            minmax(averages)

    def test_what_is_no_average_stays(self, experiment):
        table = experiment[0]
        with pytest.warns(FairnessWarning, match="BiasP"):
            result = unchanged(minmax, table)
        pd.testing.assert_frame_equal(result.filter(regex=r" [+-]$| p-value$"), table.filter(regex=r" [+-]$| p-value$"))
        assert result["nDCG@5"].min() == 0 and result["nDCG@5"].max() == 1

    def test_published_normalisation(self, shared):
        """The N[R-Prec] of Das & Lease (2019), table 1."""
        table = pd.read_csv(shared / "data" / "trec8" / "published-rprec.tsv", sep="\t").rename(columns={"run": "name"})
        values = set(minmax(table)["Rprec"].round(4))
        assert {1.0, 0.88, 0.8552, 0.8472, 0.6854, 0.6, 0.0868, 0.0536, 0.0} <= values

    @pytest.mark.parametrize("table, error", [(pd.DataFrame({"nDCG": [1.0]}), "no column 'name'"),
                                              (pd.DataFrame({"name": ["A"], "x": ["y"]}), "no column of numbers"),
                                              (pd.DataFrame([["A", 1.0, 2.0]], columns=["name", "AP", "AP"]),
                                               "several columns 'AP'"),
                                              (pd.DataFrame({"name": ["A", "B"], "AP": 0.5, "rKL@5": ["0.1", "-"]}),
                                               "rKL@5 has to be a column of numbers, and B has '-'"),
                                              (pd.DataFrame({"name": ["A", "B"], "AP": ["0.5", "0.6"]}), "A has '0.5'")])
    @pytest.mark.parametrize("function", [minmax, top, rank_table, correlations, lambda table: combine(table, ["AP"])])
    def test_wrong_table(self, table, error, function):
        with pytest.raises(ValueError, match=error):
            function(table)

    def test_text_that_is_no_measure_stays(self, averages):
        table = averages[["name", "nDCG@5"]].assign(**{"system type": "neural", "comment": "-"})
        assert list(minmax(table)) == list(table)


class TestCombine:
    @pytest.mark.parametrize("how, expected", [("mean", lambda a, b: (a + b) / 2), ("gmean", lambda a, b: math.sqrt(a * b)),
                                               ("hmean", lambda a, b: 2 * a * b / (a + b))])
    def test_means(self, averages, how, expected):
        result = unchanged(combine, averages, ["nDCG@5", "1-rKL@5"], how)
        assert list(result.columns) == [*averages.columns, f"{how}(nDCG@5,1-rKL@5)"]
        for relevance, unfairness, value in zip(averages["nDCG@5"], averages["rKL@5"], result.iloc[:, -1], strict=True):
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
        np.testing.assert_allclose(result, combine(table, ["DistFair@5", "1-rKL@5"], how, [2, 1]).iloc[:, -1])

    def test_published_means(self):
        """Das & Lease (2019), table 1, from its own N[R-Prec] and Fair."""
        table = pd.DataFrame({"name": ["SN1", "SN2", "SN127", "SN15"], "N": [1.0, 0.88, 0.0536, 0.6854],
                              "F": [0.1158, 0.1578, 0.7306, 0.2112]})
        assert combine(table, ["N", "F"])["mean(N,F)"].round(4).tolist() == [0.5579, 0.5189, 0.3921, 0.4483]
        geometric = combine(table, ["N", "F"], "gmean")["gmean(N,F)"]
        np.testing.assert_allclose(geometric, [0.3403, 0.3727, 0.1979, 0.3805], atol=1e-4)

    def test_less_is_fairer_needs_a_flip(self, averages):
        with pytest.warns(FairnessWarning, match="less is fairer in rKL@5.*'1-rKL@5'"):
            combine(averages, ["nDCG@5", "rKL@5"])

    @pytest.mark.parametrize("columns, options, error", [
        (["nDCG@5", "nDCG@7"], {}, "no measure 'nDCG@7'; it has 'nDCG@5'"), ([], {}, "needs the names"),
        (["nDCG@5", "1-BiasP@5"], {}, r"values of BiasP@5 in \[0, 1\].*-0.3 to 0.2"),
        (["nDCG@5", "DistFair@5"], {"weights": [1]}, "2 columns need 2 weights"),
        (["nDCG@5", "DistFair@5"], {"weights": [1, -1]}, "not negative"),
        (["nDCG@5", "DistFair@5"], {"weights": [1, math.nan]}, "not negative"),
        (["nDCG@5", "DistFair@5"], {"weights": [math.inf, 1]}, "not negative"),
        (["nDCG@5", "DistFair@5"], {"how": "median"}, "'mean', 'gmean', 'hmean'")])
    def test_wrong_input(self, averages, columns, options, error):
        with pytest.raises(ValueError, match=error):
            combine(averages, columns, **options)

    @pytest.mark.filterwarnings("ignore:less is fairer")
    def test_negative_value(self, averages):
        with pytest.raises(ValueError, match=r"hmean needs values of at least 0, and BiasP@5 has -0.3"):
            combine(averages, ["nDCG@5", "BiasP@5"], "hmean")


class TestRanks:
    def test_top(self, averages):
        result = unchanged(top, averages, by=["nDCG@5", "rKL@5", "BiasP@5"], n=2)
        assert list(result.columns) == ["by", "rank", *averages.columns]
        assert result[["by", "rank", "name"]].values.tolist() == [
            ["nDCG@5", 1, "A"], ["nDCG@5", 2, "C"], ["rKL@5", 1, "B"], ["rKL@5", 2, "C"], ["BiasP@5", 1, "D"],
            ["BiasP@5", 2, "B"]]
        assert result["nDCG@5"].tolist() == [0.9, 0.7, 0.5, 0.7, 0.1, 0.5]

    def test_top_under_every_measure_and_ties(self, averages):
        result = top(averages.assign(**{"nDCG@5": [0.3, 0.9, 0.9, 0.9]}), n=3)
        assert result["by"].tolist() == [column for column in averages.columns[1:] for _ in range(3)]
        assert result.loc[:2, ["rank", "name"]].values.tolist() == [[1, "B"], [1, "C"], [1, "D"]]

    def test_rank_table(self, averages):
        result = unchanged(rank_table, averages, by="nDCG@5").set_index("name")
        assert result.index.tolist() == ["A", "C", "B", "D"]
        assert result.columns.tolist() == ["nDCG@5", "rKL@5", "DistFair@5", "BiasP@5", "rKL@5 move", "DistFair@5 move",
                                           "BiasP@5 move"]
        assert result.loc["A"].tolist() == [1, 4, 4, 4, -3, -3, -3]
        assert result.loc["B", ["nDCG@5", "rKL@5", "rKL@5 move"]].tolist() == [3, 1, 2]

    def test_of_an_experiment_with_a_baseline(self, experiment):
        assert set(rank_table(experiment[0])) == {"name", "nDCG@5", "rKL@5", "BiasP@5", "rKL@5 move", "BiasP@5 move"}

    @pytest.mark.parametrize("function", [top, rank_table])
    def test_index_that_is_not_unique(self, averages, function):
        two = averages.assign(name=[f"{name}2" for name in averages["name"]], **{"nDCG@5": [0.8, 0.4, 0.6, 0.0]})
        table = pd.concat([averages, two])
        expected = function(table.reset_index(drop=True), by="nDCG@5")
        pd.testing.assert_frame_equal(unchanged(function, table, by="nDCG@5"), expected)

    @pytest.mark.parametrize("options, error", [({"by": "AP"}, "no measure 'AP'"), ({"by": []}, "needs at least one measure"),
                                                ({"n": -1}, "n=-1"), ({"n": 0}, "n=0")])
    def test_wrong_input(self, averages, options, error):
        with pytest.raises(ValueError, match=error):
            top(averages, **options)


class TestCorrelations:
    @pytest.mark.parametrize("method, test", [("kendall", stats.kendalltau), ("spearman", stats.spearmanr),
                                              ("pearson", stats.pearsonr)])
    def test_over_systems(self, averages, method, test):
        result = unchanged(correlations, averages, method)
        assert list(result.coefficients.index) == list(result.coefficients.columns) == list(averages.columns[1:])
        for one in averages.columns[1:]:
            for two in averages.columns[1:]:
                if one != two:
                    expected = test(averages[one], averages[two])
                    assert result.coefficients.loc[one, two] == pytest.approx(expected[0], abs=1e-12)
                    assert result.p_values.loc[one, two] == pytest.approx(expected[1], abs=1e-12)
        assert (np.diag(result.coefficients) == 1).all()

    def test_over_topics(self, perquery):
        result = unchanged(correlations, perquery[perquery["name"] == "B"])
        wide = perquery[perquery["name"] == "B"].pivot(index="qid", columns="measure", values="value")
        expected = stats.kendalltau(wide["BiasP@5"], wide["nDCG@5"])[0]
        assert result.coefficients.loc["BiasP@5", "nDCG@5"] == pytest.approx(expected)

    def test_table_is_a_triangle_with_stars(self):
        frame = pd.DataFrame({"name": range(10), "a": range(10), "b": [*range(9), -1], "c": [5, 1, 8, 3, 9, 0, 7, 2, 6, 4]})
        table = correlations(frame).table
        assert list(table.index) == ["b", "c"] and list(table.columns) == ["a", "b"]
        assert table.loc["b", "a"] == "0.6000*" and table.loc["b", "b"] == ""
        assert table.loc["c", "a"] == f"{stats.kendalltau(frame['a'], frame['c'])[0]:.4f}"

    def test_tau_b(self):
        frame = pd.DataFrame({"name": range(5), "a": [1, 1, 2, 3, 4], "b": [1, 2, 2, 3, 3]})
        # 7 of the 10 pairs are concordant, none discordant; 1 is tied in a, 2 in b.
        assert correlations(frame).coefficients.loc["a", "b"] == pytest.approx(7 / math.sqrt(9 * 8))

    def test_rounding_noise_is_a_tie(self):
        frame = pd.DataFrame({"name": range(4), "a": [0.3, 0.1 + 0.2, 0.5, 0.6], "b": [2.0, 1.0, 3.0, 4.0]})
        exact = frame.assign(a=[0.3, 0.3, 0.5, 0.6])
        assert correlations(frame).coefficients.equals(correlations(exact).coefficients)

    @pytest.mark.parametrize("method", ["kendall", "spearman", "pearson"])
    @pytest.mark.parametrize("values", [0.2, [0.20000000000000004, 0.2, 0.19999999999999998, 0.2], np.nan])
    @pytest.mark.filterwarnings("ignore:values are missing")
    def test_constant_measure(self, averages, method, values):
        with pytest.warns(FairnessWarning, match=r"^rKL@5 is the same throughout"):
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
        assert result.coefficients.equals(correlations(one[~one["qid"].isin(["3", "4"])]).coefficients)

    def test_wrong_input(self, averages, perquery):
        with pytest.raises(ValueError, match=r"3 systems, and correlations over topics are those of one.*'A', 'B', 'C'"):
            correlations(perquery)
        with pytest.raises(ValueError, match="'kendall', 'spearman', 'pearson'"):
            correlations(averages, "tau")
        with pytest.raises(ValueError, match="several values of nDCG@5 for topic 0"):
            correlations(pd.concat([perquery[perquery["name"] == "A"]] * 2))


class TestBiasSummary:
    def test_values(self, perquery):
        result = unchanged(bias_summary, perquery)
        assert list(result.columns) == ["name", "measure", "MB", "SB", "MAB", "min", "max", "n", "p"]
        assert result[["name", "measure"]].values.tolist() == [[name, m] for name in "ABC" for m in ("nDCG@5", "BiasP@5")]
        row = result.iloc[3]
        values = perquery[(perquery["name"] == "B") & (perquery["measure"] == "BiasP@5")]["value"].to_numpy()
        assert row["MB"] == pytest.approx(sum(values) / 20)
        assert row["SB"] == pytest.approx(math.sqrt(sum((v - sum(values) / 20) ** 2 for v in values) / 19))
        assert row["MAB"] == pytest.approx(sum(map(abs, values)) / 20)
        assert (row["min"], row["max"], row["n"]) == (min(values), max(values), 20)
        assert row["p"] == pytest.approx(stats.ttest_1samp(values, 0).pvalue)

    def test_nothing_varies(self):
        frame = pd.DataFrame({"name": ["A", "A", "B", "B", "C"], "qid": [1, 2, 1, 2, 1], "measure": "BiasP@5",
                              "value": [0.0, 0.0, 0.1, 0.1, 0.5]})
        result = bias_summary(frame)
        assert result["p"].isna().tolist() == [True, False, True] and result["p"][1] == 0
        assert result["SB"].isna().tolist() == [False, False, True]

    @pytest.mark.filterwarnings("error")
    def test_nothing_measured(self):
        frame = pd.DataFrame({"name": "A", "qid": ["1", "2"], "measure": "BiasP@5", "value": np.nan})
        row = bias_summary(frame).iloc[0]
        assert row["n"] == 0 and row[["MB", "SB", "MAB", "min", "max", "p"]].isna().all()

    def test_rounding_noise_is_no_bias(self):
        frame = pd.DataFrame({"name": "A", "qid": ["1", "2", "3"], "measure": "BiasP@5", "value": [1e-17, 1.1e-17, 1.2e-17]})
        assert bias_summary(frame)["p"].isna().all()

    @pytest.mark.parametrize("column", ["name", "qid", "measure"])
    def test_row_that_belongs_to_nobody(self, perquery, column):
        frame = perquery.copy()
        frame.loc[7, column] = None
        for function in (bias_summary, lambda frame: compare(frame, "A")):
            with pytest.raises(ValueError, match=f"row 7 of the per-query frame has no {column}"):
                function(frame)

    def test_mab_is_the_mean_of_the_measure_with_abs(self, experiment):
        *_, qrels, runs = experiment
        topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "x"})
        measures = [parse_measure("BiasP@5"), parse_measure("BiasP(abs=True)@5")]
        perquery = pt.Experiment(list(runs.values()), topics, qrels, measures, names=list(runs), perquery=True)
        result = bias_summary(perquery).pivot(index="name", columns="measure")
        assert (result["MAB"]["BiasP@5"] > abs(result["MB"]["BiasP@5"])).any()
        pd.testing.assert_series_equal(result["MAB"]["BiasP@5"], result["MB"]["BiasP(abs=True)@5"], check_names=False)

    def test_missing_column(self, perquery):
        with pytest.raises(ValueError, match="per-query frame has no column 'value'"):
            bias_summary(perquery.drop(columns="value"))


class TestCompare:
    def test_against_scipy_and_statsmodels(self, perquery):
        result = unchanged(compare, perquery, "B")
        assert list(result.columns) == ["name", "measure", "n", "baseline", "mean", "difference", "low", "high", "effect", "t",
                                        "p", "corrected", "reject"]
        assert sorted(result["name"].unique()) == ["A", "C"] and len(result) == 4
        wide = perquery.pivot(index="qid", columns=["name", "measure"], values="value")
        for row in result.itertuples():
            one, base = wide[row.name, row.measure], wide["B", row.measure]
            expected = stats.ttest_rel(one, base)
            assert (row.t, row.p) == pytest.approx((expected.statistic, expected.pvalue))
            assert row.difference == pytest.approx((one - base).mean()) and row.n == 20
            assert row.effect == pytest.approx((one - base).mean() / (one - base).std())
            assert row.low < row.difference < row.high
        for _, part in result.groupby("measure"):
            np.testing.assert_allclose(part["corrected"], multipletests(part["p"], method="holm")[1])

    def test_as_pyterrier(self, experiment):
        averages, perquery, *_ = experiment
        result = compare(perquery, "one", correction=None).set_index(["name", "measure"])
        for name in ("two", "three"):
            row = averages.set_index("name").loc[name]
            for measure in ("nDCG@5", "rKL@5", "BiasP@5"):
                assert result.loc[(name, measure), "p"] == pytest.approx(row[f"{measure} p-value"])
                assert result.loc[(name, measure), "mean"] == pytest.approx(row[measure])
        assert (result["corrected"] == result["p"]).all()

    def test_interval_covers_the_true_difference(self):
        rng = np.random.default_rng(2)
        covered = 0
        for _ in range(60):
            frame = pd.DataFrame({"name": np.repeat(["A", "B"], 40), "qid": [*range(40)] * 2, "measure": "m",
                                  "value": np.concatenate([np.zeros(40), rng.normal(0.2, 1, 40)])})
            row = compare(frame, "A", correction=None, resamples=499).iloc[0]
            covered += row["low"] <= 0.2 <= row["high"]
        assert 50 <= covered <= 60

    def test_same_seed_same_interval(self, perquery):
        one, two, other = (compare(perquery, "A", resamples=199, seed=seed) for seed in (0, 0, 1))
        pd.testing.assert_frame_equal(one, two)
        assert (one["low"] != other["low"]).any()

    def test_other_corrections_and_confidence(self, perquery):
        bonferroni = compare(perquery, "A", "bonferroni")
        np.testing.assert_allclose(bonferroni["corrected"], np.minimum(1, 2 * bonferroni["p"]))
        wide, narrow = compare(perquery, "A", confidence=0.99), compare(perquery, "A", confidence=0.5)
        assert (wide["high"] - wide["low"] > narrow["high"] - narrow["low"]).all()

    def test_topics_of_one_system_alone(self, perquery):
        short = perquery[~((perquery["name"] == "A") & (perquery["qid"] == "7"))]
        with pytest.warns(FairnessWarning, match="19 of 20 topics"):
            result = compare(short, "B")
        assert result[result["name"] == "A"]["n"].eq(19).all() and result[result["name"] == "C"]["n"].eq(20).all()

    def test_no_difference(self, perquery):
        one = perquery[perquery["name"] == "A"]
        result = compare(pd.concat([one, one.assign(name="twin"), one.assign(name="above", value=one["value"] + 0.5)]), "A")
        twin = result[result["name"] == "twin"]
        assert (twin[["difference", "low", "high", "effect"]] == 0).all(axis=None) and twin["p"].isna().all()
        assert not twin["reject"].any()

    @pytest.mark.parametrize("arguments, error", [
        ({"baseline": "Z"}, "no system is named 'Z'; the frame has 'A', 'B', 'C'"),
        *(({"baseline": "A", "confidence": confidence}, f"confidence={confidence}") for confidence in (0, 1, 1.5, math.nan))])
    def test_wrong_input(self, perquery, arguments, error):
        with pytest.raises(ValueError, match=error):
            compare(perquery, **arguments)


class TestFilesAreAsGood:
    def test_frames_read_from_csv(self, experiment):
        """Topic identifiers come back as numbers."""
        averages, perquery, *_ = experiment
        perquery = perquery.astype({"qid": int})
        read = [pd.read_csv(io.StringIO(frame.to_csv(index=False))) for frame in (averages, perquery)]
        pd.testing.assert_frame_equal(rank_table(read[0]), rank_table(averages), check_dtype=False)
        pd.testing.assert_frame_equal(bias_summary(read[1]), bias_summary(perquery), check_dtype=False)
        pd.testing.assert_frame_equal(compare(read[1], "one"), compare(perquery, "one"), check_dtype=False)


class TestGroupDistribution:
    QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 2, "PRO"), ("1", "c", 1, "CON"), ("1", "d", 0, "CON"),
                          ("2", "a", 1, "PRO"), ("2", "e", 1, "PRO"), ("2", "e", 1, "CON"), ("3", "f", 0, "CON"),
                          ("2", "g", 1, "-")], columns=["qid", "docno", "label", "iteration"])

    def test_counts(self):
        result = unchanged(group_distribution, self.QRELS)
        assert list(result.columns) == ["qid", "group", "relevant", "share", "skew"]
        table = result.pivot(index="qid", columns="group", values="relevant")
        assert table.loc["1"].to_dict() == {"CON": 1, "PRO": 2} and table.loc["3"].to_dict() == {"CON": 0, "PRO": 0}
        assert table.loc["2"].to_dict() == {"CON": 0.5, "PRO": 1.5}  # e is half of each
        assert table.loc["all"].to_dict() == {"CON": 1.5, "PRO": 3.5}
        assert result[result["qid"] == "all"]["share"].tolist() == [0.3, 0.7]

    def test_skew_is_one_minus_normalised_entropy(self):
        result = group_distribution(self.QRELS).drop_duplicates("qid").set_index("qid")["skew"]
        assert result["1"] == pytest.approx(1 - stats.entropy([1, 2], base=2))
        assert math.isnan(result["3"])
        one = group_distribution(pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": [1, 1, 1, 0],
                                               "iteration": ["x", "x", "x", "y"]}))
        assert one["skew"].tolist() == [1] * 4
        even = group_distribution(pd.DataFrame({"qid": "1", "docno": list("abc"), "label": 1, "iteration": ["x", "y", "z"]}))
        assert even["skew"].to_numpy() == pytest.approx(0)

    def test_rel_and_groups(self):
        source = groups.from_mapping({"a": "x", "b": "y", "c": "y"})
        result = group_distribution(self.QRELS, source, rel=2).pivot(index="qid", columns="group", values="relevant")
        assert result.loc["all"].to_dict() == {"x": 0, "y": 1}

    def test_a_topic_called_all(self):
        with pytest.raises(ValueError, match="a topic is called 'all'"):
            group_distribution(self.QRELS.replace({"qid": {"1": "all"}}))

    def test_newswire(self, robust03):
        qrels, _ = robust03
        result = group_distribution(qrels)
        relevant = qrels[qrels["relevance"] > 0]
        for row in result[result["qid"] == "all"].itertuples():
            assert row.relevant == (relevant["iteration"] == row.group).sum()
        sizes = relevant.groupby("iteration").size()
        assert result["skew"].iloc[-1] == pytest.approx(1 - stats.entropy(sizes, base=2) / 2)
        from_docno = group_distribution(qrels.drop(columns="iteration"), "trec-newswire")
        pd.testing.assert_frame_equal(from_docno, result)


class TestUndefined:
    QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 1, "CON"), ("2", "a", 1, "PRO"), ("2", "b", 0, "CON"),
                          ("3", "a", 0, "PRO"), ("3", "b", 2, "-")], columns=["qid", "docno", "label", "iteration"])

    def test_topics(self):
        result = unchanged(undefined, self.QRELS, ["rND@5", "rKL(protected='PRO')@5", "rKL(protected='all',target='uniform')",
                                                   "nDD", nDCG @ 5, "rRD(rel=2)@3"])
        assert result.values.tolist() == [["2", "rND@5"], ["3", "rND@5"], ["3", "rKL(protected='PRO')@5"],
                                          ["1", "rRD(rel=2)@3"], ["2", "rRD(rel=2)@3"], ["3", "rRD(rel=2)@3"]]

    def test_leaving_them_out(self):
        run = self.QRELS[["qid", "docno"]].assign(score=[2.0, 1.0] * 3)
        with pytest.warns(FairnessWarning, match="nothing to compare"):
            perquery = pt.Experiment([run], pd.DataFrame({"qid": list("123"), "query": "x"}), self.QRELS,
                                     [parse_measure("rND@5"), nDCG @ 5], names=["A"], perquery=True)
        # The recipe as the docstring has it.
        recipe = "\n".join(line.strip() for line in undefined.__doc__.partition("::\n")[2].partition(":param")[0].splitlines())
        for frame in (perquery, pd.read_csv(io.StringIO(perquery.to_csv(index=False)))):
            names = {"undefined": undefined, "perquery": frame, "qrels": self.QRELS, "measures": ["rND@5", "nDCG@5"]}
            exec(recipe, names)
            assert names["kept"][["qid", "measure"]].values.tolist() == [["1", "nDCG@5"], ["1", "rND@5"], ["2", "nDCG@5"],
                                                                          ["3", "nDCG@5"]]

    def test_groups_of_the_measure(self):
        groups.register("test-undefined", groups.from_mapping({"a": "x", "b": "y"}))
        result = undefined(self.QRELS.drop(columns="iteration"), "rND(groups='test-undefined')@5")
        assert result["qid"].tolist() == ["2", "3"]

    def test_agrees_with_the_slow_measures(self, make_case):
        for seed in range(6):
            case = make_case(seed)
            qrels = case.qrels_frame
            for name, protected in (("rND", "minority"), ("rKL", "g0")):
                measure = parse_measure(f"{name}(protected='{protected}')")
                topics = slow.read_topics(case.qrels, [], None, (), measure.params)
                expected = [qid for qid, topic in topics.items() if not topic.relevant or
                            slow.protected_labels(protected, topic.relevant, topic.labels) is None]
                assert undefined(qrels, [measure])["qid"].tolist() == expected

    def test_unknown_label(self):
        with pytest.warns(FairnessWarning, match="'ANTI' names a group that no judged document has"):
            undefined(self.QRELS, "rKL(protected='ANTI')@5")


class TestRankedGroups:
    def test_whole_lists(self, experiment):
        *_, qrels, runs = experiment
        whole = ranked_groups(runs, qrels, depth=None)
        assert whole.groupby(["name", "qid"]).size().eq(12).all()
        pd.testing.assert_frame_equal(whole, ranked_groups(runs, qrels, depth=1000))


@pytest.mark.filterwarnings("ignore:topics with nothing to compare with")
class TestLabelNoise:
    def test_nothing_wrong_nothing_moves(self, experiment):
        *_, qrels, runs = experiment
        result = label_noise(runs, qrels, ["rKL@5", "BiasP@5"], None, 0.0, n=3)
        assert list(result.columns) == ["eps", "measure", "bias", "sd", "tau"]
        assert result["measure"].tolist() == ["rKL@5", "BiasP@5"]
        assert result["bias"].abs().max() == 0 and result["sd"].max() < 1e-15 and (result["tau"] == 1).all()

    def test_all_wrong_of_two_labels_is_the_opposite(self, experiment):
        *_, qrels, runs = experiment
        swapped = qrels.assign(iteration=qrels["iteration"].map({"PRO": "CON", "CON": "PRO"}))
        measures = [parse_measure(name)
                    for name in ("rND(protected='PRO')@5", "BiasP@5", "nDJS", "DistKL(target={'PRO':1.0})@3")]
        result = label_noise(runs, qrels, measures, None, [1.0], n=2).set_index("measure")

        def means(judgments):
            judgments = judgments.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
            return [ir_measures.calc_aggregate(measures, judgments, run.rename(columns={"qid": "query_id", "docno": "doc_id"}))
                    for run in runs.values()]

        true, wrong = means(qrels), means(swapped)
        for measure in measures:
            values = [[table[measure] for table in tables] for tables in (true, wrong)]
            assert result.loc[str(measure), "bias"] == pytest.approx(np.mean(values[1]) - np.mean(values[0]), abs=1e-12)
            assert result.loc[str(measure), "sd"] == pytest.approx(0, abs=1e-12)
            tau = stats.kendalltau(*np.round(values, 12)).statistic
            assert result.loc[str(measure), "tau"] == pytest.approx(tau, nan_ok=True)

    def test_the_share_is_exact(self):
        docs = [f"d{i}" for i in range(20)]
        qrels = pd.DataFrame({"qid": "1", "docno": docs, "label": 1})
        source = groups.from_frame(pd.DataFrame({"docno": [*docs, "other"], "group": ["a"] * 20 + ["b"]}))
        run = {"A": pd.DataFrame({"qid": "1", "docno": docs, "score": range(20)})}
        result = label_noise(run, qrels, "BiasP(pro='a',con='b')@20", source, [0.25, 0.5], n=10)
        assert result["bias"].to_numpy() == pytest.approx([-0.5, -1.0])  # 5 and 10 of 20 documents change sides
        assert result["sd"].to_numpy() == pytest.approx(0, abs=1e-12)

    def test_unjudged_documents_are_wrong_in_the_same_way_for_all_systems(self):
        docs = [f"d{i}" for i in range(10)]
        qrels = pd.DataFrame({"qid": "1", "docno": ["d0", "d1"], "label": 1})
        source = groups.from_mapping({docno: "ab"[i % 2] for i, docno in enumerate(docs)})
        run = pd.DataFrame({"qid": "1", "docno": docs, "score": range(10)})
        upside_down = run.assign(score=range(10, 0, -1))
        # The share of group a in the ten documents does not depend on their order.
        result = label_noise({"A": run, "B": upside_down}, qrels, "RepBias(group='a',target='uniform')@10", source, 0.3, n=5)
        assert result["sd"][0] > 0
        assert math.isnan(result["tau"][0])  # both systems have the same value, always

    def test_a_measure_does_not_depend_on_the_others_or_any_order(self):
        rng = np.random.default_rng(5)
        docs = [f"d{i}" for i in range(30)]
        source = groups.from_mapping({docno: rng.choice(["a", "b", "c"]) for docno in docs})
        qrels = pd.DataFrame([(str(q), docno, 1) for q in range(4) for docno in docs[q:q + 10]],
                             columns=["qid", "docno", "label"])
        runs = {name: pd.DataFrame([(str(q), docno, rng.random()) for q in range(4) for docno in docs],
                                   columns=["qid", "docno", "score"]) for name in ("one", "two", "three")}
        measures = ["rKL(protected='a')@3", "nDJS", "RepBias(group='a',target='run')@10"]
        together = label_noise(runs, qrels, measures, source, [0.1, 0.3], n=4)
        for measure in measures:
            alone = label_noise({name: runs[name].sample(frac=1, random_state=0) for name in reversed(runs)},
                                qrels.sample(frac=1, random_state=0), measure, source, 0.3, n=4)
            row = together[(together["measure"] == alone["measure"][0]) & (together["eps"] == 0.3)]
            pd.testing.assert_frame_equal(alone, row.reset_index(drop=True))

    def test_topics_that_groups_drop_are_left_out(self):
        docs = [f"d{i}" for i in range(20)]
        judged = pd.DataFrame({"qid": ["1"] * 20 + ["2"] * 20, "docno": docs * 2, "label": 1})
        stances = groups.from_frame(pd.DataFrame({"docno": [*docs, "other"], "group": ["PRO"] * 20 + ["CON"]}))
        ideologies = stances.relabel({"1": "liberal", "2": "both or neither"})
        measure = "BiasP(pro='liberal',con='conservative')@20"
        run = {"A": judged.assign(score=1.0)}
        result = label_noise(run, judged, measure, ideologies, 0.25, n=3)
        assert result["bias"].to_numpy() == pytest.approx([-0.5])
        leaning = ir_measures.parse_measure(measure)(groups=ideologies)
        assert undefined(judged, leaning).to_dict("records") == [{"qid": "2", "measure": str(leaning)}]

    def test_a_draw_in_which_all_systems_are_alike(self):
        """The mean is that of the other draws."""
        docs = ["a1", "a2", "b1", "b2"]
        qrels = pd.DataFrame({"qid": "1", "docno": docs, "label": 1, "iteration": list("aabb")})
        runs = {"A": pd.DataFrame({"qid": "1", "docno": docs, "score": [4, 3, 2, 1]}),
                "B": pd.DataFrame({"qid": "1", "docno": docs, "score": [1, 2, 4, 3]})}
        result = label_noise(runs, qrels, "BiasP(pro='a',con='b')@1", None, 0.25, n=20)
        assert result["tau"][0] == 1  # one label of four is wrong: the systems become equal, or stay as they are

    @pytest.mark.filterwarnings("default:topics with nothing")
    def test_undefined_topics_warn_once(self, experiment):
        *_, qrels, runs = experiment
        with pytest.warns(FairnessWarning) as caught:
            label_noise(runs, qrels, ["rKL@5", "BiasP@5"], None, [0.0, 0.0], n=3)
        assert len(caught) == 1 and str(caught[0].message).endswith("system: rKL@5 on up to 1 of 8 topics")

    @pytest.mark.parametrize("eps", [np.float32(0.25), np.float64(0.25), np.array([0.25]), (0.25,)])
    def test_any_number(self, experiment, eps):
        *_, qrels, runs = experiment
        pd.testing.assert_frame_equal(label_noise(runs, qrels, "BiasP@5", None, eps, n=2),
                                      label_noise(runs, qrels, "BiasP@5", None, 0.25, n=2))

    def test_more_noise_moves_more(self, robust03):
        qrels, runs = robust03
        some = {name: runs[name] for name in ("humR03dc", "NLPR03vb10", "THUIRr0301")}
        topics = qrels["query_id"].unique()[:40]
        qrels = qrels[qrels["query_id"].isin(topics)]
        result = label_noise(some, qrels, ["nDJS@20", "rKL@10"], "trec-newswire", [0.05, 0.4], n=8)
        wide = result.pivot(index="measure", columns="eps")
        assert (wide["bias"][0.4].abs() > wide["bias"][0.05].abs())["nDJS@20"]
        assert (result["sd"] > 0).all() and result["tau"].between(-1, 1).all()

    def test_reproducible_with_a_progress_bar(self, experiment, capsys):
        *_, qrels, runs = experiment
        one, two, other = (label_noise(runs, qrels, "rKL@5", None, 0.2, n=5, seed=seed) for seed in (3, 3, 4))
        pd.testing.assert_frame_equal(one, two)
        assert one["bias"][0] != other["bias"][0]
        assert "label noise" in capsys.readouterr().err

    @pytest.mark.parametrize("options, error", [
        ({"measures": "nDCG@5"}, "nDCG@5 is not possible here"),
        ({"measures": "rKL(groups='trec-newswire')@5"}, "without a groups"),
        ({"measures": []}, "at least one measure"),
        ({"eps": 1.5}, "eps=1.5"), ({"n": 1}, "n=1"), ({"runs": {}}, "at least one run")])
    def test_wrong_input(self, experiment, options, error):
        *_, qrels, runs = experiment
        with pytest.raises(ValueError, match=error):
            label_noise(**{"runs": runs, "qrels": qrels, "measures": "rKL@5", "groups": None, "eps": 0.1, "n": 2, **options})

    def test_one_label(self, experiment):
        *_, qrels, runs = experiment
        with pytest.raises(ValueError, match="needs two labels, and there is PRO"):
            label_noise(runs, qrels.assign(iteration="PRO"), "nDJS", None, 0.1)


def test_public_names_exist():
    for name in analysis.__all__:
        assert hasattr(analysis, name)
