"""``pt-fairness eval`` and ``python -m pt_fairness``: the ``ir_measures`` command.

Qrels, run and measures are read by this package. The readers of ir_measures reject labels such as
4.0, and their errors do not name the line. ir_measures does not check cutoffs, and a cutoff of 0
crashes the interpreter.
"""

from __future__ import annotations

import argparse
import io as streams
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

import ir_measures

from pt_fairness.cli.output import add_command, add_groups, check_output, guarded, write

#: The forms of the output; the first one is the default.
_FORMS = ("tsv", "jsonl")


def add(commands: Any) -> None:
    """Add the command ``eval``, with the arguments of the ``ir_measures`` command."""
    command = add_command(commands, "eval", _run, "evaluate a run", _FORMS)
    _add_arguments(command)
    add_groups(command)


def _add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the ``ir_measures`` command, except for the form of the output."""
    command.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    command.add_argument("run_file", metavar="RUN",
                         help="a TREC run, compressed if it ends in .gz, or a .parquet file")
    command.add_argument("measures", metavar="MEASURE", nargs="+",
                         help="measures of ir_measures or of this package")
    command.add_argument("-p", "--places", metavar="N", type=int, default=4,
                         help="decimals of tsv, -1 for all digits (default: 4)")
    command.add_argument("-q", "--by_query", action="store_true",
                         help="also print the value of every topic")
    command.add_argument("-n", "--no_summary", action="store_true",
                         help="with -q, do not print the averages")
    command.add_argument("--provider", choices=[*ir_measures.providers.registry], metavar="NAME",
                         help="the provider of ir_measures to use")


def _run(options: argparse.Namespace) -> int:
    return guarded("pt-fairness eval", lambda: _write_values(options))


def evaluate(arguments: Sequence[str], program: str, groups: str | None = None) -> int:
    """Run the ``ir_measures`` command with the measures and readers of this package.

    :param arguments: the arguments of ``ir_measures``
    :param program: the name of the command in messages
    :param groups: the group source of the measures without ``groups``; it is not in the names
        of the measures in the output
    :returns: the exit code
    """
    def command() -> None:
        parser = argparse.ArgumentParser(program)
        _add_arguments(parser)
        parser.add_argument("-o", "--output_format", dest="format", choices=_FORMS,
                            default=_FORMS[0], help=f"form of the output (default: {_FORMS[0]})")
        options = parser.parse_args(
            arguments, argparse.Namespace(groups=groups, output=None, formats=_FORMS))
        check_output(options)
        _write_values(options)

    return guarded(program, command)


def _write_values(options: argparse.Namespace) -> None:
    """Compute the measures and write their values, as the ``ir_measures`` command does.

    :raises ValueError: there are no judgments or measures, or ``--no_summary`` leaves no values
    """
    from ir_measures.__main__ import OUTPUT_FORMATS, SUMMARY_QID

    from pt_fairness.core.messages import MOST_DECIMALS, at_least, collecting_warnings, warn
    from pt_fairness.evaluation.plan import make_plan
    from pt_fairness.io.document_files import load_qrels
    from pt_fairness.io.run_files import need_results, read_run
    from pt_fairness.measures.parsing import split
    from pt_fairness.provider.checks import refuse_unknown
    from pt_fairness.provider.evaluator import warn_of_one_list
    from pt_fairness.provider.parsing import parsed
    if options.no_summary and not options.by_query:
        raise ValueError("--no_summary (-n) is only possible with --by_query (-q)")
    at_least(-1, "--places", options.places, most=MOST_DECIMALS)
    measures = parsed([one for some in options.measures for one in split(some)])
    plan = make_plan(load_qrels(options.qrels), measures, workers=1, source=options.groups)
    run = read_run(options.run_file).rename(columns={"qid": "query_id", "docno": "doc_id"})
    need_results(run)
    warn_of_one_list(plan.measures, run)
    calculator = ir_measures if options.provider is None \
        else ir_measures.providers.registry[options.provider]
    with collecting_warnings() as messages:
        averages, values = calculator.calc(plan.measures, plan.qrels, run)
    refuse_unknown([messages])
    for cause, message in messages:
        warn(message, cause)
    results = values if options.by_query else []
    if not options.no_summary:
        results += [ir_measures.Metric(SUMMARY_QID, one, averages[one]) for one in plan.measures]
    columns = dict(zip(plan.measures, plan.columns, strict=True))
    show = OUTPUT_FORMATS[options.format](options)
    with redirect_stdout(streams.StringIO()) as text:
        for result in results:
            show(result._replace(measure=columns[result.measure]))
    write(text.getvalue(), options.output)
