"""The orders of xQuAD and PM-2 against their sums, term by term."""

from __future__ import annotations

import numpy as np
import pytest

from pt_fairness.rerank.deterministic import pm2_order, xquad_order


def inputs(seed: int):
    rng = np.random.default_rng(seed)
    n, groups = 9, 3
    relevance = np.sort(rng.random(n))[::-1]
    shares = np.zeros((n, groups))
    shares[np.arange(n), rng.integers(0, groups, n)] = 1.0
    return relevance, shares * relevance[:, None], shares, rng.dirichlet(np.ones(groups))


@pytest.mark.parametrize("lam", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_xquad_takes_the_largest_sum_at_each_rank(seed, lam):
    relevance, of_group, _, target = inputs(seed)
    found: list[int] = []
    for _ in range(6):
        values = [
            -1.0 if i in found else (1 - lam) * relevance[i] + lam * sum(
                target[g] * of_group[i, g] * np.prod([1 - of_group[j, g] for j in found])
                for g in range(3)) for i in range(len(relevance))]
        found.append(int(np.argmax(np.round(values, 12))))
    assert xquad_order(relevance, of_group, target, lam, 6).tolist() == found


def test_xquad_without_groups_keeps_the_order():
    relevance, of_group, _, target = inputs(3)
    assert xquad_order(relevance, of_group, target, 0.0, 9).tolist() == list(range(9))


@pytest.mark.parametrize("seed", range(10))
def test_pm2_gives_seats_by_the_quotients_of_sainte_lague(seed):
    """With λ = 1 and groups that never run out, the group of each rank has the largest quotient."""
    _, _, _, target = inputs(seed)
    rng = np.random.default_rng(seed)
    shares = np.eye(3)[np.tile([0, 1, 2], 10)]
    of_group = shares * (0.5 + 0.5 * np.sort(rng.random(30))[::-1])[:, None]
    found = pm2_order(of_group, shares, target, 1.0, 10)
    seats = np.zeros(3)
    for rank, i in enumerate(found):
        group = int(np.argmax(shares[i]))
        quotients = target / (2 * seats + 1)
        assert quotients[group] == pytest.approx(quotients.max()), rank
        seats[group] += 1
    assert len(set(found.tolist())) == 10
