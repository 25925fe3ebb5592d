"""Topics without results, and topics with nothing to compare with, for measures of several modules.
"""

from __future__ import annotations

import itertools
import math
import re

import ir_measures
import pandas as pd
import pytest
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import of_lists
from one_test import each

from pt_fairness import (
    AWRF,
    NDKL,
    DistFair,
    DistKL,
    ExposureRatio,
    FairnessWarning,
    MaxSkew,
    MinSkew,
    RepBias,
    Skew,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
)

OF_RUN = {"norm": "none", "target": "run"}
LARGEST_KL = math.log2(1000)
TWO_TOPICS = [Qrel("1", "a", 1, "A"), Qrel("1", "b", 1, "B"), Qrel("2", "a", 1, "A")]


def discounts(*ranks: int) -> float:
    return sum(1 / math.log2(i + 1) for i in ranks)


def test_nothing_returned_where_the_run_is_the_population(values):
    expected = {
        nDD(norm="none") @ 3: discounts(1, 2, 3), nDD(norm="none"): 1,
        nDR(norm="none") @ 3: 999 * discounts(1, 2, 3), nDR(norm="none"): 999,
        nDKL(norm="none") @ 3: LARGEST_KL * discounts(1, 2, 3), nDKL(norm="none"): LARGEST_KL,
        nDJS(norm="none") @ 3: discounts(1, 2, 3), nDJS(norm="none"): 1,
        rND(**OF_RUN) @ 3: discounts(1, 2, 3), rRD(**OF_RUN) @ 3: 999 * discounts(1, 2, 3),
        rKL(**OF_RUN) @ 3: LARGEST_KL * discounts(1, 2, 3),
        rKL(protected="all", **OF_RUN) @ 3: LARGEST_KL * discounts(1, 2, 3),
        rND(step=2, **OF_RUN) @ 5: discounts(2, 4),
        rKL(step=10**23, **OF_RUN) @ 5: LARGEST_KL * discounts(5),
        rKL(protected="all", step=3, **OF_RUN) @ 6: LARGEST_KL * discounts(3, 6),
        rRD(step=2, **OF_RUN): 999, rKL(protected="all", **OF_RUN): LARGEST_KL,
        NDKL(target="run") @ 3: math.log(1000), NDKL(target="run"): math.log(1000),
        DistKL(target="run") @ 3: LARGEST_KL, DistKL(target="run", smoothing=0): LARGEST_KL,
        nDD(norm="protected-first") @ 3: 1, nDR @ 3: 1, rKL(target="run") @ 3: 1}
    qrels = [Qrel("1", "a", 1, "A"), Qrel("1", "b", 1, "B"), Qrel("2", "c", 1, "A")]
    found = values(expected, qrels, [ScoredDoc("2", "c", 1.0)])
    for measure, value in expected.items():
        assert found[measure, "1"] == pytest.approx(value, rel=1e-12), measure


@pytest.mark.parametrize("cutoff, step", [(3, 1), (100, 2)])
def test_nothing_returned_is_at_least_as_unfair_as_any_run(values, step, cutoff):
    lists = ["".join(labels) for n in range(1, 6) for labels in itertools.product("ABC", repeat=n)]
    lists += ["A" * 98 + "BB", "BB" + "A" * 98, "A" * 99 + "B", "B" + "A" * 99]
    qrels, run = of_lists(lists)
    measures = [kind(protected="B", step=step, **OF_RUN) for kind in (rND, rKL, rRD)]
    measures += [rKL(protected="all", step=step, **OF_RUN)]
    measures += [kind(norm="none", protected="B") for kind in (nDD, nDR, nDKL)]
    measures += [nDJS(norm="none"), NDKL(target="run"), DistKL(target="run")]
    measures = [measure @ cutoff for measure in measures]
    found = values(measures, [*qrels, Qrel("empty", "d", 1, "A")], run)
    for (measure, _), value in found.items():
        assert value <= found[measure, "empty"]
    # No first document has a ratio, and the relevant ones have none.
    ratio = rRD(norm="none", protected="B")
    qrels = [Qrel("1", "a", 1, "A"), Qrel("2", "b", 1, "B")]
    found = values([ratio, ratio @ 1], qrels, [])
    assert found[ratio, "1"] == found[ratio @ 1, "1"] == 1.0


def test_skew_of_nothing_returned_is_that_of_a_uniform_target(values):
    kinds = [Skew(group="A"), MinSkew, MaxSkew]
    found = values([*kinds, *(kind(target="run") for kind in kinds)], TWO_TOPICS,
                   [ScoredDoc("1", "unannotated", 1.0)])
    assert [*found.values()] == pytest.approx([math.log(0.002)] * 12)


EMPTY = {"empty": "smooth"}
SKEWED = {"target": {"A": 0.75, "B": 0.25}}


