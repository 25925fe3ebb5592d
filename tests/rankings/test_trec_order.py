"""trec_eval's order of documents, against sorting plain Python tuples."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pandas as pd
import pytest

from pt_fairness.core.identifiers import CHUNK
from pt_fairness.rankings.trec_order import last_rows, scores_of, trec_order


def run_of(*scores) -> pd.DataFrame:
    return pd.DataFrame({"query_id": "1", "doc_id": [f"d{i}" for i in range(len(scores))],
                         "score": list(scores)})


def test_scores_are_numbers_of_any_kind():
    assert scores_of(run_of(1, 2)).tolist() == [1.0, 2.0]
    assert scores_of(run_of("1.5", "-2")).tolist() == [1.5, -2.0]
    assert scores_of(run_of(-np.inf, 0.1)).tolist() == [-np.inf, 0.1]


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
def test_a_missing_score_names_its_document(missing):
    frame = run_of(1.0, 2.0).astype({"score": "Float64"})
    frame.loc[1, "score"] = missing
    with pytest.raises(ValueError, match="document 'd1' for topic '1' is NaN"):
        scores_of(frame)


def test_a_score_that_is_no_number_is_an_error():
    with pytest.raises(ValueError, match=r"scores have to be numbers.*high"):
        scores_of(run_of("high"))


@pytest.mark.parametrize("seed", range(20))
def test_order_and_ties_are_those_of_sorted_tuples(seed):
    pick = random.Random(seed)
    # Scores that only float64 tells apart are ties, and 0.0 ties with -0.0.
    scores = [0.0, -0.0, 1.0, 1.0 + 1e-12, -1.5, -1.5 - 1e-12, 2.5, 1e300, np.inf, -np.inf]
    names = [f"d{i}" for i in range(40)] + ["é", "ü", "d", "d0x", "日本"]
    rows = [(topic, pick.choice(scores), name) for topic in range(4)
            for name in pick.sample(names, pick.randint(0, len(names)))]
    pick.shuffle(rows)
    lists, score, docnos = (np.array([row[i] for row in rows]) for i in range(3))
    with np.errstate(over="ignore"):
        single = score.astype(np.float32)
    order, block = trec_order(lists.astype(np.int32), score, pd.Series(docnos))
    # Docnos compare as bytes.
    wanted = sorted(range(len(rows)), key=lambda i: (
        -lists[i], single[i], rows[i][2].encode()), reverse=True)
    assert order.tolist() == wanted
    keys = [(lists[i], float(single[i])) for i in wanted]
    changes = [a != b for a, b in itertools.pairwise(keys)]
    assert block.tolist() == [sum(changes[:i]) for i in range(len(keys))]


def test_tie_blocks_longer_than_a_chunk_are_sorted_whole():
    docnos = pd.Series([f"d{i:07d}" for i in range(CHUNK + 5)])
    order, block = trec_order(np.zeros(len(docnos), np.int32), np.ones(len(docnos)), docnos)
    assert order.tolist() == list(range(len(docnos)))[::-1]
    assert not block.any()


def test_of_rows_of_one_document_the_last_counts():
    warnings = []
    lists = np.array([0, 0, 1, 0, 1])
    docnos = pd.Series(["a", "b", "a", "a", "b"])
    last = last_rows(lists, docnos, ["7", "8"], lambda text, cause: warnings.append((text, cause)))
    assert last.tolist() == [1, 2, 3, 4]
    (text, cause), = warnings
    assert cause == "duplicates"
    assert "1 rows" in text and "'a' for topic '7'" in text


def test_no_warning_without_duplicates():
    def warn(text, cause):
        raise AssertionError(text)

    assert last_rows(np.array([0, 1]), pd.Series(["a", "a"]), ["7", "8"], warn).tolist() == [0, 1]
