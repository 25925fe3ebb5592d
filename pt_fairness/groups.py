"""Group sources: which groups a document has, for judged and unjudged documents alike.

A measure takes one with its ``groups=`` parameter: the name of registered groups, the path of a group file, or a
:class:`Groups` object.
"""

from __future__ import annotations

import enum
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, SupportsIndex
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd

from pt_fairness import fingerprint, io
from pt_fairness.identifiers import PairIndex, missing, texts_of
from pt_fairness.numerics import Ints
from pt_fairness.text import UNANNOTATED, BoundName, label_text, warn

__all__ = ["Groups", "from_file", "from_frame", "from_irds", "from_mapping", "from_pattern", "get",
           "names", "register", "unregister"]

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
    #: The only topics that have groups, or ``None`` for any topic.
    topics: list[str] | None = None
    #: Whether many documents can as well be asked for a few thousand at a time, which needs less memory.
    in_parts = False

    def __init__(self, name: str | None = None, labels: Iterable[Any] | None = None) -> None:
        if isinstance(labels, str):
            raise ValueError(f"labels={labels!r} is one text; the labels of groups are a list, such as [{labels!r}]")
        self._name = name
        self.labels: list[str] | None = None if labels is None else sorted({label_text(one) for one in labels})

    @property
    def name(self) -> str:
        if self._name is None:
            self._name = f"{type(self).__name__.lstrip('_').lower()}-{self.digest()}"
        return self._name

    def digest(self) -> str:
        """A short text that differs between groups of different content, and between classes of different code."""
        return fingerprint.of_value((type(self), self._content()))[:12]

    def _content(self) -> Any:
        """Return what makes up the groups; by default, what pickle stores of them."""
        return self

    def state(self) -> str:
        """A text that differs when judgments that the groups are read from have changed."""
        return ""

    def lookup(self, qids: Sequence[Any], docnos: Sequence[Any]) -> pd.DataFrame:
        """The groups of documents.

        :param qids: the topic of each document, and
        :param docnos: the documents; equally long
        :returns: columns ``qid, docno, group``: a row for each document and group, in the order of the documents; none
            for a document without a group
        :raises ValueError: not equally many
        """
        if len(qids) != len(docnos):
            raise ValueError(f"lookup was given {len(qids)} topics and {len(docnos)} documents; it needs a topic for each "
                             "document")
        topics, documents = texts_of(pd.Series(qids)), texts_of(pd.Series(docnos))
        item, codes, labels = self.annotate(topics, documents)
        return pd.DataFrame({"qid": topics[item], "docno": documents[item], "group": np.asarray(labels, dtype=object)[codes]},
                            dtype="str")

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        """:meth:`lookup` as arrays: the place of the document of each annotation, its label's code, and the labels."""
        if type(self).lookup is Groups.lookup:
            raise NotImplementedError(f"{type(self).__qualname__} needs a lookup(qids, docnos) method")
        found = self.lookup(list(qids), list(docnos))
        if not isinstance(found, pd.DataFrame):
            raise ValueError(f"{self!r}.lookup returned {found!r}; it has to return a frame with the columns qid, docno, group")
        io.need_columns(found, ["qid", "docno", "group"], f"what {self!r}.lookup returned")
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
        if self.topics is not None:
            frame = frame[frame[qid].map(label_text).isin(self.topics)]
        item, codes, labels = self.annotate(texts_of(frame[qid]), texts_of(frame[docno]))
        order = np.lexsort((codes, item))
        item, codes = item[order], codes[order]
        count = np.bincount(item, minlength=len(frame))
        rows = np.repeat(np.arange(len(frame)), np.maximum(count, 1))
        group = np.full(len(rows), "-", dtype=object)
        group[count[rows] > 0] = np.asarray(labels, dtype=object)[codes]
        result = frame.iloc[rows].reset_index(drop=True)
        result["iteration"] = pd.Series(group, dtype="str")
        return result

    def override(self, frame: pd.DataFrame, name: str | None = None) -> Groups:
        """These groups with corrections.

        An argument of args.me has a stance towards its own conclusion, which need not be the topic's claim: this is how to
        turn such stances around, topic by topic.

        :param frame: columns ``qid, docno, group``, or ``docno, group`` for every topic. The documents in it have the groups
            that it gives them, and only these: several rows are several groups; a missing or empty group, or ``-``, is none.
        :returns: a new Groups object
        :raises ValueError: a column is missing
        """
        return _Override(self, frame, name)

    def relabel(self, by_topic: Mapping[Any, Any], name: str | None = None) -> Groups:
        """These groups under other names, topic by topic; for ideologies instead of stances (Gezici et al. 2021, section 3).

        :param by_topic: topic → old label → new label, such as ``{'12': {'PRO': 'liberal', 'CON': 'conservative'}}``. Instead
            of labels, a topic can have a leaning, ``'liberal'`` or ``'conservative'``: the ideology that supports its claim,
            which its PRO documents get, and its CON documents the other. Labels and topics that map to nothing (``None``,
            ``''``, ``'-'``, ``{}``, a leaning of ``'both or neither'``, or not there at all) have no groups.
        :returns: a new Groups object, whose ``topics`` are those that map to something. The others drop out: a measure has no
            value (NaN) for them, which ir_measures and :func:`pt_fairness.evaluate` leave out of the mean, and
            :meth:`to_qrels` does not have them, which is what ``pt.Experiment`` needs
        :raises ValueError: a leaning that is none of these; a label that these groups do not have
        """
        return _Relabelled(self, by_topic, name)

    def __repr__(self) -> str:
        return f"Groups({self.name!r}, {self.labels})"

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # Each process has one object of a source of this package: documents are looked up once.
        if self._name in _built_in and _built_in[self._name]() is self:
            return built_in, (self._name,)
        return super().__reduce_ex__(protocol)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Groups) and type(self) is type(other) and self.name == other.name \
            and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.name)


