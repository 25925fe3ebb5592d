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
from pt_fairness.io.word_counts import THRESHOLD, Tokenizer, WordCounts

#: The groups of a document, and the reason if it has none, ``''`` if there is nothing to warn of.
Found = tuple[tuple[str, ...], str]
#: The reason of a document that the corpus lacks.
MISSING = "missing"


def from_irds(dataset_id: str, field: str | Callable[[Any], Any],
              labels: Iterable[Any] | None = None, name: str | None = None,
              *, order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a field of the documents, or of the judgments, of an ir_datasets id.

    Nothing is read before groups are needed. Documents are then read from the docstore.

    :param field: the name of a field of the documents, or else of the judgments; or, for nested
        fields, a function of a document (of a judgment if the id lacks documents), such as
        ``lambda argument: [premise.stance for premise in argument.premises[:1]]``. Several values
        are several groups. The label of an enumeration member is its name. ``None``, ``''`` and
        ``-`` mean no group. A measure with a function can be pickled only if the function can, as
        functions of modules can.
    :param labels: the possible labels; other values mean no group
    :param name: the name of the groups; by default ``dataset_id/field``, or derived from the
        content if ``field`` is a function
    :param order: the labels in ascending order, for ordinal measures
    :raises ValueError: if ``order`` lacks a label; once groups are needed, if the dataset or field
        does not exist

    Examples
    --------
    >>> from pt_fairness import groups
    >>> stances = groups.from_irds("pt-fairness/debates", "stance", labels=["PRO", "CON"])
    >>> stances.lookup(["1", "1"], ["d01-01", "d01-02"])
      qid   docno group
    0   1  d01-01   PRO
    1   1  d01-02   CON
    """
    return FromIrds(dataset_id, field, labels, name, order)


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
    :param name: the name of the groups; by default derived from the parameters
    :param shares: whether documents that are not neutral are in each group by its share of their
        words, and only documents of at most ``threshold`` words are neutral
    :param threshold: the largest number of words in a neutral document, at least 0
    :param tokenize: splits a lowercased text into tokens. The default splits at white space, so
        that ``she,`` is not the word ``she``; ``re.compile(r"\\w+").findall`` also splits at
        punctuation. A measure with a function can be pickled only if the function can.
    :param order: the labels in ascending order, for ordinal measures
    :raises ValueError: if a group lacks words, a word is in several groups or is not one token,
        ``neutral`` is one of the groups, or ``order`` lacks a label; once groups are needed, the
        dataset does not exist

    The code of Rekabsaz et al. (2021) has the threshold 1.

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
            raise ValueError("neutral must be None or a label besides the groups "
                             f"{listed(counts.groups)}, got {shown(neutral)}")
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
        item, codes = members[:, :len(self._columns)].nonzero()
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
                 order: Iterable[Any] | None = None) -> None:
        if name is None and isinstance(field, str):
            name = f"{dataset_id}/{field}"
        super().__init__(name, labels, order)
        self.dataset_id = dataset_id
        self.field = field
        self.complete = labels is not None
        self._cache: dict[str, Found] = {}
        self._warned = False

    def _content(self) -> Any:
        return self.dataset_id, self.field, self.labels, self.complete, self.order

    @property
    def judged(self) -> bool:  # type: ignore[override]
        return self._judged is not None

    by_topic = judged  # type: ignore[assignment]

    def _groups(self, record: Any) -> Found:
        """Return the groups of a document or judgment."""
        try:
            value = self.field(record) if callable(self.field) else getattr(record, self.field)
        except Exception as error:  # the user's function
            raise ValueError(f"the function for the groups of {record.doc_id!r} in "
                             f"{self.dataset_id} raised {error!r}") from error
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        texts = [value.name if isinstance(value, enum.Enum) else label_text(value)
                 for value in values if not is_no_group(value)]
        labels = tuple(text for text in texts if not self.complete or text in (self.labels or ()))
        if labels or (isinstance(value, str) and value == "-"):
            return labels, ""
        return (), f"the value {texts[0]!r}" if texts else "no value"

    def fetch(self, docnos: Iterable[str]) -> dict[str, Found]:
        """Return the groups of documents by docno; documents read before are cached."""
        docnos = list(dict.fromkeys(docnos))
        unread = [docno for docno in docnos if docno not in self._cache]
        if unread:
            from pt_fairness.io import irds as reading
            found = {document.doc_id: self._groups(document)
                     for document in reading.documents(self.dataset_id, unread, self.name)}
            self._cache |= dict.fromkeys(unread, ((), MISSING)) | found
        return {docno: self._cache[docno] for docno in docnos}

    @cached_property
    def _judged(self) -> Table | None:
        """The groups of the judgments; ``None`` if the documents have the field.

        If any judgment of a topic and document has a positive relevance, the others are ignored.

        :raises ValueError: if neither has the field
        """
        from pt_fairness.io import irds as reading
        dataset = reading.dataset(self.dataset_id)
        fields = {entity: getattr(dataset, f"{entity}_cls")()._fields
                  for entity in ("docs", "qrels") if dataset.has(entity)}
        entities = [entity for entity in fields
                    if callable(self.field) or self.field in fields[entity]]
        if not entities:
            raise ValueError(f"field must be one of the fields {listed(fields.values())} of "
                             f"{self.dataset_id}, got {self.field!r}")
        if entities[0] == "docs":
            return None
        rows = list(dataset.qrels_iter())
        positive = {(row.query_id, row.doc_id) for row in rows if row.relevance > 0}
        judgments = [(row.query_id, row.doc_id, self._groups(row)[0]) for row in rows
                     if row.relevance > 0 or (row.query_id, row.doc_id) not in positive]
        frame = pd.DataFrame(judgments, columns=["qid", "docno", "group"], dtype=object)
        return Table.of_frame(frame)

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        if self._judged is not None:
            return self._judged.find(qids, docnos)
        documents = pd.unique(np.asarray(docnos, dtype=object))
        groups = self.fetch(map(str, documents))
        without = [(docno, reason) for docno, (_, reason) in groups.items() if reason]
        if without and not self._warned:
            self._warned = True
            docno, reason = without[0]
            warn(f"{self.name}: {len(without)} of {len(groups)} documents are without a group and "
                 f"count as unannotated (the first: {docno!r}, {reason})")
        pairs = [(docno, labels) for docno, (labels, reason) in groups.items()
                 if reason != MISSING]
        frame = pd.DataFrame(pairs, columns=["docno", "group"], dtype=object)
        return Table.of_frame(frame).find(qids, docnos)
