"""α-nDCG and the other measures of ndeval: against ndeval itself, and beyond its limits; ties."""

import itertools
import math
import random
import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from provider_cases import QRELS, RUN, subtopic_case, told_of
from slow_versions.common import weight
from slow_versions.rows import order_run

pytest.importorskip("pyndeval")

ALPHA_KINDS = [alpha_nDCG, alpha_DCG]
OTHERS = [
    ERR_IA @ 5, ERR_IA @ 20, nERR_IA @ 10, NRBP, NRBP(alpha=0.2, beta=0.8), nNRBP, AP_IA, P_IA @ 1,
    P_IA @ 10, StRecall @ 5, ERR_IA(rel=2) @ 10, P_IA(rel=2) @ 5, AP_IA(rel=2),
    StRecall(rel=2) @ 10, ERR_IA(judged_only=True) @ 10, P_IA(judged_only=True) @ 5,
    AP_IA(judged_only=True), alpha_nDCG(alpha=0.9) @ 3, alpha_DCG @ 7]


def ranked(run: pd.DataFrame) -> pd.DataFrame:
    """The run with −rank in trec_eval's order as its score: then every tool ranks it alike."""
    order = order_run(run.itertuples(index=False, name=None))
    return pd.DataFrame([(qid, docno, -float(place)) for qid, docnos in order.items()
                         for place, docno in enumerate(docnos)], columns=RUN)


def ndeval(measures: Iterable[Any], qrels: pd.DataFrame,
           run: pd.DataFrame) -> dict[tuple[Any, str], float]:
    """The values of ir_measures' own provider, one α at a time; 0 where it has none."""
    values = {(measure, qid): 0.0 for measure in measures for qid in qrels["query_id"].unique()}
    judged = qrels[["query_id", "doc_id"]].drop_duplicates()
    qrels = qrels[~(qrels["iteration"].isna() | qrels["iteration"].isin(["", "-"]))]
    for measure in measures:
        params = {key: value for key, value in measure.params.items() if key != "judged_only"}
        rows = run.merge(judged) if "judged_only" in measure.params else run
        for metric in ir_measures.pyndeval.iter_calc([type(measure)(**params)], qrels, rows):
            values[measure, metric.query_id] = float(np.nan_to_num(metric.value))
    return values


def test_of_equal_documents_the_last_docno_comes_first_in_the_ideal(values):
    subtopics = {"a-long-name": "13", "a-long-nbme": "24", "b-long-name": "12"}
    qrels = pd.DataFrame([("q", docno, 1, one) for docno, some in subtopics.items()
                          for one in some], columns=QRELS)
    run = pd.DataFrame([("q", "b-long-name", 1.0)], columns=RUN)
    found = values([alpha_nDCG @ 3], qrels, run)[alpha_nDCG @ 3, "q"]
    ideal = 2 * weight(1) + 1.5 * weight(2) + 1.5 * weight(3)
    assert found == pytest.approx(2 * weight(1) / ideal)
    assert found == pytest.approx(ndeval([alpha_nDCG @ 3], qrels, run)[alpha_nDCG @ 3, "q"])


@pytest.mark.parametrize("seed", quick_cases(range(3), first=1))
def test_every_cutoff_alpha_and_rel_equals_ndeval(values, seed):
    qrels, run = subtopic_case(seed, subtopics=[6, 2, 9][seed])
    run = ranked(run)
    every = [kind(alpha=alpha, rel=rel) @ cutoff for kind, alpha, rel, cutoff in itertools.product(
        ALPHA_KINDS, [0.0, 0.3, 0.5, 0.9, 1.0], [1, 2], [1, 2, 3, 5, 10, 19, 20])]
    measures = random.Random(seed).sample(every, 60) + [
        kind(judged_only=True) @ cutoff for kind in ALPHA_KINDS for cutoff in (1, 5, 20)]
    # All of them in one call, where ir_measures can do one.
    expected = ndeval(measures, qrels, run)
    assert values(set(measures), qrels, run) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", quick_cases(range(3), first=1))
