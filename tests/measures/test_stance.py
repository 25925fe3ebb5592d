"""BiasP, BiasRBP and BiasDCG."""

from __future__ import annotations

import math

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import P

import pt_fairness
from pt_fairness import BiasDCG, BiasP, BiasRBP, OfGroup
from pt_fairness.analysis.frames import direction
from pt_fairness.measures.descriptions import ideal_in_words

ALL = [BiasP, BiasRBP, BiasDCG]


def test_one_view_alone_is_effectiveness_for_it(values, by_hand):
    """Equation 3: the bias is f of one view less f of the other."""
    found = values([OfGroup(measure=P @ 4, group="PRO"), BiasP(con=None) @ 4], *by_hand)
    assert len({*found.values()}) == 1 and 0.0 not in found.values()
    for kind, high in zip(ALL, (1, 1, None), strict=True):
        pro, con = kind(pro="PRO", con=None), kind(pro="CON", con=None)
        found = values([kind, pro, con], *by_hand)
        assert found[kind, "1"] == pytest.approx(found[pro, "1"] - found[con, "1"], abs=1e-12)
        assert ir_measures.parse_measure(str(pro)) == pro and pro(con="CON") == kind
        assert (0, high) == pro.RANGE and (high and -high, high) == kind.RANGE
        assert direction(str(pro)) == "↑" and direction(str(kind)) == "→0"
        assert ("more" in ideal_in_words(pro)) == (high is None)


#: A relevant PRO, not relevant CON, unannotated, neutral, relevant CON, unjudged document, in this
#: order.
QRELS = [("1", "a", 1, "PRO"), ("1", "b", 0, "CON"), ("1", "c", 1, "-"), ("1", "d", 1, "NEUTRAL"),
         ("1", "e", 2, "CON")]
RUN = [("1", docno, -float(i)) for i, docno in enumerate("abcdef")]


@pytest.fixture
def by_hand() -> tuple[pd.DataFrame, pd.DataFrame]:
    return (pd.DataFrame(QRELS, columns=["query_id", "doc_id", "relevance", "iteration"]),
            pd.DataFrame(RUN, columns=["query_id", "doc_id", "score"]))


def test_what_has_no_stance_keeps_its_rank(values, by_hand):
    w = [1 / math.log2(i + 1) for i in range(1, 7)]
    expected = {
        BiasP @ 1: 1.0, BiasP @ 4: 1 / 4, BiasP @ 5: 0.0, BiasP @ 10: 0.0, BiasP: 0.0,
        BiasP(rel=2): -1 / 6, BiasP(rel=2) @ 20: -1 / 20, BiasP(rel=0) @ 2: 0.0,
        BiasP(rel=0): -1 / 6, BiasP(rel=0, abs=True): 1 / 6, BiasRBP: 0.2 * (1 - 0.8**4),
        BiasRBP(p=0.5) @ 4: 0.5, BiasRBP(pro="CON", con="PRO"): -0.2 * (1 - 0.8**4),
        BiasDCG @ 4: 1.0, BiasDCG: 1 - w[4], BiasDCG(rel=0): 1 - w[1] - w[4],
        BiasDCG(rel=0, abs=True) @ 5: abs(1 - w[1] - w[4]),
        BiasDCG(pro="NEUTRAL", con="PRO"): w[3] - 1}
    found = values(expected, *by_hand)
    assert {str(m): found[m, "1"] for m in expected} == pytest.approx(
        {str(m): v for m, v in expected.items()}, abs=1e-12)


@given(st.integers(0, 100_000), st.booleans(), st.sampled_from([None, 1, 4, 30]))
def test_changing_sides_changes_the_sign(make_case, values, seed, several, cutoff):
    case, params = make_case(seed, several=several), {} if cutoff is None else {"cutoff": cutoff}
    for_pro, for_con = ([kind(pro=pro, con=con, **params) for kind in ALL]
                        for pro, con in (("g0", "g1"), ("g1", "g0")))
    sizes = [measure(abs=True) for measure in for_pro]
    found = values(for_pro + for_con + sizes, case.qrels_frame, case.run_frame)
    for one, other, size in zip(for_pro, for_con, sizes, strict=True):
        for q in "12345":
            assert found[one, q] == -found[other, q]
            assert abs(found[one, q]) == found[size, q]
            low, high = one.RANGE
            assert low is None or low <= found[one, q] <= high


def test_the_names_of_the_paper():
    for name, measure in (("β_P", BiasP), ("β_RBP", BiasRBP), ("β_DCG", BiasDCG)):
        assert ir_measures.parse_measure(f"{name}(pro='A')@10") == measure(pro="A") @ 10
        assert getattr(pt_fairness, name) is measure
        assert ir_measures.measures.registry[name] is measure
