"""DistKL, DistFair, AWRF, NDKL and RADio, and what they share."""

from __future__ import annotations

import itertools
import math
from decimal import Context, Decimal, localcontext
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_cases import TARGETS, of_lists
from scipy.spatial.distance import jensenshannon

from pt_fairness import AWRF, NDKL, DistFair, DistKL, RADio, groups, rKL, targets
from pt_fairness.measures.distribution import one_if_zero, or_uniform

CUTOFFS = [{}, {"cutoff": 1}, {"cutoff": 4}, {"cutoff": 9}]
DIST = [
    {},
    {"smoothing": 0},
    {"smoothing": 0.5, "discount": "log2"},
    {"discount": "log2"},
    {"rel": 2},
    {"rel": 0, "smoothing": 3.0},
    {"smoothing": 0.0, "discount": "log2", "rel": -1}]
ATTENTION = [
    {},
    {"discount": "geometric"},
    {"discount": "geometric", "p": 0.5, "rel": 2},
    {"base": math.e},
    {"base": 10, "rel": 0}]
SETTINGS: dict[str, list[dict[str, Any]]] = {"DistKL": DIST, "DistFair": DIST, "AWRF": ATTENTION,
                                            "NDKL": [{}, {"rel": 2}, {"rel": 0}, {"rel": -1}]}
ALL = [DistKL, DistFair, AWRF, NDKL]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True], ids=["iteration", "frame"])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", SETTINGS)
def test_every_parameter_against_the_slow_version(
    make_case, agrees, name, seed, from_frame, several
):
    case = make_case(seed, several=several)
    agrees(
        case,
        [
            (name, {"target": target, **cutoff, **setting}) for target in TARGETS
            for cutoff in CUTOFFS for setting in SETTINGS[name]],
        from_frame,
    )


RANKED = [{"discount": "trec"}, {"unannotated": "keep"},
          {"discount": "geometric", "p": 0.5, "unannotated": "keep", "rel": 2},
          {"discount": "trec", "unannotated": "keep"}]
EMPTY = [{"empty": "smooth"}, {"empty": "smooth", "smoothing": 0},
         {"empty": "smooth", "smoothing": 0.5, "unannotated": "keep", "discount": "log2"}]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True, "weights"],
                         ids=["iteration", "frame", "weights"])
@pytest.mark.parametrize("name", ["DistKL", "DistFair", "AWRF"])
@pytest.mark.parametrize("seed", range(3))
def test_ranks_and_discounts_against_the_slow_version(make_case, agrees, name, from_frame,
                                                      several, seed):
    agrees(make_case(seed, several=several), [
        (name, {"target": target, **cutoff, **setting})
        for target in TARGETS for cutoff in CUTOFFS
        for setting in RANKED + (EMPTY if name != "AWRF" else [{"discount": "none"}])],
        from_frame)


def test_the_form_of_the_trec_fair_ranking_track(values):
    plain, track = AWRF(base=math.e), AWRF(base=math.e, discount="trec", unannotated="keep")
    found = values([plain, track], *of_lists(["XYYXY"]))
    assert round(found[plain, "0"], 5) == 0.99989 and round(found[track, "0"], 5) == 0.99687
    assert str(track) == "AWRF(discount='trec',unannotated='keep',base=2.718281828459045)"
    assert ir_measures.parse_measure(str(track)) == track


@pytest.mark.parametrize("name", SETTINGS)
def test_a_cutoff_beyond_every_list(make_case, agrees, name):
    agrees(make_case(30), [(name, {"target": target, "cutoff": 500, **setting})
                           for target in TARGETS for setting in SETTINGS[name]])


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


def test_only_a_discount_sees_the_order(values):
    lists = ["AABB", "ABAB", "BBAA"]
    plain, fair, discounted, fair_discounted = (
        kind(discount=discount) @ 4 for discount in ("none", "log2") for kind in (DistKL, DistFair))
    found = values([plain, fair, discounted, fair_discounted], *of_lists(lists))
    assert [found[plain, q] for q in "012"] == pytest.approx([0, 0, 0], abs=1e-15)
    assert [found[fair, q] for q in "012"] == pytest.approx([1, 1, 1], abs=1e-15)
    assert found[discounted, "0"] == pytest.approx(found[discounted, "2"])
    assert found[discounted, "0"] > found[discounted, "1"] > 0
    assert found[fair_discounted, "0"] == pytest.approx(found[fair_discounted, "2"])
    assert found[fair_discounted, "0"] < found[fair_discounted, "1"] < 1


def test_discounted_counts_of_one_group_are_whole(values):
    # All documents in one group: the discount has nothing to move.
    measures = [
        DistKL(discount=discount, target={"A": 0.5, "B": 0.5}) for discount in ("none", "log2")]
    found = values(measures, *of_lists(["AAAAA"]))
    assert found[measures[0], "0"] == pytest.approx(found[measures[1], "0"], abs=1e-12)


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


