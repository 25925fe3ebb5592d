"""The first documents of every system for every topic, with their groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run

#: Decimals of the shares of a document's groups.
SHARE_DECIMALS = 4


class ShownGroups:
    """A group source of the report, and the label sets of the documents that it knows.

    :param name: the name that the report shows
    :param labels: the label set
    """

    def __init__(self, name: str, annotations: Annotations, labels: Sequence[str]) -> None:
        self.name, self.annotations, self.labels = name, annotations, list(labels)
        #: Whether the memberships of documents have weights.
        self.weighted = annotations.groups is not None and annotations.groups.weighted
        #: The sets of pairs of label and share, by their index.
        self.sets: dict[tuple[tuple[int, float], ...], int] = {}

    def sets_of(self, found: Rankings, rows: Ints) -> Ints:
        """Return the label set of each of some ranked documents, −1 where it is unannotated."""
        codes, where = np.unique(found.codes[rows], return_inverse=True)
        shares = found.sets.shares(np.maximum(codes, 0), self.labels).round(SHARE_DECIMALS)
        shares[codes < 0] = 0.0
        sets = [tuple((label, share) for label, share in enumerate(one) if share)
                for one in shares.tolist()]
        index = [self.sets.setdefault(one, len(self.sets)) if one else -1 for one in sets]
        return np.array(index, np.int32)[where]


@dataclass
class Strip:
    """The first documents of one system, sorted by topic and rank."""

    topic: Ints
    docno: Any
    #: The relevance, NaN where the document is not judged.
    label: Floats
    #: The label set of each document for each source.
    sets: list[Ints]
    #: The 0-based rank.
    place: Ints

    def annotated(self, source: int) -> float:
        """Return the share of the documents that have a group, NaN without documents."""
        known = self.sets[source] >= 0
        return float(known.mean()) if len(known) else np.nan


def strip_of(run: Run, judgments: Judgments, found: Sequence[Rankings],
             sources: Sequence[ShownGroups], depth: int) -> Strip:
    """Return the first ``depth`` documents of a run for each topic.

    If a topic has several rankings, these are the documents of the first.

    :param found: the label sets of the documents for each source, at least ``depth`` deep
    """
    first = np.searchsorted(run.topics, np.arange(len(judgments.topics)))
    rows = np.flatnonzero((run.place < depth) & (first[run.topic] == run.list))
    pair = run.pair[rows]
    relevance = np.append(judgments.relevance, 0).astype(float)
    return Strip(run.topic[rows], run.docnos(rows), np.where(pair >= 0, relevance[pair], np.nan),
                 [source.sets_of(one, rows) for source, one in zip(sources, found, strict=True)],
                 run.place[rows])


def as_data(strips: Sequence[Strip], topics: int) -> list[dict[str, Any]]:
    """Return the rankings of each topic for the page.

    :returns: for each topic ``docs`` (docnos), ``labels`` (relevance, ``None`` if not judged),
        ``sets`` (for each source the label set of each document, −1 for none) and ``runs`` (the
        documents of each system, as indices in ``docs``)
    """
    topic, docno, label = (np.concatenate([getattr(strip, name) for strip in strips])
                           for name in ("topic", "docno", "label"))
    codes, names = pd.factorize(docno)
    document = topic.astype(np.int64) * len(names) + codes
    # The documents of each topic, in the order in which the systems give them.
    rows = np.flatnonzero(~pd.Series(document).duplicated())
    rows = rows[np.argsort(topic[rows], kind="stable")]
    starts = np.searchsorted(topic[rows], np.arange(topics + 1))
    numbers = pd.Series(np.arange(len(rows)) - starts[topic[rows]], document[rows])[document]
    known = [None if math.isnan(one) else int(one) if one.is_integer() else one
             for one in label[rows].tolist()]
    sets = [np.concatenate(some)[rows].tolist()
            for some in zip(*(strip.sets for strip in strips), strict=True)]
    ends = np.cumsum([len(strip.topic) for strip in strips])
    parts = [(own.tolist(), np.searchsorted(strip.topic, np.arange(topics + 1)))
             for strip, own in zip(strips, np.split(numbers.to_numpy(), ends[:-1]), strict=True)]
    return [{"docs": docno[rows[low:high]].tolist(), "labels": known[low:high],
             "sets": [one[low:high] for one in sets],
             "runs": [indices[places[i]:places[i + 1]] for indices, places in parts]}
            for i, (low, high) in enumerate(pairwise(starts))]
