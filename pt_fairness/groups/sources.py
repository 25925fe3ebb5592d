"""Groups from frames, files, patterns, fields and words of documents, and votes; their registry."""

from __future__ import annotations

import enum
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from math import nan
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core import fingerprint
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.labels import UNANNOTATED, distinct_labels, label_text, label_texts
from pt_fairness.core.messages import listed, shown, warn
from pt_fairness.core.registry import Registry
from pt_fairness.groups.memberships import Groups, Memberships, Table, is_no_group
from pt_fairness.io.document_files import qrels_columns, read_groups, read_labels, read_memberships
from pt_fairness.io.frames import need_columns, need_rows
from pt_fairness.io.word_counts import (
    THRESHOLD,
    Tokenizer,
    WordCounts,
    check_threshold,
    counts_of,
)


def from_frame(frame: pd.DataFrame, name: str | None = None,
               order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a DataFrame.

    :param frame: columns ``docno, group`` or ``qid, docno, group``. Several rows of a document are
        several groups, and so is a list of labels; a missing or empty group, or ``-``, is none.
        With a column ``weight``, the share of a document in each of its groups is the weight over
        the sum of the document's weights, so that a weight of 0 is no membership; without it, the
        shares are equal.
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a column is missing, a weight is not a number of at least 0, or ``order``
        lacks a label

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> frame = pd.DataFrame({"docno": ["a", "b", "b"], "group": ["PRO", "PRO", "CON"]})
    >>> groups.from_frame(frame).labels
    ['CON', 'PRO']
    >>> groups.from_frame(frame.assign(weight=[1, 0.7, 0.3])).lookup(["1"], ["b"])
      qid docno group  weight
    0   1     b   CON     0.3
    1   1     b   PRO     0.7
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"groups come from a DataFrame here, not from a {type(frame).__name__}; "
                         "from_mapping takes dictionaries, from_file takes paths")
    return _Frame(Table.of_frame(frame), name, order)


