"""Files of groups: tables, qrels, JSON, Parquet and memberships."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats
from pt_fairness.core.identifiers import RECOMMENDER_COLUMNS
from pt_fairness.core.messages import TREC_DEFAULTS, listed, shown, warn
from pt_fairness.io.files import (
    Input,
    Path,
    fields_of,
    first_line,
    header_of,
    need_distinct_columns,
    need_rows,
    opened,
    place_of,
    read_columns,
    read_json,
    read_parquet,
    read_table,
    table_of,
)

#: The columns of the documents of a group file; the first one there counts.
_DOCUMENTS = ("docno", "doc_id", "id", "item_id", "item")
#: The end of the name of a file of JSON.
_JSON = re.compile(r"\.(json|jsonl|ndjson)(\.gz)?$")
_FORMS = ("it needs a header with docno and group (and qid), separated by tabs or commas, or the "
          "four columns of TREC qrels (qid, group, docno, label); a membership file (topic, docno, "
          "shares) needs the names of its groups (from_file(path, labels=[…]), --groups "
          "FILE:LABEL,LABEL)")


def read_groups(path: Path, column: str = "group", document: str | None = None) -> pd.DataFrame:
    """Read a group file, compressed if the name ends in ``.gz``.

    It is a TREC qrels file; has a header and columns separated by tabs or commas; is Parquet
    (``.parquet``); or JSON (``.json``, ``.jsonl``), an array of objects or one in each line. In
    qrels, the group is in the second column; if that column holds nothing but ``0`` or ``Q0``, it
    is the text label in the fourth. A document of several groups has a row for each, or a list.

    :param column: the column that has the group; ``a.b`` is the key ``b`` of the objects in ``a``
    :param document: the column that has the documents; by default ``docno``, ``doc_id``, ``id``,
        ``item_id`` or ``item``
    :returns: ``docno, group`` or ``qid, docno, group``, and the other columns of the file; those of
        a table are text
    :raises ValueError: the file has another form, lacks a column, or a line cannot be read

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io import read_groups
    >>> _ = Path("groups.csv").write_text("docno,group\\nd1,PRO\\nd2,CON\\n")
    >>> read_groups("groups.csv")
      docno group
    0    d1   PRO
    1    d2   CON
    """
    frame = read_labelled(path, column, document)
    if isinstance(frame["group"].dtype, pd.CategoricalDtype):
        return frame.astype({"group": "str"})
    return frame


def read_labelled(path: Path, column: str = "group", document: str | None = None) -> pd.DataFrame:
    """Read a group file as :func:`read_groups` does, with a categorical group if it is a table."""
    with opened(path) as source:
        if _is_structured(source):
            frame = _read_structured(source, column, document)
            names = _roles(frame.columns, column, document, source)
            frame = frame.set_axis(names, axis="columns")
            need_distinct_columns(frame[frame.columns.intersection(["qid", "docno", "group"])],
                                  source.name)
            _check_groups(source, frame)
            return frame
        separator, header = table_of(source, column)
        if separator:
            names = _roles(header, column, document, source)
            frame = read_table(source, separator, names, ["docno", "group"], "group")
            _check_groups(source, frame)
            return frame
        first = first_line(source)
        if column != "group":
            raise ValueError(f"{source.name} has no column {column!r}, separated by tabs or commas "
                             f"from others; its first line is {shown(first)}")
        if len(fields_of(first)) != 4:
            raise ValueError(f"{source.name} is no group file: {_FORMS}. Its first line is "
                             f"{shown(first)}")
        frame = read_columns(source, ["qid", "group", "docno", "label"])
        frame.attrs["judged"] = True
        if not set(frame["group"].unique()) <= TREC_DEFAULTS:
            return frame
        if pd.to_numeric(frame["label"], errors="coerce").isna().any():
            return frame[["qid", "docno"]].assign(group=frame["label"])
        raise ValueError(f"{source.name} has no groups: its second column holds nothing but "
                         f"{listed(sorted(frame['group'].unique()))}, and its fourth nothing but "
                         "numbers, as in plain qrels. A group file has the group in one of them, "
                         "or is a table with the columns docno and group; if the numbers are the "
                         "groups, use pt_fairness.groups.from_qrels or pt-fairness annotate --none")


def _is_structured(source: Input) -> bool:
    """Return whether a file is Parquet or JSON, whose values have types."""
    return source.name.endswith(".parquet") or _JSON.search(source.name) is not None


def _read_structured(source: Input, column: str | None, document: str | None) -> pd.DataFrame:
    """Read a file of Parquet or JSON.

    Objects in it become columns if ``column`` or ``document`` is a key of them, with dots.
    """
    if source.name.endswith(".parquet"):
        frame = read_parquet(source)
    else:
        frame = pd.DataFrame(read_json(source))
    if {column, document} - {None, *frame.columns}:
        rows: Any = frame.to_dict("records")
        frame = pd.json_normalize(rows)
    need_rows(frame, source.name)
    return frame.rename(columns=str)


def _roles(header: Iterable[str], column: str | None, document: str | None,
           source: Input) -> list[str]:
    """Return the header with the names qid, docno and group for the columns that hold them.

    :param column: the column of the group; ``None`` if there is none
    :param document: the column of the documents, if it is named
    :raises ValueError: the documents or the groups have no column
    """
    names = [name.lower() for name in header]
    columns = f"its columns are {', '.join(header)}"
    if document is None:
        document = next((name for name in _DOCUMENTS if name in names), "")
        if not document:
            raise ValueError(f"{source.name} has no column 'docno', 'doc_id' or 'id' for the "
                             f"documents; {columns}. Name it: from_file(path, id=…), --groups "
                             "FILE:ID:COLUMN")
    roles = {document.lower(): "docno"}
    if column is not None:
        if column.lower() == document.lower():
            raise ValueError(f"{column!r} of {source.name} holds the documents, not their groups; "
                             f"{columns}")
        roles[column.lower()] = "group"
    for name in roles:
        if name not in names:
            raise ValueError(f"{source.name} has no column {name!r}; {columns}. Name that of the "
                             "groups: from_file(path, column=…), --groups FILE:COLUMN")
    user = RECOMMENDER_COLUMNS.get(document, "query_id")
    topic = next((name for name in ("qid", "query_id", user) if name in names), "qid")
    roles.setdefault(topic, "qid")
    taken = {*roles.values()}
    return [roles.get(name, f"other {name}" if name in taken else name) for name in names]


def _place(source: Input, row: Any) -> str:
    """Return the name of a file, and the number of the line or of the object of a row."""
    if _is_structured(source):
        return f"{source.name}, row {row + 1}"
    return place_of(source, row)


def _check_groups(source: Input, frame: pd.DataFrame) -> None:
    """Check the weights in a file of groups, and warn of empty groups.

    :raises ValueError: a row has no document, or its weight is no number of at least 0
    """
    absent = frame["docno"].isna()
    if absent.any():
        raise ValueError(f"{_place(source, absent.argmax())} has no docno; every row needs one")
    group = frame["group"]
    empty = group.isna() | (group.map(str) == "")
    if "weight" in frame:
        unused = empty | (group.map(str) == "-")
        _numbers(source, frame[["weight"]], unused)
    if empty.any():
        warn(f"{_place(source, empty.argmax())} has an empty group, as have {empty.sum()} of "
             f"{len(frame)} rows; it counts as no group, which - says without this warning")


def _numbers(source: Input, weights: pd.DataFrame, unused: Any = False,
             header: int = 1) -> Floats:
    """Return weights as numbers, ``[n, columns]``.

    :param unused: whether each row needs no weight, ``[n]``
    :param header: the number of lines before the first row
    :raises ValueError: a weight is no number of at least 0; the error names file and line
    """
    numbers = weights.apply(pd.to_numeric, errors="coerce").to_numpy(float, na_value=np.nan)
    wrong = ~((numbers >= 0) & np.isfinite(numbers))
    wrong &= ~np.reshape(unused, (-1, 1))
    for row, column in np.argwhere(wrong)[:1]:
        raise ValueError(f"{_place(source, row + header - 1)} has the weight "
                         f"{str(weights.iat[row, column])!r}; weights are numbers of at least 0")
    return numbers


def read_wide(path: Path, labels: Sequence[str] = (), document: str | None = None) -> pd.DataFrame:
    """Read a table with a column of weights for each group, such as ``docno, P(PRO), P(CON)``.

    :param labels: the groups; by default all columns but those of the topic and the document
    :param document: as of :func:`read_groups`
    :returns: as of :func:`read_memberships`
    :raises ValueError: a column is missing, or a weight is no number of at least 0

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io.group_files import read_wide
    >>> _ = Path("shares.csv").write_text("docno,P(PRO),P(CON)\\nd1,0.25,0.75\\n")
    >>> read_wide("shares.csv")
      docno group  weight
    0    d1   PRO    0.25
    0    d1   CON    0.75
    """
    with opened(path) as source:
        if _is_structured(source):
            frame = _read_structured(source, None, document)
            header = [*frame.columns]
            names = _roles(header, None, document, source)
        else:
            separator = "\t" if "\t" in first_line(source) else ","
            header = header_of(source, separator)
            names = _roles(header, None, document, source)
            frame = read_table(source, separator, names, ["docno"])
        ids = [name for name in ("qid", "docno") if name in names]
        columns = {}
        for name, title in zip(names, header, strict=True):
            label = label_of(title)
            if name not in ids and (not labels or label in labels):
                columns[name] = label
        lacking = {*labels} - {*columns.values()}
        if lacking or not columns:
            raise ValueError(f"{source.name} has no column of weights "
                             f"{shown(min(lacking, default='P(…)'))}; its columns are "
                             f"{', '.join(header)}")
        frame = frame.set_axis(names, axis="columns")
        weight = _numbers(source, frame[[*columns]])
    return _long(frame[ids], [*columns.values()], weight)


def label_of(title: str) -> str:
    """Return the label of a column of weights: ``PRO`` of ``PRO`` or ``P(PRO)``."""
    return re.sub(r"^[pP]\((.*)\)$", r"\1", title)


def _long(ids: pd.DataFrame, labels: Sequence[str], weight: Any) -> pd.DataFrame:
    """Return a row for each weight other than 0.

    :param weight: ``[n, labels]``
    """
    row, column = np.nonzero(weight)
    groups = np.asarray(labels, dtype=object)[column]
    return ids.iloc[row].assign(group=groups, weight=weight[row, column])


def memberships(path: Path) -> int:
    """Return the number of groups of a membership file of NTCIR, and 0 for another file.

    All columns after topic and document are shares. Qrels have 0 or Q0 in their second column, or
    a document that is no share in the third.
    """
    with opened(path) as source:
        if _is_structured(source):
            return 0
        fields = fields_of(first_line(source))
    if len(fields) < 2 or fields[1] in TREC_DEFAULTS:
        return 0
    try:
        shares = [float(share) for share in fields[2:]]
    except ValueError:
        return 0
    return len(shares) if all(0 <= share <= 1 for share in shares) else 0


def read_memberships(path: Path, labels: Sequence[str]) -> pd.DataFrame:
    """Read a membership file of NTCIR: topic, document and its share in each group.

    :param labels: the groups, one for each column of shares, distinct
    :returns: ``qid, docno, group, weight`` (text, text, label, float), with a row for each share
        other than 0. Rows of the same line have the same index
    :raises ValueError: a line with more or fewer columns, or a share that is no number of at least
        0, by file and line

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io.group_files import read_memberships
    >>> _ = Path("gmemb").write_text("1 d1 0.25 0.75\\n1 d2 1 0\\n")
    >>> read_memberships("gmemb", ["PRO", "CON"])
      qid docno group  weight
    0   1    d1   PRO    0.25
    0   1    d1   CON    0.75
    1   1    d2   PRO    1.00
    """
    shares = [f"share of {label}" for label in labels]
    with opened(path) as source:
        types = dict.fromkeys(shares, float)
        frame = read_columns(source, ["qid", "docno", *shares], types)
        weight = _numbers(source, frame[shares], header=0)
    return _long(frame[["qid", "docno"]], labels, weight)
