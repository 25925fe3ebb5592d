"""Rows of reference rankings below the systems of a table."""

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG

import pt_fairness as pf

ROWS = ["[random order]", "[proportional]", "[largest group first]", "[smallest group first]"]
MEASURES = [nDCG @ 5, pf.rKL(protected="A") @ 5, pf.AWRF @ 5]


@pytest.fixture
def experiment():
    rng = np.random.default_rng(0)
    rows = [(f"t{t}", f"d{d:02}", int(rng.integers(0, 2)), str(rng.choice(["A", "B"])))
            for t in range(6) for d in range(20)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    runs = {name: qrels[["qid", "docno"]].assign(score=rng.random(len(qrels)) + i * qrels["label"])
            for i, name in enumerate("XY")}
    return runs, qrels


@pytest.fixture
def result(experiment):
    return pf.evaluate(*experiment, MEASURES, references=True, baseline="X", progress=False)


def test_they_are_the_averages_of_the_reference_rankings(experiment, result):
    _, qrels = experiment
    averages = result.averages
    expected, _ = pf.evaluate(pf.reference_rankings(qrels), qrels, MEASURES[1:], progress=False)
    rows = averages.iloc[2:]
    assert rows["name"].tolist() == ROWS
    for measure in map(str, MEASURES[1:]):
        assert rows[measure].tolist() == expected[measure].tolist()
    assert rows["nDCG@5"].isna().all()  # 1 for every order of relevant documents


def test_they_have_neither_tests_nor_topics(result):
    rows = result.averages.iloc[2:].drop(columns=["name", *map(str, MEASURES)])
    rejected = rows.columns[rows.columns.str.endswith("reject")]
    assert not rows[rejected].any(axis=None) and len(rejected) == 3
    assert rows.drop(columns=rejected).isna().all(axis=None)
    assert set(result.perquery["name"]) == {"X", "Y"}


def test_the_kinds_that_are_named(experiment):
    averages, _ = pf.evaluate(*experiment, MEASURES, references=["proportional"], progress=False)
    assert averages["name"].tolist() == ["X", "Y", "[proportional]"]
    with pytest.raises(ValueError, match=r"references .*'best'"):
        pf.evaluate(*experiment, MEASURES, references=["best"], progress=False)
    every = ["random", "proportional", "largest-group-first", "smallest-group-first"]
    averages, _ = pf.evaluate(*experiment, MEASURES, references=every, progress=False)
    assert averages["name"].to_dict() == dict(enumerate(["X", "Y", *ROWS]))


def test_each_group_source_has_its_own(experiment):
    runs, qrels = experiment
    source = pf.groups.from_mapping({f"d{d:02}": "low" if d < 15 else "high" for d in range(20)},
                                    name="halves")
    measures = [pf.AWRF @ 5, pf.AWRF(groups=source) @ 5]
    averages, _ = pf.evaluate(runs, qrels, measures, references=["largest-group-first"],
                              progress=False)
    for measure, of in zip(measures, (None, source), strict=True):
        run = pf.reference_rankings(qrels, groups=of)
        expected, _ = pf.evaluate(run, qrels, [measure], progress=False)
        value = averages[averages.columns[1 + measures.index(measure)]].iloc[2]
        assert value == expected.iloc[2, 1]


def test_measures_of_documents_and_of_numbers_have_no_value(experiment):
    measures = [pf.NDKL @ 5, pf.EEL @ 5, pf.EEL(by="group") @ 5, pf.RaB(values={"A": 1.0}) @ 5]
    averages, _ = pf.evaluate(*experiment, measures, references=True, progress=False)
    assert averages.iloc[2:, 1:].isna().all().tolist() == [False, True, False, True]


def test_they_are_never_the_best(result):
    fair = result.averages.copy()
    fair.loc[3, "rKL(protected='A')@5"] = 0.0
    text = pf.table(fair).md
    assert "**0.0000" not in text and "0.0000" in text
    assert pf.analysis.minmax(fair)["name"].tolist() == ["X", "Y"]


def test_a_topic_without_reference_rankings_is_left_out_of_their_rows(experiment):
    """AWRF with equal shares is defined for a topic without relevant documents, which has none."""
    runs, qrels = experiment
    none = qrels.assign(label=qrels["label"].where(qrels["qid"] != "t0", 0))
    options = {"measures": [pf.AWRF @ 5, pf.rKL(protected="A") @ 5], "references": True,
               "progress": False}
    with pytest.warns(UserWarning, match="leave out 1 .*'t0'"):
        found = pf.evaluate(runs, none, **options).averages.set_index("name").loc[ROWS]
    others = pf.evaluate(runs, none[none["qid"] != "t0"], **options).averages
    others = others.set_index("name").loc[ROWS]
    assert found["AWRF@5"].tolist() == pytest.approx(others["AWRF@5"].tolist())
    assert found.iloc[:, 1].tolist() == pytest.approx(others.iloc[:, 1].tolist())
