"""EEL, EED, EER, IAA, ExposureRatio, logDP, logEUR and logRUR."""

from __future__ import annotations

import itertools
import random
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from hypothesis import given
from hypothesis import strategies as st
from measure_cases import of_lists

from pt_fairness import EED, EEL, EER, IAA, ExposureRatio, groups, logDP, logEUR, logRUR

NAMES = ["EEL", "EED", "EER"]
KINDS = dict(zip(NAMES, (EEL, EED, EER), strict=True))
@pytest.mark.parametrize("norm", ["none", "bound"])
@pytest.mark.parametrize("params", [{}, {"model": "rbp", "p": 0.8}, {"model": "log2"}], ids=str)
def test_the_exact_bounds_are_reached(values, params, norm):
    """No ranking of four documents has more than the best; an ideal policy has an EEL of 0."""
    judged = {"a": 2, "b": 1, "c": 1, "d": 0}
    orders = list(itertools.permutations(judged))
    qrels = [ir_measures.Qrel(str(t), docno, relevance, "0") for t in range(len(orders))
             for docno, relevance in judged.items()]
    run = [ir_measures.ScoredDoc(str(t), docno, -i) for t, order in enumerate(orders)
           for i, docno in enumerate(order)]
    measures = [KINDS[name](norm=norm, **params) @ 3 for name in NAMES]
    found = values(measures, qrels, run)
    by_order = {m.NAME: np.array([found[m, str(t)] for t in range(len(orders))]) for m in measures}
    ideal = [t for t, order in enumerate(orders) if order[0] == "a" and order[3] == "d"]
    assert by_order["EER"].argmax() in ideal
    if norm == "bound":
        assert by_order["EER"].max() == pytest.approx(1, abs=1e-12)
        if params.get("model"):  # B is that of a list in which relevance lowers no exposure
            assert by_order["EED"] == pytest.approx(1, abs=1e-12)
    policy = pd.DataFrame([("0", docno, -i, t) for t in ideal for i, docno in enumerate(orders[t])],
                          columns=["query_id", "doc_id", "score", "iteration"])
    perfect = values(measures, [row for row in qrels if row.query_id == "0"], policy)
    assert perfect[measures[0], "0"] == pytest.approx(0, abs=1e-15)
    assert 0 < perfect[measures[1], "0"] < by_order["EED"].max()


@given(st.integers(0, 10_000))
def test_eel_is_the_sum_of_its_parts(make_case, values, sampled, seed):
    case, pick = make_case(seed), random.Random(seed)
    models: list[dict[str, Any]] = [{}, {"u": 1.0, "p": 0.3}, {"model": "rbp"}, {"model": "log2"},
                                    {"model": "trec"}, {"model": "none", "cutoff": 4}]
    params = {"by": pick.choice(["document", "group"]), "binary": pick.random() < 0.5,
              "complete": pick.random() < 0.5, "rel": pick.choice([0, 1, 2]), **pick.choice(models)}
    run = sampled(case, 3, seed)
    kinds = [KINDS[name](**params) for name in NAMES]
    found = values(kinds, case.qrels_frame, run)
    # Where nothing was returned, EEL is EED and Σ ε*².
    nothing = pd.DataFrame([("unknown", "d1", 1.0)], columns=["query_id", "doc_id", "score"])
    of_nothing = values(kinds, case.qrels_frame, nothing)
    for qid in "12345":
        loss, disparity, relevance = (found[kind, qid] for kind in kinds)
        squares = of_nothing[kinds[0], qid] - of_nothing[kinds[1], qid]
        assert loss - disparity + 2 * relevance == pytest.approx(squares, abs=1e-9)
        assert relevance ** 2 <= disparity * squares + 1e-12


def test_without_groups(values, worked_exposure):
    """By document, no groups are needed, and no source is asked for any."""
    qrels, run = worked_exposure()
    plain = values([EEL, EER @ 3], qrels, run)
    assert values([EEL, EER @ 3], qrels.assign(iteration="0"), run) == plain
    assert values([EEL, EER @ 3], qrels.drop(columns="iteration"), run) == plain
    named = EEL(groups=groups.from_mapping({}), target={"Z": 1.0})
    assert values([named], qrels, run)[named, "1"] == plain[EEL, "1"]


@given(st.integers(0, 10_000))
def test_sides_that_change_places_change_the_sign(make_case, values, sampled, seed):
    """With two groups, what one side has more the other has less."""
    case = make_case(seed, labels=2)
    run = sampled(case, 2, seed)
    pairs = [(measure(protected="g0", discount="trec"), measure(protected="g1", discount="trec"))
             for measure in (logDP, logEUR, logRUR, logDP(target="qrels"), logDP(target="run"))]
    found = values([measure for pair in pairs for measure in pair], case.qrels_frame, run)
    annotated = case.qrels_frame.dropna(subset="iteration")
    annotated = annotated[annotated["iteration"].str.startswith("g")]
    in_run = run.merge(annotated, on=["query_id", "doc_id"])["query_id"].unique()
    sizes = values([one(abs=True) for one, _ in pairs], case.qrels_frame, run)
    for (one, other), qid in itertools.product(pairs, set(in_run)):
        assert found[one, qid] == pytest.approx(-found[other, qid], abs=1e-9)
        assert sizes[one(abs=True), qid] == abs(found[one, qid])


QRELS = pd.DataFrame(
    [("1", "a", 0, "A"), ("1", "b", 0, "B"), ("2", "c", 2, "A"), ("2", "d", 1, "B"),
     ("2", "e", 1, "-"), ("3", "f", 1, "A"), ("3", "g", 3, "-")],
    columns=["query_id", "doc_id", "relevance", "iteration"])


def test_a_cutoff_of_a_million(values):
    """Beyond the list, only what nothing returned is worth depends on it."""
    run = pd.DataFrame([("2", "d", 1.0)], columns=["query_id", "doc_id", "score"])
    deep = [logDP(protected="A") @ 1_000_000, IAA(discount="trec") @ 1_000_000]
    plain = [logDP(protected="A"), IAA(discount="trec")]
    found = values([*deep, *plain], QRELS, run)
    assert [found[measure, "2"] for measure in deep] == [found[measure, "2"] for measure in plain]
    assert found[deep[0], "3"] < found[plain[0], "3"] - 10


# ---------------------------------------------------------------------------- ExposureRatio


@pytest.mark.newest
@pytest.mark.parametrize("seed", quick_cases(range(5), first=1))
def test_exposure_ratio_against_fairranktune(values, seed):
    from FairRankTune.Metrics import EXP
    pick = np.random.default_rng(seed)
    labels = [*pick.choice([*"ABC"], 25, p=[0.6, 0.3, 0.1]), *"ABC"]
    measure = ExposureRatio(target="run")
    theirs, _ = EXP(pd.DataFrame({0: range(28)}), dict(enumerate(labels)), "MinMaxRatio")
    assert values([measure], *of_lists([labels]))[measure, "0"] == pytest.approx(theirs, abs=1e-12)
