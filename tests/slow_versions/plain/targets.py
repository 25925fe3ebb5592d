"""§1 "Several groups" and §2: counts of groups, targets and the two sides of a topic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from slow_versions.plain.formulas import Shares
from slow_versions.plain.topics import Groups, Topic, clean_labels


def label_counts(documents: Iterable[Groups], labels: Iterable[str]) -> dict[str, Fraction]:
    """§1 "Several groups", over all of G: a document counts 1/m towards each of its m groups."""
    counts = {label: Fraction(0) for label in labels}
    for groups in documents:
        for label in groups:
            counts[label] += Fraction(1, len(groups))
    return counts


def label_shares(documents: Sequence[Groups], labels: Iterable[str]) -> Shares:
    """Share of each label among the documents; the shares of nothing are 0."""
    counts = label_counts(documents, labels)
    return {g: count / len(documents) if documents else Fraction(0) for g, count in counts.items()}


def is_protected(groups: Groups, protected: Iterable[str]) -> bool:
    """§1 "Several groups", two-group measures: protected if any of its groups is."""
    return any(label in groups for label in protected)


def count_protected(documents: Iterable[Groups], protected: set[str]) -> tuple[int, int]:
    """(protected, unprotected) documents."""
    flags = [is_protected(groups, protected) for groups in documents]
    return flags.count(True), flags.count(False)


def population(topic: Topic, target: str) -> list[Groups]:
    """The documents that the targets 'qrels', 'collection' and 'run' are estimated from (§2)."""
    return {"qrels": topic.relevant, "collection": topic.pooled, "run": topic.condensed}[target]


def target_is_empty(topic: Topic, target: Any) -> bool:
    """§1 "Undefined": nothing to compare with. A population that is the run itself never makes a
    topic undefined.
    """
    if target in ("uniform", "run") or isinstance(target, Mapping):
        return not topic.labels
    return not population(topic, target)


def explicit_shares(target: Mapping[Any, float], labels: Iterable[str]) -> Shares:
    """§2: an explicit target; labels that it lacks have share 0."""
    shares = dict.fromkeys(labels, 0.0)
    for key, share in target.items():
        for label in clean_labels([key]):
            shares[label] += share
    return shares


def target_shares(topic: Topic, target: Any) -> Shares:
    """§2, over all of G: plain share of each label in the target."""
    if isinstance(target, Mapping):
        return explicit_shares(target, topic.labels)
    if target == "uniform":
        return {label: Fraction(1, len(topic.labels)) for label in topic.labels}
    return label_shares(population(topic, target), topic.labels)


def two_group_target(topic: Topic, target: Any, protected: set[str]) -> tuple[float, float]:
    """§2, two groups: (S⁺, S⁻), as numbers of documents, numbers of labels (uniform) or shares
    (explicit).
    """
    if isinstance(target, Mapping):
        shares = explicit_shares(target, topic.labels)
        return (
            sum(share for label, share in shares.items() if label in protected),
            sum(share for label, share in shares.items() if label not in protected),
        )
    if target == "uniform":
        return count_protected([frozenset([label]) for label in topic.labels], protected)
    return count_protected(population(topic, target), protected)


def protected_labels(
    protected: str, documents: Iterable[Groups], labels: Iterable[str]
) -> set[str] | None:
    """§2 `protected`. None: 'minority' or 'majority' of documents that hold fewer than two labels.
    """
    if protected in ("minority", "majority"):
        sizes: dict[str, int] = defaultdict(int)
        for groups in documents:
            for label in groups:
                sizes[label] += 1
        if len(sizes) < 2:
            return None
        extreme = min(sizes.values()) if protected == "minority" else max(sizes.values())
        return {min(label for label in sizes if sizes[label] == extreme)}
    if protected in labels:
        return {protected}
    return {part.strip() for part in protected.split(",")}
