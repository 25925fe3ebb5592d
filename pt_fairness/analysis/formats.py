"""Labels of measures, and tables as CSV, Markdown, LaTeX, HTML, JSON, and text for a terminal."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    FAR_DOWN,
    HIGH,
    LOSSES,
    LOW,
    MEASURES,
    NEAR_ZERO,
    SEVERAL,
    TOLERANCE,
    UNDEFINED,
    UNDEFINED_EVERYWHERE,
    VERDICT,
    WINS,
    best_of_measures,
    by_name,
    direction_of,
    is_per_query,
    is_reference,
    mark_of,
    measure_columns,
    measure_of,
    per_query,
    split_suffix,
    with_mark,
)
from pt_fairness.analysis.significance import (
    BETTER,
    DIFFERENT,
    WORSE,
    changes,
    notes,
    p_values,
    short_p,
)
from pt_fairness.core.messages import MOST_DECIMALS, at_least, one_of, shown
from pt_fairness.io.files import Path, need_frame, written_whole
from pt_fairness.provider.measure_lists import parsed_or_none

#: Names of columns that are not measures.
_RESERVED = ("name", "qid", "measure", "value")


def rename(table: pd.DataFrame, labels: Mapping[Any, str]) -> pd.DataFrame:
    """Rename the measures of a table, and keep which end of each is better.

    What the renamed columns stand for is in ``attrs["measures"]`` of the result, as text. Whatever
    bolds, ranks, colours or tests reads it there. pandas drops ``attrs`` in some operations, and
    most files do not hold them: there, ``↑``, ``↓`` or ``→0`` at the end of a name says which end
    is better. The forms of ``pt-fairness table`` add these marks to renamed columns.

    :param table: averages or a per-query frame of ``pt.Experiment`` or :func:`evaluate`. The
        columns of a comparison with a baseline (``rKL@10 p-value``) are renamed with their measure.
    :param labels: a dictionary from measures, objects or names, to labels
    :returns: a new table
    :raises ValueError: ``labels`` is no dictionary, the table does not have a measure, or a label
        is not possible: it is no text, another column has it, or it ends with the wrong mark

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import highlight, rename
    >>> table = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.9, 0.5], "rKL@5": [0.4, 0.1]})
    >>> renamed = rename(table, {"rKL@5": "Unfairness"})
    >>> renamed
      name  nDCG@5  Unfairness
    0    A     0.9         0.4
    1    B     0.5         0.1
    >>> renamed.attrs["measures"]
    {'Unfairness': 'rKL@5'}
    """
    if not isinstance(labels, Mapping):
        raise ValueError(f"labels are a {type(labels).__name__} here; they have to be a dictionary "
                         "from measures to labels, such as {'rKL@10': 'Unfairness'}")
    per_query = is_per_query(table)
    columns: Any = table["measure"] if per_query else table.columns
    columns = columns.map(str)
    names = by_name(labels, table)
    _check_labels(names, columns.unique(), table)
    if per_query:
        renamed = table.assign(measure=columns.replace(names))
    else:
        new_columns = {}
        for column in table.columns:
            name, suffix = split_suffix(str(column))
            if name in names:
                new_columns[column] = names[name] + suffix
        renamed = table.rename(columns=new_columns)
    texts = dict(zip(names, names, strict=True)) | table.attrs.get(MEASURES, {})
    attrs = table.attrs | {MEASURES: texts}
    for key in (MEASURES, UNDEFINED, UNDEFINED_EVERYWHERE, SEVERAL, FAR_DOWN, TOLERANCE):
        if key in attrs:
            attrs[key] = {names.get(name, name): fact for name, fact in attrs[key].items()}
    renamed.attrs = attrs
    return renamed


def _check_labels(names: Mapping[str, str], columns: Sequence[str], table: pd.DataFrame) -> None:
    """Check the labels of columns.

    :param names: the new names of columns by old name
    :param columns: the names of all columns, or of all measures of a per-query frame
    :raises ValueError: a label is not possible
    """
    taken = [*_RESERVED, *names.values(), *set(columns).difference(names)]
    for old, new in names.items():
        if not isinstance(new, str) or not new.strip():
            raise ValueError(f"the label of {old} is {shown(new)}; a label is a text that is not "
                             "empty")
        _, suffix = split_suffix(new)
        mark = direction_of(old, table)
        reason = ""
        if taken.count(new) > 1:
            reason = "another column has this name; choose a different label"
        elif suffix:
            reason = f"it ends with {suffix!r}, as the columns of a comparison do"
        elif parsed_or_none(new) is None and mark and mark_of(new) not in (None, mark):
            reason = f"the mark of {old} is {mark}"
        if reason:
            raise ValueError(f"{new!r} cannot be the label of {old}: {reason}")


def long_form(perquery: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each run, topic and measure, the form for mixed models in R.

    :param perquery: ``name, qid, measure, value``, of :func:`pt_fairness.evaluate` or
        ``pt.Experiment``
    :returns: ``run, topic, measure, value, ideal`` (0 or 1; missing for measures of relevance)
        and ``undefined``: whether the topic is undefined for the measure, so that its value is 0.0
        for every system. Missing if the frame is not of :func:`pt_fairness.evaluate`
    :raises ValueError: a missing column, or several values of one run, topic and measure

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2"], "measure": ["nDCG@5", "rKL@5"],
    ...                          "value": [0.5, 0.25]})
    >>> analysis.long_form(perquery)
      run topic measure  value  ideal  undefined
    0   A     1  nDCG@5   0.50       NaN       <NA>
    1   A     2   rKL@5   0.25       0.0       <NA>
    """
    rows = per_query(perquery)
    rows = rows.rename(columns={"name": "run", "qid": "topic"})
    rows = rows.reset_index(drop=True)
    ends = {}
    for name in rows["measure"].unique():
        measure = measure_of(name, perquery)
        if measure is not None:
            ends[name] = measure.IDEAL
        elif direction_of(name, perquery) == NEAR_ZERO:
            ends[name] = 0.0
    ideals = rows["measure"].map(ends)
    rows["ideal"] = ideals.astype(float)
    rows["undefined"] = pd.NA
    topics = perquery.attrs.get(UNDEFINED)
    if topics is not None:
        pairs = pd.Series(topics, dtype=object).explode()
        keys = pd.MultiIndex.from_frame(rows[["measure", "topic"]])
        rows["undefined"] = keys.isin([*pairs.items()])
    rows = rows.astype({"undefined": "boolean"})
    rows.attrs = {}
    return rows


