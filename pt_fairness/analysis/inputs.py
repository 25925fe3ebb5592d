"""What the analysis reads: runs, qrels, groups, measures, averages and per-query frames."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.core.arrays import TIE_DECIMALS, Ints
from pt_fairness.core.identifiers import IR_MEASURES, PYTERRIER, as_frame, missing, with_text_ids
from pt_fairness.core.messages import first_names, shown, warn
from pt_fairness.groups.sources import located
from pt_fairness.io.column_roles import Columns, frame_rows
from pt_fairness.io.document_files import read_topic_groups
from pt_fairness.io.files import need_columns, need_frame, need_rows
from pt_fairness.io.qrels_files import chosen_topics, load_qrels, qrels_columns
from pt_fairness.io.runs import NamedRuns, RunInputs, named, read_run
from pt_fairness.measures import descriptions
from pt_fairness.measures.descriptions import LARGER as LARGER
from pt_fairness.measures.descriptions import SMALLER as SMALLER
from pt_fairness.measures.measure import FairnessMeasure, rels_of
from pt_fairness.measures.params import PROTECTED_WORDS
from pt_fairness.measures.rank_bias import ValueMeasure
from pt_fairness.provider.measure_lists import check_labels, parsed, parsed_or_none
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run

#: The suffixes of the columns in which pt.Experiment compares with a baseline.
WINS, LOSSES, P_VALUE, REJECT, CORRECTED = " +", " -", " p-value", " reject", " p-value corrected"
SUFFIXES = (CORRECTED, P_VALUE, REJECT, WINS, LOSSES, " corrected")
#: The prefix of the column that pandas creates for an index in a CSV file.
SAVED_INDEX = "Unnamed: "
#: The kinds of reference rankings, and the names of their rows in a table of averages.
REFERENCES = {"random": "[random order]", "proportional": "[proportional]",
              "largest-group-first": "[largest group first]",
              "smallest-group-first": "[smallest group first]"}


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
    judgments = loaded_qrels(qrels)
    judged = chosen_topics(judgments, named_runs.topics)
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
    return sources.from_mapping(groups)


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


def split_suffix(column: str) -> tuple[str, str]:
    """Return the measure of a column, and the suffix of a comparison with a baseline.

    Examples
    --------
    >>> from pt_fairness.analysis.inputs import split_suffix
    >>> split_suffix("rKL@5 p-value corrected")
    ('rKL@5', ' p-value corrected')
    """
    for suffix in SUFFIXES:
        if column.endswith(suffix):
            return column.removesuffix(suffix), suffix
    return column, ""


def is_reference(averages: pd.DataFrame) -> pd.Series:
    """Return a mask of the rows that are reference rankings and not systems."""
    names = averages.get("name", averages.index.to_series())
    return names.isin(REFERENCES.values())


def systems(averages: pd.DataFrame) -> pd.DataFrame:
    """Return averages without the rows of reference rankings."""
    return averages[~is_reference(averages)]


def is_per_query(frame: pd.DataFrame) -> bool:
    """Return whether a frame is a per-query frame, not a table of averages.

    :raises ValueError: if it is not a DataFrame
    """
    need_frame(frame, "the table")
    return {"qid", "measure", "value"}.issubset(frame.columns)


def per_query(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns ``name, qid, measure, value``, with topics and measures as text.

    :raises ValueError: if a column or all rows are missing, a row lacks its name, topic or
        measure, or a system has two values of one topic and measure
    """
    keys = ["name", "qid", "measure"]
    columns = [*keys, "value"]
    need_rows(frame, "the per-query frame", columns)
    names = frame["name"]
    if names.hasnans:
        raise missing(names, names.isna().argmax(), "per-query frame")
    frame = with_text_ids(frame[columns], "per-query frame", "qid", "measure")
    frame = frame.astype({"value": float})
    repeated = frame.duplicated(keys)
    if repeated.any():
        row = frame[repeated].iloc[0]
        raise ValueError(f"{row['name']} has several values of {row['measure']} for topic "
                         f"{row['qid']}; keep one for each system, topic and measure")
    return frame


