"""Measures by name: the registry, measures made from functions, and parsing with helpful errors."""

from __future__ import annotations

import difflib
import inspect
import keyword
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout, suppress
from io import StringIO
from math import inf, nan
from typing import Any, ClassVar, SupportsIndex

import ir_measures
import numpy as np
from ir_measures import measures as irm

from pt_fairness.core.arrays import ROUNDING, Floats
from pt_fairness.core.imports import module_of_user
from pt_fairness.core.messages import listed, shown, warn
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Range, docstring_of, with_objects
from pt_fairness.rankings.view import View

#: The measures of this package by name, in registration order, without aliases.
MEASURES: dict[str, FairnessMeasure] = {}
#: Environment variable; if ``ndeval``, ir_measures computes all measures of ndeval.
ALPHA_VARIABLE = "PT_FAIRNESS_ALPHA"
ALPHA_MEASURES = frozenset({"alpha_nDCG", "alpha_DCG"})
#: The other measures of ndeval, computed by ndeval on runs in trec_eval's order.
NDEVAL_MEASURES = frozenset({"ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"})
#: The modules that hold all measures by name. pyterrier.measures copies the registry of ir_measures
#: when it is imported.
_EXPORTING = ("pt_fairness", "pyterrier.measures")


def register(measure: FairnessMeasure, aliases: Iterable[str] = ()) -> FairnessMeasure:
    """Register a measure in ir_measures, hence in PyTerrier and on the command lines.

    :param aliases: further names of the measure
    :raises ValueError: one of the names is already registered in ir_measures
    """
    names = [measure.NAME, *aliases]
    for name in names:
        if name in irm.registry:
            raise ValueError(f"ir_measures already has a measure named {name!r}; give this one "
                             "another NAME")
    irm.register(measure, names[1:], name=measure.NAME)
    # help() shows the docstring of an object, if it is not that of its class.
    measure.__doc__ = docstring_of(measure)
    MEASURES[measure.NAME] = measure
    for module in _exporting():
        for name in names:
            module.setdefault(name, measure)
    return measure


def _exporting() -> list[dict[str, Any]]:
    """Return the names of those modules of ``_EXPORTING`` that are imported."""
    return [vars(sys.modules[name]) for name in _EXPORTING if name in sys.modules]


class FunctionMeasure(FairnessMeasure):
    """A measure made by :func:`measure`. Each has a subclass of its own."""

    #: The arguments of :func:`measure`.
    DECLARATION: ClassVar[tuple[Any, ...]]
    #: The arrays that the function takes.
    TAKES: ClassVar[tuple[str, ...]]

    def score(self, view: View) -> Floats:
        """Return the value of each list, ``[R]``.

        A list without documents that count has ``DEFAULT``; an empty target makes it undefined.
        """
        codes, length = view.condensed(self.cutoff)
        relevance = view.condensed_relevance(self.cutoff)
        target = self.target(view)
        rows = length > 0
        none = np.zeros((1, len(view.labels)))
        member = np.vstack([view.member, none > 0])
        shares = np.vstack([view.share, none])
        arrays = {"codes": codes[rows], "length": length[rows], "relevance": relevance[rows],
                  "member": member, "shares": shares, "labels": [*view.labels],
                  "cutoff": self.cutoff}
        if target is not None:
            arrays["target"] = target[rows]
        values = np.full(len(view), self.DEFAULT)
        if rows.any():
            qids = np.array(view.qids, object)
            values[rows] = self._computed(arrays, qids[rows])
        if target is not None and not self.of_run:
            values[~target.any(axis=1)] = nan
        return values

    def _computed(self, arrays: Mapping[str, Any], qids: Any) -> Floats:
        """Return the values of the function, ``[R]``.

        :param qids: the topic of each list, ``[R]``
        :raises ValueError: it does not return a value for each list, or one outside the range
        """
        function, *_ = self.DECLARATION
        taken = {name: arrays[name] for name in self.TAKES}
        values = np.asarray(function(**taken), float)
        if values.shape != qids.shape:
            raise ValueError(f"the function of {self.NAME} returns an array of the shape "
                             f"{values.shape} for {len(qids)} lists; it has to return a value for "
                             f"each list, of the shape {qids.shape}")
        low, high = _bounds(self.RANGE)
        outside = np.isinf(values) | (values < low - ROUNDING) | (values > high + ROUNDING)
        if outside.any():
            raise ValueError(f"the function of {self.NAME} returns {values[outside][0]:g} for "
                             f"topic {qids[outside][0]!r}, outside its range {self.RANGE}; declare "
                             "another range, with None for no bound, and return NaN for what is "
                             "undefined")
        return values

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # pickle finds classes by module and name, and this class is in no module.
        state = vars(self.with_sources(with_objects))
        return _blank, (self.DECLARATION,), state


