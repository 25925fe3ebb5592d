"""Groups that a system hides: the facts of an evaluation, and the sentences of its table."""

import numpy as np
import pandas as pd
import pytest
from evaluation.common import PROCESSES, evaluate_quietly
from one_test import each

from pt_fairness import AWRF, Annotated, analysis, groups, nDKL, rKL
from pt_fairness.analysis.exposure import sentences


def experts(push=0.6, seed=3):
    """Qrels, groups and runs of 40 topics with 60 judged experts, 20 of them relevant and 19 %
    women; a system ranks women lower.
    """
    pick = np.random.default_rng(seed)
    rows, runs = [], {"bm25": [], "neural": [], "biased": []}
    for topic in range(40):
        female = pick.permutation(60) < 11.4
        relevant = pick.permutation(60) < 20
        frame = pd.DataFrame({"qid": str(topic), "docno": [f"e{topic}-{i}" for i in range(60)],
                              "label": relevant * 1,
                              "group": np.where(female, "female", "male")})
        rows.append(frame)
        for name, run in runs.items():
            lower = push * female if name == "biased" else 0
            score = relevant + pick.normal(0, 0.7, 60) - lower
            run.append(frame[["qid", "docno"]].assign(score=score))
    table = pd.concat(rows, ignore_index=True)
    return (table[["qid", "docno", "label"]], table[["docno", "group"]],
            {name: pd.concat(run, ignore_index=True) for name, run in runs.items()})


def test_a_system_that_hides_a_group_is_named_although_a_measure_calls_it_fairest():
    qrels, women, runs = experts()
    result = evaluate_quietly(runs, qrels, ["nDCG@10", "AWRF@10", "rKL@10", "Annotated@10"],
                              groups=women)
    values = result.averages.set_index("name")
    awrf, rkl = values.columns[1:3]
    assert values[rkl].idxmin() == values[awrf].idxmin() == "biased"
    row = analysis.shares(runs, qrels, women).set_index(["name", "group"]).loc[("biased", "female")]
    first, second, *_ = result.table().notes
    for word in ("biased", "no female", "10", f"{row.absent:g} of the {row.topics:g} topics",
                 f"{row.expected:.1f}"):
        assert word in first
    assert second.startswith(f"{rkl} is") and "biased" in second and awrf in second
    assert "Annotated" not in second
    text = result.table().text
    assert text.index("no female") < text.index("* the best value")


@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_the_facts_are_what_the_analysis_returns(make_case, n_jobs):
    case = make_case(3, topics=12, labels=3, several=True)
    runs = {f"system {seed}": make_case(seed, topics=12, labels=3).run_frame for seed in (3, 4)}
    result = evaluate_quietly(runs, case.qrels_frame, ["AWRF@3", "nDCG@5", "rKL(rel=2)@5"],
                              n_jobs=n_jobs)
    (found,) = result.facts.shares.items()
    assert found[0] == ("the qrels", 5)
    expected = analysis.shares(runs, case.qrels_frame, cutoff=5)
    pd.testing.assert_frame_equal(found[1], expected)


@each("measures, cutoff, rel", [([AWRF], 10, 1), ([nDKL @ 4], 4, 1), ([rKL(rel=2) @ 3], 3, 2),
                                ([rKL(rel=2), AWRF @ 3], 3, 1), ([Annotated @ 2], 2, 1)])
def test_relevant_documents_are_those_of_the_measures(make_case, measures, cutoff, rel):
    case = make_case(5, topics=6, labels=3, several=True)
    given = {"one": case.run_frame}, case.qrels_frame
    options = {"groups": groups.from_frame(case.groups_frame)}
    (table,) = evaluate_quietly(*given, measures, **options).facts.shares.values()
    expected = analysis.shares(*given, cutoff=cutoff, rel=rel, **options)
    pd.testing.assert_frame_equal(table, expected)


def test_each_source_once(make_case):
    case = make_case(3, topics=12, labels=3)
    source = groups.from_pattern(r"(\d)$", labels=[*"0123456789"], name="last")
    measures = [AWRF @ 3, AWRF(groups=source) @ 5, rKL(groups=source) @ 7]
    shares = evaluate_quietly({"one": case.run_frame}, case.qrels_frame, measures).facts.shares
    assert {*shares} == {("the qrels", 3), ("last", 7)}
    table = analysis.shares({"one": case.run_frame}, case.qrels_frame, source, cutoff=7)
    pd.testing.assert_frame_equal(shares["last", 7], table)


def test_no_shares_without_groups_or_relevant_documents():
    qrels, women, runs = experts()
    assert evaluate_quietly(runs, qrels, ["nDCG@10"]).facts.shares == {}
    assert evaluate_quietly(runs, None, ["AWRF@10"], groups=women).facts.shares == {}


def shares_of(rows, **columns):
    table = pd.DataFrame(rows, columns=["name", "topics", "absent", "expected", "p"])
    return {("the qrels", 10): table.assign(group="g", **columns)}


@each("topics, absent, expected, p, named", [
    (40, 22, 7.3, 1e-6, True), (40, 2, 0.1, 1e-6, False), (40, 3, 0.1, 1e-6, True),
    (40, 22, 7.3, 0.06, False), (40, 22, 7.3, 0.049, True), (40, 14, 7.3, 1e-6, False),
    (40, 38, 32, 1e-6, True), (40, 36, 32, 1e-6, False)])
def test_what_is_named(topics, absent, expected, p, named):
    rows = [("A", topics, absent, expected, p)]
    assert bool(sentences(shares_of(rows))) == named


def test_three_sentences_and_a_level_for_all_systems_and_groups():
    rows = [(name, 40, 22, 7.3, 0.02) for name in "AB"]
    assert len(sentences(shares_of(rows))) == 2
    assert sentences(shares_of([*rows, ("C", 40, 0, 7.3, 1.0)])) == []
    found = sentences(shares_of([(name, 40, 20 + i, 5, 1e-9) for i, name in enumerate("ABCDE")]))
    assert [text[0] for text in found] == [*"EDC"] and found[2].endswith("and 2 more.")


@each("values, expected", [
    ([[0.1, 0.9, 0.5], [0.2, 0.8, 0.6]], "rKL@5, AWRF@5 are best for A all the same."),
    ([[0.1, 0.7, 0.5], [0.2, 0.8, 0.6]],
     "rKL@5 is best for A all the same; AWRF@5 is not."),
    ([[0.3, 0.7, 0.5], [0.2, 0.8, 0.4]], None), ([[0.1, 0.9, 0.5]], None)])
def test_the_measures_that_do_not_tell(values, expected):
    averages = pd.DataFrame(values, columns=["rKL@5", "AWRF@5", "nDCG@5"])
    averages.insert(0, "name", [*"AB"][:len(averages)])
    _, *rest = sentences(shares_of([("A", 40, 22, 7.3, 1e-6)]), averages)
    assert rest == ([] if expected is None else [expected])
    if expected:
        _, labelled = sentences(shares_of([("A", 40, 22, 7.3, 1e-6)]), averages, {"rKL@5": "gap"})
        assert labelled == expected.replace("rKL@5", "gap")
