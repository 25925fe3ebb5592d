"""Array functions against obvious versions in plain Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_fairness import arrays, discounts, divergences, maxima

shares = (
    st.lists(st.integers(0, 5), min_size=2, max_size=6)
    .filter(any)
    .map(lambda c: np.array(c) / sum(c))
)


def test_ratio_is_zero_over_zero():
    assert arrays.ratio([1, 0, 3, 0], [2, 5, 0, 0]).tolist() == [0.5, 0, 0, 0]
    assert arrays.ratio(np.ones((2, 1)), [1, 2, 0]).tolist() == [[1, 0.5, 0], [1, 0.5, 0]]


@pytest.mark.parametrize("depth", [0, 1, 7])
def test_discounts(depth):
    assert discounts.ranks(depth).tolist() == list(range(1, depth + 1))
    assert discounts.log_discount(depth) == pytest.approx(
        [1 / math.log2(i + 1) for i in range(1, depth + 1)]
    )
    assert discounts.geometric_discount(depth, 0.8) == pytest.approx(
        [0.8 ** (i - 1) for i in range(1, depth + 1)]
    )


@pytest.mark.parametrize("depth", [0, 1, 7])
def test_discounts_by_name(depth):
    weights = {"log2": lambda i: 1 / math.log2(i + 1), "trec": lambda i: 1 / math.log2(max(i, 2)),
               "geometric": lambda i: 0.8 ** (i - 1), "mmr": lambda i: 1 / i, "none": lambda i: 1.0}
    for name, weight in weights.items():
        found = discounts.discount(name, depth, 0.8)
        assert found == pytest.approx([weight(i) for i in range(1, depth + 1)])
        with pytest.raises(ValueError, match="no discount is named"):
            discounts.discount(name.upper(), depth)


@pytest.mark.parametrize("name", ["log2", "trec", "geometric"])
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("depth", [1, 2, 9, 1_000_000])
def test_sums_of_discounts(name, power, depth):
    expected = (discounts.discount(name, depth, 0.8) ** power).sum()
    found = discounts.sum_of_discounts(name, depth, 0.8, power)
    assert found == pytest.approx(expected, rel=1e-12)


def test_gains_by_name():
    relevance = [-2, 0, 1, 2, 3]
    for rel, least in ((2, 2), (1, 1), (0, 1), (-5, 1)):
        relevant = [r if r >= least else 0 for r in relevance]
        expected = {"binary": [r > 0 for r in relevant], "linear": relevant,
                    "exp": [2 ** r - 1 for r in relevant]}
        for name, gains in expected.items():
            assert discounts.gain(name, relevance, rel).tolist() == gains
    with pytest.raises(ValueError, match="no gains are named 'log'"):
        discounts.gain("log", relevance, 1)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5), st.integers(1, 12))
def test_evaluated_ranks(lengths, step):
    depth = 9
    n = np.array(lengths)
    for row, length in zip(discounts.evaluated(depth, n, step), lengths, strict=True):
        expected = (
            [i for i in range(1, length + 1) if i % step == 0]
            if step <= length
            else [length] * (length > 0)
        )
        assert [i + 1 for i in np.flatnonzero(row)] == expected
    assert [int(row.sum()) for row in discounts.within(depth, n)] == lengths


@pytest.mark.parametrize("cells", [1, 5, 13, 1000])
def test_discounted_divergences(cells, monkeypatch):
    """Whatever part of the ranks is in memory at a time."""
    monkeypatch.setattr(divergences, "BLOCK_CELLS", cells)
    rows = np.array([[1, 0, 0], [0, 0.5, 0.5], [0, 0, 1]])
    codes = np.array([[0, 1, 2, -1], [2, 2, 0, 1]])
    target, weights = np.array([0.2, 0.3, 0.5]), np.array([[1, 0.5, 0.2, 0], [0, 1, 3, 2]])
    found = divergences.discounted_divergences(codes, rows, weights,
                                           lambda shares: divergences.kl(shares, target))
    assert found.shape == weights.shape
    for t in range(2):
        for i in range(4):
            share = sum((rows[c] for c in codes[t, :i + 1] if c >= 0), np.zeros(3)) / (i + 1)
            expected = weights[t, i] * sum(p * math.log2(p / q)
                                           for p, q in zip(share, target, strict=True) if p)
            assert found[t, i] == pytest.approx(expected)


@given(shares)
def test_smoothed_shares(plain):
    found = divergences.smoothed(plain)
    zeros = int((plain == 0).sum())
    assert found.sum() == pytest.approx(1)
    for before, after in zip(plain, found, strict=True):
        assert after == pytest.approx(0.001 if before == 0 else before * (1 - 0.001 * zeros))


@given(st.data(), st.integers(2, 6))
def test_divergences(data, size):
    counts = st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)
    p, q = (np.array(c) / sum(c) for c in (data.draw(counts), data.draw(counts)))

    def divergence(a, b):
        return sum(x * math.log2(x / y) for x, y in zip(a, b, strict=True) if x > 0)

    smooth = divergences.smoothed(q)
    assert divergences.kl(p, smooth) == pytest.approx(divergence(p, smooth), abs=1e-12)
    assert divergences.binary_kl(p[0], smooth[0]) == pytest.approx(
        divergence([p[0], 1 - p[0]], [smooth[0], 1 - smooth[0]]), abs=1e-12
    )
    middle = (p + q) / 2
    assert divergences.jsd(p, q) == pytest.approx(
        (divergence(p, middle) + divergence(q, middle)) / 2, abs=1e-12
    )
    assert 0 <= divergences.jsd(p, q) <= 1 + 1e-12
    assert divergences.jsd(p, p) == pytest.approx(0, abs=1e-12)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_divergences_of_neighbouring_numbers_are_not_negative(a, b):
    share = min(a, b) / max(a, b)
    for other in (share, np.nextafter(share, 0), np.nextafter(share, 2)):
        assert divergences.binary_kl(share, min(other, 1.0)) >= 0


def test_rounding_makes_no_divergence():
    counted, fifths = np.full(5, (0.2 + 0.2 + 0.2) / 3), np.full(5, 0.2)
    assert (counted != fifths).all()
    assert divergences.kl(counted, fifths) == divergences.jsd(counted, fifths) == 0


def test_unique_rows():
    a, b = np.array([1, 2, 1, 1]), np.array([0.5, 0.5, 0.5, 0.25])
    (x, y), where = arrays.unique_rows(a, b)
    assert len(x) == 3
    assert x[where].tolist() == a.tolist() and y[where].tolist() == b.tolist()


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
                    w * term(a, i)
                    for i, (a, w) in enumerate(zip(counts, weights, strict=False), 1)
                    if w
                ),
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
            st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n)
        )
        most[t] = data.draw(st.integers(0, depth + 2))
        # As many documents as the last weighted rank needs have to exist.
        least[t] = data.draw(st.integers(max(0, n - most[t]), depth + 2))

    found = maxima.largest_sum(
        lambda a, i: table[int(i)][np.minimum(a, i).astype(int)] + np.zeros((rows, 1)),
        weights,
        most,
        least,
    )
    for t in range(rows):
        expected = brute_largest_sum(
            lambda a, i: table[i][a], weights[t].tolist(), most[t], least[t]
        )
        assert found[t] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("documents", ["PC", "PPCCC", "PPPPCC", "PPPPPPC"])
@pytest.mark.parametrize("step", [1, 2])
def test_largest_sum_against_every_permutation(documents, step):
    share, depth = documents.count("P") / len(documents), len(documents)
    weights = np.array(
        [1 / math.log2(i + 1) if i % step == 0 else 0.0 for i in range(1, depth + 1)]
    )
    found = maxima.largest_sum(
        lambda a, i: abs(a / i - share),
        weights[None],
        np.array([documents.count("P")]),
        np.array([documents.count("C")]),
    )
    expected = max(sum(w * abs(order[:i].count("P") / i - share) for i, w in enumerate(weights, 1))
                   for order in set(itertools.permutations(documents)))
    assert found[0] == pytest.approx(expected)
