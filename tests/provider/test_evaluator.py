"""The evaluator: inputs, warnings, other measures beside it."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, ERR_IA, P, nDCG
from ir_measures.util import Qrel, ScoredDoc
from provider_cases import ALL, by_topic, told, told_of

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

QRELS = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B"), ("2", "a", 1, "A"),
                      ("2", "b", 0, "B")],
                     columns=["query_id", "doc_id", "relevance", "iteration"])


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
    assert by_topic(ALL, iter(as_qrels), (doc for doc in as_docs)) == expected
    as_dict: dict[str, dict[str, float]] = {}
    for qid, docno, score in case.run:
        as_dict.setdefault(qid, {})[docno] = score
    assert by_topic(ALL, qrels, as_dict) == expected


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_the_whole_interface(make_case):
    case = make_case(5)
    qrels, run, other = case.qrels_frame, case.run_frame, make_case(6).run_frame
    evaluator = ir_measures.evaluator(ALL, qrels)
    for frame in (run, other, run):  # an evaluator is used for many runs
        expected = by_topic(ALL, qrels, frame)
        assert {(str(metric.measure), metric.query_id): metric.value
                for metric in evaluator.iter_calc(frame)} == expected
    assert {qid for _, qid in expected} == set(qrels["query_id"])
    means = evaluator.calc_aggregate(run)
    assert ir_measures.calc_aggregate(ALL, qrels, run) == means
    for measure in ALL:
        values = [value for (name, _), value in expected.items() if name == str(measure)]
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


def test_groups_of_other_documents_are_warned_of(worked):
    other = groups.from_mapping({"Xa": "PRO", "Xc": "CON"}, name="other")
    qrels, run = worked.qrels_frame, worked.run_frame
    unknown, undefined = told_of([rND(groups=other) @ 3], qrels, run)
    assert "judged" in unknown and "'a'" in unknown and "'c'" in unknown
    assert "1 of 1 topics" in undefined and "'a'" in undefined
    # Measures that need no relevant document have a warning, too.
    (text,) = told_of([AWRF(groups=other) @ 3, nDJS(groups=other)], qrels, run)
    assert text == unknown
    # One warning of undefined topics, whatever the sources of the measures.
    one_group = qrels[qrels["iteration"] == "PRO"]
    _, text = told_of([rND @ 3, rND(groups=other) @ 3], one_group, run)
    assert "rND@3 on 1 of 1" in text and "rND(groups='other')@3 on 1 of 1" in text
    # The judged documents have groups, the ranked ones none.
    known = groups.from_mapping({"a": "PRO", "b": "CON"})
    texts = told_of([AWRF(groups=known) @ 3], qrels, {"1": {"y": 1.0}})
    assert any("group" in text and "'y'" in text for text in texts)


def test_sources_of_attributes_that_know_no_document_are_warned_of(forget_targets):
    qrels = pd.DataFrame([("1", "a", 1)], columns=["query_id", "doc_id", "relevance"])
    place = groups.from_mapping({"a": ["N", "S"], "b": "N"}, name="place")
    targets.register("places", pd.DataFrame({"group": ["N", "S"], "share": 0.5}))
    measure = TrecFair(attributes={place: "places"})
    assert told_of([measure], qrels, {"1": {"a": 2.0, "b": 1.0}}) == []
    text, _ = sorted(told_of([measure], qrels, {"1": {"y": 1.0}}))
    assert "'y'" in text and "'place'" in text


class Grouped(groups.Groups):
    """Groups of a class, with labels that it may not keep to."""

    complete = True

    def __init__(self, found, labels):
        super().__init__("grouped", labels)
        self._found = found

    def lookup(self, qids, docnos):
        rows = [(qid, docno, group) for qid, docno in zip(qids, docnos, strict=True)
                for group in self._found.get(docno, "")]
        return pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype=object)


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


def test_topics_that_are_undefined_for_one_run():
    """The target is the run."""
    run = pd.DataFrame([("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 2.0), ("2", "b", 1.0)],
                       columns=["query_id", "doc_id", "score"])
    measure = logDP(target="run", protected="A")
    evaluator = ir_measures.evaluator([measure], QRELS)
    messages = told(lambda: [list(evaluator.iter_calc(rows)) for rows in (run, run[:3], run[1:])])
    both, another = messages
    assert str(measure) in both and "1 of 2 topics ('2')" in both and "('1')" in another


def test_a_topic_that_is_undefined_without_results():
    """RepBias without a cutoff divides by the number of documents, which is 0."""
    qrels = QRELS.assign(iteration=["A", "B", "", ""])
    (mask,) = ir_measures.evaluator([RepBias(group="A")], qrels).undefined().values()
    assert mask.tolist() == [False, True]
