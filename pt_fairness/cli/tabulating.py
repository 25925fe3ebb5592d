"""``pt-fairness table``: several runs in one table."""

from __future__ import annotations

import argparse
from typing import Any

from pt_fairness.cli.experiment import add_options, arguments_of
from pt_fairness.cli.output import add_command, write


def add(commands: Any) -> None:
    """Add the command ``table``."""
    command = add_command(commands, "table", _run, "compare runs: a row for each, a column for "
                          "each measure", ("csv", "md", "latex", "json", "long"))
    add_options(command)
    command.add_argument("--digits", metavar="N", type=int,
                         help="decimals (default: 4 in md and latex, all in the other forms)")
    command.add_argument("--p-values", action="store_true", help="p-values in md and latex, too")
    command.add_argument("--per-query", action="store_true",
                         help="the value of every topic instead of the averages")


def _run(options: argparse.Namespace) -> int:
    from pt_fairness import evaluation
    per_query = options.per_query or options.format == "long"
    averages, values = evaluation.evaluate(**arguments_of(options))
    text = evaluation.as_text(values if per_query else averages, options.format, options.digits,
                              options.p_values)
    write(text, options.output)
    return 1 if averages.attrs[evaluation.BROKEN] else 0
