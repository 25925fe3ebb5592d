"""``pt-fairness table`` and ``pt-fairness report``: several runs in a table and on a page."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from typing import Any

from pt_fairness.cli.output import add_command, add_groups, write

#: The number of documents of a ranking that the report shows by default.
DEPTH = 20


def add(commands: Any) -> None:
    """Add the commands ``table`` and ``report``."""
    table = add_command(commands, "table", _table, "compare runs: a row for each, a column for "
                        "each measure", ("csv", "md", "latex", "json", "long"))
    _add_options(table)
    table.add_argument("--digits", metavar="N", type=int,
                       help="decimals (default: 4 in md and latex, all in the other forms)")
    table.add_argument("--references", action="store_true", help="rows of reference rankings below "
                       "the systems: random order, proportional, groups one after the other")
    table.add_argument("--p-values", action="store_true", help="p-values in md and latex, too")
    table.add_argument("--per-query", action="store_true",
                       help="the value of every topic instead of the averages")
    report = add_command(commands, "report", _report, "write one HTML page on several runs: table, "
                         "figures, topics, and a paragraph for a paper", ("html",))
    _add_options(report)
    report.add_argument("--depth", metavar="K", type=int, default=DEPTH,
                        help=f"documents of each ranking on the page (default: {DEPTH})")
    report.add_argument("--title", default="Fairness report", help="title of the page")


def _add_options(command: argparse.ArgumentParser) -> None:
    """Add the qrels, the runs, the measures and the options of the comparison."""
    command.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    command.add_argument("runs", metavar="RUN", nargs="+",
                         help="a TREC run, compressed if it ends in .gz, or a .parquet file")
    command.add_argument("-m", "--measures", metavar="MEASURE", nargs="+", required=True,
                         help="measures of ir_measures or of this package")
    add_groups(command)
    command.add_argument("--label", metavar="MEASURE=LABEL", action="append", default=[],
                         help="the name of a measure in the output, such as rKL@10=Unfairness; may "
                              "be repeated")
    command.add_argument("--names", metavar="NAME", nargs="+",
                         help="a name for each run, in their order")
    command.add_argument("--baseline", metavar="RUN",
                         help="test the others against this run")
    command.add_argument("--correction", metavar="METHOD", default="holm",
                         help="correction of the tests for several systems, or none; a method of "
                              "statsmodels (default: holm)")
    command.add_argument("--test", choices=("t", "randomisation"), default="t",
                         help="test of the comparison (default: t)")
    command.add_argument("--ci", metavar="LEVEL", type=float, help="intervals of the averages at "
                         "this confidence level, such as 0.95")
    command.add_argument("--jobs", metavar="N", type=int, default=1,
                         help="processes; -1 for all processors (default: 1)")


def _table(options: argparse.Namespace) -> int:
    import pandas as pd

    from pt_fairness import evaluation
    per_query = options.per_query or options.format == "long"
    averages, values = evaluation.evaluate(**_arguments(options), references=options.references)
    text = evaluation.as_text(values if per_query else averages, options.format, options.digits,
                              options.p_values)
    if options.output and options.format in ("csv", "long"):
        rows = [["'" * cell.startswith(("=", "+", "@")) + cell for cell in row]
                for row in csv.reader(io.StringIO(text))]
        text = pd.DataFrame(rows).to_csv(index=False, header=False, lineterminator="\n")
    write(text, options.output)
    return 1 if averages.attrs[evaluation.BROKEN] else 0


def _report(options: argparse.Namespace) -> int:
    from pt_fairness.reporting import report
    page = report(**_arguments(options), depth=options.depth, title=options.title)
    write(page.html, options.output)
    return 1 if page.broken else 0


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of :func:`pt_fairness.evaluate` and :func:`pt_fairness.report`.

    :raises ValueError: a label without a measure
    """
    return {
        "runs": options.runs, "qrels": options.qrels,
        "measures": [measure for some in options.measures for measure in some.split()],
        "groups": options.groups, "labels": dict(map(_label, options.label)),
        "names": options.names, "baseline": options.baseline,
        "correction": None if options.correction == "none" else options.correction,
        "test": options.test, "confidence": options.ci, "n_jobs": options.jobs,
        "progress": sys.stderr.isatty()}


def _label(text: str) -> tuple[str, str]:
    """Split ``MEASURE=LABEL``; the parameters of a measure have equals signs, too.

    :raises ValueError: no part before an equals sign is a measure
    """
    from pt_fairness.provider.parsing import parsed_or_none
    parts = text.split("=")
    for i in range(1, len(parts)):
        measure = "=".join(parts[:i])
        if parsed_or_none(measure) is not None:
            return measure, "=".join(parts[i:])
    raise ValueError(f"--label {text!r} is not possible; it takes a measure, = and a label, such "
                     "as rKL@10=Unfairness")
