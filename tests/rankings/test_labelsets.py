"""Codes of label sets, against dictionaries."""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest

from pt_fairness.rankings.labelsets import LabelSets

LABELS = ["A", "B", "C", "D"]


def sets_of(table: LabelSets, codes: np.ndarray) -> list[dict[str, float]]:
    """The labels and shares of each code, which is −1 for none."""
    found: list[dict[str, float]] = [{} for _ in codes]
    known = np.flatnonzero(codes >= 0)
    for row, label, share in zip(*table.entries(codes[known]), strict=True):
        found[known[row]][table.labels[label]] = float(share)
    return found


def annotations(seed: int, weighted: bool):
    """Items, labels (−1 is none of the table) and weights; and the shares they stand for."""
    pick = random.Random(seed)
    rows = [(pick.randrange(12), pick.randrange(-1, 4), pick.choice([0.25, 0.5, 2.0]))
            for _ in range(pick.randrange(30))]
    wanted: list[dict[str, float]] = [{} for _ in range(12)]
    for item, label, weight in rows:
        if label >= 0:
            # Equal shares count a label once, weights of one label add up.
            old = wanted[item].get(LABELS[label], 0.0)
            wanted[item][LABELS[label]] = old + weight if weighted else 1.0
    wanted = [{label: weight / sum(one.values()) for label, weight in one.items()}
              for one in wanted]
    item, label, weight = (np.array([row[i] for row in rows]) for i in range(3))
    return item.astype(np.int64), label.astype(np.int64), weight if weighted else None, wanted


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_codes_stand_for_the_labels_and_shares_of_each_item(seed, weighted):
    table = LabelSets(LABELS)
    for part in range(3):  # a table grows from call to call
        item, label, weight, wanted = annotations(100 * seed + part, weighted)
        codes = table.code(item, label, 12, weight)
        for found, right in zip(sets_of(table, codes), wanted, strict=True):
            assert found == pytest.approx(right)
        # Equal sets of one call have one code, and a single label its own.
        for code, right in zip(codes, wanted, strict=True):
            if len(right) == 1:
                assert table.labels[code] == next(iter(right))
        several = [code for code, right in zip(codes, wanted, strict=True) if len(right) > 1]
        distinct = {tuple(sorted(right.items())) for right in wanted if len(right) > 1}
        assert len(set(several)) == len(distinct)
        assert table.weighted[several].tolist() == [weighted] * len(several)


@pytest.mark.parametrize("seed", range(10))
def test_shares_of_some_labels_are_normalised(seed):
    table = LabelSets(LABELS)
    item, label, weight, wanted = annotations(seed, weighted=True)
    codes = table.code(item, label, 12, weight)
    chosen = ["D", "B", "of another table"]
    for row, right in zip(table.shares(codes, chosen), wanted, strict=True):
        some = [right.get(name, 0.0) for name in chosen]
        assert row.tolist() == pytest.approx([x / (sum(some) or 1.0) for x in some])
    for some in (["B"], ["D", "B"]):
        has = table.any_of(some)
        assert not has[-1] and len(has) == len(table) + 1
        assert has[codes].tolist() == [bool({*some} & set(right)) for right in wanted]


def test_weights_of_a_label_add_up():
    table = LabelSets(["a", "b"])
    codes = table.code(np.array([0, 0, 1, 2, 2]), np.array([1, 0, 0, 0, 0]), 3,
                       np.array([3.0, 1.0, 0.2, 1.0, 1.0]))
    assert sets_of(table, codes) == [{"a": 0.25, "b": 0.75}, {"a": 1}, {"a": 1}]


def test_a_copy_is_extended_independently():
    table = LabelSets(LABELS)
    another = copy.copy(table)
    another.code(np.array([0, 0]), np.array([0, 1]), 1)
    assert (len(table), len(another)) == (4, 5)


def test_nothing_annotated():
    assert LabelSets([]).any_of(LABELS).tolist() == [False]
    table = LabelSets(LABELS)
    nothing = np.zeros(0, np.int64)
    assert table.code(nothing, nothing, 3).tolist() == [-1, -1, -1]
    assert table.shares(np.array([-1, -1]), LABELS).tolist() == [[0] * 4] * 2
