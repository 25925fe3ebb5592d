"""§1: what a measure sees of a topic, read from rows of qrels and runs."""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Groups = frozenset[str]


@dataclass
class Document:
    """A ranked document: its groups (empty: unannotated) and its relevance (0 if unjudged)."""

    docno: str
    groups: Groups
    relevance: int


@dataclass
class Topic:
    """All that a measure sees of one topic (§1)."""

    ranking: list[Document]  # uncondensed
    condensed: list[Groups]  # the annotated ones, in the same order
    relevant: list[Groups]  # population 'qrels': annotated documents judged relevant
    pooled: list[Groups]  # population 'collection': the same of all topics
    labels: list[str]  # the label set G, sorted


def read_topics(qrels, run, groups, labels, params) -> dict[str, Topic]:
    """§1: rankings, groups, label set and populations."""
    rows: dict[str, dict[str, list[tuple[int, Any]]]] = defaultdict(lambda: defaultdict(list))
    for qid, docno, relevance, iteration in qrels:
        rows[qid][docno].append((relevance, iteration))

    def groups_of(qid: str, docno: str) -> Groups:
        if groups is not None:
            return clean_labels(groups(qid, docno))
        return clean_labels(iteration for _, iteration in rows[qid].get(docno, []))

    label_set = {label for qid in rows for docno in rows[qid] for label in groups_of(qid, docno)}
    if groups is None and label_set <= {"0", "Q0"}:
        raise ValueError("the qrels hold no group annotations")
    label_set |= clean_labels(labels)
    if isinstance(params.get("target"), Mapping):
        label_set |= clean_labels(params["target"])

    rel = params.get("rel", 1)
    relevant = {qid: [] for qid in rows}
    for qid in rows:
        for docno, judgments in rows[qid].items():
            if max(relevance for relevance, _ in judgments) < rel:
                continue
            if groups is not None:
                found = groups_of(qid, docno)
            else:
                found = clean_labels(
                    iteration for relevance, iteration in judgments if relevance >= rel
                )
            if found:
                relevant[qid].append(found)
    pooled = [found for qid in rows for found in relevant[qid]]

    rankings = order_run(run)
    topics = {}
    for qid in rows:
        ranking = []
        for docno in rankings.get(qid, []):
            judgments = rows[qid].get(docno, [])
            relevance = max((relevance for relevance, _ in judgments), default=0)
            ranking.append(Document(docno, groups_of(qid, docno) & label_set, relevance))
        condensed = [document.groups for document in ranking if document.groups]
        topics[qid] = Topic(ranking, condensed, relevant[qid], pooled, sorted(label_set))
    return topics


def clean_labels(values: Iterable[Any]) -> Groups:
    """§1: labels are strings, 1 and 1.0 are '1'; None, NaN, '' and '-' are no label."""
    found = set()
    for value in values:
        if value is None or value != value or value in ("", "-"):
            continue
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        found.add(str(value))
    return frozenset(found)


def order_run(run: Iterable[tuple[str, str, float]]) -> dict[str, list[str]]:
    """§1: float32(score) descending, then docno descending in byte order; a document's last row
    counts.
    """
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for qid, docno, score in run:
        if math.isnan(score):
            raise ValueError(f"NaN score of document {docno!r} for topic {qid!r}")
        scores[qid][docno] = float32(score)
    return {
        qid: sorted(found, key=lambda docno: (found[docno], docno.encode("utf-8")), reverse=True)
        for qid, found in scores.items()
    }


def float32(number: float) -> float:
    """The number rounded to single precision, ±inf if it is too large for that."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
