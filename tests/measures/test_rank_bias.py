"""Measures of document values."""

from __future__ import annotations

import random
from dataclasses import replace

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import OpenGroups
from worked_values import SIGNED

from pt_fairness import (
    ARaB,
    DistKL,
    FairnessWarning,
    FaiRR,
    NFaiRR,
    RaB,
    RankingBias,
    analysis,
    evaluate,
    groups,
    values,
)
from pt_fairness import values as sources
from pt_fairness.measures import MEASURES
from pt_fairness.measures.rank_bias import of_label_sets
from pt_fairness.rankings import view

NAMES = ["RaB", "ARaB", "FaiRR", "NFaiRR", "RankingBias"]
seeds = st.integers(0, 100_000)
OF_DOCUMENTS = sources.from_mapping(SIGNED)


@pytest.mark.parametrize("measure, expected", [
    (RaB(values={"A": 1, "B": -1}) @ 4, 0.25),  # 1 − 1 + 0 + 1
    (RaB(values={"B": 1}, missing=3), 5 / 6),
    (RankingBias(values=OF_DOCUMENTS, background="qrels") @ 1, 0.75),  # a1 less a1, a2, b2, b3
    (RankingBias(values=OF_DOCUMENTS, background="qrels", rel=2) @ 1, 0.5),
], ids=str)
def test_by_hand(values, worked_exposure, measure, expected):
    assert values([measure], *worked_exposure())[measure, "1"] == pytest.approx(expected)


# ------------------------------------------------------------------------------- the slow versions


class Numbers:
    """Random numbers of two thirds of the documents of a case, and a registered run."""

    def __init__(self, case, seed: int, negative: bool, by_topic: bool) -> None:
        pick = random.Random(seed)
        pairs = sorted({(qid, docno) for qid, docno, *_ in [*case.qrels, *case.run]})
        least = -3 if negative else 0
        of_docno = {docno: pick.choice([least, 0.0, 1.0, pick.uniform(least, 2)])
                    for _, docno in pairs}
        none = set(pick.sample(sorted(of_docno), len(of_docno) // 3))
        self.known = {(qid, docno): pick.uniform(least, 2) if by_topic else of_docno[docno]
                      for qid, docno in pairs if docno not in none}
        frame = pd.DataFrame([(*pair, number) for pair, number in self.known.items()],
                             columns=["qid", "docno", "value"])
        self.source = sources.from_frame(frame if by_topic else frame[["docno", "value"]])
        self.background = [(qid, docno) for qid, docno in pairs
                           if qid != "3" and pick.random() < 0.6]
        pick.shuffle(self.background)

    def details(self, qid, topic):
        return replace(
            topic, values={docno: number for (q, docno), number in self.known.items() if q == qid},
            backgrounds={"other": [docno for q, docno in self.background if q == qid]})


def settings(name: str):
    """Parameters of a measure that are alike in both versions."""
    kind = MEASURES[name]
    for number, cutoff in enumerate([None, 1, 3, 20]):
        params = {} if cutoff is None else {"cutoff": cutoff}
        if number % 2:
            params["missing"] = 0.5
        if "abs" in kind.SUPPORTED_PARAMS and number > 1:
            params["abs"] = True
        if "background" not in kind.SUPPORTED_PARAMS:
            yield params
            continue
        for background in ("run", "qrels", "other"):
            yield {**params, "background": background, "rel": number % 3}


@pytest.mark.parametrize("samples", [1, 4], ids=["one ranking", "samples"])
@pytest.mark.parametrize("by_topic", [False, True], ids=["by document", "by topic"])
@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_documents(make_case, values, equal_slow_versions, registered_runs, monkeypatch,
                              seed, by_topic, samples):
    case = make_case(300 + seed)
    if seed % 2:
        monkeypatch.setattr(view, "BLOCK_CELLS", 1)  # a topic is a block
    run, rows = case.run_frame, case.run
    if samples > 1:
        pick = random.Random(seed)
        rows = [(qid, docno, pick.random(), sample) for sample in range(samples)
                for qid, docno, _ in case.run if pick.random() < 0.7]
        run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "iteration"])
    for names in (("RaB", "ARaB", "RankingBias"), ("FaiRR", "NFaiRR")):
        made = Numbers(case, seed, negative="RaB" in names, by_topic=by_topic)
        registered_runs("other", pd.DataFrame(made.background, columns=["qid", "docno"]))
        wanted = [(name, params) for name in names for params in settings(name)]
        measures = [MEASURES[name](values=made.source, **params) for name, params in wanted]
        found = values(set(measures), case.qrels_frame, run)
        equal_slow_versions(found, measures, wanted, case, rows=rows, details=made.details)


