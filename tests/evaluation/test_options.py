"""The options of evaluate: groups, names, correction."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from evaluation.common import evaluate_quietly
from ir_measures import AP, alpha_nDCG, nDCG
from one_test import each

import pt_fairness as pf
from pt_fairness import AWRF, EEL, groups, rKL
from pt_fairness.analysis.notes import Comparison

SOURCE = groups.from_pattern("[0-4]$", labels=["0", "1", "2", "3", "4"], name="digits")


@pytest.fixture
def runs(make_case):
    return {f"system {seed}": make_case(seed, topics=12, labels=3).run_frame
            for seed in range(3, 7)}


MEASURES = [nDCG @ 5, rKL(protected="0") @ 5, AWRF @ 5, EEL]


class TestGroups:
    def test_the_source_is_not_in_the_columns(self, runs, qrels):
        result = evaluate_quietly(runs, qrels, MEASURES, groups=SOURCE)
        averages, perquery = result
        own = [m(groups=SOURCE) if m.NAME in ("rKL", "AWRF") else m for m in MEASURES]
        expected = evaluate_quietly(runs, qrels, own)
        names = list(map(str, MEASURES))
        assert list(averages.columns) == ["name", *names]
        assert result.facts.groups == "digits" and expected.facts.groups is None
        np.testing.assert_array_equal(averages[names], expected[0][list(map(str, own))])
        np.testing.assert_array_equal(perquery["value"], expected[1]["value"])
        assert "digits (0, 1" in " ".join(result.table().notes)

    def test_alpha_ndcg_takes_subtopics_from_it(self, runs, qrels):
        averages, _ = evaluate_quietly(runs, qrels, [alpha_nDCG @ 5, AP], groups=SOURCE)
        expected, _ = evaluate_quietly(runs, SOURCE.to_qrels(qrels), [alpha_nDCG @ 5, AP])
        pd.testing.assert_frame_equal(averages, expected)
        plain, _ = evaluate_quietly(runs, qrels, [alpha_nDCG @ 5, AP])
        assert plain["AP"].equals(averages["AP"])
        assert not plain["alpha_nDCG@5"].equals(averages["alpha_nDCG@5"])


def test_the_progress_is_shown(runs, qrels, capsys):
    pf.evaluate(runs, qrels, [nDCG @ 5])
    assert "4/4" in capsys.readouterr().err


@each("correction", ["holm", "fdr_bh"])
def test_corrections_are_those_of_pt_experiment(runs, qrels, correction):
    """A system that is equal to the baseline counts as 1. pt.Experiment knows that of Holm."""
    if correction == "holm":
        runs = {**runs, "equal": runs["system 4"]}
    frames = [run.rename(columns={"query_id": "qid", "doc_id": "docno"}) for run in runs.values()]
    named = qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    topics = pd.DataFrame({"qid": named["qid"].unique(), "query": "x"})
    expected = pt.Experiment(frames, topics, named, [nDCG @ 5, AP], names=list(runs), baseline=1,
                             correction=correction)
    found = evaluate_quietly(runs, qrels, [nDCG @ 5, AP], baseline="system 4",
                             correction=correction)
    pd.testing.assert_frame_equal(found.averages[expected.columns], expected, check_dtype=False,
                                  rtol=1e-12)
    assert found.facts.comparison == Comparison("system 4", "t", correction, len(runs) - 1)


@each("options, says", [
    ({"correction": "none", "baseline": 0}, "correction .*'none'"), ({"test": "z"}, "test"),
    ({"names": ["a"]}, "names"), ({"baseline": True}, "baseline .*True"),
    ({"baseline": 1.5}, "baseline .*1.5"), ({"seed": -1}, "seed"), ({"groups": 3}, "groups")])
def test_options_that_are_not_possible(runs, qrels, options, says):
    with pytest.raises(ValueError, match=says):
        evaluate_quietly(runs, qrels, [nDCG @ 5], **options)
