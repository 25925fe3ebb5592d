"""What each method promises, on random topics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from rerank_cases import frame_of, groups_of, random_topics
from slow_versions import rerank as slow

from pt_fairness import rerank
from pt_fairness.measures.statistical_tests import m_table

TOPICS = 20
METHODS = ["fa_ir", "det_greedy", "det_cons", "det_relaxed", "det_const_sort", "xquad", "pm2"]


@pytest.mark.parametrize("several, soft, k", [
    (True, True, 4), (False, False, None), (True, False, 4)])
@pytest.mark.parametrize("name", METHODS)
def test_documents_stay_and_unannotated_ones_keep_their_ranks(name, several, soft, k):
    topics = random_topics(1, TOPICS, several=several, soft=soft)
    frame = frame_of(topics).assign(extra=range(sum(map(len, topics.values()))), rank=5)
    method = getattr(rerank, name)(groups_of(topics), k=k)
    found = method(frame)
    # Neither the order of rows nor the ranks matter, and a second time changes nothing.
    shuffled = frame.sample(frac=1, random_state=1).sort_values(
        "qid", key=lambda qids: qids.astype(int), kind="stable")
    pd.testing.assert_frame_equal(found, method(shuffled.assign(rank=3)))
    if name in METHODS[:4]:
        pd.testing.assert_frame_equal(found, method(found))
    assert found["qid"].drop_duplicates().tolist() == [*topics]
    assert len(frame.merge(found, on=["qid", "docno", "extra"])) == len(found) == len(frame)
    for qid, documents in topics.items():
        mine = found[found["qid"] == qid]
        new, old = mine["docno"].tolist(), slow.rerank(documents, "none", {})
        n = len(documents)
        assert mine["rank"].tolist() == [*range(n)]
        assert mine["score"].tolist() == [*range(n, 0, -1)]
        without = {d.docno for d in documents if not d.groups}
        assert [d if d in without else None for d in new] == [
            d if d in without else None for d in old]
        moved, before = ([d for d in some if d not in without] for some in (new, old))
        assert moved[k or n:] == [d for d in before if d not in moved[:k or n]]
        if name in METHODS[:5] and not several:  # documents of a group keep their order
            groups = {d.docno: [*d.groups] for d in documents}
            assert sorted(moved, key=groups.get) == sorted(before, key=groups.get)
        score = {d.docno: d.score for d in documents}
        discount = 1 / np.log2(np.arange(n) + 2)
        assert discount @ [score[d] for d in new] <= discount @ [score[d] for d in old] + 1e-9


@pytest.mark.parametrize("name, labels", [
    ("det_const_sort", 5), ("det_greedy", 3), ("det_cons", 3), ("det_relaxed", 3)])
@pytest.mark.parametrize("k", quick_cases([None, 5], first=1))
def test_every_prefix_has_the_minimum_of_every_group(name, labels, k):
    """With one group each, and as long as no group has run out of documents."""
    topics = random_topics(7, TOPICS, labels=labels, longest=20)
    for target in ("uniform", {f"g{i}": share for i, share in
                               enumerate([0.4, 0.3, 0.2, 0.1, 0.0][:labels - 1])}):
        target = target if target == "uniform" else {
            label: share / sum(target.values()) for label, share in target.items()}
        found = getattr(rerank, name)(groups_of(topics), target, k)(frame_of(topics))
        for qid, documents in topics.items():
            groups = {d.docno: next(iter(d.groups)) for d in documents if d.groups}
            counts = pd.Series(groups, dtype=object).value_counts()
            shares = pd.Series(1.0 if target == "uniform" else target, sorted(counts.index))
            shares = (shares.fillna(0) / max(shares.sum(), 1e-300)).to_dict()
            new = [groups[d] for d in found[found["qid"] == qid]["docno"] if d in groups]
            for j in range(1, min(k or len(new), len(new)) + 1):
                wanted = {g: slow.floor(j * share) for g, share in shares.items()}
                if any(wanted[g] > counts[g] for g in wanted):
                    break
                assert all(new[:j].count(g) >= wanted[g] for g in wanted), (qid, new, j)


@pytest.mark.parametrize("params", [{}, {"alpha": 0.3}, {"protected": "g0", "k": 6}])
def test_fa_ir_passes_its_test_in_every_prefix(params):
    topics = random_topics(3, TOPICS, labels=3, several=True)
    found = rerank.fa_ir(groups_of(topics), {"g0": 0.5, "g1": 0.25, "g2": 0.25}, **params)(
        frame_of(topics))
    tested = 0
    for qid, documents in topics.items():
        groups = {d.docno: d.groups for d in documents if d.groups}
        labels = sorted({g for some in groups.values() for g in some})
        if len(labels) < 2:
            continue
        sizes = {g: sum(g in some for some in groups.values()) for g in labels}
        protected = params.get("protected") or min(labels, key=lambda g: (sizes[g], g))
        shares = {g: {"g0": 0.5}.get(g, 0.25) for g in labels}
        flags = [protected in groups[d] for d in found[found["qid"] == qid]["docno"]
                 if d in groups]
        if protected not in labels or all(flags):
            continue
        table = m_table(min(params.get("k", len(flags)), len(flags)),
                        shares[protected] / sum(shares.values()), params.get("alpha", 0.1))
        least = np.minimum(table, sum(flags))
        assert (np.cumsum(flags)[:len(table)] >= least).all()
        tested += 1
    assert tested > TOPICS / 4
