"""Parsers of column files, with errors that name the line."""

from __future__ import annotations

import csv
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pt_fairness.core.identifiers import unreadable
from pt_fairness.core.messages import shown
from pt_fairness.io.files import DAMAGE, Input

#: Options for exact parsing of floats. From pandas 3.1 on, parsing is always exact, and the option
#: is deprecated.
EXACT: dict[str, Any] = ({} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
                         else {"float_precision": "round_trip"})
#: Options for files of columns that are separated by white space.
_COLUMNS: dict[str, Any] = {"sep": r"\s+", "index_col": False, "header": None,
                            "quoting": csv.QUOTE_NONE, "na_filter": False, "encoding": "utf-8",
                            **EXACT}
#: The white space that pandas splits at, which is less than that of :meth:`str.split`.
_SPACE = re.compile(r"[ \t\r\n]+")


def need_columns(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    """Raise an error if a frame lacks one of ``columns``, or has a column twice.

    :param what: the name of the frame in the error
    :raises ValueError: a column is missing or there twice, or it is no DataFrame
    """
    need_frame(frame, what)
    need_distinct_columns(frame, what)
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"{what} has no column {missing[0]!r}; it needs {', '.join(columns)} and "
                         f"has {', '.join(map(str, frame.columns))}")


def need_distinct_columns(frame: pd.DataFrame, what: str) -> None:
    """Raise an error if a frame has a column twice.

    :param what: the name of the frame in the error
    :raises ValueError: two columns have the same name
    """
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"{what} has the column {repeated[0]!r} twice; drop one of them")


def need_frame(frame: Any, what: str) -> None:
    """Raise an error unless ``frame`` is a DataFrame.

    :param what: the name of the frame in the error
    :raises ValueError: it is none
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"{what} has to be a DataFrame, not a {type(frame).__name__}")


def need_rows(frame: pd.DataFrame, what: str, columns: Sequence[str] = ()) -> None:
    """Raise an error unless a frame has rows, and ``columns``.

    :param what: the name of the frame in the error
    :raises ValueError: it has no rows, a column is missing, or it is no DataFrame
    """
    need_columns(frame, columns, what)
    if not len(frame):
        raise ValueError(f"{what} has no rows")


def read_csv(source: Input, **options: Any) -> tuple[pd.DataFrame, bool]:
    """Read a file with :func:`pandas.read_csv`, decompressed if its name ends in ``.gz``.

    :returns: the content, and whether there is NUL, a form feed or a vertical tab in it
    """
    stream = source.watched()
    frame = pd.read_csv(stream, **options)  # type: ignore[call-overload]
    return frame, stream.control_characters


def read_columns(source: Input, names: list[str],
                 types: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Read a file of columns that are separated by white space.

    :param types: the dtypes of columns that are not text; NaN is an error in a column of ``float``
    :raises ValueError: a line with more or fewer columns, or without a number in a column of
        ``float`` (the error names file and line), or a damaged file
    """
    dtypes = dict.fromkeys((*names, "_more"), str) | dict(types or {})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)  # more than one extra column
            frame, control_characters = read_csv(source, names=[*names, "_more"], dtype=dtypes,
                                                 **_COLUMNS)
    except (ValueError, *DAMAGE):
        frame = None
    # Fields are never empty, so an empty value is a missing column.
    if frame is None or frame[names[-1]].isin([""]).any() or not frame["_more"].isin([""]).all() \
            or any(frame[name].isna().any() for name in names if dtypes[name] is float):
        _check_lines(source, names, dtypes)
        raise ValueError(f"{source.name} cannot be read as columns ({', '.join(names)})")
    if control_characters:
        _check_lines(source, names, dtypes)
    # pandas parses a column of only True and False as 1.0 and 0.0. Check the first line for these
    # words.
    numbers = [name for name in names if dtypes[name] is float]
    if any(frame[name].head(1).isin((0.0, 1.0)).any() for name in numbers):
        first = next((row.casefold() for _, row in source.lines() if row.strip()), "")
        if "true" in first or "false" in first:
            _check_lines(source, names, dtypes)
    return frame[names]


def first_line(source: Input) -> str:
    """Return the first non-blank line without a byte order mark, or ``''`` if there is none."""
    lines = (part for _, line in source.lines() for part in re.split("[\r\n]", line))
    return next((line for line in lines if line.strip()), "").lstrip("\ufeff")


def fields_of(line: str) -> list[str]:
    """Split a line at white space, as pandas does."""
    return [field for field in _SPACE.split(line) if field]


def _check_lines(source: Input, names: list[str], types: Mapping[str, Any]) -> None:
    """Raise the error of the first line that :func:`read_columns` cannot read.

    :raises ValueError: there is such a line, or the file is damaged
    """
    for number, row in source.lines():
        where = f"{source.name}, line {number}"
        fields = fields_of(row)
        if fields and len(fields) != len(names):
            expected = f"{len(names)} ({', '.join(names)})"
            raise ValueError(f"{where}: {len(fields)} columns where there should be {expected}: "
                             f"{shown(row.strip())}")
        for name, field in zip(names, fields, strict=False):
            if types[name] is float and not is_number(field):
                raise ValueError(f"{where}: the {name} {shown(field)} is no number")
            if name in ("qid", "docno"):
                check_characters(name, field, where)


def check_characters(name: str, identifier: str, where: str) -> None:
    """Raise an error if an identifier has a character that trec_eval cannot read.

    :param name: the name of the column
    :param where: the file and the line
    :raises ValueError: it has one
    """
    character = unreadable(identifier)
    if character is not None:
        raise ValueError(f"{where}: the {name} {identifier!r} contains {character}; remove that "
                         "character, which trec_eval cannot read")


def is_number(text: str) -> bool:
    """Return whether pandas reads a text as a number.

    Unlike Python, pandas reads neither 1_000 nor the digits of other scripts.
    """
    try:
        return not math.isnan(float(text)) and text.isascii() and "_" not in text
    except ValueError:
        return False
