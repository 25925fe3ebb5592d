"""A value that is built on documents far below the cutoff: the note of the table says so."""

from __future__ import annotations

import pandas as pd
import pytest
from evaluation.common import PROCESSES, evaluate_quietly
from ir_measures import nDCG

from pt_fairness import Annotated, BiasP, rename, rKL
from pt_fairness.analysis.notes import notes
from pt_fairness.evaluation import as_text

QRELS = pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in range(6)], "label": 1,
                      "iteration": list("PPPCCC")})


def run_of(ranks, length=50):
    """A run with the judged documents at some ranks, and unjudged ones at the others."""
    docnos = [f"x{rank}" for rank in range(1, length + 1)]
    for i, rank in enumerate(ranks):
        docnos[rank - 1] = f"d{i}"
    return pd.DataFrame({"qid": "1", "docno": docnos, "score": range(length, 0, -1)})


RUNS = {"near": run_of([1, 2, 3, 4, 5, 6]), "far": run_of([1, 2, 20, 30, 48, 50]),
        "few": run_of([1, 2, 40])}
MEASURES = [rKL @ 5, rKL, nDCG @ 5, Annotated @ 5, BiasP(pro="P", con="C") @ 5]


@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_shares_below_one_half(n_jobs):
    averages, per_query = evaluate_quietly(RUNS, QRELS, MEASURES, n_jobs=n_jobs)
    for table in (averages, per_query):
        assert table.attrs["far down"] == {"rKL@5": {"far": 0.4}}
    says = ("rKL@5 counts documents far down: of those that it counts, 40% of far are within the "
            "cutoff.")
    assert says in notes(averages)
    renamed = rename(averages, {"rKL@5": "Unfairness"})
    assert says.replace("rKL@5", "Unfairness") in as_text(renamed, "md")


def test_several_topics_count_together():
    qrels = pd.concat([QRELS, QRELS.assign(qid="2")])
    runs = {"A": pd.concat([RUNS["near"], RUNS["far"].assign(qid="2")]),
            "B": pd.concat([RUNS["few"], RUNS["far"].assign(qid="2")])}
    for k, shares in ((3, {}), (5, {}), (6, {"rKL@6": {"B": 4 / 9}})):
        averages, _ = evaluate_quietly(runs, qrels, [rKL @ k])
        assert averages.attrs["far down"] == shares
