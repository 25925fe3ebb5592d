"""The labels of a model: made by a PyTerrier transformer, and compared with human labels."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from math import inf, nan, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Ints
from pt_fairness.core.identifiers import as_frame, pair_texts, texts_of, with_text_ids
from pt_fairness.core.messages import at_least, shown, warn
from pt_fairness.groups.combinations import LABEL_OR_LEAVE, NONE, single_labels
from pt_fairness.groups.group_source import Groups
from pt_fairness.groups.memberships import Memberships
from pt_fairness.groups.sources import from_mapping, get, labels_and_weights
from pt_fairness.io.files import need_columns, need_frame
from pt_fairness.io.run_files import load_topics
from pt_fairness.io.word_counts import texts_by_docno

#: The file in the folder of a cache that names the labeller.
LABELLER = "labeller.json"
#: The identifiers of a document: its topic, if labels belong to a topic, and its docno.
Key = tuple[str, ...]
#: A value and the ends of its interval.
Estimate = tuple[float, float, float]


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
        """Whether a document that is labelled so far has weights."""
        return any(isinstance(labels, Mapping) for labels in self._labels.values())

    def _content(self) -> Any:
        return self._labeller, self._texts, self._topics, self._column, self.order

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        columns = [qids, docnos] if self.by_topic else [docnos]
        keys = dict.fromkeys(zip(*columns, strict=True))
        if not keys.keys() <= self._labels.keys():
            self._label(keys)
        return self._source(keys).annotate(qids, docnos)

    def documents(self) -> tuple[Any, Any] | None:
        """Return the topics and the docnos that are labelled so far."""
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
        frame = source.lookup(docnos if qids is None else qids, docnos)
        if source.weighted:
            frame["weight"] = frame["weight"].fillna(1.0)
        return frame if self.by_topic else frame.drop(columns="qid")

    def _source(self, keys: Iterable[Key]) -> Groups:
        """Return the labels of documents as groups."""
        mapping: dict[str, Any] = {}
        for key in keys:
            labels = self._labels[key]
            documents = mapping.setdefault(key[0], {}) if self.by_topic else mapping
            documents[key[-1]] = [labels] if pd.api.types.is_scalar(labels) else labels
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
        from pt_fairness.io.irds import lock
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
        with lock(path.with_name(f"{path.name}.lock")):
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
                self._labels |= zip(batch, label(frame)["labels"], strict=True)
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
            text = documents["docno"].map(texts_in(self._texts, documents["docno"]))
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
                raise ValueError(f"{where} must return each document once, got {key[-1]!r} "
                                 f"{'twice' if key in labels else 'in addition'}")
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
    from pt_fairness.io.irds import documents
    return {document.doc_id: document.default_text() for document in documents(source, {*docnos})}


class ErrorRates(NamedTuple):
    """The agreement of the labels of a model with human labels; see :func:`error_rates`."""

    #: Rows ``accuracy, kappa, alpha``, columns ``value, low, high, n``.
    summary: pd.DataFrame
    #: Columns ``label, human, model, precision, precision low, precision high, recall, recall low,
    #: recall high, f1``.
    labels: pd.DataFrame
    #: The number of documents by human label (rows) and label of the model.
    counts: pd.DataFrame


def error_rates(model: str | os.PathLike[str] | Groups, human: Any,
                qids: Sequence[Any] | None = None,
                docnos: Sequence[Any] | None = None) -> ErrorRates:
    """Compare the labels of a model with human labels of the same documents.

    :func:`pt_fairness.analysis.agreement` is for the votes of several people.

    :param model: groups with at most one label for each document: a registered name, the path of a
        group file or a Groups object
    :param human: the human labels, in the same forms; also a dictionary or a frame
    :param qids: the topic of each document to compare, ``[n]``
    :param docnos: the documents to compare, ``[n]``; by default all documents of ``human``, or of
        ``model`` if ``human`` cannot list them
    :returns: three frames, with intervals at 95 %:

        - ``summary``: accuracy with Wilson's interval (1927), Cohen's κ with the large-sample
          interval of Fleiss, Cohen and Everitt (1969), and Krippendorff's α for nominal labels. κ
          and α are NaN if all labels are equal
        - ``labels``: the number of documents, precision, recall (Wilson) and F₁ of each label,
          NaN for 0 of 0
        - ``counts``: documents by human label and label of the model, ``@NONE`` if it has none.
          :func:`with_error_rates` takes it as ``rates``

        Documents without a human label are left out, with a warning if ``human`` lists them
        without a group. A document without a label of the model counts as wrong in accuracy and
        recall, and is left out of κ and α
    :raises ValueError: if no document has both labels, a document has weights or several labels,
        neither source can list its documents, or ``qids`` without ``docnos``

    Examples
    --------
    >>> from pt_fairness import groups
    >>> model = {"a": "PRO", "b": "PRO", "c": "CON", "d": "CON"}
    >>> rates = groups.error_rates(model, {"a": "PRO", "b": "CON", "c": "CON", "d": "CON"})
    >>> rates.summary.round(2)
              value   low  high  n
    accuracy   0.75  0.30  0.95  4
    kappa      0.50 -0.23  1.23  4
    alpha      0.53   NaN   NaN  4
    >>> rates.labels[["label", "human", "model", "precision", "recall", "f1"]].round(2)
      label  human  model  precision  recall    f1
    0   CON      3      2        1.0    0.67  0.80
    1   PRO      1      2        0.5    1.00  0.67
    """
    model = get(model)
    human = get(human)
    by_topic = model.by_topic or human.by_topic
    if docnos is None:
        if qids is not None:
            raise ValueError("docnos must be the documents of the topics in qids, got None")
        qids, docnos = _documents(model, human)
    if qids is None:
        if by_topic:
            raise ValueError(f"qids must be the topic of each document, because {model!r} or "
                             f"{human!r} has labels by topic, got None")
        qids = docnos  # any topic
    topics, documents = pair_texts("error_rates", qids, docnos)
    pairs = pd.DataFrame({"qid": topics, "docno": documents}, dtype=object)
    pairs = pairs.drop_duplicates(["qid", "docno"] if by_topic else "docno")
    topics, documents = pairs["qid"].to_numpy(), pairs["docno"].to_numpy()
    model_code, model_labels, _ = single_labels(model, topics, documents)
    human_code, human_labels, without = single_labels(human, topics, documents)
    left_out = documents[without & (model_code >= 0)]
    if len(left_out):
        warn(f"{len(left_out)} documents with a label of the model, such as {left_out[0]!r}, are "
             f"without a group in {human!r} and are left out. {LABEL_OR_LEAVE}")
    if not ((human_code >= 0) & (model_code >= 0)).any():
        raise ValueError(f"{human!r} and {model!r} must have labels of the same documents, got "
                         f"none for {shown(documents[:3].tolist())}")
    labelled = human_code >= 0
    human_label = np.array(human_labels, object)[human_code[labelled]]
    model_label = np.array([*model_labels, NONE], object)[model_code[labelled]]
    counts = pd.crosstab(human_label, model_label, rownames=["human"], colnames=["model"])
    labels = sorted({*counts.index, *counts} - {NONE})
    counts = counts.reindex(index=labels, columns=[*labels, *({NONE} & {*counts})], fill_value=0)
    table = counts[labels].to_numpy()
    n = len(human_label)
    compared = table.sum()
    right = np.diag(table)
    rows = [(*_wilson(right.sum(), n), n), (*kappa(table), compared),
            (_alpha(table), nan, nan, compared)]
    summary = pd.DataFrame(rows, ["accuracy", "kappa", "alpha"], ["value", "low", "high", "n"])
    per_label = pd.DataFrame({"label": labels, "human": counts.sum(axis=1).to_numpy(),
                             "model": table.sum(axis=0)})
    for name, side in (("precision", "model"), ("recall", "human")):
        titles = [name, f"{name} low", f"{name} high"]
        per_label[titles] = np.transpose(_wilson(right, per_label[side]))
    per_label["f1"] = 2 * right / (per_label["human"] + per_label["model"])
    return ErrorRates(summary, per_label, counts)


def _documents(model: Groups, human: Groups) -> tuple[Any, Any]:
    """Return the topics (``None`` if they do not matter) and the documents to compare.

    :raises ValueError: if neither source can list them
    """
    qids, docnos = human.documents() or (None, ())
    if len(docnos) and (qids is not None or not model.by_topic):
        return qids, docnos
    qids, docnos = model.documents() or (None, ())
    if not len(docnos):
        raise ValueError(f"docnos must be the documents to compare, because neither {human!r} nor "
                         f"{model!r} lists its documents, got None")
    return qids, docnos


def _wilson(hits: Any, number: Any) -> tuple[Any, Any, Any]:
    """Return shares with Wilson's intervals, NaN for 0 of 0."""
    from statsmodels.stats.proportion import proportion_confint
    number = np.where(number, number, nan)
    low, high = proportion_confint(hits, number, method="wilson")
    return hits / number, low, high


def kappa(counts: Ints) -> Estimate:
    """Return Cohen's κ with its interval at 95 %; NaN if there is one label only.

    :param counts: the number of documents of each human label (row) and label of the model
    """
    from scipy.stats import norm
    from statsmodels.stats.inter_rater import cohens_kappa
    with np.errstate(invalid="ignore", divide="ignore"):
        result = cohens_kappa(counts)
    # Its own interval is NaN where rounding makes the variance of κ = 1 negative.
    half = norm.isf(0.025) * sqrt(np.clip(result.var_kappa, 0, inf))
    return float(result.kappa), float(result.kappa - half), float(result.kappa + half)


def _alpha(counts: Ints) -> float:
    """Return Krippendorff's α for nominal labels, NaN if there is one label only."""
    n = 2 * counts.sum()
    labels = counts.sum(axis=0) + counts.sum(axis=1)
    different = n - 2 * np.trace(counts)
    with np.errstate(invalid="ignore"):
        return float(1 - (n - 1) * different / (n * n - labels @ labels))
