"""The slow versions against worked values, brute force and cases worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from slow_versions import MEASURES, evaluate, value
from slow_versions.common import source_of, topic_of
from slow_versions.product import product
from slow_versions.reading import read_topics
from slow_versions.statistics import (
    adjusted_level,
    failure_probability,
    m_table,
)
from worked_values import (
    GROUPS,
    JUDGED,
    LEVELS,
    NEUTRALITY,
    ORDER,
    RANKING,
    SAMPLES,
    SIGNED,
    SOFT,
    WORKED,
)

ONE = topic_of(JUDGED, [RANKING], GROUPS)
ORDINAL = replace(ONE, groups=source_of(LEVELS, JUDGED, order=ORDER))
TOPICS = {
    "one": ONE, "samples": replace(ONE, rankings=SAMPLES), "ordinal": ORDINAL,
    "attributes": replace(ONE, attributes={"first": ONE.groups, "second": ORDINAL.groups}),
    "soft": topic_of(JUDGED, [RANKING], SOFT),
    "product": replace(ONE, groups=product(ONE.groups, ORDINAL.groups)),
    "signed": replace(ONE, values=SIGNED), "neutrality": replace(ONE, values=NEUTRALITY)}


@pytest.mark.parametrize(("name", "topic", "params", "expected"), WORKED)
def test_worked_values(name, topic, params, expected):
    assert round(value(name, TOPICS[topic], **params), 6) == expected


def test_the_table_of_fa_ir():
    """Levels, m-tables and failure probabilities at alpha = 0.1."""
    level = adjusted_level(0.1, 0.5, 10)
    assert round(level, 6) == 0.054688
    assert m_table(level, 0.5, 10) == [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]
    assert round(failure_probability(m_table(level, 0.5, 10), 0.5), 6) == 0.075195
    level = adjusted_level(0.1, 0.25, 20)
    assert round(level, 6) == 0.063476
    assert m_table(level, 0.25, 20) == [0] * 9 + [1] * 6 + [2] * 5
    assert round(failure_probability(m_table(level, 0.25, 20), 0.25), 6) == 0.089722


# ------------------------------------------------------------------------------- products, reading


def test_topics_from_rows():
    """Samples of a topic, weights, labels of the run alone, and what `details` adds."""
    qrels = [("1", "a", 2, None), ("1", "b", 0, None), ("2", "a", 1, None)]
    run = [("1", "b", 1.0, 1), ("1", "a", 2.0, 1), ("1", "u", 5.0, 2), ("2", "a", 0.5, 2)]
    weights = {"a": {"A": 1, "B": 3}, "b": {"B": 2}, "u": {"A": 1, "Z": 1}}
    topics = read_topics(qrels, run, lambda qid, docno: weights[docno], labels=["C"])
    assert topics["1"].rankings == [["a", "b"], ["u"]] and topics["2"].rankings == [[], ["a"]]
    assert topics["1"].labels == ["A", "B", "C"]
    assert topics["1"].shares("a") == {"A": 0.25, "B": 0.75}
    assert topics["1"].shares("u") == {"A": 1.0}  # Z is a label of no judged document
    found = evaluate(
        "NFaiRR",
        {"background": "bm25", "cutoff": 1},
        qrels,
        run,
        lambda qid, docno: weights[docno],
        details=lambda qid, topic: replace(
            topic, values={"a": 0.5, "b": 0.25}, backgrounds={"bm25": ["b", "a"]}),
    )
    assert found == {"1": (1 + 2) / 2, "2": (0 + 1) / 2}
    gold = {"gold": {"A": 0.25, "B": 0.75}}
    found = evaluate(
        "AWRF", {"target": "gold"}, qrels, run, lambda qid, docno: weights[docno],
        details=lambda qid, topic: replace(topic, targets=gold))
    assert found["2"] == (0 + 1) / 2


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
