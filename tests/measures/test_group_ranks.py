"""ARP, PEER, FAIR and PreF, and the m-tables."""

import itertools
import random

import ir_measures
import numpy as np
import pytest
import scipy.stats
from measure_cases import of_lists
from slow_versions import statistics

from pt_fairness import FAIR, PEER
from pt_fairness.measures.statistical_tests import levels, m_table


@pytest.mark.parametrize("languages", [2, 3, 5])
def test_against_scipy(values, languages):
    """Where all ranks hold relevant documents, it is the Kruskal–Wallis test."""
    pick = random.Random(languages)
    lists = [[pick.choice("abcde"[:languages]) for _ in range(pick.randint(8, 30))]
             for _ in range(20)]
    # Documents after the cutoff share the mean of their ranks, as in the test.
    measures = {cut: PEER @ cut for cut in (1000, 6)}
    found = values(measures.values(), *of_lists(lists))
    for (cut, measure), (t, own) in itertools.product(measures.items(), enumerate(lists)):
        ranks = [min(i, cut) for i in range(len(own))]
        samples = [[rank for rank, label in zip(ranks, own, strict=True) if label == one]
                   for one in sorted({*own})]
        assert found[measure, str(t)] == pytest.approx(scipy.stats.kruskal(*samples).pvalue)


def one(measure, values, qrels, run):
    return values([measure], qrels, run)[measure, "1"]


def of_flags(lists: np.ndarray) -> tuple[list[ir_measures.Qrel], list[ir_measures.ScoredDoc]]:
    """Topic t has the documents of ``lists[t]``, which says who is protected."""
    return of_lists(["".join(one) for one in np.where(lists, "B", "A")])


@pytest.mark.parametrize("p", [0.2, 0.5, 0.7])
def test_a_list_passes_if_it_meets_the_table(values, p):
    """Every list of eight documents."""
    lists = np.array(list(itertools.product([0, 1], repeat=8)))
    measure = FAIR(protected="B", p=p)
    found = values([measure], *of_flags(lists))
    meets = (lists.cumsum(axis=1) >= m_table(8, p)).all(axis=1)
    assert [found[measure, str(t)] for t in range(len(lists))] == meets.tolist()
    # A fair list is rejected with a probability of at most alpha.
    probability = np.where(lists, p, 1 - p).prod(axis=1)
    assert probability[~meets].sum() <= 0.1


SHARES = [0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0]
ALPHAS = [0.01, 0.1, 0.3]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("k", [1, 2, 7, 20, 33])
def test_levels_and_tables_against_the_slow_version(k, alpha):
    found = levels(np.full(len(SHARES), k), np.array(SHARES), alpha)
    expected = [statistics.adjusted_level(alpha, p, k) for p in SHARES]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)
    for p, level in zip(SHARES, expected, strict=True):
        assert m_table(k, p, alpha).tolist() == statistics.m_table(level, p, k)
        assert m_table(k, p, alpha, adjust=False).tolist() == statistics.m_table(alpha, p, k)


def test_lists_of_different_lengths_in_one_call():
    # Shares of no other test, whose levels are kept.
    k, p = np.array([3, 40, 3, 1]), np.array([0.52, 0.31, 0.52, 0.87])
    expected = [statistics.adjusted_level(0.1, *one) for one in zip(p, k, strict=True)]
    assert levels(k, p, 0.1) == pytest.approx(expected, rel=1e-9, abs=1e-15)
