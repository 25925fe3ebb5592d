"""The pages of the measures: an index, and a page for each family, which is a module or a part."""

from __future__ import annotations

import contextlib
import doctest
import functools
import inspect
import io
import itertools
import re
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ir_measures import measures as irm

from pt_fairness.evaluation.plan import needs_qrels
from pt_fairness.measures import MEASURES, FairnessMeasure, descriptions
from pt_fairness.measures.descriptions import BIBLIOGRAPHY
from pt_fairness.measures.params import NOT_PROVIDED, Param, literal

INDEX = """\
Measures
========

.. py:currentmodule:: pt_fairness

Every measure is an object, such as ``rKL`` or ``rKL(protected='CON') @ 5``. On the command line and
for ``ir_measures.parse_measure`` it is text: ``rKL(protected='CON')@5``. The names are in
``pt_fairness`` and, beside nDCG, in ``pyterrier.measures``. The page :doc:`choosing` says which
measure answers which question, and the :doc:`cheat_sheet` is one page to print.

The *ideal value* is the value of a fair ranking. The *default target* is what the groups are
compared with: equal shares (``uniform``), the relevant documents of the topic (``qrels``), or the
whole ranking (``run``). A measure *needs* the groups of the documents, their relevance, or numbers
(``values=``), and the parameters that are named. It does not need relevance with the parameters
after *not with*: ``target=`` equal or given shares, ``protected=`` the label of a group.
"""

SHARED = """\
.. _shared-parameters:

Parameters that measures share
------------------------------

These parameters mean the same in every measure that has them. The page of a measure has their
defaults. Only parameters marked *required* must be given. Every measure sees the documents of a
topic as trec_eval ranks them. In the tables of parameters, *shared* refers to this table.
"""

START = """\
.. _measures-example:

One topic for all examples
--------------------------

Every measure has an example: its value for the same ranking of five documents, and the table of
:func:`explain`. The document x is unjudged and has no group. CON is the minority of the relevant
documents and of the ranking, and so the protected group.
"""

SHOW = """\
from pt_fairness import explain

def show(measure):
    frame = explain(measure, run, qrels, "1")
    print(f"{measure.NAME}: {frame['topic value'][0]:.3f}", frame["formula"][0], sep="\\n")
    ranks = frame.loc[:, :"measure"].drop(columns=["reason", "measure"])
    short = {r"share of (\\S+: )?": "P_", "protected share": "P+"}
    ranks.columns = ranks.columns.to_series().replace(short, regex=True)
    print(ranks.to_string(index=False, float_format="%.3f", na_rep="-"))
"""

COLUMNS = """\
The qrels and the run are in ``pt_fairness.measures.example``. The tables are what the function
prints for the measure of the example, below the formula with its numbers; it shortens the names of
the columns. ``P_CON`` is the share of CON among the documents that count, down to a rank, and
``P+`` that of the protected side. The contributions of the ranks add up to the value of the
measure. A measure that is no sum over ranks has the column ``value`` instead: its value with the
rank as its cutoff.
"""

#: The pages that are no module, by their address: title and measures.
PAGES = {
    "coverage": ("The share of annotated documents in a ranking", ["Annotated"]),
    "exposure": ("Exposure against shares and merit", ["logDP", "logEUR", "logRUR"]),
    "inequity": ("Attention against merit, document by document", ["IAA"]),
    "languages": ("Whether documents of all languages have the same expected rank", ["PEER"]),
    "ndkl": ("Divergence of every prefix from a target distribution", ["NDKL"]),
    "normative": ("Normative diversity", ["RADio"]),
    "of_group": ("How well a ranking serves those who look for documents of one group",
                 ["OfGroup"]),
    "pairwise": ("Pairwise fairness between groups", ["ARP"]),
    "perspectives": ("Whether a ranking covers all groups of its relevant documents", ["MRecall"]),
    "representation": ("Representation of single groups",
                       ["RepBias", "Skew", "MinSkew", "MaxSkew"]),
    "stance": ("Stance and ideological bias of a ranking", ["BiasP", "BiasRBP", "BiasDCG"]),
    "trec_fair": ("The score of the TREC Fair Ranking track", ["TrecFair"]),
}
#: The last line of an example, which holds the measure.
VALUE = re.compile(r"round\((.+)\.calc_aggregate\(qrels, run\), 3\)\n")

