"""Groups of documents that are read from metadata, word lists, judgments or corpora.

Groups in a metadata file with a JSON object for each of millions of documents.

The file is read once, for all of its fields, into a compressed table beside it, which takes about
eight bytes for a document. A field is loaded when its groups are first needed.

Gender in MS MARCO's passages: files of Rekabsaz et al. (2021) and Mousavian et al. (2025).

The files are downloaded once, to the folder ``fair`` of ir_datasets' MS MARCO. Importing this
module imports pandas, but not ir_datasets: it is imported in workers that unpickle the counts.

The languages of documents, from the judgments and from the corpora that exist.

Groups of pairs of sentences: those of the arguments that the sentences are from.
"""

from __future__ import annotations

import json
from array import array
from collections import ChainMap, Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property, partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
from ir_datasets.util import home_path
from scipy import sparse

from pt_fairness.collections.variants import completed, download, read_rows, stored
from pt_fairness.core.messages import UNANNOTATED, listed, warn
from pt_fairness.groups import FromIrds, Groups, Memberships
from pt_fairness.groups.memberships import Table
from pt_fairness.io import irds as reading
from pt_fairness.io.word_counts import WordCounts

#: The texts for "no group" in the metadata of TREC Fair.
_UNKNOWN = {*UNANNOTATED, "UNK", "Unknown", None}
#: The content of a table by name: ``docno`` (sorted), and five arrays for each field.
_Arrays = dict[str, Any]
#: The document ids of a table, shared by its fields.
_docnos: dict[Path, Any] = {}


class Field(NamedTuple):
    """A field of the metadata that holds groups: a label, a list of labels or counts by label."""

    key: str
    #: The label set, ascending if it has an order.
    labels: tuple[str, ...]
    ordered: bool = False
    #: Whether the field holds counts by label.
    counts: bool = False
    #: Labels in the file that are replaced, and their replacements.
    merged: Mapping[str, str] = {}
    #: Whether documents have weights: their counts, or how many of their labels have the same
    #: replacement.
    weighted: bool = False
    #: The label in the file that stands for unknown groups and is counted; ``''`` for none.
    unknown: str = ""
    #: The label of all other values in the file; ``''`` for no label.
    default: str = ""
    #: Whether the field is read as the track reads it.
    official: bool = False


