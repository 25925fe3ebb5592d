"""Fields of documents as the groups of judged documents, cached in a table beside the judgments.

Importing this module imports ir_datasets, but not pandas.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pt_fairness import reading
from pt_fairness.collections import cached

if TYPE_CHECKING:
    from pt_fairness.groups import Found, FromIrds

#: The columns of the cached table, which is also a valid group file.
_COLUMNS = ["docno", "group", "why_not"]


def look_up(groups: FromIrds, base: Any, store: Path, docnos: Iterable[str]) -> None:
    """Look up the groups of judged documents, in the cached table as far as it has them.

    Documents that are not in the table are read from the docstore, and the table is rewritten.
    Documents that are missing from the corpus are looked up again while it exists.

    :param groups: a field of the documents, with a label set; it caches the groups found
    :param base: the dataset with the judgments and the documents
    :param store: the folder of the docstore
    """
    from pt_fairness.groups import MISSING
    field = groups.name.rpartition("/")[2]
    table = Path(f"{base.qrels_handler().qrels_path()}.{field}.tsv")
    docnos = dict.fromkeys(docnos)
    kept = _read_table(table, store / "bin", groups.labels or ())
    known = {docno: found for docno, found in kept.items() if found != ((), MISSING)}
    # Do not download a deleted corpus again for documents that it lacked.
    gone = not (store / "bin").exists() and not reading.downloaded(base.docs_handler())
    if docnos.keys() <= (kept if gone else known).keys():
        groups.remember(kept)
    else:
        groups.remember(known)
        fetched = groups.fetch(docnos)
        if any(kept.get(docno) != found for docno, found in fetched.items()):
            _write_table(table, fetched)


def _read_table(table: Path, corpus: Path, labels: Collection[str]) -> dict[str, Found]:
    """Return the cached table by docno; empty if the corpus is newer or the table is invalid."""
    frame = cached.read_rows(table, corpus, _COLUMNS, labels)
    return {} if frame is None else {
        docno: ((group,), "") if group != "-" else ((), reason)
        for docno, group, reason in frame.itertuples(index=False)}


def _write_table(table: Path, found: dict[str, Found]) -> None:
    import pandas as pd
    cached.write_rows(table, pd.DataFrame(
        [(docno, groups[0] if groups else "-", " ".join(reason.split()))
         for docno, (groups, reason) in found.items()], columns=_COLUMNS))
