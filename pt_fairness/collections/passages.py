"""Passages and emails: MS MARCO, Cocktail, Grep-BiasIR and SARA.

**MS MARCO.** Queries for which results that favour a gender would do harm. Rekabsaz et al. (2021)
marked 215 queries of the development set and 30 of TREC Deep Learning 2019, and published the words
by which they measure the gender neutrality of a passage. Their lists of queries and of words are
downloaded from their repository. A passage has the gender of which it has more words; it is neutral
if it has at most one word of both, or as many of one as of the other. Mousavian et al. (2025)
annotated 893 passages with the gender that each is biased towards. These groups need neither
judgments nor documents.

**Cocktail** (Dai et al. 2024b). NQ-UTD has 80 questions on recent events, 800 passages by people
and a rewrite of each by Llama 2. A judgment of a passage also holds for its rewrite.

**Grep-BiasIR** (Krieg et al. 2023). 117 queries that are sensitive to gender bias, each with a
relevant and an irrelevant document in a neutral, a female and a male wording.

**SARA** (McKechnie & McDonald 2024). Enron emails, and whether they are sensitive. ir_datasets
takes emails and qrels from different files: a warning counts the judged emails that the corpus
lacks, which are in neither group.
"""

# Without "from __future__ import annotations": PyTerrier compares the types of documents' fields.
import csv
import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

from ir_datasets.datasets.base import Dataset, FilteredQueries
from ir_datasets.datasets.beir import BeirQrels
from ir_datasets.formats import CsvQueries, JsonlDocs, JsonlQueries, TrecQrel, TrecQrels
from ir_datasets.util import Lazy, ZipExtract, home_path

from pt_fairness.collections import download, register_datasets
from pt_fairness.collections.arguments import labelled, variant

_MSMARCO = "msmarco-passage"
#: The groups of Mousavian et al.
BIASES = f"{_MSMARCO}/msmgenderbias"
#: The tasks with lists of queries that are sensitive to gender bias.
_TASKS = ("dev", "trec-dl-2019")


def genders(name: str) -> Any:
    """Return the genders of passages as groups, by their words or as annotated."""
    from pt_fairness.collections.sources import Biases, counts
    from pt_fairness.groups import FromText
    return Biases(name) if name == BIASES else FromText(counts(), name=name)


def neutrality(name: str) -> Any:
    """Return the gender neutrality of passages as values."""
    from pt_fairness.collections.sources import counts
    from pt_fairness.values import FromText
    return FromText(counts(), name=name)


def _register_msmarco(registry: Any) -> None:
    """Register ``msmarco-passage/…/fair/gender`` for both lists of queries."""
    for task in _TASKS:
        base_id = f"{_MSMARCO}/{task}"
        qids = Lazy(partial(_qids, f"{task}.tsv"))
        queries = FilteredQueries(registry[base_id].queries_handler(), qids)
        convert = partial(_sensitive, qids, f"{base_id}/fair/gender")
        variant(registry, base_id, "fair/gender", convert, queries)


def _qids(file: str) -> set[str]:
    from pt_fairness.collections.sources import read
    table = read(file, sep="\t", names=["qid", "query"], quoting=csv.QUOTE_NONE)
    return {*table["qid"]}


def _sensitive(qids: Any, name: str, rows: list[Any]) -> Iterator[TrecQrel]:
    sensitive = qids()
    return labelled(name, [row for row in rows if row.query_id in sensitive])


COCKTAIL = "cocktail/nq-utd"
#: The group of each file of passages, which is also the end of their docnos.
SOURCES = {"human": "human", "llama-2-7b-chat-tmp0.2": "llm"}
_URL = ("https://raw.githubusercontent.com/KID-22/Cocktail/"
        "d070bccd55e643c8c9d018ef65e5825099e97550/dataset/nq-utd.zip")
_MD5 = "2e12e66393829cd4be715718f99d2436"
_COCKTAIL_LEVELS = {0: "not relevant", 1: "relevant, lower grade", 2: "relevant, higher grade"}


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
    """Judgments of passages; a judgment holds for all versions of its passage."""

    def qrels_iter(self) -> Iterator[TrecQrel]:
        for row in super().qrels_iter():
            for suffix in SOURCES:
                yield row._replace(doc_id=f"{row.doc_id}-{suffix}")


def cocktail(name: str) -> Any:
    """Return the sources of passages as groups."""
    from pt_fairness import groups
    return groups.from_irds(COCKTAIL, "source", SOURCES.values(), name)


def _register_cocktail(registry: Any) -> None:
    """Register ``cocktail/nq-utd`` and its variant ``/source``."""
    home = home_path()
    archive = download(_URL, home / f"{COCKTAIL}.zip", _MD5)
    files = [ZipExtract(archive, f"corpus/{suffix}.jsonl") for suffix in SOURCES]
    docs = CocktailDocs(files, doc_cls=CocktailPassage, namespace=COCKTAIL, lang="en",
                        docstore_path=home / COCKTAIL / "docs.pklz4")
    queries = JsonlQueries(ZipExtract(archive, "queries.jsonl"), lang="en",
                           mapping={"query_id": "_id", "text": "text"})
    qrels = CocktailQrels(ZipExtract(archive, "qrels/test.tsv"), _COCKTAIL_LEVELS)
    registry.register(COCKTAIL, Dataset(docs, queries, qrels))
    variant(registry, COCKTAIL, "source")


