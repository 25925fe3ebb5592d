"""Group sources: which groups a document has, for judged and unjudged documents alike.

A measure takes one with its ``groups=`` parameter: the name of registered groups, the path of a group file, or a
:class:`Groups` object.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import io
from pt_fairness.measures.base import label_text
from pt_fairness.numerics import Ints
from pt_fairness.ranking import UNANNOTATED, PairIndex, words_of

__all__ = ["Groups", "from_file", "from_frame", "from_mapping", "from_pattern", "get", "names", "register"]

#: What :meth:`Groups.annotate` returns: the document each annotation belongs to, the code of its label, the labels.
Annotated = tuple[Ints, Ints, list[str]]


class Groups:
    """Knows the groups of documents.

    Subclasses implement :meth:`lookup`; those of this module implement the array form, :meth:`annotate`.

    :param name: what the groups are called; ``None`` for a name made from their content
    :param labels: every label that occurs, or ``None`` if that is not known beforehand. With labels, a target of
        ``'uniform'`` and ``protected='all'`` do not depend on which topics are evaluated together.
    """

    #: Whether ``labels`` are certainly all: then judged documents need not be looked up to know the label set.
    complete = False

    def __init__(self, name: str | None = None, labels: Iterable[Any] | None = None) -> None:
        self._name = name
        self.labels: list[str] | None = None if labels is None else sorted({label_text(one) for one in labels})

    @property
    def name(self) -> str:
        if self._name is None:
            self._name = f"{type(self).__name__.lstrip('_').lower()}-{self.digest()}"
        return self._name

    def digest(self) -> str:
        """A short text that differs between groups of different content."""
        try:
            content = pickle.dumps((type(self).__qualname__, self._content()))
        except Exception:  # anything may be in a subclass; the object itself is then its content
            content = f"{type(self).__qualname__} {id(self)}".encode()
        return hashlib.sha256(content).hexdigest()[:12]

    def _content(self) -> Any:
        return {key: value for key, value in vars(self).items() if key != "_name"}

    def lookup(self, qids: Sequence[Any], docnos: Sequence[Any]) -> pd.DataFrame:
        """The groups of documents.

        :param qids: the topic of each document, and
        :param docnos: the documents; equally long
        :returns: columns ``qid, docno, group``: a row for each document and group, in the order of the documents; none
            for a document without a group
        """
        item, codes, labels = self.annotate(np.asarray(qids, dtype=object), np.asarray(docnos, dtype=object))
        return pd.DataFrame({"qid": np.asarray(qids, dtype=object)[item].astype(str),
                             "docno": np.asarray(docnos, dtype=object)[item].astype(str),
                             "group": np.asarray(labels, dtype=object)[codes]}, dtype="str")

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        """:meth:`lookup` as arrays: the place of the document of each annotation, its label's code, and the labels."""
        if type(self).lookup is Groups.lookup:
            raise NotImplementedError(f"{type(self).__qualname__} needs a lookup(qids, docnos) method")
        found = self.lookup(list(qids), list(docnos))
        _need(found, ["qid", "docno", "group"], f"what {self!r}.lookup returned")
        table = _Table(found["qid"], found["docno"], found["group"])
        return table.find(qids, docnos)

    def to_qrels(self, qrels: pd.DataFrame) -> pd.DataFrame:
        """The same judgments with the group in ``iteration``: auxiliary qrels, for experiments and for α-nDCG.

        :param qrels: PyTerrier's columns (``qid, docno, label``) or ir_measures' (``query_id, doc_id, relevance``); other
            columns are kept, the frame is not changed
        :returns: a row for every judged document and group; ``-`` where a document has none
        """
        qid, docno, label = io.qrels_columns(qrels)
        frame = qrels.drop(columns="iteration", errors="ignore")
        if frame.duplicated([qid, docno]).any():
            # A document that was judged for several subtopics is one document of the highest of its labels.
            frame = frame.sort_values(label, ascending=False, kind="stable").drop_duplicates([qid, docno]).sort_index()
        item, codes, labels = self.annotate(frame[qid].astype(str).to_numpy(dtype=object),
                                            frame[docno].astype(str).to_numpy(dtype=object))
        order = np.lexsort((codes, item))
        item, codes = item[order], codes[order]
        count = np.bincount(item, minlength=len(frame))
        rows = np.repeat(np.arange(len(frame)), np.maximum(count, 1))
        group = np.full(len(rows), "-", dtype=object)
        group[count[rows] > 0] = np.asarray(labels, dtype=object)[codes]
        result = frame.iloc[rows].reset_index(drop=True)
        result["iteration"] = pd.Series(group, dtype="str")
        return result

    def __repr__(self) -> str:
        return f"Groups({self.name!r}, {self.labels})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Groups) and type(self) is type(other) and self.name == other.name \
            and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.name)


