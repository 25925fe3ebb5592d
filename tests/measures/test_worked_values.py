"""The measures have the values that were worked for their slow versions."""

from __future__ import annotations

import pytest
from worked_values import GROUPS, LEVELS, NEUTRALITY, ORDER, SAMPLES, SIGNED, SOFT, WORKED

from pt_fairness import groups
from pt_fairness import values as values_of
from pt_fairness.measures import MEASURES

FIRST = groups.from_mapping(GROUPS)
SECOND = groups.from_mapping(LEVELS, order=list(ORDER))
SOURCES = {
    "ordinal": {"groups": SECOND}, "soft": {"groups": groups.from_mapping(SOFT)},
    "product": {"groups": groups.product(FIRST, SECOND)},
    "signed": {"values": values_of.from_mapping(SIGNED)},
    "neutrality": {"values": values_of.from_mapping(NEUTRALITY)}}


@pytest.mark.usefixtures("attributes")
@pytest.mark.parametrize("kind", dict.fromkeys(kind for _, kind, *_ in WORKED))
def test_worked_values(values, worked_exposure, kind):
    wanted = {MEASURES[name](**params, **SOURCES.get(kind, {})): expected
              for name, topic, params, expected in WORKED if topic == kind}
    found = values(wanted, *worked_exposure(SAMPLES if kind == "samples" else SAMPLES[:1]))
    assert {measure: round(found[measure, "1"], 6) for measure in wanted} == wanted
