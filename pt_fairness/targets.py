"""Registered target distributions, one for each topic or one for all.

The parameter ``target`` of a measure can be the name of a registered target:
``RepBias(group='female',target='wikidata')@10``. The groups of the target belong to the label set G
of the measure. A group without a row for a topic has the share 0 for that topic.

The targets of the TREC Fair Ranking tracks are registered: ``trec-fair/2021/world`` and
``trec-fair/2022/world`` (the population of the world by continent and by UN subregion),
``trec-fair/2022/gender``, and the same with ``/track`` appended. A target ``…/track`` is half the
distribution of the topic's relevant documents, half this background, as in the tracks. Documents
without a group are left out of both halves.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import SMALLEST_TARGET, Floats
from pt_fairness.core.identifiers import missing, pandas_frame
from pt_fairness.core.messages import (
    SUM_TOLERANCE,
    TARGET_WORDS,
    UNANNOTATED,
    label_text,
    label_texts,
    shown,
)
from pt_fairness.core.registry import NamedObject, Registry
from pt_fairness.io.column_roles import Columns, frame_rows
from pt_fairness.io.document_files import need_labels, read_targets, separated
from pt_fairness.io.files import need_rows

__all__ = ["get", "names", "register"]

__dir__ = __all__.copy


class Target(NamedObject):
    """A target distribution for each of ``Q`` topics, or one for all, over ``L`` groups.

    :param name: the name, also in errors
    :param frame: columns ``qid, group, share``, or ``group, share`` for all topics
    :param of_qrels: the share of the topic's relevant documents in the target, in [0, 1)
    :param sep: what separates several groups in a cell, as in :func:`register`
    :param none: the labels that mean no group
    :raises ValueError: if a column or value is missing, or the shares are not a distribution
    """

    WHAT = "targets"

    def __init__(self, name: str, frame: pd.DataFrame, of_qrels: float = 0.0,
                 sep: str | None = None, none: Sequence[str] = ()) -> None:
        super().__init__(name)
        if not 0 <= of_qrels < 1:
            raise ValueError(f"of_qrels must be at least 0 and below 1, got {shown(of_qrels)}; "
                             "target='qrels' is the relevant documents alone")
        self.of_qrels = float(of_qrels)
        topical = "qid" in frame
        rows = _checked(name, frame if topical else frame.assign(qid="all"))
        topics = rows["qid"].unique()
        if sep is not None:
            rows = separated(rows, "group", sep)
            rows["share"] /= rows.groupby(level=0)["share"].transform("size")
        table = rows.pivot_table("share", "qid", "group", "sum").loc[topics].fillna(0.0)
        total = table.sum(axis=1)
        off = abs(total - 1.0) > SUM_TOLERANCE
        for qid, wrong in total[off].items():
            raise ValueError(f"the shares of the target {name!r} for topic {qid!r} must sum to 1, "
                             f"got {wrong:.9g}")
        if none:
            need_labels(none, table, f"the target {name!r}")
            table = table.drop(columns=[*none], errors="ignore")
            total = table.sum(axis=1)
            for qid in topics[total == 0]:
                raise ValueError(f"the target {name!r} must have shares besides none={[*none]}, "
                                 f"got none for topic {qid!r}")
            table = table.div(total, axis=0)
        #: The row index of each topic in ``shares``, ``None`` if the only row is for all topics.
        self.topics: dict[str, int] | None = None
        if topical:
            self.topics = {qid: place for place, qid in enumerate(topics)}
        #: The groups, sorted.
        self.labels = tuple(table)
        #: The share of each group for each topic, ``[Q, L]``; rows sum to 1, up to rounding in
        #: files.
        self.shares = table.to_numpy(float)

    def _content(self) -> Any:
        return self.topics, self.labels, self.shares, self.of_qrels


def _checked(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a target: ``qid, group, share``, two texts and a number."""
    need_rows(frame, f"the target {name!r}", ["qid", "group", "share"])
    rows = frame[["qid", "group", "share"]].reset_index(drop=True)
    for column in ("qid", "group"):
        texts = rows[column].map(label_text, na_action="ignore")
        is_word = texts.isin(UNANNOTATED)
        blank = texts.isna() | is_word
        if blank.any():
            raise missing(texts, blank.argmax(), f"target {name!r}")
        rows[column] = texts
    numbers = pd.to_numeric(rows["share"], errors="coerce")
    numbers = numbers.astype(float)
    wrong = ~numbers.between(0, inf, inclusive="left")
    for qid, group, share in rows[wrong].itertuples(index=False):
        raise ValueError(f"the target {name!r}: share must be a number of at least 0, got "
                         f"{str(share)!r} for {group!r} in topic {qid!r}")
    repeated = rows.duplicated(["qid", "group"])
    for qid, group, _ in rows[repeated].itertuples(index=False):
        raise ValueError(f"the target {name!r} must have one share of each group, got two of "
                         f"{group!r} in topic {qid!r}")
    return rows.assign(share=numbers.where(numbers >= SMALLEST_TARGET, 0.0))


