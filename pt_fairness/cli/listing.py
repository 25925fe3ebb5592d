"""``pt-fairness measures``: the measures of this package."""

from __future__ import annotations

import argparse
from typing import Any

from pt_fairness.cli.output import add_command, write
from pt_fairness.measures import descriptions


def add(commands: Any) -> None:
    """Add the command ``measures``."""
    command = add_command(commands, "measures", _run, "list the measures; by name, some in full",
                          [*descriptions.FORMATS], "text, and full by name")
    command.add_argument("names", metavar="NAME", nargs="*",
                         help="these measures, with parameters, formula and source")


def _run(options: argparse.Namespace) -> None:
    form = descriptions.FORMATS[options.format or ("full" if options.names else "text")]
    write(form(descriptions.named(options.names)).rstrip("\n") + "\n", options.output)
