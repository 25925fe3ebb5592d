"""Label sets, groups of judged documents and rankings, against plain Python."""

import itertools
import random
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from one_test import each

from pt_fairness import evaluate, groups
from pt_fairness.groups.memberships import LabelSets
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.protected import rarest
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run

LABELS = ["A", "B", "C", "D"]


def sets_of(table: LabelSets, codes: np.ndarray) -> list[dict[str, float]]:
    """The labels and shares of each code, which is −1 for none."""
    found: list[dict[str, float]] = [{} for _ in codes]
    known = np.flatnonzero(codes >= 0)
    for row, label, share in zip(*table.entries(codes[known]), strict=True):
        found[known[row]][table.labels[label]] = float(share)
    return found


def annotations(seed: int, weighted: bool):
    """Items, labels (−1 is none of the table) and weights; and the shares they stand for."""
    pick = random.Random(seed)
    rows = [(pick.randrange(12), pick.randrange(-1, 4), pick.choice([0.25, 0.5, 2.0]))
            for _ in range(pick.randrange(30))]
    wanted: list[dict[str, float]] = [{} for _ in range(12)]
    for item, label, weight in rows:
        if label >= 0:
            # Equal shares count a label once, weights of one label add up.
            old = wanted[item].get(LABELS[label], 0.0)
            wanted[item][LABELS[label]] = old + weight if weighted else 1.0
    wanted = [{label: weight / sum(one.values()) for label, weight in one.items()}
              for one in wanted]
    item, label, weight = (np.array([row[i] for row in rows]) for i in range(3))
    return item.astype(np.int64), label.astype(np.int64), weight if weighted else None, wanted


@each("weighted", [False, True])
@each("seed", range(12))
def test_codes_stand_for_the_labels_and_shares_of_each_item(seed, weighted):
    table = LabelSets(LABELS)
    for part in range(3):  # a table grows from call to call
        item, label, weight, wanted = annotations(100 * seed + part, weighted)
        codes = table.code(item, label, 12, weight)
        for found, right in zip(sets_of(table, codes), wanted, strict=True):
            assert found == pytest.approx(right)
        # Equal sets of one call have one code, and a single label its own.
        for code, right in zip(codes, wanted, strict=True):
            if len(right) == 1:
                assert table.labels[code] == next(iter(right))
        several = [code for code, right in zip(codes, wanted, strict=True) if len(right) > 1]
        distinct = {tuple(sorted(right.items())) for right in wanted if len(right) > 1}
        assert len(set(several)) == len(distinct)
        assert table.weighted[several].tolist() == [weighted] * len(several)


@each("seed", range(10))
def test_shares_of_some_labels_are_normalised(seed):
    table = LabelSets(LABELS)
    item, label, weight, wanted = annotations(seed, weighted=True)
    codes = table.code(item, label, 12, weight)
    chosen = ["D", "B", "of another table"]
    for row, right in zip(table.shares(codes, chosen), wanted, strict=True):
        some = [right.get(name, 0.0) for name in chosen]
        assert row.tolist() == pytest.approx([x / (sum(some) or 1.0) for x in some])
    for some in (["B"], ["D", "B"]):
        has = table.any_of(some)
        assert not has[-1] and len(has) == len(table) + 1
        assert has[codes].tolist() == [bool({*some} & set(right)) for right in wanted]


def labels_of(rankings: Rankings, codes: np.ndarray) -> list[frozenset[str]]:
    return [frozenset(one) for one in sets_of(rankings.sets, codes)]


class _Case(NamedTuple):
    """Rankings, and what they hold as lists of (docno, labels)."""

    rankings: Rankings
    lists: list[list[tuple[str, frozenset[str]]]]


@pytest.fixture(params=range(3), scope="module")
def case(request, make_case) -> _Case:
    data = make_case(request.param + 1, several=request.param % 2 == 0)
    judgments = Judgments(data.qrels_frame)
    run = Run(data.run_frame.drop_duplicates(["query_id", "doc_id"]), judgments,
              lambda text, cause: None)
    annotations = Annotations(judgments, None, [1, 2, None])
    rankings = annotations.rankings(run, None)
    docnos, labels = list(run.docnos(slice(None))), labels_of(rankings, rankings.codes)
    lists = [list(zip(docnos[start:start + n], labels[start:start + n], strict=True))
             for start, n in zip(rankings.start, rankings.looked_up, strict=True)]
    return _Case(rankings, lists)


