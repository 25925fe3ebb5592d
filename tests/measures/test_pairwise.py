"""ARP against its slow version, worked values and brute force."""

from __future__ import annotations

import cProfile
import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
from measure_cases import of_lists

from pt_fairness import ARP, groups

SETTINGS = [{**cutoff, **setting} for cutoff in ({}, {"cutoff": 1}, {"cutoff": 4}, {"cutoff": 500})
            for setting in ({}, {"pairs": "errors"}, {"rel": 2}, {"rel": 0, "pairs": "errors"})]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True, "open", "weights"],
                         ids=["iteration", "frame", "open", "weights"])
@pytest.mark.parametrize("seed", range(4))
def test_against_the_slow_version(make_case, agrees, seed, from_frame, several):
    agrees(make_case(seed, several=several),
                     [("ARP", setting) for setting in SETTINGS], from_frame)


def test_samples(make_case, agrees):
    agrees(make_case(3, several=True), [("ARP", one) for one in SETTINGS], samples=3)


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


def graded(relevance, labels):
    """Qrels and a run of the documents in their order, and their groups."""
    docnos = [f"d{i}" for i in range(len(relevance))]
    qrels = pd.DataFrame({"query_id": "1", "doc_id": docnos, "relevance": relevance})
    run = pd.DataFrame({"query_id": "1", "doc_id": docnos,
                        "score": -np.arange(len(docnos), dtype=float)})
    return qrels, run, groups.from_mapping(dict(zip(docnos, labels, strict=True)))


@pytest.mark.parametrize("grades", [1, 2, 4, 5, 60])
def test_errors_of_relevance_that_is_no_whole_number(values, grades):
    random = np.random.default_rng(grades)
    relevance = random.integers(0, grades, 60) / grades + 0.125
    labels = [list(random.permutation(["A", "B", "C"])[:random.integers(1, 4)]) for _ in range(60)]
    qrels, run, source = graded(relevance, labels)
    found = {}
    for group in "ABC":
        won = mixed = 0.0
        for i, j in itertools.combinations(range(60), 2):
            one, other = ((group in labels[d]) / len(labels[d]) for d in (i, j))
            won += one * (1 - other) * (relevance[i] < relevance[j])
            mixed += one * (1 - other) + other * (1 - one)
        found[group] = won / mixed
    measure = ARP(pairs="errors", rel=0, groups=source)
    expected = max(found.values()) - min(found.values())
    assert values([measure], qrels, run)[measure, "1"] == pytest.approx(expected, abs=1e-12)


def test_errors_of_many_grades(values):
    """The steps grow with the logarithm of the number of grades."""
    random = np.random.default_rng(0)
    qrels, run, source = graded(random.random(3_000) + 1, random.choice(["A", "B"], 3_000))
    measure = ARP(pairs="errors", groups=source)
    values([measure], qrels[:2], run[:2])
    profile = cProfile.Profile()
    assert 0 < profile.runcall(values, [measure], qrels, run)[measure, "1"] < 0.1
    assert sum(one.callcount for one in profile.getstats()
               if "cumsum" in str(one.code)) < 100
