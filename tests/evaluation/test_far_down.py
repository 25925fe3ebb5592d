"""A value that is built on documents far below the cutoff: the note of the table says so."""

import pandas as pd
import pytest
from evaluation.common import PROCESSES, evaluate_quietly
from ir_measures import nDCG

from pt_fairness import Annotated, BiasP, rKL

QRELS = pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in range(6)], "label": 1,
                      "iteration": list("PPPCCC")})


def run_of(ranks, length=50):
    """A run with the judged documents at some ranks, and unjudged ones at the others."""
    docnos = [f"x{rank}" for rank in range(1, length + 1)]
    for i, rank in enumerate(ranks):
        docnos[rank - 1] = f"d{i}"
    return pd.DataFrame({"qid": "1", "docno": docnos, "score": range(length, 0, -1)})


RUNS = {"near": run_of([1, 2, 3, 4, 5, 6]), "far": run_of([1, 2, 6, 30, 48, 50]),
        "few": run_of([1, 2, 40])}
MEASURES = [rKL @ 5, rKL, nDCG @ 5, Annotated @ 5, BiasP(pro="P", con="C") @ 5]


@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_shares_below_one_half(n_jobs):
    result = evaluate_quietly(RUNS, QRELS, MEASURES, n_jobs=n_jobs)
    assert result.facts.far_down == {"rKL@5": {"far": 0.4}}
    assert evaluate_quietly(RUNS, QRELS, [rKL @ 4]).facts.far_down == {}, "exactly one half"
    for table, name in ((result.table(), "rKL@5"), (result.table(labels={"rKL@5": "U"}), "U")):
        assert any(note.startswith(f"{name} ") and "40% of far" in note for note in table.notes)
