"""What the tests of several measures share."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import ir_measures
from ir_measures.util import Qrel, ScoredDoc

from pt_fairness import FairnessWarning, groups

#: Targets of every kind for the groups of ``make_case``.
TARGETS: list[Any] = [
    "qrels", "collection", "uniform", "run", {"g0": 0.3, "g1": 0.7}, {"g0": 1.0},
    {"g0": 0.25, "added": 0.75}]


def values_of(measures: Iterable[Any], qrels: Any, run: Any) -> dict[tuple[Any, str], float]:
    """Return the values by measure and topic, from one call of ir_measures."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FairnessWarning)
        return {
            (m.measure, m.query_id): m.value
            for m in ir_measures.iter_calc(list(measures), qrels, run)}


class OpenGroups(groups.Groups):
    """Groups that do not say which labels there are."""

    def __init__(self, of: groups.Groups) -> None:
        super().__init__()
        self._of = of

    def lookup(self, qids: Any, docnos: Any) -> Any:
        return self._of.lookup(qids, docnos)


def of_lists(lists: Iterable[Sequence[str]]) -> tuple[list[Qrel], list[ScoredDoc]]:
    """Qrels and a run in which topic ``str(t)`` has a relevant document of each label of list t."""
    qrels = [
        Qrel(str(t), f"{t}-{i}", 1, label) for t, labels in enumerate(lists)
        for i, label in enumerate(labels)]
    return qrels, [ScoredDoc(row.query_id, row.doc_id, -i) for i, row in enumerate(qrels)]
