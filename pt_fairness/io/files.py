"""Input files, read as frames with errors that name the line; output files, replaced whole."""

from __future__ import annotations

import atexit
import csv
import gzip
import io
import json
import math
import os
import re
import shutil
import sys
import tempfile
import uuid
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, Literal

import pandas as pd

from pt_fairness.core.identifiers import (
    CONTROL_CHARACTERS,
    PYTERRIER,
    recommender_names,
    unreadable,
)
from pt_fairness.core.messages import shown, warn

Path = str | os.PathLike[str]

#: The errors that reading a damaged file raises.
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error)


def compression(path: Path) -> Literal["gzip"] | None:
    """Return the compression of a file, by the suffix of its name."""
    return "gzip" if os.fspath(path).endswith(".gz") else None


#: The characters of a file that need a check: those that trec_eval cannot read, quotes, and tabs.
_WATCHED = "\0\f\v\"\t"
#: What pandas reads for NUL, a character of no text: pandas 2 ends a field at NUL.
_NUL = "\ufffe"


class Watched(io.BufferedIOBase):
    """A stream that notes which of the watched characters it has had, and replaces NUL."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.characters: set[str] = set()

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        content = self._stream.read(size)
        self.characters |= {character for character in _WATCHED if character.encode() in content}
        return content.replace(b"\0", _NUL.encode())

    read1 = read


@dataclass(frozen=True)
class Input:
    """An open file that can be read from its start any number of times."""

    #: The path of the file. Its suffix determines compression and format.
    name: str
    raw: IO[bytes]
    #: The number of lines at the start that are skipped.
    header: int = 0

    def rewound(self) -> IO[bytes]:
        """Seek to the start and return the raw file, which may be compressed."""
        self.raw.seek(0)
        return self.raw

    def decompressed(self) -> Any:
        """Seek to the start and return the decompressed file."""
        raw = self.rewound()
        return gzip.GzipFile(fileobj=raw) if compression(self.name) else raw

    def watched(self) -> Watched:
        """Return the decompressed content after the header."""
        content = self.decompressed()
        for _ in range(self.header):
            content.readline()
        return Watched(content)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number (from 1) and the decompressed text of every line after the header.

        :raises ValueError: the file is damaged or not UTF-8, by file and line
        """
        number = 0
        try:
            for number, line in enumerate(self.decompressed(), 1):
                if number > self.header:
                    yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.name}, line {number}: not UTF-8 text "
                             f"({error.reason})") from None
        except DAMAGE as error:
            after = f" after line {number}" if number else ""
            raise ValueError(f"{self.name} is damaged{after}: {error}") from error

    def place(self, row: int, quoted: bool = False) -> str:
        """Return the name of the file and the number of the line in which a row starts.

        :param row: the number of the row, from 0; blank lines are no rows
        :param quoted: whether a field in quotation marks may hold line breaks
        """
        quotes = 0
        for number, line in self.lines():
            if quotes % 2 == 0 and line.strip():
                row -= 1
            if row < 0:
                return f"{self.name}, line {number}"
            if quoted:
                quotes += line.count('"')
        return self.name

    def state(self) -> tuple[int, int]:
        """Return the modification time in nanoseconds and the size in bytes.

        They are compared to detect that the file was modified.
        """
        status = os.fstat(self.raw.fileno())
        return status.st_mtime_ns, status.st_size


