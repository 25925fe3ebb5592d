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
from typing import Any, NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
from scipy import sparse

from pt_fairness.collections.variants import read_rows, stored, write_rows
from pt_fairness.core import fingerprint
from pt_fairness.core.labels import UNANNOTATED
from pt_fairness.core.messages import listed, warn
from pt_fairness.groups import FromIrds, Groups, Memberships
from pt_fairness.groups.memberships import Table
from pt_fairness.io import irds as reading
from pt_fairness.io.word_counts import WordCounts

#: The texts for "no group" in the metadata of TREC Fair.
_UNKNOWN = {*UNANNOTATED, "UNK", "Unknown", None}
#: The arrays of a field that hold its sparse matrix.
_PARTS = ("weight", "label", "count")
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
    other: str = ""
    #: Whether the field is read as the track reads it.
    official: bool = False

    @property
    def column(self) -> str:
        """The name of the field in the table."""
        return self.key + ".official" * self.official


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
        self._field, self._fields = field, tuple(fields)
        self._dataset_id, self._attribute = dataset_id, attribute
        self._warned = False

    def _content(self) -> Any:
        return self.name, tuple(self._field)

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        known_docnos, weights = self._loaded
        document, texts = pd.factorize(np.asarray(docnos, dtype=object))
        wanted = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce")
        place = np.minimum(np.searchsorted(known_docnos, wanted), len(known_docnos) - 1)
        # An id has only one form: "12", and not "012" or "12.0".
        known = known_docnos[place].astype(str) == texts
        if not (self._warned or known.all()):
            self._warned = True
            lacking = texts[~known]
            warn(f"{self.name}: {len(lacking)} of {len(known)} documents are not in the metadata "
                 f"(the first: {lacking[0]!r}) and count as unannotated")
        rows = weights[place[document]]
        found = rows[:, :-1].tocoo()
        kept = known[document][found.row]
        return Memberships(found.row[kept].astype(np.intp), found.col[kept].astype(np.int64),
                         list(self._field.labels),
                         found.data[kept].astype(float) if self.weighted else None,
                         np.where(known[document], rows[:, [-1]].toarray()[:, 0], np.nan))

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The sorted document ids, and the weight of each label and of unknown groups for each.

        They are loaded from the table, which is made if necessary. The weights are sparse,
        ``[documents, labels + 1]``.
        """
        source = getattr(ir_datasets.load(self._dataset_id).docs_handler(), self._attribute)
        path = Path(source.path(force=False))
        key = self._field.column
        arrays = stored(
            Path(f"{path}.groups.npz"), path, partial(_load, field=self._field),
            partial(_read, source, path, self._fields),
            lambda made, file: np.savez_compressed(file, **made))
        docno = _docnos.get(path)
        if docno is None or not np.array_equal(docno, arrays["docno"]):
            docno = _docnos[path] = arrays["docno"]
        others = arrays[f"{key}.other"]
        if len(others):
            warn(f"{self.name}: {path} has labels that are none of "
                 f"{listed(self._field.labels)}, and count as unannotated: "
                 f"{listed(map(str, others))}")
        return docno, _matrix(self._field, *(arrays[f"{key}.{part}"] for part in _PARTS))


def _matrix(field: Field, weight: Any, label: Any, count: Any) -> Any:
    """Return the weight of each label, and of unknown groups, for each document, sparse,
    ``[documents, labels + 1]``.
    """
    start = np.concatenate([[0], np.cumsum(count, dtype=np.int32)])
    return sparse.csr_matrix((weight, label, start), shape=(len(count), len(field.labels) + 1))


class _Column:
    """The values of a field, of all documents."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self._code = {label: code for code, label in enumerate(field.labels)}
        self._code |= {label: self._code[new] for label, new in field.merged.items()}
        self._other = self._code.get(field.other)
        if field.unknown:
            self._code[field.unknown] = len(field.labels)
        self.count, self.label = array("B"), array("B")
        self.weight = array("I" if field.weighted else "B")
        self.other: Counter[str] = Counter()

    def add(self, value: Any) -> None:
        """Add the value of the next document."""
        found: dict[int, int] = {}
        for label in (value,) if isinstance(value, str) else value or ():
            code = self._code.get(label, None if label in _UNKNOWN else self._other)
            if code is not None:
                found[code] = found.get(code, 0) + (value[label] if self.field.counts else 1)
            elif label not in _UNKNOWN:
                self.other[str(label)] += 1
        self.label.extend(found)
        self.weight.extend(found.values())
        self.count.append(len(found))

    def arrays(self, rows: Any) -> _Arrays:
        """Return the arrays of the documents ``rows``, in this order."""
        chosen = _matrix(self.field, *map(np.asarray, (self.weight, self.label, self.count)))[rows]
        chosen.eliminate_zeros()
        key = self.field.column
        return {f"{key}.labels": np.array(self.field.labels),
                f"{key}.weight": chosen.data,
                f"{key}.label": chosen.indices.astype(np.uint8),
                f"{key}.count": np.diff(chosen.indptr).astype(np.uint8),
                f"{key}.other": np.array([label for label, _ in self.other.most_common(10)],
                                         dtype=str)}


