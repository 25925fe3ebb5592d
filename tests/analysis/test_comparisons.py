"""Tests between systems and verdicts, compared with the slow version and with scipy."""

from __future__ import annotations

import itertools
import math
import warnings

import pandas as pd
import pytest
from certainty_cases import VALUES, frame_of, systems
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from slow_versions import certainty as slow
from statsmodels.stats.multitest import multipletests

from pt_fairness import FairnessWarning, evaluate, rename
from pt_fairness.analysis import compare

#: Measures of which larger, smaller and values near 0 are better.
UP, DOWN, ZERO = "nDCG@10", "rKL@10", "BiasP@10"


def differences(values):
    """The differences of two systems, topics by id as text."""
    pairs = zip(values["A"], values["B"], strict=True)
    found = slow.in_order({str(qid): b - a for qid, (a, b) in enumerate(pairs, start=1)})
    return list(map(slow.same, found))


class TestRandomisation:
    def test_worked_values(self):
        result = compare(frame_of(VALUES), None, test="randomisation")
        assert list(result.columns[:3]) == ["name", "against", "measure"]
        pairs = [["B", "A"], ["C", "A"], ["C", "B"]]
        assert result[["name", "against"]].values.tolist() == pairs
        assert result["p"][0] == pytest.approx(0.140625, abs=1e-6)
        assert result["p"][2] == pytest.approx(0.039062, abs=1e-6)
        assert result["t"].isna().all()
        expected = multipletests(result["p"], method="holm")[1]
        assert result["corrected"].tolist() == pytest.approx(list(expected))

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

    def test_scipy(self):
        d = [b - a for a, b in zip(VALUES["A"], VALUES["B"], strict=True)]
        exact = stats.permutation_test(
            (d,), lambda x, axis: abs(x.mean(axis)), permutation_type="samples",
            alternative="greater", n_resamples=9999, vectorized=True,
        )  # fmt: skip
        row = compare(frame_of(VALUES), "A", test="randomisation").iloc[0]
        assert row["p"] == pytest.approx(exact.pvalue)

    def test_equal_systems_and_one_topic(self):
        values = {"A": [0.1, 0.2, 0.3], "twin": [0.1, 0.2, 0.1 + 0.2]}
        assert math.isnan(compare(frame_of(values), "A", test="randomisation")["p"][0])
        one = {"A": [0.1], "B": [0.3]}
        assert math.isnan(compare(frame_of(one), "A", test="randomisation")["p"][0])


class TestSeveralBaselines:
    def test_pairs(self):
        def pairs(baseline):
            result = compare(frame_of(VALUES), baseline, resamples=9)
            return list(zip(result["name"], result["against"], strict=True))

        assert pairs(None) == [("B", "A"), ("C", "A"), ("C", "B")]
        assert pairs(["C", "A"]) == [("A", "C"), ("B", "C"), ("B", "A")]
        assert pairs([1]) == [("A", "B"), ("C", "B")]
        assert pairs(("B", "B", 1)) == pairs(["B"])
        assert "against" not in compare(frame_of(VALUES), "A", resamples=9)

    @pytest.mark.parametrize("test", ["t", "randomisation"])
    def test_each_row_is_that_of_a_single_baseline(self, test):
        frame = pd.concat([frame_of(VALUES), frame_of(VALUES, DOWN)])
        options = {"resamples": 199, "test": test, "correction": None, "tolerance": 0.02}
        every = compare(frame, None, **options)
        assert len(every) == 6
        for row in every.to_dict("records"):
            base = compare(frame, row.pop("against"), **options)
            (one,) = base[(base["name"] == row["name"]) & (base["measure"] == row["measure"])] \
                .to_dict("records")  # fmt: skip
            assert one == pytest.approx(row, nan_ok=True)

    def test_the_correction_covers_all_pairs_of_a_measure(self):
        other = {name: [v**2 for v in some] for name, some in VALUES.items()}
        frame = pd.concat([frame_of(VALUES), frame_of(other, DOWN)])
        result = compare(frame, None, resamples=9)
        for _, part in result.groupby("measure"):
            assert part["corrected"].tolist() == pytest.approx(
                list(multipletests(part["p"], method="holm")[1])
            )

    def test_a_system_without_values_of_a_measure(self):
        frame = pd.concat([frame_of(VALUES), frame_of({"A": VALUES["A"], "B": VALUES["B"]}, DOWN)])
        assert len(compare(frame, None, resamples=9)) == 4
        with pytest.raises(ValueError, match="the baseline 'C' has no values of rKL@10"):
            compare(frame, ["A", "C"])


