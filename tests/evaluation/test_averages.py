"""Averages, comparisons and values per topic of scores, against plain Python and scipy."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pt_fairness import analysis, rKL
from pt_fairness.evaluation.experiment import (
    averages_of,
    means_of,
    per_query_of,
    rounded,
    with_rows,
)
from pt_fairness.evaluation.workers import Scores

COLUMNS = ["nDCG@5", "rKL@5", "NumRet"]
QIDS = [str(topic) for topic in range(1, 13)]


@pytest.fixture
def scores():
    """Runs whose topics are in orders of their own; two lack a topic, and one has no value."""
    rng = np.random.default_rng(5)
    found = {}
    for i, name in enumerate(["bm25", "a", "mono", "z"]):
        qids = list(rng.permutation(QIDS))[:len(QIDS) - i % 2]
        found[name] = Scores(qids, rng.random((len(qids), 3)).round(2) + 0.1 * i)
    found["mono"].values[3, 1] = math.nan
    return found


def value(scores, name, qid, column):
    """A value, NaN where the run lacks the topic."""
    one = scores[name]
    return float(one.values[one.qids.index(qid), COLUMNS.index(column)]) \
        if qid in one.qids else math.nan


def known(scores, name, column):
    return [number for qid in QIDS if not math.isnan(number := value(scores, name, qid, column))]


def test_averages_are_means_of_the_topics_with_a_value(scores):
    table = averages_of(scores, COLUMNS, [], None, None)
    assert list(table.columns) == ["name", *COLUMNS] and table["name"].tolist() == [*scores]
    for row, name in enumerate(scores):
        for column in COLUMNS[:2]:
            wanted = statistics.fmean(known(scores, name, column))
            assert table[column][row] == pytest.approx(wanted, rel=1e-14)
        assert table["NumRet"][row] == pytest.approx(sum(known(scores, name, "NumRet")))
    undefined = averages_of(scores, COLUMNS, ["rKL@5"], "bm25", None)
    assert undefined.filter(like="rKL@5").isna().all(axis=None)
    assert undefined["nDCG@5"].equals(table["nDCG@5"])


def test_no_topic_has_no_mean():
    assert np.isnan(means_of(np.full((3, 1), np.nan), ["AP"])).all()
    assert means_of(np.full((3, 1), np.nan), ["NumRet"]).tolist() == [0.0]
    assert np.isnan(means_of(np.zeros((0, 1)), ["AP"])).all()
    # Summed in the order of the topics, as pt.Experiment does.
    values = [0.1] * 10 + [1e16, -1e16]
    assert means_of(np.array([values]).T, ["AP"]).tolist() == [sum(values) / len(values)]


def test_comparisons_with_the_baseline(scores):
    table = averages_of(scores, COLUMNS, [], "a", "holm")
    assert [column for column in table if column.startswith("nDCG@5")] == ["nDCG@5"] + [
        f"nDCG@5 {suffix}" for suffix in ("+", "-", "p-value", "reject", "p-value corrected")]
    for column in COLUMNS:
        found = table.set_index("name").filter(like=column)
        for name in scores:
            # The topics of the baseline count; those that the run lacks are left out of the test.
            pairs = [(value(scores, name, qid, column), value(scores, "a", qid, column))
                     for qid in scores["a"].qids]
            whole = [(one, two) for one, two in pairs if not math.isnan(one)]
            more, fewer = (found.loc[name, f"{column} {sign}"] for sign in "+-")
            p = found.loc[name, f"{column} p-value"]
            if name == "a":
                assert np.isnan([more, fewer, p]).all()
                continue
            assert more == sum(one > two for one, two in whole)
            assert fewer == sum(one < two for one, two in whole)
            assert p == pytest.approx(stats.ttest_rel(*zip(*whole, strict=True)).pvalue)
        others = found.drop(index="a")
        reject, corrected, *_ = multipletests(others[f"{column} p-value"], method="holm")
        assert others[f"{column} p-value corrected"].tolist() == pytest.approx([*corrected])
        assert others[f"{column} reject"].tolist() == reject.tolist()
        assert not found.loc["a", f"{column} reject"]


@pytest.mark.parametrize("topics", [5, 6])
def test_few_topics_reject_nothing(topics):
    """Equal differences have the p-value 0, however few they are."""
    qids = [str(topic) for topic in range(topics)]
    runs = {name: Scores(qids, np.full((topics, 1), mean)) for name, mean in (("a", 0.5), ("b", 1))}
    table = averages_of(runs, ["AP"], [], "a", "holm")
    assert table["AP p-value"][1] == 0.0 and table["AP reject"][1] == (topics == 6)


def test_randomisation_takes_all_exchanges_of_few_topics(scores):
    table = averages_of(scores, COLUMNS, [], "bm25", None, "randomisation")
    differences = [value(scores, "mono", qid, "nDCG@5") - value(scores, "bm25", qid, "nDCG@5")
                   for qid in QIDS]
    signs = np.where(np.arange(2**12)[:, None] >> np.arange(12) & 1, 1, -1)
    extreme = np.abs(signs @ differences) >= abs(sum(differences)) - 1e-9
    assert table["nDCG@5 p-value"][2] == pytest.approx(extreme.mean(), abs=0.02)


def test_randomisation_does_not_depend_on_the_order_of_the_topics():
    rng = np.random.default_rng(2)
    qids = [str(topic) for topic in range(40)]  # more than it takes all exchanges of
    runs = {name: Scores(qids, rng.random((40, 1))) for name in "ab"}
    order = rng.permutation(40)
    other = {name: Scores([qids[i] for i in order], one.values[order])
             for name, one in runs.items()}
    one, two = (averages_of(some, ["AP"], [], "a", None, "randomisation") for some in (runs, other))
    assert 0.01 < one["AP p-value"][1] == two["AP p-value"][1]


def test_runs_that_are_missing_or_equal_have_no_p_value(scores):
    lost = averages_of(scores, COLUMNS, [], "broken", "holm")
    assert lost["nDCG@5 p-value"].isna().all() and not lost["nDCG@5 reject"].any()
    same = {"a": scores["a"], "b": scores["a"]}
    table = averages_of(same, COLUMNS, [], "a", None)
    assert math.isnan(table["rKL@5 p-value"][1])
    assert table["rKL@5 +"][1] == table["rKL@5 -"][1] == 0


def test_intervals_are_those_of_the_analysis(scores):
    table = averages_of(scores, COLUMNS, ["rKL@5"], None, None, confidence=0.9)
    wanted = analysis.intervals(per_query_of(scores, COLUMNS), confidence=0.9)
    wanted = wanted.set_index(["name", "measure"])
    for row, name in enumerate(scores):
        low, high = table["nDCG@5 low"][row], table["nDCG@5 high"][row]
        assert low < table["nDCG@5"][row] < high
        assert (low, high) == tuple(wanted.loc[(name, "nDCG@5"), ["low", "high"]])
    for column in ("rKL@5", "NumRet"):  # no interval of what is undefined, and of a sum
        assert table[[f"{column} low", f"{column} high"]].isna().all(axis=None)


def test_verdicts_stand_beside_their_measure(scores):
    verdicts = {"rKL@5": pd.Series({"z": "within", "mono": "above"})}
    table = averages_of(scores, COLUMNS, [], "bm25", None, verdicts=verdicts)
    assert table["rKL@5 verdict"].fillna("").tolist() == ["", "", "above", "within"]
    assert "nDCG@5 verdict" not in table


def test_values_per_topic_are_sorted(scores):
    table = per_query_of(scores, COLUMNS)
    rows = [(name, qid, column) for name in sorted(scores) for qid in sorted(scores[name].qids)
            for column in COLUMNS]
    assert [*table[["name", "qid", "measure"]].itertuples(index=False, name=None)] == rows
    np.testing.assert_array_equal(
        table["value"], [value(scores, name, qid, column) for name, qid, column in rows])


def test_further_rows_have_no_comparisons(scores):
    table = averages_of(scores, COLUMNS, [], "a", "holm")
    more = pd.DataFrame({"name": ["[ideal]"], "rKL@5": [0.5], "other": [1.0]})
    found = with_rows(table, more)
    pd.testing.assert_frame_equal(found.head(4), table)
    assert list(found.columns) == list(table.columns) and (found.dtypes == table.dtypes).all()
    last = found.iloc[4]
    assert last["name"] == "[ideal]" and last["rKL@5"] == 0.5 and not last["rKL@5 reject"]
    assert math.isnan(last["nDCG@5"]) and math.isnan(last["rKL@5 p-value"])


@pytest.mark.parametrize(("digits", "of_column"), [
    (2, dict.fromkeys(COLUMNS, 2)), (0, dict.fromkeys(COLUMNS, 0)), ({"rKL@5": 1}, {"rKL@5": 1}),
    ({rKL @ 5: 1, "nDCG@5": np.int64(3)}, {"rKL@5": 1, "nDCG@5": 3}), ({}, {})])
def test_values_and_intervals_are_rounded_and_p_values_are_not(scores, digits, of_column):
    table = averages_of(scores, COLUMNS, [], "a", "holm", confidence=0.9)
    found = rounded(table, digits)
    for column in table:
        measure, _, suffix = column.partition(" ")
        count = of_column.get(measure) if suffix in ("", "low", "high") else None
        pd.testing.assert_series_equal(
            found[column], table[column] if count is None else table[column].round(count))
    per_query = per_query_of(scores, COLUMNS)
    found = rounded(per_query, digits)
    for before, after in zip(per_query.itertuples(), found.itertuples(), strict=True):
        count = of_column.get(before.measure)
        wanted = before.value if count is None else np.round(before.value, count)
        assert after.value == wanted or (math.isnan(after.value) and math.isnan(wanted))


@pytest.mark.parametrize(("digits", "says"), [
    (-1, "round=-1 is not possible; it takes a number of decimals from 0 to 30"),
    (1.5, "round=1.5 is not possible"), (True, "round=True is not possible"),
    ("2", "round='2' is not possible"), ({"rKL@5": None}, "is not possible"),
    ({"AP": 1}, "has no .*'AP'")])
def test_what_is_no_number_of_decimals(scores, digits, says):
    for table in (averages_of(scores, COLUMNS, [], None, None), per_query_of(scores, COLUMNS)):
        with pytest.raises(ValueError, match=says):
            rounded(table, digits)