PACKAGE = Path(__file__).parents[1] / "pt_fairness"
DOCS = PACKAGE / "pt_docs"
#: The topic of the examples.
EXAMPLE = PACKAGE / "measures" / "example.py"

LINK = re.compile(r":py:data:`~pt_fairness\.(\w+)`")


def index() -> str:
    """Return the index page: measures, families, shared parameters, the topic of the examples."""
    measures = list(itertools.chain(*pages().values()))
    # The addresses that the measures had on one page lead to their rows.
    rows = [[f":anchor:`<span id=\"pt_fairness.{one.NAME}\"></span>` :py:data:`{one.NAME}`",
             one.SHORT_DESC, descriptions.range_of(one), descriptions.ideal_text(one), target(one),
             ", ".join(needs(one))] for one in measures]
    parts = [INDEX, ".. role:: anchor(raw)\n   :format: html\n",
             list_table(["measure", "question", "range", "ideal value", "default target", "needs"],
                        rows, "12 42 13 8 11 14"),
             "The families\n------------\n",
             ".. toctree::\n   :maxdepth: 1\n\n" + "".join(
                 f"   {', '.join(one.NAME for one in family)} <measures_{page}>\n"
                 for page, family in pages().items()),
             SHARED, list_table(["parameter", "meaning"], [
                 [of_measures(name, text), text] for name, text in shared_parameters()], "15 85"),
             f"{START}\n{_block('python', _setup())}\n{COLUMNS}"]
    return "\n".join(parts)


@functools.cache
def pages() -> dict[str, list[FairnessMeasure]]:
    """Return the measures of each page."""
    page_of = {name: page for page, (_, names) in PAGES.items() for name in names}
    families: dict[str, list[FairnessMeasure]] = {}
    for name, measure in MEASURES.items():
        module = type(measure).__module__.rpartition(".")[2]
        families.setdefault(page_of.get(name, module), []).append(measure)
    return dict(sorted(families.items()))


def entry(measure: FairnessMeasure, more: str) -> list[str]:
    """Return the lines of the section of a measure.

    :param more: what follows the docstring
    """
    title, body = descriptions.docstring_parts(measure)
    # Sphinx allows no section headings within an object description; use rubrics.
    body = re.sub(r"^(\w[\w ]*)\n-+$", r".. rubric:: \1\n", body, flags=re.MULTILINE)
    aliases = [name for name, same in irm.registry.items()
               if same is measure and name != measure.NAME]
    summary, _, body = body.partition("\n\n")
    needed = f"It needs {', '.join(needs(measure))}."
    return [title, "-" * len(title), "", f".. py:data:: {measure.NAME}",
            *(f"             {name}" for name in aliases), "",
            textwrap.indent(f"{summary}\n\n{needed}\n\n{body}\n\n{more}", "   "), ""]


def default_of(param: Param) -> str:
    """Return the default of a parameter as a literal, ``required`` or nothing."""
    if param.required:
        return "required"
    if param.default is NOT_PROVIDED:
        return ""
    # Text of a measure has no white space; a page has.
    value = literal(param.default).replace("\\x20", " ")
    return f"``{value}``"


def references(measures: Sequence[FairnessMeasure]) -> list[str]:
    """Return the papers of measures as items of a list."""
    keys = {key for measure in measures for key in measure.SOURCE}
    return [f"* {BIBLIOGRAPHY[key]} {BIBLIOGRAPHY[key].link}".rstrip() for key in sorted(keys)]


