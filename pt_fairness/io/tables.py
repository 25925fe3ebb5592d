"""The reader of tables in any form. The index of a frame holds the line of each row."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats
from pt_fairness.core.identifiers import LARGEST_FLOAT, is_number, texts_of
from pt_fairness.core.messages import ONCE, first_names, shown, warn
from pt_fairness.io.column_roles import DOCUMENTS, RANKING, Names, ranking_roles
from pt_fairness.io.files import Input, need_columns

#: Options for exact parsing of floats. From pandas 3.1 on, parsing is always exact, and the option
#: is deprecated.
EXACT: dict[str, Any] = {"float_precision": "round_trip"}
if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1):
    EXACT = {}
#: Options for every table of text. Only an empty number is read as missing. A blank line is a row,
#: so that each line has one.
_TEXT: dict[str, Any] = {"header": None, "index_col": False, "skip_blank_lines": False,
                         "skipinitialspace": True, "keep_default_na": False,
                         "encoding": "utf-8-sig", **EXACT}
#: The separator of columns without a header.
_BLANKS = r"\s+"
#: The white space that pandas splits at; :meth:`str.split` knows more.
_SPACE = re.compile(r"[ \t\r\n]+")
#: A comment, as trec_eval 10 knows it.
_COMMENT = re.compile(rb"(?m)^(?:\xef\xbb\xbf)?#.*")
#: Characters that are hard to see in a label: white space, soft hyphens, and those without a width.
_INVISIBLE = r"[\s\u00ad\u200b-\u200d\u2060\ufeff]+"
#: What CSV files without a header, or with semicolons, need.
_HINT = "; CSV needs commas (or tabs) and a header"
#: The number of characters of a header that are read; Python's csv reader allows more.
_LONGEST = 100_000


def is_json(source: Input) -> bool:
    """Return whether a file is JSON, by its first character."""
    if source.is_parquet():
        return False
    _, line = first_line(source)
    return line.lstrip().startswith(("{", "["))


def is_structured(source: Input) -> bool:
    """Return whether a file is Parquet or JSON."""
    return source.is_parquet() or is_json(source)


def first_line(source: Input) -> tuple[int, str]:
    """Return the number and the text of the first line that is neither blank nor a comment.

    :returns: ``(0, '')`` for none
    """
    for number, line in source.lines():
        for text in re.split("[\r\n]", line):
            if text.strip() and not text.startswith("#"):
                return number, text
    return 0, ""


def fields_of(line: str) -> list[str]:
    """Split a line at white space, as pandas does."""
    return [field for field in _SPACE.split(line) if field]


def header_of(source: Input) -> tuple[str, list[str]]:
    """Return the separator of the first line, and the names in it.

    The separator is a tab, or else a comma, or else white space.
    """
    _, line = first_line(source)
    line = line[:_LONGEST]
    for separator in "\t,":
        if separator in line:
            rows = csv.reader([line], delimiter=separator, skipinitialspace=True,
                              quoting=_quoting(separator))
            return separator, [*map(str.strip, next(rows))]
    return _BLANKS, fields_of(line)


def _quoting(separator: str) -> Any:
    """Return whether cells may be quoted, which they are between commas only."""
    return csv.QUOTE_MINIMAL if separator == "," else csv.QUOTE_NONE


def has_header(source: Input) -> bool:
    """Return whether a file has names of columns.

    It is Parquet or JSON, or its first line has tabs or commas, or the name of a document.
    """
    if is_structured(source):
        return True
    separator, names = header_of(source)
    return separator != _BLANKS or "docno" in ranking_roles(Names(names, source.name))


def read_columns(source: Input, names: Sequence[str],
                 types: Mapping[str, Any] | None = None, rest: bool = False) -> pd.DataFrame:
    """Read columns without a header that are separated by white space. Comments are skipped.

    :param types: the dtypes of columns that are not ``str``; one of ``float`` must hold numbers
    :param rest: whether to keep surplus fields of a line, in the column ``rest``
    :returns: a row for each line that is not blank; the index, ``line``, holds its number from 1
    :raises ValueError: if the file is damaged or not UTF-8, or a line has more or fewer fields than
        ``names``, or a cell of a column of ``float`` is not a number; the error names file and
        line
    """
    types = types or {}
    frame = _read_text(source, _BLANKS, names, types, 0)
    wrong = frame[names[-1]].isin(["", np.nan])
    if not rest:
        wrong |= frame.pop("rest") != ""
    if wrong.any():
        raise columns_error(source, wrong.idxmax(), names, _HINT)
    for name, kind in types.items():
        if kind is float:
            frame[name] = column_of_numbers(source, frame, name)
    return frame


def read_table(source: Input, categories: Sequence[str] = ()) -> pd.DataFrame:
    """Read a table with names: Parquet, JSON, or text with a header.

    :param categories: the columns of few distinct values, if the file is text with a header
    :returns: a row for each line that is not blank. The index holds the number of the line, from 1;
        in Parquet and in an array of JSON, the number of the row. It is named ``line`` or ``row``
    :raises ValueError: if the file is damaged or not UTF-8, or a line has more fields than the
        header; the error names file and line
    :raises ImportError: if pyarrow is not installed, which Parquet needs
    """
    if source.is_parquet():
        return _read_parquet(source)
    if is_json(source):
        objects = read_objects(source)
        return pd.DataFrame(objects.tolist(), index=objects.index).rename(columns=str)
    line, _ = first_line(source)
    if not line:
        raise ValueError(f"{source.name} must be a table with a header, got an empty file")
    separator, names = header_of(source)
    frame = _read_text(source, separator, names, {}, line)
    wrong = frame.iloc[:, -1] != ""
    if wrong.any():
        raise columns_error(source, wrong.idxmax(), names)
    frame = frame.iloc[:, :-1]
    again = frame.iloc[:, 0] == names[0]
    again &= frame.iloc[:, -1] == names[-1]
    if again.any():
        where = place(source, frame, again.argmax())
        raise ValueError(f"{where} must be a row, got the header again; remove it")
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
        levels = [name for name in frame.index.names if name is not None]
        frame = frame.reset_index(levels)
    except ImportError:
        raise ImportError(f"{source.name} needs pyarrow: pip install 'pt-fairness[parquet]'"
                          ) from None
    except (ValueError, OSError) as error:
        raise ValueError(f"{source.name} is damaged: {error}") from error
    return _numbered(frame.rename(columns=str))


def _numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose index, ``row``, counts from 1."""
    return frame.set_axis(pd.RangeIndex(1, len(frame) + 1, name="row"))


