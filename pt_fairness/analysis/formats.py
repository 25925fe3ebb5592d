"""Labels of measures, and tables as CSV, Markdown, LaTeX, JSON, and text for a terminal."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping
from textwrap import wrap
from typing import Any, Literal

import pandas as pd

from pt_fairness.analysis.columns import (
    CORRECTED,
    FAR_DOWN,
    HIGH,
    LOSSES,
    LOW,
    MEASURES,
    P_VALUE,
    REJECT,
    SEVERAL,
    TOLERANCE,
    UNDEFINED,
    UNDEFINED_EVERYWHERE,
    VERDICT,
    WINS,
    column_of,
    is_per_query,
    is_reference,
    mark_of,
    measure_columns,
    measure_of,
    of_one_measure,
    per_query,
    split_suffix,
)
from pt_fairness.analysis.directions import NEAR_ZERO, best_of_measures, direction_of, with_mark
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
from pt_fairness.io.frames import need_frame
from pt_fairness.provider.parsing import parsed_or_none

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
    names = {of_one_measure(table, measure)[1] if per_query else column_of(table, measure): label
             for measure, label in labels.items()}
    every = list(dict.fromkeys(table["measure"].map(str) if per_query else map(str, table.columns)))
    _check_labels(names, every, table)
    if per_query:
        codes, known_names = pd.factorize(table["measure"].map(str))
        renamed = table.assign(measure=pd.Index(
            [names.get(name, name) for name in known_names], dtype="str").take(codes))
    else:
        renamed = table.rename(columns={
            column: names[base] + suffix for column in table.columns
            for base, suffix in [split_suffix(str(column))] if base in names})
    known = dict(table.attrs.get(MEASURES, {}))
    known |= {new: known.get(name, name) for name, new in names.items()}
    renamed.attrs = {**table.attrs, MEASURES: {name: text for name, text in known.items()
                                               if name not in names or name in names.values()}}
    for key in {UNDEFINED, UNDEFINED_EVERYWHERE, SEVERAL, FAR_DOWN, TOLERANCE} & table.attrs.keys():
        renamed.attrs[key] = {names.get(name, name): fact
                              for name, fact in table.attrs[key].items()}
    return renamed


def _check_labels(names: Mapping[str, str], every: list[str], table: pd.DataFrame) -> None:
    """Check the labels of columns.

    :param names: the new names of columns by old name
    :param every: the names of all columns, or of all measures of a per-query frame
    :raises ValueError: a label is not possible
    """
    kept = [name for name in every if name not in names]
    for old, new in names.items():
        if not isinstance(new, str) or not new.strip():
            raise ValueError(f"the label of {old} is {shown(new)}; a label is a text that is not "
                             "empty")
        if new in kept or new in _RESERVED or list(names.values()).count(new) > 1:
            raise ValueError(f"{new!r} cannot be the label of {old}: another column has this name; "
                             "choose a different label")
        if split_suffix(new)[1]:
            raise ValueError(f"{new!r} cannot be the label of {old}: it ends with "
                             f"{split_suffix(new)[1]!r}, as the columns of a comparison do")
        mark = direction_of(old, table)
        if parsed_or_none(new) is None and mark is not None and mark_of(new) not in (None, mark):
            raise ValueError(f"{new!r} cannot be the label of {old}: the mark of {old} is {mark}")


def long_form(perquery: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each run, topic and measure, the form for mixed models in R.

    :param perquery: ``name, qid, measure, value``, of :func:`pt_fairness.evaluate` or
        ``pt.Experiment``
    :returns: ``run, topic, measure, value, fair_end`` (0 or 1; missing for measures of relevance)
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
      run topic measure  value  fair_end  undefined
    0   A     1  nDCG@5   0.50       NaN       <NA>
    1   A     2   rKL@5   0.25       0.0       <NA>
    """
    frame = per_query(perquery)
    ends = {}
    for name in frame["measure"].unique():
        measure = measure_of(name, perquery)
        zero = 0.0 if direction_of(name, perquery) == NEAR_ZERO else math.nan
        ends[name] = zero if measure is None else float(measure.FAIR_END)
    undefined = pd.Series(pd.NA, frame.index, dtype="boolean")
    topics = perquery.attrs.get(UNDEFINED)
    if topics is not None:
        pairs = [(name, qid) for name, qids in topics.items() for qid in qids]
        undefined = pd.Series(pd.MultiIndex.from_frame(frame[["measure", "qid"]]).isin(pairs),
                              frame.index, dtype="boolean")
    return pd.DataFrame({
        "run": frame["name"], "topic": frame["qid"], "measure": frame["measure"],
        "value": frame["value"], "fair_end": frame["measure"].map(ends).astype(float),
        "undefined": undefined}, index=frame.index).reset_index(drop=True)


