"""The measures in PyTerrier's experiments."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import alpha_nDCG

import pt_fairness
from pt_fairness import Annotated, groups, nDD, nDJS, nDKL, nDR, rKL, rND, rRD


def experiment(case: Any, measures: list[Any], **options: Any) -> pd.DataFrame:
    run = case.run_frame.rename(columns={"query_id": "qid", "doc_id": "docno"})
    qrels = case.qrels_frame.rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    topics = pd.DataFrame({"qid": list("12345"), "query": "q"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pt.Experiment(
            [pt.Transformer.from_df(run)], topics, qrels, measures, names=["system"], perquery=True,
            **options)


@pytest.mark.parametrize("from_frame", [False, True], ids=["iteration", "frame"])
@pytest.mark.parametrize("batch_size", [2, 3, 4])
def test_batches_of_topics_do_not_change_values(make_case, from_frame, batch_size):
    case = make_case(8, labels=4, several=True)
    source = {"groups": groups.from_frame(case.groups_frame)} if from_frame else {}
    measures = [
        rND(**source) @ 5, rKL(**source), rRD(protected="g1", **source) @ 3,
        rND(target="run", **source), nDD(**source) @ 5, nDR(protected="g0,g2", **source),
        nDKL(**source), nDJS(**source), Annotated(**source) @ 5,
        rKL(target={"g0": 0.5, "g1": 0.5}, protected="g0", **source), alpha_nDCG @ 5]
    if from_frame:  # the object declares its labels
        measures += [
            rKL(target="uniform", protected="g0", **source), rKL(protected="all", **source) @ 5]
    whole = experiment(case, measures).sort_values(["qid", "measure"]).reset_index(drop=True)
    batches = (
        experiment(case, measures, batch_size=batch_size) .sort_values(["qid", "measure"])
        .reset_index(drop=True))
    pd.testing.assert_frame_equal(whole, batches)
    assert len(whole) == 5 * len(measures)


@pytest.mark.parametrize(
    "measure",
    [
        rND(target="collection", protected="g0"), rKL(target="uniform", protected="g0"),
        rKL(protected="all")],
    ids=str,
)
def test_the_documented_exceptions_depend_on_the_batch(make_case, measure):
    # A batch knows its own documents and labels alone.
    case = make_case(8, labels=6)
    whole, batches = (experiment(case, [measure], **options) for options in ({}, {"batch_size": 2}))
    assert not np.allclose(whole.sort_values("qid")["value"], batches.sort_values("qid")["value"])


def test_measures_of_pyterrier():
    assert pt.fairness is pt_fairness
    import pyterrier.measures
    for name in ("rND", "rKL", "rRD", "nDD", "nDR", "nDKL", "nDJS", "Annotated"):
        assert getattr(pyterrier.measures, name) is getattr(pt_fairness, name)
