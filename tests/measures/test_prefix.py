"""The normalisers of rND, rKL and rRD against every sequence and every permutation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import of_lists

from pt_fairness import groups, rKL, rND, rRD
from pt_fairness.measures.parity import rkl, rnd, rrd
from pt_fairness.measures.prefix import largest_term, sum_of_largest_terms, weights


@pytest.mark.parametrize("measure", [rND, rKL, rRD], ids=str)
@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("population", ["AB", "ABB", "AAAB", "A", "B"])
def test_the_most_unfair_sequence_has_exactly_one(values, measure, step, population):
    """Every sequence of two groups is a topic's ranking: the largest unnormalised value has to be
    the normaliser.
    """
    for n in (1, 2, 5, 7):
        sequences = list(itertools.product("AB", repeat=n))
        documents = {f"{label}{i}": label for label in "AB" for i in range(10)}
        qrels = [Qrel(str(t), f"{label}{9 - i}", 1) for t in range(len(sequences))
                 for i, label in enumerate(population)]
        run = [
            ScoredDoc(str(t), f"{label}{i}", -i)
            for t, labels in enumerate(sequences)
            for i, label in enumerate(labels)
        ]
        source = groups.from_mapping(documents)
        normalised, plain = (
            measure(protected="A", step=step, groups=source, norm=norm) @ n
            for norm in ("max", "none")
        )
        found = values([normalised, plain], qrels, run)
        largest = max(value for (m, _), value in found.items() if m == plain)
        for t in range(len(sequences)):
            expected = found[plain, str(t)] / largest if largest else 0.0
            assert found[normalised, str(t)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "measure",
    [
        rND(target="run", protected="A"),
        rKL(target="run", protected="A"),
        rRD(target="run", protected="A"),
        rKL(target="run", protected="all"),
    ],
    ids=str,
)
@pytest.mark.parametrize("documents", ["AB", "AABB", "AAABC", "AABBCD"])
@pytest.mark.parametrize("cutoff", [1, 3, None])
def test_the_most_unfair_permutation_of_the_run_has_exactly_one(values, measure, documents, cutoff):
    orders = list(itertools.permutations(documents))
    if cutoff is not None:
        measure = measure @ cutoff
    found = values([measure, measure(norm="none")], *of_lists(orders))
    largest = max(value for (m, _), value in found.items() if m != measure)
    for t in range(len(orders)):
        expected = found[measure(norm="none"), str(t)] / largest if largest else 0.0
        assert found[measure, str(t)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("step", [1, 2, 5])
@pytest.mark.parametrize("several", [False, True])
def test_rkl_over_all_groups_of_a_run_is_at_most_one(values, step, several):
    """Whatever other topics there are; the maximum is exact for steps of 1 and one group each."""
    documents = [["A"], ["B"], ["B"], ["A", "C"] if several else ["C"], ["C"]]
    qrels = [Qrel("1", f"d{i}", 1, group) for i, groups in enumerate(documents) for group in groups]
    others = [Qrel("2", f"x{i}", 1, f"G{i}") for i in range(30)]
    runs = [[ScoredDoc("1", f"d{i}", -place) for place, i in enumerate(order)]
            for order in itertools.permutations(range(len(documents)))]
    measure = rKL(protected="all", target="run", step=step) @ 4
    for more, seen in (([], []), (others, [ScoredDoc("2", other.doc_id, 1.0) for other in others])):
        found = [values([measure], [*qrels, *more], [*run, *seen])[measure, "1"] for run in runs]
        assert 0 < max(found) <= 1.0
        if step == 1 and not several:
            assert max(found) == pytest.approx(1.0)


def test_many_documents_of_many_groups_have_values_in_range(values):
    labels = [f"g{i % 7}" if i % 9 else f"g{i % 5}" for i in range(200)]
    for several in (False, True):
        qrels = [Qrel("1", f"d{i:03}", 1, label) for i, label in enumerate(labels)]
        qrels += [Qrel("1", f"d{i:03}", 1, "g9") for i in range(0, 200, 10)] if several else []
        for order in (range(200), sorted(range(200), key=lambda i: labels[i])):
            run = [ScoredDoc("1", f"d{i:03}", -place) for place, i in enumerate(order)]
            measures = [rKL(protected="all", target="run", step=step) for step in (1, 7)]
            assert all(0 < value <= 1 for value in values(measures, qrels, run).values())


@pytest.mark.parametrize("term", [rnd, rkl, rrd])
def test_the_largest_term_is_that_of_the_worst_count(term):
    for total in range(1, 9):
        for plus in range(total + 1):
            S, N = np.clip(plus, 0.001, total - 0.001), float(total)
            for i in range(1, 12):
                every = term(np.arange(i + 1.0), float(i), S, N).max()
                assert largest_term(term, float(i), S, N) == pytest.approx(every, abs=1e-15)


@pytest.mark.parametrize("step", [1, 7, 10**23])
@pytest.mark.parametrize("term", [rnd, rkl, rrd])
def test_the_largest_sum_over_many_ranks(term, step):
    S, N = np.array([0.1, 1.0, 3.0, 2500.0]), np.array([1.0, 3.0, 4.0, 2501.0])
    w = weights(np.array([30_000]), 30_000, step)
    i = np.arange(1.0, 30_001)[:, None]
    counts = np.stack([np.zeros_like(i), i - 1, i])
    expected = (term(counts, i, S, N).max(axis=0) * w.T).sum(axis=0)
    assert sum_of_largest_terms(term, S, N, w) == pytest.approx(expected, rel=1e-12)
