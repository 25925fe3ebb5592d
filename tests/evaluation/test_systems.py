"""Transformers, dictionaries, ranks and columns of groups, wherever runs are taken."""

from collections import Counter

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures.util import ScoredDoc
from one_test import each

from pt_fairness import FairnessWarning, evaluate, explain

STANCE = "pt-fairness/debates/stance"
MEASURES = ["nDCG@5", "rKL@5", "AWRF@5"]


class Counting(pt.Transformer):
    """A system that counts how often each topic is retrieved for, and in how many batches."""

    def __init__(self, system):
        self.system, self.topics, self.batches = system, Counter(), 0

    def transform(self, inp):
        self.topics.update(inp["qid"])
        self.batches += 1
        return self.system(inp)

    def __repr__(self):
        return f"Counting({type(self.system).__name__})"


@pytest.fixture
def systems(index):
    return {"BM25": Counting(index.bm25(threads=1) % 10),
            "QLD": Counting(index.qld(threads=1) % 10)}


@pytest.mark.filterwarnings("ignore")
def test_each_system_retrieves_once_for_all_measures(systems, debates, monkeypatch):
    topics = debates.get_topics()
    results = {name: one.system(topics) for name, one in systems.items()}
    monkeypatch.setattr("pt_fairness.io.runs.BATCH", 7)
    averages, perquery = evaluate(systems, debates.get_qrels(), MEASURES, progress=False,
                                  topics=debates.get_topics(), baseline="BM25")
    expected = dict.fromkeys(topics["qid"], 1)
    assert [dict(system.topics) for system in systems.values()] == [expected] * 2
    assert {one.batches for one in systems.values()} == {-(-len(debates.get_topics()) // 7)}
    of_frames = evaluate(results, STANCE, MEASURES, progress=False, baseline="BM25")
    pd.testing.assert_frame_equal(averages, of_frames[0])
    pd.testing.assert_frame_equal(perquery, of_frames[1])
    experiment = pt.Experiment([*systems.values()], debates.get_topics(), debates.get_qrels(),
                               [ir_measures.parse_measure(one) for one in MEASURES],
                               names=[*systems])
    pd.testing.assert_frame_equal(averages[["name", *MEASURES]], experiment[["name", *MEASURES]])


def test_qrels_of_other_topics_are_left_out(systems, debates):
    few = debates.get_topics().head(3)
    with pytest.warns(FairnessWarning, match="topics= has 3"):
        result = evaluate(systems, STANCE, "rKL@5", few, progress=False)
    assert sorted({*result.perquery["qid"]}) == sorted(few["qid"]) and result.facts.topics == 3
    with pytest.raises(ValueError, match=r"topics= has 'x'"):
        evaluate(systems, STANCE, "rKL@5", few.head(1).assign(qid="x"), progress=False)


@each("runs, options, message", [
    (None, {}, "BM25, QLD: a transformer needs topics="),
    (None, {"topics": 3}, "topics must be a DataFrame"),
    (None, {"topics": pd.DataFrame({"query": ["q"]})}, "topics has no column 'qid'"),
    (None, {"topics": pd.DataFrame({"qid": ["x"]})[:0]}, "topics has no rows"),
    ({"mine": pt.apply.generic(lambda frame: frame)}, {"topics": STANCE},
     "what 'mine' retrieved has no column 'docno'"),
    ({"A": {"1": {"a": 1.0}}, "B": [1, 2]}, {}, "'B' must be .* got a list")])
def test_topics_and_runs_that_are_refused(systems, runs, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(runs or systems, STANCE, "nDCG@5", progress=False, **options)


RUN = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "score": [2.0, 1.0, 1.0]})
QRELS = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "label": 1,
                      "iteration": ["PRO", "CON", "PRO"]})
SCORES = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1}}
DOCS = [ScoredDoc(*row) for row in RUN.itertuples(index=False)]
FORMS = [
    (RUN, "run 0"), (SCORES, "run 0"), (DOCS, "run 0"), ([SCORES], "run 0"), ({"x": DOCS}, "x"),
    ("mine", "mine"), (RUN.drop(columns="score").assign(rank=[0, 1, 0])[::-1], "run 0"),
    ([RUN.set_axis(["query_id", "doc_id", "score"], axis=1)], "run 0")]


@pytest.mark.filterwarnings("ignore")
@each("run, name", FORMS)
def test_runs_in_every_form(run, name, folder_of):
    folder_of({"mine": "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 c 1 1 x\n"})
    _, expected = evaluate({name: RUN}, QRELS, ["AWRF@2", "nDCG@2"], progress=False)
    _, found = evaluate(run, QRELS, ["AWRF@2", "nDCG@2"], progress=False)
    pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(explain("AWRF@2", run, QRELS, "1").frame,
                                  explain("AWRF@2", RUN, QRELS, "1").frame)
    with pytest.raises(ValueError, match="single run, got 2: A, B"):
        explain("AWRF@2", {"A": RUN, "B": SCORES}, QRELS, "1")
