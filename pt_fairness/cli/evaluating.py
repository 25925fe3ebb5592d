"""``pt-fairness eval`` and ``python -m pt_fairness``: the ``ir_measures`` command."""

from __future__ import annotations

import argparse
import io as streams
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

from pt_fairness.cli.output import add_command, add_groups, guarded, need_output, write


def add(commands: Any) -> None:
    """Add the command ``eval``, with the arguments of the ``ir_measures`` command."""
    command = add_command(commands, "eval", _run, "evaluate a run", ("tsv", "jsonl"))
    command.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    command.add_argument("runs", metavar="RUN", help="a TREC run, compressed if it ends in .gz, or "
                         "a .parquet file")
    command.add_argument("measures", metavar="MEASURE", nargs="+",
                         help="measures of ir_measures or of this package")
    add_groups(command)
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
        return evaluate(given, program, options.groups)
    with redirect_stdout(streams.StringIO()) as text:
        code = evaluate(given, program, options.groups)
    if code == 0:
        write(text.getvalue(), options.output)
    return code


def evaluate(arguments: Sequence[str], program: str, groups: str | None = None) -> int:
    """Run the ``ir_measures`` command with the readers of this package.

    The readers of ir_measures reject labels such as 4.0, and their errors do not name the line.
    ir_measures does not check cutoffs, and a cutoff of 0 crashes the interpreter.

    :param arguments: the arguments of ``ir_measures``
    :param program: the name of the command in messages
    :param groups: the group source of the measures without ``groups``; it is not in the names
        of the measures in the output
    :returns: the exit code
    """
    import ir_measures
    from ir_measures import __main__ as theirs

    given = _Given(groups)
    formats = theirs.OUTPUT_FORMATS

    def command() -> None:
        need_output()
        theirs.main_cli()

    saved = sys.argv, theirs._get_qrels, theirs._get_measures, ir_measures.read_trec_run
    sys.argv = [program, *arguments]
    theirs._get_qrels, theirs._get_measures = given.qrels, given.measures
    ir_measures.read_trec_run = given.run
    theirs.OUTPUT_FORMATS = {name: given.named(form) for name, form in formats.items()}
    try:
        return guarded(program, command)
    finally:
        sys.argv, theirs._get_qrels, theirs._get_measures, ir_measures.read_trec_run = saved
        theirs.OUTPUT_FORMATS = formats


class _Given:
    """The qrels, run and measures of a command, in the order in which ``ir_measures`` asks."""

    def __init__(self, groups: str | None) -> None:
        self._groups = groups
        self._columns: dict[Any, str] = {}
        self._run: Any = None

    def qrels(self, options: argparse.Namespace) -> Any:
        from pt_fairness import io
        from pt_fairness.tables import parsed, take_groups
        qrels = io.load_qrels(options.qrels)
        if qrels.empty:
            raise ValueError("the qrels have no rows, so there is no topic to evaluate")
        qrels = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
        measures = parsed(" ".join(options.measures).split())
        if not measures:
            raise ValueError("there are no measures to compute")
        self._columns, qrels, _ = take_groups(measures, qrels, self._groups)
        return qrels

    def run(self, path: str) -> Any:
        from pt_fairness import io
        self._run = io.read_run(path).rename(columns={"qid": "query_id", "docno": "doc_id"})
        return self._run

    def measures(self, _: argparse.Namespace) -> list[Any]:
        from pt_fairness.provider.many_runs import warn_of_one_list
        measures = list(self._columns)
        warn_of_one_list(measures, self._run)
        return measures

    def named(self, form: Callable[[Any], Callable[[Any], None]]) -> Any:
        """Return an output format that prints measures without the group source."""
        def make(options: argparse.Namespace) -> Callable[[Any], None]:
            output = form(options)
            return lambda result: output(
                result._replace(measure=self._columns.get(result.measure, result.measure)))
        return make
