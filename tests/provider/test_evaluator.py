"""The evaluator: inputs, warnings, other measures beside it."""

from __future__ import annotations

import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, ERR_IA, P, nDCG
from ir_measures.util import Qrel, ScoredDoc
from provider_cases import ALL, by_topic, told_of

import pt_fairness
from pt_fairness import (
    AWRF,
    Annotated,
    FairnessWarning,
    RepBias,
    TrecFair,
    groups,
    logDP,
    nDJS,
    rND,
    targets,
)


def test_it_is_registered():
    fairness = ir_measures.providers.registry["fairness"]
    order = ir_measures.DefaultPipeline.providers
    assert order.index(fairness) < order.index(ir_measures.pyndeval)


@pytest.mark.parametrize("dtype", ["str", object, "string"])
def test_every_form_of_input_gives_the_same(make_case, dtype):
    case = make_case(3, several=True)
    qrels, run = case.qrels_frame, case.run_frame
    expected = by_topic(ALL, qrels, run)
    typed = [frame.astype({"query_id": dtype, "doc_id": dtype}).assign(rank=7, text="x", query="y")
             for frame in (qrels, run)]
    typed[0].index, typed[1].index = typed[0].index[::-1] + 5, np.zeros(len(run), int)
    before = [frame.copy(deep=True) for frame in typed]
    assert by_topic(ALL, *typed) == expected
    for frame, copy in zip(typed, before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)
    as_qrels, as_docs = [Qrel(*row) for row in case.qrels], [ScoredDoc(*row) for row in case.run]
    assert by_topic(ALL, as_qrels, as_docs) == expected
    assert by_topic(ALL, iter(as_qrels), (doc for doc in as_docs)) == expected
    as_dict: dict[str, dict[str, float]] = {}
    for qid, docno, score in case.run:
        as_dict.setdefault(qid, {})[docno] = score
    assert by_topic(ALL, qrels, as_dict) == expected


def test_qrels_as_a_dict_have_their_groups_elsewhere(make_case):
    case = make_case(4)
    source = groups.from_frame(case.groups_frame)
    measures = [kind(groups=source) for kind in (rND, nDJS, Annotated)]
    qrels: dict[str, dict[str, int]] = {}
    for qid, docno, relevance, _ in case.qrels:
        qrels.setdefault(qid, {}).setdefault(docno, relevance)
    frame = pd.DataFrame([(q, d, r) for q, docs in qrels.items() for d, r in docs.items()],
                         columns=["query_id", "doc_id", "relevance"])
    assert by_topic(measures, qrels, case.run_frame) == by_topic(measures, frame, case.run_frame)
    with pytest.raises(ValueError, match="must have groups"):
        by_topic([rND], qrels, case.run_frame)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_the_whole_interface(make_case):
    def by_name(metrics):
        return {(str(metric.measure), metric.query_id): metric.value for metric in metrics}

    case = make_case(5)
    qrels, run, other = case.qrels_frame, case.run_frame, make_case(6).run_frame
    per_query = by_topic(ALL, qrels, run)
    evaluator = ir_measures.evaluator(ALL, qrels)
    for frame in (run, other, run):  # an evaluator is used for many runs
        assert by_name(evaluator.iter_calc(frame)) == by_topic(ALL, qrels, frame)
    fairness = ir_measures.providers.registry["fairness"]
    assert by_name(fairness.iter_calc(ALL, qrels, run)) == per_query
    means, found = evaluator.calc_aggregate(run), ir_measures.calc(ALL, qrels, run)
    assert ir_measures.calc_aggregate(ALL, qrels, run) == found.aggregated == means
    assert by_name(found.per_query) == per_query
    qids = {qid for _, qid in per_query}
    assert qids == set(qrels["query_id"])
    for measure in ALL:
        values = [per_query[str(measure), qid] for qid in qids]
        assert means[measure] == pytest.approx(np.mean(values))