def _need(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"{what} has no column {missing[0]!r}; it needs {', '.join(columns)} and has "
                         f"{', '.join(map(str, frame.columns))}")


class _Table:
    """Annotations by document, or by topic and document; several rows of a document are several groups."""

    def __init__(self, qid: pd.Series | None, docno: pd.Series, group: pd.Series) -> None:
        group = group.map(label_text, na_action="ignore")
        kept = (group.notna() & ~group.isin(UNANNOTATED)).to_numpy()
        codes, labels = pd.factorize(group[kept], sort=True)
        self.labels = [str(one) for one in labels]
        self.by_topic = qid is not None
        self.topics: dict[str, int] = {}
        topic = np.zeros(int(kept.sum()), np.int64)
        if qid is not None:
            topic, texts = pd.factorize(qid[kept].map(label_text))
            self.topics = {str(text): i for i, text in enumerate(texts)}
        self.index = PairIndex(topic, words_of(docno[kept]))
        order = np.argsort(self.index.pair, kind="stable")
        self.codes = codes[order]
        self.count = np.bincount(self.index.pair, minlength=len(self.index))
        self.start = np.cumsum(self.count) - self.count

    def find(self, qids: Any, docnos: Any) -> Annotated:
        topic = np.zeros(len(docnos), np.int64)
        if self.by_topic:
            codes, texts = pd.factorize(np.asarray(qids, dtype=object))
            table = np.array([self.topics.get(label_text(text), -1) for text in texts] + [-1], np.int64)
            topic = table[codes]
        pair = self.index.find(topic, words_of(pd.Series(docnos, dtype=object)))
        item = np.flatnonzero(pair >= 0)
        pair = pair[item]
        count = self.count[pair]
        rows = np.repeat(self.start[pair] - (np.cumsum(count) - count), count) + np.arange(count.sum())
        return np.repeat(item, count), self.codes[rows], self.labels


class _Frame(Groups):
    complete = True

    def __init__(self, frame: pd.DataFrame, name: str | None = None, labels: Iterable[Any] | None = None) -> None:
        docno = "docno" if "docno" in frame or "doc_id" not in frame else "doc_id"
        qid = next((column for column in ("qid", "query_id") if column in frame), None)
        _need(frame, [docno, "group"], "the frame of groups")
        self._table = _Table(None if qid is None else frame[qid], frame[docno], frame["group"])
        super().__init__(name, [*self._table.labels, *(labels or ())])

    def _content(self) -> Any:
        table = self._table
        return (self.labels, table.labels, list(table.topics), table.index.words.tobytes(), table.codes.tobytes(),
                table.count.tobytes())

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        return self._table.find(qids, docnos)


class _Pattern(Groups):
    def __init__(self, pattern: str, labels: Iterable[Any] | None = None, name: str | None = None) -> None:
        super().__init__(name, labels)
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
        self.pattern = pattern
        self._column = "group" if "group" in compiled.groupindex else 0
        self._whole = pattern if compiled.groups else f"({pattern})"
        self.complete = labels is not None

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        document, texts = pd.factorize(np.asarray(docnos, dtype=object))
        found = pd.Series(texts, dtype=object).astype(str).str.extract(self._whole, expand=True)[self._column]
        if self.labels is not None:
            found = found.where(found.isin(self.labels))
        codes, labels = pd.factorize(found)
        codes = codes[document] if len(texts) else codes
        item = np.flatnonzero(codes >= 0)
        return item, codes[item], [str(one) for one in labels]


