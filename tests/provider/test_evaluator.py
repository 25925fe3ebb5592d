"""The evaluator: inputs, warnings, other measures beside it."""

from __future__ import annotations

import warnings

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, ERR_IA, P, nDCG
from ir_measures.util import Qrel, ScoredDoc
from provider_cases import ALL, by_topic, told

from pt_fairness import (
    AWRF,
    Annotated,
    FairnessWarning,
    groups,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
)


def test_it_is_registered():
    assert ir_measures.providers.registry["fairness"].NAME == "fairness"
    assert ir_measures.DefaultPipeline.providers.index(ir_measures.providers.registry["fairness"]) \
        < ir_measures.DefaultPipeline.providers.index(ir_measures.pyndeval)
    for measure in (rND, rKL, rRD, nDD, nDR, nDKL, nDJS, Annotated):
        assert ir_measures.measures.registry[measure.NAME] is measure
        assert measure.PRETTY_NAME and measure.SHORT_DESC.endswith(".") and measure.__doc__
        assert all(info.desc for info in measure.SUPPORTED_PARAMS.values())
        assert len(measure.RANGE) == 2 and measure.FAIR_END in measure.RANGE


@pytest.mark.parametrize("dtype", ["str", object, "string"])
@pytest.mark.parametrize("extra", [False, True], ids=["", "extra columns"])
def test_every_form_of_input_gives_the_same(make_case, dtype, extra):
    case = make_case(3, several=True)
    qrels, run = case.qrels_frame, case.run_frame
    expected = by_topic(ALL, qrels, run)
    typed = [
        qrels.astype({"query_id": dtype, "doc_id": dtype}),
        run.astype({"query_id": dtype, "doc_id": dtype})]
    if extra:
        typed = [frame.assign(rank=7, text="x", query="y", name="run") for frame in typed]
    typed[0].index, typed[1].index = typed[0].index[::-1] + 5, np.zeros(len(run), int)
    before = [frame.copy(deep=True) for frame in typed]
    assert by_topic(ALL, *typed) == expected
    for frame, copy in zip(typed, before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)
    as_qrels, as_docs = [Qrel(*row) for row in case.qrels], [ScoredDoc(*row) for row in case.run]
    assert by_topic(ALL, as_qrels, as_docs) == expected
    assert by_topic(ALL, iter(as_qrels), (doc for doc in as_docs)) == expected
    as_dict: dict[str, dict[str, float]] = {}
    for qid, docno, score in case.run:
        as_dict.setdefault(qid, {})[docno] = score
    assert by_topic(ALL, qrels, as_dict) == expected


def test_qrels_as_a_dict_have_their_groups_elsewhere(make_case):
    case = make_case(4)
    source = groups.from_frame(case.groups_frame)
    measures = [kind(groups=source) for kind in (rND, nDJS, Annotated)]
    qrels: dict[str, dict[str, int]] = {}
    for qid, docno, relevance, _ in case.qrels:
        qrels.setdefault(qid, {}).setdefault(docno, relevance)
    frame = pd.DataFrame([(q, d, r) for q, docs in qrels.items() for d, r in docs.items()],
                         columns=["query_id", "doc_id", "relevance"])
    assert by_topic(measures, qrels, case.run_frame) == by_topic(measures, frame, case.run_frame)
    with pytest.raises(ValueError, match="no groups"):
        by_topic([rND], qrels, case.run_frame)


