"""trec_eval's order of the documents of a run, its tie-breaking, and duplicate documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.identifiers import CHUNK, PairIndex, texts_of, words_of
from pt_fairness.core.messages import Warn


def scores_of(run: pd.DataFrame) -> Floats:
    """Return the score of each row, ``[n]``.

    :param run: columns ``query_id, doc_id, score``
    :raises ValueError: a score is NaN or no number
    """
    try:
        score = run["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the run's scores have to be numbers: {error}") from None
    wrong = np.isnan(score)
    if wrong.any():
        row = run.iloc[int(np.argmax(wrong))]
        raise ValueError(f"the score of document {row['doc_id']!r} for topic {row['query_id']!r} "
                         "is NaN, so it has no rank; every document needs a score")
    return np.asarray(score)


def trec_order(lists: Ints, score: Floats, docnos: pd.Series) -> tuple[Ints, Ints]:
    """Return the order of documents by list and in trec_eval's order within each list.

    trec_eval orders by float32(score), descending, then by docno, descending.

    :param lists: the list of each document, ``[n]``
    :param score: the scores, ``[n]``
    :param docnos: the documents, ``[n]``; a list has each only once
    :returns: the indices of the documents in order, and the tie block of each document in that
        order, both ``[n]``; documents of a list with equal scores share a tie block
    """
    with np.errstate(over="ignore"):
        score = score.astype(np.float32)
    order = np.argsort(_sort_key(lists, score), kind="stable").astype(np.int32)
    lists, score = lists[order], score[order]
    tied = (lists[1:] == lists[:-1]) & (score[1:] == score[:-1])
    block = np.zeros(len(lists), np.int32)
    np.cumsum(~tied, out=block[1:])
    _order_ties(order, block, tied, docnos)
    return order, block


def _sort_key(lists: Ints, score: Any) -> Ints:
    """Return integers that sort by list, ascending, then by float32 score, descending."""
    # One sort of integers is faster than lexsort, most of all for a run that is in order. The bits
    # of floats of at least 0 sort as the floats do, those of negative floats in reverse.
    bits = (np.float32(0) - score).view(np.int32)
    bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)
    return (lists.astype(np.int64) << 32) + bits


def _order_ties(order: Ints, block: Ints, tied: Any, docnos: pd.Series) -> None:
    """Sort the documents of each tie block by docno, descending, in place."""
    some = np.flatnonzero(np.append(tied, False) | np.append(False, tied)).astype(np.int32)
    while len(some):
        # Whole blocks, with about CHUNK rows, bound the memory for docnos as text.
        last = block[some[min(CHUNK, len(some)) - 1]]
        part = some[:np.searchsorted(some, np.searchsorted(block, last, "right"))]
        words = ~words_of(texts_of(docnos.iloc[order[part]]))
        order[part] = order[part][np.lexsort((*words.T[::-1], block[part]))]
        some = some[len(part):]


def last_rows(lists: Ints, docnos: pd.Series, qids: Sequence[str], warn: Warn) -> Ints:
    """Return the index of the last row of each document of each list, ascending.

    :param lists: the list of each row, ``[n]``
    :param docnos: the document of each row, ``[n]``
    :param qids: the topic of each list, ``[R]``
    :param warn: issues the warning of other rows
    """
    index = PairIndex(lists, docnos, "run")
    last = np.zeros(len(index), np.intp)
    np.maximum.at(last, index.pair, np.arange(len(lists)))
    again = np.flatnonzero(last[index.pair] != np.arange(len(lists)))
    if len(again):
        warn(f"the run has {len(again)} rows whose document it gives again for the same topic (the "
             f"first is {docnos.iloc[again[0]]!r} for topic {qids[lists[again[0]]]!r}); of each "
             "such document the last row counts", "duplicates")
    last.sort()
    return last
