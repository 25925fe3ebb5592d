"""Array functions against plain Python."""

from __future__ import annotations

import numpy as np

from pt_fairness.core import arrays


def test_ratio_is_zero_over_zero():
    assert arrays.ratio([1, 0, 3, 0], [2, 5, 0, 0]).tolist() == [0.5, 0, 0, 0]
    assert arrays.ratio(np.ones((2, 1)), [1, 2, 0]).tolist() == [[1, 0.5, 0], [1, 0.5, 0]]


def test_unique_rows():
    a, b = np.array([1, 2, 1, 1]), np.array([0.5, 0.5, 0.5, 0.25])
    (x, y), where = arrays.unique_rows(a, b)
    assert len(x) == 3
    assert x[where].tolist() == a.tolist() and y[where].tolist() == b.tolist()
