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
@pytest.mark.parametrize(("name", "topic", "params", "expected"), WORKED)
def test_worked_values(values, worked_exposure, name, topic, params, expected):
    qrels, run = worked_exposure(SAMPLES if topic == "samples" else SAMPLES[:1])
    measure = MEASURES[name](**params, **SOURCES.get(topic, {}))
    assert round(values([measure], qrels, run)[measure, "1"], 6) == expected