class FromMetadata(Groups):
    """Groups from a field of a metadata file.

    Labels outside the label set are no group, with a warning.

    :param name: the name of the groups
    :param field: the field
    :param fields: all fields that the table of this file has
    :param dataset_id: the corpus
    :param attribute: the attribute of ir_datasets' document handler that holds the metadata file
    """

    complete = True

    def __init__(self, name: str, field: Field, fields: Iterable[Field], dataset_id: str,
                 attribute: str) -> None:
        super().__init__(name, field.labels, field.labels if field.ordered else None)
        self.weighted = field.weighted
        self._field = field
        self._fields = tuple(fields)
        self._dataset_id = dataset_id
        self._attribute = attribute
        self._warned = False

    def _content(self) -> Any:
        return self.name, tuple(self._field)

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        pages, weights = self._loaded
        docnos = np.asarray(docnos, object)
        document, texts = pd.factorize(docnos)
        numbers = pd.to_numeric(texts, errors="coerce")
        place = pages[:-1].searchsorted(numbers)
        # An id has only one form: "12", and not "012" or "12.0".
        nearest = pages[place]
        listed_page = nearest.astype(str) == texts
        lacking = texts[~listed_page]
        if len(lacking) and not self._warned:
            self._warned = True
            warn(f"{self.name}: {len(lacking)} of {len(texts)} documents are not in the metadata "
                 f"(the first: {lacking[0]!r}) and count as unannotated")
        item = np.flatnonzero(listed_page[document])
        page = place[document[item]]
        rows = weights[page]
        cells = rows[:, :-1].tocoo()
        unknown = np.full(len(docnos), np.nan)
        last = rows[:, [-1]].toarray()
        unknown[item] = last.ravel()
        weight = None
        if self.weighted:
            weight = cells.data.astype(float)
        annotated = item[cells.row]
        label = cells.col.astype(np.int64)
        return Memberships(annotated, label, list(self._field.labels), weight, unknown)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The sorted document ids, and the weight of each label and of unknown groups for each.

        They are loaded from the table, which is made if necessary. The weights are sparse,
        ``[documents, labels + 1]``.
        """
        documents = ir_datasets.load(self._dataset_id).docs_handler()
        source = getattr(documents, self._attribute)
        path = Path(source.path(force=False))
        load = partial(_load, field=self._field)
        read = partial(_read, source, path, self._fields)
        table = Path(f"{path}.groups.npz")
        arrays = stored(table, path, load, read, _save)
        docno = _docnos.get(path)
        if docno is None or not np.array_equal(docno, arrays["docno"]):
            docno = _docnos[path] = arrays["docno"]
        _, *parts, unexpected = [arrays[name] for name in _names(self._field)]
        if len(unexpected):
            warn(f"{self.name}: {path} has labels that are none of "
                 f"{listed(self._field.labels)}, and count as unannotated: "
                 f"{listed(map(str, unexpected))}")
        return docno, _matrix(self._field, *parts)


def _names(field: Field) -> list[str]:
    """Return the names of the arrays of a field.

    They are its labels, the weights, labels and row lengths of its sparse matrix, and labels in the
    file that are not in its label set.
    """
    column = field.key + ".official" * field.official
    return [f"{column}.{part}" for part in ("labels", "weight", "label", "count", "other")]


def _matrix(field: Field, weight: Any, label: Any, count: Any) -> Any:
    """Return the weight of each label, and of unknown groups, for each document.

    :returns: a sparse matrix, ``[documents, labels + 1]``
    """
    rows = len(count)
    start = np.zeros(rows + 1, np.int32)
    np.cumsum(count, dtype=np.int32, out=start[1:])
    columns = len(field.labels) + 1
    return sparse.csr_matrix((weight, label, start), (rows, columns))


class _Column:
    """The values of a field, of all documents."""

    def __init__(self, field: Field) -> None:
        self.field = field
        #: The code of each label; ``None`` for the texts for "no group".
        self._codes: dict[Any, int | None] = dict.fromkeys(_UNKNOWN)
        for code, label in enumerate(field.labels):
            self._codes[label] = code
        for label, replacement in field.merged.items():
            self._codes[label] = self._codes[replacement]
        self._default = self._codes.get(field.default)
        if field.unknown:
            self._codes[field.unknown] = len(field.labels)
        self.count = array("B")
        self.label = array("B")
        self.weight = array("I" if field.weighted else "B")
        self.unexpected: Counter[str] = Counter()

    def add(self, value: Any) -> None:
        """Add the value of the next document."""
        weights: dict[int, int] = {}
        for label in (value,) if isinstance(value, str) else value or ():
            code = self._codes.get(label, self._default)
            if code is not None:
                weights[code] = weights.get(code, 0) + (value[label] if self.field.counts else 1)
            elif label not in self._codes:
                self.unexpected[str(label)] += 1
        self.label.extend(weights)
        self.weight.extend(weights.values())
        self.count.append(len(weights))

    def arrays(self, rows: Any) -> _Arrays:
        """Return the arrays of the documents ``rows``, in this order."""
        weight = np.asarray(self.weight)
        label = np.asarray(self.label)
        cells = _matrix(self.field, weight, label, self.count)[rows]
        cells.eliminate_zeros()
        labels = np.array(self.field.labels)
        codes = cells.indices.astype(np.uint8)
        count = np.diff(cells.indptr)
        unexpected = [label for label, _ in self.unexpected.most_common(10)]
        parts = labels, cells.data, codes, count.astype(np.uint8), np.array(unexpected, str)
        names = _names(self.field)
        return dict(zip(names, parts, strict=True))


def _read(source: Any, path: Path, fields: Iterable[Field]) -> _Arrays:
    """Read a metadata file.

    :raises ValueError: the file is damaged, or lacks a field
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    columns = [_Column(field) for field in fields]
    docno = array("q")
    log = ir_datasets.log.easy()
    lines = log.pbar(reading.lines(source), desc=f"reading {path.name}", unit="doc", quiet=True)
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            docno.append(record["page_id"])
            for column in columns:
                column.add(record.get(column.field.key))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise reading.damaged(path, f"line {number}: {type(error).__name__}: "
                                        f"{error}") from error
    for column in columns:
        if not column.label:
            raise reading.damaged(path, f"no document has a known value of {column.field.key!r}")
    # The evaluation code of the track takes the first line of each document.
    pages, rows = np.unique(docno, return_index=True)
    arrays = {"docno": pages}
    for column in columns:
        arrays |= column.arrays(rows)
    return arrays


def _save(arrays: _Arrays, file: IO[bytes]) -> None:
    np.savez_compressed(file, **arrays)


