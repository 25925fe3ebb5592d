"""Identifiers, labels, dropped topics and relevance of every kind."""

from __future__ import annotations

import math

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, alpha_nDCG, nDCG
from provider_cases import by_topic, told

import pt_fairness
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


def test_integer_identifiers_are_their_text(worked):
    numbers = {"a": 1, "b": 2, "c": 3, "d": 4}
    qrels = worked.qrels_frame.assign(query_id=1, doc_id=[1, 2, 3], iteration=[1, 1.0, 2])
    run = worked.run_frame.assign(
        query_id=1, doc_id=[numbers[d] for d in worked.run_frame["doc_id"]])
    as_text = worked.qrels_frame.assign(doc_id=["1", "2", "3"])
    expected = by_topic(
        [rND @ 3, rKL, nDJS], as_text, run.astype({"query_id": "str", "doc_id": "str"}))
    assert expected["rND@3", "1"] == pytest.approx(0.54330, abs=5e-6)
    # Numbers on either side, or on both.
    text = {"query_id": "str", "doc_id": "str"}
    for judged, returned in ((qrels, run), (qrels, run.astype(text)), (qrels.astype(text), run)):
        found = by_topic([rND @ 3, rKL, nDJS], judged, returned)
        assert {(name, str(qid)): value for (name, qid), value in found.items()} == expected
    assert by_topic([rND(protected="2") @ 3], qrels, run) == pytest.approx(
        {("rND(protected='2')@3", 1): expected["rND@3", "1"]})


def test_identifiers_and_labels_beyond_ascii(worked):
    names = {"a": "文書1", "b": "émigré", "c": "Ω", "d": "\U0001f600"}
    qrels = worked.qrels_frame.assign(
        query_id="тема", doc_id=[names[d] for d in worked.qrels_frame["doc_id"]],
        iteration=["für", "für", "gégen"])
    run = worked.run_frame.assign(
        query_id="тема", doc_id=[names[d] for d in worked.run_frame["doc_id"]])
    found = by_topic([rND @ 3, rND(protected="gégen") @ 3], qrels, run)
    assert list(found.values()) == pytest.approx([0.54330, 0.54330], abs=5e-6)
    assert {qid for _, qid in found} == {"тема"}


def test_conflicting_groups_are_several_groups(worked):
    qrels = pd.concat(
        [
            worked.qrels_frame,
            pd.DataFrame([("1", "a", 1, "CON")], columns=worked.qrels_frame.columns)]
    )
    # c is CON, a both, b PRO. CON and PRO have two documents each: CON is first, and protected.
    found = by_topic([rND @ 1, rND(norm="none") @ 3, Annotated], qrels, worked.run_frame)
    assert found["rND@1", "1"] == pytest.approx((1 - 2 / 3) / (2 / 3))
    assert found["rND(norm='none')@3", "1"] == pytest.approx(1 / 3 + (1 / 3) / math.log2(3))
    assert found["Annotated", "1"] == 3 / 4


def test_a_group_that_the_run_alone_has_is_unannotated_and_warned_of(worked):
    class Open(groups.Groups):
        def lookup(self, qids, docnos):
            known = {"a": "PRO", "b": "PRO", "c": "CON", "d": "NEW"}
            return pd.DataFrame(
                [(q, d, known[d]) for q, d in zip(qids, docnos, strict=True)],
                columns=["qid", "docno", "group"])

    measure = rND(groups=Open("open-groups")) @ 3
    messages = told(
        lambda: ir_measures.calc_aggregate([measure], worked.qrels_frame, worked.run_frame))
    assert len(messages) == 1 and "NEW" in messages[0] and "unannotated" in messages[0]
    assert by_topic([measure], worked.qrels_frame, worked.run_frame) == pytest.approx(
        {(str(measure), "1"): 0.54330}, abs=5e-6)


def test_undefined_topics_are_zero_and_warned_of_once(worked):
    # Only PRO is relevant: without a second group there is no minority.
    qrels = pd.concat(
        [
            worked.qrels_frame,
            pd.DataFrame([("2", "a", 1, "PRO")], columns=worked.qrels_frame.columns)]
    )
    run = pd.concat([worked.run_frame, worked.run_frame.assign(query_id="2")])
    evaluator = ir_measures.evaluator([rND @ 3, rKL @ 3, nDD], qrels)
    results = []
    messages = told(
        lambda: results.extend(
            evaluator.calc_aggregate(frame) for frame in (run, worked.run_frame, run[:0]))
    )
    assert len(messages) == 2 and messages[1].startswith("the run is empty")
    assert "rKL@3, rND@3 on 1 of 2 topics ('2')" in messages[0]
    assert [result[rND @ 3] for result in results] == pytest.approx(
        [0.54330 / 2, 0.54330 / 2, 0.5], abs=5e-6)


