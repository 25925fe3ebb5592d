"""The measures as text: for the command line, for README.md and for the documentation pages."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable

from ir_measures import measures as irm

from pt_fairness.measures import MEASURES
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.bibliography import BIBLIOGRAPHY
from pt_fairness.measures.params import NOT_PROVIDED, literal


def range_of(measure: FairnessMeasure) -> str:
    """Smallest and largest value, in words."""
    low, high = measure.RANGE
    if low is None and high is None:
        return "unbounded"
    if high is None:
        return f"{low:g} or more"
    return f"{low:g} to {high:g}".replace("-", "−")


def _parameters(measure: FairnessMeasure) -> list[tuple[str, str, str, bool]]:
    """Name, meaning and default of each parameter, and whether it is required."""
    return [(name, param.desc, "" if param.default is NOT_PROVIDED else literal(param.default), param.required)
            for name, param in measure.SUPPORTED_PARAMS.items()]


def _short(key: str) -> str:
    reference = BIBLIOGRAPHY[key]
    names = reference.authors.replace(" and ", ", ").split(", ")
    family = [" ".join(name.split()[-2:]) if "Pathiyan" in name else name.split()[-1] for name in names]
    who = family[0] if len(names) == 1 else " & ".join(family) if len(names) == 2 else f"{family[0]} et al."
    return f"{who} {reference.venue[-4:]}" if reference.venue[-4:].isdigit() else f"{who} {reference.venue}"


def text() -> str:
    """Every measure with its range, fair end and parameters, for a terminal."""
    return "\n\n".join("\n".join([*_head(measure), *_parameter_lines(measure)]) for measure in MEASURES.values())


def in_full(names: Iterable[str]) -> str:
    """Some measures with all that their documentation says, formula and source included, for a terminal.

    :raises ValueError: a name that is none of this package's measures
    """
    entries = []
    for name in names:
        measure = irm.registry.get(name)
        if not isinstance(measure, FairnessMeasure):
            raise ValueError(f"{name!r} is none of the measures of this package, which are {', '.join(MEASURES)}")
        text = textwrap.indent(inspect.cleandoc(type(measure).__doc__ or ""), "    ")
        sources = [f"    {BIBLIOGRAPHY[key]}" for key in measure.SOURCE]
        entries.append("\n".join([*_head(measure), "", text, "", *_parameter_lines(measure), "", *sources]))
    return "\n\n\n".join(entries)


def _head(measure: FairnessMeasure) -> list[str]:
    end = "fair" if measure.FAIR_END == 0 else "the good end"
    return [f"{measure.NAME}  {measure.PRETTY_NAME}", f"    {measure.SHORT_DESC}",
            f"    range {range_of(measure)}; {measure.FAIR_END:g} is {end}"]


def _parameter_lines(measure: FairnessMeasure) -> list[str]:
    return [f"    {name}: {desc}" + (f" (default {default})" if default else " (required)" if required else "")
            for name, desc, default, required in _parameters(measure)]


def markdown() -> str:
    """A table of the measures: name, formula in words, range, fair end, source."""
    rows = ["| measure | in words | range | fair end | source |", "| --- | --- | --- | --- | --- |"]
    rows += [f"| `{m.NAME}` | {m.SHORT_DESC} | {range_of(m)} | {m.FAIR_END:g} | {', '.join(map(_short, m.SOURCE))} |"
             for m in MEASURES.values()]
    return "\n".join(rows)


def _aliases(measure: FairnessMeasure) -> list[str]:
    return [name for name, other in irm.registry.items() if other is measure and name != measure.NAME]


def _title(text: str, line: str) -> list[str]:
    return [text, line * len(text), ""]


def rst() -> str:
    """A page of the documentation: every measure with its docstring and parameters, and the bibliography."""
    lines = [*_title("Measures", "="),
             "Every measure is an object, such as ``rKL`` or ``rKL(protected='CON') @ 5``; on the command line and for",
             "``ir_measures.parse_measure`` it is text: ``rKL(protected='CON')@5``. The names are in ``pt_fairness`` and,",
             "beside nDCG, in ``pyterrier.measures``. The page :doc:`index` says which one answers which question.", "",
             "Every measure sees the documents of a topic as trec_eval ranks them. A parameter without a default may be left",
             "out, unless it is required.", "", ".. py:currentmodule:: pt_fairness", ""]
    for measure in MEASURES.values():
        names = [measure.NAME, *_aliases(measure)]
        body = [inspect.cleandoc(type(measure).__doc__ or ""), "",
                f":Range: {range_of(measure)}", f":Fair end: {measure.FAIR_END:g}", "",
                ".. list-table::", "   :header-rows: 1", "", "   * - parameter", "     - meaning", "     - default"]
        for name, desc, default, required in _parameters(measure):
            value = f"``{default}``" if default else "required" if required else ""
            body += [f"   * - ``{name}``", f"     - {desc}", f"     - {value}".rstrip()]
        lines += [*_title(measure.PRETTY_NAME, "-"), f".. py:data:: {names[0]}",
                  *(f"             {name}" for name in names[1:]), "", textwrap.indent("\n".join(body), "   "), ""]
    lines += _title("Bibliography", "-")
    for key in sorted({key for measure in MEASURES.values() for key in measure.SOURCE}):
        link = BIBLIOGRAPHY[key].link
        lines.append(f"* {BIBLIOGRAPHY[key]}" + (f" {link}" if link else ""))
    return "\n".join(lines) + "\n"


FORMATS = {"text": text, "markdown": markdown, "rst": rst}
