"""What a measure is: its parameters, its text, its docstring, and its score on rankings."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

import numpy as np
from ir_measures import measures as irm

from pt_fairness.core.arrays import Bools, Floats, Ints, discount, ratio
from pt_fairness.core.messages import TARGET_WORDS, shown
from pt_fairness.core.registry import Registry, name_of
from pt_fairness.measures.params import (
    LABEL_PARAMS,
    PROTECTED_WORDS,
    Find,
    Param,
    SourceParam,
    literal,
    plain,
)
from pt_fairness.rankings.protected import Side, distribution, label_parts, side_of
from pt_fairness.rankings.rankings import Rankings

if TYPE_CHECKING:
    from pt_fairness.targets import Target


#: The smallest and the largest value, ``None`` for no bound.
Range = tuple[float | None, float | None]
#: Keys of ``descriptions.BIBLIOGRAPHY``.
Keys = tuple[str, ...]


class MeanOfTopics(irm.base.MeanAgg):  # type: ignore[misc]
    """Mean over topics that ignores NaN, the value of topics that a group source drops."""

    def add(self, value: float) -> None:
        if not math.isnan(value):
            super().add(value)


class FairnessMeasure(irm.Measure):  # type: ignore[misc]
    """A measure of this package.

    A subclass declares the class attributes below and implements :meth:`score`, or :meth:`terms` if
    the value is a sum over the documents. This class adds parameters, the text form, equality,
    hashing and pickling.

    The measure has the name of the class without a leading underscore. The docstring has a title,
    "name — long name.", a sentence that says what the measure asks, how to read it, and the
    sections Formula, Example, Details, When it misleads, and Source.
    """

    #: Smallest and largest value, ``None`` for no bound.
    RANGE: Range = (0.0, 1.0)
    #: The ranges that replace it, by the name and the value of a parameter.
    RANGES: ClassVar[dict[tuple[str, str], Range]] = {
        ("norm", "none"): (0.0, None), ("norm", "protected-first"): (0.0, None)}
    #: The value of a fair ranking: 0 for unfairness and bias, 1 for fairness, infinite if more is
    #: always better.
    IDEAL: float = 0.0
    #: The papers of the measure, as keys of ``descriptions.BIBLIOGRAPHY``.
    SOURCE: ClassVar[Keys] = ()
    SUPPORTED_PARAMS: ClassVar[dict[str, Param]]
    #: Whether unannotated documents are left out of the lists, so that they change no value.
    CONDENSED: ClassVar[bool] = True
    #: Whether an unannotated document counts 1/L for each of the L groups.
    EVEN: ClassVar[bool] = False
    #: Whether the measure compares the groups with each other, if it needs groups: it is undefined
    #: if there is only one.
    COMPARES: ClassVar[bool] = False
    #: Whether the groups may be subtopics, whose names are numbers.
    SUBTOPICS: ClassVar[bool] = False
    #: Whether the value depends on the relevance of documents, whatever the target.
    RELEVANCE: ClassVar[bool] = False
    #: Whether :meth:`score` needs the groups of all judged documents.
    JUDGED: ClassVar[bool] = False
    #: What the value depends on, apart from the target: ``'order'``, the label sets of the first
    #: ``cutoff`` annotated documents; ``'prefixes'``, the number of documents of each label set in
    #: each prefix, from which the :meth:`terms` are computed; ``'counts'``, these numbers for the
    #: last prefix; ``''``, anything else. It does not hold if the target is the run.
    decided_by: str = ""
    #: Whether the value depends on groups.
    needs_groups: bool = True
    #: The group sources whose labels the measure combines, and their targets.
    joint: Mapping[Any, Any] = {}
    #: Whether the value is not defined for documents with weights.
    refuses_weights: bool = False
    #: What :meth:`formula` returns by default.
    FORMULA: ClassVar[str] = ""
    #: What :meth:`where` returns by default.
    WHERE: ClassVar[str] = ""
    #: The position in the list of :func:`pt_fairness.with_groups`, for the order of columns; or −1.
    place: int = -1
    #: Whether :meth:`validate_params` has found nothing wrong.
    validated: bool

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        paragraphs = re.split(r"\n\s*\n", cls.__doc__ or "")
        title, *body = [" ".join(paragraph.split()) for paragraph in paragraphs]
        _, _, long_name = title.partition(" — ")
        name = str(cls.__name__).removeprefix("_")
        pretty_name = long_name.removesuffix(".") or title
        summary, *_ = [*body, title]
        names = {"NAME": name, "PRETTY_NAME": pretty_name, "SHORT_DESC": summary}
        for attribute in names.keys() - vars(cls).keys():
            setattr(cls, attribute, names[attribute])

    def __init__(self, **params: Any) -> None:
        """Set the parameters, which :meth:`validate_params` checks later."""
        declared = self.SUPPORTED_PARAMS
        for name in params.keys() & declared.keys():
            value = plain(params[name])
            params[name] = declared[name].canonical(value)
        super().__init__(**params)
        #: The parameter ``cutoff``, ``None`` without one.
        self.cutoff: Any = self.param("cutoff")
        #: The parameter ``rel``: the lowest relevance of a relevant document.
        self.rel: Any = self.param("rel")
        #: Whether unannotated documents are left out of the lists.
        self.condensed: bool = self.CONDENSED and self.param("unannotated") != "keep"
        for (name, value), bounds in self.RANGES.items():
            if self.param(name) == value:
                self.RANGE = bounds
                self.IDEAL = min(self.IDEAL, bounds[1] or math.inf)

    @property
    def DEFAULT(self) -> float:  # noqa: N802
        """The value that ir_measures uses for a topic without results.

        The evaluator itself yields a value for every topic.
        """
        return 1.0 - self.IDEAL

    @property
    def __name__(self) -> str:
        """The name, under which ir_measures looks it up."""
        return self.NAME

    def aggregator(self) -> MeanOfTopics:
        return MeanOfTopics()

    def score(self, view: Rankings) -> Floats:
        """Return the value of each list of ``view``, ``[R]``, or of each topic, ``[T]``.

        NaN stands for an undefined topic, which the evaluator counts as 0.0 and warns about. By
        default the value is the sum of the :meth:`terms`.
        """
        sums = self.terms(view).sum(axis=1)
        return np.where(self.defined(view), sums, nan)

    def defined(self, view: Rankings) -> Any:
        """Return whether each list has a value, ``[R]``, for a measure that is a sum."""
        return True

    def terms(self, view: Rankings) -> Floats:
        """Return what each document adds to the value, ``[R, D]``, for a measure that is a sum.

        Column j is for the (j + 1)-th document that counts: the first ``cutoff`` annotated ones if
        the measure is :attr:`condensed`, else the first ``cutoff`` ones. The terms of a list add up
        to its value, unless that is NaN or the list is empty.
        """
        raise NotImplementedError

    def codes(self, view: Rankings) -> Ints:
        """Return the codes of the documents that count, ``[R, D]``."""
        codes, *_ = (view.condensed if self.condensed else view.full)(self.cutoff)
        return codes

    def discount(self, depth: int) -> Floats:
        """Return the discount of the ranks 1 to ``depth``, ``[depth]``: 1 without a parameter."""
        return discount(self.param("discount") or "none", depth, self.param("p"))

    def formula(self) -> str:
        """Return the formula of the value, such as ``Σ {product} / {Z}``; ``''`` without one.

        The names in braces are numbers that :meth:`Rankings.note` keeps.
        """
        return self.FORMULA

    def where(self) -> str:
        """Return the definitions of the names in the formula."""
        return self.WHERE

    @property
    def is_sum(self) -> bool:
        """Whether the value is a sum over the documents, with :meth:`terms`."""
        return all(type(part).terms is not FairnessMeasure.terms for part in self.parts)

    def target(self, view: Rankings) -> Any:
        """Return the target share of each group, ``[R, L]``, or ``None`` without a target.

        The shares are unsmoothed, and 0 in a row whose population is empty.
        """
        if "target" not in self.SUPPORTED_PARAMS:
            return None
        return distribution(view, self.param("target"), self.rel)

    @property
    def target_word(self) -> Any:
        """What the groups are compared with; ``None`` for a measure without a target.

        By default it is the parameter ``target``: a word such as ``'uniform'``, a registered name
        or shares.
        """
        if self.needs_groups:
            return name_of(self.param("target"))
        return None

    def side(self, view: Rankings) -> Side | None:
        """Return the protected side; ``None`` if the measure does not compare two sides."""
        protected = self.param("protected")
        if protected in (None, "all"):
            return None
        return side_of(view, protected, self.param("target"), self.rel)

    def fairest(self, view: Rankings) -> Floats | None:
        """Return the value of the fairest ranking of each list's length, ``[R]``, if known."""
        return None

    @cached_property
    def reads_run(self) -> bool:
        """Whether the target, the protected side or another population depends on the run.

        The value then needs the whole list, whatever the cutoff.
        """
        return "run" in (self.param("target"), self.param("background"))

    def param(self, name: str) -> Any:
        """Return the value of a parameter, or its default; ``None`` if it has neither."""
        return self[name] if name in self.SUPPORTED_PARAMS else None

    @property
    def parts(self) -> Sequence[FairnessMeasure]:
        """The measures that this one is composed of; by default the measure itself."""
        return [self]

    def compose(self, values: Sequence[Floats]) -> Floats:
        """Return the value of each topic, ``[T]``, from the values of the :attr:`parts`."""
        return values[0]

    @property
    def depth(self) -> int | None:
        """How many annotated documents of a list the value depends on; ``None`` for all."""
        return None if self.reads_run else self.cutoff

    @property
    def added_labels(self) -> tuple[str, ...]:
        """The labels that an explicit or registered target adds to the label set."""
        target = self.param("target")
        if isinstance(target, dict):
            return tuple(target)
        return getattr(self.registered_target, "labels", ())

    @property
    def registered_target(self) -> Target | None:
        """The registered target that the groups are compared with; ``None`` if it is another."""
        target = self.param("target")
        if target is None or isinstance(target, dict) or target in TARGET_WORDS:
            return None
        from pt_fairness import targets
        return targets.find(target)

    def replace_sources(self, find: Find) -> FairnessMeasure:
        """Return the measure, of the same text, with what ``find`` returns for each source."""
        params = dict(self.params)
        for name, param in self.SUPPORTED_PARAMS.items():
            if name in params and isinstance(param, SourceParam):
                params[name] = param.replace_sources(params[name], find)
        measure = object.__new__(type(self))
        measure.__dict__.update(self.__dict__, params=params, _text=self._text)
        return measure

    def sources(self) -> list[tuple[str, Any]]:
        """Return a pair of parameter and source for each source among the parameters."""
        pairs = []

        def note(param: str, source: Any) -> Any:
            pairs.append((param, source))
            return source

        self.replace_sources(note)
        return pairs

    def named_labels(self, labels: list[str]) -> list[tuple[str, str]]:
        """Return a pair of parameter and label for each label that the parameters name."""
        named = [(name, self.param(name)) for name in LABEL_PARAMS]
        named = [(name, label) for name, label in named if label is not None]
        protected = self.param("protected")
        if protected is not None and protected not in PROTECTED_WORDS:
            named += [("protected", part) for part in label_parts(protected, labels)]
        return named

    def validate_params(self) -> None:
        """Check the parameters.

        :raises ValueError: if a parameter is unknown or lacking, or a value is not allowed
        """
        if self.validated:
            return
        declared = self.SUPPORTED_PARAMS
        for name, value in self.params.items():
            if name not in declared:
                names = ", ".join(declared)
                raise ValueError(f"{self.NAME} has no parameter {name!r}; it has {names}")
            param = declared[name]
            if not param.validate(value):
                wrong = f"{self.NAME}({name}={shown(value)})"
                raise ValueError(f"{name} must be {param.allowed}, got {wrong}")
        for name, param in declared.items():
            if param.required and name not in self.params:
                raise ValueError(f"{self.NAME} needs the parameter {name!r}: {param.allowed}")
        self.check_together()
        self.validated = True

    def check_together(self) -> None:
        """Raise a ValueError if parameters that are allowed one by one do not fit together."""

    def text(self, names: Callable[[Any], Any] = name_of) -> str:
        """Return the measure as text; ``names`` returns the name of a source."""
        params = dict(self.params)
        cutoff = params.pop("cutoff", None)
        defaults = {name: param.default for name, param in self.SUPPORTED_PARAMS.items()}
        values = defaults | params
        parts = []
        for name in values:
            if values[name] != defaults.get(name):
                parts.append(f"{name}={literal(values[name], names)}")
        text = f"{self.NAME}({','.join(parts)})" if parts else self.NAME
        return text if cutoff is None else f"{text}@{cutoff!r}"

    _text = cached_property(text)

    def __repr__(self) -> str:
        return self._text

    def __eq__(self, measure: object) -> bool:
        """Return whether the texts and the sources that they name are equal."""
        if not isinstance(measure, FairnessMeasure) or self._text != measure._text:
            return False
        for (param, first), (_, second) in zip(self.sources(), measure.sources(), strict=True):
            if first != second:
                registry = registry_of(param)
                if registry.find(first) != registry.find(second):
                    return False
        return True

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # The unpickling process may not have registered the objects.
        measure = self.replace_sources(registered_object)
        return object.__reduce_ex__(measure, protocol)


