"""The re-rankers and their slow versions on random topics."""

from __future__ import annotations

import pytest
from rerank_cases import frame_of, groups_of, random_topics
from slow_versions import rerank as slow

from pt_fairness import rerank

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
    for seed, (target, k) in enumerate(
            [("uniform", None), ("uniform", 3), ("run", None), ("run", 5), (EXPLICIT, None)]):
        topics = random_topics(seed, size, **KINDS[kind])
        source = groups_of(topics)
        source.labels = ["g0", "g1", "g2", "g3", "g9"]
        frame = frame_of(topics).sample(frac=1, random_state=seed)
        found = getattr(rerank, name)(source, target, k, **params)(frame.assign(rank=3))
        for qid, some in topics.items():
            wanted = slow.rerank(some, name, target, k, **params)
            assert found[found["qid"] == qid]["docno"].tolist() == wanted, (seed, qid, some)
