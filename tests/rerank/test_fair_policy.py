"""The fairest policies, against the linear programme with a variable for each cell."""

from __future__ import annotations

import numpy as np
import pytest
from slow_versions import fair_policy as slow

from pt_fairness.core import arrays
from pt_fairness.rerank.policies import fair_policy


def expected(policy, r, shares, weights):
    """The expected utility, and the expected exposure of each group."""
    rankings, probabilities = policy
    return (
        float(probabilities @ (r[rankings] @ weights)),
        np.einsum("png,n,p->g", shares[rankings], weights, probabilities))


def weights_of(n, k, name="log2"):
    weights = arrays.discount(name, n)
    weights[k:] = 0.0
    return weights


def random_case(rng, soft):
    n, groups = int(rng.integers(2, 8)), int(rng.integers(2, 5))
    r = np.sort(rng.integers(0, 9, n))[::-1] / 8
    member = np.eye(groups)[rng.integers(0, groups, n)]
    if soft:
        member = np.maximum(member, rng.integers(0, 2, (n, groups)))
    shares = member / member.sum(axis=1, keepdims=True)
    shares = shares[:, shares.any(axis=0)]
    target = rng.integers(1, 5, shares.shape[1])
    k = int(rng.integers(1, n + 1))
    name = str(rng.choice(["log2", "trec", "geometric"]))
    return r, shares, target / target.sum(), weights_of(n, k, name)


class TestFairPolicy:
    @pytest.mark.parametrize("soft", [False, True])
    def test_slow_version_and_properties(self, soft):
        rng = np.random.default_rng(0)
        reached = 0
        for _ in range(50):
            r, shares, target, weights = random_case(rng, soft)
            rankings, probabilities = fair_policy(r, shares, target, weights)
            gap, utility = slow.optimum(
                r.tolist(), shares.tolist(), target.tolist(), weights.tolist())
            found, exposures = expected((rankings, probabilities), r, shares, weights)
            assert abs(exposures - target * weights.sum()).sum() == pytest.approx(gap, abs=1e-7)
            assert found == pytest.approx(utility, abs=1e-6)
            reached += gap < 1e-7
            n, k = len(r), np.count_nonzero(weights)
            assert (np.sort(rankings, axis=1) == np.arange(n)).all()
            assert (np.diff(rankings[:, k:], axis=1) > 0).all()
            assert len(np.unique(rankings, axis=0)) == len(rankings) <= shares.shape[1]
            assert probabilities.sum() == pytest.approx(1) and (probabilities > 0).all()
            assert (np.diff(probabilities) <= 1e-9).all() and found <= r @ weights + 1e-9
        assert 10 < reached < 50

    def test_the_job_seekers_of_the_paper(self):
        # Figure 3: DCG with natural logarithms is 3.8193 in the unfair order. Its mix of two
        # orders, with 3.8132 and 3.7929, is another optimum.
        u = np.array([0.82, 0.81, 0.80, 0.79, 0.78, 0.77])
        shares = np.eye(2)[[0, 0, 0, 1, 1, 1]]
        weights = weights_of(6, 6) / np.log(2)
        policy = fair_policy(u, shares, np.array([0.5, 0.5]), weights)
        utility, exposures = expected(policy, u, shares, weights)
        assert u @ weights == pytest.approx(3.8193, abs=1e-4)
        assert utility == pytest.approx((3.8132 + 3.7929) / 2, abs=1e-4)
        assert exposures == pytest.approx([weights.sum() / 2] * 2)

    def test_equal_scores(self):
        # Only the two orders with one group first and last can be told apart by a bonus.
        shares = np.eye(2)[[0, 1, 0, 1]]
        rankings, probabilities = fair_policy(
            np.ones(4), shares, np.array([0.5, 0.5]), weights_of(4, 4))
        assert rankings.tolist() == [[0, 2, 1, 3], [1, 3, 0, 2]]
        assert probabilities == pytest.approx([0.5, 0.5])

    @pytest.mark.parametrize("shares", [np.eye(2)[[0, 1, 1]], np.eye(3)])
    def test_a_share_that_cannot_be_reached(self, shares):
        target = np.array([1.0, 0.0, 0.0][: shares.shape[1]])
        rankings, probabilities = fair_policy(
            np.array([1.0, 0.5, 0.0]), shares, target, weights_of(3, 3))
        assert rankings[0].tolist() == [0, 1, 2] and probabilities.tolist() == [1.0]

    def test_groups_of_no_share_in_the_target(self):
        # The least difference takes rankings that the largest utility does not.
        shares = np.array([[0, 0, 0, 0, 1], [0, 0, 0, 1, 0], [0, 0, 0.5, 0, 0.5],
                           [0.5, 0.5, 0, 0, 0], [0.5, 0, 0, 0, 0.5]])
        arguments = np.linspace(1, 0, 5), shares, np.array([0.5, 0.5, 0, 0, 0]), weights_of(5, 2)
        policy = fair_policy(*arguments)
        gap, utility = slow.optimum(*(one.tolist() for one in arguments))
        found, exposures = expected(policy, arguments[0], shares, arguments[3])
        assert abs(exposures - arguments[2] * arguments[3].sum()).sum() == pytest.approx(gap)
        assert found == pytest.approx(utility)
