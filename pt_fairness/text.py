"""Reserved words, labels as text, and warnings.

Imports neither numpy nor pandas, so that declaring the measures stays cheap.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: The texts for "no group" in TREC formats; a missing value means the same.
UNANNOTATED = ("", "-")
#: The values of the second column in qrels without groups.
TREC_DEFAULTS = {"0", "Q0"}
#: The built-in targets.
TARGET_WORDS = ("qrels", "collection", "uniform", "run")
#: The built-in values of the parameter ``background``.
BACKGROUND_WORDS = ("run", "qrels")
#: The tolerance for shares of a target to sum to 1: files hold six decimals.
SUM_TOLERANCE = 1e-5
#: The maximum number of names in a message.
MOST_NAMES = 10


class BoundName(str):
    """A name bound to the object ``value``, independently of what is registered."""

    value: Any

    def __new__(cls, name: str, value: Any) -> BoundName:
        bound = super().__new__(cls, name)
        bound.value = value
        return bound

    def __reduce__(self) -> Any:
        return BoundName, (str(self), self.value)


def label_text(label: Any) -> str:
    """Return a label as text: ``1`` and ``1.0`` are ``'1'``."""
    if not isinstance(label, (str, bool)) and hasattr(label, "is_integer") and label.is_integer():
        return str(int(label))
    return str(label)


def listed(names: Iterable[Any], most: int = MOST_NAMES) -> str:
    """Return the ``repr`` of up to ``most`` names, separated by commas, and the number of others.

    Examples
    --------
    >>> listed(["PRO", "CON"])
    "'PRO', 'CON'"
    >>> listed(range(20_000), most=3)
    '0, 1, 2 and 19997 more'
    """
    names = list(names)
    shown = ", ".join(map(repr, names[:most]))
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


class FairnessWarning(UserWarning):
    """A warning that a correct result may be misleading."""


_collected: ContextVar[list[str] | None] = ContextVar("pt_fairness_warnings", default=None)


@contextmanager
def collecting_warnings() -> Iterator[list[str]]:
    """Collect the messages of :func:`warn` in a list instead of issuing warnings."""
    messages: list[str] = []
    token = _collected.set(messages)
    try:
        yield messages
    finally:
        _collected.reset(token)


#: The packages whose stack frames a warning skips to point to the user's code.
_SKIPPED = ("pt_fairness", "ir_measures", "pyterrier")


def warn(message: str) -> None:
    """Issue a :class:`FairnessWarning` at the innermost line of the user's code."""
    collected = _collected.get()
    if collected is not None:
        collected.append(message)
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and \
            frame.f_globals.get("__name__", "").partition(".")[0] in _SKIPPED:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, FairnessWarning, stacklevel=level)
