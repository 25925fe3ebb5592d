"""§2: the largest sums of rKL(protected='all')."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

from slow_versions.formulas import Shares, kl, weight

Groups = frozenset[str]


def label_shares(documents: Sequence[Groups], labels: Iterable[str]) -> Shares:
    """Share of each label among the documents: one counts 1/m towards each of its m groups."""
    return {g: sum(1 / len(groups) for groups in documents if g in groups) / len(documents)
            for g in labels}


def discounted_kl_all(documents: Sequence[Groups], labels: Sequence[str],
                      target: Mapping[str, float], places: Sequence[int]) -> float:
    """Σ_{i∈I} w_i · KL(P_i ‖ T) over all labels."""
    total = 0.0
    for i in places:
        prefix = label_shares(documents[:i], labels)
        total += weight(i) * kl([prefix[g] for g in labels], [target[g] for g in labels])
    return total


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


def brute_max_all(target: Mapping[str, float], n: int, places: Sequence[int]) -> float:
    """The maximum that `max_all` gives, by trying every sequence of n labels."""
    labels = sorted(target)
    sequences = itertools.product([frozenset([label]) for label in labels], repeat=n)
    return max(discounted_kl_all(sequence, labels, target, places) for sequence in sequences)


def brute_max_all_of_run(documents: Sequence[Groups], places: Sequence[int]) -> float:
    """The same maximum by trying every permutation of the run's documents."""
    labels = sorted(set().union(*documents))
    target = label_shares(documents, labels)
    return max(
        discounted_kl_all(order, labels, target, places)
        for order in itertools.permutations(documents))
