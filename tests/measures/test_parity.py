"""rND, rKL and rRD against their slow versions, brute force and published values."""

from __future__ import annotations

import itertools
import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import TARGETS
from scipy.stats import kendalltau

from pt_fairness import NDKL, nDJS, rKL, rND, rRD

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
