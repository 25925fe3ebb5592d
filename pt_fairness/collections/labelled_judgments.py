"""Collections whose judgments hold the groups: TREC Blog, ClueWeb12 and NeuCLIR.

TREC Blog tracks: the opinion of a blog post about the topic.

ir_datasets has no ids for these tracks. This module adds ``blogs06`` (the posts, licensed by the
University of Glasgow), ``blogs06/trec-blog-2007`` and ``blogs06/trec-blog-2006-2008`` (with NIST's
labels), and the variants ``/opinion`` of the last two (with the opinion as group).

ClueWeb12-B13: what health pages say of a treatment, and how far they can be trusted.

The groups and values are in the judgments; the corpus, which is licensed, is not needed.

**TREC 2019 Decision track** (``trec-misinfo-2019``). Relevant pages were judged for what they say
of the treatment in the topic, and for their credibility (https://trec.nist.gov/data/misinfo2019.html).

**CLEF eHealth 2016 and 2017** (``clef-ehealth``). The pages were judged for their trustworthiness,
from 0 to 100. Participants of 2017 were asked to leave out the documents that were judged in 2016.
Where a document was nevertheless judged for the same topic in both years, the judgment of 2017
counts, both its relevance and its trustworthiness, as in ir_measures' own measures.

NeuCLIR: news in Chinese, Persian and Russian, with the language as group.

TREC 2022 and 2023 judged documents of the three languages for the same topics. ir_datasets has the
judgments of 2022 in three parts, by language; ``neuclir/1/trec-2022/language`` has them together.
Its topics are those with judgments in at least one language.

The qrels hold the language of a judged document. Docnos do not tell the language: that of an
unjudged document is known if ir_datasets has the corpora .
"""

# Without "from __future__ import annotations": PyTerrier compares the types of documents' fields.
import gzip
import re
import zlib
from collections.abc import Iterator
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset, FilteredQueries
from ir_datasets.datasets.neuclir import NAME, QREL_DEFS
from ir_datasets.formats import (
    ExctractedCCMultiMtQuery,
    ExctractedCCQueries,
    JsonlDocs,
    TrecQrel,
    TrecQrels,
    TrecQueries,
)
from ir_datasets.util import (
    DownloadConfig,
    Lazy,
    LocalDownload,
    home_path,
    sax_html_parser,
)

from pt_fairness.collections.variants import (
    UNCOUNTED,
    Documentation,
    GroupQrels,
    download,
    graded,
    variant,
)
from pt_fairness.io import irds as reading

