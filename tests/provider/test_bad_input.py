"""Input that the provider refuses, and input without results or groups."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import pandas as pd
import pytest
from ir_measures import ERR_IA, alpha_nDCG, nDCG
from ir_measures.util import ScoredDoc
from provider_cases import ALL, QRELS, RUN, by_topic, told, told_of

from pt_fairness import Annotated, groups, nDD, nDJS, rKL, rND

SOURCE = groups.from_mapping({"a": "PRO", "c": "CON"})
WORKED = pytest.approx(0.54330, abs=5e-6)


@pytest.mark.parametrize("iteration", ["0", "Q0", 0, 0.0])
def test_qrels_without_annotations_are_refused(worked, iteration):
    qrels = worked.qrels_frame.assign(iteration=iteration)
    with pytest.raises(ValueError, match=r"must have groups.*groups=.*to_qrels.*read_qrels"):
        by_topic([rND], qrels, worked.run_frame)
    with pytest.raises(ValueError, match="must have groups"):
        by_topic([nDJS, nDCG @ 5], qrels.drop(columns="iteration"), worked.run_frame)
    # With groups= it does not matter.
    source = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON"})
    assert [*by_topic([rND(groups=source) @ 3], qrels, worked.run_frame).values()] == [WORKED]


@pytest.mark.parametrize(("measure", "message"), [
    (lambda: rND(groups="no-such-name"), "no-such-name.*no such file exists. Registered .* more"),
    (lambda: rND(groups="/no/file.tsv"), "/no/file.tsv.*no such file exists. Registered .* more"),
    (lambda: rND(groups="trec-newswir"), r"exists\. Did you mean 'trec-newswire'"),
    (lambda: rND(protected="NONE", groups=SOURCE), r"protected='NONE'.*'CON', 'PRO'")])
def test_unknown_groups_and_labels_are_refused(worked, measure, message):
    with pytest.raises(ValueError, match=message):
        by_topic([measure()], worked.qrels_frame, worked.run_frame)


@pytest.mark.parametrize("measure, message", [
    (nDCG @ 5, "measures must be of .*'fairness', got nDCG@5"),
    (alpha_nDCG @ 0, "cutoff must be .*alpha_nDCG@0"),
    *((measure, f"cutoff must be from 1 to 20 .*{measure}")
      for measure in (ERR_IA, ERR_IA @ 0, ERR_IA @ 21))])
def test_the_provider_by_itself_refuses_measures(worked, measure, message):
    with pytest.raises(ValueError, match=message):
        ir_measures.providers.registry["fairness"].calc_aggregate(
            [measure], worked.qrels_frame, worked.run_frame)


def test_labels_that_no_document_has_are_warned_of(worked):
    def texts(measure):
        return told_of([measure], worked.qrels_frame, worked.run_frame)

    (text,) = texts(rND(protected="NONE"))
    assert "protected='NONE'" in text and "'CON', 'PRO'" in text
    # Of several labels each is looked at; one that an explicit target adds belongs to the label
    # set.
    assert any("protected='NONE'" in text for text in texts(rND(protected="CON,NONE")))
    added = rND(protected="NONE", target={"NONE": 0.5, "PRO": 0.5})
    for measure in (added, added(groups=SOURCE)):
        (text,) = texts(measure)
        assert "has a share for 'NONE'" in text and text.endswith("have 'CON', 'PRO'")
    # A word that is nearly one of those that protected takes is met by all that it takes.
    text = texts(rKL(protected="minoritty"))[0]
    assert "'minority', 'majority'" in text and "'all'" in text


def test_labels_are_any_text(worked):
    """As a number, and with a comma."""
    for label, measure in (("7", rND @ 3), ("a, b", rND(protected="a, b") @ 3)):
        qrels = worked.qrels_frame.replace({"iteration": {"CON": label}})
        assert [*by_topic([measure], qrels, worked.run_frame).values()] == [WORKED]
    # So is one that a target adds, whether or not the groups declare their labels.
    added = rND(protected="x,y", target={"x,y": 0.5, "PRO": 0.5}) @ 1
    for measure in (added, added(groups=SOURCE)):
        assert [*by_topic([measure], worked.qrels_frame, worked.run_frame).values()] == [1.0]


@pytest.mark.parametrize("empty", [
    [], {}, pd.DataFrame({"query_id": [], "doc_id": [], "score": []}),
    pd.DataFrame([("1", "a", 1.0)], columns=RUN)[:0]], ids=["list", "dict", "frame", "typed frame"])
def test_an_empty_run_is_unfair(worked, empty):
    (text,) = told_of([rND @ 2], worked.qrels_frame, empty)
    assert "0 of the 1 topics" in text
    found = by_topic([*ALL, rND(norm="none") @ 2, ERR_IA @ 5], worked.qrels_frame, empty)
    sums = {"rND(norm='none')@2": pytest.approx(2 / 3 * (1 + 1 / math.log2(3)))}
    zero = {"Annotated@10": 0.0, "alpha_nDCG@5": 0.0, "ERR_IA@5": 0.0}
    assert found == {(name, "1"): value for name, value in (
        dict.fromkeys(map(str, ALL), 1.0) | zero | sums).items()}


def test_empty_qrels():
    empty = pd.DataFrame([("1", "a", 1, "A")], columns=QRELS)[:0]
    run = pd.DataFrame([("q", "a", 1.0)], columns=RUN)
    assert by_topic([*ALL, nDD(norm="none"), ERR_IA @ 5], empty, run) == {}


@pytest.mark.parametrize("docnos, values", [
    ("c", [1.0, 0.0, 0.0, 1.0]), ("a", [0.5, 0.0, 0.0, 1.0]), ("xy", [1.0, 1.0, 1.0, 0.0])])
def test_runs_of_one_document_and_of_unannotated_ones(worked, docnos, values):
    run = [ScoredDoc("1", docno, -float(i)) for i, docno in enumerate(docnos)]
    measures = [rND @ 10, nDD, nDJS, Annotated]
    found = by_topic(measures, worked.qrels_frame, run)
    assert [found[str(measure), "1"] for measure in measures] == pytest.approx(values)


def test_qrels_that_annotate_nothing_leave_nothing_to_compare_with(worked):
    qrels = worked.qrels_frame.assign(iteration="-")
    for measure in (rND @ 2, rKL(protected="all")):
        assert [*by_topic([measure], qrels, worked.run_frame).values()] == [0.0]
        (text,) = told_of([measure], qrels, worked.run_frame)
        assert "1 of 1 topics" in text and "no relevant document, such as 'a'," in text
    # A run without an annotated document is its own population: unfair, not undefined.
    assert by_topic([nDJS @ 3, Annotated], qrels, worked.run_frame) == {
        ("nDJS@3", "1"): 1.0, ("Annotated", "1"): 0.0}


def test_scores_that_are_missing_or_infinite(worked):
    run = worked.run_frame.assign(score=[math.inf, 1.0, 0.5, -math.inf])
    assert [*by_topic([rND @ 3], worked.qrels_frame, run).values()] == [WORKED]
    with pytest.raises(ValueError, match=r"NaN .*'d' and topic '1'"):
        by_topic([rND], worked.qrels_frame, run.assign(score=[3.0, 2.0, None, 1.0]))


def test_a_document_given_twice_counts_once_and_is_warned_of_once(worked):
    run = pd.concat([pd.DataFrame([("1", "c", -5.0), ("1", "a", 99.0)], columns=RUN),
                     worked.run_frame])
    evaluator = ir_measures.evaluator([rND @ 3, rKL, Annotated], worked.qrels_frame)
    expected = [*evaluator.iter_calc(worked.run_frame)]
    found: list[Any] = []
    messages = told(lambda: found.extend([list(evaluator.iter_calc(run)) for _ in range(3)]))
    assert len(messages) == 1 and "2 rows" in messages[0] and "last row counts" in messages[0]
    assert found == [expected] * 3
