"""§2: the largest sums of rKL(protected='all')."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from slow_versions.formulas import kl, weight


def max_all(target: Mapping[str, float], places: Sequence[int]) -> float:
    """§2: −log2(min share)·Σ w_i."""
    return -math.log2(min(target.values())) * sum(weight(i) for i in places)


def max_all_of_run(sizes: Mapping[str, int], places: Sequence[int]) -> float:
    """§2, target='run': label blocks in ascending population size.

    The exact maximum for step 1 and documents of one group each. A longer step may skip the places
    where a small block stands out, and documents of several groups do not form label blocks: a
    larger sum may exist then.
    """
    blocks = sorted(int(size) for size in sizes.values() if size > 0)
    total = 0.0
    for i in places:
        left, prefix = i, []
        for size in blocks:
            prefix.append(min(size, left))
            left -= prefix[-1]
        total += weight(i) * kl(
            [count / i for count in prefix], [size / sum(blocks) for size in blocks])
    return total


def bound_all_of_run(target: Mapping[str, float], places: Sequence[int]) -> float:
    """§2, target='run' with a longer step or documents of several groups: an upper bound."""
    return max_all({label: share for label, share in target.items() if share > 0}, places)