@contextmanager
def opened(path: Path) -> Iterator[Input]:
    """Open a file that can be read several times. A pipe is copied to a temporary file.

    :raises ValueError: ``path`` is no path
    :raises OSError: the file cannot be opened
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"a file is given by its path, not by a {type(path).__name__}")
    with open(path, "rb") as file:
        if file.seekable():
            yield Input(os.fspath(path), file)
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            copy.flush()
            yield Input(os.fspath(path), copy)


def writable(folder: Path) -> bool:
    """Return whether a folder can be written to, or created."""
    folder = os.path.abspath(folder)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK)


def temporary_folder() -> str:
    """Create a folder that is deleted when the process ends."""
    folder = tempfile.mkdtemp(prefix="pt-fairness-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def is_pipe(path: Path) -> bool:
    """Return whether a path exists and is neither a file nor a folder."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes, and replace it atomically if the block succeeds.

    The bytes are written to a temporary file in the same folder, which then replaces the file. A
    pipe or a device is written to directly.

    :raises OSError: the file cannot be written
    """
    if is_pipe(path):
        with open(path, "wb") as out:
            yield out
        return
    target = os.path.realpath(path)
    part = os.path.join(os.path.dirname(target), f"{uuid.uuid4().hex}.part")
    try:
        # tempfile would create a file with mode 0600.
        with open(part, "xb") as out:
            yield out
        if os.path.exists(target):
            shutil.copymode(target, part)
        os.replace(part, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(part)
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


def write_output(text: str) -> None:
    """Write a text to standard output as UTF-8 and without newline translation.

    :raises ValueError: standard output is closed
    """
    if sys.stdout is None:
        raise ValueError("standard output is closed; give the path of a file to write to")
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # a text-only replacement, such as io.StringIO
        sys.stdout.write(text)
    else:
        sys.stdout.flush()  # text that was printed before comes first
        binary.write(text.encode("utf-8"))


#: Options for exact parsing of floats. From pandas 3.1 on, parsing is always exact, and the option
#: is deprecated.
EXACT: dict[str, Any] = ({} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
                         else {"float_precision": "round_trip"})
#: Options for files of columns that are separated by white space.
_COLUMNS: dict[str, Any] = {"sep": r"\s+", "index_col": False, "header": None,
                            "quoting": csv.QUOTE_NONE, "na_filter": False, "encoding": "utf-8",
                            **EXACT}
#: The characters that an identifier cannot have.
_STRANGE = r"[\x00\f\v\r\n\t]"
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


def need_no_space(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    """Raise an error if a value has white space, which separates the columns of TREC files.

    :param columns: the columns to check, of text
    :param what: what is written, in the error
    :raises ValueError: a value has white space
    """
    for column in columns:
        spaced = frame[column].str.contains(r"\s")
        if spaced.any():
            raise ValueError(f"{what} cannot hold the {column} "
                             f"{frame[column][spaced].iloc[0]!r}: it has white space in it")


def read_csv(source: Input, **options: Any) -> tuple[pd.DataFrame, set[str]]:
    """Read a file with :func:`pandas.read_csv`, decompressed if its name ends in ``.gz``.

    :returns: the content, and which of the characters that need a check are in it
    """
    stream = source.watched()
    frame = pd.read_csv(stream, **options)  # type: ignore[call-overload]
    if "\0" in stream.characters:
        frame = frame.replace(_NUL, "\0", regex=True)
    return frame, stream.characters


def read_parquet(source: Input) -> pd.DataFrame:
    """Read a Parquet file.

    :raises ImportError: pyarrow is not installed
    :raises ValueError: the file is damaged
    """
    try:
        return pd.read_parquet(source.rewound())
    except ImportError:
        raise ImportError(f"{source.name} needs pyarrow: pip install 'pt-fairness[parquet]'"
                          ) from None
    except (ValueError, OSError) as error:
        raise ValueError(f"{source.name} is damaged: {error}") from error


def read_json(source: Input) -> list[dict[str, Any]]:
    """Read an array of JSON objects, or a file with an object in each line.

    :raises ValueError: a line is no JSON, or no object; the error names file and line
    """
    lines: Iterable[tuple[int, str]] = source.lines()
    if first_line(source).lstrip().startswith("["):
        whole = "".join(line for _, line in source.lines())
        lines = [(1, whole)]
    objects = []
    for number, line in lines:
        text = line.strip("\ufeff \t\r\n")
        try:
            value = json.loads(text or "[]")
        except ValueError as error:
            raise ValueError(f"{source.name}, line {number}: no JSON ({error})") from None
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            if not isinstance(row, dict):
                raise ValueError(f"{source.name}, line {number}: {shown(row)} is no object")
        objects += rows
    return objects


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
            frame, characters = read_csv(source, names=[*names, "_more"], dtype=dtypes,
                                         **_COLUMNS)
    except (ValueError, *DAMAGE):
        frame, characters = None, set()
    # Fields are never empty, so an empty value is a missing column.
    if frame is None or frame[names[-1]].isin([""]).any() or not frame["_more"].isin([""]).all() \
            or any(frame[name].isna().any() for name in names if dtypes[name] is float):
        _check_lines(source, names, dtypes)
        raise ValueError(f"{source.name} cannot be read as columns ({', '.join(names)})")
    if characters & {*CONTROL_CHARACTERS}:
        _check_lines(source, names, dtypes)
    # pandas parses a column of only True and False as 1.0 and 0.0. Check the first line for these
    # words.
    if float in dtypes.values() and re.search("true|false", first_line(source), re.IGNORECASE):
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


def pyterrier_names(header: Sequence[str]) -> list[str]:
    """Return column names in lower case, with PyTerrier's names for topics and documents."""
    columns = [column.lower() for column in header]
    names = PYTERRIER | recommender_names(columns)
    return [names.get(column, column) for column in columns]


