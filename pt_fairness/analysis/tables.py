"""What the tables of an experiment are: their columns, the measures these are named after, and which end is the good one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.identifiers import missing
from pt_fairness.io import need_columns
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.params import DEEPEST
from pt_fairness.numerics import Bools
from pt_fairness.text import warn

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

#: Values that agree to so many decimals are ties: sums of the same numbers in another order differ in the last bits.
TIE_DECIMALS = 12
#: What pt.Experiment adds to a measure's name for the comparison with a baseline.
WINS, LOSSES = " +", " -"
TEST_SUFFIXES = (" p-value", " reject", " corrected")
#: How the columns that :func:`combine` adds are called; more is better there.
COMBINATIONS = ("mean(", "gmean(", "hmean(")
#: What pandas calls the index of a frame that was saved with it.
SAVED_INDEX = "Unnamed: "


_NAMES = "measures are objects of ir_measures or names such as 'nDCG@10'"


def parsed(measures: Any) -> list[Any]:
    """Return measures as objects, each once, of one or several that are objects or names.

    :raises ValueError: a name that is not known or cannot be read, a wrong parameter, a cutoff
        below 1, something else than a measure
    """
    if isinstance(measures, (str, ir_measures.Measure)):
        measures = [measures]
    if not isinstance(measures, Iterable):
        raise ValueError(f"measures={measures!r} is a {type(measures).__name__}; {_NAMES}")
    return list(dict.fromkeys(map(_parsed, measures)))


def _parsed(one: Any) -> Any:
    try:
        measure = ir_measures.parse_measure(one) if isinstance(one, str) else one
    except NameError as error:
        raise ValueError(f"{error}; {_NAMES}") from None
    except ValueError as error:
        raise ValueError(f"{one!r} cannot be read as a measure ({error}); {_NAMES}") from None
    if not isinstance(measure, ir_measures.Measure):
        raise ValueError(f"{one!r} is a {type(one).__name__}, not a measure; {_NAMES}")
    known, params = measure.SUPPORTED_PARAMS, measure.params
    try:
        measure.validate_params()
    except AssertionError as error:  # of the measures of ir_measures
        wrong = [f"it has no parameter {name!r}" for name in params if name not in known]
        wrong += [f"it needs the parameter {name!r}" for name, info in known.items()
                  if info.required and name not in params]
        raise ValueError(f"{measure.NAME} is not possible: {[*wrong, error][0]}") from None
    cutoff = params.get("cutoff")
    if isinstance(cutoff, int) and not 1 <= cutoff <= DEEPEST:  # pytrec_eval ends the interpreter
        raise ValueError(f"{measure} is not possible: cutoff takes a whole number from 1 to "
                         f"{DEEPEST}")
    return measure


def parsed_or_none(column: Any) -> Any:
    """The measure that a column is named after; ``None`` for any other column."""
    try:
        measure = ir_measures.parse_measure(str(column))
        str(measure)  # fails where there is no such parameter
        return measure
    except (NameError, ValueError, TypeError, KeyError):
        return None


def measure_of(column: Any) -> FairnessMeasure | None:
    """The measure of this package that a column is named after; ``None`` for any other column."""
    measure = parsed_or_none(column)
    return measure if isinstance(measure, FairnessMeasure) else None


def is_signed(measure: FairnessMeasure) -> bool:
    """Whether the fair value lies inside of the range, so that neither the largest nor the smallest value is the best."""
    return measure.RANGE[0] != 0


def distance_from_best(column: Any, values: pd.Series) -> pd.Series | None:
    """How far each value is from the best there could be, up to a constant; ``None`` for a column without a best value."""
    name = str(column)
    if not pd.api.types.is_numeric_dtype(values) or values.dtype == bool or name.endswith(TEST_SUFFIXES):
        return None
    if name == "mrt":
        return values
    if name.endswith((WINS, LOSSES)):
        # Topics with a larger, or smaller, value than the baseline's.
        measure = measure_of(name[:-2])
        if measure is not None and is_signed(measure):
            return None  # a larger bias may be nearer to 0 or farther from it
        larger_is_better = measure is None or measure.FAIR_END != 0
        return -values if name.endswith(WINS) == larger_is_better else values
    measure = measure_of(name)
    return -values if measure is None else (values - measure.FAIR_END).abs()


def ranked_by(distance: pd.Series) -> pd.Series:
    """1 for the smallest distance; equals share the better rank."""
    return distance.round(TIE_DECIMALS).rank(method="min", na_option="bottom").astype(int)


def best(values: pd.Series) -> Bools:
    """``[systems]``: which values of an experiment's column are the best, by what "best" means for
    the measure in its name.
    """
    distance = distance_from_best(values.name, values)
    if distance is None or distance.isna().all():
        return np.zeros(len(values), bool)
    return np.asarray(ranked_by(distance) == 1)


def best_of_measures(table: pd.DataFrame) -> pd.DataFrame:
    """Return which cells of an experiment's table are the best of their columns.

    In a column of numbers whose name is no measure there are none, and one warning says so.
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
             "it does not say which end is better; rename columns after the best are marked")
    return marks


def _names_measure(column: str) -> bool:
    """Whether the name of a column says which end is better."""
    name = column[:-2] if column.endswith((WINS, LOSSES)) else column
    return (name == "mrt" or name.startswith(COMBINATIONS) or parsed_or_none(name) is not None
            or _is_trec_name(name))


