"""What is evaluated: named runs, qrels, measures, their groups, and the settings of all workers."""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.analysis.inputs import compares_groups, compares_with_judged, run_frames
from pt_fairness.core.identifiers import PYTERRIER, texts_of, with_text_ids
from pt_fairness.core.messages import (
    TREC_DEFAULTS,
    UNANNOTATED,
    did_you_mean,
    distinct_or,
    first_names,
    is_whole,
    shown,
    warn,
)
from pt_fairness.core.registry import NamedObject, name_of
from pt_fairness.groups import Groups
from pt_fairness.io.files import is_pipe
from pt_fairness.io.qrels_files import chosen_topics, load_qrels, qrels_columns
from pt_fairness.io.runs import (
    NamedRuns,
    RunInput,
    RunInputs,
    file_name,
    is_path,
    is_system,
    named,
)
from pt_fairness.measures.measure import FairnessMeasure, registry_of
from pt_fairness.provider import ALPHA_VARIABLE
from pt_fairness.provider.measure_lists import (
    check_names,
    parsed,
    reads_subtopics,
    take_groups,
    takes_groups,
)


def inputs_of(runs: RunInputs, qrels: Any, measures: Any, topics: Any = None,
              groups: Any = None, names: Sequence[str] | None = None,
              progress: bool = False) -> tuple[NamedRuns, pd.DataFrame, list[Any], Any]:
    """Return the runs, the qrels, the measures and the group source of an evaluation.

    Transformers retrieve only where that is needed for the qrels or the groups.

    :param qrels: qrels, or ``None`` for measures that need no relevance
    :raises ValueError: if the runs are wrong, or qrels that a measure needs are missing
    """
    measures = parsed(measures)
    systems = named(runs, names, topics)
    if qrels is None:
        judged = _ranked(systems, measures, progress)
    else:
        judged = load_qrels(qrels)
        if systems.topics is not None:
            judged = chosen_topics(judged, systems.topics)
    if groups is None and not _has_groups(judged):
        grouped = [str(measure) for measure in measures if takes_groups(measure)]
        if grouped or any(map(reads_subtopics, measures)):
            systems.retrieve(progress)  # the results may have a column of groups
            groups = _groups_of_columns({"the qrels": judged, **systems}, judged)
        if groups is None and qrels is None and grouped:
            raise ValueError(f"{first_names(grouped)}: without qrels, the groups are in groups= or "
                             "in a column group of the runs")
    return systems, judged, measures, groups


def _ranked(runs: NamedRuns, measures: Sequence[Any], progress: bool) -> pd.DataFrame:
    """Return the documents of all runs as qrels of measures that need none; the runs are read.

    :raises ValueError: if a measure needs qrels
    """
    needing = [str(measure) for measure in measures if needs_qrels(measure)]
    if needing:
        raise ValueError(f"{first_names(needing)} cannot be computed without qrels, because the "
                         "value depends on judged documents; give qrels, or leave the measure out")
    runs.retrieve(progress)
    frames = run_frames(runs)
    runs.update(frames)
    documents = pd.concat(frames.values())[["query_id", "doc_id"]]
    return documents.apply(texts_of).drop_duplicates().assign(relevance=1)


def needs_qrels(measure: Any) -> bool:
    """Return whether the value of a measure depends on judged documents."""
    if not isinstance(measure, FairnessMeasure) or measure.RELEVANCE:
        return True
    return compares_with_judged(measure)


def _has_groups(qrels: pd.DataFrame) -> bool:
    """Return whether the ``iteration`` of qrels holds groups."""
    if "iteration" not in qrels:
        return False
    labels = qrels["iteration"].unique()
    return not TREC_DEFAULTS.issuperset(map(str, labels))


