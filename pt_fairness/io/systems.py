"""Results of PyTerrier transformers, and the topics that they retrieve for."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import pandas as pd

from pt_fairness.identifiers import texts_of
from pt_fairness.io.frames import need_columns, need_rows
from pt_fairness.io.qrels import qrels_columns
from pt_fairness.messages import shown, warn

#: The number of topics that a transformer is given at a time.
BATCH = 25
#: The columns of results that are kept.
_KEPT = ("qid", "docno", "score", "rank", "iteration", "group")


def is_system(run: Any) -> bool:
    """Return whether a run is a PyTerrier transformer, which has to retrieve first."""
    pyterrier = sys.modules.get("pyterrier")  # no transformer exists before it is imported
    return pyterrier is not None and isinstance(run, pyterrier.Transformer)


def load_topics(source: Any) -> pd.DataFrame:
    """Load topics as a frame ``qid, query``.

    :param source: a frame, which is returned as it is; a PyTerrier dataset; the path of a file of
        topics as ``pt.io.read_topics`` reads it; or an id of ir_datasets, with ``irds:`` in front
        or not
    :raises ValueError: it is none of these, or has no topics

    Examples
    --------
    >>> from pt_fairness.io.systems import load_topics
    >>> load_topics("pt-fairness/debates").head(2)
      qid                                        query
    0   1      Should zoos be banned?
    """
    if isinstance(source, pd.DataFrame):
        need_columns(source, ["qid"], "the frame of topics")
        need_rows(source, "the frame of topics")
        return source
    import pyterrier as pt
    if isinstance(source, (str, os.PathLike)):
        if os.path.isfile(source):
            return pt.io.read_topics(os.fspath(source))
        source = pt.get_dataset(f"irds:{os.fspath(source).removeprefix('irds:')}")
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


def results_of(systems: Mapping[str, Any], topics: pd.DataFrame,
               progress: bool = True) -> dict[str, pd.DataFrame]:
    """Return the results of transformers, each of which is run once, in batches of topics.

    :param topics: ``qid`` and what the transformers read, such as ``query``
    :param progress: whether to show a progress bar
    :raises ValueError: results have no ``qid`` or ``docno``
    """
    import pyterrier as pt
    found = {}
    with pt.tqdm(total=len(systems) * len(topics), desc="retrieve", unit="topic",
                 disable=not progress) as bar:
        for name, system in systems.items():
            parts = []
            for start in range(0, len(topics), BATCH):
                results = system(topics.iloc[start:start + BATCH])
                need_columns(results, ["qid", "docno"], f"what {name!r} retrieved")
                parts.append(results[[column for column in _KEPT if column in results]])
                bar.update(min(BATCH, len(topics) - start))
            found[name] = pd.concat(parts, ignore_index=True)
    return found