def from_frame(frame: pd.DataFrame, name: str | None = None) -> Groups:
    """Groups from a table.

    :param frame: columns ``docno, group`` or ``qid, docno, group``; several rows of a document are several groups, and
        rows whose group is missing, empty or ``-`` are none
    :raises ValueError: a column is missing
    """
    return _Frame(frame, name)


def from_mapping(mapping: Mapping[Any, Any], name: str | None = None) -> Groups:
    """Groups from a dictionary: docno → group, docno → groups (a list or set), or qid → such a dictionary."""
    nested = bool(mapping) and all(isinstance(value, Mapping) for value in mapping.values())
    rows = [(qid, docno, group) for qid, documents in (mapping.items() if nested else [(None, mapping)])
            for docno, groups in documents.items()
            for group in (groups if isinstance(groups, (list, tuple, set, frozenset)) else [groups])]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype=object)
    return _Frame(frame if nested else frame.drop(columns="qid"), name)


def from_pattern(pattern: str, labels: Iterable[Any] | None = None, name: str | None = None) -> Groups:
    """Groups from the docno itself: what a regular expression finds in it, for any document.

    :param pattern: is searched in the docno; its group called ``group``, or else its first, or else all of the match, is
        the label
    :param labels: every label that can occur; other finds are then no group
    """
    return _Pattern(pattern, labels, name)


def from_file(path: str | os.PathLike[str], name: str | None = None) -> Groups:
    """Groups from a file, compressed if its name ends in ``.gz``: TREC qrels with the group in the second column, or
    tab- or comma-separated columns with a header (``docno, group`` or ``qid, docno, group``).

    :raises ValueError: a line that cannot be read, by file and line
    """
    return _Frame(io.read_groups(path), name)


# ---------------------------------------------------------------------------------------------------------------------
# the registry

_registry: dict[str, Groups | Callable[[], Groups]] = {}
#: Names that this package registers itself, in every process.
_built_in: set[str] = set()
_files: dict[tuple[str, int, int], Groups] = {}


def register(name: str, groups: Groups | Callable[[], Groups]) -> None:
    """Makes groups available as ``groups=name``.

    :param groups: a Groups object, or a function that makes one when a measure first asks for it
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"groups need a name that is not empty, not {name!r}")
    _registry[name] = groups


def names() -> list[str]:
    """The registered names, sorted."""
    return sorted(_registry)


def get(source: str | os.PathLike[str] | Groups) -> Groups:
    """The groups of a registered name, else of a path; a Groups object as it is.

    :raises ValueError: neither
    """
    if isinstance(source, Groups):
        return source
    name = os.fspath(source)
    registered = _registry.get(name)
    if registered is not None:
        if not isinstance(registered, Groups):
            registered = _registry[name] = registered()
        return registered
    try:
        status = os.stat(name)
    except OSError:
        raise ValueError(f"no groups are registered as {name!r} and no such file exists; registered are "
                         f"{', '.join(names())}. Register your own with pt_fairness.groups.register(name, groups)") from None
    key = (os.path.realpath(name), status.st_mtime_ns, status.st_size)
    if key not in _files:
        _files[key] = from_file(name, name)
    return _files[key]


def name_of(groups: Groups) -> str:
    """The name under which a Groups object is registered; it is registered now if it was not."""
    for name, registered in _registry.items():
        if registered is groups:
            return name
    name = groups.name
    if name in _registry and get(name) != groups:
        name = f"{name}-{groups.digest()}"
    _registry.setdefault(name, groups)
    return name


def portable(name: str) -> tuple[str, Groups] | None:
    """What a measure takes along to another process so that ``groups=name`` means the same there."""
    registered = _registry.get(name)
    return (name, registered) if isinstance(registered, Groups) and name not in _built_in else None


def adopt(carried: tuple[str, Groups]) -> None:
    """The receiving side of :func:`portable`."""
    _registry.setdefault(*carried)


def _register_built_in(name: str, make: Callable[[], Groups]) -> None:
    _built_in.add(name)
    register(name, make)


_register_built_in("trec-newswire", lambda: from_pattern(r"^(FBIS|FR|FT|LA)\d", ["FBIS", "FR", "FT", "LA"], "trec-newswire"))
