"""Tables of averages as text, HTML, Markdown, LaTeX, CSV and JSON, with the notes below them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from html.entities import codepoint2name
from itertools import chain
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis import notes as noted
from pt_fairness.analysis.exposure import legend
from pt_fairness.analysis.exposure import sentences as sentences_on_shares
from pt_fairness.analysis.inputs import (
    LOSSES,
    WINS,
    best,
    direction,
    is_reference,
    measure_columns,
    short_names,
    split_suffix,
    values_by_measure,
)
from pt_fairness.analysis.notes import BETTER, DIFFERENT, WORSE, Facts, marks, notes, short_p
from pt_fairness.core.messages import MOST_DECIMALS, at_least
from pt_fairness.io.files import need_frame

#: The decimals of Markdown, LaTeX, HTML and text.
DIGITS = 4
#: The width of the lines of notes in LaTeX, and in text without a terminal.
NOTE_WIDTH = 100
#: The measures that pt.Experiment sums over the topics; it averages all others.
SUMMED = frozenset({"NumQ", "NumRel", "NumRet", "NumRelRet"})
#: The suffixes of the columns with the ends of the interval of an average, and with its verdict.
LOW, HIGH, VERDICT = " low", " high", " verdict"
#: LaTeX of the Greek letters; capitals that look like Latin letters have no command.
_GREEK = {letter: rf"$\{codepoint2name[ord(letter)]}$"
          for letter in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"}
#: LaTeX of the characters that fonts lack.
_SYMBOLS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "→": r"$\to$",
            BETTER: r"$^{\blacktriangle}$", WORSE: r"$^{\blacktriangledown}$",
            DIFFERENT: r"$^{\neq}$", "–": "--", "−": "$-$", "ς": r"$\varsigma$"}
#: LaTeX of the characters that are commands, that its default font encoding prints wrongly, or that
#: fonts lack.
_LATEX = str.maketrans({
    **{character: f"\\{character}" for character in "{}$&%#_"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}", **_SYMBOLS, **_GREEK})
#: The mark behind the best values in text.
BEST = "*"


class _Cell(NamedTuple):
    """A cell of a table for a paper, without markup."""

    text: str
    best: bool = False
    #: ▲, ▼ or ≠.
    mark: str = ""


@dataclass(repr=False, eq=False)
class Table:
    """A table with its notes. In a notebook, it is shown as HTML, elsewhere as text.

    ``html``, ``text``, ``md``, ``latex``, ``csv`` and ``json`` are its forms. CSV and JSON have all
    columns and all decimals. The others are for papers and notebooks: an arrow in the head of each
    measure says which end is better, the best averages are bold (in text, they have a ``*``), and
    ▲, ▼ and ≠ replace the columns of the comparison with a baseline. LaTeX needs the packages
    booktabs and, for ▲ and ▼, amssymb. Text has the width of the terminal, or of the environment
    variable ``COLUMNS``; columns without room follow below.
    """

    #: Averages or values per topic, with the names of the measures.
    frame: pd.DataFrame
    #: What the evaluation knows.
    facts: Facts
    #: The label of each measure that has one.
    labels: Mapping[str, str]
    #: The labels, and short names of the other measures.
    names: Mapping[str, str]
    #: The sentences on hidden groups.
    hidden: Sequence[str]
    #: All sentences below the table, those on hidden groups first.
    notes: Sequence[str]
    #: The number of decimals, ``None`` for 4, and for all in CSV and JSON.
    digits: int | None
    #: Whether the p-value of each measure is shown.
    p_values: bool

    def __repr__(self) -> str:
        return self.text.rstrip()

    def _repr_html_(self) -> str:
        return self.html

    @property
    def csv(self) -> str:
        """The table as CSV, without the notes."""
        return self._labelled().to_csv(index=False, lineterminator="\n")

    @property
    def json(self) -> str:
        """The table as a list of objects, without the notes. A missing value is null."""
        table = self._labelled()
        cells = table.astype(object).where(table.notna(), None)
        rows = cells.to_dict("records")
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"

    @property
    def md(self) -> str:
        """The table in Markdown."""
        def escaped(text: str) -> str:
            return _one_line(text.replace("|", "\\|"))

        rows = self._rows(escaped, "**{}**")
        others = len(self._cells) - 1
        rows.insert(1, ["---", *["---:"] * others])
        lines = [f"| {' | '.join(row)} |" for row in rows]
        if self.notes:
            lines += ["", " ".join(self.notes)]
        return _joined_lines(lines)

    @property
    def latex(self) -> str:
        """The table in LaTeX."""
        heads, *rows = self._rows(latex_escaped, r"\textbf{{{}}}")
        others = len(heads) - 1
        alignment = "l" + "r" * others
        lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
        lines += [rf"{' & '.join(heads)} \\", r"\midrule"]
        for row in rows:
            # After the end of a row, LaTeX takes a bracket or a star for an option.
            line = " & ".join(row)
            line = re.sub(r"^([\[*])", r"{\1}", line)
            lines.append(rf"{line} \\")
        if self._references:
            lines.insert(-self._references, r"\midrule")
        lines += [r"\bottomrule", r"\end{tabular}"]
        if self.notes:
            lines.append(r"\par\smallskip{\footnotesize")
            for sentence in self.notes:
                lines += wrap(latex_escaped(sentence), NOTE_WIDTH, break_long_words=False,
                              break_on_hyphens=False)
            lines.append(r"\par}")
        text = _joined_lines(lines)
        packages = "booktabs and amssymb" if r"\blacktriangle" in text else "booktabs"
        return f"% needs {packages}\n{text}"

    @property
    def html(self) -> str:
        """The table in HTML. It is ASCII, so it needs no declared encoding."""
        heads, *rows = self._rows(escape, "<strong>{}</strong>")
        cells = [f'<th scope="col">{head}</th>' for head in heads]
        lines = ['<table style="border-collapse: collapse; text-align: right">']
        lines += [f"<thead><tr>{''.join(cells)}</tr></thead>", "<tbody>"]
        for name, *values in rows:
            cells = [f"<td>{value}</td>" for value in values]
            row = "".join(cells)
            lines.append(f'<tr><th scope="row">{name}</th>{row}</tr>')
        if self._references:
            lines.insert(-self._references, '</tbody><tbody style="border-top: 1px solid">')
        lines.append("</tbody></table>")
        lines += [f"<p>{escape(sentence)}</p>" for sentence in self.notes]
        text = _joined_lines(lines)
        return text.encode("ascii", "xmlcharrefreplace").decode("ascii")

    @property
    def text(self) -> str:
        """The table in aligned columns, for a terminal."""
        columns = {_one_line(head): _aligned(cells) for head, cells in self._cells.items()}
        rows = pd.DataFrame(columns, dtype=object)
        if self._references:
            rule = pd.DataFrame("", [""], rows.columns)
            systems = rows[:-self._references]
            references = rows[-self._references:]
            rows = pd.concat([systems, rule, references])
        head = rows.columns[0]
        width = shutil.get_terminal_size((0, 0)).columns or None
        rows = rows.set_index(head)
        rows = rows.rename_axis(index=None, columns=head)
        text = rows.to_string(line_width=width)
        lines = [line.rstrip() for line in text.split("\n")]
        sentences = [*self.notes]
        cells = chain.from_iterable(self._cells.values())
        if any(cell.best for cell in cells):
            sentences.insert(len(self.hidden), f"{BEST} the best value.")
        if sentences:
            lines.append("")
        for sentence in sentences:
            lines += wrap(sentence, width or NOTE_WIDTH)
        return _joined_lines(lines)

    @cached_property
    def _references(self) -> int:
        """The number of rows of reference rankings, below the systems."""
        return int(is_reference(self.frame).sum())

    def _labelled(self) -> pd.DataFrame:
        """Return the frame with rounded values, and labels that say which end is better."""
        table = self.frame
        if self.digits is not None:
            table = table.round(self.digits)
        names = table.columns.map(str)
        counts = table.columns.intersection([*names + WINS, *names + LOSSES])
        table = table.astype(dict.fromkeys(counts, "Int64"))
        labels = {name: self._head(name) for name in self.labels}
        if "measure" in table:
            table["measure"] = table["measure"].replace(labels)
            return table
        heads = {}
        for column in table.columns:
            name, suffix = _split(str(column))
            label = labels.get(name, name)
            heads[column] = label + suffix
        return table.rename(columns=heads)

    def _head(self, measure: str) -> str:
        """Return the label of a measure with its better end."""
        end = direction(measure) or ""
        label = self.names.get(measure, measure)
        return f"{label} {end}".rstrip()

    @cached_property
    def _cells(self) -> dict[str, list[_Cell]]:
        """The cells of each column of a table for a paper, by head."""
        table = self.frame
        if _is_plain(table):
            labelled = self._labelled()
            if "p" in table:
                labelled["p"] = table["p"].map(short_p, "ignore")
            return {str(column): self._plain_cells(labelled[column]) for column in labelled}
        names = measure_columns(table)
        measures = [name for name in names if not _split(name)[1]]
        averages = table[["name", *measures]]
        is_best = best(noted.comparable(averages, self.facts))
        mark = marks(table, self.facts)
        columns = {}
        for column in map(str, table.columns):
            if column in measures:
                texts = self._averages(column)
                cells = map(_Cell, texts, is_best[column], mark[column])
                columns[self._head(column)] = list(cells)
                columns |= self._compared(column)
            elif _split(column)[0] not in measures:
                columns[column] = self._plain_cells(table[column])
        return columns

    def _averages(self, column: str) -> Any:
        """Return the texts of the averages of a measure, with intervals and numbers of topics."""
        table = self.frame
        texts = self._texts(table[column])
        known = texts != ""
        if column + LOW in table:
            low = self._texts(table[column + LOW])
            high = self._texts(table[column + HIGH])
            interval = texts + " [" + low + ", " + high + "]"
            has_interval = known & (low != "")
            texts = np.where(has_interval, interval, texts)
        for name, topics in self.facts.fewer.get(column, {}).items():
            texts[table["name"] == name] += f" (n={topics})"
        missing = np.where(is_reference(table), "", "–")
        return np.where(known, texts, missing)

    def _compared(self, column: str) -> dict[str, list[_Cell]]:
        """Return the columns of the p-values and verdicts of a measure that are shown."""
        label = self.names.get(column, column)
        columns = {}
        p = noted.p_values(self.frame, column)
        if self.p_values and p is not None:
            p_texts = p.map(short_p, "ignore")
            columns[f"p ({label})"] = self._plain_cells(p_texts)
        verdicts = self.frame.get(column + VERDICT)
        if verdicts is not None:
            columns[f"verdict ({label})"] = self._plain_cells(verdicts)
        return columns

    def _plain_cells(self, values: pd.Series) -> list[_Cell]:
        """Return values as cells without marks."""
        return list(map(_Cell, self._texts(values)))

    def _texts(self, values: pd.Series) -> Any:
        """Return values as text, ``''`` where there is none, ``[rows]``."""
        digits = DIGITS if self.digits is None else self.digits

        def text(value: Any) -> str:
            return f"{value:.{digits}f}" if isinstance(value, float) else str(value)

        texts = values.astype(object).map(text, "ignore")
        texts = texts.astype(object)
        return np.where(values.isna(), "", texts)

    def _rows(self, escaped: Callable[[str], str], bold: str) -> list[list[str]]:
        """Return the head of the table and its rows, with markup.

        :param escaped: returns a text without the characters that are markup
        :param bold: the markup of the best values, a format
        """
        rows = [[escaped(head) for head in self._cells]]

        def marked(cell: _Cell) -> str:
            text = escaped(cell.text)
            if cell.best:
                text = bold.format(text)
            return text + escaped(cell.mark)

        for cells in zip(*self._cells.values(), strict=True):
            rows.append([marked(cell) for cell in cells])
        return rows


def table(results: Any, labels: Mapping[Any, str] | None = None, digits: int | None = None,
          intervals: pd.DataFrame | None = None, verdicts: pd.DataFrame | None = None,
          p_values: bool = False) -> Table:
    """Return a table for a paper, a notebook or a terminal, with notes below it.

    :param results: what :func:`pt_fairness.evaluate` or ``pt.Experiment`` returned: averages,
        values per topic, or both, of which the averages are shown. The notes say what the facts of
        ``evaluate`` tell, else what the names of the columns tell
    :param labels: a dictionary from measures to labels
    :param digits: the number of decimals; by default 4, and all in CSV and JSON
    :param intervals: the result of :func:`pt_fairness.analysis.intervals`, shown behind the
        averages
    :param verdicts: the result of :func:`pt_fairness.analysis.compare` with ``tolerance``
    :param p_values: whether the p-value of each measure is shown
    :raises ValueError: if ``results`` are not a frame, or a label or an option is wrong

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
    >>> print(table(averages, labels={"nDCG@5": "relevance"}, digits=2).md, end="")
    | name | relevance ↑ |
    | --- | ---: |
    | one | **0.51** |
    | two | 0.40 |
    """
    facts = getattr(results, "facts", None) or Facts()
    frame = results[0] if isinstance(results, tuple) else results
    need_frame(frame, "the table")
    at_least(0, "digits", digits, "all decimals", MOST_DECIMALS)
    frame = frame.reset_index(drop=True)
    plain = _is_plain(frame)
    if not plain:
        names = measure_columns(frame)
    elif "measure" in frame:
        measures = frame["measure"].map(str)
        names = measures.unique().tolist()
    else:
        names = []
    user_labels = values_by_measure(labels or {}, names)
    heads = map(str, frame.columns)
    _check_labels(user_labels, [*names, *heads])
    short = short_names(names) | user_labels
    averages = None if plain else noted.comparable(frame, facts)
    hidden = sentences_on_shares(facts.shares, averages, short)
    sentences = notes(frame, facts, short)
    if "absent" in frame:
        sentences += legend(facts.shares)
    if intervals is not None:
        frame = _joined(frame, intervals, {"low": LOW, "high": HIGH})
        sentences.append(noted.on_intervals(intervals))
    if verdicts is not None:
        decided = verdicts.dropna(subset="tolerance")
        frame = _joined(frame, decided, {"verdict": VERDICT})
        baseline = facts.comparison.baseline if facts.comparison else "the baseline"
        sentences.append(noted.on_verdicts(verdicts, user_labels, baseline))
    shown = [*hidden, *sentences]
    return Table(frame, facts, user_labels, short, hidden, shown, digits, p_values)


def _is_plain(frame: pd.DataFrame) -> bool:
    """Return whether a frame holds values, tests or shares of groups, and not averages."""
    return "measure" in frame or "absent" in frame


def _joined(averages: pd.DataFrame, frame: pd.DataFrame,
            suffixes: Mapping[str, str]) -> pd.DataFrame:
    """Return averages with further columns behind each measure.

    :param frame: ``name, measure`` and the columns
    :param suffixes: the suffix of each column of ``frame`` behind the name of its measure
    """
    columns: dict[Any, Any] = {}
    measures = set(frame["measure"]) - SUMMED
    for column in averages.columns:
        columns[column] = averages[column]
        if column in measures:
            rows = frame[frame["measure"] == column]
            by_system = rows.set_index("name")
            for name, suffix in suffixes.items():
                values = averages["name"].map(by_system[name])
                columns[column + suffix] = values
    return pd.DataFrame(columns)


def _split(column: str) -> tuple[str, str]:
    """Return the measure of a column, and the suffix of an interval, a verdict or a comparison."""
    for suffix in (LOW, HIGH, VERDICT):
        if column.endswith(suffix):
            return column.removesuffix(suffix), suffix
    return split_suffix(column)


def _check_labels(labels: Mapping[str, Any], names: Sequence[str]) -> None:
    """Check the labels of measures.

    :raises ValueError: if a label is the name of another column
    """
    taken = [*labels.values(), *set(names).difference(labels)]
    for name, label in labels.items():
        if taken.count(label) > 1:
            raise ValueError(f"labels must differ from each other and from other columns, got "
                             f"{label!r} for {name}")


def latex_escaped(text: str) -> str:
    """Return a text in LaTeX, with a minus before numbers."""
    text = re.sub(r"(?<![\w.)-])-(?=\d)", "−", text)
    return text.translate(_LATEX)


def _joined_lines(lines: Sequence[str]) -> str:
    """Return lines as a text."""
    return "\n".join([*lines, ""])


def _one_line(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())


def _aligned(cells: Sequence[_Cell]) -> list[str]:
    """Return the texts of cells with their marks, aligned at the ends of the texts."""
    texts = [_one_line(cell.text) for cell in cells]
    ends = [BEST * cell.best + cell.mark for cell in cells]
    width = max(map(len, ends), default=0)
    return [text + end.ljust(width) for text, end in zip(texts, ends, strict=True)]
