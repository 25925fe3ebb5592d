"""Debates: a small collection of arguments that is part of the package and works offline.

It has ten controversial questions with fifteen arguments each. An argument has a graded relevance,
a stance towards the question of its topic, and a viewpoint from −3 (strongly opposing) to +3
(strongly supporting).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseQrels, GenericQuery, JsonlDocs, JsonlQueries, TrecQrel
from ir_datasets.util import LocalDownload, home_path

from pt_fairness.collections.variants import Documentation

if TYPE_CHECKING:
    from pt_fairness.groups import Groups

ID = "pt-fairness/debates"
#: The fields that can be groups, and their labels.
FIELDS: dict[str, tuple[Any, ...]] = {"stance": ("PRO", "CON"), "viewpoint": tuple(range(-3, 4))}
_FILES = Path(__file__).parent / "debates"
_TEXT = ("Ten controversial questions, each with fifteen short arguments that have a stance and a "
         "viewpoint from -3 (strongly opposing) to 3 (strongly supporting) towards it, and graded "
         "judgments.")
_GROUP = " The iteration field holds the {field} of the argument."
_LEVELS = {0: "not relevant", 1: "relevant: an argument on the question",
           2: "highly relevant: a good argument on the question"}


class DebateArgument(NamedTuple):
    """An argument: its conclusion, premise, stance (``-`` if neutral) and viewpoint."""

    doc_id: str
    title: str
    text: str
    stance: str
    viewpoint: int

    def default_text(self) -> str:
        """Return the conclusion and the premise."""
        return f"{self.title}\n{self.text}"


class _Qrels(BaseQrels):  # type: ignore[misc]
    """The judgments, with a field of the arguments as group; ``None`` for no groups."""

    def __init__(self, docs: Any, field: str | None) -> None:
        self._docs, self._field = docs, field

    def qrels_path(self) -> Path:
        return _FILES / "qrels.tsv"

    def qrels_iter(self) -> Iterator[TrecQrel]:
        group = {doc.doc_id: str(getattr(doc, self._field))
                 for doc in self._docs.docs_iter()} if self._field else {}
        with self.qrels_path().open(encoding="utf-8") as lines:
            for line in lines:
                query_id, iteration, doc_id, relevance = line.rstrip("\n").split("\t")
                yield TrecQrel(query_id, doc_id, int(relevance), group.get(doc_id, iteration))

    def qrels_cls(self) -> type[TrecQrel]:
        return TrecQrel

    def qrels_defs(self) -> dict[int, str]:
        return _LEVELS


def source(name: str) -> "Groups":
    """Return the stances or viewpoints of the arguments as groups."""
    from pt_fairness import groups
    field = name.rpartition("/")[2]
    return groups.from_irds(ID, field, FIELDS[field], name)


def register(registry: Any) -> None:
    """Register ``pt-fairness/debates`` and its variants ``/stance`` and ``/viewpoint``."""
    docs = JsonlDocs(LocalDownload(_FILES / "docs.jsonl", mkdir=False), doc_cls=DebateArgument,
                     namespace=ID, lang="en", docstore_path=home_path() / ID / "docs.pklz4")
    queries = JsonlQueries(LocalDownload(_FILES / "queries.jsonl", mkdir=False),
                           query_cls=GenericQuery, lang="en")
    registry.register(ID, Dataset(docs, queries, _Qrels(docs, None),
                                  Documentation("Debates", _TEXT)))
    for field in FIELDS:
        registry.register(f"{ID}/{field}", Dataset(
            docs, queries, _Qrels(docs, field),
            Documentation(f"Debates, with {field}s", _TEXT + _GROUP.format(field=field))))
