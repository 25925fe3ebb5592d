"""Which columns of a table hold the documents, their topics, their groups and the weights.

Names are compared without case, ``_``, ``-`` and spaces.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pandas as pd

from pt_fairness.core.identifiers import pandas_frame
from pt_fairness.core.messages import enumerated, shown, warn
from pt_fairness.io.files import need_frame

#: The names of the documents; the first one that a table has counts.
DOCUMENTS = ("docno", "docid", "documentid", "corpusid", "itemid", "passageid", "pid", "movieid",
             "paperid", "pmid", "asin", "url", "item", "pageid", "id")
#: The names of the topics; the first one that a table has counts.
TOPICS = ("qid", "queryid", "topicid", "userid")
#: The names of columns that hold topics if a document has different groups under different values.
POSSIBLE_TOPICS = ("query", "topic", "user")
#: The names of columns that may be weights, which the user has to say.
POSSIBLE_WEIGHTS = ("weights", "share", "membership", "confidence", "prob", "probability", "p")
#: A column that may be a weight, but usually is the score of a ranking.
_SCORE = "score"
#: The names of the columns of runs and qrels. The first one counts.
RANKING: dict[str, Sequence[str]] = {
    "qid": (*TOPICS, *POSSIBLE_TOPICS), "docno": DOCUMENTS, "score": ("score",), "rank": ("rank",),
    "label": ("label", "relevance", "rel", "score"),
    "iteration": ("iteration", "seqno", "repnumber")}


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
    #: Whether the table is a file, so that ``FILE:ID:COLUMN`` can name its columns.
    is_file: bool = False

    def find(self, text: Any, exact: bool = False) -> Any:
        """Return the column with a name, ``None`` if there is none.

        :param exact: whether to prefer the column with exactly this name
        :raises ValueError: if several columns have the name
        """
        if exact and self.names.count(text) == 1:
            return text
        same = [name for name in self.names if plain(name) == plain(text)]
        if len(same) > 1:
            spellings = enumerated(same)
            raise ValueError(f"{self.where} has the column {text!r} twice ({spellings}); drop one "
                             "of them, or name the right one")
        return same[0] if same else None

    def known(self, names: Sequence[str]) -> list[Any]:
        """Return the columns that have one of the names, in the order of the names."""
        return [name for name in map(self.find, names) if name is not None]

    def first(self, known: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Return the first column of each role that has one, ``{role: column}``.

        :param known: the names of each role
        """
        columns = {role: self.known(names) for role, names in known.items()}
        return {role: names[0] for role, names in columns.items() if names}

    def without(self, roles: Mapping[str, Any]) -> Names:
        """Return the columns without a role."""
        rest = [name for name in self.names if name not in roles.values()]
        return self._replace(names=rest)

    def lacks(self, reason: str, documents: Any = None, column: Any = None) -> ValueError:
        """Return an error that lists the columns and ends with calls that work."""
        left = [name for name in self.names if plain(name) not in (*TOPICS, "weight")]
        if documents is None:
            documents = next((name for name in left if name != column), "ID")
        possible = [column]
        if column is None:
            possible = [name for name in left if name != documents] or ["COLUMN"]
        if self.is_file:
            calls = [f"{self.where}:{documents}:{name}" for name in possible]
        else:
            calls = [f"id={documents!r}, column={name!r}" for name in possible]
        names = ", ".join(map(str, self.names))
        return ValueError(f"{self.where} {reason}; its columns are {names}; use "
                          f"{' or '.join(calls)}")


def ranking_roles(table: Names, *others: str) -> dict[str, Any]:
    """Return the columns of a run or qrels that hold ``qid``, ``docno`` and others.

    :param others: ``score``, ``rank``, ``label`` or ``iteration``
    """
    known: dict[str, Any] = {role: RANKING[role] for role in (*others, "qid", "docno")}
    if table.find("pageid") is not None:  # the names of TREC Fair
        known["qid"] += ("id",)
    return table.first(known)


def roles_of(table: Names, given: Columns = BY_NAME, held: str = "group",
             number: str | None = "weight", rows: str = "docno") -> dict[str, Any]:
    """Return the columns that hold ``docno``, ``qid``, ``held`` and ``number``.

    :param held: the role of the main column, such as ``group`` or ``value``
    :param number: the role of an optional column of numbers; ``None`` for no such column
    :param rows: the role of the column that names the rows: ``docno``; ``qid`` in a table of
        topics; ``group`` in a table of shares
    :raises ValueError: if a column is missing or repeated, or several columns are possible
    """
    column, document = _pair(table, given)
    named: dict[Any, Any] = {held: column, "docno": document, "qid": given.topic}
    known: dict[Any, Any] = {held: [held], "docno": DOCUMENTS, "qid": TOPICS}
    if number is not None:
        named[number] = given.weight
        known[number] = [number]
    if rows != "docno":
        known["docno"] = ()
    if rows == "qid":
        named["qid"] = named.pop("docno")
        known["qid"] = (*TOPICS, *POSSIBLE_TOPICS)
    roles: dict[Any, Any] = {}
    for role, text in named.items():
        if text:
            roles[role] = _column(table, text, role, roles)
        if text is not None:
            del known[role]
    rest = table.without(roles)
    others = rest.known(known.get("docno", ()))[1:]
    roles |= rest.first(known)
    if others:
        warn(f"the documents of {table.where} are in {roles['docno']!r}, not in "
             f"{enumerated(map(repr, others))}; id= (FILE:ID:COLUMN) names another column")
    if rows == "docno" and rows not in roles:
        if plain(roles.get(held)) in DOCUMENTS:
            raise table.lacks(f"must have the groups in another column than {roles[held]!r}, "
                              "which holds the documents", roles[held])
        raise table.lacks("has no column 'docno' or another that is known to hold documents",
                          column=roles.get(held))
    if rows == "qid" and rows not in roles:
        raise table.lacks("has no column 'qid' or another that is known to hold topics",
                          column=roles.get(held))
    rest = table.without(roles)
    used = [*TOPICS]
    if number == "weight":
        used += [number, _SCORE, *POSSIBLE_WEIGHTS]
        if number in known and number not in roles:
            _refuse_weights(rest, column is not None)
    if held not in roles:
        left = [name for name in rest.names if plain(name) not in used]
        if len(left) != 1:
            several = f"; {enumerated(map(repr, left))} are possible" if left else ""
            raise table.lacks(f"has no column {held!r}{several}", roles.get(rows))
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
        both = enumerated([*roles, role])
        raise table.lacks(f"must have different columns for {both}, got {column!r} twice")
    return column


