"""Values of three systems on eight topics, and random per-query frames."""

from typing import Any

import pandas as pd
from hypothesis import strategies as st

VALUES = {
    "A": [0.52, 0.31, 0.64, 0.40, 0.57, 0.22, 0.48, 0.73],
    "B": [0.50, 0.36, 0.61, 0.47, 0.60, 0.30, 0.46, 0.79],
    "C": [0.49, 0.30, 0.66, 0.41, 0.55, 0.25, 0.40, 0.70]}


def frame_of(values: Any, measure: str = "nDCG@10") -> pd.DataFrame:
    """Return a per-query frame. ``values``: system → values of the topics 1, 2, …"""
    return pd.DataFrame(
        [
            (name, str(qid), measure, value) for name, some in values.items()
            for qid, value in enumerate(some, start=1)],
        columns=["name", "qid", "measure", "value"],
    )


#: Values with many ties, which rounding makes different in the last digits.
NUMBERS = st.sampled_from([0.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 0.7, 1.0]) | st.floats(-1, 1, width=16)


def systems(names: str = "AB", largest: int = 12) -> st.SearchStrategy[dict[str, list[float]]]:
    """Return system → values of as many topics each; NaN for a topic without a value."""
    value = NUMBERS | st.just(float("nan"))
    return st.integers(1, largest).flatmap(
        lambda n: st.fixed_dictionaries(
            {name: st.lists(value, min_size=n, max_size=n) for name in names})
    )
