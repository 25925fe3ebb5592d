"""Effectiveness by group and its gaps: worked values, the slow version, and bad input."""

import math

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from one_test import each
from slow_versions import served
from slow_versions.reading import read_topics

from pt_fairness import analysis, groups

SOURCE = groups.from_pattern("^[hl]", labels=["h", "l"])
QRELS = pd.DataFrame(
    [("t1", "h1", 2), ("t1", "l1", 2), ("t1", "h2", 1), ("t1", "l2", 1), ("t2", "h3", 1),
     ("t2", "l3", 1), ("t2", "h5", 1), ("t2", "l5", 1), ("t2", "x", 2), ("t3", "h4", 1),
     ("t3", "l1", 0)], columns=["qid", "docno", "label"])
RUN = pd.DataFrame(
    [(qid, docno, -float(i)) for qid, some in
     {"t1": "h1 l1 l2 h2 x", "t2": "l3 h3 h1 l1", "t3": "l2 h4 l4"}.items()
     for i, docno in enumerate(some.split())], columns=["qid", "docno", "score"])


def means(topics, **options):
    return analysis.group_effectiveness({"one": RUN}, QRELS, "nDCG@3", SOURCE, topics=topics,
                                        **options)


@pytest.mark.parametrize("topics", ["common", "each", "all"])
@pytest.mark.parametrize("kind", ["iteration", "frame"])
@pytest.mark.parametrize("seed", quick_cases(range(3), first=1))
def test_against_the_slow_version(make_case, seed, kind, topics):
    case = make_case(seed, several=True)
    source = None if kind == "iteration" else groups.from_frame(case.groups_frame)
    lookup = None if source is None else lambda q, d: case.groups.get((q, d), ())
    read = read_topics(case.qrels, case.run, lookup, case.labels if source else ())
    table = analysis.group_effectiveness({"one": case.run_frame}, case.qrels_frame,
                                         ["nDCG@4", "P(rel=2)@3"], source, topics=topics)
    for measure, of_measure in table.groupby("measure"):
        name, cutoff = measure.split("@")
        values = {label: [served.of_group(topic, measure=name, group=label, cutoff=int(cutoff))
                          for topic in read.values()] for label in sorted(case.labels)}
        values = {label: own for label, own in values.items() if set(own) != {None}}
        assert [*of_measure["group"]] == [*values]
        for row, (mean, n) in zip(of_measure.itertuples(), served.means(values, topics).values(),
                                  strict=True):
            assert row.n == n
            assert row.value == pytest.approx(mean, abs=1e-12, nan_ok=True)
    first, second = sorted(case.labels)[:2]
    gaps = analysis.group_gaps(table, first, second)
    for row, (_, some) in zip(gaps.itertuples(), table.groupby("measure", sort=False), strict=True):
        one, other = some.set_index("group")["value"].reindex([first, second])
        assert row.delta == pytest.approx(served.relative_delta(one, other), nan_ok=True)


def test_the_groups_to_compare_decide_which_topics_are_common():
    assert [*means("common", of=["h"])["n"]] == [3]
    with pytest.raises(ValueError, match="group='x'"):
        means("common", of=["h", "x"])
    assert [*means("common", of=["l", "h"])["group"]] == ["l", "h"]


def test_without_common_topics_there_is_no_value():
    qrels = pd.DataFrame([("1", "h1", 1), ("2", "l1", 1)], columns=["qid", "docno", "label"])
    run = RUN.assign(qid="1").drop_duplicates("docno")
    table = analysis.group_effectiveness({"one": run}, qrels, "nDCG@3", SOURCE)
    assert table["value"].isna().all() and [*table["n"]] == [0, 0]
    row = analysis.group_gaps(table, "h", "l").iloc[0]
    assert row[["gap", "ratio", "worst", "worst_group", "delta"]].isna().all()


def table_of(*values):
    return pd.DataFrame({"name": "one", "measure": "m", "group": [*"abc"[:len(values)]],
                         "value": values})


@each("values, expected", [
    ((0.0, 0.0), (0.0, math.nan, 0.0, "a", math.nan)),
    ((0.5, 0.0), (0.5, 0.0, 0.0, "b", 200.0)),
    ((0.0, 0.5), (0.5, 0.0, 0.0, "a", -200.0)),
    ((0.5, 0.5), (0.0, 1.0, 0.5, "a", 0.0)),
    ((0.5, 0.25, 0.25), (0.25, 0.5, 0.25, "b", 200 / 3))])
def test_gaps(values, expected):
    row = analysis.group_gaps(table_of(*values), "a", "b").iloc[0]
    found = row[["gap", "ratio", "worst", "worst_group", "delta"]]
    for one, wanted in zip(found, expected, strict=True):
        assert one == wanted or one == pytest.approx(wanted, nan_ok=True)


def test_a_missing_value_leaves_no_gap():
    row = analysis.group_gaps(table_of(0.5, np.nan, 0.2), "a", "c").iloc[0]
    assert row[["gap", "ratio", "worst", "worst_group"]].isna().all()
    assert row["delta"] == pytest.approx(100 * 0.3 / 0.35)
    assert "delta" not in analysis.group_gaps(table_of(0.5))


@each("call, message", [
    (lambda: means("some"), "'some'"),
    (lambda: means("all", of="h"), "of"),
    (lambda: analysis.group_effectiveness({"one": RUN}, QRELS, "NumRet", SOURCE),
     "measure must be a mean"),
    (lambda: analysis.group_effectiveness({"one": RUN}, QRELS, "nDCG"), "must have groups"),
    (lambda: analysis.group_gaps(table_of(0.5, 0.2), "a"), "second .*None"),
    (lambda: analysis.group_gaps(table_of(0.5, 0.2), "a", "z"), "second .*'z'"),
    (lambda: analysis.group_gaps(table_of(0.5).drop(columns="value")), "value")])
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