def test_beside_other_measures(make_case):
    case = make_case(7)
    qrels = case.qrels_frame.drop_duplicates(["query_id", "doc_id"])
    mixed = by_topic([*ALL, nDCG @ 5, AP, P @ 3, ERR_IA @ 5], qrels, case.run_frame)
    for measure in [*ALL, nDCG @ 5, AP, P @ 3]:
        assert {key: value for key, value in mixed.items() if key[0] == str(measure)} \
            == by_topic([measure], qrels, case.run_frame)


def test_a_topic_of_the_run_alone_is_left_out_and_one_of_the_qrels_alone_is_not(worked):
    qrels = pd.concat([worked.qrels_frame, worked.qrels_frame.assign(query_id="only judged")])
    run = pd.concat([worked.run_frame, worked.run_frame.assign(query_id="only retrieved")])
    found = by_topic([rND @ 3, Annotated], qrels, run)
    assert found[("rND@3", "1")] == pytest.approx(0.54330, abs=5e-6)
    assert found[("rND@3", "only judged")] == 1.0 and found[("Annotated", "only judged")] == 0.0
    assert "only retrieved" not in {qid for _, qid in found}


def test_a_run_and_qrels_that_share_no_topic_are_warned_of(worked):
    run = worked.run_frame.assign(query_id="q1")
    (text,) = told_of([rND @ 3], worked.qrels_frame, run)
    assert "0 of the 1 topics of the qrels" in text and "'q1'" in text and "'1'" in text


def test_groups_of_other_documents_are_warned_of(worked):
    other = groups.from_mapping({"Xa": "PRO", "Xc": "CON"}, name="other")
    qrels, run = worked.qrels_frame, worked.run_frame
    found = told_of([rND(groups=other) @ 3], qrels, run)
    assert len(found) == 2 and found[0].startswith(
        "no judged document, such as 'a', and no document of the run, such as 'c', has a group in")
    assert "1 of 1 topics (no relevant document, such as 'a', has a group in Groups(" in found[1]
    # Measures that need no relevant document have a warning, too.
    (text,) = told_of([AWRF(groups=other) @ 3, nDJS(groups=other)], qrels, run)
    assert text.startswith("no judged document, such as 'a', and no doc")
    # One warning of undefined topics, whatever the sources of the measures.
    one_group = qrels[qrels["iteration"] == "PRO"]
    _, text = told_of([rND @ 3, rND(groups=other) @ 3], one_group, run)
    for name in ("rND@3", "rND(groups='other')@3"):
        assert f"{name} on 1 of 1 topics" in text


def test_sources_of_attributes_that_know_no_document_are_warned_of(forget_targets):
    qrels = pd.DataFrame([("1", "a", 1)], columns=["query_id", "doc_id", "relevance"])
    place = groups.from_mapping({"a": ["N", "S"], "b": "N"}, name="place")
    targets.register("places", pd.DataFrame({"group": ["N", "S"], "share": 0.5}))
    measure = TrecFair(attributes={place: "places"})
    assert told_of([measure], qrels, {"1": {"a": 2.0, "b": 1.0}}) == []
    text, unjudged = sorted(told_of([measure], qrels, {"1": {"y": 1.0}}))
    assert "'y'" in text and "'place'" in text and "weigh nothing" in text
    assert unjudged.startswith("none of the 1 documents of the run is judged")


def test_a_run_without_judged_documents():
    qrels = pd.DataFrame([("1", "a", 1), ("2", "b", 1)],
                         columns=["query_id", "doc_id", "relevance"])
    measures = [Annotated(groups=groups.from_mapping({"a": "N", "x": "N", "b": "S"})) @ 5]
    assert told_of(measures, qrels, {"1": {"x": 2.0, "b": 1.0}, "2": {"b": 1.0}}) == []
    topics, text = told_of(measures, qrels, {"1": {"x": 2.0, "b": 1.0}, "3": {"a": 1.0}})
    assert "'2'" in topics and "'3'" in topics and "'x'" in text and "'a'" in text


