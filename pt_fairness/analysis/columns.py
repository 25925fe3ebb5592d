"""Columns of averages and of per-query frames: their measures and better ends, and ``attrs``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.core.identifiers import missing, with_text_ids
from pt_fairness.core.messages import shown, warn
from pt_fairness.io.files import need_frame, need_rows
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import parsed_or_none

#: The marks of a column that is best where it is largest, smallest, and nearest to 0. The mark of a
#: column that is best nearest to another value, such as ``→1``, has this value.
LARGER = "↑"
SMALLER = "↓"
NEAR_ZERO = "→0"
#: Values that are equal to this many decimals are ties, because of rounding in sums.
TIE_DECIMALS = 12
#: The significance level.
ALPHA = 0.05
#: The least number of topics of a test, and that of an interval.
LEAST_TESTED, LEAST_INTERVAL = 6, 3
#: Why fewer topics have no test.
TOO_FEW = ("With fewer than six topics, no difference is called significant: even where all topics "
           "agree, a sign test has p > .05.")
#: The correction of the p-values for several systems.
CORRECTION = "holm"
#: The suffixes of the columns in which pt.Experiment compares with a baseline.
WINS, LOSSES = " +", " -"
P_VALUE = " p-value"
REJECT = " reject"
CORRECTED = " p-value corrected"
#: The suffixes of the columns with the ends of the interval of an average.
LOW, HIGH = " low", " high"
#: The suffix of the column with the verdicts against a tolerance.
VERDICT = " verdict"
#: The prefixes of the columns that :func:`pt_fairness.analysis.combine` adds; larger is better.
COMBINATIONS = ("mean(", "gmean(", "hmean(")
#: The prefix of the column that pandas creates for an index in a CSV file.
SAVED_INDEX = "Unnamed: "
#: The column of pt.Experiment with the mean response time.
RESPONSE_TIME = "mrt"
#: The key of ``attrs`` that maps the names of columns to the measures that they stand for, as text.
MEASURES = "measures"
#: The key of ``attrs`` with the name of the group source.
GROUPS = "groups"
#: The key of ``attrs`` with the labels of the group source, ``None`` where they are not known.
LABELS = "labels"
#: The key of ``attrs`` with the number of topics.
TOPICS = "topics"
#: The key of ``attrs`` that maps the names of columns to the topics that are undefined.
UNDEFINED = "undefined"
#: The key of ``attrs`` that says that the undefined topics are left out.
DROPPED = "undefined left out"
#: The key of ``attrs`` that maps the columns that are undefined for all topics to the reason.
UNDEFINED_EVERYWHERE = "undefined everywhere"
#: The key of ``attrs`` that maps the columns of measures that compare one of more than two groups
#: with all others, because ``protected`` is not set, to the number of groups.
SEVERAL = "several groups"
#: The key of ``attrs`` that maps the names of columns to the systems of which less than half of the
#: documents that count stand within the cutoff, with their share.
FAR_DOWN = "far down"
#: The key of ``attrs`` with the names of the pipelines that re-rank by the labels of the measures.
ORACLES = "oracles"
#: The key of ``attrs`` with the test against the baseline: ``baseline``, ``test``, ``correction``
#: (``None`` for none), ``alpha`` and ``systems``, the number of systems that are compared.
COMPARISON = "comparison"
#: The key of ``attrs`` with the intervals of the averages: ``method`` and ``confidence``.
INTERVAL = "interval"
#: The key of ``attrs`` that maps the names of columns to the tolerance of their verdicts.
TOLERANCE = "tolerance"
#: The key of ``attrs`` with the names of the rows of reference rankings, below the systems.
REFERENCES = "references"
#: The key of ``attrs`` with the fronts of the qrels. Each has the positions of its two measures
#: among the columns, its ``vertices``, and ``now``, ``fairest`` and ``headroom`` of each system.
FRONTS = "fronts"
#: The key of ``attrs`` with the names of the systems, in the order of the runs.
SYSTEMS = "systems"
#: The key of ``attrs`` that maps each source of groups or values to a sentence: how many documents
#: have a group or a value there.
MATCHED = "matched"
#: The key of ``attrs`` that maps the names of failed runs to their errors.
BROKEN = "broken"


def split_suffix(column: str) -> tuple[str, str]:
    """Return the measure of a column, and the suffix of a comparison with a baseline.

    Examples
    --------
    >>> from pt_fairness.analysis.columns import split_suffix
    >>> split_suffix("rKL@5 p-value corrected")
    ('rKL@5', ' p-value corrected')
    """
    for suffix in (CORRECTED, P_VALUE, REJECT, WINS, LOSSES, " corrected", LOW, HIGH,
                   VERDICT):
        if column.endswith(suffix):
            return column[:-len(suffix)], suffix
    return column, ""


def is_reference(averages: pd.DataFrame) -> pd.Series:
    """Return a mask of the rows that are reference rankings and not systems."""
    names = averages.get("name", averages.index.to_series())
    return names.isin(averages.attrs.get(REFERENCES, ()))


def systems_of(averages: pd.DataFrame) -> pd.DataFrame:
    """Return averages without the rows of reference rankings."""
    return averages[~is_reference(averages)]


#: The mark of a better end at the end of a name.
_MARK = re.compile(r"\s*(↑|↓|→-?[0-9.]+)$")


def text_of(column: Any, table: pd.DataFrame | None) -> str:
    """Return the name of a column, or the text in ``table.attrs`` if the column was renamed."""
    name = str(column)
    renamed = {} if table is None else table.attrs.get(MEASURES, {})
    return str(renamed.get(name, name))


def mark_of(text: str) -> str | None:
    """Return the mark at the end of a name, or ``None``."""
    mark = _MARK.search(text)
    return mark[1] if mark else None


def stands_for(column: Any, table: pd.DataFrame | None = None) -> str:
    """Return the measure that a column stands for, as text.

    It is in ``table.attrs`` if the column was renamed; else it is the name of the column, without a
    mark at its end.
    """
    return _MARK.sub("", text_of(column, table))


def name_of(measure: Any, names: Sequence[str], table: pd.DataFrame, lacks: str) -> str:
    """Return the name of a measure in a table.

    :param measure: one of ``names``, or a measure or its text form; aliases such as α_nDCG@5 and
        the original names of renamed columns are accepted
    :param names: the names of the measures in the table
    :param lacks: the start of the error, such as ``'the table has no measure'``
    :raises ValueError: none of the names stands for the measure, or several
    """
    spellings = [str(measure), str(parsed_or_none(measure))]
    for spelling in spellings:
        if spelling in names:
            return spelling
    matches = [name for name in names if stands_for(name, table) in spellings]
    text = shown(spellings[0])
    if not matches:
        raise ValueError(f"{lacks} {text}; it has {', '.join(map(repr, names))}")
    if len(matches) > 1:
        raise ValueError(f"{text} has several names in the table: "
                         f"{', '.join(map(repr, matches))}; give one of them")
    return matches[0]


def measure_of(column: Any, table: pd.DataFrame | None = None) -> FairnessMeasure | None:
    """Return the measure of this package that a column stands for, or ``None``."""
    measure = parsed_or_none(stands_for(column, table))
    return measure if isinstance(measure, FairnessMeasure) else None


def is_per_query(frame: pd.DataFrame) -> bool:
    """Return whether a frame is a per-query frame, not a table of averages.

    :raises ValueError: it is no DataFrame
    """
    need_frame(frame, "the table")
    return {"qid", "measure", "value"} <= set(frame.columns)


def per_query(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns ``name, qid, measure, value``, with topics and measures as text.

    :raises ValueError: a missing column; no row; a row without a name, topic or measure; or two
        values of one system, topic and measure
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


def of_one_system(frame: pd.DataFrame, purpose: str, instead: str = "") -> pd.DataFrame:
    """Check that a per-query frame has one system, and normalise its columns.

    The column ``name`` may be missing.

    :param purpose: the subject and verb of the error, such as ``'the figure shows'``
    :param instead: an alternative for several systems, appended to the error
    :raises ValueError: several systems, or what :func:`per_query` raises
    """
    need_frame(frame, "the per-query frame")
    frame = per_query(frame if "name" in frame else frame.assign(name=""))
    names = frame["name"].unique()
    if len(names) > 1:
        raise ValueError(f"the per-query frame has {len(names)} systems, and {purpose} one; choose "
                         f"it with frame[frame['name'] == {names[0]!r}]{instead}")
    return frame


def of_one_measure(frame: pd.DataFrame, measure: Any = None) -> tuple[pd.DataFrame, str]:
    """Return the rows of one measure of a per-query frame, and its name.

    :param measure: an object, any of its names or its label; ``None`` if the frame has one measure
    :raises ValueError: the frame does not have the measure, or has it under several names; or it
        has several measures and ``measure`` is ``None``
    """
    column = frame["measure"].map(str)
    names = column.unique().tolist()
    if measure is not None:
        name = name_of(measure, names, frame, "the frame has no values of")
    elif len(names) == 1:
        name = names[0]
    else:
        raise ValueError(f"the frame has {len(names)} measures, and one is needed; choose from "
                         f"{', '.join(map(repr, names))}")
    return frame[column == name], name


def by_name(values: Any, table: pd.DataFrame) -> dict[str, Any]:
    """Return a value for each measure of a table, by its name there.

    :param table: averages or a per-query frame
    :param values: a dictionary by measure, or one value for all measures
    :raises ValueError: the table does not have a measure
    """
    per_query = is_per_query(table)
    if not isinstance(values, Mapping):
        names = table["measure"].map(str) if per_query else measure_columns(table)
        return dict.fromkeys(names, values)
    return {of_one_measure(table, measure)[1] if per_query else column_of(table, measure): value
            for measure, value in values.items()}


def is_constant(values: Any) -> bool:
    """Return whether all values but NaN are equal to :data:`TIE_DECIMALS` decimals."""
    return pd.Series(values, dtype=float).round(TIE_DECIMALS).nunique() < 2


def measure_columns(averages: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold averages, without comparisons and intervals.

    :raises ValueError: no column ``name``, no row, no measure, a per-query frame, two columns of
        one name, or a column that is named after a measure and does not hold numbers
    """
    need_rows(averages, "the table of averages", ["name"])
    if is_per_query(averages):
        raise ValueError("this is a per-query frame, and averages are needed: a row for each "
                         "system and a column for each measure")
    columns = []
    for column in averages.columns:
        values = averages[column]
        if pd.api.types.is_numeric_dtype(values):
            if column != "name" and _is_measure(str(column), averages):
                columns.append(column)
        elif parsed_or_none(column) is not None:
            numbers = pd.to_numeric(values, errors="coerce")
            row = numbers.isna().to_numpy().argmax()  # the first row if all are numbers
            raise ValueError(f"{column} has to be a column of numbers, and "
                             f"{averages['name'].iloc[row]} has {values.iloc[row]!r}")
    if not columns:
        raise ValueError("the table of averages has no column of numbers except name; its columns "
                         f"are {', '.join(map(str, averages.columns))}")
    return columns