def from_mapping(mapping: Mapping[Any, Any], name: str | None = None,
                 order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a dictionary.

    :param mapping: docno → group, docno → groups (a list, set or array), docno → weights (a
        dictionary: group → number), or qid → such a dictionary. Numbers in inner dictionaries are
        weights if all innermost values are numbers; to use numbers as labels by topic, give them
        as lists or text.
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a value is none of these, a weight is below 0, or ``order`` lacks a label

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.from_mapping({"a": "PRO", "b": ["PRO", "CON"]}).labels
    ['CON', 'PRO']
    >>> groups.from_mapping({"1": {"a": "PRO"}, "2": {"a": "CON"}}).lookup(["2"], ["a"])
      qid docno group
    0   2     a   CON
    >>> groups.from_mapping({"a": {"PRO": 0.7, "CON": 0.3}}).lookup(["1"], ["a"])
      qid docno group  weight
    0   1     a   CON     0.3
    1   1     a   PRO     0.7
    """
    if not isinstance(mapping, (Mapping, pd.Series)):
        raise ValueError(f"groups come from a dictionary here, not from a "
                         f"{type(mapping).__name__}; from_frame takes DataFrames, from_file takes "
                         "paths")
    documents = [value for _, value in mapping.items()]
    by_topic = len(documents) > 0 and all(isinstance(value, Mapping) for value in documents) \
        and not all(map(_holds_weights, documents))
    rows = []
    for qid, labels_of in mapping.items() if by_topic else [(None, mapping)]:
        for docno, labels in labels_of.items():
            rows += [(qid, docno, label, weight) for label, weight in _several(docno, labels)]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "group", "weight"], dtype=object)
    weight = frame["weight"].to_numpy(float)
    table = Table(frame["qid"] if by_topic else None, frame["docno"], frame["group"],
                  None if np.isnan(weight).all() else weight)
    return _Frame(table, name, order)


def _holds_weights(value: Any) -> bool:
    """Return whether a value is a dictionary of numbers."""
    if not isinstance(value, Mapping):
        return False
    return all(isinstance(weight, Real) and not isinstance(weight, bool)
               for weight in value.values())


def _several(docno: Any, groups: Any) -> Iterable[tuple[Any, float]]:
    """Return the (group, weight) pairs of a document in a dictionary, NaN for no weight."""
    if _holds_weights(groups):
        for group, weight in groups.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise ValueError(f"the weight of {group!r} for {docno!r} is {shown(weight)}; "
                                 "weights are numbers of at least 0")
        return groups.items()
    if isinstance(groups, (list, tuple, set, frozenset, np.ndarray, pd.Series)):
        return [(group, math.nan) for group in groups]
    if pd.api.types.is_scalar(groups):
        return [(groups, math.nan)]
    raise ValueError(f"the groups of {docno!r} are {shown(groups)}; a document has a label, a list "
                     "of labels or a dictionary of weights, and either all or none of the values "
                     "are dictionaries of documents by topic")


def from_pattern(pattern: str, labels: Iterable[Any] | None = None, name: str | None = None,
                 order: Iterable[Any] | None = None) -> Groups:
    """Return groups from the docnos, by a regular expression.

    :param pattern: the regular expression to search in the docno. The label is the capturing group
        named ``group``, or else the first capturing group, or else the whole match.
    :param labels: the label set; other matches are no group
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: ``pattern`` is no regular expression, or ``order`` lacks a label

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.from_pattern(r"^[A-Z]+", labels=["FT", "LA"]).lookup(["1", "1"], ["FT911-1", "FR-2"])
      qid    docno group
    0   1  FT911-1    FT
    """
    return _Pattern(pattern, labels, name, order)


def from_file(path: str | os.PathLike[str], name: str | None = None, *,
              labels: Iterable[Any] | None = None, order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a file, compressed if its name ends in ``.gz``.

    The file has tab- or comma-separated columns with a header (``docno, group`` or ``qid, docno,
    group``, and ``weight`` if documents have weights), or is a TREC qrels file with the group in
    the second column or, if that holds nothing but ``0`` or ``Q0``, as text in the fourth. With
    ``labels``, it is a membership file of NTCIR (``gmemb``): the topic, the document and its share
    in each group, separated by white space.

    :param name: the name of the groups; by default derived from a hash of their content
    :param labels: the groups of a membership file, one for each column of shares. A share of 0
        means that the document is not in the group.
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a line cannot be parsed (the error names file and line), a weight is not a
        number of at least 0, a share is negative, or ``order`` lacks a label
    :raises OSError: the file cannot be opened

    Examples
    --------
    >>> import os, tempfile
    >>> from pt_fairness import groups
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "groups.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("docno,group\\na,PRO\\nb,CON\\n")
    ...     groups.from_file(path).labels
    ['CON', 'PRO']
    """
    columns = [] if labels is None else distinct_labels(labels, "labels")
    frame = read_groups(path) if labels is None else read_memberships(path, columns)
    groups = _Frame(Table.of_frame(frame, os.fspath(path)), name, order, columns)
    groups.made_of = os.fspath(path)
    return groups


def from_qrels(qrels: pd.DataFrame | str | os.PathLike[str], none: Iterable[Any] = (),
               name: str | None = None, *, order: Iterable[Any] | None = None) -> Groups:
    """Return groups whose labels are the labels of qrels, such as qrels of stances.

    A track that judges both relevance and stance has two qrels files. :meth:`Groups.to_qrels` of
    these groups joins them to qrels with groups.

    :param qrels: a TREC qrels file, whose labels may be text, compressed if its name ends in
        ``.gz``; or a frame ``qid, docno, label`` (or ir_measures' names)
    :param none: the labels that mean no group, such as ``["NO"]``
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a line of the file cannot be read (the error names file and line), a column
        is missing, no document has the label ``none``, no document has another, or ``order`` lacks
        a label
    :raises OSError: the file cannot be opened

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> relevance = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0]})
    >>> stances = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": ["PRO", "NO"]})
    >>> groups.from_qrels(stances, none=["NO"]).to_qrels(relevance)
      qid docno  label iteration
    0   1     a      1       PRO
    1   1     b      0         -
    """
    frame = qrels if isinstance(qrels, pd.DataFrame) else read_labels(qrels)
    columns = dict(zip(qrels_columns(frame), ("qid", "docno", "group"), strict=True))
    frame = frame[list(columns)].rename(columns=columns)
    frame["group"] = frame["group"].map(label_text, na_action="ignore")
    dropped = label_texts(none, "none")
    labels = sorted({*frame["group"].dropna()})
    for label in dropped:
        if label not in labels:
            raise ValueError(f"none={shown(dropped)}: no document has the label {label!r}; the "
                             f"labels are {listed(labels)}")
    if {*labels} <= {*UNANNOTATED, *dropped}:
        raise ValueError(f"no document has a group: the labels are {listed(labels)}, and "
                         f"none={shown(dropped)}")
    return from_frame(frame[~frame["group"].isin(dropped)], name, order=order)


def of_data(data: Any) -> Groups:
    """Return groups from a DataFrame, a dictionary or a Series."""
    if isinstance(data, pd.DataFrame):
        return from_frame(data)
    return from_mapping(data)


class _Frame(Groups):
    complete = True
    in_parts = True

    def __init__(self, table: Table, name: str | None, order: Iterable[Any] | None,
                 labels: Iterable[str] = ()) -> None:
        self._table = table
        super().__init__(name, {*table.labels, *labels}, order)
        self.weighted = table.weight is not None
        self.by_topic = table.by_topic

    def _content(self) -> Any:
        return self.labels, self.order, self._table.content()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        return self._table.find(qids, docnos)


class _Pattern(Groups):
    in_parts = True

    @property
    def made_of(self) -> str:  # type: ignore[override]
        return self.pattern

    def __init__(self, pattern: str, labels: Iterable[Any] | None, name: str | None,
                 order: Iterable[Any] | None) -> None:
        super().__init__(name, labels, order)
        if not isinstance(pattern, str):
            raise ValueError(f"a pattern is text, not a {type(pattern).__name__}")
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{shown(pattern)} is no regular expression: {error}") from None
        self.pattern = pattern
        self._column = "group" if "group" in compiled.groupindex else 0
        self._whole = pattern if compiled.groups else f"({pattern})"
        self.complete = labels is not None

    def _content(self) -> Any:
        return self.pattern, self.labels, self.complete, self.order

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        document, texts = pd.factorize(np.asarray(docnos, dtype=object))
        matches = pd.Series(texts, dtype=object).astype(str).str.extract(self._whole)
        labels = matches[self._column]
        is_label = ~labels.isin(UNANNOTATED)
        if self.complete:
            is_label = labels.isin(self.labels)
        codes, labels = pd.factorize(labels.where(is_label))
        codes = codes[document]
        item = np.flatnonzero(codes >= 0)
        return Memberships(item, codes[item], list(map(str, labels)))


#: The groups of a document, and the reason if it has none: ``''`` if none needs a warning.
Found = tuple[tuple[str, ...], str]
MISSING = "missing"
_NOTHING = "nothing"
_OTHER = "other: "


def from_irds(dataset_id: str, field: str | Callable[[Any], Any],
              labels: Iterable[Any] | None = None, name: str | None = None,
              *, entity: str | None = None, order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a field of the documents, or of the judgments, of an ir_datasets id.

    Nothing is read before groups are needed. Documents are then read from the docstore.

    :param field: the name of the field; or, for nested fields, a function of a document (of a
        judgment if the id has no documents), such as
        ``lambda argument: [premise.stance for premise in argument.premises[:1]]``. Several values
        are several groups. The label of an enumeration member is its name. ``None``, ``''`` and
        ``-`` are no group. A measure with a function can be pickled only if the function can, that
        is, if it is defined in a module.
    :param labels: the label set; other values are no group
    :param name: the name of the groups; by default ``dataset_id/field``, or derived from a hash of
        the content if ``field`` is a function
    :param entity: ``'docs'`` or ``'qrels'``, for a field that both have; by default ``'docs'``
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: ``entity`` is neither, or ``order`` lacks a label; once groups are needed,
        the dataset or field does not exist

    Examples
    --------
    >>> from pt_fairness import groups
    >>> stances = groups.from_irds("pt-fairness/debates", "stance", labels=["PRO", "CON"])
    >>> stances.lookup(["1", "1"], ["d01-01", "d01-02"])
      qid   docno group
    0   1  d01-01   PRO
    1   1  d01-02   CON
    """
    return FromIrds(dataset_id, field, labels, name, entity, order)


def from_text(documents: str | pd.DataFrame, words: Mapping[Any, Iterable[str]],
              neutral: Any | None = "neutral", name: str | None = None, *, shares: bool = False,
              threshold: int = THRESHOLD, field: str | None = None,
              tokenize: Tokenizer = str.split, order: Iterable[Any] | None = None) -> Groups:
    """Return groups from the words in documents.

    The group of a document is the one with the most words in its text. A document with at most
    ``threshold`` words of all groups is neutral, as is one in which several groups have the most.
    :func:`pt_fairness.values.from_text` returns numbers from the same words. Nothing is read before
    groups are needed. Documents are then read from the docstore, once, with a progress bar.

    :param documents: an ir_datasets id, or a frame ``docno, text``
    :param words: the words of each group, by group; no word is in two of them. Texts and words are
        lowercased.
    :param neutral: the label of neutral documents; ``None`` to leave them unannotated
    :param name: the name of the groups; by default derived from a hash of the parameters
    :param shares: whether documents that are not neutral are in each group by its share of their
        words, and only documents of at most ``threshold`` words are neutral
    :param threshold: the largest number of words in a neutral document, at least 0
    :param field: the field with the text; by default, ir_datasets' default text of the document,
        and the column ``text`` of a frame
    :param tokenize: splits a lowercased text into tokens. The default splits at white space, so
        that ``she,`` is not the word ``she``; ``re.compile(r"\\w+").findall`` also splits at
        punctuation. A measure with a function can be pickled only if the function can.
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a group has no words, a word is in several groups or is not one token,
        ``neutral`` is one of the groups, or ``order`` lacks a label; once groups are needed, the
        dataset or field does not exist

    The threshold of 1 is that of Rekabsaz et al. (2021), in their code.

    Examples
    --------
    >>> import re
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> words = {"female": ["she", "her", "grandmother"], "male": ["he", "his", "father", "kings"]}
    >>> tokenize = re.compile(r"\\w+").findall
    >>> gender = groups.from_text("pt-fairness/debates", words, tokenize=tokenize)
    >>> gender.lookup(["1", "1"], ["d01-08", "d01-11"])
      qid   docno    group
    0   1  d01-08     male
    1   1  d01-11  neutral
    >>> gender = groups.from_text("pt-fairness/debates", words, shares=True, tokenize=tokenize)
    >>> gender.lookup(["1", "1"], ["d01-08", "d01-11"])
      qid   docno    group  weight
    0   1  d01-08   female     1.0
    1   1  d01-08     male     2.0
    2   1  d01-11  neutral     1.0
    >>> texts = pd.DataFrame({"docno": ["a", "b"], "text": ["she said her name", "it rains"]})
    >>> groups.from_text(texts, words).lookup(["1", "1"], ["a", "b"])
      qid docno    group
    0   1     a   female
    1   1     b  neutral
    """
    counts = counts_of(documents, words, field, tokenize)
    return FromText(counts, neutral, shares, threshold, name, order)


class FromText(Groups):
    """Groups by the words in the texts of documents; see :func:`from_text`."""

    complete = True

    def __init__(self, counts: WordCounts, neutral: Any | None = "neutral", shares: bool = False,
                 threshold: int = THRESHOLD, name: str | None = None,
                 order: Iterable[Any] | None = None) -> None:
        labels = [*counts.groups]
        if neutral is not None:
            labels.append(label_text(neutral))
        if len({*labels}) < len(labels) or (neutral is not None and is_no_group(neutral)):
            raise ValueError(f"neutral={shown(neutral)} has to be another label than those of the "
                             f"groups ({listed(counts.groups)}), or None for no label")
        super().__init__(name, labels, order)
        self.weighted = shares
        self._counts = counts
        self._threshold = check_threshold(threshold)
        #: The labels in the order of the counts.
        self._columns = labels

    def _content(self) -> Any:
        return self._counts.content(), self._columns, self.order, self.weighted, self._threshold

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        counts = self._counts.of(docnos, self.name)
        neutral = (counts.sum(axis=1) <= self._threshold)[:, np.newaxis]
        members = counts
        if not self.weighted:
            members = counts == counts.max(axis=1, keepdims=True)
            neutral |= members.sum(axis=1, keepdims=True) > 1
        # A column for each group, and one for the neutral documents.
        members = np.hstack([np.where(neutral, 0, members), neutral])
        absent = counts[:, 0] < 0  # not in the corpus
        members[absent] = 0
        item, codes = np.nonzero(members[:, :len(self._columns)])
        weight = members[item, codes].astype(float) if self.weighted else None
        return Memberships(item, codes, self._columns, weight, np.where(absent, nan, 0.0))


class FromIrds(Groups):
    """A field of the documents, or of the judgments, of an ir_datasets id; see :func:`from_irds`.

    Documents are cached once read.
    """

    def __init__(self, dataset_id: str, field: str | Callable[[Any], Any],
                 labels: Iterable[Any] | None = None, name: str | None = None,
                 entity: str | None = None, order: Iterable[Any] | None = None) -> None:
        if entity not in (None, "docs", "qrels"):
            raise ValueError(f"entity={shown(entity)} is not possible: a field is one of the "
                             "'docs' or of the 'qrels'")
        if name is None and isinstance(field, str):
            name = f"{dataset_id}/{field}"
        super().__init__(name, labels, order)
        self.dataset_id = dataset_id
        self.field = field
        self.entity = entity
        self.complete = labels is not None
        self._cache: dict[str, Found] = {}
        self._warned = False

    def _content(self) -> Any:
        return (self.dataset_id, self.field, self.labels, self.complete, self.entity, self.order)

    def state(self) -> str:
        # The dataset id identifies a corpus, but judgments may be files of the user.
        if self._judged is None:
            return ""
        return fingerprint.of_value(self._judged.content())

    @property
    def by_topic(self) -> bool:  # type: ignore[override]
        return self._judged is not None

    def _entity(self, dataset: Any) -> str:
        """Return the entity that has the field, ``'docs'`` or ``'qrels'``.

        :raises ValueError: neither has it
        """
        fields = {entity: getattr(dataset, f"{entity}_cls")()._fields
                  for entity in ("docs", "qrels") if dataset.has(entity)}
        if self.entity is not None:
            fields = {self.entity: fields.get(self.entity, ())}
        for entity, names in fields.items():
            if self.field in names or (callable(self.field) and names):
                return entity
        texts = [f"{', '.join(names)} ({entity})" for entity, names in fields.items()]
        raise ValueError(f"{self.dataset_id!r} has no field {self.field!r}; it has "
                         f"{' and '.join(texts) or 'none'}")

    def _groups(self, record: Any) -> Found:
        """Return the groups of a document or judgment."""
        try:
            value = self.field(record) if callable(self.field) else getattr(record, self.field)
        except Exception as error:  # the user's function
            raise ValueError(f"the function for the groups of {record.doc_id!r} in "
                             f"{self.dataset_id} raised {error!r}") from error
        if isinstance(value, str) and value == "-":
            return (), ""  # no group, and nothing to warn of
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        texts = []
        for value in values:
            if isinstance(value, enum.Enum):
                texts.append(value.name)
            elif not is_no_group(value):
                texts.append(label_text(value))
        labels = [text for text in texts if text not in UNANNOTATED]
        if self.complete:
            labels = [label for label in labels if label in (self.labels or ())]
        if labels:
            return tuple(labels), ""
        return (), f"{_OTHER}{texts[0]}" if texts else _NOTHING

    def fetch(self, docnos: Iterable[str]) -> dict[str, Found]:
        """Return the groups of documents by docno; documents read before are cached."""
        docnos = list(dict.fromkeys(docnos))
        unread = [docno for docno in docnos if docno not in self._cache]
        if unread:
            from pt_fairness.io import irds as reading
            groups: dict[str, Found] = dict.fromkeys(unread, ((), MISSING))
            for document in reading.documents(self.dataset_id, unread, self.name):
                if document.doc_id in groups:
                    groups[document.doc_id] = self._groups(document)
            self._cache.update(groups)
        return {docno: self._cache[docno] for docno in docnos}

    def remember(self, groups: Mapping[str, Found]) -> None:
        """Add results of an earlier :meth:`fetch` to the cache."""
        self._cache.update(groups)

    def _warn_once(self, groups: Mapping[str, Found]) -> None:
        """Warn of documents without groups, once per object."""
        causes = {docno: cause for docno, (_, cause) in groups.items() if cause}
        if self._warned or not causes:
            return
        self._warned = True
        reasons = pd.Series(causes, dtype=object)
        outside = reasons[reasons.str.startswith(_OTHER)]
        details = [_detail(reasons[reasons == MISSING], "not in the corpus"),
                   _detail(reasons[reasons == _NOTHING], "without a value")]
        if len(outside):
            label = outside.iloc[0].removeprefix(_OTHER)
            details.append(_detail(outside, f"with a value other than "
                                   f"{', '.join(self.labels or ())}", f" has {label!r}"))
        warn(f"{self.name}: {len(reasons)} of {len(groups)} documents have no group and count as "
             f"unannotated: {'; '.join(filter(None, details))}")

    @cached_property
    def _judged(self) -> Table | None:
        """The groups of the judgments; ``None`` if the documents have the field.

        If any judgment of a topic and document has a positive relevance, the others are ignored.
        """
        from pt_fairness.io import irds as reading
        dataset = reading.dataset(self.dataset_id)
        if self._entity(dataset) == "docs":
            return None
        rows = reading.judgments(dataset.qrels_handler())
        positive = {(row.query_id, row.doc_id) for row in rows if row.relevance > 0}
        triples = []
        for row in rows:
            pair = row.query_id, row.doc_id
            if row.relevance > 0 or pair not in positive:
                triples += [(*pair, label) for label in self._groups(row)[0] or ("-",)]
        frame = pd.DataFrame(triples, columns=["qid", "docno", "group"], dtype=object)
        return Table.of_frame(frame)

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        if self._judged is not None:
            return self._judged.find(qids, docnos)
        groups = self.fetch(map(str, pd.unique(np.asarray(docnos, dtype=object))))
        self._warn_once(groups)
        pairs = []
        for docno, (labels, cause) in groups.items():
            if cause != MISSING:
                pairs += [(docno, label) for label in labels or ("-",)]
        frame = pd.DataFrame(pairs, columns=["docno", "group"], dtype=object)
        return Table.of_frame(frame).find(qids, docnos)


def _detail(reasons: pd.Series, what: str, label: str = "") -> str:
    """Return the number of documents without groups for a reason; ``''`` if there are none."""
    if len(reasons):
        return f"{len(reasons)} {what} (the first: {reasons.index[0]!r}{label})"
    return ""



def from_votes(frame: pd.DataFrame, name: str | None = None, order: Iterable[Any] | None = None, *,
               shares: bool = False) -> Groups:
    """Return groups from the votes of several annotators.

    The group of a document is the label with the most votes. A document whose first labels have
    equally many has no group; one warning counts these. The label set holds every label that has a
    vote.

    Source: Gezici et al. (2021), section 4.2, the majority of three or five annotators.

    :param frame: columns ``docno, annotator, label`` or ``qid, docno, annotator, label``, a row for
        each vote. A missing or empty label, or ``-``, is no vote.
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :param shares: whether a document is in the group of every label that it has votes for, with the
        number of these votes as weight, instead of in that of the majority
    :raises ValueError: a column or an identifier is missing, there is no vote, an annotator has two
        votes for a document, or ``order`` lacks a label

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> votes = pd.DataFrame({"docno": ["a", "a", "a", "b", "b"],
    ...                       "annotator": ["u", "v", "w", "u", "v"],
    ...                       "label": ["PRO", "CON", "PRO", "CON", "CON"]})
    >>> groups.from_votes(votes).lookup(["1", "1"], ["a", "b"])
      qid docno group
    0   1     a   PRO
    1   1     b   CON
    >>> groups.from_votes(votes, shares=True).lookup(["1"], ["a"])
      qid docno group  weight
    0   1     a   CON     1.0
    1   1     a   PRO     2.0
    """
    counts = vote_counts(frame)
    most = counts.eq(counts.max(axis=1), axis=0)
    tied = most.sum(axis=1) > 1
    if tied.any() and not shares:
        warn(f"{tied.sum()} of {len(counts)} documents with votes, such as "
             f"{_document(tied.idxmax())}, have no majority and so no group; with shares=True, all "
             "labels of a document are its groups")
    votes = counts if shares else most[~tied].astype(int)
    row, label = votes.to_numpy().nonzero()
    rows = votes.index[row].to_frame(index=False).assign(group=votes.columns[label])
    if shares:
        rows["weight"] = votes.to_numpy()[row, label]
    return _Frame(Table.of_frame(rows), name, order, counts.columns)


def vote_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the number of votes for each label, a row for each document that has a vote.

    :param frame: as of :func:`from_votes`
    :returns: a column for each label; the index is ``docno``, or ``qid`` and ``docno``
    :raises ValueError: as :func:`from_votes`
    """
    need_columns(frame, ["docno", "annotator", "label"], "the frame of votes")
    document = ["qid", "docno"] if "qid" in frame else ["docno"]
    ids = [*document, "annotator"]
    frame = frame[~frame["label"].map(is_no_group)]
    need_rows(frame, "the frame of votes, without the rows that have no label,")
    votes = with_text_ids(frame, "frame of votes", *ids)
    votes["label"] = frame["label"].map(label_text)
    for _, vote in votes[votes.duplicated(ids)][:1].iterrows():
        raise ValueError(f"annotator {vote['annotator']!r} has two votes for "
                         f"{_document(tuple(vote[document]))}; keep one of them")
    return votes.groupby([*document, "label"]).size().unstack(fill_value=0)


def _document(key: Any) -> str:
    """Return the name of a document in a message; ``key`` is its entry in the index."""
    *qid, docno = key if isinstance(key, tuple) else (key,)
    return f"{docno!r}" + "".join(f" of topic {one!r}" for one in qid)


REGISTRY = Registry(Groups, from_file,
                    "from_frame, from_mapping, from_pattern, from_text or from_file",
                    convert=of_data)


def register(name: str, groups: Groups | Callable[[], Groups]) -> None:
    """Make groups available as ``groups=name``, until :func:`unregister`.

    Groups registered under the same name before are replaced.

    :param groups: a Groups object, or a function that makes one when a measure first needs it
    :raises ValueError: it is neither, or the name is empty

    Examples
    --------
    >>> from pt_fairness import groups, rND
    >>> groups.register("opinions", groups.from_mapping({"a": "PRO", "b": "CON"}))
    >>> rND(groups="opinions") @ 5
    rND(groups='opinions')@5
    >>> groups.unregister("opinions")
    """
    REGISTRY.register(name, groups)


unregister = REGISTRY.unregister
names = REGISTRY.names
get = REGISTRY.get
