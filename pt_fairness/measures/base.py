"""What every measure of this package has: typed parameters, a text form that parses back, and one ``score``."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from ir_measures import measures as irm

from pt_fairness.text import SUM_TOLERANCE, TARGET_WORDS, BoundName, label_text

if TYPE_CHECKING:
    import numpy as np

    from pt_fairness import numerics
    from pt_fairness.rankings.rankings import Rankings
    from pt_fairness.rankings.view import View

__all__ = ["MEASURES", "NOT_PROVIDED", "FairnessMeasure", "Param", "np", "numerics", "register"]

#: The value of a parameter that was not given and has no default.
NOT_PROVIDED: Any = irm.base._NOT_PROVIDED


class _Late:
    """Stands for a module until something is measured: declaring the measures does not import numpy."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python asks for such names where it copies, before there is a module to ask
            raise AttributeError(name)
        value = getattr(importlib.import_module(self._module), name)
        setattr(self, name, value)
        return value


if not TYPE_CHECKING:
    np = _Late("numpy")
    numerics = _Late("pt_fairness.numerics")



def literal(value: Any) -> str:
    """``value`` as a Python literal that :func:`ir_measures.parse_measure` reads back, without white space.

    ir_measures' command line splits its arguments at white space, and its parser knows no negative numbers: they are
    written as strings, which every numeric parameter here also takes.
    """
    if isinstance(value, dict):
        return "{" + ",".join(f"{literal(k)}:{literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return repr(repr(value))
    return repr(value).replace(" ", "\\x20")


class Param(irm.ParamInfo):  # type: ignore[misc]
    """A parameter of a measure: its default, what it takes, and the one spelling of each of its values.

    :param desc: what it means, in ir_measures' manner
    :param allowed: the sentence's end that an error prints: "… takes <allowed>"
    :param accepts: says whether a canonical value is allowed
    :param canonical: brings a value into its one spelling, or returns it as it is
    :param required: whether a measure cannot do without it
    """

    def __init__(self, dtype: Any, desc: str, allowed: str, *, default: Any = NOT_PROVIDED,
                 accepts: Callable[[Any], bool] = lambda value: True,
                 canonical: Callable[[Any], Any] = lambda value: value, required: bool = False) -> None:
        super().__init__(dtype=dtype, default=default, desc=desc, required=required)
        self.allowed = allowed
        self.accepts = accepts
        self.canonical = canonical

    # In another process, what stands for "not given" has to be that process's own.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not NOT_PROVIDED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"default": NOT_PROVIDED, **state})

    def validate(self, value: Any) -> bool:
        """Whether ``value`` is allowed; ``True`` and ``False`` are no numbers here."""
        if value is NOT_PROVIDED:
            return True
        types = self.dtype if isinstance(self.dtype, tuple) else (self.dtype,)
        if isinstance(value, bool) and bool not in types:
            return False
        return isinstance(value, types) and self.accepts(value)


def _plain(value: Any) -> Any:
    """A numpy scalar as the Python value that prints, and parses, as itself."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


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


#: The largest cutoff: far beyond any run, and still a number that arrays can hold.
DEEPEST = 2**31 - 1


def whole(desc: str, *, default: Any = NOT_PROVIDED, smallest: int | None = None) -> Param:
    """A whole number, at least ``smallest``."""
    bound = "" if smallest is None else f" of at least {smallest}"
    return Param(int, desc, f"a whole number{bound}", default=default, canonical=_number(int),
                 accepts=lambda v: smallest is None or v >= smallest)


def real(desc: str, allowed: str, accepts: Callable[[float], bool], *, default: float) -> Param:
    """A number for which ``accepts`` holds."""
    return Param(float, desc, allowed, default=default, canonical=_number(float),
                 accepts=lambda v: math.isfinite(v) and accepts(v))


def one_of(desc: str, *choices: str) -> Param:
    """One of some words, the first by default."""
    return Param(str, desc, " or ".join(map(repr, choices)), default=choices[0], accepts=lambda v: v in choices)


def flag(desc: str) -> Param:
    """``True`` or ``False`` (the default)."""
    return Param(bool, desc, "True or False", default=False)


def label(desc: str, *, default: Any = NOT_PROVIDED) -> Param:
    """The label of one group; required where there is no default."""
    return Param(str, desc, "the label of a group", default=default, canonical=_label, accepts=_not_blank,
                 required=default is NOT_PROVIDED)


def _not_blank(value: str) -> bool:
    return value.strip() != ""


def _label(value: Any) -> Any:
    return label_text(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _labels(value: Any) -> Any:
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = [label_text(part) for part in value]
        if len(parts) > 1 and any("," in part for part in parts):
            return value  # would be other labels when they are joined
        return ",".join(sorted(parts) if isinstance(value, (set, frozenset)) else parts)
    return _label(value)


def _distribution(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        shares = {label_text(k): float(v) for k, v in value.items()}
    except (TypeError, ValueError):
        return value
    return {label: 0.0 if 0 <= share < numerics.SMALLEST_TARGET else share
            for label, share in sorted(shares.items())}


def _is_distribution(value: Any) -> bool:
    shares = list(value.values())
    return bool(shares) and all(isinstance(s, float) and s >= 0 for s in shares) and abs(
        math.fsum(shares) - 1.0) <= SUM_TOLERANCE


def cutoff() -> Param:
    return Param(int, "ranking cutoff threshold", f"a whole number from 1 to {DEEPEST}", canonical=_number(int),
                 accepts=lambda v: 1 <= v <= DEEPEST)


def rel() -> Param:
    return whole("minimum relevance score to be considered relevant (inclusive)", default=1)


def protected(*also: str) -> Param:
    """The protected group of a two-group measure; ``also`` allows the word ``all``."""
    return Param(str, "protected group: minority, majority, a label, or labels joined by commas"
                 + (", or all for the divergence over all groups at once" if "all" in also else ""),
                 "'minority', 'majority', a label, or labels without commas in them, joined by commas"
                 + "".join(f", or {word!r}" for word in also),
                 default="minority", canonical=_labels,
                 accepts=lambda v: _not_blank(v) and (v not in PROTECTED_WORDS[2:] or v in also))


PROTECTED_WORDS = ("minority", "majority", "all")
#: The parameters, beside ``protected``, that name one group.
LABEL_PARAMS = ("group", "pro", "con")
#: The values of ``norm`` that do not keep a measure below 1.
UNBOUNDED_NORMS = ("none", "protected-first")


def target(default: str = "qrels") -> Param:
    """The target distribution that the ranking is compared with."""
    words = ", ".join(repr(word) for word in TARGET_WORDS)
    return Param((str, dict), "distribution over the groups that is fair: that of the topic's relevant documents (qrels), "
                 "of all relevant documents (collection), the same for every group (uniform), that of the whole run (run), "
                 "a registered one that may differ from topic to topic (by its name), or an explicit one",
                 f"{words}, a name registered with pt_fairness.targets.register, or a distribution such as "
                 "{'PRO':0.5,'CON':0.5} (shares not negative and summing to 1)",
                 default=default, canonical=_distribution,
                 accepts=lambda v: v in TARGET_WORDS or _is_registered(v) if isinstance(v, str) else _is_distribution(v))


def _is_registered(name: str) -> bool:
    # Only a caller who has imported the targets module can have registered one, so this does not import it early.
    module = sys.modules.get("pt_fairness.targets")
    return isinstance(name, BoundName) or (module is not None and name in module.names())


def groups() -> Param:
    return Param(str, "where the groups come from: a registered name, a path or a Groups object; by default the iteration "
                 "field of the qrels", "the name of registered groups, the path of a group file, or a Groups object",
                 canonical=_groups_name, accepts=lambda v: v != "")


def _groups_name(value: Any) -> Any:
    # Only a caller who has imported the groups module can hold a Groups object, so this does not import it early.
    module = sys.modules.get("pt_fairness.groups")
    if module is not None and isinstance(value, (str, module.Groups)):
        return module.name_of(value)
    if hasattr(value, "__array__"):  # whose comparison with anything is no truth value
        raise ValueError(f"groups takes the name of registered groups, the path of a group file, or a Groups object, not a "
                         f"{type(value).__name__}; pt_fairness.groups.from_frame makes groups of a DataFrame")
    if hasattr(value, "__fspath__"):
        return str(value)
    return value


class MeanOfTopics(irm.base.MeanAgg):  # type: ignore[misc]
    """The mean over the topics that have a value: those that a group source drops have NaN."""

    def add(self, value: float) -> None:
        if not math.isnan(value):
            super().add(value)


class FairnessMeasure(irm.Measure):  # type: ignore[misc]
    """A measure of this package.

    A subclass declares the class attributes below and :meth:`score`, the formula; everything else follows: cutoffs,
    the text form, equality, errors, the values of undefined topics and of empty result lists.
    """

    #: Smallest and largest value, ``None`` where there is no bound; some parameters move them.
    RANGE: tuple[float | None, float | None] = (0.0, 1.0)
    #: The value of a perfectly fair ranking: 0 for unfairness and bias, 1 for fairness.
    FAIR_END: ClassVar[float] = 0.0
    #: The papers that it comes from: keys of :data:`pt_fairness.measures.bibliography.BIBLIOGRAPHY`.
    SOURCE: ClassVar[tuple[str, ...]] = ()
    PRETTY_NAME: ClassVar[str]
    SHORT_DESC: ClassVar[str]
    SUPPORTED_PARAMS: ClassVar[dict[str, Param]]
    #: Whether :meth:`score` asks for the groups of all judged documents.
    JUDGED: ClassVar[bool] = False
    #: What ir_measures takes for a topic without results; the evaluator yields exact values itself.
    DEFAULT: ClassVar[float] = 1.0

    def __init__(self, **params: Any) -> None:
        known = self.SUPPORTED_PARAMS
        super().__init__(**{name: known[name].canonical(_plain(value)) if name in known else value
                            for name, value in params.items()})
        if self.params.get("norm") in UNBOUNDED_NORMS:
            self.RANGE = (self.RANGE[0], None)

    def aggregator(self) -> MeanOfTopics:
        return MeanOfTopics()

    def score(self, view: View) -> numerics.Floats:
        """The value of each topic of ``view``, ``[T]``; NaN where the topic is undefined."""
        raise NotImplementedError

    def scores(self, rankings: Rankings) -> numerics.Floats:
        """Return what :meth:`score` gives for all topics, ``[T]``."""
        return score([self], rankings)[self]

    def param(self, name: str) -> Any:
        """The value of a parameter, its default where it was not given, ``None`` where there is no default."""
        value = self[name]
        return None if value is NOT_PROVIDED else value

    @property
    def depth(self) -> int | None:
        """How many ranks of the (condensed) list the value depends on; ``None`` for all."""
        if "target" in self.SUPPORTED_PARAMS and self.param("target") == "run":
            return None
        cutoff: int | None = self.param("cutoff")
        return cutoff

    @property
    def added_labels(self) -> tuple[str, ...]:
        """Labels that this measure adds to the label set: those of an explicit or registered target distribution."""
        wanted = self.param("target") if "target" in self.SUPPORTED_PARAMS else "uniform"
        if isinstance(wanted, str) and wanted not in TARGET_WORDS:
            from pt_fairness import targets
            return targets.labels(wanted)
        return tuple(wanted) if isinstance(wanted, dict) else ()

    def named_labels(self, labels: list[str]) -> list[tuple[str, str]]:
        """The parameters that name groups, and the groups that they name.

        :param labels: the label set G
        """
        given = [name for name in LABEL_PARAMS if name in self.SUPPORTED_PARAMS]
        named = [(name, self.param(name)) for name in given if self.param(name) is not None]
        wanted = self.param("protected") if "protected" in self.SUPPORTED_PARAMS else None
        if wanted is not None and wanted not in PROTECTED_WORDS:
            parts = [wanted] if wanted in labels else [part.strip() for part in wanted.split(",")]
            named += [("protected", part) for part in parts]
        return named

    def validate_params(self) -> None:
        """:raises ValueError: a parameter that does not exist or a value that is not allowed, saying what is."""
        if self.__dict__.get("validated"):
            return
        for name, value in self.params.items():
            param = self.SUPPORTED_PARAMS.get(name)
            if param is None:
                raise ValueError(f"{self.NAME} has no parameter {name!r}; it takes {', '.join(self.SUPPORTED_PARAMS)}")
            if not param.validate(value):
                raise ValueError(f"{self.NAME}({name}={value!r}) is not possible: {name} takes {param.allowed}")
        for name, param in self.SUPPORTED_PARAMS.items():
            if param.required and name not in self.params:
                raise ValueError(f"{self.NAME} needs the parameter {name!r}, {param.desc}: {self.NAME}({name}=…), where {name} "
                                 f"takes {param.allowed}")
        self.validated = True

    def __repr__(self) -> str:
        text: str | None = self.__dict__.get("_text")
        if text is None:
            known = self.SUPPORTED_PARAMS
            order = [name for name in known if name in self.params] + [p for p in self.params if p not in known]
            given = [f"{name}={literal(self.params[name])}" for name in order if name != self.AT_PARAM
                     and not (name in known and self.params[name] == known[name].default)]
            text = self.NAME + (f"({','.join(given)})" if given else "")
            at = self.params.get(self.AT_PARAM, NOT_PROVIDED)
            if at is not NOT_PROVIDED:
                text += f"@{at!r}"
            self._text = text
        return text

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, irm.Measure) and repr(self) == repr(other))

    def __hash__(self) -> int:
        value: int | None = self.__dict__.get("_hash")
        if value is None:
            value = self._hash = hash(repr(self))
        return value

    def __reduce__(self) -> Any:
        # The receiving process may not have registered what the parameters name.
        values = {}
        for param, module in _REGISTRIES.items():
            name = self.params.get(param)
            if module in sys.modules and isinstance(name, str) and not isinstance(name, BoundName):
                value = sys.modules[module].registered(name)
                if value is not None and not callable(value):  # a function has made no groups yet
                    values[param] = value
        return _rebuild, (type(self), self.params, values)


#: The parameters whose values name what is registered, and the modules of their registries.
_REGISTRIES = {"groups": "pt_fairness.groups", "target": "pt_fairness.targets"}


def _rebuild(kind: type[FairnessMeasure], params: dict[str, Any],
             values: dict[str, Any]) -> FairnessMeasure:
    """Unpickle a measure.

    :param values: what its names mean where it was pickled; what this process has registered wins
    """
    bound = {param: BoundName(params[param], value) for param, value in values.items()
             if sys.modules[_REGISTRIES[param]].registered(params[param]) is None}
    return kind(**params | bound)


class SignedMeasure(FairnessMeasure):
    """A measure whose sign says which way a ranking is biased.

    Its mean over topics is the mean bias (MB); with ``abs=True`` only the size is left, whose mean is the mean absolute
    bias (MAB).
    """

    RANGE: tuple[float | None, float | None] = (-1.0, 1.0)
    DEFAULT = 0.0

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.params.get("abs") is True:
            self.RANGE = (0.0, self.RANGE[1])

    def signed(self, values: numerics.Floats) -> numerics.Floats:
        """``values``, or their sizes if that is what is wanted."""
        return np.abs(values) if self.param("abs") else values


def absolute() -> Param:
    return flag("the size of the bias without its direction, whose mean over topics is the mean absolute bias (MAB)")


def depth_of(measures: Iterable[FairnessMeasure]) -> int | None:
    """Return how many annotated documents of a list measures need, ``None`` for all."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max(depth for depth in depths if depth is not None)


def rels_of(measures: Collection[FairnessMeasure]) -> set[int | None]:
    """Return the values of ``rel`` that measures use; ``None`` stands for all judged documents."""
    rels = {measure.param("rel") for measure in measures if "rel" in measure.SUPPORTED_PARAMS}
    return rels | ({None} if any(measure.JUDGED for measure in measures) else set())


def score(measures: Iterable[FairnessMeasure],
          rankings: Rankings) -> dict[FairnessMeasure, numerics.Floats]:
    """Return the value of each measure for each topic, ``[T]``; NaN where it is undefined.

    The value of a topic with several lists is the mean of theirs.
    """
    from pt_fairness.rankings.view import View
    by_labels: dict[tuple[str, ...], list[FairnessMeasure]] = {}
    for measure in measures:
        by_labels.setdefault(measure.added_labels, []).append(measure)
    values: dict[FairnessMeasure, numerics.Floats] = {}
    for added, some in by_labels.items():
        parts: dict[FairnessMeasure, list[Any]] = {measure: [np.zeros(0)] for measure in some}
        for view in View.blocks(rankings.labelled(added, depth_of(some))):
            for measure in some:
                parts[measure].append(view.mean_of_lists(measure.score(view)))
        values |= {measure: np.concatenate(part) for measure, part in parts.items()}
    return values


#: The measures of this package by name, in the order of their declaration; aliases are not in it.
MEASURES: dict[str, FairnessMeasure] = {}
_listeners: list[Callable[[str, FairnessMeasure], None]] = []


def register(measure: FairnessMeasure, aliases: Iterable[str] = ()) -> FairnessMeasure:
    """Makes a measure known to ir_measures (hence to PyTerrier and the command lines), under its name and aliases.

    :raises ValueError: another measure has the name already
    """
    names = [measure.NAME, *aliases]
    for name in names:
        if name in irm.registry:
            raise ValueError(f"ir_measures already has a measure named {name!r}; give this one another NAME")
    irm.register(measure, names[1:], name=measure.NAME)
    MEASURES[measure.NAME] = measure
    for name in names:
        for listener in _listeners:
            listener(name, measure)
    return measure


def listen(listener: Callable[[str, FairnessMeasure], None]) -> None:
    """Calls ``listener(name, measure)`` for every name of every measure, those to come included."""
    _listeners.append(listener)
    for name, measure in list(irm.registry.items()):
        if isinstance(measure, FairnessMeasure):
            listener(name, measure)
