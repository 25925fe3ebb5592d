"""§1 Annotated and §5 BiasP, BiasRBP, BiasDCG (Gezici et al. 2021): the uncondensed list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from slow_versions.plain.formulas import depth, maybe_absolute, normalised
from slow_versions.plain.topics import Topic


def annotated(topic: Topic, params: Mapping[str, Any]) -> float:
    """§1 Annotated@k: share of the first min(k, length) documents of the uncondensed list that have
    a group.
    """
    n = depth(len(topic.ranking), params)
    return sum(1 for document in topic.ranking[:n] if document.groups) / n if n else 0.0


def stances(topic: Topic, params: Mapping[str, Any]) -> list[int]:
    """§5 s_1, …, s_n: +1 relevant and `pro`, −1 relevant and `con`, else 0; 1 − 1 if both (Gezici
    et al. 2021, equation 3).
    """
    n = depth(len(topic.ranking), params)
    signs = []
    for document in topic.ranking[:n]:
        sign = 0
        if document.relevance >= params.get("rel", 1):
            if params.get("pro", "PRO") in document.groups:
                sign += 1
            if params.get("con", "CON") in document.groups:
                sign -= 1
        signs.append(sign)
    return signs


def bias_p(topic: Topic, params: Mapping[str, Any]) -> float:
    """§5 BiasP@n = 1/n Σ s_i, n being the cutoff or the list's length."""
    signs = stances(topic, params)
    n = len(signs) if params.get("cutoff") is None else params["cutoff"]
    return maybe_absolute(normalised(sum(signs), n), params)


def bias_rbp(topic: Topic, params: Mapping[str, Any]) -> float:
    """§5 BiasRBP = (1−p) Σ p^{i−1} s_i."""
    p = params.get("p", 0.8)
    value = (1 - p) * sum(
        p ** (i - 1) * sign for i, sign in enumerate(stances(topic, params), start=1)
    )
    return maybe_absolute(value, params)


def bias_dcg(topic: Topic, params: Mapping[str, Any]) -> float:
    """§5 BiasDCG = Σ s_i / log2(i+1)."""
    value = sum(sign / math.log2(i + 1) for i, sign in enumerate(stances(topic, params), start=1))
    return maybe_absolute(value, params)
