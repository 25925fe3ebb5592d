"""RaB, ARaB, FaiRR, NFaiRR and RankingBias: slow versions, values by hand and properties."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import OpenGroups
from worked_values import SIGNED

from pt_fairness import (
    ARaB,
    DistKL,
    FaiRR,
    NFaiRR,
    RaB,
    RankingBias,
    groups,
)
from pt_fairness import values as sources
from pt_fairness.measures import MEASURES
from pt_fairness.rankings import labelled

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
        monkeypatch.setattr(labelled, "BLOCK_CELLS", 1)  # a topic is a block
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
