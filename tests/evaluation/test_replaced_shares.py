"""Topics in which a share of 0 is replaced, so that the mean skew depends on the replacement."""

import pandas as pd
import pytest
from evaluation.common import PROCESSES, evaluate_quietly

from pt_fairness import MaxSkew, MinSkew, Skew, report, rKL

#: Topic 3 has no relevant document of C, topic 4 none with a group and no results.
QRELS = pd.DataFrame({"qid": [*"11122233334"], "docno": [*"abcabcabdcx"],
                      "label": [1] * 9 + [0, 1], "iteration": [*"PPCPPCPPPC0"]})
RUNS = {name: pd.DataFrame({"qid": [*"112233"], "docno": [*docnos], "score": [2, 1] * 3})
        for name, docnos in (("A", "acabac"), ("B", "acacab"))}
#: The number of topics of A and of B whose value is the logarithm of a replaced share.
CASES = {Skew(group="C") @ 1: (4, 4), Skew(group="C") @ 2: (2, 2),
         Skew(group="C", target="qrels") @ 2: (2, 0), MinSkew @ 2: (2, 2),
         MinSkew(target="qrels") @ 2: (1, 0), MaxSkew @ 2: (1, 1),
         MaxSkew(target="qrels") @ 2: (1, 0), rKL @ 2: (0, 0)}


@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_topics_of_each_system(n_jobs):
    result = evaluate_quietly(RUNS, QRELS, list(CASES), n_jobs=n_jobs)
    counts = result.facts.replaced
    assert {measure: tuple(counts.get(str(measure), {}).get(name, 0) for name in RUNS)
            for measure in CASES} == CASES
    notes = " ".join(result.table(labels={MinSkew @ 2: "least"}).notes)
    assert "2 of 4 topics of A" in notes and "least" in notes


@pytest.mark.filterwarnings("ignore")
def test_paragraph_for_a_paper():
    paragraph = report(RUNS, QRELS, [MaxSkew @ 2], progress=False).paragraph
    assert "0.001: in 1 of 4 topics of A" in paragraph