#: The group of entry points whose modules declare measures.
ENTRY_POINTS = "pt_fairness.measures"
#: The arrays that the function of a measure may take.
ARRAYS = ("codes", "length", "relevance", "member", "shares", "target", "labels", "cutoff")


def measure(function: Callable[..., Any], name: str | None = None, ideal: float = 0.0,
            range: Range = (0.0, 1.0)) -> FairnessMeasure:
    """Make a measure from a function of arrays, and register it in ir_measures.

    The function names what it takes, by keyword. There are R lists, mostly one for each topic, D
    ranks, S label sets and L groups. It is not called for lists without documents that count: these
    have the least fair value of the range, or lie 1 from the ideal value where the range is open.

    * ``codes [R, D]``: the label set of each document that counts, a row of ``member`` and
      ``shares``; −1 past the end of a list. The first ``cutoff`` documents with a group count:
      those without one are left out before. A class (``view.full`` and ``CONDENSED = False``) can
      count them.
    * ``length [R]``: the number of these documents, at least 1
    * ``relevance [R, D]``: their relevance, 0 for unjudged ones and past the end
    * ``labels [L]``: the groups, sorted by label, whatever their ``order``: a list of text. They
      are the columns of ``member``, ``shares`` and ``target``; ``labels.index('PRO')`` is that of
      PRO.
    * ``member [S, L]``: whether each label set has each group. The last label set has none, and
      stands for −1: ``member[codes]`` is False past the end.
    * ``shares [S, L]``: the share of each group in each label set; a document of m groups counts
      1/m for each. The rows sum to 1, but the last is 0.
    * ``target [R, L]``: the target share of each group. The measure then has the parameters
      ``target`` and ``rel``; a topic with an empty target is undefined.
    * ``cutoff``: the cutoff; None without one

    With ``**arrays``, it takes all of them. ``target`` is then ``'uniform'`` by default, and
    ``'qrels'`` otherwise.

    :param function: returns a value for each list, ``[R]``, NaN where it is undefined, which must
        not depend on the ranking. Its docstring is that of the measure. For several processes it
        can be imported, or pickled by cloudpickle.
    :param name: the name of the measure; by default that of the function
    :param ideal: the value of a fair ranking; ``math.inf`` if more is always fairer
    :param range: the smallest and the largest value, ``None`` for no bound
    :returns: the measure, with the parameters ``cutoff`` and ``groups``; a function that is defined
        again in its module takes the place of the earlier one
    :raises ValueError: no function, a keyword that is none of these, a name that is taken or cannot
        be parsed, or an ideal value outside the range; when it is computed, values of another shape
        or outside the range

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
        raise ValueError(f"measure takes a function, not {shown(function)}")
    name = getattr(function, "__name__", "") if name is None else name
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"a measure cannot be named {shown(name)}, which does not parse; give a "
                         "name= such as 'Gap', of letters, digits and underscores")
    before = MEASURES.get(name)
    kind = _class_of(function, name, ideal, tuple(range))
    if isinstance(before, FunctionMeasure) and _place(before.DECLARATION[0]) == _place(function):
        del MEASURES[name], irm.registry[name]
        for module in _exporting():
            module.pop(name, None)
    return register(kind())


def import_installed() -> None:
    """Import the modules that installed packages name in the group :data:`ENTRY_POINTS`."""
    from importlib import metadata
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        try:
            module_of_user(entry.module)
        except Exception as error:
            warn(f"the measures of the entry point {entry.name} = {entry.value} cannot be imported "
                 f"({type(error).__name__}: {error}); mend or remove the package that has it")


def _place(function: Any) -> tuple[Any, Any]:
    """Return the module and the qualified name of a function."""
    return getattr(function, "__module__", None), getattr(function, "__qualname__", function)


def _bounds(range: Range) -> tuple[float, float]:
    """Return the ends of a range, infinite for no bound."""
    low, high = range
    return -inf if low is None else low, inf if high is None else high


def _least_fair(ideal: float, low: float, high: float) -> float:
    """Return the end of a range that is not ideal; if it is open, a value at a distance of 1."""
    if ideal == low:
        return low + 1 if math.isinf(high) else high
    if ideal == high:
        return high - 1 if math.isinf(low) else low
    return ideal


def _class_of(function: Any, name: str, ideal: Any, range: Any) -> type[FunctionMeasure]:
    """Return the class of the measure of a function.

    :raises ValueError: an unknown keyword, or a range or an ideal value that is not possible
    """
    declaration = function, name, ideal, range
    try:
        low, high = _bounds(range)
        worst = _least_fair(ideal, low, high)
        possible = low < high and low <= ideal <= high and math.isfinite(worst)
    except (TypeError, ValueError):
        possible = False
    if not possible:
        raise ValueError(f"{name}: ideal={shown(ideal)}, range={shown(range)} is not "
                         "possible; range takes the smallest and the largest value, None for no "
                         "bound, and ideal a number from the one to the other")
    takes = _keywords(function, name)
    supported = {"cutoff": params.cutoff(), "groups": params.groups()}
    if "target" in takes:
        named = "target" in inspect.signature(function).parameters
        target = params.target("qrels" if named else "uniform")
        supported |= {"rel": params.rel(), "target": target}
    text = inspect.getdoc(function) or name
    return type(name, (FunctionMeasure,), {
        "__doc__": f"{name} — {name}.\n\n{text}", "NAME": name, "IDEAL": float(ideal),
        "RANGE": range, "DEFAULT": float(worst), "SUPPORTED_PARAMS": supported,
        "COMPARES": "target" in takes, "RELEVANCE": "relevance" in takes,
        "DECLARATION": declaration, "TAKES": takes})


def _keywords(function: Any, name: str) -> tuple[str, ...]:
    """Return the arrays that a function takes.

    :raises ValueError: it needs something else
    """
    parameters = inspect.signature(function).parameters.values()
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = set()
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:  # the last one
            return ARRAYS
        if parameter.name in ARRAYS and parameter.kind in by_keyword:
            named.add(parameter.name)
        elif parameter.kind is not parameter.VAR_POSITIONAL \
                and parameter.default is parameter.empty:
            raise ValueError(f"the function of {name} takes {parameter.name!r}, which a measure "
                             f"does not give by keyword; it gives {listed(ARRAYS)}")
    return tuple(array for array in ARRAYS if array in named)


def _blank(declaration: tuple[Any, ...]) -> Any:
    """Return a measure without parameters, for unpickling."""
    _, name, *_ = declaration
    kind = type(MEASURES.get(name))
    if getattr(kind, "DECLARATION", None) != declaration:
        kind = _class_of(*declaration)
    return object.__new__(kind)


#: A larger cutoff would crash pytrec_eval.
LARGEST_INT = 2**31 - 1
TAKES = "measures are objects of ir_measures or names such as 'nDCG@10'"
#: A quoted text, or a negative number outside quotes.
_NEGATIVE = re.compile(r"""('[^']*'|"[^"]*")|-\s*[\d.]+""")
#: A measure in a text of several, which may have white space within brackets, quotes or around @.
_ONE = re.compile(r"""(?:'[^']*'|"[^"]*"|\((?:'[^']*'|"[^"]*"|[^'"()])*\)|\s*@\s*|\S)+""")


