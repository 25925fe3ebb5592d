"""rND, rKL and rRD, and the discounted sums over prefixes."""

from __future__ import annotations

import itertools
import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import TARGETS, of_lists
from scipy.stats import kendalltau

from pt_fairness import NDKL, groups, nDJS, rKL, rND, rRD
from pt_fairness.measures.parity import discounts, rkl, rnd, rrd, sum_of_largest_terms

NAMES = ["rND", "rKL", "rRD"]
PROTECTED = ["minority", "majority", "g0", "g1,g0", "g0 , g1"]
SETTINGS = [
    {},
    {"cutoff": 1},
    {"cutoff": 3},
    {"cutoff": 10},
    {"cutoff": 100},
    {"cutoff": 7, "step": 3},
    {"step": 5},
    {"cutoff": 4, "step": 10},
    {"cutoff": 5, "norm": "none"},
    {"norm": "none"},
    {"rel": 2},
    {"rel": 0},
    {"rel": -1},
    {"cutoff": 6, "step": 2, "norm": "none"}]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True, "open"], ids=["iteration", "frame", "open"])
@pytest.mark.parametrize("seed", range(6))
def test_every_parameter_against_the_slow_version(make_case, agrees, seed, from_frame, several):
    case = make_case(seed, several=several)
    wanted = [
        (
            name,
            {"protected": protected, "target": target, **SETTINGS[(i + 5 * seed) % len(SETTINGS)]})
        for i, (name, protected, target) in enumerate(itertools.product(NAMES, PROTECTED, TARGETS))
    ]
    agrees(case, wanted, from_frame)


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_setting_against_the_slow_version(make_case, agrees, setting, several):
    case = make_case(len(setting), labels=3, several=several)
    agrees(
        case,
        [
            (name, {"target": target, **setting}) for name in NAMES
            for target in ("qrels", "collection", "run")],
    )


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True, "open"], ids=["iteration", "frame", "open"])
@pytest.mark.parametrize("seed", range(6))
def test_rkl_over_all_groups(make_case, agrees, seed, from_frame, several):
    case = make_case(20 + seed, several=several)
    agrees(case, [("rKL", {"protected": "all", "target": target, **setting})
                  for target in TARGETS if target != "run" for setting in SETTINGS], from_frame)


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("seed", range(6))
def test_rkl_over_all_groups_of_a_run(make_case, agrees, seed, several):
    case = make_case(40 + seed, labels=2 + seed, documents=9 if several else 14, several=several)
    agrees(
        case, [("rKL", {"protected": "all", "target": "run", **setting}) for setting in SETTINGS])


def test_a_step_beyond_every_list(make_case, values):
    case = make_case(3)
    for protected in ("minority", "all"):
        near, far = (rKL(protected=protected, step=step) for step in (1000, 10**23))
        found = values([near, far], case.qrels_frame, case.run_frame)
        assert [found[far, qid] for qid in "12345"] == [found[near, qid] for qid in "12345"]


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


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_step_of_the_cutoff_is_a_single_term(values, k):
    qrels = [
        ir_measures.Qrel("q", docno, 1, label)
        for docno, label in zip("abcde", "PCCPC", strict=True)]
    run = [ir_measures.ScoredDoc("q", docno, -i) for i, docno in enumerate("abcde")]
    measures = [kind(protected="P", step=k) @ k for kind in (rND, rKL, rRD)]
    found = values(measures, qrels, run)
    protected, share = {2: 1, 3: 1, 4: 2}[k], 2 / 5

    def divergence(p: float) -> float:
        return sum(a * math.log2(a / b) for a, b in ((p, share), (1 - p, 1 - share)) if a)

    assert found[measures[0], "q"] == pytest.approx(abs(protected / k - share) / (1 - share))
    assert found[measures[1], "q"] == pytest.approx(divergence(protected / k) / divergence(1))
    ratios = [abs((a / (k - a) if a < k else 0) - 2 / 3) for a in range(k + 1)]
    assert found[measures[2], "q"] == pytest.approx(ratios[protected] / max(ratios))


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