#: The forms of :func:`as_text`.
FORMS = ("csv", "md", "latex", "json", "long", "text")
#: The decimals of Markdown, LaTeX and text.
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
#: What stands behind the bold number of a cell.
_MARKS = BETTER + WORSE + DIFFERENT


def as_text(table: pd.DataFrame, form: Literal["csv", "md", "latex", "json", "long", "text"],
            digits: int | None = None, p_values: bool = False) -> str:
    """Format a table as CSV, Markdown, LaTeX (with booktabs), JSON (a list of objects) or text.

    CSV and JSON have all columns. ``↑``, ``↓`` or ``→0`` at the end of a renamed measure says which
    end is better. A missing value is empty, in JSON null; a missing average is – in Markdown and
    LaTeX.

    Markdown and LaTeX are for papers. A mark in the head of each measure says which end is better,
    and the best averages are bold. ▲ and ▼ are systems that are significantly better and worse than
    the baseline (p < .05; corrected p-values if the table has them). They replace the columns of
    the comparison. A measure that can be on either side of 0, such as ``BiasP@5``, has ≠ instead:
    the systems differ, and ``abs=True`` tests which is nearer to 0. An interval follows its
    average: ``0.4838 [0.3725, 0.5888]``. Verdicts have a column of their own. A note under the
    table names the test, its correction, the group source, the target and the protected group of
    each measure, and the undefined topics. In LaTeX a rule stands above the rows of reference
    rankings. LaTeX needs the packages booktabs and, for ▲ and ▼, amssymb. Text is for a terminal:
    the same in aligned columns, with a * at the best averages. Columns that the terminal has no
    room for, or that are beyond the environment variable ``COLUMNS``, follow below the others.

    One warning names the columns of unknown direction, which have no bold value.

    :param table: averages or values per topic, as :func:`pt_fairness.evaluate` returns them
    :param form: ``'long'`` is CSV of :func:`pt_fairness.analysis.long_form`, of values per topic
    :param digits: the number of decimals; by default 4 in Markdown, LaTeX and text, and all
        elsewhere
    :param p_values: whether Markdown, LaTeX and text have the p-value of each measure, with three
        decimals (``< .001`` where it is smaller)
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
    table = long_form(table) if form == "long" else _with_marks(table.reset_index(drop=True))
    if form in _PAPER:
        cells = _cells(table, DIGITS if digits is None else digits, p_values)
        references = 0 if is_per_query(table) else int(is_reference(table).sum())
        return _PAPER[form](cells, notes(table), references)
    if digits is not None:
        table = table.round(digits)
    table = table.astype({column: "Int64" for column in table.columns
                          if str(column).endswith((WINS, LOSSES))})
    table = table.rename(columns=lambda column: with_mark(column, table))
    if form == "json":
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    return table.to_csv(index=False, lineterminator="\n")


def _with_marks(table: pd.DataFrame) -> pd.DataFrame:
    """Return a per-query frame with marks at the names of renamed measures."""
    if not is_per_query(table):
        return table
    names = {name: with_mark(name, table) for name in table["measure"].unique()}
    return table.assign(measure=table["measure"].map(names))


class _Cell(str):
    """The text of a cell that is bold."""


def _cells(table: pd.DataFrame, digits: int, with_p: bool) -> pd.DataFrame:
    """Return the cells of a table for a paper, without markup; those in bold are :class:`_Cell`."""
    def shown(values: pd.Series) -> list[str]:
        return ["" if pd.isna(value) else f"{value:.{digits}f}" if isinstance(value, float)
                else str(value) for value in values.tolist()]

    if "measure" in table:
        return pd.DataFrame({column: shown(table[column]) for column in table.columns},
                            dtype=object)
    measures = measure_columns(table)
    best, marks = best_of_measures(table[["name", *measures]]), changes(table)
    systems = ~is_reference(table)
    cells: dict[str, list[str]] = {}
    compared = {name + suffix for name in measures
                for suffix in (WINS, LOSSES, P_VALUE, REJECT, CORRECTED, LOW, HIGH, VERDICT)}
    for column in table.columns[~table.columns.isin(compared)]:
        texts = shown(table[column])
        if column not in measures:
            cells[str(column)] = texts
            continue
        if column + LOW in table:
            ends = zip(*(shown(table[column + suffix]) for suffix in (LOW, HIGH)), strict=True)
            texts = [f"{text} [{low}, {high}]" if low else text
                     for text, (low, high) in zip(texts, ends, strict=True)]
        cells[with_mark(column, table, always=True)] = [
            (_Cell if bold else str)(text + mark)
            for text, bold, mark in zip(
                [text or "–" * own for text, own in zip(texts, systems, strict=True)],
                best[column], marks[column], strict=True)]
        p = p_values(table, column)
        if with_p and p is not None:
            cells[f"p ({column})"] = ["" if pd.isna(one) else short_p(one) for one in p]
        if column + VERDICT in table:
            cells[f"verdict ({column})"] = shown(table[column + VERDICT])
    return pd.DataFrame(cells, dtype=object)


def _markdown(cells: pd.DataFrame, sentences: list[str], _references: int) -> str:
    def written(cell: Any) -> str:
        text = " ".join(str(cell).replace("|", "\\|").split())
        if not isinstance(cell, _Cell):
            return text
        bare = text.rstrip(_MARKS)
        return f"**{bare}**{text[len(bare):]}"

    rule = ["---", *["---:"] * (len(cells.columns) - 1)]
    lines = [list(map(written, cells.columns)), rule,
             *(list(map(written, row)) for row in cells.to_numpy().tolist())]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return text + (f"\n{' '.join(sentences)}\n" if sentences else "")


def _latex(cells: pd.DataFrame, sentences: list[str], references: int) -> str:
    def written(cell: Any) -> str:
        text = str(cell)
        bare = text.rstrip(_MARKS) if isinstance(cell, _Cell) else ""
        bold = rf"\textbf{{{bare.translate(_LATEX)}}}" if bare else ""
        return bold + text[len(bare):].translate(_LATEX)

    texts = cells.map(written).rename(columns=written)
    # After the end of a row, LaTeX takes a bracket or a star for an option.
    texts.isetitem(0, texts.iloc[:, 0].str.replace(r"^([\[*])", r"{\1}", regex=True))
    text = texts.to_latex(index=False, escape=False,
                          column_format="l" + "r" * (len(cells.columns) - 1))
    if references:
        lines = text.split("\n")
        lines.insert(lines.index(r"\bottomrule") - references, r"\midrule")
        text = "\n".join(lines)
    note = "\n".join([r"\par\smallskip{\footnotesize",
                      *(line for one in sentences for line in wrap(
                          one.translate(_LATEX), NOTE_WIDTH, break_long_words=False,
                          break_on_hyphens=False)), r"\par}", ""])
    text += note if sentences else ""
    return f"% needs booktabs{' and amssymb' if BLACK in text else ''}\n{text}"


def _plain(cells: pd.DataFrame, sentences: list[str], references: int) -> str:
    def aligned(column: pd.Series) -> list[str]:
        texts = [" ".join(str(cell).split()) for cell in column]
        bare = [text.rstrip(_MARKS) for text in texts]
        ends = [BEST * isinstance(cell, _Cell) + text[len(start):]
                for cell, text, start in zip(column, texts, bare, strict=True)]
        return [start + end.ljust(max(map(len, ends)))
                for start, end in zip(bare, ends, strict=True)]

    rows = cells.apply(aligned).set_axis([" ".join(str(column).split()) for column in cells],
                                         axis=1)
    if references:
        rule = pd.DataFrame([[""] * len(rows.columns)], columns=rows.columns)
        rows = pd.concat([rows[:-references], rule, rows[-references:]])
    first = rows.columns[0]
    width = shutil.get_terminal_size((0, 0)).columns or None
    text = rows.set_index(first).rename_axis(index=None, columns=first).to_string(line_width=width)
    note = [f"{BEST} the best value."] * (BEST in text) + sentences
    return "\n".join([*(line.rstrip() for line in text.split("\n")), *([""] if note else []),
                      *(line for one in note for line in wrap(one, width or NOTE_WIDTH)), ""])


#: The forms with marks and notes.
_PAPER = {"md": _markdown, "latex": _latex, "text": _plain}