def _is_trec_name(name: str) -> bool:
    """Whether trec_eval calls a measure so; pt.Experiment does, where it is asked by that name."""
    try:
        return bool(ir_measures.parse_trec_measure(name))
    except ValueError:
        return False


def highlight(table: pd.DataFrame, style: str = "font-weight: bold") -> Styler:
    """Style an experiment's table so that the best system of each measure stands out.

    ``pt.Experiment(highlight=…)`` marks the largest value of every column. Here a measure of this
    package is best where it is nearest to its fair end (0 for unfairness and bias, 1 for fairness),
    counts of topics (``rKL@5 +``) are best where fewer topics became less fair, and all other
    measures where they are largest; p-values have no best. Values that agree to 12 decimals are
    marked alike. In a column whose name is no measure nothing is marked, and a warning
    says so: ``styled.relabel_index(names, axis="columns")`` renames columns afterwards.

    :param table: what ``pt.Experiment`` returned, a row for each system
    :param style: the CSS of the best cells
    :returns: a pandas Styler; the table is not changed
    """
    marks = best_of_measures(table)
    return table.style.apply(lambda _: marks.map(lambda one: style if one else ""), axis=None)


def is_constant(values: Any) -> bool:
    """Whether the values that are there are one value, to :data:`TIE_DECIMALS` decimals; so it is if there are none."""
    return pd.Series(values, dtype=float).round(TIE_DECIMALS).nunique() < 2


def measure_columns(averages: pd.DataFrame) -> list[str]:
    """The columns that hold a measure's averages, without what a comparison with a baseline adds.

    :raises ValueError: there is no ``name``, or no measure; two columns have one name; a column that is named after a measure
        holds something else than numbers
    """
    need_columns(averages, ["name"], "the table of averages")
    twice = averages.columns[averages.columns.duplicated()]
    if len(twice):
        raise ValueError(f"the table of averages has several columns {twice[0]!r}; keep or rename one")
    for column in averages.columns:
        values = averages[column]
        if not pd.api.types.is_numeric_dtype(values) and parsed_or_none(column) is not None:
            # Where all of it could be numbers, it is text throughout.
            at = int(pd.to_numeric(values, errors="coerce").isna().to_numpy().argmax()) if len(values) else 0
            raise ValueError(f"{column} has to be a column of numbers"
                             + (f", and {averages['name'].iloc[at]} has {values.iloc[at]!r}" if len(values) else ""))
    columns = [column for column in averages.columns if column != "name" and pd.api.types.is_numeric_dtype(averages[column])
               and not str(column).endswith((WINS, LOSSES, *TEST_SUFFIXES)) and not str(column).startswith(SAVED_INDEX)]
    if not columns:
        raise ValueError("the table of averages has no column of numbers beside name; its columns are "
                         f"{', '.join(map(str, averages.columns))}")
    return columns


def column_of(averages: pd.DataFrame, measure: Any) -> str:
    """The column of a measure that is given as an object or by any of its names: α_nDCG@5 is in the column alpha_nDCG@5.

    :raises ValueError: there is none
    """
    columns = measure_columns(averages)
    for name in (str(measure), str(parsed_or_none(measure))):
        if name in columns:
            return name
    raise ValueError(f"the table has no measure {str(measure)!r}; it has {', '.join(map(repr, columns))}")


def is_per_query(frame: pd.DataFrame) -> bool:
    """Whether a frame holds values topic by topic, and not averages."""
    return {"qid", "measure", "value"} <= set(frame.columns)


def per_query(frame: pd.DataFrame) -> pd.DataFrame:
    """``name, qid, measure, value`` with text for topics and measures.

    :raises ValueError: a missing column, a row without a name, topic or measure, or two values of a system, topic and measure
    """
    need_columns(frame, ["name", "qid", "measure", "value"], "the per-query frame")
    for column in ("name", "qid", "measure"):
        if frame[column].isna().any():
            raise missing(frame[column], frame[column].isna().to_numpy().argmax(), "per-query frame")
    frame = frame[["name", "qid", "measure", "value"]].assign(qid=frame["qid"].astype(str), measure=frame["measure"].map(str),
                                                              value=frame["value"].astype(float))
    twice = frame.duplicated(["name", "qid", "measure"])
    if twice.any():
        row = frame[twice].iloc[0]
        raise ValueError(f"{row['name']} has several values of {row['measure']} for topic {row['qid']}; each system, topic and "
                         "measure needs one")
    return frame


def of_one_system(frame: pd.DataFrame, what: str, instead: str = "") -> pd.DataFrame:
    """A per-query frame of one system, which need not have a name.

    :param what: what is made of one system, and what can be done with several, for the error
    :raises ValueError: there are several, or as :func:`per_query`
    """
    frame = per_query(frame if "name" in frame else frame.assign(name=""))
    names = list(dict.fromkeys(frame["name"]))
    if len(names) > 1:
        raise ValueError(f"the per-query frame holds {len(names)} systems, and {what} of one; choose it, as in "
                         f"frame[frame['name'] == {names[0]!r}]{instead}. The systems are {', '.join(map(repr, names))}")
    return frame