def _load(path: Path, field: Field) -> _Arrays:
    """Load one field of a table.

    :raises ValueError: the table is invalid
    :raises KeyError: the table lacks the field
    """
    names = "docno", *_names(field)
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as table:
        arrays = {name: table[name] for name in names}
    docno, labels, _, _, count, _ = arrays.values()
    if labels.tolist() != list(field.labels) or len(count) != len(docno):
        raise ValueError(f"{path} was written by another version")
    return arrays


_CORPUS = "msmarco-passage"
#: The groups, by the letters in the list of words.
GENDERS = {"f": "female", "m": "male"}
#: The groups of Mousavian et al. (2025), by the letters in their file.
BIASES = {"F": "female", "M": "male", "N": "neutral"}
_GITHUB = "https://raw.githubusercontent.com/"
_REKABSAZ = "CPJKU/FairnessRetrievalResults/81693da5305d67307673574252a4d963510a3632"
_MOUSAVIAN = "MaryamMousavian/MSMGenderBias/ba5ead1f690b73a1a3d1cab499ba9131686600c8"
#: The files on GitHub and their MD5 hashes, by their names in the folder ``fair``.
_FILES = {
    "dev.tsv": (f"{_REKABSAZ}/dataset/msmarco_passage.dev.fair.tsv",
                "b8cae40fd38a3e3fe480f8750814359e"),
    "trec-dl-2019.tsv": (f"{_REKABSAZ}/dataset/trecdeep19_passage.fair.tsv",
                         "c07d58e13f9a4904cb33e41da604f965"),
    "words.csv": (f"{_REKABSAZ}/resources/wordlist_gender_representative.txt",
                  "86de399a64f9afd8f85983512e6b82e4"),
    "biases.csv": (f"{_MOUSAVIAN}/MSMGenderBias.csv", "56d17b2736cfc54fee935820e61c38ad"),
}


def _path(file: str) -> Path:
    return home_path() / _CORPUS / "fair" / file


