"""DetGreedy, DetCons, DetRelaxed and DetConstSort beside other implementations."""

import numpy as np
from rerank_cases import order, results
from slow_versions import rerank as slow

from pt_fairness import rerank
from pt_fairness.rerank.deterministic import const_sort_order


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
