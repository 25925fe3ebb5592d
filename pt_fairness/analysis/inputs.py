"""Conversion and validation of the arguments of the analysis functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.core.messages import first_names, shown, warn
from pt_fairness.io.document_files import load_qrels, of_topics, qrels_columns
from pt_fairness.io.frames import need_columns, need_rows
from pt_fairness.io.run_files import RunInputs, named, read_run
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.rank_bias import ValueMeasure
from pt_fairness.measures.scoring import rels_of
from pt_fairness.provider.checks import check_labels
from pt_fairness.provider.parsing import parsed
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run


def judgments_of(qrels: Any) -> Judgments:
    """Convert qrels to :class:`Judgments`.

    :param qrels: as of :func:`pt_fairness.evaluate`
    :raises ValueError: a column is missing, or there are no rows
    """
    return Judgments(renamed_qrels(qrels))


def renamed_qrels(qrels: Any) -> pd.DataFrame:
    """Return qrels with the column names of ir_measures.

    :param qrels: as of :func:`pt_fairness.evaluate`
    :raises ValueError: a column is missing, or there are no rows
    """
    qrels = load_qrels(qrels)
    qid, docno, label = qrels_columns(qrels)
    need_rows(qrels, "the frame of qrels", [qid, docno, label])
    return qrels.rename(columns={qid: "query_id", docno: "doc_id", label: "relevance"})


def annotations_of(judgments: Judgments, groups: Any, rels: Iterable[int | None] = (),
                   added: Iterable[str] = ()) -> Annotations:
    """Return the groups of the judged documents.

    :param groups: a group source; ``None`` for the ``iteration`` of the qrels
    """
    return Annotations(judgments, None if groups is None else sources.get(groups), rels, added)


def kept_annotations(qrels: pd.DataFrame, groups: Any,
                     measures: Sequence[FairnessMeasure]) -> Annotations:
    """Return the groups of the judged documents of the topics that the group source keeps.

    Warn of labels in the parameters of the measures that no document has.

    :raises ValueError: the source keeps no topic, or it declares its labels without one that a
        measure names
    """
    added = {label for measure in measures for label in measure.added_labels}
    annotations = annotations_of(judgments_of(qrels), groups, rels_of(measures), added)
    if annotations.groups is not None and annotations.groups.topics is not None:
        kept = annotations.groups.to_qrels(qrels)
        if kept.empty:
            raise ValueError(f"{annotations.groups!r} drops all topics of the qrels")
        annotations = annotations_of(judgments_of(kept), groups, rels_of(measures), added)
    for measure in measures:
        check_labels(measure, annotations, warn)
    return annotations


def systems_of(runs: RunInputs, qrels: Any, topics: Any) \
        -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Return runs with the column names of ir_measures, and the qrels of their topics.

    Transformers are run once. Without them, these are all qrels.

    :param runs: as of :func:`pt_fairness.evaluate`, and so are ``topics``
    """
    found = named(runs, topics=topics)
    return frames_of(found), of_topics(load_qrels(qrels), found.topics)


def one_run(run: Any, topics: Any = None) -> pd.DataFrame:
    """Return a run with the column names of ir_measures.

    :param run: a run in any form that :func:`pt_fairness.evaluate` takes
    :raises ValueError: several runs, or what :func:`frames_of` raises
    """
    frames = frames_of(run, topics)
    if len(frames) > 1:
        raise ValueError(f"one run is needed, and these are {len(frames)}: "
                         f"{first_names([*frames])}")
    return next(iter(frames.values()))


def frames_of(runs: RunInputs, topics: Any = None) -> dict[str, pd.DataFrame]:
    """Return runs with the column names of ir_measures, by system name.

    :param runs: as of :func:`pt_fairness.evaluate`, and so are ``topics``
    :raises ValueError: runs that are none, or a missing column
    """
    found = {}
    for name, run in named(runs, topics=topics).items():
        frame = run.rename(columns={"query_id": "qid", "doc_id": "docno"}) \
            if isinstance(run, pd.DataFrame) else read_run(run)
        need_columns(frame, ["qid", "docno", "score"], f"the run {name!r}")
        found[name] = frame.rename(columns={"qid": "query_id", "docno": "doc_id"})
    return found


def runs_of(runs: RunInputs, judgments: Judgments) -> dict[str, Run]:
    """Return runs in trec_eval's order, by system name; for the parameters see :func:`frames_of`.
    """
    return {name: Run(frame, judgments) for name, frame in frames_of(runs).items()}


def is_of_groups(measure: Any) -> bool:
    """Return whether a measure compares groups, and not documents or numbers of documents."""
    return isinstance(measure, FairnessMeasure) and not isinstance(measure, ValueMeasure) \
        and any(part.needs_groups for part in measure.parts)


def measures_without_groups(measures: Any, caller: str, labels: str) -> list[FairnessMeasure]:
    """Return measures of this package that have no ``groups`` parameter.

    :param caller: the name of the public function, for errors
    :param labels: a sentence on the source of the groups, appended to errors
    :raises ValueError: a measure of another package, a measure with a ``groups`` parameter, a wrong
        parameter, or no measure
    """
    wanted = parsed(measures)
    if not wanted:
        raise ValueError(f"measures={shown(measures)}: {caller} needs at least one measure")
    for measure in wanted:
        if not isinstance(measure, FairnessMeasure) or list(measure.parts) != [measure] \
                or measure.param("groups") is not None:
            raise ValueError(f"{measure} is not possible here: {caller} takes measures of this "
                             f"package without a groups parameter; {labels}")
    return wanted