def summary(auxiliary: pd.DataFrame) -> str:
    """How many documents of auxiliary qrels have a group, and which, as a sentence."""
    annotated = auxiliary[~auxiliary["iteration"].isin(UNANNOTATED)]
    names = list(io.qrels_columns(auxiliary)[:2])
    count = annotated["iteration"].value_counts().sort_index()
    return (f"{len(annotated.drop_duplicates(names))} of {len(auxiliary.drop_duplicates(names))} judged documents have a group"
            + (": " if len(count) else "") + ", ".join(f"{group} {number}" for group, number in count.items()))


def _once(item: Ints, codes: Ints) -> tuple[Ints, Ints]:
    """Annotations by item and code, each once."""
    kinds = int(codes.max(initial=0)) + 1
    return np.divmod(np.unique(item.astype(np.int64) * kinds + codes), kinds)


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
            if qid[kept].isna().any():
                raise missing(qid[kept], qid[kept].isna().to_numpy().argmax(), "groups")
            topic, texts = pd.factorize(qid[kept].map(label_text))
            self.topics = {str(text): i for i, text in enumerate(texts)}
        self.index = PairIndex(topic, docno[kept], "groups")
        pair, self.codes = _once(self.index.pair, codes)
        self.count = np.bincount(pair, minlength=len(self.index))
        self.start = np.cumsum(self.count) - self.count

    def content(self) -> Any:
        """All of it; the same in whatever order the rows came."""
        topics = sorted(self.topics)
        place = np.zeros(len(topics) + 1, np.int64)
        place[[self.topics[topic] for topic in topics]] = np.arange(len(topics))
        topic, docnos = place[self.index.topic], self.index.docnos()
        order = np.lexsort((docnos.astype(str), topic))
        return self.labels, topics, topic[order], docnos[order], self.codes[self._rows(order)], self.count[order]

    def find(self, qids: Any, docnos: Any) -> Annotated:
        topic = np.zeros(len(docnos), np.int64)
        if self.by_topic:
            codes, texts = pd.factorize(np.asarray(qids, dtype=object))
            table = np.array([self.topics.get(label_text(text), -1) for text in texts] + [-1], np.int64)
            topic = table[codes]
        pair, _ = self.index.find(topic, pd.Series(docnos, dtype=object, name="docno"))
        item = np.flatnonzero(pair >= 0)
        pair = pair[item]
        count = self.count[pair]
        return np.repeat(item, count), self.codes[self._rows(pair)], self.labels

    def _rows(self, pairs: Ints) -> Ints:
        """The annotations of some pairs, one pair after the other."""
        count = self.count[pairs]
        rows: Ints = np.repeat(self.start[pairs] - (np.cumsum(count) - count), count) + np.arange(count.sum())
        return rows


