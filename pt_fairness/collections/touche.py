"""Touché: arguments on controversial questions, with their stances and debate portals.

**Stances in args.me.** Task 1 ranks arguments of the args.me corpus. The stance of an argument is
that of its premise towards its *own conclusion*, which need not be the claim of the topic: a PRO
argument for "gun control does not work" opposes the topic "Should guns be controlled?". The same
holds for the stances of BEIR's version. Stances can be corrected by topic with
:meth:`pt_fairness.groups.Groups.override`.

The stances of the judged documents of a dataset id are looked up once and cached in a table in the
folder of the qrels. Documents that are missing from the corpus are looked up again while it exists.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_datasets.formats import ToucheComparativeStance, ToucheControversialStance, TrecQrel
from ir_datasets.formats import touche as formats
from ir_datasets.formats.argsme import ArgsMeSourceDomain, ArgsMeStance
from ir_datasets.util import home_path

from pt_fairness.collections.fields import look_up
from pt_fairness.collections.variants import labelled, variant, with_one_relevance

if TYPE_CHECKING:
    from pt_fairness.groups import FromIrds

STANCES = tuple(stance.name for stance in ArgsMeStance)
PORTALS = tuple(domain.name for domain in ArgsMeSourceDomain)
_UNANNOTATED = ToucheComparativeStance.NO
#: The stances in the qrels of Task 2, without the value for no stance.
_COMPARATIVE = tuple(stance.name for stance in ToucheComparativeStance if stance != _UNANNOTATED)
#: The stances of the tasks whose qrels hold them, by dataset id.
_JUDGED_STANCES = {
    "clueweb12/touche-2022-task-2": _COMPARATIVE,
    "clueweb12/touche-2022-task-2/expanded-doc-t5-query": _COMPARATIVE,
    "touche-image/2022-06-13/touche-2022-task-3": tuple(
        stance.name for stance in ToucheControversialStance),
}
#: The corpora whose documents have a stance: the path of the docstore and the tasks.
_CORPORA = {
    "argsme/2020-04-01": ("argsme/2020-04-01.json.pklz4", (
        "touche-2020-task-1", "touche-2021-task-1", "touche-2020-task-1/uncorrected")),
    "argsme/1.0": ("argsme/1.0.json.pklz4", ("touche-2020-task-1/uncorrected",)),
    "beir/webis-touche2020": ("beir/webis-touche2020/docs.pklz4", ("",)),
    "beir/webis-touche2020/v2": ("beir/webis-touche2020/v2/docs.pklz4", ("",)),
}
_TEXT = {
    "stance": "The iteration field holds the stance of the document, which in args.me is the "
              "stance of an argument towards its own conclusion. That need not be the claim of the "
              "topic.",
    "portal": "The iteration field holds the debate portal that the argument is from: "
              f"{', '.join(PORTALS)}.",
}


def premise_stance(argument: Any) -> Any:
    """Return the stance of an argument of args.me: that of its premise."""
    return argument.premises[0].stance if argument.premises else None


#: The field of an argument, or a function of it, and the labels.
FIELDS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "stance": (premise_stance, STANCES),
    "portal": ("source_domain", PORTALS),
}


def source(name: str) -> FromIrds:
    """Return the stances or portals in the documents of a corpus, or in qrels, as groups."""
    from pt_fairness.groups import FromIrds
    dataset_id, _, field = name.rpartition("/")
    if dataset_id in _JUDGED_STANCES:
        return FromIrds(name, "iteration", _JUDGED_STANCES[dataset_id], name)
    argument_field, labels = FIELDS[field]
    return FromIrds(dataset_id, argument_field if dataset_id.startswith("argsme/") else field,
                    labels, name)


def register(registry: Any) -> None:
    """Register ``…/stance`` and ``…/portal`` for the Touché ids of ir_datasets."""
    # ir_datasets 0.6.3 prints the path of Touché's qrels to standard output.
    vars(formats)["print"] = lambda *values, **options: None
    for corpus, (store, tasks) in _CORPORA.items():
        for field in ("stance", "portal") if corpus.startswith("argsme/") else ("stance",):
            for task in tasks:
                base_id = f"{corpus}/{task}".rstrip("/")
                convert = partial(_with_field, f"{corpus}/{field}", registry[base_id],
                                  home_path() / store)
                variant(registry, base_id, field, convert, f"with {field}s", _TEXT[field],
                        one_for_one=corpus == "argsme/2020-04-01")
    for base_id in _JUDGED_STANCES:
        variant(registry, base_id, "stance", _judged, "with stances",
                "The iteration field holds the stance that the document was judged to have. Where "
                "it was judged for several, there is a row for each of which it is relevant.",
                one_for_one=False)


def _judged(rows: list[Any]) -> Iterator[TrecQrel]:
    return with_one_relevance(
        TrecQrel(row.query_id, row.doc_id, row.relevance,
                 "-" if row.stance is _UNANNOTATED else row.stance.name) for row in rows)


def _with_field(name: str, base: Any, store: Path, rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with a field of their documents as group, from the cached table."""
    groups = source(name)
    look_up(groups, base, store, (row.doc_id for row in rows))
    yield from labelled(groups, rows)
