"""Measures of a user's own, made from functions of arrays."""

from __future__ import annotations

import inspect
import keyword
import math
from collections.abc import Callable
from math import inf, nan
from typing import Any, ClassVar, SupportsIndex

import numpy as np
from ir_measures import measures as irm

from pt_fairness.core.arrays import ROUNDING, Floats
from pt_fairness.core.messages import shown
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Range, with_objects
from pt_fairness.measures.measure_names import MEASURES, exporting_modules, register
from pt_fairness.rankings.rankings import Rankings

#: The arrays that the function of a measure may take.
ARRAYS = ("codes", "length", "relevance", "member", "shares", "target", "labels", "cutoff")


class FunctionMeasure(FairnessMeasure):
    """A measure made by :func:`measure`. Each has a subclass of its own."""

    #: The arguments of :func:`measure`.
    DECLARATION: ClassVar[tuple[Any, ...]]
    #: The arrays that the function takes.
    ARRAYS: ClassVar[tuple[str, ...]]

    def score(self, view: Rankings) -> Floats:
        """Return the value of each ranking, ``[R]``.

        A ranking without documents that count has ``DEFAULT``; an empty target makes it undefined.
        """
        codes, length = view.condensed(self.cutoff)
        target = self.target(view)
        rows = length > 0
        none = np.zeros((1, len(view.labels)))
        arrays: dict[str, Any] = {
            "codes": codes[rows], "length": length[rows],
            "relevance": view.condensed_relevance(self.cutoff)[rows],
            "member": np.vstack([view.member, none > 0]), "shares": np.vstack([view.share, none]),
            "labels": [*view.labels], "cutoff": self.cutoff}
        if target is not None:
            arrays["target"] = target[rows]
        values = np.full(len(view), self.DEFAULT)
        if rows.any():
            function, *_ = self.DECLARATION
            computed = np.asarray(function(**{name: arrays[name] for name in self.ARRAYS}), float)
            self._check(computed, np.array(view.qids, object)[rows])
            values[rows] = computed
        if target is not None and not self.of_run:
            values[~target.any(axis=1)] = nan
        return values

    def _check(self, values: Floats, qids: Any) -> None:
        """Check what the function returns.

        :param qids: the topic of each ranking
        :raises ValueError: if there is not one value for each ranking, or one is out of range
        """
        if values.shape != qids.shape:
            raise ValueError(f"the function of {self.NAME} must return an array of the shape "
                             f"{qids.shape}, got {values.shape}")
        low, high = _bounds(self.RANGE)
        outside = np.isinf(values) | (values < low - ROUNDING) | (values > high + ROUNDING)
        if outside.any():
            raise ValueError(f"the function of {self.NAME} must return values in its range "
                             f"{self.RANGE}, or NaN, got {values[outside][0]:g} for topic "
                             f"{qids[outside][0]!r}")

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # pickle finds classes by module and name, and this class is in no module.
        state = vars(self.with_sources(with_objects))
        return _blank, (self.DECLARATION,), state


