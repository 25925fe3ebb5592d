"""Groups that are read from files and corpora: Wikipedia's metadata, languages, arguments, gender.

**Wikipedia.** A metadata file of the TREC Fair Ranking tracks has a JSON object for each of up to
6.5 million articles. A source reads the file when its groups are first needed, and keeps the
weights of the labels in a table beside it.

**Gender in MS MARCO's passages.** Files of Rekabsaz et al. (2021) and Mousavian et al. (2025),
which ir_datasets downloads to its folder ``msmarco-passage/fair``.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
from ir_datasets.util import home_path
from scipy import sparse

from pt_fairness.collections import download
from pt_fairness.core.messages import UNANNOTATED, listed, warn
from pt_fairness.groups import Groups, Memberships
from pt_fairness.groups.memberships import Table
from pt_fairness.io.documents import WordCounts, documents
from pt_fairness.io.files import written_whole

_QUALITY = ("Stub", "Start", "C", "B", "GA", "FA")
_CONTINENTS = ("Africa", "Antarctica", "Asia", "Europe", "Latin America and the Caribbean",
               "Northern America", "Oceania")
#: The UN subregions, with Oceania as one, as in the evaluation code of the track.
_REGIONS = (
    "Antarctica", "Caribbean", "Central America", "Central Asia", "Eastern Africa", "Eastern Asia",
    "Eastern Europe", "Middle Africa", "Northern Africa", "Northern America", "Northern Europe",
    "Oceania", "South America", "South-eastern Asia", "Southern Africa", "Southern Asia",
    "Southern Europe", "Western Africa", "Western Asia", "Western Europe")
_OCEANIA = dict.fromkeys(("Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia"),
                         "Oceania")
_GENDERS = ("Man", "Non-binary", "Woman")
#: The genders of the evaluation code of the track, by the text in the metadata.
_SEXES = {"male": "Man", "female": "Woman", "transgender male": "Man",
          "transgender female": "Woman", "cisgender male": "Man", "cisgender female": "Woman"}
_OCCUPATIONS = (
    "activist", "agricultural worker", "artist", "athlete", "biologist", "businessperson",
    "chemist", "civil servant", "clergyperson", "computer scientist", "designer", "earth scientist",
    "educator", "engineer", "health professional", "humanities scholar", "information professional",
    "journalist", "jurist", "linguist", "mathematician", "media professional", "military personnel",
    "musician", "performing artist", "physicist", "politician", "scientist", "social scientist",
    "sportsperson (non-athlete)", "transportation occupation", "writer")


class Field(NamedTuple):
    """A field of the metadata that holds groups: a label, a list of labels or counts by label."""

    key: str
    #: The label set, ascending if it has an order.
    labels: tuple[str, ...]
    ordered: bool = False
    #: Labels in the file that are replaced, and their replacements.
    merged: Mapping[str, str] = {}
    #: Whether the weight of a label in a document is its count, or how many labels it replaces.
    weighted: bool = False
    #: The label in the file that stands for unknown groups and is counted; ``''`` for none.
    unknown: str = ""
    #: The label of all other values in the file; ``''`` for no label.
    default: str = ""


_PAGE_REGIONS = Field("page_subcont_regions", _REGIONS, merged=_OCEANIA)
_SOURCE_REGIONS = Field("source_subcont_regions", _REGIONS, merged=_OCEANIA, weighted=True)
_YEARS = ("Pre-1900s", "20th century", "21st century")
_POPULARITY = ("Low", "Medium-Low", "Medium-High", "High")
_AGES = ("2001-2006", "2007-2011", "2012-2016", "2017-2022")
_LETTERS = ("a-d", "e-k", "l-r", "s-")
_LANGUAGES = ("English only", "2-4 languages", "5+ languages")
#: The fields of 2022, by the end of the names of the sources.
_FIELDS = {
    "gender": Field("gender_category", _GENDERS),
    "regions": _PAGE_REGIONS,
    "source-regions": _SOURCE_REGIONS,
    "occupations": Field("occupations", _OCCUPATIONS),
    "years": Field("years_category", _YEARS, True),
    "quality": Field("qual_cat", _QUALITY, True),
}
_FIELDS |= {
    "popularity": Field("relative_pageviews_category", _POPULARITY, True),
    "age": Field("creation_date_category", _AGES, True),
    "alphabet": Field("first_letter_category", _LETTERS, True),
    "languages": Field("num_sitelinks_category", _LANGUAGES, True),
}
#: As the evaluation code of the track reads them.
_FIELDS |= {
    "gender/official": Field("gender", _GENDERS, merged=_SEXES, default="Non-binary"),
    "regions/official": _PAGE_REGIONS._replace(weighted=True),
    "source-regions/official": _SOURCE_REGIONS._replace(unknown="UNK"),
}
#: All fields.
FIELDS = {f"trec-fair/2022/train/{name}": field for name, field in _FIELDS.items()}
FIELDS["trec-fair/2021/eval/locations"] = Field("geographic_locations", _CONTINENTS)
FIELDS["trec-fair/2021/eval/quality"] = Field("quality_score_disc", _QUALITY, True)
#: The attribute of ir_datasets' document handler that holds the metadata file.
_METADATA = {"trec-fair/2021/eval": "_mlc", "trec-fair/2022/train": "_metadata_dlc"}
#: The labels of unknown groups in the metadata.
_UNKNOWN = {*UNANNOTATED, "UNK", "Unknown", None}


class FromMetadata(Groups):
    """Groups from a field of a metadata file.

    Labels outside the label set count as unannotated, with a warning.

    :param name: the name of the groups
    """

    complete = True

    def __init__(self, name: str) -> None:
        self._field = field = FIELDS[name]
        order = field.labels if field.ordered else None
        super().__init__(name, field.labels, order)
        self.weighted = field.weighted
        self._warned = False

    def _content(self) -> Any:
        return self.name, self._field

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        pages, weights = self._weights
        document, texts = pd.factorize(np.asarray(docnos, object))
        numbers = pd.to_numeric(texts, errors="coerce")
        place = pages[:-1].searchsorted(numbers)
        # An id has only one form: "12", and not "012" or "12.0".
        nearest = pages[place]
        is_known = nearest.astype(str) == texts
        lacking = texts[~is_known]
        if len(lacking) and not self._warned:
            self._warned = True
            warn(f"{self.name}: {len(lacking)} of {len(texts)} documents are not in the metadata "
                 f"(the first: {lacking[0]!r}) and count as unannotated")
        item = np.flatnonzero(is_known[document])
        page = place[document[item]]
        rows = weights[page]
        cells = rows[:, :-1].tocoo()
        unknown = np.full(len(docnos), np.nan)
        counted = rows[:, [-1]].toarray()
        unknown[item] = counted.ravel()
        weight = cells.data.astype(float) if self.weighted else None
        row = item[cells.row]
        codes = cells.col.astype(np.int64)
        return Memberships(row, codes, list(self._field.labels), weight, unknown)

    @cached_property
    def _weights(self) -> tuple[Any, Any]:
        """The sorted document ids, and the weight of each label and of unknown groups for each.

        The weights are sparse, ``[documents, labels + 1]``.
        """
        dataset_id = "/".join(self.name.split("/")[:3])
        handler = ir_datasets.load(dataset_id).docs_handler()
        source = getattr(handler, _METADATA[dataset_id])
        # Parsing takes minutes.
        table = f"{source.path(force=False)}.{self.digest()}.npz"
        if os.path.exists(table):
            pages, *parts = np.load(table).values()
            shape = len(pages), len(self._field.labels) + 1
            return pages, sparse.csr_matrix(tuple(parts), shape)
        pages, weights = self._read(source)
        with suppress(OSError), written_whole(table) as file:  # the folder may be read-only
            np.savez_compressed(file, pages, weights.data, weights.indices, weights.indptr)
        return pages, weights

    def _read(self, source: Any) -> tuple[Any, Any]:
        """Read the ids and the weights from the metadata file."""
        key, labels, _, merged, _, counted, default = self._field
        codes: Any = dict.fromkeys(_UNKNOWN)
        codes.update(zip(labels, range(len(labels)), strict=True))
        if counted:
            codes[counted] = len(labels)
        for label, replacement in merged.items():
            codes[label] = codes[replacement]
        rest = codes.get(default)
        pages = array("q")
        row = array("i")
        column = array("B")
        weight = array("i")
        others: dict[str, bool] = {}
        log = ir_datasets.log.easy()
        with source.stream() as lines:
            for line in log.pbar(lines, desc=f"metadata ({self.name})", unit="doc", quiet=True):
                record = json.loads(line)
                value = record.get(key) or ()
                for label in [value] if isinstance(value, str) else value:
                    code = codes.get(label, rest)
                    if code is not None:
                        row.append(len(pages))
                        column.append(code)
                        weight.append(value[label] if isinstance(value, dict) else 1)
                    elif label not in codes:
                        others[label] = True
                pages.append(record["page_id"])
        if others:
            warn(f"{self.name}: the metadata have labels other than {listed(labels)}, which count "
                 f"as unannotated: {listed(others)}")
        shape = len(pages), len(labels) + 1
        weights = sparse.coo_matrix((weight, (row, column)), shape).tocsr()
        # The evaluation code of the track takes the first line of each document.
        distinct, first = np.unique(pages, return_index=True)
        weights = weights[first]
        weights.eliminate_zeros()
        return distinct, weights


class Languages(Groups):
    """The languages of documents.

    A document that was judged for any topic has the language in the judgments. Others are looked up
    in the corpora that ir_datasets has; no corpus is downloaded for this.

    :param name: the dataset id with the judgments, which is also the name of the groups
    :param corpora: the dataset id of the corpus of each language
    """

    complete = judged = True

    def __init__(self, name: str, corpora: Mapping[str, str]) -> None:
        super().__init__(name, corpora)
        self._corpora = corpora
        self._warned = False

    def _content(self) -> Any:
        return self.name, self.labels

    @cached_property
    def _languages(self) -> dict[str, str]:
        """The languages of the documents that were judged or looked up, by docno."""
        judgments = ir_datasets.load(self.name).qrels_iter()
        return {row.doc_id: row.iteration for row in judgments}

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        asked = pd.unique(np.asarray(docnos, object))
        languages = self._languages
        lacking = [docno for docno in asked if docno not in languages]
        for language, corpus in self._corpora.items():
            handler = ir_datasets.load(corpus).docs_handler()
            if lacking and os.path.exists(handler.docs_path(force=False)):
                for document in documents(corpus, lacking):
                    languages[document.doc_id] = language
                lacking = [docno for docno in lacking if docno not in languages]
        if lacking and not self._warned:
            self._warned = True
            corpora = ", ".join(self._corpora.values())
            warn(f"{self.name}: {len(lacking)} of {len(asked)} documents count as unannotated (the "
                 f"first: {lacking[0]!r}): they were neither judged nor found in the "
                 f"downloaded ones of {corpora}")
        group = list(map(languages.get, asked))
        frame = pd.DataFrame({"docno": asked, "group": group}, dtype=object)
        return Table.read(frame).find(qids, docnos)


class SentencePairs(Groups):
    """The groups of pairs of sentences: the groups of the arguments that the sentences are from.

    A docno is two docnos of sentences, separated by a comma. The docno of a sentence begins with
    its argument: ``a__PREMISE__41`` is a sentence of ``a``.

    :param arguments: the groups of arguments
    :param name: the name of the groups
    """

    complete = True

    def __init__(self, arguments: Groups, name: str) -> None:
        super().__init__(name, arguments.labels)
        self._arguments = arguments

    def _content(self) -> Any:
        return self._arguments.digest()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        pairs = pd.unique(np.asarray(docnos, object))
        texts = pd.Series(pairs).astype(str)
        sentences = texts.str.split(",").explode()
        arguments = sentences.str.split("__", n=1).str[0]
        no_topics = np.full(len(arguments), "")
        groups = self._arguments.annotate(no_topics, arguments.to_numpy(object))
        pair = sentences.index[groups.item]
        labels = np.asarray(groups.labels, object)
        frame = pd.DataFrame({"docno": pairs[pair], "group": labels[groups.codes]})
        return Table.read(frame).find(qids, docnos)


_CORPUS = "msmarco-passage"
#: The groups, by the letters in the list of words.
GENDERS = {"f": "female", "m": "male"}
#: The groups of Mousavian et al. (2025), by the letters in their file.
BIASES = {"F": "female", "M": "male", "N": "neutral"}
_GITHUB = "https://raw.githubusercontent.com/"
_REKABSAZ = "CPJKU/FairnessRetrievalResults/81693da5305d67307673574252a4d963510a3632"
_MOUSAVIAN = "MaryamMousavian/MSMGenderBias/ba5ead1f690b73a1a3d1cab499ba9131686600c8"
#: The files on GitHub and their MD5 hashes, by their names in the folder ``fair``.
FILES = {
    "dev.tsv": (f"{_REKABSAZ}/dataset/msmarco_passage.dev.fair.tsv",
                "b8cae40fd38a3e3fe480f8750814359e"),
    "trec-dl-2019.tsv": (f"{_REKABSAZ}/dataset/trecdeep19_passage.fair.tsv",
                         "c07d58e13f9a4904cb33e41da604f965"),
    "words.csv": (f"{_REKABSAZ}/resources/wordlist_gender_representative.txt",
                  "86de399a64f9afd8f85983512e6b82e4"),
    "biases.csv": (f"{_MOUSAVIAN}/MSMGenderBias.csv", "56d17b2736cfc54fee935820e61c38ad"),
}


def read(file: str, **options: Any) -> pd.DataFrame:
    """Return the table of a file, which is downloaded if it is missing.

    :param file: its name in the folder ``fair``
    :param options: arguments of ``pandas.read_csv``
    """
    address, md5 = FILES[file]
    path = home_path() / _CORPUS / "fair" / file
    with download(f"{_GITHUB}{address}", path, md5).stream() as stream:
        return pd.read_csv(stream, dtype=str, keep_default_na=False, **options)


def words() -> dict[str, list[str]]:
    """Return the words of each gender."""
    table = read("words.csv", names=["word", "letter"], skipinitialspace=True)
    genders = table["letter"].map(GENDERS)
    lists: Any = table.groupby(genders)["word"].agg(list)
    return lists.to_dict()


def counts() -> WordCounts:
    """Return the counts of the words of each gender in passages."""
    return WordCounts(_CORPUS, words, groups=list(GENDERS.values()))


class Biases(Groups):
    """The genders that passages are biased towards, as annotated by Mousavian et al. (2025)."""

    complete = True
    blockwise = True

    def __init__(self, name: str) -> None:
        super().__init__(name, BIASES.values())

    def _content(self) -> Any:
        return FILES["biases.csv"]

    @cached_property
    def _table(self) -> Table:
        table = read("biases.csv").set_axis(["docno", "group"], axis=1)
        table["group"] = table["group"].map(BIASES)
        return Table.read(table)

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        return self._table.find(qids, docnos)