def read_objects(source: Input) -> pd.Series:
    """Read an array of JSON objects, one object, or a file with an object in each line.

    :returns: the objects, indexed as :func:`read_table` does
    :raises ValueError: if a line is not JSON, or not an object; the error names file and line
    """
    _, first = first_line(source)
    lines = source.lines()
    is_array = first.startswith("[")
    try:
        json.loads(first)
        is_whole = is_array
    except ValueError:  # it is cut in several lines
        is_whole = True
    if is_whole:
        text = "".join(line for _, line in lines)
        lines = iter([(1, text)])
    numbers = []
    objects = []
    for number, line in lines:
        try:
            value = json.loads(line.strip() or "[]")
        except ValueError as error:
            at = number + getattr(error, "lineno", 1) - 1
            raise ValueError(f"{source.name}, line {at} must be JSON ({error})") from None
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            if not isinstance(row, dict):
                raise ValueError(f"{source.name}, line {number} must hold an object, got "
                                 f"{shown(row)}")
            objects.append(row)
            numbers.append(len(objects) if is_array else number)
    index = pd.Index(numbers, dtype=int, name="row" if is_array else "line")
    return pd.Series(objects, index, dtype=object)


def is_scores(value: Any) -> bool:
    """Return whether a value is ``{qid: {docno: number}}``; checks one number of each topic."""
    if not isinstance(value, Mapping) or not value:
        return False
    topics = value.values()
    return all(isinstance(documents, Mapping) and is_number(next(iter(documents.values()), 0))
               for documents in topics)


def frame_of_scores(scores: Mapping[Any, Mapping[Any, Any]], name: str) -> pd.DataFrame:
    """Return ``{qid: {docno: number}}`` as a frame, ``qid, docno`` and ``name``."""
    rows = []
    for qid, documents in scores.items():
        for docno, number in documents.items():
            rows.append((qid, docno, float(number) if is_number(number) else number))
    return pd.DataFrame(rows, columns=["qid", "docno", name])