def header_of(source: Input, separator: str) -> list[str]:
    """Return the names of columns in the first line of a file.

    :raises ValueError: a name is too long
    """
    lines = [first_line(source)]
    try:
        names = next(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise ValueError(f"{source.place(0)}: the columns cannot be read ({error})") from None
    return [name.strip() for name in names]


def table_of(source: Input, column: str) -> tuple[str, list[str]]:
    """Return the separator and the header of a table that has a column; ``''`` for another file.

    :raises ValueError: a name in the first line is too long
    """
    for separator in ("\t", ","):
        header = header_of(source, separator)
        names = map(str.lower, header)
        if len(header) > 1 and column.lower() in names:
            return separator, header
    return "", []


def read_table(source: Input, separator: str, columns: list[str], needed: Sequence[str],
               repeated: str | None = None) -> pd.DataFrame:
    """Read a file with a header; all columns are text, stripped of white space.

    :param columns: the names of the columns in the frame
    :param needed: the required columns
    :param repeated: a column with few distinct values, which is returned as a categorical one
    :raises ValueError: the file cannot be parsed, a column is missing or repeated, a row has more
        or fewer fields than the header or is the header again, or an identifier is empty or has a
        line break or a tab in it
    """
    header = header_of(source, separator)
    try:
        frame, characters = read_csv(source, sep=separator, names=range(len(header)), header=0,
                                     dtype=str, na_filter=False, encoding="utf-8-sig",
                                     skipinitialspace=True)
    except pd.errors.ParserError as error:
        raise ValueError(f"{source.name} cannot be read as columns ({', '.join(columns)}): "
                         f"{_reason(source, error)}") from None
    except (UnicodeDecodeError, *DAMAGE):
        for _ in source.lines():  # raises a ValueError that names the line
            pass
        raise
    if not isinstance(frame.index, pd.RangeIndex):  # pandas uses an extra column as the index
        raise ValueError(f"{source.name}: the rows have more columns than the header "
                         f"({', '.join(columns)})")
    frame = frame.set_axis(columns, axis="columns")
    need_distinct_columns(frame[frame.columns.intersection(["qid", *needed])], source.name)
    if frame.iloc[:, -1].isin([""]).any():  # empty, or missing
        _check_short_rows(source, separator, len(header))
    if not frame.columns.is_unique:  # columns that are not needed may be repeated
        frame = frame.loc[:, ~frame.columns.duplicated()]
    need_columns(frame, needed, source.name)
    if repeated is not None:
        frame[repeated] = frame[repeated].astype("category")
    for column in frame:  # one at a time takes less memory
        texts = frame[column]
        is_categorical = isinstance(texts.dtype, pd.CategoricalDtype)
        frame[column] = texts.map(str.strip) if is_categorical else texts.str.strip()
    titles = [header[columns.index(column)] for column in needed]
    is_header = (frame[[*needed]] == titles).all(axis=1)
    if is_header.any():
        raise ValueError(f"{place_of(source, is_header.argmax())} is the header again; remove it")
    _check_cells(source, frame, characters - {separator})
    return frame


def place_of(source: Input, row: Any) -> str:
    """Return the name of a file and the number of the line of a row below its header."""
    return source.place(int(row) + 1, quoted=True)


def _reason(source: Input, error: Exception) -> str:
    """Return why pandas cannot read a table, with the line of an open quotation mark."""
    text = str(error).strip()
    row = re.search(r"EOF inside string starting at row (\d+)", text)
    if row is None:
        return text
    return f"the quotation mark that opens in {source.place(int(row[1]), quoted=True)} has no end"


def _check_short_rows(source: Input, separator: str, fields: int) -> None:
    """Raise the error of the first row with fewer fields than the header.

    :raises ValueError: there is one; the error names file and line
    """
    lines = (line for _, line in source.lines())
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    for row in rows:
        if row and len(row) < fields and "".join(row).strip():
            raise ValueError(f"{source.name}, line {rows.line_num}: {len(row)} fields where the "
                             f"header has {fields}: {shown(separator.join(row))}")


def _check_cells(source: Input, frame: pd.DataFrame, characters: set[str]) -> None:
    """Check the identifiers and the groups of a table.

    :param characters: the characters in the file that need a check
    :raises ValueError: an identifier is empty, or has a character that it cannot have; the error
        names file and line
    """
    for column in frame.columns.intersection(["qid", "docno"]):
        empty = frame[column] == ""
        if empty.any():
            place = place_of(source, empty.argmax())
            raise ValueError(f"{place} has no {column}; every row needs one")
    if not characters:
        return
    for column in frame.columns.intersection(["qid", "docno", "group"]):
        texts = frame[column].astype("str")
        strange = texts.str.contains(r"[\"\r\n\t]" if column == "group" else _STRANGE)
        if not strange.any():
            continue
        text = texts[strange].iloc[0]
        place = place_of(source, strange.argmax())
        message = (f"{place}: the {column} {shown(text)} has a quotation mark, a tab or a line "
                   "break in it; check the quotation marks and the separators")
        if column == "group":
            warn(message)
        else:
            check_characters(column, text, place)
            raise ValueError(message)
