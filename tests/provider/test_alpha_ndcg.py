"""α-nDCG and the other measures of ndeval: against ndeval itself, and beyond its limits."""

from __future__ import annotations

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from provider_cases import subtopic_case
from slow_versions.formulas import weight
from slow_versions.rows import order_run

from pt_fairness.measures.params import DEEPEST

pytest.importorskip("pyndeval")

ALPHA_KINDS = [alpha_nDCG, alpha_DCG]
OTHERS = [
    ERR_IA @ 5, ERR_IA @ 20, nERR_IA @ 10, NRBP, NRBP(alpha=0.2, beta=0.8), nNRBP, AP_IA, P_IA @ 1,
    P_IA @ 10, StRecall @ 5, ERR_IA(rel=2) @ 10, P_IA(rel=2) @ 5, AP_IA(rel=2),
    StRecall(rel=2) @ 10]


def ranked(run: pd.DataFrame) -> pd.DataFrame:
    """The run with −rank in trec_eval's order as its score: then every tool ranks it alike."""
    rows = [
        (qid, docno, -float(place))
        for qid, docnos in order_run(run.itertuples(index=False, name=None)).items()
        for place, docno in enumerate(docnos)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def ndeval(
    measures: Iterable[Any], qrels: pd.DataFrame, run: pd.DataFrame
) -> dict[tuple[Any, str], float]:
    """The values of ir_measures' own provider, which can take one α at a time and cannot filter."""
    qrels = qrels[~(qrels["iteration"].isna() | qrels["iteration"].isin(["", "-"]))]
    found = {}
    for measure in measures:
        plain = type(measure)(
            **{name: value for name, value in measure.params.items() if name != "judged_only"})
        wanted = run
        if "judged_only" in measure.params:
            wanted = run.merge(qrels[["query_id", "doc_id"]].drop_duplicates())
        for metric in ir_measures.pyndeval.iter_calc([plain], qrels, wanted):
            found[measure, metric.query_id] = 0.0 if math.isnan(metric.value) else metric.value
    return found


def with_zeros(
    found: dict[tuple[Any, str], float], measures: Iterable[Any], qids: Iterable[str]
) -> dict[tuple[Any, str], float]:
    return {(m, qid): found.get((m, qid), 0.0) for m in measures for qid in dict.fromkeys(qids)}


# --------------------------------------------------------------------------------------------------
# against ndeval


@pytest.mark.parametrize("seed", range(8))
def test_every_cutoff_alpha_and_rel_equals_ndeval(values, seed):
    qrels, run = subtopic_case(seed, subtopics=[2, 3, 6, 9][seed % 4])
    run = ranked(run)
    measures = [
        kind(alpha=alpha, rel=rel) @ cutoff
        for kind, alpha, rel, cutoff in itertools.product(
            ALPHA_KINDS, [0.0, 0.3, 0.5, 0.9, 1.0], [1, 2], [1, 2, 3, 5, 10, 19, 20])
    ]
    pick = random.Random(seed)
    measures = pick.sample(measures, 60) + [
        kind(judged_only=True) @ cutoff for kind in ALPHA_KINDS for cutoff in (1, 5, 20)]
    # All of them in one call, where ir_measures can do one.
    found = values(set(measures), qrels, run)
    expected = with_zeros(ndeval(measures, qrels, run), measures, qrels["query_id"])
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_other_measures_equal_ndeval(values, seed):
    qrels, run = subtopic_case(50 + seed)
    run = ranked(run)
    measures = [
        *OTHERS, ERR_IA(judged_only=True) @ 10, P_IA(judged_only=True) @ 5, AP_IA(judged_only=True),
        alpha_nDCG(alpha=0.9) @ 3, alpha_DCG @ 7]
    expected = with_zeros(ndeval(measures, qrels, run), measures, qrels["query_id"])
    assert values(measures, qrels, run) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["humR03dc", "rutcor03100"], ids=["no ties", "nearly all tied"])
def test_real_runs_equal_ndeval(values, robust03, name):
    qrels, runs = robust03
    run = ranked(runs[name])
    alone = alpha_nDCG @ 10
    expected = with_zeros(ndeval([alone], qrels, run), [alone], qrels["query_id"])
    assert values([alone], qrels, run) == pytest.approx(expected, abs=1e-9)
    # In its own order, with its ties, the run is worth the same, and other measures beside it
    # change nothing.
    mixed = [
        alone, alpha_nDCG(alpha=0.9) @ 10, alpha_nDCG(alpha=0.1) @ 5, alpha_DCG @ 1, alpha_DCG @ 20,
        alpha_nDCG(rel=2) @ 10]
    assert {
        key: value
        for key, value in values([*mixed, ir_measures.nDCG @ 10], qrels, runs[name]).items()
        if key[0] == alone} == pytest.approx(expected, abs=1e-9)
    some = list(dict.fromkeys(qrels["query_id"]))[::8]
    qrels, run = (frame[frame["query_id"].isin(some)] for frame in (qrels, run))
    mixed += [alpha_nDCG(judged_only=True) @ 10, ERR_IA @ 10, nNRBP, StRecall @ 10, AP_IA]
    expected = with_zeros(ndeval(mixed, qrels, run), mixed, some)
    assert values(mixed, qrels, run) == pytest.approx(expected, abs=1e-9)


def test_the_published_values_of_real_runs(means, robust03):
    means(
        robust03,
        {"alpha_nDCG@10": (0.367650, 0.467569), "alpha_nDCG(alpha=0.9)@10": (0.424556, 0.496087)})


