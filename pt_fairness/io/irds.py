"""Read judgments and documents with ir_datasets.

Importing this module imports ir_datasets, but not pandas.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import ir_datasets
from ir_datasets.util import home_path

from pt_fairness.core.messages import shown

try:
    import fcntl
except ImportError:  # not available on Windows
    fcntl = None  # type: ignore[assignment]


def dataset(dataset_id: str) -> Any:
    """Return an ir_datasets dataset.

    :raises ValueError: if ir_datasets lacks the id
    """
    try:
        return ir_datasets.load(dataset_id)
    except (KeyError, TypeError):
        raise ValueError(f"ir_datasets has no dataset {shown(dataset_id)}; its ids are text such "
                         "as 'msmarco-passage'") from None


def judgments(qrels: Any) -> list[Any]:
    """Return all judgments of an ir_datasets handler."""
    return list(qrels.qrels_iter())


def invalid(qrels: Any, row: Any, what: str, value: Any, expected: str) -> ValueError:
    """Return the error of a judgment with an invalid value.

    :param qrels: the ir_datasets handler that the judgment is from
    :param row: the judgment
    :param what: what has the value, such as ``the label``
    :param expected: the valid values
    """
    return ValueError(f"{type(qrels).__name__}: {what} of {row.doc_id!r} in topic {row.query_id} "
                      f"must be {expected}, got {value}")


def lines(source: Any) -> Iterator[bytes]:
    """Yield the lines of a file that ir_datasets downloads if necessary.

    :param source: a source of ir_datasets, such as a ``Download``
    """
    with source.stream() as stream:
        yield from stream


def text(source: Any) -> str:
    """Return the text of a file that ir_datasets downloads if necessary."""
    return b"".join(lines(source)).decode("utf-8")


def damaged(path: str | os.PathLike[str], reason: str) -> ValueError:
    """Return the error for a file whose content cannot be used."""
    return ValueError(f"{os.fspath(path)} cannot be read: {reason}. Replace it by a good copy; if "
                      "ir_datasets can download it, delete it")


def documents(dataset_id: str, docnos: Collection[str], what: str | None = None) -> Iterator[Any]:
    """Yield documents of a corpus, in any order; docnos that the corpus lacks are skipped.

    A docstore that does not exist is built first, while other processes wait.

    :param what: the description of the progress bar; ``None`` for no bar
    :raises ValueError: if ir_datasets lacks the id
    """
    handler = dataset(dataset_id).docs_handler()
    with lock(home_path() / f"{ir_datasets.docs_parent_id(dataset_id)}.lock"):
        store = handler.docs_store()
        if hasattr(store, "built"):
            store.build()
    records = store.get_many_iter(docnos)
    if what is not None:
        records = ir_datasets.log.easy().pbar(records, desc=what, total=len(docnos), unit="doc",
                                              quiet=True)
    yield from records


def downloaded(handler: Any) -> bool:
    """Return whether the files of documents exist, so that nothing is downloaded."""
    sources = []
    for value in vars(handler).values():
        sources += value if isinstance(value, list) else [value]
    parts = [source for source in sources if hasattr(source, "docs_iter")]  # of args.me
    files = [source for source in sources if hasattr(source, "stream")]
    return all(map(downloaded, parts)) and all(map(_exists, files))


def _exists(source: Any) -> bool:
    """Return whether a file exists, or the one that it is extracted from."""
    while source is not None:
        paths = [getattr(source, "_cache_path", None), getattr(source, "_path", None)]
        if any(map(os.path.exists, filter(None, paths))):
            return True
        source = getattr(source, "_streamer", None) or getattr(source, "dlc", None)
    return False


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
