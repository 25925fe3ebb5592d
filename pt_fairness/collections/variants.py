"""Variants of ir_datasets ids with groups in their judgments, and cached tables of documents.

A table is cached in a file beside the judgments or the metadata it is made from. It is replaced
atomically, so that no process reads an unfinished one. A table that is older than its source or
cannot be read is created again. Where a table cannot be written, nothing is cached.

Importing this module imports ir_datasets, but not pandas.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseQrels, TrecQrel
from ir_datasets.util import (
    Download,
    MetadataComponent,
    MetadataProvider,
    RequestsDownload,
    home_path,
)

from pt_fairness.collections import complete
from pt_fairness.io import irds as reading

if TYPE_CHECKING:
    from pt_fairness.groups import FromIrds, Groups

#: Takes a handler of judgments and all of its judgments, and returns judgments with groups.
Convert = Callable[[Any, list[Any]], Iterable[TrecQrel]]
#: The metadata of a variant whose number of judgments is not that of its base.
UNCOUNTED: dict[str, Any] = {"qrels": {}}
#: The columns of the cached table of a field.
_COLUMNS = ["group", "why_not"]


class GroupQrels(BaseQrels):  # type: ignore[misc]
    """Judgments with a group in ``iteration``, in the format of TREC qrels.

    :param base: the handler of the judgments in ir_datasets; they are read by each iteration
    :param defs: the meaning of each relevance level, if it differs from ``base``
    """

    def __init__(self, base: Any, convert: Convert, defs: dict[int, str] | None = None) -> None:
        self._base = base
        self._convert = convert
        self._defs = defs

    def qrels_path(self) -> Any:
        return self._base.qrels_path()

    def qrels_iter(self) -> Iterator[TrecQrel]:
        rows = reading.judgments(self._base)
        yield from self._convert(self._base, rows)

    def qrels_cls(self) -> type[TrecQrel]:
        return TrecQrel

    def qrels_defs(self) -> dict[int, str]:
        return self._base.qrels_defs() if self._defs is None else self._defs


class Documentation:
    """The title and description of a dataset, appended to those of ``base`` if it is given."""

    def __init__(self, title: str, text: str, base: Any = None) -> None:
        self._title = title
        self._text = text
        self._base = base

    def documentation(self) -> dict[str, Any]:
        title = self._title
        base = {}
        if self._base is not None:
            base = self._base.documentation()
            title = f"{base.get('pretty_name') or self._base.dataset_id()}, {title}"
        description = f"{base.get('desc', '')}<p>{self._text}</p>"
        return base | {"pretty_name": title, "desc": description}


def download(url: str, path: Path, md5: str | None = None) -> Any:
    """Return a file that ir_datasets downloads to a path."""
    return Download([RequestsDownload(url)], expected_md5=md5, cache_path=str(path))


def variant(registry: Any, base_id: str, suffix: str, convert: Convert, title: str, text: str, *,
            queries: Any = None, defs: dict[int, str] | None = None,
            metadata: Mapping[str, Any] = {}) -> None:
    """Register ``base_id/suffix``, a variant of ``base_id`` with groups in its judgments.

    :param title: appended to the title of ``base_id``
    :param text: appended to its description
    :param queries: the handler of the queries, if they are not those of ``base_id``
    :param defs: the meaning of each relevance level, if it differs from ``base_id``
    :param metadata: what differs from the metadata of ``base_id``, such as :data:`UNCOUNTED`
    """
    base = registry[base_id]
    name = f"{base_id}/{suffix}"
    qrels = GroupQrels(base.qrels_handler(), convert, defs)
    about = Documentation(title, text, base)
    dataset = Dataset(base.docs_handler(), queries or base.queries_handler(), qrels, about)
    provider = MetadataProvider(lambda: {name: {**base.metadata(), **metadata}})
    component = MetadataComponent(name, dataset, provider)
    registry.register(name, Dataset(component, dataset))


def graded(field: str, value_of: Callable[[Any], Any], groups: Mapping[Any, str], qrels: Any,
           rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with a field of theirs as group.

    :param field: the name of the field in errors
    :param value_of: returns the value of the field in a judgment
    :param groups: the group of each value, ``-`` for none
    :raises ValueError: ``groups`` lacks a value
    """
    for row in rows:
        value = value_of(row)
        if value not in groups:
            valid = ", ".join(map(str, groups))
            raise reading.invalid(qrels, row, f"the {field}", repr(value), f"one of {valid}")
        yield TrecQrel(row.query_id, row.doc_id, row.relevance, groups[value])


