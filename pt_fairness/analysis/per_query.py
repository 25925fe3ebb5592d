"""Per-query frames: ``name, qid, measure, value``."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from pt_fairness.analysis.directions import NEAR_ZERO, direction_of, measure_of, name_of
from pt_fairness.analysis.names import UNDEFINED
from pt_fairness.core.identifiers import missing
from pt_fairness.io.frames import need_frame, need_rows


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
    columns = ["name", "qid", "measure", "value"]
    need_rows(frame, "the per-query frame", columns)
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
    need_frame(frame, "the per-query frame")
    frame = per_query(frame if "name" in frame else frame.assign(name=""))
    names = list(dict.fromkeys(frame["name"]))
    if len(names) > 1:
        raise ValueError(f"the per-query frame has {len(names)} systems, and {purpose} one; choose "
                         f"it with frame[frame['name'] == {names[0]!r}]{instead}; the systems are "
                         f"{', '.join(map(repr, names))}")
    return frame


def of_one_measure(frame: pd.DataFrame, measure: Any = None) -> tuple[pd.DataFrame, str]:
    """Return the rows of one measure of a per-query frame, and its name.

    :param measure: an object, any of its names or its label; ``None`` if the frame has one measure
    :raises ValueError: the frame does not have the measure, or has it under several names; or it
        has several measures and ``measure`` is ``None``
    """
    names = list(dict.fromkeys(frame["measure"].map(str)))
    if measure is None and len(names) != 1:
        raise ValueError(f"the frame has {len(names)} measures, and one is needed; choose from "
                         f"{', '.join(map(repr, names))}")
    name = names[0] if measure is None \
        else name_of(measure, names, frame, "the frame has no values of")
    return frame[frame["measure"].map(str) == name], name


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
        undefined = pd.Series(pd.MultiIndex.from_frame(frame[["measure", "qid"]]).isin(pairs),
                              frame.index, dtype="boolean")
    return pd.DataFrame({
        "run": frame["name"], "topic": frame["qid"], "measure": frame["measure"],
        "value": frame["value"], "fair_end": frame["measure"].map(ends).astype(float),
        "undefined": undefined}, index=frame.index).reset_index(drop=True)
