"""What a collection has: against hand-worked values and the slow versions of the measures."""

from __future__ import annotations

import io
import math

import pandas as pd
import pyterrier as pt
import pytest
import slow
from ir_measures import nDCG, parse_measure
from scipy import stats

from pt_fairness import FairnessWarning, groups
from pt_fairness.analysis import (
    group_distribution,
    ranked_groups,
    undefined,
)


class TestGroupDistribution:
    QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 2, "PRO"), ("1", "c", 1, "CON"), ("1", "d", 0, "CON"),
                          ("2", "a", 1, "PRO"), ("2", "e", 1, "PRO"), ("2", "e", 1, "CON"), ("3", "f", 0, "CON"),
                          ("2", "g", 1, "-")], columns=["qid", "docno", "label", "iteration"])

    def test_counts(self, unchanged):
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

    def test_topics(self, unchanged):
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

    @pytest.mark.parametrize("measure, says", [
        ("nDCGG@5", "measure not found: nDCGG"), ("", "'' cannot be read as a measure"),
        (nDCG(foo=1) @ 5, "nDCG is not possible: it has no parameter 'foo'"),
        ("rND(step=0)", "step takes a whole number of at least 1")])
    def test_measures_that_are_none(self, measure, says):
        with pytest.raises(ValueError, match=says):
            undefined(self.QRELS, [measure])

    def test_unknown_label(self):
        with pytest.warns(FairnessWarning, match="'ANTI' names a group that no judged document has"):
            undefined(self.QRELS, "rKL(protected='ANTI')@5")


class TestRankedGroups:
    def test_whole_lists(self, experiment):
        *_, qrels, runs = experiment
        whole = ranked_groups(runs, qrels, depth=None)
        assert whole.groupby(["name", "qid"]).size().eq(12).all()
        pd.testing.assert_frame_equal(whole, ranked_groups(runs, qrels, depth=1000))

    @pytest.mark.parametrize("change, says", [
        (lambda runs: runs["one"], "ranked_groups takes a dictionary .* not a DataFrame"),
        (lambda runs: [*runs.values()], "ranked_groups takes a dictionary .* not a list"),
        (lambda runs: {"A": "a/path"}, "the run 'A' is a str; .*read_run reads a file into one"),
        (lambda runs: {"A": runs["one"].drop(columns="score")}, "run 'A' has no column 'score'"),
    ])
    def test_runs_that_are_none(self, experiment, change, says):
        *_, qrels, runs = experiment
        with pytest.raises(ValueError, match=says):
            ranked_groups(change(runs), qrels)