def family_page(page: str) -> str:
    """Return a page of measures: measures, when they mislead, parameters and papers."""
    family = pages()[page]
    title = _title(page, family)
    limits = _limits(family, (DOCS / "choosing.rst").read_text(encoding="utf-8"))
    parts = [f"{title}\n{'=' * len(title)}\n", ".. py:currentmodule:: pt_fairness\n",
             "All examples use :ref:`the same topic <measures-example>`. The other families: "
             ":doc:`measures`.\n"]
    parts += ["\n".join(entry(measure, _block("text", table(measure)))) for measure in family]
    heading = f"When {'they mislead' if family[1:] else 'it misleads'}"
    parts += [f"{heading}\n{'-' * len(heading)}\n", *limits, "",
              "Parameters\n----------\n", _parameters(family),
              "References\n----------\n", "\n".join(references(family)), ""]
    return "\n".join(parts)


def cheat_sheet() -> str:
    """Return a line for each measure: name, ideal value, default target and question."""
    rows = [[f":py:data:`{one.NAME}`", one.SHORT_DESC.rstrip("."), descriptions.ideal_text(one),
             target(one).strip("`")] for one in itertools.chain(*pages().values())]
    return csv_table(["measure", "question", "fair", "target"], rows)


def _title(page: str, family: Sequence[FairnessMeasure]) -> str:
    """Return the title, by default the start of the module's docstring, and the measures."""
    text = inspect.cleandoc(sys.modules[type(family[0]).__module__].__doc__ or "")
    title = PAGES[page][0] if page in PAGES else text.partition(":")[0]
    return f"{title}: {', '.join(one.NAME for one in family)}"


def target(measure: FairnessMeasure) -> str:
    """Return the default target of a measure, or a dash."""
    param = measure.SUPPORTED_PARAMS.get("target")
    word = measure.target_word if param is None else param.default
    return "–" if word is None else f"``{word}``"


def needs(measure: FairnessMeasure) -> list[str]:
    """Return what a measure needs beside rankings."""
    required = [name for name, param in measure.SUPPORTED_PARAMS.items() if param.required]
    given = _example(measure)[0].params
    sample = measure(**{name: given[name] for name in required})
    numbers, sources = "values" in required, "attributes" in required
    # The parameters that replace the relevant documents, as few as possible.
    own = {name: value for name, value in {"protected": "CON", "target": "uniform"}.items()
           if name in measure.SUPPORTED_PARAMS}
    some = [given for size in (1, 2) for given in itertools.combinations(own, size)
            if not needs_qrels(sample(**{name: own[name] for name in given}))]
    unless = f" (not with {' and '.join(f'``{name}=``' for name in some[0])})" if some else ""
    return [*["groups"] * (sources or (sample.needs_groups and not numbers)),
            *[f"relevance{unless}"] * needs_qrels(sample), *["numbers"] * numbers,
            *(f"``{name}=``" for name in required if name != "values")]


def _key(name: str, text: str) -> tuple[str, ...]:
    """Return what two parameters have in common that mean the same, in whatever order."""
    return name, *sorted(re.split(r"[ ,:;]+", text))


@functools.cache
def shared_parameters() -> list[tuple[str, str]]:
    """Return name and meaning of the parameters that measures of several families have."""
    having: dict[tuple[str, ...], set[str]] = {}
    texts: dict[tuple[str, ...], tuple[str, str]] = {}
    for page, family in pages().items():
        for measure in family:
            for name, param in measure.SUPPORTED_PARAMS.items():
                key = _key(name, param.desc)
                having.setdefault(key, set()).add(page)
                texts.setdefault(key, (name, param.desc))
    return [texts[key] for key in sorted(texts, key=lambda key: -len(having[key]))
            if len(having[key]) > 1]


def of_measures(name: str, text: str) -> str:
    """Return the name of a shared parameter, with its measures where it has two meanings."""
    meanings = [meaning for other, meaning in shared_parameters() if other == name]
    if text == meanings[0]:
        return f"``{name}``"
    names = [measure.NAME for measure in MEASURES.values()
             if name in measure.SUPPORTED_PARAMS
             and _key(name, measure.SUPPORTED_PARAMS[name].desc) == _key(name, text)]
    return f"``{name}`` of {', '.join(names)}"


