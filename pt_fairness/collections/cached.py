"""Tables of documents, cached in a file beside the judgments or the metadata they are made from.

A table is replaced atomically, so that no process reads an unfinished one. A table that is older
than its source or cannot be read is created again. Where a table cannot be written, nothing is
cached.

Importing this module imports ir_datasets, but not pandas.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import ir_datasets

from pt_fairness.io import irds as reading

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
#: The errors that reading an absent or invalid table raises.
_INVALID = (OSError, ValueError, KeyError, OverflowError, EOFError, zipfile.BadZipFile)


def stored(table: Path, source: Path, load: Callable[[Path], T], make: Callable[[], T],
           save: Callable[[T, IO[bytes]], None]) -> T:
    """Return the content of a table, which is made from its source if necessary.

    Other processes that need the same table wait while it is made. The source is not opened if the
    table is valid.

    :param table: the path of the table
    :param source: the file that the table is made from; it need not exist any more
    :param load: reads a table, and raises ``ValueError`` or ``KeyError`` if it is invalid
    :param make: reads the source
    :param save: writes a table
    """
    found = _load(table, source, load)
    if found is None:
        with reading.lock(Path(f"{table}.lock")):
            found = _load(table, source, load)  # another process may have made it by now
            if found is None:
                made = found = make()
                write(table, lambda file: save(made, file))
    return found


def _load(table: Path, source: Path, load: Callable[[Path], T]) -> T | None:
    """Return the content of a table, or ``None`` if it is absent, outdated or invalid."""
    try:
        outdated = source.exists() and source.stat().st_mtime > table.stat().st_mtime
        return None if outdated else load(table)
    except _INVALID:
        return None


def write(table: Path, save: Callable[[IO[bytes]], None]) -> None:
    """Replace a table atomically. If it cannot be written, this is logged, and nothing is cached.

    :param save: writes the table to an open file
    """
    from pt_fairness.io.files import written_whole
    try:
        with written_whole(table) as file:
            save(file)
    except OSError as error:
        ir_datasets.log.easy().info(f"{table} cannot be written ({error})")


def read_rows(table: Path, source: Path, columns: list[str],
              labels: Collection[str] | None = None, kind: Any = object) -> pd.DataFrame:
    """Return the table that :func:`write_rows` has written, with the docnos as index.

    :param source: the file that the table is made from; it need not exist any more
    :param columns: the expected columns after ``docno``, in the same order
    :param labels: the label set; the column ``group`` may hold these labels and ``-``
    :param kind: the type of the columns, by default text
    :returns: a frame without rows if the table is absent, older than the source or invalid
    """
    import pandas as pd

    def load(path: Path) -> pd.DataFrame:
        frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False,
                            quoting=csv.QUOTE_NONE)
        if list(frame.columns) != ["docno", *columns] or not frame["docno"].is_unique or (
                labels is not None and not set(frame["group"]) <= {*labels, "-"}):
            raise ValueError(f"{path} has other columns or labels, or a document twice")
        return frame.set_index("docno").astype(kind)
    found = _load(table, source, load)
    return pd.DataFrame(columns=columns, dtype=kind) if found is None else found


def write_rows(table: Path, frame: pd.DataFrame) -> None:
    """Write a table of documents; one with a column ``group`` is also a valid group file.

    :param frame: a row for each document, with the docnos as index. No text contains a tab or a
        line break.
    """
    write(table, lambda file: frame.to_csv(file, sep="\t", index_label="docno",
                                           quoting=csv.QUOTE_NONE))
