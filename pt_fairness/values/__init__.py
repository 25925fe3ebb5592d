"""Values: a number for each judged or unjudged document, such as its length or neutrality.

The parameter ``values=`` of a measure is the name of registered values, the path of a file, or a
:class:`Values` object.
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


def __dir__() -> list[str]:
    return __all__


class Values:
    """The values of documents, by docno or by topic and docno.

    :param frame: columns ``docno, value`` or ``qid, docno, value``
    :param name: the name of the values; ``None`` for one derived from a hash of their content
    :param where: the name of the frame in errors
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
        # Adding 0.0 turns −0 into 0, so that equal values have equal hashes.
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
        """The name of the values."""
        if self._name is None:
            self._name = f"values-{self.digest()}"
        return self._name

    def digest(self) -> str:
        """Return a hash of the content."""
        order, documents = self._index.sorted()
        by_topic = self._index.topics is not None
        return fingerprint.of_value((by_topic, documents, self._numbers[order]))[:12]

    def lookup(self, qids: Sequence[Any], docnos: Sequence[Any]) -> Floats:
        """Return the values of documents, ``[n]``, NaN for documents without a value.

        :param qids: the topic of each document, ``[n]``
        :param docnos: the documents, ``[n]``
        :raises ValueError: ``qids`` and ``docnos`` differ in length

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
        """Return the values of documents, ``[n]``, NaN for documents without a value.

        :param topic: the topic of each document, an index into ``topics``, ``[n]``
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
    """Return values from a DataFrame.

    :param frame: columns ``docno, value`` or ``qid, docno, value``, without rows for documents that
        have no value
    :param name: the name of the values; by default derived from a hash of their content
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
    """Return values from a dictionary: docno → number, or qid → such a dictionary.

    :param name: the name of the values; by default derived from a hash of their content
    :raises ValueError: a value is neither, or no finite number

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
    """Return values from a file, compressed if its name ends in ``.gz``.

    The file has the columns ``docno value`` or ``qid docno value``, separated by white space, or a
    header with these names, separated by tabs or commas.

    :param name: the name of the values; by default derived from a hash of their content
    :raises ValueError: a line cannot be parsed, a value is no finite number, or a document has
        several

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

    Values registered under the same name before are replaced.

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
    """Return the values of a registered name or, failing that, of a path.

    A Values object is returned as is. A parsed file is cached until its content changes. Other
    paths, such as pipes, are read by every call.

    :raises ValueError: the source is none of these

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
    """Return what was registered under a name in this process, or ``None``."""
    return _registry.registered(name)


def name_of(source: Values | str) -> str:
    """Return the name of values in the parameters of a measure."""
    return _registry.name_of(source)
