"""What holds for every measure alike."""

from __future__ import annotations

import random

import ir_measures
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pt_fairness
from pt_fairness import groups, targets
from pt_fairness.measures import MEASURES

#: Measures that name the groups that they depend on: labels can change places.
EXPLICIT = [
    pt_fairness.rND(protected="g0") @ 5,
    pt_fairness.rKL(protected="g1,g0"),
    pt_fairness.rRD(protected="g0", target="collection"),
    pt_fairness.rKL(protected="all") @ 7,
    pt_fairness.nDD(protected="g0"),
    pt_fairness.nDR(protected="g1") @ 4,
    pt_fairness.nDKL(protected="g0"),
    pt_fairness.nDJS @ 6,
    pt_fairness.nDJS(protected="g1,g0"),
    pt_fairness.rND(target={"g0": 0.5, "g2": 0.5}, protected="g0"),
    pt_fairness.rKL(protected="all", target="run") @ 5,
    pt_fairness.rRD(target="uniform", protected="g0,g1"),
    pt_fairness.DistKL(target="collection") @ 5,
    pt_fairness.DistFair(target={"g0": 0.25, "g3": 0.75}, discount="log2"),
    pt_fairness.AWRF(target="qrels") @ 3,
    pt_fairness.NDKL,
    pt_fairness.BiasP(pro="g0", con="g2") @ 5,
    pt_fairness.BiasRBP(pro="g1", con="g0", p=0.5),
    pt_fairness.BiasDCG(pro="g0", con="g1", rel=0, abs=True) @ 4,
    *(
        kind(target={"g0": 0.5, "g1": 0.2, "g2": 0.3}) @ 5
        for kind in (
            pt_fairness.DistKL, pt_fairness.DistFair, pt_fairness.AWRF, pt_fairness.NDKL)
    ),
    *(
        kind(group=group, target=target) @ 6
        for kind in (pt_fairness.RepBias, pt_fairness.Skew)
        for group, target in zip(
            ["g0", "g1", "g0", "g1"], ["qrels", "collection", "uniform", "run"], strict=True)
    ),
    pt_fairness.MinSkew @ 4,
    pt_fairness.MaxSkew(target="run") @ 3,
    pt_fairness.EEL(by="group"),
    pt_fairness.EED(by="group", model="trec", target="uniform", complete=True) @ 4,
    pt_fairness.EER(by="group", target={"g0": 0.5, "g1": 0.5}, norm="bound"),
    pt_fairness.logDP(protected="g0", target="collection"),
    pt_fairness.logEUR(protected="g1,g0") @ 5,
    pt_fairness.logRUR(protected="g0", unannotated="keep"),
    pt_fairness.IAA(by="group"),
    pt_fairness.RaB(values={"g0": 1, "g1": -0.5}) @ 5,
    pt_fairness.NFaiRR(values={"g0": 1, "g2": 0.5}, background="qrels") @ 4,
    pt_fairness.GF(target={"g0": 0.5, "g2": 0.5}) @ 6,
    pt_fairness.PEER(unretrieved="count") @ 6,
    pt_fairness.RADio(divergence="kl", unannotated="keep") @ 4,
    pt_fairness.FAIR(protected="g0,g1", target="collection", value="prefixes"),
    pt_fairness.PreF(protected="g1", p=0.5) @ 5,
    pt_fairness.ARP(pairs="errors"),
    pt_fairness.OfGroup(measure="AP", group="g1", others="dropped"),
    pt_fairness.MRecall(value="share") @ 5,
]
#: More measures of exposures, whose value is not a mean over samples.
OF_SAMPLES = [
    pt_fairness.logDP(protected="g0"),
    pt_fairness.logDP(target="run"),
    pt_fairness.logEUR(protected="g1,g0"),
    pt_fairness.logRUR @ 4,
    pt_fairness.IAA(norm="none") @ 3,
    *(
        kind(by=by, norm="bound") @ 5
        for kind in (pt_fairness.EEL, pt_fairness.EED, pt_fairness.EER)
        for by in ("document", "group")),
]
#: What a parameter that names groups is given.
NAMES = {
    "measure": "nDCG", "group": "g0", "pro": "g0", "con": "g1", "values": {"g0": 1.0, "g1": 0.25},
    "attributes": {groups.from_pattern(r"(\d)$", labels=range(10)): "rnod"}}
targets.register("digits", pd.DataFrame({"group": list("0123456789"), "share": 0.1}))
#: The attributes of TrecFair have targets instead of divergences.
OTHERS = {"TrecFair": {"attributes": dict.fromkeys(NAMES["attributes"], "digits")}}
EVERY = [kind(**{name: value for name, value in {**NAMES, **OTHERS.get(kind.NAME, {})}.items()
                 if name in kind.SUPPORTED_PARAMS}) for kind in MEASURES.values()]