def _example(measure: FairnessMeasure) -> tuple[FairnessMeasure, dict[str, Any]]:
    """Return the measure of the example in the docstring, and the names of the example."""
    *before, last = doctest.DocTestParser().get_examples(inspect.getdoc(type(measure)) or "")
    found = VALUE.fullmatch(last.source)
    if found is None:
        raise ValueError(f"the example of {measure.NAME} ends with {last.source!r}; it has to end "
                         f"with round({measure.NAME}.calc_aggregate(qrels, run), 3)")
    names = dict(vars(sys.modules[type(measure).__module__]))
    exec("".join([_setup(), *(one.source for one in before)]), names)
    return eval(found[1], names), names


def table(measure: FairnessMeasure) -> str:
    """Return the value and the table of the example in the docstring of a measure.

    :raises Warning: the example warns
    """
    sample, names = _example(measure)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as output:
        warnings.simplefilter("error")
        names["show"](sample)
    return output.getvalue()


def questions(page: str) -> Iterator[tuple[str, str, str]]:
    """Yield question, measures and limits from the table of the page on choosing."""
    for row in page.partition("\nBy question\n")[2].split("\n   * - ")[2:]:
        cells = row.partition("\n\n")[0].split("\n     - ")
        question, answer, limits = (" ".join(cell.split()) for cell in cells)
        yield question, answer, limits


def _limits(family: Sequence[FairnessMeasure], page: str) -> list[str]:
    """Return a list item for each question that a family answers: limits, and other measures."""
    names = {measure.NAME for measure in family}
    items = []
    for question, answer, limits in questions(page):
        answering = LINK.findall(answer)
        strangers = [f":py:data:`{name}`" for name in answering if name not in names]
        also = f" Also: {', '.join(strangers)}." if strangers else ""
        if names.intersection(answering):
            items.append(f"*{question}* {limits}{also}")
    return [textwrap.fill(item, 97, initial_indent="* ", subsequent_indent="  ",
                          break_long_words=False, break_on_hyphens=False) for item in items]


def _parameters(family: Sequence[FairnessMeasure]) -> str:
    """Return a table of the parameters of a family; those that others share are linked."""
    shared = {_key(*one) for one in shared_parameters()}
    rows: dict[tuple[Any, ...], list[str]] = {}
    for one in family:
        for name, param in one.SUPPORTED_PARAMS.items():
            text = ":ref:`shared <shared-parameters>`" if _key(name, param.desc) in shared \
                else param.desc
            rows.setdefault((name, text, default_of(param)), []).append(one.NAME)
    # Where all measures of the family have all parameters, a column of measures says nothing.
    names = [one.NAME for one in family]
    head = ["parameter", "meaning", "default"]
    if all(having == names for having in rows.values()):
        return list_table(head, [[f"``{name}``", *cells] for name, *cells in rows], "20 55 25")
    return list_table([*head, "measures"], [
        [f"``{name}``", *cells, "all" if having == names else ", ".join(having)]
        for (name, *cells), having in rows.items()], "18 42 20 20")


def _setup() -> str:
    """Return the code of the topic and of the function that shows a measure."""
    topic = EXAMPLE.read_text(encoding="utf-8").partition('"""\n\n')[2]
    return f"{topic}\n{SHOW}"


def _block(language: str, text: str) -> str:
    return f".. code-block:: {language}\n\n{textwrap.indent(text, '   ')}"


def list_table(head: Sequence[str], rows: Iterable[Sequence[str]], widths: str = "") -> str:
    """Return a table whose first row is the head."""
    lines = [".. list-table::", "   :header-rows: 1",
             *([f"   :widths: {widths}"] if widths else []), ""]
    for row in [head, *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}".rstrip() for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def csv_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of one line for each row; its cells may have commas."""
    lines = [".. csv-table::", "   :header-rows: 1", "   :delim: ;", ""]
    lines += [f"   {'; '.join(row)}" for row in [head, *rows]]
    return "\n".join(lines) + "\n"
