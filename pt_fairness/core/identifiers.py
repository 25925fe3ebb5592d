"""Identifiers of topics and documents: text, integer codes, and a hash join of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import ceil
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Ints, recoded
from pt_fairness.core.messages import label_text

#: The number of identifiers that are converted to Python strings at a time, to limit memory.
CHUNK = 1 << 13
#: The number of characters above which texts are not held in arrays of a fixed width.
LONG = 256

def missing(column: pd.Series, row: Any, where: str) -> ValueError:
    """Return the error for a missing value of a column.

    :param row: the position of the row
    :param where: the name of the frame in the error
    """
    return ValueError(f"row {column.index[row]} of the {where} has no {column.name}; "
                      "every row needs one")


def with_text_ids(frame: pd.DataFrame, what: str, *columns: str) -> pd.DataFrame:
    """Return a frame with identifiers as text; 1 and 1.0 are ``'1'``.

    :param what: the name of the frame in the error
    :raises ValueError: if an identifier is missing
    """
    texts = {}
    for column in columns:
        ids = frame[column]
        if ids.hasnans:
            raise missing(ids, ids.isna().argmax(), what)
        texts[column] = whole_numbers(ids).astype("str")
    return frame.assign(**texts)


#: PyTerrier's names of the columns of a topic and of a document, by ir_measures' names.
PYTERRIER = {"query_id": "qid", "doc_id": "docno"}
#: ir_measures' names, by PyTerrier's.
IR_MEASURES = {"qid": "query_id", "docno": "doc_id"}
#: The columns of a document, and of its topic, in the frames of recommender systems.
RECOMMENDER_COLUMNS = {"item_id": "user_id", "item": "user"}


def as_frame(data: Any) -> Any:
    """Return the frame of another library as :func:`pandas_frame` does, with columns of PyTerrier.

    The columns ``user_id, item_id`` and ``user, item`` of recommender systems are renamed to ``qid,
    docno``, unless the frame has columns of such a name.

    Examples
    --------
    >>> from pt_fairness.core.identifiers import as_frame
    >>> as_frame(pd.DataFrame({"user_id": [7], "item_id": ["a"], "score": [0.5]}))
       qid docno  score
    0    7     a    0.5
    """
    data = pandas_frame(data)
    if not isinstance(data, pd.DataFrame):
        return data
    columns = {*data}
    names: dict[str, str] = {}
    for item, user in RECOMMENDER_COLUMNS.items():
        if item in columns and columns.isdisjoint({"docno", "doc_id", *names}):
            names[item] = "docno"
            if columns.isdisjoint({"qid", "query_id"}):
                names[user] = "qid"
    return data.rename(columns=names) if names else data


def pandas_frame(data: Any) -> Any:
    """Return the frame of another library as one of pandas, and any other value as it is.

    :param data: a frame of pandas, of polars, of Hugging Face datasets, a table of pyarrow, or what
        has ``to_pandas()`` or ``__arrow_c_stream__``; a LazyFrame of polars is collected
    :raises ValueError: if it is a ``DatasetDict``, of which a split is needed
    """
    kind = type(data).__name__
    if kind == "DatasetDict":  # of Hugging Face datasets
        splits = ", ".join(map(repr, data))
        raise ValueError(f"a DatasetDict holds several frames, its splits {splits}; choose a "
                         "split, such as data['train']")
    if kind == "LazyFrame":  # of polars, not computed yet
        data = data.collect()
    if isinstance(data, pd.Series):
        return data
    if hasattr(data, "to_pandas"):
        data = data.to_pandas()
    elif hasattr(data, "__arrow_c_stream__") and not isinstance(data, pd.DataFrame):
        import pyarrow
        data = pyarrow.table(data).to_pandas()
    return _plain_numbers(data) if isinstance(data, pd.DataFrame) else data


def is_number(value: Any) -> bool:
    """Return whether a value is a number, a Decimal, or an array of one number."""
    if isinstance(value, np.generic):
        return isinstance(value, Real)
    return isinstance(value, (Real, Decimal)) or getattr(value, "ndim", None) == 0


def _plain_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with floats in place of Decimals and arrays of one number."""
    for name, cells in frame.items():
        first = next(iter(cells), None) if cells.dtype == object else None
        if is_number(first) and not isinstance(first, Real):
            floats = [float(cell) if is_number(cell) else cell for cell in cells]
            frame = frame.copy(deep=False)
            frame[name] = floats
    return frame


