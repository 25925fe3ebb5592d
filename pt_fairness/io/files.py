"""Re-readable input files, atomic replacement of output files, and standard output."""

from __future__ import annotations

import atexit
import gzip
import io
import os
import shutil
import sys
import tempfile
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, Literal

Path = str | os.PathLike[str]

#: The errors that reading a damaged file raises.
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error)


def compression(path: Path) -> Literal["gzip"] | None:
    """Return the compression of a file, by the suffix of its name."""
    return "gzip" if os.fspath(path).endswith(".gz") else None


#: The characters of a file that need a check: those that trec_eval cannot read, quotes, and tabs.
_WATCHED = "\0\f\v\"\t"


class Watched(io.BufferedIOBase):
    """A stream of bytes that notes which of some characters were in them."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.characters: set[str] = set()

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        return self._watched(self._stream.read(size))

    def read1(self, size: int = -1) -> bytes:
        return self._watched(self._stream.read1(size))

    def _watched(self, content: bytes) -> bytes:
        for character in _WATCHED:
            if character not in self.characters and character.encode() in content:
                self.characters.add(character)
        return content


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

    def watched(self) -> Watched:
        """Seek to the start and return the decompressed content."""
        raw = self.rewound()
        content = gzip.GzipFile(fileobj=raw) if compression(self.name) else raw
        for _ in range(self.header):
            content.readline()
        return Watched(content)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number (from 1) and the decompressed text of every line after the header.

        :raises ValueError: the file is damaged or not UTF-8, by file and line
        """
        number = 0
        raw = self.rewound()
        try:
            text = gzip.GzipFile(fileobj=raw) if compression(self.name) else raw
            for number, line in enumerate(text, 1):
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