def _is_measure(column: str, averages: pd.DataFrame) -> bool:
    """Return whether a column of numbers holds averages, by its name."""
    measure, suffix = split_suffix(column)
    if suffix in (LOW, HIGH):
        return measure not in averages
    return not suffix and not column.startswith(SAVED_INDEX)


def column_of(averages: pd.DataFrame, measure: Any) -> str:
    """Return the name of the column of a measure.

    :param measure: the name of the column, or what else :func:`name_of` takes
    :raises ValueError: the table has no such column, or several
    """
    return name_of(measure, measure_columns(averages), averages, "the table has no measure")


def direction_of(column: Any, table: pd.DataFrame | None = None) -> str | None:
    """Return the mark of the better end of a column that holds the values of a measure.

    :param column: the name of the column
    :param table: the table of the column, whose ``attrs`` name the measures of renamed columns
    :returns: ``'↑'`` if larger is better, ``'↓'`` if smaller is better, ``'→0'`` for a signed bias,
        ``None`` if the direction is unknown. The direction of a measure of this package is towards
        its ideal value, wherever that lies in its range

    Examples
    --------
    >>> from pt_fairness.analysis.columns import direction_of
    >>> [direction_of(name) for name in ("nDCG@5", "rKL@5", "BiasP@5", "Bias ↓", "Bias")]
    ['↑', '↓', '→0', '↓', None]
    """
    text = text_of(column, table)
    mark = mark_of(text)
    if mark is not None:
        return mark
    measure = parsed_or_none(text)
    if isinstance(measure, FairnessMeasure):
        return direction_of_measure(measure)
    if text == RESPONSE_TIME:
        return SMALLER
    if measure is not None or text.startswith(COMBINATIONS) or _is_trec_name(text):
        return LARGER
    return None


