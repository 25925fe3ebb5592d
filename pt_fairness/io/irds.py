"""Read documents with ir_datasets.

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


def dataset_of(source: str | os.PathLike[str], file: str) -> Any:
    """Return the dataset of an id of ir_datasets, with ``irds:`` in front or not.

    :param file: what else ``source`` could be, in the error
    :raises ValueError: if ir_datasets lacks the id
    """
    text = os.fspath(source)
    try:
        return ir_datasets.load(text.removeprefix("irds:"))
    except KeyError:
        raise ValueError(f"{text} is neither {file} nor a dataset id of ir_datasets") from None


def documents(dataset_id: str, docnos: Collection[str], what: str | None = None) -> Iterator[Any]:
    """Yield documents of a corpus, in any order; docnos that the corpus lacks are skipped.

    A docstore that does not exist is built first, while other processes wait.

    :param what: the description of the progress bar; ``None`` for no bar
    :raises ValueError: if ir_datasets lacks the id or its documents
    """
    corpus = dataset(dataset_id)
    if not corpus.has_docs():
        raise ValueError(f"a corpus must have documents, got {dataset_id!r}")
    with lock(home_path() / f"{ir_datasets.docs_parent_id(dataset_id)}.lock"):
        store = corpus.docs_store()
        if hasattr(store, "built"):
            store.build()
    records = store.get_many_iter(docnos)
    if what is not None:
        records = ir_datasets.log.easy().pbar(records, desc=what, total=len(docnos), unit="doc",
                                              quiet=True)
    yield from records


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the lock of a docstore; wait while another process holds it.

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