def registry_of(param: str) -> Registry[Any]:
    """Return the registry of the sources that a parameter takes."""
    from pt_fairness import groups, targets, values
    from pt_fairness.io import runs
    modules = {"background": runs, "groups": groups, "target": targets, "values": values}
    return modules[param].REGISTRY


def registered_object(param: str, source: Any) -> Any:
    """Return the object that is registered, or the name; functions are not called to make one."""
    registered = registry_of(param).find(source, make=False)
    return source if registered is None else registered


class Quotient(FairnessMeasure):
    """A sum over the documents of a list, divided by a number, such as a mean."""

    FORMULA = "Σ {summand} / {divisor}"

    def summands(self, view: Rankings) -> tuple[Floats, Any]:
        """Return the summands of the documents, ``[R, D]``, and the divisor, ``[R]``."""
        raise NotImplementedError

    def terms(self, view: Rankings) -> Floats:
        summands, divisor = self.summands(view)
        return ratio(summands, np.reshape(divisor, (-1, 1)))

    def score(self, view: Rankings) -> Floats:
        # Dividing the sum keeps the mean of equal numbers exact.
        summands, divisor = self.summands(view)
        view.note(summand=summands, divisor=divisor)
        quotients = ratio(summands.sum(axis=1), divisor)
        return np.where(self.defined(view), quotients, nan)


