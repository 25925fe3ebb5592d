"""Typed parameters of measures: what each takes, its default, and one spelling of each value."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from ir_measures import measures as irm

from pt_fairness.measures.late import numerics
from pt_fairness.text import SUM_TOLERANCE, TARGET_WORDS, BoundName, label_text

#: The value of a parameter that was not given and has no default.
NOT_PROVIDED: Any = irm.base._NOT_PROVIDED
#: The largest cutoff, which is far beyond any run and still fits arrays.
DEEPEST = 2**31 - 1
#: Words that ``protected`` takes beside labels.
PROTECTED_WORDS = ("minority", "majority", "all")
#: The parameters beside ``protected`` that name one group.
LABEL_PARAMS = ("group", "pro", "con")


def literal(value: Any) -> str:
    """Return ``value`` as a Python literal that :func:`ir_measures.parse_measure` parses.

    It has no white space, at which ir_measures' command line splits its arguments. Negative
    numbers, which its parser does not know, are strings; numeric parameters take those too.
    """
    if isinstance(value, dict):
        return "{" + ",".join(f"{literal(k)}:{literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return repr(repr(value))
    return repr(value).replace(" ", "\\x20")


class Param(irm.ParamInfo):  # type: ignore[misc]
    """A parameter of a measure.

    :param desc: what it means
    :param allowed: the end of the error "… takes <allowed>"
    :param accepts: returns whether a canonical value is allowed
    :param canonical: returns the one spelling of a value, or the value as it is
    :param required: whether it has to be given
    """

    def __init__(self, dtype: Any, desc: str, allowed: str, *, default: Any = NOT_PROVIDED,
                 accepts: Callable[[Any], bool] = lambda value: True,
                 canonical: Callable[[Any], Any] = lambda value: value,
                 required: bool = False) -> None:
        super().__init__(dtype=dtype, default=default, desc=desc, required=required)
        self.allowed = allowed
        self.accepts = accepts
        self.canonical = canonical

    # NOT_PROVIDED is compared by identity, so every process uses its own.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not NOT_PROVIDED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"default": NOT_PROVIDED, **state})

    def validate(self, value: Any) -> bool:
        """Return whether ``value`` is allowed; ``True`` and ``False`` are not numbers."""
        if value is NOT_PROVIDED:
            return True
        types = self.dtype if isinstance(self.dtype, tuple) else (self.dtype,)
        if isinstance(value, bool) and bool not in types:
            return False
        return isinstance(value, types) and self.accepts(value)


def plain(value: Any) -> Any:
    """Return a numpy scalar as the Python value that parses back."""
    scalar = hasattr(value, "item") and getattr(value, "ndim", None) == 0
    return value.item() if scalar else value


def _number(kind: type) -> Callable[[Any], Any]:
    def canonical(value: Any) -> Any:
        if isinstance(value, str):
            try:
                value = kind(value)
            except ValueError:
                return value
        if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value) + 0.0  # −0 is 0
        return value
    return canonical


def whole(desc: str, *, default: Any = NOT_PROVIDED, smallest: int | None = None,
          largest: int | None = None) -> Param:
    """Declare a whole number, from ``smallest`` to ``largest``."""
    bounds = {(True, True): "", (False, True): f" of at least {smallest}",
              (False, False): f" from {smallest} to {largest}"}
    return Param(int, desc, f"a whole number{bounds[smallest is None, largest is None]}",
                 default=default, canonical=_number(int),
                 accepts=lambda v: (smallest is None or v >= smallest)
                 and (largest is None or v <= largest))


def real(desc: str, allowed: str, accepts: Callable[[float], bool], *,
         default: Any = NOT_PROVIDED) -> Param:
    """Declare a finite number for which ``accepts`` holds."""
    return Param(float, desc, allowed, default=default, canonical=_number(float),
                 accepts=lambda v: math.isfinite(v) and accepts(v))


def persistence(default: float, desc: str = "persistence") -> Param:
    """Declare a persistence: a number above 0 and below 1."""
    return real(desc, "a number above 0 and below 1", lambda v: 0 < v < 1, default=default)


def one_of(desc: str, *choices: str) -> Param:
    """Declare one of some words, the first by default."""
    return Param(str, desc, " or ".join(map(repr, choices)), default=choices[0],
                 accepts=lambda v: v in choices)


def flag(desc: str) -> Param:
    """Declare ``True`` or ``False`` (the default)."""
    return Param(bool, desc, "True or False", default=False)


def label(desc: str, *, default: Any = NOT_PROVIDED) -> Param:
    """Declare the label of one group, which is required if there is no default."""
    return Param(str, desc, "the label of a group", default=default, canonical=_label,
                 accepts=_not_blank, required=default is NOT_PROVIDED)


def _not_blank(value: str) -> bool:
    return value.strip() != ""


def _label(value: Any) -> Any:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return label_text(value) if number else value


def _labels(value: Any) -> Any:
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = [label_text(part) for part in value]
        if len(parts) > 1 and any("," in part for part in parts):
            return value  # joined, these would be other labels
        return ",".join(sorted(parts) if isinstance(value, (set, frozenset)) else parts)
    return _label(value)


def cutoff() -> Param:
    """Declare the ranking cutoff."""
    return whole("ranking cutoff threshold", smallest=1, largest=DEEPEST)


def rel() -> Param:
    """Declare the smallest relevance that counts."""
    return whole("minimum relevance score to be considered relevant (inclusive)", default=1)


def protected(*also: str) -> Param:
    """Declare the protected group of a two-group measure; ``also`` allows the word ``all``."""
    return Param(str, "protected group: minority, majority, a label, or labels joined by commas"
                 + (", or all for the divergence over all groups at once" if "all" in also else ""),
                 "'minority', 'majority', a label, or labels without commas in them, joined by "
                 "commas" + "".join(f", or {word!r}" for word in also),
                 default="minority", canonical=_labels,
                 accepts=lambda v: _not_blank(v) and (v not in PROTECTED_WORDS[2:] or v in also))


#: What a document at rank i counts, in words.
_DISCOUNTS = {"log2": "1/log2(i+1)", "trec": "1/log2(max(i,2))", "geometric": "p^(i-1)",
              "mmr": "1/i", "none": "1"}


def discount(*choices: str, default: str) -> Param:
    """Declare the weight of rank i as one of the names that ``numerics.discount`` takes."""
    words = ", ".join(f"{_DISCOUNTS[name]} ({name})" for name in choices)
    return Param(str, f"weight of rank i: {words}", " or ".join(map(repr, choices)),
                 default=default, accepts=lambda v: v in choices)


def gains(default: str) -> Param:
    """Declare the gain of a relevant document as one of the names that ``numerics.gain`` takes."""
    choices = ("binary", "linear", "exp")
    return Param(str, "gain of a relevant document of relevance r: 1 (binary), r (linear), "
                 "2^r-1 (exp)", " or ".join(map(repr, choices)), default=default,
                 accepts=lambda v: v in choices)


def unannotated() -> Param:
    """Declare whether unannotated documents keep their ranks."""
    return one_of("unannotated documents: they are dropped before the list is cut (drop), or they "
                  "keep their ranks and weigh nothing (keep)", "drop", "keep")


def absolute() -> Param:
    """Declare whether the direction of a bias is left out."""
    return flag("the size of the bias without its direction, whose mean over topics is the mean "
                "absolute bias (MAB)")


def target(default: str = "qrels") -> Param:
    """Declare the target distribution that the ranking is compared with."""
    words = ", ".join(repr(word) for word in TARGET_WORDS)
    return Param((str, dict),
                 "distribution over the groups that is fair: that of the topic's relevant documents "
                 "(qrels), of all relevant documents (collection), the same for every group "
                 "(uniform), that of the whole run (run), a registered one that may differ from "
                 "topic to topic (by its name), or an explicit one",
                 f"{words}, a name registered with pt_fairness.targets.register, or a distribution "
                 "such as {'PRO':0.5,'CON':0.5} (shares not negative and summing to 1)",
                 default=default, canonical=_distribution, accepts=_is_target)


def _distribution(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        shares = {label_text(k): float(v) for k, v in value.items()}
    except (TypeError, ValueError):
        return value
    return {label: 0.0 if 0 <= share < numerics.SMALLEST_TARGET else share
            for label, share in sorted(shares.items())}


def _is_target(value: Any) -> bool:
    if isinstance(value, str):
        return value in TARGET_WORDS or _is_registered(value)
    shares = list(value.values())
    return bool(shares) and all(isinstance(s, float) and s >= 0 for s in shares) and abs(
        math.fsum(shares) - 1.0) <= SUM_TOLERANCE


def _is_registered(name: str) -> bool:
    # A caller who has registered a target has imported the module.
    module = sys.modules.get("pt_fairness.targets")
    return isinstance(name, BoundName) or (module is not None and name in module.names())


def groups() -> Param:
    """Declare the group source."""
    return Param(str, "where the groups come from: a registered name, a path or a Groups object; by "
                 "default the iteration field of the qrels",
                 "the name of registered groups, the path of a group file, or a Groups object",
                 canonical=_groups_name, accepts=lambda v: v != "")


def _groups_name(value: Any) -> Any:
    # A caller who has a Groups object has imported the module.
    module = sys.modules.get("pt_fairness.groups")
    if module is not None and isinstance(value, (str, module.Groups)):
        return module.name_of(value)
    if hasattr(value, "__array__"):  # its comparison with anything is an array
        raise ValueError("groups takes the name of registered groups, the path of a group file, or "
                         f"a Groups object, not a {type(value).__name__}; "
                         "pt_fairness.groups.from_frame makes groups of a DataFrame")
    return str(value) if hasattr(value, "__fspath__") else value
