"""Measures by name: the registry, parsing with errors that help, and measures of a user's own."""

from __future__ import annotations

import difflib
import inspect
import keyword
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from io import StringIO
from math import copysign, inf, isfinite, isnan, nan
from typing import Any

import ir_measures
import numpy as np
from ir_measures import measures as irm

from pt_fairness.core.arrays import ROUNDING, Floats
from pt_fairness.core.messages import shown
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Range
from pt_fairness.measures.params import Param, literal
from pt_fairness.rankings.rankings import Rankings

#: The measures of this package by name, in registration order, without aliases.
MEASURES: dict[str, FairnessMeasure] = {}
#: The heading of what a reader looks up, below the formula and the example.
DETAILS = "Details\n-------\n"
#: Environment variable; if ``ndeval``, ir_measures computes all measures of ndeval.
ALPHA_VARIABLE = "PT_FAIRNESS_ALPHA"
ALPHA_MEASURES = frozenset({"alpha_nDCG", "alpha_DCG"})
#: The other measures of ndeval, computed by ndeval on runs in trec_eval's order.
NDEVAL_MEASURES = frozenset({"ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"})
#: The modules that hold all measures by name. pyterrier.measures copies the registry of ir_measures
#: when it is imported.
_EXPORTING = ("pt_fairness", "pyterrier.measures")


def register(measure: FairnessMeasure, aliases: Sequence[str] = ()) -> FairnessMeasure:
    """Register a measure in ir_measures, hence in PyTerrier and on the command lines.

    :param aliases: further names of the measure
    :raises ValueError: if one of the names is already registered in ir_measures
    """
    names = [measure.NAME, *aliases]
    for name in names:
        if name in irm.registry:
            raise ValueError(f"NAME must be new in ir_measures, got {name!r}")
    irm.register(measure, aliases, name=measure.NAME)
    # help() shows the docstring of an object only if its class has another.
    title, body = docstring_parts(measure)
    lead, _, details = body.partition(DETAILS)
    parameters = DETAILS + parameters_text(measure)
    sections = [f"{title}.", lead.strip(), parameters, details]
    measure.__doc__ = "\n\n".join(sections).strip()
    MEASURES[measure.NAME] = measure
    for module in exporting_modules():
        for name in names:
            module.setdefault(name, measure)
    return measure


def docstring_parts(measure: FairnessMeasure) -> tuple[str, str]:
    """Return the summary line of a measure's docstring, without its full stop, and the body."""
    text = getattr(measure, "documentation", type(measure).__doc__) or ""
    head, _, body = inspect.cleandoc(text).partition("\n")
    return head.rstrip("."), body.strip()


def docstring_sections(measure: FairnessMeasure) -> dict[str, str]:
    """Return the sections of a measure's docstring by heading; the text above them has ``''``."""
    _, body = docstring_parts(measure)
    lead, *rest = re.split(r"^(\w[\w ]*)\n-+\n", body, flags=re.MULTILINE)
    texts = map(str.strip, rest[1::2])
    sections = zip(rest[::2], texts, strict=True)
    return {"": lead.strip(), **dict(sections)}


def parameters_text(measure: FairnessMeasure) -> str:
    """Return a line for each parameter of a measure: its name, what it is, and its default."""
    lines = []
    for name, param in measure.SUPPORTED_PARAMS.items():
        default = "required" if param.required else f"default {literal(measure.param(name))}"
        line = f"{name}: {param.desc} ({default})"
        lines += textwrap.wrap(line, subsequent_indent="    ")
    return "\n".join(lines)


def exporting_modules() -> list[dict[str, Any]]:
    """Return the namespaces of the imported modules that hold all measures."""
    return [vars(sys.modules[name]) for name in _EXPORTING if name in sys.modules]


