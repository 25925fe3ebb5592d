"""What the collections share: reading through ir_datasets with errors that name the place, and qrels that carry groups.

The modules of this folder are imported with ir_datasets, which imports neither numpy nor pandas by itself: they do so only
when something is read.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from ir_datasets.datasets.base import Dataset, FilteredQrels
from ir_datasets.datasets.beir import BeirQrels
from ir_datasets.formats import ArgsMeCombinedDocs, ArgsMeDoc, ArgsMeDocs, BaseQrels, TrecQrel
from ir_datasets.util import home_path

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

#: What reading a damaged archive raises.
_DAMAGE = (EOFError, gzip.BadGzipFile, tarfile.TarError, zipfile.BadZipFile, zlib.error)
#: The handlers of args.me.
ARGSME = (ArgsMeDocs, ArgsMeCombinedDocs)


class GroupQrels(BaseQrels):  # type: ignore[misc]
    """Judgments of ir_datasets with a group in ``iteration``, in the format of TREC qrels.

    :param base: the judgments as ir_datasets has them
    :param convert: takes all of them and gives those of this variant; nothing is read before they are asked for
    :param defs: what the levels of relevance mean, where not the same as in ``base``
    """

    def __init__(self, base: Any, convert: Callable[[list[Any]], Iterable[TrecQrel]],
                 defs: dict[int, str] | None = None) -> None:
        self._base, self._convert, self._defs = base, convert, defs

    def qrels_path(self) -> Any:
        return self._base.qrels_path()

    def qrels_iter(self) -> Iterator[TrecQrel]:
        yield from self._convert(judgments(self._base))

    def qrels_cls(self) -> type[TrecQrel]:
        return TrecQrel

    def qrels_defs(self) -> dict[int, str]:
        return self._base.qrels_defs() if self._defs is None else self._defs


class Documentation:
    """What ``documentation()`` of a dataset returns: the text of the dataset that it is a variant of, and more."""

    def __init__(self, title: str, text: str, base: Any = None) -> None:
        self._title, self._text, self._base = title, text, base

    def documentation(self) -> dict[str, Any]:
        known = self._base.documentation() if self._base is not None else {}
        names = [name for name in (known.get("pretty_name"), self._title) if name]
        return {**known, "pretty_name": ", ".join(names), "desc": f"{known.get('desc', '')}<p>{self._text}</p>"}


def variant(registry: Any, base_id: str, suffix: str, convert: Callable[[list[Any]], Iterable[TrecQrel]], title: str,
            text: str) -> None:
    """Registers ``base_id/suffix``: the documents and queries of ``base_id``, its judgments with groups."""
    base = registry[base_id]
    registry.register(f"{base_id}/{suffix}", Dataset(
        base.docs_handler(), base.queries_handler(), GroupQrels(base.qrels_handler(), convert),
        Documentation(title, text, base)))


def labelled(groups: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    """The judgments with the groups that a Groups object knows; ``-`` where it knows none."""
    import pandas as pd
    frame = pd.DataFrame({"query_id": [row.query_id for row in rows], "doc_id": [row.doc_id for row in rows],
                          "relevance": [row.relevance for row in rows]})
    for row in groups.to_qrels(frame).itertuples(index=False):
        yield TrecQrel(row.query_id, row.doc_id, row.relevance, row.iteration)


# ---------------------------------------------------------------------------------------------------------------------
# files, and where in them something is wrong


def sources(handler: Any) -> list[Any]:
    """The files that one of ir_datasets' handlers reads, as its own objects that open them."""
    handler = getattr(handler, "_wrapped", handler)
    return [value for value in vars(handler).values() if hasattr(value, "stream")]


def file_of(source: Any) -> str:
    """The path of such a file, without fetching it."""
    while not hasattr(source, "path"):
        source = source._streamer
    return str(source.path(force=False))


def state(handler: Any) -> str:
    """The size and the time of the files that a handler reads: a text that differs once they have changed."""
    while isinstance(handler, (GroupQrels, FilteredQrels)):
        handler = handler._base if isinstance(handler, GroupQrels) else handler._qrels_handler
    files = _argsme_files(handler) if isinstance(handler, ARGSME) else list(map(file_of, sources(handler)))
    told = [(file, os.stat(file)) for file in files if os.path.exists(file)]
    return " ".join(f"{file} {status.st_size} {status.st_mtime_ns}" for file, status in told)


