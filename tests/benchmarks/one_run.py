"""What each measure costs on one run, as a ratio: ``python tests/benchmarks/one_run.py``.

The run has 100 topics of 1,000 documents, with docnos and groups as on TREC's newswire. The time
of a measure at 10 is divided by that of nDCG@10 by pytrec_eval; of three rounds, in which the
measures take turns, the shortest counts. It ends with an error if a measure takes longer.
"""

import sys
import time
import warnings

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG

from pt_fairness.measures import MEASURES

TOPICS, DEPTH, ROUNDS = 100, 1000, 3
#: The parameters of the measures that require some; those of document values are left out.
REQUIRED = {"OfGroup": {"measure": "nDCG", "group": "FT"}, "RepBias": {"group": "FT"},
            "Skew": {"group": "FT"}}
LEFT_OUT = {"RaB", "ARaB", "FaiRR", "NFaiRR", "RankingBias", "GFR", "TrecFair"}


def synthetic() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Qrels and a run, a tenth of whose documents are judged."""
    rng = np.random.default_rng(0)
    sources = np.array(["FBIS3-", "FR940104-0-", "FT911-", "LA010189-"])
    document = rng.permuted(np.tile(np.arange(4 * DEPTH), (TOPICS, 1)), axis=1)
    qid = np.repeat(np.char.mod("%d", np.arange(301, 301 + TOPICS)), 4 * DEPTH)
    docno = np.char.add(sources[document.ravel() % 4], document.ravel().astype(str))
    frame = pd.DataFrame({"query_id": qid, "doc_id": docno}).astype(str)
    place = np.tile(np.arange(4 * DEPTH), TOPICS)
    run = frame[place < DEPTH].assign(score=rng.standard_normal(TOPICS * DEPTH))
    judged = frame[(place < DEPTH // 10) | (place >= 4 * DEPTH - 1100)]
    qrels = judged.assign(relevance=(rng.random(len(judged)) < 0.05).astype(int),
                          iteration=judged["doc_id"].str.extract("^([A-Z]+)", expand=False))
    return qrels.reset_index(drop=True), run.reset_index(drop=True)


def main() -> int:
    """Measure and print; return how many measures take longer than nDCG@10."""
    warnings.simplefilter("ignore")
    qrels, run = synthetic()
    measures = [measure(**REQUIRED.get(name, {})) @ 10 for name, measure in MEASURES.items()
                if name not in LEFT_OUT]
    best = dict.fromkeys([nDCG @ 10, *measures], float("inf"))
    for _ in range(ROUNDS):
        for measure in best:
            start = time.perf_counter()
            ir_measures.calc_aggregate([measure], qrels, run)
            best[measure] = min(best[measure], time.perf_counter() - start)
    ratios = {measure: best[measure] / best[nDCG @ 10] for measure in measures}
    for measure in sorted(ratios, key=ratios.__getitem__, reverse=True):
        print(f"{measure!s:<40} {ratios[measure]:.2f}")
    return sum(ratio > 1 for ratio in ratios.values())


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
