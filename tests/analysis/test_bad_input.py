"""What the functions of the analysis refuse, in one sentence."""

from __future__ import annotations

import ir_measures
import pandas as pd
import pytest
from one_test import each

import pt_fairness
from pt_fairness import analysis, evaluation, groups, rename, rKL, runs

AVERAGES = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.1, 0.2], "rKL@5": [0.1, 0.2]})
PER_QUERY = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": ["1", "2"] * 2,
                          "measure": "BiasP@5", "value": [0.1, 0.2, 0.3, 0.5]})
QRELS = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1, "iteration": ["PRO", "CON"]})
RUN = QRELS[["qid", "docno"]].assign(score=[1.0, 2.0])

NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}

#: Functions of averages, and of per-query frames.
OF_AVERAGES = [analysis.minmax, analysis.top, analysis.rank_table, analysis.correlations,
               lambda table: analysis.combine(table, ["nDCG@5"]), analysis.highlight,
               lambda table: rename(table, {"nDCG@5": "x"})]
OF_PER_QUERY = [analysis.bias_summary, analysis.long_form, analysis.correlations,
                lambda frame: analysis.compare(frame, "A")]


@each("function", OF_AVERAGES + OF_PER_QUERY)
@each("given", [[1], None, "averages.csv", {"name": ["A"]}])
def test_no_frame(function, given):
    with pytest.raises(ValueError, match="has to be a DataFrame, not a"):
        function(given)


@each("function, frame", [
    *((function, AVERAGES) for function in OF_AVERAGES if function is not OF_AVERAGES[-1]),
    *((function, PER_QUERY) for function in OF_PER_QUERY)])
def test_no_rows(function, frame):
    with pytest.raises(ValueError, match="has no rows"):
        function(frame[:0])


@each("function", [analysis.minmax, analysis.top, analysis.rank_table])
def test_averages_are_no_per_query_frame(function):
    with pytest.raises(ValueError, match="this is a per-query frame, and averages are needed"):
        function(PER_QUERY)
    with pytest.raises(ValueError, match="the per-query frame has no column 'qid'"):
        analysis.bias_summary(AVERAGES)


@each(
    "call, says",
    [
        (lambda: analysis.top(AVERAGES, n="3"), "n='3' is not possible"),
        (lambda: analysis.top(AVERAGES, n=1.5), "n=1.5 is not possible"),
        (lambda: analysis.rank_table(AVERAGES, by=0), "the table has no measure '0'"),
        (lambda: analysis.combine(AVERAGES, "nDCG@5"), "combine needs the names of the columns"),
        (lambda: analysis.compare(PER_QUERY, [None]), "no system is named None"),
        (lambda: analysis.compare(PER_QUERY, 0, test="z"), "test='z' is not possible; it"),
        (lambda: analysis.compare(PER_QUERY, 0, side="a"), "side='a' is not possible; it tak"),
        (lambda: analysis.compare(PER_QUERY, 0, tolerance=-1), "the tolerance of BiasP@5 is -1"),
        (lambda: analysis.compare(PER_QUERY, 0, tolerance="x"), "the tolerance of BiasP@5 is 'x'"),
        (lambda: analysis.compare(PER_QUERY, 0, tolerance={"P@5": 0}), "has no values of 'P@5'"),
        (lambda: analysis.intervals(PER_QUERY, "z"), "method='z' is not possible; it takes 't' or"),
        (lambda: analysis.intervals(PER_QUERY, confidence=1), "confidence level 1 is not possible"),
        (lambda: analysis.intervals(PER_QUERY, resamples=1.5), "resamples=1.5 is not possible"),
        (lambda: analysis.intervals(PER_QUERY, undefined="x"), "undefined='x' is not possible"),
        (lambda: analysis.intervals(PER_QUERY, undefined="drop"), "needs to know the undefined"),
        (lambda: analysis.compare(PER_QUERY, True), "no system is named True"),
        (lambda: analysis.compare(PER_QUERY, -1), "baseline=-1 is no position among 2 systems"),
        (lambda: analysis.compare(PER_QUERY, 0, confidence="95"), "confidence level '95' is not"),
        (lambda: analysis.compare(PER_QUERY, 0, resamples=0), "resamples=0 is not possible"),
        (lambda: analysis.compare(PER_QUERY, 0, correction="x"), "correction='x' is not possible"),
        (lambda: analysis.group_distribution(QRELS, rel="1"), "rel='1' is not possible"),
        (lambda: analysis.undefined(QRELS[:0], [rKL]), "the frame of qrels has no rows"),
        (lambda: analysis.explain(rKL, RUN, QRELS[:0], "1"), "the frame of qrels has no rows"),
        (lambda: analysis.ranked_groups({}, QRELS), "there are no runs"),
        (lambda: analysis.ranked_groups(3, QRELS), "runs=3 is a int; a run is"),
        (lambda: analysis.ranked_groups({"A": RUN}, QRELS, depth=0), "depth=0 is not possible"),
        (lambda: analysis.ranked_groups({"A": RUN}, QRELS, depth="5"), "depth='5' is not"),
        (lambda: evaluation.evaluate(3, QRELS, ["AP"]), "runs=3 is a int; a run is"),
        (lambda: evaluation.evaluate(RUN, QRELS, {"AP": 1}), "is a dict; measures are objects"),
        (lambda: evaluation.as_text([1], "csv"), "the table has to be a DataFrame"),
        (lambda: evaluation.as_text(AVERAGES, "rtf"), "form='rtf' is not possible"),
        (lambda: evaluation.as_text(AVERAGES, "md", digits=True), "digits=True is not possible"),
        (lambda: pt_fairness.with_groups([rKL], ["a"]), "takes one group source, not a list"),
        (lambda: pt_fairness.read_run(RUN), "a file is given by its path, not by a DataFrame"),
        (lambda: pt_fairness.read_qrels(3), "a file is given by its path, not by a int"),
        (lambda: groups.from_pattern(3), "a pattern is text, not a int"),
        (lambda: runs.register("x", [1]), "a file is given by its path, not by a list")],
)
def test_one_sentence(call, says):
    with pytest.raises(ValueError, match=says) as told:
        call()
    assert "\n" not in str(told.value)


def twice(frame, column):
    return pd.concat([frame, frame[[column]]], axis=1)


@each(
    "call, says",
    [
        (lambda: evaluation.evaluate(RUN, twice(QRELS, "label"), "AP"), "has .* 'label' twice"),
        (lambda: evaluation.evaluate(twice(RUN, "qid"), QRELS, "AP"), "run has .* 'qid' twice"),
        (lambda: ir_measures.calc_aggregate([rKL], twice(QRELS, "label").rename(columns=NAMES),
                                            RUN.rename(columns=NAMES)), "'relevance' twice"),
        (lambda: ir_measures.calc_aggregate([rKL], QRELS.rename(columns=NAMES),
                                            twice(RUN, "score").rename(columns=NAMES)),
         "the run has the column 'score' twice"),
        (lambda: analysis.explain(rKL, twice(RUN, "score"), QRELS, "1"), "run 0' has .* twice"),
        (lambda: analysis.ranked_groups(RUN, twice(QRELS, "iteration")), "'iteration' twice"),
        (lambda: analysis.compare(twice(PER_QUERY, "value"), "A"), "frame has .* 'value' twice"),
    ],
)
def test_a_column_twice(call, says):
    with pytest.raises(ValueError, match=says):
        call()
