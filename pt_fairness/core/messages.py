"""Labels and other values as text, checks of options, and warnings."""

from __future__ import annotations

import difflib
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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
#: The largest absolute relevance: trec_eval counts the documents of each level.
LARGEST_LABEL = 1_000_000
#: The tolerance for shares of a target to sum to 1: files hold six decimals.
SUM_TOLERANCE = 1e-5
#: The maximum number of names in a message.
MOST_NAMES = 10
#: The maximum number of decimals that a value is rounded to.
MOST_DECIMALS = 30
#: The maximum number of characters of a value in a message.
MOST_CHARACTERS = 100


def listed(names: Iterable[Any]) -> str:
    """Return the ``repr`` of up to ten names, separated by commas, and the number of others.

    Examples
    --------
    >>> listed(["PRO", "CON"])
    "'PRO', 'CON'"
    >>> listed(range(20_000))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 19990 more'
    """
    return first_names(list(map(shown, names)))


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, such as ``3 topics``."""
    ending = "" if count == 1 else "s"
    return f"{count} {noun}{ending}"


def enumerated(words: Iterable[str]) -> str:
    """Return words as a list in a sentence.

    Examples
    --------
    >>> enumerated(["rND@10", "rKL@10", "AWRF@10"])
    'rND@10, rKL@10 and AWRF@10'
    """
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def shown(value: Any) -> str:
    """Return the ``repr`` of a value for a message, cut after :data:`MOST_CHARACTERS`.

    Examples
    --------
    >>> shown("PRO"), len(shown({docno: "PRO" for docno in range(200_000)}))
    ("'PRO'", 101)
    """
    if isinstance(value, str):
        if len(value) <= MOST_CHARACTERS:
            return repr(value)
        return f"{value[:MOST_CHARACTERS]!r}…"
    text = repr(value)
    if len(text) > MOST_CHARACTERS:
        return f"{text[:MOST_CHARACTERS]}…"
    return text


def did_you_mean(name: object, names: Iterable[object]) -> str:
    """Return a question with the nearest of some names, or ``''`` if none is near.

    Examples
    --------
    >>> did_you_mean("bm25", ["BM25", "DPH"])
    " Did you mean 'BM25'?"
    """
    if len(str(name)) > MOST_CHARACTERS:  # the comparison would take long
        return ""
    folded = {str(value).casefold(): value for value in names}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    if near:
        return f" Did you mean {folded[near[0]]!r}?"
    return ""


def first_names(names: Sequence[str], separator: str = ", ") -> str:
    """Return the first names, separated, and the number of others.

    Examples
    --------
    >>> first_names([f"run{i}" for i in range(12)])
    'run0, run1, run2, run3, run4, run5, run6, run7, run8, run9 and 2 more'
    """
    text = separator.join(names[:MOST_NAMES])
    rest = len(names) - MOST_NAMES
    if rest > 0:
        return f"{text} and {rest} more"
    return text


def distinct_or(names: Sequence[str], long_names: Sequence[str]) -> list[str]:
    """Return each name, or its long name if several have the name.

    Examples
    --------
    >>> distinct_or(["rKL@5", "rKL@5", "AWRF@5"], ["rKL@5", "rKL(rel=2)@5", "AWRF(rel=2)@5"])
    ['rKL@5', 'rKL(rel=2)@5', 'AWRF@5']
    """
    count = Counter(names)
    return [name if count[name] == 1 else long_name
            for name, long_name in zip(names, long_names, strict=True)]


def one_of(option: str, value: Any, possible: Sequence[Any]) -> None:
    """Check that an option has one of its values.

    :raises ValueError: if it has another value
    """
    if not isinstance(value, Hashable) or value not in possible:
        *rest, choices = map(repr, possible)
        if rest:
            choices = f"{', '.join(rest)} or {choices}"
        question = did_you_mean(value, possible)
        raise ValueError(f"{option} must be {choices}, got {shown(value)}.{question}")


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number, of Python or numpy."""
    return hasattr(value, "__index__") and not isinstance(value, bool)


