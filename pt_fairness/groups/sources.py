"""Groups from frames, mappings, patterns and files."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.labels import UNANNOTATED, distinct_labels, label_text, label_texts
from pt_fairness.core.messages import listed, shown
from pt_fairness.groups.base import Groups
from pt_fairness.groups.table import Memberships, Table
from pt_fairness.io.document_files import qrels_columns, read_groups, read_labels, read_memberships


def from_frame(frame: pd.DataFrame, name: str | None = None,
               order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a DataFrame.

    :param frame: columns ``docno, group`` or ``qid, docno, group``. Several rows of a document are
        several groups, and so is a list of labels; a missing or empty group, or ``-``, is none.
        With a column ``weight``, the share of a document in each of its groups is the weight over
        the sum of the document's weights, so that a weight of 0 is no membership; without it, the
        shares are equal.
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a column is missing, a weight is not a number of at least 0, or ``order``
        lacks a label

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> frame = pd.DataFrame({"docno": ["a", "b", "b"], "group": ["PRO", "PRO", "CON"]})
    >>> groups.from_frame(frame).labels
    ['CON', 'PRO']
    >>> groups.from_frame(frame.assign(weight=[1, 0.7, 0.3])).lookup(["1"], ["b"])
      qid docno group  weight
    0   1     b   CON     0.3
    1   1     b   PRO     0.7
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"groups come from a DataFrame here, not from a {type(frame).__name__}; "
                         "from_mapping takes dictionaries, from_file takes paths")
    return _Frame(Table.of_frame(frame), name, order)


def from_mapping(mapping: Mapping[Any, Any], name: str | None = None,
                 order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a dictionary.

    :param mapping: docno → group, docno → groups (a list, set or array), docno → weights (a
        dictionary: group → number), or qid → such a dictionary. Numbers in inner dictionaries are
        weights if all innermost values are numbers; to use numbers as labels by topic, give them
        as lists or text.
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a value is none of these, a weight is below 0, or ``order`` lacks a label

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.from_mapping({"a": "PRO", "b": ["PRO", "CON"]}).labels
    ['CON', 'PRO']
    >>> groups.from_mapping({"1": {"a": "PRO"}, "2": {"a": "CON"}}).lookup(["2"], ["a"])
      qid docno group
    0   2     a   CON
    >>> groups.from_mapping({"a": {"PRO": 0.7, "CON": 0.3}}).lookup(["1"], ["a"])
      qid docno group  weight
    0   1     a   CON     0.3
    1   1     a   PRO     0.7
    """
    if not isinstance(mapping, (Mapping, pd.Series)):
        raise ValueError(f"groups come from a dictionary here, not from a "
                         f"{type(mapping).__name__}; from_frame takes DataFrames, from_file takes "
                         "paths")
    values = [value for _, value in mapping.items()]
    by_topic = len(values) > 0 and all(isinstance(value, Mapping) for value in values) \
        and not all(map(_holds_weights, values))
    rows = [(qid, docno, group, weight)
            for qid, documents in (mapping.items() if by_topic else [(None, mapping)])
            for docno, groups in documents.items() for group, weight in _several(docno, groups)]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "group", "weight"], dtype=object)
    weight = frame["weight"].to_numpy(float)
    return _Frame(Table(frame["qid"] if by_topic else None, frame["docno"], frame["group"],
                        None if np.isnan(weight).all() else weight), name, order)


def _holds_weights(value: Any) -> bool:
    """Return whether a value is a dictionary of numbers."""
    return isinstance(value, Mapping) and all(
        isinstance(weight, Real) and not isinstance(weight, bool) for weight in value.values())


def _several(docno: Any, groups: Any) -> Iterable[tuple[Any, float]]:
    """Return the (group, weight) pairs of a document in a dictionary, NaN for no weight."""
    if _holds_weights(groups):
        for group, weight in groups.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise ValueError(f"the weight of {group!r} for {docno!r} is {shown(weight)}; "
                                 "weights are numbers of at least 0")
        return groups.items()
    if isinstance(groups, (list, tuple, set, frozenset, np.ndarray, pd.Series)):
        return [(group, math.nan) for group in groups]
    if pd.api.types.is_scalar(groups):
        return [(groups, math.nan)]
    raise ValueError(f"the groups of {docno!r} are {shown(groups)}; a document has a label, a list "
                     "of labels or a dictionary of weights, and either all or none of the values "
                     "are dictionaries of documents by topic")


def from_pattern(pattern: str, labels: Iterable[Any] | None = None, name: str | None = None,
                 order: Iterable[Any] | None = None) -> Groups:
    """Return groups from the docnos, by a regular expression.

    :param pattern: the regular expression to search in the docno. The label is the capturing group
        named ``group``, or else the first capturing group, or else the whole match.
    :param labels: the label set; other matches are no group
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: ``pattern`` is no regular expression, or ``order`` lacks a label

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.from_pattern(r"^[A-Z]+", labels=["FT", "LA"]).lookup(["1", "1"], ["FT911-1", "FR-2"])
      qid    docno group
    0   1  FT911-1    FT
    """
    return _Pattern(pattern, labels, name, order)


