"""Tables of measurements to tables that answer questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ir_measures
import pandas as pd

from pt_fairness.measures.base import FairnessMeasure

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

__all__ = ["highlight"]


def _measure_of(column: str) -> FairnessMeasure | None:
    try:
        measure = ir_measures.parse_measure(column)
    except (NameError, ValueError, TypeError):
        return None
    return measure if isinstance(measure, FairnessMeasure) else None


def _distance_from_best(column: Any, values: pd.Series) -> pd.Series | None:
    """How far each value is from the best there could be, up to a constant; ``None`` for a column without a best value."""
    name = str(column)
    if not pd.api.types.is_numeric_dtype(values) or name.endswith((" p-value", " reject", " corrected")):
        return None
    if name == "mrt":
        return values
    if name.endswith((" +", " -")):
        # Topics with a larger, or smaller, value than the baseline's.
        measure = _measure_of(name[:-2])
        if measure is not None and measure.RANGE[0] != 0:
            return None  # a larger bias may be nearer to 0 or farther from it
        larger_is_better = measure is None or measure.FAIR_END != 0
        return -values if name.endswith(" +") == larger_is_better else values
    measure = _measure_of(name)
    return -values if measure is None else (values - measure.FAIR_END).abs()


def highlight(table: pd.DataFrame, style: str = "font-weight: bold") -> Styler:
    """Styles an experiment's table so that the best system stands out by what "best" means for each measure.

    ``pt.Experiment(highlight=…)`` marks the largest value of every column. Here a measure of this package is best where it is
    nearest to its fair end (0 for unfairness and bias, 1 for fairness), counts of topics (``rKL@5 +``) are best where fewer
    topics became less fair, and all other measures where they are largest; p-values have no best.

    :param table: what ``pt.Experiment`` returned, a row for each system
    :param style: the CSS of the best cells
    :returns: a pandas Styler; the table is not changed
    """
    def mark(values: pd.Series) -> list[str]:
        distance = _distance_from_best(values.name, values)
        if distance is None or distance.isna().all():
            return [""] * len(values)
        return [style if best else "" for best in (distance == distance.min())]

    return table.style.apply(mark, axis=0)
