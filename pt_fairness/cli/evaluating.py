"""``pt-fairness eval`` and ``python -m pt_fairness``: the ``ir_measures`` command."""

from __future__ import annotations

import argparse
import io as streams
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

from pt_fairness.cli.output import add_command, guarded, need_output, write


def add(commands: Any) -> None:
    """Add the command ``eval``, with the arguments of the ``ir_measures`` command."""
    command = add_command(commands, "eval", _run, "evaluate a run", ("tsv", "jsonl"))
    command.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    command.add_argument("runs", metavar="RUN", help="a TREC run, compressed if it ends in .gz, or "
                         "a .parquet file")
    command.add_argument("measures", metavar="MEASURE", nargs="+",
                         help="measures of ir_measures or of this package")
    command.add_argument("-p", "--places", metavar="N", default="4",
                         help="decimals of tsv, -1 for all digits (default: 4)")
    command.add_argument("-q", "--by_query", action="store_true",
                         help="also print the value of every topic")
    command.add_argument("-n", "--no_summary", action="store_true",
                         help="with -q, do not print the averages")
    command.add_argument("--provider", metavar="NAME", help="the provider of ir_measures to use")


def _run(options: argparse.Namespace) -> int:
    # argparse reads "-1" after "--places" as an option, but not within one argument.
    given = [options.qrels, options.runs, *options.measures, f"--places={options.places}",
             f"--output_format={options.format}", *["--by_query"] * options.by_query,
             *["--no_summary"] * options.no_summary]
    if options.provider is not None:
        given.append(f"--provider={options.provider}")
    program = "pt-fairness eval"
    if options.output is None:
        return evaluate(given, program)
    with redirect_stdout(streams.StringIO()) as text:
        code = evaluate(given, program)
    if code == 0:
        write(text.getvalue(), options.output)
    return code


def evaluate(arguments: Sequence[str], program: str = "pt-fairness eval") -> int:
    """Run the ``ir_measures`` command with the readers of this package.

    The readers of ir_measures reject labels such as 4.0, and their errors do not name the line.
    ir_measures does not check cutoffs, and a cutoff of 0 crashes the interpreter.

    :param arguments: the arguments of ``ir_measures``
    :param program: the name of the command in messages
    :returns: the exit code
    """
    import ir_measures
    from ir_measures import __main__ as theirs

    runs = []

    def read_run(path: str) -> Any:
        runs.append(_read_run(path))
        return runs[-1]

    def parse_measures(options: argparse.Namespace) -> list[Any]:
        from pt_fairness.provider.many_runs import warn_of_one_list
        measures = _parse_measures(options)
        for run in runs:
            warn_of_one_list(measures, run)
        return measures

    def command() -> None:
        need_output()
        theirs.main_cli()

    saved = sys.argv, theirs._get_qrels, theirs._get_measures, ir_measures.read_trec_run
    sys.argv = [program, *arguments]
    theirs._get_qrels, theirs._get_measures = _read_qrels, parse_measures
    ir_measures.read_trec_run = read_run
    try:
        return guarded(program, command)
    finally:
        sys.argv, theirs._get_qrels, theirs._get_measures, ir_measures.read_trec_run = saved


def _read_qrels(options: argparse.Namespace) -> Any:
    from pt_fairness import io
    qrels = io.load_qrels(options.qrels)
    if qrels.empty:
        raise ValueError("the qrels have no rows, so there is no topic to evaluate")
    return qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})


def _parse_measures(options: argparse.Namespace) -> list[Any]:
    from pt_fairness import tables
    measures = tables.parsed(" ".join(options.measures).split())
    if not measures:
        raise ValueError("there are no measures to compute")
    return measures


def _read_run(path: str) -> Any:
    from pt_fairness import io
    return io.read_run(path).rename(columns={"qid": "query_id", "docno": "doc_id"})
