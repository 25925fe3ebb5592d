"""Measures of document values."""

import pickle
import random
import re
from dataclasses import replace

import ir_measures
import pandas as pd
import pytest
from case_marks import quick_cases
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import OpenGroups
from one_test import each
from worked_values import SIGNED

from pt_fairness import (
    DistKL,
    FairnessWarning,
    FaiRR,
    NFaiRR,
    RaB,
    RankingBias,
    groups,
    runs,
)
from pt_fairness import values as sources
from pt_fairness.measures import MEASURES
from pt_fairness.rankings import rankings

OF_DOCUMENTS = sources.from_mapping(SIGNED)


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
@pytest.mark.parametrize("seed", quick_cases(range(3), first=1))
def test_numbers_of_documents(make_case, values, equal_slow_versions, registered_runs, monkeypatch,
                              seed, by_topic, samples):
    case = make_case(300 + seed)
    if seed % 2:
        monkeypatch.setattr(rankings, "BLOCK_CELLS", 1)  # a topic is a block
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


@pytest.mark.parametrize("source", [False, True, "open", "weights"], ids=str)
@pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
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


def test_a_background_document_of_an_unknown_group(values, worked_exposure, registered_runs):
    registered_runs("other", pd.DataFrame({"qid": ["1", "1"], "docno": ["a1", "new"]}))
    source = OpenGroups(groups.from_mapping({"a1": "A", "new": "Z"}))
    measure = RankingBias(values={"A": 1}, missing=0.5, background="other", groups=source) @ 1
    # The group belongs to the label set of the other measure alone.
    other = DistKL(target={"A": 0.5, "Z": 0.5}, groups=source)
    for measures in ([measure], [measure, other]):
        assert values(measures, *worked_exposure())[measure, "1"] == 1 - (1 + 0.5) / 2


EMPTY_QRELS = [Qrel("1", "a", 1, "A"), Qrel("1", "b", 0, "A"), Qrel("2", "c", 0, "A"),
               Qrel("3", "d", 1, "A")]
EMPTY_RUN = [ScoredDoc("1", "a", 2), ScoredDoc("1", "b", 1), ScoredDoc("3", "z", 1)]
FEW = sources.from_mapping({"a": 0.5, "b": 0.25, "d": 0.0})


def test_a_topic_without_background_is_undefined(registered_runs):
    registered_runs("other", pd.DataFrame({"qid": ["1", "9"], "docno": ["b", "a"]}))
    measures = [kind(values=FEW, background=name) for kind in (NFaiRR, RankingBias)
                for name in ("qrels", "other")]
    with pytest.warns(FairnessWarning) as told:
        found = {(m.measure, m.query_id): m.value
                 for m in ir_measures.iter_calc(measures, EMPTY_QRELS, EMPTY_RUN)}
    message = " ".join(str(warning.message) for warning in told)
    for measure in measures:
        count = 1 if measure["background"] == "qrels" else 2
        assert re.search(re.escape(str(measure)) + f"[^;]* on {count} of 3 topics", message)
        assert found[measure, "2"] == 0
    assert found[measures[3], "1"] == 0.4375 - 0.25 and found[measures[3], "3"] == 0


def test_qrels_need_no_groups(values):
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    measure = RaB(values=FEW)
    assert values([measure], qrels, EMPTY_RUN[:1])[measure, "1"] == 0.5
    with pytest.raises(ValueError, match="must have groups"):
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


@each("kind, params, word", [
    *((RaB, {"values": wrong}, "values")
      for wrong in ({}, {"A": float("nan")}, {"A": "x"}, {1: 1, "1": 2}, "", 3)),
    (RaB, {"values": "x", "missing": float("nan")}, "missing"),
    (FaiRR, {"values": "x", "missing": -1}, "missing"), (FaiRR, {"values": {"B": -1}}, "'B'"),
    (NFaiRR, {"values": "x", "background": "x"}, "background"),
    (FaiRR, {"values": "x", "abs": True}, "'abs'")])
def test_parameters_that_are_refused(kind, params, word):
    with pytest.raises(ValueError, match=word):
        kind(**params).validate_params()


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


def test_pickles_bring_their_values_and_runs(worked_exposure, registered_runs, registered_values):
    registered_runs("pool", pd.DataFrame({"qid": ["1", "1"], "docno": ["a1", "b1"]}))
    registered_values("slant", OF_DOCUMENTS)
    text = pickle.dumps(RankingBias(values="slant", background="pool") @ 4)
    sources.unregister("slant")
    runs.unregister("pool")
    copy = pickle.loads(text)
    assert ir_measures.calc_aggregate([copy], *worked_exposure())[copy] == pytest.approx(0.28125)
