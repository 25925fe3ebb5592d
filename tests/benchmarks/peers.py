"""Other tools beside this package, on the same rankings: ``python tests/benchmarks/peers.py``
prints the table of README.md.

The qrels are read before the clock starts. Then our time is that from a run's frame to the value of
each topic; a peer's is that from what it takes (dictionaries, tuples, classes of its own), which it
is given ready made.
"""

import os
import sys
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pyndeval
import pytrec_eval
import ranx
from FairRankTune.Metrics.NDKL import NDKL as THEIR_NDKL
from ir_measures import alpha_nDCG, nDCG
from one_run import OURS, synthetic
from timing import seconds

from pt_fairness import NDKL, table
from pt_fairness.provider.evaluator import QuickEvaluator

ROUNDS = 3


def evaluator(measure, qrels):
    """Run → the values of its topics, sorted by topic; the qrels are read before."""
    ours = QuickEvaluator([measure], qrels)
    return lambda run: by_name({metric.query_id: metric.value for metric in ours.iter_calc(run)})


def by_name(topics):
    return np.array([topics[qid] for qid in sorted(topics)])


def by_topic(frame, column):
    """Topic → document → value: the form that pytrec_eval takes."""
    return {
        qid: dict(zip(rows["doc_id"], rows[column], strict=True))
        for qid, rows in frame.groupby("query_id")}


# Each gives the measure that both have, the peer's values and the run.


def fairranktune(qrels, run):
    """NDKL of the whole list against its own groups."""
    ordered = run.sort_values("score", ascending=False)
    ordered["group"] = ordered["doc_id"].str.extract("^([A-Z]+)", expand=False)
    lists = {qid: (rows[["doc_id"]], dict(zip(rows["doc_id"], rows["group"], strict=True)))
             for qid, rows in ordered.groupby("query_id")}
    return NDKL(target="run", groups="trec-newswire"), lambda: by_name(
        {qid: THEIR_NDKL(*one) for qid, one in lists.items()})


def ndeval(qrels, run):
    """α-nDCG, for which pyndeval takes tuples."""
    relevant = list(
        qrels[["query_id", "iteration", "doc_id", "relevance"]].itertuples(index=False, name=None))
    documents = [
        pyndeval.ScoredDoc(*row)
        for row in run[["query_id", "doc_id", "score"]].itertuples(index=False)]
    theirs = pyndeval.RelevanceEvaluator(
        [pyndeval.SubtopicQrel(*row) for row in relevant], ["alpha-nDCG@10"])
    return alpha_nDCG @ 10, lambda: by_name(
        {qid: found["alpha-nDCG@10"] for qid, found in theirs.evaluate(documents).items()})


def trec_eval(qrels, run):
    """nDCG, which this package leaves to pytrec_eval; it makes the dictionaries for it within the
    time.
    """
    theirs = pytrec_eval.RelevanceEvaluator(by_topic(qrels, "relevance"), {"ndcg_cut_10"})
    documents = by_topic(run, "score")
    return nDCG @ 10, lambda: by_name(
        {qid: found["ndcg_cut_10"] for qid, found in theirs.evaluate(documents).items()})


def trec_eval_in_ir_measures(qrels, run):
    """The same from the frame, as a user of ir_measures has it computed."""
    theirs = ir_measures.pytrec_eval.evaluator([nDCG @ 10], qrels)
    return nDCG @ 10, lambda: by_name(
        {metric.query_id: metric.value for metric in theirs.iter_calc(run)})


def compiled(qrels, run):
    """nDCG, which numba compiles before the clock starts."""
    columns = {"q_id_col": "query_id", "doc_id_col": "doc_id"}
    texts = {"query_id": object, "doc_id": object}
    relevant = ranx.Qrels.from_df(qrels.astype(texts), score_col="relevance", **columns)
    documents = ranx.Run.from_df(run.astype(texts), score_col="score", **columns)
    return nDCG @ 10, lambda: by_name(
        dict(
            zip(
                relevant.keys(), ranx.evaluate(relevant, documents, "ndcg@10", return_mean=False),
                strict=True)
        )
    )


PEERS = {"FairRankTune": fairranktune, "pyndeval": ndeval, "pytrec_eval": trec_eval,
         "pytrec_eval in ir_measures": trec_eval_in_ir_measures, "ranx": compiled}


def main():
    """Prints the table."""
    qrels, run = synthetic(100)
    nine = QuickEvaluator(OURS, qrels)
    rows = []
    for name, prepare in PEERS.items():
        measure, theirs = prepare(qrels, run)
        ours = evaluator(measure, qrels)
        difference = np.abs(theirs() - ours(run)).max()
        times = seconds(
            theirs, lambda ours=ours: ours(run), lambda: list(nine.iter_calc(run)), rounds=ROUNDS)
        rows.append(
            (
                name,
                measure.NAME + (f"@{measure['cutoff']}" if "cutoff" in measure.params else ""),
                f"{times[0] / times[1]:.2g}", f"{times[0] / times[2]:.2g}",
                f"{difference:.0e}" if difference else "0")
        )
    results = pd.DataFrame(
        rows,
        columns=[
            "peer", "measure", "speed-up", "speed-up, all nine measures",
            "largest difference in a topic"],
    )
    print(table(results).md, end="")
    print(f"\n{len(run)} rows, {len(qrels)} judgments. The nine: {', '.join(map(str, OURS))}. "
          f"Load of the machine: {os.getloadavg()[0]:.1f}.", file=sys.stderr)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
