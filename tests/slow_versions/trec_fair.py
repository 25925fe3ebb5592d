"""TREC Fair Ranking 2021 and 2022, task 1: nDCG · AWRF over the cells of all attributes."""

import itertools
import math
from collections.abc import Collection, Mapping, Sequence

from slow_versions.common import Membership, Shares, Source, Topic, attention, jsd

UNKNOWN = "@UNKNOWN"
#: A label, or @UNKNOWN, of each attribute.
Cell = tuple[str, ...]


def attribute_shares(source: Source, docno: str, whole: bool) -> Shares | None:
    """m_dj(g) of a document in one attribute; None: the source does not know it at all."""
    if docno not in source.of:
        return None
    membership = source.of[docno]
    known = Membership(
        {g: weight for g, weight in membership.weights.items() if membership.soft or g != UNKNOWN},
        membership.soft).shares({*source.labels, UNKNOWN})
    if not known:
        return {UNKNOWN: 1.0}
    return dict.fromkeys(known, 1.0) if whole else known


def masses(topic: Topic, docno: str, attributes: Sequence[str], whole: Collection[str],
           unknown: str) -> dict[Cell, float]:
    """m_d(c) of a document in each cell."""
    of_attributes = [
        attribute_shares(topic.attributes[name], docno, name in whole) for name in attributes]
    if None in of_attributes:
        return {}
    found = {}
    for entries in itertools.product(*(one.items() for one in of_attributes if one is not None)):
        cell = tuple(label for label, _ in entries)
        if unknown == "partial" and set(cell) == {UNKNOWN}:
            continue
        found[cell] = math.prod(share for _, share in entries)
    return found


def normalised(masses: Mapping[Cell, float]) -> dict[Cell, float]:
    total = sum(masses.values())
    return {cell: mass / total for cell, mass in masses.items()}


def pattern(cell: Cell) -> tuple[bool, ...]:
    """K: which attributes are known."""
    return tuple(label != UNKNOWN for label in cell)


def target_of(q: Mapping[Cell, float], cells: Collection[Cell], w: Sequence[Mapping[str, float]],
              lam: float) -> dict[Cell, float]:
    """T of every cell."""
    found = {}
    for cell in cells:
        own = q.get(cell, 0.0)
        if not any(pattern(cell)):
            found[cell] = own
            continue
        mass = sum(share for other, share in q.items() if pattern(other) == pattern(cell))
        background = math.prod(
            w[j].get(label, 0.0) for j, label in enumerate(cell) if label != UNKNOWN)
        found[cell] = lam * own + (1 - lam) * mass * background
    return found


def ndcg(topic: Topic, cutoff: int | None, ideal: int | None, rel: int) -> float | None:
    """None: no relevant document."""
    relevant = {docno for docno, r in topic.judged.items() if r >= rel}
    if not relevant:
        return None
    depth = cutoff if cutoff is not None else ideal
    gained = sum(attention("trec", i) for i, docno in enumerate(topic.ranking[:depth], start=1)
                 if docno in relevant)
    most = ideal if ideal is not None else cutoff
    count = len(relevant) if most is None else min(most, len(relevant))
    return gained / sum(attention("trec", i) for i in range(1, count + 1))


def awrf(topic: Topic, attributes: Mapping[str, str], whole: Collection[str], unknown: str,
         depth: int | None, of_qrels: float, rel: int) -> float | None:
    """None: q is empty, or there is one group."""
    names = sorted(attributes)
    labels = [(name, g) for name in names
              for g in {*topic.attributes[name].labels, *topic.targets[attributes[name]]}]
    if len(labels) < 2:
        return None
    q: dict[Cell, float] = {}
    for docno, relevance in topic.judged.items():
        if relevance >= rel:
            for cell, mass in masses(topic, docno, names, whole, unknown).items():
                q[cell] = q.get(cell, 0.0) + mass
    if not q:
        return None
    p: dict[Cell, float] = {}
    for i, docno in enumerate(topic.ranking[:depth], start=1):
        for cell, mass in masses(topic, docno, names, whole, unknown).items():
            p[cell] = p.get(cell, 0.0) + attention("trec", i) * mass
    if not p:
        return 0.0
    w = [topic.targets[attributes[name]] for name in names]
    scaled = [{g: share / sum(one.values()) for g, share in one.items()} for one in w]
    # Every cell of any document, and all combinations that a target gives a share.
    cells = {*p, *q, *itertools.product(*([*one, UNKNOWN] for one in scaled))}
    exposure, wanted = normalised(p), target_of(normalised(q), cells, scaled, of_qrels)
    return 1 - jsd([exposure.get(c, 0.0) for c in cells], [wanted[c] for c in cells], math.log)


def trec_fair(topic: Topic, *, attributes: Mapping[str, str], whole: str = "",
              unknown: str = "group", value: str = "score", ideal: int | None = None,
              of_qrels: float = 0.5, rel: int = 1, cutoff: int | None = None) -> float | None:
    """nDCG · AWRF; None where the topic is undefined."""
    relevance = ndcg(topic, cutoff, ideal, rel)
    if value == "ndcg" or relevance is None:
        return relevance
    depth = cutoff if cutoff is not None else ideal
    fairness = awrf(topic, attributes, whole.split(","), unknown, depth, of_qrels, rel)
    if fairness is None:
        return None
    return fairness if value == "awrf" else relevance * fairness
