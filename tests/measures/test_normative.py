"""RADio against its slow version, worked values and brute force."""

from __future__ import annotations

import itertools
from decimal import Context, Decimal, localcontext

import ir_measures
import pandas as pd
import pytest
from measure_cases import TARGETS

from pt_fairness import AWRF, RADio, targets

CUTOFFS = [{}, {"cutoff": 1}, {"cutoff": 4}, {"cutoff": 500}]
SETTINGS = [{}, {"discount": "log2", "alpha": 0.0}, {"discount": "trec", "unannotated": "keep"},
            {"divergence": "kl"}, {"discount": "none", "rel": 2},
            {"divergence": "kl", "unannotated": "keep", "discount": "geometric", "p": 0.5,
             "alpha": 0.1}]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True, "open", "weights"],
                         ids=["iteration", "frame", "open", "weights"])
@pytest.mark.parametrize("seed", range(3))
def test_against_the_slow_version(make_case, agrees, seed, from_frame, several):
    agrees(make_case(seed, several=several), [
        ("RADio", {"target": target, **cutoff, **setting})
        for target, cutoff, setting in itertools.product(TARGETS, CUTOFFS, SETTINGS)], from_frame)


def test_samples(make_case, agrees):
    agrees(make_case(3, several=True), [
        ("RADio", {"target": target, **setting}) for target in TARGETS for setting in SETTINGS],
        samples=3)


def test_without_alpha_its_square_is_the_rest_of_awrf(make_case, values):
    case = make_case(5, several=True)
    pairs = [(RADio(alpha=0, discount=discount, target=target, unannotated=unannotated) @ cut,
              AWRF(discount=discount, target=target, unannotated=unannotated) @ cut)
             for discount in ("log2", "trec", "geometric") for target in TARGETS
             for unannotated in ("drop", "keep") for cut in (3, 100)]
    found = values(itertools.chain(*pairs), case.qrels_frame, case.run_frame)
    compared = 0
    for radio, awrf in pairs:
        for qid in "12345":
            if found[awrf, qid] > 0:
                compared += 1
                assert 1 - found[radio, qid] ** 2 == pytest.approx(found[awrf, qid], abs=1e-9)
    assert compared > 100


def test_a_list_is_like_its_own_groups(values):
    qrels = [ir_measures.Qrel("1", str(i), 0, label) for i, label in enumerate("ABAB")]
    run = [ir_measures.ScoredDoc("1", row.doc_id, 1.0) for row in qrels]
    same = RADio(discount="none")
    assert values([same], qrels, run)[same, "1"] == 0.0


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_list_that_is_nearly_like_its_target(values, apart):
    qrels = [ir_measures.Qrel("1", str(i), 0, label) for i, label in enumerate("ABAB")]
    run = [ir_measures.ScoredDoc("1", row.doc_id, 1.0) for row in qrels]
    shares = [0.5 + apart, 0.5 - apart]
    near = RADio(discount="none", alpha=0.0, target=dict(zip("AB", shares, strict=True)))
    with localcontext(Context(prec=60)):
        exact = [[Decimal("0.5")] * 2, [Decimal(one) for one in shares]]
        middle = [sum(pair) / 2 for pair in zip(*exact, strict=True)]
        divergence = sum(one * (one / m).ln() for some in exact
                         for one, m in zip(some, middle, strict=True)) / 2 / Decimal(2).ln()
        expected = float(divergence.sqrt())
    assert values([near], qrels, run)[near, "1"] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("target", ["uniform", {"A": 0.7, "B": 0.2, "C": 0.1}, {"C": 1.0}], ids=str)
@pytest.mark.parametrize("alpha", [0.001, 0.2])
def test_nothing_is_as_far_as_the_furthest_group(values, target, alpha):
    measure = RADio(divergence="kl", target=target, alpha=alpha) @ 2
    # Topic 0 has nothing; the others have two documents of one group.
    qrels = [ir_measures.Qrel(str(t), f"{label}{i}", 1, label)
             for t in range(4) for label in "ABC" for i in range(2)]
    run = [ir_measures.ScoredDoc(str(t), f"{label}{i}", 1.0)
           for t, label in enumerate("ABC", 1) for i in range(2)]
    found = values([measure], qrels, run)
    assert found[measure, "0"] == pytest.approx(max(found[measure, str(t)] for t in (1, 2, 3)))


def test_calibration_to_a_history(values, forget_targets):
    targets.register("history", pd.DataFrame(
        {"qid": ["1", "2"], "group": ["A", "B"], "share": [1.0, 1.0]}))
    qrels = [ir_measures.Qrel(qid, "a", 0, "A") for qid in "12"]
    run = [ir_measures.ScoredDoc(qid, "a", 1.0) for qid in "12"]
    measure = RADio(target="history")
    found = values([measure], qrels, run)
    assert found[measure, "1"] == 0.0 and found[measure, "2"] > 0.9


def test_the_divergence_without_a_bound():
    assert RADio.RANGE == (0.0, 1.0) and RADio(divergence="kl").RANGE == (0.0, None)
    with pytest.raises(ValueError, match="use an alpha above 0"):
        RADio(divergence="kl", alpha=0).validate_params()
    for alpha in (-0.1, 0.5):
        with pytest.raises(ValueError, match=r"at least 0 and below 0\.5"):
            RADio(alpha=alpha).validate_params()
    text = "RADio(divergence='kl',discount='geometric',p=0.5,unannotated='keep')@10"
    assert str(ir_measures.parse_measure(text)) == text
