"""The numbers at the ranks of all topics at once, compared with those of explain for one topic."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from pt_fairness import evaluate, explain
from pt_fairness.evaluation.plan import make_plan
from pt_fairness.evaluation.workers import Scorer
from pt_fairness.provider.measure_lists import parsed
from pt_fairness.reporting.evaluated_runs import Experiment
from pt_fairness.reporting.steps import CONTRIBUTION

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

#: Sums and means over ranks of every kind, with the parameters that change them.
SUMS = ["rND@5", "rND(norm='none',step=2)@5", "rND(step=3)@7", "rND(step=9)@4",
        "rND(target='run')@4", "rKL@5", "rKL(protected='all')@5",
        "rKL(protected='all',target='run')@4", "rRD@5", "nDD(norm='protected-first')@4", "nDKL@3",
        "nDJS@5", "nDJS(protected='g1')@4", "NDKL(target='qrels')@4", "BiasP(pro='g0',con='g1')@5",
        "BiasDCG(pro='g1',con='g0',abs=True)@6", "Annotated@5",
        "FaiRR(values={'g0':0.5,'g1':0.25})@5", "PreF@5", "GF@5", "GFR(attributes={})@5", "AP",
        "AP@4", "P@3", "R@5", "RR", "Rprec", "nDCG", "nDCG@5", "alpha_nDCG@5", "alpha_DCG@3",
        "alpha_nDCG", "alpha_DCG(alpha=0.1)@1", "alpha_nDCG(judged_only=True)@3", "ERR_IA@5",
        "nERR_IA@10"]
SO_FAR = ["AWRF@5", "AWRF(unannotated='keep')@4", "DistKL@5", "RADio@4", "MinSkew@5",
          "Skew(group='g0')@5", "RepBias(group='g0')@3", "IAA@5", "EEL@5", "ARP@5", "Success@5"]


class Case(NamedTuple):
    """Frames with the column names of ir_measures."""

    qrels_frame: pd.DataFrame
    run_frame: pd.DataFrame


def experiment_of(case, measures, depth=20):
    runs = {"one": case.run_frame.rename(columns={"query_id": "qid", "doc_id": "docno"})}
    qrels = case.qrels_frame
    averages, perquery = evaluate(runs, qrels, measures, progress=False)
    scorer = Scorer(make_plan(qrels, parsed(measures), 1))
    return Experiment(runs, scorer, averages, perquery, depth)


@pytest.mark.first(1)
@pytest.mark.parametrize("seed, every", [(0, 5), (1, 1)])
def test_numbers_are_those_of_explain(make_case, seed, every):
    case = make_case(seed, topics=4, several=seed == 1)
    # Each label that a measure names has to be one of the judged documents.
    known = set(case.qrels_frame["iteration"])
    sums, so_far = ([one for one in some if set(re.findall(r"'(g\d)'", one)) <= known]
                    for some in (SUMS, SO_FAR))
    experiment = experiment_of(case, [*sums, *so_far])
    strip = experiment.strips[0]
    for i, measure in [*enumerate(experiment.plan.measures)][::every]:
        numbers = experiment.numbers[0][measure]
        kind = "contribution" if experiment.columns[i].method.kind == CONTRIBUTION else "value"
        assert kind == ("contribution" if i < len(sums) else "value"), measure
        for t, qid in enumerate(experiment.topics):
            frame = explain(measure, case.run_frame, case.qrels_frame, qid)
            own = numbers[strip.topic == t][: len(frame)]
            assert strip.docno[strip.topic == t][: len(frame)].tolist() == frame["docno"].tolist()
            assert own == pytest.approx(frame[kind].to_numpy(), abs=1e-9, nan_ok=True), (
                measure, qid)
            if kind == "contribution" and frame["counts"].any():
                value = experiment.values[0, t, i]
                assert np.nansum(numbers[strip.topic == t]) == pytest.approx(value, abs=1e-9)


def test_contributions_of_judged_documents_add_up(make_case):
    experiment = experiment_of(make_case(0, topics=4), ["nDCG(judged_only=True)@4"])
    strip, (numbers,) = experiment.strips[0], experiment.numbers[0].values()
    sums = np.bincount(strip.topic, numbers, minlength=4)
    assert sums == pytest.approx(experiment.values[0, :, 0], abs=1e-9)
    assert (numbers[np.isnan(strip.label)] == 0).all()


def test_measures_that_are_deeper_than_the_strips(make_case):
    experiment = experiment_of(make_case(0, topics=3), ["rKL@12", "AWRF@12", "rKL"], depth=3)
    kinds = [column.method.kind for column in experiment.columns]
    assert kinds == ["contribution", "value so far", "contribution"]
    assert all(one.place.max() < 3 for one in experiment.strips)


def test_a_provider_that_ranks_ties_in_its_own_way_has_no_contributions():
    # RR with a cutoff is of ir_measures' msmarco provider, which does not order ties by docno.
    qrels = pd.DataFrame(
        {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "relevance": [1, 0, 1]})
    run = pd.DataFrame(
        {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "score": [1.0, 1.0, 1.0]})
    experiment = experiment_of(Case(qrels.assign(iteration="g"), run), ["RR@5", "P@2", "Judged@1"])
    values = experiment.values[0]
    contributions, precision, judged = experiment.numbers[0].values()
    assert values[:, 0].tolist() == [1.0, 1.0] and values[:, 1].tolist() == [0.5, 0.5]
    assert np.isnan(contributions[:2]).all() and contributions[2] == 1.0
    assert precision.tolist() == [0.0, 0.5, 0.5]
    assert judged.tolist() == [1.0, 1.0, 1.0]


def test_a_measure_without_a_cutoff_has_no_numbers(make_case):
    experiment = experiment_of(make_case(0, topics=3), ["Bpref", "rKL@3"])
    without, column = experiment.columns
    assert without.method.kind is None and [*experiment.numbers[0]] == [column.measure]


def test_the_two_sides_of_ndjs_are_those_of_ndkl():
    # A is the minority of the relevant documents, B that of the run.
    rows = [("a", "A", 1), ("b", "B", 1), ("c", "B", 1), ("d", "A", 0), ("e", "A", 0)]
    qrels = pd.DataFrame(rows, columns=["doc_id", "iteration", "relevance"]).assign(query_id="1")
    run = pd.DataFrame({"query_id": "1", "doc_id": ["d", "b", "a", "e"], "score": [4, 3, 2, 1]})
    for protected in ("minority", "A", "A,B"):
        kl, js = (f"{name}(protected='{protected}')@3" for name in ("nDKL", "nDJS"))
        one, other = (explain(measure, run, qrels, "1") for measure in (kl, js))
        same = ["rank", "docno", "counts", "protected", "protected share", "protected target",
                *one.filter(regex="^(share|target) of ")]
        pd.testing.assert_frame_equal(one[same], other[same])
        assert one.attrs["protected"] == other.attrs["protected"]
        experiment = experiment_of(Case(qrels, run), [kl, js])
        labels = experiment.sources[0].labels
        for i in (0, 1):  # of the only system and topic
            protected = experiment.columns[i].protected[0][0]
            assert [labels[group] for group in protected] == one.attrs["protected"]
        assert experiment.columns[0].targets[0] == experiment.columns[1].targets[0]
