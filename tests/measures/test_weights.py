"""Documents with weights: worked values, refusals."""

from __future__ import annotations

from typing import Any

import ir_measures
import pytest
from worked_values import JUDGED, RANKING

from pt_fairness import groups
from pt_fairness.measures import MEASURES

RUN = {"1": {docno: -float(i) for i, docno in enumerate(RANKING)}}


@pytest.mark.parametrize(
    ("name", "params", "value"),
    [
        ("BiasP", {"pro": "A", "con": "B", "cutoff": 1}, 0.4),
        ("BiasP", {"pro": "A", "con": "C", "cutoff": 1}, 0.7),
        ("RepBias", {"group": "A", "target": "uniform", "cutoff": 1}, 0.7),
        ("rND", {"protected": "B", "target": "uniform", "norm": "none", "cutoff": 1}, 1 / 3 - 0.3),
        ("rND", {"protected": "A,B", "target": "uniform", "norm": "none", "cutoff": 1}, 1 / 3)],
)
def test_a_document_is_on_a_side_as_far_as_its_weights_say(name, params, value):
    source = groups.from_mapping({"a1": {"A": 0.7, "B": 0.3}, "b1": "B", "a2": "C"})
    measure = MEASURES[name](**params, groups=source)
    found = ir_measures.calc_aggregate([measure], {"1": JUDGED}, {"1": {"a1": 1.0}})
    assert found[measure] == pytest.approx(value)


def test_equal_sums_of_weights_are_equal():
    """The first of the labels is the minority, whatever the order of the sums is."""
    weights = [0.1] * 3, [0.3]
    frame_of = {f"d{i}": {"A": 0.1, "C": 0.9} for i in range(3)} | {"e": {"B": 0.3, "C": 0.7}}
    assert sum(weights[0]) > weights[1][0], "the sums differ by rounding"
    source = groups.from_mapping(frame_of)
    qrels = {"1": dict.fromkeys(frame_of, 1)}
    run = {"1": {"d0": 2.0, "e": 1.0}}
    measures = [MEASURES["rND"](protected=one, groups=source) for one in ("minority", "A")]
    values = ir_measures.calc_aggregate(measures, qrels, run)
    assert values[measures[0]] == values[measures[1]]


PLAIN = groups.from_mapping({"a1": ["A", "B"], "b1": "B", "a2": "A"})
SOFT = groups.from_mapping({"a1": {"A": 0.7, "B": 0.3}, "b1": "B", "a2": "A"})


@pytest.mark.parametrize(("name", "params"), [
    ("rRD", {}), ("rRD", {"norm": "none"}), ("nDR", {"norm": "none"}), ("PEER", {}), ("FAIR", {}),
    ("PreF", {"p": 0.5}), ("nDD", {}), ("nDKL", {"norm": "protected-first"}),
    ("rND", {"target": "run"}), ("rKL", {"target": "run", "protected": "all"}),
    ("OfGroup", {"measure": "nDCG", "group": "A"}),
    *((name, {"norm": "range"}) for name in ("rND", "rKL", "nDD"))])
def test_measures_that_are_not_defined_for_weights_refuse_them(name, params):
    measure = MEASURES[name](**params, groups=SOFT)
    says = f"groups must be without weights for {name}"
    with pytest.raises(ValueError, match=says):
        ir_measures.calc_aggregate([MEASURES["AWRF"](groups=SOFT), measure], {"1": JUDGED}, RUN)
    assert ir_measures.calc_aggregate([measure(groups=PLAIN)], {"1": JUDGED}, RUN)


class Own(groups.Groups):
    """Groups of one's own with weights."""

    weighted = True

    def lookup(self, qids: Any, docnos: Any) -> Any:
        return SOFT.lookup(qids, docnos).fillna({"weight": 1.0})


class Arrays(groups.Groups):
    """Groups of one's own that return arrays, and three of them where there are no weights."""

    def __init__(self, name: str, weighted: bool, returned: Any = slice(None)) -> None:
        super().__init__(name, ["A", "B"])
        self.weighted, self._returned = weighted, returned

    def annotate(self, qids: Any, docnos: Any) -> Any:
        return tuple(SOFT.annotate(qids, docnos))[self._returned]


def test_classes_of_one_s_own_can_have_weights():
    bias = MEASURES["BiasP"](pro="A", con="B") @ 4
    sources = [SOFT, Own(), Arrays("arrays", True), PLAIN, Arrays("three", False, slice(3))]
    measures = [bias(groups=source) for source in sources]
    found = ir_measures.calc_aggregate(measures, {"1": JUDGED}, RUN)
    # a1 counts 0.4 with weights and 0 without; b1 is not relevant, a2 counts 1.
    expected = [1.4 / 4] * 3 + [1 / 4] * 2
    assert [found[measure] for measure in measures] == pytest.approx(expected)
    with pytest.raises(ValueError, match="weighted must be True"):
        ir_measures.calc_aggregate([bias(groups=Arrays("plain", False))], {"1": JUDGED}, RUN)