@pytest.mark.parametrize("source", [False, True, "open", "weights"],
                         ids=["iteration", "frame", "open", "weights"])
@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_labels(make_case, values, groups_of, equal_slow_versions, registered_runs, seed,
                           source):
    case = make_case(400 + seed, several=seed % 2 == 1)
    made = Numbers(case, seed, negative=True, by_topic=True)
    registered_runs("other", pd.DataFrame(made.background, columns=["qid", "docno"]))
    given, known = groups_of(case, source)
    least = 0.0
    for names in (("FaiRR", "NFaiRR"), ("RaB", "ARaB", "RankingBias")):
        numbers = {"g0": 1.0, "g1": least}
        wanted = [(name, {**params, "values": numbers})
                  for name in names for params in settings(name)]
        measures = [MEASURES[name](**params, **given) for name, params in wanted]
        found = values(set(measures), case.qrels_frame, case.run_frame)
        equal_slow_versions(found, measures, wanted, case, details=made.details, **known)
        least = -0.5


def test_a_background_document_of_an_unknown_group_has_no_number(
    values, worked_exposure, registered_runs
):
    registered_runs("other", pd.DataFrame({"qid": ["1", "1"], "docno": ["a1", "new"]}))
    source = OpenGroups(groups.from_mapping({"a1": "A", "new": "Z"}))
    measure = RankingBias(values={"A": 1}, missing=0.5, background="other", groups=source) @ 1
    # The group belongs to the label set of the other measure alone.
    other = DistKL(target={"A": 0.5, "Z": 0.5}, groups=source)
    for measures in ([measure], [measure, other]):
        assert values(measures, *worked_exposure())[measure, "1"] == 1 - (1 + 0.5) / 2


# ------------------------------------------------------------------------------------- properties


def one_topic(seed: int) -> tuple[list[Qrel], list[ScoredDoc], dict[str, float]]:
    pick = random.Random(seed)
    docnos = [f"d{i}" for i in range(pick.randint(1, 12))]
    return ([Qrel("1", docno, pick.randint(0, 2)) for docno in docnos],
            [ScoredDoc("1", docno, pick.random()) for docno in docnos],
            {docno: pick.random() for docno in docnos})


def ranked(run: list[ScoredDoc], numbers: dict[str, float]) -> list[float]:
    return [numbers[row.doc_id] for row in sorted(run, key=lambda row: -row.score)]


@given(seeds, st.integers(1, 15))
def test_the_mean_of_a_prefix(values, seed, cutoff):
    qrels, run, numbers = one_topic(seed)
    source = sources.from_mapping(numbers)
    measures = [RaB(values=source) @ cutoff, ARaB(values=source) @ cutoff, RaB(values=source) @ 1,
                ARaB(values=source) @ 1]
    found = [values(measures, qrels, run)[measure, "1"] for measure in measures]
    v = ranked(run, numbers)
    assert found[0] == pytest.approx(np.mean(v[:cutoff])) and found[2] == found[3] == v[0]
    assert min(v) - 1e-12 <= found[1] <= max(v) + 1e-12


@given(seeds, st.floats(-5, 5))
def test_equal_numbers(values, seed, number):
    qrels, run, numbers = one_topic(seed)
    source = sources.from_mapping(dict.fromkeys(numbers, number))
    signed = [kind(values=source) @ 3 for kind in (RaB, ARaB, RankingBias)]
    found = values(signed, qrels, run)
    assert [found[measure, "1"] for measure in signed] == pytest.approx([number, number, 0])
    if number > 0:
        measure = NFaiRR(values=source) @ 3
        assert values([measure], qrels, run)[measure, "1"] == pytest.approx(1)