#: The forms of :func:`as_text`.
FORMS = ("csv", "md", "latex", "html", "json", "long", "text")
#: The decimals of Markdown, LaTeX, HTML and text.
DIGITS = 4
#: The width of the lines of the note in LaTeX.
NOTE_WIDTH = 100
#: The start of the commands of LaTeX that need amssymb.
BLACK = r"\blacktriangle"
#: LaTeX of the characters that are commands, that LaTeX prints wrongly in its default font
#: encoding, or that fonts lack.
_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}", "↑": r"$\uparrow$",
    "↓": r"$\downarrow$", "→": r"$\to$", BETTER: r"$^{\blacktriangle}$",
    WORSE: r"$^{\blacktriangledown}$", DIFFERENT: r"$^{\neq}$", "–": "--"})
#: The mark of the best values in text.
BEST = "*"


def as_text(table: pd.DataFrame,
            form: Literal["csv", "md", "latex", "html", "json", "long", "text"],
            digits: int | None = None, p_values: bool = False) -> str:
    """Format a table as CSV, Markdown, LaTeX (with booktabs), HTML, JSON (objects) or text.

    CSV and JSON have all columns. ``↑``, ``↓`` or ``→0`` at the end of a renamed measure says which
    end is better. A missing value is empty, in JSON null; a missing average is – in Markdown,
    LaTeX and HTML.

    Markdown, LaTeX and HTML are for papers and notebooks. A mark in the head of each measure says
    which end is better, and the best averages are bold. ▲ and ▼ are systems that are significantly
    better and worse than the baseline (p < .05; corrected p-values if the table has them). They
    replace the columns of the comparison. A measure that can be on either side of 0, such as
    ``BiasP@5``, has ≠ instead: the systems differ, and ``abs=True`` tests which is nearer to 0. An
    interval follows its average: ``0.4838 [0.3725, 0.5888]``. Verdicts have a column of their own.
    A note under the table names the test, its correction, the group source, the target and the
    protected group of each measure, and the undefined topics. In LaTeX and HTML a rule stands above
    the rows of reference rankings. LaTeX needs the packages booktabs and, for ▲ and ▼, amssymb.
    Text is for a terminal: the same in aligned columns, with a * at the best averages. Columns that
    the terminal has no room for, or that are beyond the environment variable ``COLUMNS``, follow
    below the others.

    One warning names the columns of unknown direction, which have no bold value.

    :param table: averages or values per topic, as :func:`pt_fairness.evaluate` returns them
    :param form: ``'long'`` is CSV of :func:`pt_fairness.analysis.long_form`, of values per topic
    :param digits: the number of decimals; by default 4 in Markdown, LaTeX, HTML and text, and
        all elsewhere
    :param p_values: whether Markdown, LaTeX, HTML and text have the p-value of each measure, with
        three decimals (``< .001`` where it is smaller)
    :raises ValueError: an unknown form, a wrong number of digits, or a table without values per
        topic for ``'long'``

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.evaluation import as_text
    >>> table = pd.DataFrame({"name": ["one", "two"], "nDCG@5": [0.51234, 0.4]})
    >>> print(as_text(table, "md"), end="")
    | name | nDCG@5 ↑ |
    | --- | ---: |
    | one | **0.5123** |
    | two | 0.4000 |
    """
    need_frame(table, "the table")
    one_of("form", form, FORMS)
    at_least(0, "digits", digits, "all decimals", MOST_DECIMALS)
    if form == "long":
        table = long_form(table)
    table = table.reset_index(drop=True)
    if is_per_query(table):
        names = {name: with_mark(name, table) for name in table["measure"].unique()}
        table = table.assign(measure=table["measure"].map(names))
    if form in ("md", "latex", "html", "text"):
        columns = _columns_of(table, DIGITS if digits is None else digits, p_values)
        sentences = notes(table)
        if form == "md":
            return _markdown(columns, sentences)
        references = 0 if is_per_query(table) else int(is_reference(table).sum())
        if form == "latex":
            return _latex(columns, sentences, references)
        if form == "html":
            return _html(columns, sentences, references)
        return _plain(columns, sentences, references)
    if digits is not None:
        table = table.round(digits)
    counts = [column for column in table.columns if str(column).endswith((WINS, LOSSES))]
    table = table.astype(dict.fromkeys(counts, "Int64"))
    table = table.rename(columns=lambda column: with_mark(column, table))
    if form == "json":
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    return table.to_csv(index=False, lineterminator="\n")


