"""Typed parameters of measures: validation, defaults and canonical values."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ir_measures import measures as irm

from pt_fairness.core.arrays import SMALLEST_TARGET
from pt_fairness.core.messages import (
    BACKGROUND_WORDS,
    SUM_TOLERANCE,
    TARGET_WORDS,
    label_text,
)
from pt_fairness.core.registry import NamedObject, name_of

#: The largest cutoff.
DEEPEST = 1_000_000
#: Keywords that ``protected`` accepts besides labels.
PROTECTED_WORDS = ("minority", "majority", "all")
#: The parameters other than ``protected`` that name one group.
LABEL_PARAMS = ("group", "pro", "con")


#: Takes the name of a parameter (``groups``, ``values``, ``target`` or ``background``) and the
#: source in it, an object or its name; returns the source that replaces it.
Find = Callable[[str, Any], Any]


def literal(value: Any, names: Callable[[Any], Any] = name_of) -> str:
    """Return ``value`` as a Python literal that :func:`ir_measures.parse_measure` parses.

    It is free of white space, because ir_measures' command line splits its arguments there.
    Negative numbers become strings, which numeric parameters accept, because the parser rejects
    them.

    :param names: returns the name of a source
    """
    if isinstance(value, dict):
        items = []
        for key, item in value.items():
            items.append(f"{literal(key, names)}:{literal(item, names)}")
        text = ",".join(items)
        return f"{{{text}}}"
    text = repr(names(value))
    if isinstance(value, (int, float)) and value < 0:
        return repr(text)
    return text.replace(" ", "\\x20")


class Param(irm.ParamInfo):  # type: ignore[misc]
    """A parameter of a measure.

    :param desc: the description
    :param allowed: the allowed values in words, for the error "… must be <allowed>"
    :param accepts: predicate that tells whether a canonical value is allowed
    :param default: the default, ``None`` without one
    :param canonical: function that returns the canonical form of a value, or an invalid value
        unchanged
    :param required: whether the parameter must be given
    """

    def __init__(self, dtype: Any, desc: str, allowed: str, *, default: Any = None,
                 accepts: Callable[[Any], bool] = lambda value: True,
                 canonical: Callable[[Any], Any] = lambda value: value,
                 required: bool = False) -> None:
        super().__init__(dtype=dtype, default=default, desc=desc, required=required)
        self.types: tuple[type, ...] = dtype if isinstance(dtype, tuple) else (dtype,)
        self.allowed = allowed
        self.accepts = accepts
        self.canonical = canonical

    def validate(self, value: Any) -> bool:
        """Return whether ``value`` is allowed; booleans are not accepted as numbers."""
        if isinstance(value, bool) and bool not in self.types:
            return False
        return isinstance(value, self.types) and self.accepts(value)


class SourceParam(Param):
    """A parameter of groups, values, targets or runs: objects, or their names or paths.

    :param of: the kind of source that a value, or each value of a dictionary, is: a parameter of
        :data:`Find`; ``''`` for none
    :param by: the kind of source that each key of a dictionary is; ``''`` for none
    :param words: the keywords that are not names
    """

    def __init__(self, *args: Any, of: str = "", by: str = "",
                 words: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.of = of
        self.by = by
        self.words = words

    def validate(self, value: Any) -> bool:
        if isinstance(value, NamedObject):
            return WHAT.get(self.of, self.of) == value.WHAT
        return super().validate(value)

    def replace_sources(self, value: Any, find: Find) -> Any:
        """Return a value with what ``find`` returns for each source in it."""
        if isinstance(value, dict) and self.by:
            items = {}
            for source, item in value.items():
                key = find(self.by, source)
                items[key] = self._replaced(item, find)
            return items
        return self._replaced(value, find)

    def _replaced(self, value: Any, find: Find) -> Any:
        if not self.of or not isinstance(value, (str, NamedObject)) or value in self.words:
            return value
        return find(self.of, value)


#: The ``NamedObject.WHAT`` of the objects of a parameter, if it is not the parameter's name.
WHAT: dict[str, str] = {"target": "targets", "background": "runs"}


def plain(value: Any) -> Any:
    """Convert a numpy scalar to a Python scalar; return other values unchanged."""
    scalar = hasattr(value, "item") and getattr(value, "ndim", None) == 0
    return value.item() if scalar else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(kind: type) -> Callable[[Any], Any]:
    def canonical(value: Any) -> Any:
        if isinstance(value, str):
            with suppress(ValueError):
                value = kind(value)
        if kind is float and _is_number(value):
            return float(value) + 0.0  # −0 is 0
        return value
    return canonical


def whole(desc: str, *, default: Any = None, smallest: float = -math.inf,
          largest: float = math.inf) -> Param:
    """Declare an integer from ``smallest`` to ``largest``, both inclusive."""
    allowed = "a whole number"
    if largest != math.inf:
        allowed += f" from {smallest} to {largest}"
    elif smallest != -math.inf:
        allowed += f" of at least {smallest}"
    return Param(int, desc, allowed, default=default, canonical=_number(int),
                 accepts=lambda v: smallest <= v <= largest)


def real(desc: str, allowed: str, accepts: Callable[[float], bool], *,
         default: Any = None) -> Param:
    """Declare a finite float for which ``accepts`` returns true."""
    return Param(float, desc, allowed, default=default, canonical=_number(float),
                 accepts=lambda v: math.isfinite(v) and accepts(v))


def fraction(desc: str, default: float | None = None) -> Param:
    """Declare a number from 0 to 1, both inclusive."""
    return real(desc, "a number from 0 to 1", lambda v: 0 <= v <= 1, default=default)


def persistence(default: float, desc: str = "persistence") -> Param:
    """Declare a persistence: a number above 0 and below 1."""
    return real(desc, "a number above 0 and below 1", lambda v: 0 < v < 1, default=default)


def one_of(desc: str, *choices: str, default: str | None = None) -> Param:
    """Declare one of several keywords; by default the default is the first."""
    allowed = " or ".join(map(repr, choices))
    return Param(str, desc, allowed, default=default or choices[0], accepts=choices.__contains__)


def flag(desc: str, default: bool = False) -> Param:
    """Declare a boolean."""
    return Param(bool, desc, "True or False", default=default)


def label(desc: str, *, default: Any = None, optional: bool = False) -> Param:
    """Declare the label of one group; the parameter is required without a default.

    :param optional: whether it can be ``None``, for no group
    """
    types = (str, type(None)) if optional else str
    allowed = "the label of a group" + " or None" * optional
    return Param(types, desc, allowed, default=default, canonical=_label, accepts=_not_blank,
                 required=default is None)


def _not_blank(value: str | None) -> bool:
    return value is None or value.strip() != ""


def _label(value: Any) -> Any:
    return label_text(value) if _is_number(value) else value


def cutoff() -> Param:
    """Declare the ranking cutoff."""
    return whole("ranking cutoff threshold", smallest=1, largest=DEEPEST)


def rel() -> Param:
    """Declare the minimum relevance of a relevant document."""
    return whole("minimum relevance score to be considered relevant (inclusive)", default=1)


#: The cutoff and the minimum relevance, which most measures have.
CUTOFF_AND_REL = {"cutoff": cutoff(), "rel": rel()}


def protected(*more: str, default: str = "minority") -> Param:
    """Declare the protected group of a two-group measure.

    :param more: ``'all'``, if all groups can be compared at once
    """
    desc = ("protected group: minority or majority (of equal groups the first in the order of "
            "their labels), a label, or labels joined by commas")
    if more:
        desc += ", or all for the divergence over all groups at once"
    words = ", ".join(map(repr, ["minority", "majority", *more]))
    allowed = f"{words}, a label, or labels without commas in them, joined by commas"
    refused = {"all"}.difference(more)
    return Param(str, desc, allowed, default=default, canonical=_label,
                 accepts=lambda v: _not_blank(v) and v not in refused)


#: These, and the protected group.
TWO_SIDES = {**CUTOFF_AND_REL, "protected": protected()}
#: The formula of each discount for rank i.
_DISCOUNTS = {"log2": "1/log2(i+1)", "trec": "1/log2(max(i,2))", "geometric": "p^(i-1)",
              "mmr": "1/i", "none": "1"}


def discount(*choices: str) -> Param:
    """Declare the discount of a rank, by its name in ``arrays.discount``.

    The default is the first of the ``choices``.
    """
    return one_of(f"discount of rank i: {_explained(choices, _DISCOUNTS)}", *choices)


def _explained(words: Sequence[str], meanings: Mapping[str, str]) -> str:
    return ", ".join(f"{meanings[word]} ({word})" for word in words)


def gains(default: str) -> Param:
    """Declare the gain of a relevant document, by its name in ``arrays.gain``."""
    return one_of("gain of a relevant document of relevance r: 1 (binary), r (linear), "
                  "2^r-1 (exp)", "binary", "linear", "exp", default=default)


def unannotated() -> Param:
    """Declare whether unannotated documents keep their ranks."""
    return one_of("unannotated documents: they are dropped before the list is cut (drop), or they "
                  "keep their ranks and weigh nothing (keep)", "drop", "keep")


def absolute() -> Param:
    """Declare whether a measure returns the absolute value of a bias."""
    return flag("the size of the bias without its direction, whose mean over topics is the mean "
                "absolute bias (MAB)")


#: The meaning of each target keyword.
_TARGETS = {"qrels": "shares in the topic's relevant documents",
            "collection": "shares in all relevant documents", "uniform": "the same for every group",
            "run": "shares in the whole ranking", "score": "shares of the normalised scores"}


def target(default: str = "qrels", words: Sequence[str] = TARGET_WORDS) -> Param:
    """Declare the target distribution that the ranking is compared with.

    :param words: the keywords that are allowed besides registered and explicit targets
    """
    desc = (f"distribution over the groups that is fair: {_explained(words, _TARGETS)}, a "
            "registered one that may differ from topic to topic (by its name), or an explicit one")
    keywords = ", ".join(map(repr, words))
    allowed = (f"{keywords}, a registered name, or a distribution such as "
               "{'PRO':0.5,'CON':0.5} (shares not negative and summing to 1)")
    return SourceParam((str, dict), desc, allowed, default=default, canonical=_distribution,
                       accepts=partial(_is_target, words=words), of="target", words=TARGET_WORDS)


def _distribution(value: Any) -> Any:
    shares = _label_numbers(value)
    if not _are_numbers(shares):
        return value
    small = {label: 0.0 for label, share in shares.items() if 0 <= share < SMALLEST_TARGET}
    return {**shares, **small}


def _is_target(value: Any, words: Sequence[str]) -> bool:
    if isinstance(value, dict):
        return _are_shares(value)
    if value in words or value in TARGET_WORDS:
        return value in words
    from pt_fairness import targets
    return value in targets.names()


def _label_numbers(value: Any, key: Callable[[Any], Any] = label_text) -> Any:
    """Return a dictionary with ``key`` of its keys, by default text, sorted, and floats as values.

    Other values, and dictionaries that name a label twice, are returned unchanged.
    """
    if not isinstance(value, dict):
        return value
    try:
        numbers = {key(label): float(number) + 0.0 for label, number in value.items()}
    except (TypeError, ValueError):
        return value
    if len(numbers) == len(value):
        return dict(sorted(numbers.items()))
    return value


def _are_numbers(value: Any, kind: type = str) -> bool:
    """Return whether a value is a dictionary from keys of one type to finite floats."""
    if not isinstance(value, dict) or not value:
        return False
    finite = [isinstance(number, float) and math.isfinite(number) for number in value.values()]
    return all(finite) and all(isinstance(key, kind) for key in value)


def _are_shares(value: Any, kind: type = str) -> bool:
    """Return whether a value is a dictionary from keys of one type to shares that sum to 1."""
    if not _are_numbers(value, kind):
        return False
    shares = value.values()
    excess = math.fsum(shares) - 1
    return min(shares) >= 0 and abs(excess) <= SUM_TOLERANCE


def groups() -> Param:
    """Declare the group source."""
    return SourceParam(
        str, "where the groups come from: a registered name, a path, a Groups "
        "object, a dictionary or a DataFrame; by default the iteration field of the "
        "qrels",
        "the name of registered groups, the path of a group file, a Groups object, "
        "a dictionary from documents to groups, or a DataFrame with docno and group",
        canonical=_group_source, accepts=bool, of="groups")


def _group_source(value: Any) -> Any:
    from pt_fairness.core.identifiers import pandas_frame  # imports pandas
    value = pandas_frame(value)
    if isinstance(value, Mapping) or hasattr(value, "__array__"):
        from pt_fairness.groups import get
        return get(value)
    return _path_text(value)


def _path_text(value: Any) -> Any:
    if hasattr(value, "__fspath__"):
        return str(value)
    return value


def values() -> Param:
    """Declare the source of document values, a required parameter."""
    return SourceParam(
        (str, dict),
        "the numbers of documents: registered values (by their name), a path, a Values "
        "object, or a number for each label of groups, of which a document has the mean",
        "the name of registered values, the path of a file, a Values object, or a finite "
        "number for each label such as {'PRO':1,'CON':-1}",
        canonical=_value_source, required=True, accepts=_is_value_source, of="values")


def _is_value_source(value: Any) -> bool:
    return _are_numbers(value) if isinstance(value, dict) else value != ""


def _value_source(value: Any) -> Any:
    if hasattr(value, "__array__"):  # arrays compare elementwise
        raise ValueError("values must be a Values object, such as pt_fairness.values.from_frame "
                         f"returns, got a {type(value).__name__}")
    return _path_text(_label_numbers(value))


def background() -> Param:
    """Declare the background documents that a ranking is compared with."""
    return SourceParam(
        str, "documents that the ranking is compared with: the whole ranking (run), the topic's "
        "relevant ones (qrels), or the documents of a registered run (by its name), of the file of "
        "a run, or of all runs of a folder",
        "'run', 'qrels', a registered name, or the path of a run or of a folder of runs",
        default=BACKGROUND_WORDS[0], canonical=_path_text, accepts=_is_background,
        of="background", words=BACKGROUND_WORDS)


def _is_background(value: str) -> bool:
    from pt_fairness.io import runs
    return value in BACKGROUND_WORDS or os.path.exists(value) or value in runs.names()


#: The divergences of an attribute.
DIVERGENCES = ("jsd", "nmd", "rnod")
_GROUPS = groups()
_TARGET = target()


def _are_different(value: str) -> bool:
    labels = value.split(",")
    return all(labels) and len({*labels}) == len(labels)


#: The order of the labels.
ORDER = Param(str, "the labels from the lowest to the highest, joined by commas; by default the "
              "order that the Groups object declares, else numeric order",
              "different labels without commas in them, joined by commas, the lowest first",
              accepts=_are_different)


def _grade(value: Any) -> int:
    """Return a relevance grade as an integer.

    :raises ValueError: if it is not a whole number
    """
    if int(value) != float(value):
        raise ValueError
    return int(value)


#: The weights of relevance grades.
WEIGHTS = Param(dict, "weight of each relevance grade; by default all documents of at least rel "
                "are one grade of weight 1",
                "a dictionary from whole numbers of at least 0 to weights that are not negative "
                "and sum to 1, such as {0:0.5,1:0.5}",
                canonical=partial(_label_numbers, key=_grade),
                accepts=lambda v: _are_shares(v, int) and min(v) >= 0)


def _source_items(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    items = {_group_source(source): _distribution(item) for source, item in value.items()}
    return dict(sorted(items.items(), key=lambda item: str(name_of(item[0]))))


def _by_source(desc: str, allowed: str, accepts: Callable[[Any], bool], *, fewest: int = 0,
               **options: Any) -> SourceParam:
    """Declare a dictionary from at least ``fewest`` group sources to values that are accepted."""
    def accept(value: dict[Any, Any]) -> bool:
        valid = [*map(_GROUPS.validate, value), *map(accepts, value.values())]
        return all(valid) and len(value) >= fewest

    return SourceParam(dict, desc, allowed, default={}, canonical=_source_items, accepts=accept,
                       by="groups", **options)


#: The group sources of the attributes, each with its divergence.
ATTRIBUTES = _by_source(
    "group sources, each with its divergence",
    "a dictionary from names of registered groups to 'jsd' or 'nmd' or 'rnod', such as "
    "{'gender':'jsd'}", DIVERGENCES.__contains__, required=True)

#: The targets of group sources.
TARGETS = _by_source(
    "target of each group source; uniform where none is given",
    "a dictionary from names of registered groups to targets, such as {'gender':'qrels'}",
    _TARGET.validate, of="target", words=TARGET_WORDS)


def _is_fixed_target(value: Any) -> bool:
    words = isinstance(value, dict) or value in TARGET_WORDS
    return not words and _TARGET.validate(value)


#: The group sources of the attributes, each with its registered target.
FIXED_TARGETS = _by_source(
    "group sources, each with a registered target that is the same for all topics",
    "a dictionary from names of registered groups to names of registered targets, such as "
    "{'gender':'census'}", _is_fixed_target, fewest=1, required=True, of="target")


def _names(value: Any) -> Any:
    """Return names as a text in which commas join them, sorted."""
    if not isinstance(value, str):
        return value
    parts = filter(None, value.split(","))
    return ",".join(sorted(parts))


#: The names of the group sources for which a document counts 1 in each of its labels.
WHOLE = Param(
    str, "the attributes, joined by commas, in which a document of m labels counts 1 for "
    "each of them instead of 1/m", "names of attributes, joined by commas", default="",
    canonical=_names)
