"""Significant changes in the fair direction, and the notes under a table."""

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness.analysis.notes import Comparison, Facts, baseline_row, marks, notes, short_p


@pytest.fixture
def averages() -> pd.DataFrame:
    """A baseline in the second row, and systems with larger and smaller means."""
    values = {"nDCG@5": [0.9, 0.5, 0.1], "rKL@5": [0.9, 0.5, 0.1], "BiasP@5": [0.1, -0.5, -0.9]}
    frame = pd.DataFrame({"name": ["A", "base", "C"], **values})
    for column in values:
        frame[f"{column} +"] = [9, np.nan, 1]
        frame[f"{column} -"] = [1, np.nan, 9]
        frame[f"{column} p-value"] = [0.04, np.nan, 0.01]
    return frame


def test_better_is_the_fair_direction(averages):
    assert marks(averages, Facts()).to_dict("list") == {
        "nDCG@5": ["▲", "", "▼"], "rKL@5": ["▼", "", "▲"], "BiasP@5": ["≠", "", "≠"]}
    corrected = averages.assign(**{"rKL@5 p-value corrected": [0.06, np.nan, 0.02]})
    assert marks(corrected, Facts())["rKL@5"].tolist() == ["", "", "▲"]


def test_without_a_baseline_or_a_direction(averages):
    assert (marks(averages[["name", "nDCG@5", "rKL@5"]], Facts()) == "").all(axis=None)
    assert baseline_row(averages) == 1 and baseline_row(averages[["name", "rKL@5"]]) is None
    unknown = averages.rename(columns=lambda column: column.replace("rKL@5", "unfairness"))
    assert marks(unknown, Facts())["unfairness"].tolist() == ["", "", ""]
    assert baseline_row(averages[averages["name"] != "base"]) is None


def test_the_notes_of_facts(averages):
    facts = Facts(groups="sources", labels=["FR", "LA"], topics=50, failed={"B": "line 3"},
                  undefined={"rKL@5": ("1",), "nDCG@5": ("2",), "AWRF": ("1", "2")},
                  comparison=Comparison("base", "t", "fdr_bh", 2), oracles=["C"])
    text = " ".join(notes(averages, facts, {"rKL@5": "Unfairness"}))
    for part in ("than base", "t-test", "fdr_bh for 2 systems", "sources (FR, LA)",
                 "Unfairness: 49 of 50 topics", "labels that evaluate: C", "errors: B"):
        assert part in text
    assert "AWRF" not in text, "a measure that the table does not have"
    one = Facts(comparison=Comparison("base", "t", "holm", 1))
    assert "Holm" not in notes(averages, one)[0]
    left_out = Facts(topics=50, undefined={"rKL@5": ("1",), "nDCG@5": ("1",)}, dropped=True)
    assert "rKL@5, nDCG@5: 49 of 50 topics; undefined: 1." in notes(averages, left_out)


@each("p, text", [(0.00099, "< .001"), (0.001, ".001"), (0.9999, "1.000"), (np.nan, "–")])
def test_p_values_as_text(p, text):
    assert short_p(p) == text


@each("names, words", [
    (["rKL@5", "rND@10"], ["relevant documents of the topic", "fewest relevant"]),
    (["rKL(protected='all')@5"], ["all groups"]),
    (["nDD"], ["the whole ranking", "fewest ranked"]),
    (["BiasP@5"], ["PRO against CON"]),
    (["GFR(attributes={'a':'jsd','b':'jsd'},targets={'b':'run'})@5"], ["a: ", "b: ", "equal"])])
def test_target_and_protected_group_are_named(names, words):
    frame = pd.DataFrame({"name": ["A"], "AP": [0.5], **{name: [0.1] for name in names}})
    (sentence,) = notes(frame)
    assert sentence.startswith(f"{', '.join(names)}: ") and all(word in sentence for word in words)
    perquery = pd.DataFrame({"name": "A", "qid": "1", "measure": names, "value": 0.1})
    assert notes(perquery) == [sentence]


@pytest.mark.parametrize("topics, dropped, mark", [(6, 0, "▲"), (5, 0, ""), (6, 1, "")])
def test_few_topics_have_no_marks(averages, topics, dropped, mark):
    facts = Facts(topics=topics, undefined={"rKL@5": ("1",) * dropped}, dropped=True,
                  fewer={"rKL@5": {averages["name"][2]: topics}},
                  comparison=Comparison("base", "t", None, 2))
    assert marks(averages, facts)["rKL@5"].tolist()[2] == mark
    few = [note for note in notes(averages, facts) if "fewer than six topics" in note]
    assert len(few) == (not mark)
    assert any("▲" in note for note in notes(averages, facts)) == (topics == 6)


def test_different_targets_are_said_with_the_parameter_that_makes_them_equal():
    table = pd.DataFrame({"name": ["A"], "AWRF@5": [0.5], "rKL@5": [0.5], "nDCG@5": [0.5]})
    assert any("AWRF(target='qrels')@5" in note for note in notes(table))
    equal = table.rename(columns={"AWRF@5": "AWRF(target='qrels')@5"})
    assert not any("different" in note for note in notes(equal))
    shares = table.rename(columns={"AWRF@5": "AWRF(target={'CON':0.5,'PRO':0.5})@5"})
    both = table.assign(**{"AWRF(target='qrels')@5": 0.5})
    assert not any("different" in note for note in [*notes(both), *notes(shares)])
