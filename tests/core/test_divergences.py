"""Divergences against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_fairness.core import arrays

shares = (
    st.lists(st.integers(0, 5), min_size=2, max_size=6) .filter(any)
    .map(lambda c: np.array(c) / sum(c)))


@pytest.mark.parametrize("cells", [1, 5, 13, 1000])
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
            expected = sum(p * math.log2(p / q)
                           for p, q in zip(share, targets[t], strict=True) if p)
            assert found[t, i] == pytest.approx(expected)


@given(shares)
def test_smoothed_shares(plain):
    found = arrays.smoothed(plain)
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

    smooth = arrays.smoothed(q)
    assert arrays.kl(p, smooth) == pytest.approx(divergence(p, smooth), abs=1e-12)
    assert arrays.binary_kl(p[0], smooth[0]) == pytest.approx(
        divergence([p[0], 1 - p[0]], [smooth[0], 1 - smooth[0]]), abs=1e-12)
    middle = (p + q) / 2
    assert arrays.jsd(p, q) == pytest.approx(
        (divergence(p, middle) + divergence(q, middle)) / 2, abs=1e-12)
    assert 0 <= arrays.jsd(p, q) <= 1 + 1e-12
    assert arrays.jsd(p, p) == pytest.approx(0, abs=1e-12)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_divergences_of_neighbouring_numbers_are_not_negative(a, b):
    share = min(a, b) / max(a, b)
    for other in (share, np.nextafter(share, 0), np.nextafter(share, 2)):
        assert arrays.binary_kl(share, min(other, 1.0)) >= 0


def test_rounding_makes_no_divergence():
    counted, fifths = np.full(5, (0.2 + 0.2 + 0.2) / 3), np.full(5, 0.2)
    assert (counted != fifths).all()
    assert arrays.kl(counted, fifths) == arrays.jsd(counted, fifths) == 0
