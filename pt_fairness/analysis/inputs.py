"""Read and check the arguments of the analysis functions: runs, qrels, groups and measures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.core.arrays import Ints
from pt_fairness.core.identifiers import IR_MEASURES, PYTERRIER, as_frame
from pt_fairness.core.messages import first_names, shown, warn
from pt_fairness.groups.sources import located
from pt_fairness.io.column_roles import Columns, frame_rows
from pt_fairness.io.document_files import read_topic_groups
from pt_fairness.io.files import need_columns, need_rows
from pt_fairness.io.qrels_files import chosen_topics, load_qrels, qrels_columns
from pt_fairness.io.run_files import NamedRuns, RunInputs, named, read_run
from pt_fairness.measures.measure import FairnessMeasure, rels_of
from pt_fairness.measures.params import PROTECTED_WORDS
from pt_fairness.measures.rank_bias import ValueMeasure
from pt_fairness.provider.measure_lists import check_labels, parsed
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run


def loaded_qrels(qrels: Any) -> pd.DataFrame:
    """Return qrels with the column names of ir_measures.

    :param qrels: qrels in any form that :func:`pt_fairness.evaluate` reads
    :raises ValueError: if a column is missing, or if the frame is empty
    """
    qrels = load_qrels(qrels)
    columns = qrels_columns(qrels)
    need_rows(qrels, "the frame of qrels", columns)
    names = zip(columns, ["query_id", "doc_id", "relevance"], strict=True)
    return qrels.rename(columns=dict(names))


def group_annotations(judgments: Judgments, groups: Any, rels: Iterable[int | None] = (),
                      added: Iterable[str] = ()) -> Annotations:
    """Return the groups of the judged documents.

    :param groups: a group source; ``None`` for the ``iteration`` of the qrels
    """
    source = None if groups is None else sources.get(groups)
    return Annotations(judgments, source, rels, added)


def kept_annotations(qrels: pd.DataFrame, groups: Any,
                     measures: Sequence[FairnessMeasure]) -> Annotations:
    """Return the groups of the judged documents of the topics that the group source keeps.

    Warn of labels in the parameters of the measures that no document has.

    :raises ValueError: if the source keeps no topic, or if a measure names a label that the source
        does not declare
    """
    rels = rels_of(measures)
    added = {label for measure in measures for label in measure.added_labels}
    annotations = group_annotations(Judgments(qrels), groups, rels, added)
    source = annotations.groups
    if source is not None and source.topics is not None:
        qrels = source.to_qrels(qrels)
        if qrels.empty:
            raise ValueError(f"{source!r} drops all topics of the qrels")
        annotations = group_annotations(Judgments(qrels), groups, rels, added)
    for measure in measures:
        check_labels(measure, source, annotations.labels, warn)
    return annotations


def runs_and_qrels(runs: RunInputs, qrels: Any, topics: Any) \
        -> tuple[NamedRuns, pd.DataFrame]:
    """Return runs and the qrels of their topics, with the column names of ir_measures.

    Transformers have not retrieved yet. Without them, all qrels are returned.

    :param runs: runs in any form that :func:`pt_fairness.evaluate` reads
    :param topics: the topics of transformers
    """
    named_runs = named(runs, topics=topics)
    judged = chosen_topics(loaded_qrels(qrels), named_runs.topics)
    return named_runs, judged


def one_run(run: Any, topics: Any = None) -> pd.DataFrame:
    """Return a run with the column names of ir_measures.

    :param run: a run in any form that :func:`pt_fairness.evaluate` reads
    :param topics: the topics of a transformer
    :raises ValueError: if there are several runs, or if a column is missing
    """
    frames = run_frames(run, topics)
    if len(frames) > 1:
        raise ValueError(f"run must be a single run, got {len(frames)}: {first_names([*frames])}")
    return next(iter(frames.values()))


def run_frames(runs: RunInputs, topics: Any = None) -> dict[str, pd.DataFrame]:
    """Return runs with the column names of ir_measures, by system name.

    :param runs: runs in any form that :func:`pt_fairness.evaluate` reads
    :param topics: the topics of transformers
    :raises ValueError: if a run cannot be read, or if a column is missing
    """
    frames = {}
    named_runs = named(runs, topics=topics)
    named_runs.retrieve()
    for name, run in named_runs.items():
        frame = run if isinstance(run, pd.DataFrame) else read_run(run)
        frame = frame.rename(columns=PYTERRIER)
        need_columns(frame, ["qid", "docno", "score"], f"the run {name!r}")
        frames[name] = frame.rename(columns=IR_MEASURES)
    return frames


def ranked_runs(runs: RunInputs, judgments: Judgments) -> dict[str, Run]:
    """Return runs in trec_eval's order, by system name.

    :param runs: runs in any form that :func:`pt_fairness.evaluate` reads
    """
    frames = run_frames(runs)
    return {name: Run(frame, judgments) for name, frame in frames.items()}


def first_rows(run: Run, depth: int | None) -> Ints:
    """Return the rows of the first ``depth`` documents of each ranking; ``None`` for all rows."""
    if depth is None:
        return np.arange(len(run.place))
    return np.flatnonzero(run.place < depth)


def compares_groups(measure: Any) -> bool:
    """Return whether a measure compares groups, not documents or values of documents."""
    if not isinstance(measure, FairnessMeasure) or isinstance(measure, ValueMeasure):
        return False
    return any(part.needs_groups for part in measure.parts)


def compares_with_judged(measure: FairnessMeasure) -> bool:
    """Return whether a measure compares a ranking with the judged documents."""
    for part in measure.parts:
        target = part.registered_target
        if part.JUDGED or part.param("background") == "qrels":
            return True
        if part.target_word in ("qrels", "collection"):
            return True
        if part.rel is not None and part.param("protected") in PROTECTED_WORDS[:2]:
            return True
        if part.target_word is not None and target is not None and target.of_qrels > 0:
            return True
    return False


def measures_without_groups(measures: Any, caller: str, labels: str) -> list[FairnessMeasure]:
    """Return measures of this package without a ``groups`` parameter.

    :param caller: the name of the public function, for errors
    :param labels: a sentence on the source of the groups, appended to errors
    :raises ValueError: if a measure is of another package, has a ``groups`` parameter or a wrong
        parameter, or if ``measures`` is empty
    """
    measures = parsed(measures)
    if not measures:
        raise ValueError(f"measures of {caller} must be at least one measure, got {measures}")
    for measure in measures:
        fair = isinstance(measure, FairnessMeasure)
        if not fair or list(measure.parts) != [measure] or measure.param("groups") is not None:
            raise ValueError(f"measures of {caller} must be of pt_fairness, without a groups "
                             f"parameter, got {measure}; {labels}")
    return measures


def topic_groups_of(path: Any) -> pd.DataFrame:
    """Read ``qid, group`` from ``FILE``, ``FILE:COLUMN`` or ``FILE:TOPIC:COLUMN``."""
    file, column = located(path)
    return read_topic_groups(file, Columns(column or None))


def topic_source(groups: Any) -> sources.Groups:
    """Return a group source that holds a topic in place of each document."""
    if isinstance(groups, sources.Groups):
        return groups
    groups = as_frame(groups)
    if isinstance(groups, (str, os.PathLike)):
        groups = topic_groups_of(groups)
    if isinstance(groups, pd.Series):
        groups = groups.to_dict()
    if isinstance(groups, pd.DataFrame):
        rows = frame_rows(groups, "the frame of topic groups", number=None, rows="qid")
        frame = rows[["qid", "group"]]
        return sources.from_frame(frame.rename(columns={"qid": "docno"}))
    if not isinstance(groups, Mapping) or not groups:
        raise ValueError("groups of topics must be a dictionary from topics to labels, a file, or "
                         f"a frame with the columns qid and group, got {shown(groups)}")
    if not all(isinstance(part, (Mapping, pd.DataFrame)) for part in groups.values()):
        return sources.from_mapping(groups)
    parts = [topic_source(part) for part in groups.values()]
    if len(parts) == 1:
        return parts[0]
    return sources.product(*parts)


def topic_memberships(groups: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``qid, group`` for each topic of a per-query frame and each of its groups.

    :raises ValueError: if no topic has a group
    """
    topics = frame["qid"].unique()
    qids = topics.tolist()
    members = topic_source(groups).lookup([""] * len(qids), qids)
    lacking = np.setdiff1d(topics, members["docno"])
    if len(lacking) == len(topics):
        raise ValueError(f"no topic of the frame, such as {topics[0]!r}, has a group; check that "
                         "the ids match")
    if len(lacking):
        warn(f"{len(lacking)} of {len(topics)} topics (the first is {lacking[0]!r}) have no group "
             "and are left out")
    return members[["docno", "group"]].set_axis(["qid", "group"], axis=1)
