"""What the tests of the provider share."""

import random
import warnings
from collections.abc import Callable
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import alpha_nDCG
from measure_cases import values_of

from pt_fairness import Annotated, FairnessWarning, nDD, nDJS, nDKL, nDR, rKL, rND, rRD

#: The columns of ir_measures.
QRELS = ["query_id", "doc_id", "relevance", "iteration"]
RUN = ["query_id", "doc_id", "score"]
ALL = [rND @ 10, rKL @ 5, rRD, nDD @ 4, nDR, nDKL @ 10, nDJS, Annotated @ 10, alpha_nDCG @ 5]


def by_topic(measures: list[Any], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    found = values_of(measures, qrels, run)
    return {(str(measure), qid): value for (measure, qid), value in found.items()}


def told(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in log if issubclass(w.category, FairnessWarning)]


def told_of(measures: list[Any], qrels: Any, run: Any) -> list[str]:
    return told(lambda: ir_measures.calc_aggregate(measures, qrels, run))


def subtopic_case(seed: int, subtopics: int = 6, documents: int = 40,
                  topics: int = 4) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Documents of several subtopics each, graded; the ideal depends on its greed and its ties."""
    pick = random.Random(seed)
    qrels, run = [], []
    for t in range(topics):
        for i in range(documents):
            docno = f"d{pick.choice('aé9')}{i}"
            number = min(subtopics, pick.choice([0, 1, 1, 2, 3, 5]))
            for subtopic in pick.sample(range(subtopics), number):
                qrels.append((str(t), docno, pick.choice([0, 1, 1, 2]), str(subtopic)))
            if pick.random() < 0.8:
                run.append((str(t), docno, pick.random()))
    pick.shuffle(qrels)
    return pd.DataFrame(qrels, columns=QRELS), pd.DataFrame(run, columns=RUN)
