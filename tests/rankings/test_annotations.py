"""The groups of judged documents, and blocks of any size."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import AWRF, evaluate, groups
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.protected import population, side_of
from pt_fairness.rankings.trec_order import Judgments, Run


def test_only_relevant_rows_give_a_relevant_document_its_groups():
    qrels = pd.DataFrame([("q", "a", 2, "X"), ("q", "a", 0, "Y"), ("q", "b", 0, "Y"),
                          ("q", "b", 0, "Z")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    annotations = Annotations(Judgments(qrels), None, [0, 1, 2, 3])
    assert annotations.labels == ["X", "Y", "Z"]
    for rel, expected in ((3, ["", ""]), (2, ["X", ""]), (1, ["X", ""]), (0, ["X", ""])):
        member = annotations.sets.shares(annotations.judged_codes[rel], [*"XYZ"]) > 0
        assert member.tolist() == [[label in one for label in "XYZ"] for one in expected]


@pytest.mark.parametrize("own", [True, False], ids=["source", "iteration"])
def test_blocks_hold_what_the_whole_holds(own, monkeypatch):
    rng = np.random.default_rng(1)
    n = 400
    frame = pd.DataFrame({"query_id": rng.integers(0, 9, n).astype(str),
                          "doc_id": [f"d{i}" for i in rng.integers(0, 60, n)],
                          "relevance": rng.integers(0, 3, n),
                          "iteration": rng.choice(["A", "B", "C", "-"], n)})
    run = frame[["query_id", "doc_id"]].drop_duplicates().assign(score=1.0)
    source = groups.from_frame(frame.rename(
        columns={"query_id": "qid", "doc_id": "docno", "iteration": "group"})) if own else None
    judgments = Judgments(frame)
    annotations = Annotations(judgments, source, [0, 2])
    ranked = Run(run, judgments, lambda *message: None)
    rankings = annotations.rankings(ranked, None)

    def contents() -> list[list[object]]:
        rows = []
        for view in rankings.blocks():
            codes, n = view.condensed(5)
            full, relevance, _ = view.full(7)
            share = np.vstack([view.share, np.full(len(view.labels), -1.0)])
            for t, qid in enumerate(view.qids):
                rows.append([qid, n[t], share[codes[t, :n[t]]].tolist(),
                             share[full[t]][full[t] >= 0].tolist(), relevance[t].tolist(),
                             (view.run_counts[t] @ view.share).round(9).tolist(),
                             (view.relevant(2)[t] @ view.share).round(9).tolist(),
                             side_of(view, "C,A", "collection", 0).share[t],
                             population(view, "collection", 0).round(9).tolist()])
        return rows

    whole = contents()
    assert len(list(rankings.blocks())) == 1
    monkeypatch.setattr("pt_fairness.rankings.rankings.BLOCK_CELLS", 100)
    assert len(list(rankings.blocks())) > 1
    assert contents() == whole


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
