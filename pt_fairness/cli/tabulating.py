"""``pt-fairness table``: several runs in one table."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pt_fairness.cli.output import add_command, write


def add(commands: Any) -> None:
    """Add the command ``table``."""
    command = add_command(commands, "table", _run, "compare runs: a row for each, a column for "
                          "each measure", ("csv", "md", "latex", "json"))
    command.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    command.add_argument("runs", metavar="RUN", nargs="+",
                         help="a TREC run, compressed if it ends in .gz, or a .parquet file")
    command.add_argument("-m", "--measures", metavar="MEASURE", nargs="+", required=True,
                         help="measures of ir_measures or of this package")
    command.add_argument("--baseline", metavar="RUN",
                         help="test the others against this run (paired t-test)")
    command.add_argument("--jobs", metavar="N", type=int, default=1,
                         help="processes; -1 for all processors (default: 1)")
    command.add_argument("--per-query", action="store_true",
                         help="the value of every topic instead of the averages")


def _run(options: argparse.Namespace) -> int:
    from pt_fairness import evaluation
    measures = [measure for some in options.measures for measure in some.split()]
    averages, per_query = evaluation.evaluate(
        options.runs, options.qrels, measures, baseline=options.baseline, n_jobs=options.jobs,
        progress=sys.stderr.isatty())
    table = per_query if options.per_query else averages
    write(evaluation.as_text(table, options.format), options.output)
    return 1 if averages.attrs[evaluation.BROKEN] else 0
