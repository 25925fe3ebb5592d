"""Measures with target distributions from outside the qrels."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import numpy as np
import pytest
import slow_versions
from case_marks import quick_cases
from measure_cases import values_of
from one_test import each
from target_cases import QRELS, RUN, frame, per_topic

import pt_fairness
from pt_fairness import AWRF, NDKL, DistFair, DistKL, rND, targets

pytestmark = pytest.mark.usefixtures("forget_targets")
TAKERS = {
    name: measure for name, measure in pt_fairness.measures.MEASURES.items()
    if "target" in measure.SUPPORTED_PARAMS}
#: Parameters of the measures that compare a group of their own.
PARAMS = {"protected": "g0", "group": "g1", "by": "group"}
CASES: list[tuple[str, dict[str, Any]]] = [("rKL", {"protected": "all"}), *(
    (name, {param: value for param, value in PARAMS.items() if param in measure.SUPPORTED_PARAMS})
    for name, measure in TAKERS.items())]


def test_the_measures_that_take_a_target():
    assert set(TAKERS) == {
        "rND", "rKL", "rRD", "DistKL", "DistFair", "AWRF", "NDKL", "RepBias", "Skew", "MinSkew",
        "MaxSkew", "EEL", "EED", "EER", "logDP", "GF", "RADio", "FAIR", "PreF",
        "ExposureRatio"}


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
def test_every_measure_against_the_slow_version(make_case, seed, several):
    pick = np.random.default_rng(seed)
    labels = ["g0", "g1", "g2", "elsewhere"]
    case = make_case(seed, labels=3, several=several)
    table = pick.dirichlet([1, 1, 1, 1], 5) * (pick.random((5, 4)) < 0.7) + [0, 0, 1e-3, 0]
    table /= table.sum(axis=1, keepdims=True)
    explicit = {qid: dict(zip(labels, shares, strict=True))
                for qid, shares in zip("12345", table, strict=True)}
    rows = [(qid, label, share) for qid, shares in explicit.items()
            for label, share in shares.items() if share or qid == "1"]
    targets.register("theirs", frame(rows).sample(frac=1, random_state=seed))
    wanted = [(name, {**params, "cutoff": cutoff}) for name, params in CASES for cutoff in (3, 8)]
    measures = [TAKERS[name](target="theirs", **params) for name, params in wanted]
    found = values_of(measures, case.qrels_frame, case.run_frame)
    for measure, (name, params) in zip(measures, wanted, strict=True):
        for qid, target in explicit.items():
            expected = slow_versions.evaluate(
                name, {"target": target, **params}, case.qrels, case.run)[qid]
            assert found[measure, qid] == pytest.approx(expected, abs=1e-9), (measure, qid)


def test_a_target_is_mixed_with_the_relevant_documents():
    """A quarter of the shares is that of the relevant documents, without which there is none."""
    shares = {"female": 0.2, "male": 0.8}
    targets.register("mixed", frame([("1", *row) for row in shares.items()]), of_qrels=0.25)
    qrels = [ir_measures.Qrel("1", f"{label}{i}", 1, label)
             for label, count in (("female", 3), ("male", 1)) for i in range(count)]
    run = [ir_measures.ScoredDoc("1", row.doc_id, -i) for i, row in enumerate(qrels)]
    mixed = {"female": 0.25 * 0.75 + 0.75 * 0.2, "male": 0.25 * 0.25 + 0.75 * 0.8}
    pairs = [(kind(target="mixed", **params) @ 2, kind(target=mixed, **params) @ 2)
             for kind, params in ((AWRF, {}), (NDKL, {}), (rND, {"protected": "male"}))]
    found = values_of({*sum(pairs, ())}, qrels, run)
    for by_name, explicit in pairs:
        assert found[by_name, "1"] == pytest.approx(found[explicit, "1"]) != 0.0
    none = [row._replace(relevance=0) for row in qrels]
    assert values_of([pairs[0][0]], none, run) == {(pairs[0][0], "1"): 0.0}


@each("share", [1e-310, 9e-13])
def test_tiny_shares_are_none(share):
    qrels = [*QRELS, *(ir_measures.Qrel(q, "c", 1, "divers") for q in "12")]
    run = [*RUN, *(ir_measures.ScoredDoc(q, "c", 1.0) for q in "12")]
    shares = {"female": 0.5, "male": 0.5, "divers": share}
    targets.register("tiny", frame([(q, *row) for q in "12" for row in shares.items()]))
    pairs = []
    for name, params in [*CASES, ("rND", {"protected": "female,male"})]:
        params = {param: value.replace("g0", "divers").replace("g1", "divers")
                  for param, value in params.items()}
        if "norm" in TAKERS[name].SUPPORTED_PARAMS:
            params["norm"] = "none"
        without = TAKERS[name](target=shares | {"divers": 0.0}, **params)
        assert TAKERS[name](target=shares, **params) == without
        pairs.append((without, TAKERS[name](target="tiny", **params)))
    values = values_of({*sum(pairs, ())}, qrels, run)
    for without, by_name in pairs:
        for q in "12":
            assert values[by_name, q] == values[without, q] and math.isfinite(values[without, q])


@each("kind", [DistKL, DistFair])
@each("smoothing", [5e-324, 1e-310, 1e-300])
def test_a_tiny_smoothing_is_none(kind, smoothing):
    # Topic 1 has no relevant document by a woman, who leads the run.
    qrels = [ir_measures.Qrel("1", "a", 0, "female"), *QRELS[1:]]
    value, expected = (per_topic(kind(target="qrels", smoothing=number) @ 1, qrels=qrels)[0]
                       for number in (smoothing, 0))
    assert value == pytest.approx(expected) and math.isfinite(value)
