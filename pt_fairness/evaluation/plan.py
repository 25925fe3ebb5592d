"""The plan of an evaluation: qrels, measures and settings that all workers share."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pt_fairness.analysis.inputs import renamed_qrels
from pt_fairness.core.bound_names import BoundName
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.registry import shown_names
from pt_fairness.io.document_files import load_qrels
from pt_fairness.measures.base import FairnessMeasure, registry_of
from pt_fairness.provider import ALPHA_VARIABLE
from pt_fairness.provider.checks import check_names
from pt_fairness.provider.parsing import parsed, take_groups


@dataclass(frozen=True)
class Plan:
    """The qrels, measures and settings that are sent to the workers."""

    #: Columns ``query_id, doc_id, relevance``, ``iteration`` if there are groups; ids as text.
    qrels: pd.DataFrame
    #: Measures whose groups, targets, values and runs are bound to the registered objects.
    measures: list[Any]
    #: The names of the measures in the tables.
    columns: list[str]
    #: The name of the group source in tables; ``None`` if there is no source.
    groups: str | None
    #: The declared labels of the group source; ``None`` if it declares none.
    labels: list[str] | None
    #: The value of :data:`~pt_fairness.provider.ALPHA_VARIABLE`, ``None`` if it is not set.
    alpha: str | None
    #: Tells the plan from others that a worker has had.
    key: str
    #: The maximum number of threads that parse a file; ``None`` for pandas' default.
    threads: int | None
    #: The name in tables of each group source that is named by its hash, by that name.
    shown: dict[str, str]

    def set_environment(self) -> None:
        """Set the environment variables of this process to those of the plan."""
        if self.alpha is None:
            os.environ.pop(ALPHA_VARIABLE, None)
        else:
            os.environ[ALPHA_VARIABLE] = self.alpha


def make_plan(qrels: Any, measures: Any, workers: int, source: Any = None) -> Plan:
    """Make a plan.

    :param qrels: a frame, or what :func:`pt_fairness.io.load_qrels` takes
    :param measures: measures or their names
    :param workers: the number of processes; 1 for this process only, −1 for one per processor
    :param source: the group source of the measures whose parameter ``groups`` is not set, or
        ``None``
    :raises ValueError: a measure or the qrels are wrong
    """
    qrels = load_qrels(qrels)
    if qrels.empty:
        raise ValueError("the qrels have no rows, so there is no topic to evaluate")
    frame = with_text_ids(renamed_qrels(qrels), "qrels", "query_id", "doc_id")
    asked = parsed(measures)
    if not asked:
        raise ValueError("there are no measures to compute")
    columns, frame, name = take_groups(asked, frame, source)
    every, held = _bind(list(columns))
    shown = shown_names([*held, *([] if name is None else [name])])
    alpha = os.environ.get(ALPHA_VARIABLE)
    threads = None if workers == 1 else max(1, (os.cpu_count() or 1) // workers)
    return Plan(frame, every, _columns(every, columns.values(), shown),
                None if name is None else shown.get(name, str(name)),
                None if name is None else name.value.labels, alpha, uuid.uuid4().hex, threads,
                shown)


def _columns(measures: Sequence[Any], columns: Iterable[str], shown: dict[str, str]) -> list[str]:
    """Return the names of columns, in which sources without a name are as they are shown."""
    names = [str(type(measure)(**measure.with_names(lambda _, name: shown.get(name, name))))
             if isinstance(measure, FairnessMeasure) and column == str(measure) else column
             for measure, column in zip(measures, columns, strict=True)]
    return [name if names.count(name) == 1 else column
            for name, column in zip(names, columns, strict=True)]


def _bind(measures: Sequence[Any]) -> tuple[list[Any], Iterable[BoundName]]:
    """Bind the names of groups, targets, values and runs in measures to the objects.

    :returns: the bound measures, and the names that hold the objects
    """
    bound: dict[tuple[str, str], BoundName] = {}

    def bind(param: str, name: str) -> str:
        if (param, name) not in bound:  # a pipe can be read once
            bound[param, name] = BoundName(name, registry_of(param).get(name))
        return bound[param, name]

    check_names(measures)
    return [type(measure)(**measure.with_names(bind)) if isinstance(measure, FairnessMeasure)
            else measure for measure in measures], bound.values()