def test_labels_outside_the_label_set_and_lower_documents_are_not_annotations(case):
    kept = case.rankings.labels[:1]
    found = replace(case.rankings, labels=kept).restricted()
    count = [sum(bool(labels & {*kept}) for _, labels in one) for one in case.lists]
    assert found.length.tolist() == count
    assert found.restricted(depth=2).length.tolist() == [min(n, 2) for n in count]
    for rel, codes in found.judged_codes.items():
        every = labels_of(case.rankings, case.rankings.judged_codes[rel])
        assert (codes >= 0).tolist() == [bool(labels & {*kept}) for labels in every]


def test_repeated_rankings_have_topics_of_their_own(case):
    once, thrice = case.rankings, case.rankings.repeated(3)
    n, topics = len(once.ranking), len(once.topics)
    assert len(thrice.topics) == 3 * topics
    for part in range(3):
        of_lists = slice(part * len(once.topic), (part + 1) * len(once.topic))
        assert (thrice.topic[of_lists] == once.topic + part * topics).all()
        rows = slice(part * n, (part + 1) * n)
        assert (thrice.codes[rows] == once.codes).all()
        judged = once.pair >= 0
        assert ((thrice.pair[rows] >= 0) == judged).all()
        # A judged document has the identifier of its pair.
        item = thrice.item()[rows]
        assert (item[judged] == thrice.pair[rows][judged]).all()
    items = thrice.item().reshape(3, n)
    assert not set(items[0]) & set(items[1]) and not set(items[1]) & set(items[2])


def test_reordered_rankings_keep_the_documents_together(case):
    rng = np.random.default_rng(5)
    lists = case.rankings
    rows = np.concatenate([start + rng.permutation(n) for start, n in zip(
        lists.start, lists.looked_up, strict=True)]).astype(int)
    found = case.rankings.reordered(rows)
    before = list(zip(lists.pair, lists.codes, lists.item(), strict=True))
    after = list(zip(found.pair, found.codes, found.item(), strict=True))
    assert after == [before[i] for i in rows]


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
    expected = r"pt\.io\.read_qrels .*pt\.fairness\.read_qrels"
    with pytest.raises(ValueError, match=expected):
        evaluate({"A": run}, qrels, "AWRF@2", progress=False)
    averages, _ = evaluate({"A": run}, pt.fairness.read_qrels(path), "AWRF@2", progress=False)
    assert 0 < averages["AWRF@2"].item() < 1


@each("most", [False, True])
def test_the_rarest_group_is_the_first_of_the_smallest(most):
    sizes = np.array(list(itertools.product([0.0, 1.0, 2.0], repeat=3)))
    chosen, known = rarest(sizes, most)
    for row, mask, two in zip(sizes.tolist(), chosen, known, strict=True):
        present = [size for size in row if size > 0]
        wanted = (max if most else min)(present, default=0.0)
        assert mask.tolist() == [i == row.index(wanted) for i in range(3)]
        assert two == (len(present) > 1)


def test_a_rarest_group_of_equal_sums_of_weights_and_of_no_labels():
    assert rarest(np.array([[0.1 + 0.2, 0.3]]))[0].tolist() == [[True, False]]
    chosen, known = rarest(np.zeros((2, 0)))
    assert chosen.shape == (2, 0) and known.tolist() == [False, False]


def test_a_blockwise_source_is_asked_in_blocks_and_matches_are_counted(monkeypatch):
    monkeypatch.setattr("pt_fairness.rankings.annotations.CHUNK", 3)
    source = groups.from_mapping(dict(zip("abcdefgh", "BBCABCAD", strict=True)))
    annotate, asked = source.annotate, []
    source.annotate = lambda qids, docnos: asked.append("".join(docnos)) or annotate(qids, docnos)
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abcdefgh"), "relevance": 1})
    found = Annotations(Judgments(qrels), source, [1])
    assert asked == ["abc", "def", "gh"]
    source.blockwise = False
    assert Annotations(found.judgments, source, [2]).judged_matches() is None
    assert Annotations(found.judgments, source, [1]).judged_matches().documents == 8
    assert "".join(map("".join, sets_of(found.sets, found.pair_codes))) == "BBCABCAD"
