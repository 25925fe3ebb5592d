"""Read judgments and documents with ir_datasets, and name the file in errors.

Importing this module imports ir_datasets, but not pandas.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import ir_datasets
from ir_datasets.datasets.clueweb12 import EhealthQrels
from ir_datasets.formats import (
    ArgsMeCombinedDocs,
    ArgsMeDocs,
    ArgsMeProcessedDocs,
    ToucheQualityCoherenceQrels,
    ToucheQualityComparativeStanceQrels,
    ToucheQualityQrels,
)
from ir_datasets.indices import NumpySortedIndex, PickleLz4FullStore
from ir_datasets.util import LocalDownload, home_path

from pt_fairness.core.messages import shown

try:
    import fcntl
except ImportError:  # not available on Windows
    fcntl = None  # type: ignore[assignment]

#: The judgments whose files ir_datasets reads line by line in parallel.
_PARALLEL = (ToucheQualityQrels, ToucheQualityCoherenceQrels, ToucheQualityComparativeStanceQrels)
_REPLACE = ("Replace damaged files by good copies; those that ir_datasets can download can simply "
            "be deleted")


def dataset(dataset_id: str) -> Any:
    """Return an ir_datasets dataset.

    :raises ValueError: ir_datasets has no such id
    """
    try:
        return ir_datasets.load(dataset_id)
    except (KeyError, TypeError):
        raise ValueError(f"ir_datasets has no dataset {shown(dataset_id)}; its ids are text such "
                         "as 'msmarco-passage'") from None


def judgments(qrels: Any) -> list[Any]:
    """Return all judgments of an ir_datasets handler.

    :raises ValueError: a file cannot be read; files that are read in parallel differ in length
    :raises FileNotFoundError: a file does not exist and cannot be downloaded
    """
    rows = list(_records(qrels, qrels.qrels_iter))
    parallel: Iterable[Any] = ()
    if isinstance(qrels, EhealthQrels):  # files for each year
        parallel = zip(qrels._qrels_dlcs, qrels._qtrust_dlcs, qrels._qunder_dlcs, strict=True)
    elif isinstance(qrels, _PARALLEL):
        parallel = [_sources(qrels)]
    for sources in parallel:  # ir_datasets stops at the end of the shortest file
        files = _files(sources)
        counts = [_count_lines(file) for file in files]
        if len(set(counts)) > 1:
            lengths = [f"{count} in {file}" for count, file in zip(counts, files, strict=True)]
            raise ValueError("these files should have a line for every judgment, but their numbers "
                             f"of lines differ: {', '.join(lengths)}. {_REPLACE}")
    return rows


def _count_lines(file: str) -> int:
    with open(file, "rb") as content:
        return sum(bool(line.strip(b"\r\n")) for line in content)


def invalid(qrels: Any, row: Any, what: str, value: Any, expected: str) -> ValueError:
    """Return the error of a judgment with an invalid value.

    :param qrels: the ir_datasets handler that the judgment is from
    :param row: the judgment
    :param what: what has the value, such as ``the label``
    :param expected: the valid values
    """
    return ValueError(f"{' or '.join(_files(_sources(qrels)))}: {what} of {row.doc_id!r} in topic "
                      f"{row.query_id} is {value}; it has to be {expected}. {_REPLACE}")


def text(source: Any) -> str:
    """Return the text of a file that ir_datasets downloads.

    :param source: a source of ir_datasets, such as a ``Download``
    :raises ValueError: the file cannot be read
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    try:
        return b"".join(lines(source)).decode("utf-8")
    except UnicodeDecodeError as error:
        _raise_named([source], error)


def documents(dataset_id: str, docnos: Collection[str], what: str | None = None) -> Iterator[Any]:
    """Yield documents of a corpus, in any order; docnos that the corpus lacks are skipped.

    A docstore that does not exist is built first, while other processes wait.

    :param what: the description of the progress bar; ``None`` for no bar
    :raises ValueError: ir_datasets has no such id, the corpus or its docstore cannot be read, or
        args.me has one of these documents more than once
    :raises FileNotFoundError: a file does not exist and cannot be downloaded
    """
    handler = dataset(dataset_id).docs_handler()
    with lock(home_path() / f"{ir_datasets.docs_parent_id(dataset_id)}.lock"):
        store = _docstore(handler)
    if isinstance(handler, (ArgsMeDocs, ArgsMeProcessedDocs, ArgsMeCombinedDocs)):
        twice = _hidden(store).intersection(docnos)
        if twice:
            files = " or ".join(_files(_sources(handler)))
            raise ValueError(f"the argument {min(twice)!r} is more than once in {files}; an id has "
                             "to name one argument. Remove the others, and delete "
                             f"{store.path}: it is built anew")
    try:
        records = store.get_many_iter(docnos)
        if what is not None:
            records = ir_datasets.log.easy().pbar(records, desc=what, total=len(docnos), unit="doc",
                                                  quiet=True)
        yield from records
    except Exception as error:
        if isinstance(store, PickleLz4FullStore):
            raise _docstore_error(f"{_reason(error)} in {store.path}") from error
        _raise_named(_sources(handler), error)


