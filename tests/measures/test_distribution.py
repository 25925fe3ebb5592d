"""DistKL, DistFair, AWRF, NDKL and RADio, and what they share."""

from __future__ import annotations

import itertools
import math
from decimal import Context, Decimal, localcontext

import ir_measures
import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from measure_cases import of_lists
from scipy.spatial.distance import jensenshannon

from pt_fairness import AWRF, NDKL, DistFair, DistKL, RADio


def test_the_worked_topic_by_hand(values, worked):
    # Condensed: CON, PRO, PRO, at 1, 0.63093, 0.5. Relevant: one CON, two PRO.
    expected = {
        DistKL @ 3: 0.6 * math.log2(0.6 / 0.5) + 0.4 * math.log2(0.4 / 0.5),
        DistKL(smoothing=0) @ 2: 0.0, DistKL(target="qrels") @ 3: 0.0,
        DistKL(target="qrels") @ 1: 2 / 3 * math.log2(2 / 3 / 0.4) + 1 / 3 * math.log2(1 / 3 / 0.6),
        DistKL(target={"PRO": 1.0}) @ 1: 1 / 3 * math.log2(1 / 3 / 0.999)
        + 2 / 3 * math.log2(2 / 3 / 0.001), DistFair @ 3: 1 - 0.029049405545331 / 0.278071905112638,
        DistFair(target="qrels") @ 3: 1.0, DistFair(target={"CON": 1.0}) @ 1: 1
        - (2 / 3 * math.log2(2 / 3 / 0.999) + 1 / 3 * math.log2(1 / 3 / 0.001))
        / (1 / 3 * math.log2(1 / 3 / 0.999) + 2 / 3 * math.log2(2 / 3 / 0.001)),
        NDKL @ 3: (math.log(2) + 0.5 * (2 / 3 * math.log(4 / 3) + 1 / 3 * math.log(2 / 3)))
        / 2.1309297535714573, NDKL @ 1: math.log(2), AWRF @ 1: 1
        - (math.log2(1 / 0.75) + 0.5 * math.log2(0.5 / 0.75) + 0.5 * math.log2(0.5 / 0.25)) / 2}
    found = values(expected, worked.qrels_frame, worked.run_frame)
    assert {str(m): found[m, "1"] for m in expected} == pytest.approx(
        {str(m): v for m, v in expected.items()}, abs=1e-12)
    # With a discount, a document counts n · w_i / Σ w: CON 1.40783, PRO 1.59217.
    con = 3 / 2.1309297535714573
    con = (con + 1) / 5
    discounted = DistKL(discount="log2") @ 3
    found = values([discounted], worked.qrels_frame, worked.run_frame)
    assert found[discounted, "1"] == pytest.approx(
        con * math.log2(2 * con) + (1 - con) * math.log2(2 - 2 * con))


@pytest.mark.parametrize(
    "target", ["uniform", {"A": 0.7, "B": 0.2, "C": 0.1}, {"A": 1.0, "B": 0.0, "C": 0.0}], ids=str)
@pytest.mark.parametrize("smoothing", [0, 0.5, 1])
@pytest.mark.parametrize("discount", ["none", "log2"])
def test_the_least_fair_list_has_exactly_zero(values, target, smoothing, discount):
    for n in (1, 2, 4):
        lists = ["".join(labels) for labels in itertools.product("ABC", repeat=n)]
        plain, fair = (
            kind(target=target, smoothing=smoothing, discount=discount) @ n
            for kind in (DistKL, DistFair))
        found = values([plain, fair], *of_lists(lists))
        largest = max(found[plain, str(t)] for t in range(len(lists)))
        for t in range(len(lists)):
            assert found[fair, str(t)] == pytest.approx(
                1 - found[plain, str(t)] / largest, abs=1e-12)


@pytest.mark.parametrize("base", [2, math.e, 10])
@pytest.mark.parametrize("target", ["uniform", {"A": 0.7, "B": 0.2, "C": 0.1}, {"B": 1.0}], ids=str)
def test_awrf_against_scipy(values, base, target):
    # scipy's natural logarithms are those of the TREC Fair Ranking track.
    lists = ["ABC", "AAAB", "CCCCCC", "BACABCC", "A"]
    measures = {
        discount: AWRF(base=base, target=target, discount=discount, p=0.6)
        for discount in ("log2", "geometric")}
    found = values(measures.values(), *of_lists(lists))
    wanted = [1 / 3] * 3 if target == "uniform" else [target.get(label, 0) for label in "ABC"]
    for t, labels in enumerate(lists):
        for discount, measure in measures.items():
            attention = [
                1 / np.log2(i + 2) if discount == "log2" else 0.6**i for i in range(len(labels))]
            exposure = [
                sum(d for d, own in zip(attention, labels, strict=True) if own == label)
                for label in "ABC"]
            assert found[measure, str(t)] == pytest.approx(
                1 - jensenshannon(exposure, wanted, base=base) ** 2, abs=1e-12)


@pytest.mark.newest
@pytest.mark.parametrize("seed", quick_cases(range(5), first=1))
def test_ndkl_against_fairranktune(values, seed):
    """FairRankTune 0.0.7 has the same formula, but always compares with the groups of the list that
    it is given.

    That is ``target='run'`` without a cutoff; it knows no other target, and cutting the list first
    changes what it compares with, where here the whole run stays the target. It adds 1e-7 to all
    shares instead of leaving 0 · log 0 at 0, hence the tolerance. Its AWRF is another measure:
    attention per document of each group, combined to a ratio or a difference.
    """
    from FairRankTune.Metrics.NDKL import NDKL as THEIRS
    labels = "".join(np.random.default_rng(seed).choice(list("ABC"), 25, p=[0.6, 0.3, 0.1])) + "C"
    whole, first, uniform = NDKL(target="run"), NDKL(target="run") @ 10, NDKL
    found = values([whole, first, uniform], *of_lists([labels]))

    def theirs(part: str) -> float:
        return float(THEIRS(pd.DataFrame({"ranking": range(len(part))}), dict(enumerate(part))))

    assert found[whole, "0"] == pytest.approx(theirs(labels), abs=1e-4)
    assert found[first, "0"] != pytest.approx(theirs(labels[:10]), abs=1e-3)
    assert found[uniform, "0"] != pytest.approx(theirs(labels), abs=1e-3)


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