# --------------------------------------------------------------------------------------------------
# beyond ndeval's limits


def slow_gains(ranking: list[set[str]], alpha: float) -> list[float]:
    seen: dict[str, int] = defaultdict(int)
    gains = []
    for subtopics in ranking:
        gains.append(sum((1 - alpha) ** seen[s] for s in subtopics))
        for s in subtopics:
            seen[s] += 1
    return gains


def slow_ideal(documents: dict[str, set[str]], alpha: float, depth: int) -> list[set[str]]:
    """Greedy; of equals the document with the largest name."""
    left, ranking = dict(documents), []
    seen: dict[str, int] = defaultdict(int)
    while left and len(ranking) < depth:
        worth = {
            docno: round(sum((1 - alpha) ** seen[s] for s in subtopics), 12)
            for docno, subtopics in left.items()}
        best = max(left, key=lambda docno: (worth[docno], docno.encode()))
        ranking.append(left.pop(best))
        for s in ranking[-1]:
            seen[s] += 1
    return ranking


def discounted(gains: list[float]) -> float:
    return sum(gain * weight(i) for i, gain in enumerate(gains, 1))


@pytest.mark.parametrize("cutoff", [None, 7, 21, 35, 500])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_any_cutoff_against_the_slow_version(values, seed, alpha, cutoff):
    qrels, run = subtopic_case(80 + seed, subtopics=4, documents=[60, 60, 160][seed])
    run = run.assign(score=run["score"].round(1))  # ties, broken by docno
    measures = [
        kind(alpha=alpha) if cutoff is None else kind(alpha=alpha) @ cutoff for kind in ALPHA_KINDS]
    found = values(measures, qrels, run)
    rankings = order_run(run.itertuples(index=False, name=None))
    for qid in dict.fromkeys(qrels["query_id"]):
        documents: dict[str, set[str]] = defaultdict(set)
        for row in qrels[(qrels["query_id"] == qid) & (qrels["relevance"] >= 1)].itertuples():
            documents[row.doc_id].add(row.iteration)
        ranking = [documents.get(docno, set()) for docno in rankings[qid]][:cutoff]
        gain = discounted(slow_gains(ranking, alpha))
        ideal = discounted(
            slow_gains(slow_ideal(documents, alpha, cutoff or len(documents)), alpha))
        assert found[measures[0], qid] == pytest.approx(gain / ideal, abs=1e-9)
        everything = [set().union(*documents.values())] * (
            len(documents) if cutoff is None else cutoff)
        assert found[measures[1], qid] == pytest.approx(
            gain / discounted(slow_gains(everything, alpha)), abs=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_the_largest_cutoff(values, alpha):
    qrels, run = subtopic_case(90)
    gain, ideal = alpha_DCG(alpha=alpha), alpha_nDCG(alpha=alpha)
    depths = [1000, DEEPEST]
    measures = [ideal @ 1000, ideal @ (2**31 - 1), *(gain @ depth for depth in depths)]
    found = values(measures, qrels, run)
    ranks = np.arange(1.0, DEEPEST + 1)
    terms = (1 - alpha) ** (ranks - 1) / np.log2(ranks + 1)
    for qid in "0123":
        assert found[measures[0], qid] == found[measures[1], qid]
        shrinks = found[measures[3], qid] / found[measures[2], qid]
        assert shrinks == pytest.approx(terms[:1000].sum() / terms.sum())


@pytest.mark.parametrize("missing", ["-", "", None, math.nan])
def test_unannotated_documents_have_no_subtopic(values, missing):
    qrels = pd.DataFrame(
        [("q", "a", 1, "X"), ("q", "b", 1, "Y"), ("q", "c", 1, missing)],
        columns=["query_id", "doc_id", "relevance", "iteration"]).astype({"iteration": object})
    run = pd.DataFrame(
        [("q", "c", 3.0), ("q", "a", 2.0), ("q", "b", 1.0)], columns=["query_id", "doc_id", "score"]
    )
    measures = [alpha_nDCG @ 3, StRecall @ 1, StRecall @ 2, StRecall @ 3]
    found = values(measures, qrels, run)
    w = [weight(i) for i in (1, 2, 3)]
    assert [found[m, "q"] for m in measures] == pytest.approx(
        [(w[1] + w[2]) / (w[0] + w[1]), 0, 0.5, 1])


def test_docnos_that_a_merge_made_floats(values):
    qrels = pd.DataFrame([("1", 1, 1, "a"), ("1", 2, 1, "b")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([("1", "2", 2.0), ("1", "1", 1.0)],
                       columns=["query_id", "doc_id", "score"])
    measures = [ERR_IA @ 10, P_IA @ 10, StRecall @ 10, alpha_nDCG @ 10]
    expected = values(measures, qrels, run)
    assert expected[StRecall @ 10, "1"] == 1
    assert values(measures, qrels.astype({"doc_id": float}), run) == expected


def test_a_topic_without_relevant_documents_or_results_has_zero(values):
    qrels = pd.DataFrame([("1", "a", 0, "X"), ("2", "a", 1, "X"), ("3", "a", 1, "-")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([("1", "a", 1.0), ("3", "a", 1.0)], columns=["query_id", "doc_id", "score"])
    measures = [
        alpha_nDCG @ 5, alpha_nDCG, alpha_DCG @ 5, alpha_DCG, ERR_IA @ 5, nNRBP, StRecall @ 5,
        alpha_nDCG(alpha=1.0) @ 2]
    assert set(values(measures, qrels, run).values()) == {0.0}
