"""rND, rKL and rRD against their slow versions, brute force and published values."""

from __future__ import annotations

import itertools
import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import TARGETS
from scipy.stats import kendalltau

from pt_fairness import NDKL, DistKL, groups, nDD, nDJS, nDKL, nDR, rKL, rND, rRD

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
    {"cutoff": 6, "step": 2, "norm": "none"},
]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True, "open"], ids=["iteration", "frame", "open"])
@pytest.mark.parametrize("seed", range(6))
def test_every_parameter_against_the_slow_version(make_case, agrees, seed, from_frame, several):
    case = make_case(seed, several=several)
    wanted = [
        (
            name,
            {"protected": protected, "target": target, **SETTINGS[(i + 5 * seed) % len(SETTINGS)]},
        )
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
            (name, {"target": target, **setting})
            for name in NAMES
            for target in ("qrels", "collection", "run")
        ],
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
        case, [("rKL", {"protected": "all", "target": "run", **setting}) for setting in SETTINGS]
    )


@pytest.mark.parametrize(
    "labels, measure",
    [
        (
            "ABBBBACCCCA",
            rKL(protected="all", target="run", step=5) @ 10,
        ),  # whole groups are not the worst
        (["A", "AB"], rKL(protected="all", target="run") @ 1),  # documents of several groups
        ("AAB", rKL(protected="all", target="run", step=2) @ 2),
    ],
    ids=["steps", "several groups", "steps of two"],
)
def test_the_worst_order_of_a_run_has_one_whatever_other_topics_there_are(values, labels, measure):
    documents = [[*groups] for groups in labels]
    qrels = [Qrel("1", f"d{i}", 1, group) for i, groups in enumerate(documents) for group in groups]
    others = [Qrel("2", f"x{i}", 1, f"G{i}") for i in range(30)]
    runs = [
        [ScoredDoc("1", f"d{i}", -place) for place, i in enumerate(order)]
        for order in (
            [range(len(documents))]
            if len(documents) > 4
            else itertools.permutations(range(len(documents)))
        )
    ]
    for more, seen in (([], []), (others, [ScoredDoc("2", other.doc_id, 1.0) for other in others])):
        found = [values([measure], [*qrels, *more], [*run, *seen])[measure, "1"] for run in runs]
        assert max(found) == pytest.approx(1.0) and max(found) <= 1.0


def test_many_documents_of_many_groups_have_values_in_range(values):
    """There are too many orders to search them all."""
    labels = [f"g{i % 7}" if i % 9 else f"g{i % 5}" for i in range(200)]
    for several in (False, True):
        qrels = [Qrel("1", f"d{i:03}", 1, label) for i, label in enumerate(labels)]
        qrels += [Qrel("1", f"d{i:03}", 1, "g9") for i in range(0, 200, 10)] if several else []
        for order in (range(200), sorted(range(200), key=lambda i: labels[i])):
            run = [ScoredDoc("1", f"d{i:03}", -place) for place, i in enumerate(order)]
            measures = [rKL(protected="all", target="run", step=step) for step in (1, 7)]
            assert all(0 < value <= 1 for value in values(measures, qrels, run).values())


@pytest.mark.parametrize("several, step", [(True, 1), (True, 2), (False, 2)])
def test_rkl_over_all_groups_of_a_run_is_bounded_where_the_maximum_is_too_costly(
    make_case, values, several, step
):
    for seed in range(5):
        case = make_case(60 + seed, labels=8, documents=24, several=several)
        normalised, plain = (
            rKL(protected="all", target="run", step=step, norm=norm) for norm in ("max", "none")
        )
        found = values([normalised, plain], case.qrels_frame, case.run_frame)
        exact = evaluate(
            "rKL",
            {"protected": "all", "target": "run", "step": step, "norm": "none"},
            case.qrels,
            case.run,
        )
        for qid, value in exact.items():
            assert 0 <= found[normalised, qid] <= 1 + 1e-12
            assert found[plain, qid] == pytest.approx(value)


OF_RUN = {"norm": "none", "target": "run"}
LARGEST_KL = math.log2(1000)


def discounts(*ranks: int) -> float:
    return sum(1 / math.log2(i + 1) for i in ranks)


