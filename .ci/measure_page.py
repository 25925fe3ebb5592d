"""The parts of the page of the measures that need more than the measures: examples and links."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import sys
import textwrap
import warnings
from collections.abc import Iterable, Sequence
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

SETUP = """\
import pandas as pd
from pt_fairness import *

qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": [1, 1, 1, 0],
                      "iteration": ["PRO", "PRO", "CON", "PRO"]})
run = pd.DataFrame({"qid": "1", "docno": ["a", "b", "x", "c", "d"], "score": [5, 4, 3, 2, 1]})

def show(measure):
    frame = explain(measure, run, qrels, "1")
    short = {r"share of (\\w+: )?": "P_", r"target of (\\w+: )?": "T_",
             "protected share": "P+", "protected target": "T+"}
    frame.columns = frame.columns.to_series().replace(short, regex=True)
    print(f"{measure.NAME}: {frame.attrs['value']:.3f}")
    print(frame.fillna({"group": "-"}).to_string(index=False, float_format="%.3f"))
"""

COLUMNS = """\
The function shortens the names of the columns. ``P_CON`` is the share of CON among the documents
that count, down to a rank, and ``T_CON`` is its target. ``P+`` and ``T+`` are those of the
protected side. The contributions of the ranks add up to the value of the measure. A measure that is
no sum over ranks has the column ``value`` instead: its value with the rank as its cutoff.
"""

#: The code of the measures that have required parameters.
CALLS = {
    "GFR": """\
groups.register("stance", groups.from_frame(qrels.rename(columns={"iteration": "group"})))
groups.register("gender", groups.from_mapping({"a": "F", "b": "M", "c": "M", "d": "M"}))
show(GFR(attributes={"stance": "jsd", "gender": "jsd"}))
""",
    "RepBias": 'show(RepBias(group="CON"))\n',
    "Skew": 'show(Skew(group="CON"))\n',
    "RaB": 'show(RaB(values={"PRO": 1, "CON": -1}))\n',
    "ARaB": 'show(ARaB(values={"PRO": 1, "CON": -1}))\n',
    "RankingBias": 'show(RankingBias(values={"PRO": 1, "CON": -1}))\n',
    "FaiRR": 'show(FaiRR(values={"PRO": 0.5, "CON": 1}))\n',
    "NFaiRR": 'show(NFaiRR(values={"PRO": 0.5, "CON": 1}))\n',
}

LINK = re.compile(r":py:data:`~pt_fairness\.(\w+)`")


def start() -> str:
    """Return the section with the topic of the examples."""
    return f"{START}\n{_block('python', SETUP)}\n{COLUMNS}"


def sections(measures: Sequence[FairnessMeasure], choosing: Path) -> dict[str, str]:
    """Return the example and the links of each measure, by its name.

    :param choosing: the page whose table has the measures by question
    :raises Warning: an example warns
    """
    codes = [CALLS.get(measure.NAME, f"show({measure.NAME})\n") for measure in measures]
    _, *outputs = printed([SETUP, *codes])
    asked = questions(choosing.read_text(encoding="utf-8"))
    return {
        measure.NAME: "\n".join([".. rubric:: Example", "", _block("python", code),
                                 _block("text", output), *_links(measure, measures, asked)])
        for measure, code, output in zip(measures, codes, outputs, strict=True)}


def printed(codes: Iterable[str]) -> list[str]:
    """Return what each of some pieces of code prints; they run one after the other."""
    names: dict[str, object] = {}
    outputs = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for code in codes:
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(code, names)
            outputs.append(output.getvalue())
    return outputs


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


def _block(language: str, text: str) -> str:
    return f".. code-block:: {language}\n\n{textwrap.indent(text, '   ')}"
