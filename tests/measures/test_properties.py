"""What holds for every measure alike."""

import random

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pt_fairness as pf
from pt_fairness import groups, targets
from pt_fairness.measures import MEASURES

#: Measures that name the groups that they depend on: labels can change places.
SHARES = {"g0": 0.5, "g1": 0.2, "g2": 0.3}
TARGETS = ["qrels", "collection", "uniform", "run"]
EXPLICIT = [
    pf.rND(protected="g0") @ 5, pf.rKL(protected="g1,g0"), pf.rKL(protected="all") @ 7,
    pf.rRD(protected="g0", target="collection"), pf.rRD(target="uniform", protected="g0,g1"),
    pf.rND(target={"g0": 0.5, "g2": 0.5}, protected="g0"),
    pf.rKL(protected="all", target="run") @ 5, pf.nDD(protected="g0"), pf.nDR(protected="g1") @ 4,
    pf.nDKL(protected="g0"), pf.nDJS @ 6, pf.nDJS(protected="g1,g0"),
    *(kind(target=SHARES) @ 5 for kind in (pf.DistKL, pf.DistFair, pf.AWRF, pf.NDKL)),
    pf.DistKL(target="collection") @ 5, pf.AWRF(target="qrels") @ 3, pf.NDKL,
    pf.ExposureRatio(target="qrels") @ 3,
    pf.DistFair(target={"g0": 0.25, "g3": 0.75}, discount="log2"),
    pf.BiasP(pro="g0", con="g2") @ 5, pf.BiasRBP(pro="g1", con="g0", p=0.5),
    pf.BiasDCG(pro="g0", con="g1", rel=0, abs=True) @ 4,
    *(kind(group=group, target=target) @ 6 for kind in (pf.RepBias, pf.Skew)
      for group, target in zip(["g0", "g1"] * 2, TARGETS, strict=True)),
    pf.MinSkew @ 4, pf.MaxSkew(target="run") @ 3, pf.EEL(by="group"),
    pf.EED(by="group", model="trec", target="uniform", complete=True) @ 4,
    pf.EER(by="group", target={"g0": 0.5, "g1": 0.5}, norm="bound"),
    pf.logDP(protected="g0", target="collection"), pf.logEUR(protected="g1,g0") @ 5,
    pf.logRUR(protected="g0", unannotated="keep"), pf.IAA(by="group"),
    pf.RaB(values={"g0": 1, "g1": -0.5}) @ 5,
    pf.NFaiRR(values={"g0": 1, "g2": 0.5}, background="qrels") @ 4,
    pf.GF(target={"g0": 0.5, "g2": 0.5}) @ 6, pf.PEER(unretrieved="count") @ 6,
    pf.RADio(divergence="kl", unannotated="keep") @ 4,
    pf.FAIR(protected="g0,g1", target="collection", value="prefixes"),
    pf.PreF(protected="g1", p=0.5) @ 5, pf.ARP(pairs="errors"),
    pf.OfGroup(measure="AP", group="g1", others="dropped"), pf.MRecall(value="share") @ 5]
#: More measures of exposures, whose value is not a mean over samples.
OF_SAMPLES = [
    pf.logDP(protected="g0"), pf.logDP(target="run"), pf.logEUR(protected="g1,g0"), pf.logRUR @ 4,
    pf.IAA(norm="none") @ 3,
    *(kind(by=by, norm="bound") @ 5 for kind in (pf.EEL, pf.EED, pf.EER)
      for by in ("document", "group"))]
#: What a parameter that names groups is given.
NAMES = {
    "measure": "nDCG", "group": "g0", "pro": "g0", "con": "g1", "values": {"g0": 1.0, "g1": 0.25},
    "attributes": {groups.from_pattern(r"(\d)$", labels=range(10)): "rnod"}}
targets.register("digits", pd.DataFrame({"group": list("0123456789"), "share": 0.1}))
#: The attributes of TrecFair have targets instead of divergences.
OTHERS = {"TrecFair": {"attributes": dict.fromkeys(NAMES["attributes"], "digits")}}
EVERY = [kind(**{name: value for name, value in {**NAMES, **OTHERS.get(kind.NAME, {})}.items()
                 if name in kind.SUPPORTED_PARAMS}) for kind in MEASURES.values()]
ALPHA = ir_measures.alpha_nDCG @ 5
seeds = st.integers(0, 100_000)


def shuffled(qrels: pd.DataFrame, run: pd.DataFrame, seed: int) -> list[pd.DataFrame]:
    return [frame.sample(frac=1, random_state=seed) for frame in (qrels, run)]


@given(seeds, st.booleans(), st.sampled_from([None, 1, 3, 20]))
def test_values_are_in_range_and_depend_on_the_order_of_annotated_documents_alone(
        make_case, values, seed, several, cutoff):
    case = make_case(seed, several=several)
    qrels, run, pick = case.qrels_frame, case.run_frame, random.Random(seed)
    measures = [measure if cutoff is None else measure @ cutoff for measure in EVERY]
    before = values([*measures, ALPHA], qrels, run)
    for (measure, _), value in before.items():
        low, high = measure.RANGE if measure is not ALPHA else (0, 1)
        assert (low is None or low <= value) and (high is None or value <= high + 1e-12), measure
    # Neither the order of rows matters, nor the scores apart from their order.
    scaled = run.assign(score=run["score"].astype("float32").rank(method="dense") / 7 - 1)
    after = values(measures, *shuffled(qrels, scaled, seed)) | values([ALPHA], qrels, scaled)
    assert after == pytest.approx(before, abs=1e-12)
    more = pd.DataFrame(
        [(q, f"new{i}", pick.choice([5.0, 2.0, 0.5, -3.0])) for q in "12345" for i in range(6)],
        columns=["query_id", "doc_id", "score"])
    judged = pd.DataFrame([(q, f"new{i}", 1, "-") for q in "12345" for i in range(0, 6, 2)],
                          columns=["query_id", "doc_id", "relevance", "iteration"])
    condensed = [measure for measure in measures if measure.condensed]
    after = values(condensed, pd.concat([qrels, judged]), pd.concat([run, more]))
    assert after == pytest.approx({key: before[key] for key in after}, abs=1e-12)


@given(seeds, st.booleans())
def test_labels_are_only_names_and_rows_have_no_order(make_case, values, seed, several):
    case = make_case(seed, several=several, labels=4)
    # g0 … g3 become other names in another order.
    others = random.Random(seed).sample(["10", "2", "é", "Zoë x"], 4)
    names = {f"g{i}": name for i, name in enumerate(others)}
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