class _Frame(Groups):
    complete = True
    in_parts = True

    def __init__(self, frame: pd.DataFrame, name: str | None = None, labels: Iterable[Any] | None = None) -> None:
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"groups come from a DataFrame here, not from a {type(frame).__name__}; from_mapping takes "
                             "dictionaries, from_file takes paths")
        docno = "docno" if "docno" in frame or "doc_id" not in frame else "doc_id"
        qid = next((column for column in ("qid", "query_id") if column in frame), None)
        io.need_columns(frame, [docno, "group"], "the frame of groups")
        self._table = _Table(None if qid is None else frame[qid], frame[docno], frame["group"])
        super().__init__(name, [*self._table.labels, *(labels or ())])

    def _content(self) -> Any:
        return self.labels, self._table.content()

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        return self._table.find(qids, docnos)


class _Pattern(Groups):
    in_parts = True

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
        found = found.where(found.isin(self.labels) if self.labels is not None else ~found.isin(UNANNOTATED))
        codes, labels = pd.factorize(found)
        codes = codes[document] if len(texts) else codes
        item = np.flatnonzero(codes >= 0)
        return item, codes[item], [str(one) for one in labels]


#: The ideologies that a topic can lean to, and how the literature writes that it leans to neither.
_IDEOLOGIES = ("conservative", "liberal")
_NO_LEANING = "both or neither"


def _no_group(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value)) or value in UNANNOTATED


class _Override(Groups):
    def __init__(self, base: Groups, frame: pd.DataFrame, name: str | None = None) -> None:
        self._base, self._given = base, _Frame(frame)
        # The groups that are taken away are not in the table of those that are given.
        self._mentioned = _Frame(frame.assign(group="any"))
        super().__init__(name, None if base.labels is None else [*base.labels, *(self._given.labels or ())])
        self.complete, self.topics, self.in_parts = base.complete, base.topics, base.in_parts

    def _content(self) -> Any:
        return self._base.name, self._base.digest(), self._given._content(), self._mentioned._content()

    def state(self) -> str:
        return self._base.state()

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        qids, docnos = np.asarray(qids, dtype=object), np.asarray(docnos, dtype=object)
        mentioned = np.zeros(len(docnos), bool)
        mentioned[self._mentioned.annotate(qids, docnos)[0]] = True
        item, codes, labels = self._given.annotate(qids, docnos)
        others = np.flatnonzero(~mentioned)
        other_item, other_codes, other_labels = self._base.annotate(qids[others], docnos[others])
        return (np.concatenate([item, others[other_item]]), np.concatenate([codes, other_codes + len(labels)]),
                [*labels, *other_labels])


