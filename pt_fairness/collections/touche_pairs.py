"""Touché 2022, task 1: pairs of sentences of arguments in args.me.

The docno of a pair is those of its sentences, separated by a comma. A sentence belongs to the
argument that its docno begins with, such as ``Sc065954f-Ae72bc9c6`` in
``Sc065954f-Ae72bc9c6__PREMISE__41``. The stances and the portals of a pair are those of the
arguments of its sentences: two groups if they differ. The quality and the coherence of a pair are
in the judgments.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ir_datasets.formats import TrecQrel
from ir_datasets.util import home_path

from pt_fairness import reading
from pt_fairness.collections.fields import look_up
from pt_fairness.collections.touche import FIELDS
from pt_fairness.collections.variants import labelled, variant

if TYPE_CHECKING:
    from pt_fairness.groups import Groups

_CORPUS = "argsme/2020-04-01/processed"
_TASK = f"{_CORPUS}/touche-2022-task-1"
_STORE = "argsme/2020-04-01/processed.json.pklz4"
#: The levels of quality and of coherence, lowest first.
_LEVELS = ("0", "1", "2")
_TEXT = {
    "stance": "The iteration field holds the stances of the arguments that the sentences are from, "
              "which are their stances towards their own conclusions.",
    "portal": "The iteration field holds the debate portals that the arguments of the sentences "
              "are from.",
    "quality": "The iteration field holds the quality of the pair, from 0 to 2.",
    "coherence": "The iteration field holds the coherence of the pair, from 0 to 2.",
}


def source(name: str) -> Groups:
    """Return the stances or portals of any pair, or the quality or coherence of judged ones."""
    from pt_fairness import groups
    field = name.rpartition("/")[2]
    if field not in FIELDS:
        return groups.from_irds(name, "iteration", _LEVELS, name, order=_LEVELS)
    from pt_fairness.collections.pairs import SentencePairs
    argument_field, labels = FIELDS[field]
    return SentencePairs(groups.FromIrds(_CORPUS, argument_field, labels, f"{_CORPUS}/{field}"),
                         name)


def register(registry: Any) -> None:
    """Register the variants of Touché 2022, task 1."""
    for field, text in _TEXT.items():
        convert = _looked_up if field in FIELDS else _graded
        variant(registry, _TASK, field, partial(convert, registry[_TASK], field),
                f"with {field}", text, one_for_one=field not in FIELDS)


def _looked_up(base: Any, field: str, rows: list[Any]) -> Iterator[TrecQrel]:
    from pt_fairness.collections.pairs import REST, SENTENCES
    groups: Any = source(f"{_TASK}/{field}")
    arguments = (sentence.partition(REST)[0] for row in rows
                 for sentence in row.doc_id.split(SENTENCES))
    look_up(groups.arguments, base, home_path() / _STORE, arguments)
    yield from labelled(groups, rows)


def _graded(base: Any, field: str, rows: list[Any]) -> Iterator[TrecQrel]:
    for row in rows:
        level = str(getattr(row, field))
        if level not in _LEVELS:
            raise reading.invalid(base.qrels_handler(), row, f"the {field}", level,
                                  f"one of {', '.join(_LEVELS)}")
        yield TrecQrel(row.query_id, row.doc_id, row.relevance, level)