@pytest.mark.parametrize("measure, expected", [
    (nDD(norm="none") @ 3, discounts(1, 2, 3)),
    (nDR(norm="none") @ 3, 999 * discounts(1, 2, 3)),
    (nDKL(norm="none") @ 3, LARGEST_KL * discounts(1, 2, 3)),
    (nDJS(norm="none") @ 3, discounts(1, 2, 3)),
    (rND(**OF_RUN) @ 3, discounts(1, 2, 3)),
    (rRD(**OF_RUN) @ 3, 999 * discounts(1, 2, 3)),
    (rKL(**OF_RUN) @ 3, LARGEST_KL * discounts(1, 2, 3)),
    (rKL(protected="all", **OF_RUN) @ 3, LARGEST_KL * discounts(1, 2, 3)),
    (rND(step=2, **OF_RUN) @ 5, discounts(2, 4)),
    (rKL(step=10**23, **OF_RUN) @ 5, LARGEST_KL * discounts(5)),
    (rKL(protected="all", step=3, **OF_RUN) @ 6, LARGEST_KL * discounts(3, 6)),
    (nDD(norm="none"), 1),
    (nDR(norm="none"), 999),
    (nDKL(norm="none"), LARGEST_KL),
    (nDJS(norm="none"), 1),
    (rRD(step=2, **OF_RUN), 999),
    (rKL(protected="all", **OF_RUN), LARGEST_KL),
    (NDKL(target="run") @ 3, LARGEST_KL),
    (NDKL(target="run"), LARGEST_KL),
    (DistKL(target="run") @ 3, LARGEST_KL),
    (DistKL(target="run", smoothing=0), LARGEST_KL),
    (nDD(norm="protected-first") @ 3, 1),
    (nDR @ 3, 1),
    (rKL(target="run") @ 3, 1),
], ids=str)
def test_nothing_returned_where_the_run_is_the_population(values, measure, expected):
    qrels = [Qrel("1", "a", 1, "A"), Qrel("1", "b", 1, "B"), Qrel("2", "c", 1, "A")]
    found = values([measure], qrels, [ScoredDoc("2", "c", 1.0)])
    assert found[measure, "1"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("cutoff", [3, 100])
@pytest.mark.parametrize("step", [1, 2])
def test_nothing_returned_is_at_least_as_unfair_as_any_run(values, step, cutoff):
    lists = ["".join(labels) for n in range(1, 7) for labels in itertools.product("ABC", repeat=n)]
    lists += ["A" * 98 + "BB", "BB" + "A" * 98, "A" * 99 + "B", "B" + "A" * 99]
    qrels = [Qrel(str(t), f"d{i}", 1, label)
             for t, labels in enumerate(lists) for i, label in enumerate(labels)]
    run = [ScoredDoc(row.query_id, row.doc_id, -float(row.doc_id[1:])) for row in qrels]
    measures = [kind(protected="B", step=step, **OF_RUN) for kind in (rND, rKL, rRD)]
    measures += [rKL(protected="all", step=step, **OF_RUN)]
    measures += [kind(norm="none", protected="B") for kind in (nDD, nDR, nDKL)]
    measures += [nDJS(norm="none"), NDKL(target="run"), DistKL(target="run")]
    measures = [measure @ cutoff for measure in measures]
    found = values(measures, [*qrels, Qrel("empty", "d", 1, "A")], run)
    for (measure, _), value in found.items():
        assert value <= found[measure, "empty"]


@pytest.mark.parametrize("measure", [
    NDKL @ 3, DistKL @ 3, NDKL(target={"A": 1.0}) @ 3, rKL(protected="all", norm="none") @ 3,
    rKL(protected="all", norm="none", target="uniform", step=2) @ 5,
    rRD(norm="none", protected="A") @ 1,
], ids=str)
def test_nothing_returned_does_not_look_fair(values, measure):
    """No documents differ from a target of one label, and no first document has a ratio."""
    assert values([measure], [Qrel("1", "a", 1, "A")], [])[measure, "1"] == 1.0


@pytest.mark.parametrize("measure", [
    *(kind(norm="none") for kind in (nDD, nDR, nDKL, nDJS, rND, rRD, rKL)),
    *(kind(step=1000, **OF_RUN) for kind in (rND, rRD, rKL)),
    *(kind(step=10**23, norm="none") for kind in (rND, rRD, rKL)),
    rKL(protected="all", norm="none"),
    rKL(protected="all", step=1000, **OF_RUN),
    rRD(step=7, target={"A": 0.9, "B": 0.1}, norm="none"),
], ids=str)
def test_the_largest_cutoff(values, measure):
    qrels = [Qrel("1", "a", 1, "A"), Qrel("1", "b", 1, "B"), Qrel("1", "c", 1, "B")]
    found = values([measure @ 10**6, measure @ (2**31 - 1)], qrels, [])
    # A sum of discounts grows about as its last term times its depth; ratios grow with the rank.
    depth, discount = (2**31 - 1) / 10**6, math.log(10**6) / math.log(2**31)
    growth = discount
    if measure.params.get("step") != 10**23:
        growth *= depth
    if measure.NAME == "rRD" and measure.params.get("target") != "run":
        growth *= depth
    smaller, largest = found.values()
    assert largest / smaller == pytest.approx(growth, rel=0.1)


@pytest.mark.parametrize("ranks", [
    range(1, 2), range(1, 300_000), range(7, 300_000, 7), range(9000, 9001)], ids=str)
def test_the_largest_sum_of_ratios_over_many_ranks(ranks):
    targets = np.array([0.0, 0.5, 3.0, 2500.25, 40_000.0, 1e7])
    i = np.array(ranks, float)[:, None]
    expected = (np.maximum(targets, i - 1 - targets) / np.log2(i + 1)).sum(axis=0)
    assert rRD.largest_sum(ranks, targets) == pytest.approx(expected, rel=1e-12)


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
        qrels = [ir_measures.Qrel(str(t), f"{label}{9 - i}", 1) for t in range(len(sequences))
                 for i, label in enumerate(population)]
        run = [
            ir_measures.ScoredDoc(str(t), f"{label}{i}", -i)
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
        rKL(target="run", protected="all", step=2),
    ],
    ids=str,
)
@pytest.mark.parametrize("documents", ["AB", "AABB", "AAABC", "AABBCD"])
@pytest.mark.parametrize("cutoff", [1, 3, None])
def test_the_most_unfair_permutation_of_the_run_has_exactly_one(values, measure, documents, cutoff):
    orders = list(itertools.permutations(range(len(documents))))
    qrels = [
        ir_measures.Qrel(str(t), f"{label}{i}", 1, label)
        for t in range(len(orders))
        for i, label in enumerate(documents)
    ]
    run = [
        ir_measures.ScoredDoc(str(t), f"{documents[i]}{i}", -place)
        for t, order in enumerate(orders)
        for place, i in enumerate(order)
    ]
    if cutoff is not None:
        measure = measure @ cutoff
    found = values([measure, measure(norm="none")], qrels, run)
    largest = max(value for (m, _), value in found.items() if m != measure)
    for t in range(len(orders)):
        expected = found[measure(norm="none"), str(t)] / largest if largest else 0.0
        assert found[measure, str(t)] == pytest.approx(expected, abs=1e-12)