def split(text: str) -> list[str]:
    """Split a text into measures at white space.

    Examples
    --------
    >>> split("nDCG@10 rKL(groups='stance', target='run') @ 10")
    ['nDCG@10', "rKL(groups='stance', target='run') @ 10"]
    """
    return [part.strip() for part in _ONE.findall(text)]


def parse(text: str) -> ir_measures.Measure:
    """Parse a measure as ir_measures does, and also dictionaries with negative numbers.

    :raises NameError: an unknown name
    :raises ValueError: a text of another form

    Examples
    --------
    >>> parse("RaB(values={'PRO': 1, 'CON': -1})@10")
    RaB(values={'CON':'-1.0','PRO':1.0})@10
    """
    # The parser of ir_measures rejects negative numbers, so the repr of a measure quotes them, too.
    quoted = _NEGATIVE.sub(lambda match: match[1] or repr(match[0]), text.strip())
    return ir_measures.parse_measure(quoted)


def _key(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold().replace("α", "alpha").replace("β", "beta"))


def meant(text: str) -> str | None:
    """Return the measure that a text with a mistake stands for, ``None`` if none is near.

    Names of trec_eval are known. Case, hyphens and underscores do not count.

    Examples
    --------
    >>> [meant(text) for text in ("α-nDCG@10", "ndcg_cut_10", "rkl@5", "map")]
    ['α_nDCG@10', 'nDCG@10', 'rKL@5', 'AP']
    """
    name, rest = re.fullmatch(r"([^(@]*)(.*)", text.strip(), re.DOTALL).groups()  # type: ignore
    name = name.strip()
    keys: dict[str, list[str]] = {}
    for registered in ir_measures.measures.registry:
        keys.setdefault(_key(registered), []).append(registered)
    names = []
    for key in difflib.get_close_matches(_key(name), keys, n=3, cutoff=0.5):
        names += difflib.get_close_matches(name, keys[key], n=1, cutoff=0.0)
    with redirect_stdout(StringIO()), suppress(ValueError):  # it prints what it does not know
        measures = ir_measures.parse_trec_measure(name)
        if len(measures) == 1 and not rest:
            return str(measures[0])
    if name in names:
        return None
    for candidate in [near + rest for near in names] + names:
        with suppress(ValueError, NameError):
            parse(candidate)
            return candidate
    return None


