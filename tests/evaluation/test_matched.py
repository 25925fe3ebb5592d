"""What matched: how many documents have a group, or a value."""

import pandas as pd
import pytest
from one_test import each

from pt_fairness import FairnessWarning, evaluate, groups, values

QRELS = pd.DataFrame({"qid": "1", "docno": ["d1", "d2", "d3"], "label": [1, 0, 1]})
RUN = pd.DataFrame({"qid": "1", "docno": ["d1", "d2", "d17", "d18"], "score": [4.0, 3.0, 2.0, 1.0]})
GROUPS = {"d1": "PRO", "d2": "CON"}


def matched(run=RUN, measures=("AWRF@3",), **options):
    return evaluate(run, QRELS, list(measures), progress=False, **options).facts.matched


def test_groups_of_judged_and_ranked_documents():
    source = groups.from_mapping(GROUPS, "mine")
    every = groups.from_pattern("^d", name="mine")
    two = {"a": RUN, "b": RUN[:2]}
    for runs, given, judged, ranked in ((RUN, source, "2 of 3", "2 of 3"),
                                        (two, source, "2 of 3", "4 of 5"),
                                        (RUN, every, "3 of 3", "3 of 3")):
        line = matched(runs, groups=given)["mine"]
        assert line.startswith(f"{judged} judged and {ranked} ranked") and "first 3" in line
        assert ("first without: d3" in line) == (given is source)


def test_without_qrels_nothing_is_judged():
    result = evaluate(RUN, None, ["AWRF@3"], groups=groups.from_mapping(GROUPS), progress=False)
    (line,) = result.facts.matched.values()
    assert line.startswith("2 of 3 ranked")


def test_topics_that_a_measure_of_relevance_lacks():
    other = pd.concat([QRELS, QRELS.assign(qid="2")])
    with pytest.warns(FairnessWarning, match="1 of the 2 .*'2'.*'9'"):
        evaluate(pd.concat([RUN, RUN.assign(qid="9")]), other, "nDCG@3", progress=False)


@each("depth, unmatched", [(4, []), (5, ["mine"])])
def test_fewer_than_half_without_a_group(depth, unmatched):
    run = pd.DataFrame({"qid": "1", "docno": ["d1", "d2", "x", "y", "z"], "score": range(5, 0, -1)})
    source = groups.from_mapping(GROUPS, "mine")
    facts = evaluate(run[:depth], QRELS, f"AWRF@{depth}", groups=source, progress=False).facts
    assert facts.unmatched == unmatched


@pytest.fixture
def registered(registered_values):
    registered_values("numbers", values.from_mapping({"d1": 0.5, "d18": 0.1}))


def test_values_of_ranked_documents(registered):
    assert matched(measures=["RaB(values='numbers')@4"])["numbers"].startswith("2 of 4 ranked")


def test_values_that_match_nothing_are_an_error(registered):
    other = RUN.assign(docno=["x1", "x2", "x3", "x4"])
    with pytest.raises(ValueError, match=r"'x1', .*'numbers'"):
        evaluate({"a": other}, QRELS, ["RaB(values='numbers')@3"], progress=False)
    with pytest.warns(UserWarning, match=r"'numbers'; .* \(in b\)"):
        evaluate({"a": RUN, "b": other}, QRELS, ["NFaiRR(values='numbers')@3"], progress=False)