def test_awrf_reaches_both_ends(values):
    measure = AWRF(target={"A": 1.0, "B": 0.0})
    found = values([measure, AWRF(target="run")], *of_lists(["AAA", "BBB"]))
    assert (found[measure, "0"], found[measure, "1"]) == (pytest.approx(1.0), pytest.approx(0.0))
    assert found[AWRF(target="run"), "0"] == pytest.approx(1.0)


@given(
    st.integers(0, 100_000), st.booleans(), st.sampled_from(TARGETS), st.sampled_from([None, 1, 5]))
def test_bounds(make_case, values, seed, several, target, cutoff):
    case = make_case(seed, several=several)
    measures = [kind(target=target, **setting) for kind in ALL for setting in SETTINGS[kind.NAME]]
    if cutoff is not None:
        measures = [measure @ cutoff for measure in measures]
    for (measure, _), value in values(measures, case.qrels_frame, case.run_frame).items():
        low, high = measure.RANGE
        assert low <= value and (high is None or value <= high) and math.isfinite(value), measure


def test_declared_labels_count(values):
    qrels, run = of_lists(["AB"])
    source = groups.from_frame(
        pd.DataFrame({"docno": [row.doc_id for row in qrels] + ["unseen"], "group": list("ABC")}))
    found = values([AWRF, NDKL, AWRF(groups=source), NDKL(groups=source)], qrels, run)
    assert (
        found[AWRF, "0"] > found[AWRF(groups=source), "0"]
    )  # C has no exposure, but a third of the target
    assert found[NDKL, "0"] < found[NDKL(groups=source), "0"]


def test_the_published_values_of_real_runs(means, robust03):
    means(robust03, {"DistKL(target='uniform')@10": (0.329838, 0.458335),
                     "DistFair(target='uniform')@10": (0.637847, 0.496761)})


def test_every_real_run_against_the_slow_version(robust03, agrees_on_real_runs):
    agrees_on_real_runs(
        robust03,
        [
            ("DistKL", {"cutoff": 10, "target": "collection"}),
            ("DistFair", {"cutoff": 20, "target": "qrels", "discount": "log2"}),
            ("AWRF", {"cutoff": 10}),
            ("AWRF", {"target": "qrels", "discount": "geometric"}),
            ("NDKL", {"cutoff": 10}),
            ("NDKL", {"cutoff": 20, "target": "collection"})],
    )


QRELS = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 0, "B"), ("2", "a", 0, "A")],
                     columns=["query_id", "doc_id", "relevance", "iteration"])
RUN = pd.DataFrame([("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 1.0)],
                   columns=["query_id", "doc_id", "score"])


def test_rows_without_a_target_have_equal_shares():
    assert or_uniform(np.array([[0.2, 0.8], [0.0, 0.0]])).tolist() == [[0.2, 0.8], [0.5, 0.5]]


def test_the_worst_is_never_0():
    assert one_if_zero(np.array([0.0, 0.25, 2.0])).tolist() == [1.0, 0.25, 2.0]


@pytest.mark.parametrize("measure", [DistKL, DistFair, AWRF, NDKL], ids=str)
def test_a_topic_without_a_target_is_undefined(values, measure):
    """Topic 2 has no relevant document."""
    of_qrels, given = measure(target="qrels") @ 2, measure(target={"A": 0.75, "B": 0.25}) @ 2
    with pytest.warns(UserWarning, match=r"on 1 of 2 topics"):
        of_qrels.calc_aggregate(QRELS, RUN)
    found = values([of_qrels, given], QRELS, RUN)
    assert found[of_qrels, "2"] == 0.0 != found[given, "2"]


@pytest.mark.parametrize("measure", [DistKL, DistFair, AWRF, NDKL], ids=str)
def test_nothing_returned_is_not_fair(values, measure):
    score = measure(target="uniform") @ 2
    found = values([score], QRELS, RUN[RUN["query_id"] == "1"])
    fair = 1.0 if measure in (AWRF, DistFair) else 0.0
    assert abs(found[score, "2"] - fair) > 0.1


def test_ndkl_is_rkl_in_other_units(values):
    lists = ["ABCAB", "AAAAA", "CBCBC"]
    plain, measure = (
        rKL(protected="all", norm="none", target="collection") @ 5, NDKL(target="collection") @ 5)
    found = values([plain, measure], *of_lists(lists))
    factor = math.log(2) / sum(1 / math.log2(i + 1) for i in range(1, 6))
    assert [found[measure, q] for q in "012"] == pytest.approx(
        [factor * found[plain, q] for q in "012"], abs=1e-12)


@pytest.mark.newest
@pytest.mark.parametrize("seed", range(5))
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


RADIO_CUTS = [{}, {"cutoff": 1}, {"cutoff": 4}, {"cutoff": 500}]
RADIO = [{}, {"discount": "log2", "alpha": 0.0}, {"discount": "trec", "unannotated": "keep"},
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
        for target, cutoff, setting in itertools.product(TARGETS, RADIO_CUTS, RADIO)], from_frame)


def test_samples(make_case, agrees):
    agrees(make_case(3, several=True), [
        ("RADio", {"target": target, **setting}) for target in TARGETS for setting in RADIO],
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