def _lines(source: Any) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers."""
    with source.stream() as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield number, line.decode("utf-8", errors="replace").strip()


def place(source: Any, index: int) -> tuple[str, str]:
    """Where the record ``index`` of a file stands (``file, line n``), and its text (``''`` past the end)."""
    number = 0
    for at, (number, text) in enumerate(_lines(source)):
        if at == index:
            return f"{file_of(source)}, line {number}", text
    return f"{file_of(source)}, after line {number}", ""


def _fault(text: str, columns: int, error: Exception) -> str | None:
    """What is wrong with a line of qrels, ``None`` if nothing that can be seen."""
    found = text.split()
    if len(found) != columns:
        return f"{len(found)} columns where there should be {columns}: {text!r}"
    try:
        whole = float(found[-1]).is_integer()
    except ValueError:
        whole = False
    if not whole or repr(found[-1]) in str(error):
        return f"{found[-1]!r} is no label that can stand there: {text!r}"
    return None


def judgments(qrels: Any) -> list[Any]:
    """All judgments of a handler.

    :raises ValueError: a line that ir_datasets cannot read, by file and line; a damaged file; files that should have a line
        for each judgment and do not
    :raises FileNotFoundError: a file that is neither there nor can be downloaded
    """
    rows: list[Any] = []
    files = sources(qrels)
    try:
        for row in qrels.qrels_iter():
            rows.append(row)
    except Exception as error:
        if isinstance(qrels, FilteredQrels):  # it does not know its files; the qrels that it filters do
            return judgments(qrels._qrels_handler)
        explained = _explained(files, 3 if isinstance(qrels, BeirQrels) else 4, len(rows), error)
        if explained is error:
            raise
        raise explained from error
    if len(files) > 1:  # ir_datasets reads them side by side, and stops at the end of the shortest
        counts = {file_of(source): sum(1 for _ in _lines(source)) for source in files}
        if len(set(counts.values())) > 1:
            raise ValueError("these files should have a line for each judgment, but have not equally many: "
                             + ", ".join(f"{count} in {file}" for file, count in counts.items()))
    return rows


def _explained(files: list[Any], columns: int, done: int, error: Exception) -> Exception:
    """An error that names file and line, for one that ir_datasets raised after ``done`` judgments."""
    if not files:  # one of this package's own, which says it already
        return error
    for source in files:
        if not os.path.exists(file_of(source)):
            return _missing(file_of(source), error)
    if isinstance(error, _DAMAGE):
        return ValueError(f"{' or '.join(map(file_of, files))} is damaged: {error}")
    places = []
    for source in files:
        try:
            where, text = place(source, done + (columns == 3))  # BEIR's files begin with a header
        except Exception as damage:
            return ValueError(f"{file_of(source)} is damaged or not what it should be: {damage}")
        fault = _fault(text, columns, error) if text else None
        if fault is not None:
            return ValueError(f"{where}: {fault}")
        places.append(where)
    return ValueError(f"{' and '.join(places)}: {error}")


def _missing(file: str, error: Exception) -> FileNotFoundError:
    return FileNotFoundError(f"{file} does not exist and could not be downloaded ({error}). If you have it, put it there, or "
                             f"set IR_DATASETS_HOME (now {home_path()}) to the folder where ir_datasets finds your files")


# ---------------------------------------------------------------------------------------------------------------------
# documents


def documents(handler: Any, docnos: Collection[str]) -> Iterator[Any]:
    """These documents of a corpus, from its docstore, in any order; nothing for those that it has not.

    :raises ValueError: what ir_datasets cannot read, by file and id; an argument of args.me that is there twice
    :raises FileNotFoundError: a file that is neither there nor can be downloaded
    """
    try:
        store = handler.docs_store()
        if hasattr(store, "built"):
            # Two processes that build a docstore at a time would both write into it; and one that is being finished may
            # look built before its index is there.
            with _alone(f"{store.path}.lock"):
                store = handler.docs_store()
                if not store.built():
                    store.build()
    except Exception as error:
        explained = _corpus_error(handler, error)
        if explained is error:
            raise
        raise explained from error
    if isinstance(handler, ARGSME):
        _refuse_twice(handler, store, docnos)
    yield from store.get_many_iter(docnos)


@contextlib.contextmanager
def _alone(path: str) -> Iterator[None]:
    if fcntl is None:
        yield
        return
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        lock = open(path, "a")  # noqa: SIM115 - closed below
    except OSError:  # a folder that others own: nothing is built there
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _argsme_files(handler: Any) -> list[str]:
    return [file_of(source._source) for source in getattr(handler, "_sources", [handler])]


def _corpus_error(handler: Any, error: Exception) -> Exception:
    """An error that names file and id, for one that ir_datasets raised while it built a docstore."""
    if isinstance(handler, ARGSME):
        for file in _argsme_files(handler):
            found = _argsme_error(file, error)
            if found is not None:
                return found
        return error
    files = sources(handler)
    if isinstance(error, FileNotFoundError) or len(files) != 1:
        return error
    if not os.path.exists(file_of(files[0])):
        return _missing(file_of(files[0]), error)
    try:
        done = 0
        with contextlib.suppress(Exception):
            for done, _ in enumerate(handler.docs_store().init_iter_fn(), 1):  # noqa: B007
                pass
        where, text = place(files[0], done)
        record = json.loads(text)
        return ValueError(f"{where}: ir_datasets cannot read the document {record.get('_id', record.get('id'))!r}: {error!r}")
    except Exception:
        return ValueError(f"{file_of(files[0])} is damaged or not what it should be: {error!r}")


def _argsme_error(file: str, error: Exception) -> Exception | None:
    if not os.path.exists(file):
        return _missing(file, error)
    import ijson
    last = "the beginning"
    try:
        with open(file, "rb") as stream:
            for argument in ijson.items(stream, "arguments.item"):
                last = f"the argument {argument.get('id')!r}"
                try:
                    ArgsMeDoc.from_json(argument)
                except Exception as refused:
                    return ValueError(f"{file}: ir_datasets refuses {last}: {refused}")
    except ijson.JSONError as damage:
        return ValueError(f"{file} is damaged after {last}: {damage}")
    return None


def _refuse_twice(handler: Any, store: Any, docnos: Collection[str]) -> None:
    """:raises ValueError: one of these arguments stands in two places; the docstore would silently take the later one"""
    import ijson
    import numpy as np
    every = np.fromfile(os.path.join(store.path, "bin.pos"), np.int64)
    reachable = np.fromfile(os.path.join(store.path, "idx.doc_id.pos"), np.int64)
    if len(every) == len(reachable):
        return
    hidden = {iter(store)[int(place)].doc_id for place in np.flatnonzero(~np.isin(every, reachable))}
    wanted = hidden.intersection(docnos)
    found: dict[str, str] = {}
    for file in _argsme_files(handler) if wanted else ():
        with open(file, "rb") as stream:
            for name in ijson.items(stream, "arguments.item.id"):
                if name in found:
                    raise ValueError(f"the argument {name!r} is in {found[name]} and again in {file}; an id has to name one "
                                     "argument")
                if name in wanted:
                    found[name] = file
