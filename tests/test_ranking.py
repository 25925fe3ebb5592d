"""The ranking order and the joins against plain Python."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pandas as pd
import pytest
import slow
from hypothesis import example, given
from hypothesis import strategies as st

from pt_fairness import FairnessWarning
from pt_fairness.ranking import Annotations, Judgments, LabelSets, PairIndex, Run, words_of

#: Identifiers without what a C string cannot hold, and lone surrogates, which UTF-8 cannot.
identifiers = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
DTYPES = ["str", object]


def ranked(run: pd.DataFrame, qrels: pd.DataFrame | None = None) -> dict[str, list[str]]:
    if qrels is None:
        qrels = pd.DataFrame({"query_id": run["query_id"].unique(), "doc_id": "none", "relevance": 1})
    told: list[str] = []
    judgments = Judgments(qrels)
    found = Run(run, judgments, lambda cause, text: told.append(text))
    docnos = found.docnos(slice(None))
    order: dict[str, list[str]] = {}
    for topic, docno in zip(found.topic, docnos, strict=True):
        order.setdefault(judgments.topics[topic], []).append(docno)
    assert found.length.tolist() == [len(order.get(qid, [])) for qid in judgments.topics]
    assert found.place.tolist() == [i for docnos in order.values() for i in range(len(docnos))]
    return order


rows = st.lists(st.tuples(st.sampled_from(["1", "q2", "ä"]), identifiers,
                          st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 1e39, -1e39, np.inf, -np.inf, 1e-46]),
                                    st.floats(allow_nan=False))), min_size=1, max_size=30)


@given(rows, st.sampled_from(DTYPES))
def test_the_order_is_trec_eval_s(rows, dtype):
    rows = list({(qid, docno): (qid, docno, score) for qid, docno, score in rows}.values())
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).astype({"query_id": dtype, "doc_id": dtype})
    assert ranked(run) == slow.order_run(rows)


def test_the_order_of_a_long_run_with_many_ties():
    pick = random.Random(0)
    rows = [
        (str(q), f"{pick.choice(['FT', 'LA', 'é', '文'])}{i}", float(pick.randint(0, 3))) for q in range(5) for i in range(4000)
    ]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).sample(frac=1, random_state=0)
    assert ranked(run) == slow.order_run(rows)


def test_the_order_of_documents_is_that_of_their_bytes():
    docnos = ["a", "B", "é", "z", "ab", "a-", "\U0001f600", "\uffff", "\ue000", "a" * 9, "a" * 8, "a" * 17]
    run = pd.DataFrame({"query_id": "q", "doc_id": docnos, "score": 1.0})
    assert ranked(run)["q"] == sorted(docnos, key=str.encode, reverse=True)


@given(rows)
def test_of_a_document_given_twice_the_last_row_counts(rows):
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    assert ranked(run) == slow.order_run(rows)


def test_duplicates_are_told_of():
    run = pd.DataFrame([("q", "a", 1.0), ("q", "b", 2.0), ("q", "a", 3.0)], columns=["query_id", "doc_id", "score"])
    told = []
    Run(run, Judgments(pd.DataFrame({"query_id": ["q"], "doc_id": "b", "relevance": 1})), lambda *message: told.append(message))
    assert len(told) == 1
    assert told[0][0] == "duplicates" and "'a'" in told[0][1] and "'q'" in told[0][1]


@pytest.mark.parametrize("score", [float("nan"), None, pd.NA])
def test_a_score_that_is_missing_is_refused(score):
    run = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": pd.Series([1.0, score], dtype=object)})
    with pytest.raises(ValueError, match="'b' for topic 'q' is NaN"):
        ranked(run)


def test_a_score_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="numbers"):
        ranked(pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": ["many"]}))


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
def test_a_missing_identifier_is_refused(column):
    frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": 1, "score": 1.0})
    good, frame[column] = frame.copy(), ["x", None]
    with pytest.raises(ValueError, match=f"row 1 of the run has no {column}"):
        Run(frame, Judgments(good), lambda *message: None)
    with pytest.raises(ValueError, match=f"row 1 of the qrels has no {column}"):
        Judgments(frame)


# ---------------------------------------------------------------------------------------------------------------------
# identifiers


@given(st.lists(identifiers, min_size=1, max_size=40), st.sampled_from(DTYPES))
def test_words_compare_as_the_strings_do(ids, dtype):
    words = words_of(pd.Series(ids, dtype=dtype))
    by_words = sorted(range(len(ids)), key=lambda i: tuple(words[i]))
    assert [ids[i] for i in by_words] == sorted(ids, key=str.encode)
    assert len({tuple(row) for row in words.tolist()}) == len(set(ids))


def test_words_of_many_identifiers():
    ids = [f"d{i}" + "x" * (i % 37) for i in range(40_000)] + ["é", ""]
    words = words_of(pd.Series(ids))
    assert words.shape == (40_002, 6)
    assert [row.astype(">u8").tobytes().rstrip(b"\0").decode() for row in words[[0, 17, 39_999, 40_000, 40_001]]] \
        == [ids[i] for i in (0, 17, 39_999, 40_000, 40_001)]


pairs = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "aaaaaaaab", "aaaaaaaac", "é", "x" * 30])), max_size=25
)


@pytest.mark.parametrize("collide", [False, True], ids=["hash", "hash with collisions"])
@given(known=pairs, asked=pairs)
@example(known=[(0, "a"), (0, "b")], asked=[(0, "aaaaaaaab"), (0, "x" * 30), (0, "a"), (1, "a")])
def test_pairs_are_found_exactly(collide, known, asked):
    original = PairIndex._hash
    if collide:  # half of the hash functions that are tried know only the first letter
        def bad(self, topic, words):
            return original(self, topic, words) if self._seed % 2 else (words[:, 0] >> np.uint64(56)).copy()
        PairIndex._hash = bad
    try:
        index = PairIndex(np.array([t for t, _ in known], int), words_of(pd.Series([d for _, d in known], dtype=object)))
        found, _ = index.find(np.array([t for t, _ in asked], int), words_of(pd.Series([d for _, d in asked], dtype=object)))
    finally:
        PairIndex._hash = original
    distinct = list(dict.fromkeys(known))
    assert len(index) == len(distinct)
    assert [distinct[p] for p in index.pair] == known
    assert [known[row] for row in index.first] == distinct
    assert found.tolist() == [distinct.index(pair) if pair in distinct else -1 for pair in asked]


# ---------------------------------------------------------------------------------------------------------------------
# judgments and label sets


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 3)), max_size=30))
def test_label_sets(rows):
    sets = LabelSets()
    sets.label_codes(["a", "b", "c", "d"])
    item, label = (np.array([row[i] for row in rows], int) for i in (0, 1))
    codes = sets.code(item, label, 7)
    members = {code: set(key) for key, code in sets.sets.items()}
    for i in range(7):
        assert (members[codes[i]] if codes[i] >= 0 else set()) == {g for j, g in rows if j == i and g >= 0}
    table = sets.member(["d", "a"])
    for key, code in sets.sets.items():
        assert table[code].tolist() == [3 in key, 0 in key]


def test_only_relevant_rows_give_a_relevant_document_its_groups():
    qrels = pd.DataFrame([("q", "a", 2, "X"), ("q", "a", 0, "Y"), ("q", "b", 0, "Y"), ("q", "b", 0, "Z")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    annotations = Annotations(Judgments(qrels), None)
    assert annotations.labels == ["X", "Y", "Z"]
    for rel, expected in ((2, [["X"], []]), (1, [["X"], []]), (0, [["X", "Y"], ["Y", "Z"]]), (3, [[], []])):
        assert [annotations.names(annotations.relevant(rel)[[i]]) for i in (0, 1)] == expected


def test_topics_as_numbers_and_as_text_are_the_same():
    qrels = pd.DataFrame({"query_id": [1, 2], "doc_id": ["a", "b"], "relevance": 1})
    run = pd.DataFrame({"query_id": ["2", "1"], "doc_id": ["b", "a"], "score": 1.0})
    assert ranked(run, qrels) == {"1": ["a"], "2": ["b"]}


def test_no_warning_of_numpy_for_scores_beyond_float32():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FairnessWarning)
        run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "score": [1e300, 5.0, -1e300]})
        assert ranked(run) == {"q": ["a", "b", "c"]}
