"""The join of (topic, docno) pairs against plain Python."""

from decimal import Decimal

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from one_test import each

from pt_fairness import Annotated
from pt_fairness.core.identifiers import (
    CHUNK,
    LONG,
    PairIndex,
    pandas_frame,
    texts_of,
    with_text_ids,
    words_of,
)

#: Identifiers without NUL, and without lone surrogates, which UTF-8 cannot hold.
identifiers = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
                      min_size=1, max_size=20)


@given(st.lists(identifiers, min_size=1, max_size=40), st.sampled_from([0, LONG - 20, LONG + 20]))
def test_words_compare_as_the_strings_do(ids, length):
    texts = [text + "é" * (length if i % 3 == 0 else 0) for i, text in enumerate(ids)]
    words = words_of(np.array(texts, dtype=object))
    by_words = sorted(range(len(texts)), key=lambda i: tuple(words[i]))
    assert [texts[i] for i in by_words] == sorted(texts, key=str.encode)


pairs = st.lists(
    st.tuples(st.integers(0, 3),
              st.sampled_from(["a", "b", "aaaaaaaab", "aaaaaaaac", "é", "x" * 30])), max_size=25)


def frame(rows: list[tuple[int, str]], dtype: object) -> tuple[np.ndarray, pd.Series]:
    topic = np.array([topic for topic, _ in rows], int)
    return topic, pd.Series([docno for _, docno in rows], dtype=dtype, name="docno")


@pytest.mark.parametrize("dtype", ["str", object], ids=str)
@given(known=pairs, asked=pairs)
@example(known=[(0, "a"), (0, "b")], asked=[(0, "aaaaaaaab"), (0, "x" * 30), (0, "a"), (1, "a")])
def test_pairs_are_found_exactly(dtype, known, asked):
    index = PairIndex(*frame(known, dtype))
    found, _ = index.find(*frame(asked, dtype))
    distinct = list(dict.fromkeys(known))
    assert len(index) == len(distinct)
    assert [distinct[pair] for pair in index.pair] == known
    assert [known[row] for row in index.first] == distinct
    assert list(index.docnos()) == [docno for _, docno in distinct]
    assert found.tolist() == [distinct.index(pair) if pair in distinct else -1 for pair in asked]


def test_pairs_of_many_chunks():
    n = 3 * CHUNK + 7
    docnos = pd.Series([f"d{i % (2 * CHUNK)}" for i in range(n)], name="docno")
    index = PairIndex(np.zeros(n, int), docnos)
    assert len(index) == 2 * CHUNK
    assert (index.pair == np.arange(n) % (2 * CHUNK)).all()


@each("value", [None, float("nan"), pd.NA])
def test_a_missing_docno_is_refused(value):
    docnos = pd.Series(["a", value], name="docno", dtype=object, index=[4, 7])
    with pytest.raises(ValueError, match=r"row 7 .*docno"):
        PairIndex(np.zeros(2, int), docnos, "run")


@each("dtype", [object, "category"])
@each("step", [1, -1])
@each("ids", [["101", 102.0, 103.0], ["a", 7, 8.0, np.float32(9)], ["1", 2]])
def test_each_identifier_is_read_by_itself(ids, step, dtype):
    column = pd.Series(ids[::step], dtype=object).astype(dtype)
    expected = [id if isinstance(id, str) else str(int(id)) for id in ids[::step]]
    assert texts_of(column).tolist() == expected
    assert with_text_ids(pd.DataFrame({"docno": column}), "run", "docno")["docno"].tolist() \
        == expected
    run = pd.DataFrame({"query_id": "1", "doc_id": column, "score": 1.0})
    qrels = pd.DataFrame({"query_id": "1", "doc_id": expected, "relevance": 1, "iteration": "A"})
    assert ir_measures.calc_aggregate([Annotated], qrels, run) == {Annotated: 1.0}


@each("name", ["value", 0])
def test_decimals_become_floats_in_a_copy(name):
    given = pd.DataFrame({name: [Decimal(1), Decimal("0.5")], "docno": ["a", "b"]})
    assert pandas_frame(given).to_dict("list") == {name: [1.0, 0.5], "docno": ["a", "b"]}
    assert pandas_frame(given)[name].dtype == float and given[name].dtype == object
