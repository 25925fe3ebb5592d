"""FA*IR's order against placing documents one by one, and the protected groups that it takes."""

from __future__ import annotations

import numpy as np
import pytest
from rerank_cases import WORKED, order, results

from pt_fairness import rerank
from pt_fairness.measures.statistical_tests import m_table
from pt_fairness.rerank.deterministic import fa_ir_order


def one_by_one(protected: list[bool], table: list[int]) -> list[int]:
    """At each rank, the best document that keeps the minimum."""
    left, found = list(range(len(protected))), []
    for minimum in table:
        placed = sum(protected[i] for i in found)
        waiting = [i for i in left if protected[i]]
        best = waiting[0] if placed < minimum and waiting else left[0]
        left.remove(best)
        found.append(best)
    return found


@pytest.mark.parametrize("p", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(20))
def test_the_order_is_that_of_placing_one_by_one(seed, p):
    rng = np.random.default_rng(seed)
    protected = rng.random(25) < rng.choice([0.2, 0.5])
    protected[:2] = [True, False]
    table = m_table(int(rng.integers(1, 26)), p, 0.3)
    assert fa_ir_order(protected, table).tolist() == one_by_one(protected.tolist(), table.tolist())


def test_a_protected_group_by_name_and_by_size():
    """C has three documents, P has four."""
    found = {protected: order(rerank.fa_ir(protected=protected, alpha=0.3)(results(WORKED)))
             for protected in ("minority", "majority", "C", "P")}
    assert found["minority"] == found["C"] != found["P"] == found["majority"]


def test_one_side_alone_keeps_its_order():
    rows = [row for row in WORKED if row[2] in ("P", "")]
    assert order(rerank.fa_ir(protected="P", alpha=0.3)(results(rows))) == " ".join(
        docno for docno, _, _ in rows)