#: A larger cutoff would crash pytrec_eval.
LARGEST_INT = 2**31 - 1
TAKES = "measures must be objects of ir_measures or names such as 'nDCG@10'"
#: A quoted text, or a negative number outside quotes and numbers.
_NEGATIVE = re.compile(r"""('[^']*'|"[^"]*")|(?<![\w.])-\s*[\d.]+(?:e[-+]?\d+)?""")
#: A parameter whose value is text without quotes.
_UNQUOTED = re.compile(r"""(\w+)\s*=\s*(?!True\b|False\b|None\b)([^\W\d]\w*)\s*[,)]""")
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

    :raises NameError: if the name is unknown
    :raises ValueError: if the text has another form

    Examples
    --------
    >>> parse("RaB(values={'PRO': 1, 'CON': -1})@10")
    RaB(values={'CON':'-1.0','PRO':1.0})@10
    """
    # The parser of ir_measures rejects negative numbers, so the repr of a measure quotes them.
    quoted = _NEGATIVE.sub(lambda match: match[1] or repr(match[0]), text.strip())
    return ir_measures.parse_measure(quoted)


def _key(name: str) -> str:
    name = name.casefold().replace("α", "alpha").replace("β", "beta")
    return re.sub(r"[\W_]", "", name)


def meant(text: str) -> str | None:
    """Return the measure that a text with a mistake stands for, ``None`` if none is near.

    Names of trec_eval are known. Case, hyphens and underscores do not count.

    Examples
    --------
    >>> [meant(text) for text in ("ndgc@10", "ndcg_cut_10", "rkl@5", "map")]
    ['nDCG@10', 'nDCG@10', 'rKL@5', 'AP']
    """
    with redirect_stdout(StringIO()), suppress(ValueError):  # it prints what it does not know
        (measure,) = ir_measures.parse_trec_measure(text.strip())
        return str(measure)
    name, parameters = re.fullmatch(r"([^(@]*)(.*)", text.strip(), re.DOTALL).groups()  # type: ignore
    names = {registered: _key(registered) for registered in irm.registry}
    for key in difflib.get_close_matches(_key(name), names.values(), n=1, cutoff=0.5):
        same = [registered for registered in names if names[registered] == key]
        (near,) = difflib.get_close_matches(name, same, n=1, cutoff=0.0)
        return near + parameters if near != name.strip() else None
    return None


def _advice(text: str) -> str:
    """Return a hint if a text lacks quotation marks, or names several measures; else ``''``."""
    bare = _UNQUOTED.search(text)
    if bare:
        return f" Put text in quotes: {bare[1]}='{bare[2]}'."
    if re.search("[,;]", re.sub(r"\(.*?\)", "", text)):
        return " Separate measures by spaces."
    return ""


def parsed_one(measure: Any, check: bool = True) -> Any:
    """Parse one measure.

    :param measure: an object or its text
    :param check: whether to check the parameters
    :raises ValueError: if the name is unknown, a parameter or the cutoff is wrong, or an object is
        not a measure
    """
    if isinstance(measure, str):
        try:
            measure = parse(measure)
        except (NameError, ValueError) as error:
            near = meant(measure)
            advice = f" Did you mean {near!r}?" if near else _advice(measure)
            raise ValueError(f"{TAKES}, got {shown(measure)} ({error}).{advice}") from None
    if not isinstance(measure, ir_measures.Measure):
        raise ValueError(f"{TAKES}, got {shown(measure)}")
    if not check and set(measure.params).issubset(measure.SUPPORTED_PARAMS):
        return measure
    try:
        measure.validate_params()
    except AssertionError as error:  # from measures of ir_measures
        missing = re.sub(r"invalid param (\w+)=<object.*", r"\1 must be given", str(error))
        raise ValueError(f"{measure.NAME}: {missing}") from None
    cutoff = measure.params.get("cutoff")
    if isinstance(cutoff, int) and not 1 <= cutoff <= LARGEST_INT:  # aborts the interpreter
        raise ValueError(f"cutoff must be from 1 to {LARGEST_INT}, got {cutoff} in {measure}")
    return measure


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
        summary, *_ = text.split("\n\n")
        self.SHORT_DESC = " ".join(summary.split())
        low, high = self.RANGE
        low = -inf if low is None else low
        high = inf if high is None else high
        self.bounds = low, high
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
        relevance = view.condensed_relevance(self.cutoff)
        target = self.target(view)
        rows = length > 0
        shares = np.pad(view.share, ((0, 1), (0, 0)))
        arrays = {"codes": codes[rows], "length": length[rows], "relevance": relevance[rows],
                  "member": shares > 0, "shares": shares, "labels": [*view.labels],
                  "cutoff": self.cutoff}
        worst = inf if isnan(self.DEFAULT) else self.DEFAULT
        values = np.full(len(view), worst)
        if target is not None:
            arrays["target"] = target[rows]
        if rows.any():
            function, *_ = self.declaration
            computed = function(**{name: arrays[name] for name in self.arrays})
            qids = np.array(view.qids, object)
            values[rows] = self._checked(computed, qids[rows])
        if target is not None and not self.reads_run:
            has_target = target.any(axis=1)
            values[~has_target] = nan
        return values

    def _checked(self, computed: Any, qids: Any) -> Floats:
        """Return the values of a function as floats, if each topic has one in the range."""
        values = np.asarray(computed, float)
        if values.shape != qids.shape:
            raise ValueError(f"the function of {self.NAME} must return an array of the shape "
                             f"{qids.shape}, got {values.shape}")
        low, high = self.bounds
        outside = (values < low - ROUNDING) | (values > high + ROUNDING)
        outside |= np.isinf(values)
        if outside.any():
            row = outside.argmax()
            wrong = f"{values[row]:g} for topic {qids[row]!r}"
            raise ValueError(f"the function of {self.NAME} must return values in its range "
                             f"{self.RANGE}, got {wrong}")
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
    >>> from pt_fairness.measures.descriptions import qrels, run
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
        taken = ", ".join(made.arrays)
        raise ValueError(f"the function of {name} must take {', '.join(ARRAYS)}, got {taken}")
    if isinstance(MEASURES.get(name), FunctionMeasure):
        del MEASURES[name], irm.registry[name]
        for module in exporting_modules():
            module.pop(name, None)
    return register(made)