class SignedMeasure(FairnessMeasure):
    """A measure whose sign is the direction of a bias.

    Its mean over topics is the mean bias (MB), with ``abs=True`` the mean absolute bias (MAB).
    """

    RANGE: Range = (-1.0, 1.0)
    DEFAULT = 0.0

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.param("abs"):
            self.RANGE = (0.0, self.RANGE[1])

    def formula(self) -> str:
        if self.param("abs"):
            return f"abs({self.FORMULA})"
        return self.FORMULA

    def signed(self, values: Floats) -> Floats:
        """Apply the parameter ``abs`` to values, ``[R]``, or to terms, ``[R, D]``.

        It changes the signs of all terms of a list if their sum is negative.
        """
        if not self.param("abs"):
            return values
        total = values.sum(axis=1, keepdims=True) if values.ndim > 1 else values
        return np.where(total < 0, -values, values) + 0.0  # −0 is 0


def sums_by_list(view: Rankings, codes: Ints, values: Floats | None = None) -> Floats:
    """Return the sum of the values of each list and label set, ``[R, S]``.

    :param codes: the codes of the documents, ``[R, D]``
    :param values: by default each document counts 1
    """
    lists = np.arange(len(view))[:, None]
    return view.sums_by_code(len(view), lists, codes, values)


