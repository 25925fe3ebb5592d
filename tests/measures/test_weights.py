"""Documents with weights: every measure against its slow version, worked values, refusals."""

from __future__ import annotations

import random
from typing import Any

import ir_measures
import pytest
from worked_values import GROUPS, JUDGED, RANKING

from pt_fairness import groups
from pt_fairness.measures import MEASURES

EXPLICIT = {"g0": 0.4, "new": 0.6}
TARGETS = ("qrels", "collection", "uniform", EXPLICIT)
SIDES = ("minority", "majority", "g0", "g0,g1")

#: Measures with parameters under which they are defined for documents with weights.
WANTED: list[tuple[str, dict[str, Any]]] = [
    *[(name, {"protected": protected, "target": target, "cutoff": 5})
      for name in ("rND", "rKL") for protected in SIDES for target in TARGETS],
    *[(name, {"protected": protected, "target": "run", "norm": "none", "cutoff": 4})
      for name in ("rND", "rKL") for protected in SIDES],
    *[("rND", {"step": 2, "rel": 2, "norm": norm}) for norm in ("max", "none")],
    *[("rKL", {"protected": "all", "target": target, "cutoff": 6}) for target in TARGETS],
    ("rKL", {"protected": "all", "target": "run", "norm": "none", "step": 2}),
    *[(name, {"protected": protected, "norm": "none", "cutoff": cutoff})
      for name in ("nDD", "nDKL") for protected in SIDES for cutoff in (None, 5)],
    *[("nDJS", {"protected": protected, "cutoff": 5}) for protected in SIDES],
    ("nDJS", {}), ("nDJS", {"norm": "none", "cutoff": 5}), ("Annotated", {"cutoff": 5}),
    *[(name, {"target": target, "cutoff": 5}) for target in (*TARGETS, "run")
      for name in ("DistKL", "DistFair", "AWRF", "NDKL", "MinSkew", "MaxSkew")],
    ("DistKL", {"discount": "log2"}), ("AWRF", {"discount": "geometric"}),
    *[("Skew", {"group": "g1", "target": target, "cutoff": 3}) for target in (*TARGETS, "run")],
    *[("RepBias", {"group": group, "target": target, "cutoff": cutoff})
      for group in ("g0", "g1") for target in (*TARGETS, "run") for cutoff in (None, 3, 6)],
    *[(name, {"pro": "g0", "con": "g1", "cutoff": 5, "rel": rel, "abs": size})
      for name in ("BiasP", "BiasRBP", "BiasDCG") for rel in (0, 1) for size in (False, True)],
    *[(name, {"protected": protected, "cutoff": 5})
      for name in ("logDP", "logEUR", "logRUR") for protected in SIDES],
    *[("EEL", {"by": "group", "target": target, "cutoff": 5}) for target in ("qrels", EXPLICIT)],
    ("IAA", {"by": "group"}),
]  # fmt: skip


def weighted(case: Any, seed: int, some: bool) -> dict[tuple[str, str], Any]:
    """Return the groups of a case with weights, by topic and document.

    :param some: whether only some of the documents have weights
    """
    pick = random.Random(seed)
    return {
        key: labels if some and pick.random() < 0.3
        else {label: pick.choice([0.5, 1, 2, 3, pick.random()]) for label in labels}
        for key, labels in case.groups.items()}


def mapping_of(found: dict[tuple[str, str], Any]) -> dict[str, dict[str, Any]]:
    by_topic: dict[str, dict[str, Any]] = {}
    for (qid, docno), own in found.items():
        by_topic.setdefault(qid, {})[docno] = own
    return by_topic


@pytest.mark.parametrize("some", [False, True], ids=["all", "some"])
@pytest.mark.parametrize("seed", range(6))
def test_measures_agree_with_their_slow_versions(
    make_case, values, equal_slow_versions, seed, some
):
    case = make_case(seed, labels=3 + seed % 2, several=True)
    found = weighted(case, seed, some)
    source = groups.from_mapping(mapping_of(found))
    wanted = [
        (name, {key: value for key, value in params.items() if value is not None})
        for name, params in WANTED]
    measures = [MEASURES[name](**params, groups=source) for name, params in wanted]
    equal_slow_versions(
        values(set(measures), case.qrels_frame, case.run_frame), measures, wanted, case,
        groups=lambda qid, docno: found.get((qid, docno)), labels=case.labels)


RUN = {"1": {docno: -float(i) for i, docno in enumerate(RANKING)}}


def test_weights_are_divided_by_their_sum():
    measures = [
        MEASURES["AWRF"](groups=groups.from_mapping({**GROUPS, "a1": weights})) @ 4
        for weights in ({"A": 0.7, "B": 0.3}, {"A": 7, "B": 3})]
    found = ir_measures.calc_aggregate(measures, {"1": JUDGED}, RUN)
    assert found[measures[0]] == pytest.approx(found[measures[1]], abs=1e-12)


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


def test_the_minority_is_the_smallest_sum_of_shares():
    mapping = {"a1": {"A": 0.1, "B": 0.9}, "a2": {"A": 0.2, "B": 0.8}, "b2": "A"}
    plain = {docno: list(own) if isinstance(own, dict) else own for docno, own in mapping.items()}
    for found, minority in ((mapping, "A"), (plain, "B")):  # 1.3 and 1.7; 3 and 2
        source = groups.from_mapping(found)
        measures = [
            MEASURES["rND"](protected=one, groups=source, norm="none")
            for one in ("minority", minority)]
        values = ir_measures.calc_aggregate(measures, {"1": JUDGED}, RUN)
        assert values[measures[0]] == values[measures[1]] != 0


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


@pytest.mark.parametrize(
    ("name", "params", "advice"),
    [
        ("rRD", {}, "groups without weights"),
        ("rRD", {"norm": "none"}, "groups without weights"),
        ("nDR", {"norm": "none"}, "groups without weights"),
        ("PEER", {}, "groups without weights"),
        ("FAIR", {}, "groups without weights"),
        ("PreF", {"p": 0.5}, "groups without weights"),
        ("nDD", {}, "norm='none' or groups without weights"),
        ("nDKL", {"norm": "protected-first"}, "norm='none' or groups without weights"),
        ("rND", {"target": "run"}, "norm='none' or groups without weights"),
        ("rKL", {"target": "run", "protected": "all"}, "norm='none' or groups without weights")],
)
def test_measures_that_are_not_defined_for_weights_refuse_them(name, params, advice):
    measure = MEASURES[name](**params, groups=SOFT)
    with pytest.raises(ValueError) as raised:
        ir_measures.calc_aggregate([MEASURES["AWRF"](groups=SOFT), measure], {"1": JUDGED}, RUN)
    assert str(raised.value) == (
        f"{measure} is not defined for documents with weights, which {SOFT!r} has; use {advice}")
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
    with pytest.raises(ValueError, match="annotate returned weights, but the groups are not weig"):
        ir_measures.calc_aggregate([bias(groups=Arrays("plain", False))], {"1": JUDGED}, RUN)