def rows(file: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield the two columns of a file, which is downloaded if it is missing.

    :param file: its name in the folder ``fair``
    :raises ValueError: a line has no separator, or the file is empty
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    address, md5 = _FILES[file]
    path = _path(file)
    source = download(f"{_GITHUB}{address}", path, md5)
    # Two downloads of ir_datasets at once would write to the same temporary file.
    with reading.lock(Path(f"{path}.lock")):
        lines = reading.text(source).splitlines()
    if not lines:
        raise _damaged(file, "it is empty")
    for number, line in enumerate(lines, start=1):
        first, mark, second = line.partition(separator)
        if not mark:
            raise _damaged(file, f"line {number} has one column: {line[:100]!r}")
        yield first.strip(), second.strip()


def _damaged(file: str, reason: str) -> ValueError:
    return ValueError(f"{_path(file)} is damaged: {reason}. Delete it: it is downloaded again")


def words() -> dict[str, list[str]]:
    """Return the words of each gender.

    :raises ValueError: the file is damaged
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    by_letter: dict[str, list[str]] = {letter: [] for letter in GENDERS}
    for word, letter in [*rows("words.csv", ",")]:
        if letter not in by_letter:
            raise _damaged("words.csv", f"{letter!r} is none of the groups {', '.join(GENDERS)}")
        by_letter[letter].append(word)
    return dict(zip(GENDERS.values(), by_letter.values(), strict=True))


class PassageCounts(WordCounts):
    """Counts of the words of each gender in passages, cached in a table."""

    def __init__(self) -> None:
        genders = list(GENDERS.values())
        super().__init__(_CORPUS, words, groups=genders)

    def read(self, docnos: pd.Index, name: str) -> pd.DataFrame:
        """Return the counts of passages from the table; read those that it lacks, and add them."""
        table = _path("gender.tsv")
        docstore = table.parents[1] / "collection.tsv.pklz4" / "bin"
        read_table = partial(read_rows, table, docstore, self.groups, kind=np.int32)
        count = partial(super().read, name=name)
        rows = completed(table, read_table, docnos, count)
        return rows.reindex(docnos)


class Biases(Groups):
    """The genders that passages are biased towards, as annotated by Mousavian et al. (2025)."""

    complete = True
    in_parts = True

    def __init__(self, name: str) -> None:
        super().__init__(name, BIASES.values())

    def _content(self) -> Any:
        return _FILES["biases.csv"]

    @cached_property
    def _table(self) -> Table:
        letters = dict(rows("biases.csv", ","))
        if letters.pop("doc_id", None) != "gender_bias" or not {*letters.values()} <= {*BIASES}:
            raise _damaged("biases.csv", "it has no columns doc_id and gender_bias, which is one "
                           f"of {', '.join(BIASES)}")
        frame = pd.DataFrame(letters.items(), columns=["docno", "group"])
        return Table.of_frame(frame.replace({"group": BIASES}))

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        return self._table.find(qids, docnos)


@cache
def counts() -> PassageCounts:
    """Return the counts, which all groups and values of a process share."""
    return PassageCounts()


class Languages(Groups):
    """The languages of documents.

    A document that was judged for any topic has the language in the judgments. Others are looked up
    in the corpora that ir_datasets has; no corpus is downloaded for this. The languages found are
    cached in a table in the folder of the corpora.

    :param name: the dataset id with the judgments, which is also the name of the groups
    :param corpora: the dataset id of the corpus of each language
    :param table: the path of the cached table, relative to the home folder of ir_datasets
    """

    complete = judged = True

    def __init__(self, name: str, corpora: Mapping[str, str], table: str) -> None:
        super().__init__(name, corpora)
        self._corpora = corpora
        self._table = table
        self._languages: dict[Any, str] = {}
        self._warned = False

    def _content(self) -> Any:
        return self.name, self.labels

    @cached_property
    def _judged(self) -> dict[str, str]:
        """The language of each judged document, by docno."""
        dataset = ir_datasets.load(self.name)
        judgments = reading.judgments(dataset.qrels_handler())
        return {row.doc_id: row.iteration for row in judgments}

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        docnos = np.asarray(docnos, object)
        documents = pd.unique(docnos)
        languages = ChainMap(self._judged, self._languages)
        lacking = [docno for docno in documents if docno not in languages]
        if lacking:
            self._look_up(lacking)
            lacking = [docno for docno in lacking if docno not in languages]
        if lacking and not self._warned:
            self._warned = True
            warn(f"{self.name}: {len(lacking)} of {len(documents)} documents have no group and "
                 f"count as unannotated (the first: {lacking[0]!r}): they were not judged, and "
                 "they are in none of these corpora, or in one that ir_datasets has not "
                 f"downloaded: {', '.join(self._corpora.values())}")
        group = list(map(languages.get, documents))
        frame = pd.DataFrame({"docno": documents, "group": group}, dtype=object)
        return Table.of_frame(frame).find(qids, docnos)

    def _look_up(self, docnos: Collection[str]) -> None:
        """Find the languages of documents in the cached table and the corpora that exist."""
        path = home_path() / self._table
        # The corpora do not change, so that the table is never outdated.
        read_table = partial(read_rows, path, path, ["group"], self._corpora)
        index = pd.Index(docnos)
        table = completed(path, read_table, index, self._read)
        self._languages |= table["group"].to_dict()

    def _read(self, docnos: pd.Index) -> pd.DataFrame:
        """Return the languages of documents in the corpora that exist."""
        languages = {}
        for language, corpus in self._corpora.items():
            unread = [docno for docno in docnos if docno not in languages]
            if unread and _exists(corpus):
                for document in reading.documents(corpus, unread):
                    languages[document.doc_id] = language
        return pd.DataFrame({"group": languages}, dtype=object)


def _exists(corpus: str) -> bool:
    """Return whether ir_datasets has a corpus or its docstore."""
    handler = ir_datasets.load(corpus).docs_handler()
    docs = handler.docs_path(force=False)
    return Path(f"{docs}.pklz4", "bin").exists() or reading.downloaded(handler)


#: The separators of the two sentences of a pair, and of argument and sentence in a docno.
SENTENCES, REST = ",", "__"


class SentencePairs(Groups):
    """The groups of pairs of sentences.

    :param arguments: the groups of arguments
    :param name: the name of the groups
    """

    complete = True

    def __init__(self, arguments: FromIrds, name: str) -> None:
        super().__init__(name, arguments.labels)
        self.arguments = arguments

    def _content(self) -> Any:
        return self.arguments.digest()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        docnos = np.asarray(docnos, object)
        pairs = pd.unique(docnos)
        texts = pd.Series(pairs).astype(str)
        sentences = texts.str.split(SENTENCES).explode()
        arguments = sentences.str.split(REST, n=1).str[0].to_numpy(object)
        groups = self.arguments.annotate(np.full(len(arguments), ""), arguments)
        pair = sentences.index[groups.item]
        labels = np.asarray(groups.labels, object)
        frame = pd.DataFrame({"docno": pairs[pair], "group": labels[groups.codes]})
        return Table.of_frame(frame).find(qids, docnos)
