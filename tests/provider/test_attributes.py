"""The groups of documents in several sources at once."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pt_fairness import TrecFair, groups, targets
from pt_fairness.provider.measure_lists import Attributes
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run

QRELS = pd.DataFrame([("1", "a", 1), ("1", "b", 0), ("2", "c", 1)],
                     columns=["query_id", "doc_id", "relevance"])
RUN = pd.DataFrame([("1", "x", 2.0), ("1", "a", 1.0), ("2", "b", 1.0)],
                   columns=["query_id", "doc_id", "score"])

pytestmark = pytest.mark.usefixtures("forget_targets")


@pytest.fixture
def measure(registered_groups) -> Any:
    registered_groups("place", groups.from_mapping({"a": ["N", "S"], "b": "N", "c": "S"}))
    registered_groups("age", groups.from_mapping({"a": "old", "b": "-", "c": "young"}))
    for name, labels in (("places", "NS"), ("ages", ("old", "young", "between"))):
        targets.register(name, pd.DataFrame({"group": list(labels), "share": 1 / len(labels)}))
    return TrecFair(attributes={"place": "places", "age": "ages"})


def attributes_of(*measures, run: pd.DataFrame = RUN) -> tuple[Any, list[str]]:
    judgments, warnings = Judgments(QRELS), []
    ranked = Run(run, judgments, lambda text, cause: None)
    annotations = Annotations(judgments, groups.from_mapping({"a": "of another source"}), [1])
    rankings = annotations.of_run(ranked, None)
    found = Attributes(measures, judgments).added_to(
        rankings, ranked, lambda text, cause: warnings.append(text))
    return found.attributes, warnings


def test_each_source_has_the_groups_of_ranked_and_judged_documents(measure):
    found, warnings = attributes_of(measure)
    assert set(found) == {"place", "age"} and not warnings
    for name, ranked, judged in (
            ("place", [{}, {"N": 0.5, "S": 0.5}, {"N": 1.0}], [{"N": 0.5, "S": 0.5}, {"S": 1.0}]),
            ("age", [{}, {"old": 1.0}, {"@UNKNOWN": 1.0}], [{"old": 1.0}, {"young": 1.0}])):
        one = found[name]
        relevant = one.pair_codes[one.pair_codes >= 0]
        for codes, wanted in ((one.codes, ranked), (relevant, judged)):
            shares = one.sets.shares(codes, one.sets.labels)
            held = [{label: share for label, share in zip(one.sets.labels, row, strict=True)
                     if share} for row in shares]
            assert held == wanted


def test_labels_of_the_target_are_groups_although_no_document_has_them(measure):
    assert attributes_of(measure)[0]["age"].sets.labels[-1] == "@UNKNOWN"
    assert "between" in attributes_of(measure)[0]["age"].sets.labels


def test_a_run_of_other_documents_is_named(measure):
    other = RUN.assign(doc_id=["y1", "y2", "y3"])
    _, warnings = attributes_of(measure, run=other)
    assert len(warnings) == 2 and all("'y1'" in text for text in warnings)
    assert {name for name in ("place", "age") for text in warnings if f"{name!r}" in text} == {
        "place", "age"}


def test_weights_of_a_source_in_whole_are_refused(measure, registered_groups):
    frame = pd.DataFrame({"docno": ["a", "a"], "group": ["N", "S"], "weight": [1.0, 3.0]})
    registered_groups("place", groups.from_frame(frame))
    with pytest.raises(ValueError, match=r"'place' in whole, but documents have weights"):
        attributes_of(measure(whole="place,age"))


def test_a_target_of_topics_is_refused(measure):
    targets.register("places", pd.DataFrame({"qid": ["1", "1"], "group": ["N", "S"],
                                             "share": [0.5, 0.5]}))
    with pytest.raises(ValueError, match="'places' depends on the topic"):
        attributes_of(measure)
