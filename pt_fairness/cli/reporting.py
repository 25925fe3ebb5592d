"""``pt-fairness report``: an HTML page on several runs."""

from __future__ import annotations

import argparse
from typing import Any

from pt_fairness.cli.experiment import add_options, arguments_of
from pt_fairness.cli.output import add_command, write

#: The number of documents of a ranking that the page shows by default.
DEPTH = 20


def add(commands: Any) -> None:
    """Add the command ``report``."""
    command = add_command(commands, "report", _run, "write one HTML page on several runs: table, "
                          "figures, topics, and a paragraph for a paper", ("html",))
    add_options(command)
    command.add_argument("--depth", metavar="K", type=int, default=DEPTH,
                         help=f"documents of each ranking on the page (default: {DEPTH})")
    command.add_argument("--title", default="Fairness report", help="title of the page")


def _run(options: argparse.Namespace) -> int:
    from pt_fairness.reporting import report
    page = report(**arguments_of(options), depth=options.depth, title=options.title)
    write(page.html, options.output)
    return 1 if page.broken else 0
