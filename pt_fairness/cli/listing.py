"""``pt-fairness measures``: the measures of this package."""

from __future__ import annotations

import argparse
from typing import Any

from pt_fairness.cli.output import add_command, write
from pt_fairness.measures import catalog


def add(commands: Any) -> None:
    """Add the command ``measures``."""
    command = add_command(commands, "measures", _run, "list the measures; by name, one in full",
                          catalog.FORMATS)
    command.add_argument("names", metavar="NAME", nargs="*",
                         help="show these in full, with parameters, formula and source")


def _run(options: argparse.Namespace) -> None:
    text = catalog.in_full(options.names) if options.names else catalog.FORMATS[options.format]()
    write(text.rstrip("\n") + "\n", options.output)
