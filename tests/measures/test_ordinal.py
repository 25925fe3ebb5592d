"""The divergences of ordered labels, against their definitions in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pt_fairness.measures import ordinal


def test_the_order_of_labels():
    assert ordinal.places(["10", "2", "−"], "2,10,−", None) == [1, 0, 2]
    assert ordinal.places(["a", "b"], "b,c,a", ["a", "b"]) == [1, 0]
    assert ordinal.places(["a", "b"], None, ["b", "a"]) == [1, 0]
    assert ordinal.places(["-1", "10", "2.5"], None, None) == [0, 2, 1]
    for label in ("mid", "nan", "inf"):
        with pytest.raises(ValueError, match="needs the order of the labels"):
            ordinal.places(["1", label], None, None)
    with pytest.raises(ValueError, match="the order 'a,b' lacks the labels 'c'"):
        ordinal.places(["a", "b", "c"], "a,b", None)


def plain_nmd(p: list[float], q: list[float]) -> float:
    return sum(abs(sum(p[:i + 1]) - sum(q[:i + 1])) for i in range(len(p))) / (len(p) - 1)


def plain_rnod(p: list[float], q: list[float]) -> float:
    held = [i for i, share in enumerate(q) if share > 0]
    distances = [sum(abs(i - j) * (p[j] - q[j]) ** 2 for j in range(len(p))) for i in held]
    return math.sqrt(sum(distances) / len(held) / (len(p) - 1))


@pytest.mark.parametrize("labels", [2, 3, 5])
def test_divergences_against_their_definitions(labels):
    rng = np.random.default_rng(labels)
    p, q = rng.dirichlet([0.5] * labels, (2, 30))
    q[::3, 0] = 0
    q /= q.sum(axis=1, keepdims=True)
    for function, plain in ((ordinal.nmd, plain_nmd), (ordinal.rnod, plain_rnod)):
        wanted = [plain(*row) for row in zip(p.tolist(), q.tolist(), strict=True)]
        assert function(p, q).tolist() == pytest.approx(wanted)


def test_both_ends_of_the_order_are_furthest_apart():
    low, mid, high = np.eye(3)
    assert ordinal.nmd(low, high) == 1.0 and ordinal.nmd(low, mid) == 0.5
    assert ordinal.nmd(low, low) == ordinal.rnod(low, low) == 0.0
    assert ordinal.rnod(low, high) > ordinal.rnod(low, mid)


def test_one_label_has_no_divergence():
    one = np.ones((2, 1))
    assert ordinal.nmd(one, one).tolist() == ordinal.rnod(one, one).tolist() == [0.0, 0.0]
