"""Rankings for one label set, against plain Python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.labelled import Labelled, Rankings
from pt_fairness.rankings.run import Run


class _Case(NamedTuple):
    """Rankings, and what they hold as lists of (docno, labels)."""

    rankings: Rankings
    lists: list[list[tuple[str, frozenset[str]]]]


def labels_of(rankings: Rankings, codes: np.ndarray) -> list[frozenset[str]]:
    sets: list[set[str]] = [set() for _ in codes]
    known = np.flatnonzero(codes >= 0)
    row, label, _ = rankings.sets.entries(codes[known])
    for i, one in zip(known[row], label, strict=True):
        sets[i].add(rankings.sets.labels[one])
    return [frozenset(one) for one in sets]


@pytest.fixture(params=range(6))
def case(request, make_case) -> _Case:
    data = make_case(request.param, several=request.param % 2 == 1)
    judgments = Judgments(data.qrels_frame)
    run = Run(data.run_frame.drop_duplicates(["query_id", "doc_id"]), judgments,
              lambda text, cause: None)
    annotations = Annotations(judgments, None, [1, 2, None])
    rankings = annotations.rankings(run, annotations.of_run(run, None))
    docnos, labels = list(run.docnos(slice(None))), labels_of(rankings, rankings.lists.codes)
    lists = [list(zip(docnos[start:start + n], labels[start:start + n], strict=True))
             for start, n in zip(rankings.lists.start, rankings.lists.length, strict=True)]
    return _Case(rankings, lists)


@pytest.mark.parametrize("depth", [None, 1, 3])
def test_condensed_lists_hold_the_first_annotated_documents(case, depth):
    found = case.rankings.labelled(depth=depth)
    wanted = [[labels for _, labels in one if labels][:depth] for one in case.lists]
    assert found.length.tolist() == [len(one) for one in wanted]
    assert [labels_of(case.rankings, found.condensed[a:b])
            for a, b in zip(found.start[:-1], found.start[1:], strict=True)] == wanted
    assert found.condensed_pair.shape == found.condensed.shape


def test_labels_outside_the_label_set_are_not_annotations(case):
    kept = case.rankings.labels[:1]
    found = Labelled(case.rankings, kept, None)
    assert found.length.tolist() == [
        sum(bool(labels & set(kept)) for _, labels in one) for one in case.lists]
    for rel, codes in found.relevant.items():
        every = labels_of(case.rankings, case.rankings.judged.relevant[rel])
        assert (codes >= 0).tolist() == [bool(labels & set(kept)) for labels in every]


def test_a_label_can_be_added_to_the_label_set(case):
    assert case.rankings.labelled(["a new one"]).labels == sorted(
        ["a new one", *case.rankings.labels])


@pytest.mark.parametrize("rel", [1, 2, None])
def test_pooled_documents_have_shares_of_1(case, rel):
    found = case.rankings.labelled().pooled(rel)
    codes = case.rankings.judged.relevant[rel]
    assert found.counts.sum() == (codes >= 0).sum()
    assert np.bincount(found.row, found.share).tolist() == pytest.approx([1.0] * len(found.counts))
    wanted = {name: sum(1 / len(labels) for labels in labels_of(case.rankings, codes)
                        if name in labels) for name in case.rankings.labels}
    total = np.bincount(found.group, found.share * found.counts[found.row],
                        minlength=len(case.rankings.labels))
    assert total.tolist() == pytest.approx(list(wanted.values()))


def test_repeated_rankings_have_topics_of_their_own(case):
    once, thrice = case.rankings, case.rankings.repeated(3)
    n, topics = len(once.lists.list), len(once.judged.topics)
    assert len(thrice.judged.topics) == 3 * topics
    for part in range(3):
        of_lists = slice(part * len(once.lists.topics), (part + 1) * len(once.lists.topics))
        assert (thrice.lists.topics[of_lists] == once.lists.topics + part * topics).all()
        rows = slice(part * n, (part + 1) * n)
        assert (thrice.lists.codes[rows] == once.lists.codes).all()
        judged = once.lists.pair >= 0
        assert ((thrice.lists.pair[rows] >= 0) == judged).all()
        # A judged document has the identifier of its pair.
        item = thrice.lists.item()[rows]
        assert (item[judged] == thrice.lists.pair[rows][judged]).all()
    items = thrice.lists.item().reshape(3, n)
    assert not set(items[0]) & set(items[1]) and not set(items[1]) & set(items[2])


def test_reordered_rankings_keep_the_documents_together(case):
    rng = np.random.default_rng(5)
    lists = case.rankings.lists
    rows = np.concatenate([start + rng.permutation(n) for start, n in zip(
        lists.start, lists.length, strict=True)]).astype(int)
    found = case.rankings.reordered(rows).lists
    before = list(zip(lists.pair, lists.codes, lists.item(), strict=True))
    after = list(zip(found.pair, found.codes, found.item(), strict=True))
    assert after == [before[i] for i in rows]
