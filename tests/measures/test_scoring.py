"""Scoring block by block: depths, the judged documents that measures need, and terms."""

from __future__ import annotations

import pytest

from pt_fairness import AWRF, EEL, IAA, rKL, rND, rRD
from pt_fairness.measures.scoring import contributions, depth_of, fairest, rels_of, score
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run


@pytest.fixture(params=range(4))
def rankings(request, make_case):
    case = make_case(request.param, topics=9)
    judgments = Judgments(case.qrels_frame)
    run = Run(case.run_frame.drop_duplicates(["query_id", "doc_id"]), judgments,
              lambda text, cause: None)
    annotations = Annotations(judgments, None, [1, 2, None])
    return annotations.of_run(run, None)


def test_the_largest_depth_is_needed():
    assert depth_of([rND @ 5, rKL @ 7]) == 7
    assert depth_of([rND @ 5, rKL]) is None


def test_the_relevances_of_relevant_documents():
    assert rels_of([rND @ 5, rKL(rel=2) @ 5]) == {1, 2}
    assert None in rels_of([EEL])


def test_blocks_of_any_size_give_the_same_values(rankings, monkeypatch):
    measures = [rND @ 3, rKL, AWRF(target="uniform") @ 4, IAA, rKL(protected="all") @ 2]
    whole = score(measures, rankings)
    monkeypatch.setattr("pt_fairness.rankings.labelled.BLOCK_CELLS", 20)
    blocks = score(measures, rankings)
    for measure in measures:
        assert blocks[measure].tolist() == pytest.approx(whole[measure].tolist(), nan_ok=True)


@pytest.mark.parametrize("measure", [rND @ 5, rKL @ 5, rRD(norm="none") @ 5], ids=str)
def test_contributions_add_up_to_the_value(rankings, measure):
    terms = contributions(measure, rankings, 7)
    assert terms.shape == (len(rankings.list_topic), 7)
    # Nothing returned has the worst value, but no document that adds to it.
    counted = rankings.of_labels().condensed.length > 0
    assert terms.sum(axis=1)[counted].tolist() == pytest.approx(
        score([measure], rankings)[measure][counted].tolist(), nan_ok=True)


def test_the_fairest_value_is_at_most_the_value(rankings):
    measure = rND(norm="none") @ 4
    least, value = fairest(measure, rankings), score([measure], rankings)[measure]
    assert least is not None and len(least) == len(value)
    known = (least == least) & (value == value)
    assert (least[known] <= value[known] + 1e-12).all()
    assert fairest(EEL, rankings) is None
