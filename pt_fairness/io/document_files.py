"""Files of groups, values and targets: tables, JSON, Parquet and memberships."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import (
    TREC_DEFAULTS,
    UNANNOTATED,
    group_labels,
    label_text,
    listed,
    shown,
    warn,
)
from pt_fairness.io.column_roles import (
    BY_NAME,
    Columns,
    Names,
    renamed,
    roles_of,
)
from pt_fairness.io.files import (
    Input,
    Path,
    need_columns,
    need_rows,
    opened,
)
from pt_fairness.io.qrels_files import holds_judgments, is_whole_text, judgments
from pt_fairness.io.tables import (
    check,
    check_ids,
    column_of_numbers,
    fields_of,
    first_line,
    has_header,
    header_of,
    is_structured,
    place,
    read_columns,
    read_table,
)


def read_values(path: Path, columns: Columns = BY_NAME) -> pd.DataFrame:
    """Read a file of values, compressed or not.

    It has the columns ``docno value`` or ``qid docno value``, separated by white space; or a header
    with these names, separated by tabs or commas; or is Parquet or JSON with these names. Other
    names of topics and documents are in :mod:`pt_fairness.io.column_roles`.

    :returns: ``docno, value`` or ``qid, docno, value``, and the other columns; values are text in a
        table, and the index names the lines
    :raises ValueError: if the file has another form, or a line cannot be read

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io.document_files import read_values
    >>> _ = Path("values").write_text("d1 0.5\\nd2 -1\\n")
    >>> read_values("values").reset_index(drop=True)
      docno value
    0    d1   0.5
    1    d2    -1
    """
    with opened(path) as source:
        if has_header(source):
            frame = _named_table(source, columns, "value", "weight" if columns.weight else None)
        else:
            _, line = first_line(source)
            fields = fields_of(line)
            if len(fields) not in (2, 3):
                raise ValueError(f"{source.name} must have the columns docno and value (or qid, "
                                 "docno and value), separated by white space, or a header with "
                                 f"these names, separated by tabs or commas; got {shown(line)}")
            names = ["qid", "docno", "value"]
            frame = read_columns(source, names[-len(fields):])
        check_ids(source, frame)
    return frame


def separated(frame: pd.DataFrame, column: str, sep: str | None) -> pd.DataFrame:
    """Return a frame whose cells of a column are text, with a row for each part of a cell.

    Warn if no cell has several parts.

    :param sep: what separates the parts; ``None`` for one part in each cell
    """
    texts = frame[column].map(label_text, na_action="ignore").astype(object)
    if sep is None:
        return frame.assign(**{column: texts})
    parts = texts.str.split(sep, regex=False)
    rows = frame.assign(**{column: parts}).explode(column)
    if len(rows) == len(frame):
        warn(f"sep={sep!r} (--sep '{sep}') splits no cell of the column of the {column}s")
    return rows.assign(**{column: rows[column].str.strip()})


def need_labels(none: Iterable[str], labels: Iterable[str], what: str) -> None:
    """Check that the labels that mean no group exist.

    :param none: the labels that mean no group
    :param labels: all labels
    :param what: the name of the table in the error
    :raises ValueError: if one of ``none`` is not a label
    """
    for label in {*none}.difference(labels, UNANNOTATED):
        known = listed(sorted(labels))
        raise ValueError(f"none must hold labels of {what}, {known}, got {label!r}")


def read_targets(path: Path, columns: Columns = BY_NAME) -> pd.DataFrame:
    """Read a file of target distributions, compressed or not.

    It has a header and columns separated by commas or tabs, or is Parquet or JSON.

    :returns: ``qid`` (if the file has it), ``group, share``, text and a number, and the other
        columns of the file
    :raises ValueError: if a column is missing, a line cannot be read, or a share is below 0

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io.document_files import read_targets
    >>> _ = Path("targets.csv").write_text("qid,group,share\\n1,PRO,0.4\\n1,CON,0.6\\n")
    >>> read_targets("targets.csv")
      qid group  share
    0   1   PRO    0.4
    1   1   CON    0.6
    """
    with opened(path) as source:
        frame = _named_table(source, columns, "group", "share", "group")
        need_columns(frame, ["group", "share"], source.name)
        check_ids(source, frame, "group")
        share = column_of_numbers(source, frame, "share")
        check(source, frame, "share", share >= 0, "a number of at least 0")
    return frame.assign(share=share).reset_index(drop=True)


def read_topic_groups(path: Path, columns: Columns = BY_NAME) -> pd.DataFrame:
    """Read a table of groups of topics, ``qid, group``, compressed or not.

    :param columns: the groups, and the topics as ``id``
    :returns: ``qid, group`` as text, and the other columns of the file
    """
    with opened(path) as source:
        frame = _named_table(source, columns, "group", None, "qid")
        check_ids(source, frame, "group")
        return frame


def _named_table(source: Input, columns: Columns, held: str = "group",
                number: str | None = "weight", rows: str = "docno") -> pd.DataFrame:
    """Return a table with a header, whose columns are named after their roles.

    :param held: as of :func:`roles_of`, as are ``number`` and ``rows``
    """
    if is_structured(source):
        frame = _nested(read_table(source), source, *columns)
        table = Names([*frame], source.name, True)
        roles = roles_of(table, columns, held, number, rows)
    else:
        _, names = header_of(source)
        table = Names(names or [*read_table(source)], source.name, True)
        roles = roles_of(table, columns, held, number, rows)
        categories = [roles[held]] if number == "weight" else []
        frame = read_table(source, categories)
    return renamed(frame, table, roles, columns, held, number, rows)


class Labelled(NamedTuple):
    """The groups of a file."""

    #: ``docno, group`` or ``qid, docno, group``, and the other columns; the index names the lines.
    frame: pd.DataFrame
    #: Whether the file holds judgments.
    judged: bool


def read_labelled(path: Path, columns: Columns = BY_NAME, none: Sequence[str] = ()) -> Labelled:
    """Read a group file, compressed or not.

    It is a TREC qrels file; has a header and columns separated by tabs, commas or blanks; is
    Parquet; or JSON, an array of objects or one in each line. In qrels, the group is in the second
    column, or if that is ``0`` or ``Q0`` alone, it is the text label in the fourth. A document of
    several groups has a row for each, or a list.

    :param columns: the columns that have another name than usual; ``a.b`` is the key ``b`` of the
        objects in ``a``
    :param none: the labels that mean no group, such as ``''``. If there are some, the fourth column
        of qrels may be groups if it holds numbers
    :returns: the group is categorical if the file is a table
    :raises ValueError: if the file has another form, lacks a column, or a line cannot be read
    """
    with opened(path) as source:
        if columns.column is None and columns.id is None and holds_judgments(source):
            return Labelled(_judged_groups(source, bool(none)), True)
        if not has_header(source):
            _, line = first_line(source)
            raise ValueError(
                f"{source.name} must be a table with the columns docno and "
                f"{columns.column or 'group'!r} (and qid), separated by tabs or commas, or TREC "
                "qrels (qid, group, docno, a whole number); a membership file (topic, docno, "
                "shares) needs the names of its groups (from_file(path, labels=[…]), --groups "
                f"FILE:LABEL,LABEL). Its first line is {shown(line)}")
        frame = _named_table(source, columns)
        _check_groups(source, frame, none)
        return Labelled(frame, False)


def _judged_groups(source: Input, none: bool) -> pd.DataFrame:
    """Return the groups in the second column of qrels, or in the fourth.

    :param none: whether numbers in the fourth column are groups
    :raises ValueError: if neither column holds groups
    """
    frame = judgments(source)
    wrong = [label for label in frame["label"].unique() if not is_whole_text(label)]
    groups = {*frame["iteration"].unique()}
    if groups <= TREC_DEFAULTS:
        if not (none or wrong):
            raise ValueError(f"{source.name} must have groups in the second or the fourth column, "
                             f"got {listed(sorted(groups))} and numbers, as in plain qrels; if the "
                             "numbers are the groups, use none=[…] (--none …), the labels that "
                             "mean no group")
        return frame[["qid", "docno"]].assign(group=frame["label"])
    if wrong:
        possible = ~frame["label"].isin(wrong)
        check(source, frame, "label", possible, "a whole number, as in qrels; a table with other "
              f"columns needs a header and tabs or commas, and then {source.name}:ID:COLUMN names "
              "them")
    if groups & TREC_DEFAULTS:
        frame["iteration"] = second_column(frame["iteration"])
    return frame.rename(columns={"iteration": "group"})


def second_column(column: pd.Series) -> pd.Series:
    """Return the second column of qrels, where values that are not groups are missing."""
    codes, values = pd.factorize(column)
    texts = [*map(label_text, values)]
    groups = {*group_labels(texts)}
    labels = [text if text in groups else None for text in texts]
    names = np.array([*labels, None], dtype=object)
    return pd.Series(names[codes], column.index)


def _nested(frame: pd.DataFrame, source: Input, *columns: Any) -> pd.DataFrame:
    """Flatten objects into columns such as ``a.b`` if one of ``columns`` is such a key.

    :raises ValueError: if such a file is empty
    """
    if not is_structured(source):
        return frame
    need_rows(frame, source.name)
    if any("." in str(name) for name in {*columns} - {*frame.columns}):
        rows: Any = frame.to_dict("records")
        return pd.json_normalize(rows).set_index(frame.index)
    return frame


def _check_groups(source: Input, frame: pd.DataFrame, none: Sequence[str]) -> None:
    """Check the documents and the weights in a file of groups, and warn of empty groups.

    :param none: the labels that mean no group
    :raises ValueError: if a row lacks its document, or its weight is not a number of at least 0
    """
    check_ids(source, frame)
    group = frame["group"]
    texts = group.map(str)
    broken = texts.str.contains("\n", regex=False)
    check(source, frame, "group", ~broken, "in one line (see its quotation marks)")
    empty = group.isna() | (texts == "")
    if "weight" in frame:
        unused = empty | (texts == "-")
        weights_of(frame[["weight"]], source.name, unused)
    if empty.any() and "" not in none:
        first = place(source, frame, empty.argmax())
        warn(f"{first} has an empty group, as have {empty.sum()} of {len(frame)} rows; it counts "
             "as no group; none=[''] (--none '') avoids this warning")


def weights_of(weights: pd.DataFrame, what: str, unused: Any = False) -> Floats:
    """Return weights as numbers, ``[n, columns]``.

    :param what: the name of the table in the error
    :param unused: a mask of the rows that need no weight, ``[n]``
    :raises ValueError: if a weight is not a number of at least 0
    """
    columns = weights.apply(pd.to_numeric, errors="coerce")
    numbers = columns.to_numpy(float, na_value=np.nan)
    possible = (numbers >= 0) & np.isfinite(numbers)
    possible |= np.reshape(unused, (-1, 1))
    for row, column in np.argwhere(~possible):
        weight = str(weights.iat[row, column])
        number = weights.index[row]
        raise ValueError(f"{what}, {weights.index.name or 'row'} {number}: weight must be a number "
                         f"of at least 0, got {weight!r}")
    return numbers


def read_wide(path: Path, labels: Sequence[str] = (), columns: Columns = BY_NAME
              ) -> pd.DataFrame:
    """Read a table with a column of weights for each group, such as ``docno, P(PRO), P(CON)``.

    :param labels: the groups; by default all columns but the topic and the document
    :param columns: the columns of the documents and of the topics
    :returns: as :func:`read_memberships`
    :raises ValueError: if a column is missing, or a weight is not a number of at least 0

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io.document_files import read_wide
    >>> _ = Path("shares.csv").write_text("docno,P(PRO),P(CON)\\nd1,0.25,0.75\\n")
    >>> read_wide("shares.csv").reset_index(drop=True)
      docno group  weight
    0    d1   PRO    0.25
    1    d1   CON    0.75
    """
    with opened(path) as source:
        frame = _nested(read_table(source), source, *columns)
        titles = pd.Series(frame.columns)
        table = Names([*frame], source.name, True)
        roles = roles_of(table, columns, "docno", None)
        ids = {name: role for role, name in roles.items()}
        names = titles.map(lambda title: ids.get(title, title))
        groups = titles.map(label_of)
        frame = frame.set_axis(names, axis="columns")
        is_id = names.isin(["qid", "docno"])
        chosen = groups.isin(labels) if labels else ~is_id
        chosen &= ~is_id
        groups = groups[chosen]
        for group in groups[groups.duplicated()]:
            raise ValueError(f"{source.name} must have one column of weights for {group!r}, got "
                             "two")
        lacking = {*labels}.difference(groups)
        if lacking or not chosen.any():
            title = shown(min(lacking, default="P(…)"))
            raise ValueError(f"{source.name} has no column of weights {title}; its columns are "
                             f"{', '.join(titles)}")
        check_ids(source, frame)
        weights = frame.loc[:, chosen.to_numpy()]
        numbers = weights_of(weights, source.name)
        return _long(frame.loc[:, is_id.to_numpy()], groups, numbers)


def label_of(title: str) -> str:
    """Return the label of a column of weights: ``PRO`` of ``PRO`` or ``P(PRO)``."""
    return re.sub(r"^[pP]\((.*)\)$", r"\1", title)


def _long(ids: pd.DataFrame, labels: Iterable[str], weight: Any) -> pd.DataFrame:
    """Return a row for each weight other than 0.

    :param weight: ``[n, labels]``
    """
    row, column = np.nonzero(weight)
    groups = np.array([*labels], object)
    return ids.iloc[row].assign(group=groups[column], weight=weight[row, column])


def memberships(path: Path) -> int:
    """Return the number of groups of a membership file of NTCIR, and 0 for another file.

    All columns after topic and document are shares. Qrels have 0 or Q0 in their second column, or
    a document, which is not a share, in the third.
    """
    with opened(path) as source:
        if is_structured(source):
            return 0
        _, line = first_line(source)
    fields = fields_of(line)[1:]
    if not fields or fields.pop(0) in TREC_DEFAULTS:
        return 0
    shares = pd.to_numeric(pd.Series(fields), errors="coerce")
    return len(shares) if shares.between(0, 1).all() else 0


def read_memberships(path: Path, labels: Sequence[str]) -> pd.DataFrame:
    """Read a membership file of NTCIR: topic, document and its share in each group.

    :param labels: the groups, one for each column of shares, distinct
    :returns: ``qid, docno, group, weight`` (text, text, label, float), with a row for each share
        other than 0. Rows of the same line have the same index
    :raises ValueError: if a line has more or fewer columns, or a share is not a number of at least
        0; the error names file and line

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io.document_files import read_memberships
    >>> _ = Path("gmemb").write_text("1 d1 0.25 0.75\\n1 d2 1 0\\n")
    >>> read_memberships("gmemb", ["PRO", "CON"]).reset_index(drop=True)
      qid docno group  weight
    0   1    d1   PRO    0.25
    1   1    d1   CON    0.75
    2   1    d2   PRO    1.00
    """
    shares = [f"share of {label}" for label in labels]
    with opened(path) as source:
        types = dict.fromkeys(shares, float)
        frame = read_columns(source, ["qid", "docno", *shares], types)
        weight = weights_of(frame[shares], source.name)
    return _long(frame[["qid", "docno"]], labels, weight)
