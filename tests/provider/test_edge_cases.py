"""Identifiers, labels, dropped topics and relevance of every kind."""

from __future__ import annotations

import math

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, alpha_nDCG, nDCG
from provider_cases import QRELS, RUN, by_topic, told, told_of

from pt_fairness import (
    NDKL,
    Annotated,
    BiasP,
    DistFair,
    DistKL,
    FairnessWarning,
    groups,
    nDD,
    nDJS,
    rKL,
    rND,
)

WORKED = 0.54330


def test_integer_identifiers_are_their_text(worked):
    measures = [rND @ 3, rKL, nDJS]
    text = {"query_id": "str", "doc_id": "str"}
    qrels = worked.qrels_frame.assign(query_id=1, doc_id=[1, 2, 3], iteration=[1, 1.0, 2])
    run = worked.run_frame.assign(query_id=1, doc_id=[3, 1, 4, 2])
    expected = by_topic(measures, worked.qrels_frame.assign(doc_id=[*"123"]), run.astype(text))
    assert expected["rND@3", "1"] == pytest.approx(WORKED, abs=5e-6)
    # Numbers on either side, or on both.
    for judged, returned in ((qrels, run), (qrels, run.astype(text)), (qrels.astype(text), run)):
        found = by_topic(measures, judged, returned)
        assert {(name, str(qid)): value for (name, qid), value in found.items()} == expected
    assert by_topic([rND(protected="2") @ 3], qrels, run) == pytest.approx(
        {("rND(protected='2')@3", 1): expected["rND@3", "1"]})


@pytest.mark.parametrize("kind", ["float", "object", "category", "Float64"])
def test_ids_that_became_floats_are_the_whole_numbers_that_they_were(kind):
    qrels = pd.DataFrame([["1", "1", 1, "A"], ["1", "2", 1, "B"]], columns=QRELS)
    run = pd.DataFrame([["1", "2", 2.0], ["1", "1", 1.0]], columns=RUN)
    floats = {"query_id": float, "doc_id": float}
    as_floats = [frame.astype(floats).astype({"doc_id": kind}) for frame in (qrels, run)]
    frame = pd.DataFrame({"docno": pd.Series([1.0, 2.0]).astype(kind), "group": ["A", "B"]})
    measures = [rND @ 2, Annotated @ 2, rND(groups=groups.from_mapping({1: "A", 2: "B"})) @ 2,
                rND(groups=groups.from_frame(frame)) @ 2]
    expected = ir_measures.calc_aggregate(measures, qrels, run)
    assert expected[measures[1]] == 1.0
    for one, other in ((as_floats[0], run), (qrels, as_floats[1]), as_floats):
        assert ir_measures.calc_aggregate(measures, one, other) == expected


@pytest.mark.parametrize("topics", [[1, 2.0], [np.float32(1), 2.0], [1, 2]], ids=str)
def test_topics_of_several_types_are_the_whole_numbers_that_they_were(topics):
    qrels = pd.DataFrame([["1", "a", 1, "A"], ["2", "a", 1, "A"]], columns=QRELS)
    run = pd.DataFrame({"query_id": pd.Series(topics, dtype=object), "doc_id": "a", "score": 1.0})
    averages, _ = pt.fairness.evaluate(run, qrels, [AP], progress=False)
    assert averages["AP"].tolist() == [1.0]


def test_identifiers_and_labels_beyond_ascii(worked):
    names = {"a": "文書1", "b": "émigré", "c": "Ω", "d": "\U0001f600"}
    qrels, run = (frame.assign(query_id="тема", doc_id=frame["doc_id"].map(names))
                  for frame in (worked.qrels_frame, worked.run_frame))
    qrels["iteration"] = ["für", "für", "gégen"]
    found = by_topic([rND @ 3, rND(protected="gégen") @ 3], qrels, run)
    assert list(found.values()) == pytest.approx([WORKED, WORKED], abs=5e-6)
    assert {qid for _, qid in found} == {"тема"}


def test_conflicting_groups_are_several_groups(worked):
    qrels = pd.concat([worked.qrels_frame, pd.DataFrame([("1", "a", 1, "CON")], columns=QRELS)])
    # c is CON, a both, b PRO. CON and PRO have two documents each: CON is first, and protected.
    found = by_topic([rND @ 1, rND(norm="none") @ 3, Annotated], qrels, worked.run_frame)
    assert found["rND@1", "1"] == pytest.approx((1 - 2 / 3) / (2 / 3))
    assert found["rND(norm='none')@3", "1"] == pytest.approx(1 / 3 + (1 / 3) / math.log2(3))
    assert found["Annotated", "1"] == 3 / 4


def test_a_group_that_the_run_alone_has_is_unannotated_and_warned_of(worked):
    class Open(groups.Groups):
        def lookup(self, qids, docnos):
            known = {"a": "PRO", "b": "PRO", "c": "CON", "d": "NEW"}
            return pd.DataFrame({"qid": qids, "docno": docnos, "group": map(known.get, docnos)})

    measure = rND(groups=Open("open-groups")) @ 3
    (message,) = told_of([measure], worked.qrels_frame, worked.run_frame)
    assert "NEW" in message and "unannotated" in message
    assert by_topic([measure], worked.qrels_frame, worked.run_frame) == pytest.approx(
        {(str(measure), "1"): WORKED}, abs=5e-6)


