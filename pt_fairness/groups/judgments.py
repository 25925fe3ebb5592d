"""The rows of qrels that name a group of their document.

The second column of qrels holds groups in two senses. If a document is judged for each group, with
relevance 1 or 0, its groups are those that it is relevant for. Otherwise the column says what the
document is, whether it is relevant or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.messages import plural, warn


def naming_rows(topics: Sequence[str], topic: Ints, pair: Ints, label: Ints, relevance: Floats,
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
    judged_topics = np.full(len(topics), bool(judged))
    positive = relevance > 0
    rows = np.flatnonzero(label >= 0)
    # If each document has one row, or all are relevant, both senses are the same.
    if judged is None and len(topic) < len(pair) and not positive[rows].all():
        judged_topics = _topics_by_group(topics, topic.astype(np.int64), pair[rows], label[rows],
                                    positive[rows], what, places[rows])
    return positive | ~judged_topics[topic[pair]], judged_topics


def _topics_by_group(topics: Sequence[str], topic: Ints, pair: Ints, label: Ints,
                     positive: Bools, what: str, places: pd.Index) -> Bools:
    """Return which topics are judged by group, ``[T]``, and warn of them.

    :param label: the code of the label of each row, ``[n]``
    :param positive: whether the relevance of each row is above 0, ``[n]``
    """
    labels = int(label.max()) + 1
    # An entry is a document with one of its labels.
    entry, entries = pd.factorize(pair.astype(np.int64) * labels + label)
    document = entries // labels
    owner = topic[document]
    share = np.bincount(entry, positive) / np.bincount(entry)
    count = partial(np.bincount, minlength=len(topics))
    groups = count(pd.unique(owner * labels + entries % labels) // labels)
    differs = count(owner[share == 0]) > 0
    judged_topics = differs & (groups > 1) & (count(owner) == groups * count(topic))
    lacks = np.zeros(len(topic), bool)
    lacks[document[share == 0]] = True
    judged_topics[owner[(share == 1) & lacks[document]]] = True
    number = places.name or "row"
    twice = (share > 0) & (share < 1)
    if twice.any():
        row = int((twice[entry] & ~positive).argmax())
        warn(f"{what}: {number} {places[row]} says that a document is not relevant for a group, "
             f"and another row that it is (for {plural(twice.sum(), 'document')}); the document "
             "is in the group", f"judged twice {what}")
    if judged_topics.any():
        message = ("relevance is judged by group; the groups of a document are those that it is "
                   "relevant for")
        others = np.flatnonzero(differs & ~judged_topics)
        if len(others):
            row = int((judged_topics[owner[entry]] & ~positive).argmax())
            message = (f"judged by group in {judged_topics.sum()} of {differs.sum()} topics (e.g. "
                       f"{topics[topic[pair[row]]]}: {number} {places[row]}); in the others (e.g. "
                       f"{topics[others[0]]}) a document belongs to a group whatever its "
                       "relevance; --judged-by-group (judged= of groups.from_file and from_frame) "
                       "decides for all")
        warn(f"{what}: {message}", f"judged by group {what}")
    return judged_topics
