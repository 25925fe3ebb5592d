"""Measures with target distributions from outside the qrels."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import numpy as np
import pytest
import slow_versions
from target_cases import QRELS, RUN, frame, per_topic

import pt_fairness
from pt_fairness import DistFair, DistKL, targets

pytestmark = pytest.mark.usefixtures("forget_targets")
TAKERS = {
    name: measure for name, measure in pt_fairness.measures.MEASURES.items()
    if "target" in measure.SUPPORTED_PARAMS}


def test_the_measures_that_take_a_target():
    assert set(TAKERS) == {
        "rND", "rKL", "rRD", "DistKL", "DistFair", "AWRF", "NDKL", "RepBias", "Skew", "MinSkew",
        "MaxSkew", "EEL", "EED", "EER", "logDP", "GF", "RADio", "FAIR", "PreF"}


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("name", [*TAKERS, "rKL over all"])
@pytest.mark.parametrize("seed", range(4))
def test_every_measure_against_the_slow_version(make_case, seed, name, several):
    generator = np.random.default_rng([seed, len(name)])
    params: dict[str, Any] = {"protected": "all"} if name == "rKL over all" else {}
    name = name.split()[0]
    if "protected" in TAKERS[name].SUPPORTED_PARAMS and not params:
        params = {"protected": "g0"}
    if "group" in TAKERS[name].SUPPORTED_PARAMS:
        params = {"group": "g1"}
    if "by" in TAKERS[name].SUPPORTED_PARAMS:
        params = {"by": "group"}
    labels = ["g0", "g1", "g2", "elsewhere"]
    case = make_case(seed, labels=3, several=several)
    table = generator.dirichlet([1, 1, 1, 1], 5) * (generator.random((5, 4)) < 0.7) + [
        0, 0, 1e-3, 0]
    table /= table.sum(axis=1, keepdims=True)
    rows = [
        (qid, label, table[int(qid) - 1, i]) for qid in "12345"
        for i, label in enumerate(labels) if table[int(qid) - 1, i] or qid == "1"]
    targets.register("theirs", frame(rows).sample(frac=1, random_state=seed))
    for cutoff in (3, 8):
        measure = TAKERS[name](target="theirs", **params) @ cutoff
        found = {
            m.query_id: m.value
            for m in ir_measures.iter_calc([measure], case.qrels_frame, case.run_frame)}
        for qid in "12345":
            explicit = dict(zip(labels, table[int(qid) - 1], strict=True))
            expected = slow_versions.evaluate(
                name, {"target": explicit, "cutoff": cutoff, **params}, case.qrels, case.run)
            assert found[qid] == pytest.approx(expected[qid], abs=1e-9), (measure, qid)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("share", [1e-310, 9e-13])
@pytest.mark.parametrize("name", [*TAKERS, "rKL over all", "rND of the others"])
def test_tiny_shares_are_none(name, share):
    params: dict[str, Any] = {}
    kind = TAKERS[name.split()[0]]
    if "protected" in kind.SUPPORTED_PARAMS:
        protected = {"rKL over all": "all", "rND of the others": "female,male"}.get(name, "divers")
        params = {"protected": protected}
    if "norm" in kind.SUPPORTED_PARAMS:
        params["norm"] = "none"
    if "by" in kind.SUPPORTED_PARAMS:
        params["by"] = "group"
    if "group" in kind.SUPPORTED_PARAMS:
        params = {"group": "divers"}
    qrels = [*QRELS, *(ir_measures.Qrel(q, "c", 1, "divers") for q in "12")]
    run = [*RUN, *(ir_measures.ScoredDoc(q, "c", 1.0) for q in "12")]
    shares = {"female": 0.5, "male": 0.5, "divers": share}
    without = kind(target=shares | {"divers": 0.0}, **params)
    targets.register("tiny", frame([(q, *row) for q in "12" for row in shares.items()]))
    assert kind(target=shares, **params) == without
    by_name = kind(target="tiny", **params)
    values = {m.measure: m.value for m in ir_measures.iter_calc([without, by_name], qrels, run)}
    assert values[by_name] == values[without] and math.isfinite(values[without])


@pytest.mark.parametrize("kind", [DistKL, DistFair], ids=str)
@pytest.mark.parametrize("smoothing", [5e-324, 1e-310, 1e-300])
def test_a_tiny_smoothing_is_none(kind, smoothing):
    # Topic 1 has no relevant document by a woman, who leads the run.
    qrels = [ir_measures.Qrel("1", "a", 0, "female"), *QRELS[1:]]
    value, expected = (
        per_topic(kind(target="qrels", smoothing=some) @ 1, qrels=qrels)[0]
        for some in (smoothing, 0))
    assert value == pytest.approx(expected) and math.isfinite(value)
