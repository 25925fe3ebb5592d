"""Groups from a PyTerrier transformer that labels documents: a classifier or a language model."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from pt_fairness.core.identifiers import texts_of, with_text_ids
from pt_fairness.core.messages import at_least, shown, warn
from pt_fairness.groups.memberships import Groups, Memberships
from pt_fairness.groups.sources import from_mapping, labels_and_weights
from pt_fairness.io.frames import need_columns, need_frame
from pt_fairness.io.run_files import load_topics

#: The file in the folder of a cache that names the labeller.
LABELLER = "labeller.json"


def from_transformer(labeller: Callable[[pd.DataFrame], pd.DataFrame], texts: Any = None,
                     topics: Any = None, column: str = "group",
                     cache: str | os.PathLike[str] | None = None, batch_size: int = 64,
                     order: Iterable[Any] | None = None, name: str | None = None) -> Groups:
    """Return groups that a PyTerrier transformer gives to documents, such as a classifier.

    Documents are labelled when a measure needs them, once each, with a progress bar. Labels of a
    model are wrong in part, and values on them are usually too fair: see :func:`error_rates` and
    :func:`model_labels`.

    :param labeller: takes a frame of documents, ``docno`` and what ``texts`` and ``topics`` add. It
        returns their rows, in any order, with ``column``
    :param texts: adds ``text``: an ir_datasets id, a dataset of ``pt.get_dataset("irds:…")``, a
        frame ``docno, text`` or a dictionary docno → text
    :param topics: adds ``qid, query``, and labels belong to a topic and document; as of
        :func:`pt_fairness.evaluate`. By default, they belong to a document
    :param column: the column with a label, a list of labels, a dictionary label → probability
        (weights), or a missing value for no group
    :param cache: a folder that keeps the labels of one labeller, batch by batch, so that an
        interrupted labelling goes on where it stopped. It needs ``pip install
        'pt-fairness[labels]'``
    :param batch_size: the number of documents that the labeller is given at a time
    :param order: the labels in ascending order, if they have an order
    :param name: the name of the groups, and of the labeller in its cache; give it if labellers look
        alike, as two functions of ``pt.apply`` do
    :raises ValueError: the cache is that of another labeller; where documents are labelled, the
        labeller raises, lacks the column, or returns a document twice or one not asked for
    :raises ImportError: a cache without pyterrier-caching

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
    """Groups that a transformer gives to documents; see :func:`from_transformer`."""

    def __init__(self, labeller: Callable[[pd.DataFrame], pd.DataFrame], texts: Any, topics: Any,
                 column: str, cache: str | os.PathLike[str] | None, batch_size: int,
                 order: Iterable[Any] | None, name: str | None) -> None:
        super().__init__(name, order=order)
        if not callable(labeller):
            raise ValueError(f"labeller={shown(labeller)} is not possible; it takes a PyTerrier "
                             "transformer")
        at_least(1, "batch_size", batch_size)
        self.by_topic = topics is not None
        self._labeller = labeller
        self._texts = _texts(texts)
        self._text: dict[str, str] = {}  # of the documents that are being labelled
        self._topics: pd.DataFrame | None = None
        if topics is not None:
            self._topics = with_text_ids(load_topics(topics), "frame of topics", "qid")
        self._column = column
        self._cache = None if cache is None else Path(cache)
        self._batch_size = batch_size
        # What identifies a document, and the labels of each as they were returned.
        self._ids = ["qid", "docno"] if self.by_topic else ["docno"]
        self._labels: dict[tuple[str, ...], Any] = {}
        self._identity = {
            "labeller": f"{type(labeller).__module__}.{type(labeller).__qualname__}",
            "text": re.sub(" at 0x[0-9a-fA-F]+", "", repr(labeller)),
            "column": column, "name": name, "key": self._ids}
        if self._cache is not None:
            with self._opened():  # an error of the cache is better now than later
                pass

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        """Whether a document that was labelled so far has weights."""
        return any(isinstance(labels, Mapping) for labels in self._labels.values())

    def _content(self) -> Any:
        return self._labeller, self._texts, self._topics, self._column, self.order

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        keys = dict.fromkeys(zip(*[qids, docnos][-len(self._ids):], strict=True))
        unlabelled = [key for key in keys if key not in self._labels]
        if unlabelled:
            self._label(unlabelled)
        return self._source(keys).annotate(qids, docnos)

    def to_frame(self) -> pd.DataFrame:
        """Return the labels so far, to be checked by hand, shared, or read by :func:`from_file`.

        :returns: ``docno, group``, and ``qid`` in front if labels belong to a topic, ``weight`` if
            documents have weights. A document without a group has no row
        """
        with self._opened():
            source = self._source(self._labels)
        qids, docnos = source.documents() or (None, [])
        frame = source.lookup(docnos if qids is None else qids, docnos)
        if source.weighted:
            frame["weight"] = frame["weight"].fillna(1.0)
        return frame if self.by_topic else frame.drop(columns="qid")

    def _source(self, keys: Iterable[tuple[str, ...]]) -> Groups:
        """Return the labels of documents as groups."""
        mapping: dict[str, Any] = {}
        for key in keys:
            labels = self._labels[key]
            of_topic = mapping.setdefault(key[0], {}) if self.by_topic else mapping
            of_topic[key[-1]] = [labels] if pd.api.types.is_scalar(labels) else labels
        return from_mapping(mapping)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """Open the cache while no other process uses it, and read its labels; ``None`` without.

        :raises ValueError: it is that of another labeller
        """
        if self._cache is None:
            yield None
            return
        from pt_fairness.io.irds import lock
        try:
            from pyterrier_caching import KeyValueCache
        except ImportError as error:
            raise ImportError("a cache of labels needs pyterrier-caching: pip install "
                              "'pt-fairness[labels]'") from error
        path = str(self._cache)
        with lock(Path(f"{path}.lock")):
            file = self._cache / LABELLER
            if not self._cache.exists():
                KeyValueCache(path, key=self._ids, value=["labels"]).close()
                file.write_text(json.dumps(self._identity), encoding="utf-8")
            stored = json.loads(file.read_text("utf-8")) if file.exists() else "no labeller"
            if stored != self._identity:
                raise ValueError(f"the cache {path} is that of {stored}, and this is "
                                 f"{self._identity}; give another folder")
            with closing(KeyValueCache(path, self._ask)) as cache:
                for row in cache:
                    self._labels[tuple(row[name] for name in self._ids)] = row["labels"]
                yield cache

    def _label(self, keys: list[tuple[str, ...]]) -> None:
        """Label documents, in batches."""
        from tqdm import tqdm
        self._left_out: list[str] = []
        with self._opened() as cache:
            frame = pd.DataFrame([key for key in keys if key not in self._labels],
                                 columns=self._ids, dtype=object)
            self._read(frame["docno"])
            with tqdm(total=len(frame), desc=f"label ({self.name})", unit="doc") as bar:
                for start in range(0, len(frame), self._batch_size):
                    batch = frame[start:start + self._batch_size]
                    labels = (self._ask if cache is None else cache)(batch)["labels"]
                    self._labels |= zip(batch.itertuples(index=False, name=None), labels,
                                        strict=True)
                    bar.update(len(batch))
        if self._left_out:
            warn(f"{self.name}: {len(self._left_out)} of {len(frame)} documents have no label and "
                 f"count as unannotated (the first: {self._left_out[0]!r}): the texts or topics "
                 "lack them, or the labeller left them out")

    def _ask(self, batch: pd.DataFrame) -> pd.DataFrame:
        """Return a batch of documents with their ``labels``, missing for those left out.

        :raises ValueError: the labeller raises, or returns anything but labels of these documents
        """
        documents = batch
        if self._topics is not None:
            documents = documents.merge(self._topics, on="qid")
        if self._texts is not None:
            text = documents["docno"].map(self._text)
            documents = documents.assign(text=text).dropna(subset="text")
        where = f"the labeller of {self.name}, for the {len(documents)} documents from " \
                f"{batch['docno'].iloc[0]!r} to {batch['docno'].iloc[-1]!r}"
        labels = {}
        if len(documents):
            try:
                answer = self._labeller(documents)
            except Exception as error:  # of the user's code
                raise ValueError(f"{where}, raised {error!r}; the labels before are kept"
                                 ) from error
            need_frame(answer, f"what {where}, returned")
            need_columns(answer, [*self._ids, self._column], f"what {where}, returned")
            asked = {*documents[self._ids].itertuples(index=False, name=None)}
            ids = [texts_of(answer[name]) for name in self._ids]
            for key, label in zip(zip(*ids, strict=True), answer[self._column], strict=True):
                if key in labels or key not in asked:
                    fault = "twice" if key in labels else "which it was not asked for"
                    raise ValueError(f"{where}, returned {key[-1]!r} {fault}")
                labels_and_weights(key[-1], label)  # checks it
                labels[key] = label
        keys = [*batch[self._ids].itertuples(index=False, name=None)]
        self._left_out += [key[-1] for key in keys if key not in labels]
        column = pd.Series([labels.get(key) for key in keys], batch.index, dtype=object)
        return batch.assign(labels=column)

    def _read(self, docnos: Iterable[str]) -> None:
        """Read the texts of documents, of those that have one."""
        if isinstance(self._texts, str):
            from pt_fairness.io.irds import documents
            read = documents(self._texts, {*docnos})
            self._text = {document.doc_id: document.default_text() for document in read}
        else:
            self._text = self._texts or {}


def _texts(texts: Any) -> dict[str, str] | str | None:
    """Return texts by docno, or the ir_datasets id that has them.

    :raises ValueError: a frame lacks a column, or the texts are nothing of this kind
    """
    if texts is None:
        return None
    if hasattr(texts, "irds_ref"):
        return str(texts.irds_ref().dataset_id())
    if isinstance(texts, str):
        return texts.removeprefix("irds:")
    if isinstance(texts, Mapping):
        texts = pd.DataFrame({"docno": [*texts], "text": [*texts.values()]})
    need_frame(texts, "texts")
    need_columns(texts, ["docno", "text"], "the frame of texts")
    return dict(zip(texts_of(texts["docno"]), texts["text"], strict=True))
