"""What the collections share: reading through ir_datasets with errors that name the place, and qrels that carry groups.

The modules of this folder are imported with ir_datasets, which imports neither numpy nor pandas by itself: they do so only
when something is read.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from ir_datasets.datasets.base import Dataset, FilteredQrels
from ir_datasets.datasets.beir import BeirQrels
from ir_datasets.formats import ArgsMeCombinedDocs, ArgsMeDoc, ArgsMeDocs, BaseQrels, TrecQrel
from ir_datasets.indices import NumpySortedIndex, PickleLz4FullStore
from ir_datasets.util import MetadataComponent, MetadataProvider, home_path

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

#: What reading a damaged archive raises.
DAMAGE = (EOFError, gzip.BadGzipFile, tarfile.TarError, zipfile.BadZipFile, zlib.error)
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
        title = self._title if self._base is None else f"{known.get('pretty_name') or self._base.dataset_id()}, {self._title}"
        return {**known, "pretty_name": title, "desc": f"{known.get('desc', '')}<p>{self._text}</p>"}


def variant(registry: Any, base_id: str, suffix: str, convert: Callable[[list[Any]], Iterable[TrecQrel]], title: str,
            text: str, one_for_one: bool) -> None:
    """Registers ``base_id/suffix``: the documents and queries of ``base_id``, its judgments with groups.

    :param one_for_one: whether there are certainly as many judgments as in ``base_id``, so that ir_datasets' count holds
    """
    base, name = registry[base_id], f"{base_id}/{suffix}"
    dataset = Dataset(base.docs_handler(), base.queries_handler(), GroupQrels(base.qrels_handler(), convert),
                      Documentation(title, text, base))

    def metadata() -> dict[str, Any]:
        return {name: {entity: known for entity, known in base.metadata().items() if one_for_one or entity != "qrels"}}
    registry.register(name, Dataset(MetadataComponent(name, dataset, MetadataProvider(metadata)), dataset))


def labelled(groups: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    """The judgments with the groups that a Groups object knows; ``-`` where it knows none."""
    import pandas as pd
    frame = pd.DataFrame({"query_id": [row.query_id for row in rows], "doc_id": [row.doc_id for row in rows],
                          "relevance": [row.relevance for row in rows]})
    for row in groups.to_qrels(frame).itertuples(index=False):
        yield TrecQrel(row.query_id, row.doc_id, row.relevance, row.iteration)


def with_one_relevance(rows: Iterable[TrecQrel]) -> Iterator[TrecQrel]:
    """Judgments whose groups have a relevance each, with one for each document: its highest, as nDCG takes one value.

    The groups of a relevant document are those for which it is relevant; the rows of the others are left out.
    """
    rows = list(rows)
    highest: dict[tuple[str, str], int] = {}
    for row in rows:
        document = row.query_id, row.doc_id
        highest[document] = max(row.relevance, highest.get(document, row.relevance))
    for row in rows:
        relevance = highest[row.query_id, row.doc_id]
        if row.relevance > 0 or relevance <= 0:
            yield row._replace(relevance=relevance)


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


def at_hand(handler: Any) -> bool:
    """Whether the files that a handler reads are there, so that nothing would be downloaded."""
    files = _argsme_files(handler) if isinstance(handler, ARGSME) else list(map(file_of, sources(handler)))
    return all(map(os.path.exists, files))


def _lines(source: Any) -> Iterator[tuple[int, str]]:
    """The lines of a file that ir_datasets reads, with their numbers: all but empty ones; blanks are read, and refused."""
    with source.stream() as stream:
        for number, line in enumerate(stream, 1):
            if line.strip(b"\r\n"):
                yield number, line.decode("utf-8", errors="surrogateescape").strip()


def place(source: Any, index: int) -> tuple[str, str]:
    """Where the record ``index`` of a file stands (``file, line n``), and its text (``''`` past the end)."""
    number = 0
    for at, (number, text) in enumerate(_lines(source)):
        if at == index:
            return f"{file_of(source)}, line {number}", text
    return f"{file_of(source)}, after line {number}", ""


#: What :func:`_lines` makes of bytes that are not UTF-8.
_UNDECODED = re.compile("[\udc80-\udcff]")


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
    if isinstance(error, DAMAGE):
        return ValueError(f"{' or '.join(map(file_of, files))} is damaged: {error}")
    if isinstance(error, UnicodeDecodeError):  # raised for a whole block of lines, before the first of them is read
        for source in files:
            for number, text in _lines(source):
                if _UNDECODED.search(text):
                    return ValueError(f"{file_of(source)}, line {number}: not UTF-8 text: {text!r}")
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

    :raises ValueError: what ir_datasets cannot read, by file and id; an argument of args.me that is there twice; a docstore
        that is damaged, by its folder
    :raises FileNotFoundError: a file that is neither there nor can be downloaded
    """
    with _alone(handler):
        store = _docstore(handler)
    if isinstance(handler, ARGSME):
        _refuse_twice(handler, store, docnos)
    with _readable(store):
        yield from store.get_many_iter(docnos)


class _DocstoreError(ValueError):
    """Of a docstore, not of the corpus that it was built from."""

    def __init__(self, what: str) -> None:
        super().__init__(f"ir_datasets cannot read its docstore: {what}. Delete that folder, and it is built anew")


@contextlib.contextmanager
def _readable(store: Any) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if not isinstance(store, PickleLz4FullStore):  # it reads the corpus itself
            raise
        raise _DocstoreError(f"{error!r} in {store.path}") from error


def _docstore(handler: Any) -> Any:
    """The docstore of a corpus, which is built now if it was not."""
    try:
        try:
            store = handler.docs_store()
        except AssertionError as error:  # its list of fields was cut short, or is that of another version; it names the folder
            raise _DocstoreError(str(error)) from error
        if hasattr(store, "built"):
            with _readable(store):
                built = store.built()
                # It counts as built before its index is written, and for good where that was cut off.
                indexed = not isinstance(store, PickleLz4FullStore) or len(NumpySortedIndex(f"{store.path}/idx.doc_id")) > 0
            if not built:
                store.build()
            elif not indexed:
                raise _DocstoreError(f"{store.path} was not built to the end")
    except _DocstoreError:
        raise
    except Exception as error:
        explained = _corpus_error(handler, error)
        if explained is error:
            raise
        raise explained from error
    return store


@contextlib.contextmanager
def _alone(handler: Any) -> Iterator[None]:
    """Waits until nobody else opens or builds the docstore of a corpus.

    Two that build it at a time would both write into it, and one that is being built cannot be opened.
    """
    corpus = None
    with contextlib.suppress(Exception):  # some of ir_datasets' collections, args.me among them, fail to give their name
        # Not from the wrapper, which may delete an old docstore as soon as it is asked for anything.
        corpus = getattr(handler, "_wrapped", handler).docs_namespace()
    path = home_path() / f"{corpus or 'docs'}.lock"
    if fcntl is None:
        yield
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("a")
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
    with _readable(store):
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