@given(seeds)
def test_the_sign_is_the_direction(values, seed):
    qrels, run, numbers = one_topic(seed)
    source = sources.from_mapping({docno: number - 0.5 for docno, number in numbers.items()})
    turned = sources.from_mapping({docno: 0.5 - number for docno, number in numbers.items()})
    for kind in (RaB @ 2, ARaB, RankingBias @ 3):
        measures = [kind(values=source), kind(values=turned), kind(values=source, abs=True)]
        found = values(measures, qrels, run)
        one, other, size = (found[measure, "1"] for measure in measures)
        assert one == pytest.approx(-other) and size == abs(one)


@given(seeds, st.integers(1, 15))
def test_nfairr_is_1_for_descending_numbers_alone(values, seed, cutoff):
    qrels, run, numbers = one_topic(seed)
    measure = NFaiRR(values=sources.from_mapping(numbers)) @ cutoff
    best = [ScoredDoc("1", docno, number) for docno, number in numbers.items()]
    assert values([measure], qrels, best)[measure, "1"] == pytest.approx(1)
    value = values([measure], qrels, run)[measure, "1"]
    v = ranked(run, numbers)
    assert 0 <= value <= 1 + 1e-12
    assert (value < 1 - 1e-12) == (v[:cutoff] != sorted(v, reverse=True)[:cutoff])


def test_ranges():
    assert RaB(values="x").RANGE == RankingBias(values="x").RANGE == (None, None)
    assert ARaB(values="x", abs=True).RANGE == (0, None)
    assert NFaiRR(values="x").RANGE == (0, 1)
    assert NFaiRR(values="x", background="qrels").RANGE == FaiRR(values="x").RANGE == (0, None)
    assert [MEASURES[name].FAIR_END for name in NAMES] == [0, 0, 1, 1, 0]


EMPTY_QRELS = [Qrel("1", "a", 1, "A"), Qrel("1", "b", 0, "A"), Qrel("2", "c", 0, "A"),
               Qrel("3", "d", 1, "A")]
EMPTY_RUN = [ScoredDoc("1", "a", 2), ScoredDoc("1", "b", 1), ScoredDoc("3", "z", 1)]
OF_DOCUMENTS_OF_RANK_BIAS_EDGE_CASES = sources.from_mapping(SIGNED)
FEW = sources.from_mapping({"a": 0.5, "b": 0.25, "d": 0.0})


@pytest.mark.parametrize("measure, expected", [
    (RaB(values=FEW), [0.375, 0, 0]),
    (RaB(values=FEW, missing=-2), [0.375, 0, -2]),
    (ARaB(values=FEW) @ 9, [0.4375, 0, 0]),
    (FaiRR(values=FEW) @ 1, [0.5, 0, 1]),
    (FaiRR(values=FEW, missing=0) @ 1, [0.5, 0, 0]),
    (NFaiRR(values=FEW) @ 1, [1, 0, 1]),
    (NFaiRR(values=FEW, missing=0), [1, 0, 0]),  # 3: 0/0
    (NFaiRR(values=FEW, background="qrels"), [(0.5 + 0.25 / np.log2(3)) / 0.5, 0, 0]),
    (RankingBias(values=FEW), [0.0625, 0, 0]),
    (RankingBias(values=FEW, background="qrels", rel=0, missing=2) @ 1, [0.125, -2, 2]),
], ids=str)
def test_nothing_returned_and_no_value(values, measure, expected):
    found = values([measure], EMPTY_QRELS, EMPTY_RUN)
    assert [found[measure, qid] for qid in "123"] == pytest.approx(expected)


def test_a_topic_without_background_is_undefined(registered_runs):
    registered_runs("other", pd.DataFrame({"qid": ["1", "9"], "docno": ["b", "a"]}))
    measures = [kind(values=FEW, background=name) for kind in (NFaiRR, RankingBias)
                for name in ("qrels", "other")]
    with pytest.warns(FairnessWarning) as told:
        found = {(m.measure, m.query_id): m.value
                 for m in ir_measures.iter_calc(measures, EMPTY_QRELS, EMPTY_RUN)}
    (message,) = (str(one.message) for one in told)
    parts = dict(part.rsplit(" on ", 1) for part in message.split("system: ")[1].split("; "))
    counts = {measure: how for names, how in parts.items() for measure in names.split(", ")}
    for measure in measures:
        count = 1 if measure["background"] == "qrels" else 2
        assert counts[str(measure)].startswith(f"{count} of 3 topics (")
        assert found[measure, "2"] == 0
    assert found[measures[3], "1"] == 0.4375 - 0.25 and found[measures[3], "3"] == 0


