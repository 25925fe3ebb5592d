"""Qrels as arrays, against dictionaries."""

from __future__ import annotations

import random
import re

import numpy as np
import pandas as pd
import pytest

from pt_fairness.rankings.judgments import Judgments


@pytest.mark.parametrize("kind", [int, float, "Int64"])
@pytest.mark.parametrize("seed", range(12))
def test_a_pair_has_its_highest_relevance_and_all_its_labels(seed, kind):
    pick = random.Random(seed)
    rows = [(str(pick.randrange(3)), f"d{pick.randrange(6)}", pick.randrange(-2, 4),
             pick.choice(["A", "B", "-", ""])) for _ in range(40)]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    judgments = Judgments(frame.astype({"relevance": kind}))
    assert judgments.topics == list(dict.fromkeys(row[0] for row in rows))
    best: dict[tuple[str, str], float] = {}
    for qid, docno, relevance, _ in rows:
        best[qid, docno] = max(best.get((qid, docno), relevance), relevance)
    assert (np.diff(judgments.topic) >= 0).all()
    pairs = list(zip((judgments.topics[i] for i in judgments.topic),
                     judgments.docnos(slice(None)), strict=True))
    assert dict(zip(pairs, judgments.relevance.tolist(), strict=True)) == best
    assert len(pairs) == len(best)
    # Rows are sorted by topic, and keep their order within each.
    codes, labels = judgments.row_labels
    in_order = sorted(rows, key=lambda row: judgments.topics.index(row[0]))
    assert [labels[code] if code >= 0 else None for code in codes] == [
        row[3] if row[3] in ("A", "B") else None for row in in_order]
    assert labels == list(dict.fromkeys(row[3] for row in rows if row[3] in ("A", "B")))


def test_topics_are_kept_as_given():
    frame = pd.DataFrame({"query_id": [7, 7, 3], "doc_id": ["a", "b", "a"], "relevance": 1})
    judgments = Judgments(frame)
    assert (judgments.topics, judgments.qids) == (["7", "3"], [7, 3])
    assert judgments.row_labels[1] == ["0"]


@pytest.mark.parametrize("column", ["query_id", "doc_id", "relevance"])
def test_a_missing_value_is_an_error_that_names_the_column(column):
    frame = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1.0, 0.0]})
    frame.loc[1, column] = None
    with pytest.raises(ValueError, match="qrels"):
        Judgments(frame)


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
@pytest.mark.parametrize("character", ["\0", "\f", "\v"])
def test_the_row_of_an_identifier_that_trec_eval_cannot_read(column, character):
    frame = pd.DataFrame({"query_id": ["2", "1", "2"], "doc_id": ["a", "b", "c"], "relevance": 1},
                         index=[4, 5, 7])
    frame.loc[7, column] = f"a{character}b"
    says = f"row 7 of the qrels has the {column} {f'a{character}b'!r}, which contains "
    with pytest.raises(ValueError, match=re.escape(says)):
        Judgments(frame)


@pytest.mark.parametrize("relevance", [1_000_001, -1_000_001, 2**32, 3e9, float("inf"), -2**63])
def test_the_row_of_a_relevance_outside_a_million(relevance):
    frame = pd.DataFrame({"query_id": ["2", "1", "2"], "doc_id": ["a", "b", "c"],
                          "relevance": [1, 0, relevance]}, index=[4, 5, 7])
    says = f"row 7 of the qrels has the relevance {relevance}, which is outside ±1,000,000"
    with pytest.raises(ValueError, match=re.escape(says)):
        Judgments(frame)
    Judgments(frame.assign(relevance=[1_000_000, 0, -1_000_000]))


def test_no_rows():
    judgments = Judgments(pd.DataFrame(columns=["query_id", "doc_id", "relevance", "iteration"]))
    assert judgments.topics == [] and len(judgments.relevance) == 0
    assert judgments.row_labels[1] == []