BLOGS = "blogs06"
#: The opinion of a relevant post, by NIST's label.
OPINIONS = {1: "none", 2: "negative", 3: "mixed", 4: "positive"}
_BLOG_LEVELS = {-1: "not judged", 0: "not relevant", 1: "relevant, without opinion",
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
        url, headers = post["url"] or b"", post["http_headers"]
        yield BlogPost(post["doc_id"].decode(), url.decode("latin-1"), headers.decode("latin-1"),
                       post["body"])


class BlogPosts(JsonlDocs):  # type: ignore[misc]
    """The posts of Blogs06, sorted by day. Only the format of the files differs from JSON lines."""

    def _iter(self) -> Iterator[BlogPost]:
        for path in sorted(Path(self.docs_path()).glob("*/permalinks-*.gz")):
            yield from posts(path)


def _with_labels(qrels: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    for row in rows:
        if row.relevance not in _BLOG_LEVELS:
            levels = [f"{label} ({meaning})" for label, meaning in _BLOG_LEVELS.items()]
            raise reading.invalid(qrels, row, "the label", row.relevance,
                                  f"one of {', '.join(levels)}")
        yield row


def _opinions(_: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    for row in rows:
        if row.relevance >= 0:
            opinion = OPINIONS.get(row.relevance, "-")
            yield row._replace(relevance=int(row.relevance > 0), iteration=opinion)


def blogs(name: str) -> Any:
    """Return the opinions of the judged posts, by topic, as groups."""
    from pt_fairness import groups
    return groups.from_irds(name, "iteration", labels=OPINIONS.values(), name=name)


def _register_blogs(registry: Any) -> None:
    """Register ``blogs06``, its topics and its judgments with ir_datasets."""
    home = home_path() / BLOGS
    corpus = home / "corpus"
    source = LocalDownload(corpus, _INSTRUCTIONS.format(path=corpus), mkdir=False)
    docs = BlogPosts(source, doc_cls=BlogPost, namespace=BLOGS)
    about = Documentation("TREC Blogs06", "Blog posts of December 2005 to February 2006.")
    registry.register(BLOGS, Dataset(docs, about))
    levels = [f"{label} {meaning}" for label, meaning in _BLOG_LEVELS.items()]
    for name, (qrels_file, topics_file) in _FILES.items():
        topics_source = download(f"{_NIST}/{topics_file}", home / Path(topics_file).name)
        qrels_source = download(f"{_NIST}/{qrels_file}", home / Path(qrels_file).name)
        # Latin-1 decodes any byte, including the invalid ones in topics.
        topics = TrecQueries(topics_source, namespace=BLOGS, lang="en", encoding="latin-1",
                             remove_tags=("</num>", "</title>", "</desc>", "</narr>"))
        qrels = GroupQrels(TrecQrels(qrels_source, _BLOG_LEVELS), _with_labels)
        about = Documentation(
            f"TREC Blog track {name.removeprefix('trec-blog-')}, opinion task",
            f"Relevance is the label of the assessors: {', '.join(levels)}.")
        registry.register(f"{BLOGS}/{name}", Dataset(docs, topics, qrels, about))
        text = ("Relevance is 0 or 1; the iteration field holds the opinion of a relevant post: "
                f"{', '.join(OPINIONS.values())}. Posts that were not judged are left out.")
        variant(registry, f"{BLOGS}/{name}", "opinion", _opinions, "with opinions", text,
                defs={0: "not relevant", 1: "relevant"}, metadata=UNCOUNTED)


_MISINFO = "clueweb12/b13/trec-misinfo-2019"
_EHEALTH = "clueweb12/b13/clef-ehealth"
#: The positions of the fields in a judgment, because ir_datasets 0.6.3 calls the credibility
#: ``redibility``.
_POSITIONS = {"effectiveness": 3, "credibility": 4}
#: The groups of each field by level; ``-`` for no group. The order is ascending.
_LEVELS = {
    "effectiveness": {-2: "-", -1: "-", 0: "-", 1: "ineffective", 2: "inconclusive",
                      3: "effective"},
    "credibility": {-2: "-", -1: "-", 0: "not-credible", 1: "credible"},
}
_TEXT = {
    "effectiveness": "The iteration field holds what the page says of the treatment: ineffective, "
                     "inconclusive or effective. Pages that say nothing of it, and pages that are "
                     "not relevant, have no group.",
    "credibility": "The iteration field holds the credibility of the page: not-credible or "
                   "credible. Pages that are not relevant have no group.",
}
_HIGHEST_TRUST = 100


def clueweb12(name: str) -> Any:
    """Return the effectiveness or the credibility of the judged pages, by topic, as groups."""
    from pt_fairness import groups
    _, _, field = name.rpartition("/")
    labels = [label for label in _LEVELS[field].values() if label != "-"]
    return groups.from_irds(name, "iteration", labels, name, order=labels)


def trustworthiness(name: str) -> Any:
    """Return the trustworthiness of the judged pages, by topic."""
    import pandas as pd

    from pt_fairness.values import from_frame
    rows = reading.judgments(ir_datasets.load(name).qrels_handler())
    frame = pd.DataFrame(rows, columns=["qid", "docno", "relevance", "value"])
    frame = frame.drop(columns="relevance").astype({"value": float})
    return from_frame(frame, name)


def _register_clueweb12(registry: Any) -> None:
    """Register the fields of the judgments as variants of the ids of ir_datasets."""
    for field, text in _TEXT.items():
        value_of = itemgetter(_POSITIONS[field])
        convert = partial(graded, field, value_of, _LEVELS[field])
        variant(registry, _MISINFO, field, convert, f"with {field}", text)
    variant(registry, _EHEALTH, "trustworthiness", _trusted, "with trustworthiness",
            "The iteration field holds the trustworthiness of the page, from 0 to 100. Where it "
            "was judged in 2016 and in 2017, the judgment of 2017 counts.", metadata=UNCOUNTED)


def _trusted(qrels: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    # ir_datasets reads 2016 before 2017.
    last = {(row.query_id, row.doc_id): row for row in rows}
    for row in last.values():
        if not 0 <= row.trustworthiness <= _HIGHEST_TRUST:
            raise reading.invalid(qrels, row, "the trustworthiness", row.trustworthiness,
                                  f"from 0 to {_HIGHEST_TRUST}")
        yield TrecQrel(row.query_id, row.doc_id, row.relevance, str(row.trustworthiness))


#: The languages by their names in the qrels, and the corpus of each.
LANGUAGES = {"zho": "zh", "fas": "fa", "rus": "ru"}
CORPORA = {language: f"{NAME}/1/{language}" for language in LANGUAGES.values()}


def neuclir(name: str) -> Any:
    """Return the languages of documents as groups."""
    from pt_fairness.collections.document_groups import Languages
    return Languages(name, CORPORA, home_path() / NAME / "1" / "languages.tsv")


def _register_neuclir(registry: Any) -> None:
    """Register ``neuclir/1/trec-2022/language`` and ``neuclir/1/trec-2023/language``."""
    files = DownloadConfig.context(NAME, home_path() / NAME)
    base = registry[f"{NAME}/1/multi"]
    edition = registry[f"{NAME}/1/multi/trec-2023"]
    qrels = TrecQrels(files["trec-2022/qrels"], QREL_DEFS)
    # The translations are those of the topics of 2023.
    topics = ExctractedCCQueries(files["trec-2022/queries"], filter_lwq=False,
                                 cls=ExctractedCCMultiMtQuery, namespace=NAME)
    topics_of_qrels = Lazy(lambda: {row.query_id for row in qrels.qrels_iter()})
    judged = FilteredQueries(topics, topics_of_qrels)
    to_groups = partial(graded, "language", attrgetter("iteration"), LANGUAGES)
    text = ("The judgments of all three languages. The iteration field holds the language of the "
            f"document: {', '.join(CORPORA)}.")
    for year, queries, judgments in (
            ("2022", judged, qrels),
            ("2023", edition.queries_handler(), edition.qrels_handler())):
        about = Documentation(f"NeuCLIR at TREC {year}, with languages", text)
        dataset = Dataset(base.docs_handler(), queries, GroupQrels(judgments, to_groups), about)
        registry.register(f"{NAME}/1/trec-{year}/language", dataset)


def register(registry: Any) -> None:
    """Register the dataset ids with ir_datasets."""
    _register_blogs(registry)
    _register_clueweb12(registry)
    _register_neuclir(registry)