def at_least(least: int, option: str, value: Any, none: str | None = None,
             most: int | None = None) -> None:
    """Check that an option is a whole number of at least ``least``.

    :param none: what ``None`` means; by default ``None`` is refused
    :param most: the largest number that is possible; ``None`` for no limit
    :raises ValueError: if it is not
    """
    if value is None and none is not None:
        return
    if not is_whole(value) or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        alternative = f" or None for {none}" if none else ""
        raise ValueError(f"{option} must be a whole number {limits}{alternative}, got "
                         f"{shown(value)}")


def label_text(label: Any) -> str:
    """Return a label as text: ``1`` and ``1.0`` are ``'1'``."""
    if not isinstance(label, (str, bool)) and hasattr(label, "is_integer") and label.is_integer():
        return str(int(label))
    return str(label)


def label_texts(labels: Iterable[Any], what: str) -> list[str]:
    """Return labels as text.

    :param what: the name of the parameter in the error
    :raises ValueError: if ``labels`` is one text
    """
    if isinstance(labels, str):
        raise ValueError(f"{what} must be a list, got the text {shown(labels)}")
    return list(map(label_text, labels))


def distinct_labels(labels: Iterable[Any], what: str) -> list[str]:
    """Return labels as text, in the same order.

    :param what: the name of the parameter in the error
    :raises ValueError: if ``labels`` is one text, or has a label twice
    """
    texts = label_texts(labels, what)
    for text, count in Counter(texts).items():
        if count > 1:
            raise ValueError(f"{what} must be distinct, got {text!r} twice")
    return texts


def are_numbers(labels: Iterable[str]) -> bool:
    """Return whether all labels are numbers, such as the numbers of subtopics."""
    return all(re.fullmatch(r"[-.\d]+", label) for label in labels)


def group_labels(labels: Iterable[str]) -> list[str]:
    """Return the labels in the second column of qrels that are groups.

    ``0`` and ``Q0`` beside words are none.

    Examples
    --------
    >>> group_labels(["0", "PRO", "-"]), group_labels(["0", "0.5", "1"])
    (['PRO'], ['0', '0.5', '1'])
    """
    named = [label for label in labels if label not in UNANNOTATED]
    words = [label for label in named if label not in TREC_DEFAULTS]
    return named if words and are_numbers(words) else words


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


#: The start of the cause of two warnings: that a group source knows no document, and that no
#: document has a label. They are errors if they apply to every run of a call.
UNKNOWN = "unknown "
#: The start of the cause of a warning that a process issues once.
ONCE = "once "
#: The start of the cause of the warning of undefined topics.
UNDEFINED = "undefined "
#: A function that issues a warning; takes the message and the cause, as :func:`warn` does.
Warn = Callable[[str, str], None]
#: The packages whose stack frames a warning skips to point to the user's code.
_SKIPPED = ("pt_fairness", "ir_measures", "pyterrier")
#: The causes that are not warned of again: at the lines of a file, or with :data:`ONCE` anywhere.
_warned: set[tuple[str, tuple[str, int] | None]] = set()


def warn(message: str, cause: str | None = None) -> None:
    """Issue a :class:`FairnessWarning` at the innermost line of the user's code.

    :param cause: the text by which warnings of different runs are the same; by default the message.
        ``pt.Experiment`` makes an evaluator for each system, so its line warns of a cause once.
    """
    collected = _collected.get()
    cause = cause or message
    if collected is not None:
        collected.append((cause, message))
        return
    level = 2
    frame = sys._getframe(1)
    experiment = False
    while frame.f_back is not None and \
            frame.f_globals.get("__name__", "").partition(".")[0] in _SKIPPED:
        experiment |= frame.f_code.co_name == "Experiment"
        level += 1
        frame = frame.f_back
    # The filter of Python would forget: it starts anew whenever any library changes the filters.
    place = None if cause.startswith(ONCE) else (frame.f_code.co_filename, frame.f_lineno)
    if (cause, place) in _warned:
        return
    if place is None or experiment:
        _warned.add((cause, place))
    warnings.warn(message, FairnessWarning, stacklevel=level)


def once() -> Warn:
    """Return a function that warns once for each cause."""
    causes = set()

    def warn_once(message: str, cause: str) -> None:
        if cause not in causes:
            causes.add(cause)
            warn(message, cause)

    return warn_once
