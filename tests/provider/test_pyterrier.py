"""The measures in PyTerrier's experiments: batches, errors and warnings."""

import inspect
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import alpha_nDCG, nDCG

import pt_fairness
import pt_fairness as pf

#: Options of pt.Experiment; PyTerrier 1.0 has no plans.
PLANS: list[dict[str, str]] = [{}]
if "plan" in inspect.signature(pt.Experiment).parameters:
    PLANS.append({"plan": "tree"})


def experiment(case: Any, measures: list[Any], **options: Any) -> pd.DataFrame:
    run, qrels = map(pt.model.from_ir_measures, (case.run_frame, case.qrels_frame))
    topics = pd.DataFrame({"qid": list("12345"), "query": "q"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = pt.Experiment([pt.Transformer.from_df(run)], topics, qrels, measures,
                              names=["system"], perquery=True, **options)
    return table.sort_values(["qid", "measure"]).reset_index(drop=True)


@pytest.mark.parametrize("from_frame", [False, True], ids=["iteration", "frame"])
@pytest.mark.parametrize("batch_size", [2, 3])
def test_batches_of_topics_do_not_change_values(make_case, from_frame, batch_size):
    case = make_case(8, labels=4, several=True)
    source = {"groups": pf.groups.from_frame(case.groups_frame)} if from_frame else {}
    measures = [pf.rND @ 5, pf.rKL, pf.rRD(protected="g1") @ 3, pf.rND(target="run"), pf.nDD @ 5,
                pf.nDR(protected="g0,g2"), pf.nDKL, pf.nDJS, pf.Annotated @ 5,
                pf.rKL(target={"g0": 0.5, "g1": 0.5}, protected="g0")]
    if from_frame:  # the object declares its labels
        measures += [pf.rKL(target="uniform", protected="g0"), pf.rKL(protected="all") @ 5,
                     pf.AWRF @ 2, pf.DistKL, pf.DistFair, pf.NDKL @ 2, pf.MinSkew @ 2,
                     pf.MaxSkew @ 2]
    measures = [*(measure(**source) for measure in measures), alpha_nDCG @ 5]
    whole = experiment(case, measures)
    pd.testing.assert_frame_equal(whole, experiment(case, measures, batch_size=batch_size))
    assert len(whole) == 5 * len(measures)


@pytest.mark.parametrize("options", PLANS)
def test_a_batch_of_topics_without_judgments_changes_nothing(qrels, topics, runs, options):
    unjudged = pd.DataFrame({"qid": ["7", "8"], "query": "x"})
    run = pt.Transformer.from_df(pd.concat([runs[0], runs[0].assign(qid="8")]))
    measures = pf.with_groups([pf.rKL @ 3, pf.AWRF, "OfGroup(measure='AP',group='PRO')"], OPINIONS)
    whole, batches = (
        pt.Experiment([run], pd.concat([unjudged, topics]), qrels, measures, **options, **batch)
        for batch in ({}, {"batch_size": 2}))
    pd.testing.assert_frame_equal(whole.drop(columns="name"), batches.drop(columns="name"))


@pytest.fixture
def qrels() -> pd.DataFrame:
    """Four topics of six documents; topic 2 has no groups."""
    rows = [(str(q), f"d{i}", int(i < 3), "-" if q == 2 else "CON" if i % 3 else "PRO")
            for q in range(4) for i in range(6)]
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])


@pytest.fixture
def topics(qrels) -> pd.DataFrame:
    return pd.DataFrame({"qid": qrels["qid"].unique(), "query": "x"})


@pytest.fixture
def runs(qrels) -> list[pd.DataFrame]:
    """Runs that return the judged documents, and one more document for the first k topics."""
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        more = pd.DataFrame({"qid": [str(q) for q in range(seed % 4)], "docno": "new"})
        run = pd.concat([qrels[["qid", "docno"]], more], ignore_index=True)
        found.append(run.assign(score=rng.random(len(run)), rank=0))
    return found


OPINIONS = pf.groups.from_mapping({"d1": "PRO", "d2": "CON"}, name="opinions")

TWINS = [pf.groups.from_mapping({"d1": label, "d2": "PRO"}, name="twin") for label in ("CON", "NO")]


@pytest.mark.parametrize("measures, word", [
    (lambda: [pf.rKL(groups="no-such") @ 3], "no-such"),
    (lambda: [pf.rKL(target="no-such") @ 3], "target"),
    (lambda: [pf.rKL(groups=OPINIONS, protected="NO") @ 3], "protected"),
    (lambda: [pf.RaB(values="no-such") @ 3], "no-such"),
    (lambda: [pf.rKL(groups=TWINS[0]) @ 3, pf.AWRF(groups=TWINS[1]) @ 3], "twin"),
    (lambda: [pt_fairness.OfGroup(measure="NumRet", group="PRO")], "measure")])
@pytest.mark.parametrize("options", PLANS)
def test_errors_come_before_the_first_system_retrieves(qrels, topics, runs, measures, word,
                                                       options):
    calls = []

    def retrieve(queries: pd.DataFrame) -> pd.DataFrame:
        if len(queries):  # PyTerrier inspects the columns with an empty frame
            calls.append(len(queries))
        return runs[0]

    with warnings.catch_warnings(), pytest.raises(ValueError, match=word):
        warnings.simplefilter("ignore")
        pt.Experiment([pt.apply.generic(retrieve)], topics, qrels, [nDCG @ 3, *measures()],
                      **options)
    assert calls == []


@pytest.mark.parametrize("options", PLANS)
def test_one_warning_for_each_cause_of_several_systems(qrels, topics, runs, options):
    def messages(measures):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            pt.Experiment(runs, topics, qrels, measures, **options)
        told = [one for one in told if one.category is pf.FairnessWarning]
        assert all(one.filename == __file__ for one in told)
        return [str(one.message) for one in told]

    (message,) = messages([pf.rKL @ 3, pf.AWRF @ 3, nDCG @ 3])
    assert "rKL@3 on 1 of 4 topics ('2')" in message
    assert messages([pf.rKL @ 3, pf.AWRF @ 3, nDCG @ 3]) == [], "the same line"
    (other,) = messages([pf.rKL @ 2])
    assert "rKL@2 on 1 of 4 topics ('2')" in other
