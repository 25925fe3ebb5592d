"""Qrels as arrays, and runs in trec_eval's order, against plain Python."""

import itertools
import random
import warnings

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from hypothesis import given
from hypothesis import strategies as st
from one_test import each
from slow_versions.rows import order_run

from pt_fairness import FairnessWarning
from pt_fairness.rankings.trec_order import Judgments, Run, last_rows, trec_order

COLUMNS = ["query_id", "doc_id", "score"]


def ignore(text: str, cause: str) -> None:
    """Warn of nothing."""


def ranked(run: pd.DataFrame, qrels: pd.DataFrame | None = None) -> dict[str, list[str]]:
    if qrels is None:
        qrels = pd.DataFrame(
            {"query_id": run["query_id"].unique(), "doc_id": "none", "relevance": 1})
    judgments = Judgments(qrels)
    found = Run(run, judgments, ignore)
    order: dict[str, list[str]] = {}
    for topic, docno in zip(found.topic, found.docnos(slice(None)), strict=True):
        order.setdefault(judgments.topics[topic], []).append(docno)
    assert found.length.tolist() == [len(order.get(qid, [])) for qid in judgments.topics]
    assert found.place.tolist() == [i for docnos in order.values() for i in range(len(docnos))]
    return order


#: Scores that only float64 tells apart are ties, and 0.0 ties with -0.0.
SCORES = [0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0001, 1e39, -1e39, np.inf, -np.inf, 1e-46]
#: Identifiers without what trec_eval cannot read, and lone surrogates, which UTF-8 cannot.
identifiers = st.text(st.characters(exclude_characters="\0\f\v", exclude_categories=["Cs"]),
                      min_size=1, max_size=20)
rows = st.lists(st.tuples(st.sampled_from(["1", "q2", "ä"]), identifiers,
                          st.one_of(st.sampled_from(SCORES), st.floats(allow_nan=False))),
                min_size=1, max_size=30)


@given(rows, st.sampled_from(["str", object]))
def test_the_order_is_trec_eval_s_and_the_last_row_of_a_document_counts(rows, dtype):
    run = pd.DataFrame(rows, columns=COLUMNS).astype({"query_id": dtype, "doc_id": dtype})
    assert ranked(run) == order_run(rows)


@pytest.mark.parametrize("seed", quick_cases(range(3), first=1))
def test_blocks_are_ties(seed):
    pick = random.Random(seed)
    rows = [(topic, pick.choice([*SCORES, 2.5]), f"d{i}") for topic in range(4)
            for i in pick.sample(range(40), pick.randint(0, 40))]
    pick.shuffle(rows)
    lists, score, docnos = (np.array([row[i] for row in rows]) for i in range(3))
    order, block = trec_order(lists.astype(np.int32), score, pd.Series(docnos))
    with np.errstate(over="ignore"):
        single = score.astype(np.float32)
    keys = [(lists[i], float(single[i])) for i in order]
    changes = [a != b for a, b in itertools.pairwise(keys)]
    assert block.tolist() == [sum(changes[:i]) for i in range(len(keys))]


def test_of_rows_of_one_document_the_last_counts_with_a_warning():
    warnings = []
    docnos = pd.Series(["a", "b", "a", "a", "b"])
    last = last_rows(np.array([0, 0, 1, 0, 1]), docnos, ["7", "8"], lambda *told: warnings.append(
        told))
    assert last.tolist() == [1, 2, 3, 4]
    last_rows(np.array([0, 1]), pd.Series(["a", "a"]), ["7", "8"], lambda *told: warnings.append(
        told))
    (text, cause), = warnings
    assert cause == "duplicates" and "1 rows" in text and "'a' for topic '7'" in text


@pytest.mark.parametrize("score, message", [
    *((score, "score must be .*NaN.*'b' and topic 'q'") for score in (np.nan, None, pd.NA)),
    ("high", "score must be .*high")])
def test_scores_that_are_refused(score, message):
    frame = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"],
                          "score": pd.Series([1.0, score], dtype=object)})
    with pytest.raises(ValueError, match=message):
        ranked(frame)


def test_no_warning_of_numpy_for_scores_beyond_float32():
    run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "score": [1e300, 5.0, -1e300]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FairnessWarning)
        assert ranked(run) == {"q": ["a", "b", "c"]}


