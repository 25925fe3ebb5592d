"""Distributions over groups, RepBias and Skew; documents with weights."""

import itertools
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from measure_cases import of_lists
from worked_values import JUDGED, RANKING

from pt_fairness import NDKL, DistFair, DistKL, RADio, groups
from pt_fairness.measures import MEASURES
from pt_fairness.measures.representation import unbiased


@pytest.mark.parametrize(
    "target", ["uniform", {"A": 0.7, "B": 0.2, "C": 0.1}, {"A": 1.0, "B": 0.0, "C": 0.0}], ids=str)
@pytest.mark.parametrize("smoothing", [0, 0.5, 1])
@pytest.mark.parametrize("discount", ["none", "log2"])
def test_the_least_fair_list_has_exactly_zero(values, target, smoothing, discount):
    for n in (1, 2, 4):
        lists = ["".join(labels) for labels in itertools.product("ABC", repeat=n)]
        plain, fair = (
            kind(target=target, smoothing=smoothing, discount=discount) @ n
            for kind in (DistKL, DistFair))
        found = values([plain, fair], *of_lists(lists))
        largest = max(found[plain, str(t)] for t in range(len(lists)))
        for t in range(len(lists)):
            assert found[fair, str(t)] == pytest.approx(
                1 - found[plain, str(t)] / largest, abs=1e-12)


def test_ndkl_against_fairranktune(values):
    """Its target is that of the list that it is given; it adds 1e-7 to all shares."""
    library = pytest.importorskip("FairRankTune.Metrics.NDKL")
    labels = "".join(np.random.default_rng(1).choice(list("ABC"), 25, p=[0.6, 0.3, 0.1])) + "C"
    ours = NDKL(target="run")
    theirs = library.NDKL(pd.DataFrame({"ranking": range(26)}), dict(enumerate(labels)))
    assert values([ours], *of_lists([labels]))[ours, "0"] == pytest.approx(theirs, abs=1e-4)


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_list_that_is_nearly_like_its_target(values, apart):
    qrels = [ir_measures.Qrel("1", str(i), 0, label) for i, label in enumerate("ABAB")]
    run = [ir_measures.ScoredDoc("1", row.doc_id, 1.0) for row in qrels]
    shares = [0.5 + apart, 0.5 - apart]
    near = RADio(discount="none", alpha=0.0, target=dict(zip("AB", shares, strict=True)))
    with localcontext(Context(prec=60)):
        exact = [[Decimal("0.5")] * 2, [Decimal(one) for one in shares]]
        middle = [sum(pair) / 2 for pair in zip(*exact, strict=True)]
        divergence = sum(one * (one / m).ln() for some in exact
                         for one, m in zip(some, middle, strict=True)) / 2 / Decimal(2).ln()
        expected = float(divergence.sqrt())
    assert values([near], qrels, run)[near, "1"] == pytest.approx(expected, rel=1e-4)


#: Shares whose multiples of 10 are halves up to their last bit, and others.
NEAR_HALVES = [0.1 + 0.2, 0.3, 0.35, 0.45, 0.15, 0.55, 0.65, 0.85, 0.95, 0.05]


def nearest(expected: Fraction, n: int, count: int) -> int:
    """Of 0, …, n the whole number nearest to what is expected; of two, the one nearer to the count.
    """
    return min(range(n + 1), key=lambda x: (abs(x - expected), abs(x - count)))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
def test_rounding_by_brute_force(n):
    """The multiples of 1/2n, so that halves occur, and of 1/7."""
    shares = {plus / total: Fraction(plus, total)
              for total in (2 * n, 7) for plus in range(total + 1)}
    if n == 5:
        n = 10
        shares = {share: Fraction(round(share * 100), 100) for share in NEAR_HALVES}
    for (share, exact), count in itertools.product(shares.items(), range(n + 1)):
        found = unbiased(np.array([share * n]), np.array([count]))
        assert found == nearest(exact * n, n, count), (n, share, count)


RANKED = {"1": {docno: -float(i) for i, docno in enumerate(RANKING)}}


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
        ir_measures.calc_aggregate([MEASURES["AWRF"](groups=SOFT), measure], {"1": JUDGED}, RANKED)
    assert ir_measures.calc_aggregate([measure(groups=PLAIN)], {"1": JUDGED}, RANKED)


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
    found = ir_measures.calc_aggregate(measures, {"1": JUDGED}, RANKED)
    # a1 counts 0.4 with weights and 0 without; b1 is not relevant, a2 counts 1.
    expected = [1.4 / 4] * 3 + [1 / 4] * 2
    assert [found[measure] for measure in measures] == pytest.approx(expected)
    with pytest.raises(ValueError, match="weighted"):
        ir_measures.calc_aggregate([bias(groups=Arrays("plain", False))], {"1": JUDGED}, RANKED)