@each("measure, expected", [
    # The shares are 1/2 and 1/2: log2((1/2) / (3/4)) / 2 + log2((1/2) / (1/4)) / 2.
    (DistKL(**EMPTY, **SKEWED), 1 - math.log2(3) / 2),
    (DistKL(**EMPTY, **SKEWED, smoothing=0) @ 7, 1 - math.log2(3) / 2),
    # At most: two documents in B have smoothed shares of 1/4 and 3/4.
    (DistFair(**EMPTY, **SKEWED) @ 2,
     1 - (1 - math.log2(3) / 2) / (math.log2(1 / 3) / 4 + 3 * math.log2(3) / 4)),
    (DistFair(**EMPTY, **SKEWED), 1 - (1 - math.log2(3) / 2) / 2),
    *((DistKL(**EMPTY, **options), 0.0) for options in ({}, {"cutoff": 5}, {"target": "run"})),
    *((DistFair(**EMPTY, **options), 1.0) for options in ({}, {"cutoff": 5}, {"target": "run"}))])
def test_nothing_returned_has_equal_shares_after_smoothing(values, measure, expected):
    qrels = pd.DataFrame(TWO_TOPICS)
    run = pd.DataFrame([ScoredDoc("1", "unannotated", 1.0), ScoredDoc("2", "a", 1.0)])
    least = type(measure)(**{**measure.params, "empty": "least fair"})
    found = values([measure, least], qrels, run)
    assert found[measure, "1"] == pytest.approx(expected, abs=1e-12)
    # Where something was returned, the parameter changes nothing.
    assert found[measure, "2"] == found[least, "2"] and found[measure, "1"] != found[least, "1"]


def test_the_largest_cutoff(values):
    measures = [
        *(kind(norm="none") for kind in (nDD, nDR, nDKL, nDJS, rND, rRD, rKL)),
        *(kind(step=1000, **OF_RUN) for kind in (rND, rRD, rKL)),
        *(kind(step=10**23, norm="none") for kind in (rND, rRD, rKL)),
        rKL(protected="all", norm="none"), rKL(protected="all", step=1000, **OF_RUN)]
    qrels = [Qrel("1", "a", 1, "A"), Qrel("1", "b", 1, "B"), Qrel("1", "c", 1, "B")]
    found = values([measure @ k for measure in measures for k in (10**4, 10**6)], qrels, [])
    # A sum of discounts grows about as its last term times its depth; ratios grow with the rank.
    for measure in measures:
        growth = math.log(10**4) / math.log(10**6)
        if measure.params.get("step") != 10**23:
            growth *= 100
        if measure.NAME == "rRD" and measure.params.get("target") != "run":
            growth *= 100
        ratio = found[measure @ 10**6, "1"] / found[measure @ 10**4, "1"]
        assert ratio == pytest.approx(growth, rel=0.1), measure


@each("target", ["uniform", {"A": 0.7, "B": 0.2, "C": 0.1}])
def test_nothing_returned_is_as_unfair_as_any_list_over_the_groups(values, target):
    # Topic t retrieves one of all lists of four documents; the last topic nothing.
    lists = ["".join(labels) for labels in itertools.product("ABC", repeat=4)]
    qrels, run = of_lists(lists)
    qrels.append(Qrel("empty", "d", 1, "A"))
    measures = [NDKL(target=target) @ 4, DistKL(target=target) @ 4]
    found = values(measures, qrels, run)
    for measure in measures:
        assert found[measure, "empty"] == pytest.approx(
            max(found[measure, str(t)] for t in range(len(lists))), abs=1e-12)


ALL = [DistKL, DistFair, AWRF, NDKL, ExposureRatio]


def test_nothing_returned_without_a_cutoff(values):
    targets = ["qrels", "collection", "uniform", {"A": 0.2, "B": 0.8}]
    kinds = [kind(target=target) for kind in ALL for target in targets]
    found = values(kinds, TWO_TOPICS[:2], [ScoredDoc("1", "unannotated", 1.0)])
    for (measure, _), value in found.items():
        assert value == measure.DEFAULT == (1.0 if measure.IDEAL == 0 else 0.0)


@each("measure", [
    *(kind(target="qrels") for kind in (*ALL[:4], MinSkew, MaxSkew)), RepBias(group="A"),
    Skew(group="A", target="qrels")])
def test_a_topic_without_a_population_is_undefined(measure):
    qrels = [Qrel("1", "a", 1, "A"), Qrel("2", "a", 0, "B"), Qrel("2", "b", 1, "-")]
    run = [ScoredDoc(q, "a", 1.0) for q in "12"]
    with pytest.warns(FairnessWarning, match=re.escape(f": {measure} on 1 of 2 topics ('2'")):
        found = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    assert found["2"] == 0.0


def test_qrels_without_any_group_leave_every_topic_undefined():
    measures = [kind(target=target) @ 3 for kind in ALL
                for target in ("qrels", "collection", "uniform", "run")]
    qrels = [Qrel("1", "a", 1, "-")]  # the iteration is there, but holds no label
    with pytest.warns(FairnessWarning, match="nothing to compare"):
        found = [*ir_measures.iter_calc(measures, qrels, [ScoredDoc("1", "a", 1.0)])]
    assert [metric.value for metric in found] == [0.0] * len(measures)
