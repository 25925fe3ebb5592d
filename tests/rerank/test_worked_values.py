"""The worked examples, by the transformers and by the slow versions."""

from __future__ import annotations

import numpy as np
import pytest
from rerank_cases import THREE_GROUPS, THREE_TARGETS, WORKED, order, results
from slow_versions import rerank as slow

from pt_fairness import rerank
from pt_fairness.measures import statistical_tests

DETERMINISTIC = ["det_greedy", "det_cons", "det_relaxed", "det_const_sort"]
CASES = [
    ("fa_ir", {}, "a b u c e d f g"), ("fa_ir", {"alpha": 0.3}, "a b u e c f d g"),
    ("fa_ir", {"alpha": 0.3, "adjust": False}, "a e u b c f d g"),
    *((name, {}, "a e u b f c g d") for name in DETERMINISTIC),
    *((name, {"k": 2}, "a e u b c d f g") for name in DETERMINISTIC),
    ("xquad", {}, "a b u c d e f g"), ("xquad", {"lam": 0.8}, "a e u b c d f g"),
    ("pm2", {}, "a e u b c d f g"), ("pm2", {"lam": 0.8}, "a e u b f c d g")]
THREE = [("det_greedy", "a d b e f c g"), ("det_relaxed", "a d b e f c g"),
         ("det_cons", "a d e b f c g"), ("det_const_sort", "a b d e f c g")]


def documents(rows):
    return [slow.Document(docno, score, dict.fromkeys([*group], 1.0) if group else {})
            for docno, score, group in rows]


@pytest.mark.parametrize("name, params, wanted", CASES)
def test_orders(name, params, wanted):
    assert order(getattr(rerank, name)(**params)(results(WORKED))) == wanted
    assert " ".join(slow.rerank(documents(WORKED), name, **params)) == wanted


@pytest.mark.parametrize("name, wanted", THREE)
def test_a_document_of_two_groups(name, wanted):
    method = getattr(rerank, name)(target=THREE_TARGETS)
    assert order(method(results(THREE_GROUPS))) == wanted
    assert " ".join(slow.rerank(documents(THREE_GROUPS), name, THREE_TARGETS)) == wanted


@pytest.mark.parametrize("alpha, level, failure, table", [
    (0.1, 0.0625, 0.09375, [0, 0, 0, 1, 1, 1, 2]),
    (0.3, 0.226562, 0.289062, [0, 0, 1, 1, 2, 2, 3])])
def test_tables(alpha, level, failure, table):
    found = statistical_tests.m_table(7, 0.5, alpha)
    assert found.tolist() == table
    assert statistical_tests.levels(np.array([7]), np.array([0.5]), alpha)[0] == pytest.approx(
        level, abs=1e-6)
    assert statistical_tests.failure_probability(found[None], np.array([0.5]))[0] == pytest.approx(
        failure, abs=1e-6)
    assert statistical_tests.m_table(7, 0.5, 0.3, adjust=False).tolist() == [0, 1, 1, 1, 2, 2, 3]


def test_values_of_xquad():
    """The value of each document when it is placed."""
    topic = slow.Topic(documents([row for row in WORKED if row[2]]), ["C", "P"],
                       {"C": 0.5, "P": 0.5}, 7)
    p, of = slow.probabilities(topic, "minmax")
    novel, values = dict.fromkeys("CP", 1.0), []
    for i in slow.xquad(topic):
        values.append(0.5 * p[i] + 0.5 * sum(0.5 * of[g][i] * novel[g] for g in "CP"))
        novel = {g: novel[g] * (1 - of[g][i]) for g in "CP"}
    assert values == pytest.approx([0.75, 0.4375, 0.375, 0.3125, 0.28125, 0.0820, 0], abs=1e-4)