def _read(source: Any, path: Path, fields: Iterable[Field]) -> _Arrays:
    """Read a metadata file.

    :raises ValueError: the file is damaged, or lacks a field
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    columns = [(field.key, _Column(field)) for field in fields]
    docno = array("q")
    lines = ir_datasets.log.easy().pbar(reading.lines(source), desc=f"reading {path.name}",
                                        unit="doc", quiet=True)
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            docno.append(record["page_id"])
            for key, column in columns:
                column.add(record.get(key))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise reading.damaged(path, f"line {number}: {type(error).__name__}: "
                                        f"{error}") from error
    empty = [key for key, column in columns if not len(column.label)]
    if empty:
        raise reading.damaged(path, f"no document has a known value of {empty[0]!r}")
    # The evaluation code of the track takes the first line of each document.
    distinct, rows = np.unique(np.asarray(docno), return_index=True)
    return {"docno": distinct, **{name: array for _, column in columns
                                  for name, array in column.arrays(rows).items()}}


def _load(path: Path, field: Field) -> _Arrays:
    """Load one field of a table.

    :raises ValueError: the table is invalid
    :raises KeyError: the table lacks the field
    """
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as table:
        arrays = {name: table[name] for name in (
            "docno", *(f"{field.column}.{part}" for part in ("labels", *_PARTS, "other")))}
    if (arrays[f"{field.column}.labels"].tolist() != list(field.labels)
            or len(arrays[f"{field.column}.count"]) != len(arrays["docno"])):
        raise ValueError(f"{path} was written by another version")
    return arrays


_CORPUS = "msmarco-passage"
#: The groups, by the letters in the list of words.
GENDERS = {"f": "female", "m": "male"}
#: The groups of Mousavian et al. (2025), by the letters in their file.
BIASES = {"F": "female", "M": "male", "N": "neutral"}
_GITHUB = "https://raw.githubusercontent.com/"
_REKABSAZ = "CPJKU/FairnessRetrievalResults/81693da5305d67307673574252a4d963510a3632/"
_MOUSAVIAN = "MaryamMousavian/MSMGenderBias/ba5ead1f690b73a1a3d1cab499ba9131686600c8/"
#: The files on GitHub and their MD5 hashes, by their names in the folder ``fair``.
_FILES = {
    "dev.tsv": (f"{_REKABSAZ}dataset/msmarco_passage.dev.fair.tsv",
                "b8cae40fd38a3e3fe480f8750814359e"),
    "trec-dl-2019.tsv": (f"{_REKABSAZ}dataset/trecdeep19_passage.fair.tsv",
                         "c07d58e13f9a4904cb33e41da604f965"),
    "words.csv": (f"{_REKABSAZ}resources/wordlist_gender_representative.txt",
                  "86de399a64f9afd8f85983512e6b82e4"),
    "biases.csv": (f"{_MOUSAVIAN}MSMGenderBias.csv", "56d17b2736cfc54fee935820e61c38ad"),
}


def _path(file: str) -> Path:
    from ir_datasets.util import home_path
    return Path(home_path() / _CORPUS / "fair" / file)


def rows(file: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield the two columns of a file, which is downloaded if it is missing.

    :param file: its name in the folder ``fair``
    :raises ValueError: a line has no separator, or the file is empty
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    from ir_datasets.util import Download, RequestsDownload

    path, md5 = _FILES[file]
    source = Download([RequestsDownload(f"{_GITHUB}{path}")], expected_md5=md5,
                      cache_path=str(_path(file)))
    # Two downloads of ir_datasets at once would write to the same temporary file.
    with reading.lock(Path(f"{_path(file)}.lock")):
        lines = reading.text(source).splitlines()
    for number, line in enumerate(lines, start=1):
        first, found, second = line.partition(separator)
        if not found:
            raise _damaged(file, f"line {number} has one column: {line[:100]!r}")
        yield first.strip(), second.strip()
    if not lines:
        raise _damaged(file, "it is empty")


def _damaged(file: str, reason: str) -> ValueError:
    return ValueError(f"{_path(file)} is damaged: {reason}. Delete it: it is downloaded again")


def words() -> dict[str, list[str]]:
    """Return the words of each gender.

    :raises ValueError: the file is damaged
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    found = [*rows("words.csv", ",")]
    other = sorted({letter for _, letter in found} - GENDERS.keys())
    if other:
        raise _damaged("words.csv", f"{other[0]!r} is none of the groups {', '.join(GENDERS)}")
    return {gender: [word for word, one in found if one == letter]
            for letter, gender in GENDERS.items()}


