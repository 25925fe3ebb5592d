"""What reference rankings cost: ``python tests/benchmarks/references.py``.

With ``--study``, 1,000 systems in random orders are compared with random orders instead: at 5 %,
between 3.5 and 6.5 % of them should be told apart.
"""

import sys
import time
import warnings

import ir_measures
import numpy as np
import pandas as pd
from timing import report, seconds

from pt_fairness import nDD, rKL, rND
from pt_fairness.analysis import against_random


def experiment(topics: int, documents: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run, and qrels in which every document is judged and has one of two groups."""
    rng = np.random.default_rng(0)
    rows = [(f"t{t}", f"d{d}") for t in range(topics) for d in range(documents)]
    run = pd.DataFrame(rows, columns=["qid", "docno"]).assign(score=rng.random(len(rows)))
    return run, run[["qid", "docno"]].assign(label=rng.integers(0, 2, len(rows)),
                                             iteration=rng.choice(["A", "B"], len(rows)))


def costs() -> int:
    """Returns how many bounds were missed."""
    run, qrels = (frame.rename(columns={"qid": "query_id", "docno": "doc_id",
                                        "label": "relevance"}) for frame in experiment(100, 1000))
    scorers = [ir_measures.evaluator([measure @ 100], qrels)
               for measure in (rKL(norm="range"), rKL(target="run"))]
    ranged, of_run = seconds(*(lambda one=one: list(one.iter_calc(run)) for one in scorers))
    run, qrels = experiment(50, 100)
    start = time.perf_counter()
    against_random({"A": run}, qrels, [rKL @ 10, rND @ 10, nDD @ 10], draws=1000)
    took = time.perf_counter() - start
    return report([
        ("rKL(norm='range')@100 / rKL(target='run')@100, 100,000 rows", ranged / of_run, "≤ 3",
         ranged <= 3 * of_run),
        ("seconds for 1,000 draws × 50 topics × 100 documents × 3 measures", took, "under 5",
         took < 5)])


def study(systems: int = 1000) -> int:
    """Returns 1 if the share of systems that are told apart is out of bounds."""
    rng = np.random.default_rng(1)
    _, qrels = experiment(10, 10)
    runs = {f"S{i}": qrels[["qid", "docno"]].assign(score=rng.random(len(qrels)))
            for i in range(systems)}
    found = against_random(runs, qrels.assign(label=1), rKL @ 5, draws=199)
    share = 100 * (found["p"] <= 0.05).mean()
    return report([("% of systems in random order with p ≤ .05", share, "3.5 to 6.5",
                    3.5 <= share <= 6.5)])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(1 if (study() if "--study" in sys.argv else costs()) else 0)
