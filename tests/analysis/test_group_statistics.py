"""Properties of a collection, compared with values by hand and the slow versions."""

import math

import pandas as pd
import pytest
from ir_measures import nDCG, parse_measure
from scipy import stats

from pt_fairness import groups
from pt_fairness.analysis import group_distribution, ranked_groups, undefined


class TestGroupDistribution:
    QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 2, "PRO"), ("1", "c", 1, "CON"),
                          ("1", "d", 0, "CON"), ("2", "a", 1, "PRO"), ("2", "e", 1, "PRO"),
                          ("2", "e", 1, "CON"), ("3", "f", 0, "CON"), ("2", "g", 1, "-")],
                         columns=["qid", "docno", "label", "iteration"])

    def test_counts(self, unchanged):
        result = unchanged(group_distribution, self.QRELS)
        assert list(result.columns) == ["qid", "group", "relevant", "share", "skew"]
        table = result.pivot(index="qid", columns="group", values="relevant")
        assert table.loc["1"].to_dict() == {"CON": 1, "PRO": 2}
        assert table.loc["3"].to_dict() == {"CON": 0, "PRO": 0}
        assert table.loc["2"].to_dict() == {"CON": 0.5, "PRO": 1.5}  # e is half of each
        assert table.loc["all"].to_dict() == {"CON": 1.5, "PRO": 3.5}
        assert result[result["qid"] == "all"]["share"].tolist() == [0.3, 0.7]

    def test_skew_is_one_minus_normalised_entropy(self):
        result = group_distribution(self.QRELS).drop_duplicates("qid").set_index("qid")["skew"]
        assert result["1"] == pytest.approx(1 - stats.entropy([1, 2], base=2))
        assert math.isnan(result["3"])
        qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": [1, 1, 1, 0]})
        one = group_distribution(qrels.assign(iteration=list("xxxy")))
        assert one["skew"].tolist() == [1] * 4
        even = group_distribution(qrels.assign(iteration=list("xyzx")))
        assert even["skew"].to_numpy() == pytest.approx(0)


class TestUndefined:
    QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 1, "CON"), ("2", "a", 1, "PRO"),
                          ("2", "b", 0, "CON"), ("3", "a", 0, "PRO"), ("3", "b", 2, "-")],
                         columns=["qid", "docno", "label", "iteration"])

    def test_topics(self, unchanged):
        result = unchanged(undefined, self.QRELS, ["rND@5", "rKL(protected='PRO')@5",
                                                   "rKL(protected='all',target='uniform')", "nDD",
                                                   nDCG @ 5, "rRD(rel=2)@3"])
        assert result.values.tolist() == [["2", "rND@5"], ["3", "rND@5"],
                                          ["3", "rKL(protected='PRO')@5"], ["1", "rRD(rel=2)@3"],
                                          ["2", "rRD(rel=2)@3"], ["3", "rRD(rel=2)@3"]]

    def test_measures_of_several_sources_and_of_none(self):
        groups.register("test-only-1", groups.from_frame(pd.DataFrame(
            {"qid": ["1", "1"], "docno": ["a", "b"], "group": ["x", "y"]})))
        qrels = self.QRELS.drop(columns="iteration")
        measures = ["GFR(attributes={'test-only-1':'jsd'},targets={'test-only-1':'qrels'})",
                    "EEL", "GFR(attributes={})", "RaB(values={'x':1},groups='test-only-1')"]
        result = undefined(qrels, measures)
        found = {name: result.loc[result["measure"] == str(parse_measure(name)), "qid"].tolist()
                 for name in measures}
        no_relevant = sorted({*qrels["qid"]} - {*qrels.loc[qrels["label"] > 0, "qid"]})
        assert found["EEL"] == found["GFR(attributes={})"] == no_relevant
        assert found[measures[0]] == [qid for qid in sorted({*qrels["qid"]}) if qid != "1"]
        assert found[measures[3]] == []


class TestRankedGroups:
    QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 0, "CON"), ("1", "c", 1, "CON"),
                          ("1", "c", 1, "PRO")], columns=["qid", "docno", "label", "iteration"])
    RUNS = {"one": pd.DataFrame({"qid": "1", "docno": list("abcz"), "score": [4.0, 3.0, 2.0, 1.0]}),
            "two": pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [1.0, 2.0]})}

    def test_values(self):
        frame = ranked_groups(self.RUNS, self.QRELS, depth=4)
        assert frame.fillna({"group": "?"}).values.tolist() == [["one", "1", 1, "a", 1, "PRO"],
                                                                ["one", "1", 2, "b", 0, "CON"],
                                                                ["one", "1", 3, "c", 1, "CON"],
                                                                ["one", "1", 3, "c", 1, "PRO"],
                                                                ["one", "1", 4, "z", 0, "?"],
                                                                ["two", "1", 1, "b", 0, "CON"],
                                                                ["two", "1", 2, "a", 1, "PRO"]]
        first = ranked_groups(self.RUNS, self.QRELS, depth=1)
        assert first["docno"].tolist() == ["a", "b"]
