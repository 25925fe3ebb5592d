"""Touché: arguments on controversial questions, with a stance and with the debate portal that they come from.

**What an args.me stance is.** Task 1 ranks arguments of the args.me corpus. An argument's stance there is that of its premise
towards its *own conclusion*, which need not be the claim of the topic: a PRO argument for "gun control does not work" speaks
against a topic "Should guns be controlled?". The same holds for the stances of BEIR's version. Where that matters, correct them
with :meth:`pt_fairness.groups.Groups.override`.

Stances of documents are looked up once for all judged documents of a dataset id, and then kept in a table beside its qrels;
a document that is missing from the corpus is looked for again while the corpus is there.
"""

from __future__ import annotations

import csv
import os
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ir_datasets
from ir_datasets.formats import ToucheComparativeStance, ToucheControversialStance, TrecQrel
from ir_datasets.formats import touche as formats
from ir_datasets.formats.argsme import ArgsMeSourceDomain, ArgsMeStance
from ir_datasets.util import home_path

from pt_fairness.collections.irds import at_hand, labelled, variant, with_one_relevance

if TYPE_CHECKING:
    from pt_fairness.groups import Found, FromIrds

STANCES = tuple(stance.name for stance in ArgsMeStance)
PORTALS = tuple(domain.name for domain in ArgsMeSourceDomain)
_UNANNOTATED = ToucheComparativeStance.NO
#: The stances of the tasks whose qrels have them.
_COMPARATIVE = tuple(stance.name for stance in ToucheComparativeStance if stance != _UNANNOTATED)
_JUDGED_STANCES = {
    "clueweb12/touche-2022-task-2": _COMPARATIVE,
    "clueweb12/touche-2022-task-2/expanded-doc-t5-query": _COMPARATIVE,
    "touche-image/2022-06-13/touche-2022-task-3": tuple(stance.name for stance in ToucheControversialStance),
}
#: The dataset ids of each corpus of documents that have a stance, and where ir_datasets has its docstore.
_CORPORA = {
    "argsme/2020-04-01": ("argsme/2020-04-01.json.pklz4", ("touche-2020-task-1", "touche-2021-task-1",
                                                           "touche-2020-task-1/uncorrected")),
    "argsme/1.0": ("argsme/1.0.json.pklz4", ("touche-2020-task-1/uncorrected",)),
    "beir/webis-touche2020": ("beir/webis-touche2020/docs.pklz4", ("",)),
    "beir/webis-touche2020/v2": ("beir/webis-touche2020/v2/docs.pklz4", ("",)),
}
_TEXT = {
    "stance": "The iteration field holds the stance of the document, which in args.me is the stance of an argument towards its "
              "own conclusion. That need not be the claim of the topic.",
    "portal": f"The iteration field holds the debate portal that the argument is from: {', '.join(PORTALS)}.",
}


#: The table beside the qrels; it is a group file too.
_COLUMNS = ["docno", "group", "why_not"]


def premise_stance(argument: Any) -> Any:
    """The stance of an argument of args.me: that of its premise."""
    return argument.premises[0].stance if argument.premises else None


_FIELDS: dict[str, tuple[Any, tuple[str, ...]]] = {"stance": (premise_stance, STANCES), "portal": ("source_domain", PORTALS)}


def source(name: str) -> FromIrds:
    """Stances or portals: of any document of a corpus, or those in the qrels of a task."""
    from pt_fairness.groups import FromIrds
    dataset_id, _, field = name.rpartition("/")
    if dataset_id in _JUDGED_STANCES:
        return FromIrds(name, "iteration", labels=_JUDGED_STANCES[dataset_id], name=name)
    what, labels = _FIELDS[field]
    return FromIrds(dataset_id, what if dataset_id.startswith("argsme/") else field, labels=labels, name=name)


def register(registry: Any) -> None:
    """Adds ``…/stance`` and ``…/portal`` to the Touché ids of ir_datasets."""
    # ir_datasets 0.6.3 prints the path of Touché's qrels, in the middle of whatever is piped from standard output.
    vars(formats)["print"] = lambda *values, **options: None
    for corpus, (store, tasks) in _CORPORA.items():
        for field in ("stance", "portal") if corpus.startswith("argsme/") else ("stance",):
            for task in tasks:
                base_id = f"{corpus}/{task}".rstrip("/")
                convert = partial(_looked_up, f"{corpus}/{field}", registry[base_id], home_path() / store)
                variant(registry, base_id, field, convert, f"with {field}s", _TEXT[field],
                        one_for_one=corpus == "argsme/2020-04-01")
    for base_id in _JUDGED_STANCES:
        variant(registry, base_id, "stance", _judged, "with stances",
                "The iteration field holds the stance that the document was judged to have. Where it was judged for several, "
                "there is a row for each of which it is relevant.", one_for_one=False)


def _judged(rows: list[Any]) -> Iterator[TrecQrel]:
    return with_one_relevance(TrecQrel(row.query_id, row.doc_id, row.relevance,
                                       "-" if row.stance is _UNANNOTATED else row.stance.name) for row in rows)


def _looked_up(name: str, base: Any, store: Path, rows: list[Any]) -> Iterator[TrecQrel]:
    """The judgments with a field of their documents: from the table beside the qrels, what is not there from the docstore."""
    from pt_fairness.groups import MISSING
    found = source(name)
    table = Path(f"{base.qrels_handler().qrels_path()}.{name.rpartition('/')[2]}.tsv")
    docnos = dict.fromkeys(row.doc_id for row in rows)
    kept = _read(table, store / "bin", set(found.labels or ()))
    known = {docno: what for docno, what in kept.items() if what != ((), MISSING)}
    # What was missing may be there by now; but nobody who has deleted the corpus wants it back for that.
    complete = docnos.keys() <= known.keys()
    if complete or (docnos.keys() <= kept.keys() and not (store / "bin").exists() and not at_hand(base.docs_handler())):
        found.remember(kept)
    else:
        found.remember(known)
        fetched = found.fetch(docnos)
        if any(kept.get(docno) != what for docno, what in fetched.items()):
            _write(table, fetched)
    yield from labelled(found, rows)


def _read(table: Path, corpus: Path, labels: set[str]) -> dict[str, Found]:
    """What was looked up before; nothing if the corpus is newer, or if the table is not as :func:`_write` left it."""
    import pandas as pd
    try:
        if corpus.exists() and corpus.stat().st_mtime > table.stat().st_mtime:
            return {}
        frame = pd.read_csv(table, sep="\t", dtype=str, keep_default_na=False, quoting=csv.QUOTE_NONE)
    except (OSError, ValueError):
        return {}
    if list(frame.columns) != _COLUMNS or not set(frame["group"]) <= {*labels, "-"}:
        return {}
    return {docno: ((group,), "") if group != "-" else ((), reason) for docno, group, reason in frame.itertuples(index=False)}


def _write(table: Path, found: dict[str, Found]) -> None:
    import pandas as pd
    frame = pd.DataFrame([(docno, one[0] if one else "-", " ".join(reason.split())) for docno, (one, reason) in found.items()],
                         columns=_COLUMNS)
    try:
        # Others see the whole table or none.
        unfinished = f"{table}.{os.getpid()}.{threading.get_ident()}"
        frame.to_csv(unfinished, sep="\t", index=False, quoting=csv.QUOTE_NONE)
        os.replace(unfinished, table)
    except OSError as error:  # a folder that others own: the next process looks the stances up again
        ir_datasets.log.easy().info(f"{table} cannot be written ({error})")