def _pair(table: Names, given: Columns) -> tuple[Any, Any]:
    """Return the columns that ``COLUMN`` or ``ID:COLUMN`` names, and ``None`` without ``ID``.

    Names can contain colons: the longest ``COLUMN`` of the table counts.
    """
    column, document = given.column, given.id
    if document is not None or not isinstance(column, str):
        return column, document
    if table.find(column, exact=True) is not None:
        return column, None
    pairs = []
    for colon in re.finditer(":", column):
        title = column[colon.end():]
        pairs.append((title, column[:colon.start()]))
    fitting = [pair for pair in pairs if None not in map(table.find, pair)]
    return [*fitting, *pairs, (column, None)][0]


def _refuse_weights(table: Names, is_named: bool) -> None:
    """Raise an error if a column may be the weight; warn if the column of the groups is named.

    :param table: the columns without a role
    :raises ValueError: if there is such a column
    """
    possible = [name for name in table.names if plain(name) in POSSIBLE_WEIGHTS]
    if possible and not is_named:
        name = possible[0]
        raise ValueError(f"{table.where} must say whether {name!r} is the weight of a document in "
                         f"its group; use weight={name!r} or weight=False (--weight {name} or "
                         "--weight none)")
    possible += [name for name in table.names if plain(name) == _SCORE]
    if possible:
        name = possible[0]
        warn(f"{enumerated(map(repr, possible))} of {table.where} counts as no weight; "
             f"weight={name!r} (--weight {name}) makes it one, weight=False (--weight none) avoids "
             "this warning")


def renamed(frame: pd.DataFrame, table: Names, roles: dict[str, Any], given: Columns = BY_NAME,
            held: str | None = "group", number: str | None = "weight",
            rows: str = "docno") -> pd.DataFrame:
    """Return a frame whose columns are named after their roles.

    A column such as ``query`` becomes ``qid`` if the rows say that groups depend on it. Other
    columns keep their names, and are left out if these are names of roles.

    :param held: as of :func:`roles_of`, as are ``number`` and ``rows``
    """
    if rows != "docno":
        held = number
    names = {name: role for role, name in roles.items()}
    taken = {"qid", "docno", "weight", "group", held}.difference(names)
    kept = [name not in taken for name in table.names]
    frame = frame.loc[:, kept].rename(columns=names)
    frame = frame.loc[:, ~frame.columns.duplicated()]
    if given.topic is False:  # nothing else tells the groups of a document apart
        return frame[[*roles]]
    if "qid" in roles or rows not in roles:
        return frame
    possible = {plain(name): name for name in frame.columns if name not in roles}
    for name in map(possible.get, POSSIBLE_TOPICS):
        if name is not None and _depends(frame, rows, held, name):
            warn(f"{name!r} of {table.where} holds the topics: a {rows} has a different {held} "
                 f"in another {name}; topic=False (--topic-column none) ignores it")
            return frame.rename(columns={name: "qid"})
    return frame


def frame_rows(frame: Any, where: str, given: Columns = BY_NAME, held: str = "group",
               number: str | None = "weight", rows: str = "docno") -> pd.DataFrame:
    """Return the frame of a user with columns that are named after their roles.

    :raises ValueError: if it is not a DataFrame, or :func:`roles_of` raises one
    """
    frame = pandas_frame(frame)
    need_frame(frame, where)
    table = Names([*frame], where)
    roles = roles_of(table, given, held, number, rows)
    return renamed(frame, table, roles, given, held, number, rows)


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
    documents = pairs.groupby(rows)
    combinations = documents[held].nunique() * documents[by].nunique()
    return bool((combinations != documents.size()).any())


def warn_of_unused(frame: pd.DataFrame, where: str, rows: Any, document: Any) -> None:
    """Warn of a column that would tell the groups of a document apart.

    :param rows: the rows of documents with several groups
    :param document: the number of the document of each of these rows
    """
    group = pd.Series(_codes(frame["group"].iloc[rows]))

    def tells_apart(name: str) -> bool:
        by = _codes(frame[name].iloc[rows])
        counts = group.groupby([document, by]).nunique()
        return bool(counts.max() == 1)

    used = ("qid", "docno", "group", "weight", _SCORE, *TOPICS, *POSSIBLE_WEIGHTS)
    unused = [name for name in frame.columns if plain(name) not in used]
    for name in unused:
        if tells_apart(name):
            first = shown(frame["docno"].iloc[rows[0]])
            warn(f"{where}: document {first} has several groups, of which each has its own "
                 f"{name!r}, a column that is not used; topic={name!r} (--topic-column {name}) "
                 "makes it the topic")
            return
