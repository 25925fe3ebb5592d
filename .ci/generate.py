"""Write the parts of pages that follow from the measures: ``python .ci/generate.py [--check]``.

A part stands in a page between the lines ``.. generated: FUNCTION ARGUMENTS`` and ``.. end``.
FUNCTION is a function of this file. The arguments of ``family`` are the measures of the page.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import sys
import textwrap
import warnings
from collections.abc import Iterable
from functools import cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pandas as pd
from ir_measures import measures as irm
from ir_measures import parse_measure

from pt_fairness import reference_rankings
from pt_fairness.analysis import against_random, ladder
from pt_fairness.evaluation.plan import needs_qrels
from pt_fairness.measures import MEASURES, FairnessMeasure
from pt_fairness.measures.descriptions import BIBLIOGRAPHY, ideal_text, range_of
from pt_fairness.measures.measure_names import docstring_parts, docstring_sections
from pt_fairness.measures.params import literal

DOCS = Path(__file__).resolve().parents[1] / "pt_fairness" / "pt_docs"
PART = re.compile(r"(^\.\. generated: (\w+)([^\n]*)\n\n).*?^\.\. end\n", re.DOTALL | re.MULTILINE)
#: The last line of an example, which holds the measure.
VALUE = re.compile(r"round\((.+)\.calc_aggregate\(qrels, run\), 3\)\n")
#: The head of a table of parameters.
HEAD = ["parameter", "meaning", "default"]
#: An example that draws rankings, and what it prints.
DRAWN = re.compile(r"^(?: *>>> (?!draw).*\n)*( *)>>> draw\(.*\n((?: *[\w-]+ +-?[\d.]+$\n?)+)",
                   re.MULTILINE)
#: The name of a measure in a docstring, which a page links.
NAMED = re.compile(rf"``({'|'.join(MEASURES)})``")
#: The elements of the squares of rankings.
SQUARES = {"A": "doc-a", "B": "doc-b", "a": "other-a", "b": "other-b", "-": "other-none"}
#: A colour for each group, and a border alone for what is not relevant or has no group.
STYLE = """.. raw:: html

   <style>
   .rankings{margin-bottom:1em;line-height:1.9em;white-space:nowrap}
   .rankings>div>*{display:inline-block;box-sizing:border-box;width:1.6em;margin-right:2px;
   line-height:1.4em;text-align:center;border:2px solid #888}
   doc-a,other-a{border-color:#e69f00!important}
   doc-b,other-b{border-color:#56b4e9!important}
   doc-a{background:#e69f00;color:#000}
   doc-b{background:#56b4e9;color:#000}
   </style>
"""
#: The relevant documents of a topic on the page on reading a value, by group: as many, and 1 to 4.
POOLS = {"5 : 5": (5, 5), "2 : 8": (2, 8)}


def page(name: str) -> str:
    return (DOCS / f"{name}.rst").read_text(encoding="utf-8")


@cache
def families() -> dict[str, list[FairnessMeasure]]:
    """Return the measures of each page of a family."""
    names = {path.stem: mark[3].split() for path in sorted(DOCS.glob("measures_*.rst"))
             for mark in PART.finditer(page(path.stem))}
    missing = set(MEASURES).difference(*names.values())
    if missing:
        sys.exit(f"a page measures_*.rst must have the mark 'generated: family' with the measures "
                 f"{', '.join(sorted(missing))}")
    return {page: [MEASURES[name] for name in some] for page, some in names.items()}


def measures() -> list[FairnessMeasure]:
    return list(chain(*families().values()))


def table(rows: Iterable[Iterable[Any]], head: list[str], widths: str = "") -> str:
    """Return a directive of a table whose first row is the head."""
    options = [":header-rows: 1", *[f":widths: {widths}"] * bool(widths)]
    text = pd.DataFrame(list(rows), columns=head).to_csv(index=False)
    return textwrap.indent("\n".join([".. csv-table::", *options, "", text]), "   ")[3:]


def index() -> str:
    """Return the table of all measures; their addresses on one page lead to their rows."""
    rows = [[f":anchor:`<span id=\"pt_fairness.{one.NAME}\"></span>` :py:data:`{one.NAME}`",
             one.SHORT_DESC, range_of(one), ideal_text(one), target(one), ", ".join(needs(one))]
            for one in measures()]
    return table(rows, ["measure", "question", "range", "ideal value", "default target", "needs"],
                 "12 42 13 8 11 14")


def contents() -> str:
    """Return the table of contents of the families."""
    lines = [f"   {', '.join(one.NAME for one in family)} <{name}>\n"
             for name, family in families().items()]
    return f".. toctree::\n   :maxdepth: 1\n\n{''.join(lines)}"


def target(measure: FairnessMeasure) -> str:
    """Return the default target of a measure, or a dash."""
    param = measure.SUPPORTED_PARAMS.get("target")
    word = measure.target_word if param is None else param.default
    return "–" if word is None else f"``{word}``"


def needs(measure: FairnessMeasure) -> list[str]:
    """Return what a measure needs beside rankings."""
    required = [name for name, param in measure.SUPPORTED_PARAMS.items() if param.required]
    given = example(measure)[0].params
    sample = measure(**{name: given[name] for name in required})
    numbers = "values" in required
    # The parameters that replace the relevant documents, as few as possible.
    own = {name: value for name, value in {"protected": "CON", "target": "uniform"}.items()
           if name in measure.SUPPORTED_PARAMS}
    replacing = [names for size in (1, 2) for names in combinations(own, size)
                 if not needs_qrels(sample(**{name: own[name] for name in names}))]
    words = " and ".join(f"``{name}=``" for name in replacing[0]) if replacing else ""
    return [*["groups"] * ("attributes" in required or (sample.needs_groups and not numbers)),
            *[f"relevance (not with {words})" if words else "relevance"] * needs_qrels(sample),
            *["numbers"] * numbers, *(f"``{name}=``" for name in required if name != "values")]


@cache
def parameters() -> pd.DataFrame:
    """Return the parameters of all measures, and whether measures of several pages share them."""
    rows = []
    for name, family in families().items():
        for one in family:
            for param, info in one.SUPPORTED_PARAMS.items():
                default = "" if info.default is None else f"``{literal(info.default)}``"
                # Text of a measure has no white space; a page has.
                default = "required" if info.required else default.replace("\\x20", " ")
                # The same words in another order mean the same.
                key = " ".join([param, *sorted(re.split(r"[ ,:;]+", info.desc))])
                rows.append((name, one.NAME, f"``{param}``", info.desc, default, key))
    columns = ["page", "measure", "parameter", "meaning", "default", "key"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(pages=frame.groupby("key")["page"].transform("nunique"))


def shared() -> str:
    """Return the parameters that measures of several pages share."""
    rows = parameters().query("pages > 1").sort_values("pages", ascending=False, kind="stable")
    names = rows.groupby("key")["measure"].agg(", ".join)
    rows = rows.drop_duplicates("key")
    # A second meaning of a name has the measures that mean it.
    second = rows["parameter"].duplicated()
    parameter = rows["parameter"].mask(second, rows["parameter"] + " of " + rows["key"].map(names))
    return table(zip(parameter, rows["meaning"], strict=True), ["parameter", "meaning"], "15 85")


def family(*names: str) -> str:
    """Return what a page says of its measures: their sections, and their papers."""
    keys = sorted({key for name in names for key in MEASURES[name].SOURCE})
    papers = [f"* {BIBLIOGRAPHY[key]} {BIBLIOGRAPHY[key].link}".rstrip() for key in keys]
    return "\n".join([STYLE, *(section(MEASURES[name], names[0]) for name in names),
                      "References\n----------\n", *papers, ""])


def section(measure: FairnessMeasure, first: str) -> str:
    """Return the section of a measure: its docstring, with pictures and tables."""
    title, _ = docstring_parts(measure)
    parts = docstring_sections(measure)
    parts["Example"] += f"\n\n.. code-block:: text\n\n{textwrap.indent(explained(measure), '   ')}"
    parts["Details"] = "\n\n".join([f"It needs {', '.join(needs(measure))}.",
                                    parameters_of(measure.NAME, first), parts["Details"]])
    # Sphinx allows no section headings within an object description; use rubrics.
    text = "\n\n".join(f".. rubric:: {heading}\n\n{part}" for heading, part in parts.items())
    text = DRAWN.sub(picture, text.removeprefix(".. rubric:: \n\n"))
    text = NAMED.sub(r":py:data:`\1`", text)
    names = [name for name, same in irm.registry.items() if same is measure]
    directive = ".. py:data:: " + "\n             ".join(names)
    return "\n".join([title, "-" * len(title), "", directive, "", textwrap.indent(text, "   "), ""])


def picture(drawn: re.Match[str]) -> str:
    """Return what ``draw`` prints in a docstring as a row of squares for each ranking."""
    rows = []
    for row in drawn[2].splitlines():
        ranking, value = row.split()
        squares = "".join(f"<{SQUARES[group]}>{group}</{SQUARES[group]}>" for group in ranking)
        rows.append(f"   <div>{squares} {value.replace('-', '−')}</div>")
    html = [".. raw:: html", "", '   <div class="rankings">', *rows, "   </div>", ""]
    return textwrap.indent("\n".join(html), drawn[1])


@cache
def example(measure: FairnessMeasure) -> tuple[FairnessMeasure, dict[str, Any]]:
    """Return the measure of the example in the docstring, and the names of the example."""
    *before, last = doctest.DocTestParser().get_examples(docstring_sections(measure)["Example"])
    found = VALUE.fullmatch(last.source)
    if found is None:
        sys.exit(f"end the example of {measure.NAME} with "
                 f"round({measure.NAME}.calc_aggregate(qrels, run), 3)")
    # The topic of all examples, and the function that shows a measure, are on the index page.
    (code,) = re.findall(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", page("measures"),
                         re.MULTILINE)
    names = dict(vars(sys.modules[type(measure).__module__]))
    exec("".join([textwrap.dedent(code), *(one.source for one in before)]), names)
    return eval(found[1], names), names


def explained(measure: FairnessMeasure) -> str:
    """Return the value and the table of the example of a measure; a warning is an error."""
    sample, names = example(measure)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as output:
        warnings.simplefilter("error")
        names["show"](sample)
    return output.getvalue()


def parameters_of(name: str, first: str) -> str:
    """Return the parameters of a measure: names of those that the first one of its page has, names
    and defaults of those that measures of several pages share, and a table of the others.
    """
    rows = parameters().set_index("measure")
    own = rows.loc[[name]]
    known = own.merge(rows.loc[[first]]) if name != first else own[:0]
    more = pd.concat([own, known]).drop_duplicates(keep=False)
    shared = more["pages"] > 1
    lines = []
    if len(known):
        every = len(known) == len(own) == len(rows.loc[[first]])
        names = "all parameters" if every else ", ".join(known["parameter"])
        lines.append(f"As for :py:data:`{first}`: {names}.\n")
    if shared.any():
        texts = more["parameter"] + ("=" + more["default"]).where(more["default"] != "", "")
        names = ", ".join(texts[shared].str.replace("``=``", "="))
        lines.append(f":ref:`Shared by measures <shared-parameters>`: {names}.\n")
    if not shared.all():
        lines.append(table(more.loc[~shared, HEAD].to_numpy(), HEAD, "20 55 25"))
    return "\n".join(lines)


def pool(protected: int, others: int) -> pd.DataFrame:
    """Return qrels of one topic with relevant documents of two groups, P and N."""
    docnos = [*(f"P{i}" for i in range(protected)), *(f"N{i}" for i in range(others))]
    return pd.DataFrame({"qid": "1", "docno": docnos, "label": 1,
                         "iteration": [docno[0] for docno in docnos]})


def fairest(*names: str) -> str:
    """Return the fairest possible value and the value of a random order, by pool."""
    rows = []
    for measure in map(parse_measure, names):
        rows.append([f"``{measure}``"])
        for qrels in (pool(*counts) for counts in POOLS.values()):
            run = reference_rankings(qrels, kinds=["proportional"])
            found = against_random(run, qrels, measure(protected="P"), draws=1000,
                                   progress=False).iloc[0]
            rows[-1] += [f"{found['fairest']:.3f}", f"{found['random']:.2f}"]
    return table(rows, ["measure", *(f"{name}, {value}" for name in POOLS
                                     for value in ("fairest", "random"))])


def ladders(*names: str) -> str:
    """Return the values of measures for rankings that show less and less of a group."""
    rows = []
    for name in names:
        values = ladder(name)
        for (target, order), row in values.iterrows():
            rows.append([f"``{name}``", target, order, *map("{:.2f}".format, row)])
    return table(rows, ["measure", "target", "order", *values])


def updated(text: str) -> str:
    """Return a page with its generated parts up to date."""
    return PART.sub(lambda part: f"{part[1]}{globals()[part[2]](*part[3].split())}\n.. end\n", text)


def main() -> int:
    """Write the pages, or with ``--check`` name the ones that are not up to date."""
    check = "--check" in sys.argv[1:]
    stale = 0
    for path in sorted(DOCS.glob("*.rst")):
        old = page(path.stem)
        new = updated(old)
        if new != old:
            stale += 1
            print("not up to date, run python .ci/generate.py:" if check else "written:", path.name)
            if not check:
                path.write_text(new, encoding="utf-8")
    return int(check and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