#: Whole floats from here on are not all distinct.
LARGEST_FLOAT = 2**53
#: What pandas infers of objects that may include floats.
_WITH_FLOATS = ("floating", "mixed-integer-float", "mixed-integer", "mixed")


def whole_numbers(ids: pd.Series) -> pd.Series:
    """Convert float identifiers to text, 1.0 to ``'1'``; return columns without floats unchanged.

    A merge with missing rows converts integer columns to floats.

    :raises ValueError: if a float is so large that it was rounded
    """
    values: Any = ids
    if isinstance(ids.dtype, pd.CategoricalDtype):
        values = ids.cat.categories
    has_floats = values.dtype.kind == "f"
    if values.dtype.kind == "O":
        inferred = pd.api.types.infer_dtype(values, skipna=True)
        has_floats = inferred in _WITH_FLOATS
    if not has_floats:
        return ids
    floats = values
    if values.dtype.kind == "O":
        floats = [value for value in values if isinstance(value, float)]
    largest = pd.Series(floats, dtype="float64").abs().max()
    if largest >= LARGEST_FLOAT:
        raise ValueError(f"{ids.name or 'an id'} must be text, because a float of 2**53 or more is "
                         f"rounded, got {largest:.0f}; read the column as text, such as "
                         "pd.read_csv(…, dtype=str)")
    return ids.astype(object).map(label_text, na_action="ignore")


def texts_of(ids: pd.Series) -> Any:
    """Return identifiers as text, ``[n]``."""
    if pd.api.types.infer_dtype(ids, skipna=False) != "string":
        ids = whole_numbers(ids).astype(str)
    return ids.to_numpy(dtype=object)


def pair_texts(function: str, qids: Any, docnos: Any) -> tuple[Any, Any]:
    """Return the topics and the documents that a function was given as text, ``[n]`` each.

    :raises ValueError: if they differ in length
    """
    if len(qids) != len(docnos):
        raise ValueError(f"{function} was given {len(qids)} topics and {len(docnos)} documents; it "
                         "needs a topic for each document")
    topics = pd.Series(qids)
    documents = pd.Series(docnos)
    return texts_of(topics), texts_of(documents)


def words_of(texts: Any) -> Any:
    """Return 64-bit integers whose rows sort as the UTF-8 bytes of texts do, ``[n, words]``.

    They are the bytes, in big-endian order, or the rank of each text if one is very long.
    """
    if max(map(len, texts), default=0) > LONG:  # the array has the longest width in every row
        ranks, _ = pd.factorize(texts, sort=True)
        return ranks.astype(np.uint64)[:, None]
    try:
        encoded = texts.astype("S")
    except UnicodeEncodeError:
        texts = texts.astype("U")
        encoded = np.char.encode(texts, "utf-8")
    width = ceil(encoded.dtype.itemsize / 8) or 1
    padded = encoded.astype(f"S{8 * width}")
    words = padded.view(">u8").astype(np.uint64)
    return words.reshape(len(texts), width)


def codes_of(ids: pd.Series, where: str | None = None) -> tuple[Ints, dict[str, Any]]:
    """Factorize a column with few distinct values; 1 and ``'1'`` are one value.

    :param where: the name of the frame in the error for a missing value; ``None`` to give missing
        values the code −1
    :returns: the codes ``[n]``, and the distinct values by their texts, in order of appearance
    :raises ValueError: if a value is missing
    """
    codes, values = pd.factorize(ids)
    if where is not None and (codes < 0).any():
        raise missing(ids, np.argmax(codes < 0), where)
    texts = list(map(label_text, values))
    distinct: dict[str, Any] = {}
    for text, value in zip(texts, values, strict=True):
        distinct.setdefault(text, value)
    return recoded(codes, texts, distinct), distinct


