"""Base classes of the measures."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ir_measures import measures as irm

from pt_fairness.declarations.docstrings import SignatureOfMeasure, first_sentence
from pt_fairness.declarations.params import (
    LABEL_PARAMS,
    NOT_PROVIDED,
    PROTECTED_WORDS,
    Param,
    literal,
    plain,
)
from pt_fairness.text import BACKGROUND_WORDS, TARGET_WORDS, BoundName

if TYPE_CHECKING:
    from pt_fairness.numerics import Floats
    from pt_fairness.rankings.view import View


class MeanOfTopics(irm.base.MeanAgg):  # type: ignore[misc]
    """Mean over topics that ignores NaN, the value of topics that a group source drops."""

    def add(self, value: float) -> None:
        if not math.isnan(value):
            super().add(value)


class FairnessMeasure(irm.Measure):  # type: ignore[misc]
    """A measure of this package.

    A subclass declares the class attributes below and implements :meth:`score`. This class adds
    parameters, the text form, equality, hashing and pickling.
    """

    #: Smallest and largest value, ``None`` for no bound.
    RANGE: tuple[float | None, float | None] = (0.0, 1.0)
    #: The ranges that replace it, by the name and the value of a parameter.
    RANGES: ClassVar[dict[tuple[str, str], tuple[float | None, float | None]]] = {
        ("norm", "none"): (0.0, None), ("norm", "protected-first"): (0.0, None)}
    #: The value of a fair ranking: 0 for unfairness and bias, 1 for fairness.
    FAIR_END: ClassVar[float] = 0.0
    #: The papers of the measure, as keys of
    #: :data:`pt_fairness.declarations.bibliography.BIBLIOGRAPHY`.
    SOURCE: ClassVar[tuple[str, ...]] = ()
    PRETTY_NAME: ClassVar[str]
    #: What the measure asks: the first sentence of the docstring, which follows its title.
    SHORT_DESC: ClassVar[str]
    SUPPORTED_PARAMS: ClassVar[dict[str, Param]]
    #: Whether unannotated documents are left out of the lists, so that they change no value.
    CONDENSED: ClassVar[bool] = True
    #: How the value aggregates one number per rank: ``'sum'``, ``'mean'`` (over the ranks that were
    #: returned), ``'mean to cutoff'`` or ``'discounted mean'`` (log2); ``None`` if it is not. A
    #: constant factor may follow.
    OVER_RANKS: ClassVar[str | None] = None
    #: The class of :attr:`unnormalised`; by default that of the measure.
    PLAIN: ClassVar[type[FairnessMeasure] | None] = None
    #: Whether :meth:`score` needs the groups of all judged documents.
    JUDGED: ClassVar[bool] = False
    #: The value that ir_measures uses for a topic without results. The evaluator itself yields a
    #: value for every topic.
    DEFAULT: ClassVar[float] = 1.0
    #: The signature of a measure, for :func:`inspect.signature` and editors.
    __signature__ = SignatureOfMeasure()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.SHORT_DESC = vars(cls).get("SHORT_DESC") or first_sentence(cls.__doc__)

    def __init__(self, **params: Any) -> None:
        """Set the parameters, which :meth:`validate_params` checks later.

        :raises ValueError: ``protected='all'`` for a measure that compares two sides
        """
        known = self.SUPPORTED_PARAMS
        super().__init__(**{name: known[name].canonical(plain(value)) if name in known else value
                            for name, value in params.items()})
        protected = known.get("protected")
        if protected and self.params.get("protected") == "all" and not protected.validate("all"):
            raise ValueError(f"{self.NAME}(protected='all') is not possible: protected takes "
                             f"{protected.allowed}. rKL and nDJS compare all groups at once")
        for (name, value), bounds in self.RANGES.items():
            if self.param(name) == value:
                self.RANGE = bounds

    @property
    def __name__(self) -> str:
        """The name, under which ir_measures looks it up."""
        return self.NAME

    def aggregator(self) -> MeanOfTopics:
        return MeanOfTopics()

    def score(self, view: View) -> Floats:
        """Return the value of each list of ``view``, ``[R]``, or of each topic, ``[T]``.

        NaN stands for an undefined topic.
        """
        raise NotImplementedError

    def param(self, name: str) -> Any:
        """Return the value of a parameter, or its default; ``None`` if it has neither."""
        if name not in self.SUPPORTED_PARAMS:
            return None
        value = self[name]
        return None if value is NOT_PROVIDED else value

    @property
    def condensed(self) -> bool:
        """Whether unannotated documents are left out of the lists."""
        return self.CONDENSED and self.params.get("unannotated") != "keep"

    @property
    def needs_groups(self) -> bool:
        """Whether the value depends on groups."""
        return True

    @property
    def joint(self) -> Mapping[str, str]:
        """The group sources whose labels the measure combines, and their targets."""
        return {}

    @property
    def refuses_weights(self) -> bool:
        """Whether the value is not defined for documents with weights."""
        return False

    @property
    def parts(self) -> Sequence[FairnessMeasure]:
        """The measures that this one is composed of; by default the measure itself."""
        return [self]

    def compose(self, values: Sequence[Floats]) -> Floats:
        """Return the value of each topic, ``[T]``.

        :param values: the value of each topic, ``[T]``, for each of :attr:`parts`
        """
        return values[0]

    @property
    def unnormalised(self) -> FairnessMeasure:
        """The measure whose values at the cutoffs 1, 2, … give the numbers of :attr:`OVER_RANKS`.

        It has no normaliser, keeps the sign and evaluates every rank.
        """
        kind = type(self) if self.PLAIN is None else self.PLAIN
        return kind(**supported(kind, self.params | {"norm": "none", "abs": False, "step": 1}))

    @property
    def depth(self) -> int | None:
        """How many annotated documents of a list the value depends on; ``None`` for all."""
        return None if self.param("target") == "run" else self.param("cutoff")

    @property
    def added_labels(self) -> tuple[str, ...]:
        """The labels that an explicit or registered target adds to the label set."""
        wanted = self.param("target")
        if isinstance(wanted, str) and wanted not in TARGET_WORDS:
            from pt_fairness import targets
            return targets.find(wanted).labels
        return tuple(wanted) if isinstance(wanted, dict) else ()

    def names(self) -> dict[str, list[str]]:
        """Return the registered names and the file paths among the parameter values.

        :returns: lists of names by parameter: groups, target, values or background
        """
        held = {param: self.params.get(param) for param in _REGISTRIES}
        return {param: [name] for param, name in held.items()
                if isinstance(name, str) and name not in _WORDS.get(param, ())}

    def renamed(self, spellings: Mapping[str, Mapping[str, str]]) -> FairnessMeasure:
        """Return a copy of the measure with some of its :meth:`names` replaced.

        :param spellings: the new names by parameter and by old name
        """
        new = {param: spellings[param][name] for param, (name,) in self.names().items()
               if name in spellings.get(param, {})}
        return type(self)(**self.params | new)

    def named_labels(self, labels: list[str]) -> list[tuple[str, str]]:
        """Return a pair of parameter and label for each label that the parameters name.

        :param labels: the label set G
        """
        named = [(name, self.param(name)) for name in LABEL_PARAMS if self.param(name) is not None]
        wanted = self.param("protected")
        if wanted is not None and wanted not in PROTECTED_WORDS:
            named += [("protected", part) for part in label_parts(wanted, labels)]
        return named

    def validate_params(self) -> None:
        """Check the parameters.

        :raises ValueError: an unknown parameter, or a value that is not allowed
        """
        if self.__dict__.get("validated"):
            return
        for name, value in self.params.items():
            param = self.SUPPORTED_PARAMS.get(name)
            if param is None:
                raise ValueError(f"{self.NAME} has no parameter {name!r}; it takes "
                                 f"{', '.join(self.SUPPORTED_PARAMS)}")
            if not param.validate(value):
                raise ValueError(f"{self.NAME}({name}={value!r}) is not possible: {name} takes "
                                 f"{param.allowed}")
        for name, param in self.SUPPORTED_PARAMS.items():
            if param.required and name not in self.params:
                raise ValueError(f"{self.NAME} needs the parameter {name!r}, {param.desc}: "
                                 f"{self.NAME}({name}=…), where {name} takes {param.allowed}")
        self.check_together()
        self.validated = True

    def check_together(self) -> None:
        """Raise a ValueError if the parameters, each of which is allowed, do not fit together."""

    @cached_property
    def _text(self) -> str:
        known, params = self.SUPPORTED_PARAMS, self.params
        given = [f"{name}={literal(params[name])}" for name in {**known, **params}
                 if name in params and name != self.AT_PARAM
                 and not (name in known and params[name] == known[name].default)]
        text = self.NAME + (f"({','.join(given)})" if given else "")
        at = params.get(self.AT_PARAM, NOT_PROVIDED)
        return text if at is NOT_PROVIDED else f"{text}@{at!r}"

    def __repr__(self) -> str:
        return self._text

    def __reduce__(self) -> Any:
        # Pickle the registered objects, which the unpickling process may not have registered.
        values = {param: _registered(names, _REGISTRIES[param])
                  for param, names in self.names().items()}
        return _rebuild, (type(self), self.params, values)


def supported(kind: type[FairnessMeasure], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the ``given`` parameters that the measures of a class have."""
    return {name: value for name, value in given.items() if name in kind.SUPPORTED_PARAMS}