def named_table(source: Input, number: str) -> pd.DataFrame | None:
    """Return the rows of a run or of qrels whose columns have names; ``None`` for other columns.

    :param number: the name of the numbers in JSON ``{qid: {docno: number}}``
    """
    if is_json(source):
        objects = read_objects(source)
        if len(objects) == 1 and is_scores(objects.iloc[0]):
            frame = frame_of_scores(objects.iloc[0], number)
            return _numbered(frame)
    elif not source.is_parquet():
        separator, names = header_of(source)
        found = ranking_roles(Names(names, source.name))
        if len(found) < (1 if separator == "," else 2):
            return None
    return read_table(source)


def identified(source: Input, table: pd.DataFrame, *others: str) -> pd.DataFrame:
    """Return a table with the names ``qid`` and ``docno``, whose cells are text, and others.

    :param others: as :func:`pt_fairness.io.column_roles.ranking_roles` takes them
    :raises ValueError: if the topic or the document is missing, in the table or in a row
    """
    names = Names([*table], source.name)
    found = ranking_roles(names, *others)
    frame = table.rename(columns={column: role for role, column in found.items()})
    need_columns(frame, [], source.name)
    need_role(source, table, frame, "qid")
    need_role(source, table, frame, "docno")
    check_ids(source, frame)
    taken = found["docno"]
    unused = names.without(found).known(DOCUMENTS)
    if unused and taken != "docno":
        warn(f"{source.name}: the documents are in the column {taken!r}, not in {unused[0]!r}")
    for column in ("qid", "docno"):
        frame[column] = texts_of(frame[column])
    return frame


def need_role(source: Input, table: pd.DataFrame, frame: pd.DataFrame, *roles: str) -> None:
    """Raise an error unless a column has one of the roles.

    :param table: the table as it was read
    :param frame: the table with columns that are named after their roles
    :raises ValueError: if no column has; the error lists the names that it may have
    """
    if not {*roles} & {*frame}:
        known = ", ".join(name for role in roles for name in RANKING[role])
        names = ", ".join(map(str, table))
        raise ValueError(f"{source.name} must have one of the columns {known}; it has {names}")


class _Lines(io.BufferedIOBase):
    """A stream of whole lines that reads comments as blank lines, or else counts the lines."""

    def __init__(self, stream: Any, comments: bool) -> None:
        self._stream = stream
        self._comments = comments
        self.lines = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        content = self._stream.read(size) + self._stream.readline()
        if not self._comments:
            self.lines += content.count(b"\n")
        elif b"\n#" in content or content.startswith((b"#", codecs.BOM_UTF8 + b"#")):
            content = _COMMENT.sub(b"", content)
        return content

    read1 = read


def _read_text(source: Input, separator: str, names: Sequence[str], types: Mapping[str, Any],
               skipped: int) -> pd.DataFrame:
    """Read the lines after the first ``skipped``; the column ``rest`` has surplus fields."""
    # Columns are numbered, because names may be repeated.
    extra = len(names)
    dtypes = {i: types.get(name, str) for i, name in enumerate(names)}
    dtypes[extra] = str
    options: dict[str, Any] = {"sep": separator, "quoting": _quoting(separator), **_TEXT}

    def parsed(**more: Any) -> tuple[pd.DataFrame, int]:
        stream: Any = _Lines(source.decompressed(), separator == _BLANKS)
        with source.damage(), warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)  # the first line is too long
            frame = pd.read_csv(stream, names=range(extra + 1), skiprows=skipped,
                                **options, **more)
        return frame, stream.lines

    try:
        empty: Any = {i: [""] for i, dtype in dtypes.items() if dtype is float}
        frame, lines = parsed(dtype=dtypes, na_values=empty)
    except ValueError as error:
        for _ in source.lines():  # names a line that is not UTF-8
            pass
        # A line has still more columns, or a number is wrong, which the caller names.
        columns = range(extra + 1) if "saw" in str(error) else None
        try:
            frame, lines = parsed(dtype=str, usecols=columns, low_memory=False)
        except pd.errors.ParserError as other:
            raise ValueError(f"{source.name} must be a table ({', '.join(names)}): {other}"
                             ) from None
    index: Any = frame.index + skipped + 1
    if lines > len(frame) + skipped:  # there are line breaks in cells
        breaks = sum(frame[i].astype(str).str.count("\n") for i in range(extra))
        index += np.cumsum(breaks) - breaks
    frame.index = index.rename("line")
    blank = frame[0] == ""
    if blank.any():
        cells = frame[blank]
        cells = cells.mask(cells == "")
        lines_left_out = cells.isna().all(axis="columns")
        frame = frame.drop(index=cells.index[lines_left_out])
    return frame.set_axis([*names, "rest"], axis="columns")


