"""The measures of this package by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ir_measures import measures as irm

from pt_fairness.measures.base import FairnessMeasure

#: The measures of this package by name, in the order of their declaration, without aliases.
MEASURES: dict[str, FairnessMeasure] = {}
_listeners: list[Callable[[str, FairnessMeasure], None]] = []


def register(measure: FairnessMeasure, aliases: Iterable[str] = ()) -> FairnessMeasure:
    """Register a measure in ir_measures, hence in PyTerrier and on the command lines.

    :param aliases: more names of the same measure
    :raises ValueError: another measure has one of the names
    """
    names = [measure.NAME, *aliases]
    for name in names:
        if name in irm.registry:
            raise ValueError(f"ir_measures already has a measure named {name!r}; give this one "
                             "another NAME")
    irm.register(measure, names[1:], name=measure.NAME)
    MEASURES[measure.NAME] = measure
    for name in names:
        for listener in _listeners:
            listener(name, measure)
    return measure


def names() -> dict[str, FairnessMeasure]:
    """Return the measures of this package by each of their names."""
    return {name: measure for name, measure in irm.registry.items()
            if isinstance(measure, FairnessMeasure)}


def listen(listener: Callable[[str, FairnessMeasure], None]) -> None:
    """Call ``listener(name, measure)`` for every name of every measure, also of later ones."""
    _listeners.append(listener)
    for name, measure in names().items():
        listener(name, measure)