def test_undefined_topics_are_zero_and_warned_of_once(worked):
    # Only PRO is relevant: without a second group there is no minority.
    qrels = pd.concat([worked.qrels_frame, pd.DataFrame([("2", "a", 1, "PRO")], columns=QRELS)])
    run = pd.concat([worked.run_frame, worked.run_frame.assign(query_id="2")])
    evaluator = ir_measures.evaluator([rND @ 3, rKL @ 3, nDD], qrels)
    results = []
    messages = told(lambda: results.extend(
        evaluator.calc_aggregate(frame) for frame in (run, worked.run_frame, run[:0])))
    assert len(messages) == 2 and "0 of the 2 topics" in messages[1]
    assert "rKL@3, rND@3 on 1 of 2 topics ('2')" in messages[0]
    assert [result[rND @ 3] for result in results] == pytest.approx(
        [WORKED / 2, WORKED / 2, 0.5], abs=5e-6)


DROPPING = groups.from_mapping({"a": "PRO", "b": "CON", "c": "PRO"}).relabel(
    {"1": "liberal", "2": "both or neither"})
DROPPED_QRELS = pd.DataFrame(
    [("1", "a", 1), ("1", "b", 1), ("1", "c", 1), ("2", "a", 1), ("2", "b", 1)], columns=QRELS[:3])
DROPPED_RUN = pd.DataFrame(
    [("1", "a", 3.0), ("1", "c", 2.0), ("1", "b", 1.0), ("2", "a", 2.0), ("2", "b", 1.0)],
    columns=RUN)


@pytest.mark.parametrize("name", [
    "BiasP(pro='conservative',con='liberal')@2", "rND@2", "nDD", "nDJS", "AWRF", "Annotated"])
def test_topics_that_groups_drop_are_in_no_mean(name):
    """Gezici et al. (2021): topics that lean neither way drop out of the experiment."""
    qrels, run = DROPPED_QRELS, DROPPED_RUN
    plain = ir_measures.parse_measure(name)
    measure = plain(groups=DROPPING)
    with pytest.warns(FairnessWarning, match=r"drops 1 of 2 topics .*'2'.*to_qrels"):
        means = ir_measures.calc_aggregate([measure, nDCG @ 3], qrels, run)
    expected = ir_measures.calc_aggregate([plain], DROPPING.to_qrels(qrels), run)[plain]
    assert means[measure] == expected and means[nDCG @ 3] == 1.0
    values = by_topic([measure], qrels, run)
    assert values[str(measure), "1"] == expected and np.isnan(values[str(measure), "2"])
    assert np.isnan(ir_measures.calc_aggregate([measure], qrels[3:], run)[measure]), (
        "no topic is left")


def test_topics_that_groups_drop_in_an_experiment():
    measures = [nDCG @ 3, BiasP(pro="conservative", con="liberal", groups=DROPPING) @ 2]
    run, qrels = map(pt.model.from_ir_measures, (DROPPED_RUN, DROPPED_QRELS))
    topics = pd.DataFrame({"qid": ["1", "2"], "query": "x"})
    averages, perquery = (pt.Experiment([run], topics, qrels, measures, perquery=each)
                          for each in (False, True))
    name = str(measures[1])
    values = perquery[perquery["measure"] == name].set_index("qid")["value"]
    # PyTerrier sums over all topics: what cannot be right there is no number at all.
    assert values["1"] == -1.0 and np.isnan([values["2"], averages[name][0]]).all()
    averages, _ = pt.fairness.evaluate(run, qrels, measures, progress=False)
    assert averages.iloc[0, 1:].tolist() == [1.0, -1.0]


@pytest.mark.parametrize("measure", [
    rKL(protected="all") @ 2, NDKL(target="qrels") @ 2, DistKL(target={"A": 0.5, "B": 0.5}) @ 2,
    DistFair(target={"A": 0.5, "B": 0.5}) @ 2])
def test_a_divergence_from_a_target_that_a_thousand_groups_lack(measure):
    rows = [("1", "a", 1, "A"), ("1", "b", 1, "B"),
            *(("2", f"d{i}", 1, f"g{i}") for i in range(1001))]
    qrels = pd.DataFrame(rows, columns=QRELS)
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"d0": 1.0}}
    assert next(iter(measure.iter_calc(qrels[:992], run))).value > 0
    with pytest.raises(ValueError, match=r"groups lack a share in the target.*at most 999 can"):
        measure.calc_aggregate(qrels, run)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int64", "float32", "bool"])
def test_every_kind_of_relevance(kind):
    qrels = pd.DataFrame([["1", "a", 0, "A"], ["1", "a", 1, "B"], ["1", "b", 1, "A"]],
                         columns=QRELS)
    run = pd.DataFrame([["1", "a", 2.0], ["1", "b", 1.0]], columns=RUN)
    measures = [rKL @ 2, alpha_nDCG @ 2]
    expected = ir_measures.calc_aggregate(measures, qrels, run)
    assert ir_measures.calc_aggregate(measures, qrels.astype({"relevance": kind}), run) == expected


def test_qrels_without_subtopics_are_warned_of():
    with pytest.warns(FairnessWarning, match=r"no topic has more than one subtopic.*iteration"):
        ir_measures.calc_aggregate([alpha_nDCG @ 2], {"1": {"a": 1, "b": 1}}, {"1": {"a": 1.0}})


def test_the_provider_can_be_loaded_before_there_is_a_pipeline(monkeypatch):
    from pt_fairness import provider
    monkeypatch.delattr(ir_measures, "DefaultPipeline")
    provider.plug_in()  # what an ir_measures that reads entry points would have happen
    monkeypatch.undo()
    provider.plug_in()
    names = [getattr(one, "NAME", "") for one in ir_measures.DefaultPipeline.providers]
    assert names.count("fairness") == 1