def test_the_whole_interface(make_case):
    case = make_case(5)
    qrels, run, other = case.qrels_frame, case.run_frame, make_case(6).run_frame
    per_query = by_topic(ALL, qrels, run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        evaluator = ir_measures.evaluator(ALL, qrels)
        for frame in (run, other, run):  # an evaluator is used for many runs
            assert {
                (str(m.measure), m.query_id): m.value for m in evaluator.iter_calc(frame)
            } == by_topic(ALL, qrels, frame)
        means = evaluator.calc_aggregate(run)
        assert ir_measures.calc_aggregate(ALL, qrels, run) == means
        found = ir_measures.calc(ALL, qrels, run)
        direct = {
            (str(m.measure), m.query_id): m.value
            for m in ir_measures.providers.registry["fairness"].iter_calc(ALL, qrels, run)}
    assert direct == per_query
    assert found.aggregated == means
    assert len(found.per_query) == len(per_query)
    qids = {qid for _, qid in per_query}
    assert qids == set(qrels["query_id"])
    for measure in ALL:
        assert means[measure] == pytest.approx(
            np.mean([per_query[str(measure), qid] for qid in qids]))


def test_beside_other_measures(make_case):
    case = make_case(7)
    qrels = case.qrels_frame.drop_duplicates(["query_id", "doc_id"])
    mixed = by_topic([*ALL, nDCG @ 5, AP, P @ 3, ERR_IA @ 5], qrels, case.run_frame)
    for measure in [*ALL, nDCG @ 5, AP, P @ 3]:
        assert {key: value for key, value in mixed.items() if key[0] == str(measure)} \
            == by_topic([measure], qrels, case.run_frame)


def test_a_topic_of_the_run_alone_is_left_out_and_one_of_the_qrels_alone_is_not(worked):
    qrels = pd.concat([worked.qrels_frame, worked.qrels_frame.assign(query_id="only judged")])
    run = pd.concat([worked.run_frame, worked.run_frame.assign(query_id="only retrieved")])
    found = by_topic([rND @ 3, Annotated], qrels, run)
    assert found[("rND@3", "1")] == pytest.approx(0.54330, abs=5e-6)
    assert found[("rND@3", "only judged")] == 1.0 and found[("Annotated", "only judged")] == 0.0
    assert "only retrieved" not in {qid for _, qid in found}


def test_a_run_and_qrels_that_share_no_topic_are_warned_of(worked):
    run = worked.run_frame.assign(query_id="q1")
    found = told(lambda: ir_measures.calc_aggregate([rND @ 3], worked.qrels_frame, run))
    assert found == [
        "the run has none of the 1 topics of the qrels: it has topics such as 'q1', they have "
        "topics such as '1'"
    ]


def test_groups_of_other_documents_are_warned_of(worked):
    other = groups.from_mapping({"Xa": "PRO", "Xc": "CON"}, name="other")
    found = told(
        lambda: ir_measures.calc_aggregate(
            [rND(groups=other) @ 3], worked.qrels_frame, worked.run_frame)
    )
    assert len(found) == 2 and found[0].startswith(
        "no judged document, such as 'a', and no document of the run, such as 'c', has a group in")
    assert found[1].endswith(
        "1 of 1 topics (no relevant document, such as 'a', has a group in Groups('other', ['CON', "
        "'PRO']))"
    )
    # Measures that need no relevant document have a warning, too.
    found = told(
        lambda: ir_measures.calc_aggregate(
            [AWRF(groups=other) @ 3, nDJS(groups=other)], worked.qrels_frame, worked.run_frame)
    )
    assert len(found) == 1 and found[0].startswith("no judged document, such as 'a', and no doc")
    # One warning of undefined topics, whatever the sources of the measures.
    qrels = worked.qrels_frame[worked.qrels_frame["iteration"] == "PRO"]
    found = told(
        lambda: ir_measures.calc_aggregate(
            [rND @ 3, rND(groups=other) @ 3], qrels, worked.run_frame)
    )
    assert (
        len(found) == 2 and "rND@3 on 1 of 1 topics" in found[1]
        and "rND(groups='other')@3 on 1 of 1 topics" in found[1])


def test_a_warning_in_an_experiment_is_shown_at_the_line_of_the_user(worked):
    qrels, run = (
        pt.model.from_ir_measures(worked.qrels_frame), pt.model.from_ir_measures(worked.run_frame))
    with pytest.warns(FairnessWarning) as found:
        pt.Experiment(
            [run], pd.DataFrame({"qid": ["1"], "query": ["q"]}), qrels, [rND(protected="NONE") @ 3],
            names=["a"])
    assert {one.filename for one in found if issubclass(one.category, FairnessWarning)} == {
        __file__}


class Grouped(groups.Groups):
    """Groups of a class, with labels that it may not keep to."""

    def __init__(self, found, labels=None, topics=None):
        super().__init__("grouped")
        self._found, self.labels, self.topics = found, labels, topics
        self.complete = labels is not None

    def lookup(self, qids, docnos):
        rows = [(qid, docno, group) for qid, docno in zip(qids, docnos, strict=True)
                for group in self._found.get(docno, "")]
        return pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype=object)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_the_topics_of_a_source_can_be_any_collection(kind):
    qrels = pd.DataFrame({"query_id": ["1", "2"], "doc_id": "a", "relevance": 1})
    run = qrels[["query_id", "doc_id"]].assign(score=1.0)
    source = Grouped({"a": "A"}, topics=kind(["1"]))
    values = [one.value for one in ir_measures.iter_calc([AWRF(groups=source) @ 5], qrels, run)]
    assert np.isnan(values).tolist() == [False, True]


def test_a_label_that_only_the_target_of_another_measure_adds():
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abc"), "relevance": 1})
    run = qrels[["query_id", "doc_id"]].assign(score=[3.0, 2.0, 1.0])
    source = Grouped({"a": "A", "b": "AB", "c": "C"}, labels=["A", "C"])
    pooled = AWRF(groups=source, target="collection") @ 5
    other = AWRF(groups=source, target={"A": 0.5, "B": 0.5}) @ 5
    with pytest.warns(FairnessWarning, match="'B'"):
        together = ir_measures.calc_aggregate([pooled, other], qrels, run)
    alone = ir_measures.calc_aggregate([pooled], qrels, run)
    assert together[pooled] == pytest.approx(alone[pooled], abs=1e-12)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_topics_of_several_types_are_those_of_ndeval():
    qrels = pd.DataFrame({"query_id": pd.Series(["q1", "q1", 2.0, 2.0], dtype=object),
                          "doc_id": list("abab"), "relevance": 1, "iteration": list("xyxy")})
    run = pd.DataFrame({"query_id": ["q1", "2"], "doc_id": "a", "score": 1.0})
    found = {one.query_id: one.value for one in ir_measures.iter_calc(
        [AWRF @ 5, ERR_IA @ 5], qrels, run) if one.measure == ERR_IA @ 5}
    assert len(set(found.values())) == 1 and 0 not in found.values()