class _Relabelled(Groups):
    def __init__(self, base: Groups, by_topic: Mapping[Any, Any], name: str | None = None) -> None:
        self._base = base
        self._new = {label_text(topic): self._mapping(topic, value) for topic, value in by_topic.items()}
        for topic, value in by_topic.items():
            unknown = sorted(self._new[label_text(topic)].keys() - set(base.labels)) if base.labels is not None else []
            if unknown:
                leaning = "" if isinstance(value, Mapping) else f"; a leaning such as {value!r} renames PRO and CON"
                raise ValueError(f"topic {topic!r}: {base!r} has no label {unknown[0]!r} to rename{leaning}")
        super().__init__(name, [new for mapping in self._new.values() for new in mapping.values()])
        self.complete, self.in_parts = True, base.in_parts
        self.topics = sorted(topic for topic, mapping in self._new.items()
                             if mapping and (base.topics is None or topic in base.topics))

    @staticmethod
    def _mapping(topic: Any, value: Any) -> dict[str, str]:
        if isinstance(value, Mapping):
            return {label_text(old): label_text(new) for old, new in value.items() if not _no_group(new)}
        if _no_group(value) or value == _NO_LEANING:
            return {}
        if value not in _IDEOLOGIES:
            raise ValueError(f"topic {topic!r} has the leaning {value!r}; it has to be {' or '.join(map(repr, _IDEOLOGIES))}, "
                             f"None or {_NO_LEANING!r} for none, or a mapping from labels to labels")
        return {"PRO": value, "CON": _IDEOLOGIES[value == _IDEOLOGIES[0]]}

    def _content(self) -> Any:
        return self._base.name, self._base.digest(), sorted((topic, sorted(new.items())) for topic, new in self._new.items())

    def state(self) -> str:
        return self._base.state()

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        qids, docnos = np.asarray(qids, dtype=object), np.asarray(docnos, dtype=object)
        topic, texts = pd.factorize(qids)
        mappings = [self._new.get(label_text(text), {}) for text in texts]
        wanted = np.flatnonzero(np.array([bool(mapping) for mapping in mappings], bool)[topic] if len(topic) else topic)
        item, codes, labels = self._base.annotate(qids[wanted], docnos[wanted])
        item = wanted[item]
        assert self.labels is not None
        place = {label: code for code, label in enumerate(self.labels)}
        table = np.array([[place.get(mapping.get(label, ""), -1) for label in labels] for mapping in mappings],
                         np.int64).reshape(len(mappings), len(labels))
        codes = table[topic[item], codes] if len(item) else codes
        return *_once(item[codes >= 0], codes[codes >= 0]), self.labels  # two old labels may have become one


#: What is known of a document: its groups, and why it has none.
Found = tuple[tuple[str, ...], str]
MISSING, _NOTHING, _OTHER = "missing", "nothing", "other: "


