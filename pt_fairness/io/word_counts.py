"""Counts of the words of groups in the texts of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Ints
from pt_fairness.core.identifiers import as_frame, texts_of
from pt_fairness.core.messages import UNANNOTATED, distinct_labels, listed, shown, warn
from pt_fairness.io.files import need_columns

Tokenizer = Callable[[str], Iterable[str]]
Words = Mapping[Any, Iterable[str]]
#: The largest number of words of groups in a neutral text (Rekabsaz et al. 2021, their code).
THRESHOLD = 1
#: The index of no documents.
_EMPTY = pd.Index([], dtype=object)


class WordCounts:
    """Counts of the words of each group in documents.

    Documents are read when their counts are needed, and their counts are cached.

    :param documents: an ir_datasets id, or a frame ``docno, text``
    :param words: the words of each group, by group, or a function that returns them when they are
        first needed; they are lowercased
    :param field: the field of the documents with the text; ``None`` for ir_datasets' default text,
        or the column ``text``
    :param tokenize: splits a lowercased text into tokens; applied to ``words`` as well
    :param groups: the groups, if ``words`` is a function
    :raises ValueError: if a group lacks words, a label is there twice, a word is in several groups
        or is not one token
    """

    def __init__(self, documents: str | pd.DataFrame, words: Words | Callable[[], Words],
                 field: str | None = None, tokenize: Tokenizer = str.split,
                 groups: Sequence[str] = ()) -> None:
        documents = as_frame(documents)
        #: The texts of a frame by docno, ``None`` for a dataset of ir_datasets.
        self._frame: pd.Series | None = None
        if isinstance(documents, pd.DataFrame):
            field = field or "text"
            self._frame = texts_by_docno(documents, field)
            documents = "the frame of texts"
        self.dataset_id = documents
        #: The name of the documents in warnings.
        self.where = documents if self._frame is not None else f"the corpus {documents}"
        self.field = field
        self.tokenize = tokenize
        self._words = words
        self._warned = False
        #: The groups, in the order of ``words``.
        self.groups = list(groups)
        if not callable(words):
            if not isinstance(words, Mapping) or not words:
                raise ValueError("words must be a dictionary of the words of each group, such as "
                                 "{'female': ['she', 'her'], 'male': ['he']}, got "
                                 f"{shown(words)}")
            self.groups = distinct_labels(words, "words")
            _ = self._codes  # checks the words
        self._known = pd.DataFrame(columns=self.groups, index=_EMPTY, dtype=np.int32)

    @cached_property
    def _codes(self) -> dict[str, int]:
        """The index of the group of each word.

        :raises ValueError: if a group lacks words, a word is in several groups or is not one token
        """
        by_group = self._words() if callable(self._words) else self._words
        codes: dict[str, int] = {}
        for code, words in enumerate(by_group.values()):
            group = self.groups[code]
            words = [words] if isinstance(words, str) else list(words)
            if not words or group in UNANNOTATED:
                raise ValueError(f"each group must have words and a label other than '-', got "
                                 f"{group!r} with {listed(words) or 'no words'}")
            for word in words:
                tokens = list(self.tokenize(word.lower())) if isinstance(word, str) else []
                if len(tokens) != 1:
                    raise ValueError(f"a word must be one token, got {word!r} of the group "
                                     f"{group!r}; tokenize makes {listed(tokens) or 'none'} of it")
                first = codes.setdefault(tokens[0], code)
                if first != code:
                    raise ValueError(f"a word must be in one group, got {tokens[0]!r} in "
                                     f"{self.groups[first]!r} and {group!r}")
        return codes

    def __len__(self) -> int:
        return len(self._known)

    def content(self) -> Any:
        """Return what the counts depend on, to be hashed."""
        words = sorted(self._codes.items())
        content = self.dataset_id, self.field, self.tokenize, self.groups, words
        if self._frame is None:
            return content
        return content, sorted(self._frame.items())

    def of(self, docnos: Any, name: str) -> Ints:
        """Return the counts of documents, ``[n, groups]``, −1 for documents not in the corpus.

        :param docnos: the documents as text, ``[n]``; one can be there several times
        :param name: the description of the progress bar, and the subject of the warning
        :raises ValueError: if the dataset, the field or the text of a document is missing
        """
        docnos = pd.Index(docnos, dtype=object)
        unread = docnos.unique().difference(self._known.index, sort=False)
        if len(unread):
            self._known = pd.concat([self._known, self.read(unread, name)])
        counts = self._known.reindex(docnos).to_numpy(np.int32)
        missing = docnos[counts[:, 0] < 0].unique()
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
        group_of = self._codes
        groups = range(len(self.groups))
        counts: dict[str, list[int]] = {}
        for docno, text in self._texts(docnos, name):
            if not isinstance(text, str):
                raise ValueError(f"the field {self.field!r} of {docno!r} in {self.dataset_id} must "
                                 f"be text, got {shown(text)}")
            codes = [group_of[token] for token in self.tokenize(text.lower()) if token in group_of]
            counts.setdefault(docno, list(map(codes.count, groups)))
        index = pd.Index(counts, dtype=object)
        rows = np.array([*counts.values()], np.int32).reshape(-1, len(groups))
        frame = pd.DataFrame(rows, index, self.groups)
        return frame.reindex(docnos, fill_value=-1)

    def _texts(self, docnos: pd.Index, name: str) -> Iterable[tuple[str, Any]]:
        """Yield the documents of the corpus with their texts, in any order."""
        if self._frame is not None:
            present = docnos.intersection(self._frame.index)
            yield from self._frame[present].items()
            return
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


def texts_by_docno(frame: pd.DataFrame, field: str) -> pd.Series:
    """Return the column ``field`` of a frame, with the docnos as index.

    :raises ValueError: if a column is missing, or a document has two texts
    """
    frame = frame.rename(columns={"doc_id": "docno"})
    need_columns(frame, ["docno", field], "the frame of texts")
    rows = frame[["docno", field]].drop_duplicates()
    docnos = pd.Index(texts_of(rows["docno"]), dtype=object)
    repeated = docnos[docnos.duplicated()]
    if len(repeated):
        raise ValueError(f"the frame of texts must have one text of each document, got two of "
                         f"{repeated[0]!r}")
    return rows[field].set_axis(docnos)
