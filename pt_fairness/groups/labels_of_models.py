"""The labels of a model: made by a PyTerrier transformer, and compared with human labels."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Ints
from pt_fairness.core.identifiers import as_frame, pair_texts, texts_of, with_text_ids
from pt_fairness.core.messages import at_least, shown, warn
from pt_fairness.groups.combinations import LABEL_OR_LEAVE, single_labels
from pt_fairness.groups.group_source import Groups
from pt_fairness.groups.memberships import Memberships
from pt_fairness.groups.sources import from_mapping, get, labels_and_weights
from pt_fairness.io.files import need_columns, need_frame
from pt_fairness.io.run_files import load_topics
from pt_fairness.io.word_counts import texts_by_docno

#: The file in the folder of a cache that names the labeller.
LABELLER = "labeller.json"
#: The column that counts the documents without a label of the model.
NONE = "@NONE"
#: A value and the ends of its interval.
Estimate = tuple[float, float, float]
_UNDEFINED = (math.nan,) * 3


def from_transformer(labeller: Callable[[pd.DataFrame], pd.DataFrame], texts: Any = None,
                     topics: Any = None, column: str = "group",
                     cache: str | os.PathLike[str] | None = None, batch_size: int = 64,
                     order: Iterable[Any] | None = None, name: str | None = None) -> Groups:
    """Return groups that a PyTerrier transformer gives to documents, such as a classifier.

    Each document is labelled once, when a measure needs its group, with a progress bar. A model
    makes errors, which make measures too fair or too unfair: see :func:`error_rates` and
    :func:`model_labels`.

    :param labeller: takes a frame with ``docno`` and the columns that ``texts`` and ``topics`` add.
        It returns these rows, in any order, with ``column``
    :param texts: adds ``text``: an ir_datasets id, a dataset of ``pt.get_dataset("irds:…")``, a
        frame ``docno, text`` or a dictionary docno → text
    :param topics: adds ``qid, query``, so that labels belong to a topic and document; as of
        :func:`pt_fairness.evaluate`. By default, labels belong to a document
    :param column: the column with a label, a list of labels, a dictionary label → probability
        (weights), or a missing value for no group
    :param cache: a folder that keeps the labels of one labeller, batch by batch, so that an
        interrupted labelling goes on where it stopped. Give another one if the texts or topics
        change. It needs ``pip install 'pt-fairness[labels]'``
    :param batch_size: the number of documents that the labeller is given at a time
    :param order: the labels in ascending order, if they have an order
    :param name: the name of the groups, and of the labeller in its cache; give it if labellers look
        alike, as two functions of ``pt.apply`` do
    :raises ValueError: a document has two texts, or the cache is that of another labeller; once
        documents are labelled, the labeller raises, or its result lacks the column or has a
        document twice or one that was not in the frame
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
        #: The texts of the documents that are being labelled.
        self._text: Mapping[str, str] = {}
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
        #: The label of each document, as returned.
        self._labels: dict[tuple[str, ...], Any] = {}
        self._identity = {
            "labeller": f"{type(labeller).__module__}.{type(labeller).__qualname__}",
            "text": re.sub(" at 0x[0-9a-fA-F]+", "", repr(labeller)),
            "column": column, "name": name, "key": self._ids}
        with self._opened():  # an error of the cache is better now than later
            pass

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        """Whether a document that is labelled so far has weights."""
        labels = self._labels.values()
        return any(isinstance(of_document, Mapping) for of_document in labels)

    def _content(self) -> Any:
        return self._labeller, self._texts, self._topics, self._column, self.order

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        columns = [qids, docnos] if self.by_topic else [docnos]
        rows = zip(*columns, strict=True)
        keys = dict.fromkeys(rows).keys()
        if not keys <= self._labels.keys():
            self._label(keys)
        return self._source(keys).annotate(qids, docnos)

    def to_frame(self) -> pd.DataFrame:
        """Return the labels so far, to be checked by hand, shared, or read by :func:`from_file`.

        :returns: ``docno, group``, and ``qid`` in front if labels belong to a topic, ``weight`` if
            documents have weights. A document without a group has no row
        """
        source = self.labelled()
        qids, docnos = _listed(source)
        if qids is None:
            qids = docnos  # any topic
        frame = source.lookup(qids, docnos)
        if source.weighted:
            frame["weight"] = frame["weight"].fillna(1.0)
        return frame if self.by_topic else frame.drop(columns="qid")

    def labelled(self) -> Groups:
        """Return the labels so far as groups, which list their documents."""
        with self._opened():
            return self._source(self._labels)

    def _source(self, keys: Iterable[tuple[str, ...]]) -> Groups:
        """Return the labels of documents as groups."""
        mapping: dict[str, Any] = {}
        for key in keys:
            labels = self._labels[key]
            if pd.api.types.is_scalar(labels):
                labels = [labels]
            of_topic = mapping
            if self.by_topic:
                of_topic = mapping.setdefault(key[0], {})
            of_topic[key[-1]] = labels
        return from_mapping(mapping)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """Lock and open the cache, and read its labels.

        Yield what labels documents: the cache, or :meth:`_ask` without a cache.

        :raises ValueError: the cache is that of another labeller
        """
        if self._cache is None:
            yield self._ask
            return
        from pt_fairness.io.irds import lock
        try:
            from pyterrier_caching import KeyValueCache
        except ImportError as error:
            raise ImportError("a cache of labels needs pyterrier-caching: pip install "
                              "'pt-fairness[labels]'") from error
        path = os.fspath(self._cache)
        with lock(Path(f"{path}.lock")):
            if not os.path.exists(path):
                # Create it under another name: an interrupted process leaves no invalid cache.
                part = Path(f"{path}.part")
                shutil.rmtree(part, ignore_errors=True)
                KeyValueCache(str(part), key=self._ids, value=["labels"]).close()
                labeller = json.dumps(self._identity)
                (part / LABELLER).write_text(labeller, encoding="utf-8")
                part.rename(path)
            stored: Any = "no labeller"
            file = Path(path, LABELLER)
            if file.exists():
                stored = json.loads(file.read_text("utf-8"))
            if stored != self._identity:
                raise ValueError(f"the cache {path} is that of {stored}, and this is "
                                 f"{self._identity}; give another folder")
            with closing(KeyValueCache(path, self._ask)) as cache:
                for row in cache:
                    key = tuple(row[name] for name in self._ids)
                    self._labels[key] = row["labels"]
                yield cache

    def _label(self, keys: Iterable[tuple[str, ...]]) -> None:
        """Label the documents that have no label yet, in batches."""
        from tqdm import tqdm
        self._left_out: list[str] = []  # documents, by _ask
        with self._opened() as label:
            unlabelled = [key for key in keys if key not in self._labels]
            frame = pd.DataFrame(unlabelled, columns=self._ids, dtype=object)
            self._read(frame["docno"])
            with tqdm(total=len(frame), desc=f"label ({self.name})", unit="doc") as bar:
                for start in range(0, len(frame), self._batch_size):
                    end = start + self._batch_size
                    batch = frame[start:end]
                    labels = label(batch)["labels"]
                    self._labels |= zip(unlabelled[start:end], labels, strict=True)
                    bar.update(len(batch))
        self._text = {}
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
            documents = documents.assign(text=text)
            documents = documents.dropna(subset="text")
        labels = {}
        if len(documents):
            docnos = batch["docno"].tolist()
            where = (f"the labeller of {self.name}, for the {len(documents)} documents from "
                     f"{docnos[0]!r} to {docnos[-1]!r}")
            labels = self._answer(documents, where)
        of_batch = []
        for key in self._keys(batch):
            if key not in labels:
                self._left_out.append(key[-1])
            of_batch.append(labels.get(key))
        column = pd.Series(of_batch, batch.index, dtype=object)
        return batch.assign(labels=column)

    def _answer(self, documents: pd.DataFrame, where: str) -> dict[tuple[str, ...], Any]:
        """Return the labels that the labeller gives to documents.

        :param where: the labeller and the documents, in errors
        :raises ValueError: as :meth:`_ask`
        """
        try:
            answer = self._labeller(documents)
        except Exception as error:  # of the user's code
            raise ValueError(f"{where}, raised {error!r}; the labels before are kept") from error
        what = f"what {where}, returned"
        need_columns(answer, [*self._ids, self._column], what)
        asked = {*self._keys(documents)}
        labels: dict[tuple[str, ...], Any] = {}
        for key, label in zip(self._keys(answer), answer[self._column], strict=True):
            if key in labels or key not in asked:
                fault = "twice" if key in labels else "which it was not asked for"
                raise ValueError(f"{where}, returned {key[-1]!r} {fault}")
            labels_and_weights(key[-1], label)  # checks it
            labels[key] = label
        return labels

    def _keys(self, frame: pd.DataFrame) -> Iterable[tuple[str, ...]]:
        """Return the identifiers of the documents in a frame."""
        columns = [texts_of(frame[name]) for name in self._ids]
        return zip(*columns, strict=True)

    def _read(self, docnos: Iterable[str]) -> None:
        """Read the texts of documents; those without a text are left out."""
        if isinstance(self._texts, str):
            from pt_fairness.io.irds import documents
            distinct = {*docnos}
            read = documents(self._texts, distinct)
            self._text = {document.doc_id: document.default_text() for document in read}
        else:
            self._text = self._texts or {}