REGISTRY = Registry(Target, words=TARGET_WORDS)
names = REGISTRY.names
find = REGISTRY.get


def register(name: str, frame: pd.DataFrame | str | os.PathLike[str], *,
             of_qrels: float = 0.0, column: str | None = None,
             topic: str | Literal[False] | None = None, weight: str | None = None,
             sep: str | None = None, none: Iterable[Any] = ()) -> None:
    """Make target distributions available as ``target=name``.

    A target registered under the same name before is replaced.

    :param name: any name but ``qrels``, ``collection``, ``uniform`` and ``run``
    :param frame: a row for each topic and group, with the columns ``qid, group, share``; or the
        path of a table with these columns (CSV, TSV, JSON or Parquet), compressed if its name ends
        in ``.gz``. The shares of a topic are at least 0 and sum to 1. Without ``qid``, they are one
        distribution for all topics.
    :param of_qrels: the share of the topic's relevant documents in the target, at least 0 and below
        1. The target is ``of_qrels`` times their distribution over the groups plus ``1 − of_qrels``
        times the one in ``frame``. It is empty where no relevant document has a group, as
        ``target='qrels'`` is.
    :param column: the column of the groups; by default ``group`` or the only one left
    :param topic: the column of the topics, ``False`` for none; by default found as
        :func:`pt_fairness.groups.from_file` does
    :param weight: the column of the shares; by default ``share``
    :param sep: what separates several groups in a cell, among which its share is divided equally
    :param none: the labels that mean no group, which are left out; the other shares of a topic are
        divided by their sum
    :raises ValueError: if the name cannot be used, a column or value is missing, a topic has a
        group twice, shares are not a distribution, or ``of_qrels`` is not in [0, 1)

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import RepBias, targets
    >>> frame = pd.DataFrame({"qid": ["1", "1"], "group": ["f", "m"], "share": [0.4, 0.6]})
    >>> targets.register("census", frame)
    >>> RepBias(group="f", target="census") @ 10
    RepBias(group='f',target='census')@10

    Half the relevant documents, half the same figures for all topics:

    >>> everyone = pd.DataFrame({"group": ["f", "m"], "share": [0.5, 0.5]})
    >>> targets.register("half", everyone, of_qrels=0.5)
    """
    columns = Columns(column, None, topic, weight)
    frame = pandas_frame(frame)
    if isinstance(frame, pd.DataFrame):
        frame = frame_rows(frame, f"the target {name!r}", columns, "group", "share", "group")
    else:
        frame = read_targets(frame, columns)
    target = Target(name, frame, of_qrels, sep, label_texts(none, "none"))
    REGISTRY.register(name, target)


def get(name: str) -> pd.DataFrame:
    """Return the target distributions of a registered name.

    :returns: ``qid, group, share``, a row for each topic and group with a share above 0; without
        ``qid`` if they are the same for all topics. They leave out the relevant documents of
        targets registered with ``of_qrels``.
    :raises ValueError: if the name is not registered

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import targets
    >>> frame = pd.DataFrame({"qid": ["1", "1"], "group": ["f", "m"], "share": [0.4, 0.6]})
    >>> targets.register("census", frame)
    >>> targets.get("census")
      qid group  share
    0   1     f    0.4
    1   1     m    0.6
    """
    target = find(name)
    topic, group = target.shares.nonzero()
    labels = pd.Index(target.labels, dtype="str")
    share = target.shares[topic, group]
    frame = pd.DataFrame({"group": labels[group], "share": share})
    if target.topics is not None:
        topics = pd.Index(list(target.topics), dtype="str")
        frame.insert(0, "qid", topics[topic])
    return frame


def shares(target: str | Target, qids: Sequence[str], labels: Sequence[str]) -> Floats:
    """Return the registered share of each group for each topic, ``[T, L]``.

    :param qids: the ``T`` topics
    :param labels: the ``L`` groups, which include the groups of the target
    :raises ValueError: if the target lacks a topic
    """
    target = find(target)
    check(target, qids)
    columns = [labels.index(label) for label in target.labels]
    registered = target.shares
    if target.topics is not None:
        rows = [target.topics[qid] for qid in qids]
        registered = registered[rows]
    table = np.zeros((len(qids), len(labels)))
    table[:, columns] = registered
    return table


def check(target: Target, qids: Sequence[str]) -> None:
    """Raise an error unless a target has shares for all topics of the qrels.

    :raises ValueError: if the target lacks a topic
    """
    if target.topics is None:
        return
    lacking = [qid for qid in qids if qid not in target.topics]
    if lacking:
        number = len(qids) - len(lacking)
        raise ValueError(f"the target {target.name!r} must have shares for every topic of the "
                         f"qrels, got {number} of {len(qids)}, without topic {lacking[0]!r}")
