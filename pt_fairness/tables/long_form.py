"""Per-query frames in long form, for other programs."""

from __future__ import annotations

import math

import pandas as pd

from pt_fairness.tables.directions import NEAR_ZERO, direction_of, measure_of
from pt_fairness.tables.names import UNDEFINED
from pt_fairness.tables.per_query import per_query


def long_form(perquery: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each run, topic and measure, the form for mixed models in R.

    :param perquery: ``name, qid, measure, value``, of :func:`pt_fairness.evaluate` or
        ``pt.Experiment``
    :returns: ``run, topic, measure, value, fair_end`` (0 or 1; missing for measures of relevance)
        and ``undefined``: whether the topic is undefined for the measure, so that its value is 0.0
        for every system. Missing if the frame is not of :func:`pt_fairness.evaluate`
    :raises ValueError: a missing column, or several values of one run, topic and measure

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2"], "measure": ["nDCG@5", "rKL@5"],
    ...                          "value": [0.5, 0.25]})
    >>> analysis.long_form(perquery)
      run topic measure  value  fair_end  undefined
    0   A     1  nDCG@5   0.50       NaN       <NA>
    1   A     2   rKL@5   0.25       0.0       <NA>
    """
    frame = per_query(perquery)
    ends = {}
    for name in frame["measure"].unique():
        measure = measure_of(name, perquery)
        zero = 0.0 if direction_of(name, perquery) == NEAR_ZERO else math.nan
        ends[name] = zero if measure is None else float(measure.FAIR_END)
    undefined = pd.Series(pd.NA, frame.index, dtype="boolean")
    topics = perquery.attrs.get(UNDEFINED)
    if topics is not None:
        pairs = [(name, qid) for name, qids in topics.items() for qid in qids]
        index = pd.MultiIndex.from_frame(frame[["measure", "qid"]])
        undefined = pd.Series(index.isin(pairs), frame.index, dtype="boolean")
    return pd.DataFrame({
        "run": frame["name"], "topic": frame["qid"], "measure": frame["measure"],
        "value": frame["value"], "fair_end": frame["measure"].map(ends).astype(float),
        "undefined": undefined}, index=frame.index).reset_index(drop=True)