def direction_of_measure(measure: FairnessMeasure) -> str:
    """Return the mark of the ideal value of a measure."""
    low, high = measure.RANGE
    end = measure.IDEAL
    if end == low:
        return SMALLER
    if end == high or (end != 0 and high is None):
        return LARGER
    return f"→{end:g}"


def _is_trec_name(name: str) -> bool:
    """Return whether a name is that of a trec_eval measure, which pt.Experiment does not change."""
    try:
        return bool(ir_measures.parse_trec_measure(name))
    except ValueError:
        return False


def with_mark(column: Any, table: pd.DataFrame, always: bool = False) -> str:
    """Return the name of a column with its mark at the end of the measure, such as ``Bias ↓ +``.

    :param always: whether to mark a column whose name determines its direction, too
    """
    name, suffix = split_suffix(str(column))
    mark = direction_of(name, table)
    is_known = direction_of(name) == mark and not always
    if mark is None or name.endswith(mark) or is_known:
        return str(column)
    return f"{name} {mark}{suffix}"


def distance_from_best(table: pd.DataFrame, column: Any) -> pd.Series | None:
    """Return the distance of each value from the best possible one, up to a constant.

    :param column: the name of the column
    :returns: ``[systems]``, or ``None`` if no value of the column is better than another, or if its
        direction is unknown
    """
    values = table[column]
    direction = direction_of(column, table)
    if direction is None or split_suffix(str(column))[1] or not _has_numbers(values):
        return None
    return from_best(values.mask(is_reference(table)), direction)