def lines(source: Any) -> Iterator[bytes]:
    """Yield the lines of a file of ir_datasets, which is downloaded if necessary.

    :param source: the file, as ir_datasets' handlers hold it
    :raises ValueError: the file cannot be read
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    try:
        with source.stream() as stream:
            yield from stream
    except Exception as error:
        _raise_named([source], error)


def damaged(path: str | os.PathLike[str], reason: str) -> ValueError:
    """Return the error for a file whose content cannot be used."""
    return ValueError(f"{os.fspath(path)} cannot be read: {reason}. {_REPLACE}")


def downloaded(handler: Any) -> bool:
    """Return whether all files of a handler exist, so that nothing is downloaded."""
    return all(map(os.path.exists, _files(_sources(handler))))


def _sources(handler: Any) -> list[Any]:
    """Return what a handler reads its files from."""
    if isinstance(handler, ArgsMeCombinedDocs):
        return [*itertools.chain.from_iterable(map(_sources, handler._sources))]
    handler = getattr(handler, "_qrels_handler", handler)  # filtered judgments
    sources = []
    for value in vars(handler).values():
        sources += value if isinstance(value, list) else [value]
    return [source for source in sources if hasattr(source, "stream")]


def _files(sources: Iterable[Any]) -> list[str]:
    """Return the paths of the files that sources read; they need not exist."""
    files = map(_file, sources)
    return [*dict.fromkeys(filter(None, files))]


def _file(source: Any) -> str | None:
    """Return the file that a source reads: a cached copy, or else what it is extracted from."""
    files = []
    while source is not None:
        # Where ir_datasets does not keep a download, users can put a copy.
        copies = [mirror.path(force=False) for mirror in getattr(source, "mirrors", ())
                  if isinstance(mirror, LocalDownload)]
        paths = [getattr(source, "_cache_path", None), *copies, getattr(source, "_path", None)]
        files += [str(path) for path in paths if isinstance(path, (str, Path))][:1]
        source = getattr(source, "_streamer", None) or getattr(source, "dlc", None)
    return next(filter(os.path.exists, files), files[0] if files else None)


def _raise_named(sources: Iterable[Any], error: Exception, last: Any = None) -> NoReturn:
    """Re-raise an error of ir_datasets with the names of the files and a remedy.

    :param sources: what was read
    :param last: the last record that could be read
    """
    files = _files(sources)
    if not files or isinstance(error, ImportError):  # no file is the cause
        raise error
    for file in files:
        if not os.path.exists(file):
            raise FileNotFoundError(
                f"{file} does not exist and could not be downloaded ({error}). If you have it, put "
                f"it there, or set IR_DATASETS_HOME (now {home_path()}) to the folder where "
                "ir_datasets finds your files") from error
    after = "" if last is None else f" after {last.doc_id!r}"
    raise ValueError(f"{' or '.join(files)} cannot be read{after}: {_reason(error)}. "
                     f"{_REPLACE}") from error


def _reason(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _docstore_error(reason: str) -> ValueError:
    return ValueError(f"ir_datasets cannot read its docstore: {reason}. Delete that folder, and it "
                      "is built anew")


def _docstore(handler: Any) -> Any:
    """Open the docstore of a corpus, and build it if it does not exist."""
    try:
        store = handler.docs_store()
    except AssertionError as error:  # fields of another version; the message names the path
        raise _docstore_error(str(error)) from error
    except Exception as error:
        _raise_named(_sources(handler), error)
    if isinstance(store, PickleLz4FullStore):
        try:
            # ir_datasets takes a docstore for built even if writing its index was interrupted.
            complete = not store.built() or len(NumpySortedIndex(f"{store.path}/idx.doc_id")) > 0
        except Exception as error:
            raise _docstore_error(f"{_reason(error)} in {store.path}") from error
        if not complete:
            raise _docstore_error(f"{store.path} was not built to the end")
        store.init_iter_fn = partial(_corpus, handler, store.init_iter_fn)
    if hasattr(store, "built"):
        store.build()
    return store


def _corpus(handler: Any, read: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """Yield the documents that a docstore is built from."""
    if not isinstance(handler, ArgsMeCombinedDocs):
        yield from _records(handler, read)
        return
    for part in handler._sources:
        yield from _records(part, part.docs_iter)


def _records(handler: Any, read: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """Yield the records that a handler reads; an error names its files and the last record."""
    record = None
    try:
        for record in read():
            yield record
    except Exception as error:
        _raise_named(_sources(handler), error, record)


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the lock of a docstore or a cached table; wait while another process holds it.

    Two processes that build a docstore would both append to it. An unfinished docstore cannot be
    opened.

    :param path: the lock file, which is created
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # not writable: nothing is built there
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(path.open("a"))
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _hidden(store: PickleLz4FullStore) -> set[str]:
    """Return the duplicate ids of a docstore, which finds only the last document of an id."""
    import numpy as np
    try:
        positions = np.fromfile(f"{store.path}/bin.pos", np.int64)
        indexed = np.fromfile(f"{store.path}/idx.doc_id.pos", np.int64)
        if len(positions) == len(indexed):
            return set()
        hidden = np.flatnonzero(~np.isin(positions, indexed))
        records = iter(store)
        return {records[place].doc_id for place in hidden.tolist()}
    except Exception as error:
        raise _docstore_error(f"{_reason(error)} in {store.path}") from error
