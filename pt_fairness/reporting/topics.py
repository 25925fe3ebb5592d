"""The query texts of topics, and the titles of documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pandas as pd

from pt_fairness.core.identifiers import texts_of
from pt_fairness.io.frames import need_columns
from pt_fairness.io.run_files import load_topics

#: The maximum length of a query or a title in the report, in characters.
LONGEST = 200


def described(source: Any, topics: Sequence[str], docnos: Sequence[str]) \
        -> tuple[list[str | None], dict[str, str]]:
    """Return the query text of each topic, ``None`` where it is not known, and titles of documents.

    There are no titles of documents that would have to be downloaded.

    :param source: as the parameter ``topics`` of :func:`pt_fairness.report`
    :param docnos: the documents
    :raises ValueError: the source cannot be read, or has none of the topics
    """
    frame, titles = source, {}
    if hasattr(source, "irds_ref") or (isinstance(source, str) and not os.path.exists(source)):
        from pt_fairness.io import irds
        dataset = source.irds_ref() if hasattr(source, "irds_ref") else \
            irds.dataset(source.removeprefix("irds:"))
        frame = pd.DataFrame([(one.query_id, one.default_text()) for one in (
            dataset.queries_iter() if dataset.has_queries() else ())], columns=["qid", "query"])
        if dataset.has_docs() and "title" in dataset.docs_cls()._fields \
                and irds.downloaded(dataset.docs_handler()):
            titles = {one.doc_id: one.title.strip()[:LONGEST]
                      for one in irds.documents(dataset.dataset_id(), docnos)}
    elif not isinstance(source, pd.DataFrame):
        frame = load_topics(source)
    frame = frame.rename(columns={"query_id": "qid", "text": "query"})
    need_columns(frame, ["qid", "query"], "the topics")
    known = dict(zip(texts_of(frame["qid"]), frame["query"].astype(str), strict=True))
    if not known.keys() & set(topics):
        raise ValueError(f"topics has none of the topics of the qrels, such as {topics[0]!r}; it "
                         f"has {', '.join(map(repr, list(known)[:3])) or 'no topic'}")
    return [known[topic][:LONGEST] if topic in known else None for topic in topics], titles
