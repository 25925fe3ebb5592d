"""Several rankings of a topic, through evaluate and the commands."""

import warnings

import pandas as pd
import pytest
from evaluation.common import evaluate_quietly
from ir_measures import AP, nDCG

from pt_fairness import EEL, FairnessWarning, evaluate

GRADES = {"a1": 2, "b1": 0, "a2": 1, "b2": 1, "a3": 0, "b3": 2}
QRELS = "".join(f"1 {docno[0].upper()} {docno} {grade}\n" for docno, grade in GRADES.items())
RANKINGS = [["a1", "b1", "x", "a2", "b2", "a3"], ["b3", "a1", "x", "b2"]]
#: EEL of the first ranking, and of both.
ONE, BOTH = 0.610489, 0.040348

QRELS_FRAME = pd.DataFrame([(docno, grade, docno[0].upper()) for docno, grade in GRADES.items()],
                           columns=["docno", "label", "iteration"]).assign(qid="1")

TREC = "".join(f"1 Q{sample} {docno} {i} {-i} t\n" for sample, ranking in enumerate(RANKINGS)
               for i, docno in enumerate(ranking))
FRAME = pd.DataFrame(
    [("1", docno, -float(i), f"sample {sample}") for sample, ranking in enumerate(RANKINGS)
     for i, docno in enumerate(ranking)], columns=["qid", "docno", "score", "iteration"])


@pytest.fixture
def given(tmp_path):
    """``given(name)``: a run of both rankings."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "trec").write_text(TREC)
    return lambda name: FRAME if name == "frame" else tmp_path / name


def warnings_of(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = call()
    return result, [str(one.message) for one in told if issubclass(one.category, FairnessWarning)]


@pytest.mark.parametrize("name", ["trec", "frame"])
def test_every_sample_counts(given, name):
    qrels = given("qrels")
    (averages, per_query), told = warnings_of(
        lambda: evaluate(given(name), qrels, [EEL, nDCG @ 3, AP], progress=False))
    assert averages["EEL"].tolist() == per_query["value"][:1].tolist()
    assert averages["EEL"][0] == pytest.approx(BOTH, abs=1e-6)
    assert len(told) == (1 if name == "frame" else 2)
    assert "several rankings of a topic" in told[-1] and "'nDCG@3', 'AP'" in told[-1]
    last = FRAME.drop_duplicates(["qid", "docno"], keep="last").drop(columns="iteration")
    expected = evaluate_quietly(last, qrels, [nDCG @ 3, AP])[0]
    assert averages[["nDCG@3", "AP"]].equals(expected[["nDCG@3", "AP"]])