class FromIrds(Groups):
    """A field of the documents, or of the judgments, of an ir_datasets id; see :func:`from_irds`.

    Nothing is loaded before groups are asked for. Documents come from the docstore, and each of them once.
    """

    def __init__(self, dataset_id: str, field: str | Callable[[Any], Any], labels: Iterable[Any] | None = None,
                 name: str | None = None, entity: str | None = None) -> None:
        if entity not in (None, "docs", "qrels"):
            raise ValueError(f"entity={entity!r} is not possible: a field is one of the 'docs' or of the 'qrels'")
        super().__init__(f"{dataset_id}/{field}" if name is None and isinstance(field, str) else name, labels)
        self.dataset_id, self.field, self.entity = dataset_id, field, entity
        self.complete = labels is not None
        self._found: dict[str, Found] = {}
        self._judged: _Table | None = None
        self._told = False

    def _content(self) -> Any:
        return self.dataset_id, self.field, self.labels, self.entity

    def state(self) -> str:
        # A corpus is what its dataset id says; judgments may be files of the user.
        judged = self._in_judgments(self._dataset())
        return "" if judged is None else fingerprint.of_value(judged.content())

    def _dataset(self) -> Any:
        import ir_datasets
        try:
            return ir_datasets.load(self.dataset_id)
        except KeyError:
            raise ValueError(f"ir_datasets has no dataset {self.dataset_id!r}") from None

    def _entity(self, dataset: Any) -> str:
        fields = {entity: getattr(dataset, f"{entity}_cls")()._fields for entity in ("docs", "qrels") if dataset.has(entity)}
        if self.entity is not None:
            fields = {self.entity: fields.get(self.entity, ())}
        for entity, known in fields.items():
            if self.field in known or (callable(self.field) and known):
                return entity
        raise ValueError(f"{self.dataset_id!r} has no field {self.field!r}; it has "
                         + (" and ".join(f"{', '.join(known)} ({entity})" for entity, known in fields.items()) or "none"))

    def _groups(self, record: Any) -> Found:
        """The groups of a document or judgment."""
        try:
            value = self.field(record) if callable(self.field) else getattr(record, self.field)
        except Exception as error:  # the user's function
            raise ValueError(f"the groups of {record.doc_id!r} in {self.dataset_id} cannot be told: the function for its field "
                             f"raised {error!r}") from error
        if isinstance(value, str) and value == "-":
            return (), ""  # it says that there is none
        several = isinstance(value, (list, tuple, set, frozenset))
        texts = [one.name if isinstance(one, enum.Enum) else label_text(one)
                 for one in (value if several else [value]) if not _no_group(one)]
        groups = tuple(text for text in texts if text not in UNANNOTATED and (self.labels is None or text in self.labels))
        if groups:
            return groups, ""
        return (), f"{_OTHER}{texts[0]}" if texts else _NOTHING

    def fetch(self, docnos: Iterable[str]) -> dict[str, Found]:
        """What the documents say, by docno; they are read unless they have been before."""
        docnos = list(dict.fromkeys(docnos))
        unread = [docno for docno in docnos if docno not in self._found]
        if unread:
            from ir_datasets import log

            from pt_fairness import reading
            read: dict[str, Found] = dict.fromkeys(unread, ((), MISSING))
            documents = reading.documents(self.dataset_id, unread)
            for document in log.easy().pbar(documents, desc=self.name, total=len(unread),
                                            unit="doc", quiet=True):
                if document.doc_id in read:
                    read[document.doc_id] = self._groups(document)
            self._found.update(read)
        return {docno: self._found[docno] for docno in docnos}

    def remember(self, found: Mapping[str, Found]) -> None:
        """Takes what :meth:`fetch` returned earlier, instead of reading the documents again."""
        self._found.update(found)

    def _tell(self, found: Mapping[str, Found]) -> None:
        """One warning for the documents without groups, the first time that there are any."""
        reasons = pd.Series({docno: why for docno, (_, why) in found.items() if why}, dtype=object)
        if self._told or reasons.empty:
            return
        self._told = True
        other = reasons[reasons.str.startswith(_OTHER)]
        parts = [(reasons[reasons == MISSING], "not in the corpus", ""), (reasons[reasons == _NOTHING], "without a value", ""),
                 (other, f"with a value other than {', '.join(self.labels or ())}",
                  f" has {other.iloc[0].removeprefix(_OTHER)!r}" if len(other) else "")]
        warn(f"{self.name}: {len(reasons)} of {len(found)} documents have no group and count as unannotated: " + "; ".join(
            f"{len(part)} {what} (the first: {part.index[0]!r}{more})" for part, what, more in parts if len(part)))

    def _in_judgments(self, dataset: Any) -> _Table | None:
        """The groups in the judgments, which are read once; ``None`` if they are in the documents."""
        if self._entity(dataset) == "qrels" and self._judged is None:
            self._judged = self._judgments(dataset)
        return self._judged

    def _judgments(self, dataset: Any) -> _Table:
        """The groups in the judgments; where a document has any of positive relevance, only those give it groups."""
        from pt_fairness import reading
        rows = reading.judgments(dataset.qrels_handler())
        positive = {(row.query_id, row.doc_id) for row in rows if row.relevance > 0}
        triples = [(row.query_id, row.doc_id, group) for row in rows
                   if row.relevance > 0 or (row.query_id, row.doc_id) not in positive for group in self._groups(row)[0]]
        frame = pd.DataFrame(triples, columns=["qid", "docno", "group"], dtype=object).drop_duplicates()
        return _Table(frame["qid"], frame["docno"], frame["group"])

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        judged = self._in_judgments(self._dataset())
        if judged is not None:
            return judged.find(qids, docnos)
        found = self.fetch(map(str, pd.unique(np.asarray(docnos, dtype=object))))
        self._tell(found)
        pairs = pd.DataFrame([(docno, group) for docno, (groups, _) in found.items() for group in groups],
                             columns=["docno", "group"], dtype=object)
        return _Table(None, pairs["docno"], pairs["group"]).find(qids, docnos)


