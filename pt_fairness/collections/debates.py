"""Debates: a small collection of arguments that is part of the package and works offline.

It has ten controversial questions with fifteen arguments each. An argument has a graded relevance,
a stance towards the question of its topic, and a viewpoint from −3 (strongly opposing) to +3
(strongly supporting).
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import JsonlDocs, JsonlQueries, TrecQrel, TrecQrels
from ir_datasets.util import LocalDownload, home_path

from pt_fairness.collections.variants import Documentation, variant
from pt_fairness.io.files import temporary_folder, writable

ID = "pt-fairness/debates"
#: The fields that can be groups, and their labels.
FIELDS: dict[str, tuple[Any, ...]] = {"stance": ("PRO", "CON"), "viewpoint": tuple(range(-3, 4))}
_FILES = Path(__file__).parent / "debates"
_TEXT = ("Ten controversial questions, each with fifteen short arguments that have a stance and a "
         "viewpoint from -3 (strongly opposing) to 3 (strongly supporting) towards it, and graded "
         "judgments.")
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


class DebateDocs(JsonlDocs):  # type: ignore[misc]
    """The arguments, with a docstore in a temporary folder where the home cannot be written."""

    _docstore_path: Path

    def docs_store(self, *args: Any, **kwargs: Any) -> Any:
        path = self._docstore_path
        if not os.path.exists(path) and not writable(path):
            self._docstore_path = Path(temporary_folder()) / path.name
        return super().docs_store(*args, **kwargs)


def source(name: str) -> Any:
    """Return the stances or viewpoints of the arguments as groups."""
    from pt_fairness import groups
    field = name.rpartition("/")[2]
    return groups.from_irds(ID, field, FIELDS[field], name)


def register(registry: Any) -> None:
    """Register ``pt-fairness/debates`` and its variants ``/stance`` and ``/viewpoint``."""
    docs = DebateDocs(_file("docs.jsonl"), doc_cls=DebateArgument, namespace=ID, lang="en",
                      docstore_path=home_path() / ID / "docs.pklz4")
    registry.register(ID, Dataset(
        docs, JsonlQueries(_file("queries.jsonl"), lang="en"),
        TrecQrels(_file("qrels.tsv"), _LEVELS), Documentation("Debates", _TEXT)))
    for field in FIELDS:
        variant(registry, ID, field, partial(_with_field, docs, field), f"with {field}s",
                f"The iteration field holds the {field} of the argument.")


def _file(name: str) -> Any:
    return LocalDownload(_FILES / name, mkdir=False)


def _with_field(docs: Any, field: str, _: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    groups = {doc.doc_id: str(getattr(doc, field)) for doc in docs.docs_iter()}
    for row in rows:
        yield row._replace(iteration=groups[row.doc_id])