def test_the_other_measures_equal_ndeval(make_case, values, seed):
    case = make_case(seed, several=True)
    for qrels, run in (subtopic_case(50 + seed), (
            case.qrels_frame, case.run_frame.drop_duplicates(["query_id", "doc_id"], keep="last"))):
        expected = ndeval(OTHERS, qrels, ranked(run))
        assert values(OTHERS, qrels, run) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name, published", [
    ("humR03dc", (0.367650, 0.424556)), ("NLPR03vb10", (0.467569, 0.496087))])
def test_the_published_values_of_real_runs(robust03, name, published):
    qrels, runs = robust03
    measures = [alpha_nDCG @ 10, alpha_nDCG(alpha=0.9) @ 10]
    found = ir_measures.calc_aggregate(measures, qrels, runs[name])
    assert [found[measure] for measure in measures] == pytest.approx(published, abs=5e-7)


def test_the_value_of_several_rankings_is_their_mean(values):
    qrels = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B")], columns=QRELS)
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "x", "a"], "iteration": [0, 0, 1, 1],
                        "score": [2.0, 1.0, 2.0, 1.0]})
    assert values([P_IA @ 2], qrels, run) == {(P_IA @ 2, "1"): (0.5 + 0.25) / 2}


def slow_gains(documents: Iterable[Iterable[Any]], alpha: float) -> list[float]:
    """The gain at every rank of a ranking."""
    worth: dict[Any, float] = defaultdict(lambda: 1.0)
    gains = []
    for subtopics in documents:
        gains.append(sum(worth[subtopic] for subtopic in subtopics))
        for subtopic in subtopics:
            worth[subtopic] *= 1.0 - alpha
    return gains


def slow_ideal(documents: list[Any], alpha: float, depth: int) -> list[Any]:
    """Greedy; of equals the first document, exactly or after 12 digits."""
    left, ranking = list(documents), []
    worth: dict[Any, float] = defaultdict(lambda: 1.0)
    while left and len(ranking) < depth:
        gains = [sum(worth[subtopic] for subtopic in subtopics) for subtopics in left]
        ranking.append(left.pop(gains.index(max(gains))))
        for subtopic in ranking[-1]:
            worth[subtopic] *= 1.0 - alpha
    return ranking


def discounted(gains: list[float]) -> float:
    return sum(gain * weight(i) for i, gain in enumerate(gains, 1))


@pytest.mark.parametrize("cutoff", [None, 7, 35, 500])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
def test_any_cutoff_against_the_slow_version(values, seed, alpha, cutoff):
    qrels, run = subtopic_case(80 + seed, subtopics=4, documents=[60, 160][seed])
    run = run.assign(score=run["score"].round(1))  # ties, broken by docno
    gain, ideal = (kind(alpha=alpha) if cutoff is None else kind(alpha=alpha) @ cutoff
                   for kind in (alpha_DCG, alpha_nDCG))
    found = values([gain, ideal], qrels, run)
    rankings = order_run(run.itertuples(index=False, name=None))
    for qid, rows in qrels[qrels["relevance"] >= 1].groupby("query_id"):
        documents = rows.groupby("doc_id")["iteration"].agg(sorted).to_dict()
        ranking = [documents.get(docno, []) for docno in rankings[qid]][:cutoff]
        depth = len(documents) if cutoff is None else cutoff
        in_order = [documents[docno] for docno in sorted(documents, key=str.encode, reverse=True)]
        everything = [set(rows["iteration"])] * depth
        for measure, best in ((ideal, slow_ideal(in_order, alpha, depth)), (gain, everything)):
            wanted = discounted(slow_gains(ranking, alpha)) / discounted(slow_gains(best, alpha))
            assert found[measure, qid] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("missing", ["-", "", None, math.nan])
def test_unannotated_documents_have_no_subtopic(values, missing):
    qrels = pd.DataFrame([("q", "a", 1, "X"), ("q", "b", 1, "Y"), ("q", "c", 1, missing)],
                         columns=QRELS).astype({"iteration": object})
    run = pd.DataFrame([("q", "c", 3.0), ("q", "a", 2.0), ("q", "b", 1.0)], columns=RUN)
    measures = [alpha_nDCG @ 3, StRecall @ 1, StRecall @ 2, StRecall @ 3]
    found = values(measures, qrels, run)
    w = [weight(i) for i in (1, 2, 3)]
    assert [found[m, "q"] for m in measures] == pytest.approx(
        [(w[1] + w[2]) / (w[0] + w[1]), 0, 0.5, 1])


