"""Values: a number for each judged or unjudged document, such as its length or neutrality.

The parameter ``values=`` of a measure is the name of registered values, the path of a file, or a
:class:`Values` object.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from pt_fairness.core.messages import shown
from pt_fairness.core.registry import Registry
from pt_fairness.io.document_files import read_values
from pt_fairness.values.base import Values
from pt_fairness.values.words import FromText as FromText
from pt_fairness.values.words import from_text

__all__ = ["Values", "from_file", "from_frame", "from_mapping", "from_text", "get", "names",
           "register", "unregister"]

__dir__ = __all__.copy


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
    by_topic = len(mapping) > 0 and all(isinstance(part, Mapping) for _, part in mapping.items())
    rows = [(qid, docno, number)
            for qid, documents in (mapping.items() if by_topic else [(None, mapping)])
            for docno, number in documents.items()]
    for _, docno, number in rows:
        if not pd.api.types.is_scalar(number):
            raise ValueError(f"the value of {docno!r} is {shown(number)}; it has to be a number, "
                             "and either all or none of the values are dictionaries of documents "
                             "by topic")
    frame = pd.DataFrame(rows, columns=["qid", "docno", "value"], dtype=object)
    return Values(frame if by_topic else frame.drop(columns="qid"), name)


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
    return Values(read_values(path), name, os.fspath(path))


REGISTRY = Registry(Values, from_file, "from_frame, from_mapping, from_text or from_file")


def register(name: str, values: Values | Callable[[], Values]) -> None:
    """Make values available as ``values=name``, until :func:`unregister`.

    Values registered under the same name before are replaced.

    :param values: a Values object, or a function that makes one when a measure first uses it
    :raises ValueError: it is neither, or the name is empty

    Examples
    --------
    >>> from pt_fairness import RaB, values
    >>> values.register("slant", values.from_mapping({"d1": 1}))
    >>> RaB(values="slant") @ 5
    RaB(values='slant')@5
    >>> values.unregister("slant")
    """
    REGISTRY.register(name, values)


unregister, names, get = REGISTRY.unregister, REGISTRY.names, REGISTRY.get
