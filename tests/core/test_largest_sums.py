"""The largest sum against every sequence and every permutation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_fairness.core import arrays


def brute_largest_sum(
    term: Callable[[int, int], float], weights: list[float], most: int, least: int
) -> float:
    """By trying every sequence. Ranks past the last weight that is not 0 do not exist."""
    depth = max((i for i, w in enumerate(weights, 1) if w), default=0)
    best = -math.inf
    for steps in itertools.product((0, 1), repeat=depth):
        if sum(steps) <= most and depth - sum(steps) <= least:
            counts = list(itertools.accumulate(steps))
            best = max(
                best,
                sum(
                    w * term(a, i) for i, (a, w) in enumerate(zip(counts, weights, strict=False), 1)
                    if w),
            )
    return best if depth else 0.0


@given(st.data())
def test_largest_sum_against_every_sequence(data):
    rows, depth = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 8))
    table = data.draw(
        st.lists(
            st.floats(-3, 3), min_size=(depth + 1) * (depth + 1), max_size=(depth + 1) * (depth + 1)
        )
    )
    table = np.array(table).reshape(depth + 1, depth + 1)
    weights, most, least = np.zeros((rows, depth)), np.zeros(rows, int), np.zeros(rows, int)
    for t in range(rows):
        n = data.draw(st.integers(0, depth))
        weights[t, :n] = data.draw(
            st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
        most[t] = data.draw(st.integers(0, depth + 2))
        # As many documents as the last weighted rank needs have to exist.
        least[t] = data.draw(st.integers(max(0, n - most[t]), depth + 2))

    found = arrays.largest_sum(
        lambda a, i: table[int(i)][np.minimum(a, i).astype(int)] + np.zeros((rows, 1)), weights,
        most, least)
    for t in range(rows):
        expected = brute_largest_sum(
            lambda a, i: table[i][a], weights[t].tolist(), most[t], least[t])
        assert found[t] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("documents", ["PC", "PPCCC", "PPPPCC", "PPPPPPC"])
@pytest.mark.parametrize("step", [1, 2])
def test_largest_sum_against_every_permutation(documents, step):
    share, depth = documents.count("P") / len(documents), len(documents)
    weights = np.array(
        [1 / math.log2(i + 1) if i % step == 0 else 0.0 for i in range(1, depth + 1)])
    found = arrays.largest_sum(
        lambda a, i: abs(a / i - share), weights[None], np.array([documents.count("P")]),
        np.array([documents.count("C")]))
    expected = max(sum(w * abs(order[:i].count("P") / i - share) for i, w in enumerate(weights, 1))
                   for order in set(itertools.permutations(documents)))
    assert found[0] == pytest.approx(expected)