def from_frame(frame: pd.DataFrame, name: str | None = None) -> Groups:
    """Groups from a table.

    :param frame: columns ``docno, group`` or ``qid, docno, group``; several rows of a document are several groups, and
        rows whose group is missing, empty or ``-`` are none
    :raises ValueError: a column is missing
    """
    return _Frame(frame, name)


def from_mapping(mapping: Mapping[Any, Any], name: str | None = None) -> Groups:
    """Groups from a dictionary: docno → group, docno → groups (a list, set or array), or qid → such a dictionary.

    :raises ValueError: a value that is none of these
    """
    if not isinstance(mapping, (Mapping, pd.Series)):
        raise ValueError(f"groups come from a dictionary here, not from a {type(mapping).__name__}; from_frame takes "
                         "DataFrames, from_file takes paths")
    nested = len(mapping) > 0 and all(isinstance(value, Mapping) for _, value in mapping.items())
    rows = [(qid, docno, group) for qid, documents in (mapping.items() if nested else [(None, mapping)])
            for docno, groups in documents.items() for group in _several(docno, groups)]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype=object)
    return _Frame(frame if nested else frame.drop(columns="qid"), name)


def _several(docno: Any, groups: Any) -> Iterable[Any]:
    """The groups that a dictionary gives a document."""
    if isinstance(groups, (list, tuple, set, frozenset, np.ndarray, pd.Series)):
        return groups
    if pd.api.types.is_scalar(groups):
        return [groups]
    raise ValueError(f"the groups of {docno!r} are {groups!r}; a document has a label or a list of labels, and either all or "
                     "none of the values are dictionaries of documents by topic")


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


def from_irds(dataset_id: str, field: str | Callable[[Any], Any], labels: Iterable[Any] | None = None, name: str | None = None,
              *, entity: str | None = None) -> Groups:
    """Groups from a field of an ir_datasets id: of its documents, judged or not, or of its judgments.

    Nothing is loaded before a measure asks; then the docstore gives the documents that it needs.

    :param field: the field's name; or a function of a document (of a judgment where there are no documents), for what is
        nested, such as ``lambda argument: [premise.stance for premise in argument.premises[:1]]``. Several values are several
        groups; an enumeration's value counts by its name; ``None``, ``''`` and ``-`` are no group. A measure of a function can
        be pickled if the function can, that is, if it stands in a module.
    :param labels: every label that can occur; other values are then no group
    :param name: by default made of the id and the field
    :param entity: ``'docs'`` or ``'qrels'``, where both have such a field; the documents' is taken by default
    :raises ValueError: when a measure asks: no such dataset or field
    """
    return FromIrds(dataset_id, field, labels, name, entity)


# ---------------------------------------------------------------------------------------------------------------------
# the registry

_registry: dict[str, Groups | Callable[[], Groups]] = {}
#: The objects that measures were made with, by the names in the text of these measures.
_unnamed: WeakValueDictionary[str, Groups] = WeakValueDictionary()
#: The groups of this package, which are made when they are first asked for.
_built_in: dict[str, Callable[[], Groups]] = {}
#: How many group files are kept in memory: more than one evaluation names.
FILES_KEPT = 8


