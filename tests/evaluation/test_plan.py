"""A plan holds what names and settings mean in the process that made it."""

import math
import pickle

import pandas as pd
import pytest
from evaluation.common import assert_same, evaluate_quietly, several
from ir_measures import alpha_nDCG

from pt_fairness import Annotated, Skew, groups, provider, targets
from pt_fairness.evaluation.plan import make_plan
from pt_fairness.evaluation.workers import Scorer


def test_a_plan_means_what_it_meant_where_it_was_made(registered):
    """In a worker where the names mean something else, those of this package included."""
    qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["FT911-1", "LA010189-1"], "label": 1})
    run = qrels.assign(score=[2.0, 1.0])
    measures = [Annotated(groups="trec-newswire"), Annotated(groups="by-letter"),
                Skew(group="3", groups="by-letter", target="uneven")]
    groups.register("by-letter", groups.from_mapping({"FT911-1": "3"}))
    theirs = pickle.dumps(make_plan(qrels, measures, workers=2))
    for name in ("trec-newswire", "by-letter"):
        groups.register(name, groups.from_mapping({"other": "3"}))
    targets.register("uneven", pd.DataFrame({"qid": ["1"], "group": ["4"], "share": [1.0]}))
    ours = pickle.dumps(make_plan(qrels, measures, workers=2))
    results = [Scorer(pickle.loads(plan)).result((0, run)) for plan in (theirs, ours, theirs)]
    all_of_75_percent = [1.0, 0.5, pytest.approx(math.log(1 / 0.75))]
    assert [scores.values.to_numpy().tolist() for _, scores in results] == [
        [all_of_75_percent], [[0.0, 0.0, 0.0]], [all_of_75_percent]]


@several
def test_workers_follow_the_environment_variable(make_case, monkeypatch):
    case = make_case(7, topics=12, labels=3)
    qrels, run = case.qrels_frame.fillna("-"), case.run_frame.assign(score=1.0)
    values = {}
    for setting in ("", "ndeval", ""):
        monkeypatch.setenv(provider.ALPHA_VARIABLE, setting)
        serial = evaluate_quietly([run, run], qrels, [alpha_nDCG @ 5])
        assert_same(evaluate_quietly([run, run], qrels, [alpha_nDCG @ 5], n_jobs=2), serial)
        values[setting] = serial[0]["alpha_nDCG@5"][0]
    assert values[""] != values["ndeval"]
