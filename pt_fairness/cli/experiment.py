"""The options of the commands that evaluate several runs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pt_fairness.cli.output import add_groups


def add_options(command: argparse.ArgumentParser) -> None:
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
                         help="test the others against this run (paired t-test)")
    command.add_argument("--correction", metavar="METHOD", default="holm",
                         help="correction of the tests for several systems, or none; a method of "
                              "statsmodels (default: holm)")
    command.add_argument("--jobs", metavar="N", type=int, default=1,
                         help="processes; -1 for all processors (default: 1)")


def arguments_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of :func:`pt_fairness.evaluate` and :func:`pt_fairness.report`.

    :raises ValueError: a label without a measure
    """
    untested = options.baseline is None or options.correction == "none"
    return {
        "runs": options.runs, "qrels": options.qrels,
        "measures": [measure for some in options.measures for measure in some.split()],
        "groups": options.groups, "labels": dict(map(_label, options.label)),
        "names": options.names, "baseline": options.baseline,
        "correction": None if untested else options.correction,
        "n_jobs": options.jobs, "progress": sys.stderr.isatty()}


def _label(text: str) -> tuple[str, str]:
    """Split ``MEASURE=LABEL``; the parameters of a measure have equals signs, too.

    :raises ValueError: no part before an equals sign is a measure
    """
    from pt_fairness.tables import parsed_or_none
    parts = text.split("=")
    for i in range(1, len(parts)):
        measure = "=".join(parts[:i])
        if parsed_or_none(measure) is not None:
            return measure, "=".join(parts[i:])
    raise ValueError(f"--label {text!r} is not possible; it takes a measure, = and a label, such "
                     "as rKL@10=Unfairness")
