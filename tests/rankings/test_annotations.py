"""The groups of judged documents, and blocks of any size."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import AWRF, evaluate
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments


def test_only_relevant_rows_give_a_relevant_document_its_groups():
    qrels = pd.DataFrame([("q", "a", 2, "X"), ("q", "a", 0, "Y"), ("q", "b", 0, "Y"),
                          ("q", "b", 0, "Z")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    annotations = Annotations(Judgments(qrels), None, [0, 1, 2, 3])
    assert annotations.labels == ["X", "Y", "Z"]
    for rel, expected in ((3, ["", ""]), (2, ["X", ""]), (1, ["X", ""]), (0, ["X", ""])):
        member = annotations.sets.shares(annotations.judged_codes[rel], [*"XYZ"]) > 0
        assert member.tolist() == [[label in one for label in "XYZ"] for one in expected]


def test_qrels_read_by_pyterrier_lose_their_groups(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("1 PRO d1 1\n1 CON d2 1\n")
    run = pd.DataFrame({"qid": "1", "docno": ["d1", "d2"], "score": [2.0, 1.0]})
    qrels = pt.io.read_qrels(str(path))
    expected = "pt.io.read_qrels drops them, and pt.fairness.read_qrels keeps them"
    with pytest.raises(ValueError, match=expected):
        evaluate({"A": run}, qrels, "AWRF@2", progress=False)
    topics = pd.DataFrame({"qid": ["1"], "query": ["q"]})
    with pytest.raises(ValueError, match=expected):
        pt.Experiment([run.assign(rank=[0, 1])], topics, qrels, [AWRF @ 2])
    averages, _ = evaluate({"A": run}, pt.fairness.read_qrels(path), "AWRF@2", progress=False)
    assert 0 < averages["AWRF@2"].item() < 1