def labelled(source: Callable[[str], Groups], name: str, _: Any,
             rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the groups of their documents, which ``source(name)`` returns."""
    return annotated(source(name), rows)


def looked_up(source: Callable[[str], FromIrds], name: str, qrels: Any,
              rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with a field of their documents as group, from the cached table."""
    groups = source(name)
    docnos = [row.doc_id for row in rows]
    look_up(groups, qrels, docnos)
    return annotated(groups, rows)


def annotated(groups: Groups, rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the groups of their documents, ``-`` for documents without a group."""
    import pandas as pd
    columns = ["query_id", "doc_id", "relevance"]
    judgments = map(attrgetter(*columns), rows)
    frame = pd.DataFrame(judgments, columns=columns)
    auxiliary = groups.to_qrels(frame)
    auxiliary = auxiliary[list(TrecQrel._fields)].astype(object)
    yield from map(TrecQrel._make, auxiliary.itertuples(index=False))


def look_up(groups: FromIrds, qrels: Any, docnos: Iterable[str]) -> None:
    """Look up the groups of judged documents, first in the cached table beside the judgments.

    Documents that are not in the table are read from the docstore, and the table is rewritten.
    Documents that the corpus lacks are looked up again as long as the corpus exists.

    :param groups: a field of the documents of args.me, of BEIR or of SARA, with a label set; it
        caches the groups found
    :param qrels: the handler of the judgments
    """
    import pandas as pd

    from pt_fairness.groups import MISSING
    corpus = groups.dataset_id
    # Asking ir_datasets for the path of the docstore downloads some corpora.
    folder = ".json" if corpus.startswith("argsme/") else "/docs"
    store = home_path() / f"{corpus}{folder}.pklz4" / "bin"
    _, _, field = groups.name.rpartition("/")
    table = Path(f"{qrels.qrels_path()}.{field}.tsv")
    rows = read_rows(table, store, _COLUMNS, groups.labels)
    cached = rows
    # Do not download a deleted corpus again for documents that it lacked.
    if store.exists() or reading.downloaded(ir_datasets.load(corpus).docs_handler()):
        cached = rows[rows["why_not"] != MISSING]
    remembered = {}
    for docno, group, reason in cached.itertuples():
        labels = () if group == "-" else (group,)
        remembered[docno] = labels, reason
    groups.remember(remembered)
    fetched = groups.fetch(docnos)
    fields = []
    for groups_of_document, reason in fetched.values():
        group = groups_of_document[0] if groups_of_document else "-"
        words = reason.split()
        fields.append((group, " ".join(words)))
    frame = pd.DataFrame(fields, index=list(fetched), columns=_COLUMNS, dtype=object)
    if not frame.equals(rows.reindex(frame.index)):
        write_rows(table, frame)


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
    content = _load(table, source, load)
    if content is None:
        with reading.lock(Path(f"{table}.lock")):
            content = _load(table, source, load)  # another process may have made it by now
            if content is None:
                content = make()
                write(table, partial(save, content))
    return content


def _load(table: Path, source: Path, load: Callable[[Path], T]) -> T | None:
    """Return the content of a table, or ``None`` if it is absent, outdated or invalid."""
    try:
        if source.exists() and source.stat().st_mtime > table.stat().st_mtime:
            return None
        return load(table)
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
        if list(frame.columns) != ["docno", *columns] or not frame["docno"].is_unique:
            raise ValueError(f"{path} has other columns, or a document twice")
        if labels is not None and not frame["group"].isin([*labels, "-"]).all():
            raise ValueError(f"{path} has other labels")
        return frame.set_index("docno").astype(kind)
    rows = _load(table, source, load)
    if rows is None:
        return pd.DataFrame(columns=columns, dtype=kind)
    return rows


def completed(table: Path, read: Callable[[], pd.DataFrame], docnos: pd.Index,
              look_up: Callable[[pd.Index], pd.DataFrame]) -> pd.DataFrame:
    """Return a table of documents, to which those that it lacks are added.

    Other processes wait meanwhile, so that none overwrites what another has added.

    :param read: reads the table
    :param look_up: returns the rows of documents that the table lacks, as far as there are any
    """
    import pandas as pd
    rows = read()
    if not docnos.isin(rows.index).all():
        with reading.lock(Path(f"{table}.lock")):
            rows = read()
            unread = docnos.difference(rows.index, sort=False)
            added = look_up(unread)
            if len(added):
                rows = pd.concat([rows, added])
                write_rows(table, rows)
    return rows


def write_rows(table: Path, frame: pd.DataFrame) -> None:
    """Write a table of documents; one with a column ``group`` is also a valid group file.

    :param frame: a row for each document, with the docnos as index. No text contains a tab or a
        line break.
    """
    write(table, lambda file: frame.to_csv(file, sep="\t", index_label="docno",
                                           quoting=csv.QUOTE_NONE))


complete(__name__)