def test_no_topic_with_a_background_is_not_blamed_on_groups(registered_runs):
    registered_runs("other", pd.DataFrame({"qid": ["9"], "docno": ["a"]}))
    with pytest.warns(FairnessWarning) as told:
        ir_measures.calc_aggregate([NFaiRR(values=FEW, background="other")], EMPTY_QRELS, EMPTY_RUN)
    (message,) = (str(one.message) for one in told)
    assert message.endswith("on 3 of 3 topics")


def test_ranking_that_is_its_own_background_is_never_undefined(recwarn):
    measures = [NFaiRR(values=FEW), RankingBias(values=FEW)]
    ir_measures.calc_aggregate(measures, EMPTY_QRELS, EMPTY_RUN)
    assert not [one for one in recwarn if issubclass(one.category, FairnessWarning)]


def test_qrels_need_no_groups(values):
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    measure = RaB(values=FEW)
    assert values([measure], qrels, EMPTY_RUN[:1])[measure, "1"] == 0.5
    with pytest.raises(ValueError, match="the qrels have no groups"):
        values([RaB(values={"PRO": 1})], qrels, EMPTY_RUN[:1])


def test_only_what_the_measures_see_is_looked_up(values, monkeypatch):
    asked = []
    find = sources.Values.find

    def counted(self, topic, topics, docnos):
        asked.append(len(docnos))
        return find(self, topic, topics, docnos)
    monkeypatch.setattr(sources.Values, "find", counted)
    run = [ScoredDoc(qid, f"d{i}", -i) for qid in "13" for i in range(10)]
    values([RaB(values=FEW) @ 2, FaiRR(values=FEW) @ 3], EMPTY_QRELS, run)
    assert asked == [6]
    values([RaB(values=FEW) @ 2, NFaiRR(values=FEW) @ 3], EMPTY_QRELS, run)
    assert asked == [6, 20]


@pytest.mark.parametrize("make, says", [
    (lambda: RaB, "RaB needs the parameter 'values'"),
    (lambda: RaB(values={}), r"RaB\(values={}\) is not possible: values takes the name of "),
    (lambda: RaB(values={"A": float("nan")}), "is not possible: values takes"),
    (lambda: RaB(values={"A": "x"}), "is not possible: values takes"),
    (lambda: RaB(values={1: 1, "1": 2}), "is not possible: values takes"),
    (lambda: RaB(values=""), "is not possible: values takes"),
    (lambda: RaB(values=3), "is not possible: values takes"),
    (lambda: RaB(values="x", missing=float("nan")), "missing takes a finite number"),
    (lambda: FaiRR(values="x", missing=-1), "missing takes a number of at least 0"),
    (lambda: FaiRR(values={"A": 1, "B": -1}),
     "FaiRR takes values of at least 0, not -1 for 'B'; RaB takes values of both signs"),
    (lambda: NFaiRR(values="x", background="x"),
     "background takes 'run', 'qrels', a registered name"),
    (lambda: FaiRR(values="x", abs=True), "FaiRR has no parameter 'abs'"),
])
def test_parameters_that_are_not_possible(make, says):
    with pytest.raises(ValueError, match=says):
        make().validate_params()


@pytest.mark.parametrize("measure, says", [
    (FaiRR(values=OF_DOCUMENTS),
     r"FaiRR\(values='values-.*'\) takes values of at least 0, and a document has -1;"),
    (NFaiRR(values=OF_DOCUMENTS) @ 1, "takes values of at least 0, and a document has -1"),
    (RaB(values="no such"), "no values are registered as 'no such' and no such file exists"),
    (RaB(values={"PRO": 1}, groups=groups.from_mapping({"a1": "A"})),
     "values='PRO' names no group of"),
])
def test_values_that_do_not_fit(values, worked_exposure, measure, says):
    with pytest.raises(ValueError, match=says):
        values([measure], *worked_exposure())


