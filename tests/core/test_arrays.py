"""Array functions against plain Python: discounts, gains, divergences and largest sums."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_test import each

from pt_fairness.core import arrays

DISCOUNTS = {"log2": lambda i: 1 / math.log2(i + 1), "trec": lambda i: 1 / math.log2(max(i, 2)),
             "geometric": lambda i: 0.8 ** (i - 1), "mmr": lambda i: 1 / i, "none": lambda i: 1.0}


def test_ratio_is_zero_over_zero():
    assert arrays.ratio([1, 0, 3, 0], [2, 5, 0, 0]).tolist() == [0.5, 0, 0, 0]
    assert arrays.ratio(np.ones((2, 1)), [1, 2, 0]).tolist() == [[1, 0.5, 0], [1, 0.5, 0]]


def test_unique_rows():
    a, b = np.array([1, 2, 1, 1]), np.array([0.5, 0.5, 0.5, 0.25])
    (x, y), where = arrays.unique_rows(a, b)
    assert len(x) == 3
    assert x[where].tolist() == a.tolist() and y[where].tolist() == b.tolist()


@each("depth", [0, 1, 2, 9])
@each("name", DISCOUNTS)
def test_discounts(name, depth):
    weights = [DISCOUNTS[name](i) for i in range(1, depth + 1)]
    assert arrays.discount(name, depth, 0.8) == pytest.approx(weights)
    assert arrays.ranks(depth).tolist() == list(range(1, depth + 1))


def test_gains_by_name():
    relevance = [-2, 0, 1, 2, 3]
    for rel, least in ((2, 2), (1, 1), (0, 1), (-5, 1)):
        relevant = [r if r >= least else 0 for r in relevance]
        expected = {"binary": [r > 0 for r in relevant], "linear": relevant,
                    "exp": [2 ** r - 1 for r in relevant]}
        for name, gains in expected.items():
            assert arrays.gain(name, relevance, rel).tolist() == gains


def divergence(p, q):
    return sum(x * math.log2(x / y) for x, y in zip(p, q, strict=True) if x > 0)


@pytest.mark.parametrize("cells", [1, 13, 1000])
def test_divergences_of_prefixes(cells, monkeypatch):
    """Whatever part of the ranks is in memory at a time."""
    monkeypatch.setattr(arrays, "BLOCK_CELLS", cells)
    rows = np.array([[1, 0, 0], [0, 0.5, 0.5], [0, 0, 1]])
    codes = np.array([[0, 1, 2, -1], [2, 2, 0, 1]])
    targets = np.array([[0.2, 0.3, 0.5], [0.5, 0.4, 0.1]])
    found = arrays.divergences_of_prefixes(codes, rows, arrays.kl, targets)
    assert found.shape == codes.shape
    for t in range(2):
        for i in range(4 - (t == 0)):
            share = sum((rows[c] for c in codes[t, :i + 1] if c >= 0), np.zeros(3)) / (i + 1)
            assert found[t, i] == pytest.approx(divergence(share, targets[t]))


@given(st.data(), st.integers(2, 6))
def test_divergences_of_smoothed_shares(data, size):
    counts = st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)
    p, q = (np.array(c) / sum(c) for c in (data.draw(counts), data.draw(counts)))
    smooth, zeros = arrays.smoothed(q), (q == 0).sum()
    assert smooth.tolist() == pytest.approx(
        [0.001 if share == 0 else share * (1 - 0.001 * zeros) for share in q])
    assert arrays.kl(p, smooth) == pytest.approx(divergence(p, smooth), abs=1e-12)
    assert arrays.binary_kl(p[0], smooth[0]) == pytest.approx(
        divergence([p[0], 1 - p[0]], [smooth[0], 1 - smooth[0]]), abs=1e-12)
    middle = (p + q) / 2
    assert arrays.jsd(p, q) == pytest.approx(
        (divergence(p, middle) + divergence(q, middle)) / 2, abs=1e-12)
    assert 0 <= arrays.jsd(p, q) <= 1 + 1e-12
    assert arrays.jsd(p, p) == pytest.approx(0, abs=1e-12)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_rounding_makes_no_divergence(a, b):
    share = min(a, b) / max(a, b)
    for other in (share, np.nextafter(share, 0), np.nextafter(share, 2)):
        assert arrays.binary_kl(share, min(other, 1.0)) >= 0
    counted, fifths = np.full(5, (0.2 + 0.2 + 0.2) / 3), np.full(5, 0.2)
    assert (counted != fifths).all()
    assert arrays.kl(counted, fifths) == arrays.jsd(counted, fifths) == 0


def brute_largest_sum(table, weights, most, least):
    """By trying every sequence. Ranks past the last weight that is not 0 do not exist."""
    depth = max((i for i, weight in enumerate(weights, 1) if weight), default=0)
    sums = [0.0] if depth == 0 else []
    for steps in itertools.product((0, 1), repeat=depth):
        if depth and sum(steps) <= most and depth - sum(steps) <= least:
            counts = itertools.accumulate(steps)
            sums.append(sum(weight * table[i][a] for i, (a, weight) in
                            enumerate(zip(counts, weights, strict=False), 1)))
    return max(sums)


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 7))
def test_largest_sum_against_every_sequence(seed, rows, depth):
    pick = np.random.default_rng(seed)
    table = pick.uniform(-3, 3, (depth + 1, depth + 1))
    n = pick.integers(0, depth + 1, rows)
    weights = pick.choice([0.0, 0.5, 1.0, 2.0], (rows, depth)) * (np.arange(depth) < n[:, None])
    most = pick.integers(0, depth + 3, rows)
    # As many documents as the last weighted rank needs have to exist.
    least = np.maximum(n - most, 0) + pick.integers(0, 3, rows)
    found = arrays.largest_sum(
        lambda a, i: table[int(i)][np.minimum(a, i).astype(int)] + np.zeros((rows, 1)), weights,
        most, least)
    assert found.tolist() == pytest.approx([
        brute_largest_sum(table, *row) for row in zip(weights, most, least, strict=True)])
