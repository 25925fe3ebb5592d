"""The population of a ranking, and the protected side."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness import RepBias, targets
from pt_fairness.rankings.protected import distribution, of_ranked, rarest, side_of

#: Documents by label set: "A", "B", "A and B", "C".
COUNTS = np.array([[3, 1, 1, 0], [1, 1, 0, 0], [4, 0, 0, 0], [0, 0, 0, 0]])
SHARE = np.array([[1.0, 0, 0], [0, 1.0, 0], [0.75, 0.25, 0], [0, 0, 1.0]])


class _Counted:
    """What the functions read of rankings."""

    labels = ["A", "B", "C"]
    share, member = SHARE, SHARE > 0
    in_run = COUNTS

    def __init__(self, weighted: bool) -> None:
        self.weighted = np.full(4, weighted)
        self.degree = SHARE if weighted else (SHARE > 0).astype(float)

    def __len__(self) -> int:
        return len(COUNTS)

    def relevant(self, rel: int | None) -> Any:
        return COUNTS[::-1]


@each("most", [False, True])
def test_the_rarest_group_is_the_first_of_the_smallest(most):
    sizes = np.array(list(itertools.product([0.0, 1.0, 2.0], repeat=3)))
    chosen, known = rarest(sizes, most)
    for row, mask, two in zip(sizes.tolist(), chosen, known, strict=True):
        present = [size for size in row if size > 0]
        wanted = (max if most else min)(present, default=0.0)
        assert mask.tolist() == [i == row.index(wanted) for i in range(3)]
        assert two == (len(present) > 1)


def test_a_rarest_group_of_equal_sums_of_weights_and_of_no_labels():
    assert rarest(np.array([[0.1 + 0.2, 0.3]]))[0].tolist() == [[True, False]]
    chosen, known = rarest(np.zeros((2, 0)))
    assert chosen.shape == (2, 0) and known.tolist() == [False, False]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("wanted", "labels"), [
    ("minority", ["B", "A", "A", "A"]), ("majority", ["A", "A", "A", "A"]), ("B", ["B"] * 4),
    ("C,A", ["AC"] * 4), ("nothing", [""] * 4)])
def test_the_protected_groups_of_each_list(weighted, wanted, labels):
    side = side_of(_Counted(weighted), wanted, None, None)
    found, found_sets, known = side.labels, side.sets, side.present
    assert [[*one] for one in labels] == [np.array(_Counted.labels)[row].tolist()
                                          for row in found]
    for row, sets in zip(labels, found_sets, strict=True):
        shares = [sum(share for name, share in zip("ABC", one, strict=True) if name in row)
                  for one in SHARE.tolist()]
        assert sets.tolist() == (shares if weighted else [share > 0 for share in shares])
    two = [True, True, False, False]
    assert known.tolist() == (two if wanted in ("minority", "majority") else [True] * 4)


def test_the_group_of_a_measure_of_one_group_is_protected():
    found = RepBias(group="B").side(_Counted(False))
    assert found.labels.tolist() == [[False, True, False]] * 4
    # A label is not split at commas.
    assert not RepBias(group="A,B").side(_Counted(False)).labels.any()


def test_documents_past_the_end_of_a_list_are_not_protected():
    sets = np.array([[0.5, 1.0], [1.0, 0.0]])
    codes = np.array([[1, 0, -1], [1, -1, -1]])
    assert of_ranked(sets, codes).tolist() == [[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    assert of_ranked(np.zeros((2, 0)), np.zeros((2, 0), int)).shape == (2, 0)


def test_the_population_is_that_of_the_target():
    of_run = side_of(_Counted(False), "A", "run", 1)
    of_qrels = side_of(_Counted(False), "A", "qrels", 1)
    assert of_run.plus.tolist() == [4, 1, 4, 0] and of_run.total.tolist() == [5, 2, 4, 0]
    assert of_run.defined.all()  # the population may be empty
    assert of_qrels.plus.tolist() == [0, 4, 1, 4] and of_qrels.total.tolist() == [0, 4, 2, 5]
    assert of_qrels.defined.tolist() == [False, True, True, True]
    explicit = side_of(_Counted(False), "A,B", {"A": 0.5, "C": 0.5}, 1)
    assert explicit.plus.tolist() == [0.5] * 4 and explicit.total.tolist() == [1.0] * 4
    none = side_of(_Counted(False), "A", None, 1)
    assert none.total.tolist() == none.share.tolist() == [0.0] * 4 and not none.defined.any()


#: The groups of each label set: "A", "B", "A and B".
SHARES = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])


class _Rankings:
    """What the functions read of a view: three rankings and their documents by label set."""

    labels, qids, share = ["A", "B"], ["1", "2", "3"], SHARES
    in_run = np.array([[1, 1, 2], [3, 0, 0], [0, 0, 0]])

    def __len__(self) -> int:
        return 3

    def relevant(self, rel: int | None) -> Any:
        judged = np.array([[4, 0, 0], [1, 3, 0], [0, 0, 0]])
        return judged if rel is None else judged // 2

    def pooled(self, rel: int | None) -> Any:
        return self, self.relevant(rel).sum(axis=0)


@pytest.mark.parametrize(("target", "rel", "wanted"), [
    ("uniform", 1, [[0.5, 0.5]] * 3),
    ({"B": 0.25, "A": 0.75}, 1, [[0.75, 0.25]] * 3),
    ({"B": 1.0}, 1, [[0.0, 1.0]] * 3),
    ("run", 1, [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]]),
    ("qrels", 1, [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
    ("qrels", None, [[1.0, 0.0], [0.25, 0.75], [0.0, 0.0]]),
    ("collection", None, [[5 / 8, 3 / 8]] * 3)])
def test_the_shares_of_each_target(target, rel, wanted):
    assert distribution(_Rankings(), target, rel).tolist() == pytest.approx(np.array(wanted))


@pytest.mark.usefixtures("forget_targets")
def test_a_registered_target_is_mixed_with_the_relevant_documents():
    shares = pd.DataFrame({"qid": ["1", "1", "2", "2", "3", "3"], "group": ["A", "B"] * 3,
                           "share": [0.2, 0.8, 0.5, 0.5, 1.0, 0.0]})
    targets.register("outside", shares)
    targets.register("mixed", shares, of_qrels=0.5)
    assert distribution(_Rankings(), "outside", 1).tolist() == [[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]
    # A topic without relevant documents of a known group has no mixed target.
    assert distribution(_Rankings(), "mixed", 1).tolist() == pytest.approx(
        np.array([[0.6, 0.4], [0.25, 0.75], [0.0, 0.0]]))
