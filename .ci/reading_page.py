"""The tables of the page on reading a value."""

from __future__ import annotations

from typing import Any

import pandas as pd
from ir_measures import parse_measure
from measure_page import csv_table

from pt_fairness import evaluate, reference_rankings
from pt_fairness.analysis import against_random
from pt_fairness.measures.descriptions import ideal_text

#: The number of random orders.
DRAWS = 1000
#: The relevant documents of a topic, by group: as many, and one to four.
POOLS = {"5 : 5": (5, 5), "2 : 8": (2, 8)}
EXACT = ("rND", "rKL", "rRD", "nDD", "nDR", "nDKL")
OTHERS = ("AWRF", "NDKL", "DistFair", "DistKL", "nDJS", "rKL(protected='all')", "EEL(by='group')",
          "EED(by='group')", "logDP", "logEUR", "Skew(group='P')", "RepBias(group='P')",
          "BiasP(pro='P',con='N')", "FAIR", "PreF", "ARP", "GF", "PEER", "IAA(by='group')")


def pool(protected: int, others: int) -> pd.DataFrame:
    """Return qrels of one topic with relevant documents of two groups, P and N."""
    docnos = [*(f"P{i}" for i in range(protected)), *(f"N{i}" for i in range(others))]
    return pd.DataFrame({"qid": "1", "docno": docnos, "label": 1,
                         "iteration": [docno[0] for docno in docnos]})


def _named(name: str, cutoff: int) -> Any:
    measure = parse_measure(f"{name}@{cutoff}")
    return measure(protected="P") if name in EXACT else measure


def exact() -> list[list[str]]:
    """Return the fairest possible value and that of a random order, by pool."""
    rows = []
    for name in EXACT:
        for cutoff in (5, 10):
            measure, cells = _named(name, cutoff), [f"``{name}@{cutoff}``"]
            for counts in POOLS.values():
                qrels = pool(*counts)
                run = reference_rankings(qrels, kinds="proportional")
                found = against_random(run, qrels, measure, draws=DRAWS).iloc[0]
                cells += [f"{found['fairest']:.3f}", f"{found['random']:.2f}"]
            rows.append(cells)
    return rows


def others() -> list[list[str]]:
    """Return the ideal value, the random order and the extremes of the reference rankings."""
    rows = []
    for name in OTHERS:
        measure = _named(name, 5)
        cells = [f"``{measure}``", ideal_text(measure)]
        qrels = pool(*POOLS["2 : 8"])
        runs = reference_rankings(qrels, draws=DRAWS)
        values = evaluate(runs, qrels, measure, progress=False)[0].set_index("name").iloc[:, 0]
        ends = values.drop("random")
        rows.append([*cells, f"{values['random']:.2f}", f"{ends.min():.2f} to {ends.max():.2f}"])
    return rows


def tables() -> list[str]:
    """Return the tables in the order of the page."""
    heads = [f"{name}, {value}" for name in POOLS for value in ("fairest", "random")]
    return [csv_table(["measure", *heads], exact()),
            csv_table(["measure", "ideal value", "random order", "other rows"], others())]
