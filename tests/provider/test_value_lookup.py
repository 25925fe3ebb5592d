"""The values of documents, against dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pt_fairness import RankingBias, groups, values
from pt_fairness.provider.measure_lists import ValueLookup
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run

QRELS = pd.DataFrame([("1", "a", 2), ("1", "b", 1), ("1", "c", 0), ("2", "b", 1)],
                     columns=["query_id", "doc_id", "relevance"])
RUN = pd.DataFrame([("1", "x", 3.0), ("1", "b", 2.0), ("1", "a", 1.0), ("2", "b", 1.0)],
                   columns=["query_id", "doc_id", "score"])
OF_DOCUMENTS = {"a": 0.5, "b": -1.0, "c": 4.0}
SOURCE = values.from_mapping(OF_DOCUMENTS)
GROUPS = groups.from_mapping({"a": "A", "b": ["A", "B"], "c": "B"})


def found(*measures, run: pd.DataFrame = RUN) -> Any:
    judgments = Judgments(QRELS)
    annotations = Annotations(judgments, GROUPS, [1, 2, None])
    ranked = Run(run, judgments, lambda text, cause: None)
    rankings = annotations.of_run(ranked, None)
    return ValueLookup(measures, annotations).added_to(rankings, ranked)


def test_ranked_documents_have_the_values_of_a_source():
    rankings = found(RankingBias(values=SOURCE, background="qrels"))
    (of_run,) = rankings.values.values()
    assert of_run.tolist() == pytest.approx([np.nan, -1.0, 0.5, -1.0], nan_ok=True)


def test_only_the_ranks_that_measures_need_are_looked_up():
    rankings = found(RankingBias(values=SOURCE, background="qrels") @ 2)
    (of_run,) = rankings.values.values()
    assert of_run.tolist() == pytest.approx([np.nan, -1.0, np.nan, -1.0], nan_ok=True)


@pytest.mark.parametrize(("rel", "wanted"), [
    (1, {("1", 0.5), ("1", -1.0), ("2", -1.0)}), (2, {("1", 0.5)}),
    (0, {("1", 0.5), ("1", -1.0), ("1", 4.0), ("2", -1.0)})])
def test_a_background_of_judged_documents(rel, wanted):
    rankings = found(RankingBias(values=SOURCE, background="qrels", rel=rel))
    (background,) = rankings.backgrounds.values()
    (of_documents,) = background.values.values()
    names = [["1", "2"][topic] for topic in background.topic]
    assert {*zip(names, of_documents.tolist(), strict=True)} == wanted
    assert len(of_documents) == len(wanted)


def test_values_of_labels_are_means_of_the_labels_of_a_document():
    rankings = found(RankingBias(values={"A": 1.0, "B": -1.0}, background="qrels", rel=0))
    assert rankings.values == {}  # ranked documents have their label sets
    (background,) = rankings.backgrounds.values()
    (of_documents,) = background.values.values()
    by_document = dict(zip(["a", "b", "c"], [1.0, 0.0, -1.0], strict=True))
    wanted = [by_document[docno] for docno in ("a", "b", "c", "b")]
    assert sorted(of_documents.tolist()) == pytest.approx(sorted(wanted))


def test_a_background_run_has_the_values_of_all_its_documents():
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["c", "y"]})
    values.runs.register("whole", frame.assign(score=[2.0, 1.0]))
    try:
        rankings = found(RankingBias(values=SOURCE, background="whole"))
    finally:
        values.runs.unregister("whole")
    (background,) = rankings.backgrounds.values()
    (of_documents,) = background.values.values()
    assert of_documents.tolist() == pytest.approx([4.0, np.nan], nan_ok=True)
