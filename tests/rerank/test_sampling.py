"""Random numbers of policies, and the orders that they draw."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_versions import sampling as slow

from pt_fairness.core.arrays import uniforms
from pt_fairness.rerank.policies import plackett_luce_order


class TestUniforms:
    @given(st.integers(-(2**70), 2**70), st.text(max_size=5), st.integers(0, 2**40),
           st.integers(0, 30))
    def test_philox(self, seed, qid, sample, size):
        qid = qid.encode("utf-8", "replace").decode()
        assert uniforms(seed, qid, sample, size).tolist() == slow.uniforms(seed, qid, sample, size)

    def test_worked_values(self):
        assert uniforms(0, "1", 0, 3).round(6).tolist() == [0.627144, 0.860901, 0.656796]

scores = st.lists(st.integers(0, 8), min_size=1, max_size=12).map(
    lambda some: np.sort(some)[::-1] / 8)


class TestPlackettLuce:
    @given(scores, st.sampled_from([0.01, 0.1, 1.0, 100.0]), st.integers(0, 1000))
    def test_slow_version(self, r, temperature, sample):
        u = uniforms(0, "q", sample, len(r))
        expected = slow.plackett_luce(r.tolist(), temperature, u.tolist())
        assert plackett_luce_order(r, temperature, u).tolist() == expected

    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("temperature", [0.1, 1e-320, math.inf])
    def test_extremes_are_in_order(self, temperature):
        u = np.array([0.5, 1.0, 2.0**-54])
        order = plackett_luce_order(np.array([1.0, 0.5, 0.0]), temperature, u)
        assert sorted(order.tolist()) == [0, 1, 2]
