"""The reader of tables in any form. The index of a frame holds the line of each row."""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import shown
from pt_fairness.io.files import Input

#: Options for exact parsing of floats. From pandas 3.1 on, parsing is always exact, and the option
#: is deprecated.
EXACT: dict[str, Any] = ({} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
                         else {"float_precision": "round_trip"})
#: Options for every table of text. Nothing is read as missing but an empty number, and a blank line
#: is a row, so that rows are lines.
_TEXT: dict[str, Any] = {"header": None, "index_col": False, "skip_blank_lines": False,
                         "keep_default_na": False, "encoding": "utf-8-sig", **EXACT}
#: Options for columns that are separated by white space, and for columns below a header.
_COLUMNS: dict[str, Any] = {"sep": r"\s+", "quoting": csv.QUOTE_NONE}
_CELLS: dict[str, Any] = {"skipinitialspace": True}
#: The white space that pandas splits at; :meth:`str.split` knows more.
_SPACE = re.compile(r"[ \t\r\n]+")
#: The number of characters of a header that are read; Python's limit of a name is higher.
_LONGEST = 100_000
#: The end of the name of a file of Parquet or of JSON.
_STRUCTURED = re.compile(r"\.(parquet|(json|jsonl|ndjson)(\.gz)?)$")


def is_structured(source: Input) -> bool:
    """Return whether a file holds Parquet or JSON, by the suffix of its name."""
    return _STRUCTURED.search(source.name) is not None


def first_line(source: Input, skipped: int = 0) -> tuple[int, str]:
    """Return the number and the text of the first line that is not blank, ``(0, '')`` for none.

    :param skipped: the number of lines before
    """
    for number, line in source.lines():
        for text in re.split("[\r\n]", line):
            if number > skipped and text.strip():
                return number, text.lstrip("\ufeff")
    return 0, ""


def fields_of(line: str) -> list[str]:
    """Split a line at white space, as pandas does."""
    return [field for field in _SPACE.split(line) if field]


def header_of(source: Input) -> tuple[str, list[str]]:
    """Return the separator of the first line, a tab or else a comma, and the names in it."""
    _, line = first_line(source)
    separator = "\t" if "\t" in line else ","
    rows = csv.reader([line[:_LONGEST]], delimiter=separator, skipinitialspace=True)
    return separator, [name.strip() for name in next(rows)]


def has_header(source: Input) -> bool:
    """Return whether a file has names of columns: Parquet, JSON, or tabs or commas in a line."""
    return is_structured(source) or len(header_of(source)[1]) > 1


def read_table(source: Input, names: Sequence[str] = (), types: Mapping[str, Any] | None = None,
               skipped: int = 0, categories: Sequence[str] = ()) -> pd.DataFrame:
    """Read a table: Parquet, JSON, a header with tabs or commas, or columns without a header.

    :param names: the names of columns that are separated by white space; without them, the file
        has names of its own
    :param types: the dtypes of columns without a header that are not ``str``; a column of ``float``
        must hold numbers
    :param skipped: the number of lines before columns without a header
    :param categories: the columns below a header with few distinct values
    :returns: a row for each line that is not blank. The index holds the number of the line, from 1;
        in Parquet and in an array of JSON, the number of the row. It is named ``line`` or ``row``
    :raises ValueError: if the file is damaged or not UTF-8, or a line has more or fewer fields than
        ``names``, or a cell of a column of ``float`` is not a number; the error names file and
        line
    :raises ImportError: if pyarrow is not installed, which Parquet needs
    """
    if names:
        types = types or {}
        frame = _read_text(source, _COLUMNS, names, types, skipped)
        for name in [name for name in names if types.get(name) is float]:
            frame[name] = column_of_numbers(source, frame, name)
        return frame
    if source.name.endswith(".parquet"):
        return _read_parquet(source)
    if is_structured(source):
        objects = read_objects(source)
        frame = pd.DataFrame(objects.tolist(), index=objects.index)
        return frame.rename(columns=str)
    line, _ = first_line(source)
    if not line:
        raise ValueError(f"{source.name} must be a table with a header, got an empty file")
    separator, names = header_of(source)
    frame = _read_text(source, {"sep": separator, **_CELLS}, names, {}, line)
    again = (frame.iloc[:, 0] == names[0]) & (frame.iloc[:, -1] == names[-1])
    if again.any():
        raise ValueError(f"{place(source, frame, again.argmax())} must be a row, got the header "
                         "again; remove it")
    for i in range(len(names)):  # one at a time takes less memory
        texts: Any = frame.iloc[:, i]
        if names[i] in categories:
            texts = texts.astype("category").map(str.strip)
        else:
            texts = texts.str.strip()
        frame.isetitem(i, texts)
    return frame


def _read_parquet(source: Input) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(source.rewound())
    except ImportError:
        raise ImportError(f"{source.name} needs pyarrow: pip install 'pt-fairness[parquet]'"
                          ) from None
    except (ValueError, OSError) as error:
        raise ValueError(f"{source.name} is damaged: {error}") from error
    return frame.set_index(pd.RangeIndex(1, len(frame) + 1, name="row")).rename(columns=str)


