"""What the functions of the analysis refuse, in one sentence."""

import pandas as pd
import pytest
from one_test import each

from pt_fairness import analysis, rKL, table

AVERAGES = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.1, 0.2], "rKL@5": [0.1, 0.2]})
PER_QUERY = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": ["1", "2"] * 2,
                          "measure": "BiasP@5", "value": [0.1, 0.2, 0.3, 0.5]})
QRELS = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1, "iteration": ["PRO", "CON"]})
RUN = QRELS[["qid", "docno"]].assign(score=[1.0, 2.0])


#: Functions of averages, and of per-query frames.
OF_AVERAGES = [analysis.minmax, analysis.correlations, table,
               lambda averages: analysis.combine(averages, ["nDCG@5"])]
OF_PER_QUERY = [analysis.bias_test, analysis.intervals, analysis.correlations,
                lambda frame: analysis.compare(frame, "A")]


@each("function", OF_AVERAGES + OF_PER_QUERY)
@each("given", [[1], None, "averages.csv", {"name": ["A"]}])
def test_no_frame(function, given):
    with pytest.raises(ValueError, match="DataFrame"):
        function(given)


def test_averages_are_not_a_per_query_frame():
    with pytest.raises(ValueError, match="per-query"):
        analysis.minmax(PER_QUERY)
    with pytest.raises(ValueError, match="no column 'qid'"):
        analysis.bias_test(AVERAGES)


@each("call, says", [
    (lambda: analysis.compare(PER_QUERY, "a"), "baseline .* got 'a'.* 'A'"),
    (lambda: analysis.compare(PER_QUERY, "A", test="z"), "test must"),
    (lambda: analysis.compare(PER_QUERY, "A", side="a"), "side must"),
    (lambda: analysis.compare(PER_QUERY, "A", tolerance=-1), "tolerance .* -1 for BiasP@5"),
    (lambda: analysis.compare(PER_QUERY, "A", tolerance={"P@5": 0}), "no measure 'P@5'"),
    (lambda: analysis.intervals(PER_QUERY, "z"), "method must"),
    (lambda: analysis.intervals(PER_QUERY, confidence=1), "confidence .* 1"),
    (lambda: analysis.intervals(PER_QUERY, confidence=0), "confidence .* 0"),
    (lambda: analysis.compare(PER_QUERY, "A", resamples=0), "resamples must"),
    (lambda: analysis.compare(PER_QUERY, "A", correction="x"), "correction .* 'x'"),
    (lambda: analysis.undefined(QRELS[:0], [rKL]), "the frame of qrels has no rows"),
    (lambda: analysis.ranked_groups({}, QRELS), "there are no runs"),
    (lambda: analysis.ranked_groups(3, QRELS), "runs must be .* got 3"),
    (lambda: analysis.ranked_groups({"A": RUN}, QRELS, depth=0), "depth must be"),
    (lambda: analysis.group_distribution(QRELS, rel="1"), "rel .* '1'"),
    (lambda: analysis.group_distribution(QRELS.assign(qid="all")), "topics .*'all'"),
    (lambda: table(AVERAGES, digits=True), "digits must"),
    (lambda: table(AVERAGES, labels={"AP": "a"}), "no measure 'AP'"),
    (lambda: table(AVERAGES, labels={"rKL@5": "nDCG@5"}), "labels .*'nDCG@5' for rKL@5")])
def test_one_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()
