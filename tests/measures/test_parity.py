"""rND, rKL, rRD, nDD, nDR, nDKL and nDJS, and the discounted sums over prefixes."""

from __future__ import annotations

import itertools

import ir_measures
import numpy as np
import pytest
from case_marks import slow_cases
from hypothesis import given
from hypothesis import strategies as st
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import of_lists

from pt_fairness import NDKL, groups, nDD, nDJS, nDKL, nDR, rKL, rND, rRD
from pt_fairness.measures.parity import discounts, rkl, rnd, rrd, sum_of_largest_terms


def test_documents_of_the_same_groups_have_no_order(values):
    qrels = [Qrel("1", f"d{i}", 1, label) for i in range(14) for label in "ABCDE"]
    run = [ScoredDoc("1", f"d{i}", -i) for i in range(14)]
    measures = [rKL(protected="all", target="run", step=step, norm=norm)
                for step in (1, 14) for norm in ("max", "none")]
    measures += [nDJS, nDJS(norm="none"), NDKL(target="run")]
    assert set(values(measures, qrels, run).values()) == {0.0}


@given(
    st.integers(0, 10_000), st.integers(1, 5), st.sampled_from(["rND", "rKL"]),
    st.sampled_from(["max", "none"]))
def test_the_protected_and_the_others_can_be_swapped(make_case, values, seed, cutoff, name, norm):
    case = make_case(seed, labels=4)
    kind = {"rND": rND, "rKL": rKL}[name]
    one, others = (
        kind(protected=protected, norm=norm) @ cutoff for protected in ("g0,g2", "g1,g3"))
    found = values([one, others], case.qrels_frame, case.run_frame)
    assert [found[one, qid] for qid in "12345"] == pytest.approx(
        [found[others, qid] for qid in "12345"], abs=1e-12)


def test_the_worked_values(values, worked):
    found = values(
        [rND @ 3, rKL @ 3, rND(norm="none") @ 3, rKL(norm="none") @ 3], worked.qrels_frame,
        worked.run_frame)
    assert {str(measure): round(value, 5) for (measure, _), value in found.items()} == {
        "rND@3": 0.54330, "rKL@3": 0.48515, "rND(norm='none')@3": 0.77182,
        "rKL(norm='none')@3": 1.63857}


def test_yang_and_stoyanovich_s_most_unfair_list(values):
    # 100 items of which the first 50 are protected: Σ over 10, 20, … 100 of |share − ½| / log2(i +
    # 1).
    qrels = [ir_measures.Qrel("q", f"d{i}", 1, "S" if i < 50 else "other") for i in range(100)]
    run = [ir_measures.ScoredDoc("q", f"d{i}", -i) for i in range(100)]
    measure = rND(step=10, norm="none", protected="S")
    assert values([measure], qrels, run)[measure, "q"] == pytest.approx(0.660066334446, abs=1e-12)


@pytest.mark.parametrize("measure", [rND, rKL, rRD], ids=str)
@pytest.mark.parametrize("step", [2, *slow_cases(1, 3)])
@pytest.mark.parametrize("population", ["AB", "ABB", "AAAB", "A", "B"])
def test_the_most_unfair_sequence_has_exactly_one(values, measure, step, population):
    """Every sequence of two groups is a topic's ranking: the largest unnormalised value has to be
    the normaliser.
    """
    for n in (1, 2, 6):
        sequences = list(itertools.product("AB", repeat=n))
        documents = {f"{label}{i}": label for label in "AB" for i in range(10)}
        qrels = [Qrel(str(t), f"{label}{9 - i}", 1) for t in range(len(sequences))
                 for i, label in enumerate(population)]
        run = [
            ScoredDoc(str(t), f"{label}{i}", -i) for t, labels in enumerate(sequences)
            for i, label in enumerate(labels)]
        source = groups.from_mapping(documents)
        normalised, plain = (
            measure(protected="A", step=step, groups=source, norm=norm) @ n
            for norm in ("max", "none"))
        found = values([normalised, plain], qrels, run)
        largest = max(value for (m, _), value in found.items() if m == plain)
        for t in range(len(sequences)):
            expected = found[plain, str(t)] / largest if largest else 0.0
            assert found[normalised, str(t)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", [
    rND(target="run", protected="A"), rKL(target="run", protected="A"),
    rRD(target="run", protected="A"), rKL(target="run", protected="all"),
    *(kind(protected="A") for kind in (nDD, nDR, nDKL))], ids=str)
