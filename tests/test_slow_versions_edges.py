"""Edge cases of the slow versions, worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from slow_versions import MEASURES
from slow_versions.common import gain, membership_of, protected_labels, topic_of
from slow_versions.group_fairness import divergence_between


def few(judged, ranking, groups, **more):
    """A topic with one ranking or none; documents and labels are letters, G is A, B and C."""
    return topic_of(judged, [ranking] if ranking else [], groups, "ABC", **more)


IRRELEVANT = few({"a": 0, "b": 0}, "ab", {"a": "A", "b": "B"})
NOTHING = few({"a": 1, "b": 1}, "", {"a": "A", "b": "B"})
PLAIN = few({"a": 2, "u": 1}, "u", {"a": "A"})
NEGATIVE = few({"b": -1, "c": 0}, "ab", {"a": "A", "b": "B", "c": "C"})
UNIFORM = {"by": "group", "target": "uniform"}
KL_OF_ONE = (1 + 2 * 0.1) / 3  # of three labels, the share in Q̃ of the one that P has, α = 0.1

EDGES = [
    ("EED", NOTHING, {"model": "log2"}, 1.0),  # that of k = 1
    ("EED", NOTHING, {"model": "rbp"}, 4 / 3),
    ("EEL", IRRELEVANT, {"complete": True}, None),
    ("EEL", IRRELEVANT, {**UNIFORM, "complete": False}, None),
    ("EED", IRRELEVANT, {**UNIFORM, "complete": True}, 1 + 1 / 4),
    ("GF", PLAIN, {"target": "run", "max_rel": 1}, 1 / 2),  # nothing annotated: uniform, as P
    ("GF", replace(PLAIN, rankings=["a"]), {"target": {"A": 1}, "max_rel": 1}, 1 / 2),
    ("GF", replace(PLAIN, rankings=["a"]), {"target": {"A": 1}}, 3 / 4),
    ("GF", topic_of({"a": 1}, ["a"], {"a": "A"}), {"divergence": "nmd", "order": "A"}, 1 / 2),
    ("GF", IRRELEVANT, {"rel": 0}, None),
    ("GF", NOTHING, {}, 0.0),
    ("PEER", NEGATIVE, {"weights": {0: 1.0}}, 0.31731050786),  # H = 1: unjudged and negative ones
    ("PEER", NEGATIVE, {"weights": {1: 1.0}}, None),
    ("PEER", NOTHING, {}, 0.0),
    ("PEER", few({"a": 1, "b": 1}, "c", {"a": "A", "b": "B", "c": "C"}), {}, 1.0),
    (
        "RADio", NOTHING, {"divergence": "kl", "alpha": 0.1},
        KL_OF_ONE * math.log2(KL_OF_ONE / (0.9 + 0.1 / 3)) + 0.6 * math.log2(0.3 / (0.1 / 3))),
    ("FaiRR", PLAIN, {}, 1.0),
    ("RaB", PLAIN, {}, 0.0),
    ("NFaiRR", NOTHING, {}, 0.0),
    ("NFaiRR", NOTHING, {"background": "bm25"}, None),
    ("RankingBias", replace(NOTHING, values={"a": 1}), {"background": "qrels"}, -1 / 2),
    ("ARP", replace(NOTHING, rankings=["a"]), {}, 1.0),
    ("ARP", replace(NOTHING, rankings=["a"]), {"pairs": "errors"}, 0.0),
    ("ARP", PLAIN, {}, None),
    ("FAIR", NOTHING, {"protected": "A"}, 0.0),
    ("FAIR", PLAIN, {"p": 0.5}, None),  # no minority
    ("FAIR", PLAIN, {"p": 0.5, "protected": "A"}, 0.0),
    ("IAA", IRRELEVANT, {}, None),
    ("logEUR", NOTHING, {"protected": "C"}, None),
    ("logDP", NOTHING, {"protected": "C", "target": "qrels"}, None),
    (
        "logDP",
        replace(NOTHING, rankings=["ab", "u"]),
        {"protected": "B", "target": "run"},  # T is that of the first sample
        math.log(0.5 / math.log2(3) + 1e-6) - math.log(0.5 + 1e-6),
    ),
    ("BiasP", few({"a": 1}, "a", {"a": {"A": 0.7, "B": 0.3}}), {"pro": "A", "con": "B"}, 0.4),
    ("BiasP", few({"a": 1}, "a", {"a": ["A", "B"]}), {"pro": "A", "con": "B"}, 0.0),
    ("Skew", few({"a": 1}, "a", {"a": {"A": 0.7, "B": 0.3}}), {"group": "B"}, math.log(0.9)),
    ("RepBias", few({"a": 1}, "a", {"a": {"A": 0.7, "B": 0.3}}), {"group": "A"}, -0.3),
]


@pytest.mark.parametrize(("name", "topic", "params", "expected"), EDGES)
def test_edge_cases(name, topic, params, expected):
    found = MEASURES[name](topic, **params)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_gains_and_sides():
    assert [gain(r, 0, "binary") for r in (-1, 0, 1)] == [0, 0, 1]
    assert [gain(r, 2, "exp") for r in (1, 2, 3)] == [0, 3, 7]
    weights = [{"A": 0.9, "B": 0.1}, {"A": 0.8, "B": 0.2}, {"B": 1}]
    for groups, least in ((weights, "B"), ([["A", "B"], ["A"], ["B"], ["B"]], "A")):
        found = protected_labels("minority", [membership_of(one) for one in groups], ["A", "B"])
        assert found == {least}


def test_rnod_leaves_out_labels_without_a_target():
    shares, target = {"A": 0.0, "B": 1.0, "C": 0.0}, {"A": 1.0, "B": 0.0, "C": 0.0}
    assert divergence_between("rnod", shares, target, "ABC") == pytest.approx(math.sqrt(1 / 2))
