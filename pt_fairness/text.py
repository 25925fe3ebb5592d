"""Reserved words, labels as text, and warnings.

Imports neither numpy nor pandas, so that declaring the measures stays cheap.
"""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

#: The label of TREC Fair for the share of a document whose group is unknown.
UNKNOWN_GROUP = "@UNKNOWN"
#: The texts for "no group" in TREC formats; a missing value means the same.
UNANNOTATED = ("", "-", UNKNOWN_GROUP)
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


def label_texts(labels: Iterable[Any], what: str) -> list[str]:
    """Return labels as text.

    :param what: the name of the parameter in the error
    :raises ValueError: ``labels`` is one text
    """
    if isinstance(labels, str):
        raise ValueError(f"{what}={labels!r} is one text; it has to be a list of labels, such as "
                         f"[{labels!r}]")
    return [label_text(one) for one in labels]


def distinct_labels(labels: Iterable[Any], what: str) -> list[str]:
    """Return labels as text, in the same order.

    :param what: the name of the parameter in the error
    :raises ValueError: ``labels`` is one text, or has a label twice
    """
    texts = label_texts(labels, what)
    again = next((text for text in texts if texts.count(text) > 1), None)
    if again is not None:
        raise ValueError(f"{what}={texts} has the label {again!r} twice; it has to hold each "
                         "label once")
    return texts


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


def first_names(names: Sequence[str]) -> str:
    """Return the first names, separated by commas, and the number of others.

    Examples
    --------
    >>> first_names([f"run{i}" for i in range(12)])
    'run0, run1, run2, run3, run4, run5, run6, run7, run8, run9 and 2 more'
    """
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


class FairnessWarning(UserWarning):
    """A warning that a correct result may be misleading."""


_collected: ContextVar[list[tuple[str, str]] | None] = ContextVar("pt_fairness_warnings",
                                                                default=None)


@contextmanager
def collecting_warnings() -> Iterator[list[tuple[str, str]]]:
    """Collect the causes and messages of :func:`warn` in a list instead of issuing warnings."""
    messages: list[tuple[str, str]] = []
    token = _collected.set(messages)
    try:
        yield messages
    finally:
        _collected.reset(token)


#: The start of the cause of a warning that is an error if it applies to every run of a call: of a
#: group source that knows no document, and of a label that no document has.
UNKNOWN = "unknown "
#: A function that issues a warning; takes the message and the cause, as :func:`warn` does.
Warn = Callable[[str, str], None]
#: The packages whose stack frames a warning skips to point to the user's code.
_SKIPPED = ("pt_fairness", "ir_measures", "pyterrier")
#: A weak reference to the last call of ``pt.Experiment``, and the causes it has warned of.
_experiment: tuple[Any, set[str]] = (lambda: None, set())


def warn(message: str, cause: str | None = None) -> None:
    """Issue a :class:`FairnessWarning` at the innermost line of the user's code.

    :param cause: what warnings of different runs have in common; by default the message. Within a
        call of ``pt.Experiment``, the first warning of a cause is issued.
    """
    collected = _collected.get()
    if collected is not None:
        collected.append((cause or message, message))
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and \
            frame.f_globals.get("__name__", "").partition(".")[0] in _SKIPPED:
        if frame.f_code.co_name == "Experiment" and _warned_before(frame, cause or message):
            return
        level, frame = level + 1, frame.f_back
    warnings.warn(message, FairnessWarning, stacklevel=level)


def _warned_before(experiment: FrameType, cause: str) -> bool:
    """Return whether a call of ``pt.Experiment`` has warned of a cause, and remember it.

    pt.Experiment makes an evaluator for each system. What the evaluators of a call have in common
    is in its local variables only.
    """
    global _experiment
    found = experiment.f_locals
    call = found.get("renderer", found.get("qrels"))
    if call is None:
        return False
    if _experiment[0]() is not call:
        _experiment = weakref.ref(call), set()
    causes = _experiment[1]
    before = cause in causes
    causes.add(cause)
    return before
