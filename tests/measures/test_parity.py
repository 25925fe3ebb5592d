"""Parity and viewpoint measures: normalisers against brute force, and norm='range'."""

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
from case_marks import slow_cases
from ir_measures import iter_calc
from ir_measures.util import Qrel, ScoredDoc

from pt_fairness import NDKL, explain, nDD, nDJS, nDKL, nDR, rKL, rND, rRD
from pt_fairness.measures.parity import discounts, rkl, rnd, rrd, sum_of_largest_terms


def test_documents_of_the_same_groups_have_no_order(values):
    qrels = [Qrel("1", f"d{i}", 1, label) for i in range(14) for label in "ABCDE"]
    run = [ScoredDoc("1", f"d{i}", -i) for i in range(14)]
    measures = [rKL(protected="all", target="run", step=step, norm=norm)
                for step in (1, 14) for norm in ("max", "none")]
    measures += [nDJS, nDJS(norm="none"), NDKL(target="run")]
    assert set(values(measures, qrels, run).values()) == {0.0}


def test_yang_and_stoyanovich_s_most_unfair_list(values):
    # 100 items of which the first 50 are protected: Σ over 10, 20, … 100 of |share − ½| / log2(i +
    # 1).
    qrels = [ir_measures.Qrel("q", f"d{i}", 1, "S" if i < 50 else "other") for i in range(100)]
    run = [ir_measures.ScoredDoc("q", f"d{i}", -i) for i in range(100)]
    measure = rND(step=10, norm="none", protected="S")
    assert values([measure], qrels, run)[measure, "q"] == pytest.approx(0.660066334446, abs=1e-12)


@pytest.mark.parametrize("step", [1, 7, 10**23])
@pytest.mark.parametrize("term", [rnd, rkl, rrd])
def test_the_largest_sum_over_many_ranks(term, step):
    S, N = np.array([0.1, 1.0, 3.0, 2500.0]), np.array([1.0, 3.0, 4.0, 2501.0])
    w = discounts(np.array([30_000]), 30_000, step)
    i = np.arange(1.0, 30_001)[:, None]
    counts = np.stack([np.zeros_like(i), i - 1, i])
    expected = (term(counts, i, S, N).max(axis=0) * w.T).sum(axis=0)
    assert sum_of_largest_terms(term, S, N, w) == pytest.approx(expected, rel=1e-12)


PARITY, VIEWPOINT = [rND, rKL, rRD], [nDD, nDR, nDKL]


def lists_of(kinds):
    """Return qrels and runs in which list i has the kinds of row i; P is protected."""
    run = pd.DataFrame([(f"{i}", f"{kind}{j}", -float(j)) for i, row in enumerate(kinds)
                        for j, kind in enumerate(row)], columns=["query_id", "doc_id", "score"])
    return run


def qrels_of(topics, plus, total, depth):
    """Return qrels with ``plus`` of ``total`` relevant documents protected, others irrelevant."""
    rows = [(f"{i}", f"{kind}{j}", int(j < count), kind) for i in range(topics)
            for kind, count in (("P", plus), ("N", total - plus))
            for j in range(max(depth, count))]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])


def by_topic(measure, qrels, run):
    found = {one.query_id: one.value for one in iter_calc([measure], qrels, run)}
    return np.array([found[qid] for qid in dict.fromkeys(run["query_id"])])


@pytest.mark.parametrize("step", [2, *slow_cases(1, 3)])
@pytest.mark.parametrize("measure", PARITY, ids=str)
@pytest.mark.parametrize(("plus", "total"), [(0, 1), (1, 1), (1, 2), (1, 5), (3, 4), (4, 11)])
def test_equals_brute_force_over_every_sequence(measure, plus, total, step):
    """The largest unnormalised value is the normaliser."""
    for n in (1, 2, 5):
        kinds = list(itertools.product("PN", repeat=n))
        run, qrels = lists_of(kinds), qrels_of(len(kinds), plus, total, n)
        measure_of = measure(protected="P", step=step)
        v = by_topic(measure_of(norm="none"), qrels, run)
        low, high = v.min(), v.max()
        expected = (v - low) / (high - low) if high - low > 1e-12 else np.zeros(len(v))
        found = by_topic(measure_of(norm="range"), qrels, run)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        expected = v / high if high else v
        np.testing.assert_allclose(by_topic(measure_of, qrels, run), expected, atol=1e-12)


@pytest.mark.parametrize("measure", [*(m(target="run", step=s) for m in PARITY for s in (1, 2, 3)),
                                     *VIEWPOINT], ids=str)
@pytest.mark.parametrize("row", ["PN", "PPN", "PPPNNN", "PPNNNNN"])
@pytest.mark.parametrize("cutoff", [3, *slow_cases(None, 1)])
def test_equals_brute_force_over_permutations_of_the_run(measure, row, cutoff):
    kinds = sorted(set(itertools.permutations(row)))
    measure = measure(protected="P") if cutoff is None else measure(protected="P") @ cutoff
    run, qrels = lists_of(kinds), qrels_of(len(kinds), 1, 2, len(row))
    v = by_topic(measure(norm="none"), qrels, run)
    low, high = v.min(), v.max()
    expected = (v - low) / (high - low) if high - low > 1e-12 else np.zeros(len(v))
    np.testing.assert_allclose(by_topic(measure(norm="range"), qrels, run), expected, atol=1e-9)


@pytest.mark.parametrize("measure", PARITY, ids=str)
def test_the_terms_share_the_minimum_in_proportion_to_the_discounts(measure):
    kinds = list(itertools.product("PN", repeat=5))
    run, qrels = lists_of(kinds), qrels_of(len(kinds), 2, 5, 5)
    every = by_topic(measure(protected="P", norm="none"), qrels, run)
    low, span = every.min(), np.ptp(every)
    discounts = 1 / np.log2(np.arange(5) + 2)
    explained = [explain(measure(protected="P", norm=norm), run, qrels, "9")
                 for norm in ("none", "range")]
    plain, ranged = (result.frame["contribution"] for result in explained)
    np.testing.assert_allclose(ranged, (plain - low * discounts / discounts.sum()) / span,
                               atol=1e-12)


@pytest.mark.parametrize("target", ["run", {"A": 0.5, "B": 0.3, "C": 0.2}], ids=str)
@pytest.mark.parametrize("row", ["AB", "AAB", "ABBCCC"])
def test_the_largest_value_over_all_labels_is_1(target, row):
    kinds = sorted(set(itertools.permutations(row))) if target == "run" else list(
        itertools.product("ABC", repeat=len(row)))
    run = lists_of(kinds)
    qrels = run.assign(relevance=1, iteration=run["doc_id"].str[0])
    found = by_topic(rKL(protected="all", target=target), qrels, run)
    assert found.max() == pytest.approx(1, abs=1e-12)
