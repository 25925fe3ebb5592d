"""``pt-fairness annotate``: qrels with groups."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pt_fairness.cli.output import add_command, write


def add(commands: Any) -> None:
    """Add the command ``annotate``."""
    command = add_command(commands, "annotate", _run, "write qrels with the groups of the judged "
                          "documents in their second column", ("trec", "csv"))
    command.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    command.add_argument("groups", metavar="GROUPS", help="a registered name or a group file")


def _run(options: argparse.Namespace) -> None:
    from pt_fairness import groups, io
    annotated = groups.get(options.groups).to_qrels(io.load_qrels(options.qrels))
    if options.format == "csv":
        write(annotated.to_csv(index=False, lineterminator="\n"), options.output)
    else:
        io.write_qrels(annotated, options.output)
    sys.stderr.write(f"pt-fairness: {groups.summary(annotated)}\n")
