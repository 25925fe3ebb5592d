"""Amortised inequity of attention, compared with its slow version."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from ir_measures import calc_aggregate, nDCG
from slow_versions.merit import amortised_inequity as slow_version
from slow_versions.reading import read_topics

from pt_fairness import IAA, groups
from pt_fairness.analysis import amortised_inequity

SETTINGS = [
    {"by": by, **cutoff, **others} for by, cutoff, others in itertools.product(
        ["document", "group"], [{}, {"cutoff": 3}],
        [{}, {"rel": 2, "gains": "binary", "discount": "trec"},
         {"gains": "exp", "discount": "geometric", "p": 0.6}])]
QRELS = pd.DataFrame({"qid": ["1", "1", "2", "2"], "docno": ["a", "b"] * 2, "label": 1})


def inequity(run, qrels, measure):
    (row,) = amortised_inequity({"A": run}, qrels, measure).itertuples()
    return row.inequity


@pytest.mark.parametrize(("samples", "source"), [(1, "iteration"), (3, "frame")])
def test_slow_version(make_case, samples, source):
    for seed in range(2):
        case = make_case(seed, several=True)
        pick = np.random.default_rng(seed)
        run = pd.concat([
            case.run_frame.assign(score=pick.random(len(case.run)), iteration=sample)
            for sample in range(samples)]).sample(frac=0.8, random_state=seed)
        lookup, options, labels = None, {}, ()
        if source == "frame":
            options = {"groups": groups.from_frame(case.groups_frame)}
            lookup, labels = lambda q, d, of=case.groups: of.get((q, d)), case.labels
        rows = list(run.itertuples(index=False, name=None))
        topics = list(read_topics(case.qrels, rows, lookup, labels).values())
        for setting in SETTINGS:
            found = inequity(run, case.qrels_frame, IAA(**setting, **options))
            expected = slow_version(topics, **setting)
            assert found == pytest.approx(np.nan if expected is None else expected, nan_ok=True)


def test_one_topic_is_iaa():
    qrels = QRELS.iloc[:2]
    run = qrels.assign(score=[2, 1])
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    value = calc_aggregate([IAA], qrels.rename(columns=names), run.rename(columns=names))[IAA]
    assert inequity(run, qrels, "IAA") == pytest.approx(value)


def test_attention_alternates():
    runs = {"same": QRELS.assign(score=[2, 1, 2, 1]), "other": QRELS.assign(score=[2, 1, 1, 2])}
    found = amortised_inequity(runs, QRELS, ["IAA", IAA @ 1])
    assert found[["name", "measure", "n"]].values.tolist() == [
        ["same", "IAA", 2], ["same", "IAA@1", 2], ["other", "IAA", 2], ["other", "IAA@1", 2]]
    log2 = 1 / np.log2(3)
    assert found["inequity"].tolist() == pytest.approx([1 / (1 + log2) - 0.5, 0.5, 0, 0])


def test_topic_without_results_or_merit():
    one = QRELS.iloc[:2].assign(score=[2, 1])
    # Topic 1: a has 1, b nothing; topic 2: no attention. The merit is a half for each.
    assert inequity(one, QRELS, "IAA@1") == pytest.approx((0 + 1) / 4)
    assert inequity(one, QRELS.assign(label=[1, 1, 0, 0]), "IAA@1") == pytest.approx(0.5)
    found = amortised_inequity({"A": one}, QRELS.assign(label=0))
    assert found["inequity"].isna().all() and found["n"].tolist() == [0]


def test_topics_that_groups_drop():
    stances = groups.from_mapping({"a": "PRO", "b": "CON"})
    leanings = stances.relabel({"1": "liberal", "2": "both or neither"})
    more = pd.DataFrame({"qid": ["2"], "docno": ["b"], "group": ["liberal"]})
    measure = IAA(by="group", groups=leanings.override(more)) @ 1
    found = amortised_inequity({"A": QRELS.assign(score=[2, 1, 2, 1])}, QRELS, measure)
    assert found["n"].tolist() == [1] and found["inequity"].tolist() == [0.5]


@pytest.mark.parametrize("measure", [nDCG @ 5, "IAA(norm='none')", "nDJS"])
def test_wrong_measure(measure):
    with pytest.raises(ValueError, match="takes IAA with norm='max'"):
        amortised_inequity({}, QRELS, measure)
