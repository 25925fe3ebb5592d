"""Columns of result tables: their measures and their best values.

*Averages* have the columns ``name`` and one for each measure. *Per-query* frames have the columns
``name, qid, measure, value``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.io import need_columns
from pt_fairness.io.identifiers import missing
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.params import DEEPEST
from pt_fairness.numerics import Bools
from pt_fairness.text import warn

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

#: Values that are equal to this many decimals are ties, because of rounding in sums.
TIE_DECIMALS = 12
#: The suffixes of the columns in which pt.Experiment compares with a baseline.
WINS, LOSSES = " +", " -"
TEST_SUFFIXES = (" p-value", " reject", " corrected")
#: The prefixes of the columns that :func:`pt_fairness.analysis.combine` adds; larger is better.
COMBINATIONS = ("mean(", "gmean(", "hmean(")
#: The prefix of the column that pandas creates for an index in a CSV file.
SAVED_INDEX = "Unnamed: "
#: The column of pt.Experiment with the mean response time.
RESPONSE_TIME = "mrt"

_TAKES = "measures are objects of ir_measures or names such as 'nDCG@10'"


def parsed(measures: Any) -> list[Any]:
    """Parse one or several measures, and remove duplicates.

    :param measures: a measure, or an iterable of measures; objects or names
    :raises ValueError: an unknown name, a wrong parameter, a cutoff below 1, or an object that is
        no measure

    Examples
    --------
    >>> from pt_fairness.tables import parsed
    >>> parsed(["nDCG@10", "rKL(protected='CON')@5", "nDCG@10"])
    [nDCG@10, rKL(protected='CON')@5]
    """
    if isinstance(measures, (str, ir_measures.Measure)):
        measures = [measures]
    if not isinstance(measures, Iterable):
        raise ValueError(f"measures={measures!r} is a {type(measures).__name__}; {_TAKES}")
    return list(dict.fromkeys(map(_parsed, measures)))


def _parsed(one: Any) -> Any:
    try:
        measure = ir_measures.parse_measure(one) if isinstance(one, str) else one
    except NameError as error:
        raise ValueError(f"{error}; {_TAKES}") from None
    except ValueError as error:
        raise ValueError(f"{one!r} cannot be read as a measure ({error}); {_TAKES}") from None
    if not isinstance(measure, ir_measures.Measure):
        raise ValueError(f"{one!r} is a {type(one).__name__}, not a measure; {_TAKES}")
    known, params = measure.SUPPORTED_PARAMS, measure.params
    try:
        measure.validate_params()
    except AssertionError as error:  # from measures of ir_measures
        wrong = [f"it has no parameter {name!r}" for name in params if name not in known]
        wrong += [f"it needs the parameter {name!r}" for name, info in known.items()
                  if info.required and name not in params]
        raise ValueError(f"{measure.NAME} is not possible: {[*wrong, error][0]}") from None
    cutoff = params.get("cutoff")
    if isinstance(cutoff, int) and not 1 <= cutoff <= DEEPEST:  # pytrec_eval would crash
        raise ValueError(f"{measure} is not possible: cutoff takes a whole number from 1 to "
                         f"{DEEPEST}")
    return measure


def parsed_or_none(column: Any) -> Any:
    """Parse the name of a column as a measure; return ``None`` if it is none."""
    try:
        measure = ir_measures.parse_measure(str(column))
        str(measure)  # raises if the measure has no such parameter
        return measure
    except (NameError, ValueError, TypeError, KeyError):
        return None


def measure_of(column: Any) -> FairnessMeasure | None:
    """Return the measure of this package that a column is named after, or ``None``."""
    measure = parsed_or_none(column)
    return measure if isinstance(measure, FairnessMeasure) else None


def is_signed(measure: FairnessMeasure) -> bool:
    """Return whether a measure can be negative, so that neither end of its range is the best."""
    return measure.RANGE[0] != 0


def distance_from_best(column: Any, values: pd.Series) -> pd.Series | None:
    """Return the distance of each value from the best possible one, up to a constant.

    :param column: the name of the column
    :returns: ``[systems]``, or ``None`` if no value of the column is better than another
    """
    name = str(column)
    if (not pd.api.types.is_numeric_dtype(values) or values.dtype == bool
            or name.endswith(TEST_SUFFIXES)):
        return None
    if name == RESPONSE_TIME:
        return values
    if name.endswith((WINS, LOSSES)):
        # Numbers of topics with a value above or below that of the baseline.
        measure = measure_of(name[:-len(WINS)])
        if measure is not None and is_signed(measure):
            return None  # a larger bias can be closer to 0 or farther from it
        larger_is_better = measure is None or measure.FAIR_END != 0
        return -values if name.endswith(WINS) == larger_is_better else values
    measure = measure_of(name)
    return -values if measure is None else (values - measure.FAIR_END).abs()


def ranked_by(distance: pd.Series) -> pd.Series:
    """Return the rank of each distance, 1 for the smallest; ties share the smaller rank."""
    return distance.round(TIE_DECIMALS).rank(method="min", na_option="bottom").astype(int)


def best(values: pd.Series) -> Bools:
    """Return a mask of the best values of a column, ``[systems]``."""
    distance = distance_from_best(values.name, values)
    if distance is None or distance.isna().all():
        return np.zeros(len(values), bool)
    return np.asarray(ranked_by(distance) == 1)


def best_of_measures(table: pd.DataFrame) -> pd.DataFrame:
    """Return a mask of the best values of each column, a frame of the shape of ``table``.

    A numeric column that is not named after a measure has no best value. One warning names all
    such columns.
    """
    marks = pd.DataFrame(False, table.index, table.columns)
    unknown = []
    for column in table.columns:
        name = str(column)
        if name in ("name", "qid") or name.startswith(SAVED_INDEX) or (
                distance_from_best(column, table[column]) is None):
            continue
        if _names_measure(name):
            marks[column] = best(table[column])
        else:
            unknown.append(name)
    if unknown:
        warn(f"no value of {', '.join(unknown)} is marked as the best: the name is no measure, so "
             "it does not say which end is better; mark the best before you rename columns")
    return marks


def _names_measure(column: str) -> bool:
    """Return whether the name of a column determines which end is better."""
    name = column[:-len(WINS)] if column.endswith((WINS, LOSSES)) else column
    return (name == RESPONSE_TIME or name.startswith(COMBINATIONS)
            or parsed_or_none(name) is not None or _is_trec_name(name))


def _is_trec_name(name: str) -> bool:
    """Return whether a name is that of a trec_eval measure, which pt.Experiment does not change."""
    try:
        return bool(ir_measures.parse_trec_measure(name))
    except ValueError:
        return False


def highlight(table: pd.DataFrame, style: str = "font-weight: bold") -> Styler:
    """Highlight the best values of each measure in an experiment's table.

    ``pt.Experiment(highlight=…)`` marks the largest value of every column. Here the best value
    depends on the column:

    * A measure of this package is best where it is nearest to its fair end: 0 for unfairness and
      bias, 1 for fairness.
    * A count of topics (``rKL@5 +``) is best where fewer topics became less fair.
    * Any other measure is best where it is largest.
    * A p-value has no best value. Neither has a column that is not named after a measure; a warning
      names it.

    Values that are equal to 12 decimals are all marked. To rename columns, call
    ``styled.relabel_index(names, axis="columns")`` on the result.

    :param table: the result of ``pt.Experiment``, with a row for each system
    :param style: the CSS of the best cells
    :returns: a pandas Styler

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
    marks = best_of_measures(table)
    return table.style.apply(lambda _: marks.map(lambda one: style if one else ""), axis=None)