@dataclass(eq=False, repr=False)
class Table:
    """A table with its notes. In a notebook, it is shown as HTML, elsewhere as text.

    :param html: the table and its notes, in ASCII
    :param text: the same in aligned columns
    """

    html: str
    text: str

    def save(self, path: Path) -> None:
        """Write the HTML to a file, which is replaced atomically.

        :raises OSError: the file cannot be written
        """
        with written_whole(path) as out:
            out.write(self.html.encode("ascii"))

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text.rstrip()


def table(results: Any, digits: int | None = None, p_values: bool = False) -> Table:
    """Return the table of an evaluation for a notebook, with the notes below it.

    The HTML needs no Jinja2. It is that of :func:`~pt_fairness.evaluation.as_text`: the best
    averages are bold, and marks replace the columns of the comparison.

    :param results: what :func:`pt_fairness.evaluate` or ``pt.Experiment`` returned: averages,
        values per topic, or both, of which the averages are shown
    :param digits: the number of decimals, 4 by default
    :param p_values: whether the p-value of each measure is shown
    :returns: the table, with ``save(path)``, ``html`` and ``text``
    :raises ValueError: ``results`` are no table, or a wrong number of digits

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import table
    >>> averages = pd.DataFrame({"name": ["one", "two"], "nDCG@5": [0.51234, 0.4]})
    >>> table(averages)
    name nDCG@5 ↑
    one   0.5123*
    two   0.4000
    <BLANKLINE>
    * the best value.
    >>> table(averages).save("table.html")
    """
    frame = results[0] if isinstance(results, tuple) else results
    if not isinstance(frame, pd.DataFrame):
        frame = getattr(frame, "data", frame)  # of the Styler of highlight
    html, text = (as_text(frame, form, digits, p_values) for form in ("html", "text"))
    return Table(html, text)


class _Cell(NamedTuple):
    """A cell of a table for a paper, without markup."""

    text: str
    best: bool = False
    #: ▲, ▼ or ≠.
    mark: str = ""


def _columns_of(table: pd.DataFrame, digits: int, with_p: bool) -> dict[str, list[_Cell]]:
    """Return the cells of each column of a table for a paper, by head."""
    measures = [] if "measure" in table else measure_columns(table)
    columns = {}

    def text(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.{digits}f}"
        return str(value)

    if measures:
        best = best_of_measures(table[["name", *measures]])
        marks = changes(table)
        missing = np.where(is_reference(table), "", "–")
    for column in table.columns:
        texts = _texts(table[column], text)
        if column in measures:
            texts = np.where(texts == "", missing, texts)
            if column + LOW in table:
                low = _texts(table[column + LOW], text)
                high = _texts(table[column + HIGH], text)
                ends = " [" + low + ", " + high + "]"
                texts = np.where(low == "", texts, texts + ends)
            head = with_mark(column, table, always=True)
            cells = map(_Cell, texts, best[column], marks[column])
            columns[head] = list(cells)
            p = p_values(table, column)
            if with_p and p is not None:
                texts = _texts(p, short_p)
                columns[f"p ({column})"] = list(map(_Cell, texts))
            if column + VERDICT in table:
                texts = _texts(table[column + VERDICT], str)
                columns[f"verdict ({column})"] = list(map(_Cell, texts))
        elif split_suffix(str(column))[0] not in measures:
            columns[str(column)] = list(map(_Cell, texts))
    return columns


