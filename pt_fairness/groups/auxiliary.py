"""Auxiliary qrels: qrels with the group in the column ``iteration``."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import io
from pt_fairness.groups.table import Annotated
from pt_fairness.io.identifiers import texts_of
from pt_fairness.text import UNANNOTATED, label_text


def with_groups(qrels: pd.DataFrame, annotate: Callable[[Any, Any], Annotated],
                topics: Collection[str] | None) -> pd.DataFrame:
    """Return qrels with a row for each judged document and group; see ``Groups.to_qrels``.

    :param annotate: returns the groups of documents, as ``Groups.annotate`` does
    :param topics: the topics to keep; ``None`` for all
    """
    qid, docno, label = io.qrels_columns(qrels)
    frame = qrels.drop(columns="iteration", errors="ignore")
    if frame.duplicated([qid, docno]).any():  # judged for several subtopics
        frame = frame.sort_values(label, ascending=False, kind="stable")
        frame = frame.drop_duplicates([qid, docno]).sort_index()
    if topics is not None:
        frame = frame[frame[qid].map(label_text).isin(topics)]
    item, codes, labels, _ = Annotated(*annotate(texts_of(frame[qid]), texts_of(frame[docno])))
    order = np.lexsort((codes, item))
    item, codes = item[order], codes[order]
    count = np.bincount(item, minlength=len(frame))
    rows = np.repeat(np.arange(len(frame)), np.maximum(count, 1))
    group = np.full(len(rows), "-", dtype=object)
    group[count[rows] > 0] = np.asarray(labels, dtype=object)[codes]
    result = frame.iloc[rows].reset_index(drop=True)
    result["iteration"] = pd.Series(group, dtype="str")
    return result


def summary(auxiliary: pd.DataFrame) -> str:
    """Return the number of documents in each group of auxiliary qrels, as a sentence.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0]})
    >>> groups.summary(groups.from_mapping({"a": "PRO"}).to_qrels(qrels))
    '1 of 2 judged documents have a group: PRO 1'
    """
    annotated = auxiliary[~auxiliary["iteration"].isin(UNANNOTATED)]
    names = list(io.qrels_columns(auxiliary)[:2])
    count = annotated["iteration"].value_counts().sort_index()
    return (f"{len(annotated.drop_duplicates(names))} of {len(auxiliary.drop_duplicates(names))} "
            "judged documents have a group" + (": " if len(count) else "")
            + ", ".join(f"{group} {number}" for group, number in count.items()))
