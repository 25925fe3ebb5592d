"""IAA: its summand, its bounds, and its value by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pt_fairness import IAA
from pt_fairness.measures.inequity import inequity


def test_the_summand_is_the_absolute_difference():
    assert inequity(np.array([0.5, 0.2]), np.array([0.2, 0.5])).tolist() == pytest.approx([0.3] * 2)


def topic(relevance: dict[str, int], ranked: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    qrels = pd.DataFrame({"query_id": "1", "doc_id": [*relevance], "iteration": "A",
                          "relevance": [*relevance.values()]})
    run = pd.DataFrame({"query_id": "1", "doc_id": list(ranked),
                        "score": range(len(ranked), 0, -1)})
    return qrels, run


def test_two_documents_by_hand(values):
    """Attention is 1 and 1 / log2 3, merit 3 and 1."""
    second = 1 / math.log2(3)
    qrels, run = topic({"a": 1, "b": 3}, "ab")
    found = values([IAA, IAA(norm="none"), IAA @ 1], qrels, run)
    share = 1 / (1 + second)
    assert found[IAA, "1"] == pytest.approx((abs(share - 0.25) + abs(1 - share - 0.75)) / 2)
    assert found[IAA(norm="none"), "1"] == pytest.approx(abs(1 - 1 / 3) + abs(second - 1))
    assert found[IAA @ 1, "1"] == pytest.approx(0.75)


def test_attention_in_proportion_to_merit_is_fair(values):
    """Two rankings give both documents the same attention."""
    qrels, run = topic({"a": 2, "b": 2}, "ab")
    both = pd.concat([run.assign(iteration=0),
                      run.assign(iteration=1, score=run["score"].to_numpy()[::-1])])
    assert values([IAA], qrels, both)[IAA, "1"] == pytest.approx(0.0, abs=1e-12)


def test_attention_to_documents_without_merit_alone_is_the_worst(values):
    qrels, run = topic({"a": 0, "b": 1}, "a")
    assert values([IAA], qrels, run)[IAA, "1"] == pytest.approx(1.0)
