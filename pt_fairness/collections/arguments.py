"""Variants of ir_datasets ids with groups in their judgments, and those of arguments and opinions.

**Debates.** A small collection that is part of the package and works offline. It has ten
controversial questions with fifteen arguments each. An argument has a graded relevance, a stance
towards the question of its topic, and a viewpoint from −3 (strongly opposing) to +3 (strongly
supporting).

**Touché, Task 1.** Arguments of args.me with their stances and debate portals. The stance of an
argument is the stance of its premise towards its *own conclusion*, which need not be the claim of
the topic: a PRO argument for "gun control does not work" opposes the topic "Should guns be
controlled?". The same holds for the stances of BEIR's version. Correct them by topic with
:meth:`pt_fairness.groups.Groups.override`.

**Touché 2022, Task 1.** Pairs of sentences of args.me. A pair has the stances and portals of the
arguments that its sentences are from: two groups if they differ. Its quality and coherence are in
the judgments.

**TREC Blog.** The opinion of a blog post about the topic. ir_datasets lacks these tracks. This
module adds ``blogs06`` (the posts, licensed by the University of Glasgow),
``blogs06/trec-blog-2007`` and ``blogs06/trec-blog-2006-2008`` (with NIST's labels), and the
variants ``/opinion`` of the last two (with the opinion as group).

Importing this module imports ir_datasets, but not pandas.
"""

# Without "from __future__ import annotations": PyTerrier compares the types of documents' fields.
import gzip
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import (
    BaseQrels,
    JsonlDocs,
    JsonlQueries,
    ToucheComparativeStance,
    ToucheControversialStance,
    TrecQrel,
    TrecQrels,
    TrecQueries,
)
from ir_datasets.formats.argsme import ArgsMeSourceDomain, ArgsMeStance
from ir_datasets.util import (
    LocalDownload,
    MetadataComponent,
    MetadataProvider,
    home_path,
    sax_html_parser,
)

from pt_fairness.collections import download, make, register_datasets

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


def variant(registry: Any, base_id: str, suffix: str, convert: Convert | None = None,
            queries: Any = None, defs: dict[int, str] | None = None) -> None:
    """Register ``base_id/suffix``, a variant of ``base_id`` with groups in its judgments.

    :param convert: by default adds the groups of the name ``base_id/suffix``
    :param queries: the handler of the queries, if they differ from ``base_id``
    :param defs: the meaning of each relevance level, if it differs from ``base_id``
    """
    base = registry[base_id]
    name = f"{base_id}/{suffix}"
    convert = convert or partial(labelled, name)
    qrels = GroupQrels(base.qrels_handler(), convert, defs)
    dataset = Dataset(base.docs_handler(), queries or base.queries_handler(), qrels)

    def metadata() -> dict[str, Any]:
        # A document can have several rows, so the number of judgments is unknown.
        counts = base.metadata() | {"qrels": {}}
        return {name: counts if queries is None else counts | {"queries": {}}}
    component = MetadataComponent(name, dataset, MetadataProvider(metadata))
    registry.register(name, Dataset(component, dataset))


