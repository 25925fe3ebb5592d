"""Groups from frames, files, patterns and votes, and the registry of groups."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.core.identifiers import as_frame, is_number, with_text_ids
from pt_fairness.core.messages import (
    UNANNOTATED,
    distinct_labels,
    enumerated,
    label_text,
    label_texts,
    listed,
    one_of,
    shown,
    warn,
)
from pt_fairness.core.registry import Registry
from pt_fairness.groups.group_source import Groups, Listed
from pt_fairness.groups.memberships import Memberships, Table, one_label_each
from pt_fairness.io.column_roles import Columns, frame_rows, warn_of_unused
from pt_fairness.io.document_files import (
    label_of,
    memberships,
    need_labels,
    read_labelled,
    read_memberships,
    read_wide,
    second_column,
    separated,
)
from pt_fairness.io.files import need_columns, need_rows
from pt_fairness.io.qrels_files import qrels_columns, read_labels


def from_frame(frame: pd.DataFrame, name: str | None = None,
               order: Iterable[Any] | None = None, *, column: str | None = None,
               id: str | None = None, topic: str | Literal[False] | None = None,
               weight: str | Literal[False] | None = None, sep: str | None = None,
               none: Iterable[Any] = (), judged: bool | None = None) -> Groups:
    """Return groups from a DataFrame.

    :param frame: columns ``docno, group`` or ``qid, docno, group``, also of another library, such
        as polars, pyarrow or datasets, or others that :func:`from_file` knows. Several rows of a
        document are several groups, and so is a list of labels; a missing or empty group, or ``-``,
        is none.
        With a column ``weight``, the share of a document in each of its groups is the weight over
        the sum of the document's weights, so that a weight of 0 excludes it from a group; without
        it, the shares are equal. In qrels, whose relevance is in ``label`` or ``relevance``,
        ``iteration`` can be in place of ``group``.
    :param name: the name of the groups; by default derived from their content
    :param order: the labels in ascending order, for ordinal measures
    :param judged: in qrels, whether the groups of a document are those that it is relevant for
        (``True``) or those of all its rows (``False``); by default the rows of each topic decide
    :param column: as ``id``, ``topic``, ``weight``, ``sep`` and ``none``: see :func:`from_file`
    :raises ValueError: if a column is missing, a weight is not a number of at least 0, ``none`` has
        a label that is not there, ``order`` lacks a label, or ``judged`` is given without relevance

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
    what = "the frame of groups"
    frame = as_frame(frame)
    if column is None and isinstance(frame, pd.DataFrame) and "iteration" in frame \
            and "group" not in frame:
        group = second_column(frame["iteration"])
        frame = frame.drop(columns="iteration").assign(group=group)
    rows = frame_rows(frame, what, Columns(column, id, topic, weight))
    dropped = label_texts(none, "none")
    return _listed(rows, what, name, order, sep, dropped, (), judged)


def _listed(frame: pd.DataFrame, what: str, name: str | None, order: Iterable[Any] | None,
            sep: str | None, dropped: Sequence[str], declared: Iterable[str] = (),
            judged: bool | None = None) -> Listed:
    """Return the groups of rows ``qid, docno, group, weight``; warn of labels such as ``unknown``.

    :param frame: columns with these names, and columns that are not used
    :param what: the name of the rows in errors
    :param sep: what separates several groups in a cell of text
    :param dropped: the labels that mean no group
    :param declared: labels that the rows can lack
    :param judged: whether relevance is judged by group; ``None`` to decide by topic
    :raises ValueError: if no row has one of the labels ``dropped``
    """
    names = [name for name in ROW_COLUMNS if name in frame]
    has_unused = len(frame.columns) != len(names)
    if sep is not None or dropped or has_unused:
        frame = one_label_each(frame, what)
    if sep is not None or dropped:
        frame = separated(frame, "group", sep)
        labels = frame["group"]
        need_labels(dropped, labels.dropna().unique(), what)
        # The documents stay: they are known, and belong to no group.
        frame = frame.assign(group=labels.mask(labels.isin(dropped)))
    table = Table.read(frame[names], what, judged)
    rows, documents = table.ambiguous()
    if len(rows) and has_unused:
        warn_of_unused(frame, what, rows, documents)
    unknown = [label for label in table.labels if label.casefold() in _UNKNOWN_LABELS]
    if unknown:
        warn(f"{enumerated(map(repr, unknown))} of {what} counts as a group; none={unknown!r} "
             f"(--none {' '.join(unknown)}) leaves it out")
    if sep is None and not declared:
        _warn_of_cells(table, what)
    if table.weight is not None and not declared:
        weights = pd.to_numeric(frame["weight"], errors="coerce")
        documents = frame[frame.columns.intersection(["qid", "docno"])]
        if (weights != 0).all() and not documents.duplicated().any():
            warn(f"the weights of {what} have no effect, because each document has one group")
    return Listed(table, name, order, declared)