def from_file(path: str | os.PathLike[str], name: str | None = None, *,
              labels: Iterable[Any] | None = None, order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a file, compressed if its name ends in ``.gz``.

    The file has tab- or comma-separated columns with a header (``docno, group`` or ``qid, docno,
    group``, and ``weight`` if documents have weights), or is a TREC qrels file with the group in
    the second column or, if that holds nothing but ``0`` or ``Q0``, as text in the fourth. With
    ``labels``, it is a membership file of NTCIR (``gmemb``): the topic, the document and its share
    in each group, separated by white space.

    :param name: the name of the groups; by default derived from a hash of their content
    :param labels: the groups of a membership file, one for each column of shares. A share of 0
        means that the document is not in the group.
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a line cannot be parsed (the error names file and line), a weight is not a
        number of at least 0, a share is negative, or ``order`` lacks a label
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
    columns = [] if labels is None else distinct_labels(labels, "labels")
    frame = read_groups(path) if labels is None else read_memberships(path, columns)
    found = _Frame(Table.of_frame(frame, os.fspath(path)), name, order, columns)
    found.made_of = os.fspath(path)
    return found


def from_qrels(qrels: pd.DataFrame | str | os.PathLike[str], none: Iterable[Any] = (),
               name: str | None = None, *, order: Iterable[Any] | None = None) -> Groups:
    """Return groups whose labels are the labels of qrels, such as qrels of stances.

    A track that judges both relevance and stance has two qrels files. :meth:`Groups.to_qrels` of
    these groups joins them to qrels with groups.

    :param qrels: a TREC qrels file, whose labels may be text, compressed if its name ends in
        ``.gz``; or a frame ``qid, docno, label`` (or ir_measures' names)
    :param none: the labels that mean no group, such as ``["NO"]``
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: a line of the file cannot be read (the error names file and line), a column
        is missing, no document has the label ``none``, no document has another, or ``order`` lacks
        a label
    :raises OSError: the file cannot be opened

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> relevance = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0]})
    >>> stances = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": ["PRO", "NO"]})
    >>> groups.from_qrels(stances, none=["NO"]).to_qrels(relevance)
      qid docno  label iteration
    0   1     a      1       PRO
    1   1     b      0         -
    """
    frame = qrels if isinstance(qrels, pd.DataFrame) else read_labels(qrels)
    columns = dict(zip(qrels_columns(frame), ("qid", "docno", "group"), strict=True))
    frame = frame[list(columns)].rename(columns=columns)
    frame["group"] = frame["group"].map(label_text, na_action="ignore")
    dropped, labels = label_texts(none, "none"), sorted(set(frame["group"].dropna()))
    absent = [label for label in dropped if label not in labels]
    if absent:
        raise ValueError(f"none={shown(dropped)}: no document has the label {absent[0]!r}; the "
                         f"labels are {listed(labels)}")
    if set(labels) <= {*UNANNOTATED, *dropped}:
        raise ValueError(f"no document has a group: the labels are {listed(labels)}, and "
                         f"none={shown(dropped)}")
    return from_frame(frame[~frame["group"].isin(dropped)], name, order=order)


def of_data(data: Any) -> Groups:
    """Return groups from a DataFrame, a dictionary or a Series."""
    return from_frame(data) if isinstance(data, pd.DataFrame) else from_mapping(data)


class _Frame(Groups):
    complete = True
    in_parts = True

    def __init__(self, table: Table, name: str | None, order: Iterable[Any] | None,
                 labels: Iterable[str] = ()) -> None:
        self._table = table
        super().__init__(name, {*table.labels, *labels}, order)
        self.weighted, self.by_topic = table.weight is not None, table.by_topic

    def _content(self) -> Any:
        return self.labels, self.order, self._table.content()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        return self._table.find(qids, docnos)


class _Pattern(Groups):
    in_parts = True

    @property
    def made_of(self) -> str:  # type: ignore[override]
        return self.pattern

    def __init__(self, pattern: str, labels: Iterable[Any] | None, name: str | None,
                 order: Iterable[Any] | None) -> None:
        super().__init__(name, labels, order)
        if not isinstance(pattern, str):
            raise ValueError(f"a pattern is text, not a {type(pattern).__name__}")
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{shown(pattern)} is no regular expression: {error}") from None
        self.pattern = pattern
        self._column = "group" if "group" in compiled.groupindex else 0
        self._whole = pattern if compiled.groups else f"({pattern})"
        self.complete = labels is not None

    def _content(self) -> Any:
        return self.pattern, self.labels, self.complete, self.order

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        document, texts = pd.factorize(np.asarray(docnos, dtype=object))
        found = pd.Series(texts, dtype=object).astype(str)
        found = found.str.extract(self._whole, expand=True)[self._column]
        found = found.where(found.isin(self.labels) if self.complete
                            else ~found.isin(UNANNOTATED))
        codes, labels = pd.factorize(found)
        codes = codes[document]
        item = np.flatnonzero(codes >= 0)
        return Memberships(item, codes[item], [str(one) for one in labels])
