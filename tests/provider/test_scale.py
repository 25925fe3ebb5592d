"""Memory and threads: what one evaluator needs, and what several threads get from it."""

import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import ERR_IA, NRBP, alpha_nDCG, nDCG

from pt_fairness import NDKL, groups, logDP, nDD, nDJS, rKL, rND
from pt_fairness.provider.evaluator import QuickEvaluator

#: Without the memory of what is imported when something is first evaluated.
WARM = pd.DataFrame(
    {"query_id": ["1"], "doc_id": "a", "relevance": 1, "iteration": "A", "score": 1.0})


def peak(measures, qrels, run) -> int:
    """Return the largest memory that evaluating takes, in bytes."""
    ir_measures.calc_aggregate([rND @ 1], WARM, WARM)
    tracemalloc.start()
    ir_measures.calc_aggregate(measures, qrels, run)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return memory


@pytest.mark.parametrize("measure", [nDJS, rKL(protected="all"), NDKL,
                                     rKL(protected="all", target="run")], ids=str)
def test_memory_of_a_deep_list_does_not_grow_with_its_groups(measure):
    n, labels = 10_000, 100
    qrels = pd.DataFrame({"query_id": "1", "doc_id": [f"d{i}" for i in range(n)], "relevance": 1,
                          "iteration": (np.arange(n) % labels).astype(str)})
    run = qrels[["query_id", "doc_id"]].assign(score=np.arange(n, dtype=float))
    assert peak([measure], qrels, run) < 0.5 * 8 * n * labels


def test_several_threads_can_use_one_evaluator():
    """Each has the values and the facts of its own run."""
    rng = np.random.default_rng(0)
    n = 1000
    qrels = pd.DataFrame({"query_id": (np.arange(n) % 20).astype(str),
                          "doc_id": [f"d{i}" for i in range(n)], "relevance": 1,
                          "iteration": rng.choice(list("ABC"), n)})
    source = groups.from_frame(pd.DataFrame({
        "docno": np.repeat(qrels["doc_id"], 4), "group": rng.choice(list("XYZabcdefghi"), 4 * n)}))
    measures = [rND @ 10, nDD, rKL(protected="all", groups=source), nDJS(groups=source),
                rND(rel=0, target={"X": 0.5, "V": 0.5}, protected="X", groups=source),
                alpha_nDCG @ 10, alpha_nDCG(alpha=0.9), nDCG @ 10, logDP(target="run")]
    if ir_measures.pyndeval.is_available():
        measures += [ERR_IA @ 10, NRBP(alpha=0.2, beta=0.8)]
    judged = qrels.sample(frac=0.5, random_state=0)
    runs = [qrels[["query_id", "doc_id"]].assign(score=rng.random(n))
            .sample(frac=(i + 1) / 20, random_state=i) for i in range(8)]
    evaluator = QuickEvaluator(measures, judged)
    def evaluated(run):
        metrics, facts = evaluator.evaluate(run)
        return metrics, str(facts._replace(rankings=()))

    alone = list(map(evaluated, runs))
    assert len({facts for _, facts in alone}) == len(runs)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(evaluated, runs)) == alone
    finally:
        sys.setswitchinterval(interval)