class TestVerdict:
    def test_worked_values(self):
        row = compare(frame_of(VALUES), "A", tolerance=0.01).iloc[0]
        # The interval is that of the difference, whose sign is opposite to that of a loss.
        found = row[["tolerance high", "tolerance low", "p tolerance"]].tolist()
        assert found == pytest.approx([0.057402, -0.002402, 0.024587], abs=1e-6)
        assert row["verdict"] == "within" and row["tolerance"] == 0.01
        row = compare(frame_of(VALUES), "A", tolerance=0).iloc[0]
        assert row["p tolerance"] == pytest.approx(0.062488, abs=1e-6)
        assert row["verdict"] == "inconclusive"

    @given(
        systems(largest=6),
        st.sampled_from([0, 0.05, 0.1, 0.3, 1]),
        st.sampled_from([(UP, "worse"), (DOWN, "worse"), (UP, "both"), (ZERO, "both")]),
    )
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

    def test_swapped_systems(self):
        """Within for a loss of δ in one direction excludes exceeding it in the other."""
        for delta, (one, two) in itertools.product((0.0, 0.01, 0.05), ("AB", "BA")):
            forth = compare(frame_of(VALUES), one, resamples=9, tolerance=delta)
            row = forth[forth["name"] == two].iloc[0]
            mirrored = frame_of(VALUES, DOWN).assign(value=lambda t: 1 - t["value"])
            other = compare(mirrored, one, resamples=9, tolerance=delta)
            other = other[other["name"] == two].iloc[0]
            assert row["verdict"] == other["verdict"]
            assert row["p tolerance"] == pytest.approx(other["p tolerance"])
            assert row["tolerance low"] == pytest.approx(-other["tolerance high"])

    def test_statsmodels(self):
        from statsmodels.stats.weightstats import DescrStatsW
        d = [b - a for a, b in zip(VALUES["A"], VALUES["B"], strict=True)]
        row = compare(frame_of(VALUES), "A", tolerance=0.05, side="both").iloc[0]
        assert row["p tolerance"] == pytest.approx(DescrStatsW(d).ttost_mean(-0.05, 0.05)[0])

    def test_by_measure(self):
        frame = pd.concat([frame_of(VALUES), frame_of(VALUES, DOWN), frame_of(VALUES, ZERO)])
        result = compare(frame, "A", tolerance={"nDCG@10": 0.01, DOWN: 0}).set_index("measure")
        assert result.loc[UP, "tolerance"].tolist() == [0.01, 0.01]
        assert result.loc[DOWN, "tolerance"].tolist() == [0, 0]
        missing = result.loc[ZERO, ["tolerance", "tolerance low", "p tolerance", "verdict"]]
        assert missing.isna().all(axis=None)
        renamed = compare(rename(frame, {DOWN: "Unfair"}), "A", tolerance={"Unfair": 0})
        again = renamed[renamed["measure"] == "Unfair"]["verdict"].tolist()
        assert again == result.loc[DOWN, "verdict"].tolist()

    def test_equal_differences_and_one_topic(self):
        values = {"A": [0.5, 0.25, 0.25], "B": [0.375, 0.125, 0.125], "C": [0.5, 0.25, 0.25]}
        result = compare(frame_of(values), "A", tolerance=0.125).set_index("name")
        assert result["verdict"].tolist() == ["inconclusive", "within"]
        assert result["p tolerance"].tolist() == [1, 0]
        result = compare(frame_of({"A": [0.5], "B": [0.4]}), "A", tolerance=1)
        assert result["verdict"][0] == "inconclusive"
        assert result[["tolerance low", "p tolerance"]].isna().all(axis=None)

    @pytest.mark.parametrize("measure", [ZERO, "Something else"])
    def test_no_worse_side(self, measure):
        with pytest.raises(ValueError, match=f"a system cannot be worse in {measure}"):
            compare(frame_of(VALUES, measure), "A", tolerance=0.1)
        both = compare(frame_of(VALUES, measure), "A", resamples=9, tolerance=0.1, side="both")
        assert set(both["verdict"]) == {"within"}


def test_few_topics():
    """Two equal differences say nothing, although their p-value is 0."""
    two = {"A": [0.1, 0.2], "B": [0.5063, 0.6063]}
    with pytest.warns(FairnessWarning, match="With fewer than six topics, no difference is") as few:
        row = compare(frame_of(two), "A", tolerance=0.5).iloc[0]
    assert len(few) == 1
    assert row[["low", "high", "tolerance low", "p tolerance"]].isna().all()
    assert row["verdict"] == "inconclusive"
    five = {name: VALUES[name][:5] for name in "AB"}
    with pytest.warns(FairnessWarning, match="With fewer than six topics"):
        assert compare(frame_of(five), "A")["low"].notna().all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(frame_of({name: VALUES[name][:6] for name in "AB"}), "A")


@pytest.mark.parametrize("method", [5, True, "nothing", ["holm"]])
def test_unknown_corrections(method):
    with pytest.raises(ValueError, match=r"^correction=.* is not possible; it takes a method of"):
        compare(frame_of(VALUES), "A", method)
    qrels = pd.DataFrame({"qid": "1", "docno": ["a"], "label": 1})
    runs = {"A": qrels.assign(score=1.0), "B": qrels.assign(score=1.0)}
    with pytest.raises(ValueError, match=r"^correction=.* is not possible; it takes a method of"):
        evaluate(runs, qrels, ["AP"], baseline=0, correction=method, progress=False)


def test_missing_topics_warn():
    values = {**VALUES, "B": [*VALUES["B"][:-1], math.nan]}
    with pytest.warns(FairnessWarning, match="B and A are compared by nDCG@10 on 7 of 8"):
        compare(frame_of(values), "A", resamples=9)
