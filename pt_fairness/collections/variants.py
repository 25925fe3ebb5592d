"""Variants of ir_datasets ids with groups in their judgments.

Importing this module imports ir_datasets, but not pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from operator import attrgetter
from pathlib import Path
from typing import Any

from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseQrels, TrecQrel
from ir_datasets.util import Download, MetadataComponent, MetadataProvider, RequestsDownload

#: Takes all judgments and returns judgments with groups.
Convert = Callable[[list[Any]], Iterable[TrecQrel]]


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
        # Reading Touché's judgments, ir_datasets 0.6.3 prints their path.
        with redirect_stdout(sys.stderr):
            rows = list(self._base.qrels_iter())
        yield from self._convert(rows)

    def qrels_cls(self) -> type[TrecQrel]:
        return TrecQrel

    def qrels_defs(self) -> dict[int, str]:
        return self._base.qrels_defs() if self._defs is None else self._defs


def download(url: str, path: Path, md5: str | None = None) -> Any:
    """Return a file that ir_datasets downloads to a path."""
    return Download([RequestsDownload(url)], expected_md5=md5, cache_path=str(path))


def variant(registry: Any, base_id: str, suffix: str, convert: Convert, queries: Any = None,
            defs: dict[int, str] | None = None) -> None:
    """Register ``base_id/suffix``, a variant of ``base_id`` with groups in its judgments.

    :param queries: the handler of the queries, if they differ from ``base_id``
    :param defs: the meaning of each relevance level, if it differs from ``base_id``
    """
    base = registry[base_id]
    name = f"{base_id}/{suffix}"
    qrels = GroupQrels(base.qrels_handler(), convert, defs)
    dataset = Dataset(base.docs_handler(), queries or base.queries_handler(), qrels)

    def metadata() -> dict[str, Any]:
        # A document can have several rows, so the number of judgments is unknown.
        counts = base.metadata() | {"qrels": {}}
        return {name: counts if queries is None else counts | {"queries": {}}}
    component = MetadataComponent(name, dataset, MetadataProvider(metadata))
    registry.register(name, Dataset(component, dataset))


def graded(field: Callable[[Any], Any], groups: Mapping[Any, str],
           rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the group of one of their fields.

    :param field: returns the value of the field in a judgment
    :param groups: the group of each value, ``-`` for none
    """
    for row in rows:
        group = groups[field(row)]
        yield TrecQrel(row.query_id, row.doc_id, row.relevance, group)


def labelled(name: str, rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the groups of their documents, ``-`` for documents without a group.

    :param name: the name of the groups
    """
    import pandas as pd

    from pt_fairness.collections import make
    columns = ["query_id", "doc_id", "relevance"]
    judgments = map(attrgetter(*columns), rows)
    qrels = make("groups", name).to_qrels(pd.DataFrame(judgments, columns=columns))
    ordered = qrels[list(TrecQrel._fields)].astype(object)
    yield from map(TrecQrel._make, ordered.itertuples(index=False))
