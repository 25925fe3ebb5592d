"""Intervals, tests and verdicts, compared with the slow version, scipy and statsmodels."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from certainty_cases import VALUES, frame_of, systems
from hypothesis import given
from hypothesis import strategies as st
from one_test import each
from scipy import stats
from slow_versions import certainty as slow
from statsmodels.stats.multitest import multipletests

from pt_fairness import FairnessWarning
from pt_fairness.analysis import bias_test, compare, intervals
from pt_fairness.analysis.statistics import corrected


@given(systems(largest=8), st.sampled_from(["t", "bca"]), st.sampled_from([0.5, 0.9, 0.95]),
       st.integers(60, 120), st.integers(0, 3))
def test_slow_version(values, method, confidence, resamples, seed):
    result = intervals(frame_of(values), method, None, confidence, resamples, seed)
    for row in result.itertuples():
        found = slow.in_order({str(q): v for q, v in enumerate(values[row.name], start=1)})
        assert row.n == len(found)
        expected = slow.interval(found, method, confidence, resamples, seed)
        # The ends of a bootstrap without a resampled mean on both sides are NaN.
        assert (row.low, row.high) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_scipy_on_values_without_ties():
    frame = frame_of({"A": np.random.default_rng(3).beta(0.5, 2, 48)})
    in_order = frame.sort_values("qid")["value"].to_numpy()
    expected = stats.bootstrap((in_order,), np.mean, n_resamples=999,
                               random_state=np.random.default_rng(3)).confidence_interval
    found = intervals(frame, resamples=999, seed=3).loc[0, ["low", "high"]].tolist()
    assert found == pytest.approx(list(expected), abs=1e-12)


@each("method", ["t", "bca"])
def test_few_and_equal_values(method):
    nan = math.nan
    values = {"one": [0.5, nan, nan], "none": [nan] * 3, "equal": [0.3, 0.1 + 0.2, 0.3],
              "two": [0.1, 0.2, nan]}  # fmt: skip
    result = intervals(frame_of(values), method).set_index("name")
    assert result["n"].tolist() == [1, 0, 3, 2]
    assert result.loc["one", "mean"] == 0.5 and math.isnan(result.loc["none", "mean"])
    assert result.loc[["one", "none", "two"], ["low", "high"]].isna().all(axis=None)
    assert result.loc["equal", "low"] == result.loc["equal", "high"] == result.loc["equal", "mean"]


#: Measures of which larger, smaller and values near 0 are better.
UP, DOWN, ZERO = "nDCG@10", "rKL@10", "BiasP@10"


def differences(values):
    """The differences of two systems, topics by id as text."""
    pairs = zip(values["A"], values["B"], strict=True)
    found = slow.in_order({str(qid): b - a for qid, (a, b) in enumerate(pairs, start=1)})
    return list(map(slow.same, found))


class TestRandomisation:

    @given(systems(largest=9), st.sampled_from([60, 300]), st.integers(0, 3))
    @pytest.mark.filterwarnings("ignore:B and A are compared")
    def test_slow_version(self, values, resamples, seed):
        row = compare(frame_of(values), "A", None, resamples=resamples, seed=seed,
                      test="randomisation").iloc[0]  # fmt: skip
        d = differences(values)
        expected = slow.randomisation(d, resamples, seed)
        assert row["p"] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        ends = slow.interval(d, "bca", 0.95, resamples, seed)
        assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-9, nan_ok=True)

    def test_all_signs_if_there_are_no_more_than_resamples(self):
        rows = [compare(frame_of({name: VALUES[name][:6] for name in "AB"}), "A", resamples=64,
                        seed=seed, test="randomisation")["p"][0] for seed in range(3)]
        assert len({*rows}) == 1 and rows[0] * 64 % 1 == 0


class TestSeveralBaselines:
    def test_pairs(self):
        def pairs(baseline):
            result = compare(frame_of(VALUES), baseline, resamples=9)
            return list(zip(result["name"], result["against"], strict=True))

        assert pairs(None) == [("B", "A"), ("C", "A"), ("C", "B")]
        assert pairs(["C", "A"]) == [("A", "C"), ("B", "C"), ("B", "A")]
        assert pairs(("B", "B")) == pairs(["B"]) == [("A", "B"), ("C", "B")]
        assert "against" not in compare(frame_of(VALUES), "A", resamples=9)

    @each("test", ["t", "randomisation"])
    def test_each_row_is_that_of_a_single_baseline(self, test):
        frame = pd.concat([frame_of(VALUES), frame_of(VALUES, DOWN)])
        options = {"resamples": 19, "test": test, "correction": None, "tolerance": 0.02}
        every = compare(frame, None, **options)
        assert len(every) == 6
        for row in every.to_dict("records"):
            base = compare(frame, row.pop("against"), **options)
            (one,) = base[(base["name"] == row["name"]) & (base["measure"] == row["measure"])] \
                .to_dict("records")  # fmt: skip
            assert one == pytest.approx(row, nan_ok=True)

    def test_a_system_without_values_of_a_measure(self):
        frame = pd.concat([frame_of(VALUES), frame_of({"A": VALUES["A"], "B": VALUES["B"]}, DOWN)])
        assert len(compare(frame, None, resamples=9)) == 4
        with pytest.raises(ValueError, match=r"'C' .*rKL@10"):
            compare(frame, ["A", "C"])


class TestVerdict:

    @given(systems(largest=6), st.sampled_from([0, 0.05, 0.1, 0.3, np.int64(1)]),
           st.sampled_from([(UP, "worse"), (DOWN, "worse"), (UP, "both"), (ZERO, "both")]))
    @pytest.mark.filterwarnings("ignore:B and A are compared")
    def test_slow_version(self, values, delta, case):
        measure, side = case
        frame = frame_of(values, measure)
        row = compare(frame, "A", resamples=9, tolerance=delta, side=side).iloc[0]
        d = differences(values)
        *expected, word = slow.verdict(d, delta, measure == UP, side)
        found = row[["tolerance low", "tolerance high", "p tolerance"]].tolist()
        assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)
        assert row["verdict"] == word
        if abs(found[2] - 0.05) > 1e-9:
            assert (word == "within") == (found[2] < 0.05)

    def test_by_measure(self):
        frame = pd.concat([frame_of(VALUES), frame_of(VALUES, DOWN), frame_of(VALUES, ZERO)])
        result = compare(frame, "A", tolerance={"nDCG@10": 0.01, DOWN: 0}).set_index("measure")
        assert result.loc[UP, "tolerance"].tolist() == [0.01, 0.01]
        assert result.loc[DOWN, "tolerance"].tolist() == [0, 0]
        missing = result.loc[ZERO, ["tolerance", "tolerance low", "p tolerance", "verdict"]]
        assert missing.isna().all(axis=None)
        assert result.loc[UP, "side"].tolist() == ["worse", "worse"]

    @each("measure", [ZERO, "Something else"])
    def test_no_worse_side(self, measure):
        with pytest.raises(ValueError, match=f"tolerance .*{measure}"):
            compare(frame_of(VALUES, measure), "A", tolerance=0.1)
        both = compare(frame_of(VALUES, measure), "A", resamples=9, tolerance=0.1, side="both")
        assert set(both["verdict"]) == {"within"}


@each("topics", [2, 5, 6])
def test_few_topics(topics):
    """Equal differences of a few topics say nothing, although their p-value is 0."""
    frame = frame_of({"A": [0.25] * topics, "B": [0.75] * topics})
    with warnings.catch_warnings(record=True) as told:
        row = compare(frame, "A", tolerance=0.6).iloc[0]
    assert len(told) == (topics < 6) and row["p"] == 0 and row["reject"] == (topics == 6)
    assert row[["low", "tolerance low", "p tolerance"]].isna().all() == (topics == 2)
    assert row["verdict"] == ("inconclusive" if topics == 2 else "within")
    with warnings.catch_warnings(record=True) as told:
        bias_test(frame_of({"A": np.arange(topics)}, ZERO))
    assert len(told) == (topics < 6)


@each("test", ["t", "randomisation"])
def test_differences_by_rounding_are_none(test):
    values = {"A": [0.5708133003613007] * 8, "B": [0.5708133003613008] * 8}
    row = compare(frame_of(values), "A", test=test, resamples=300).iloc[0]
    assert row["difference"] == row["low"] == row["high"] == row["effect"] == 0
    assert math.isnan(row["p"]) and not row["reject"]


def test_bias_as_scipy():
    frame = pd.concat([frame_of(VALUES, ZERO), frame_of(VALUES, UP)])
    frame["value"] -= 0.4
    result = bias_test(frame, "bonferroni")
    assert result["measure"].tolist() == [ZERO] * 3
    for row in result.itertuples():
        values = np.array(VALUES[row.name]) - 0.4
        assert (row.t, row.p) == pytest.approx(tuple(stats.ttest_1samp(values, 0)))
        assert row.corrected == pytest.approx(min(1, 3 * row.p))
        assert row.n == 8 and row.mean == pytest.approx(values.mean())
    with pytest.raises(ValueError, match=r"signed.*nDCG@10"):
        bias_test(frame_of(VALUES))


class TestCompare:
    def test_against_scipy_and_statsmodels(self, perquery, unchanged):
        result = unchanged(compare, perquery, "B", resamples=999)
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

    def test_topics_of_one_of_the_systems(self, perquery):
        short = perquery[~((perquery["name"] == "A") & (perquery["qid"] == "7"))]
        with pytest.warns(FairnessWarning, match="19 of 20 topics"):
            result = compare(short, "B", resamples=99)
        assert (result["n"] == np.where(result["name"] == "A", 19, 20)).all()

    @each("seed", range(4))
    def test_holms_method(self, seed):
        rng = np.random.default_rng(seed)
        p = pd.Series(rng.random(rng.integers(1, 9)).round(1))
        p[rng.random(len(p)) < 0.2] = np.nan
        wanted = multipletests(p.fillna(1.0), method="holm")[1]
        np.testing.assert_array_equal(corrected(p, "holm"), np.where(p.isna(), np.nan, wanted))
