"""Measures against their slow versions, through ir_measures."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import ir_measures
import pandas as pd
import pytest
import slow_versions
from slow_versions import plain

from pt_fairness import FairnessWarning, groups
from pt_fairness.measures import MEASURES


def _values(measures: Iterable[Any], qrels: Any, run: Any) -> dict[tuple[Any, str], float]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FairnessWarning)
        return {
            (m.measure, m.query_id): m.value
            for m in ir_measures.iter_calc(list(measures), qrels, run)
        }


@pytest.fixture(scope="session")
def values() -> Callable[..., dict[tuple[Any, str], float]]:
    """``values(measures, qrels, run)``: by measure and topic, from one call of ir_measures."""
    return _values


@pytest.fixture(scope="session")
def agrees() -> Callable[..., None]:
    """``agrees(case, [(name, params), …], from_frame=False)``: each measure equals its slow version
    on every topic.

    All are computed in one call of ir_measures. With ``from_frame`` the groups come from
    ``groups=`` instead of the qrels, and with ``from_frame="open"`` that object does not declare
    its labels.
    """
    return _agrees


class _Open(groups.Groups):
    """Groups that do not say which labels there are."""

    def __init__(self, of: groups.Groups) -> None:
        super().__init__()
        self._of = of

    def lookup(self, qids: Any, docnos: Any) -> Any:
        return self._of.lookup(qids, docnos)


def _agrees(
    case: Any, wanted: Iterable[tuple[str, dict[str, Any]]], from_frame: bool | str = False
) -> None:
    wanted = list(wanted)
    source = {}
    if from_frame:
        declared = groups.from_frame(case.groups_frame)
        source["groups"] = _Open(declared) if from_frame == "open" else declared
    measures = [MEASURES[name](**params, **source) for name, params in wanted]
    found = _values(set(measures), case.qrels_frame, case.run_frame)
    known = (
        {
            "groups": lambda qid, docno: case.groups.get((qid, docno), ()),
            "labels": () if from_frame == "open" else case.labels,
        }
        if from_frame
        else {}
    )
    for measure, (name, params) in zip(measures, wanted, strict=True):
        expected = plain.evaluate(name, params, case.qrels, case.run, **known)
        got = {qid: value for (m, qid), value in found.items() if m == measure}
        assert got == pytest.approx(expected, abs=1e-9), f"{measure}"


@pytest.fixture(scope="session")
def sampled() -> Callable[..., pd.DataFrame]:
    """``sampled(case, samples, seed)``: a run of several rankings of a topic, of unequal length."""
    return _sampled


def _sampled(case: Any, samples: int, seed: int) -> pd.DataFrame:
    run, pick = case.run_frame.drop_duplicates(["query_id", "doc_id"]), random.Random(seed)
    frames = [run.sample(frac=pick.choice([0.3, 0.7, 1.0]), random_state=seed + i).assign(
        iteration=i, score=lambda one: [pick.random() for _ in range(len(one))])
        for i in range(samples)]
    return pd.concat(frames)


@pytest.fixture(scope="session")
def agrees_with_slow() -> Callable[..., None]:
    """``agrees_with_slow(case, [(name, params), …], from_frame, samples)``: as ``agrees``, with the
    versions in ``slow_versions`` and a run of several rankings of a topic. With
    ``from_frame="weights"`` the documents have weights.
    """
    return _agrees_with_slow


def _agrees_with_slow(case: Any, wanted: Iterable[tuple[str, dict[str, Any]]],
                      from_frame: bool | str = False, samples: int = 1) -> None:
    wanted, source, known = list(wanted), {}, {}
    run, rows = case.run_frame, case.run
    if samples > 1:
        run = _sampled(case, samples, seed=1)
        rows = list(run.itertuples(index=False, name=None))
    if from_frame:
        declared = groups.from_frame(case.groups_frame)
        source["groups"] = _Open(declared) if from_frame == "open" else declared
        known = {"groups": lambda qid, docno: case.groups.get((qid, docno), ()),
                 "labels": () if from_frame == "open" else case.labels}
    if from_frame == "weights":
        frame = case.groups_frame.assign(
            weight=[0.5 + i % 5 for i in range(len(case.groups_frame))]
        )
        weights: dict[Any, dict[str, float]] = {}
        for row in frame.itertuples():
            weights.setdefault((row.qid, row.docno), {})[row.group] = row.weight
        source["groups"] = groups.from_frame(frame)
        known["groups"] = lambda qid, docno: weights.get((qid, docno), ())
    measures = [MEASURES[name](**params, **source) for name, params in wanted]
    found = _values(set(measures), case.qrels_frame, run)
    by_measure: dict[Any, dict[str, float]] = {}
    for (measure, qid), value in found.items():
        by_measure.setdefault(measure, {})[qid] = value
    for measure, (name, params) in zip(measures, wanted, strict=True):
        expected = slow_versions.evaluate(name, params, case.qrels, rows, **known)
        assert by_measure[measure] == pytest.approx(expected, abs=1e-9), f"{measure}"


@pytest.fixture
def worked_exposure() -> Callable[[list[list[str]]], tuple[pd.DataFrame, pd.DataFrame]]:
    """``worked_exposure(rankings)``: qrels of documents of the groups A and B, and a run that has
    each of the rankings.
    """
    judged = {"a1": 2, "b1": 0, "a2": 1, "b2": 1, "a3": 0, "b3": 2}
    qrels = pd.DataFrame([("1", docno, relevance, docno[0].upper())
                          for docno, relevance in judged.items()],
                         columns=["query_id", "doc_id", "relevance", "iteration"])

    def make(rankings: list[list[str]]) -> tuple[pd.DataFrame, pd.DataFrame]:
        rows = [("1", docno, -float(place), sample) for sample, ranking in enumerate(rankings)
                for place, docno in enumerate(ranking)]
        run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "iteration"])
        return qrels, run
    return make


@pytest.fixture(scope="session")
def means() -> Callable[..., None]:
    """``means(robust03, table)``: 6 decimals of the means over the topics of the runs humR03dc and
    NLPR03vb10.
    """
    return _means


def _means(robust03: Any, table: dict[str, tuple[float, float]]) -> None:
    qrels, runs = robust03
    # The source is known for unjudged documents too, except to α-nDCG, which reads the qrels alone.
    parsed = {text: ir_measures.parse_measure(text) for text in table}
    measures = {
        text: m if m.NAME.startswith("alpha") else m(groups="trec-newswire")
        for text, m in parsed.items()
    }
    for column, name in enumerate(("humR03dc", "NLPR03vb10")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)
            found = ir_measures.calc_aggregate(list(measures.values()), qrels, runs[name])
        assert {text: round(found[m], 6) for text, m in measures.items()} == {
            text: row[column] for text, row in table.items()
        }


@pytest.fixture(scope="session")
def agrees_on_real_runs() -> Callable[..., None]:
    """``agrees_on_real_runs(robust03, [(name, params), …])``: as ``agrees``, on eight topics of
    every run, to rank 60.
    """
    return _agrees_on_real_runs


def _agrees_on_real_runs(robust03: Any, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    qrels, runs = robust03
    topics = list(dict.fromkeys(qrels["query_id"]))[::12][:8]
    qrels = qrels[qrels["query_id"].isin(topics)]
    rows = list(
        qrels[["query_id", "doc_id", "relevance", "iteration"]].itertuples(index=False, name=None)
    )
    for run in runs.values():
        run = run[run["query_id"].isin(topics)].groupby("query_id").head(60)
        _agrees(_Real(qrels, run, rows, list(run.itertuples(index=False, name=None))), wanted)


class _Real(NamedTuple):
    qrels_frame: Any
    run_frame: Any
    qrels: list[Any]
    run: list[Any]
