"""EEL, EED, EER and IAA, and measures that compare documents or groups."""

from __future__ import annotations

import itertools
import random
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
import slow_versions
from hypothesis import given
from hypothesis import strategies as st
from slow_versions.common import topic_of

from pt_fairness import EED, EEL, EER, FairnessWarning, groups

NAMES = ["EEL", "EED", "EER"]
KINDS = dict(zip(NAMES, (EEL, EED, EER), strict=True))
@pytest.mark.parametrize("norm", ["none", "bound"])
@pytest.mark.parametrize("params", [{}, {"model": "rbp", "p": 0.8}, {"model": "log2"}], ids=str)
def test_the_exact_bounds_are_reached(values, params, norm):
    """No ranking of four documents has more than the best; an ideal policy has an EEL of 0."""
    judged = {"a": 2, "b": 1, "c": 1, "d": 0}
    orders = list(itertools.permutations(judged))
    qrels = [ir_measures.Qrel(str(t), docno, relevance, "0") for t in range(len(orders))
             for docno, relevance in judged.items()]
    run = [ir_measures.ScoredDoc(str(t), docno, -i) for t, order in enumerate(orders)
           for i, docno in enumerate(order)]
    measures = [KINDS[name](norm=norm, **params) @ 3 for name in NAMES]
    found = values(measures, qrels, run)
    by_order = {m.NAME: np.array([found[m, str(t)] for t in range(len(orders))]) for m in measures}
    ideal = [t for t, order in enumerate(orders) if order[0] == "a" and order[3] == "d"]
    assert by_order["EER"].argmax() in ideal
    if norm == "bound":
        assert by_order["EER"].max() == pytest.approx(1, abs=1e-12)
        if params.get("model"):  # B is that of a list in which relevance lowers no exposure
            assert by_order["EED"] == pytest.approx(1, abs=1e-12)
    policy = pd.DataFrame([("0", docno, -i, t) for t in ideal for i, docno in enumerate(orders[t])],
                          columns=["query_id", "doc_id", "score", "iteration"])
    perfect = values(measures, [row for row in qrels if row.query_id == "0"], policy)
    assert perfect[measures[0], "0"] == pytest.approx(0, abs=1e-15)
    assert 0 < perfect[measures[1], "0"] < by_order["EED"].max()


def test_the_largest_relevance_of_reranked_documents(make_case, agrees):
    agrees(make_case(0), [("EER", {"complete": True, "norm": "bound", **cutoff})
                          for cutoff in ({}, {"cutoff": 3})])


@given(st.integers(0, 10_000))
def test_eel_is_the_sum_of_its_parts(make_case, values, sampled, seed):
    case, pick = make_case(seed), random.Random(seed)
    models: list[dict[str, Any]] = [{}, {"u": 1.0, "p": 0.3}, {"model": "rbp"}, {"model": "log2"},
                                    {"model": "trec"}, {"model": "none", "cutoff": 4}]
    params = {"by": pick.choice(["document", "group"]), "binary": pick.random() < 0.5,
              "complete": pick.random() < 0.5, "rel": pick.choice([0, 1, 2]), **pick.choice(models)}
    run = sampled(case, 3, seed)
    kinds = [KINDS[name](**params) for name in NAMES]
    found = values(kinds, case.qrels_frame, run)
    # Where nothing was returned, EEL is EED and Σ ε*².
    nothing = pd.DataFrame([("unknown", "d1", 1.0)], columns=["query_id", "doc_id", "score"])
    of_nothing = values(kinds, case.qrels_frame, nothing)
    for qid in "12345":
        loss, disparity, relevance = (found[kind, qid] for kind in kinds)
        squares = of_nothing[kinds[0], qid] - of_nothing[kinds[1], qid]
        assert loss - disparity + 2 * relevance == pytest.approx(squares, abs=1e-9)
        assert relevance ** 2 <= disparity * squares + 1e-12


def test_topics_with_nothing_to_compare_with_or_nothing_returned(values):
    qrels = pd.DataFrame([("1", "a", 0, "A"), ("2", "b", 1, "A"), ("2", "c", 1, "-"),
                          ("3", "d", 1, "-"), ("3", "e", 0, "B")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([("1", "a", 1.0), ("3", "x", 1.0)], columns=["query_id", "doc_id", "score"])
    says = r"EEL on 1 of 3 topics .*EEL\(by='group'\) on 2 of 3 topics"
    with pytest.warns(FairnessWarning, match=says):
        ir_measures.calc_aggregate([EEL, EEL(by="group")], qrels, run)
    # Two equals share 1 and ¼ with the model gerr; B = 4/3, by group 4.
    squares, by_group = 2 * (5 / 8) ** 2, (5 / 8) ** 2
    expected = {
        EEL: (0, 4 / 3 + squares, 2),
        EED: (0, 4 / 3, 1),
        EER: (0, 0, 0),
        EEL(by="group"): (0, 4 + by_group, 0),
        EED(by="group"): (0, 4, 0),
        EEL(norm="bound"): (0, 1, 2 / (4 / 3 + 1)),
        EED(norm="bound"): (0, 1, 3 / 4),
        EER(norm="bound"): (0, 0, 0),
        EED(model="log2"): (0, 1, 1),
        EED(model="trec") @ 2: (0, 2, 1),
        # A topic without a relevant document is defined for another target of all documents.
        EEL(by="group", complete=True, target={"A": 1.0, "B": 0.0}) @ 1: (0, 2, 1),
    }
    found = values(expected, qrels, run)
    for measure, by_topic in expected.items():
        assert [found[measure, qid] for qid in "123"] == pytest.approx(by_topic), measure


def test_without_groups(values, worked_exposure):
    """By document, no groups are needed, and no source is asked for any."""
    qrels, run = worked_exposure()
    plain = values([EEL, EER @ 3], qrels, run)
    assert values([EEL, EER @ 3], qrels.assign(iteration="0"), run) == plain
    assert values([EEL, EER @ 3], qrels.drop(columns="iteration"), run) == plain
    named = EEL(groups=groups.from_mapping({}), target={"Z": 1.0})
    assert values([named], qrels, run)[named, "1"] == plain[EEL, "1"]


#: Two samples, and whether the generator reads three of their documents.
READ = [("a", "b", "c"), ("b", "d", "a")]
GRADES = {"a": 1, "d": 1, "b": 0, "c": 0, "f": 0}


@pytest.mark.parametrize("params, expected", [
    ({}, (1.5, 2.5, 1.5)),
    ({"norm": "bound"}, (0.3, 0.833333, 0.75)),
    ({"norm": "bound", "complete": True}, (0.156250, 0.833333, 0.857143))])
def test_worked_values_of_a_reader_of_all_documents(values, params, expected):
    qrels = [ir_measures.Qrel("1", docno, grade, "0") for docno, grade in GRADES.items()]
    run = pd.DataFrame([("1", docno, -i, sample) for sample, ranking in enumerate(READ)
                        for i, docno in enumerate(ranking)],
                       columns=["query_id", "doc_id", "score", "iteration"])
    measures = [KINDS[name](model="none", **params) @ 3 for name in NAMES]
    found = values(measures, qrels, run)
    topic = topic_of(GRADES, READ, {})
    for name, measure, value in zip(NAMES, measures, expected, strict=True):
        assert found[measure, "1"] == pytest.approx(value, abs=5e-7)
        slow = slow_versions.value(name, topic, model="none", cutoff=3, **params)
        assert slow == pytest.approx(value, abs=5e-7)
