"""Groups from frames, mappings, patterns and files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import io
from pt_fairness.groups.base import Groups
from pt_fairness.groups.table import Annotated, Table
from pt_fairness.text import UNANNOTATED


def from_frame(frame: pd.DataFrame, name: str | None = None) -> Groups:
    """Return groups from a table.

    :param frame: columns ``docno, group`` or ``qid, docno, group``. Several rows of a document are
        several groups; a row whose group is missing, empty or ``-`` is none.
    :param name: what the groups are called; by default a name made from their content
    :raises ValueError: a column is missing

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> frame = pd.DataFrame({"docno": ["a", "b", "b"], "group": ["PRO", "PRO", "CON"]})
    >>> groups.from_frame(frame).labels
    ['CON', 'PRO']
    """
    return _Frame(frame, name)


def from_mapping(mapping: Mapping[Any, Any], name: str | None = None) -> Groups:
    """Return groups from a dictionary.

    :param mapping: docno → group, docno → groups (a list, set or array), or qid → such a dictionary
    :param name: what the groups are called; by default a name made from their content
    :raises ValueError: a value is none of these

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.from_mapping({"a": "PRO", "b": ["PRO", "CON"]}).labels
    ['CON', 'PRO']
    >>> groups.from_mapping({"1": {"a": "PRO"}, "2": {"a": "CON"}}).lookup(["2"], ["a"])
      qid docno group
    0   2     a   CON
    """
    if not isinstance(mapping, (Mapping, pd.Series)):
        raise ValueError(f"groups come from a dictionary here, not from a "
                         f"{type(mapping).__name__}; from_frame takes DataFrames, from_file takes "
                         "paths")
    nested = len(mapping) > 0 and all(isinstance(value, Mapping) for _, value in mapping.items())
    rows = [(qid, docno, group)
            for qid, documents in (mapping.items() if nested else [(None, mapping)])
            for docno, groups in documents.items() for group in _several(docno, groups)]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype=object)
    return _Frame(frame if nested else frame.drop(columns="qid"), name)


def _several(docno: Any, groups: Any) -> Iterable[Any]:
    """Return the groups that a dictionary gives a document."""
    if isinstance(groups, (list, tuple, set, frozenset, np.ndarray, pd.Series)):
        return groups
    if pd.api.types.is_scalar(groups):
        return [groups]
    raise ValueError(f"the groups of {docno!r} are {groups!r}; a document has a label or a list of "
                     "labels, and either all or none of the values are dictionaries of documents "
                     "by topic")


def from_pattern(pattern: str, labels: Iterable[Any] | None = None,
                 name: str | None = None) -> Groups:
    """Return groups from the docno itself: what a regular expression finds in it.

    :param pattern: is searched in the docno. Its group called ``group``, or else its first, or else
        the whole match, is the label.
    :param labels: every label that can occur; other finds are no group
    :param name: what the groups are called; by default a name made from their content
    :raises ValueError: ``pattern`` is no regular expression

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.from_pattern(r"^[A-Z]+", labels=["FT", "LA"]).lookup(["1", "1"], ["FT911-1", "FR-2"])
      qid    docno group
    0   1  FT911-1    FT
    """
    return _Pattern(pattern, labels, name)


def from_file(path: str | os.PathLike[str], name: str | None = None) -> Groups:
    """Return groups from a file, compressed if its name ends in ``.gz``.

    The file has tab- or comma-separated columns with a header (``docno, group`` or ``qid, docno,
    group``), or it is a TREC qrels file with the group in the second column.

    :param name: what the groups are called; by default a name made from their content
    :raises ValueError: a line cannot be read, by file and line
    :raises OSError: the file cannot be opened

    Examples
    --------
    >>> import os, tempfile
    >>> from pt_fairness import groups
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "groups.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("docno,group\\na,PRO\\nb,CON\\n")
    ...     groups.from_file(path).labels
    ['CON', 'PRO']
    """
    return _Frame(io.read_groups(path), name)


class _Frame(Groups):
    complete = True
    in_parts = True

    def __init__(self, frame: pd.DataFrame, name: str | None = None) -> None:
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"groups come from a DataFrame here, not from a "
                             f"{type(frame).__name__}; from_mapping takes dictionaries, from_file "
                             "takes paths")
        self._table = Table.of_frame(frame)
        super().__init__(name, self._table.labels)

    def _content(self) -> Any:
        return self.labels, self._table.content()

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        return self._table.find(qids, docnos)


class _Pattern(Groups):
    in_parts = True

    def __init__(self, pattern: str, labels: Iterable[Any] | None = None,
                 name: str | None = None) -> None:
        super().__init__(name, labels)
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
        self.pattern = pattern
        self._column = "group" if "group" in compiled.groupindex else 0
        self._whole = pattern if compiled.groups else f"({pattern})"
        self.complete = labels is not None

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        document, texts = pd.factorize(np.asarray(docnos, dtype=object))
        found = pd.Series(texts, dtype=object).astype(str)
        found = found.str.extract(self._whole, expand=True)[self._column]
        found = found.where(found.isin(self.labels) if self.labels is not None
                            else ~found.isin(UNANNOTATED))
        codes, labels = pd.factorize(found)
        codes = codes[document] if len(texts) else codes
        item = np.flatnonzero(codes >= 0)
        return item, codes[item], [str(one) for one in labels]
