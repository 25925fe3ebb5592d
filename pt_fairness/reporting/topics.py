"""The query texts of topics, and the titles of documents."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from html import unescape
from typing import Any

import pandas as pd

from pt_fairness.identifiers import texts_of
from pt_fairness.io.files import opened
from pt_fairness.io.frames import need_columns, need_frame
from pt_fairness.irds import data

#: The largest number of characters of a query or a title that the report shows.
LONGEST = 200
#: The topics of a file of TREC (SGML or XML), their numbers and their queries.
_TOPIC = re.compile(r"<top(?:ic)?\b.*?</top(?:ic)?>", re.DOTALL)
_NUMBER = re.compile(r"""<num(?:ber)?>\s*(?:Number:)?\s*([^<\s]+)|number=["']([^"']+)""")
_QUERY = re.compile(r"<(?:title|query)>\s*(?:Topic:)?\s*([^<]*[^<\s])")
#: A line of other files: a topic and its query behind white space, a comma or a colon.
_LINE = re.compile(r'^"?([^\s:,"]+)"?[\s:,]+"?(.*[^\s"])', re.MULTILINE)


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
        dataset = source.irds_ref() if hasattr(source, "irds_ref") else \
            data.dataset(source.removeprefix("irds:"))
        frame = pd.DataFrame([(one.query_id, one.default_text()) for one in (
            dataset.queries_iter() if dataset.has_queries() else ())], columns=["qid", "query"])
        if dataset.has_docs() and "title" in dataset.docs_cls()._fields \
                and data.downloaded(dataset.docs_handler()):
            titles = {one.doc_id: one.title.strip()[:LONGEST]
                      for one in data.documents(dataset.dataset_id(), docnos)}
    elif hasattr(source, "get_topics"):
        frame = source.get_topics()
    elif isinstance(source, (str, os.PathLike)):
        frame = _of_file(source)
    need_frame(frame, "topics")
    frame = frame.rename(columns={"query_id": "qid", "text": "query"})
    need_columns(frame, ["qid", "query"], "the topics")
    known = dict(zip(texts_of(frame["qid"]), frame["query"].astype(str), strict=True))
    if not known.keys() & set(topics):
        raise ValueError(f"topics has none of the topics of the qrels, such as {topics[0]!r}; it "
                         f"has {', '.join(map(repr, list(known)[:3])) or 'no topic'}")
    return [known[topic][:LONGEST] if topic in known else None for topic in topics], titles


def _of_file(path: str | os.PathLike[str]) -> pd.DataFrame:
    with opened(path) as file:
        text = "\n".join(line for _, line in file.lines())
    blocks = [(_NUMBER.search(one), _QUERY.search(one)) for one in _TOPIC.findall(text)]
    pairs = [(number[1] or number[2], unescape(" ".join(query[1].split())))
             for number, query in blocks if number and query] or _LINE.findall(text)
    return pd.DataFrame(pairs, columns=["qid", "query"])
