"""Target distributions over the groups, against worked shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pt_fairness import targets
from pt_fairness.rankings.populations import distribution, population, shares_of

#: The groups of each label set: "A", "B", "A and B".
SHARE = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])


class _View:
    """What the functions read of a view: three lists and their documents by label set."""

    labels, qids, share = ["A", "B"], ["1", "2", "3"], SHARE
    in_run = np.array([[1, 1, 2], [3, 0, 0], [0, 0, 0]])

    def __len__(self) -> int:
        return 3

    def relevant(self, rel: int | None) -> Any:
        judged = np.array([[4, 0, 0], [1, 3, 0], [0, 0, 0]])
        return judged if rel is None else judged // 2

    def pooled(self, rel: int | None) -> Any:
        return self.relevant(rel).sum(axis=0) @ SHARE


@pytest.mark.parametrize(("target", "rel", "wanted"), [
    ("uniform", 1, [[0.5, 0.5]] * 3),
    ({"B": 0.25, "A": 0.75}, 1, [[0.75, 0.25]] * 3),
    ({"B": 1.0}, 1, [[0.0, 1.0]] * 3),
    ("run", 1, [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]]),
    ("qrels", 1, [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
    ("qrels", None, [[1.0, 0.0], [0.25, 0.75], [0.0, 0.0]]),
    ("collection", None, [[5 / 8, 3 / 8]] * 3)])
def test_the_shares_of_each_target(target, rel, wanted):
    assert distribution(_View(), target, rel).tolist() == pytest.approx(np.array(wanted))


def test_counts_of_each_population():
    assert population(_View(), "run", 1).tolist() == [[2, 2], [3, 0], [0, 0]]
    assert population(_View(), "qrels", None).tolist() == [[4, 0], [1, 3], [0, 0]]
    assert population(_View(), "collection", None).tolist() == [[5, 3]]


@pytest.mark.usefixtures("forget_targets")
def test_a_registered_target_is_mixed_with_the_relevant_documents():
    shares = pd.DataFrame({"qid": ["1", "1", "2", "2", "3", "3"], "group": ["A", "B"] * 3,
                           "share": [0.2, 0.8, 0.5, 0.5, 1.0, 0.0]})
    targets.register("outside", shares)
    targets.register("mixed", shares, of_qrels=0.5)
    assert distribution(_View(), "outside", 1).tolist() == [[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]
    # A topic without relevant documents of a known group has no mixed target.
    assert distribution(_View(), "mixed", 1).tolist() == pytest.approx(
        np.array([[0.6, 0.4], [0.25, 0.75], [0.0, 0.0]]))


def test_shares_of_nothing_are_0():
    assert shares_of(np.array([[2.0, 6.0], [0.0, 0.0]])).tolist() == [[0.25, 0.75], [0.0, 0.0]]