CONDENSED = [measure for measure in EVERY if measure.condensed]
seeds = st.integers(0, 100_000)


@given(seeds, st.booleans(), st.sampled_from([None, 1, 3, 20]))
def test_values_are_in_range(make_case, values, seed, several, cutoff):
    case = make_case(seed, several=several)
    measures = [measure if cutoff is None else measure @ cutoff for measure in EVERY]
    for (measure, _), value in values(measures, case.qrels_frame, case.run_frame).items():
        low, high = measure.RANGE
        assert (low is None or low <= value) and (high is None or value <= high + 1e-12), measure


def shuffled(qrels: pd.DataFrame, run: pd.DataFrame, seed: int) -> list[pd.DataFrame]:
    return [frame.sample(frac=1, random_state=seed) for frame in (qrels, run)]


@given(seeds, st.booleans())
def test_the_order_of_rows_does_not_matter(make_case, values, seed, several):
    case = make_case(seed, several=several)
    # Of a document that a run gives twice the last row counts: here there is none.
    qrels, run = case.qrels_frame, case.run_frame
    found = values(EVERY, *shuffled(qrels, run, seed))
    assert found == pytest.approx(values(EVERY, qrels, run), abs=1e-12)


@given(seeds, st.booleans())
def test_labels_are_only_names_and_rows_have_no_order(make_case, values, seed, several):
    case = make_case(seed, several=several, labels=4)
    # g0 … g3 become other names in another order.
    names = dict(
        zip(
            [f"g{i}" for i in range(4)], random.Random(seed).sample(["10", "2", "é", "Zoë x"], 4),
            strict=True)
    )
    renamed = []
    for measure in EXPLICIT:
        params = dict(measure.params)
        if params.get("protected", "all") != "all":
            params["protected"] = ",".join(names[label] for label in params["protected"].split(","))
        for name, value in params.items():
            if isinstance(value, dict):
                params[name] = {names[label]: number for label, number in value.items()}
            elif name in ("group", "pro", "con"):
                params[name] = names[value]
        renamed.append(type(measure)(**params))
    qrels = case.qrels_frame
    before = values(EXPLICIT, qrels, case.run_frame)
    qrels = qrels.assign(iteration=qrels["iteration"].replace(names))
    after = values(renamed, *shuffled(qrels, case.run_frame, seed))
    for measure, other in zip(EXPLICIT, renamed, strict=True):
        assert [after[other, q] for q in "12345"] == pytest.approx(
            [before[measure, q] for q in "12345"], abs=1e-12), measure


def test_samples_have_no_names_and_no_order(make_case, values, sampled):
    """Nor does it matter whether one ranking is given once or twice."""
    case = make_case(3)
    measures = [*EVERY, *EXPLICIT, *OF_SAMPLES]
    qrels, run = case.qrels_frame, sampled(case, 4, 3)
    expected = values(measures, qrels, run)
    renamed = run.assign(iteration=run["iteration"].map({0: "z", 1: "b", 2: "a", 3: "m"}))
    for other in (renamed, renamed.sample(frac=1, random_state=1)):
        assert values(measures, qrels, other) == pytest.approx(expected, abs=1e-12)
    one = run[run["iteration"] == 0]
    twice = pd.concat([one, one.assign(iteration=1)])
    alone = values(measures, qrels, one.drop(columns="iteration"))
    assert values(measures, qrels, one) == pytest.approx(alone, abs=1e-12)
    assert values(measures, qrels, twice) == pytest.approx(alone, abs=1e-12)


@given(seeds, st.booleans())
def test_unannotated_documents_do_not_matter(make_case, values, seed, several):
    case = make_case(seed, several=several)
    pick = random.Random(seed)
    more = pd.DataFrame(
        [(q, f"new{i}", pick.choice([5.0, 2.0, 0.5, -3.0])) for q in "12345" for i in range(6)],
        columns=["query_id", "doc_id", "score"])
    judged = pd.DataFrame([(q, f"new{i}", 1, "-") for q in "12345" for i in range(0, 6, 2)],
                          columns=["query_id", "doc_id", "relevance", "iteration"])
    before = values(CONDENSED, case.qrels_frame, case.run_frame)
    after = values(
        CONDENSED, pd.concat([case.qrels_frame, judged]), pd.concat([case.run_frame, more]))
    assert after == pytest.approx(before, abs=1e-12)


@given(seeds, st.floats(0.1, 100), st.floats(-5, 5))
def test_scores_are_only_an_order(make_case, values, seed, factor, shift):
    case = make_case(seed)
    run = case.run_frame
    other = run.assign(score=run["score"] * factor + shift)
    ties = run["score"].astype("float32").nunique()
    assume(other["score"].astype("float32").nunique() == ties)
    measures = [*EVERY, ir_measures.alpha_nDCG @ 5]
    assert values(measures, case.qrels_frame, other) == pytest.approx(
        values(measures, case.qrels_frame, run))
