"""Cocktail (Dai et al. 2024b): passages by people, and their rewrites by a language model.

NQ-UTD has 80 questions on recent events, 800 passages by people and a rewrite of each by Llama 2. A
judgment of a passage holds for its rewrite, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from ir_datasets.datasets.base import Dataset
from ir_datasets.datasets.beir import BeirQrels
from ir_datasets.formats import JsonlDocs, JsonlQueries, TrecQrel
from ir_datasets.util import Download, RequestsDownload, ZipExtract, home_path

from pt_fairness.collections.variants import Documentation, labelled, variant

ID = "cocktail/nq-utd"
#: The group of each file of passages, which is also the end of their docnos.
SOURCES = {"human": "human", "llama-2-7b-chat-tmp0.2": "llm"}
_URL = ("https://raw.githubusercontent.com/KID-22/Cocktail/"
        "d070bccd55e643c8c9d018ef65e5825099e97550/dataset/nq-utd.zip")
_MD5 = "2e12e66393829cd4be715718f99d2436"
_LEVELS = {0: "not relevant", 1: "relevant, lower grade", 2: "relevant, higher grade"}


class CocktailPassage(NamedTuple):
    """A passage, and whether a person or a language model wrote it (``human`` or ``llm``)."""

    doc_id: str
    text: str
    source: str

    def default_text(self) -> str:
        """Return the text."""
        return self.text


class CocktailDocs(JsonlDocs):  # type: ignore[misc]
    """The passages of several files, which have the same ids: a docno ends with the file's name."""

    def _iter(self) -> Iterator[CocktailPassage]:
        for (suffix, group), file in zip(SOURCES.items(), self._dlcs, strict=True):
            with file.stream() as lines:
                for passage in map(json.loads, lines):
                    yield CocktailPassage(f"{passage['_id']}-{suffix}", passage["text"], group)


class CocktailQrels(BeirQrels):  # type: ignore[misc]
    """Judgments of passages, each of which holds for all versions of the passage."""

    def qrels_iter(self) -> Iterator[TrecQrel]:
        for row in super().qrels_iter():
            for suffix in SOURCES:
                yield row._replace(doc_id=f"{row.doc_id}-{suffix}")


def source(name: str) -> Any:
    """Return the sources of passages as groups."""
    from pt_fairness import groups
    return groups.from_irds(ID, "source", SOURCES.values(), name)


def register(registry: Any) -> None:
    """Register ``cocktail/nq-utd`` and its variant ``/source``."""
    archive = Download([RequestsDownload(_URL)], expected_md5=_MD5,
                       cache_path=str(home_path() / f"{ID}.zip"))
    docs = CocktailDocs([ZipExtract(archive, f"corpus/{suffix}.jsonl") for suffix in SOURCES],
                        doc_cls=CocktailPassage, namespace=ID, lang="en",
                        docstore_path=home_path() / ID / "docs.pklz4")
    registry.register(ID, Dataset(
        docs, JsonlQueries(ZipExtract(archive, "queries.jsonl"), lang="en",
                           mapping={"query_id": "_id", "text": "text"}),
        CocktailQrels(ZipExtract(archive, "qrels/test.tsv"), _LEVELS),
        Documentation("NQ-UTD", "Questions on recent events, with passages by people and their "
                      "rewrites by a language model. A rewrite has the judgments of its passage.")))
    variant(registry, ID, "source", partial(labelled, source, f"{ID}/source"), "with sources",
            "The iteration field holds who wrote the passage: a person (human) or a language "
            "model (llm).")