def _has_numbers(values: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(values) and values.dtype != bool


def from_best(values: Any, direction: str) -> Any:
    """Return the distance of each value from the best possible one, up to a constant."""
    if direction == LARGER:
        return -values
    if direction == SMALLER:
        return values
    return abs(values - float(direction[1:]))


def ranked_by(distance: pd.Series) -> pd.Series:
    """Return the rank of each distance, 1 for the smallest; ties share the smaller rank."""
    return distance.round(TIE_DECIMALS).rank(method="min", na_option="bottom").astype(int)


def best_of_measures(table: pd.DataFrame) -> pd.DataFrame:
    """Return a mask of the best values of each column, a frame of the shape of ``table``.

    A numeric column of unknown direction has no best value. One warning names all such columns.
    """
    marks = pd.DataFrame(False, table.index, table.columns)
    for column in table.columns:
        distance = distance_from_best(table, column)
        if distance is not None and distance.notna().any():
            marks[column] = (ranked_by(distance) == 1).to_numpy()
    unknown = columns_of_unknown_direction(table)
    if unknown:
        warn(f"no value of {', '.join(unknown)} is marked as the best: the name is no measure, so "
             "it does not say which end is better; rename it (pt_fairness.rename, --label), or "
             f"end the name with {LARGER} or {SMALLER}")
    return marks


def columns_of_unknown_direction(table: pd.DataFrame) -> list[str]:
    """Return the names of the columns of numbers of which neither end is known to be better."""
    unknown = []
    for column, values in table.items():
        name = str(column)
        if name in ("name", "qid") or name.startswith(SAVED_INDEX) or split_suffix(name)[1]:
            continue
        if _has_numbers(values) and direction_of(name, table) is None:
            unknown.append(name)
    return unknown


def highlight(table: pd.DataFrame, style: str = "font-weight: bold") -> pd.io.formats.style.Styler:
    """Highlight the best values of each measure in an experiment's table.

    ``pt.Experiment(highlight=…)`` marks the largest value of every column. Here the best value
    depends on the column:

    * A measure of this package is best where it is nearest to its ideal value: smallest for
      unfairness, largest for fairness, nearest to 0 for a signed bias.
    * Any other measure is best where it is largest.
    * A column that :func:`rename` renamed is best where its measure is. Elsewhere, ``↑``, ``↓`` or
      ``→0`` at the end of the name says which end is best.
    * Comparisons and intervals (``rKL@5 +``, ``rKL@5 p-value``, ``rKL@5 low``) have no best value.
      Neither has a column of unknown direction; a warning names it.

    Values that are equal to 12 decimals are all marked.

    :param table: the result of ``pt.Experiment``, with a row for each system
    :param style: the CSS of the best cells
    :returns: a pandas Styler
    :raises ValueError: ``table`` is no DataFrame, or has no rows

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import highlight
    >>> table = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.9, 0.5], "rKL@5": [0.4, 0.1]})
    >>> print(highlight(table, "textbf:--rwrap").hide(axis="index").format(precision=1).to_latex())
    \\begin{tabular}{lrr}
    name & nDCG@5 & rKL@5 \\\\
    A & \\textbf{0.9} & 0.4 \\\\
    B & 0.5 & \\textbf{0.1} \\\\
    \\end{tabular}
    <BLANKLINE>
    """
    need_rows(table, "the table")
    if not table.index.is_unique:  # joined tables, for which pandas has no Styler
        table = table.reset_index(drop=True)
    marks = best_of_measures(table)
    return table.style.apply(lambda _: np.where(marks, style, ""), axis=None)
