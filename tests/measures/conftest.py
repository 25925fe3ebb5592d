"""Measures against their slow versions, through ir_measures."""

import random
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd
import pytest
import slow_versions
from measure_cases import OpenGroups, values_of
from worked_values import GROUPS, JUDGED, LEVELS, ORDER, SAMPLES

from pt_fairness import groups
from pt_fairness.measures import MEASURES


def _sampled(case: Any, samples: int, seed: int) -> pd.DataFrame:
    """``sampled(case, samples, seed)``: a run of several rankings of a topic, of unequal length.

    The first sample lacks the first topic.
    """
    run, pick = case.run_frame.drop_duplicates(["query_id", "doc_id"]), random.Random(seed)
    frames = [run.sample(frac=pick.choice([0.3, 0.7, 1.0]), random_state=seed + i).assign(
        iteration=i, score=lambda one: [pick.random() for _ in range(len(one))])
        for i in range(samples)]
    frames[0] = frames[0][frames[0]["query_id"] != run["query_id"].iloc[0]]
    return pd.concat(frames)


def _equal_slow_versions(
    found: dict[tuple[Any, str], float],
    measures: Iterable[Any],
    wanted: Iterable[tuple[str, dict[str, Any]]],
    case: Any,
    *,
    rows: Any = None,
    **known: Any,
) -> None:
    """``equal_slow_versions(found, measures, wanted, case, …)``: the values of each measure equal
    those of ``wanted``, its name and parameters, on every topic of the case.

    ``rows`` replace the run of the case. Other options are those of ``slow_versions.read``.
    """
    by_measure: dict[Any, dict[str, float]] = {}
    for (measure, qid), value in found.items():
        by_measure.setdefault(measure, {})[qid] = value
    topics = slow_versions.read(case.qrels, case.run if rows is None else rows, **known)
    for measure, (name, params) in zip(measures, wanted, strict=True):
        expected = {qid: slow_versions.value(name, topic, **params)
                    for qid, topic in topics.items()}
        assert by_measure[measure] == pytest.approx(expected, abs=1e-9), f"{measure}"


def _groups_of(case: Any, kind: bool | str) -> tuple[dict[str, Any], dict[str, Any]]:
    """``groups_of(case, kind)``: the groups of a case as an option of measures, and as options of
    their slow versions.

    Kinds: ``False`` for those of the qrels alone, ``True`` for an object that declares its labels,
    ``"open"`` for one that does not, ``"weights"`` for documents with weights, ``"some weights"``
    where two of three documents have them.
    """
    if not kind:
        return {}, {}
    frame = case.groups_frame
    known: dict[tuple[str, str], Any] = case.groups
    if kind in ("weights", "some weights"):
        frame["weight"] = [0.5 + i % 5 for i in range(len(frame))]
        if kind == "some weights":
            pairs = frame.groupby(["qid", "docno"], sort=False).ngroup()
            frame["weight"] = frame["weight"].where(pairs % 3 > 0, 1.0)
        known = {}
        for row in frame.itertuples():
            known.setdefault((row.qid, row.docno), {})[row.group] = row.weight
    source = groups.from_frame(frame)
    labels = () if kind == "open" else case.labels
    return {"groups": OpenGroups(source) if kind == "open" else source}, {
        "groups": lambda qid, docno: known.get((qid, docno), ()), "labels": labels}


def _agrees(
    case: Any,
    wanted: Iterable[tuple[str, dict[str, Any]]],
    kind: bool | str = False,
    samples: int = 1,
) -> None:
    """``agrees(case, [(name, params), …], kind=False, samples=1)``: each measure equals its slow
    version on every topic, with groups of this kind (see ``groups_of``).

    All are computed in one call of ir_measures. ``samples`` above 1 is for a run of several
    rankings of a topic.
    """
    wanted = list(wanted)
    run, rows = case.run_frame, case.run
    if samples > 1:
        run = _sampled(case, samples, seed=1)
        rows = list(run.itertuples(index=False, name=None))
    source, known = _groups_of(case, kind)
    measures = [MEASURES[name](**params, **source) for name, params in wanted]
    found = values_of(set(measures), case.qrels_frame, run)
    _equal_slow_versions(found, measures, wanted, case, rows=rows, **known)


#: The functions above, for the tests of all measures.
sampled, equal_slow_versions, groups_of, agrees = (
    pytest.fixture(lambda function=function: function, scope="session", name=function.__name__[1:])
    for function in (_sampled, _equal_slow_versions, _groups_of, _agrees))


@pytest.fixture
def worked_exposure() -> Callable[..., tuple[pd.DataFrame, pd.DataFrame]]:
    """``worked_exposure(rankings)``: the qrels of ``worked_values``, and a run that has each of the
    rankings; without rankings, the worked one.
    """
    qrels = pd.DataFrame([("1", docno, relevance, GROUPS[docno])
                          for docno, relevance in JUDGED.items()],
                         columns=["query_id", "doc_id", "relevance", "iteration"])

    def make(rankings: list[list[str]] = SAMPLES[:1]) -> tuple[pd.DataFrame, pd.DataFrame]:
        rows = [("1", docno, -float(place), sample) for sample, ranking in enumerate(rankings)
                for place, docno in enumerate(ranking)]
        run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "iteration"])
        return qrels, run
    return make


@pytest.fixture
def attributes(registered_groups: Callable[..., None]) -> None:
    """Registers the groups of ``worked_values`` as ``first``, and its levels as ``second``."""
    registered_groups("first", groups.from_mapping(GROUPS))
    registered_groups("second", groups.from_mapping(LEVELS, order=list(ORDER)))
