"""Intervals of means, compared with the slow version and with scipy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from certainty_cases import NUMBERS, VALUES, frame_of, systems
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from slow_versions import certainty as slow

from pt_fairness import evaluate
from pt_fairness.analysis import intervals

COLUMNS = ["name", "measure", "n", "mean", "low", "high"]


def test_worked_values(unchanged):
    result = unchanged(intervals, frame_of(VALUES))
    assert list(result.columns) == COLUMNS and result["name"].tolist() == ["A", "B", "C"]
    assert result.loc[0, ["low", "high"]].tolist() == pytest.approx([0.372500, 0.588750], abs=1e-6)
    by_t = intervals(frame_of(VALUES), "t")
    assert by_t.loc[0, ["low", "high"]].tolist() == pytest.approx([0.342229, 0.625271], abs=1e-6)
    assert (result["n"] == 8).all() and result["mean"][0] == pytest.approx(0.48375)


@given(
    systems(largest=8),
    st.sampled_from(["t", "bca"]),
    st.sampled_from([0.5, 0.9, 0.95]),
    st.integers(60, 120),
    st.integers(0, 3),
)
def test_slow_version(values, method, confidence, resamples, seed):
    result = intervals(frame_of(values), method, confidence, resamples, seed)
    for row in result.itertuples():
        found = slow.in_order({str(q): v for q, v in enumerate(values[row.name], start=1)})
        assert row.n == len(found)
        expected = slow.interval(found, method, confidence, resamples, seed)
        # The ends of a bootstrap without a resampled mean on both sides are NaN.
        assert (row.low, row.high) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("seed", range(4))
def test_scipy_on_values_without_ties(seed):
    rng = np.random.default_rng(seed)
    values = rng.beta(0.5, 2, 12 * (seed + 1))
    frame = frame_of({"A": values})
    in_order = frame.sort_values("qid")["value"].to_numpy()
    expected = stats.bootstrap(
        (in_order,), np.mean, n_resamples=999, random_state=np.random.default_rng(seed)
    ).confidence_interval
    found = intervals(frame, resamples=999, seed=seed).loc[0, ["low", "high"]].tolist()
    assert found == pytest.approx(list(expected), abs=1e-12)


def test_systems_and_measures_do_not_matter_to_each_other():
    both = pd.concat([frame_of(VALUES), frame_of({"A": VALUES["B"]}, "AP")])
    result = intervals(both).set_index(["name", "measure"])
    alone = intervals(frame_of({"B": VALUES["B"]})).iloc[0]
    for key in [("B", "nDCG@10"), ("A", "AP")]:
        assert result.loc[key, ["low", "high"]].tolist() == [alone["low"], alone["high"]]
    shuffled = intervals(both.sample(frac=1, random_state=1)).set_index(["name", "measure"])
    pd.testing.assert_frame_equal(shuffled.loc[result.index], result)


@given(st.lists(NUMBERS, min_size=3, max_size=9), st.sampled_from(["t", "bca"]))
@example([0.0, 0.0, 0.0, 0.1, 0.2, 0.0, 0.0, 0.5458984375], "bca")  # 13 decimals, the last a 5
def test_properties(values, method):
    options = {"method": method, "resamples": 999}
    row = intervals(frame_of({"A": values}), **options).iloc[0]
    moved = intervals(frame_of({"A": [v + 1 for v in values]}), **options).iloc[0]
    assert moved[COLUMNS[3:]].tolist() == pytest.approx(
        [one + 1 for one in row[COLUMNS[3:]]], abs=1e-9
    )
    wide = intervals(frame_of({"A": values}), confidence=0.99, **options).iloc[0]
    assert wide["low"] <= row["low"] + 1e-12 and row["high"] <= wide["high"] + 1e-12
    if method == "bca":
        assert min(values) - 1e-12 <= row["low"] <= row["high"] <= max(values) + 1e-12


@pytest.mark.parametrize("method", ["t", "bca"])
def test_few_and_equal_values(method):
    nan = math.nan
    values = {"one": [0.5, nan, nan], "none": [nan] * 3, "equal": [0.3, 0.1 + 0.2, 0.3],
              "two": [0.1, 0.2, nan]}  # fmt: skip
    result = intervals(frame_of(values), method).set_index("name")
    assert result["n"].tolist() == [1, 0, 3, 2]
    assert result.loc["one", "mean"] == 0.5 and math.isnan(result.loc["none", "mean"])
    assert result.loc[["one", "none", "two"], ["low", "high"]].isna().all(axis=None)
    assert result.loc["equal", "low"] == result.loc["equal", "high"] == result.loc["equal", "mean"]


def test_all_resampled_means_on_one_side():
    row = intervals(frame_of({"A": [0.1, 0.2, 0.4]}), resamples=1).iloc[0]
    assert math.isnan(row["low"]) and math.isnan(row["high"]) and row["mean"] < 0.24


def test_undefined_topics():
    qrels = pd.DataFrame(
        {
            "qid": [*"1122334", "4"],
            "docno": [*"abababab"],
            "label": 1,
            "iteration": ["PRO", "CON"] * 3 + ["PRO"] * 2,
        }
    )
    run = qrels[["qid", "docno"]].assign(score=[2, 1, 1, 2, 1, 1, 1, 2])
    with pytest.warns(UserWarning, match="rND@1 on 1 of 4 topics"):
        _, perquery = evaluate({"A": run}, qrels, ["rND@1", "AWRF@2"], progress=False)
    counted, dropped = (
        intervals(perquery, undefined=one).set_index("measure") for one in ("count", "drop")
    )
    assert counted["n"].tolist() == [4, 4] and dropped["n"].tolist() == [3, 4]
    assert dropped.loc["rND@1", "mean"] == pytest.approx(counted.loc["rND@1", "mean"] * 4 / 3)
    assert dropped.attrs["undefined"] == {"rND@1": ("4",)}
    assert dropped.loc["AWRF@2"].equals(counted.loc["AWRF@2"])


def test_coverage():
    """The intervals at 95 % of means of 30 topics cover the true mean as often as they say."""
    rng = np.random.default_rng(0)
    values = rng.beta(2, 3, (400, 30))
    frame = frame_of({str(i): some for i, some in enumerate(values)})
    for method, least in itertools.product(("t", "bca"), (0.91,)):
        result = intervals(frame, method, resamples=999)
        assert least < ((result["low"] < 0.4) & (result["high"] > 0.4)).mean() < 0.98
