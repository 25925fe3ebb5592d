"""§13: RADio (Vrijenhoek et al. 2022)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from slow_versions.common import (
    Topic,
    annotated_places,
    as_shares,
    attention,
    target_is_empty,
    target_shares,
    uniform,
)
from slow_versions.formulas import jsd, kl


def divergence_from(p: Mapping[str, float], q: Mapping[str, float], alpha: float,
                    divergence: str) -> float:
    """'jsd': √JSD(P̃, Q̃); 'kl': KL(Q̃ ‖ P̃). P̃ = (1−α)P + αQ, Q̃ = (1−α)Q + αP."""
    labels = sorted(q)
    p_mixed = [(1 - alpha) * p[g] + alpha * q[g] for g in labels]
    q_mixed = [(1 - alpha) * q[g] + alpha * p[g] for g in labels]
    if divergence == "jsd":
        return math.sqrt(max(0.0, jsd(p_mixed, q_mixed)))
    assert divergence == "kl"
    return kl(q_mixed, p_mixed)


def radio(topic: Topic, *, cutoff: int | None = None, rel: int = 1, target: Any = "run",
          divergence: str = "jsd", discount: str = "mmr", p: float = 0.85, alpha: float = 0.001,
          unannotated: str = "drop") -> float | None:
    """RADio: how far the shares P of the first n are from the context Q."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    context = target_shares(topic, target, rel)  # 'run': whole list, unweighted
    if target == "run" and not topic.condensed(topic.ranking):
        context = uniform(topic.labels)
    places = annotated_places(topic, topic.ranking, cutoff, unannotated)
    if not places:  # nothing returned: 1.0; kl the largest over P = one group
        if divergence == "jsd":
            return 1.0
        return max(
            divergence_from({h: float(h == g) for h in context}, context, alpha, divergence)
            for g in context)
    counts = dict.fromkeys(topic.labels, 0.0)
    for i, docno in places:
        for label, share in topic.shares(docno).items():
            counts[label] += share * attention(discount, i, p)
    return divergence_from(as_shares(counts), context, alpha, divergence)
