"""What every measure has: typed parameters, a text form that parses back, and one ``score``."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar

from ir_measures import measures as irm

from pt_fairness.measures.late import np, numerics
from pt_fairness.measures.params import (
    LABEL_PARAMS,
    NOT_PROVIDED,
    PROTECTED_WORDS,
    Param,
    literal,
    plain,
)
from pt_fairness.text import TARGET_WORDS, BoundName

if TYPE_CHECKING:
    from pt_fairness.rankings.rankings import Rankings
    from pt_fairness.rankings.view import View

__all__ = ["FairnessMeasure", "SignedMeasure", "depth_of", "np", "numerics", "rels_of", "score"]

#: The values of ``norm`` that do not keep a measure below 1.
UNBOUNDED_NORMS = ("none", "protected-first")


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
        super().__init__(**{name: known[name].canonical(plain(value)) if name in known else value
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


def depth_of(measures: Collection[FairnessMeasure]) -> int | None:
    """Return how many annotated documents of a list measures need, ``None`` for all."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max(depth for depth in depths if depth is not None)


def rels_of(measures: Collection[FairnessMeasure]) -> set[int | None]:
    """Return the values of ``rel`` that measures use; ``None`` stands for all judged documents."""
    rels = {measure.param("rel") for measure in measures if "rel" in measure.SUPPORTED_PARAMS}
    return rels | ({None} if any(measure.JUDGED for measure in measures) else set())


def score(measures: Collection[FairnessMeasure],
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
