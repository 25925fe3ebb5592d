"""The rows of qrels that name a group of their document.

The second column of qrels holds groups in two senses. If a document is judged for each group, with
relevance 1 or 0, its groups are those that it is relevant for. Otherwise the column says what the
document is, whether it is relevant or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Ints
from pt_fairness.core.messages import warn


def naming_rows(topics: Sequence[str], topic: Ints, pair: Ints, label: Ints, relevance: Any,
                judged: bool | None, what: str, places: pd.Index) -> tuple[Bools, Bools]:
    """Return which rows of qrels can name a group, and which topics are judged by group.

    A topic is judged by group if a document is relevant for one label and not for another; or if
    there are several labels, each document has a row for each of them, and is not relevant for one.
    There, only rows with a relevance above 0 name groups. A warning says so.

    :param topics: the topics, ``[T]``
    :param topic: the topic of each pair of a topic and a document, ``[pairs]``
    :param pair: the pair of each row, ``[n]``
    :param label: the code of the label of each row, −1 for none, ``[n]``
    :param relevance: the relevance of each row, ``[n]``
    :param judged: whether all topics are judged by group; ``None`` to decide by topic
    :param what: the name of the qrels in warnings
    :param places: the number of each row in warnings, ``[n]``; its name says of what
    :returns: ``[n]`` and ``[T]``

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> naming_rows(["1"], np.array([0]), np.array([0, 0]), np.array([0, 1]), np.array([1, 0]),
    ...             True, "qrels", pd.RangeIndex(2))
    (array([ True, False]), array([ True]))
    """
    by_group = np.full(len(topics), bool(judged))
    positive = relevance > 0
    if judged is None and len(topic) < len(pair):  # else each document has one row
        by_group = _topics_by_group(topics, topic, pair, label, positive, what, places)
    return positive | ~by_group[topic[pair]], by_group


def _topics_by_group(topics: Sequence[str], topic: Ints, pair: Ints, label: Ints,
                     positive: Bools, what: str, places: pd.Index) -> Bools:
    """Return which topics are judged by group, ``[T]``, and warn of them.

    :param positive: whether the relevance of each row is above 0, ``[n]``
    """
    by_group = np.zeros(len(topics), bool)
    # Topics without a labelled row of relevance ≤ 0 read the same either way.
    undecided = by_group.copy()
    undecided[topic[pair[~positive & (label >= 0)]]] = True
    rows = np.flatnonzero((label >= 0) & undecided[topic[pair]])
    if not len(rows):
        return by_group
    positive = positive[rows]

    def place(row: Any) -> str:
        return f"{places.name or 'row'} {places[rows[row]]}"

    # An entry is a document with one of its labels.
    labels = int(label.max()) + 1
    keys = pair[rows].astype(np.int64) * labels + label[rows]
    entry, entries = pd.factorize(keys)
    document, code = np.divmod(entries, labels)
    judgments = np.bincount(entry)
    relevant = np.bincount(entry[positive], minlength=len(entries))
    never = relevant == 0
    always = relevant == judgments
    twice = ~never & ~always
    if twice.any():
        again = np.flatnonzero(twice[entry] & ~positive)
        warn(f"{what}: {place(again[0])} judges a document for a group as not relevant, and "
             f"another row as relevant, as do {twice.sum()} pairs of a document and a group; such "
             "a document is in the group", f"judged twice {what}")
    pairs = len(topic)
    mixed = np.bincount(document[never], minlength=pairs) > 0
    mixed &= np.bincount(document[always], minlength=pairs) > 0
    by_group[topic[mixed]] = True
    owner = topic[document]
    count = len(topics)
    present = pd.unique(owner.astype(np.int64) * labels + code) // labels
    groups = np.bincount(present, minlength=count)
    documents = np.bincount(topic, minlength=count)
    complete = np.bincount(owner, minlength=count) == groups * documents
    differs = np.zeros(count, bool)
    differs[owner[never]] = True
    by_group |= differs & complete & (groups > 1)
    if by_group.any():
        others = np.flatnonzero(differs & ~by_group)
        message = (f"{what}: relevance is judged by group; the groups of a document are those that "
                   "it is relevant for")
        if len(others):
            first = by_group.argmax()
            row = (never[entry] & (owner[entry] == first)).argmax()
            message = (f"{what}: judged by group in {by_group.sum()} of {differs.sum()} topics "
                       f"(e.g. {topics[first]}: {place(row)}); in the others "
                       f"(e.g. {topics[others[0]]}) a document belongs to a group whatever its "
                       "relevance; --judged-by-group (judged= of groups.from_file and from_frame) "
                       "decides for all")
        warn(message, f"judged by group {what}")
    return by_group
