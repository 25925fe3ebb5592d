"""Measures by name: the registry, and parsing with errors that say what is wrong."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Any

import ir_measures
from ir_measures import measures as irm

from pt_fairness.core.messages import shown
from pt_fairness.measures.measure import FairnessMeasure, docstring_of

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
    for module in filter(None, map(sys.modules.get, _EXPORTING)):
        for name in names:
            vars(module).setdefault(name, measure)
    return measure


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
    rel = params.get("rel")
    if isinstance(rel, int) and rel < 1 and type(measure).__module__.startswith("ir_measures.") \
            and not ir_measures.pyndeval.supports(measure):
        raise ValueError(f"{measure} is not possible: rel takes a whole number of at least 1")
    return measure