class Grouped(groups.Groups):
    """Groups of a class, with labels that it may not keep to."""

    def __init__(self, found, labels=None, topics=None):
        super().__init__("grouped")
        self._found, self.labels, self.topics = found, labels, topics
        self.complete = labels is not None

    def lookup(self, qids, docnos):
        rows = [(qid, docno, group) for qid, docno in zip(qids, docnos, strict=True)
                for group in self._found.get(docno, "")]
        return pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype=object)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_the_topics_of_a_source_can_be_any_collection(kind):
    qrels = pd.DataFrame({"query_id": ["1", "2"], "doc_id": "a", "relevance": 1})
    run = qrels[["query_id", "doc_id"]].assign(score=1.0)
    source = Grouped({"a": "A"}, topics=kind(["1"]))
    values = [one.value for one in ir_measures.iter_calc([AWRF(groups=source) @ 5], qrels, run)]
    assert np.isnan(values).tolist() == [False, True]


def test_a_label_that_only_the_target_of_another_measure_adds():
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abc"), "relevance": 1})
    run = qrels[["query_id", "doc_id"]].assign(score=[3.0, 2.0, 1.0])
    source = Grouped({"a": "A", "b": "AB", "c": "C"}, labels=["A", "C"])
    pooled = AWRF(groups=source, target="collection") @ 5
    other = AWRF(groups=source, target={"A": 0.5, "B": 0.5}) @ 5
    with pytest.warns(FairnessWarning, match="'B'"):
        together = ir_measures.calc_aggregate([pooled, other], qrels, run)
    alone = ir_measures.calc_aggregate([pooled], qrels, run)
    assert together[pooled] == pytest.approx(alone[pooled], abs=1e-12)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_topics_of_several_types_are_those_of_ndeval():
    qrels = pd.DataFrame({"query_id": pd.Series(["q1", "q1", 2.0, 2.0], dtype=object),
                          "doc_id": list("abab"), "relevance": 1, "iteration": list("xyxy")})
    run = pd.DataFrame({"query_id": ["q1", "2"], "doc_id": "a", "score": 1.0})
    found = {one.query_id: one.value for one in ir_measures.iter_calc(
        [AWRF @ 5, ERR_IA @ 5], qrels, run) if one.measure == ERR_IA @ 5}
    assert len(set(found.values())) == 1 and 0 not in found.values()


class TestUndefinedForOneRun:
    """A topic can be undefined for one run only if the target is the run, or a function says so."""

    QRELS = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B"), ("2", "a", 1, "A"),
                          ("2", "b", 0, "B")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    BOTH = pd.DataFrame([("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 2.0), ("2", "b", 1.0)],
                        columns=["query_id", "doc_id", "score"])

    def messages(self, measure, *runs):
        evaluator = ir_measures.evaluator([measure], self.QRELS)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for run in runs:
                list(evaluator.iter_calc(run))
        return [str(warning.message) for warning in caught]

    def test_the_target_is_the_run(self):
        measure = logDP(target="run", protected="A")
        assert self.messages(measure, self.BOTH) == []
        (message,) = self.messages(measure, self.BOTH[:3])
        assert "logDP(protected='A',target='run')" in message
        assert "on 1 of 2 topics ('2')" in message

    def test_topics_of_other_runs_are_warned_of_again(self):
        both, another = self.messages(logDP(target="run"), self.BOTH[:3], self.BOTH[1:])
        assert "on 1 of 2 topics ('2')" in both and "on 2 of 2 topics" in another

    def test_a_function_says_so(self):
        def first_group(codes):
            return np.where(codes[:, 0] == 0, np.nan, 1.0)

        (message,) = self.messages(pt_fairness.measure(first_group, "FirstGroup"), self.BOTH)
        assert "FirstGroup on 2 of 2 topics" in message

    def test_without_results(self):
        """RepBias without a cutoff divides by the number of documents, which is 0."""
        (source,) = ir_measures.evaluator([RepBias(group="A")], self.QRELS.assign(
            iteration=["A", "B", "", ""])).undefined().values()
        assert source.tolist() == [False, True]