@pytest.mark.parametrize("documents", ["AB", "AABB", "AAABC", "AABBCD"])
@pytest.mark.parametrize("cutoff", [3, *slow_cases(1, None)])
def test_the_most_unfair_permutation_of_the_run_has_exactly_one(values, measure, documents, cutoff):
    orders = list(itertools.permutations(documents))
    if cutoff is not None:
        measure = measure @ cutoff
    found = values([measure, measure(norm="none")], *of_lists(orders))
    largest = max(value for (m, _), value in found.items() if m != measure)
    for t in range(len(orders)):
        expected = found[measure(norm="none"), str(t)] / largest if largest else 0.0
        assert found[measure, str(t)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("step, several", [(1, False), (2, True)])
def test_rkl_over_all_groups_of_a_run_is_at_most_one(values, step, several):
    """Whatever other topics there are; the maximum is exact for steps of 1 and one group each."""
    documents = [["A"], ["B"], ["B"], ["A", "C"] if several else ["C"], ["C"]]
    orders = [*enumerate(itertools.permutations(range(len(documents))))]
    qrels = [Qrel(str(t), f"d{i}", 1, group) for t, _ in orders
             for i, groups in enumerate(documents) for group in groups]
    run = [ScoredDoc(str(t), f"d{i}", -place) for t, order in orders
           for place, i in enumerate(order)]
    others = [Qrel("other", f"x{i}", 1, f"G{i}") for i in range(30)]
    seen = [ScoredDoc("other", row.doc_id, 1.0) for row in others]
    measure = rKL(protected="all", target="run", step=step) @ 4
    for more in (([], []), (others, seen)):
        found = values([measure], qrels + more[0], run + more[1])
        largest = max(found[measure, str(t)] for t, _ in orders)
        assert 0 < largest <= 1.0
        if step == 1 and not several:
            assert largest == pytest.approx(1.0)


@pytest.mark.parametrize("step", [1, 7, 10**23])
@pytest.mark.parametrize("term", [rnd, rkl, rrd])
def test_the_largest_sum_over_many_ranks(term, step):
    S, N = np.array([0.1, 1.0, 3.0, 2500.0]), np.array([1.0, 3.0, 4.0, 2501.0])
    w = discounts(np.array([30_000]), 30_000, step)
    i = np.arange(1.0, 30_001)[:, None]
    counts = np.stack([np.zeros_like(i), i - 1, i])
    expected = (term(counts, i, S, N).max(axis=0) * w.T).sum(axis=0)
    assert sum_of_largest_terms(term, S, N, w) == pytest.approx(expected, rel=1e-12)


def test_two_sides_by_hand(values):
    """A, B, C with A protected. Q = (1/3, 2/3); P is (1, 0), (1/2, 1/2) and Q itself.

    The midpoint with (1, 0) is (2/3, 1/3): JSD = (log2 1.5 + 1/3)/2 = 0.459148. The midpoint with
    (1/2, 1/2) is (5/12, 7/12): JSD = (0.020321 + 0.021121)/2 = 0.020721. The weights are 1,
    0.630930 and 0.5.
    """
    kinds = [nDJS(protected="A"), nDJS(protected="A", norm="none"), nDJS]
    found = values(kinds, *of_lists(["ABC"]))
    one, plain, every = (found[kind, "0"] for kind in kinds)
    assert plain == pytest.approx(0.459148 + 0.630930 * 0.020721, abs=1e-6)
    assert one == pytest.approx(plain / 2.130930, abs=1e-6) == pytest.approx(0.221603, abs=1e-6)
    assert every > one  # all three viewpoints are told apart


def test_a_run_of_one_viewpoint_has_nothing_to_compare_and_an_empty_one_is_unfair(values):
    qrels = [
        ir_measures.Qrel(q, d, 1, label) for q in "12" for d, label in (("a", "P"), ("b", "C"))]
    run = [ir_measures.ScoredDoc("1", "a", 1)]
    kinds = [nDD, nDR, nDKL, nDJS, nDJS(protected="P"), nDJS(protected="C"),
             nDJS(protected="minority")]
    found = values(kinds, qrels, run)
    assert [found[kind, "1"] for kind in kinds] == [0] * 7
    assert [found[kind, "2"] for kind in kinds] == [1] * 7
