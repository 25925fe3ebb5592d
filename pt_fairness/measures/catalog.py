"""Descriptions of the measures for the command line, README.md and the documentation pages."""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Iterable, Sequence

from ir_measures import measures as irm

from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.bibliography import BIBLIOGRAPHY
from pt_fairness.measures.docstrings import parameter_lines
from pt_fairness.measures.formulas import as_unicode
from pt_fairness.measures.params import NOT_PROVIDED, Param, literal
from pt_fairness.measures.registration import MEASURES


def range_of(measure: FairnessMeasure) -> str:
    """Return the range of a measure in words."""
    low, high = measure.RANGE
    if low is None and high is None:
        return "unbounded"
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
        return "more is fairer"
    return f"{end} is {'best' if measure.NAME in _BEST else 'fair'}"


def _docstring(measure: FairnessMeasure) -> tuple[str, str]:
    """Return the summary line of a measure's docstring, without its full stop, and the body."""
    head, _, body = inspect.cleandoc(type(measure).__doc__ or "").partition("\n")
    return head.rstrip("."), body.strip()


def overview(measures: Sequence[FairnessMeasure]) -> str:
    """Return a line for each measure: its name, range, fair end and what it asks.

    The lines are cut to the width of the terminal, or to the environment variable ``COLUMNS``.
    """
    rows = [("measure", "range", "fair", "what it asks"),
            *((measure.NAME, range_of(measure), fair_end_of(measure), measure.SHORT_DESC)
              for measure in measures)]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)),
                        row[3]]) for row in rows]
    columns = shutil.get_terminal_size((0, 0)).columns
    if columns:
        lines = [line if len(line) <= columns else
                 f"{line[:columns - 1].rpartition(' ')[0].rstrip()} …" for line in lines]
    return "\n".join(lines)


#: A section of a docstring: its title, the line under it, and its text.
_SECTION = re.compile(r"(?ms)^(\w[\w ]*)\n(-+)\n(.*?)(?=^\w[\w ]*\n-+$|\Z)")


def _plain_body(measure: FairnessMeasure) -> str:
    """Return the body of a docstring with formulas as Unicode, and without "As rND."."""
    def written_out(found: re.Match[str]) -> str:
        other = re.match(r"As (\w+)\. ?", found[3])
        text = found[3] if other is None else found[3][other.end():].lstrip() + next(
            one[3] for one in _SECTION.finditer(_plain_body(MEASURES[other[1]]))
            if one[1] == found[1])
        return f"{found[1]}\n{found[2]}\n{text}"

    body = re.sub(r"\.\. math::\n\n((?:   .*\n|\n)+)", lambda found: textwrap.indent(
        as_unicode(found[1]), "   ") + "\n\n", _docstring(measure)[1] + "\n")
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", _SECTION.sub(written_out, body)).rstrip()


def in_full(measures: Sequence[FairnessMeasure]) -> str:
    """Return the full documentation of measures as plain text."""
    entries = []
    for measure in measures:
        end = fair_end_of(measure)
        entries.append("\n".join([
            f"{measure.NAME}  {measure.PRETTY_NAME}", f"    {measure.SHORT_DESC}",
            f"    range {range_of(measure)}; {end} is {'fairer' if end == 'more' else 'fair'}",
            "", textwrap.indent(_plain_body(measure), "    "), "",
            *(f"    {line}" for line in parameter_lines(measure)), "",
            *(f"    {BIBLIOGRAPHY[key]}" for key in measure.SOURCE)]))
    return "\n\n\n".join(entries)


def named(names: Iterable[str]) -> list[FairnessMeasure]:
    """Return the measures of some names, or all measures if there are none.

    :raises ValueError: a name is not a measure of this package
    """
    found = []
    for name in names:
        measure = irm.registry.get(name)
        if not isinstance(measure, FairnessMeasure):
            raise ValueError(f"{name!r} is none of the measures of this package, which are "
                             f"{', '.join(MEASURES)}")
        found.append(measure)
    return found or list(MEASURES.values())


def markdown(measures: Sequence[FairnessMeasure]) -> str:
    """Return a Markdown table of measures: name, description, range, fair end and source."""
    return "\n".join([
        "| measure | in words | range | fair end | source |", "| --- | --- | --- | --- | --- |",
        *(f"| `{measure.NAME}` | {measure.SHORT_DESC} | {range_of(measure)} | "
          f"{fair_end_of(measure)} | "
          f"{', '.join(BIBLIOGRAPHY[key].short for key in measure.SOURCE)} |"
          for measure in measures)])


def _title(text: str, line: str) -> list[str]:
    return [text, line * len(text), ""]


_INTRODUCTION = """\
Every measure is an object, such as ``rKL`` or ``rKL(protected='CON') @ 5``. On the command line and
for ``ir_measures.parse_measure`` it is text: ``rKL(protected='CON')@5``. The names are in
``pt_fairness`` and, beside nDCG, in ``pyterrier.measures``.

Every measure sees the documents of a topic as trec_eval ranks them. Only parameters marked
*required* must be given.

.. py:currentmodule:: pt_fairness
"""


def entry(measure: FairnessMeasure, more: str = "") -> list[str]:
    """Return the lines of the section of a measure in reStructuredText.

    :param more: what follows the docstring
    """
    title, body = _docstring(measure)
    return [*_title(title, "-"), f".. py:data:: {measure.NAME}",
            *(f"             {name}" for name, other in irm.registry.items()
              if other is measure and name != measure.NAME), "",
            # Sphinx allows no section headings within an object description; use rubrics.
            textwrap.indent(re.sub(r"^(\w[\w ]*)\n-+$", r".. rubric:: \1\n", body,
                                   flags=re.MULTILINE) + f"\n\n{more}", "   "), ""]


def default_of(param: Param) -> str:
    """Return the default of a parameter as a literal, ``required`` or nothing."""
    return "required" if param.required else \
        "" if param.default is NOT_PROVIDED else f"``{literal(param.default)}``"


def references(measures: Sequence[FairnessMeasure]) -> list[str]:
    """Return the papers of measures as items of a list."""
    return [f"* {BIBLIOGRAPHY[key]} {BIBLIOGRAPHY[key].link}".rstrip()
            for key in sorted({key for measure in measures for key in measure.SOURCE})]


def _parameters(measure: FairnessMeasure) -> str:
    return "\n".join([
        ".. rubric:: Parameters", "", ".. list-table::", "   :header-rows: 1", "",
        "   * - parameter", "     - meaning", "     - default",
        *(f"   * - ``{name}``\n     - {param.desc}\n     - {default_of(param)}".rstrip()
          for name, param in measure.SUPPORTED_PARAMS.items())])


def rst(measures: Sequence[FairnessMeasure]) -> str:
    """Return one reStructuredText page of measures and their papers."""
    return "\n".join([*_title("Measures", "="), _INTRODUCTION,
                      *(line for one in measures for line in entry(one, _parameters(one))),
                      *_title("Bibliography", "-"), *references(measures)]) + "\n"


#: The forms of ``pt-fairness measures``.
FORMATS = {"text": overview, "full": in_full, "markdown": markdown, "rst": rst}
