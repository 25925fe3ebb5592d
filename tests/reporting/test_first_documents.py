"""The first documents of all systems, compared with ranked_groups row by row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_fairness import analysis, evaluate, groups
from pt_fairness.evaluation.plan import make_plan
from pt_fairness.evaluation.workers import Scorer
from pt_fairness.provider.measure_lists import parsed
from pt_fairness.reporting.evaluated_runs import Experiment, as_data
from pt_fairness.reporting.steps import Strip


def experiment_of(runs, qrels, measures, depth, source=None):
    averages, perquery = evaluate(runs, qrels, measures, groups=source, progress=False)
    scorer = Scorer(make_plan(qrels, parsed(measures), 1, source))
    return Experiment(runs, scorer, averages, perquery, depth)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 12))
def test_rankings_and_groups_are_those_of_ranked_groups(make_case, seed, depth):
    cases = [make_case(seed + i, topics=4, labels=3, several=bool(seed % 2)) for i in range(2)]
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    qrels = cases[0].qrels_frame.rename(columns=names)
    runs = {str(i): case.run_frame.rename(columns=names) for i, case in enumerate(cases)}
    experiment = experiment_of(runs, qrels, ["AWRF@5"], depth)
    wanted = analysis.ranked_groups(runs, qrels, None, depth)
    found = as_data(experiment.strips, len(experiment.topics))
    assert all(len({*topic["docs"]}) == len(topic["docs"]) for topic in found)
    (source,) = experiment.sources
    sets = [[source.labels[label] for label, _ in one] for one in source.sets]
    rows = [(experiment.systems[r], qid, rank + 1, topic["docs"][doc], topic["labels"][doc] or 0,
             sets[topic["sets"][0][doc]] if topic["sets"][0][doc] >= 0 else [])
            for qid, topic in zip(experiment.topics, found, strict=True)
            for r, docs in enumerate(topic["runs"]) for rank, doc in enumerate(docs)]
    key = ["name", "qid", "rank"]
    several = wanted.groupby([*key, "docno", "label"])["group"].apply(lambda g: list(g.dropna()))
    expected = [(*index, some) for index, some in several.items()]
    assert sorted(rows) == sorted(expected)


def test_shares_of_weighted_groups():
    frame = pd.DataFrame(
        {"docno": ["a", "a", "b"], "group": ["x", "y", "y"], "weight": [1.0, 3.0, 1.0]})
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "label": 1})
    run = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
    experiment = experiment_of({"one": run}, qrels, ["AWRF@3"], 5, groups.from_frame(frame))
    (source,), (strip,) = experiment.sources, experiment.strips
    assert list(source.sets) == [((1, 1.0),), ((0, 0.25), (1, 0.75))]
    assert strip.sets[0].tolist() == [1, 0, -1]
    assert strip.annotated(0) == pytest.approx(2 / 3)


def test_no_documents():
    empty = np.zeros(0, int)
    found = as_data([Strip(empty, np.zeros(0, object), np.zeros(0), [empty], empty)], 2)
    assert found == [{"docs": [], "labels": [], "sets": [[]], "runs": [[]]}] * 2