def depth_of(measures: Collection[FairnessMeasure]) -> int | None:
    """Return the largest depth of the measures, or ``None`` if one of them needs whole lists."""
    depths: list[Any] = [measure.depth for measure in measures]
    return None if None in depths else max(depths)


def rels_of(measures: Collection[FairnessMeasure]) -> set[int | None]:
    """Return the ``rel`` values of the measures; ``None`` stands for all judged documents."""
    rels = {measure.rel for measure in measures if "rel" in measure.SUPPORTED_PARAMS}
    return rels | {None for measure in measures if measure.JUDGED}


def nothing_to_compare(measure: FairnessMeasure, labels: Sequence[str]) -> str:
    """Return why a measure has nothing to compare in any topic; ``''`` if it has.

    :param labels: the label set G, with the labels that the target of the measure adds
    """
    if len(labels) == 1 and measure.COMPARES and measure.needs_groups:
        return f"the only group is {labels[0]!r}"
    protected = measure.param("protected")
    words = not labels or protected in (None, *PROTECTED_WORDS)
    if words or not {*labels} <= {*label_parts(protected, labels)}:
        return ""
    return f"protected={protected!r} names every group"


def values_of(measure: FairnessMeasure, view: Rankings) -> Floats:
    """Return the value of each list, ``[R]``, or of each topic, ``[T]``; NaN if undefined."""
    if nothing_to_compare(measure, view.labels):
        return np.full(len(view), nan)
    return measure.score(view)


