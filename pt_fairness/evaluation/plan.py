"""The plan of an evaluation: qrels, measures and settings that all workers share."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures
import pandas as pd

from pt_fairness._version import __version__
from pt_fairness.analysis.inputs import renamed_qrels
from pt_fairness.core import fingerprint
from pt_fairness.core.bound_names import BoundName
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.messages import warn
from pt_fairness.core.registry import shown_names
from pt_fairness.io.files import Path
from pt_fairness.io.qrels import load_qrels
from pt_fairness.measures.base import FairnessMeasure, registry_of
from pt_fairness.provider import ALPHA_VARIABLE
from pt_fairness.provider.checks import check_names
from pt_fairness.provider.parsing import parsed, take_groups

#: The packages whose measures are identified by name, parameters and version.
_VERSIONED = ("ir_measures", "pt_fairness")
#: The columns that a measure of ``ir_measures.define`` reads.
_INPUTS = ("RUN_INPUTS", "QREL_INPUTS")


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
    #: The folder of finished runs, ``None`` for none.
    checkpoint: str | None
    #: A hash of everything that affects the results; ``''`` if it is not needed.
    digest: str
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


def make_plan(qrels: Any, measures: Any, checkpoint: Path | None, workers: int,
              source: Any = None) -> Plan:
    """Make a plan, and create the folder of the checkpoint if it is missing.

    :param qrels: a frame, or what :func:`pt_fairness.io.load_qrels` takes
    :param measures: measures or their names
    :param workers: the number of processes; 1 for this process only, −1 for one per processor
    :param source: the group source of the measures whose parameter ``groups`` is not set, or
        ``None``
    :raises ValueError: a measure or the qrels are wrong
    :raises OSError: the folder cannot be created
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
    folder = None
    if checkpoint is not None:
        folder = os.path.abspath(os.path.expanduser(checkpoint))
        os.makedirs(folder, exist_ok=True)
    digest = ""
    if workers != 1 or folder is not None:
        try:
            digests = [(str(name), name.value.digest(), getattr(name.value, "state", str)())
                       for name in held]
            settings = [__version__, ir_measures.__version__, alpha, digests]
            digest = fingerprint.of_value([settings, [*map(_cache_key, every)],
                                           fingerprint.of_frame(frame)])
        except fingerprint.UnknownContentError as error:
            digest = uuid.uuid4().hex
            if folder is not None:
                folder = None
                warn(f"the checkpoint {checkpoint} is not used, because a change to what the "
                     f"results depend on would not be noticed: {error}. Write code in a module "
                     "that can be imported, or give the object or the function a method digest() "
                     "that returns a text")
    threads = None if workers == 1 else max(1, (os.cpu_count() or 1) // workers)
    return Plan(frame, every, _columns(every, columns.values(), shown),
                None if name is None else shown.get(name, str(name)),
                None if name is None else name.value.labels, alpha, folder, digest, threads, shown)


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


def _cache_key(measure: Any) -> str:
    """Return the cache key of a measure: its name and parameters.

    The key of a measure of another package includes a hash of its code, or its digest.

    :raises UnknownContentError: the code has no hash
    """
    defined = getattr(type(measure), "runtime_impl", None)
    if defined is None and type(measure).__module__.partition(".")[0] in _VERSIONED:
        return str(measure)
    code = measure if hasattr(measure, "digest") else \
        [defined or type(measure), *(getattr(measure, name, None) for name in _INPUTS)]
    return f"{measure} {fingerprint.of_value(code)}"