@given(
    st.integers(0, 10_000),
    st.integers(1, 5),
    st.sampled_from(["rND", "rKL"]),
    st.sampled_from(["max", "none"]),
)
def test_the_protected_and_the_others_can_be_swapped(make_case, values, seed, cutoff, name, norm):
    case = make_case(seed, labels=4)
    kind = {"rND": rND, "rKL": rKL}[name]
    one, others = (
        kind(protected=protected, norm=norm) @ cutoff for protected in ("g0,g2", "g1,g3")
    )
    found = values([one, others], case.qrels_frame, case.run_frame)
    assert [found[one, qid] for qid in "12345"] == pytest.approx(
        [found[others, qid] for qid in "12345"], abs=1e-12
    )


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_step_of_the_cutoff_is_a_single_term(values, k):
    qrels = [
        ir_measures.Qrel("q", docno, 1, label)
        for docno, label in zip("abcde", "PCCPC", strict=True)
    ]
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
        [rND @ 3, rKL @ 3, rND(norm="none") @ 3, rKL(norm="none") @ 3],
        worked.qrels_frame,
        worked.run_frame,
    )
    assert {str(measure): round(value, 5) for (measure, _), value in found.items()} == {
        "rND@3": 0.54330,
        "rKL@3": 0.48515,
        "rND(norm='none')@3": 0.77182,
        "rKL(norm='none')@3": 1.63857,
    }


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
            ir_measures.Qrel(str(t), f"{stance}{i}", 1, stance)
            for stance in ("PRO", "CON")
            for i in range(5)
        ]
        run += [
            ir_measures.ScoredDoc(str(t), f"{stance}{i}", -i) for i, stance in enumerate(stances)
        ]
    unfair, diverse = rKL(protected="PRO") @ 5, ir_measures.alpha_nDCG(alpha=alpha) @ 5
    found = values([unfair, diverse], qrels, run)
    pairs = [[round(found[m, str(t)], 12) for t in range(32)] for m in (unfair, diverse)]
    assert kendalltau(*pairs).statistic == pytest.approx(tau, abs=5e-5)


ROBUST03 = {
    "rND@10": (0.239915, 0.220101), "rKL@10": (0.155140, 0.140547), "rRD@10": (0.102252, 0.102626),
    "rKL(protected='FT')@20": (0.245988, 0.280967), "rKL(protected='all')@10": (0.189982, 0.147261),
    "rND(norm='none',step=10)@100": (0.255311, 0.040192),
}


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
            ("rRD", {"cutoff": 30, "step": 10, "target": "uniform"}),
        ],
    )