def single_system(frame: pd.DataFrame) -> pd.DataFrame:
    """Check that a per-query frame has one system. The column ``name`` may be missing.

    :raises ValueError: if there are several systems
    """
    need_frame(frame, "the per-query frame")
    frame = per_query(frame if "name" in frame else frame.assign(name=""))
    names = frame["name"].unique()
    if len(names) > 1:
        raise ValueError(f"the per-query frame has {len(names)} systems, and correlations over "
                         "topics need one; choose it with "
                         f"frame[frame['name'] == {names[0]!r}]")
    return frame


def single_measure(frame: pd.DataFrame, measure: Any = None) -> tuple[pd.DataFrame, str]:
    """Return the rows of one measure of a per-query frame, and its name.

    :param measure: a measure or its name; ``None`` if the frame has one measure
    :raises ValueError: if the frame does not have the measure, or has several and none is given
    """
    column = frame["measure"].map(str)
    names = column.unique().tolist()
    if measure is not None:
        name = column_name(measure, names)
    elif len(names) == 1:
        name = names[0]
    else:
        raise ValueError(f"the frame has {len(names)} measures, and one is needed; choose from "
                         f"{', '.join(map(repr, names))}")
    return frame[column == name], name


def column_name(measure: Any, names: Sequence[str]) -> str:
    """Return the name that a measure has in a table.

    :param measure: a measure or its text; aliases such as α_nDCG@5 are accepted
    :raises ValueError: if the table does not have the measure
    """
    for name in (str(measure), str(parsed_or_none(measure))):
        if name in names:
            return name
    raise ValueError(f"the table has no measure {shown(str(measure))}; it has "
                     f"{', '.join(map(repr, names))}")


