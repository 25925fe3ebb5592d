"""TREC Blog tracks: the opinion of a blog post about the topic.

ir_datasets has no ids for these tracks. This module adds ``blogs06`` (the posts, licensed by the
University of Glasgow), ``blogs06/trec-blog-2007`` and ``blogs06/trec-blog-2006-2008`` (with NIST's
labels), and the variants ``/opinion`` of the last two (with the opinion as group).
"""

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import JsonlDocs, TrecQrel, TrecQrels, TrecQueries
from ir_datasets.util import Download, LocalDownload, RequestsDownload, home_path, sax_html_parser

from pt_fairness.collections.variants import UNCOUNTED, Documentation, GroupQrels, variant
from pt_fairness.io import irds as reading

ID = "blogs06"
#: The opinion of a relevant post, by NIST's label.
OPINIONS = {1: "none", 2: "negative", 3: "mixed", 4: "positive"}
LEVELS = {-1: "not judged", 0: "not relevant", 1: "relevant, without opinion",
          2: "relevant, negative opinion", 3: "relevant, mixed opinions",
          4: "relevant, positive opinion"}
_NIST = "https://trec.nist.gov/data/blog"
#: The paths of the opinion qrels and the topics of each collection, below ``_NIST``.
_FILES = {
    "trec-blog-2007": ("07/07.qrels.opinion", "07/07.topics.901-950"),
    "trec-blog-2006-2008": ("08/08.qrels.opinion.all-topics", "08/06-08.all-blog-topics"),
}
_INSTRUCTIONS = (
    "The Blogs06 collection is licensed by the University of Glasgow, for a fee and for research "
    "only. How to get it: <http://ir.dcs.gla.ac.uk/test_collections/access_to_data.html>.\n"
    "Once you have it, link its folder here: {path}\n"
    "It should contain folders by day, such as 20051206, with files such as permalinks-000.gz.")


class BlogPost(NamedTuple):
    """A permalink document of Blogs06: the page as fetched."""

    doc_id: str
    url: str
    http_headers: str
    body: bytes

    def default_text(self) -> str:
        """Return the text of the page."""
        text, = sax_html_parser(self.body, headers=self.http_headers, fields=[{"title", "body"}])
        return str(text)


_START = re.compile(rb"(?=<DOC>\s*<DOCNO>)")
_POST = re.compile(rb"<DOC>\s*<DOCNO>\s*(?P<doc_id>\S+?)\s*</DOCNO>.*?"
                   rb"(?:<PERMALINK>\s*(?P<url>.*?)\s*</PERMALINK>.*?)?"
                   rb"<DOCHDR>\s*(?P<http_headers>.*?)\s*</DOCHDR>\s*(?P<body>.*)</DOC>", re.DOTALL)


def posts(path: Path) -> Iterator[BlogPost]:
    """Yield the posts of a permalinks file.

    :raises ValueError: the file is damaged, or a post in it has no headers or no end
    """
    try:
        with gzip.open(path, "rb") as file:
            content = file.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    for record in re.split(_START, content)[1:]:
        post = re.match(_POST, record)
        if post is None:
            docno = record.partition(b"<DOCNO>")[2].partition(b"</DOCNO>")[0].strip()
            raise ValueError(f"{path}: the post {docno.decode('latin-1')!r} has no "
                             "<DOCHDR>…</DOCHDR> or no </DOC>")
        yield BlogPost(post["doc_id"].decode(), (post["url"] or b"").decode("latin-1"),
                       post["http_headers"].decode("latin-1"), post["body"])


class BlogPosts(JsonlDocs):  # type: ignore[misc]
    """The posts of Blogs06, sorted by day. Only the format of the files differs from JSON lines."""

    def _iter(self) -> Iterator[BlogPost]:
        for path in sorted(Path(self.docs_path()).glob("*/permalinks-*.gz")):
            yield from posts(path)


def _checked(qrels: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    for row in rows:
        if row.relevance not in LEVELS:
            levels = ", ".join(f"{label} ({meaning})" for label, meaning in LEVELS.items())
            raise reading.invalid(qrels, row, "the label", row.relevance, f"one of {levels}")
        yield row


def _opinions(_: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    for row in rows:
        if row.relevance >= 0:
            yield row._replace(relevance=int(row.relevance > 0),
                               iteration=OPINIONS.get(row.relevance, "-"))


def source(name: str) -> Any:
    """Return the opinions of the judged posts, by topic, as groups."""
    from pt_fairness import groups
    return groups.from_irds(name, "iteration", labels=OPINIONS.values(), name=name)


def register(registry: Any) -> None:
    """Register ``blogs06``, its topics and its judgments with ir_datasets."""
    home = home_path() / ID

    def downloaded(file: str) -> Any:
        return Download([RequestsDownload(f"{_NIST}/{file}")],
                        cache_path=str(home / Path(file).name))

    corpus = home / "corpus"
    docs = BlogPosts(LocalDownload(corpus, _INSTRUCTIONS.format(path=corpus), mkdir=False),
                     doc_cls=BlogPost, namespace=ID)
    registry.register(ID, Dataset(docs, Documentation(
        "TREC Blogs06", "Blog posts of December 2005 to February 2006.")))
    levels = ", ".join(f"{label} {meaning}" for label, meaning in LEVELS.items())
    for name, (qrels_file, topics_file) in _FILES.items():
        # Latin-1 decodes any byte, including the invalid ones in topics.
        topics = TrecQueries(downloaded(topics_file), namespace=ID, lang="en", encoding="latin-1",
                             remove_tags=("</num>", "</title>", "</desc>", "</narr>"))
        qrels = GroupQrels(TrecQrels(downloaded(qrels_file), LEVELS), _checked)
        registry.register(f"{ID}/{name}", Dataset(docs, topics, qrels, Documentation(
            f"TREC Blog track {name.removeprefix('trec-blog-')}, opinion task",
            f"Relevance is the label of the assessors: {levels}.")))
        variant(registry, f"{ID}/{name}", "opinion", _opinions, "with opinions",
                "Relevance is 0 or 1; the iteration field holds the opinion of a relevant post: "
                f"{', '.join(OPINIONS.values())}. Posts that were not judged are left out.",
                defs={0: "not relevant", 1: "relevant"}, metadata=UNCOUNTED)
