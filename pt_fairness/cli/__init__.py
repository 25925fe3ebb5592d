"""The command-line interfaces ``pt-fairness`` and ``python -m pt_fairness``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pt_fairness
from pt_fairness.cli import commands, plugging
from pt_fairness.cli.commands import evaluate
from pt_fairness.cli.output import check_output, guarded, silence

__all__ = ["evaluate", "main"]

__dir__ = __all__.copy


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``pt-fairness`` command.

    :param arguments: the arguments after the name of the command; by default ``sys.argv[1:]``
    :returns: the exit code: 0; 1 if a run could not be evaluated or the output pipe is closed; 2
        for an error; 130 for a keyboard interrupt

    Examples
    --------
    >>> from pt_fairness import cli
    >>> cli.main(["annotate", "no/such/qrels", "trec-newswire"])
    2
    """
    if arguments is None:
        silence()
    return guarded("pt-fairness", lambda: _run(arguments))


def _run(arguments: Sequence[str] | None) -> int | None:
    parser = argparse.ArgumentParser(prog="pt-fairness",
                                     description="Fairness measures for rankings.")
    parser.add_argument("--version", action="version",
                        version=f"pt_fairness {pt_fairness.__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    commands.add(subparsers)
    plugging.add(subparsers)
    options, more = parser.parse_known_args(arguments)
    if more and "more" not in options:
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    options.more = more
    check_output(options)
    if getattr(options, "groups", None) is not None and not getattr(options, "none", None):
        options.groups = commands.source_of(options.groups)
    return options.run(options)
