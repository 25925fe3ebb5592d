"""Qrels as arrays, and runs in trec_eval's order, against plain Python."""

from __future__ import annotations

import itertools
import random
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_test import each
from slow_versions.rows import order_run

from pt_fairness import FairnessWarning
from pt_fairness.core.identifiers import CHUNK
from pt_fairness.rankings.trec_order import Judgments, Run, last_rows, scores_of, trec_order


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


#: Identifiers without what trec_eval cannot read, and lone surrogates, which UTF-8 cannot.
identifiers = st.text(
    st.characters(exclude_characters="\0\f\v", exclude_categories=["Cs"]), min_size=1, max_size=20)
DTYPES = ["str", object]


def ranked(run: pd.DataFrame, qrels: pd.DataFrame | None = None) -> dict[str, list[str]]:
    if qrels is None:
        qrels = pd.DataFrame(
            {"query_id": run["query_id"].unique(), "doc_id": "none", "relevance": 1})
    messages: list[str] = []
    judgments = Judgments(qrels)
    found = Run(run, judgments, lambda message, cause: messages.append(message))
    docnos = found.docnos(slice(None))
    order: dict[str, list[str]] = {}
    for topic, docno in zip(found.topic, docnos, strict=True):
        order.setdefault(judgments.topics[topic], []).append(docno)
    assert found.length.tolist() == [len(order.get(qid, [])) for qid in judgments.topics]
    assert found.place.tolist() == [i for docnos in order.values() for i in range(len(docnos))]
    return order


rows = st.lists(
    st.tuples(
        st.sampled_from(["1", "q2", "ä"]),
        identifiers,
        st.one_of(
            st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 1e39, -1e39, np.inf, -np.inf, 1e-46]),
            st.floats(allow_nan=False)),
    ),
    min_size=1,
    max_size=30,
)


@given(rows, st.sampled_from(DTYPES))
def test_the_order_is_trec_eval_s(rows, dtype):
    rows = list({(qid, docno): (qid, docno, score) for qid, docno, score in rows}.values())
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).astype(
        {"query_id": dtype, "doc_id": dtype})
    assert ranked(run) == order_run(rows)


def test_the_order_of_a_long_run_with_many_ties():
    pick = random.Random(0)
    rows = [
        (str(q), f"{pick.choice(['FT', 'LA', 'é', '文'])}{i}", float(pick.randint(0, 3)))
        for q in range(5) for i in range(4000)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).sample(frac=1, random_state=0)
    assert ranked(run) == order_run(rows)


def test_the_order_of_documents_is_that_of_their_bytes():
    docnos = [
        "a", "B", "é", "z", "ab", "a-", "\U0001f600", "\uffff", "\ue000", "a" * 9, "a" * 8,
        "a" * 17]
    run = pd.DataFrame({"query_id": "q", "doc_id": docnos, "score": 1.0})
    assert ranked(run)["q"] == sorted(docnos, key=str.encode, reverse=True)


@given(rows)
def test_of_a_document_given_twice_the_last_row_counts(rows):
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    assert ranked(run) == order_run(rows)


def test_duplicates_are_warned_of():
    run = pd.DataFrame(
        [("q", "a", 1.0), ("q", "b", 2.0), ("q", "a", 3.0)], columns=["query_id", "doc_id", "score"]
    )
    messages = []
    Run(
        run, Judgments(pd.DataFrame({"query_id": ["q"], "doc_id": "b", "relevance": 1})),
        lambda *one: messages.append(one))
    assert len(messages) == 1
    assert messages[0][1] == "duplicates" and "'a'" in messages[0][0] and "'q'" in messages[0][0]


@pytest.mark.parametrize("score", [float("nan"), None, pd.NA])
def test_a_score_that_is_missing_is_refused(score):
    run = pd.DataFrame(
        {
            "query_id": ["q", "q"], "doc_id": ["a", "b"],
            "score": pd.Series([1.0, score], dtype=object)}
    )
    with pytest.raises(ValueError, match="'b' for topic 'q' is NaN"):
        ranked(run)


def test_a_score_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="numbers"):
        ranked(pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": ["many"]}))


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
def test_a_missing_identifier_is_refused(column):
    frame = pd.DataFrame(
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": 1, "score": 1.0})
    good, frame[column] = frame.copy(), ["x", None]
    with pytest.raises(ValueError, match=f"row 1 of the run has no {column}"):
        Run(frame, Judgments(good), lambda *message: None)
    with pytest.raises(ValueError, match=f"row 1 of the qrels has no {column}"):
        Judgments(frame)


def test_topics_as_numbers_and_as_text_are_the_same():
    qrels = pd.DataFrame({"query_id": [1, 2], "doc_id": ["a", "b"], "relevance": 1})
    run = pd.DataFrame({"query_id": ["2", "1"], "doc_id": ["b", "a"], "score": 1.0})
    assert ranked(run, qrels) == {"1": ["a"], "2": ["b"]}


def test_no_warning_of_numpy_for_scores_beyond_float32():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FairnessWarning)
        run = pd.DataFrame(
            {"query_id": "q", "doc_id": ["a", "b", "c"], "score": [1e300, 5.0, -1e300]})
        assert ranked(run) == {"q": ["a", "b", "c"]}


def test_results_for_few_topics_are_a_warning():
    qrels = pd.DataFrame({"query_id": [*"12345"], "doc_id": "a", "relevance": 1})
    said = {}
    for topics in ("12", "123"):
        run = pd.DataFrame({"query_id": [*topics, "9"], "doc_id": "a", "score": 1.0})
        Run(run, Judgments(qrels), lambda message, cause: said.setdefault(cause, message))
        assert ("few topics" in said) == (topics == "12")
        said.clear()
    Run(run.head(1), Judgments(qrels), lambda message, cause: said.setdefault(cause, message))
    assert said["few topics"].startswith("the run has results for 1 of the 5 topics of the qrels")


@each("kind", [int, float, "Int64"])
@each("seed", range(12))
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
