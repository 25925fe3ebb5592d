"""Averages and per-query frames: their columns, and which end of each is better."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import ir_measures
import pandas as pd

from pt_fairness.core.arrays import TIE_DECIMALS
from pt_fairness.core.identifiers import missing, with_text_ids
from pt_fairness.core.messages import shown, warn
from pt_fairness.io.files import need_frame, need_rows
from pt_fairness.measures import descriptions
from pt_fairness.measures.descriptions import LARGER as LARGER
from pt_fairness.measures.descriptions import SMALLER as SMALLER
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import parsed_or_none

#: The suffixes of the columns in which pt.Experiment compares with a baseline.
WINS, LOSSES, P_VALUE, REJECT, CORRECTED = " +", " -", " p-value", " reject", " p-value corrected"
SUFFIXES = (CORRECTED, P_VALUE, REJECT, WINS, LOSSES, " corrected")
#: The prefix of the column that pandas creates for an index in a CSV file.
SAVED_INDEX = "Unnamed: "
#: The kinds of reference rankings, and the names of their rows in a table of averages.
REFERENCES = {"random": "[random order]", "proportional": "[proportional]",
              "largest-group-first": "[largest group first]",
              "smallest-group-first": "[smallest group first]"}


def split_suffix(column: str) -> tuple[str, str]:
    """Return the measure of a column, and the suffix of a comparison with a baseline.

    Examples
    --------
    >>> from pt_fairness.analysis.frames import split_suffix
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
    return {"qid", "measure", "value"} <= set(frame.columns)


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


def single_system(frame: pd.DataFrame, purpose: str) -> pd.DataFrame:
    """Check that a per-query frame has one system. The column ``name`` may be missing.

    :param purpose: the subject and verb of the error, such as ``'the figure shows'``
    :raises ValueError: if there are several systems
    """
    need_frame(frame, "the per-query frame")
    frame = per_query(frame if "name" in frame else frame.assign(name=""))
    names = frame["name"].unique()
    if len(names) > 1:
        raise ValueError(f"the per-query frame has {len(names)} systems, and {purpose} one; choose "
                         f"it with frame[frame['name'] == {names[0]!r}]")
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
        if pd.api.types.is_numeric_dtype(values):
            if name != "name" and not split_suffix(name)[1] and not name.startswith(SAVED_INDEX):
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
            if len(values) > 1:
                differing.append(key)
        if differing:
            for name, measure in family.items():
                shown[name] = _short(measure, differing)
    if len({*shown.values()}) < len(shown):
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
    >>> from pt_fairness.analysis.frames import direction
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
    return getattr(parsed_or_none(measure), "NAME", None) == "Annotated"


def distance(values: Any, end: str) -> Any:
    """Return the distance of each value from the better end, up to a constant.

    :param end: what :func:`direction` returns
    """
    if end == LARGER:
        return -values
    if end == SMALLER:
        return values
    return abs(values - float(end.removeprefix("→")))


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
