"""Checks of group sources and values that need no qrels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pt_fairness import groups, values
from pt_fairness.io.files import is_pipe
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.text import BoundName, listed


def check_sources(measures: Iterable[FairnessMeasure]) -> None:
    """Check that group sources and values exist, and that groups have the labels of parameters.

    Pipes are not read. Labels are checked where the group source declares all of its labels.

    :raises ValueError: a source does not exist or cannot be read, or lacks a label
    """
    for measure in (part for whole in measures for part in whole.parts):
        for name in measure.names().get("values", ()):
            if not _is_pipe(name):
                values.get(name)
        name = measure.param("groups")
        if name is None or not measure.needs_groups or _is_pipe(name):
            continue
        source = groups.get(name)
        if source.complete and source.labels is not None:
            check_declared(measure, source, source.labels)


def _is_pipe(name: str) -> bool:
    return not isinstance(name, BoundName) and is_pipe(name)


def check_declared(measure: FairnessMeasure, source: groups.Groups, labels: Sequence[str]) -> None:
    """Check that a group source has the labels that the parameters of a measure name.

    :param labels: the labels of the source
    :raises ValueError: the source lacks a label
    """
    known = [*labels, *measure.added_labels]
    for parameter, label in measure.named_labels(known):
        if label not in known:
            raise ValueError(f"{parameter}={label!r} names no group of {source!r}; its groups are "
                             f"{listed(labels) or 'no groups'}")
