"""RepBias, Skew, MinSkew and MaxSkew."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ir_measures
import pandas as pd
import pytest

from pt_fairness import MaxSkew, MinSkew, RepBias, Skew, groups


def test_the_worked_topic_by_hand(values, worked):
    # Condensed: CON, PRO, PRO. Relevant: one CON, two PRO.
    expected = {
        Skew(group="PRO") @ 3: math.log(4 / 3), Skew(group="CON") @ 3: math.log(2 / 3),
        Skew(group="PRO") @ 2: 0.0, Skew(group="PRO") @ 1: math.log(0.001 / 0.5),
        Skew(group="CON") @ 1: math.log(2), MinSkew @ 3: math.log(2 / 3),
        MaxSkew @ 3: math.log(4 / 3), MinSkew @ 1: math.log(0.002), MaxSkew @ 1: math.log(2),
        Skew(group="PRO", target="qrels"): 0.0, MinSkew(target="qrels") @ 2: math.log(3 / 4),
        MaxSkew(target="qrels") @ 2: math.log(3 / 2),
        Skew(group="CON", target={"PRO": 1.0}): math.log(1 / 3 / 0.001),
        MaxSkew(target={"PRO": 1.0}): math.log(1 / 3 / 0.001),
        Skew(group="other", target={"PRO": 0.5, "other": 0.5}): math.log(0.001 / 0.5),
        RepBias(group="CON") @ 1: 1.0, RepBias(group="CON") @ 2: 1 / 2 - 1 / 2,
        RepBias(group="CON") @ 3: 0.0, RepBias(group="PRO"): 0.0,
        RepBias(group="CON", target={"PRO": 1.0}): 1 / 3,
        RepBias(group="PRO", target={"CON": 1.0}) @ 2: 1 / 2}
    found = values(expected, worked.qrels_frame, worked.run_frame)
    assert {str(m): found[m, "1"] for m in expected} == pytest.approx(
        {str(m): v for m, v in expected.items()}, abs=1e-12)


GENDERS = groups.from_pattern("^(female|male)", ["female", "male"])


def of_counts(
    females: int, n: int, population: tuple[int, int], rest: tuple[int, int]
) -> tuple[list[Any], list[Any]]:
    """The qrels of a population (females, all), and a run of n documents, so many of them female,
    and the rest.
    """
    qrels = [
        ir_measures.Qrel("q", f"female{i}" if i < population[0] else f"male{i}", 1)
        for i in range(population[1])]
    order = ["female"] * females + ["male"] * (n - females)
    order = order[::2] + order[1::2] + ["female"] * rest[0] + ["male"] * (rest[1] - rest[0])
    return qrels, [
        ir_measures.ScoredDoc("q", f"{gender}{i}", -float(i)) for i, gender in enumerate(order)]


@pytest.mark.parametrize("target", ["qrels", "uniform", {"female": 0.5, "male": 0.5}], ids=str)
def test_five_and_six_of_eleven_are_both_unbiased(target):
    measure = RepBias(group="female", groups=GENDERS, target=target) @ 11
    for females, bias in [(3, -2), (4, -1), (5, 0), (6, 0), (7, 1), (11, 5), (0, -5)]:
        found = ir_measures.calc_aggregate([measure], *of_counts(females, 11, (7, 14), (0, 0)))
        assert found[measure] == pytest.approx(bias / 11, abs=1e-12)


def nearest(expected: Fraction, n: int, count: int) -> int:
    """Of 0, …, n the whole number nearest to what is expected; of two, the one nearer to the count.
    """
    return min(range(n + 1), key=lambda x: (abs(x - expected), abs(x - count)))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
def test_rounding_by_brute_force(n):
    # A topic for every share that is a multiple of 1/2n, so that halves occur, and of 1/7; a run
    # for every count.
    shares = [(plus, total) for total in (2 * n, 7) for plus in range(total + 1)]
    qrels = pd.DataFrame(
        [
            (str(t), f"female{i}" if i < plus else f"male{i}", 1)
            for t, (plus, total) in enumerate(shares) for i in range(total)],
        columns=["query_id", "doc_id", "relevance"],
    )
    measure = RepBias(group="female", groups=GENDERS) @ n
    evaluator = ir_measures.evaluator([measure], qrels)
    for count in range(n + 1):
        first = [f"female{i}" if i < count else f"male{i}" for i in range(n)]
        run = pd.DataFrame(
            {
                "query_id": [str(t) for t in range(len(shares)) for _ in first],
                "doc_id": first * len(shares), "score": 1.0}
        )
        found = {metric.query_id: metric.value for metric in evaluator.iter_calc(run)}
        for t, share in enumerate(shares):
            expected = Fraction(*share) * n
            best = nearest(expected, n, count)
            assert found[str(t)] == pytest.approx((count - best) / n, abs=1e-12), (n, share, count)


@pytest.mark.parametrize("share", [0.1 + 0.2, 0.3, 0.35, 0.45, 0.15, 0.55, 0.65, 0.85, 0.95, 0.05])
def test_a_half_is_a_half_whatever_its_last_bit(values, share):
    # 0.35 · 10 is 3.5, and 0.55 · 10 or 0.15 · 10 may be a last bit off.
    target = {"female": share, "male": 1 - share}
    measure = RepBias(group="female", groups=GENDERS, target=target) @ 10
    lists = [of_counts(count, 10, (1, 2), (0, 0)) for count in range(11)]
    rows = [[row._replace(query_id=str(count)) for count, pair in enumerate(lists)
             for row in pair[side]] for side in (0, 1)]
    found = values([measure], *rows)
    expected = Fraction(round(share * 100), 10)
    for count in range(11):
        best = nearest(expected, 10, count)
        assert found[measure, str(count)] == pytest.approx((count - best) / 10, abs=1e-12)