def columns_error(source: Input, number: Any, names: Sequence[str], hint: str = "") -> ValueError:
    """Return the error of a line with more or fewer fields than there are names.

    :param hint: the end of the error if the line has commas or semicolons
    """
    text = next(line for i, line in source.lines() if i == number)
    columns = f"{len(names)} columns ({', '.join(names)})"
    if not re.search("[,;]", text):
        hint = ""
    return ValueError(f"{source.name}, line {number} must have {columns}, got "
                      f"{shown(text.strip())}{hint}")


def place(source: Input, frame: pd.DataFrame, row: Any) -> str:
    """Return the name of a file, and the number of the line or of the row at a position."""
    return f"{source.name}, {frame.index.name} {frame.index[row]}"


def check(source: Input, frame: pd.DataFrame, column: str, possible: Any, expected: str) -> None:
    """Check the cells of a column.

    :param possible: whether each cell is valid, ``[n]``
    :param expected: what a cell must be, in the error
    :raises ValueError: if a cell is not valid; the error names file, line and cell
    """
    possible = np.asarray(possible)
    if not possible.all():
        row = possible.argmin()
        cell = shown(str(frame[column].iloc[row]))
        raise ValueError(f"{place(source, frame, row)}: {column} must be {expected}, got {cell}")


def column_of_numbers(source: Input, frame: pd.DataFrame, column: str) -> Floats:
    """Return a column as numbers, ``[n]``.

    :raises ValueError: if a cell is not a number
    """
    cells = frame[column]
    numbers = pd.to_numeric(cells, errors="coerce")
    check(source, frame, column, numbers.notna(), "a number")
    if cells.dtype.kind not in "iuf":  # to_numeric is not exact in the last digit
        numbers = cells.astype(object)
    return numbers.to_numpy(float)


def check_ids(source: Input, frame: pd.DataFrame, *others: str) -> None:
    """Check the topics and documents of a table, and other columns of text.

    :raises ValueError: if one is missing, has a line break in it, or is a rounded number
    """
    for column in frame.columns.intersection(["qid", "docno", *others]):
        ids = frame[column]
        check(source, frame, column, ids.notna() & (ids != ""), "given in every row")
        if ids.dtype.kind == "f":
            exact = ids.abs() < LARGEST_FLOAT
            check(source, frame, column, exact, "text, because a float of 2**53 or more is rounded "
                  "(write the column as text, with dtype=str)")
        if ids.dtype.kind not in "iuf":
            strange = ids.astype("str").str.contains("\n", regex=False)
            check(source, frame, column, ~strange, "in one line (see its quotation marks)")


def label_names(texts: Iterable[str], where: str) -> list[str]:
    """Return labels in which the text ``1.0`` is ``1``; warn of labels that look alike.

    :param where: the name of the file or frame in the warning
    """
    names = [re.sub(r"^(-?\d+)\.0+$", r"\1", text) for text in texts]
    labels = pd.Series(names, dtype=object).drop_duplicates()
    folded = labels.str.normalize("NFKC").str.casefold()
    folded = folded.str.replace(_INVISIBLE, "", regex=True)
    alike = labels[folded.duplicated(keep=False)]
    if len(alike):
        spellings = first_names([*map(ascii, sorted(alike))])
        warn(f"{where}: the labels {spellings} differ by case, blanks or the encoding of a "
             "character alone, and are different groups; spell them alike if they are one",
             f"{ONCE}{where} {min(alike)}")
    return names