def _texts(texts: Any) -> dict[str, str] | str | None:
    """Return texts by docno, or the ir_datasets id that has them.

    :raises ValueError: the texts are none of these, a column is missing, or a document has two
        texts
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


def error_rates(model: str | os.PathLike[str] | Groups, human: Any,
                qids: Sequence[Any] | None = None,
                docnos: Sequence[Any] | None = None) -> LabelErrors:
    """Compare the labels of a model with human labels of the same documents.

    :func:`pt_fairness.analysis.agreement` is for the votes of several people.

    :param model: groups with at most one label for each document: a registered name, the path of a
        group file or a Groups object
    :param human: the human labels, in the same forms; also a dictionary or a frame
    :param qids: the topic of each document to compare, ``[n]``, as of :meth:`Groups.lookup`
    :param docnos: the documents to compare, ``[n]``; by default those of ``human``, or if it cannot
        list them, those of ``model``
    :returns: counts, accuracy, precision, recall, κ and α. Documents without a human label are left
        out, with a warning if ``human`` has them without a group. A document without a label of the
        model counts as wrong in accuracy and recall, and is left out of κ and α
    :raises ValueError: no document has both labels, a document has weights or several labels,
        neither source can list its documents, or ``qids`` without ``docnos``

    Examples
    --------
    >>> from pt_fairness import groups
    >>> model = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON", "d": "CON"}, "tagger")
    >>> print(groups.error_rates(model, {"a": "PRO", "b": "CON", "c": "CON", "d": "CON"}))
    label  human  model         precision            recall   f1
      CON      3      2 1.00 [0.34, 1.00] 0.67 [0.21, 0.94] 0.80
      PRO      1      2 0.50 [0.09, 0.91] 1.00 [0.21, 1.00] 0.67
    <BLANKLINE>
    The labels of tagger agree with 4 human labels in 75.0 % [30.1, 95.4] (κ 0.50 [-0.23, 1.23]).
    """
    model = get(model)
    human = get(human)
    if docnos is None:
        if qids is not None:
            raise ValueError("qids= names the topics of the documents in docnos=; give both")
        qids, docnos = _documents(model, human)
    by_topic = model.by_topic or human.by_topic
    if qids is None:
        if by_topic:
            raise ValueError(f"{model!r} or {human!r} has labels by topic; name the topic of each "
                             "document with qids=")
        qids = docnos  # any topic
    topics, documents = pair_texts("error_rates", qids, docnos)
    frame = pd.DataFrame({"qid": topics, "docno": documents}, dtype=object)
    frame = frame.drop_duplicates(["qid", "docno"] if by_topic else "docno")
    frame["model"], _ = _labels_of(model, frame)
    frame["human"], without = _labels_of(human, frame)
    has_label = frame["model"].notna()
    left_out = frame[without & has_label]
    if len(left_out):
        docno = left_out["docno"].iloc[0]
        warn(f"{len(left_out)} documents with a label of the model, such as {docno!r}, have no "
             f"group in {human!r} and are left out. {LABEL_OR_LEAVE}")
    labelled = frame.dropna(subset="human")
    if labelled["model"].isna().all():
        first = frame["docno"][:3].tolist()
        raise ValueError(f"no document has a label in both {human!r} and {model!r}; the first "
                         f"documents are {shown(first)}. Both need the same docnos")
    of_model = labelled["model"].fillna(NONE)
    counts = pd.crosstab(labelled["human"], of_model)
    labels = {*counts.index, *counts.columns}
    present = sorted(labels - {NONE})
    counts = counts.reindex(index=present, columns=[*present, NONE], fill_value=0)
    name = model.made_of or model.registered
    if os.path.isabs(name):
        name = os.path.basename(name)
    return LabelErrors(counts, name)


def _labels_of(source: Groups, pairs: pd.DataFrame) -> tuple[Any, Bools]:
    """Return the label of each document, ``None`` for none, and a mask of those in no group.

    :param pairs: the columns ``qid, docno``
    :raises ValueError: a document has several labels or weights
    """
    qids = pairs["qid"].to_numpy(object)
    docnos = pairs["docno"].to_numpy(object)
    codes, labels, without = single_labels(source, qids, docnos)
    labels_or_none = np.array([*labels, None], dtype=object)
    return labels_or_none[codes], without


def _listed(source: Groups) -> tuple[Any, Any]:
    """Return the topics and the documents of a source, ``None, []`` if it cannot list them."""
    if isinstance(source, FromTransformer):
        source = source.labelled()
    return source.documents() or (None, [])


def _documents(model: Groups, human: Groups) -> tuple[Any, Any]:
    """Return the topics (``None`` if they do not matter) and the documents to compare.

    :raises ValueError: neither source can list them
    """
    qids, docnos = _listed(human)
    if len(docnos) and (qids is not None or not model.by_topic):
        return qids, docnos
    qids, docnos = _listed(model)
    if not len(docnos):
        raise ValueError(f"neither {human!r} nor {model!r} can list the documents to compare; name "
                         "them with qids= and docnos=")
    return qids, docnos


class LabelErrors:
    """Human labels and a model's labels of the same documents; see :func:`error_rates`.

    Intervals are at 95 %. Those of shares are Wilson's (1927). That of κ is from its large-sample
    standard error (Fleiss, Cohen & Everitt 1969).

    :param counts: the number of documents by human label (rows) and label of the model; the last
        column, ``@NONE``, is that of the documents without a label of the model
    :param name: the name of the model
    """

    #: The number of documents by human label (rows) and label of the model. The last column is
    #: ``@NONE`` if there are documents without a label of the model.
    counts: pd.DataFrame

    def __init__(self, counts: pd.DataFrame, name: str) -> None:
        self._labelled = counts.drop(columns=NONE)
        self._without = int(counts[NONE].sum())
        self.counts = counts if self._without else self._labelled
        self._number = counts.to_numpy().sum()
        self._name = name

    @property
    def accuracy(self) -> Estimate:
        """The share of the human labels with which the model agrees, and its interval."""
        right = np.trace(self._labelled)
        share, low, high = _wilson(right, self._number)
        return float(share), float(low), float(high)

    @property
    def kappa(self) -> Estimate:
        """Cohen's κ and its interval; NaN if there is one label only."""
        return kappa(self._labelled.to_numpy())

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's α for nominal labels, NaN if there is one label only; no interval."""
        counts = self._labelled.to_numpy()
        n = 2 * counts.sum()
        of_labels = counts.sum(axis=0) + counts.sum(axis=1)
        expected = n * n - of_labels @ of_labels
        if expected == 0:
            return _UNDEFINED
        different = n - 2 * np.trace(counts)
        alpha = 1 - (n - 1) * different / expected
        return float(alpha), math.nan, math.nan

    @cached_property
    def labels(self) -> pd.DataFrame:
        """Precision, recall and F₁ of each label.

        The columns are ``label, human, model, precision, precision low, precision high, recall,
        recall low, recall high, f1``. ``human`` and ``model`` are numbers of documents. A share is
        NaN for 0 of 0.
        """
        right = np.diag(self._labelled)
        human = self.counts.sum(axis=1)
        model = self._labelled.sum()
        columns = {"label": model.index, "human": human, "model": model}
        for name, number in (("precision", model), ("recall", human)):
            titles = name, f"{name} low", f"{name} high"
            shares = _wilson(right, number)
            columns |= zip(titles, shares, strict=True)
        columns["f1"] = 2 * right / (human + model)
        return pd.DataFrame(columns).reset_index(drop=True)

    @property
    def true_given_model(self) -> dict[str, dict[str, float]]:
        """The share of each human label among the documents with each label of the model.

        :func:`with_error_rates` takes this dictionary as ``rates``.
        """
        return _shares(self._labelled.T)

    @property
    def model_given_true(self) -> dict[str, dict[str, float]]:
        """The share of each label of the model among the documents with each human label.

        :func:`with_error_rates` takes this dictionary as ``rates`` if it has a ``prior``.
        """
        return _shares(self._labelled)

    @property
    def sentence(self) -> str:
        """The agreement as a sentence for a paper."""
        share, low, high = (f"{100 * value:.1f}" for value in self.accuracy)
        text = (f"The labels of {self._name} agree with {self._number} human labels in "
                f"{share} % [{low}, {high}] (κ {_shown(self.kappa)}).")
        if self._without:
            text += (f" {self._without} of these documents have no label of the model: they count "
                     "as wrong, and κ leaves them out.")
        return text

    def _table(self) -> pd.DataFrame:
        table = self.labels.loc[:, ["label", "human", "model"]]
        for name in ("precision", "recall"):
            estimates = self.labels[[name, f"{name} low", f"{name} high"]]
            table[name] = estimates.apply(_shown, axis=1)
        table["f1"] = self.labels["f1"].map("{:.2f}".format)
        return table

    def __repr__(self) -> str:
        table = self._table().to_string(index=False)
        return f"{table}\n\n{self.sentence}"

    def to_latex(self) -> str:
        """Return the table of the labels in LaTeX, for the package booktabs."""
        table = self._table()
        labels = table["label"]
        table["label"] = labels.str.replace(r"([#$%&_{}])", r"\\\1", regex=True)
        return table.to_latex(index=False, column_format="lrrrrr")


