"""ARP and PEER."""

from __future__ import annotations

import itertools
import random

import ir_measures
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from measure_cases import of_lists

from pt_fairness import ARP, PEER, FairnessWarning, groups


def test_of_two_groups_it_is_how_far_pairs_are_from_even(values):
    """All orders of two groups: the difference of the two shares of mixed pairs."""
    orders = list(itertools.permutations("AAABB"))
    found = values([ARP], *of_lists(orders))
    for t, labels in enumerate(orders):
        pairs = [one < other for one, other in itertools.combinations(labels, 2) if one != other]
        expected = abs(2 * sum(pairs) / len(pairs) - 1)
        assert found[ARP, str(t)] == pytest.approx(expected)


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


@pytest.mark.parametrize("languages", [2, 3, 5])
def test_against_scipy(values, languages):
    """Where all ranks hold relevant documents, it is the Kruskal–Wallis test."""
    pick = random.Random(languages)
    lists = [[pick.choice("abcde"[:languages]) for _ in range(pick.randint(8, 30))]
             for _ in range(20)]
    # Documents after the cutoff share the mean of their ranks, as in the test.
    measures = {cut: PEER @ cut for cut in (1000, 6)}
    found = values(measures.values(), *of_lists(lists))
    for (cut, measure), (t, own) in itertools.product(measures.items(), enumerate(lists)):
        ranks = [min(i, cut) for i in range(len(own))]
        samples = [[rank for rank, label in zip(ranks, own, strict=True) if label == one]
                   for one in sorted({*own})]
        assert found[measure, str(t)] == pytest.approx(scipy.stats.kruskal(*samples).pvalue)


def of_letters(text: str) -> tuple[list[ir_measures.Qrel], list[ir_measures.ScoredDoc]]:
    """A document for each letter: its language; upper case is relevant, ``-`` has no language."""
    qrels = [ir_measures.Qrel("1", str(i), int(letter.isupper()), letter.lower())
             for i, letter in enumerate(text)]
    return qrels, [ir_measures.ScoredDoc("1", row.doc_id, -i) for i, row in enumerate(qrels)]


def one(measure, values, qrels, run):
    return values([measure], qrels, run)[measure, "1"]


def test_edge_cases(values):
    qrels, run = of_letters("aB-A")
    assert one(PEER @ 1, values, qrels, run) == 1.0  # nothing relevant retrieved
    assert one(PEER, values, qrels, run[2:3]) == 0.0  # nothing annotated retrieved
    assert one(PEER(rel=2), values, *of_letters("AaB")) == 0.0  # nothing relevant
    assert one(PEER, values, *of_letters("AAAb")) == 1.0  # relevant documents of one language
    assert one(PEER, values, qrels, []) == 0.0
    # Equal ranks: the retrieved document of two languages is the only one.
    both = [ir_measures.Qrel("1", "d", 1, label) for label in "ab"]
    assert one(PEER, values, both, [ir_measures.ScoredDoc("1", "d", 1.0)]) == 1.0
    with pytest.warns(FairnessWarning, match="PEER on 1 of 1 topics"):
        assert ir_measures.calc_aggregate([PEER], *of_letters("ab"))[PEER] == 0.0
