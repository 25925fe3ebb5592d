"""Documents of ir_datasets, and counts of the words of groups in their texts.

ir_datasets is imported when a dataset is needed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Ints
from pt_fairness.core.identifiers import as_frame, texts_of
from pt_fairness.core.messages import UNANNOTATED, distinct_labels, listed, shown, warn
from pt_fairness.io.files import need_columns

try:
    import fcntl
except ImportError:  # not available on Windows
    fcntl = None  # type: ignore[assignment]

Tokenizer = Callable[[str], Iterable[str]]
Words = Mapping[Any, Iterable[str]]
#: The largest number of words of groups in a neutral text (Rekabsaz et al. 2021, their code).
THRESHOLD = 1


def dataset(dataset_id: Any, otherwise: str = "its ids are text such as 'msmarco-passage'") -> Any:
    """Return an ir_datasets dataset, whose id may begin with ``irds:``.

    :param otherwise: the end of the error
    :raises ValueError: if ir_datasets lacks the id
    """
    import ir_datasets
    try:
        name = os.fspath(dataset_id)
        return ir_datasets.load(name.removeprefix("irds:"))
    except (KeyError, TypeError):
        raise ValueError(f"ir_datasets has no dataset {shown(dataset_id)}; {otherwise}") from None


def documents(dataset_id: str, docnos: Collection[str], what: str | None = None) -> Iterator[Any]:
    """Yield documents of a corpus, in any order; docnos that the corpus lacks are skipped.

    A docstore that does not exist is built first, while other processes wait.

    :param what: the description of the progress bar; ``None`` for no bar
    :raises ValueError: if ir_datasets lacks the id or its documents
    """
    import ir_datasets
    from ir_datasets.util import home_path
    corpus = dataset(dataset_id)
    if not corpus.has_docs():
        raise ValueError(f"a corpus must have documents, got {dataset_id!r}")
    with lock(home_path() / f"{ir_datasets.docs_parent_id(dataset_id)}.lock"):
        store = corpus.docs_store()
        if hasattr(store, "built"):
            store.build()
    records = store.get_many_iter(docnos)
    if what is not None:
        records = ir_datasets.log.easy().pbar(records, desc=what, total=len(docnos), unit="doc",
                                              quiet=True)
    yield from records


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the lock of a docstore; wait while another process holds it.

    Two processes that build a docstore would both append to it. An unfinished docstore cannot be
    opened.

    :param path: the lock file, which is created
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # not writable: nothing is built there
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(path.open("a"))
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


class WordCounts:
    """Counts of the words of each group in documents.

    Documents are read when their counts are needed, and their counts are kept.

    :param documents: an ir_datasets id, or a frame ``docno, text``
    :param words: the words of each group, by group, or a function that returns them when they are
        first needed; they are lowercased
    :param tokenize: splits a lowercased text into tokens; applied to ``words`` as well
    :param groups: the groups, if ``words`` is a function
    :raises ValueError: if a group lacks words, a label is there twice, a word is in several groups
        or is not one token
    """

    def __init__(self, documents: str | pd.DataFrame, words: Words | Callable[[], Words],
                 tokenize: Tokenizer = str.split, groups: Sequence[str] = ()) -> None:
        documents = as_frame(documents)
        #: The texts of a frame by docno, or the id of a dataset.
        self._texts: Any = documents
        #: The name of the documents in warnings.
        self._where = f"the corpus {documents}"
        if isinstance(documents, pd.DataFrame):
            self._texts = texts_by_docno(documents, "text")
            self._where = "the frame of texts"
        self._tokenize = tokenize
        self._words = words
        #: The groups, in the order of ``words``.
        self.groups = list(groups)
        if not callable(words):
            if not isinstance(words, Mapping) or not words:
                raise ValueError("words must be a dictionary of the words of each group, such as "
                                 "{'female': ['she', 'her'], 'male': ['he']}, got "
                                 f"{shown(words)}")
            self.groups = distinct_labels(words, "words")
            _ = self._codes  # checks the words
        self._counts: dict[str, tuple[int, ...]] = {}
        self._warned = False

    @cached_property
    def _codes(self) -> dict[str, int]:
        """The index of the group of each word.

        :raises ValueError: if a group lacks words, a word is in several groups or is not one token
        """
        words = self._words() if callable(self._words) else self._words
        codes: dict[str, int] = {}
        for code, (group, texts) in enumerate(zip(self.groups, words.values(), strict=True)):
            texts = [texts] if isinstance(texts, str) else list(texts)
            if not texts or group in UNANNOTATED:
                raise ValueError("each group must have words and a label other than '-', got "
                                 f"{group!r} with {listed(texts) or 'no words'}")
            for word in texts:
                tokens = list(self._tokenize(str(word).lower()))
                if len(tokens) != 1:
                    raise ValueError(f"a word must be one token, got {word!r} of the group "
                                     f"{group!r}; tokenize makes {listed(tokens) or 'none'} of it")
                first = codes.setdefault(tokens[0], code)
                if first != code:
                    raise ValueError(f"a word must be in one group, got {tokens[0]!r} in "
                                     f"{self.groups[first]!r} and {group!r}")
        return codes

    def __len__(self) -> int:
        return len(self._counts)

    def content(self) -> Any:
        """Return what the counts depend on, to be hashed."""
        texts = self._texts
        if isinstance(texts, pd.Series):
            texts = sorted(texts.items())
        return texts, self._tokenize, self.groups, sorted(self._codes.items())

    def find(self, docnos: Any, name: str) -> Ints:
        """Return the counts of documents, ``[n, groups]``, −1 for documents not in the corpus.

        :param docnos: the documents as text, ``[n]``; one can be there several times
        :param name: the description of the progress bar, and the subject of the warning
        :raises ValueError: if the dataset or the text of a document is missing
        """
        codes = self._codes
        groups = range(len(self.groups))
        distinct = {*docnos}
        unread = distinct.difference(self._counts)
        read = dict.fromkeys(unread, (-1,) * len(groups))
        for docno, text in self._read(unread, name):
            if not isinstance(text, str):
                raise ValueError(f"the text of {docno!r} in {self._where} must be text, got "
                                 f"{shown(text)}")
            tokens = self._tokenize(text.lower())
            found = [codes[token] for token in tokens if token in codes]
            read[docno] = tuple(map(found.count, groups))
        self._counts |= read
        rows = map(self._counts.__getitem__, docnos)
        counts = np.fromiter(chain.from_iterable(rows), np.int32)
        counts = counts.reshape(len(docnos), len(groups))
        is_missing = counts[:, 0] < 0
        missing = np.asarray(docnos, object)[is_missing]
        if len(missing) and not self._warned:
            self._warned = True
            number = len({*missing})
            warn(f"{name}: {number} of {len(distinct)} documents are not in {self._where} (the "
                 f"first: {missing[0]!r}), so that their words are unknown")
        return counts

    def _read(self, docnos: Collection[str], name: str) -> Iterator[tuple[str, Any]]:
        """Yield the documents of the corpus with their texts, in any order."""
        if isinstance(self._texts, pd.Series):
            present = self._texts.index.intersection([*docnos])
            yield from self._texts[present].items()
        elif docnos:
            for document in documents(self._texts, docnos, name):
                yield document.doc_id, document.default_text()


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
        raise ValueError("the frame of texts must have one text of each document, got two of "
                         f"{repeated[0]!r}")
    return rows[field].set_axis(docnos)
