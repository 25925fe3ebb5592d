"""Per-query frames: ``name, qid, measure, value``."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pt_fairness.io import need_columns, need_frame, need_rows
from pt_fairness.io.identifiers import missing
from pt_fairness.tables.directions import stands_for
from pt_fairness.tables.parsing import parsed_or_none


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
    need_columns(frame, columns, "the per-query frame")
    need_rows(frame, "the per-query frame")
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
    :raises ValueError: the frame does not have the measure, or has several and ``measure`` is
        ``None``
    """
    names = list(dict.fromkeys(frame["measure"].map(str)))
    if measure is None and len(names) != 1:
        raise ValueError(f"the frame has {len(names)} measures, and one is needed; choose from "
                         f"{', '.join(map(repr, names))}")
    name = names[0] if measure is None else str(measure)
    if name not in names:
        spellings = (name, str(parsed_or_none(measure)))
        name = next((one for one in names if one in spellings
                     or stands_for(one, frame) in spellings), name)
    if name not in names:
        raise ValueError(f"the frame has no values of {name!r}; it has "
                         f"{', '.join(map(repr, names))}")
    return frame[frame["measure"].map(str) == name], name