def read_objects(source: Input) -> pd.Series:
    """Read an array of JSON objects, or a file with an object in each line.

    :returns: the objects, indexed as :func:`read_table` does
    :raises ValueError: if a line is not JSON, or not an object; the error names file and line
    """
    _, first = first_line(source)
    is_array = first.startswith("[")
    lines = source.lines()
    if is_array:
        whole = "".join(line for _, line in lines)
        lines = iter([(1, whole)])
    numbers = []
    objects = []
    for number, line in lines:
        text = line.strip("\ufeff \t\r\n")
        try:
            value = json.loads(text or "[]")
        except ValueError as error:
            raise ValueError(f"{source.name}, line {number} must be JSON ({error})") from None
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            if not isinstance(row, dict):
                raise ValueError(f"{source.name}, line {number} must hold an object, got "
                                 f"{shown(row)}")
            objects.append(row)
            numbers.append(len(objects) if is_array else number)
    index = pd.Index(numbers, dtype=int, name="row" if is_array else "line")
    return pd.Series(objects, index, dtype=object)


class _Counted(io.BufferedIOBase):
    """A stream that counts the ends of lines."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.lines = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        content = self._stream.read(size)
        self.lines += content.count(b"\n")
        return content

    read1 = read


def _read_text(source: Input, form: Mapping[str, Any], names: Sequence[str],
               types: Mapping[str, Any], skipped: int) -> pd.DataFrame:
    """Read the lines after the first ``skipped`` ones."""
    # Columns are numbered, because names may be repeated. The last one is for what is too much.
    extra = len(names)
    dtypes = [types.get(name, str) for name in names]
    empty: Any = {i: [""] for i in range(extra) if dtypes[i] is float}
    stream: Any = _Counted(source.decompressed())
    frame: pd.DataFrame
    try:
        with source.damage(), warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)  # more than one extra column
            frame = pd.read_csv(stream, names=range(extra + 1), skiprows=skipped, na_values=empty,
                                dtype=dict(enumerate([*dtypes, str])), **_TEXT, **form)
    except pd.errors.ParserError as error:
        line = re.search(r"in line (\d+)", str(error))
        if line is not None:
            raise _columns_error(source, int(line[1]), names) from None
        raise ValueError(f"{source.name} must be a table ({', '.join(names)}): {error}") from None
    except ValueError as error:
        for _ in source.lines():  # names a line that is not UTF-8
            pass
        if float not in dtypes:
            raise error
        return _read_text(source, form, names, {}, skipped)  # the caller names what is wrong
    lines: Any = frame.index + skipped + 1
    if stream.lines > len(frame) + skipped:  # there are line breaks in cells
        breaks = sum(frame[i].astype(str).str.count("\n") for i in range(extra))
        lines += np.cumsum(breaks) - breaks
    frame.index = lines.rename("line")
    blank = frame[0] == ""
    if blank.any():
        cells = frame[blank]
        cells = cells.mask(cells == "")
        frame = frame.drop(index=cells.index[cells.isna().all(axis="columns")])
    wrong = frame[extra] != ""
    if "quoting" in form:  # a field is never empty
        wrong |= frame[extra - 1].isin(["", np.nan])
    if wrong.any():
        raise _columns_error(source, wrong.idxmax(), names)
    return frame.drop(columns=extra).set_axis(list(names), axis="columns")


def _columns_error(source: Input, number: Any, names: Sequence[str]) -> ValueError:
    """Return the error of a line with more or fewer fields than there are names."""
    text = next(line for i, line in source.lines() if i == number)
    return ValueError(f"{source.name}, line {number} must have {len(names)} columns "
                      f"({', '.join(names)}), got {shown(text.strip())}")


def place(source: Input, frame: pd.DataFrame, row: Any) -> str:
    """Return the name of a file, and the number of the line or of the row at a position."""
    return f"{source.name}, {frame.index.name} {frame.index[row]}"


def check(source: Input, frame: pd.DataFrame, column: str, possible: Any, expected: str) -> None:
    """Check the cells of a column.

    :param possible: whether each cell is possible, ``[n]``
    :param expected: what a cell must be, in the error
    :raises ValueError: if a cell is not; the error names file, line and cell
    """
    possible = np.asarray(possible)
    if not possible.all():
        row = possible.argmin()
        cell = shown(str(frame[column].iloc[row]))
        raise ValueError(f"{place(source, frame, row)}: {column} must be {expected}, got {cell}")


def column_of_numbers(source: Input, frame: pd.DataFrame, column: str,
                      expected: str = "a number") -> Floats:
    """Return a column as numbers, ``[n]``.

    :param expected: what a cell must be, in the error
    :raises ValueError: if a cell is not a number
    """
    numbers = pd.to_numeric(frame[column], errors="coerce")
    check(source, frame, column, numbers.notna(), expected)
    return numbers.to_numpy(float)


def check_ids(source: Input, frame: pd.DataFrame, *others: str) -> None:
    """Check the topics and documents of a table, and other columns of text.

    :raises ValueError: if one is missing, or has a line break in it
    """
    for column in frame.columns.intersection(["qid", "docno", *others]):
        ids = frame[column]
        check(source, frame, column, ids.notna() & (ids != ""), "given in every row")
        if ids.dtype.kind not in "iuf":
            strange = ids.astype("str").str.contains("\n", regex=False)
            check(source, frame, column, ~strange, "in one line (see its quotation marks)")