def label_parts(wanted: str, labels: Sequence[str]) -> list[str]:
    """Return the labels that a value of ``protected`` names.

    :param wanted: a label, or labels joined by commas
    :param labels: the label set G; a value that is itself a label is not split
    """
    return [wanted] if wanted in labels else [part.strip() for part in wanted.split(",")]


#: The registry module of each parameter whose value can be a registered name.
_REGISTRIES = {"background": "pt_fairness.values.runs", "groups": "pt_fairness.groups",
               "target": "pt_fairness.targets", "values": "pt_fairness.values"}
#: The keywords of these parameters, which are not registered names.
_WORDS = {"background": BACKGROUND_WORDS, "target": TARGET_WORDS}


def _registered(names: Iterable[str], module: str) -> dict[str, Any]:
    """Return the objects that are registered in this process, by name."""
    if module not in sys.modules:
        return {}
    values = {name: sys.modules[module].registered(name)
              for name in names if not isinstance(name, BoundName)}
    # Functions are not called here.
    return {name: value for name, value in values.items()
            if value is not None and not callable(value)}


def _rebuild(kind: type[FairnessMeasure], params: dict[str, Any],
             values: dict[str, dict[str, Any]]) -> FairnessMeasure:
    """Unpickle a measure.

    :param values: the objects registered in the pickling process, by parameter and by name; objects
        registered in this process take precedence
    """
    return kind(**params).renamed({
        param: {name: BoundName(name, value) for name, value in some.items()
                if sys.modules[_REGISTRIES[param]].registered(name) is None}
        for param, some in values.items()})


class SignedMeasure(FairnessMeasure):
    """A measure whose sign is the direction of a bias.

    Its mean over topics is the mean bias (MB), with ``abs=True`` the mean absolute bias (MAB).
    """

    RANGE: tuple[float | None, float | None] = (-1.0, 1.0)
    DEFAULT = 0.0

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.params.get("abs") is True:
            self.RANGE = (0.0, self.RANGE[1])

    def signed(self, values: Floats) -> Floats:
        """Return ``values``, or their absolute values if ``abs`` is true."""
        return abs(values) if self.param("abs") else values