DROPPING = {
    "qrels": pd.DataFrame(
        [("1", "a", 1), ("1", "b", 1), ("1", "c", 1), ("2", "a", 1), ("2", "b", 1)],
        columns=["query_id", "doc_id", "relevance"]),
    "run": pd.DataFrame(
        [("1", "a", 3.0), ("1", "c", 2.0), ("1", "b", 1.0), ("2", "a", 2.0), ("2", "b", 1.0)],
        columns=["query_id", "doc_id", "score"]),
    "groups": groups.from_mapping({"a": "PRO", "b": "CON", "c": "PRO"}).relabel(
        {"1": "liberal", "2": "both or neither"}),
}


@pytest.mark.parametrize(
    "name",
    ["BiasP(pro='conservative',con='liberal')@2", "rND@2", "nDD", "nDJS", "AWRF", "Annotated"])
def test_topics_that_groups_drop_are_in_no_mean(name):
    """Gezici et al. (2021): topics that lean neither way drop out of the experiment."""
    qrels, run, dropping = DROPPING.values()
    plain = ir_measures.parse_measure(name)
    measure = plain(groups=dropping)
    with pytest.warns(FairnessWarning, match=r"drops 1 of 2 topics .*'2'.*to_qrels"):
        means = ir_measures.calc_aggregate([measure, nDCG @ 3], qrels, run)
    expected = ir_measures.calc_aggregate([plain], dropping.to_qrels(qrels), run)[plain]
    assert means[measure] == expected and means[nDCG @ 3] == 1.0
    values = by_topic([measure], qrels, run)
    assert values[str(measure), "1"] == expected and np.isnan(values[str(measure), "2"])
    assert np.isnan(ir_measures.calc_aggregate([measure], qrels[3:], run)[measure]), (
        "no topic is left")


def test_topics_that_groups_drop_in_an_experiment():
    qrels, run, dropping = DROPPING.values()
    measures = [nDCG @ 3, BiasP(pro="conservative", con="liberal", groups=dropping) @ 2]
    frames = (
        pt.model.from_ir_measures(run), pd.DataFrame({"qid": ["1", "2"], "query": "x"}),
        pt.model.from_ir_measures(qrels))
    averages, perquery = (
        pt.Experiment([frames[0]], *frames[1:], measures, perquery=each) for each in (False, True))
    name = str(measures[1])
    values = perquery[perquery["measure"] == name].set_index("qid")["value"]
    # PyTerrier sums over all topics: what cannot be right there is no number at all.
    assert values["1"] == -1.0 and np.isnan([values["2"], averages[name][0]]).all()
    assert pt.fairness.evaluate(frames[0], qrels, measures, progress=False)[0].iloc[
        0, 1:].tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    "measure, says",
    [
        (nDCG @ 5, r"the provider 'fairness' does not compute nDCG@5"),
        (alpha_nDCG @ 0, "cutoff takes a whole number")],
)
def test_the_provider_by_itself_refuses_measures(worked, measure, says):
    with pytest.raises(ValueError, match=says):
        ir_measures.providers.registry["fairness"].calc_aggregate(
            [measure], worked.qrels_frame, worked.run_frame)


def test_a_divergence_from_a_target_that_a_thousand_groups_lack():
    def qrels(others):
        rows = [
            ("1", "a", 1, "A"), ("1", "b", 1, "B"),
            *(("2", f"d{i}", 1, f"g{i}") for i in range(others))]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"d0": 1.0}}
    some = {"A": 0.5, "B": 0.5}
    for measure in (
        rKL(protected="all") @ 2,
        NDKL(target="qrels") @ 2,
        DistKL(target=some) @ 2,
        DistFair(target=some) @ 2,
    ):
        assert next(iter(measure.iter_calc(qrels(990), run))).value > 0
        with pytest.raises(
            ValueError, match=r"groups have no share in the target distribution.*at most 999 can"
        ):
            measure.calc_aggregate(qrels(1001), run)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int64", "float32", "bool"])
