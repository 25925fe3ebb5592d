"""Discounts and gains against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_test import each

from pt_fairness.core import arrays


@pytest.mark.parametrize("depth", [0, 1, 7])
def test_discounts(depth):
    assert arrays.ranks(depth).tolist() == list(range(1, depth + 1))
    assert arrays.log_discount(depth) == pytest.approx(
        [1 / math.log2(i + 1) for i in range(1, depth + 1)])
    assert arrays.discount("geometric", depth, 0.8) == pytest.approx(
        [0.8 ** (i - 1) for i in range(1, depth + 1)])


@pytest.mark.parametrize("depth", [0, 1, 7])
def test_discounts_by_name(depth):
    weights = {"log2": lambda i: 1 / math.log2(i + 1), "trec": lambda i: 1 / math.log2(max(i, 2)),
               "geometric": lambda i: 0.8 ** (i - 1), "mmr": lambda i: 1 / i, "none": lambda i: 1.0}
    for name, weight in weights.items():
        found = arrays.discount(name, depth, 0.8)
        assert found == pytest.approx([weight(i) for i in range(1, depth + 1)])
        with pytest.raises(ValueError, match="no discount is named"):
            arrays.discount(name.upper(), depth)


@each("name", ["log2", "trec", "geometric"])
@each("power", [1, 2])
@each("depth", [1, 2, 9, 1_000_000])
def test_sums_of_discounts(name, power, depth):
    expected = (arrays.discount(name, depth, 0.8) ** power).sum()
    found = arrays.sum_of_discounts(name, depth, 0.8, power)
    assert found == pytest.approx(expected, rel=1e-12)


def test_gains_by_name():
    relevance = [-2, 0, 1, 2, 3]
    for rel, least in ((2, 2), (1, 1), (0, 1), (-5, 1)):
        relevant = [r if r >= least else 0 for r in relevance]
        expected = {"binary": [r > 0 for r in relevant], "linear": relevant,
                    "exp": [2 ** r - 1 for r in relevant]}
        for name, gains in expected.items():
            assert arrays.gain(name, relevance, rel).tolist() == gains
    with pytest.raises(ValueError, match="no gains are named 'log'"):
        arrays.gain("log", relevance, 1)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5))
def test_ranks_within_a_list(lengths):
    assert [int(row.sum()) for row in arrays.within(9, np.array(lengths))] == lengths
