"""Which columns of a table hold the documents, their topics, their groups and the weights.

Names are compared without case, ``_``, ``-`` and spaces.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, Literal, NamedTuple

import pandas as pd

from pt_fairness.core.identifiers import pandas_frame
from pt_fairness.core.messages import enumerated, shown, warn
from pt_fairness.io.files import need_frame

#: The names of the documents; the first one that a table has counts.
DOCUMENTS = ("docno", "docid", "documentid", "corpusid", "itemid", "passageid", "pid", "movieid",
             "paperid", "pmid", "asin", "url", "item", "id")
#: The names of the topics; the first one that a table has counts.
TOPICS = ("qid", "queryid", "topicid", "userid")
#: The names of columns that hold topics if a document has different groups under different values.
POSSIBLE_TOPICS = ("query", "topic", "user")
#: The names of columns that may be weights, which the user has to say.
POSSIBLE_WEIGHTS = ("weights", "share", "membership", "confidence", "prob", "probability", "p")
#: A column that may be a weight, but mostly is the score of a ranking.
_SCORE = "score"


class Columns(NamedTuple):
    """The columns that a user names; ``None`` for one that is found by its name."""

    #: The groups, or whatever else the table holds; ``ID:COLUMN`` also names the documents.
    column: str | None = None
    #: The documents.
    id: str | None = None
    #: The topics; ``False`` for none.
    topic: str | Literal[False] | None = None
    #: The weights; ``False`` for none.
    weight: str | Literal[False] | None = None


#: All columns are found by their names.
BY_NAME = Columns()


def plain(name: Any) -> str:
    """Return a name as it is compared.

    Examples
    --------
    >>> plain("Query-ID"), plain("_id")
    ('queryid', 'id')
    """
    return re.sub(r"[\s_-]", "", str(name)).casefold()


class Names(NamedTuple):
    """The names of the columns of a table."""

    names: list[Any]
    #: The name of the table in errors.
    where: str
    #: Whether the table is a file, whose columns ``FILE:ID:COLUMN`` names.
    is_file: bool = False

    def find(self, text: Any, exact: bool = False) -> Any:
        """Return the column of a name, ``None`` if there is none.

        :param exact: whether a column of exactly this name counts alone
        :raises ValueError: if there are two
        """
        if exact and self.names.count(text) == 1:
            return text
        same = [name for name in self.names if plain(name) == plain(text)]
        if len(same) > 1:
            raise ValueError(f"{self.where} has the column {text!r} twice ({enumerated(same)}); "
                             "drop one of them, or name the right one")
        return same[0] if same else None

    def known(self, names: Sequence[str]) -> list[Any]:
        """Return the columns that have one of the names, in the order of the names."""
        return [name for name in map(self.find, names) if name is not None]

    def lacks(self, reason: str, documents: Any = None, column: Any = None) -> ValueError:
        """Return an error that lists the columns and ends with a call that works."""
        left = [name for name in self.names if plain(name) not in (*TOPICS, "weight")]
        if documents is None:
            documents = next((name for name in left if name != column), "ID")
        if column is None:
            column = next((name for name in left if name != documents), "COLUMN")
        call = f"id={documents!r}, column={column!r}"
        if self.is_file:
            call = f"{self.where}:{documents}:{column}"
        names = ", ".join(map(str, self.names))
        return ValueError(f"{self.where} {reason}; its columns are {names}; use {call}")


def roles_of(table: Names, given: Columns = BY_NAME, held: str = "group",
             number: str | None = "weight", documents: bool = True) -> dict[str, Any]:
    """Return the columns that hold ``docno``, ``qid``, ``held`` and ``number``.

    :param held: what the table holds
    :param number: the number of each row, which a table can lack; ``None`` if it has none
    :param documents: whether the rows are documents
    :raises ValueError: if a column is missing, is there twice, or cannot be told from others
    """
    column, document = _pair(table, given)
    named: dict[Any, Any] = {held: column, "docno": document, "qid": given.topic}
    known: dict[Any, Any] = {held: [held], "docno": DOCUMENTS, "qid": TOPICS}
    if number is not None:
        named[number] = given.weight
        known[number] = [number]
    if not documents:
        known["docno"] = ()
    roles: dict[Any, Any] = {}
    for role, text in named.items():
        if text:
            roles[role] = _column(table, text, role, roles)
    rest = table._replace(names=[name for name in table.names if name not in roles.values()])
    for role in named:
        if named[role] is None:
            for name in rest.known(known[role])[:1]:
                roles[role] = name
    others = [name for name in rest.known(known["docno"])[1:] if document is None]
    if others:
        warn(f"the documents of {table.where} are in {roles['docno']!r}, not in "
             f"{enumerated(map(repr, others))}; id= (FILE:ID:COLUMN) names another column")
    if documents and "docno" not in roles:
        if plain(roles.get(held)) in DOCUMENTS:
            raise table.lacks(f"must have the groups in another column than {roles[held]!r}, "
                              "which holds the documents", roles[held])
        raise table.lacks("has no column 'docno' or another that is known to hold documents",
                          column=roles.get(held))
    used = [*TOPICS]
    if number == "weight":
        used += [number, _SCORE, *POSSIBLE_WEIGHTS]
        if named[number] is None and number not in roles:
            _refuse_weights(rest, roles, column is not None)
    left = [name for name in rest.names
            if name not in roles.values() and plain(name) not in used]
    if held not in roles:
        if len(left) != 1:
            several = f"; {enumerated(map(repr, left))} are possible" if left else ""
            raise table.lacks(f"has no column {held!r}{several}", roles.get("docno"))
        roles[held] = left[0]
    return roles


def _column(table: Names, text: str, role: str, roles: dict[Any, Any]) -> Any:
    """Return the column of a name that a user gave.

    :param roles: the columns of other roles
    :raises ValueError: if the table lacks it, or it has another role
    """
    column = table.find(text, exact=True)
    if column is None:
        raise table.lacks(f"has no column {text!r}")
    if column in roles.values():
        raise table.lacks(f"must have different columns for {enumerated([*roles, role])}, got "
                          f"{column!r} twice")
    return column


def _pair(table: Names, given: Columns) -> tuple[Any, Any]:
    """Return the columns of ``COLUMN`` or ``ID:COLUMN``, the longest column that fits."""
    column, document = given.column, given.id
    if document is not None or not isinstance(column, str) \
            or table.find(column, exact=True) is not None:
        return column, document
    pairs = [(column[colon.end():], column[:colon.start()]) for colon in re.finditer(":", column)]
    fitting = [pair for pair in pairs if None not in map(table.find, pair)]
    return [*fitting, *pairs, (column, None)][0]


def _refuse_weights(table: Names, roles: dict[Any, Any], is_named: bool) -> None:
    """Raise an error if a column may be the weight; warn if the column of the groups is named.

    :raises ValueError: if there is such a column
    """
    names = [name for name in table.names if name not in roles.values()]
    possible = [name for name in names if plain(name) in POSSIBLE_WEIGHTS]
    if possible and not is_named:
        raise ValueError(f"{table.where} must say whether {possible[0]!r} is the weight of a "
                         f"document in its group; use weight={possible[0]!r} or weight=False "
                         f"(--weight {possible[0]} or --weight none)")
    possible += [name for name in names if plain(name) == _SCORE]
    if possible:
        warn(f"{enumerated(map(repr, possible))} of {table.where} counts as no weight; "
             f"weight={possible[0]!r} (--weight {possible[0]}) makes it one, weight=False "
             "(--weight none) avoids this warning")


def renamed(frame: pd.DataFrame, table: Names, roles: dict[str, Any], given: Columns = BY_NAME,
            held: str | None = "group", rows: str = "docno") -> pd.DataFrame:
    """Return a frame whose columns are named after their roles.

    A column such as ``query`` becomes ``qid`` if the rows say that groups depend on it. Other
    columns keep their names, and are left out if these are names of roles.

    :param held: what the table holds
    :param rows: what has it: documents, or the groups of a target
    """
    names = {name: role for role, name in roles.items()}
    kept = [name in names or name not in ("qid", "docno", "weight", "group", held)
            for name in table.names]
    frame = frame.rename(columns=names).loc[:, kept]
    frame = frame.loc[:, ~frame.columns.duplicated()]
    if given.topic is False:  # nothing else tells the groups of a document apart
        return frame[[*roles]]
    possible = {plain(name): name for name in frame.columns if name not in roles}
    for name in [possible[name] for name in POSSIBLE_TOPICS if name in possible]:
        if "qid" not in roles and rows in roles and _depends(frame, rows, held, name):
            warn(f"{name!r} of {table.where} holds the topics: a {rows} has a different {held} "
                 f"in another {name}; topic=False (--topic-column none) ignores it")
            return frame.rename(columns={name: "qid"})
    return frame


def frame_rows(frame: Any, where: str, given: Columns = BY_NAME, held: str = "group",
               number: str | None = "weight", rows: str = "docno") -> pd.DataFrame:
    """Return a frame of a user, whose columns are named after their roles.

    :raises ValueError: if it is not a DataFrame, or :func:`roles_of` raises one
    """
    frame = pandas_frame(frame)
    need_frame(frame, where)
    table = Names(frame.columns.tolist(), where)
    roles = roles_of(table, given, held, number, rows == "docno")
    return renamed(frame, table, roles, given, held if rows == "docno" else number, rows)


def _codes(column: pd.Series) -> Any:
    """Return a column as integers; lists are compared as text."""
    if column.dtype == object and not column.map(lambda value: isinstance(value, Hashable)).all():
        column = column.map(str)
    return pd.factorize(column, use_na_sentinel=False)[0]


def _depends(frame: pd.DataFrame, rows: str, held: str | None, by: str) -> bool:
    """Return whether a document has different groups under different values of a column."""
    repeated = frame[frame[rows].duplicated(keep=False)]
    if repeated.empty:
        return False
    pairs = repeated[[rows, held, by]].apply(_codes).drop_duplicates()
    counts = pairs.groupby(rows).agg({held: "nunique", by: ["nunique", "size"]}).to_numpy()
    return bool((counts[:, 0] * counts[:, 1] != counts[:, 2]).any())


def warn_of_unused(frame: pd.DataFrame, where: str, rows: Any, document: Any) -> None:
    """Warn of a column that would tell the groups of a document apart.

    :param rows: the rows of documents with several groups
    :param document: the number of the document of each of these rows
    """
    def tells_apart(name: str, part: Any) -> bool:
        group, by = (_codes(frame[column].iloc[rows[part]]) for column in ("group", name))
        pairs = pd.DataFrame({"document": document[part], "group": group, "by": by})
        return bool(pairs.groupby(["document", "by"])["group"].nunique().max() == 1)

    used = ("qid", "docno", "group", "weight", _SCORE, *TOPICS, *POSSIBLE_WEIGHTS)
    few = document <= document[:_FEW].max()
    for name in [name for name in frame.columns if plain(name) not in used]:
        if tells_apart(name, few) and tells_apart(name, slice(None)):
            warn(f"{where}: document {shown(frame['docno'].iloc[rows[0]])} has several groups, of "
                 f"which each has its own {name!r}, a column that is not used; topic={name!r} "
                 f"(--topic-column {name}) makes it the topic")
            return


#: The number of rows that mostly show that a column does not tell groups apart.
_FEW = 10_000
