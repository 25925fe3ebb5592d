"""The evaluator: inputs that it takes, refuses, warns of, or reads as something else."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, ERR_IA, P, alpha_nDCG, nDCG
from ir_measures.util import Qrel, ScoredDoc
from provider_cases import ALL, QRELS, RUN, by_topic, told, told_of

import pt_fairness as pf

JUDGED = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B"), ("2", "a", 1, "A"),
                      ("2", "b", 0, "B")],
                     columns=["query_id", "doc_id", "relevance", "iteration"])


@pytest.mark.parametrize("dtype", ["str", object, "string"])
def test_every_form_of_input_gives_the_same(make_case, dtype):
    case = make_case(3, several=True)
    qrels, run = case.qrels_frame, case.run_frame
    expected = by_topic(ALL, qrels, run)
    typed = [frame.astype({"query_id": dtype, "doc_id": dtype}).assign(rank=7, text="x", query="y")
             for frame in (qrels, run)]
    typed[0].index, typed[1].index = typed[0].index[::-1] + 5, np.zeros(len(run), int)
    before = [frame.copy(deep=True) for frame in typed]
    assert by_topic(ALL, *typed) == expected
    for frame, copy in zip(typed, before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)
    as_qrels, as_docs = [Qrel(*row) for row in case.qrels], [ScoredDoc(*row) for row in case.run]
    assert by_topic(ALL, iter(as_qrels), (doc for doc in as_docs)) == expected
    as_dict: dict[str, dict[str, float]] = {}
    for qid, docno, score in case.run:
        as_dict.setdefault(qid, {})[docno] = score
    assert by_topic(ALL, qrels, as_dict) == expected


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
    found = by_topic([pf.rND @ 3, pf.Annotated], qrels, run)
    assert found[("rND@3", "1")] == pytest.approx(0.54330, abs=5e-6)
    assert found[("rND@3", "only judged")] == 1.0 and found[("Annotated", "only judged")] == 0.0
    assert "only retrieved" not in {qid for _, qid in found}


def test_groups_of_other_documents_are_warned_of(worked):
    other = pf.groups.from_mapping({"Xa": "PRO", "Xc": "CON"}, name="other")
    qrels, run = worked.qrels_frame, worked.run_frame
    unknown, undefined = told_of([pf.rND(groups=other) @ 3], qrels, run)
    assert "judged" in unknown and "'a'" in unknown and "'c'" in unknown
    assert "1 of 1 topics" in undefined and "'a'" in undefined
    # Measures that need no relevant document have a warning, too.
    (text,) = told_of([pf.AWRF(groups=other) @ 3, pf.nDJS(groups=other)], qrels, run)
    assert text == unknown
    # One warning of undefined topics, whatever the sources of the measures.
    one_group = qrels[qrels["iteration"] == "PRO"]
    _, text = told_of([pf.rND @ 3, pf.rND(groups=other) @ 3], one_group, run)
    assert "rND@3 on 1 of 1" in text and "rND(groups='other')@3 on 1 of 1" in text
    # The judged documents have groups, the ranked ones none.
    known = pf.groups.from_mapping({"b": "CON"}, order=["CON", "PRO"])
    texts = told_of([pf.AWRF(groups=known) @ 3], qrels, {"1": {"y": 1.0}})
    assert any("group" in text and "'y'" in text for text in texts)
    assert not any("no judged" in text for text in texts)


class Grouped(pf.groups.Groups):
    """Groups of a class, with labels that it may not keep to."""

    complete = True

    def __init__(self, found, labels):
        super().__init__("grouped", labels)
        self._found = found

    def lookup(self, qids, docnos):
        rows = [(qid, docno, group) for qid, docno in zip(qids, docnos, strict=True)
                for group in self._found.get(docno, "")]
        return pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype=object)


def test_a_label_that_only_the_target_of_another_measure_adds():
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abc"), "relevance": 1})
    run = qrels[["query_id", "doc_id"]].assign(score=[3.0, 2.0, 1.0])
    source = Grouped({"a": "A", "b": "AB", "c": "C"}, labels=["A", "C"])
    pooled = pf.AWRF(groups=source, target="collection") @ 5
    other = pf.AWRF(groups=source, target={"A": 0.5, "B": 0.5}) @ 5
    with pytest.warns(pf.FairnessWarning, match="'B'"):
        together = ir_measures.calc_aggregate([pooled, other], qrels, run)
    alone = ir_measures.calc_aggregate([pooled], qrels, run)
    assert together[pooled] == pytest.approx(alone[pooled], abs=1e-12)


def test_topics_that_are_undefined_for_one_run():
    """The target is the run."""
    run = pd.DataFrame([("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 2.0), ("2", "b", 1.0)],
                       columns=["query_id", "doc_id", "score"])
    measure = pf.logDP(target="run", protected="A")
    evaluator = ir_measures.evaluator([measure], JUDGED)
    messages = told(lambda: [list(evaluator.iter_calc(rows)) for rows in (run, run[:3], run[1:])])
    both, another = messages
    assert str(measure) in both and "1 of 2 topics ('2')" in both and "('1')" in another


SOURCE = pf.groups.from_mapping({"a": "PRO", "c": "CON"})
WORKED = pytest.approx(0.54330, abs=5e-6)


def one_value(measure, qrels, run):
    (value,) = by_topic([measure], qrels, run).values()
    return value


@pytest.mark.parametrize("iteration", ["Q0", 0.0, None])
def test_qrels_without_annotations_are_refused(worked, iteration):
    qrels = worked.qrels_frame.assign(iteration=iteration)
    if iteration is None:
        qrels = qrels.drop(columns="iteration")
    with pytest.raises(ValueError, match=r"must have groups.*groups="):
        by_topic([pf.rND, nDCG @ 5], qrels, worked.run_frame)
    source = pf.groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON"})
    assert one_value(pf.rND(groups=source) @ 3, qrels, worked.run_frame) == WORKED


@pytest.mark.parametrize("measure", [nDCG @ 5, alpha_nDCG @ 0, ERR_IA, ERR_IA @ 21], ids=str)
def test_the_provider_by_itself_refuses_measures(worked, measure):
    with pytest.raises(ValueError, match=f"must be .*{measure}"):
        ir_measures.providers.registry["fairness"].calc_aggregate(
            [measure], worked.qrels_frame, worked.run_frame)


def test_without_pyndeval_its_measures_are_refused(monkeypatch):
    monkeypatch.setattr(type(ir_measures.pyndeval), "is_available", lambda self: False)
    provider = ir_measures.providers.registry["fairness"]
    assert provider.supports(alpha_nDCG @ 5) and not provider.supports(ERR_IA @ 30)


@pytest.mark.parametrize("measure, words", [
    (pf.rND(protected="NONE"), ["'NONE'", "'CON', 'PRO'"]),
    (pf.rND(protected="CON,NONE"), ["'NONE'"]),
    (pf.rND(protected="CON,NONE", groups=SOURCE), ["'NONE'"]),
    (pf.rND(protected="NONE", target={"NONE": 0.5, "PRO": 0.5}), ["share for 'NONE'"]),
    (pf.rND(protected="NONE", target={"NONE": 0.5, "PRO": 0.5}, groups=SOURCE), ["for 'NONE'"]),
    (pf.rKL(protected="minoritty"), ["'minority'", "'all'"])])
def test_labels_that_no_document_has_are_warned_of(worked, measure, words):
    text = told_of([measure], worked.qrels_frame, worked.run_frame)[0]
    assert all(word in text for word in words)


@pytest.mark.parametrize("empty", [[], {}, pd.DataFrame([("1", "a", 1.0)], columns=RUN)[:0]],
                         ids=["list", "dict", "frame"])
def test_an_empty_run_is_unfair(worked, empty):
    measures = [pf.rND @ 2, pf.RaB(values=pf.values.from_mapping({"a": 1})) @ 2]
    (text,) = told_of(measures, worked.qrels_frame, empty)
    assert "0 of the 1 topics" in text
    found = by_topic([*ALL, ERR_IA @ 5], worked.qrels_frame, empty)
    zero = {"Annotated@10": 0.0, "alpha_nDCG@5": 0.0, "ERR_IA@5": 0.0}
    values = dict.fromkeys(map(str, ALL), 1.0) | zero
    assert found == {(name, "1"): value for name, value in values.items()}


def test_empty_qrels():
    empty = pd.DataFrame([("1", "a", 1, "A")], columns=QRELS)[:0]
    run = pd.DataFrame([("q", "a", 1.0)], columns=RUN)
    assert by_topic([*ALL, pf.nDD(norm="none"), ERR_IA @ 5], empty, run) == {}


def test_qrels_that_annotate_nothing_leave_nothing_to_compare_with(worked):
    qrels = worked.qrels_frame.assign(iteration="-")
    for measure in (pf.rND @ 2, pf.rKL(protected="all")):
        assert one_value(measure, qrels, worked.run_frame) == 0.0
        (text,) = told_of([measure], qrels, worked.run_frame)
        assert "1 of 1 topics" in text and "'a'" in text
    # A run without an annotated document is its own population: unfair, not undefined.
    assert by_topic([pf.nDJS @ 3, pf.Annotated], qrels, worked.run_frame) == {
        ("nDJS@3", "1"): 1.0, ("Annotated", "1"): 0.0}


@pytest.mark.parametrize("kind", ["float", "object", "category", "Float64"])
def test_ids_that_became_floats_are_the_whole_numbers_that_they_were(kind):
    qrels = pd.DataFrame([["1", "1", 1, "A"], ["1", "2", 1, "B"]], columns=QRELS)
    run = pd.DataFrame([["1", "2", 2.0], ["1", "1", 1.0]], columns=RUN)
    floats = {"query_id": float, "doc_id": float}
    as_floats = [frame.astype(floats).astype({"doc_id": kind}) for frame in (qrels, run)]
    measures = [pf.rND @ 2, pf.Annotated @ 2, alpha_nDCG @ 2,
                pf.rND(groups=pf.groups.from_mapping({1: "A", 2: "B"})) @ 2]
    expected = ir_measures.calc_aggregate(measures, qrels, run)
    assert expected[measures[1]] == 1.0
    for one, other in ((as_floats[0], run), (qrels, as_floats[1]), as_floats):
        assert ir_measures.calc_aggregate(measures, one, other) == expected


def test_a_group_that_the_run_alone_has_is_unannotated_and_warned_of(worked):
    class Open(pf.groups.Groups):
        def lookup(self, qids, docnos):
            known = {"a": "PRO", "b": "PRO", "c": "CON", "d": "NEW"}
            return pd.DataFrame({"qid": qids, "docno": docnos, "group": map(known.get, docnos)})

    measure = pf.rND(groups=Open("open-groups")) @ 3
    (message,) = told_of([measure], worked.qrels_frame, worked.run_frame)
    assert "NEW" in message
    assert one_value(measure, worked.qrels_frame, worked.run_frame) == WORKED


def test_undefined_topics_are_zero_and_warned_of_once(worked):
    # Only PRO is relevant: without a second group there is no minority.
    qrels = pd.concat([worked.qrels_frame, pd.DataFrame([("2", "a", 1, "PRO")], columns=QRELS)])
    run = pd.concat([worked.run_frame, worked.run_frame.assign(query_id="2")])
    evaluator = ir_measures.evaluator([pf.rND @ 3, pf.rKL @ 3, pf.nDD], qrels)
    results = []
    messages = told(lambda: results.extend(
        evaluator.calc_aggregate(frame) for frame in (run, worked.run_frame, run[:0])))
    assert len(messages) == 2 and "1 of the 2 topics" in messages[1]
    assert "rKL@3, rND@3 on 1 of 2 topics ('2')" in messages[0]
    assert [2 * result[pf.rND @ 3] for result in results] == [WORKED, WORKED, 1.0]


DROPPING = pf.groups.from_mapping({"a": "PRO", "b": "CON", "c": "PRO"}).relabel(
    {"1": "liberal", "2": "both or neither"})
DROPPED_QRELS = pd.DataFrame(
    [("1", "a", 1), ("1", "b", 1), ("1", "c", 1), ("2", "a", 1), ("2", "b", 1)], columns=QRELS[:3])
DROPPED_RUN = pd.DataFrame(
    [("1", "a", 3.0), ("1", "c", 2.0), ("1", "b", 1.0), ("2", "a", 2.0), ("2", "b", 1.0)],
    columns=RUN)


@pytest.mark.parametrize("name", ["BiasP(pro='conservative',con='liberal')@2", "rND@2", "AWRF"])
def test_topics_that_groups_drop_are_in_no_mean(name):
    """Gezici et al. (2021): topics that lean neither way drop out of the experiment."""
    qrels, run = DROPPED_QRELS, DROPPED_RUN
    plain = ir_measures.parse_measure(name)
    measure = plain(groups=DROPPING)
    with pytest.warns(pf.FairnessWarning, match=r"1 of 2 topics .*'2'"):
        means = ir_measures.calc_aggregate([measure, nDCG @ 3], qrels, run)
    expected = ir_measures.calc_aggregate([plain], DROPPING.to_qrels(qrels), run)[plain]
    assert means[measure] == expected and means[nDCG @ 3] == 1.0
    values = by_topic([measure], qrels, run)
    assert values[str(measure), "1"] == expected and np.isnan(values[str(measure), "2"])
    assert np.isnan(ir_measures.calc_aggregate([measure], qrels[3:], run)[measure])


@pytest.mark.parametrize("measure", [
    pf.rKL(protected="all") @ 2, pf.DistFair(target={"A": 0.5, "B": 0.5}) @ 2], ids=str)
def test_a_divergence_from_a_target_that_a_thousand_groups_lack(measure):
    rows = [("1", "a", 1, "A"), ("1", "b", 1, "B"),
            *(("2", f"d{i}", 1, f"g{i}") for i in range(1001))]
    qrels = pd.DataFrame(rows, columns=QRELS)
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"d0": 1.0}}
    assert next(iter(measure.iter_calc(qrels[:992], run))).value > 0
    with pytest.raises(ValueError, match="999"):
        measure.calc_aggregate(qrels, run)


def test_qrels_without_subtopics_are_warned_of():
    with pytest.warns(pf.FairnessWarning, match=r"subtopic.*iteration"):
        ir_measures.calc_aggregate([alpha_nDCG @ 2], {"1": {"a": 1, "b": 1}}, {"1": {"a": 1.0}})


def test_the_provider_can_be_loaded_before_there_is_a_pipeline(monkeypatch):
    from pt_fairness import provider
    monkeypatch.delattr(ir_measures, "DefaultPipeline")
    provider.plug_in()  # as an ir_measures that reads entry points would
    monkeypatch.undo()
    provider.plug_in()
    providers = ir_measures.DefaultPipeline.providers
    names = [getattr(one, "NAME", "") for one in providers]
    assert names.count("fairness") == 1
    assert names.index("fairness") < providers.index(ir_measures.pyndeval)