def graded(place: int, groups: Mapping[Any, str], rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the group of one of their fields.

    :param place: the index of the field in a judgment
    :param groups: the group of each value, ``-`` for none
    """
    for row in rows:
        group = groups[row[place]]
        yield TrecQrel(*row[:3], group)


def labelled(name: str, rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the groups of their documents, ``-`` for documents without a group.

    :param name: the name of the groups
    """
    import pandas as pd
    columns = list(TrecQrel._fields)
    judgments = [row[:3] for row in rows]
    frame = pd.DataFrame(judgments, columns=columns[:3])
    qrels = make("groups", name).to_qrels(frame)
    ordered = qrels[columns].astype(object)
    yield from map(TrecQrel._make, ordered.itertuples(index=False))


DEBATES = "pt-fairness/debates"
#: The fields that can be groups, and their labels.
_DEBATE_FIELDS: dict[str, tuple[Any, ...]] = {
    "stance": ("PRO", "CON"), "viewpoint": tuple(range(-3, 4))}
_DEBATE_FILES = Path(__file__).parent / "debates"
_DEBATE_LEVELS = {
    0: "not relevant", 1: "relevant: an argument on the question",
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


def debates(name: str) -> Any:
    """Return the stances or viewpoints of the arguments as groups."""
    from pt_fairness import groups
    _, _, field = name.rpartition("/")
    return groups.from_irds(DEBATES, field, _DEBATE_FIELDS[field], name)


def _register_debates(registry: Any) -> None:
    """Register ``pt-fairness/debates`` and its variants ``/stance`` and ``/viewpoint``."""
    docstore = home_path() / DEBATES / "docs.pklz4"
    docs = JsonlDocs(_debate_file("docs.jsonl"), doc_cls=DebateArgument, namespace=DEBATES,
                     lang="en", docstore_path=docstore)
    queries = JsonlQueries(_debate_file("queries.jsonl"), lang="en")
    qrels = TrecQrels(_debate_file("qrels.tsv"), _DEBATE_LEVELS)
    registry.register(DEBATES, Dataset(docs, queries, qrels))
    for field in _DEBATE_FIELDS:
        variant(registry, DEBATES, field)


def _debate_file(name: str) -> Any:
    return LocalDownload(_DEBATE_FILES / name, mkdir=False)


_UNANNOTATED = ToucheComparativeStance.NO
#: The stances in the qrels of Task 2.
_COMPARATIVE = tuple(stance.name for stance in ToucheComparativeStance if stance != _UNANNOTATED)
#: The stances of the tasks whose qrels hold them, by dataset id.
_JUDGED_STANCES = {
    "clueweb12/touche-2022-task-2": _COMPARATIVE,
    "clueweb12/touche-2022-task-2/expanded-doc-t5-query": _COMPARATIVE,
    "touche-image/2022-06-13/touche-2022-task-3": tuple(ToucheControversialStance.__members__),
}
#: The dataset ids with judgments for each corpus whose documents have a stance.
_TASKS = {
    "argsme/2020-04-01": (
        "argsme/2020-04-01/touche-2020-task-1", "argsme/2020-04-01/touche-2021-task-1",
        "argsme/2020-04-01/touche-2020-task-1/uncorrected"),
    "argsme/1.0": ("argsme/1.0/touche-2020-task-1/uncorrected",),
    "beir/webis-touche2020": ("beir/webis-touche2020",),
    "beir/webis-touche2020/v2": ("beir/webis-touche2020/v2",),
}
#: The corpus of sentences, and the task with judgments of pairs.
_SENTENCES = "argsme/2020-04-01/processed"
_PAIRS = f"{_SENTENCES}/touche-2022-task-1"
#: The levels of quality and of coherence, lowest first.
_PAIR_LEVELS = {level: str(level) for level in range(3)}


def premise_stance(argument: Any) -> Any:
    """Return the stance of the premise of an argument of args.me."""
    return argument.premises[0].stance if argument.premises else None


#: The field of an argument, or a function of it, and the labels.
FIELDS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "stance": (premise_stance, tuple(ArgsMeStance.__members__)),
    "portal": ("source_domain", tuple(ArgsMeSourceDomain.__members__)),
}


def touche(name: str) -> Any:
    """Return a field of the documents of a corpus, or of judgments, as groups."""
    from pt_fairness.groups import FromIrds
    dataset_id, _, field = name.rpartition("/")
    if dataset_id in _JUDGED_STANCES:
        return FromIrds(name, "iteration", _JUDGED_STANCES[dataset_id], name)
    if field not in FIELDS:
        return FromIrds(name, "iteration", _PAIR_LEVELS, name, order=_PAIR_LEVELS)
    if dataset_id == _PAIRS:
        from pt_fairness.collections.sources import SentencePairs
        arguments = touche(f"{_SENTENCES}/{field}")
        return SentencePairs(arguments, name)
    argument_field, labels = FIELDS[field]
    if dataset_id.startswith("argsme/"):
        field = argument_field
    return FromIrds(dataset_id, field, labels, name)


def _register_touche(registry: Any) -> None:
    """Register variants of the Touché ids of ir_datasets, such as ``…/stance``."""
    for corpus, tasks in _TASKS.items():
        for field in FIELDS if corpus.startswith("argsme/") else ["stance"]:
            convert = partial(labelled, f"{corpus}/{field}")
            for base_id in tasks:
                variant(registry, base_id, field, convert)
    for base_id in _JUDGED_STANCES:
        variant(registry, base_id, "stance", _judged)
    for field in FIELDS:
        variant(registry, _PAIRS, field)
    for place, field in enumerate(("quality", "coherence"), 3):
        variant(registry, _PAIRS, field, partial(graded, place, _PAIR_LEVELS))


def _judged(rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the highest relevance of each document over its stances.

    nDCG needs one relevance for each document. A relevant document keeps only the stances for which
    it is relevant.
    """
    document = attrgetter("query_id", "doc_id")
    ascending = sorted(rows, key=attrgetter("relevance"))
    highest = {document(row): row.relevance for row in ascending}
    for row in rows:
        judged = document(row)
        relevance = highest[judged]
        if row.relevance > 0 or relevance <= 0:
            stance = "-" if row.stance is _UNANNOTATED else row.stance.name
            yield TrecQrel(*judged, relevance, stance)


BLOGS = "blogs06"
#: The opinion of a relevant post, by NIST's label.
OPINIONS = {1: "none", 2: "negative", 3: "mixed", 4: "positive"}
_BLOG_LEVELS = {
    -1: "not judged", 0: "not relevant", 1: "relevant, without opinion",
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
        fields = [{"title", "body"}]
        text, = sax_html_parser(self.body, headers=self.http_headers, fields=fields)
        return str(text)


_START = re.compile(rb"(?=<DOC>\s*<DOCNO>)")
_POST = re.compile(rb"<DOC>\s*<DOCNO>\s*(?P<doc_id>\S+?)\s*</DOCNO>.*?"
                   rb"(?:<PERMALINK>\s*(?P<url>.*?)\s*</PERMALINK>.*?)?"
                   rb"<DOCHDR>\s*(?P<http_headers>.*?)\s*</DOCHDR>\s*(?P<body>.*)</DOC>", re.DOTALL)


def posts(path: Path) -> Iterator[BlogPost]:
    """Yield the posts of a permalinks file.

    :raises ValueError: if a post lacks its header or its end
    """
    with gzip.open(path, "rb") as file:
        content = file.read()
    for record in re.split(_START, content)[1:]:
        post = re.match(_POST, record)
        if post is None:
            raise ValueError(f"a post in {path} must have <DOCHDR>…</DOCHDR> and </DOC>, got "
                             f"{record[:100]!r}")
        doc_id, url, headers, body = post.groups(b"")
        yield BlogPost(doc_id.decode(), url.decode("latin-1"), headers.decode("latin-1"), body)


class BlogPosts(JsonlDocs):  # type: ignore[misc]
    """The posts of Blogs06, sorted by day. Only the format of the files differs from JSON lines."""

    def _iter(self) -> Iterator[BlogPost]:
        for path in sorted(Path(self.docs_path()).glob("*/permalinks-*.gz")):
            yield from posts(path)


def _opinions(rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield the judged posts with relevance 0 or 1 and their opinions."""
    for row in rows:
        if row.relevance >= 0:
            opinion = OPINIONS.get(row.relevance, "-")
            relevance = int(row.relevance > 0)
            yield row._replace(relevance=relevance, iteration=opinion)


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
    registry.register(BLOGS, Dataset(docs))
    for name, files in _FILES.items():
        qrels_source, topics_source = (
            download(f"{_NIST}/{file}", home / Path(file).name) for file in files)
        # Latin-1 decodes any byte, including the invalid ones in topics.
        topics = TrecQueries(topics_source, namespace=BLOGS, lang="en", encoding="latin-1",
                             remove_tags=("</num>", "</title>", "</desc>", "</narr>"))
        qrels = TrecQrels(qrels_source, _BLOG_LEVELS)
        dataset_id = f"{BLOGS}/{name}"
        registry.register(dataset_id, Dataset(docs, topics, qrels))
        variant(registry, dataset_id, "opinion", _opinions,
                defs={0: "not relevant", 1: "relevant"})


def register(registry: Any) -> None:
    """Register the dataset ids with ir_datasets."""
    _register_debates(registry)
    _register_touche(registry)
    _register_blogs(registry)


register_datasets()
