"""§11: GF, GFR (Sakai et al. 2023; NTCIR FairWeb)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from slow_versions.common import Shares, Topic, gain, jsd, target_is_empty, target_shares, uniform


def highest_relevance(topic: Topic) -> int:
    """The default of `max_rel`: highest relevance of the given qrels."""
    return max(r for one in topic.collection or [topic] for r in one.judged.values())


def decays(topic: Topic, n: int, rel: int, gains: str, max_rel: int | None) -> list[float]:
    """Decay_i = s_i Π_{j<i}(1 − s_j), s_i = G_i/(G_max + 1)."""
    highest = highest_relevance(topic) if max_rel is None else max_rel
    largest_gain = gain(highest, 1, gains)
    found, going_on = [], 1.0
    for docno in topic.ranking[:n]:
        relevance = topic.relevance(docno)
        g = gain(min(relevance, highest), 1, gains) if relevance >= rel else 0.0
        s = g / (largest_gain + 1)
        found.append(s * going_on)
        going_on *= 1 - s
    return found


def something_relevant(topic: Topic, rel: int) -> bool:
    return any(gain(r, rel, "binary") > 0 for r in topic.judged.values())


def ordered_labels(labels: Sequence[str], order: str | None,
                   declared: Sequence[str] | None) -> list[str]:
    """`order`, else the Groups object's, else by number."""
    if order is not None:
        found = [part.strip() for part in order.split(",")]
    elif declared is not None:
        found = list(declared)
    else:
        found = sorted(labels, key=float)
    return [label for label in found if label in labels]


def divergence_between(divergence: str, shares: Shares, target: Shares,
                       order: Sequence[str]) -> float:
    """Div(P, T); `order`: all labels, for the ordinal ones the lowest first."""
    p, t = [shares[g] for g in order], [target[g] for g in order]
    labels = len(order)
    if labels == 1:
        return 0.0
    if divergence == "jsd":
        return jsd(p, t)
    if divergence == "nmd":
        return sum(abs(sum(p[: g + 1]) - sum(t[: g + 1])) for g in range(labels)) / (labels - 1)
    assert divergence == "rnod"
    distances = [
        sum(abs(i - j) * (p[j] - t[j]) ** 2 for j in range(labels)) for i in range(labels)
        if t[i] > 0]
    return math.sqrt(sum(distances) / len(distances) / (labels - 1))


def gf(topic: Topic, *, cutoff: int | None = None, rel: int = 1, divergence: str = "jsd",
       order: str | None = None, target: Any = "uniform", gains: str = "exp",
       max_rel: int | None = None) -> float | None:
    """GF = Σ_{i≤n} Decay_i · max(0, 1 − Div(P_i, T))."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel) or not something_relevant(topic, rel):
        return None
    labels = topic.labels
    shares = target_shares(topic, target, rel)
    if target == "run" and not topic.condensed(topic.ranking):
        shares = uniform(labels)
    if divergence != "jsd":
        labels = ordered_labels(labels, order, topic.groups.order)
    n = len(topic.ranking[:cutoff])
    total = dict.fromkeys(labels, 0.0)
    value = 0.0  # nothing returned: 0.0
    for i, decay in enumerate(decays(topic, n, rel, gains, max_rel), start=1):
        # P_i: mean of (m_dg) over the first i documents, an unannotated one being 1/L each
        for label, share in (topic.shares(topic.ranking[i - 1]) or uniform(labels)).items():
            total[label] += share
        prefix = {label: sum_ / i for label, sum_ in total.items()}
        value += decay * max(0.0, 1 - divergence_between(divergence, prefix, shares, labels))
    return value


def relevance_part(topic: Topic, *, cutoff: int | None = None, rel: int = 1, relevance: str = "err",
                   phi: float = 0.99, gains: str = "exp",
                   max_rel: int | None = None) -> float | None:
    """'err': Σ Decay_i/i; 'rbu': Σ φ^i Decay_i."""
    if not something_relevant(topic, rel):
        return None
    found = enumerate(decays(topic, len(topic.ranking[:cutoff]), rel, gains, max_rel), start=1)
    if relevance == "err":
        return sum(decay / i for i, decay in found)
    assert relevance == "rbu"
    return sum(phi**i * decay for i, decay in found)


def gfr(topic: Topic, *, attributes: Mapping[str, str], targets: Mapping[str, Any] | None = None,
        relevance: str = "err", phi: float = 0.99, cutoff: int | None = None, rel: int = 1,
        gains: str = "exp", max_rel: int | None = None) -> float | None:
    """GFR: mean of the relevance part and of each registered source's GF."""
    common = {"cutoff": cutoff, "rel": rel, "gains": gains, "max_rel": max_rel}
    parts = [relevance_part(topic, relevance=relevance, phi=phi, **common)]
    for name, divergence in attributes.items():
        collection = [of_attribute(one, name) for one in topic.collection]
        seen = replace(of_attribute(topic, name), collection=collection)
        target = (targets or {}).get(name, "uniform")  # else uniform
        parts.append(gf(seen, divergence=divergence, target=target, **common))
    if None in parts:
        return None
    return sum(part for part in parts if part is not None) / len(parts)


def of_attribute(topic: Topic, name: str) -> Topic:
    """The topic with the groups of a registered source."""
    return replace(topic, groups=topic.attributes[name])