def is_constant(values: Any) -> bool:
    """Return whether all values but NaN are equal to :data:`TIE_DECIMALS` decimals."""
    return pd.Series(values, dtype=float).round(TIE_DECIMALS).nunique() < 2


def measure_columns(averages: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold averages, without those of baseline comparisons.

    :raises ValueError: no column ``name``, no measure, two columns of one name, or a column that is
        named after a measure and does not hold numbers
    """
    need_columns(averages, ["name"], "the table of averages")
    repeated = averages.columns[averages.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"the table of averages has several columns {repeated[0]!r}; keep or "
                         "rename one")
    for column in averages.columns:
        if (not pd.api.types.is_numeric_dtype(averages[column])
                and parsed_or_none(column) is not None):
            raise _not_numeric(averages, column)
    columns = [column for column in averages.columns
               if column != "name" and pd.api.types.is_numeric_dtype(averages[column])
               and not str(column).endswith((WINS, LOSSES, *TEST_SUFFIXES))
               and not str(column).startswith(SAVED_INDEX)]
    if not columns:
        raise ValueError("the table of averages has no column of numbers except name; its columns "
                         f"are {', '.join(map(str, averages.columns))}")
    return columns


def _not_numeric(averages: pd.DataFrame, column: Any) -> ValueError:
    message = f"{column} has to be a column of numbers"
    if not len(averages):
        return ValueError(message)
    values = averages[column]
    # If every value can be converted, argmax is 0, the first row.
    row = int(pd.to_numeric(values, errors="coerce").isna().to_numpy().argmax())
    return ValueError(f"{message}, and {averages['name'].iloc[row]} has {values.iloc[row]!r}")


def column_of(averages: pd.DataFrame, measure: Any) -> str:
    """Return the name of the column of a measure.

    :param measure: an object, or any of its names: α_nDCG@5 is in the column alpha_nDCG@5
    :raises ValueError: the table has no such column
    """
    columns = measure_columns(averages)
    for name in (str(measure), str(parsed_or_none(measure))):
        if name in columns:
            return name
    raise ValueError(f"the table has no measure {str(measure)!r}; it has "
                     f"{', '.join(map(repr, columns))}")


def is_per_query(frame: pd.DataFrame) -> bool:
    """Return whether a frame is a per-query frame, not a table of averages."""
    return {"qid", "measure", "value"} <= set(frame.columns)


def per_query(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns ``name, qid, measure, value``, with topics and measures as text.

    :raises ValueError: a missing column; a row without a name, topic or measure; or two values of
        one system, topic and measure
    """
    columns = ["name", "qid", "measure", "value"]
    need_columns(frame, columns, "the per-query frame")
    for column in columns[:3]:
        absent = frame[column].isna().to_numpy()
        if absent.any():
            raise missing(frame[column], absent.argmax(), "per-query frame")
    frame = frame[columns].assign(qid=frame["qid"].astype(str), measure=frame["measure"].map(str),
                                  value=frame["value"].astype(float))
    repeated = frame.duplicated(columns[:3])
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
    frame = per_query(frame if "name" in frame else frame.assign(name=""))
    names = list(dict.fromkeys(frame["name"]))
    if len(names) > 1:
        raise ValueError(f"the per-query frame has {len(names)} systems, and {purpose} one; choose "
                         f"it with frame[frame['name'] == {names[0]!r}]{instead}; the systems are "
                         f"{', '.join(map(repr, names))}")
    return frame


def of_one_measure(frame: pd.DataFrame, measure: Any = None) -> tuple[pd.DataFrame, str]:
    """Return the rows of one measure of a per-query frame, and its name.

    :param measure: an object or a name; ``None`` if the frame has one measure
    :raises ValueError: the frame does not have the measure, or has several and ``measure`` is
        ``None``
    """
    names = list(dict.fromkeys(frame["measure"].map(str)))
    if measure is None and len(names) != 1:
        raise ValueError(f"the frame has {len(names)} measures, and one is needed; choose from "
                         f"{', '.join(map(repr, names))}")
    name = names[0] if measure is None else str(measure)
    if name not in names:
        raise ValueError(f"the frame has no values of {name!r}; it has "
                         f"{', '.join(map(repr, names))}")
    return frame[frame["measure"].map(str) == name], name
