"""The worked examples, by the transformers and by the slow versions."""

from __future__ import annotations

import pytest
from rerank_cases import THREE_GROUPS, THREE_TARGETS, WORKED, order, results
from slow_versions import rerank as slow

from pt_fairness import rerank

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
