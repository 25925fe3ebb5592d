"""The documents of a block, ranked or judged, against plain Python."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from one_test import each
from slow_versions.rows import clean_labels, naming_rows

from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run


def labelled(case, samples: int, seed: int,
             depth: int | None = None) -> tuple[Rankings, list[list[str]]]:
    """The rankings of a case, and the documents of each list in order."""
    run, pick = case.run_frame.drop_duplicates(["query_id", "doc_id"]), random.Random(seed)
    frames = [run.sample(frac=0.7, random_state=seed + i).assign(
        iteration=i, score=lambda one: [pick.random() for _ in range(len(one))])
        for i in range(samples)]
    judgments = Judgments(case.qrels_frame)
    found = Run(pd.concat(frames), judgments, lambda cause, text: None)
    annotations = Annotations(judgments, None, [1, None])
    rankings = annotations.rankings(found, None)
    docnos = [list(found.docnos(slice(start, start + length)))
              for start, length in zip(found.start, found.length, strict=True)]
    return rankings, docnos


@each("seed, cells, cutoff, samples", [
    (0, 1, None, 1), (1, 80, 1, 3), (2, 1 << 17, 4, 3), (3, 80, None, 3), (4, 1, 4, 1)])
def test_documents_of_a_block(make_case, monkeypatch, seed, cells, cutoff, samples):
    case = make_case(seed, several=seed % 2 == 0)
    rankings, lists = labelled(case, samples, seed)
    monkeypatch.setattr("pt_fairness.rankings.rankings.BLOCK_CELLS", cells)
    judged, labels, rows = {}, {}, {}
    for qid, docno, relevance, label in case.qrels:
        judged[qid, docno] = max(judged.get((qid, docno), relevance), relevance)
        rows.setdefault(qid, {}).setdefault(docno, []).append((relevance, label))
    for qid, documents in rows.items():
        for docno, found in naming_rows(documents).items():
            labels[qid, docno] = {*clean_labels(label for _, label in found)}
    seen = 0
    for view in rankings.blocks():
        documents = view.documents(cutoff)
        mine = lists[seen:seen + len(view)]
        seen += len(view)
        assert (documents.topic[1:] >= documents.topic[:-1]).all()
        wanted = [(i, place, docno) for i, one in enumerate(mine)
                  for place, docno in enumerate(one[:cutoff])]
        assert documents.ranking.tolist() == [i for i, _, _ in wanted]
        assert documents.place.tolist() == [place for _, place, _ in wanted]
        names = [(view.topics[view.topic[i]], docno) for i, _, docno in wanted]
        pairs = set(zip(documents.document.tolist(), names, strict=True))
        keys = dict(pairs)
        assert len(keys) == len(pairs) == len(set(names))
        for document, key in keys.items():
            assert view.topics[documents.topic[document]] == key[0]
            assert documents.judged[document] == (key in judged)
            assert documents.relevance[document] == judged.get(key, 0)
            code = documents.codes[document]
            member = view.member[code] if code >= 0 else [False] * len(view.labels)
            held = {name for name, has in zip(view.labels, member, strict=True) if has}
            assert held == labels.get(key, set())
        of_block = [(qid, r) for (qid, _), r in judged.items() if qid in view.topics]
        topics = [view.topics[topic] for topic in documents.topic[documents.judged]]
        relevance = documents.relevance[documents.judged].tolist()
        assert sorted(zip(topics, relevance, strict=True)) == sorted(of_block)
        unjudged = sum(key not in judged for key in keys.values())
        assert len(documents.topic) == len(of_block) + unjudged
    assert seen == len(lists)


@pytest.mark.parametrize("depth", [None, 2])
@pytest.mark.parametrize("cutoff", [1, 2])
def test_the_relevance_of_condensed_lists(make_case, depth, cutoff):
    rankings, _ = labelled(make_case(1), 2, 1, depth)
    for view in rankings.blocks():
        codes, relevance, _ = view.full(None)
        found, n = view.condensed_relevance(cutoff), view.condensed(cutoff)[1]
        for row in range(len(view)):
            expected = relevance[row][codes[row] >= 0][:cutoff]
            assert found[row].tolist() == [*expected, *[0] * (found.shape[1] - len(expected))]
            assert len(expected) == n[row]