def score(measures: Collection[FairnessMeasure], rankings: Rankings,
          no_value: float = nan) -> dict[FairnessMeasure, Floats]:
    """Return the value of each measure for each topic, ``[T]``; NaN where it is undefined.

    Values by list are averaged over the lists of each topic.

    :param no_value: what stands where a topic is defined, but a ranking has no value
    """
    same_labels: dict[tuple[str, ...], list[FairnessMeasure]] = {}
    for measure in measures:
        same_labels.setdefault(measure.added_labels, []).append(measure)
    scores: dict[FairnessMeasure, Floats] = {}
    for added, same in same_labels.items():
        blocks = [[np.zeros(0)] * len(same)]
        for view in rankings.blocks(added, depth_of(same)):
            blocks.append([view.topic_means(values_of(measure, view)) for measure in same])
        for measure, *parts in zip(same, *blocks, strict=True):
            values = np.concatenate(parts)
            scores[measure] = np.where(np.isinf(values), no_value, values)
    return scores


def one_label(measure: FairnessMeasure, rankings: Rankings) -> Bools:
    """Return for which topics all ranked documents have the same one label, ``[T]``."""
    parts = [np.zeros(0)]
    for view in rankings.blocks(measure.added_labels):
        labels = (view.run_counts @ view.member > 0).sum(axis=1)
        parts.append(view.topic_means(abs(labels - 1.0)))
    return np.concatenate(parts) == 0


def contributions(measure: FairnessMeasure, rankings: Rankings, depth: int) -> Floats:
    """Return what each document that counts adds to the value of a measure, ``[R, depth]``.

    Undefined lists have NaN.

    :param measure: a measure that is a sum
    :param depth: the number of documents that count
    """
    parts = [np.zeros((0, depth))]
    for view in rankings.blocks(measure.added_labels, measure.depth):
        terms = measure.terms(view)
        missing = depth - terms.shape[1]
        terms = np.pad(terms, ((0, 0), (0, missing)))
        undefined = np.isnan(values_of(measure, view))
        terms[undefined] = nan
        parts.append(terms)
    return np.concatenate(parts)


def fairest(measure: FairnessMeasure, rankings: Rankings) -> Floats | None:
    """Return the value of the fairest possible ranking of each topic, ``[T]``.

    Values by list are averaged over the lists of each topic. ``None`` if it is not known.
    """
    parts = [np.zeros(0)]
    for view in rankings.blocks(measure.added_labels, measure.depth):
        values = measure.fairest(view)
        if values is None:
            return None
        parts.append(view.topic_means(values))
    return np.concatenate(parts)
