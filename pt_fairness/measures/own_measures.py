"""Measures of a user's own, made from functions of arrays."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable
from math import copysign, inf, isfinite, isnan, nan
from typing import Any

import numpy as np
from ir_measures import measures as irm

from pt_fairness.core.arrays import ROUNDING, Floats
from pt_fairness.core.messages import shown
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Range
from pt_fairness.measures.measure_names import MEASURES, exporting_modules, register
from pt_fairness.measures.params import Param
from pt_fairness.rankings.rankings import Rankings

#: The arrays that the function of a measure may take.
ARRAYS = ("codes", "length", "relevance", "member", "shares", "target", "labels", "cutoff")


class FunctionMeasure(FairnessMeasure):
    """A measure made by :func:`measure`, whose arguments ``declaration`` holds."""

    DEFAULT = 1.0

    def __init__(self, declaration: tuple[Any, ...], **params: Any) -> None:
        function, name, self.IDEAL, self.RANGE = self.declaration = declaration
        text = inspect.getdoc(function) or name
        self.documentation = f"{name} — {name}.\n\n{text}"
        self.NAME = self.PRETTY_NAME = name
        self.SHORT_DESC = " ".join(text.split("\n\n")[0].split())
        low, high = self.RANGE
        low, high = self.bounds = (-inf if low is None else low, inf if high is None else high)
        self.DEFAULT = furthest(self.IDEAL, low, high)
        parameters = inspect.signature(function).parameters.values()
        #: The arrays that the function takes.
        self.arrays = [each.name for each in parameters if each.default is each.empty]
        self.COMPARES = "target" in self.arrays  # type: ignore[misc]
        self.RELEVANCE = "relevance" in self.arrays  # type: ignore[misc]
        super().__init__(**params)

    @property
    def SUPPORTED_PARAMS(self) -> dict[str, Param]:  # type: ignore[override]  # noqa: N802
        declared = {"cutoff": params.cutoff(), "groups": params.groups()}
        if self.COMPARES:
            declared |= {"rel": params.rel(), "target": params.target()}
        return declared

    def __call__(self, **params: Any) -> FunctionMeasure:
        return FunctionMeasure(self.declaration, **self.params | params)

    def score(self, view: Rankings) -> Floats:
        """Return the value of each ranking, ``[R]``.

        A ranking without documents that count has ``DEFAULT``, and an infinite value where that is
        NaN; an empty target makes it undefined.

        :raises ValueError: if the function does not return a value in range for each ranking
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
        values = np.full(len(view), inf if isnan(self.DEFAULT) else self.DEFAULT)
        if rows.any():
            function, *_ = self.declaration
            computed = np.asarray(function(**{name: arrays[name] for name in self.arrays}), float)
            if computed.shape != (rows.sum(),):
                raise ValueError(f"the function of {self.NAME} must return an array of the shape "
                                 f"({rows.sum()},), got {computed.shape}")
            low, high = self.bounds
            outside = (computed < low - ROUNDING) | (computed > high + ROUNDING)
            outside |= np.isinf(computed)
            if outside.any():
                qid = np.array(view.qids, object)[rows][outside][0]
                raise ValueError(f"the function of {self.NAME} must return values in its range "
                                 f"{self.RANGE}, got {computed[outside][0]:g} for topic {qid!r}")
            values[rows] = computed
        if target is not None and not self.reads_run:
            values[~target.any(axis=1)] = nan
        return values


def furthest(ideal: float, low: float, high: float) -> float:
    """Return the value of a range that is furthest from the ideal one, ``high`` of two.

    It is 1 from an ideal value at the end of a half-open range, and NaN if the ideal value is
    inside an open one.
    """
    worst = high if high - ideal >= ideal - low else low
    if isfinite(worst):
        return float(worst)
    return ideal + copysign(1, worst) if ideal in (low, high) else nan


def measure(function: Callable[..., Any], name: str | None = None, ideal: float = 0.0,
            range: Range = (0.0, 1.0)) -> FairnessMeasure:
    """Make a measure from a function of arrays, and register it in ir_measures.

    The function names what it takes, by keyword. There are R rankings, mostly one for each topic, D
    ranks, S label sets and L groups. It is not called for rankings without documents that count:
    these have the value of the range that is furthest from the ideal one. If the range is open,
    they lie 1 from an ideal value at its other end; inside it, they have no value, and their topics
    are left out of the averages of the run.

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
    :returns: the measure, with the parameters ``cutoff`` and ``groups``. A measure of a function
        takes the place of an earlier one of this name.
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
    name = str(name or getattr(function, "__name__", ""))
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name must be letters, digits and underscores, such as 'Gap', got "
                         f"{shown(name)}")
    made = FunctionMeasure((function, name, ideal, range))
    low, high = made.bounds
    if not (low < high and low <= ideal <= high and abs(made.DEFAULT) != inf):
        raise ValueError("range must be the smallest and the largest value, None for no bound, "
                         f"with ideal between them, got range={range} and ideal={ideal}")
    if not {*made.arrays} <= {*ARRAYS}:
        raise ValueError(f"the function of {name} must take {', '.join(ARRAYS)}, got "
                         f"{', '.join(made.arrays)}")
    if isinstance(MEASURES.get(name), FunctionMeasure):
        del MEASURES[name], irm.registry[name]
        for module in exporting_modules():
            module.pop(name, None)
    return register(made)
