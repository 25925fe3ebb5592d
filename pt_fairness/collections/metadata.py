"""Groups in a metadata file with a JSON object for each of millions of documents.

The file is read once, for all of its fields, into a compressed table beside it, which takes about
eight bytes for a document. A field is loaded when its groups are first needed.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
from scipy import sparse

from pt_fairness.collections import cached
from pt_fairness.core.labels import UNANNOTATED
from pt_fairness.core.messages import listed, warn
from pt_fairness.groups import Groups, Memberships
from pt_fairness.io import irds as reading

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
        arrays = cached.stored(
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