def _groups_of_columns(runs: Mapping[str, RunInput], qrels: pd.DataFrame) -> Groups | None:
    """Return the groups in the columns ``group`` of frames, and warn that they are used.

    :returns: ``None`` if no frame has the column
    :raises ValueError: if two frames give a document different groups
    """
    documents = {}
    for name, run in runs.items():
        if isinstance(run, pd.DataFrame) and "group" in run:
            frame = run.rename(columns=PYTERRIER)
            rows = frame[["qid", "docno", "group"]].explode("group")
            documents[name] = rows.dropna(subset="group").astype(str).drop_duplicates()
    if not documents:
        return None
    rows = pd.concat(documents, names=["frame"]).reset_index("frame")
    pairs = ["qid", "docno"]
    distinct = rows[[*pairs, "group"]].drop_duplicates()
    labels = rows.groupby(["frame", *pairs])["group"].transform("size")
    labels_of_all = rows.groupby(pairs)["group"].transform("nunique")
    differing = rows[labels != labels_of_all]
    for row in differing.itertuples():
        raise ValueError("the columns group of frames must agree, got other groups of document "
                         f"{row.docno!r} for topic {row.qid!r} in {row.frame}; give the groups "
                         "once, with groups= (--groups)")
    warn(f"groups are read from the column group of {first_names([*documents])}")
    return sources.from_frame(distinct, "the column group")


def position(baseline: Any, runs: Mapping[str, RunInput]) -> int:
    """Return the position of the baseline in the runs.

    :raises ValueError: if the baseline is not among the runs
    """
    names = list(runs)
    if is_whole(baseline) and 0 <= baseline < len(names):
        return int(baseline)
    hint = ""
    if is_path(baseline):
        text = os.fspath(baseline)
        paths = [os.fspath(run) if is_path(run) else "" for run in runs.values()]
        for known in (names, paths):
            if text in known:
                return known.index(text)
        files = [file_name(path) for path in paths]
        file = file_name(text)
        if os.path.basename(text) == text and files.count(file) == 1:
            return files.index(file)
        hint = did_you_mean(file, names)
    raise ValueError(f"baseline must be the position, name or path of one of the runs "
                     f"{first_names(names)}, got {shown(baseline)}.{hint}")


def refuse_pipes(runs: Mapping[str, RunInput]) -> None:
    """Raise an error if a run is a pipe, which can be read once, and by this process alone.

    :raises ValueError: if a run is a pipe
    """
    for name, run in runs.items():
        if is_path(run) and is_pipe(run):
            raise ValueError(f"the run {name!r} must be a file, because it is read twice or by "
                             "other processes, got a pipe")


@dataclass(frozen=True)
class Plan:
    """The qrels, measures and settings that are sent to the workers."""

    #: Columns ``query_id, doc_id, relevance``, ``iteration`` if there are groups; ids as text.
    qrels: pd.DataFrame
    #: Measures whose groups, targets, values and runs are bound to the registered objects.
    measures: list[Any]
    #: The names of the measures in the tables.
    columns: list[str]
    #: The name of the group source in tables; ``None`` without a source.
    groups: str | None
    #: The declared labels of the group source; ``None`` if it declares none.
    labels: list[str] | None
    #: The value of :data:`~pt_fairness.provider.ALPHA_VARIABLE`, ``None`` if it is not set.
    alpha: str | None
    #: A unique text, by which a worker recognises the plan.
    key: str
    #: The name in tables of each group source that is named by its hash, by that name.
    shown: dict[str, str]


def make_plan(qrels: pd.DataFrame, measures: Sequence[Any], source: Any = None) -> Plan:
    """Make a plan.

    :param qrels: PyTerrier's or ir_measures' columns
    :param source: the group source of the measures whose parameter ``groups`` is not set, or
        ``None``
    :raises ValueError: if a measure or the qrels are wrong
    """
    if qrels.empty:
        raise ValueError("qrels must have rows, got an empty frame")
    if not measures:
        raise ValueError("measures must have at least one measure, got an empty list")
    names = dict(zip(qrels_columns(qrels), ("query_id", "doc_id", "relevance"), strict=True))
    frame = with_text_ids(qrels.rename(columns=names), "qrels", "query_id", "doc_id")
    columns, frame, groups = take_groups(measures, frame, source)
    check_names(columns)
    objects = {}

    def find(param: str, source: Any) -> NamedObject:
        key = param, name_of(source)
        if key not in objects:  # a pipe can be read once
            objects[key] = registry_of(param).get(source)
        return objects[key]

    bound = [measure.replace_sources(find) if isinstance(measure, FairnessMeasure) else measure
             for measure in columns]
    named_sources = {name: source for (_, name), source in objects.items()}
    name: Any = None
    labels = None
    if groups is not None:
        labels = groups.labels
        name = os.fspath(source) if is_path(source) else name_of(groups)
        named_sources[name] = groups
    shown_names = _shown_names(named_sources)
    texts = _columns(bound, list(columns.values()), shown_names)
    alpha = os.environ.get(ALPHA_VARIABLE)
    key = uuid.uuid4().hex
    shown_name = shown_names.get(name, name)
    return Plan(frame, bound, texts, shown_name, labels, alpha, key, shown_names)


