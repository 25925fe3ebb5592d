"""Counts of the words of groups in the texts of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Ints
from pt_fairness.core.identifiers import as_frame, texts_of
from pt_fairness.core.messages import UNANNOTATED, label_text, listed, shown, warn

Tokenizer = Callable[[str], Iterable[str]]
Words = Mapping[Any, Iterable[str]]
#: The largest number of words of groups in a neutral text (Rekabsaz et al. 2021, their code).
THRESHOLD = 1


class WordCounts:
    """Counts of the words of each group in the documents of an ir_datasets id.

    Documents are read when their counts are needed, and their counts are cached.

    :param dataset_id: the id of the documents
    :param words: the words of each group, by group, or a function that returns them when they are
        first needed; they are lowercased
    :param field: the field of the documents with the text; ``None`` for ir_datasets' default text
    :param tokenize: splits a lowercased text into tokens; applied to ``words`` as well
    :param groups: the groups, if ``words`` is a function
    :raises ValueError: a group has no words, a label is there twice, a word is in several groups or
        is not one token
    """

    def __init__(self, dataset_id: str, words: Words | Callable[[], Words],
                 field: str | None = None, tokenize: Tokenizer = str.split,
                 groups: Sequence[str] = ()) -> None:
        self.dataset_id = dataset_id
        self.field = field
        self.tokenize = tokenize
        #: The name of the documents in warnings.
        self.where = f"the corpus {dataset_id}"
        #: The groups, in the order of ``words``.
        self.groups = list(groups)
        self._words = words
        self._warned = False
        if not callable(words):
            if not isinstance(words, Mapping) or not words:
                raise ValueError(f"words={shown(words)} has to be a dictionary of the words of "
                                 "each group, such as {'female': ['she', 'her'], 'male': ['he', "
                                 "'his']}")
            self.groups = [label_text(group) for group in words]
            if len(set(self.groups)) < len(self.groups):
                raise ValueError(f"the groups {listed(words)} have the same label twice; labels "
                                 "are text, and a number is the label of its digits")
            _ = self._codes  # checks the words
        empty = pd.Index([], dtype=object)
        self._known = pd.DataFrame(columns=self.groups, index=empty, dtype=np.int32)

    @cached_property
    def _codes(self) -> dict[str, int]:
        """The index of the group of each word.

        :raises ValueError: a group has no words, a word is in several groups or is not one token
        """
        words = self._words() if callable(self._words) else self._words
        codes: dict[str, int] = {}
        for code, group_words in enumerate(words.values()):
            group = self.groups[code]
            for token in self._tokens(group, group_words):
                first = codes.setdefault(token, code)
                if first != code:
                    raise ValueError(f"the word {token!r} is in the groups {self.groups[first]!r} "
                                     f"and {group!r}; it has to be in one of them")
        return codes

    def _tokens(self, group: str, words: Iterable[str]) -> list[str]:
        if group in UNANNOTATED:
            raise ValueError(f"{group!r} cannot be a group: it stands for no group")
        words = [words] if isinstance(words, str) else list(words)
        if not words:
            raise ValueError(f"the group {group!r} has no words; give it some, or leave it out")
        group_tokens = []
        for word in words:
            tokens = []
            if isinstance(word, str):
                tokens = list(self.tokenize(word.lower()))
            if len(tokens) != 1:
                raise ValueError(f"the word {word!r} of the group {group!r} has to be one token, "
                                 f"but tokenize makes {listed(tokens) or 'none'} of it")
            group_tokens += tokens
        return group_tokens

    def __len__(self) -> int:
        return len(self._known)

    def content(self) -> Any:
        """Return what the counts depend on, to be hashed."""
        words = sorted(self._codes.items())
        return self.dataset_id, self.field, self.tokenize, self.groups, words

    def of(self, docnos: Any, name: str) -> Ints:
        """Return the counts of documents, ``[n, groups]``, −1 for documents not in the corpus.

        :param docnos: the documents as text, ``[n]``; one can be there several times
        :param name: the description of the progress bar, and the subject of the warning
        :raises ValueError: the dataset or field does not exist, or a document has no text
        """
        docnos = pd.Index(docnos, dtype=object)
        unread = docnos.unique().difference(self._known.index, sort=False)
        if len(unread):
            added = self.read(unread, name)
            self._known = pd.concat([self._known, added])
        counts = self._known.reindex(docnos).to_numpy(np.int32)
        unknown = counts[:, 0] < 0
        missing = docnos[unknown].unique()
        if len(missing) and not self._warned:
            self._warned = True
            warn(f"{name}: {len(missing)} of {docnos.nunique()} documents are not in "
                 f"{self.where} (the first: {missing[0]!r}), so that their words are unknown")
        return counts

    def read(self, docnos: pd.Index, name: str) -> pd.DataFrame:
        """Read documents and return their counts: a row for each document, a column for each group.

        :param docnos: the documents, distinct
        :param name: the description of the progress bar
        """
        read: list[str] = []
        cells = []
        code_of = self._codes.get
        size = len(self.groups)
        for docno, text in self._texts(docnos, name):
            if not isinstance(text, str):
                raise ValueError(f"the field {self.field!r} of {docno!r} in {self.dataset_id} is "
                                 f"{shown(text)}; it has to be text")
            first = size * len(read)
            read.append(docno)
            tokens = self.tokenize(text.lower())
            codes = map(code_of, tokens)
            cells += [first + code for code in codes if code is not None]
        counts = np.bincount(np.array(cells, np.int64), minlength=size * len(read))
        counts = counts.reshape(-1, size)
        index = pd.Index(read, dtype=object)
        frame = pd.DataFrame(counts, index=index, columns=self.groups, dtype=np.int32)
        repeated = index.duplicated()
        return frame[~repeated].reindex(docnos, fill_value=-1)

    def _texts(self, docnos: pd.Index, name: str) -> Iterable[tuple[str, Any]]:
        """Yield the documents of the corpus with their texts, in any order."""
        from pt_fairness.io import irds as reading
        field = self.field
        dataset = reading.dataset(self.dataset_id)
        fields = dataset.docs_cls()._fields if dataset.has("docs") else ()
        if not fields or field not in (None, *fields):
            raise ValueError(f"the documents of {self.dataset_id!r} have no field {field!r}; "
                             f"they have {listed(fields) or 'none'}")
        for document in reading.documents(self.dataset_id, list(docnos), name):
            text = document.default_text() if field is None else getattr(document, field)
            yield document.doc_id, text


class CountsOfFrame(WordCounts):
    """Counts of the words of each group in the texts of a frame, ``docno`` and ``field``."""

    def __init__(self, frame: pd.DataFrame, words: Words, field: str | None, tokenize: Tokenizer):
        field = field or "text"
        self._of = texts_by_docno(frame, field)
        super().__init__("the frame of texts", words, field, tokenize)
        self.where = self.dataset_id

    def content(self) -> Any:
        texts = sorted(self._of.items())
        return super().content(), texts

    def _texts(self, docnos: pd.Index, name: str) -> Iterable[tuple[str, Any]]:
        present = docnos.intersection(self._of.index)
        return self._of[present].items()


def texts_by_docno(frame: pd.DataFrame, field: str) -> pd.Series:
    """Return the column ``field`` of a frame, with the docnos as index.

    :raises ValueError: a column is missing, or a document has two texts
    """
    frame = frame.rename(columns={"doc_id": "docno"})
    if not {"docno", field} <= {*frame}:
        raise ValueError(f"the frame of texts needs the columns docno, {field} and has "
                         f"{', '.join(map(str, frame.columns))}")
    rows = frame[["docno", field]].drop_duplicates()
    texts = texts_of(rows["docno"])
    docnos = pd.Index(texts, dtype=object)
    repeated = docnos[docnos.duplicated()]
    if len(repeated):
        raise ValueError(f"the frame of texts has two texts of the document {repeated[0]!r}; a "
                         "document has one")
    return rows[field].set_axis(docnos)


def counts_of(documents: str | pd.DataFrame, words: Words, field: str | None,
              tokenize: Tokenizer) -> WordCounts:
    """Return the word counts of the documents of a dataset of ir_datasets, or of a frame."""
    documents = as_frame(documents)
    if isinstance(documents, pd.DataFrame):
        return CountsOfFrame(documents, words, field, tokenize)
    return WordCounts(documents, words, field, tokenize)


def check_threshold(threshold: int) -> int:
    """Return the largest number of words of groups in a neutral text.

    :raises ValueError: it is not a whole number of at least 0
    """
    if not isinstance(threshold, (int, np.integer)) or threshold < 0:
        raise ValueError(f"threshold={shown(threshold)} has to be a whole number of at least 0: "
                         "the largest number of words in a neutral document")
    return int(threshold)