def _shares(counts: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return each row that is not all 0, divided by its sum."""
    counts = counts[counts.any(axis=1)]
    shares = counts.div(counts.sum(axis=1), axis=0)
    return shares.to_dict("index")


def _shown(estimate: Iterable[float]) -> str:
    value, low, high = estimate
    if math.isnan(value):
        return "–"
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _wilson(hits: Any, number: Any) -> tuple[Any, Any, Any]:
    """Return shares with Wilson's intervals, NaN for 0 of 0."""
    from statsmodels.stats.proportion import proportion_confint
    number = np.where(number, number, math.nan)
    low, high = proportion_confint(hits, number, method="wilson")
    return hits / number, low, high


def kappa(counts: Ints) -> Estimate:
    """Return Cohen's κ with its interval at 95 %; NaN if there is one label only.

    :param counts: the number of documents of each human label (row) and label of the model
    """
    from statsmodels.stats.inter_rater import cohens_kappa
    of_labels = counts.sum(axis=0) + counts.sum(axis=1)
    if np.count_nonzero(of_labels) < 2:
        return _UNDEFINED
    with np.errstate(invalid="ignore", divide="ignore"):  # of its test, which is not used
        result = cohens_kappa(counts)
    return float(result.kappa), float(result.kappa_low), float(result.kappa_upp)
