"""Groups from the votes of several annotators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.labels import label_text
from pt_fairness.core.messages import warn
from pt_fairness.groups.base import Groups
from pt_fairness.groups.sources import _Frame
from pt_fairness.groups.table import Table, is_no_group
from pt_fairness.io.frames import need_columns, need_rows


def from_votes(frame: pd.DataFrame, name: str | None = None, order: Iterable[Any] | None = None, *,
               shares: bool = False) -> Groups:
    """Return groups from the votes of several annotators.

    The group of a document is the label with the most votes. A document whose first labels have
    equally many has no group; one warning counts these. The label set holds every label that has a
    vote.

    Source: Gezici et al. (2021), section 4.2, the majority of three or five annotators.

    :param frame: columns ``docno, annotator, label`` or ``qid, docno, annotator, label``, a row for
        each vote. A missing or empty label, or ``-``, is no vote.
    :param name: the name of the groups; by default derived from a hash of their content
    :param order: the labels in ascending order, if they have an order
    :param shares: whether a document is in the group of every label that it has votes for, with the
        number of these votes as weight, instead of in that of the majority
    :raises ValueError: a column or an identifier is missing, there is no vote, an annotator has two
        votes for a document, or ``order`` lacks a label

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
    counts = vote_counts(frame)
    most = counts.eq(counts.max(axis=1), axis=0)
    tied = most.sum(axis=1) > 1
    if tied.any() and not shares:
        warn(f"{tied.sum()} of {len(counts)} documents with votes, such as "
             f"{_document(tied.idxmax())}, have no majority and so no group; with shares=True, all "
             "labels of a document are its groups")
    kept = counts if shares else most[~tied].astype(int)
    row, label = kept.to_numpy().nonzero()
    rows = kept.index[row].to_frame(index=False).assign(
        group=kept.columns[label], weight=kept.to_numpy()[row, label])
    return _Frame(Table.of_frame(rows if shares else rows.drop(columns="weight")), name, order,
                  counts.columns)


def vote_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the number of votes for each label, a row for each document that has a vote.

    :param frame: as of :func:`from_votes`
    :returns: a column for each label; the index is ``docno``, or ``qid`` and ``docno``
    :raises ValueError: as :func:`from_votes`
    """
    need_columns(frame, ["docno", "annotator", "label"], "the frame of votes")
    document = ["qid", "docno"] if "qid" in frame else ["docno"]
    ids = [*document, "annotator"]
    frame = frame[~frame["label"].map(is_no_group)]
    need_rows(frame, "the frame of votes, without the rows that have no label,")
    votes = with_text_ids(frame, "frame of votes", *ids).assign(
        label=frame["label"].map(label_text))
    again = votes.duplicated(ids)
    if again.any():
        one = votes[again].iloc[0]
        raise ValueError(f"annotator {one['annotator']!r} has two votes for "
                         f"{_document(tuple(one[document]))}; keep one of them")
    return votes.groupby([*document, "label"]).size().unstack(fill_value=0)


def _document(key: Any) -> str:
    """Return the name of a document in a message; ``key`` is its entry in the index."""
    *qid, docno = key if isinstance(key, tuple) else (key,)
    return f"{docno!r}" + "".join(f" of topic {one!r}" for one in qid)