def register(name: str, groups: Groups | Callable[[], Groups]) -> None:
    """Make groups available as ``groups=name``, until :func:`unregister`.

    A name that is taken gets the new meaning.

    :param groups: a Groups object, or a function that makes one when a measure first asks for it
    :raises ValueError: it is neither, or the name is empty
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"groups need a name that is not empty, not {name!r}")
    if not isinstance(groups, Groups) and not callable(groups):
        raise ValueError(f"{name!r} cannot be registered as a {type(groups).__name__}: make a "
                         "Groups object of it with from_frame, from_mapping, from_pattern or "
                         "from_file")
    _registry[name] = groups


def unregister(name: str) -> None:
    """Remove groups that :func:`register` has made available.

    A name of this package means the groups of this package again.

    :raises ValueError: nothing was registered under this name
    """
    if name not in _registry:
        own = ", ".join(map(repr, sorted(_registry))) or "none"
        raise ValueError(f"{name!r} cannot be unregistered; the names that register() has added "
                         f"are: {own}")
    del _registry[name]


def names() -> list[str]:
    """Return the registered names, those of this package included, sorted."""
    return sorted({*_registry, *_built_in})


def registered(name: str) -> Groups | Callable[[], Groups] | None:
    """Return what :func:`register` was given for a name in this process."""
    return _registry.get(name)


def get(source: str | os.PathLike[str] | Groups) -> Groups:
    """Return the groups of a registered name, else of a path; a Groups object as it is.

    A file is parsed again when its content has changed. What is no regular file, such as a pipe,
    is read by every call.

    :raises ValueError: none of these
    """
    if isinstance(source, Groups):
        return source
    if isinstance(source, BoundName):
        return source.value
    try:
        name = os.fspath(source)
    except TypeError:
        raise ValueError(f"groups are a registered name, the path of a group file or a Groups "
                         f"object, not {source!r}") from None
    known = _known(name)
    if known is not None:
        return known
    try:
        regular = stat.S_ISREG(os.stat(name).st_mode)
    except OSError:
        raise ValueError(f"no groups are registered as {name!r} and no such file exists; "
                         f"registered are {', '.join(names())}. Register your own with "
                         "pt_fairness.groups.register(name, groups)") from None
    return _of_content(name, fingerprint.of_file(name)) if regular else from_file(name, name)


def _known(name: str) -> Groups | None:
    """Return the groups of a name that is no path."""
    if name not in _registry:
        unnamed = _unnamed.get(name)
        return built_in(name) if unnamed is None and name in _built_in else unnamed
    groups = _registry[name]
    if not isinstance(groups, Groups):
        groups = _registry[name] = groups()
    return groups


def register_built_in(name: str, make: Callable[[], Groups]) -> None:
    """Register groups of this package, which every process knows under this name."""
    _built_in[name] = cache(make)


def built_in(name: str) -> Groups:
    """Return groups of this package; each process makes them once."""
    return _built_in[name]()


@lru_cache(FILES_KEPT)
def _of_content(path: str, content: str) -> Groups:
    """Return the groups of a file.

    :param content: the hash of what the file holds, as part of the cache key
    """
    return from_file(path, path)


def name_of(source: Groups | str) -> str:
    """Return the name that a measure has as its parameter.

    The name of an object that is not registered keeps the object alive.
    """
    if isinstance(source, BoundName):
        return source
    if isinstance(source, str):
        unnamed = None if source in _registry else _unnamed.get(source)
        return source if unnamed is None else BoundName(source, unnamed)
    for name, groups in _registry.items():
        if groups is source:
            return name
    name = source.name
    if os.path.isfile(name) or _known(name) not in (None, source):
        name = f"{name}-{source.digest()}"
    return BoundName(name, _unnamed.setdefault(name, source))