#: The odd multiplier of Fibonacci hashing (2**64 / golden ratio), applied to topic codes.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class PairIndex:
    """An index of (topic, docno) pairs by their hashes of 64 bits.

    Of ten million pairs, two have the same hash with a probability of 3 in a million.

    ``pair [n]`` is the number of each row's pair, in order of first appearance.
    ``first [pairs]`` is the first row of each pair, ``topic [pairs]`` its topic code, and ``hashes
    [pairs]`` its hash.

    :param topic: topic codes, ``[n]``
    :param docnos: the documents, ``[n]``
    :param where: the name of the frame in errors
    :raises ValueError: if a docno is missing
    """

    def __init__(self, topic: Ints, docnos: pd.Series, where: str = "frame") -> None:
        rows = np.arange(len(topic), dtype=np.int32)
        self._docnos = docnos
        self.hashes = _hashes(topic, docnos, where)
        self._numbers = pd.Index(self.hashes)
        self.pair = self.first = rows
        if not self._numbers.is_unique:
            pair, self.hashes = pd.factorize(self.hashes)
            self._numbers = pd.Index(self.hashes)
            self.pair = pair.astype(np.int32)
            self.first = np.empty(len(self.hashes), np.int32)
            self.first[pair[::-1]] = rows[::-1]
        self.topic = topic[self.first]

    def __len__(self) -> int:
        return len(self.first)

    def docnos(self, pairs: Any = slice(None)) -> Any:
        """Return the docnos of pairs as text."""
        rows = self.first[pairs]
        return texts_of(self._docnos.iloc[rows])

    def find(self, topic: Ints, docnos: pd.Series, where: str = "frame") -> tuple[Ints, Any]:
        """Return the number of each pair (−1 if it is not in the index) and its hash, both ``[m]``.

        :raises ValueError: if a docno is missing
        """
        hashes = _hashes(topic, docnos, where)
        pair = self._numbers.get_indexer(hashes)
        return pair.astype(np.int32), hashes


def _hashes(topic: Ints, docnos: pd.Series, where: str) -> Any:
    """Return the hash of each pair of a topic and a docno, ``[n]``."""
    if docnos.hasnans:
        raise missing(docnos, docnos.isna().argmax(), where)
    hashes = np.empty(len(topic), np.uint64)
    for start in range(0, len(topic), CHUNK):
        part = slice(start, start + CHUNK)
        texts = texts_of(docnos.iloc[part])
        hashes[part] = pd.util.hash_array(texts, categorize=False)
    hashes += topic.astype(np.uint64) * _SPREAD
    return hashes


class DocumentIndex(PairIndex):
    """An index of documents, or of (topic, document) pairs, by their identifiers.

    :param qid: the topics, ``[n]``; ``None`` if the rows apply to every topic
    :param docno: the documents, ``[n]``
    :param where: the name of the frame in errors
    :raises ValueError: if an identifier is missing
    """

    def __init__(self, qid: pd.Series | None, docno: pd.Series, where: str) -> None:
        topic = np.zeros(len(docno), np.int32)
        #: The names of the topics; ``None`` if the rows apply to every topic.
        self.topics = None
        if qid is not None:
            topic, names = codes_of(qid, where)
            self.topics = list(names)
        super().__init__(topic, docno, where)

    def positions(self, topic: Ints, topics: Sequence[str], docnos: Any) -> Ints:
        """Return the number of each document, ``[m]``, −1 where it is not in the index.

        :param topic: the topic of each document, an index of ``topics``, ``[m]``
        :param docnos: the documents as text, ``[m]``
        """
        if self.topics is None:
            topic = np.zeros(len(docnos), np.int32)
        else:
            topic = recoded(topic, topics, self.topics)
        column = pd.Series(docnos, dtype=object, name="docno")
        pair, _ = self.find(topic, column)
        return pair

    def documents(self) -> tuple[Any, Any]:
        """Return the topics (``None`` without topics) and the docnos of the pairs, as text."""
        if self.topics is None:
            return None, self.docnos()
        topics = np.array(self.topics, dtype=object)
        return topics[self.topic], self.docnos()

    def content(self) -> Any:
        """Return the topics and what distinguishes the pairs, to be hashed."""
        return self.topics, self.hashes
