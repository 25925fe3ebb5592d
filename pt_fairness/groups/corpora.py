"""Groups from the fields and the words of the documents of a corpus."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.messages import at_least, label_text, listed, shown, warn
from pt_fairness.groups.group_source import Groups
from pt_fairness.groups.memberships import Memberships, Table, is_no_group
from pt_fairness.io.word_counts import (
    THRESHOLD,
    Tokenizer,
    WordCounts,
)

#: The groups of a document, and the reason for a warning if it has none, else ``''``.
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
              threshold: int = THRESHOLD, tokenize: Tokenizer = str.split,
              order: Iterable[Any] | None = None) -> Groups:
    """Return groups from the words in documents.

    The group of a document is the one with the most words in its text. A document with at most
    ``threshold`` words of all groups is neutral, as is one in which several groups have the most.
    :func:`pt_fairness.values.from_text` returns numbers from the same words. Nothing is read before
    groups are needed. Documents are then read from the docstore, once, with a progress bar.

    :param documents: an ir_datasets id, whose default text of a document counts, or a frame
        ``docno, text``
    :param words: the words of each group, by group; no word is in two of them. Texts and words are
        lowercased.
    :param neutral: the label of neutral documents; ``None`` to leave them unannotated
    :param name: the name of the groups; by default derived from a hash of the parameters
    :param shares: whether documents that are not neutral are in each group by its share of their
        words, and only documents of at most ``threshold`` words are neutral
    :param threshold: the largest number of words in a neutral document, at least 0
    :param tokenize: splits a lowercased text into tokens. The default splits at white space, so
        that ``she,`` is not the word ``she``; ``re.compile(r"\\w+").findall`` also splits at
        punctuation. A measure with a function can be pickled only if the function can.
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a group has no words, a word is in several groups or is not one token,
        ``neutral`` is one of the groups, or ``order`` lacks a label; once groups are needed, the
        dataset does not exist

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
    counts = WordCounts(documents, words, tokenize)
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
        at_least(0, "threshold", threshold)
        self._threshold = int(threshold)
        #: The labels in the order of the counts.
        self._columns = labels

    def _content(self) -> Any:
        return self._counts.content(), self._columns, self.order, self.weighted, self._threshold

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        counts = self._counts.find(docnos, self.name)
        total = counts.sum(axis=1, keepdims=True)
        neutral = total <= self._threshold
        members = counts
        if not self.weighted:
            most = counts.max(axis=1, keepdims=True)
            members = counts == most
            neutral |= members.sum(axis=1, keepdims=True) > 1
        # A column for each group, and one for the neutral documents.
        members = np.hstack([members * ~neutral, neutral])
        absent = counts[:, 0] < 0  # not in the corpus
        members[absent] = 0
        columns = len(self._columns)
        item, codes = members[:, :columns].nonzero()
        weight = None
        if self.weighted:
            weight = members[item, codes].astype(float)
        unknown = np.where(absent, nan, 0.0)
        return Memberships(item, codes, self._columns, weight, unknown)


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

    @property
    def judged(self) -> bool:  # type: ignore[override]
        return self._judged is not None

    by_topic = judged  # type: ignore[assignment]

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
        existing = [f"{', '.join(names)} ({entity})" for entity, names in fields.items()]
        listing = " and ".join(existing) or "none"
        raise ValueError(f"{self.dataset_id!r} has no field {self.field!r}; it has {listing}")

    def _groups(self, record: Any) -> Found:
        """Return the groups of a document or judgment."""
        try:
            value = self.field(record) if callable(self.field) else getattr(record, self.field)
        except Exception as error:  # the user's function
            raise ValueError(f"the function for the groups of {record.doc_id!r} in "
                             f"{self.dataset_id} raised {error!r}") from error
        if isinstance(value, str) and value == "-":
            return (), ""  # no group, and nothing to warn of
        values = value
        if not isinstance(value, (list, tuple, set, frozenset)):
            values = [value]
        texts = []
        for value in values:
            if isinstance(value, enum.Enum):
                texts.append(value.name)
            elif not is_no_group(value):
                texts.append(label_text(value))
        labels = texts
        if self.complete:
            labels = [text for text in texts if text in (self.labels or ())]
        if labels:
            return tuple(labels), ""
        if texts:
            return (), f"{_OTHER}{texts[0]}"
        return (), _NOTHING

    def fetch(self, docnos: Iterable[str]) -> dict[str, Found]:
        """Return the groups of documents by docno; documents read before are cached."""
        docnos = list(dict.fromkeys(docnos))
        unread = [docno for docno in docnos if docno not in self._cache]
        if unread:
            from pt_fairness.io import irds as reading
            missing: Found = (), MISSING
            groups = dict.fromkeys(unread, missing)
            for document in reading.documents(self.dataset_id, unread, self.name):
                if document.doc_id in groups:
                    groups[document.doc_id] = self._groups(document)
            self._cache.update(groups)
        return {docno: self._cache[docno] for docno in docnos}

    def _warn_once(self, groups: Mapping[str, Found]) -> None:
        """Warn of documents without groups, once per object."""
        causes = {docno: cause for docno, (_, cause) in groups.items() if cause}
        if self._warned or not causes:
            return
        self._warned = True
        reasons = pd.Series(causes, dtype=object)
        declared = ", ".join(self.labels or ())
        kinds = reasons.map({MISSING: "not in the corpus", _NOTHING: "without a value"})
        kinds = kinds.fillna(f"with a value other than {declared}")
        details = []
        for kind, of_kind in reasons.groupby(kinds):
            first = repr(of_kind.index[0])
            reason = of_kind.iloc[0]
            if reason.startswith(_OTHER):
                first += f" has {reason.removeprefix(_OTHER)!r}"
            details.append(f"{len(of_kind)} {kind} (the first: {first})")
        warn(f"{self.name}: {len(reasons)} of {len(groups)} documents have no group and count as "
             f"unannotated: {'; '.join(details)}")

    @cached_property
    def _judged(self) -> Table | None:
        """The groups of the judgments; ``None`` if the documents have the field.

        If any judgment of a topic and document has a positive relevance, the others are ignored.
        """
        from pt_fairness.io import irds as reading
        dataset = reading.dataset(self.dataset_id)
        if self._entity(dataset) == "docs":
            return None
        rows = list(dataset.qrels_iter())
        positive = {(row.query_id, row.doc_id) for row in rows if row.relevance > 0}
        judgments = []
        for row in rows:
            pair = row.query_id, row.doc_id
            if row.relevance > 0 or pair not in positive:
                labels, _ = self._groups(row)
                judgments.append((*pair, labels))
        frame = pd.DataFrame(judgments, columns=["qid", "docno", "group"], dtype=object)
        return Table.of_frame(frame)

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        if self._judged is not None:
            return self._judged.find(qids, docnos)
        documents = pd.unique(np.asarray(docnos, dtype=object))
        groups = self.fetch(map(str, documents))
        self._warn_once(groups)
        pairs = [(docno, labels) for docno, (labels, cause) in groups.items() if cause != MISSING]
        frame = pd.DataFrame(pairs, columns=["docno", "group"], dtype=object)
        return Table.of_frame(frame).find(qids, docnos)
