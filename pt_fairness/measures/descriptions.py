"""The measures in words: for notes and warnings, and for the command line."""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence

from ir_measures import measures as irm

from pt_fairness.measures.bibliography import BIBLIOGRAPHY
from pt_fairness.measures.measure import FairnessMeasure, parameter_lines
from pt_fairness.measures.measure_names import MEASURES
from pt_fairness.measures.params import literal

#: The targets in words.
TARGETS = {
    "qrels": "the distribution of the groups in the relevant documents of the topic",
    "collection": "the distribution of the groups in the relevant documents of all topics",
    "uniform": "equal shares of all groups",
    "run": "the distribution of the groups in the whole ranking",
    "ideal": "the exposure of the groups under ideal rankings",
}


def target_and_protected(measure: FairnessMeasure, several: bool = False) -> str:
    """Return the target and the protected group of a measure in words; ``''`` if it has neither.

    :param several: whether ``protected`` is not set, and there are more than two groups

    Examples
    --------
    >>> from pt_fairness import AWRF, EEL, FAIR, nDD, rND
    >>> [measure.target_word for measure in (EEL, EEL(by="group"), FAIR, FAIR(p=0.5), nDD)]
    [None, 'ideal', 'qrels', None, 'run']
    >>> target_and_protected(AWRF @ 5)
    'target: equal shares of all groups'
    >>> target_and_protected(rND(target={"CON": 0.5, "PRO": 0.5}, protected="CON"))
    "target: {'CON':0.5,'PRO':0.5}; protected: CON"
    """
    if list(measure.parts) != [measure]:
        return "; ".join(f"{part['groups']}: {target_and_protected(part)}"
                         for part in measure.parts if part.needs_groups)
    words = []
    target = measure.target_word
    if target is not None:
        words.append(f"target: {TARGETS.get(str(target), literal(target))}")
    protected = _protected(measure)
    if protected:
        words.append(f"protected: {protected}")
    if several:
        words.append("the others count as one")
    return "; ".join(words)


def _protected(measure: FairnessMeasure) -> str:
    protected = measure.param("protected")
    pro = measure.param("pro")
    if protected == "minority":
        return (f"the group with the fewest {measure.POPULATION} documents, of those that have "
                "any, per topic")
    if protected == "majority":
        return f"the group with the most {measure.POPULATION} documents, per topic"
    if protected == "all":
        return "none, all groups are compared"
    if has_one_view(measure):
        return pro
    if pro:
        return f"{pro} against {measure.param('con')}"
    if measure.COMPARES:
        protected = protected or measure.param("group")
    return protected or ""


def range_of(measure: FairnessMeasure) -> str:
    """Return the range of a measure in words."""
    low, high = measure.RANGE
    if low is None and high is None:
        return "unbounded"
    if low is None:
        return f"{high:g} or less".replace("-", "−")
    if high is None:
        return f"{low:g} or more"
    return f"{low:g} to {high:g}".replace("-", "−")


def fair_end_of(measure: FairnessMeasure) -> str:
    """Return the fair value of a measure, or ``more`` where a larger value is always fairer."""
    low, high = measure.RANGE
    if high is None and measure.FAIR_END not in (0, low):
        return "more"
    return f"{measure.FAIR_END:g}"


#: The measures whose fair end is the best value, but not fair.
_BEST = ("Annotated", "EER", "GFR", "MRecall", "OfGroup", "TrecFair")


def has_one_view(measure: FairnessMeasure) -> bool:
    """Return whether a measure of two views has one alone, so that it is an effectiveness."""
    return measure.param("pro") is not None and measure.param("con") is None


def fair_end_in_words(measure: FairnessMeasure) -> str:
    """Return what the fair end of a measure means.

    Examples
    --------
    >>> from pt_fairness import Annotated, FaiRR, rKL
    >>> [fair_end_in_words(measure) for measure in (rKL, Annotated, FaiRR)]
    ['0 is fair', '1 is best', 'more is fairer']
    """
    end = fair_end_of(measure)
    if end == "more":
        return "more is better" if has_one_view(measure) else "more is fairer"
    best = measure.NAME in _BEST or has_one_view(measure)
    return f"{end} is {'best' if best else 'fair'}"


def named(names: Iterable[str]) -> list[FairnessMeasure]:
    """Return the measures of some names, or all measures if there are none.

    :raises ValueError: a name is not a measure of this package
    """
    measures = []
    for name in names:
        measure = irm.registry.get(name)
        if not isinstance(measure, FairnessMeasure):
            raise ValueError(f"{name!r} is none of the measures of this package, which are "
                             f"{', '.join(MEASURES)}")
        measures.append(measure)
    return measures or list(MEASURES.values())


def overview(measures: Sequence[FairnessMeasure]) -> str:
    """Return a line for each measure: its name, range, fair end and what it asks.

    The lines are cut to the width of the terminal, or to the environment variable ``COLUMNS``.
    """
    rows = [("measure", "range", "fair", "what it asks")]
    for measure in measures:
        end = fair_end_of(measure)
        rows.append((measure.NAME, range_of(measure), end, measure.SHORT_DESC))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = shutil.get_terminal_size((0, 0)).columns
    lines = []
    for *cells, question in rows:
        padded = map(str.ljust, cells, widths)
        line = "  ".join([*padded, question])
        if columns and len(line) > columns:
            words = line[:columns - 1].rpartition(" ")[0]
            line = f"{words.rstrip()} …"
        lines.append(line)
    return "\n".join(lines)


