"""Groups from the documents of a corpus: their fields, their words, and labels of a model."""

from __future__ import annotations

import enum
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.identifiers import as_frame, texts_of, with_text_ids
from pt_fairness.core.messages import at_least, label_text, listed, shown, warn
from pt_fairness.groups.group_source import Groups
from pt_fairness.groups.memberships import Memberships, Table, is_no_group
from pt_fairness.groups.sources import from_mapping, labels_and_weights
from pt_fairness.io import documents as reading
from pt_fairness.io.documents import THRESHOLD, Tokenizer, WordCounts, texts_by_docno
from pt_fairness.io.files import need_columns, need_frame
from pt_fairness.io.runs import load_topics

#: The groups of a document, and why it has none, ``''`` if no warning is needed.
Found = tuple[tuple[str, ...], str]
#: The reason if the corpus lacks the document.
MISSING = "missing"
#: The file in the folder of a cache that names the labeller.
LABELLER = "labeller.json"
#: The identifiers of a document: its topic, if labels belong to a topic, and its docno.
Key = tuple[str, ...]


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
              tokenize: Tokenizer = str.split,
              order: Iterable[Any] | None = None) -> Groups:
    """Return groups from the words in documents.

    The group of a document is the one with the most words in its text. A document with at most one
    word of all groups is neutral, as in the code of Rekabsaz et al. (2021), and so is one in which
    several groups have the most.
    :func:`pt_fairness.values.from_text` returns numbers from the same words. Nothing is read before
    groups are needed. Documents are then read from the docstore, once, with a progress bar.

    :param documents: an ir_datasets id, whose default text of a document counts, or a frame
        ``docno, text``
    :param words: the words of each group, by group; no word is in two of them. Texts and words are
        lowercased.
    :param neutral: the label of neutral documents; ``None`` to leave them unannotated
    :param name: the name of the groups; by default derived from the parameters
    :param shares: whether documents that are not neutral are in each group by its share of their
        words, and only documents of at most one word are neutral
    :param tokenize: splits a lowercased text into tokens. The default splits at white space, so
        that ``she,`` is not the word ``she``; ``re.compile(r"\\w+").findall`` also splits at
        punctuation. A measure with a function can be pickled only if the function can.
    :param order: the labels in ascending order, for ordinal measures
    :raises ValueError: if a group lacks words, a word is in several groups or is not one token,
        ``neutral`` is one of the groups, or ``order`` lacks a label; once groups are needed, the
        dataset does not exist

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
    return FromText(counts, neutral, shares, name, order)


class FromText(Groups):
    """Groups by the words in the texts of documents; see :func:`from_text`."""

    complete = True

    def __init__(self, counts: WordCounts, neutral: Any | None = "neutral", shares: bool = False,
                 name: str | None = None, order: Iterable[Any] | None = None) -> None:
        labels = [*counts.groups]
        if neutral is not None:
            labels.append(label_text(neutral))
        if len({*labels}) < len(labels) or (neutral is not None and is_no_group(neutral)):
            raise ValueError("neutral must be None or a label besides the groups "
                             f"{listed(counts.groups)}, got {shown(neutral)}")
        super().__init__(name, labels, order)
        self.weighted = shares
        self._counts = counts
        #: The labels in the order of the counts.
        self._columns = labels

    def _content(self) -> Any:
        return self._counts.content(), self._columns, self.order, self.weighted

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        counts = self._counts.find(docnos, self.name)
        total = counts.sum(axis=1, keepdims=True)
        neutral = total <= THRESHOLD
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
        texts = []
        for label in values:
            if not is_no_group(label):
                texts.append(label.name if isinstance(label, enum.Enum) else label_text(label))
        labels = tuple(texts)
        if self.complete:
            labels = tuple(filter((self.labels or []).__contains__, texts))
        if labels or (isinstance(value, str) and value == "-"):
            return labels, ""
        return (), f"the value {texts[0]!r}" if texts else "no value"

    def fetch(self, docnos: Iterable[str]) -> dict[str, Found]:
        """Return the groups of documents by docno; documents read before are cached."""
        docnos = list(dict.fromkeys(docnos))
        unread = [docno for docno in docnos if docno not in self._cache]
        if unread:
            groups: dict[str, Found] = dict.fromkeys(unread, ((), MISSING))
            for document in reading.documents(self.dataset_id, unread, self.name):
                groups[document.doc_id] = self._groups(document)
            self._cache |= groups
        return {docno: self._cache[docno] for docno in docnos}

    @cached_property
    def _judged(self) -> Table | None:
        """The groups of the judgments; ``None`` if the documents have the field.

        If any judgment of a topic and document has a positive relevance, the others are ignored.

        :raises ValueError: if neither has the field
        """
        dataset = reading.dataset(self.dataset_id)
        fields = {}
        if dataset.has_docs():
            fields["docs"] = dataset.docs_cls()._fields
        if dataset.has_qrels():
            fields["qrels"] = dataset.qrels_cls()._fields
        entities = [*fields]
        if not callable(self.field):
            entities = [entity for entity in fields if self.field in fields[entity]]
        if not entities:
            raise ValueError(f"field must be one of the fields {listed(fields.values())} of "
                             f"{self.dataset_id}, got {self.field!r}")
        if entities[0] == "docs":
            return None
        rows = []
        for row in dataset.qrels_iter():
            labels, _ = self._groups(row)
            rows.append((row.query_id, row.doc_id, labels, row.relevance > 0))
        frame = pd.DataFrame(rows, columns=["qid", "docno", "group", "positive"])
        pairs = frame.groupby(["qid", "docno"])
        has_positive = pairs["positive"].transform("any")
        counts = frame.pop("positive") | ~has_positive
        return Table.read(frame[counts])

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        if self._judged is not None:
            return self._judged.find(qids, docnos)
        groups = self.fetch(map(str, docnos))
        without = {docno: reason for docno, (_, reason) in groups.items() if reason}
        if without and not self._warned:
            self._warned = True
            docno, reason = next(iter(without.items()))
            warn(f"{self.name}: {len(without)} of {len(groups)} documents are without a group and "
                 f"count as unannotated (the first: {docno!r}, {reason})")
        present = {docno: labels for docno, (labels, reason) in groups.items() if reason != MISSING}
        frame = pd.DataFrame(present.items(), columns=["docno", "group"], dtype=object)
        return Table.read(frame).find(qids, docnos)


def from_transformer(labeller: Callable[[pd.DataFrame], pd.DataFrame], texts: Any = None,
                     topics: Any = None, column: str = "group",
                     cache: str | os.PathLike[str] | None = None, batch_size: int = 64,
                     order: Iterable[Any] | None = None, name: str | None = None) -> Groups:
    """Return groups that a PyTerrier transformer assigns to documents, such as a classifier.

    Each document is labelled once, when a measure needs its group, with a progress bar. A model
    makes errors, which make measures too fair or too unfair: see :func:`error_rates` and
    :func:`model_labels`.

    :param labeller: takes a frame with ``docno`` and the columns that ``texts`` and ``topics`` add.
        It returns these rows, in any order, with ``column``
    :param texts: adds ``text``: an ir_datasets id, a dataset of ``pt.get_dataset("irds:…")``, a
        frame ``docno, text`` or a dictionary docno → text
    :param topics: adds ``qid, query``, so that labels belong to a topic and document; in the
        forms that :func:`pt_fairness.evaluate` takes. By default, labels belong to a document
    :param column: the column with a label, a list of labels, a dictionary label → probability
        (weights), or a missing value for a document without a group
    :param cache: the folder of a ``KeyValueCache`` of pyterrier-caching (``pip install
        'pt-fairness[labels]'``), which stores the labels batch by batch, so that an interrupted
        labelling continues where it stopped. A folder belongs to one labeller; choose another one
        if the texts or topics change
    :param batch_size: the number of documents that the labeller receives at a time
    :param order: the labels in ascending order, for ordinal measures
    :param name: the name of the groups, and of the labeller in its cache; required if labellers
        look alike, as two functions of ``pt.apply`` do
    :raises ValueError: if a document has two texts, or the cache belongs to another labeller; once
        documents are labelled, if the labeller raises, or its result lacks the column, or has a
        document twice or one that was not in the frame
    :raises ImportError: if there is a cache, but pyterrier-caching is not installed

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pt_fairness import groups
    >>> tagger = pt.apply.group(lambda row: "PRO" if "good" in row["text"] else "CON")
    >>> source = groups.from_transformer(tagger, {"a": "All is good.", "b": "Nothing is."})
    >>> source.lookup(["1", "1"], ["a", "b"])[["docno", "group"]]
      docno group
    0     a   PRO
    1     b   CON
    """
    return FromTransformer(labeller, texts, topics, column, cache, batch_size, order, name)


class FromTransformer(Groups):
    """Groups that a transformer assigns to documents; see :func:`from_transformer`."""

    def __init__(self, labeller: Callable[[pd.DataFrame], pd.DataFrame], texts: Any, topics: Any,
                 column: str, cache: str | os.PathLike[str] | None, batch_size: int,
                 order: Iterable[Any] | None, name: str | None) -> None:
        super().__init__(name, order=order)
        if not callable(labeller):
            raise ValueError(f"labeller must be a PyTerrier transformer, got {shown(labeller)}")
        at_least(1, "batch_size", batch_size)
        self.by_topic = topics is not None
        self._labeller = labeller
        self._texts = text_source(texts)
        self._topics = None
        #: The columns that identify a document.
        self._ids = ["docno"]
        if topics is not None:
            queries = load_topics(topics).drop(columns="docno", errors="ignore")
            # Results have a row for each document.
            queries = with_text_ids(queries, "frame of topics", "qid")
            self._topics = queries.drop_duplicates("qid")
            self._ids = ["qid", "docno"]
        self._column = column
        self._cache = cache
        self._batch_size = batch_size
        #: The labels of each document, as returned.
        self._labels: dict[Key, Any] = {}
        with self._labelling():  # checks the cache
            pass

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        """Whether any document that was labelled so far has weights."""
        return any(isinstance(labels, Mapping) for labels in self._labels.values())

    def _content(self) -> Any:
        return self._labeller, self._texts, self._topics, self._column, self.order

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        columns = [qids, docnos] if self.by_topic else [docnos]
        keys = dict.fromkeys(zip(*columns, strict=True))
        if keys.keys() - self._labels.keys():
            self._label(keys)
        return self._source(keys).annotate(qids, docnos)

    def documents(self) -> tuple[Any, Any] | None:
        """Return the topics and the docnos of the documents that were labelled so far."""
        with self._labelling():  # reads the cache
            return self._source(self._labels).documents()

    def to_frame(self) -> pd.DataFrame:
        """Return the labels so far, to be checked by hand, shared, or read by :func:`from_file`.

        :returns: ``docno, group``, and ``qid`` in front if labels belong to a topic, ``weight`` if
            documents have weights. A document without a group lacks a row
        """
        with self._labelling():
            source = self._source(self._labels)
        qids, docnos = source.documents() or (None, [])
        if qids is None:
            qids = docnos
        frame = source.lookup(qids, docnos)
        if source.weighted:
            frame["weight"] = frame["weight"].fillna(1.0)
        return frame if self.by_topic else frame.drop(columns="qid")

    def _source(self, keys: Iterable[Key]) -> Groups:
        """Return the labels of some documents as groups."""
        mapping: dict[str, Any] = {}
        for key in keys:
            labels = self._labels[key]
            if pd.api.types.is_scalar(labels):
                labels = [labels]
            documents = mapping.setdefault(key[0], {}) if self.by_topic else mapping
            documents[key[-1]] = labels
        return from_mapping(mapping)

    @contextmanager
    def _labelling(self) -> Iterator[Callable[[pd.DataFrame], pd.DataFrame]]:
        """Yield the function that labels a batch; with a cache, read its labels first.

        Other processes that need the cache wait, so that each document is labelled once.

        :raises ValueError: if the folder belongs to another labeller
        """
        if self._cache is None:
            yield self._ask
            return
        try:
            from pyterrier_caching import KeyValueCache
        except ImportError as error:
            raise ImportError("cache needs pyterrier-caching: pip install "
                              "'pt-fairness[labels]'") from error
        path = Path(self._cache)
        file = path / LABELLER
        text = re.sub(" at 0x[0-9a-fA-F]+", "", repr(self._labeller))
        identity = json.dumps({"labeller": text, "column": self._column, "name": self._name,
                               "key": self._ids})
        with reading.lock(path.with_name(f"{path.name}.lock")):
            if not path.exists():
                KeyValueCache(str(path), key=self._ids, value=["labels"]).close()
                file.write_text(identity, encoding="utf-8")
            stored = file.read_text("utf-8") if file.exists() else "no labeller"
            if stored != identity:
                raise ValueError("cache must be a new folder or a folder of the labeller "
                                 f"{identity}, got {path}, the folder of {stored}")
            with closing(KeyValueCache(str(path), self._ask)) as cache:
                for row in cache:
                    key = tuple(row[name] for name in self._ids)
                    self._labels[key] = row["labels"]
                yield cache

    def _label(self, keys: Iterable[Key]) -> None:
        """Label the documents without a label, in batches."""
        from tqdm import tqdm
        with self._labelling() as label:
            unlabelled = [key for key in keys if key not in self._labels]
            starts = range(0, len(unlabelled), self._batch_size)
            for start in tqdm(starts, desc=f"label ({self.name})", unit="batch"):
                batch = unlabelled[start:start + self._batch_size]
                frame = pd.DataFrame(batch, columns=self._ids, dtype=object)
                labels = label(frame)["labels"]
                self._labels |= zip(batch, labels, strict=True)
        left_out = [key[-1] for key in unlabelled if self._labels[key] is None]
        if left_out:
            warn(f"{self.name}: {len(left_out)} of {len(unlabelled)} documents, such as "
                 f"{left_out[0]!r}, are without a label and count as unannotated")

    def _ask(self, batch: pd.DataFrame) -> pd.DataFrame:
        """Return a batch of documents with their ``labels``, ``None`` for no label.

        :raises ValueError: if the labeller raises, or returns anything but labels of these
            documents
        """
        documents = batch
        if self._topics is not None:
            documents = documents.merge(self._topics, on="qid")
        if self._texts is not None:
            docnos = documents["docno"]
            text = docnos.map(texts_in(self._texts, docnos))
            documents = documents.assign(text=text).dropna(subset="text")
        labels = self._answer(documents) if len(documents) else {}
        column = [labels.get(key) for key in self._keys(batch)]
        return batch.assign(labels=pd.Series(column, batch.index, dtype=object))

    def _answer(self, documents: pd.DataFrame) -> dict[Key, Any]:
        """Return the labels that the labeller returns for documents."""
        docnos = documents["docno"].tolist()
        where = f"the labeller of {self.name}, for the documents {docnos[0]!r} to {docnos[-1]!r},"
        try:
            answer = self._labeller(documents)
        except Exception as error:  # of the user's code
            raise ValueError(f"{where} raised {error!r}; earlier labels are kept") from error
        need_columns(answer, [*self._ids, self._column], f"the result of {where}")
        asked = {*self._keys(documents)}
        labels: dict[Key, Any] = {}
        for key, label in zip(self._keys(answer), answer[self._column], strict=True):
            if key in labels or key not in asked:
                how = "twice" if key in labels else "in addition"
                raise ValueError(f"{where} must return each document once, got {key[-1]!r} {how}")
            labels_and_weights(key[-1], label)  # checks it
            labels[key] = [] if label is None else label  # None: the labeller left it out
        return labels

    def _keys(self, frame: pd.DataFrame) -> Iterable[Key]:
        """Return the identifiers of the documents in a frame."""
        columns = [texts_of(frame[name]) for name in self._ids]
        return zip(*columns, strict=True)


def text_source(texts: Any) -> dict[str, str] | str | None:
    """Return texts by docno, or the ir_datasets id that has them.

    :raises ValueError: if it is neither, a column is missing, or a document has two texts
    """
    if texts is None:
        return None
    if hasattr(texts, "irds_ref"):
        return str(texts.irds_ref().dataset_id())
    if isinstance(texts, str):
        return texts.removeprefix("irds:")
    if isinstance(texts, Mapping):
        texts = pd.DataFrame(texts.items(), columns=["docno", "text"])
    texts = as_frame(texts)
    need_frame(texts, "texts")
    column = texts_by_docno(texts, "text")
    return dict(zip(column.index, column, strict=True))


def texts_in(source: Mapping[str, str] | str | None, docnos: pd.Series) -> Mapping[str, str]:
    """Return the texts of documents; those without a text are left out.

    :param source: what :func:`text_source` returns
    """
    if not isinstance(source, str):
        return source or {}
    documents = reading.documents(source, {*docnos})
    return {document.doc_id: document.default_text() for document in documents}