def _warn_of_cells(table: Table, what: str) -> None:
    """Warn if most cells contain a separator, or one cell joins the labels of others.

    :param what: the name of the table
    """
    counts = table.counts()
    for mark in ";|,/":
        marked = [mark in label for label in table.labels]
        cells = [label for label in table.labels if _joins(label, mark, table.labels)]
        if counts[marked].sum() > counts.sum() / 2 and mark != "/":  # as in addresses
            cells += itertools.compress(table.labels, marked)
        if cells:
            warn(f"the cells of {what}, such as {cells[0]!r}, are one group each; sep={mark!r} "
                 f"(--sep '{mark}') makes them several groups")
            return


def _joins(cell: str, mark: str, labels: Sequence[str]) -> bool:
    """Return whether a cell consists of other labels with a mark between them."""
    parts = map(str.strip, cell.split(mark))
    return mark in cell and {*parts}.issubset(labels)


#: The columns of rows of groups; the last two are the relevance in qrels.
ROW_COLUMNS = ("qid", "docno", "group", "weight", "label", "relevance")
#: The labels, in lower case, that may mean no group.
_UNKNOWN_LABELS = ("unknown", "none", "n/a", "na", "null", "?", "missing")


def from_mapping(mapping: Mapping[Any, Any], name: str | None = None,
                 order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a dictionary.

    :param mapping: docno → group, docno → groups (a list, set or array), docno → weights (a
        dictionary: group → number), or qid → such a dictionary. Numbers in inner dictionaries are
        weights if all innermost values are numbers; to use numbers as labels by topic, give them
        as lists or text.
    :param name: the name of the groups; by default derived from their content
    :param order: the labels in ascending order, for ordinal measures
    :raises ValueError: if a value is none of these, a weight is below 0, or ``order`` lacks a label

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
        raise ValueError(f"mapping must be a dictionary, got a {type(mapping).__name__}")
    documents = [value for _, value in mapping.items()]
    nested = all(isinstance(value, Mapping) for value in documents)
    topical = nested and not all(map(_holds_weights, documents))
    rows = []
    for qid, labels_of in mapping.items() if topical else [(None, mapping)]:
        for docno, labels in labels_of.items():
            for label, weight in labels_and_weights(docno, labels):
                rows.append((qid, docno, label, weight))
    frame = pd.DataFrame(rows, columns=["qid", "docno", "group", "weight"], dtype=object)
    topics = frame["qid"] if topical else None
    weights: Any = frame["weight"].to_numpy(float)
    if np.isnan(weights).all():
        weights = None
    table = Table(topics, frame["docno"], frame["group"], weights)
    return Listed(table, name, order)


def _holds_weights(value: Any) -> bool:
    """Return whether a value is a dictionary of numbers."""
    if not isinstance(value, Mapping):
        return False
    return all(is_number(weight) and not isinstance(weight, bool) for weight in value.values())


#: The label and the weight of a document with an empty list of labels.
_NO_LABEL = (None, math.nan)


def labels_and_weights(docno: Any, groups: Any) -> Iterable[tuple[Any, float]]:
    """Return the (group, weight) pairs of a document in a dictionary, NaN for no weight."""
    if _holds_weights(groups):
        for group, weight in groups.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise ValueError(f"the weight of {group!r} for {docno!r} must be a number of at "
                                 f"least 0, got {shown(weight)}")
        return groups.items() or [_NO_LABEL]
    if pd.api.types.is_scalar(groups):
        return [(groups, math.nan)]
    if isinstance(groups, (list, tuple, set, frozenset, np.ndarray, pd.Series)):
        return [(group, math.nan) for group in groups] or [_NO_LABEL]
    raise ValueError(f"the groups of {docno!r} must be a label, a list of labels or a dictionary "
                     "of weights, or all values dictionaries of documents by topic, got "
                     f"{shown(groups)}")


def from_pattern(pattern: str, labels: Iterable[Any] | None = None, name: str | None = None,
                 order: Iterable[Any] | None = None) -> Groups:
    """Return groups from the docnos, by a regular expression.

    :param pattern: the regular expression to search in the docno. The label is the capturing group
        named ``group``, or else the first capturing group, or else the whole match.
    :param labels: the possible labels; other matches are ignored
    :param name: the name of the groups; by default derived from their content
    :param order: the labels in ascending order, for ordinal measures
    :raises ValueError: if ``pattern`` is not a regular expression, or ``order`` lacks a label

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.from_pattern(r"^[A-Z]+", labels=["FT", "LA"]).lookup(["1", "1"], ["FT911-1", "FR-2"])
      qid    docno group
    0   1  FT911-1    FT
    """
    return _Pattern(pattern, labels, name, order)


def from_file(path: str | os.PathLike[str], name: str | None = None, *,
              labels: Iterable[Any] | None = None, order: Iterable[Any] | None = None,
              column: str | None = None, id: str | None = None,
              topic: str | Literal[False] | None = None,
              weight: str | Literal[False] | None = None, sep: str | None = None,
              none: Iterable[Any] = (),
              weights: Literal["column", "wide"] = "column",
              judged: bool | None = None) -> Groups:
    """Return groups from a file.

    The file is one of

    - a table with a header, separated by tabs or commas: ``docno, group`` or ``qid, docno, group``,
      and ``weight`` if documents have weights;
    - the same columns in Parquet (``.parquet``) or JSON (``.json``, ``.jsonl``: an array of objects
      or one in each line), where a list is several groups;
    - a TREC qrels file with the group in the second column or, if that holds nothing but ``0`` or
      ``Q0``, as text in the fourth;
    - with ``labels``, a membership file of NTCIR (``gmemb``): the topic, the document and its share
      in each group, separated by white space.

    All but Parquet may be compressed (gzip, bz2, xz, zstd, zip).

    The columns of a table are found by their names, without case, ``_``, ``-`` and spaces:

    - documents: the first of ``docno``, ``docid``, ``documentid``, ``corpusid``, ``itemid``,
      ``passageid``, ``pid``, ``movieid``, ``paperid``, ``pmid``, ``asin``, ``url``, ``item``,
      ``id``;
    - topics: the first of ``qid``, ``queryid``, ``topicid``, ``userid``; ``query``, ``topic`` or
      ``user`` if a document has different groups under different values of it;
    - groups: ``group``, or else the only column left;
    - weights: ``weight``. If a column has another name of weights, such as ``confidence``, an error
      asks for ``weight=``.

    :param path: the file, or a text ``FILE:COLUMN``, ``FILE:ID:COLUMN`` or ``FILE::LABEL,LABEL`` as
        on the command line
    :param name: the name of the groups; by default derived from their content
    :param labels: the groups of a membership file, one for each column of shares. A share of 0
        means that the document is not in the group. With ``weights='wide'``, the columns to read
    :param order: the labels in ascending order, for ordinal measures
    :param column: the column that has the group; ``a.b`` is the key ``b`` of the objects in ``a``
    :param id: the column that has the documents
    :param topic: the column that has the topics; ``False`` if groups do not depend on topics
    :param weight: the column that has the weights; ``False`` if there are none
    :param sep: what separates several groups in a cell of text, such as ``';'``
    :param none: the labels that mean no group, such as ``["unknown"]``. In qrels whose second
        column is ``0`` or ``Q0``, the labels in the fourth are then groups even if they are numbers
    :param weights: ``'wide'`` if each group has a column of weights, ``docno, PRO, CON`` or
        ``docno, P(PRO), P(CON)``
    :param judged: in qrels, whether the groups of a document are those that it is relevant for
        (``True``) or those of all its rows (``False``); by default the rows of each topic decide
    :raises ValueError: if a line cannot be parsed (the error names file and line), a column is
        missing, a weight is not a number of at least 0, a share is negative, ``none`` has a label
        that is not there, ``order`` lacks a label, or ``judged`` is given without relevance
    :raises OSError: if the file cannot be opened
    :raises ImportError: if pyarrow is not installed, which Parquet needs

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness import groups
    >>> _ = Path("groups.csv").write_text("docno,group\\na,PRO\\nb,PRO;CON\\n")
    >>> groups.from_file("groups.csv", sep=";").labels
    ['CON', 'PRO']
    >>> _ = Path("stances.jsonl").write_text('{"id": "a", "meta": {"stance": ["PRO", "CON"]}}')
    >>> groups.from_file("stances.jsonl", column="meta.stance").lookup(["1"], ["a"])
      qid docno group
    0   1     a   CON
    1   1     a   PRO
    """
    one_of("weights", weights, ("column", "wide"))
    file, text = located(path)
    if text.startswith(":"):
        weights = "wide"
        labels = text[1:].split(",") if labels is None else labels
    elif text and labels is None and memberships(file):
        labels = text.split(",")
    elif text and column is None:
        column = text
    declared = [] if labels is None else distinct_labels(labels, "labels")
    columns = Columns(column, id, topic, weight)
    dropped = label_texts(none, "none")
    holds_judgments = False
    if weights == "wide":
        declared = [label_of(title) for title in declared]
        frame = read_wide(file, declared, columns)
    elif declared:
        frame = read_memberships(file, declared)
    else:
        frame, holds_judgments = read_labelled(file, columns, dropped)
    groups = _listed(frame, os.fspath(file), name, order, sep, dropped, declared, judged)
    groups.made_of = os.fspath(path)
    groups.judged = holds_judgments
    return groups


def located(path: Any) -> tuple[Any, str]:
    """Return the file that a text such as ``FILE:COLUMN`` names, and what follows the colon."""
    if not isinstance(path, (str, os.PathLike)):
        return path, ""
    text = os.fspath(path)
    colons = [colon.start() for colon in re.finditer(":", text)]
    for end in [len(text), *colons[::-1]]:
        if os.path.isfile(text[:end]):
            return text[:end], text[end + 1:]
    return text, ""


def source_of(text: str | os.PathLike[str], name: str | None = None, **options: Any) -> Groups:
    """Return the groups that a text names on the command line or in a measure.

    :param text: what :func:`from_file` takes, or ``re:PATTERN``. The groups of a membership file
        have the names 1, 2, … if the text names none.
    :param options: options of :func:`from_file`
    """
    if str(text).startswith(_PATTERN):
        return from_pattern(str(text).removeprefix(_PATTERN), name=name)
    shares = memberships(text) if os.path.isfile(text) else 0
    if shares:
        options["labels"] = range(1, shares + 1)
    return from_file(text, name, **options)


#: The start of a text that is a regular expression.
_PATTERN = "re:"


def from_qrels(qrels: pd.DataFrame | str | os.PathLike[str], none: Iterable[Any] = (),
               name: str | None = None, *, order: Iterable[Any] | None = None) -> Groups:
    """Return groups whose labels are the labels of qrels, such as qrels of stances.

    A track that judges both relevance and stance has two qrels files. :meth:`Groups.to_qrels` of
    these groups joins them to qrels with groups.

    :param qrels: a TREC qrels file, whose labels may be text, compressed if its name ends in
        ``.gz``; or a frame ``qid, docno, label`` (or ir_measures' names)
    :param none: the labels that mean no group, such as ``["NO"]``
    :param name: the name of the groups; by default derived from their content
    :param order: the labels in ascending order, for ordinal measures
    :raises ValueError: if a line of the file cannot be read (the error names file and line), a
        column is missing, no document has the label ``none``, no document has another, or ``order``
        lacks a label
    :raises OSError: if the file cannot be opened

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
    frame = as_frame(qrels)
    if not isinstance(frame, pd.DataFrame):
        frame = read_labels(frame)
    columns = list(qrels_columns(frame))
    frame = frame[columns].set_axis(["qid", "docno", "group"], axis="columns")
    dropped = label_texts(none, "none")
    groups = _listed(frame, "the qrels", name, order, None, dropped)
    if not groups.labels:
        raise ValueError(f"the qrels must have a label besides {listed(dropped)}, got none")
    groups.judged = True
    return groups


class _Pattern(Groups):
    blockwise = True

    def __init__(self, pattern: str, labels: Iterable[Any] | None, name: str | None,
                 order: Iterable[Any] | None) -> None:
        super().__init__(name, labels, order)
        try:
            self._pattern = re.compile(pattern)
        except (TypeError, re.error) as error:
            raise ValueError(f"pattern must be a regular expression, got {shown(pattern)}: "
                             f"{error}") from None
        self.made_of = pattern
        # The number of a capturing group; 0 is the whole match.
        first = min(1, self._pattern.groups)
        self._part = self._pattern.groupindex.get("group", first)
        self.complete = labels is not None

    def _content(self) -> Any:
        return self.made_of, self.labels, self.complete, self.order

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        document, distinct = pd.factorize(np.asarray(docnos, dtype=object))
        matches = [self._pattern.search(str(docno)) for docno in distinct]
        labels = pd.Series([match and match[self._part] for match in matches], dtype=object)
        is_label = ~labels.isin(UNANNOTATED)
        if self.complete:
            is_label = labels.isin(self.labels or ())
        codes, names = pd.factorize(labels.where(is_label))
        codes = codes[document]
        item = np.flatnonzero(codes >= 0)
        return Memberships(item, codes[item], list(map(str, names)))


def from_votes(frame: pd.DataFrame, name: str | None = None, order: Iterable[Any] | None = None, *,
               shares: bool = False,
               majority: Literal["plurality", "absolute"] = "plurality") -> Groups:
    """Return groups from the votes of several annotators.

    The group of a document is the label with the most votes, or that with more than half of them. A
    document without such a label is left without a group; one warning counts these. ``labels`` has
    every label with a vote.

    Source: Gezici et al. (2021), section 4.2, which has three votes for a stance, five for a
    leaning, and "majority-voting". It does not say which majority that is, nor what happens without
    one: both are decisions of this package.

    :param frame: columns ``docno, annotator, label`` or ``qid, docno, annotator, label``, a row for
        each vote. A missing or empty label, or ``-``, is ignored.
    :param name: the name of the groups; by default derived from their content
    :param order: the labels in ascending order, for ordinal measures
    :param shares: whether a document is in the group of every label that it has votes for, with the
        number of these votes as weight, instead of in one group
    :param majority: ``'plurality'`` for the label with more votes than every other label,
        ``'absolute'`` for the label with more than half of the votes
    :raises ValueError: if a column or an identifier is missing, votes are missing, an annotator has
        two votes for a document, ``order`` lacks a label, ``majority`` is none of these, or
        ``'absolute'`` with ``shares=True``

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> votes = pd.DataFrame({"docno": ["a", "a", "a", "b", "b"],
    ...                       "annotator": ["u", "v", "w", "u", "v"],
    ...                       "label": ["PRO", "CON", "PRO", "CON", "CON"]})
    >>> groups.from_votes(votes).lookup(["1", "1"], ["a", "b"])
      qid docno group
    0   1     a   PRO
    1   1     b   CON
    >>> groups.from_votes(votes, shares=True).lookup(["1"], ["a"])
      qid docno group  weight
    0   1     a   CON     1.0
    1   1     a   PRO     2.0
    """
    one_of("majority", majority, ("plurality", "absolute"))
    if shares and majority == "absolute":
        raise ValueError("majority must be 'plurality' with shares=True, which takes all labels of "
                         "a document as its groups, got 'absolute'")
    counts = vote_counts(frame)
    if majority == "plurality":
        first = counts.eq(counts.max(axis=1), axis=0)
    else:
        first = counts.gt(counts.sum(axis=1) / 2, axis=0)
    without = first.sum(axis=1) != 1
    if without.any() and not shares:
        warn(f"{without.sum()} of {len(counts)} documents with votes, such as "
             f"{without.idxmax()!r}, are without a majority ({majority}) and so without a group; "
             "with shares=True, all labels of a document are its groups")
    votes = counts if shares else first[~without]
    numbers = votes.to_numpy()
    row, label = numbers.nonzero()
    rows = votes.index[row].to_frame(index=False)
    rows["group"] = votes.columns[label]
    if shares:
        rows["weight"] = numbers[row, label]
    return Listed(Table.read(rows), name, order, counts.columns)


def vote_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the number of votes for each label, a row for each document that has a vote.

    :param frame: the frame that :func:`from_votes` takes
    :returns: a column for each label; the index is ``docno``, or ``qid`` and ``docno``
    :raises ValueError: as :func:`from_votes`
    """
    frame = as_frame(frame)
    need_columns(frame, ["docno", "annotator", "label"], "the frame of votes")
    document = ["qid", "docno"] if "qid" in frame else ["docno"]
    ids = [*document, "annotator"]
    label = frame["label"].map(label_text, na_action="ignore")
    is_vote = label.notna() & ~label.isin(UNANNOTATED)
    frame = frame.assign(label=label)[is_vote]
    need_rows(frame, "the frame of votes, without rows that lack a label,")
    votes = with_text_ids(frame, "frame of votes", *ids)
    for _, vote in votes[votes.duplicated(ids)].iterrows():
        raise ValueError(f"an annotator must have one vote for a document, got two of "
                         f"{vote['annotator']!r} for {' '.join(vote[document])!r}")
    counts = votes.groupby([*document, "label"], observed=True).size()
    return counts.unstack(fill_value=0)


def summary(qrels: pd.DataFrame) -> str:
    """Return the number of documents in each group of :meth:`Groups.to_qrels`, as a sentence.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import groups
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0]})
    >>> groups.summary(groups.from_mapping({"a": "PRO"}).to_qrels(qrels))
    '1 of 2 judged documents have a group: PRO 1'
    """
    qid, docno, _ = qrels_columns(qrels)
    annotated = qrels[~qrels["iteration"].isin(UNANNOTATED)]
    documents = annotated.drop_duplicates([qid, docno])
    judged = qrels.drop_duplicates([qid, docno])
    text = f"{len(documents)} of {len(judged)} judged documents have a group"
    counts = annotated["iteration"].value_counts()
    labels = [f"{group} {number}" for group, number in sorted(counts.items())]
    return f"{text}: {', '.join(labels)}" if labels else text


def _converted(data: Any) -> Groups:
    """Return groups from a DataFrame, a dictionary or a Series."""
    return from_frame(data) if isinstance(data, pd.DataFrame) else from_mapping(data)


def _file_of(text: str) -> str | None:
    return None if text.startswith(_PATTERN) else located(text)[0]


REGISTRY = Registry(Groups, source_of,
                    "from_frame, from_mapping, from_pattern, from_text or from_file",
                    convert=_converted, file_of=_file_of)


def register(name: str, groups: Groups | Callable[[], Groups]) -> None:
    """Make groups available as ``groups=name``, until :func:`unregister`.

    Groups registered under the same name before are replaced.

    :param groups: a Groups object, or a function that makes one when a measure first needs it
    :raises ValueError: if it is neither, or the name is empty

    Examples
    --------
    >>> from pt_fairness import groups, rND
    >>> groups.register("opinions", groups.from_mapping({"a": "PRO", "b": "CON"}))
    >>> rND(groups="opinions") @ 5
    rND(groups='opinions')@5
    >>> groups.unregister("opinions")
    """
    REGISTRY.register(name, groups)


unregister = REGISTRY.unregister
names = REGISTRY.names
get = REGISTRY.get
