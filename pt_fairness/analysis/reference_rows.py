"""The rows of reference rankings in a table of averages."""

from __future__ import annotations

import pandas as pd

from pt_fairness.analysis.names import REFERENCES


def is_reference(averages: pd.DataFrame) -> pd.Series:
    """Return a mask of the rows that are reference rankings and not systems."""
    names = averages["name"] if "name" in averages else averages.index.to_series()
    return names.isin(averages.attrs.get(REFERENCES, ()))


def systems_of(averages: pd.DataFrame) -> pd.DataFrame:
    """Return averages without the rows of reference rankings."""
    return averages[~is_reference(averages)]
