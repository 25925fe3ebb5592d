"""Files that are opened once, files that are written whole, and standard output."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Literal

Path = str | os.PathLike[str]

#: What reading a damaged file raises.
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error)


def compression(path: Path) -> Literal["gzip"] | None:
    """Return how a file of this name is compressed."""
    return "gzip" if os.fspath(path).endswith(".gz") else None


@dataclass(frozen=True)
class Input:
    """An open file that can be read from its start any number of times."""

    #: The path that it was opened by; its end says how the content is to be read.
    name: str
    raw: IO[bytes]

    def rewound(self) -> IO[bytes]:
        """Return the file, not decompressed, at its start."""
        self.raw.seek(0)
        return self.raw

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines of the text, decompressed, with their numbers.

        :raises ValueError: the file is damaged, or not UTF-8, by the line
        """
        number = 0
        raw = self.rewound()
        try:
            text = gzip.GzipFile(fileobj=raw) if compression(self.name) else raw
            for number, line in enumerate(text, 1):
                yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.name}, line {number}: not UTF-8 text "
                             f"({error.reason})") from None
        except DAMAGE as error:
            after = f" after line {number}" if number else ""
            raise ValueError(f"{self.name} is damaged{after}: {error}") from error

    def digest(self) -> str:
        """Return a hash of the content, which is read for it."""
        made_of = hashlib.sha256()
        self.rewound()
        while part := self.raw.read(1 << 20):
            made_of.update(part)
        return made_of.hexdigest()

    def state(self) -> tuple[int, int]:
        """Return what changes when the file is written to: its modification time and size."""
        status = os.fstat(self.raw.fileno())
        return status.st_mtime_ns, status.st_size


@contextmanager
def opened(path: Path) -> Iterator[Input]:
    """Open a file once, however often it is read. What a pipe holds is copied to a temporary file.

    :raises OSError: it cannot be opened
    """
    with open(path, "rb") as file:
        if file.seekable():
            yield Input(os.fspath(path), file)
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            copy.flush()
            yield Input(os.fspath(path), copy)


def is_pipe(path: Path) -> bool:
    """Return whether a path leads to something that is there, but is neither file nor folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write bytes to, which is there whole after the block, or as it was before it.

    The bytes go to a temporary file in the same folder. A pipe or a device is written to directly.

    :raises OSError: the file cannot be written
    """
    if is_pipe(path):
        with open(path, "wb") as out:
            yield out
        return
    target = os.path.realpath(path)
    part = os.path.join(os.path.dirname(target), f"{uuid.uuid4().hex}.part")
    try:
        # Not by tempfile, whose files only their owner can read.
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


def need_output() -> None:
    """:raises ValueError: standard output is closed"""
    if sys.stdout is None:
        raise ValueError("standard output is closed, so the output has no place to go")


def write_output(text: str) -> None:
    """Write to standard output as UTF-8, whatever the locale, with the line ends that the text has.

    :raises ValueError: it is closed
    """
    need_output()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # replaced by what takes text alone
        sys.stdout.write(text)
    else:
        sys.stdout.flush()  # what was printed so far comes first
        binary.write(text.encode("utf-8"))