def values_by_measure(values: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return a value for each measure of a table, by its name there.

    :param values: a dictionary by measure, or one value for all measures
    :param names: the measures of the table
    :raises ValueError: if the table does not have a measure
    """
    if not isinstance(values, Mapping):
        return dict.fromkeys(names, values)
    return {column_name(measure, names): value for measure, value in values.items()}


def measure_columns(averages: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold averages, without comparisons.

    :raises ValueError: if a column ``name``, a row or a measure is missing, the frame is a
        per-query frame, or the column of a measure does not hold numbers
    """
    need_rows(averages, "the table of averages", ["name"])
    if is_per_query(averages):
        raise ValueError("this is a per-query frame, and averages are needed: a row for each "
                         "system and a column for each measure")
    columns = []
    for column, values in averages.items():
        name = str(column)
        if _has_averages(name, values):
            columns.append(name)
        elif parsed_or_none(name) is not None:
            raise ValueError(f"{name} must be a column of numbers, got {values.iloc[0]!r}")
    if not columns:
        raise ValueError("the table of averages must have a column of numbers beside name, got "
                         f"{', '.join(map(str, averages.columns))}")
    return columns


def fairness_measure(name: Any) -> FairnessMeasure | None:
    """Return the measure of this package that a column is named after, or ``None``."""
    measure = parsed_or_none(name)
    return measure if isinstance(measure, FairnessMeasure) else None


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return short names of the measures that differ only in their parameters.

    Examples
    --------
    >>> short_names(["AWRF@10", "AWRF(target='qrels')@10", "nDCG@10"])
    {'AWRF@10': 'AWRF@10, target uniform', "AWRF(target='qrels')@10": 'AWRF@10, target qrels'}
    """
    families: dict[str, dict[str, FairnessMeasure]] = defaultdict(dict)
    for name in names:
        measure = fairness_measure(name)
        if measure is not None:
            families[measure.NAME][name] = measure
    shown = {}
    for family in families.values():
        used = {*chain.from_iterable(measure.params for measure in family.values())}
        differing = []
        for key in sorted(used - {"cutoff"}):
            values = {repr(measure.param(key)) for measure in family.values()}
            if len(values) != 1:
                differing.append(key)
        if differing:
            for name, measure in family.items():
                shown[name] = _short(measure, differing)
    if len({*shown.values()}) != len(shown):
        return {}
    return shown


def _short(measure: FairnessMeasure, keys: Sequence[str]) -> str:
    """Return the name and the cutoff of a measure, and some of its parameters in words."""
    cutoff = measure.param("cutoff")
    parts = [measure.NAME if cutoff is None else f"{measure.NAME}@{cutoff}"]
    for key in keys:
        value = measure.param(key)
        if value is not None:
            parts.append(f"{key} {value}")
    return ", ".join(parts)


def is_constant(values: Any) -> bool:
    """Return whether all values but NaN are equal to 12 decimals."""
    return pd.Series(values, dtype=float).round(TIE_DECIMALS).nunique() < 2


#: The mark of a measure that is best where it is nearest to 0.
NEAR_ZERO = "→0"
#: The prefixes of the columns that :func:`pt_fairness.analysis.combine` adds; larger is better.
COMBINATIONS = ("mean(", "gmean(", "hmean(")
#: The column of pt.Experiment with the mean response time.
RESPONSE_TIME = "mrt"


def direction(measure: Any) -> str | None:
    """Return the better end of a measure.

    :param measure: a measure, or the name of a column
    :returns: ``'↑'`` if larger is better, ``'↓'`` if smaller is better, ``'→0'`` if the ideal value
        0 lies inside the range, ``None`` if the name is not a measure

    Examples
    --------
    >>> from pt_fairness.analysis.inputs import direction
    >>> [direction(name) for name in ("nDCG@5", "rKL@5", "BiasP@5", "Bias")]
    ['↑', '↓', '→0', None]
    """
    name = str(measure)
    measure = parsed_or_none(measure)
    if isinstance(measure, FairnessMeasure):
        return descriptions.direction(measure)
    if name == RESPONSE_TIME:
        return SMALLER
    if measure is not None or name.startswith(COMBINATIONS) or _is_trec_name(name):
        return LARGER
    return None


def _is_trec_name(name: str) -> bool:
    """Return whether a name is a measure of trec_eval, which pt.Experiment does not change."""
    try:
        return bool(ir_measures.parse_trec_measure(name))
    except ValueError:
        return False


def is_coverage(measure: Any) -> bool:
    """Return whether a measure or column says how much is known, not how good a system is."""
    found = parsed_or_none(measure)
    return getattr(found, "NAME", None) == "Annotated"


def distance(values: Any, end: str) -> Any:
    """Return the distance of each value from the better end, up to a constant.

    :param end: what :func:`direction` returns
    """
    if end == LARGER:
        return -values
    if end == SMALLER:
        return values
    ideal = float(end.removeprefix("→"))
    return abs(values - ideal)


def best(averages: pd.DataFrame) -> pd.DataFrame:
    """Return a mask of the best values of each column.

    Reference rankings are never the best, and ``Annotated`` has no best value. One warning names
    the columns of unknown direction.

    :param averages: a row for each system
    :returns: a frame of the same shape; values that differ by less than 1e-12 share the place
    """
    marks = pd.DataFrame(False, averages.index, averages.columns)
    systems = ~is_reference(averages)
    unknown = []
    for column, values in averages.items():
        name = str(column)
        if not _has_averages(name, values) or is_coverage(name):
            continue
        end = direction(name)
        if end is None:
            unknown.append(name)
            continue
        far = distance(values.where(systems), end).round(TIE_DECIMALS)
        marks[column] = far == far.min()
    if unknown:
        warn(f"no value of {', '.join(unknown)} is marked as the best, because the name is not a "
             "measure; give the label of a measure with table(…, labels=…)")
    return marks


def _has_averages(name: str, values: pd.Series) -> bool:
    """Return whether a column holds averages, by its name and its type."""
    if name in ("name", "qid") or name.startswith(SAVED_INDEX) or split_suffix(name)[1]:
        return False
    return pd.api.types.is_numeric_dtype(values) and values.dtype != bool
