"""What the slow versions see of a topic, and what several families need.

A topic is built by hand (`topic_of`) or read from rows of qrels and runs (`reading.read_topics`).
A measure is a function of a topic and of its parameters. It returns None for an undefined topic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

from slow_versions.rows import clean_labels

Shares = dict[str, float]  # by label
ZERO_SHARE = 0.001  # §1 "Shares of zero", §3 (Draws et al. 2021, footnote 5), and Skew

#: §1: a system must not look fair by returning nothing, even where no k documents are unfair.
LOOKS_FAIR = 1.0
TIE = 1e-9  # sums of weights that differ by less are equal


@dataclass(frozen=True)
class Membership:
    """The groups of a document: a weight for each label, all 1 if the document has no weights."""

    weights: Mapping[str, float]
    soft: bool = False  # whether the document has weights

    def shares(self, labels: Collection[str]) -> Shares:
        """m_dg of each g∈G that the document has: 1/m, or weight/Σ of the document's (§20)."""
        known = {label: weight for label, weight in self.weights.items() if label in labels}
        return {label: weight / sum(known.values()) for label, weight in known.items()}

    def degree(self, protected: Collection[str], labels: Collection[str]) -> float:
        """§20, two sides: Σ of the protected m_dg; without weights 1 if any group is protected."""
        shares = self.shares(labels)
        if self.soft:
            return sum(share for label, share in shares.items() if label in protected)
        return 1.0 if any(label in protected for label in shares) else 0.0


UNANNOTATED = Membership({})


@dataclass(frozen=True)
class Source:
    """What one source of groups says about the documents of a topic."""

    of: Mapping[str, Membership]  # by docno; a document that is missing is unannotated
    labels: frozenset[str]  # G: the labels of judged documents, and those that are declared
    order: tuple[str, ...] | None = None  # the order that the Groups object declares
    #: The groups of a relevant document in a population, where rows of the qrels give them (§1).
    relevant: Callable[[str, int], Membership] | None = None


@dataclass(frozen=True)
class Topic:
    """All that a measure sees of one topic."""

    judged: Mapping[str, int]  # relevance of the judged documents
    #: docnos, best first, one list per sample; empty: nothing returned
    rankings: Sequence[Sequence[str]]
    groups: Source
    attributes: Mapping[str, Source] = field(default_factory=dict)  # registered sources, for GFR
    values: Mapping[str, float] = field(default_factory=dict)  # of documents that have one
    backgrounds: Mapping[str, Sequence[str]] = field(default_factory=dict)  # registered runs
    targets: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # registered targets
    collection: Sequence[Topic] = ()  # all topics of the qrels; empty: this one alone

    @property
    def ranking(self) -> Sequence[str]:
        """The only ranking: what a measure sees that is averaged over samples."""
        assert len(self.rankings) <= 1
        return self.rankings[0] if self.rankings else []

    @property
    def labels(self) -> list[str]:
        """The label set G, sorted."""
        return sorted(self.groups.labels)

    def relevance(self, docno: str) -> int:
        """r_d: 0 if unjudged."""
        return self.judged.get(docno, 0)

    def membership(self, docno: str) -> Membership:
        return self.groups.of.get(docno, UNANNOTATED)

    def shares(self, docno: str) -> Shares:
        """m_dg of the groups of the document; nothing if it is unannotated."""
        return self.membership(docno).shares(self.groups.labels)

    def condensed(self, ranking: Sequence[str]) -> list[str]:
        """§1: the annotated documents."""
        return [docno for docno in ranking if self.shares(docno)]

    def relevant(self, rel: int) -> list[Membership]:
        """§2, the population: annotated documents judged relevant."""
        found = []
        for docno, relevance in self.judged.items():
            if relevance >= rel:
                of_rows = self.groups.relevant
                membership = of_rows(docno, rel) if of_rows else self.membership(docno)
                if membership.shares(self.groups.labels):
                    found.append(membership)
        return found

    def with_target(self, target: Any) -> Topic:
        """§2: labels that an explicit or registered target adds belong to G."""
        named = self.targets.get(target) if isinstance(target, str) else target
        added = clean_labels(named or ())
        return replace(self, groups=replace(self.groups, labels=self.groups.labels | added))


def membership_of(groups: Any) -> Membership:
    """`'A'`, `['A', 'B']` or, with weights, `{'A': 0.7, 'B': 0.3}`."""
    if isinstance(groups, Mapping):
        return Membership(dict(groups), soft=True)
    return Membership(dict.fromkeys([groups] if isinstance(groups, str) else groups, 1.0))


