"""Values of documents that are missing, wrong or looked up, and the names of their sources."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures.util import Qrel, ScoredDoc
from worked_values import SIGNED

from pt_fairness import (
    ARaB,
    FairnessWarning,
    FaiRR,
    NFaiRR,
    RaB,
    RankingBias,
    analysis,
    evaluate,
    groups,
)
from pt_fairness import values as sources

EMPTY_QRELS = [Qrel("1", "a", 1, "A"), Qrel("1", "b", 0, "A"), Qrel("2", "c", 0, "A"),
               Qrel("3", "d", 1, "A")]
EMPTY_RUN = [ScoredDoc("1", "a", 2), ScoredDoc("1", "b", 1), ScoredDoc("3", "z", 1)]
OF_DOCUMENTS = sources.from_mapping(SIGNED)
FEW = sources.from_mapping({"a": 0.5, "b": 0.25, "d": 0.0})


@pytest.mark.parametrize("measure, expected", [
    (RaB(values=FEW), [0.375, 0, 0]),
    (RaB(values=FEW, missing=-2), [0.375, 0, -2]),
    (ARaB(values=FEW) @ 9, [0.4375, 0, 0]),
    (FaiRR(values=FEW) @ 1, [0.5, 0, 1]),
    (FaiRR(values=FEW, missing=0) @ 1, [0.5, 0, 0]),
    (NFaiRR(values=FEW) @ 1, [1, 0, 1]),
    (NFaiRR(values=FEW, missing=0), [1, 0, 0]),  # 3: 0/0
    (NFaiRR(values=FEW, background="qrels"), [(0.5 + 0.25 / np.log2(3)) / 0.5, 0, 0]),
    (RankingBias(values=FEW), [0.0625, 0, 0]),
    (RankingBias(values=FEW, background="qrels", rel=0, missing=2) @ 1, [0.125, -2, 2]),
], ids=str)
def test_nothing_returned_and_no_value(values, measure, expected):
    found = values([measure], EMPTY_QRELS, EMPTY_RUN)
    assert [found[measure, qid] for qid in "123"] == pytest.approx(expected)


def test_a_topic_without_background_is_undefined(registered_runs):
    registered_runs("other", pd.DataFrame({"qid": ["1", "9"], "docno": ["b", "a"]}))
    measures = [kind(values=FEW, background=name) for kind in (NFaiRR, RankingBias)
                for name in ("qrels", "other")]
    with pytest.warns(FairnessWarning) as told:
        found = {(m.measure, m.query_id): m.value
                 for m in ir_measures.iter_calc(measures, EMPTY_QRELS, EMPTY_RUN)}
    (message,) = (str(one.message) for one in told)
    parts = dict(part.rsplit(" on ", 1) for part in message.split("system: ")[1].split("; "))
    counts = {measure: how for names, how in parts.items() for measure in names.split(", ")}
    for measure in measures:
        count = 1 if measure["background"] == "qrels" else 2
        assert counts[str(measure)].startswith(f"{count} of 3 topics (")
        assert found[measure, "2"] == 0
    assert found[measures[3], "1"] == 0.4375 - 0.25 and found[measures[3], "3"] == 0


def test_no_topic_with_a_background_is_not_blamed_on_groups(registered_runs):
    registered_runs("other", pd.DataFrame({"qid": ["9"], "docno": ["a"]}))
    with pytest.warns(FairnessWarning) as told:
        ir_measures.calc_aggregate([NFaiRR(values=FEW, background="other")], EMPTY_QRELS, EMPTY_RUN)
    (message,) = (str(one.message) for one in told)
    assert message.endswith("on 3 of 3 topics")


def test_ranking_that_is_its_own_background_is_never_undefined(recwarn):
    measures = [NFaiRR(values=FEW), RankingBias(values=FEW)]
    ir_measures.calc_aggregate(measures, EMPTY_QRELS, EMPTY_RUN)
    assert not [one for one in recwarn if issubclass(one.category, FairnessWarning)]


def test_qrels_need_no_groups(values):
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    measure = RaB(values=FEW)
    assert values([measure], qrels, EMPTY_RUN[:1])[measure, "1"] == 0.5
    with pytest.raises(ValueError, match="the qrels have no groups"):
        values([RaB(values={"PRO": 1})], qrels, EMPTY_RUN[:1])


def test_only_what_the_measures_see_is_looked_up(values, monkeypatch):
    asked = []
    find = sources.Values.find

    def counted(self, topic, topics, docnos):
        asked.append(len(docnos))
        return find(self, topic, topics, docnos)
    monkeypatch.setattr(sources.Values, "find", counted)
    run = [ScoredDoc(qid, f"d{i}", -i) for qid in "13" for i in range(10)]
    values([RaB(values=FEW) @ 2, FaiRR(values=FEW) @ 3], EMPTY_QRELS, run)
    assert asked == [6]
    values([RaB(values=FEW) @ 2, NFaiRR(values=FEW) @ 3], EMPTY_QRELS, run)
    assert asked == [6, 20]


@pytest.mark.parametrize("make, says", [
    (lambda: RaB, "RaB needs the parameter 'values'"),
    (lambda: RaB(values={}), r"RaB\(values={}\) is not possible: values takes the name of "),
    (lambda: RaB(values={"A": float("nan")}), "is not possible: values takes"),
    (lambda: RaB(values={"A": "x"}), "is not possible: values takes"),
    (lambda: RaB(values={1: 1, "1": 2}), "is not possible: values takes"),
    (lambda: RaB(values=""), "is not possible: values takes"),
    (lambda: RaB(values=3), "is not possible: values takes"),
    (lambda: RaB(values="x", missing=float("nan")), "missing takes a finite number"),
    (lambda: FaiRR(values="x", missing=-1), "missing takes a number of at least 0"),
    (lambda: FaiRR(values={"A": 1, "B": -1}),
     "FaiRR takes values of at least 0, not -1 for 'B'; RaB takes values of both signs"),
    (lambda: NFaiRR(values="x", background="x"),
     "background takes 'run', 'qrels', a name registered"),
    (lambda: FaiRR(values="x", abs=True), "FaiRR has no parameter 'abs'"),
])
def test_parameters_that_are_not_possible(make, says):
    with pytest.raises(ValueError, match=says):
        make().validate_params()


@pytest.mark.parametrize("measure, says", [
    (FaiRR(values=OF_DOCUMENTS),
     r"FaiRR\(values='values-.*'\) takes values of at least 0, and a document has -1;"),
    (NFaiRR(values=OF_DOCUMENTS) @ 1, "takes values of at least 0, and a document has -1"),
    (RaB(values="no such"), "no values are registered as 'no such' and no such file exists"),
    (RaB(values={"PRO": 1}, groups=groups.from_mapping({"a1": "A"})),
     "values='PRO' names no group of"),
])
def test_values_that_do_not_fit(values, worked_exposure, measure, says):
    with pytest.raises(ValueError, match=says):
        values([measure], *worked_exposure())


def test_a_label_that_no_judged_document_has(worked_exposure):
    with pytest.warns(FairnessWarning, match="values='PRO' names a group that no judged document"):
        ir_measures.calc_aggregate([RaB(values={"PRO": 1, "A": 1})], *worked_exposure())


def test_the_order_of_labels_does_not_matter():
    assert str(RaB(values={"PRO": 1, "CON": -1})) == str(RaB(values={"CON": -1.0, "PRO": 1}))


def test_evaluate_in_workers(worked_exposure, registered_runs):
    registered_runs("pool", pd.DataFrame({"qid": ["1", "1"], "docno": ["a1", "b1"]}))
    sources.register("slant", OF_DOCUMENTS)
    try:
        measures = [RaB(values="slant") @ 4, RankingBias(values="slant", background="pool") @ 4,
                    RaB(values={"A": 1, "B": -1})]
        qrels, run = worked_exposure()
        run = pt.model.from_ir_measures(run.drop(columns="iteration"))
        means = [evaluate({"one": run, "two": run}, qrels, measures, n_jobs=jobs,
                          progress=False)[0] for jobs in (1, 2)]
        pd.testing.assert_frame_equal(*means)
        assert means[0].set_index("name").loc["one", str(measures[1])] == pytest.approx(0.28125)
        sources.register("slant", sources.from_mapping({"a1": 4}))
        registered_runs("pool", pd.DataFrame({"qid": ["1"], "docno": ["b2"]}))
        again = evaluate({"one": run}, qrels, measures, progress=False)[0]
        assert again[str(measures[0])].tolist() == [1]
    finally:
        sources.unregister("slant")


def test_label_noise_moves_numbers_of_labels(worked_exposure):
    qrels, run = worked_exposure()
    run = pt.model.from_ir_measures(run.drop(columns="iteration"))
    found = analysis.label_noise({"one": run}, qrels, [RaB(values={"A": 1, "B": -1})],
                                 None, 0.5, draws=5)
    assert found["sd"].tolist() != [0]
    with pytest.raises(ValueError, match="cannot be looked up here; measures of it"):
        analysis.label_noise({"one": run}, qrels, [RaB(values=OF_DOCUMENTS)], None, 0.5,
                             draws=2)
