"""The options of evaluate: groups, labels, names, correction, tables, highlight, round."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from evaluation.common import evaluate_quietly, trec_run
from ir_measures import AP, alpha_nDCG, nDCG
from one_test import each

from pt_fairness import AWRF, EEL, FairnessWarning, analysis, evaluate, groups, rKL, rND
from pt_fairness.analysis.notes import notes
from pt_fairness.evaluation import as_text

SOURCE = groups.from_pattern("[0-4]$", labels=["0", "1", "2", "3", "4"], name="digits")


@pytest.fixture
def runs(make_case):
    return {f"system {seed}": make_case(seed, topics=12, labels=3).run_frame
            for seed in range(3, 7)}


MEASURES = [nDCG @ 5, rKL(protected="0") @ 5, AWRF @ 5, EEL]


class TestGroups:
    def test_the_source_is_not_in_the_columns(self, runs, qrels):
        averages, perquery = evaluate_quietly(runs, qrels, MEASURES, groups=SOURCE)
        own = [m(groups=SOURCE) if m.NAME in ("rKL", "AWRF") else m for m in MEASURES]
        expected = evaluate_quietly(runs, qrels, own)
        names = list(map(str, MEASURES))
        assert list(averages.columns) == ["name", *names]
        for found, theirs in zip((averages, perquery), expected, strict=True):
            assert found.attrs["groups"] == "digits" and theirs.attrs["groups"] is None
        np.testing.assert_array_equal(averages[names], expected[0][list(map(str, own))])
        np.testing.assert_array_equal(perquery["value"], expected[1]["value"])
        assert averages.attrs["measures"] == {
            "rKL(protected='0')@5": "rKL(protected='0',groups='digits')@5",
            "AWRF@5": "AWRF(groups='digits')@5"}
        assert "Groups: digits (0, 1" in " ".join(notes(averages))

    def test_alpha_ndcg_takes_subtopics_from_it(self, runs, qrels):
        averages, _ = evaluate_quietly(runs, qrels, [alpha_nDCG @ 5, AP], groups=SOURCE)
        expected, _ = evaluate_quietly(runs, SOURCE.to_qrels(qrels), [alpha_nDCG @ 5, AP])
        pd.testing.assert_frame_equal(averages, expected)
        plain, _ = evaluate_quietly(runs, qrels, [alpha_nDCG @ 5, AP])
        assert plain["AP"].equals(averages["AP"])
        assert not plain["alpha_nDCG@5"].equals(averages["alpha_nDCG@5"])

    @each("given", [3, ["digits"], "no-such"])
    def test_no_source(self, runs, qrels, given):
        with pytest.raises(ValueError, match="groups are"):
            evaluate(runs, qrels, [rKL @ 5], groups=given, progress=False)


class TestTables:
    def test_labels_and_names(self, runs, qrels):
        averages, perquery = evaluate_quietly(
            list(runs.values()), qrels, MEASURES[:2], groups=SOURCE, baseline=0,
            names=["a", "b", "c", "d"], labels={MEASURES[1]: "Unfairness"})
        assert list(averages.columns)[:3] == ["name", "nDCG@5", "Unfairness"]
        assert "Unfairness p-value" in averages and averages["name"].tolist() == list("abcd")
        assert set(perquery["measure"]) == {"nDCG@5", "Unfairness"}
        for table in (averages, perquery):
            assert table.attrs["measures"] == {"Unfairness": "rKL(protected='0',groups='digits')@5"}
            assert "rKL(protected='0')@5" not in table.attrs["undefined"]
        assert as_text(averages, "csv").startswith("name,nDCG@5,Unfairness ↓,nDCG@5 +")

    @each("correction", ["holm", "fdr_bh"])
    def test_corrections_are_those_of_pt_experiment(self, runs, qrels, correction):
        """A system that is equal to the baseline counts as 1. pt.Experiment knows that of Holm."""
        if correction == "holm":
            runs = {**runs, "equal": runs["system 4"]}
        frames = [run.rename(columns={"query_id": "qid", "doc_id": "docno"})
                  for run in runs.values()]
        named = qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
        topics = pd.DataFrame({"qid": named["qid"].unique(), "query": "x"})
        expected = pt.Experiment(frames, topics, named, [nDCG @ 5, AP], names=list(runs),
                                 baseline=1, correction=correction)
        found = evaluate_quietly(runs, qrels, [nDCG @ 5, AP], baseline="system 4",
                                 correction=correction, perquery=False)
        pd.testing.assert_frame_equal(found[expected.columns], expected, check_dtype=False,
                                      rtol=1e-12)
        assert found.attrs["comparison"] == {
            "baseline": "system 4", "test": "two-sided paired t-test", "correction": correction,
            "alpha": 0.05, "systems": len(runs) - 1}

    def test_undefined_topics_are_those_of_the_analysis(self, runs, qrels):
        averages, perquery = evaluate_quietly(runs, qrels, [rND @ 5, nDCG @ 5])
        expected = analysis.undefined(qrels, [rND @ 5])
        assert set(averages.attrs["undefined"]) == {"rND@5"}
        assert sorted(averages.attrs["undefined"]["rND@5"]) == sorted(expected["qid"])
        assert averages.attrs["topics"] == 12
        long = analysis.long_form(perquery)
        assert list(long.columns) == ["run", "topic", "measure", "value", "ideal", "undefined"]
        marked = long[long["undefined"]]
        assert set(marked["topic"]) == set(expected["qid"]) and (marked["value"] == 0).all()
        assert set(marked["measure"]) == {"rND@5"} and len(marked) == 4 * len(expected)
        assert long["ideal"].isna().equals(long["measure"] == "nDCG@5")
        perquery.attrs = {}
        assert analysis.long_form(perquery)["undefined"].isna().all()

    def test_one_table_rounded_and_highlighted(self, runs, qrels):
        averages, perquery = evaluate_quietly(runs, qrels, [rND @ 5, nDCG @ 5], confidence=0.9,
                                              round={"nDCG@5": 1})
        ends = averages[["nDCG@5", "nDCG@5 low", "nDCG@5 high"]]
        assert (ends == ends.round(1)).all(axis=None)
        assert not averages["rND@5 low"].equals(averages["rND@5 low"].round(1))
        rows = evaluate_quietly(runs, qrels, [rND @ 5, nDCG @ 5], perquery=True)
        exact = rows["value"].where(rows["measure"] == "rND@5", rows["value"].round(1))
        assert perquery["value"].equals(exact)
        styled = evaluate_quietly(runs, qrels, [rND @ 5], highlight="color", perquery=False)
        styled._compute()
        (cell,) = (where for where, style in styled.ctx.items() if style)
        assert cell == (styled.data["rND@5"].argmin(), 1)

    def test_a_baseline_by_place_is_that_of_the_runs(self, runs, qrels):
        reverse = dict(reversed(runs.items()))
        _, perquery = evaluate_quietly(reverse, qrels, [nDCG @ 5])
        assert "system 6" not in set(analysis.compare(perquery, 0, resamples=99)["name"])
        perquery.attrs = {}
        assert "system 3" not in set(analysis.compare(perquery, 0, resamples=99)["name"])


@each(
    "options, says",
    [
        ({"perquery": "all"}, "perquery='all' is not possible"),
        ({"perquery": True, "baseline": 0}, "baseline and highlight are for the averages"),
        ({"perquery": True, "highlight": "bold"}, "baseline and highlight are for the averages"),
        ({"correction": "bonferroni"}, "corrects comparisons with a baseline"),
        ({"correction": "none", "baseline": 0}, "correction='none' is not possible"),
        ({"highlight": "red"}, "highlight='red' is not possible; it takes 'bold'"),
        ({"labels": ["a"]}, "has to be a dictionary from measures to labels"),
        ({"labels": {"AP": "a"}}, "has no measure 'AP'"),
        ({"names": ["a"]}, "the dictionary of runs has their names already"),
        ({"baseline": True}, "baseline=True is a bool"),
        ({"baseline": 1.5}, "baseline=1.5 is a float"),
        ({"round": -1}, "round=-1 is not possible"),
        ({"round": "2"}, "round='2' is not possible")],
)
def test_options_that_are_not_possible(runs, qrels, options, says):
    with pytest.raises(ValueError, match=says):
        evaluate_quietly(runs, qrels, [nDCG @ 5], **options)


def test_one_warning_for_each_cause_names_the_runs(runs, qrels, tmp_path):
    for i, (name, run) in enumerate(runs.items()):
        again = pd.concat([run, run.head(i)])
        (tmp_path / name).write_text(trec_run(again), encoding="utf-8")
    with pytest.warns(FairnessWarning) as told:
        evaluate(tmp_path / "*", qrels, [rKL(protected="all") @ 1], progress=False)
    messages = [str(one.message) for one in told if "again" in str(one.message)]
    assert len(messages) == 1
    assert messages[0].startswith("the run has 1 rows whose document it gives again")
    assert messages[0].endswith("(run system 4; similarly system 5, system 6)")