@pytest.mark.parametrize("alpha, tau", [(0.5, -0.8378), (0.9, -1.0)])
def test_correlation_with_alpha_ndcg_over_all_rankings_of_two_stances(values, alpha, tau):
    # 32 rankings of five PRO and CON documents; the judgments know five of each.
    qrels, run = [], []
    for t, stances in enumerate(itertools.product(("PRO", "CON"), repeat=5)):
        qrels += [
            ir_measures.Qrel(str(t), f"{stance}{i}", 1, stance) for stance in ("PRO", "CON")
            for i in range(5)]
        run += [
            ir_measures.ScoredDoc(str(t), f"{stance}{i}", -i) for i, stance in enumerate(stances)]
    unfair, diverse = rKL(protected="PRO") @ 5, ir_measures.alpha_nDCG(alpha=alpha) @ 5
    found = values([unfair, diverse], qrels, run)
    pairs = [[round(found[m, str(t)], 12) for t in range(32)] for m in (unfair, diverse)]
    assert kendalltau(*pairs).statistic == pytest.approx(tau, abs=5e-5)


ROBUST03 = {
    "rND@10": (0.239915, 0.220101), "rKL@10": (0.155140, 0.140547), "rRD@10": (0.102252, 0.102626),
    "rKL(protected='FT')@20": (0.245988, 0.280967), "rKL(protected='all')@10": (0.189982, 0.147261),
    "rND(norm='none',step=10)@100": (0.255311, 0.040192)}


def test_the_published_values_of_real_runs(means, robust03):
    means(robust03, ROBUST03)


def test_every_real_run_against_the_slow_version(robust03, agrees_on_real_runs):
    agrees_on_real_runs(
        robust03,
        [
            ("rND", {"cutoff": 10}),
            ("rKL", {"cutoff": 10}),
            ("rRD", {"cutoff": 8}),
            ("rKL", {"cutoff": 20, "protected": "FT,LA"}),
            ("rKL", {"cutoff": 10, "protected": "all"}),
            ("rND", {"cutoff": 20, "target": "run"}),
            ("rKL", {"cutoff": 9, "protected": "all", "target": "run"}),
            ("rRD", {"cutoff": 30, "step": 10, "target": "uniform"})],
    )


@pytest.mark.nth(2)
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


@pytest.mark.nth(2)
@pytest.mark.parametrize(
    "measure",
    [
        rND(target="run", protected="A"), rKL(target="run", protected="A"),
        rRD(target="run", protected="A"), rKL(target="run", protected="all")],
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


@pytest.mark.first(2)
@pytest.mark.parametrize("step", [1, 2, 5])
@pytest.mark.parametrize("several", [False, True])
def test_rkl_over_all_groups_of_a_run_is_at_most_one(step, several):
    """Whatever other topics there are; the maximum is exact for steps of 1 and one group each."""
    documents = [["A"], ["B"], ["B"], ["A", "C"] if several else ["C"], ["C"]]
    qrels = [Qrel("1", f"d{i}", 1, group) for i, groups in enumerate(documents) for group in groups]
    others = [Qrel("2", f"x{i}", 1, f"G{i}") for i in range(30)]
    runs = [[ScoredDoc("1", f"d{i}", -place) for place, i in enumerate(order)]
            for order in itertools.permutations(range(len(documents)))]
    measure = rKL(protected="all", target="run", step=step) @ 4
    for more, seen in (([], []), (others, [ScoredDoc("2", other.doc_id, 1.0) for other in others])):
        evaluator = ir_measures.evaluator([measure], [*qrels, *more])
        found = [next(one.value for one in evaluator.iter_calc([*run, *seen])
                      if one.query_id == "1") for run in runs]
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
                at_rank = (np.arange(1.0, i + 1) == i)[None]
                found = sum_of_largest_terms(term, np.array([S]), np.array([N]), at_rank)
                assert found == pytest.approx(every, abs=1e-15)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5), st.integers(1, 12))
def test_evaluated_ranks(lengths, step):
    for row, length in zip(discounts(np.array(lengths), 9, step), lengths, strict=True):
        expected = (
            [i for i in range(1, length + 1) if i % step == 0] if step <= length
            else [length] * (length > 0))
        assert [i + 1 for i in np.flatnonzero(row)] == expected


@pytest.mark.parametrize("step", [1, 7, 10**23])
@pytest.mark.parametrize("term", [rnd, rkl, rrd])
def test_the_largest_sum_over_many_ranks(term, step):
    S, N = np.array([0.1, 1.0, 3.0, 2500.0]), np.array([1.0, 3.0, 4.0, 2501.0])
    w = discounts(np.array([30_000]), 30_000, step)
    i = np.arange(1.0, 30_001)[:, None]
    counts = np.stack([np.zeros_like(i), i - 1, i])
    expected = (term(counts, i, S, N).max(axis=0) * w.T).sum(axis=0)
    assert sum_of_largest_terms(term, S, N, w) == pytest.approx(expected, rel=1e-12)
