"""Measures by name: the registry, and parsing with errors that help."""

from __future__ import annotations

import difflib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Any

import ir_measures
from ir_measures import measures as irm

from pt_fairness.core.messages import shown
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.measures.params import literal

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


def register(measure: FairnessMeasure, aliases: Iterable[str] = ()) -> FairnessMeasure:
    """Register a measure in ir_measures, hence in PyTerrier and on the command lines.

    :param aliases: further names of the measure
    :raises ValueError: if one of the names is already registered in ir_measures
    """
    names = [measure.NAME, *aliases]
    for name in names:
        if name in irm.registry:
            raise ValueError(f"NAME must be new in ir_measures, got {name!r}")
    irm.register(measure, names[1:], name=measure.NAME)
    # help() shows the docstring of an object only if its class has another.
    title, body = docstring_parts(measure)
    lead, _, details = body.partition(DETAILS)
    measure.__doc__ = "\n\n".join([f"{title}.", lead.strip(),
                                   f"{DETAILS}{parameters_text(measure)}", details]).strip()
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
    return {"": lead.strip(), **dict(zip(rest[::2], map(str.strip, rest[1::2]), strict=True))}


def parameters_text(measure: FairnessMeasure) -> str:
    """Return a line for each parameter of a measure: its name, what it is, and its default."""
    lines = []
    for name, param in measure.SUPPORTED_PARAMS.items():
        default = "required" if param.required else f"default {literal(measure.param(name))}"
        lines += textwrap.wrap(f"{name}: {param.desc} ({default})", subsequent_indent="    ")
    return "\n".join(lines)


def exporting_modules() -> list[dict[str, Any]]:
    """Return the namespaces of the imported modules that hold all measures."""
    return [vars(sys.modules[name]) for name in _EXPORTING if name in sys.modules]


#: A larger cutoff would crash pytrec_eval.
LARGEST_INT = 2**31 - 1
TAKES = "measures must be objects of ir_measures or names such as 'nDCG@10'"
#: A quoted text, or a negative number outside quotes and numbers.
_NEGATIVE = re.compile(r"""('[^']*'|"[^"]*")|(?<![\w.])-\s*[\d.]+(?:e[-+]?\d+)?""")
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
    return re.sub(r"[\W_]", "", name.casefold().replace("α", "alpha").replace("β", "beta"))


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
            advice = f" Did you mean {near!r}?" if near else ""
            raise ValueError(f"{TAKES}, got {shown(measure)} ({error}).{advice}") from None
    if not isinstance(measure, ir_measures.Measure):
        raise ValueError(f"{TAKES}, got {shown(measure)}")
    if not check and measure.params.keys() <= measure.SUPPORTED_PARAMS.keys():
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
