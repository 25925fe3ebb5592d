"""§1 and §2: what formulas of several measures share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

Shares = dict[str, float]  # label -> share (Fraction or float)

ZERO_SHARE = 0.001  # §1 "Shares of zero", §3 (Draws et al. 2021, footnote 5), and Skew

#: §1: a system must not look fair by returning nothing, even where no k documents are unfair.
LOOKS_FAIR = 1.0


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