def test_a_label_that_no_judged_document_has(worked_exposure):
    with pytest.warns(FairnessWarning, match="values='PRO' names a group that no judged document"):
        ir_measures.calc_aggregate([RaB(values={"PRO": 1, "A": 1})], *worked_exposure())


def test_the_order_of_labels_does_not_matter():
    assert str(RaB(values={"PRO": 1, "CON": -1})) == str(RaB(values={"CON": -1.0, "PRO": 1}))


def test_evaluate_in_workers(worked_exposure, registered_runs):
    registered_runs("pool", pd.DataFrame({"qid": ["1", "1"], "docno": ["a1", "b1"]}))
    sources.register("slant", OF_DOCUMENTS_OF_RANK_BIAS_EDGE_CASES)
    try:
        measures = [RaB(values="slant") @ 4, RankingBias(values="slant", background="pool") @ 4,
                    RaB(values={"A": 1, "B": -1})]
        qrels, run = worked_exposure()
        run = pt.model.from_ir_measures(run.drop(columns="iteration"))
        means = [evaluate({"one": run, "two": run}, qrels, measures, n_jobs=jobs,
                          progress=False)[0] for jobs in (1, 2)]
        pd.testing.assert_frame_equal(*means)
        assert means[0].set_index("name").loc["one", str(measures[1])] == pytest.approx(0.28125)
        sources.register("slant", sources.from_mapping({"a1": 4}))
        registered_runs("pool", pd.DataFrame({"qid": ["1"], "docno": ["b2"]}))
        again = evaluate({"one": run}, qrels, measures, progress=False)[0]
        assert again[str(measures[0])].tolist() == [1]
    finally:
        sources.unregister("slant")


def test_label_noise_moves_numbers_of_labels(worked_exposure):
    qrels, run = worked_exposure()
    run = pt.model.from_ir_measures(run.drop(columns="iteration"))
    found = analysis.label_noise({"one": run}, qrels, [RaB(values={"A": 1, "B": -1})],
                                 None, 0.5, draws=5)
    assert found["sd"].tolist() != [0]
    with pytest.raises(ValueError, match="cannot be looked up here; measures of it"):
        analysis.label_noise({"one": run}, qrels, [RaB(values=OF_DOCUMENTS)], None, 0.5,
                             draws=2)


QRELS = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 1, "B"), ("2", "a", 1, "A")],
                     columns=["query_id", "doc_id", "relevance", "iteration"])
RUN = pd.DataFrame([("1", "a", 2.0), ("1", "x", 1.0), ("2", "x", 1.0)],
                   columns=["query_id", "doc_id", "score"])


def test_a_label_set_has_the_mean_of_its_labels():
    shares = np.array([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.0, 0.0]])
    assert of_label_sets({"A": 2.0, "C": 9.0}, ["A", "B"], shares).tolist() == [2.0, 1.0, 0.5, 0.0]


def mean(measure) -> list[float]:
    found = {one.query_id: one.value for one in measure.iter_calc(QRELS, RUN)}
    return [found["1"], found["2"]]


def test_a_document_without_a_value_has_that_of_missing():
    source = values.from_mapping({"a": 1.0})
    assert mean(RaB(values=source) @ 2) == pytest.approx([0.5, 0.0])
    assert mean(RaB(values=source, missing=-1.0) @ 2) == pytest.approx([0.0, -1.0])


def test_values_of_labels_are_named_labels():
    measure = RaB(values={"A": 1.0, "none such": 2.0})
    assert ("values", "none such") in measure.named_labels(["A"])
    assert measure.needs_groups and not RaB(values="words").needs_groups


def test_the_background_is_named_with_its_relevance():
    assert FaiRR(values="v").background is None
    assert {RaB(values="v").value_source, RaB(values={"A": 1.0}).value_source} == {
        "v", (("A", 1.0),)}


def test_negative_values_are_refused_where_they_have_no_meaning():
    with pytest.raises(ValueError, match="takes values of at least 0, and a document has -1"):
        FaiRR(values=values.from_mapping({"a": -1.0})).calc_aggregate(QRELS, RUN)