def source_of(groups: Mapping[str, Any], judged: Iterable[str], declared: Iterable[str] = (),
              **more: Any) -> Source:
    """A source from groups by docno (see `membership_of`); G as in §1."""
    of = {docno: membership_of(found) for docno, found in groups.items()}
    labels = {label for docno in judged if docno in of for label in of[docno].weights}
    return Source(of, frozenset(labels.union(declared)), **more)


def topic_of(judged: Mapping[str, int], rankings: Sequence[Sequence[str]],
             groups: Mapping[str, Any], declared: Iterable[str] = (), **more: Any) -> Topic:
    """A topic whose groups are given by docno (see `membership_of`)."""
    return Topic(judged, rankings, source_of(groups, judged, declared), **more)


def mean_over_samples(measure: Callable[..., float | None]) -> Callable[..., float | None]:
    """§10: a measure that is not of mean exposures is the mean of its values over the samples."""

    @wraps(measure)
    def of_topic(topic: Topic, **params: Any) -> float | None:
        if not topic.rankings:
            return measure(topic, **params)
        values = [measure(replace(topic, rankings=[one]), **params) for one in topic.rankings]
        if None in values:
            assert set(values) == {None}, "a topic is undefined whatever the run"
            return None
        return sum(value for value in values if value is not None) / len(values)

    return of_topic


def compares_groups(measure: Callable[..., float | None]) -> Callable[..., float | None]:
    """Undefined if there is one group alone, or if every group is protected."""

    @wraps(measure)
    def of_topic(topic: Topic, **params: Any) -> float | None:
        labels = topic.with_target(params.get("target")).labels
        protected = params.get("protected")
        if protected in labels:
            protected = [protected]
        elif protected is not None:
            protected = [part.strip() for part in protected.split(",")]
        if len(labels) == 1 or (labels and protected and set(labels) <= set(protected)):
            return None
        return measure(topic, **params)

    return of_topic


def attention(discount: str, i: int, p: float = 0.85) -> float:
    """§9 a_i, the weight of rank i."""
    if discount == "log2":
        return 1 / math.log2(i + 1)
    if discount == "trec":
        return 1 / math.log2(max(i, 2))
    if discount == "geometric":
        return p ** (i - 1)
    if discount == "mmr":
        return 1 / i
    assert discount == "none"
    return 1.0


def annotated_places(topic: Topic, ranking: Sequence[str], cutoff: int | None,
                     unannotated: str) -> list[tuple[int, str]]:
    """§9 `unannotated`: (rank, docno) of the annotated documents that count."""
    if unannotated == "keep":  # the list is cut at k first, i is the rank in it
        return [
            (i, docno) for i, docno in enumerate(ranking[:cutoff], start=1) if topic.shares(docno)]
    assert unannotated == "drop"  # the condensed list, then cut
    return list(enumerate(topic.condensed(ranking)[:cutoff], start=1))


def gain(relevance: int, rel: int, gains: str) -> float:
    """y: the gain where r ≥ `rel` and r > 0, else 0."""
    if relevance < rel or relevance <= 0:
        return 0.0
    return {"binary": 1.0, "linear": float(relevance), "exp": 2.0**relevance - 1}[gains]


def label_counts(memberships: Iterable[Membership], labels: Sequence[str]) -> Shares:
    """Σ m_dg of each label."""
    counts = dict.fromkeys(labels, 0.0)
    for membership in memberships:
        for label, share in membership.shares(labels).items():
            counts[label] += share
    return counts


def as_shares(counts: Mapping[str, float]) -> Shares:
    """Counts over their sum; the shares of nothing are 0."""
    total = sum(counts.values())
    return {label: count / total if total else 0.0 for label, count in counts.items()}


def uniform(labels: Sequence[str]) -> Shares:
    return {label: 1 / len(labels) for label in labels}


def explicit(topic: Topic, target: Any) -> Shares | None:
    """§2: the shares of an explicit or registered target over G; None for the other targets."""
    named = topic.targets.get(target) if isinstance(target, str) else target
    if named is None:
        return None
    shares = dict.fromkeys(topic.labels, 0.0)
    for key, share in named.items():
        for label in clean_labels([key]):
            shares[label] += share
    return shares


