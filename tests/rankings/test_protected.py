"""The population of a ranking, and the protected side."""

from __future__ import annotations

import itertools

import numpy as np
from one_test import each

from pt_fairness.rankings.protected import rarest


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
