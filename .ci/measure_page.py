"""The parts of the page of the measures that need more than the measures: examples and links."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import re
import sys
import textwrap
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt_fairness.measures import FairnessMeasure

START = """\
One topic for all examples
--------------------------

Every measure below has an example: its value for the same ranking of five documents, and the table
of :func:`explain`. The document x is unjudged and has no group. CON is the minority of the relevant
documents and of the ranking, and so the protected group.
"""

SHOW = """\
from pt_fairness import explain

def show(measure):
    frame = explain(measure, run, qrels, "1")
    short = {r"share of (\\S+: )?": "P_", r"target of (\\S+: )?": "T_",
             "protected share": "P+", "protected target": "T+"}
    frame.columns = frame.columns.to_series().replace(short, regex=True)
    print(f"{measure.NAME}: {frame.attrs['value']:.3f}")
    print(frame.fillna({"group": "-"}).to_string(index=False, float_format="%.3f"))
"""

COLUMNS = """\
The qrels and the run are in ``pt_fairness.declarations.example``. The tables are what the function
prints for the measure of the example; it shortens the names of the columns. ``P_CON`` is the share
of CON among the documents that count, down to a rank, and ``T_CON`` is its target. ``P+`` and
``T+`` are those of the protected side. The contributions of the ranks add up to the value of the
measure. A measure that is no sum over ranks has the column ``value`` instead: its value with the
rank as its cutoff.
"""

#: The last line of an example, which holds the measure.
VALUE = re.compile(r"round\((.+)\.calc_aggregate\(qrels, run\), 3\)\n")

#: The topic of the examples.
EXAMPLE = Path(__file__).parents[1] / "pt_fairness" / "declarations" / "example.py"

LINK = re.compile(r":py:data:`~pt_fairness\.(\w+)`")


def start() -> str:
    """Return the section with the topic of the examples."""
    return f"{START}\n{_block('python', _setup())}\n{COLUMNS}"


def sections(measures: Sequence[FairnessMeasure], choosing: Path) -> dict[str, str]:
    """Return the table of the example and the links of each measure, by its name.

    :param choosing: the page whose table has the measures by question
    """
    asked = questions(choosing.read_text(encoding="utf-8"))
    return {measure.NAME: "\n".join([_block("text", table(measure)),
                                     *_links(measure, measures, asked)]) for measure in measures}


def table(measure: FairnessMeasure) -> str:
    """Return the value and the table of the example in the docstring of a measure.

    :raises Warning: the example warns
    """
    module = sys.modules[type(measure).__module__]
    *before, last = doctest.DocTestParser().get_examples(inspect.getdoc(type(measure)) or "")
    found = VALUE.fullmatch(last.source)
    if found is None:
        raise ValueError(f"the example of {measure.NAME} ends with {last.source!r}; it has to end "
                         f"with round({measure.NAME}.calc_aggregate(qrels, run), 3)")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as output:
        warnings.simplefilter("error")
        exec("".join([_setup(), *(one.source for one in before), f"show({found[1]})\n"]),
             dict(vars(module)))
    return output.getvalue()


def questions(page: str) -> dict[str, list[str]]:
    """Return the names of the measures by question, from the table of the page on choosing."""
    rows = page.partition("\nBy question\n")[2].split("\n   * - ")[2:]
    cells = [[" ".join(cell.split()) for cell in row.split("\n     - ")] for row in rows]
    return {question: LINK.findall(answer) for question, answer, _ in cells}


def _links(measure: FairnessMeasure, measures: Sequence[FairnessMeasure],
           asked: dict[str, list[str]]) -> list[str]:
    """Return links to the measures of the same questions and of the same family."""
    items, linked = [], {measure.NAME}
    for question, names in asked.items():
        others = [f":py:data:`{name}`" for name in names if name != measure.NAME]
        if measure.NAME in names and others:
            items.append(f"{question} {', '.join(others)} answer{'s' * (len(others) == 1)} this "
                         "question too (:doc:`choosing`).")
            linked |= set(names)
    module = type(measure).__module__
    family = [one.NAME for one in measures if type(one).__module__ == module]
    if not linked.issuperset(family):
        title = inspect.cleandoc(sys.modules[module].__doc__ or "").partition("\n\n")[0]
        items.append("The same family. " + re.sub(rf"\b({'|'.join(family)})\b", r":py:data:`\1`",
                                                  " ".join(title.split())))
    if not items:
        return []
    return [".. rubric:: See also", "", *(
        textwrap.fill(item, 97, initial_indent="* ", subsequent_indent="  ",
                      break_long_words=False, break_on_hyphens=False) for item in items), ""]


def _setup() -> str:
    """Return the code of the topic and of the function that shows a measure."""
    topic = EXAMPLE.read_text(encoding="utf-8").partition('"""\n\n')[2]
    return f"{topic}\n{SHOW}"


def _block(language: str, text: str) -> str:
    return f".. code-block:: {language}\n\n{textwrap.indent(text, '   ')}"