def measure(function: Callable[..., Any], name: str | None = None, ideal: float = 0.0,
            range: Range = (0.0, 1.0)) -> FairnessMeasure:
    """Make a measure from a function of arrays, and register it in ir_measures.

    The function names what it takes, by keyword. There are R rankings, mostly one for each topic, D
    ranks, S label sets and L groups. It is not called for rankings without documents that count:
    these have the least fair value of the range, or lie 1 from the ideal value where the range is
    open.

    * ``codes [R, D]``: the label set of each document that counts, a row of ``member`` and
      ``shares``; −1 past the end of a ranking. The first ``cutoff`` documents with a group count:
      those without one are left out before. A class (``view.full`` and ``CONDENSED = False``) can
      count them.
    * ``length [R]``: the number of these documents, at least 1
    * ``relevance [R, D]``: their relevance, 0 for unjudged ones and past the end
    * ``labels [L]``: the groups, sorted by label, whatever their ``order``: a list of text. They
      are the columns of ``member``, ``shares`` and ``target``; ``labels.index('PRO')`` is the
      column of PRO.
    * ``member [S, L]``: whether each label set has each group. The last label set has none, and
      stands for −1: ``member[codes]`` is False past the end.
    * ``shares [S, L]``: the share of each group in each label set; a document of m groups counts
      1/m for each. The rows sum to 1, but the last is 0.
    * ``target [R, L]``: the target share of each group. The measure then has the parameters
      ``target``, by default ``'qrels'``, and ``rel``; a topic with an empty target is undefined.
    * ``cutoff``: the cutoff; None without one

    :param function: returns a value for each ranking, ``[R]``, NaN if it is undefined, which must
        not depend on the ranking. Its docstring describes the measure. For several processes it
        can be imported, or pickled by cloudpickle.
    :param name: the name of the measure; by default the name of the function
    :param ideal: the value of a fair ranking; ``math.inf`` if more is always fairer
    :param range: the smallest and the largest value, ``None`` for no bound
    :returns: the measure, with the parameters ``cutoff`` and ``groups``; a function that is defined
        again in its module takes the place of the earlier one
    :raises ValueError: if the function takes something else, the name is taken or cannot be parsed,
        or the ideal value is outside the range; when it is computed, if a value is

    Examples
    --------
    >>> import pt_fairness
    >>> from pt_fairness.measures.example import qrels, run
    >>> def gap(codes, length, shares, target):
    ...     '''How far the share of a group is from its target, at most.'''
    ...     ranked = shares[codes].sum(axis=1) / length[:, None]
    ...     return abs(ranked - target).max(axis=1)
    >>> Gap = pt_fairness.measure(gap, name="Gap")
    >>> Gap @ 2, round((Gap @ 2).calc_aggregate(qrels, run), 3)
    (Gap@2, 0.333)
    >>> (Gap(target="uniform") @ 2).calc_aggregate(qrels, run)
    0.5
    """
    if not callable(function):
        raise ValueError(f"function must be a function, got {shown(function)}")
    name = getattr(function, "__name__", "") if name is None else name
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name must be letters, digits and underscores, such as 'Gap', got "
                         f"{shown(name)}")
    kind = _class(function, name, ideal, tuple(range))
    before = MEASURES.get(name)
    if isinstance(before, FunctionMeasure) and _place(before.DECLARATION[0]) == _place(function):
        del MEASURES[name], irm.registry[name]
        for module in exporting_modules():
            module.pop(name, None)
    return register(kind())


def _place(function: Any) -> tuple[Any, Any]:
    """Return the module and the qualified name of a function."""
    return getattr(function, "__module__", None), getattr(function, "__qualname__", function)


def _bounds(range: Range) -> tuple[float, float]:
    """Return the ends of a range, infinite for no bound."""
    low, high = range
    return -inf if low is None else low, inf if high is None else high


def _least_fair(ideal: float, low: float, high: float) -> float:
    """Return the least fair value of a range. An open end counts as 1 away from the ideal value."""
    if ideal == low:
        return low + 1 if math.isinf(high) else high
    if ideal == high:
        return high - 1 if math.isinf(low) else low
    return ideal


def _class(function: Any, name: str, ideal: Any, range: Any) -> type[FunctionMeasure]:
    """Return the class of the measure of a function.

    :raises ValueError: if the function takes something else, or the ideal value is out of range
    """
    try:
        low, high = _bounds(range)
        least_fair = _least_fair(ideal, low, high)
        possible = low < high and low <= ideal <= high and math.isfinite(least_fair)
    except (TypeError, ValueError):
        possible = False
    if not possible:
        raise ValueError("range must be the smallest and the largest value, None for no bound, "
                         f"with ideal between them, got range={shown(range)} and "
                         f"ideal={shown(ideal)} for {name}")
    parameters = inspect.signature(function).parameters.values()
    needed = {parameter.name for parameter in parameters if parameter.default is parameter.empty}
    if not needed <= {*ARRAYS}:
        raise ValueError(f"the function of {name} must take {', '.join(ARRAYS)}, got "
                         f"{', '.join(sorted(needed))}")
    supported = {"cutoff": params.cutoff(), "groups": params.groups()}
    if "target" in needed:
        supported |= {"rel": params.rel(), "target": params.target()}
    text = inspect.getdoc(function) or name
    return type(name, (FunctionMeasure,), {
        "__doc__": f"{name} — {name}.\n\n{text}", "NAME": name, "IDEAL": float(ideal),
        "RANGE": range, "DEFAULT": float(least_fair), "SUPPORTED_PARAMS": supported,
        "COMPARES": "target" in needed, "RELEVANCE": "relevance" in needed,
        "DECLARATION": (function, name, ideal, range), "ARRAYS": tuple(needed)})


def _blank(declaration: tuple[Any, ...]) -> Any:
    """Return a measure without parameters, for unpickling."""
    _, name, *_ = declaration
    kind = type(MEASURES.get(name))
    if getattr(kind, "DECLARATION", None) != declaration:
        kind = _class(*declaration)
    return object.__new__(kind)
