"""Annotated against its slow version."""

from __future__ import annotations

import pytest

from pt_fairness import Annotated


@pytest.mark.parametrize("from_frame", [False, True, "open"], ids=["iteration", "frame", "open"])
@pytest.mark.parametrize("seed", range(10))
def test_against_the_slow_version(make_case, agrees, seed, from_frame):
    agrees(
        make_case(seed, several=seed % 2 == 0),
        [("Annotated", c) for c in ({}, {"cutoff": 1}, {"cutoff": 5}, {"cutoff": 99})],
        from_frame,
    )


def test_real_runs_against_the_slow_version(robust03, agrees_on_real_runs):
    agrees_on_real_runs(robust03, [("Annotated", {"cutoff": 10}), ("Annotated", {})])


def test_by_hand(values, worked):
    found = values([Annotated, Annotated @ 2, Annotated @ 3], worked.qrels_frame, worked.run_frame)
    assert [found[m, "1"] for m in (Annotated, Annotated @ 2, Annotated @ 3)] == pytest.approx(
        [3 / 4, 1, 2 / 3]
    )


@pytest.mark.parametrize("missing", [None, float("nan"), "", "-"])
def test_what_counts_as_unannotated(values, worked, missing):
    qrels = worked.qrels_frame.astype({"iteration": object})
    qrels.loc[0, "iteration"] = missing
    found = values([Annotated], qrels, worked.run_frame)
    assert found[Annotated, "1"] == pytest.approx(2 / 4)