def in_full(measures: Sequence[FairnessMeasure]) -> str:
    """Return the full documentation of measures as plain text."""
    return "\n\n\n".join(map(_full_entry, measures))


def _full_entry(measure: FairnessMeasure) -> str:
    end = fair_end_of(measure)
    fair = "fairer" if end == "more" else "fair"
    papers = [str(BIBLIOGRAPHY[key]) for key in measure.SOURCE]
    lines = [measure.SHORT_DESC, f"range {range_of(measure)}; {end} is {fair}", "",
             _plain_body(measure), "", *parameter_lines(measure), "", *papers]
    body = textwrap.indent("\n".join(lines), "    ")
    return f"{measure.NAME}  {measure.PRETTY_NAME}\n{body}"


#: A section of a docstring: its title, the line under it, and its text.
_SECTION = re.compile(r"(?ms)^(\w[\w ]*)\n(-+)\n(.*?)(?=^\w[\w ]*\n-+$|\Z)")
#: A formula in a docstring.
_FORMULA = re.compile(r"\.\. math::\n\n((?:   .*\n|\n)+)")


def docstring_parts(measure: FairnessMeasure) -> tuple[str, str]:
    """Return the summary line of a measure's docstring, without its full stop, and the body."""
    head, _, body = inspect.cleandoc(type(measure).__doc__ or "").partition("\n")
    return head.rstrip("."), body.strip()


def _plain_body(measure: FairnessMeasure) -> str:
    """Return the body of a docstring with formulas as Unicode, and without "As rND."."""
    _, body = docstring_parts(measure)
    body = _FORMULA.sub(_as_plain_formula, body + "\n")
    body = _SECTION.sub(_written_out, body)
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", body).rstrip()


def _as_plain_formula(match: re.Match[str]) -> str:
    return textwrap.indent(as_unicode(match[1]), "   ") + "\n\n"


def _written_out(section: re.Match[str]) -> str:
    """Return a section with that of another measure in place of "As rND."."""
    title, line, text = section.groups()
    reference = re.match(r"As (\w+)\. ?", text)
    if reference is not None:
        body = _plain_body(MEASURES[reference[1]])
        sections = _SECTION.findall(body)
        same = next(part for heading, _, part in sections if heading == title)
        rest = text[reference.end():]
        text = rest.lstrip() + same
    return f"{title}\n{line}\n{text}"


_SUPERSCRIPTS = str.maketrans("0123456789+-i", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱ")


def _superscript(match: re.Match[str]) -> str:
    return (match[1] or match[2]).translate(_SUPERSCRIPTS)


def _fraction(match: re.Match[str]) -> str:
    above = _side(match[1])
    below = _side(match[2])
    return f"{above}/{below}"


def _side(text: str) -> str:
    """Return one side of a fraction, in brackets if it has several terms or factors."""
    simple = re.fullmatch(r"(\d+|[^\s()+−/\d][^\s()+−/]*)(\([^()]*\))?", text)
    return text if simple else f"({text})"


#: Commands of LaTeX without arguments, as Unicode.
_SYMBOLS = {
    "log_2": "log₂", "sum": "Σ", "prod": "Π", "varepsilon": "ε", "epsilon": "ϵ", "lambda": "λ",
    "alpha": "α", "tau": "τ", "le": "≤", "ge": "≥", "in": "∈", "cap": "∩", "cdot": "·",
    "max": "max", "min": "min", "ln": "ln", "|": "‖", " ": " ",
}
#: What stands for LaTeX, by regular expression: in this order, until nothing changes.
_RULES: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r",? *\\qquad ?", "\n"),
    (r"\\([,;]|quad) ?", " "),
    (r"\\(!|left|right|Big)(?![a-z]) *", ""),
    (r"\\(text|mathrm|texttt)\s?\{([^{}]*)\}", r"\2"),
    (r"\\(log_2|\||[a-z]+| )", lambda match: _SYMBOLS.get(match[1], match[0])),
    (r"\\tilde (\w)", "\\1\u0303"),
    (r"\\sqrt\{([^{}]*)\}", r"√(\1)"),
    (r"\^(?:\{([-+\di]+)\}|([-+\d*]))", _superscript),
    (r"_\{(\w+)\}", r"_\1"),
    (r"_\{([^{}]*)\}", r"_(\1)"),
    (r"\\frac\{([^{}]*)\} ?\{([^{}]*)\}", _fraction),
    (r"(?<![a-z_^])\{([^{}]*)\}", r"(\1)"),
    (" - ", " − "),
    (" +", " "),
]


def as_unicode(latex: str) -> str:
    r"""Return a LaTeX formula as Unicode text, with a line for each of its equations.

    Examples
    --------
    >>> as_unicode(r"\frac{1}{n} \sum_{i \le n} \frac{v_i}{\log_2(i+1)}")
    '1/n Σ_(i ≤ n) v_i/log₂(i+1)'
    """
    text = " ".join(latex.split())
    before = ""
    while text != before:
        before = text
        for pattern, plain in _RULES:
            text = re.sub(pattern, plain, text)
    return text


#: The forms of ``pt-fairness measures``.
FORMATS = {"text": overview, "full": in_full}