def test_a_topic_without_relevant_documents_or_results_has_zero(values):
    qrels = pd.DataFrame([("1", "a", 0, "X"), ("2", "a", 1, "X"), ("3", "a", 1, "-")],
                         columns=QRELS)
    run = pd.DataFrame([("1", "a", 1.0), ("3", "a", 1.0)], columns=RUN)
    measures = [alpha_nDCG @ 5, alpha_nDCG, alpha_DCG @ 5, alpha_DCG, ERR_IA @ 5, nNRBP,
                StRecall @ 5, alpha_nDCG(alpha=1.0) @ 2]
    assert set(values(measures, qrels, run).values()) == {0.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(values(measures[:4], qrels[2:], run).values()) == {0.0}


JUDGED = pd.DataFrame([("q", "a", 1, "X"), ("q", "b", 1, "Y"), ("q", "c", 1, "X"),
                       ("q", "d", 1, "X"), ("q", "e", 0, "Y")], columns=QRELS)


def run_of(**scores: float) -> pd.DataFrame:
    return pd.DataFrame({"query_id": "q", "doc_id": [*scores], "score": [*scores.values()]})


@pytest.mark.parametrize("seed", quick_cases(range(4), first=1))
def test_the_warning_has_the_number_of_topics_that_differ_from_ndeval(seed):
    qrels, run = subtopic_case(seed, documents=12, topics=9)
    run["score"] = run["score"].round(1)
    qids = sorted(set(qrels["query_id"]))
    measures = [alpha_nDCG @ 5, ERR_IA @ 5]
    differ = set()
    for measure in measures:
        theirs, ours = ({one.query_id: one.value for one in provider.iter_calc(
            [measure], qrels, run.sort_values("query_id"))}
            for provider in (ir_measures.pyndeval, ir_measures))
        differ |= {qid for qid in qids if abs(theirs.get(qid, 0) - ours[qid]) > 1e-7}
    (text,) = told_of(measures, qrels, run)
    assert f"{len(differ)} of {len(qids)} topics" in text


@pytest.mark.parametrize("run", [
    pytest.param(run_of(a=3.0, b=2.0, c=1.0), id="no ties"),
    pytest.param(run_of(a=3.0, c=1.0, d=1.0), id="equals"),
    pytest.param(run_of(a=3.0, e=1.0, f=1.0), id="worth nothing"),
    pytest.param(run_of(a=3.0, c=2.0, d=1.5, b=0.5, f=0.5), id="below the cutoff"),
    pytest.param(run_of(b=2.0, c=2.0), id="of the same value")])
def test_ties_that_cannot_are_not(run):
    measures = [alpha_nDCG @ 3, alpha_DCG(alpha=0.9) @ 2, ERR_IA @ 3, StRecall @ 3]
    assert told_of(measures, JUDGED, run) == []


def test_scores_that_are_equal_as_float32_are_tied():
    assert told_of([alpha_nDCG @ 2], JUDGED, run_of(a=2.0, b=1.00000001, c=1.0, d=0.5, f=0.2))
    assert not told_of([alpha_nDCG @ 2], JUDGED, run_of(a=2.0, b=1.0001, c=1.0))


def test_the_environment_variable_leaves_all_of_it_to_ndeval(monkeypatch):
    qrels, run = subtopic_case(3, topics=3)
    differing = dict.fromkeys(("ndeval", ""), 0)
    for setting in differing:
        monkeypatch.setenv("PT_FAIRNESS_ALPHA", setting)
        for measure in [alpha_nDCG @ 5, alpha_DCG @ 5, ERR_IA @ 5, nERR_IA @ 5, NRBP, nNRBP, AP_IA,
                        P_IA @ 5, StRecall @ 5]:
            theirs, ours = ({one.query_id: one.value for one in provider.iter_calc(
                [measure], qrels, run.assign(score=1.0))}
                for provider in (ir_measures.pyndeval, ir_measures))
            differing[setting] += ours != theirs
    assert differing["ndeval"] == 0 and differing[""] >= 5
