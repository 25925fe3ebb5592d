"""DetGreedy, DetCons, DetRelaxed and DetConstSort beside other implementations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rerank_cases import order, results
from slow_versions import rerank as slow

from pt_fairness import rerank
from pt_fairness.rerank.deterministic import const_sort_order


def random_lists():
    """Yield shares and a target: one group each, and enough documents of each group."""
    random = np.random.default_rng(1)
    for _ in range(40):
        count, k = random.integers(2, 5), random.integers(3, 7)
        # Multiples of 1/16 are exact: FairRankTune rounds down without a tolerance.
        target = (16 * random.dirichlet(np.full(count, 2.0))).round() / 16
        target[-1] = 1 - target[:-1].sum()
        if target.min() <= 0:
            continue
        label = np.repeat(np.arange(count), k + count)
        yield np.eye(count)[random.permutation(label)], target


def topic_of(shares, target, k):
    """Return the same list for the slow version."""
    names = [f"g{i}" for i in range(len(target))]
    documents = [slow.Document(f"d{i:03}", -float(i), {names[row.argmax()]: 1.0})
                 for i, row in enumerate(shares)]
    return slow.Topic(documents, names, dict(zip(names, target.tolist(), strict=True)), k)


def test_const_sort_is_fairranktunes_with_ranks_from_1():
    """FairRankTune 0.0.7 counts ranks from 0, so its documents move past their deadlines."""
    fairranktune = pytest.importorskip("FairRankTune.Rankers.DetConstSort_Geyiketal")
    different = missed = 0
    for shares, target in random_lists():
        n, label = len(shares), shares.argmax(axis=1)  # with fewer ranks, it adds one more step
        frame, _, _ = fairranktune.DETCONSTSORT(
            pd.DataFrame(range(n)), dict(enumerate(label)), pd.DataFrame(-np.arange(float(n))),
            target, n)
        theirs, ours = frame[0].tolist(), const_sort_order(shares, target, n).tolist()
        topic = topic_of(shares, target, n)
        assert theirs == slow.det_const_sort(topic, first_rank=0)
        assert ours == slow.det_const_sort(topic)
        least = np.floor(np.arange(1, n + 1)[:, None] * target + 1e-9)
        least = np.minimum(least, shares.sum(axis=0))
        assert (shares[ours].cumsum(axis=0) >= least).all()
        missed += (shares[theirs].cumsum(axis=0) < least).any()
        different += ours != theirs
    assert different >= missed > 10


def test_all_documents_that_are_due_with_the_last_one_are_placed():
    members = ["BCEF", "CDEF", "ADEF", "B", "ABCDEF"]
    target = {"A": 0.33, "B": 0.07, "C": 0.09, "D": 0.21, "E": 0.2, "F": 0.1}
    documents = [slow.Document(f"d{i}", -float(i), dict.fromkeys(labels, 1 / len(labels)))
                 for i, labels in enumerate(members)]
    shares = np.array([[d.m.get(label, 0.0) for label in target] for d in documents])
    found = const_sort_order(shares, np.array([*target.values()]), 3)
    assert found.tolist() == slow.det_const_sort(slow.Topic(documents, [*target], target, 3))


def test_const_sort_returns_fewer_if_the_groups_of_the_target_run_out():
    shares = np.eye(2)[[0, 0, 1, 1]]
    assert const_sort_order(shares, np.array([0.0, 1.0]), 4).tolist() == [2, 3]
    both = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert const_sort_order(both, np.array([0.0, 1.0]), 2).tolist() == [0]


def test_the_minority_has_the_fewest_documents_and_not_the_smallest_shares():
    """X has two documents; Y has three, which it shares with Z."""
    groups = [["Y", "Z"]] * 3 + ["Z"] * 3 + ["X"] * 2
    frame = results([(docno, -place, group) for place, (docno, group) in enumerate(
        zip("abcdefgh", groups, strict=True))])
    orders = {protected: order(rerank.fa_ir(protected=protected, alpha=0.3)(frame))
              for protected in ("minority", "X", "Y")}
    assert orders["minority"] == orders["X"] != orders["Y"]
