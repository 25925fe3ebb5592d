"""The re-rankers and their slow versions: the worked examples, and random topics."""

import pytest
import rerank_cases as cases
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
    assert cases.order(getattr(rerank, name)(**params)(cases.results(cases.WORKED))) == wanted
    assert " ".join(slow.rerank(documents(cases.WORKED), name, **params)) == wanted


@pytest.mark.parametrize("name, wanted", THREE)
def test_a_document_of_two_groups(name, wanted):
    method = getattr(rerank, name)(target=cases.THREE_TARGETS)
    assert cases.order(method(cases.results(cases.THREE_GROUPS))) == wanted
    assert " ".join(slow.rerank(documents(cases.THREE_GROUPS), name, cases.THREE_TARGETS)) == wanted


METHODS = [
    ("fa_ir", {}), ("fa_ir", {"alpha": 0.3, "protected": "majority"}),
    ("fa_ir", {"alpha": 0.4, "adjust": False, "protected": "g1,g2"}),
    ("det_greedy", {}), ("det_cons", {}), ("det_relaxed", {}), ("det_const_sort", {}),
    ("xquad", {}), ("xquad", {"lam": 0.0}), ("xquad", {"lam": 0.9, "normalise": "none"}),
    ("xquad", {"lam": 0.7, "normalise": "sum"}), ("pm2", {}),
    ("pm2", {"lam": 0.8, "normalise": "none"}), ("pm2", {"lam": 0.3, "normalise": "sum"}),
    ("pm2", {"lam": 1.0})]
#: g3 has no share, and no document has g9.
EXPLICIT = {"g0": 0.5, "g1": 0.29, "g2": 0.11, "g9": 0.1}
KINDS = {"one group": {}, "several groups": {"several": True},
         "weights": {"several": True, "soft": True}, "no ties": {"ties": False}}


@pytest.mark.parametrize("size", [8, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name, params", METHODS)
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_equal_orders(name, params, kind, size):
    below = 0.4 * (params.get("normalise") == "sum")
    for seed, (target, k) in enumerate(
            [("uniform", None), ("uniform", 3), ("run", None), ("run", 5), (EXPLICIT, None)]):
        topics = cases.random_topics(seed, size, below=below, **KINDS[kind])
        source = cases.groups_of(topics)
        source.labels = ["g0", "g1", "g2", "g3", "g9"]
        frame = cases.frame_of(topics).sample(frac=1, random_state=seed)
        found = getattr(rerank, name)(source, target, k, **params)(frame.assign(rank=3))
        for qid, some in topics.items():
            wanted = slow.rerank(some, name, target, k, **params)
            assert found[found["qid"] == qid]["docno"].tolist() == wanted, (seed, qid, some)