def _texts(values: pd.Series, text: Callable[[Any], str]) -> Any:
    """Return values as text, ``''`` where there is none."""
    texts = values.astype(object).map(text, na_action="ignore")
    return texts.astype(object).fillna("").to_numpy(object)


def _marked_up(columns: Mapping[str, Sequence[_Cell]], escaped: Callable[[str], str],
               bold: str) -> list[list[str]]:
    """Return the head of a table and its rows, with markup.

    :param escaped: returns a text without the characters that are markup
    :param bold: the markup of the best values, a format
    """
    rows = [[escaped(head) for head in columns]]
    for cells in zip(*columns.values(), strict=True):
        row = []
        for cell in cells:
            text = escaped(cell.text)
            if cell.best:
                text = bold.format(text)
            row.append(text + escaped(cell.mark))
        rows.append(row)
    return rows


def _markdown(columns: Mapping[str, Sequence[_Cell]], sentences: Sequence[str]) -> str:
    def escaped(text: str) -> str:
        words = text.replace("|", "\\|").split()
        return " ".join(words)

    rows = _marked_up(columns, escaped, "**{}**")
    rule = ["---:"] * len(columns)
    rule[0] = "---"
    rows.insert(1, rule)
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    if sentences:
        lines.append(f"\n{' '.join(sentences)}\n")
    return "".join(lines)


def _latex(columns: Mapping[str, Sequence[_Cell]], sentences: Sequence[str],
           references: int) -> str:
    def escaped(text: str) -> str:
        return text.translate(_LATEX)

    heads, *rows = _marked_up(columns, escaped, r"\textbf{{{}}}")
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}", r"\toprule",
             rf"{' & '.join(heads)} \\", r"\midrule"]
    for row in rows:
        text = " & ".join(row)
        # After the end of a row, LaTeX takes a bracket or a star for an option.
        text = re.sub(r"^([\[*])", r"{\1}", text)
        lines.append(rf"{text} \\")
    if references:
        lines.insert(-references, r"\midrule")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if sentences:
        lines.append(r"\par\smallskip{\footnotesize")
        for sentence in sentences:
            lines += wrap(escaped(sentence), NOTE_WIDTH, break_long_words=False,
                          break_on_hyphens=False)
        lines.append(r"\par}")
    text = "\n".join([*lines, ""])
    packages = "booktabs and amssymb" if BLACK in text else "booktabs"
    return f"% needs {packages}\n{text}"


def _html(columns: Mapping[str, Sequence[_Cell]], sentences: Sequence[str],
          references: int) -> str:
    heads, *rows = _marked_up(columns, escape, "<strong>{}</strong>")
    cells = [f'<th scope="col">{head}</th>' for head in heads]
    lines = ['<table style="border-collapse: collapse; text-align: right">',
             f"<thead><tr>{''.join(cells)}</tr></thead>", "<tbody>"]
    for name, *values in rows:
        cells = [f"<td>{value}</td>" for value in values]
        lines.append(f'<tr><th scope="row">{name}</th>{"".join(cells)}</tr>')
    if references:
        lines.insert(-references, '</tbody><tbody style="border-top: 1px solid">')
    lines.append("</tbody></table>")
    lines += [f"<p>{escape(sentence)}</p>" for sentence in sentences]
    text = "\n".join([*lines, ""])
    # Character references need no declared encoding.
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _plain(columns: Mapping[str, Sequence[_Cell]], sentences: Sequence[str],
           references: int) -> str:
    rows = pd.DataFrame({" ".join(head.split()): _aligned(cells)
                         for head, cells in columns.items()}, dtype=object)
    if references:
        rule = pd.DataFrame("", [""], rows.columns)
        rows = pd.concat([rows[:-references], rule, rows[-references:]])
    first = rows.columns[0]
    width = shutil.get_terminal_size((0, 0)).columns or None
    rows = rows.set_index(first)
    rows = rows.rename_axis(index=None, columns=first)
    text = rows.to_string(line_width=width)
    lines = [line.rstrip() for line in text.split("\n")]
    if BEST in text:
        sentences = [f"{BEST} the best value.", *sentences]
    if sentences:
        lines.append("")
    for sentence in sentences:
        lines += wrap(sentence, width or NOTE_WIDTH)
    return "\n".join([*lines, ""])


def _aligned(cells: Sequence[_Cell]) -> list[str]:
    """Return cells whose texts end in one column, with what follows them."""
    ends = [BEST * cell.best + cell.mark for cell in cells]
    width = max(map(len, ends), default=0)
    texts = []
    for cell, end in zip(cells, ends, strict=True):
        text = " ".join(cell.text.split())
        texts.append(text + end.ljust(width))
    return texts