def test_every_kind_of_relevance(kind: str) -> None:
    qrels = pd.DataFrame([["1", "a", 0, "A"], ["1", "a", 1, "B"], ["1", "b", 1, "A"]],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([["1", "a", 2.0], ["1", "b", 1.0]], columns=["query_id", "doc_id", "score"])
    expected = ir_measures.calc_aggregate([rKL @ 2, alpha_nDCG @ 2], qrels, run)
    assert (
        ir_measures.calc_aggregate(
            [rKL @ 2, alpha_nDCG @ 2], qrels.astype({"relevance": kind}), run)
        == expected
    )


@pytest.mark.parametrize("kind", ["float", "object", "category", "Float64"])
def test_ids_that_became_floats_are_the_whole_numbers_that_they_were(kind: str) -> None:
    qrels = pd.DataFrame(
        [["1", "1", 1, "A"], ["1", "2", 1, "B"]],
        columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([["1", "2", 2.0], ["1", "1", 1.0]], columns=["query_id", "doc_id", "score"])
    as_floats = [
        frame.astype({"query_id": float, "doc_id": float}).astype({"doc_id": kind})
        for frame in (qrels, run)]
    frame = pd.DataFrame({"docno": pd.Series([1.0, 2.0]).astype(kind), "group": ["A", "B"]})
    measures = [rND @ 2, Annotated @ 2, rND(groups=groups.from_mapping({1: "A", 2: "B"})) @ 2,
                rND(groups=groups.from_frame(frame)) @ 2]
    expected = ir_measures.calc_aggregate(measures, qrels, run)
    assert expected[measures[1]] == 1.0
    for one, other in ((as_floats[0], run), (qrels, as_floats[1]), as_floats):
        assert ir_measures.calc_aggregate(measures, one, other) == expected


def test_topics_of_several_types_are_the_whole_numbers_that_they_were() -> None:
    qrels = pd.DataFrame(
        [["1", "a", 1, "A"], ["2", "a", 1, "A"]],
        columns=["query_id", "doc_id", "relevance", "iteration"])
    for topics in ([1, 2.0], [np.float32(1), 2.0], [1, 2]):
        run = pd.DataFrame(
            {"query_id": pd.Series(topics, dtype=object), "doc_id": ["a", "a"], "score": [1.0, 1.0]}
        )
        averages, _ = pt.fairness.evaluate(run, qrels, [AP], progress=False)
        assert averages["AP"].tolist() == [1.0]


def test_qrels_without_subtopics_are_warned_of() -> None:
    qrels = {"1": {"a": 1, "b": 1}}
    with pytest.warns(FairnessWarning, match=r"no topic has more than one subtopic.*iteration"):
        ir_measures.calc_aggregate([alpha_nDCG @ 2], qrels, {"1": {"a": 1.0}})


def test_batches_change_nothing_where_the_groups_declare_their_labels() -> None:
    rows = [["1", "a", 1, "A"], ["1", "b", 1, "B"], ["2", "c", 1, "C"], ["2", "d", 1, "A"]]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    run = pd.DataFrame(
        [[q, d, -i] for i, (q, d, *_) in enumerate(rows)], columns=["qid", "docno", "score"])
    declared = groups.from_frame(
        pd.DataFrame([[d, g] for _, d, _, g in rows], columns=["docno", "group"]))
    measures = [
        m(groups=declared) @ 2
        for m in (
            pt_fairness.AWRF, pt_fairness.DistKL, pt_fairness.DistFair, pt_fairness.NDKL,
            pt_fairness.MinSkew, pt_fairness.MaxSkew, rKL(protected="all"), rKL(target="uniform"))
    ]
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["x", "y"]})
    tables = [
        pt.Experiment([pt.Transformer.from_df(run)], topics, qrels, measures, batch_size=size)
        for size in (None, 1)]
    for measure in measures:
        assert tables[0][str(measure)][0] == pytest.approx(tables[1][str(measure)][0], abs=1e-12), (
            measure)


def test_the_provider_can_be_loaded_before_there_is_a_pipeline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pt_fairness import provider
    monkeypatch.delattr(ir_measures, "DefaultPipeline")
    provider.plug_in()  # what an ir_measures that reads entry points would have happen
    monkeypatch.undo()
    provider.plug_in()
    assert [
        one.NAME for one in ir_measures.DefaultPipeline.providers if hasattr(one, "NAME")
    ].count("fairness") == 1
