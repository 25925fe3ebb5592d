"""RepBias, Skew, MinSkew and MaxSkew."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_cases import TARGETS
from one_test import each

from pt_fairness import FairnessWarning, MaxSkew, MinSkew, RepBias, Skew, groups

SETTINGS: list[dict[str, Any]] = [
    {},
    {"cutoff": 1},
    {"cutoff": 4},
    {"cutoff": 9},
    {"cutoff": 500},
    {"rel": 2},
    {"rel": 0, "cutoff": 3},
    {"rel": -1}]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True], ids=["iteration", "frame"])
@pytest.mark.parametrize("seed", range(8))
def test_every_parameter_against_the_slow_version(make_case, agrees, seed, from_frame, several):
    case = make_case(seed, several=several)
    every = [{"target": target, **setting} for target in TARGETS for setting in SETTINGS]
    agrees(
        case,
        [
            ("RepBias", {"group": group, "abs": size, **params}) for params in every
            for group in case.labels[:2] for size in (False, True)]
        + [("Skew", {"group": group, **params}) for params in every for group in case.labels[:2]]
        + [(name, params) for params in every for name in ("MinSkew", "MaxSkew")],
        from_frame,
    )


@given(st.integers(0, 100_000), st.sampled_from(["qrels", "collection", "run"]), st.integers(1, 12))
def test_of_two_groups_one_is_over_represented_as_the_other_is_under(
    make_case, values, seed, target, cutoff
):
    case = make_case(seed, labels=2)
    measures = [RepBias(group=group, target=target) @ cutoff for group in ("g0", "g1")]
    found = values(measures, case.qrels_frame, case.run_frame)
    annotated = {(q, d) for q, d, _, label in case.qrels if label in ("g0", "g1")}
    for q in "12345":
        values_of = [found[measure, q] for measure in measures]
        assert all(-1 <= value <= 1 for value in values_of)
        if (
            sum((q, d) in annotated for d in {d for topic, d, _ in case.run if topic == q})
            >= cutoff
        ):
            assert sum(values_of) == pytest.approx(0, abs=1e-12)


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


def test_min_and_max_are_those_of_the_groups(make_case, values):
    for seed in range(8):
        case = make_case(seed, several=True)
        names = sorted({label for *_, label in case.qrels if label not in (None, "", "-")})
        skews = [Skew(group=name, target="collection") @ 5 for name in names]
        low, high = MinSkew(target="collection") @ 5, MaxSkew(target="collection") @ 5
        found = values([*skews, low, high], case.qrels_frame, case.run_frame)
        for q in "12345":
            assert found[low, q] == min(found[m, q] for m in skews)
            assert found[high, q] == max(found[m, q] for m in skews)


def test_nothing_returned(values):
    qrels = [
        ir_measures.Qrel("1", "a", 1, "A"), ir_measures.Qrel("1", "b", 1, "B"),
        ir_measures.Qrel("1", "c", 1, "B")]
    run = [ir_measures.ScoredDoc("1", "unannotated", 1.0)]
    expected = {
        RepBias(group="B"): 0.0, RepBias(group="B") @ 3: -2 / 3,
        RepBias(group="B", abs=True) @ 3: 2 / 3, RepBias(group="B", target="run") @ 3: 0.0,
        Skew(group="B", target="qrels"): math.log(0.001 / (2 / 3)),
        MinSkew(target="qrels") @ 3: math.log(0.001 / (2 / 3)),
        MaxSkew(target="qrels") @ 3: math.log(0.001 / (1 / 3))}
    found = values(expected, qrels, run)
    assert {str(m): found[m, "1"] for m in expected} == pytest.approx(
        {str(m): v for m, v in expected.items()}, abs=1e-12)


def test_the_range_is_that_of_the_sizes_where_only_they_are_left():
    assert RepBias.RANGE == RepBias(group="A").RANGE == (-1, 1) and RepBias(
        group="A", abs=True).RANGE == (0, 1)
    assert RepBias.FAIR_END == Skew.FAIR_END == 0


def test_a_group_that_there_is_not():
    genders = groups.from_pattern("^(female|male)", ["female", "male"])
    qrels = [ir_measures.Qrel("q", "female0", 1, "female")]
    run = [ir_measures.ScoredDoc("q", "female0", 1.0)]
    for kind in (RepBias, Skew):
        with pytest.raises(
            ValueError, match=r"group='women' names no group of .*; its groups are 'female', 'male'"
        ):
            ir_measures.calc_aggregate([kind(group="women", groups=genders)], qrels, run)
        with pytest.warns(
            FairnessWarning, match="group='women' names a group that no judged document has"
        ):
            found = ir_measures.calc_aggregate([kind(group="women")], qrels, run)
        assert found[kind(group="women")] == 0.0


def test_the_published_values_of_real_runs(means, robust03):
    means(
        robust03,
        {
            "RepBias(group='FT')@10": (-0.163000, -0.130000),
            "RepBias(group='FT',abs=True)@10": (0.225000, 0.218000)},
    )


def test_every_real_run_against_the_slow_version(robust03, agrees_on_real_runs):
    agrees_on_real_runs(
        robust03,
        [
            ("RepBias", {"group": "LA", "cutoff": 10}),
            ("RepBias", {"group": "FT", "target": "run", "cutoff": 7}),
            ("Skew", {"group": "FR", "cutoff": 10}),
            ("MinSkew", {"target": "collection", "cutoff": 20}),
            ("MaxSkew", {"target": "qrels"})],
    )


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
    (3, "skeleton racer", 0.7, 0.5, 0.2)]


def test_all_rows_of_the_tables_are_here():
    assert len(ROWS) == len(set(ROWS)) == 66
    assert all(round(model - target, 9) == bias for _, _, model, target, bias in ROWS)


@each("table, profession, model, target, bias", ROWS)
@each("off", [-4, 0, 4])
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
    "females, bias", [(3, -2), (4, -1), (5, 0), (6, 0), (7, 1), (11, 5), (0, -5)])
@pytest.mark.parametrize("target", ["qrels", "uniform", {"female": 0.5, "male": 0.5}], ids=str)
def test_five_and_six_of_eleven_are_both_unbiased(females, bias, target):
    qrels, run = of_counts(females, 11, (7, 14), (0, 0))
    measure = RepBias(group="female", groups=GENDERS, target=target) @ 11
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(
        bias / 11, abs=1e-12)


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
def test_a_half_is_a_half_whatever_its_last_bit(share):
    # 0.35 · 10 is 3.5, and 0.55 · 10 or 0.15 · 10 may be a last bit off.
    for count in range(11):
        qrels, run = of_counts(count, 10, (1, 2), (0, 0))
        measure = (
            RepBias(group="female", groups=GENDERS, target={"female": share, "male": 1 - share})
            @ 10)
        expected = Fraction(round(share * 100), 10)
        best = nearest(expected, 10, count)
        assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(
            (count - best) / 10, abs=1e-12)


def test_fewer_documents_than_the_cutoff():
    qrels, run = of_counts(3, 4, (1, 2), (0, 0))
    measures = [
        RepBias(group="female", groups=GENDERS) @ 10, RepBias(group="female", groups=GENDERS)]
    assert ir_measures.calc_aggregate(measures, qrels, run) == {
        measures[0]: pytest.approx(3 / 10 - 5 / 10), measures[1]: pytest.approx(3 / 4 - 2 / 4)}
