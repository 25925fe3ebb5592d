"""Input that the provider refuses, and input without results or groups."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import pandas as pd
import pytest
from ir_measures import ERR_IA, nDCG
from ir_measures.util import ScoredDoc
from provider_cases import ALL, by_topic, told

from pt_fairness import Annotated, groups, nDD, nDJS, rKL, rND
from pt_fairness.rankings.trec_order import Judgments


@pytest.mark.parametrize("iteration", ["0", "Q0", 0, 0.0])
def test_qrels_without_annotations_are_refused(worked, iteration):
    qrels = worked.qrels_frame.assign(iteration=iteration)
    with pytest.raises(ValueError, match=r"no groups.*groups=.*to_qrels.*read_qrels"):
        by_topic([rND], qrels, worked.run_frame)
    with pytest.raises(ValueError, match="no groups"):
        by_topic([nDJS, nDCG @ 5], qrels.drop(columns="iteration"), worked.run_frame)
    # With groups= it does not matter.
    source = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON"})
    assert by_topic([rND(groups=source) @ 3], qrels, worked.run_frame) == pytest.approx(
        {(str(rND(groups=source) @ 3), "1"): 0.54330}, abs=5e-6)


def test_a_topic_labelled_0_beside_others_is_a_group(worked):
    qrels = worked.qrels_frame.replace({"iteration": {"CON": "0"}})
    assert by_topic([rND @ 3], qrels, worked.run_frame)["rND@3", "1"] == pytest.approx(
        0.54330, abs=5e-6)


@pytest.mark.parametrize("source", ["no-such-name", "/no/such/file.tsv"])
def test_unknown_groups_are_refused(worked, source):
    error = f"{source}.*no such file exists. Registered are 'argsme.* more"
    with pytest.raises(ValueError, match=error):
        by_topic([rND(groups=source)], worked.qrels_frame, worked.run_frame)


def test_a_misspelt_group_source():
    with pytest.raises(ValueError, match=r"exists\. Did you mean 'trec-newswire'"):
        groups.get("trec-newswir")


def test_a_label_that_does_not_occur(worked):
    with pytest.raises(ValueError, match=r"protected='NONE'.*'CON', 'PRO'"):
        by_topic(
            [rND(protected="NONE", groups=groups.from_mapping({"a": "PRO", "c": "CON"}))],
            worked.qrels_frame, worked.run_frame)
    measure = rND(protected="NONE")
    found = told(
        lambda: ir_measures.calc_aggregate([measure], worked.qrels_frame, worked.run_frame))
    assert (
        len([text for text in found if "protected='NONE'" in text and "'CON', 'PRO'" in text]) == 1)
    # Of several labels each is looked at; one that an explicit target adds belongs to the label
    # set.
    found = told(
        lambda: ir_measures.calc_aggregate(
            [rND(protected="CON,NONE")], worked.qrels_frame, worked.run_frame)
    )
    assert any("protected='NONE'" in text for text in found)
    for source in (None, groups.from_mapping({"a": "PRO", "c": "CON"})):
        added = rND(
            protected="NONE", target={"NONE": 0.5, "PRO": 0.5},
            **({} if source is None else {"groups": source}))
        found = told(
            lambda added=added: ir_measures.calc_aggregate(
                [added], worked.qrels_frame, worked.run_frame)
        )
        assert (
            len(found) == 1 and "has a share for 'NONE'" in found[0]
            and found[0].endswith("have 'CON', 'PRO'"))
    # A word that is nearly one of those that protected takes is met by all that it takes.
    found = told(
        lambda: ir_measures.calc_aggregate(
            [rKL(protected="minoritty")], worked.qrels_frame, worked.run_frame)
    )
    assert "'minority', 'majority'" in found[0] and "'all'" in found[0]


def test_a_label_that_has_a_comma_in_it_is_one_label(worked):
    qrels = worked.qrels_frame.replace({"iteration": {"CON": "a, b"}})
    found = by_topic([rND(protected="a, b") @ 3], qrels, worked.run_frame)
    assert list(found.values()) == pytest.approx([0.54330], abs=5e-6)
    # So is one that a target adds, whether or not the groups declare their labels.
    for source in ({}, {"groups": groups.from_mapping({"a": "PRO", "c": "CON"})}):
        measure = rND(protected="x,y", target={"x,y": 0.5, "PRO": 0.5}, **source) @ 1
        assert by_topic([measure], worked.qrels_frame, worked.run_frame) == {
            (str(measure), "1"): 1.0}


@pytest.mark.parametrize(
    "empty",
    [
        [],
        {},
        pd.DataFrame({"query_id": [], "doc_id": [], "score": []}),
        pd.DataFrame(
            {
                "query_id": pd.Series(dtype="str"), "doc_id": pd.Series(dtype="str"),
                "score": pd.Series(dtype=float)}
        ),
    ],
    ids=["list", "dict", "frame", "typed frame"],
)
def test_an_empty_run_is_unfair(worked, empty):
    texts = told(lambda: ir_measures.calc_aggregate([rND @ 2], worked.qrels_frame, empty))
    assert texts == ["the run is empty: every topic counts as if it had returned nothing"]
    found = by_topic([*ALL, rND(norm="none") @ 2, ERR_IA @ 5], worked.qrels_frame, empty)
    assert found == {
        ("rND@10", "1"): 1.0,
        ("rKL@5", "1"): 1.0,
        ("rRD", "1"): 1.0,
        ("nDD@4", "1"): 1.0,
        ("nDR", "1"): 1.0,
        ("nDKL@10", "1"): 1.0,
        ("nDJS", "1"): 1.0,
        ("Annotated@10", "1"): 0.0,
        ("alpha_nDCG@5", "1"): 0.0,
        ("rND(norm='none')@2", "1"): pytest.approx(2 / 3 * (1 + 1 / math.log2(3))),
        ("ERR_IA@5", "1"): 0.0}


CONFLICTS = [("1", "a", 0, "A"), ("1", "b", 1, "A"), ("1", "a", 2, "A"), ("1", "a", 1, "B"),
             ("1", "b", 1, "A"), ("2", "a", 1, "B"), ("2", "c", 1, "-"), ("2", "c", 0, "-")]


@pytest.mark.parametrize(("columns", "rows"), [(4, 2), (3, 3)])
def test_one_warning_of_judgments_that_contradict_each_other(columns, rows):
    names = ["query_id", "doc_id", "relevance", "iteration"]
    qrels = pd.DataFrame(CONFLICTS, columns=names)[names[:columns]]
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    source = {"groups": groups.from_mapping({"a": "A", "b": "B"})} if columns == 3 else {}
    measures = [rKL(**source) @ 2, nDCG @ 2]
    texts = told(lambda: ir_measures.calc_aggregate(measures, qrels, run))
    [text] = [text for text in texts if "another relevance" in text]
    assert text.startswith(f"{rows} rows of the qrels judge a document again")
    assert "the first is 'a' for topic '1'" in text


def test_equal_judgments_and_those_of_other_groups_are_no_contradiction():
    names = ["query_id", "doc_id", "relevance", "iteration"]
    qrels = pd.DataFrame([CONFLICTS[i] for i in (0, 1, 3, 4, 5)], columns=names)
    assert not len(Judgments(qrels).conflicts)
    assert not len(Judgments(qrels.drop_duplicates()).conflicts)


def test_empty_qrels():
    empty = pd.DataFrame({"query_id": pd.Series(dtype="str"), "doc_id": pd.Series(dtype="str"),
                          "relevance": pd.Series(dtype=int), "iteration": pd.Series(dtype="str")})
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})
    assert by_topic([*ALL, nDD(norm="none"), ERR_IA @ 5], empty, run) == {}


def test_a_run_of_one_document(worked):
    found = by_topic(
        [rND @ 10, nDD, nDJS, Annotated], worked.qrels_frame, [ScoredDoc("1", "c", 1.0)])
    assert found == pytest.approx(
        {("rND@10", "1"): 1.0, ("nDD", "1"): 0.0, ("nDJS", "1"): 0.0, ("Annotated", "1"): 1.0})
    found = by_topic(
        [rND @ 10, nDD, nDJS, Annotated], worked.qrels_frame, [ScoredDoc("1", "a", 1.0)])
    assert found == pytest.approx(
        {("rND@10", "1"): 0.5, ("nDD", "1"): 0.0, ("nDJS", "1"): 0.0, ("Annotated", "1"): 1.0})


def test_all_documents_unannotated(worked):
    run = [ScoredDoc("1", "x", 2.0), ScoredDoc("1", "y", 1.0)]
    assert by_topic([rND @ 2, nDJS, Annotated], worked.qrels_frame, run) == {
        ("rND@2", "1"): 1.0, ("nDJS", "1"): 1.0, ("Annotated", "1"): 0.0}


def test_qrels_that_annotate_nothing_leave_nothing_to_compare_with(worked):
    qrels = worked.qrels_frame.assign(iteration="-")
    for measure in (rND @ 2, rKL(protected="all")):
        found: list[Any] = []
        messages = told(lambda measure=measure, found=found: found.extend(
            ir_measures.iter_calc([measure], qrels, worked.run_frame)))
        assert [m.value for m in found] == [0.0]
        assert len(messages) == 1 and "1 of 1 topics" in messages[0]
        assert messages[0].endswith(
            "(no relevant document, such as 'a', has a group in the iteration of the qrels)")
    # A run without an annotated document is its own population: unfair, not undefined.
    assert by_topic([nDJS @ 3, Annotated], qrels, worked.run_frame) == {
        ("nDJS@3", "1"): 1.0, ("Annotated", "1"): 0.0}


@pytest.mark.parametrize("score", [math.nan, None])
def test_a_score_that_is_not_a_number_is_refused(worked, score):
    run = worked.run_frame
    run.loc[2, "score"] = score
    with pytest.raises(ValueError, match="'d' for topic '1' is NaN"):
        by_topic([rND], worked.qrels_frame, run)


def test_infinite_scores_rank_first_and_last(worked):
    run = worked.run_frame
    run["score"] = [math.inf, 1.0, 0.5, -math.inf]
    assert by_topic([rND @ 3], worked.qrels_frame, run) == by_topic(
        [rND @ 3], worked.qrels_frame, worked.run_frame)


def test_a_document_given_twice_counts_once_and_is_warned_of_once(worked):
    run = pd.concat(
        [
            pd.DataFrame(
                [("1", "c", -5.0), ("1", "a", 99.0)], columns=["query_id", "doc_id", "score"]),
            worked.run_frame,
        ]
    )
    evaluator = ir_measures.evaluator([rND @ 3, rKL, Annotated], worked.qrels_frame)
    expected = {
        m.measure: m.value
        for m in ir_measures.iter_calc(
            [rND @ 3, rKL, Annotated], worked.qrels_frame, worked.run_frame)
    }
    found = []
    messages = told(lambda: found.extend([list(evaluator.iter_calc(run)) for _ in range(3)]))
    assert len(messages) == 1 and "2 rows" in messages[0] and "last row counts" in messages[0]
    assert all({m.measure: m.value for m in values} == expected for values in found)
