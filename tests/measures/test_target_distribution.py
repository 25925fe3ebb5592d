"""The common part of the measures that compare the groups with a target distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pt_fairness import AWRF, NDKL, DistFair, DistKL
from pt_fairness.measures.target_distribution import one_if_zero, or_uniform

QRELS = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 0, "B"), ("2", "a", 0, "A")],
                     columns=["query_id", "doc_id", "relevance", "iteration"])
RUN = pd.DataFrame([("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 1.0)],
                   columns=["query_id", "doc_id", "score"])


def test_rows_without_a_target_have_equal_shares():
    assert or_uniform(np.array([[0.2, 0.8], [0.0, 0.0]])).tolist() == [[0.2, 0.8], [0.5, 0.5]]


def test_the_worst_is_never_0():
    assert one_if_zero(np.array([0.0, 0.25, 2.0])).tolist() == [1.0, 0.25, 2.0]


@pytest.mark.parametrize("measure", [DistKL, DistFair, AWRF, NDKL], ids=str)
def test_a_topic_without_a_target_is_undefined(values, measure):
    """Topic 2 has no relevant document."""
    of_qrels, given = measure(target="qrels") @ 2, measure(target={"A": 0.75, "B": 0.25}) @ 2
    with pytest.warns(UserWarning, match=r"on 1 of 2 topics"):
        of_qrels.calc_aggregate(QRELS, RUN)
    found = values([of_qrels, given], QRELS, RUN)
    assert found[of_qrels, "2"] == 0.0 != found[given, "2"]


@pytest.mark.parametrize("measure", [DistKL, DistFair, AWRF, NDKL], ids=str)
def test_nothing_returned_is_not_fair(values, measure):
    score = measure(target="uniform") @ 2
    found = values([score], QRELS, RUN[RUN["query_id"] == "1"])
    fair = 1.0 if measure in (AWRF, DistFair) else 0.0
    assert abs(found[score, "2"] - fair) > 0.1