def population(topic: Topic, target: str, rel: int) -> list[Membership]:
    """§2: the documents that 'qrels', 'collection' and 'run' are estimated from."""
    if target == "qrels":
        return topic.relevant(rel)
    if target == "collection":
        return [found for one in topic.collection or [topic] for found in one.relevant(rel)]
    assert target == "run"
    return [topic.membership(docno) for docno in topic.condensed(topic.ranking)]


def target_is_empty(topic: Topic, target: Any, rel: int) -> bool:
    """§1 "Undefined". A population that is the run itself never makes a topic undefined."""
    if target in ("uniform", "run") or explicit(topic, target) is not None:
        return not topic.labels
    return not population(topic, target, rel)


def target_shares(topic: Topic, target: Any, rel: int) -> Shares:
    """§2 `target` over all of G, unsmoothed; all 0 for 'run' where no document is annotated."""
    named = explicit(topic, target)
    if named is not None:
        return named
    if target == "uniform":
        return uniform(topic.labels)
    return as_shares(label_counts(population(topic, target, rel), topic.labels))


def protected_labels(protected: str, memberships: Sequence[Membership],
                     labels: Sequence[str]) -> frozenset[str] | None:
    """§2 `protected`. None: 'minority' or 'majority' of fewer than two labels."""
    if protected in ("minority", "majority"):
        sizes = dict.fromkeys(labels, 0.0)
        for membership in memberships:
            for label, share in membership.shares(labels).items():
                sizes[label] += share if membership.soft else 1  # documents, m_dg with weights
        sizes = {label: size for label, size in sizes.items() if size > 0}
        if len(sizes) < 2:
            return None
        extreme = min(sizes.values()) if protected == "minority" else max(sizes.values())
        return frozenset([min(g for g, size in sizes.items() if abs(size - extreme) <= TIE)])
    if protected in labels:
        return frozenset([protected])
    return frozenset(part.strip() for part in protected.split(","))


def two_sides(memberships: Iterable[Membership], protected: Collection[str],
              labels: Collection[str]) -> tuple[float, float]:
    """(protected, other) documents."""
    degrees = [membership.degree(protected, labels) for membership in memberships]
    return math.fsum(degrees), math.fsum(1 - degree for degree in degrees)


def two_sided_target(topic: Topic, target: Any, rel: int,
                     protected: Collection[str]) -> tuple[float, float]:
    """§2, the two sides of the target: documents, labels (uniform) or shares (explicit)."""
    named = explicit(topic, target)
    if target == "uniform":
        named = dict.fromkeys(topic.labels, 1.0)
    if named is not None:
        return (
            sum(share for label, share in named.items() if label in protected),
            sum(share for label, share in named.items() if label not in protected))
    return two_sides(population(topic, target, rel), protected, topic.labels)


def weight(i: int) -> float:
    """§1: w_i."""
    return 1 / math.log2(i + 1)


def places_of(n: int, step: int = 1) -> list[int]:
    """§2: I = {step, 2·step, … ≤ n}, or {n} if step > n."""
    return list(range(step, n + 1, step)) if step <= n else [n]


def normalised(value: float, normaliser: float) -> float:
    """§1: 0/0 in a normalised value is 0."""
    return 0.0 if normaliser == 0 else value / normaliser


def ratio(above: float, below: float) -> float:
    """§2: a fraction with a zero above or below is 0."""
    return 0.0 if above == 0 or below == 0 else above / below


def kl(p: Sequence[float], t: Sequence[float], log: Callable[[float], float] = math.log2) -> float:
    """Kullback-Leibler divergence KL(p ‖ t), with 0·log 0 = 0."""
    total = 0.0
    for share, target in zip(p, t, strict=True):
        if share > 0:
            total += float(share) * log(float(share) / float(target))
    return total


def jsd(p: Sequence[float], t: Sequence[float], log: Callable[[float], float] = math.log2) -> float:
    """Jensen-Shannon divergence (Draws et al. 2021)."""
    middle = [(float(share) + float(target)) / 2 for share, target in zip(p, t, strict=True)]
    return kl(p, middle, log) / 2 + kl(t, middle, log) / 2


def smooth_zeros(shares: Mapping[str, float]) -> Shares:
    """§1 "Shares of zero": zeros become 0.001 and the others are scaled."""
    zeros = sum(1 for share in shares.values() if share == 0)
    if zeros == 0:
        return dict(shares)
    return {
        g: ZERO_SHARE if share == 0 else float(share) * (1 - ZERO_SHARE * zeros)
        for g, share in shares.items()}


def maybe_absolute(value: float, absolute: bool) -> float:
    """§5 `abs`."""
    return abs(value) if absolute else value
