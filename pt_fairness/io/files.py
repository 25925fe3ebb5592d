"""Input files that are opened once, output files that are replaced atomically, checks of frames."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import shutil
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, Literal

import pandas as pd

Path = str | os.PathLike[str]


def compression(path: Path) -> Literal["gzip"] | None:
    """Return the compression of a file to write, by the suffix of its name."""
    return "gzip" if os.fspath(path).endswith(".gz") else None


def _zstd(file: IO[bytes]) -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found]
    except ImportError:  # before Python 3.14
        from backports import zstd
    return zstd.ZstdFile(file)


def _zip_member(file: IO[bytes]) -> Any:
    archive = zipfile.ZipFile(file)
    names = [name for name in archive.namelist() if not name.endswith("/")]
    if len(names) != 1:
        members = ", ".join(names) or "none"
        raise EOFError(f"the archive must hold one file, got {members}")
    return archive.open(names[0])


#: The functions that decompress a file, by its first bytes.
_DECOMPRESS: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open,
    b"\x28\xb5\x2f\xfd": _zstd, b"PK\x03\x04": _zip_member}


@dataclass(frozen=True)
class Input:
    """An open file that can be read from its start any number of times."""

    #: The path of the file.
    name: str
    raw: IO[bytes]

    def rewound(self) -> IO[bytes]:
        """Seek to the start and return the raw file, which may be compressed."""
        self.raw.seek(0)
        return self.raw

    def is_parquet(self) -> bool:
        """Return whether the file is Parquet, by its first bytes."""
        return self.rewound().read(4) == b"PAR1"

    def decompressed(self) -> Any:
        """Seek to the start and return the file decompressed, and in UTF-8 if it is in UTF-16."""
        start = self.rewound().read(max(map(len, _DECOMPRESS)))
        stream: Any = self.rewound()
        for magic, decompress in _DECOMPRESS.items():
            if start.startswith(magic):
                stream = io.BufferedReader(decompress(stream))
                start = stream.peek()
        if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            try:
                return io.BytesIO(stream.read().decode("utf-16").encode())
            except UnicodeDecodeError as error:
                raise EOFError(f"{error.reason} of UTF-16") from None
        return stream

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number (from 1) and the decompressed text of every line.

        :raises ValueError: if the file is damaged, or a line is not UTF-8
        """
        with self.damage():
            for number, line in enumerate(self.decompressed(), 1):
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise ValueError(f"{self.name}, line {number}: text must be UTF-8 "
                                     f"({error.reason})") from None
                yield number, text

    @contextmanager
    def damage(self) -> Iterator[None]:
        """Raise a ValueError that names the file if it is damaged."""
        try:
            yield
        except (ValueError, ImportError, MemoryError):
            raise
        except Exception as error:
            if getattr(error, "errno", None) is not None:  # of the system, not of a decompressor
                raise
            raise ValueError(f"{self.name} is damaged: {error}") from error


@contextmanager
def opened(path: Path) -> Iterator[Input]:
    """Open a file that can be read several times. A pipe is copied to a temporary file.

    :raises TypeError: if ``path`` is neither text nor a path
    :raises OSError: if the file cannot be opened
    """
    with open(path, "rb") as file:
        if file.seekable():
            yield Input(os.fspath(path), file)
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            yield Input(os.fspath(path), copy)


def is_pipe(path: Path) -> bool:
    """Return whether a path exists and is neither a file nor a folder."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes, and replace it atomically if the block succeeds.

    The bytes are written to a temporary file in the same folder, which then replaces the file. A
    pipe or a device is written to directly.

    :raises OSError: if the file cannot be written
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

    :raises ValueError: if standard output is closed
    """
    if sys.stdout is None:
        raise ValueError("standard output is closed; give the path of a file to write to")
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # a text-only replacement, such as io.StringIO
        sys.stdout.write(text)
    else:
        sys.stdout.flush()  # text that was printed before comes first
        binary.write(text.encode("utf-8"))


def need_columns(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    """Raise an error if a frame lacks one of ``columns``, or has a column twice.

    :param what: the name of the frame in the error
    :raises ValueError: if a column is missing or there twice, or it is not a DataFrame
    """
    need_frame(frame, what)
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"{what} has the column {repeated[0]!r} twice; drop one of them")
    for column in columns:
        if column not in frame:
            present = ", ".join(map(str, frame.columns))
            raise ValueError(f"{what} has no column {column!r}; it needs {', '.join(columns)} and "
                             f"has {present}")


def need_frame(frame: Any, what: str) -> None:
    """Raise an error unless ``frame`` is a DataFrame.

    :param what: the name of the frame in the error
    :raises ValueError: if it is not
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"{what} must be a DataFrame, got a {type(frame).__name__}")


def need_rows(frame: pd.DataFrame, what: str, columns: Sequence[str] = ()) -> None:
    """Raise an error unless a frame has rows, and ``columns``.

    :param what: the name of the frame in the error
    :raises ValueError: if it is empty, a column is missing, or it is not a DataFrame
    """
    need_columns(frame, columns, what)
    if not len(frame):
        raise ValueError(f"{what} has no rows")


def need_no_space(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    """Raise an error if a value has white space that separates the columns of TREC files.

    :param columns: the columns to check, of text
    :param what: what is written, in the error
    :raises ValueError: if a value has white space
    """
    for column in columns:
        spaced = frame[column].str.contains("[ \t\n\r\f\v]")
        for text in frame[column][spaced]:
            raise ValueError(f"{what} cannot hold the {column} {text!r}: it has white space in it")
