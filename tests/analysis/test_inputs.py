"""Arguments of the functions of the analysis: runs, qrels, groups and measures."""

import re

import pandas as pd
import pytest
from ir_measures import P, nDCG
from one_test import each

import pt_fairness as pf
from pt_fairness.analysis.inputs import (
    kept_annotations,
    measures_without_groups,
)

QRELS = pd.DataFrame([("2", "a", 1, "x"), ("1", "a", 2, "y"), ("1", "b", 0, "x"),
                      ("1", "c", 1, "-")], columns=["qid", "docno", "label", "iteration"])
OF_IR_MEASURES = QRELS.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
RUN = pd.DataFrame([("1", "b", 1.0), ("1", "a", 1.0), ("1", "z", 3.0), ("2", "a", 0.5),
                    ("9", "a", 1.0)], columns=["qid", "docno", "score"])


def test_topics_that_a_source_drops_are_left_out():
    source = pf.groups.from_mapping({"a": "p", "b": "q"}).relabel({"2": {"p": "r"}})
    found = kept_annotations(OF_IR_MEASURES, source, [pf.AWRF @ 5])
    assert found.judgments.topics == ["2"] and found.labels == ["r"]
    everything = kept_annotations(OF_IR_MEASURES, pf.groups.from_mapping({"a": "p"}), [pf.AWRF @ 5])
    assert everything.judgments.topics == ["2", "1"]
    with pytest.raises(ValueError, match="drops all"):
        kept_annotations(OF_IR_MEASURES,
                         pf.groups.from_mapping({"a": "p"}).relabel({"7": {"p": "r"}}), [])


def test_labels_of_measures_that_no_document_has():
    with pytest.warns(pf.FairnessWarning, match="'w' .*judged"):
        kept_annotations(OF_IR_MEASURES, None, [pf.rND(protected="w") @ 5])
    with pytest.raises(ValueError, match="protected='w'"):
        source = pf.groups.from_mapping({"a": "p"})
        kept_annotations(OF_IR_MEASURES, source, [pf.rND(protected="w") @ 5])
    with pytest.warns(pf.FairnessWarning, match="has a share for 'w'"):
        found = kept_annotations(OF_IR_MEASURES, None, [pf.AWRF(target={"x": 0.5, "w": 0.5})])
    assert found.labels == ["x", "y"] and "w" in found.sets.labels


@each("measures, says", [
    ([], "confuse"), ([pf.Annotated @ 5, nDCG @ 5], "got nDCG@5; the groups are those of x"),
    ([P @ 5], "got P@5"), ([pf.rKL(groups="trec-newswire") @ 5], "groups='trec-newswire'"),
    ([pf.GFR(attributes={"trec-newswire": "jsd"}) @ 5], "attributes="), (["rKL@0"], "cutoff")])
def test_measures_that_are_not_possible(measures, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        measures_without_groups(measures, "confuse", "the groups are those of x")