@each("docno, causes", [("x", ["no judged document"]), ("a", []), ("b", [])])
def test_a_run_without_a_judged_document(docno, causes):
    judged = Judgments(pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": 1}))
    told = []
    run = pd.DataFrame({"query_id": ["1"], "doc_id": docno, "score": 1.0})
    Run(run, judged, lambda text, cause: told.append(cause))
    assert told == causes


def test_a_lack_of_topics_is_a_warning():
    qrels = Judgments(pd.DataFrame({"query_id": [*"12345"], "doc_id": "a", "relevance": 1}))
    for topics in ("1", "12", "1234", "1239", "123459"):
        few = len(topics) < 6
        said = {}
        run = pd.DataFrame({"query_id": [*topics], "doc_id": "a", "score": 1.0})
        Run(run, qrels, lambda message, cause, said=said: said.setdefault(cause, message))
        assert ("few topics" in said) == few, topics
        assert "no judged document" not in said
        if few and "9" in topics:
            assert "'4'" in said["few topics"] and "'9'" in said["few topics"]


@pytest.mark.parametrize("kind", [int, float, "Int64"])
def test_a_pair_has_its_highest_relevance_and_all_its_labels(kind):
    pick = random.Random(0)
    rows = [(str(pick.randrange(3)), f"d{pick.randrange(6)}", pick.randrange(-2, 4),
             pick.choice(["A", "B", "-", ""])) for _ in range(60)]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    judgments = Judgments(frame.astype({"relevance": kind}))
    assert judgments.topics == list(dict.fromkeys(row[0] for row in rows))
    assert (np.diff(judgments.topic) >= 0).all()
    qids = [judgments.topics[topic] for topic in judgments.topic]
    pairs = list(zip(qids, judgments.docnos(slice(None)), strict=True))
    best = frame.groupby(["query_id", "doc_id"])["relevance"].max().to_dict()
    assert dict(zip(pairs, judgments.relevance.tolist(), strict=True)) == best
    assert len(pairs) == len(best)
    # Rows are sorted by topic, and keep their order within each.
    codes, labels = judgments.row_labels
    in_order = sorted(rows, key=lambda row: judgments.topics.index(row[0]))
    assert [labels[code] if code >= 0 else None for code in codes] == [
        row[3] if row[3] in ("A", "B") else None for row in in_order]
    assert labels == list(dict.fromkeys(row[3] for row in rows if row[3] in ("A", "B")))


def test_topics_are_kept_as_given_and_numbers_are_their_text():
    qrels = pd.DataFrame({"query_id": [7, 7, 3], "doc_id": ["a", "b", "a"], "relevance": 1})
    judgments = Judgments(qrels)
    assert (judgments.topics, judgments.qids) == (["7", "3"], [7, 3])
    assert judgments.row_labels[1] == ["0"]
    run = pd.DataFrame({"query_id": ["3", "7"], "doc_id": ["a", "b"], "score": 1.0})
    assert ranked(run, qrels) == {"7": ["b"], "3": ["a"]}


def test_no_rows():
    judgments = Judgments(pd.DataFrame(columns=["query_id", "doc_id", "relevance", "iteration"]))
    assert judgments.topics == [] and len(judgments.relevance) == 0
    assert judgments.row_labels[1] == []


def million(relevance: object) -> tuple[str, object, str]:
    message = f"relevance must be a number within ±1,000,000, got {relevance!r} in row 7"
    return "relevance", relevance, message


@each("column, value, message", [
    ("query_id", None, "row 7 of the qrels has no query_id"),
    ("doc_id", None, "row 7 of the qrels has no doc_id"), ("relevance", None, "qrels"),
    *map(million, [1_000_001, -1_000_001, float("inf"), "high"])])
def test_the_row_of_qrels_that_are_refused(column, value, message):
    frame = pd.DataFrame({"query_id": ["2", "1", "2"], "doc_id": ["a", "b", "c"],
                          "relevance": [1_000_000, 0, -1_000_000]}, index=[4, 5, 7])
    Judgments(frame)
    frame[column] = [*frame[column][:2], value]
    with pytest.raises(ValueError) as error:
        Judgments(frame)
    assert message in str(error.value)


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
def test_a_row_of_the_run_without_an_identifier(column):
    frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": 1,
                          "score": 1.0})
    judgments = Judgments(frame)
    with pytest.raises(ValueError, match=f"row 1 of the run has no {column}"):
        Run(frame.assign(**{column: ["x", None]}), judgments, ignore)
