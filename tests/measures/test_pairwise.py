"""ARP against its slow version, worked values and brute force."""

from __future__ import annotations

import itertools

import ir_measures
import pytest
from measure_cases import of_lists

from pt_fairness import ARP

SETTINGS = [{**cutoff, **setting} for cutoff in ({}, {"cutoff": 1}, {"cutoff": 4}, {"cutoff": 500})
            for setting in ({}, {"pairs": "errors"}, {"rel": 2}, {"rel": 0, "pairs": "errors"})]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True, "open", "weights"],
                         ids=["iteration", "frame", "open", "weights"])
@pytest.mark.parametrize("seed", range(4))
def test_against_the_slow_version(make_case, agrees_with_slow, seed, from_frame, several):
    agrees_with_slow(make_case(seed, several=several),
                     [("ARP", setting) for setting in SETTINGS], from_frame)


def test_samples(make_case, agrees_with_slow):
    agrees_with_slow(make_case(3, several=True), [("ARP", one) for one in SETTINGS], samples=3)


def test_of_two_groups_it_is_how_far_pairs_are_from_even(values):
    """All orders of two groups: the difference of the two shares of mixed pairs."""
    orders = list(itertools.permutations("AAABB"))
    found = values([ARP], *of_lists(orders))
    for t, labels in enumerate(orders):
        pairs = [one < other for one, other in itertools.combinations(labels, 2) if one != other]
        expected = abs(2 * sum(pairs) / len(pairs) - 1)
        assert found[ARP, str(t)] == pytest.approx(expected)


def test_errors_count_where_a_less_relevant_document_is_above(values):
    def score(relevances):
        qrels = [ir_measures.Qrel("1", str(i), relevance, label)
                 for i, (relevance, label) in enumerate(zip(relevances, "AABB", strict=True))]
        run = [ir_measures.ScoredDoc("1", row.doc_id, -i) for i, row in enumerate(qrels)]
        measure = ARP(pairs="errors", rel=0)
        return values([measure], qrels, run)[measure, "1"]

    assert score([2, 2, 1, 1]) == 0.0
    assert score([1, 1, 2, 2]) == 1.0
    assert score([0, 2, 1, 2]) == 0.5  # two of four pairs


def test_groups_that_are_alone_or_absent(values):
    qrels = [ir_measures.Qrel("1", f"{label}{i}", 1, label) for label in "AB" for i in range(2)]
    run = [ir_measures.ScoredDoc("1", f"A{i}", 1.0) for i in range(2)]
    errors = ARP(pairs="errors")
    found = values([ARP, errors], qrels, run)
    assert found[ARP, "1"] == 1.0 and found[errors, "1"] == 0.0
    found = values([ARP, errors], qrels, run[:0])
    assert found[ARP, "1"] == found[errors, "1"] == 1.0
