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
#: EEL of both rankings.
BOTH = 0.040348
TREC = "".join(f"1 Q{sample} {docno} {i} {-i} t\n" for sample, ranking in enumerate(RANKINGS)
               for i, docno in enumerate(ranking))
FRAME = pd.DataFrame(
    [("1", docno, -float(i), f"sample {sample}") for sample, ranking in enumerate(RANKINGS)
     for i, docno in enumerate(ranking)], columns=["qid", "docno", "score", "iteration"])


@pytest.mark.parametrize("name", ["trec", "frame"])
def test_every_sample_counts(folder_of, name):
    folder_of({"qrels": QRELS, "trec": TREC})
    run = FRAME if name == "frame" else name
    with pytest.warns(FairnessWarning, match="several rankings.*'nDCG@3', 'AP'"):
        averages, _ = evaluate(run, "qrels", [EEL, nDCG @ 3, AP], progress=False)
    assert averages["EEL"][0] == pytest.approx(BOTH, abs=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        evaluate(FRAME.query("iteration == 'sample 0'"), "qrels", nDCG @ 3, progress=False)
    last = FRAME.drop_duplicates(["qid", "docno"], keep="last").drop(columns="iteration")
    expected = evaluate_quietly(last, "qrels", [nDCG @ 3, AP])[0]
    assert averages[["nDCG@3", "AP"]].equals(expected[["nDCG@3", "AP"]])
