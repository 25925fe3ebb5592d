"""Formatting of tables as CSV, Markdown, LaTeX and JSON."""

from __future__ import annotations

import json
from typing import Any, Literal

import pandas as pd

from pt_fairness.analysis import ALPHA
from pt_fairness.tables import LOSSES, TEST_SUFFIXES, WINS, best_of_measures, measure_columns

#: Placeholders for the formatting of a cell: private-use characters, which pandas does not escape.
_BOLD, _END, _DAGGER = "\ue000", "\ue001", "\ue002"
#: LaTeX for the placeholders, and for characters that pandas does not escape and that LaTeX prints
#: wrongly in its default font encoding.
_LATEX = str.maketrans({"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}",
                        _BOLD: r"\textbf{", _END: "}", _DAGGER: r"$^\dagger$"})
_TEST_NOTE = (f"% dagger: differs from the baseline (two-sided paired t-test, p < {ALPHA:g}, not "
              "corrected for several tests)\n")


def as_text(table: pd.DataFrame, form: Literal["csv", "md", "latex", "json"]) -> str:
    """Format a table as CSV, Markdown, LaTeX (with booktabs) or JSON (a list of objects).

    CSV and JSON have all digits, Markdown and LaTeX four decimals. A missing value is empty, in
    JSON null. LaTeX has the best averages in bold. A warning names the columns that are not named
    after a measure and have no bold value. A dagger (p < .05 against the baseline) replaces the
    columns of the test.

    :param table: averages or values per topic, as :func:`pt_fairness.evaluate` returns them

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.evaluation import as_text
    >>> print(as_text(pd.DataFrame({"name": ["mine"], "nDCG@5": [0.51234]}), "md"), end="")
    | name | nDCG@5 |
    | --- | ---: |
    | mine | 0.5123 |
    """
    table = table.reset_index(drop=True)
    counts = [column for column in table.columns if str(column).endswith((WINS, LOSSES))]
    table = table.astype(dict.fromkeys(counts, "Int64"))
    if form == "csv":
        return table.to_csv(index=False, lineterminator="\n")
    if form == "json":
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    cells = pd.DataFrame({column: [_cell(value) for value in table[column].tolist()]
                          for column in table.columns}, dtype=object)
    return _latex(table, cells) if form == "latex" else _markdown(cells)


def _cell(value: Any) -> str:
    return "" if pd.isna(value) else f"{value:.4f}" if isinstance(value, float) else str(value)


def _markdown(cells: pd.DataFrame) -> str:
    rule = ["---", *["---:"] * (len(cells.columns) - 1)]
    lines = [[str(column) for column in cells.columns], rule, *cells.to_numpy().tolist()]
    escaped = ([" ".join(cell.replace("|", "\\|").split()) for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)


def _latex(table: pd.DataFrame, cells: pd.DataFrame) -> str:
    tested = False
    if "qid" not in table:  # averages
        columns = measure_columns(table)
        marks = best_of_measures(table[columns])
        for column in columns:
            cells.loc[marks[column], column] = _BOLD + cells[column] + _END
            p_values = table.get(column + TEST_SUFFIXES[0])
            if p_values is not None:
                cells.loc[p_values < ALPHA, column] += _DAGGER
                extra = [column + suffix for suffix in (WINS, LOSSES, *TEST_SUFFIXES)]
                cells, tested = cells.drop(columns=extra, errors="ignore"), True
    text = cells.to_latex(index=False, escape=True,
                          column_format="l" + "r" * (len(cells.columns) - 1))
    return text.translate(_LATEX) + (_TEST_NOTE if tested else "")