class PassageCounts(WordCounts):
    """Counts of the words of each gender in passages, cached in a table."""

    def __init__(self) -> None:
        super().__init__(_CORPUS, words, groups=[*GENDERS.values()])

    def read(self, docnos: pd.Index, name: str) -> pd.DataFrame:
        """Return the counts of passages from the table; read those that it lacks, and add them.

        Other processes wait meanwhile, so that none overwrites what another has added.
        """
        table = _path("gender.tsv")
        docstore = table.parents[1] / "collection.tsv.pklz4" / "bin"
        read_table = partial(read_rows, table, docstore, self.groups, kind=np.int32)
        kept = read_table()
        if not docnos.isin(kept.index).all():
            with reading.lock(Path(f"{table}.lock")):
                kept = read_table()
                unread = docnos.difference(kept.index, sort=False)
                if len(unread):
                    kept = pd.concat([kept, super().read(unread, name)])
                    write_rows(table, kept)
        return kept.reindex(docnos)


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
        found = dict(rows("biases.csv", ","))
        if found.pop("doc_id", None) != "gender_bias" or not set(found.values()) <= BIASES.keys():
            raise _damaged("biases.csv", "it has no columns doc_id and gender_bias, which is one "
                           f"of {', '.join(BIASES)}")
        return Table.of_frame(pd.DataFrame({"docno": [*found], "group": [
            BIASES[letter] for letter in found.values()]}))

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
    :param table: the path of the cached table
    """

    complete = True

    def __init__(self, name: str, corpora: Mapping[str, str], table: Path) -> None:
        super().__init__(name, corpora)
        self._corpora, self._table = corpora, table
        self._found: dict[Any, str] = {}
        self._warned = False

    def _content(self) -> Any:
        return self.name, self.labels

    def state(self) -> str:
        return fingerprint.of_value(sorted(self._judged.items()))

    @cached_property
    def _judged(self) -> dict[str, str]:
        """The language of each judged document, by docno."""
        handler = ir_datasets.load(self.name).qrels_handler()
        return {row.doc_id: row.iteration for row in reading.judgments(handler)}

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        documents = pd.unique(np.asarray(docnos, dtype=object))
        known = ChainMap(self._judged, self._found)
        unknown = [docno for docno in documents if docno not in known]
        if unknown:
            self._look_up(unknown)
            unknown = [docno for docno in unknown if docno not in known]
            if unknown and not self._warned:
                self._warned = True
                absent = [corpus for corpus in self._corpora.values() if not _exists(corpus)]
                reason = "are in none of the corpora" if not absent else \
                    f"may be in a corpus that ir_datasets has not downloaded ({', '.join(absent)})"
                warn(f"{self.name}: {len(unknown)} of {len(documents)} documents have no group and "
                     f"count as unannotated (the first: {unknown[0]!r}): they were not judged and "
                     f"{reason}")
        frame = pd.DataFrame({"docno": documents, "group": [*map(known.get, documents)]},
                             dtype=object)
        return Table.of_frame(frame).find(qids, docnos)

    def _look_up(self, docnos: Collection[str]) -> None:
        """Find the languages of documents in the cached table and the corpora that exist.

        Other processes wait, so that none overwrites what another has added.
        """
        with reading.lock(Path(f"{self._table}.lock")):
            # The corpora do not change, so that the table is never outdated.
            self._found |= read_rows(
                self._table, self._table, ["group"], self._corpora)["group"].to_dict()
            kept = len(self._found)
            for language, corpus in self._corpora.items():
                unknown = [docno for docno in docnos if docno not in self._found]
                if unknown and _exists(corpus):
                    self._found.update((document.doc_id, language)
                                       for document in reading.documents(corpus, unknown))
            if len(self._found) > kept:
                write_rows(self._table, pd.DataFrame({"group": self._found}))


def _exists(corpus: str) -> bool:
    """Return whether ir_datasets has a corpus or its docstore."""
    handler = ir_datasets.load(corpus).docs_handler()
    return Path(f"{handler.docs_path(force=False)}.pklz4", "bin").exists() \
        or reading.downloaded(handler)


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
        pairs = pd.Series(pd.unique(np.asarray(docnos, dtype=object)), dtype=object)
        sentences = pairs.astype(str).str.split(SENTENCES).explode()
        arguments = sentences.str.split(REST, n=1).str[0].to_numpy(object)
        found = self.arguments.annotate(np.full(len(arguments), ""), arguments)
        frame = pd.DataFrame({"docno": pairs.loc[sentences.index[found.item]].to_numpy(object),
                              "group": np.asarray(found.labels, dtype=object)[found.codes]})
        return Table.of_frame(frame).find(qids, docnos)
