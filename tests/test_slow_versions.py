"""The slow versions against worked values."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import worked_values as worked
from slow_versions import evaluate, value
from slow_versions.common import source_of, topic_of
from slow_versions.product import product
from slow_versions.reading import read_topics
from slow_versions.statistics import adjusted_level, failure_probability, m_table

ONE = topic_of(worked.JUDGED, [worked.RANKING], worked.GROUPS)
ORDINAL = replace(ONE, groups=source_of(worked.LEVELS, worked.JUDGED, order=worked.ORDER))
TOPICS = {
    "one": ONE, "samples": replace(ONE, rankings=worked.SAMPLES), "ordinal": ORDINAL,
    "attributes": replace(ONE, attributes={"first": ONE.groups, "second": ORDINAL.groups}),
    "soft": topic_of(worked.JUDGED, [worked.RANKING], worked.SOFT),
    "product": replace(ONE, groups=product(ONE.groups, ORDINAL.groups)),
    "signed": replace(ONE, values=worked.SIGNED),
    "neutrality": replace(ONE, values=worked.NEUTRALITY)}


@pytest.mark.parametrize(("name", "topic", "params", "expected"), worked.WORKED)
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


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_failure_probabilities_by_brute_force(p):
    table = m_table(0.2, p, 8)
    draws = np.array(list(itertools.product([0, 1], repeat=8)))
    fails = (draws.cumsum(axis=1) < table).any(axis=1)
    chance = np.where(draws, p, 1 - p).prod(axis=1)
    assert failure_probability(table, p) == pytest.approx(chance[fails].sum(), abs=1e-12)


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
    known = {"values": {"a": 0.5, "b": 0.25}, "backgrounds": {"bm25": ["b", "a"]}}
    found = evaluate(
        "NFaiRR", {"background": "bm25", "cutoff": 1}, qrels, run, lambda _, docno: weights[docno],
        details=lambda qid, topic: replace(topic, **known))
    assert found == {"1": (1 + 2) / 2, "2": (0 + 1) / 2}
    gold = {"gold": {"A": 0.25, "B": 0.75}}
    found = evaluate(
        "AWRF", {"target": "gold"}, qrels, run, lambda qid, docno: weights[docno],
        details=lambda qid, topic: replace(topic, targets=gold))
    assert found["2"] == (0 + 1) / 2