def parsed_one(measure: Any, check: bool = True) -> Any:
    """Parse one measure.

    :param measure: an object or its text
    :param check: whether to check the parameters
    :raises ValueError: an unknown name, a wrong parameter, a cutoff that is not possible, or an
        object that is no measure
    """
    try:
        measure = parse(measure) if isinstance(measure, str) else measure
    except (NameError, ValueError) as error:
        near = meant(measure)
        wrong = str(error)
        if not isinstance(error, NameError):
            wrong = f"{shown(measure)} cannot be read as a measure ({error})"
        advice = f". Did you mean {near}?" if near else ""
        raise ValueError(f"{wrong}; {TAKES}{advice}") from None
    if not isinstance(measure, ir_measures.Measure):
        raise ValueError(f"{shown(measure)} is a {type(measure).__name__}, not a measure; {TAKES}")
    declared = measure.SUPPORTED_PARAMS
    params = measure.params
    if not check and params.keys() <= declared.keys():
        return measure
    try:
        measure.validate_params()
    except AssertionError as error:  # from measures of ir_measures
        wrong_ones = [f"it has no parameter {name!r}" for name in params if name not in declared]
        wrong_ones += [f"it needs the parameter {name!r}" for name, info in declared.items()
                       if info.required and name not in params]
        raise ValueError(f"{measure.NAME} is not possible: {[*wrong_ones, error][0]}") from None
    cutoff = params.get("cutoff")
    if isinstance(cutoff, int) and not 1 <= cutoff <= LARGEST_INT:
        raise ValueError(f"{measure} is not possible: cutoff takes a whole number from 1 to "
                         f"{LARGEST_INT}")
    gains = params.get("gains")
    if isinstance(gains, dict):
        numbers = [*gains.keys(), *gains.values()]
        if not all(isinstance(number, int) for number in numbers):
            raise ValueError(f"{measure.NAME} is not possible: gains takes a dictionary from "
                             "grades of at least 0 to whole numbers, such as {1:1,2:3}")
    rel = params.get("rel")
    if isinstance(rel, int) and rel < 1 and type(measure).__module__.startswith("ir_measures.") \
            and not ir_measures.pyndeval.supports(measure):
        raise ValueError(f"{measure} is not possible: rel takes a whole number of at least 1")
    return measure
