"""Values: a number for each judged or unjudged document, such as its length or neutrality.

The parameter ``values=`` of a measure is the name of registered values, the path of a file, or a
:class:`Values` object.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import nan
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.core import arrays
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.identifiers import PYTERRIER, DocumentIndex, as_frame, pair_texts
from pt_fairness.core.messages import label_text, listed, one_of
from pt_fairness.core.registry import NamedObject, Registry
from pt_fairness.io.column_roles import Columns, frame_rows
from pt_fairness.io.document_files import read_values, separated, weights_of
from pt_fairness.io.documents import THRESHOLD, Tokenizer, WordCounts
from pt_fairness.io.files import need_columns, need_frame

__all__ = ["Values", "from_file", "from_frame", "from_mapping", "from_text", "get", "names",
           "register", "unregister"]

__dir__ = __all__.copy


class Values(NamedObject):
    """The values of documents, by docno or by topic and docno.

    :param frame: columns ``docno, value`` or ``qid, docno, value``
    :param name: the name of the values; ``None`` for one derived from a hash of their content
    :param where: the name of the frame in errors
    :raises ValueError: if a column is missing, a value is not a finite number, or a document has
        two
    """

    WHAT = "values"

    def __init__(self, frame: pd.DataFrame, name: str | None = None,
                 where: str = "the frame of values") -> None:
        frame = as_frame(frame)
        need_frame(frame, where)
        names = {theirs: ours for theirs, ours in PYTERRIER.items() if ours not in frame}
        frame = frame.rename(columns=names)
        need_columns(frame, ["docno", "value"], where)
        super().__init__(name)
        topics = frame.get("qid")
        self._index = DocumentIndex(topics, frame["docno"], "values")
        numbers = _finite(frame, where)
        # Adding 0.0 turns −0 into 0, so that equal values have equal hashes.
        self._numbers = numbers[self._index.first] + 0.0
        first = self._numbers[self._index.pair]
        for row in np.flatnonzero(first != numbers):
            document = repr(str(frame["docno"].iloc[row]))
            if topics is not None:
                document += f" in topic {str(topics.iloc[row])!r}"
            both = f"{first[row]:g} and {numbers[row]:g}"
            raise ValueError(f"{where}: a document must have one value, got {both} for {document}")

    def _content(self) -> Any:
        return self._index.content(), self._numbers

    def lookup(self, qids: Sequence[Any], docnos: Sequence[Any]) -> Floats:
        """Return the values of documents, ``[n]``, NaN for documents without a value.

        :param qids: the topic of each document, ``[n]``
        :param docnos: the documents, ``[n]``
        :raises ValueError: if ``qids`` and ``docnos`` differ in length

        Examples
        --------
        >>> from pt_fairness import values
        >>> values.from_mapping({"d1": 1, "d2": 0.5}).lookup(["q1", "q1"], ["d2", "d3"])
        array([0.5, nan])
        """
        names, documents = pair_texts("lookup", qids, docnos)
        topic, topics = pd.factorize(names)
        return self.find(topic, topics, documents)

    def find(self, topic: Ints, topics: Sequence[str], docnos: Any) -> Floats:
        """Return the values of documents, ``[n]``, NaN for documents without a value.

        :param topic: the topic of each document, an index into ``topics``, ``[n]``
        :param topics: the names of the topics
        :param docnos: the documents as text, ``[n]``
        """
        pair = self._index.positions(topic, topics, docnos)
        return np.append(self._numbers, nan)[pair]

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"Values({self.name!r}, {len(self)} documents)"


def _finite(frame: pd.DataFrame, where: str) -> Floats:
    """Return the values of the rows of a frame, ``[n]``.

    :raises ValueError: if one is not a finite number
    """
    cells = frame["value"]
    column = pd.to_numeric(cells, errors="coerce")
    numbers = column.to_numpy(float, na_value=nan)
    place = frame.index.name or "row"
    for number, row in frame[~np.isfinite(numbers)].iterrows():
        value = str(row["value"])
        raise ValueError(f"{where}, {place} {number}: value must be a finite number, got {value!r} "
                         f"for document {label_text(row['docno'])!r}")
    if cells.dtype.kind in "iuf":
        return numbers
    return cells.astype(object).to_numpy(float)  # to_numeric is not exact in the last digit


def from_frame(frame: pd.DataFrame, name: str | None = None, *, column: str | None = None,
               id: str | None = None, topic: str | Literal[False] | None = None,
               weight: str | None = None, sep: str | None = None,
               none: Iterable[Any] = ()) -> Values:
    """Return values from a DataFrame.

    :param frame: columns ``docno, value`` or ``qid, docno, value``, also of another library, such
        as polars, without rows for documents that lack a value
    :param name: the name of the values; by default derived from a hash of their content
    :param column: as ``id``, ``topic``, ``weight``, ``sep`` and ``none``: see :func:`from_file`
    :raises ValueError: if a column is missing, a value is not a finite number, or a document has
        two

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import values
    >>> frame = pd.DataFrame({"docno": ["d1", "d2"], "value": [1.0, 0.5]})
    >>> values.from_frame(frame, name="neutrality")
    Values('neutrality', 2 documents)
    """
    where = "the frame of values"
    columns = Columns(column, id, topic, weight)
    rows = frame_rows(frame, where, columns, "value", "weight" if weight else None)
    return _values(rows, name, where, sep, none)


def _values(frame: pd.DataFrame, name: str | None, where: str, sep: str | None,
            none: Iterable[Any]) -> Values:
    """Return the values of documents.

    With ``sep`` or weights, the value of a document is the mean of its rows.
    """
    if sep is not None:
        frame = separated(frame, "value", sep)
    frame = frame[~frame["value"].isin([*none])]
    ids = [column for column in ("qid", "docno") if column in frame]
    if sep is not None or "weight" in frame:
        weight: Any = 1.0
        if "weight" in frame:
            weight = weights_of(frame[["weight"]], where)[:, 0]
        numbers = _finite(frame, where)
        products = numbers * weight
        rows = frame[ids].assign(value=products, weight=weight)
        documents = rows.groupby(ids, sort=False)
        sums = documents.sum()
        frame = (sums["value"] / sums["weight"]).rename("value").reset_index()
    return Values(frame[[*ids, "value"]], name, where)


def from_mapping(mapping: Mapping[Any, Any], name: str | None = None) -> Values:
    """Return values from a dictionary: docno → number, or qid → such a dictionary.

    :param name: the name of the values; by default derived from a hash of their content
    :raises ValueError: if a value is neither, or not a finite number

    Examples
    --------
    >>> from pt_fairness import values
    >>> values.from_mapping({"q1": {"d1": 1, "d2": -1}, "q2": {"d1": 0}}, name="slant")
    Values('slant', 3 documents)
    """
    if not isinstance(mapping, (Mapping, pd.Series)):
        raise ValueError(f"values must be a dictionary, got a {type(mapping).__name__}; from_frame "
                         "takes DataFrames")
    kinds = {isinstance(value, Mapping) for _, value in mapping.items()}
    topics = mapping.items() if kinds == {True} else [(None, mapping)]
    rows = []
    for qid, numbers in topics:
        for docno, number in numbers.items():
            rows.append((qid, docno, number))
    frame = pd.DataFrame(rows, columns=["qid", "docno", "value"], dtype=object)
    if kinds != {True}:
        frame = frame.drop(columns="qid")
    return Values(frame, name)


def from_file(path: str | os.PathLike[str], name: str | None = None, *, column: str | None = None,
              id: str | None = None, topic: str | Literal[False] | None = None,
              weight: str | None = None, sep: str | None = None,
              none: Iterable[Any] = ()) -> Values:
    """Return values from a file, compressed or not.

    The file has the columns ``docno value`` or ``qid docno value``, separated by white space, or a
    header with these names, separated by tabs or commas.

    :param name: the name of the values; by default derived from a hash of their content
    :param column: the column of the values; by default ``value`` or the only one left
    :param id: the column of the documents; by default found as
        :func:`pt_fairness.groups.from_file` does, as is ``topic``
    :param topic: the column of the topics; ``False`` for none
    :param weight: the column of weights. The value of a document is then the weighted mean over
        its rows
    :param sep: what separates several values in a cell. The value of a document is then their mean
    :param none: the cells that mean no value, such as ``["NA"]``
    :raises ValueError: if a line cannot be parsed, a value is not a finite number, or a document
        has two

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness import values
    >>> _ = Path("neutrality.txt").write_text("d1 1.0\\nd2 0.5\\n")
    >>> values.from_file("neutrality.txt").lookup(["q1"], ["d2"])
    array([0.5])
    """
    columns = Columns(column, id, topic, weight)
    frame = read_values(path, columns)
    return _values(frame, name, os.fspath(path), sep, none)


#: What the differences of Rekabsaz and Schedl (2020) do with the counts of words, by their names.
_SIZES: dict[str, Any] = {"tc": np.asarray, "tf": np.log1p, "bool": np.sign}
_NEUTRALITY = "neutrality"


def from_text(documents: str | pd.DataFrame, words: Mapping[Any, Iterable[str]],
              number: str = _NEUTRALITY, name: str | None = None, *,
              tokenize: Tokenizer = str.split) -> Values:
    """Return values from the words in documents.

    :func:`pt_fairness.groups.from_text` returns groups from the same words, and explains
    ``documents``, ``words`` and ``tokenize``. Nothing is read before values are needed. Documents
    are then read from the docstore, once, with a progress bar.

    :param documents: an ir_datasets id, or a frame ``docno, text``
    :param words: the words of each group, by group; a word is in one of them
    :param number: the value of a document in which group g has ``c_g`` words, ``C`` in all:

        - ``'neutrality'``: 1 if ``C`` is at most 1, else ``1 − Σ_g |c_g/C − 1/G|`` for
          G groups: from ``2/G − 1`` to 1, and 1 is neutral (Rekabsaz et al. 2021)
        - ``'tc'``: ``c_1 − c_2``, for two groups in the order of ``words``; 0 is neutral (this and
          the next two: Rekabsaz and Schedl 2020)
        - ``'tf'``: ``ln(1 + c_1) − ln(1 + c_2)``
        - ``'bool'``: ``[c_1 > 0] − [c_2 > 0]``
    :param name: the name of the values; by default derived from a hash of the parameters
    :raises ValueError: if ``number`` is another text, or not defined for that many groups; a group
        lacks words, a word is in several groups or is not one token; once values are needed, the
        dataset does not exist

    Examples
    --------
    >>> import re
    >>> from pt_fairness import values
    >>> words = {"female": ["she", "her", "grandmother"], "male": ["he", "his", "father", "kings"]}
    >>> tokenize = re.compile(r"\\w+").findall
    >>> neutrality = values.from_text("pt-fairness/debates", words, tokenize=tokenize)
    >>> neutrality.lookup(["1", "1"], ["d01-08", "d01-11"]).round(3)
    array([0.667, 1.   ])
    >>> difference = values.from_text("pt-fairness/debates", words, "tc", tokenize=tokenize)
    >>> difference.lookup(["1", "1"], ["d01-08", "d01-11"])
    array([-1., -1.])
    """
    counts = WordCounts(documents, words, tokenize)
    return FromText(counts, number, name)


class FromText(Values):
    """Values from the words in the texts of documents; see :func:`from_text`."""

    def __init__(self, counts: WordCounts, number: str = _NEUTRALITY,
                 name: str | None = None) -> None:
        one_of("number", number, (_NEUTRALITY, *_SIZES))
        groups = len(counts.groups)
        if groups < 2 or (groups > 2 and number in _SIZES):
            count = "two groups or more" if number == _NEUTRALITY else "two groups"
            raise ValueError(f"number={number!r} needs the words of {count}, got "
                             f"{listed(counts.groups)}")
        self._name = name
        self._counts = counts
        self._number = number

    def _content(self) -> Any:
        return self._counts.content(), self._number

    def find(self, topic: Ints, topics: Sequence[str], docnos: Any) -> Floats:
        counts = self._counts.find(docnos, self.name)
        absent = counts[:, 0] < 0
        counts = np.maximum(counts, 0)
        if self._number == _NEUTRALITY:
            total = counts.sum(axis=1, keepdims=True)
            shares = arrays.ratio(counts, total)
            equal = 1 / counts.shape[1]
            gaps = abs(shares - equal)
            distance = gaps.sum(axis=1)
            is_neutral = total[:, 0] <= THRESHOLD
            numbers = np.where(is_neutral, 1.0, 1 - distance)
        else:
            first, second = _SIZES[self._number](counts).T.astype(float)
            numbers = first - second
        numbers[absent] = nan
        return numbers

    def __len__(self) -> int:
        """Return the number of documents that were counted so far."""
        return len(self._counts)

    def __repr__(self) -> str:
        groups = ", ".join(self._counts.groups)
        return f"Values({self.name!r}, {self._number} of {groups} words)"


REGISTRY = Registry(Values, from_file, "from_frame, from_mapping, from_text or from_file")


def register(name: str, values: Values | Callable[[], Values]) -> None:
    """Make values available as ``values=name``, until :func:`unregister`.

    Values registered under the same name before are replaced.

    :param values: a Values object, or a function that makes one when a measure first uses it
    :raises ValueError: if it is neither, or the name is empty

    Examples
    --------
    >>> from pt_fairness import RaB, values
    >>> values.register("slant", values.from_mapping({"d1": 1}))
    >>> RaB(values="slant") @ 5
    RaB(values='slant')@5
    >>> values.unregister("slant")
    """
    REGISTRY.register(name, values)


unregister = REGISTRY.unregister
names = REGISTRY.names
get = REGISTRY.get
