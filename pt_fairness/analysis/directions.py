"""Which end of a measure is better, and which systems are best."""

from __future__ import annotations

from typing import Any

import ir_measures
import pandas as pd

from pt_fairness.analysis.frames import SAVED_INDEX, is_reference, split_suffix
from pt_fairness.core.arrays import TIE_DECIMALS
from pt_fairness.core.messages import warn
from pt_fairness.measures import descriptions
from pt_fairness.measures.descriptions import LARGER as LARGER
from pt_fairness.measures.descriptions import SMALLER as SMALLER
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import parsed_or_none

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
    >>> from pt_fairness.analysis.directions import direction
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
        marks[column] = far.notna() & (far == far.min())
    if unknown:
        warn(f"no value of {', '.join(unknown)} is marked as the best, because the name is not a "
             "measure; give the label of a measure with table(…, labels=…)")
    return marks


def _has_averages(name: str, values: pd.Series) -> bool:
    """Return whether a column holds averages, by its name and its type."""
    if name in ("name", "qid") or name.startswith(SAVED_INDEX) or split_suffix(name)[1]:
        return False
    return pd.api.types.is_numeric_dtype(values) and values.dtype != bool
