"""Numbers of documents: how long, how neutral, how much of a group, judged or not.

A measure takes them with its ``values=`` parameter: the name of registered values, the path of a
file, or a :class:`Values` object.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import fingerprint, io
from pt_fairness.io.identifiers import DocumentIndex, texts_of
from pt_fairness.numerics import Floats, Ints
from pt_fairness.registry import Registry

__all__ = ["Values", "from_file", "from_frame", "from_mapping", "get", "names", "register",
           "unregister"]


class Values:
    """Knows the numbers of documents.

    :param frame: columns ``docno, value`` or ``qid, docno, value``
    :param name: what the values are called; ``None`` for a name made from their content
    :param where: what errors call the frame
    :raises ValueError: a column is missing, a value is no finite number, or a document has several
    """

    def __init__(self, frame: pd.DataFrame, name: str | None = None,
                 where: str = "the frame of values") -> None:
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"values come from a DataFrame here, not from a "
                             f"{type(frame).__name__}; from_mapping takes dictionaries, from_file "
                             "takes paths")
        docno = "docno" if "docno" in frame or "doc_id" not in frame else "doc_id"
        qid = next((column for column in ("qid", "query_id") if column in frame), None)
        io.need_columns(frame, [docno, "value"], where)
        self._name = name
        self._index = DocumentIndex(None if qid is None else frame[qid], frame[docno], "values")
        numbers = pd.to_numeric(frame["value"], errors="coerce").to_numpy(float, na_value=np.nan)
        wrong = ~np.isfinite(numbers)
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(f"{where}: the value {str(frame['value'].iloc[row])!r} of document "
                             f"{frame[docno].iloc[row]!r} is no finite number; leave out the "
                             "documents that have none")
        # −0 is 0.
        self._numbers = numbers[self._index.first] + 0.0
        other = self._numbers[self._index.pair] != numbers
        if other.any():
            row = int(other.argmax())
            first = self._numbers[self._index.pair[row]]
            of = "" if qid is None else f" for topic {frame[qid].iloc[row]!r}"
            raise ValueError(f"{where} gives document {frame[docno].iloc[row]!r}{of} the values "
                             f"{first:g} and {numbers[row]:g}; a document has one value")

    @property
    def name(self) -> str:
        """What the values are called."""
        if self._name is None:
            self._name = f"values-{self.digest()}"
        return self._name

    def digest(self) -> str:
        """Return a short text that differs between values of different content."""
        order, documents = self._index.sorted()
        by_topic = self._index.topics is not None
        return fingerprint.of_value((by_topic, documents, self._numbers[order]))[:12]

    def lookup(self, qids: Sequence[Any], docnos: Sequence[Any]) -> Floats:
        """Return the numbers of documents, ``[n]``, NaN where a document has none.

        :param qids: the topic of each document, ``[n]``
        :param docnos: the documents, ``[n]``
        :raises ValueError: not equally many

        Examples
        --------
        >>> from pt_fairness import values
        >>> values.from_mapping({"d1": 1, "d2": 0.5}).lookup(["q1", "q1"], ["d2", "d3"])
        array([0.5, nan])
        """
        if len(qids) != len(docnos):
            raise ValueError(f"lookup was given {len(qids)} topics and {len(docnos)} documents; it "
                             "needs a topic for each document")
        topic, topics = pd.factorize(texts_of(pd.Series(qids)))
        return self.find(topic, topics, texts_of(pd.Series(docnos)))

    def find(self, topic: Ints, topics: Sequence[str], docnos: Any) -> Floats:
        """Return the numbers of documents, ``[n]``, as :meth:`lookup` does.

        :param topic: the topic of each document, a place in ``topics``, ``[n]``
        :param topics: the names of the topics
        :param docnos: the documents as text, ``[n]``
        """
        return np.append(self._numbers, np.nan)[self._index.find(topic, topics, docnos)]

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"Values({self.name!r}, {len(self)} documents)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Values) and self.name == other.name \
            and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.name)


def from_frame(frame: pd.DataFrame, name: str | None = None) -> Values:
    """Return the values of a table.

    :param frame: columns ``docno, value`` or ``qid, docno, value``; documents without a value are
        left out
    :param name: by default made from the content
    :raises ValueError: a column is missing, a value is no finite number, or a document has several

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import values
    >>> frame = pd.DataFrame({"docno": ["d1", "d2"], "value": [1.0, 0.5]})
    >>> values.from_frame(frame, name="neutrality")
    Values('neutrality', 2 documents)
    """
    return Values(frame, name)


def from_mapping(mapping: Mapping[Any, Any], name: str | None = None) -> Values:
    """Return the values of a dictionary: docno → number, or qid → such a dictionary.

    :param name: by default made from the content
    :raises ValueError: a value that is none of these

    Examples
    --------
    >>> from pt_fairness import values
    >>> values.from_mapping({"q1": {"d1": 1, "d2": -1}, "q2": {"d1": 0}}, name="slant")
    Values('slant', 3 documents)
    """
    if not isinstance(mapping, (Mapping, pd.Series)):
        raise ValueError(f"values come from a dictionary here, not from a "
                         f"{type(mapping).__name__}; from_frame takes DataFrames, from_file takes "
                         "paths")
    parts = dict(mapping.items())
    nested = bool(parts) and all(isinstance(part, Mapping) for part in parts.values())
    if not nested:
        for docno, number in parts.items():
            if not pd.api.types.is_scalar(number):
                raise ValueError(f"the value of {docno!r} is {number!r}; it has to be a number, "
                                 "and either all or none of the values are dictionaries of "
                                 "documents by topic")
        return Values(pd.DataFrame({"docno": list(parts), "value": list(parts.values())},
                                   dtype=object), name)
    rows = [(qid, docno, number) for qid, part in parts.items() for docno, number in part.items()]
    return Values(pd.DataFrame(rows, columns=["qid", "docno", "value"], dtype=object), name)


def from_file(path: str | os.PathLike[str], name: str | None = None) -> Values:
    """Return the values of a file, compressed if its name ends in ``.gz``.

    The file has the columns ``docno value`` or ``qid docno value``, separated by white space, or a
    header with these names, separated by tabs or commas.

    :param name: by default made from the content
    :raises ValueError: a line that cannot be read, or a value that is no finite number

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness import values
    >>> _ = Path("neutrality.txt").write_text("d1 1.0\\nd2 0.5\\n")
    >>> values.from_file("neutrality.txt").lookup(["q1"], ["d2"])
    array([0.5])
    """
    return Values(io.read_values(path), name, os.fspath(path))


_registry = Registry(Values, "values", from_file, "from_frame, from_mapping or from_file")


def register(name: str, values: Values | Callable[[], Values]) -> None:
    """Make values available as ``values=name``, until :func:`unregister`.

    A name that is taken gets the new meaning.

    :param values: a Values object, or a function that makes one when a measure first asks for it
    :raises ValueError: it is neither, or the name is empty

    Examples
    --------
    >>> from pt_fairness import RaB, values
    >>> values.register("slant", values.from_mapping({"d1": 1}))
    >>> RaB(values="slant") @ 5
    RaB(values='slant')@5
    >>> values.unregister("slant")
    """
    _registry.register(name, values)


def unregister(name: str) -> None:
    """Remove values that :func:`register` has made available.

    :raises ValueError: nothing was registered under this name

    Examples
    --------
    >>> from pt_fairness import values
    >>> values.register("slant", values.from_mapping({"d1": 1}))
    >>> values.unregister("slant")
    >>> "slant" in values.names()
    False
    """
    _registry.unregister(name)


def names() -> list[str]:
    """Return the registered names, sorted.

    Examples
    --------
    >>> from pt_fairness import values
    >>> values.register("slant", values.from_mapping({"d1": 1}))
    >>> "slant" in values.names()
    True
    >>> values.unregister("slant")
    """
    return _registry.names()


def get(source: str | os.PathLike[str] | Values) -> Values:
    """Return the values of a registered name, else of a path; a Values object as it is.

    A file is parsed again when its content has changed. What is no regular file, such as a pipe,
    is read by every call.

    :raises ValueError: none of these

    Examples
    --------
    >>> from pt_fairness import values
    >>> values.register("slant", values.from_mapping({"d1": 1}))
    >>> values.get("slant").lookup(["q1"], ["d1"])
    array([1.])
    >>> values.unregister("slant")
    """
    return _registry.get(source)


def registered(name: str) -> Values | Callable[[], Values] | None:
    """Return what :func:`register` was given for a name in this process."""
    return _registry.registered(name)


def name_of(source: Values | str) -> str:
    """Return the name that a measure has as its parameter."""
    return _registry.name_of(source)
