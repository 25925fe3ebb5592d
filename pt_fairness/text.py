"""Names, labels and messages as text: words with a meaning, how labels compare, and warnings.

Imports neither numpy nor pandas, so that declaring the measures stays cheap.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: How the TREC formats write "no group"; a missing value means the same.
UNANNOTATED = ("", "-")
#: The second column of qrels that have no groups.
TREC_DEFAULTS = {"0", "Q0"}
#: The targets that every measure knows.
TARGET_WORDS = ("qrels", "collection", "uniform", "run")
#: The documents that every measure with a ``background`` can compare with.
BACKGROUND_WORDS = ("run", "qrels")
#: How far the shares of a target may be from a sum of 1: files print six decimals.
SUM_TOLERANCE = 1e-5
#: How many names a message lists.
MOST_NAMES = 10


class BoundName(str):
    """The name of a group source or target that stands for ``value``, whatever is registered."""

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
    """Return names as literals, separated by commas; of more than ``most``, the first and a count.

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
    """A result that is right, but may not mean what it seems to."""


_collected: ContextVar[list[str] | None] = ContextVar("pt_fairness_warnings", default=None)


@contextmanager
def collecting_warnings() -> Iterator[list[str]]:
    """Collect the messages of :func:`warn` in this context instead of warning."""
    messages: list[str] = []
    token = _collected.set(messages)
    try:
        yield messages
    finally:
        _collected.reset(token)


#: The packages whose frames a warning skips to name the user's line.
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
