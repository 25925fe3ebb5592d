"""Variants of ir_datasets ids with groups in their judgments.

Importing this module imports ir_datasets, but not pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseQrels, TrecQrel
from ir_datasets.util import MetadataComponent, MetadataProvider

from pt_fairness import reading


class GroupQrels(BaseQrels):  # type: ignore[misc]
    """Judgments with a group in ``iteration``, in the format of TREC qrels.

    :param base: the handler of the judgments in ir_datasets; they are read by each iteration
    :param convert: converts all of these judgments to judgments with groups
    :param defs: the meaning of each relevance level, if it differs from ``base``
    """

    def __init__(self, base: Any, convert: Callable[[list[Any]], Iterable[TrecQrel]],
                 defs: dict[int, str] | None = None) -> None:
        self._base, self._convert, self._defs = base, convert, defs

    def qrels_path(self) -> Any:
        return self._base.qrels_path()

    def qrels_iter(self) -> Iterator[TrecQrel]:
        yield from self._convert(reading.judgments(self._base))

    def qrels_cls(self) -> type[TrecQrel]:
        return TrecQrel

    def qrels_defs(self) -> dict[int, str]:
        return self._base.qrels_defs() if self._defs is None else self._defs


class Documentation:
    """The title and description of a dataset, appended to those of ``base`` if it is given."""

    def __init__(self, title: str, text: str, base: Any = None) -> None:
        self._title, self._text, self._base = title, text, base

    def documentation(self) -> dict[str, Any]:
        known, title = {}, self._title
        if self._base is not None:
            known = self._base.documentation()
            title = f"{known.get('pretty_name') or self._base.dataset_id()}, {title}"
        return {**known, "pretty_name": title,
                "desc": f"{known.get('desc', '')}<p>{self._text}</p>"}


def variant(registry: Any, base_id: str, suffix: str,
            convert: Callable[[list[Any]], Iterable[TrecQrel]], title: str, text: str,
            one_for_one: bool) -> None:
    """Register ``base_id/suffix``, a variant of ``base_id`` with groups in its judgments.

    :param convert: converts the judgments of ``base_id`` to judgments with groups
    :param one_for_one: whether ``convert`` keeps the number of judgments, so that the count in the
        metadata of ``base_id`` applies
    """
    base, name = registry[base_id], f"{base_id}/{suffix}"
    dataset = Dataset(base.docs_handler(), base.queries_handler(),
                      GroupQrels(base.qrels_handler(), convert), Documentation(title, text, base))

    def metadata() -> dict[str, Any]:
        return {name: {entity: known for entity, known in base.metadata().items()
                       if one_for_one or entity != "qrels"}}
    registry.register(
        name, Dataset(MetadataComponent(name, dataset, MetadataProvider(metadata)), dataset))


def labelled(groups: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the groups of their documents, ``-`` for documents without a group."""
    import pandas as pd
    frame = pd.DataFrame([(row.query_id, row.doc_id, row.relevance) for row in rows],
                         columns=["query_id", "doc_id", "relevance"])
    auxiliary = groups.to_qrels(frame)
    yield from map(TrecQrel, *(auxiliary[field].tolist() for field in TrecQrel._fields))


def with_one_relevance(rows: Iterable[TrecQrel]) -> Iterator[TrecQrel]:
    """Yield judgments with the highest relevance of each document over its groups.

    nDCG needs one relevance for each document. A relevant document keeps only the groups for which
    it is relevant.
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
