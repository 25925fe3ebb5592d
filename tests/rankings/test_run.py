"""trec_eval's order against plain Python."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_versions.rows import order_run

from pt_fairness import FairnessWarning
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.run import Run

#: Identifiers without what a C string cannot hold, and lone surrogates, which UTF-8 cannot.
identifiers = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20
)
DTYPES = ["str", object]


def ranked(run: pd.DataFrame, qrels: pd.DataFrame | None = None) -> dict[str, list[str]]:
    if qrels is None:
        qrels = pd.DataFrame(
            {"query_id": run["query_id"].unique(), "doc_id": "none", "relevance": 1}
        )
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
            st.floats(allow_nan=False),
        ),
    ),
    min_size=1,
    max_size=30,
)


@given(rows, st.sampled_from(DTYPES))
def test_the_order_is_trec_eval_s(rows, dtype):
    rows = list({(qid, docno): (qid, docno, score) for qid, docno, score in rows}.values())
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).astype(
        {"query_id": dtype, "doc_id": dtype}
    )
    assert ranked(run) == order_run(rows)


def test_the_order_of_a_long_run_with_many_ties():
    pick = random.Random(0)
    rows = [
        (str(q), f"{pick.choice(['FT', 'LA', 'é', '文'])}{i}", float(pick.randint(0, 3)))
        for q in range(5)
        for i in range(4000)
    ]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).sample(frac=1, random_state=0)
    assert ranked(run) == order_run(rows)


def test_the_order_of_documents_is_that_of_their_bytes():
    docnos = [
        "a",
        "B",
        "é",
        "z",
        "ab",
        "a-",
        "\U0001f600",
        "\uffff",
        "\ue000",
        "a" * 9,
        "a" * 8,
        "a" * 17,
    ]
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
        run,
        Judgments(pd.DataFrame({"query_id": ["q"], "doc_id": "b", "relevance": 1})),
        lambda *one: messages.append(one),
    )
    assert len(messages) == 1
    assert messages[0][1] == "duplicates" and "'a'" in messages[0][0] and "'q'" in messages[0][0]


@pytest.mark.parametrize("score", [float("nan"), None, pd.NA])
def test_a_score_that_is_missing_is_refused(score):
    run = pd.DataFrame(
        {
            "query_id": ["q", "q"],
            "doc_id": ["a", "b"],
            "score": pd.Series([1.0, score], dtype=object),
        }
    )
    with pytest.raises(ValueError, match="'b' for topic 'q' is NaN"):
        ranked(run)


def test_a_score_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="numbers"):
        ranked(pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": ["many"]}))


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
def test_a_missing_identifier_is_refused(column):
    frame = pd.DataFrame(
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": 1, "score": 1.0}
    )
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
            {"query_id": "q", "doc_id": ["a", "b", "c"], "score": [1e300, 5.0, -1e300]}
        )
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
