"""Annotations by document, or by topic and document."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from pt_fairness import groups


def test_a_missing_topic_is_refused():
    with pytest.raises(ValueError, match="row 1 of the groups has no qid"):
        groups.from_frame(
            pd.DataFrame({"qid": ["1", None], "docno": ["a", "b"], "group": ["A", "B"]}))


@pytest.mark.parametrize(
    "source, qid",
    [
        (
            groups.from_frame(pd.DataFrame({"docno": ["a", "a", "a"], "group": ["y", "x", "y"]})),
            "1"),
        (
            groups.from_mapping({"a": ["PRO", "CON", "NEUTRAL"]}).relabel(
                {"1": {"PRO": "x", "CON": "x", "NEUTRAL": "y"}}),
            "1",
        ),
        (
            groups.from_mapping({"a": "z"}).override(
                pd.DataFrame({"docno": "a", "group": ["x", "y", "x"]})),
            "1",
        ),
    ],
)
def test_a_group_that_is_given_twice_is_one(source, qid):
    assert source.lookup([qid], ["a"])["group"].tolist() == ["x", "y"]
    assert source.to_qrels(pd.DataFrame({"qid": [qid], "docno": ["a"], "label": [1]}))[
        "iteration"].tolist() == ["x", "y"]


def test_content_is_the_same_however_it_was_given():
    frame = pd.DataFrame(
        {"qid": ["1", "2", "2", "10"], "docno": ["a", "b", "b", "a"], "group": ["P", "C", "P", "C"]}
    )
    one, same = groups.from_frame(frame), groups.from_frame(frame.iloc[::-1])
    assert one == same and one.name == same.name
    new = {"1": {"P": "x", "C": "y"}, "2": {"P": "x", "C": "y"}}
    again = json.loads(
        json.dumps(
            dict(reversed([(qid, dict(reversed(labels.items()))) for qid, labels in new.items()])))
    )
    assert (
        one.relabel(new) == same.relabel(again)
        and one.relabel(new).name == same.relabel(again).name)
    assert one.relabel(new) != one.relabel({**new, "2": {"P": "x"}})


def test_groups_that_differ_in_a_topic_differ():
    def by_topic(*qids):
        return groups.from_frame(
            pd.DataFrame({"qid": qids, "docno": ["a", "b", "c"], "group": ["P", "C", "P"]}))

    one, other = by_topic("1", "2", "2"), by_topic("1", "1", "2")
    assert one != other and one.name != other.name and one == by_topic("1", "2", "2")
    base = groups.from_mapping({"a": "P"})
    assert (
        len(
            {
                base.override(pd.DataFrame({"qid": [qid], "docno": ["a"], "group": ["C"]})).digest()
                for qid in "12"}
        )
        == 2
    )


def test_topics_as_numbers_are_their_text():
    source = groups.from_frame(pd.DataFrame({"qid": ["1", "2"], "docno": "a", "group": ["A", "B"]}))
    for one in (source, source.relabel({"1": {"A": "PRO"}, "2": {"B": "CON"}})):
        numbers, texts = one.annotate([1, 2], ["a", "a"]), one.annotate(["1", "2"], ["a", "a"])
        assert numbers[0].tolist() == texts[0].tolist() == [0, 1]