GREP = "grep-biasir"
_GREP_URL = ("https://raw.githubusercontent.com/KlaraKrieg/GrepBiasIR/"
             "ed44a461054bd4fa506049ad29c44ef405c53fec")
#: The MD5 hashes of the files of documents, by category.
GREP_FILES = {
    "Appearance": "8ab4d7c316a7c111c6f051dd29ef276d",
    "Career": "09f092b3993bdc6c0a9d0d8fee679fde",
    "Child Care": "0d84cda5a370704309d2b5e4daefa3be",
    "Cognitive Capabilities": "805550cccf78816ed7f596a9789daf01",
    "Domestic Work": "7fedacd05b6d9523983a839f7a4afa45",
    "Physical Capabilities": "317bba43a6642f65dc92135e382fa66c",
    "Sex & Relationship": "94a16b3cef88a3d999bbee10da46d265",
}
#: The columns of the fields of a document.
_GREP_COLUMNS = ("d_id", "doc_title", "document", "content_gender", "exp_stereotype")
_GREP_QUERIES = "queries.csv", "1bd40a9fe5b59a227067b4ed513f561c"
#: The groups of the content by the letters in the files; one document has a misspelt "both".
_BOTH = ["female", "male"]
CONTENT = {"F": ["female"], "M": ["male"], "N": ["neutral"], "both": _BOTH, "botrh": _BOTH}


class GrepDocument(NamedTuple):
    """A document of Grep-BiasIR, the gender of its content, and the expected stereotype."""

    doc_id: str
    title: str
    text: str
    gender: str
    stereotype: str

    def default_text(self) -> str:
        """Return title and text."""
        return f"{self.title} {self.text}"


class GrepQuery(NamedTuple):
    """A query of Grep-BiasIR and its category."""

    query_id: str
    category: str
    text: str

    def default_text(self) -> str:
        """Return the text."""
        return self.text


def _table_rows(files: Iterable[Any]) -> Iterator[dict[str, str]]:
    """Yield the rows of CSV files with a header."""
    for file in files:
        with open(file.path(), encoding="utf-8", newline="") as lines:
            yield from csv.DictReader(lines)


class GrepDocs(JsonlDocs):  # type: ignore[misc]
    """The documents of several CSV files."""

    def _iter(self) -> Iterator[GrepDocument]:
        for row in _table_rows(self._dlcs):
            fields = [row[name] for name in _GREP_COLUMNS]
            yield GrepDocument(*fields)


class GrepQrels(TrecQrels):  # type: ignore[misc]
    """The judgments in the files of documents."""

    def qrels_iter(self) -> Iterator[TrecQrel]:
        for row in _table_rows(self._qrels_dlc):
            yield TrecQrel(row["q_id"], row["d_id"], int(row["relevant"]), "0")

    def qrels_path(self) -> Any:
        return self._qrels_dlc[0].path()


def content_gender(document: Any) -> Any:
    """Return the groups of a document."""
    return CONTENT[document.gender]


def grep(name: str) -> Any:
    """Return the genders of the content of documents as groups."""
    from pt_fairness.groups import FromIrds
    return FromIrds(GREP, content_gender, ["female", "male", "neutral"], name)


def _register_grep(registry: Any) -> None:
    """Register ``grep-biasir`` and its variant ``/gender``."""
    home = home_path() / GREP
    files = []
    for category, md5 in GREP_FILES.items():
        name = f"queries-documents_{category}.csv"
        url = f"{_GREP_URL}/{quote(name)}"
        files.append(download(url, home / name, md5))
    name, md5 = _GREP_QUERIES
    queries = download(f"{_GREP_URL}/{name}", home / name, md5)
    docs = GrepDocs(files, doc_cls=GrepDocument, namespace=GREP, lang="en",
                    docstore_path=home / "docs.pklz4")
    levels = {0: "not relevant", 1: "relevant"}
    topics = CsvQueries(queries, GrepQuery, GREP, "en")
    registry.register(GREP, Dataset(docs, topics, GrepQrels(files, levels)))
    variant(registry, GREP, "gender")


SARA = "sara"
#: The groups by the sensitivity in the corpus.
_SENSITIVITY = {0: "non-sensitive", 1: "sensitive"}


def sensitivity(email: Any) -> Any:
    """Return the label of an email; of an unknown sensitivity, the number itself."""
    return _SENSITIVITY.get(email.sensitivity, email.sensitivity)


def sara(name: str) -> Any:
    """Return the sensitivity of emails as groups."""
    from pt_fairness.groups import FromIrds
    return FromIrds(SARA, sensitivity, _SENSITIVITY.values(), name)


def register(registry: Any) -> None:
    """Register the dataset ids with ir_datasets."""
    _register_msmarco(registry)
    _register_cocktail(registry)
    _register_grep(registry)
    variant(registry, SARA, "sensitivity")


register_datasets()
