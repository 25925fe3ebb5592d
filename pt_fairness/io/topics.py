"""Topics and their queries."""

from __future__ import annotations

import os
import re
from html import unescape
from typing import Any

import pandas as pd

from pt_fairness.core.identifiers import texts_of
from pt_fairness.core.messages import shown, warn
from pt_fairness.io.files import opened
from pt_fairness.io.frames import need_columns, need_rows
from pt_fairness.io.qrels import qrels_columns

#: A topic of a TREC file (SGML or XML), its number and its query.
_TOPIC = re.compile(r"<top(?:ic)?\b.*?</top(?:ic)?>", re.DOTALL)
_NUMBER = re.compile(r"""<num(?:ber)?>\s*(?:Number:)?\s*([^<\s]+)|number=["']([^"']+)""")
_QUERY = re.compile(r"<(?:title|query)>\s*(?:Topic:)?\s*([^<]*[^<\s])")
#: A line of any other file: the topic, then white space, a comma or a colon, then the query.
_LINE = re.compile(r'^"?([^\s:,"]+)"?[\s:,]+"?(.*[^\s"])', re.MULTILINE)


def load_topics(source: Any) -> pd.DataFrame:
    """Load topics as a frame ``qid, query``.

    :param source: a frame, which is returned as it is; a PyTerrier dataset; the path of a file
        (TREC topics in SGML or XML, or a topic and its query in each line); or an id of
        ir_datasets, with ``irds:`` in front or not
    :raises ValueError: it is none of these, or has no topics

    Examples
    --------
    >>> from pt_fairness.io.topics import load_topics
    >>> load_topics("pt-fairness/debates").head(2)
      qid                                    query
    0   1                       Should zoos exist?
    1   2  Should countries expand nuclear energy?
    """
    if isinstance(source, pd.DataFrame):
        need_rows(source, "the frame of topics", ["qid"])
        return source
    if isinstance(source, (str, os.PathLike)):
        if os.path.exists(source) and not os.path.isdir(source):
            return _of_file(source)
        dataset_id = os.fspath(source).removeprefix("irds:")
        import ir_datasets
        import pyterrier as pt
        try:
            ir_datasets.load(dataset_id)
        except KeyError:
            raise ValueError(f"{os.fspath(source)} is neither a file of topics nor a dataset id of "
                             "ir_datasets") from None
        source = pt.get_dataset(f"irds:{dataset_id}")
    if not hasattr(source, "get_topics"):
        raise ValueError(f"topics={shown(source)} is a {type(source).__name__}; topics are a "
                         "DataFrame with qid and query, a dataset of pt.get_dataset, an id of "
                         "ir_datasets or the path of a file")
    topics = source.get_topics()
    need_columns(topics, ["qid", "query"], f"the topics of {shown(source)}")
    return topics


def of_topics(qrels: pd.DataFrame, topics: pd.DataFrame | None) -> pd.DataFrame:
    """Return the qrels of some topics, as ``pt.Experiment`` does; warn if there are others.

    :param topics: ``qid``; ``None`` for all topics of the qrels
    :raises ValueError: the qrels have none of the topics
    """
    if topics is None:
        return qrels
    qid = texts_of(qrels[qrels_columns(qrels)[0]])
    kept = pd.Series(qid).isin(texts_of(topics["qid"])).to_numpy()
    if not kept.any():
        raise ValueError(f"the qrels have none of the topics: they have topics such as {qid[0]!r}, "
                         f"topics= has {str(topics['qid'].iloc[0])!r}")
    if not kept.all():
        warn(f"topics= has {len({*qid[kept]})} of the {len({*qid})} topics of the qrels; the "
             "others are left out")
    return qrels[kept]


def _of_file(path: str | os.PathLike[str]) -> pd.DataFrame:
    with opened(path) as file:
        text = "\n".join(line for _, line in file.lines())
    blocks = [(_NUMBER.search(one), _QUERY.search(one)) for one in _TOPIC.findall(text)]
    pairs = [(number[1] or number[2], unescape(" ".join(query[1].split())))
             for number, query in blocks if number and query] or _LINE.findall(text)
    if not pairs:
        raise ValueError(f"{os.fspath(path)} has no topics; it needs TREC topics in SGML or XML, "
                         "or a topic and its query in each line")
    return pd.DataFrame(pairs, columns=["qid", "query"])
