"""Who is shown: worked values, the slow version, the exact tail, and bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from one_test import each
from slow_versions import shares as slow
from slow_versions.reading import read_topics

from pt_fairness import FairnessWarning, analysis, groups
from pt_fairness.analysis.exposure import MOST, sentences, tail

QRELS = pd.DataFrame(
    [("1", "a", "P"), ("1", "b", "P"), ("1", "c", "C"), ("1", "d", "C"), ("2", "e", "P"),
     ("2", "f", "P"), ("2", "g", "P"), ("2", "h", "C")],
    columns=["qid", "docno", "iteration"]).assign(label=1)
THIRD = pd.DataFrame({"qid": "3", "docno": ["i", "j"], "iteration": ["P", "C"], "label": 1})
RUN = pd.DataFrame([(qid, docno, -float(i)) for qid, some in {"1": "abxc", "2": "efgh"}.items()
                    for i, docno in enumerate(some)], columns=["qid", "docno", "score"])


def by_group(table):
    return table.set_index("group").drop(columns="name").to_dict("index")


@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("kind", ["iteration", "frame", "weights"])
@pytest.mark.parametrize("seed", quick_cases(range(6), first=1))
def test_against_the_slow_version(make_case, seed, kind, samples):
    case = make_case(seed, topics=6, several=True)
    source = lookup = None
    if kind != "iteration":
        frame = case.groups_frame
        known = {pair: dict.fromkeys(labels, 1.0) for pair, labels in case.groups.items()}
        if kind == "weights":
            frame["weight"] = [0.5 + i % 5 for i in range(len(frame))]
            for row in frame.itertuples():
                known[row.qid, row.docno][row.group] = row.weight
        source = groups.from_frame(frame)
        lookup = lambda q, d: known.get((q, d), {})  # noqa: E731
    run = case.run_frame
    rows = case.run
    if samples > 1:
        run = run.drop_duplicates(["query_id", "doc_id"])
        run = pd.concat([run.sample(frac=part, random_state=seed).assign(iteration=i)
                         for i, part in enumerate([0.3, 0.7, 1.0])])
        rows = [*run.itertuples(index=False, name=None)]
    labels = case.labels if source else ()
    topics = read_topics(case.qrels, rows, lookup, labels)
    for cutoff, rel, discount in [(3, 1, "log2"), (5, 2, "trec"), (40, 0, "none"),
                                  (2, 1, "geometric")]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)
            table = analysis.shares({"one": run}, case.qrels_frame, source, cutoff=cutoff, rel=rel,
                                    discount=discount)
        expected = slow.shares(topics, cutoff, rel, discount)
        found = by_group(table)
        assert [*found] == [*expected]
        for group, row in expected.items():
            assert found[group] == pytest.approx(row, abs=1e-9, nan_ok=True), (group, cutoff)


@pytest.mark.parametrize("seed", quick_cases(range(5), first=1))
def test_the_tail_against_all_outcomes(seed):
    pick = np.random.default_rng(seed)
    chance = pick.random((9, 3)) * (pick.random((9, 3)) < 0.8)
    for least in range(10):
        found = tail(chance.T, np.full(3, least))
        assert found == pytest.approx([slow.at_least(least, p) for p in chance.T], rel=1e-12)


def test_a_small_tail_keeps_its_digits():
    (p,) = tail(np.full((1, 40), 0.01), np.array([40]))
    assert p == pytest.approx(1e-80, rel=1e-9)


def test_topics_that_a_source_drops_do_not_count():
    source = groups.from_mapping({"a": "P", "b": "P", "c": "C", "e": "P", "h": "C"})
    source.topics = {"1"}
    whole = analysis.shares({"one": RUN}, QRELS[QRELS["qid"] == "1"], source)
    pd.testing.assert_frame_equal(analysis.shares({"one": RUN}, QRELS, source), whole)


def test_without_relevant_documents_nothing_is_known():
    with pytest.warns(FairnessWarning, match="relevant document") as caught:
        table = analysis.shares({"one": RUN, "two": RUN}, QRELS.assign(label=0))
    assert len(caught) == 1
    assert table[["shown", "attention", "relevant", "ratio"]].isna().all(axis=None)
    assert (table["topics"] == 0).all() and (table["p"] == 1).all()


def test_a_system_without_results_has_no_shares():
    """The topic of the second run has no relevant document."""
    qrels = pd.concat([QRELS, THIRD.assign(label=0)])
    runs = {"none": RUN.assign(docno="x"), "third": RUN.head(2).assign(qid="3", docno=["i", "j"]),
            "one": RUN}
    table = analysis.shares(runs, qrels).set_index("name")
    lacking = table.loc[["none", "third"]]
    assert lacking[["shown", "attention", "ratio"]].isna().all(axis=None)
    assert (lacking["topics"] == 0).all() and (lacking["p"] == 1).all()
    assert lacking["relevant"].tolist() == 2 * table.loc["one", "relevant"].tolist()


@each("absent, expected, is_hidden", [
    (3, 0.5, True), (2, 0.5, False), (9, 4.0, True), (8, 4.0, False), (36, 30.0, True),
    (35, 30.0, False)])
def test_a_group_is_hidden_from_more_topics_than_twice_the_expected(absent, expected, is_hidden):
    """Or shown in less than half of them, and absent from three or more."""
    row = {"name": "A", "group": "P", "topics": 40, "absent": absent, "expected": expected, "p": 0}
    for rows in (MOST, MOST + 1):
        found = sentences({("qrels", 10): pd.DataFrame([row] * rows)})
        assert len(found) == MOST * is_hidden
        assert ("1 more" in "".join(found)) == (is_hidden and rows > MOST)


@each("options, says", [
    ({"cutoff": 0}, "cutoff"), ({"discount": "mmr"}, "discount"), ({"rel": "high"}, "rel")])
def test_wrong_options(options, says):
    with pytest.raises(ValueError, match=says):
        analysis.shares({"one": RUN}, QRELS, **options)