def _columns(measures: Sequence[Any], columns: Sequence[str],
             shown: Mapping[str, str]) -> list[str]:
    """Return the names of columns, with the names of sources that tables show.

    :param shown: the names that tables show, by the name of the source
    """
    def shown_name(source: Any) -> str:
        name = name_of(source)
        return shown.get(name, name)

    names = []
    for measure, column in zip(measures, columns, strict=True):
        if isinstance(measure, FairnessMeasure) and column == str(measure):
            column = measure.text(shown_name)
        names.append(column)
    return distinct_or(names, columns)


def _shown_names(sources: Mapping[str, NamedObject]) -> dict[str, str]:
    """Return the names that tables show for sources without a registered name.

    A file has its name, with its folder if two files have the same name. A pattern has its text.
    """
    shown = {}
    for name, source in sources.items():
        if os.path.isfile(name):
            shown[name] = name
        elif source.made_of and name == source.derived:
            shown[name] = source.made_of
    files = {*filter(os.path.isfile, shown.values())}
    count = Counter(map(os.path.basename, files))
    for name, path in shown.items():
        if path in files:
            folder, shown[name] = os.path.split(path)
            if count[shown[name]] > 1:
                parent = os.path.basename(folder)
                shown[name] = os.path.join(parent, shown[name])
    return shown


def oracles(systems: Mapping[str, Any], measures: Iterable[Any],
            qrels: pd.DataFrame) -> list[str]:
    """Return the names of the pipelines that re-rank by the labels of the evaluation."""
    used = {name: group_sources(system) for name, system in systems.items()}
    if not any(used.values()):
        return []
    sources = set()
    for measure in filter(compares_groups, measures):
        sources |= {part.param("groups") for part in measure.parts if part.needs_groups}
    evaluating = {judged_labels(source, qrels) for source in sources} - {frozenset()}
    found = []
    for name, own in used.items():
        reranking = {judged_labels(source, qrels) for source in own}
        if reranking & evaluating:
            found.append(name)
    return found


def group_sources(system: Any) -> list[Any]:
    """Return the group sources of the transformers of a pipeline."""
    groups = [getattr(part, "groups", None) for part in transformers(system)]
    return [source for source in groups if isinstance(source, Groups)]


def reranker_targets(systems: Mapping[str, Any]) -> dict[str, Any]:
    """Return the target of the re-ranker of each pipeline that has one; of several, the last."""
    from pt_fairness.rerank.rerankers import GroupReRanker
    targets: dict[str, Any] = {}
    for name, system in systems.items():
        for part in transformers(system):
            if isinstance(part, GroupReRanker):
                targets.setdefault(name, name_of(part.target))
    return targets


def transformers(system: Any) -> list[Any]:
    """Return all transformers of a pipeline, the last one first."""
    # pt.inspect.subtransformers leaves out caches, which are artifacts.
    known = {}
    remaining = [system]
    while remaining:
        part = remaining.pop()
        if id(part) in known:  # a transformer may refer to itself
            continue
        known[id(part)] = part
        for value in vars(part).values():
            parts = value if isinstance(value, (list, tuple)) else [value]
            remaining += filter(is_system, parts)
    return list(known.values())


def judged_labels(source: Any, qrels: pd.DataFrame) -> frozenset[tuple[str, ...]]:
    """Return the topic, docno and group of the judged documents that have a group.

    :param source: a group source, ``None`` for the groups in the qrels
    """
    found = sources.from_frame(qrels) if source is None else sources.get(source)
    frame = found.to_qrels(qrels)
    qid, docno, _ = qrels_columns(frame)
    without = frame["iteration"].isin([*UNANNOTATED, *TREC_DEFAULTS])
    annotated = frame.loc[~without, [qid, docno, "iteration"]]
    return frozenset(map(tuple, annotated.to_numpy()))
