"""Registry of the measures of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ir_measures import measures as irm

from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.declarations.docstrings import docstring_of

#: The measures of this package by name, in registration order, without aliases.
MEASURES: dict[str, FairnessMeasure] = {}
_listeners: list[Callable[[str, FairnessMeasure], None]] = []


def register(measure: FairnessMeasure, aliases: Iterable[str] = ()) -> FairnessMeasure:
    """Register a measure in ir_measures, hence in PyTerrier and on the command lines.

    :param aliases: further names of the measure
    :raises ValueError: one of the names is already registered in ir_measures
    """
    names = [measure.NAME, *aliases]
    for name in names:
        if name in irm.registry:
            raise ValueError(f"ir_measures already has a measure named {name!r}; give this one "
                             "another NAME")
    irm.register(measure, names[1:], name=measure.NAME)
    # help() shows the docstring of an object, if it is not that of its class.
    measure.__doc__ = docstring_of(measure)
    MEASURES[measure.NAME] = measure
    for name in names:
        for listener in _listeners:
            listener(name, measure)
    return measure


def names() -> dict[str, FairnessMeasure]:
    """Return the measures of this package by name, including aliases."""
    return {name: measure for name, measure in irm.registry.items()
            if isinstance(measure, FairnessMeasure)}


def listen(listener: Callable[[str, FairnessMeasure], None]) -> None:
    """Call ``listener(name, measure)`` for each name, now and on every later registration."""
    _listeners.append(listener)
    for name, measure in names().items():
        listener(name, measure)
