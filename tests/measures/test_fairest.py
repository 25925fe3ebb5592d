"""The fairest possible ranking: norm='range', against brute force and the worked values."""

import itertools

import numpy as np
import pandas as pd
import pytest
from case_marks import slow_cases
from ir_measures import iter_calc, parse_measure

from pt_fairness import analysis, explain, nDD, nDKL, nDR, rKL, rND, rRD

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


def values(measure, qrels, run):
    found = {one.query_id: one.value for one in iter_calc([measure], qrels, run)}
    return np.array([found[qid] for qid in dict.fromkeys(run["query_id"])])


@pytest.mark.parametrize("step", [2, *slow_cases(1, 3)])
@pytest.mark.parametrize("measure", PARITY, ids=str)
@pytest.mark.parametrize(("plus", "total"), [(1, 2), (1, 5), (3, 4), (4, 11)])
def test_equals_brute_force_over_every_sequence(measure, plus, total, step):
    for n in (1, 2, 5):
        kinds = list(itertools.product("PN", repeat=n))
        run, qrels = lists_of(kinds), qrels_of(len(kinds), plus, total, n)
        measure_of = measure(protected="P", step=step)
        v = values(measure_of(norm="none"), qrels, run)
        low, high = v.min(), v.max()
        expected = (v - low) / (high - low) if high - low > 1e-12 else np.zeros(len(v))
        found = values(measure_of(norm="range"), qrels, run)
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("measure", [*(m(target="run", step=s) for m in PARITY for s in (1, 2, 3)),
                                     *VIEWPOINT], ids=str)
@pytest.mark.parametrize("row", ["PN", "PPN", "PPPNNN", "PPNNNNN"])
@pytest.mark.parametrize("cutoff", [3, *slow_cases(None, 1)])
def test_equals_brute_force_over_permutations_of_the_run(measure, row, cutoff):
    kinds = sorted(set(itertools.permutations(row)))
    measure = measure(protected="P") if cutoff is None else measure(protected="P") @ cutoff
    run, qrels = lists_of(kinds), qrels_of(len(kinds), 1, 2, len(row))
    v = values(measure(norm="none"), qrels, run)
    low, high = v.min(), v.max()
    expected = (v - low) / (high - low) if high - low > 1e-12 else np.zeros(len(v))
    np.testing.assert_allclose(values(measure(norm="range"), qrels, run), expected, atol=1e-9)


@pytest.mark.parametrize("measure", PARITY, ids=str)
def test_the_terms_share_the_minimum_in_proportion_to_the_discounts(measure):
    kinds = list(itertools.product("PN", repeat=5))
    run, qrels = lists_of(kinds), qrels_of(len(kinds), 2, 5, 5)
    every = values(measure(protected="P", norm="none"), qrels, run)
    low, span = every.min(), np.ptp(every)
    discounts = 1 / np.log2(np.arange(5) + 2)
    explained = [explain(measure(protected="P", norm=norm), run, qrels, "9")
                 for norm in ("none", "range")]
    plain, ranged = (result.frame["contribution"] for result in explained)
    np.testing.assert_allclose(ranged, (plain - low * discounts / discounts.sum()) / span,
                               atol=1e-12)


@pytest.mark.parametrize(("name", "plus", "total", "low", "high", "ratio"), [
    ("rKL@5", 5, 10, 1.052090, 2.948459, 0.356827),
    ("rKL@10", 5, 10, 1.059700, 4.543559, 0.233231),
    ("rKL@10", 4, 11, 0.716134, 6.631014, 0.107998),
    ("rND@5", 5, 10, 0.622019, 1.474230, 0.421928),
    ("rND@10", 2, 10, 0.467770, 3.634847, 0.128691),
    ("rRD@10", 2, 10, 0.651250, 14.833594, 0.043904),
    ("rRD@5", 5, 10, 1.378951, 4.152841, 0.332050)])
def test_worked_values(name, plus, total, low, high, ratio):
    measure = parse_measure(name)(protected="P")
    kinds = list(itertools.product("PN", repeat=measure["cutoff"]))
    run, qrels = lists_of(kinds), qrels_of(len(kinds), plus, total, measure["cutoff"])
    v = values(measure(norm="none"), qrels, run)
    assert (v.min(), v.max()) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
    assert values(measure, qrels, run).min() == pytest.approx(ratio, abs=1e-6)
    if len(kinds) < 100:
        runs = {"all": run.rename(columns={"query_id": "qid", "doc_id": "docno"})}
        table = analysis.against_random(runs, qrels, measure, draws=1, progress=False)
        assert table["fairest"].item() == pytest.approx(ratio, abs=1e-6)
    ranged = values(measure(norm="range"), qrels, run)
    assert (ranged.min(), ranged.max()) == (pytest.approx(0, abs=1e-12), pytest.approx(1))
