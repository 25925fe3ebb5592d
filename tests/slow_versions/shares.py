"""Who is shown, by plain loops."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from slow_versions.common import Topic, as_shares, attention, label_counts


def drawn_without(documents: int, members: int, r: int) -> float:
    """The probability that r documents, drawn without replacement, include no member."""
    return math.comb(documents - members, r) / math.comb(documents, r)


def at_least(least: int, chances: Sequence[float]) -> float:
    """P(X ≥ least), by all outcomes of the events."""
    total = 0.0
    for outcome in itertools.product([True, False], repeat=len(chances)):
        if sum(outcome) >= least:
            total += math.prod(p if happens else 1 - p
                               for p, happens in zip(chances, outcome, strict=True))
    return total


def shown(topic: Topic, cutoff: int, discount: str) -> dict[str, float] | None:
    """The mean share of each group over the rankings with a document; None without any."""
    found = []
    for ranking in topic.rankings:
        first = topic.condensed(ranking)[:cutoff]
        if first:
            weights = [attention(discount, i) for i in range(1, len(first) + 1)]
            found.append({g: sum(w * topic.shares(d).get(g, 0.0) for w, d in
                                 zip(weights, first, strict=True)) / sum(weights)
                          for g in topic.labels})
    if not found:
        return None
    return {g: sum(one[g] for one in found) / len(found) for g in topic.labels}


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def shares(topics: Mapping[str, Topic], cutoff: int, rel: int, discount: str) \
        -> dict[str, dict[str, Any]]:
    """The columns of a system, by group."""
    labels = next(iter(topics.values())).labels
    rows: dict[str, dict[str, Any]] = {}
    for g in labels:
        places, seen, due, chances, absent = [], [], [], [], 0
        for topic in topics.values():
            relevant = topic.relevant(rel)
            if not relevant:
                continue
            due.append(as_shares(label_counts(relevant, topic.labels))[g])
            plain = shown(topic, cutoff, "none")
            weighted = shown(topic, cutoff, discount)
            if plain is None or weighted is None:
                continue
            places.append(plain[g])
            seen.append(weighted[g])
            members = sum(g in one.shares(topic.labels) for one in relevant)
            if members:
                hits = {d for ranking in topic.rankings for d in topic.condensed(ranking)[:cutoff]
                        if is_relevant(topic, d, rel)}
                chances.append(drawn_without(len(relevant), members, len(hits)))
                absent += plain[g] == 0
        rows[g] = {
            "shown": mean(places), "attention": mean(seen), "relevant": mean(due),
            "ratio": mean(seen) / mean(due) if mean(due) > 0 else math.nan,
            "topics": len(chances), "absent": absent, "expected": sum(chances),
            "p": at_least(absent, chances)}
    return rows


def is_relevant(topic: Topic, docno: str, rel: int) -> bool:
    """Whether a document is relevant and annotated, by the rows that judge it so."""
    if topic.judged.get(docno, rel - 1) < rel:
        return False
    of_rows = topic.groups.relevant
    membership = of_rows(docno, rel) if of_rows else topic.membership(docno)
    return bool(membership.shares(topic.labels))
