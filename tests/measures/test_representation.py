"""RepBias, Skew, MinSkew and MaxSkew against their slow versions and values by hand."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_cases import TARGETS

from pt_fairness import FairnessWarning, MaxSkew, MinSkew, RepBias, Skew, groups

SETTINGS: list[dict[str, Any]] = [
    {},
    {"cutoff": 1},
    {"cutoff": 4},
    {"cutoff": 9},
    {"cutoff": 500},
    {"rel": 2},
    {"rel": 0, "cutoff": 3},
    {"rel": -1},
]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("from_frame", [False, True], ids=["iteration", "frame"])
@pytest.mark.parametrize("seed", range(8))
def test_every_parameter_against_the_slow_version(make_case, agrees, seed, from_frame, several):
    case = make_case(seed, several=several)
    every = [{"target": target, **setting} for target in TARGETS for setting in SETTINGS]
    agrees(
        case,
        [
            ("RepBias", {"group": group, "abs": size, **params})
            for params in every
            for group in case.labels[:2]
            for size in (False, True)
        ]
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
        Skew(group="PRO") @ 3: math.log(4 / 3),
        Skew(group="CON") @ 3: math.log(2 / 3),
        Skew(group="PRO") @ 2: 0.0,
        Skew(group="PRO") @ 1: math.log(0.001 / 0.5),
        Skew(group="CON") @ 1: math.log(2),
        MinSkew @ 3: math.log(2 / 3),
        MaxSkew @ 3: math.log(4 / 3),
        MinSkew @ 1: math.log(0.002),
        MaxSkew @ 1: math.log(2),
        Skew(group="PRO", target="qrels"): 0.0,
        MinSkew(target="qrels") @ 2: math.log(3 / 4),
        MaxSkew(target="qrels") @ 2: math.log(3 / 2),
        Skew(group="CON", target={"PRO": 1.0}): math.log(1 / 3 / 0.001),
        MaxSkew(target={"PRO": 1.0}): math.log(1 / 3 / 0.001),
        Skew(group="other", target={"PRO": 0.5, "other": 0.5}): math.log(0.001 / 0.5),
        RepBias(group="CON") @ 1: 1.0,
        RepBias(group="CON") @ 2: 1 / 2 - 1 / 2,
        RepBias(group="CON") @ 3: 0.0,
        RepBias(group="PRO"): 0.0,
        RepBias(group="CON", target={"PRO": 1.0}): 1 / 3,
        RepBias(group="PRO", target={"CON": 1.0}) @ 2: 1 / 2,
    }
    found = values(expected, worked.qrels_frame, worked.run_frame)
    assert {str(m): found[m, "1"] for m in expected} == pytest.approx(
        {str(m): v for m, v in expected.items()}, abs=1e-12
    )


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
        ir_measures.Qrel("1", "a", 1, "A"),
        ir_measures.Qrel("1", "b", 1, "B"),
        ir_measures.Qrel("1", "c", 1, "B"),
    ]
    run = [ir_measures.ScoredDoc("1", "unannotated", 1.0)]
    expected = {
        RepBias(group="B"): 0.0,
        RepBias(group="B") @ 3: -2 / 3,
        RepBias(group="B", abs=True) @ 3: 2 / 3,
        RepBias(group="B", target="run") @ 3: 0.0,
        Skew(group="B", target="qrels"): math.log(0.001 / (2 / 3)),
        MinSkew(target="qrels") @ 3: math.log(0.001 / (2 / 3)),
        MaxSkew(target="qrels") @ 3: math.log(0.001 / (1 / 3)),
    }
    found = values(expected, qrels, run)
    assert {str(m): found[m, "1"] for m in expected} == pytest.approx(
        {str(m): v for m, v in expected.items()}, abs=1e-12
    )


def test_the_range_is_that_of_the_sizes_where_only_they_are_left():
    assert RepBias.RANGE == RepBias(group="A").RANGE == (-1, 1) and RepBias(
        group="A", abs=True
    ).RANGE == (0, 1)
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
            "RepBias(group='FT',abs=True)@10": (0.225000, 0.218000),
        },
    )


def test_every_real_run_against_the_slow_version(robust03, agrees_on_real_runs):
    agrees_on_real_runs(
        robust03,
        [
            ("RepBias", {"group": "LA", "cutoff": 10}),
            ("RepBias", {"group": "FT", "target": "run", "cutoff": 7}),
            ("Skew", {"group": "FR", "cutoff": 10}),
            ("MinSkew", {"target": "collection", "cutoff": 20}),
            ("MaxSkew", {"target": "qrels"}),
        ],
    )
