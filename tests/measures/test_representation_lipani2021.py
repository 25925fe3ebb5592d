"""RepBias against the tables of Lipani et al. 2021, and their rounding against brute force."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ir_measures
import pandas as pd
import pytest

from pt_fairness import RepBias, groups

GENDERS = groups.from_pattern("^(female|male)", ["female", "male"])


def of_counts(
    females: int, n: int, population: tuple[int, int], rest: tuple[int, int]
) -> tuple[list[Any], list[Any]]:
    """The qrels of a population (females, all), and a run of n documents, so many of them female,
    and the rest.
    """
    qrels = [
        ir_measures.Qrel("q", f"female{i}" if i < population[0] else f"male{i}", 1)
        for i in range(population[1])
    ]
    order = ["female"] * females + ["male"] * (n - females)
    order = order[::2] + order[1::2] + ["female"] * rest[0] + ["male"] * (rest[1] - rest[0])
    return qrels, [
        ir_measures.ScoredDoc("q", f"{gender}{i}", -float(i)) for i, gender in enumerate(order)
    ]


#: The rows of tables 2 and 3: table, profession, model, target and bias, all of the share of women
#: in the first ten.
ROWS = [
    (2, "announcer", 0.0, 0.5, -0.5),
    (2, "long jumper", 0.0, 0.5, -0.5),
    (2, "high jumper", 0.0, 0.5, -0.5),
    (2, "science writer", 0.1, 0.6, -0.5),
    (2, "rugby sevens player", 0.0, 0.5, -0.5),
    (2, "cell biologist", 0.0, 0.5, -0.5),
    (2, "clinical psychologist", 0.0, 0.5, -0.5),
    (2, "piano teacher", 0.0, 0.5, -0.5),
    (2, "water polo player", 0.0, 0.4, -0.4),
    (2, "middle-distance runner", 0.0, 0.4, -0.4),
    (2, "botanical illustrator", 0.3, 0.7, -0.4),
    (2, "american football player", 0.0, 0.0, 0.0),
    (2, "historian", 0.1, 0.1, 0.0),
    (2, "songwriter", 0.2, 0.2, 0.0),
    (2, "illustrator", 0.3, 0.3, 0.0),
    (2, "choreographer", 0.4, 0.4, 0.0),
    (2, "badminton player", 0.5, 0.5, 0.0),
    (2, "artistic gymnast", 0.5, 0.5, 0.0),
    (2, "model", 0.8, 0.8, 0.0),
    (2, "flight attendant", 0.9, 0.9, 0.0),
    (2, "rhythmic gymnast", 1.0, 1.0, 0.0),
    (2, "glamour model", 1.0, 1.0, 0.0),
    (2, "archivist", 0.9, 0.1, 0.8),
    (2, "baker", 0.6, 0.1, 0.5),
    (2, "school teacher", 0.6, 0.2, 0.4),
    (2, "modern pentathlete", 0.5, 0.1, 0.4),
    (2, "church musician", 0.4, 0.0, 0.4),
    (2, "drama teacher", 0.7, 0.3, 0.4),
    (2, "television presenter", 0.7, 0.4, 0.3),
    (2, "scenographer", 0.5, 0.2, 0.3),
    (2, "track cyclist", 0.4, 0.1, 0.3),
    (2, "skeleton racer", 0.7, 0.4, 0.3),
    (2, "game author", 0.3, 0.0, 0.3),
    (3, "librarian", 0.2, 0.6, -0.4),
    (3, "draughts player", 0.0, 0.4, -0.4),
    (3, "long jumper", 0.0, 0.3, -0.3),
    (3, "handball player", 0.1, 0.4, -0.3),
    (3, "translator", 0.1, 0.4, -0.3),
    (3, "classical archaeologist", 0.0, 0.2, -0.2),
    (3, "high jumper", 0.0, 0.2, -0.2),
    (3, "talk show host", 0.0, 0.2, -0.2),
    (3, "sound artist", 0.0, 0.2, -0.2),
    (3, "executive", 0.0, 0.2, -0.2),
    (3, "science journalist", 0.1, 0.3, -0.2),
    (3, "officer of the french navy", 0.0, 0.0, 0.0),
    (3, "war photographer", 0.1, 0.1, 0.0),
    (3, "table tennis player", 0.2, 0.2, 0.0),
    (3, "fashion designer", 0.3, 0.3, 0.0),
    (3, "alpine skier", 0.4, 0.4, 0.0),
    (3, "vj", 0.5, 0.5, 0.0),
    (3, "sex educator", 0.6, 0.6, 0.0),
    (3, "beach volleyball player", 0.6, 0.6, 0.0),
    (3, "softball player", 0.8, 0.8, 0.0),
    (3, "domestic worker", 0.9, 0.9, 0.0),
    (3, "ballerina", 1.0, 1.0, 0.0),
    (3, "archivist", 0.9, 0.4, 0.5),
    (3, "scenographer", 0.5, 0.2, 0.3),
    (3, "video blogger", 0.7, 0.4, 0.3),
    (3, "drama teacher", 0.7, 0.4, 0.3),
    (3, "sailor", 0.2, 0.0, 0.2),
    (3, "lighting designer", 0.3, 0.1, 0.2),
    (3, "chemist", 0.3, 0.1, 0.2),
    (3, "fighter pilot", 0.2, 0.0, 0.2),
    (3, "musical theatre actor", 0.6, 0.4, 0.2),
    (3, "television presenter", 0.7, 0.5, 0.2),
    (3, "skeleton racer", 0.7, 0.5, 0.2),
]


def test_all_rows_of_the_tables_are_here():
    assert len(ROWS) == len(set(ROWS)) == 66
    assert all(round(model - target, 9) == bias for _, _, model, target, bias in ROWS)


@pytest.mark.parametrize("table, profession, model, target, bias", ROWS)
@pytest.mark.parametrize("off", [-4, 0, 4])
def test_the_rows_of_the_tables(table, profession, model, target, bias, off):
    # 100 people of the profession, so many women that a tenth of them is up to 0.4 off the printed
    # target.
    found = round(10 * model)
    women = min(max(round(100 * target) + off, found), 90 + found)
    assert abs(women / 10 - 10 * target) < 0.5
    # Table 2 compares with a knowledge base, table 3 with the full result list, of which the first
    # ten are a part.
    qrels, run = of_counts(found, 10, (women, 100), (women - found, 90) if table == 3 else (0, 0))
    measure = RepBias(group="female", target="qrels" if table == 2 else "run", groups=GENDERS) @ 10
    male, size = measure(group="male"), measure(abs=True)
    values = ir_measures.calc_aggregate([measure, male, size], qrels, run)
    assert values[measure] == pytest.approx(bias, abs=1e-9)
    assert values[male] == pytest.approx(-bias, abs=1e-9)
    assert values[size] == pytest.approx(abs(bias), abs=1e-9)


@pytest.mark.parametrize(
    "females, bias", [(3, -2), (4, -1), (5, 0), (6, 0), (7, 1), (11, 5), (0, -5)]
)
@pytest.mark.parametrize("target", ["qrels", "uniform", {"female": 0.5, "male": 0.5}], ids=str)
def test_five_and_six_of_eleven_are_both_unbiased(females, bias, target):
    qrels, run = of_counts(females, 11, (7, 14), (0, 0))
    measure = RepBias(group="female", groups=GENDERS, target=target) @ 11
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(
        bias / 11, abs=1e-12
    )


def nearest(expected: Fraction, n: int, count: int) -> int:
    """Of 0, …, n the whole number nearest to what is expected; of two, the one nearer to the count.
    """
    return min(range(n + 1), key=lambda x: (abs(x - expected), abs(x - count)))


@pytest.mark.parametrize("n", range(1, 31))
def test_rounding_by_brute_force(n):
    # A topic for every share that is a multiple of 1/2n, so that halves occur, and of 1/7; a run
    # for every count.
    shares = [(plus, total) for total in (2 * n, 7) for plus in range(total + 1)]
    qrels = pd.DataFrame(
        [
            (str(t), f"female{i}" if i < plus else f"male{i}", 1)
            for t, (plus, total) in enumerate(shares)
            for i in range(total)
        ],
        columns=["query_id", "doc_id", "relevance"],
    )
    measure = RepBias(group="female", groups=GENDERS) @ n
    evaluator = ir_measures.evaluator([measure], qrels)
    for count in range(n + 1):
        first = [f"female{i}" if i < count else f"male{i}" for i in range(n)]
        run = pd.DataFrame(
            {
                "query_id": [str(t) for t in range(len(shares)) for _ in first],
                "doc_id": first * len(shares),
                "score": 1.0,
            }
        )
        found = {metric.query_id: metric.value for metric in evaluator.iter_calc(run)}
        for t, share in enumerate(shares):
            expected = Fraction(*share) * n
            best = nearest(expected, n, count)
            assert found[str(t)] == pytest.approx((count - best) / n, abs=1e-12), (n, share, count)


@pytest.mark.parametrize("share", [0.1 + 0.2, 0.3, 0.35, 0.45, 0.15, 0.55, 0.65, 0.85, 0.95, 0.05])
def test_a_half_is_a_half_whatever_its_last_bit(share):
    # 0.35 · 10 is 3.5, and 0.55 · 10 or 0.15 · 10 may be a last bit off.
    for count in range(11):
        qrels, run = of_counts(count, 10, (1, 2), (0, 0))
        measure = (
            RepBias(group="female", groups=GENDERS, target={"female": share, "male": 1 - share})
            @ 10
        )
        expected = Fraction(round(share * 100), 10)
        best = nearest(expected, 10, count)
        assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(
            (count - best) / 10, abs=1e-12
        )


def test_fewer_documents_than_the_cutoff():
    qrels, run = of_counts(3, 4, (1, 2), (0, 0))
    measures = [
        RepBias(group="female", groups=GENDERS) @ 10,
        RepBias(group="female", groups=GENDERS),
    ]
    assert ir_measures.calc_aggregate(measures, qrels, run) == {
        measures[0]: pytest.approx(3 / 10 - 5 / 10), measures[1]: pytest.approx(3 / 4 - 2 / 4)}
