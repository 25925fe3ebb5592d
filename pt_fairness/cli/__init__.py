"""The command-line interfaces ``pt-fairness`` and ``python -m pt_fairness``, which is ``eval``.

``eval`` reads qrels, run and measures with this package. The readers of ir_measures reject labels
such as 4.0, and their errors do not name the line. ir_measures does not check cutoffs, and a cutoff
of 0 crashes the interpreter.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from contextlib import redirect_stdout

import ir_measures

import pt_fairness
from pt_fairness.cli import commands, plugging
from pt_fairness.cli.options import (
    add_groups,
    add_qrels,
    add_run,
    add_targets,
    measures_of,
    qrels_of,
    register_targets,
    source_of,
)
from pt_fairness.cli.output import (
    add_command,
    add_imports,
    check_output,
    guarded,
    import_modules,
    silence,
    write,
)

__all__ = ["evaluate", "main"]

__dir__ = __all__.copy

#: The forms of the output of ``eval``; the first one is the default.
_FORMS = ("tsv", "jsonl")


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
    command = add_command(subparsers, "eval", _eval, "evaluate a run", _FORMS)
    _add_evaluation(command)
    add_groups(command)
    add_targets(command)
    commands.add(subparsers)
    plugging.add(subparsers)
    options, unknown = parser.parse_known_args(arguments)
    if unknown and "of_method" not in options:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    options.of_method = unknown
    check_output(options)
    import_modules(options.imports)
    none = getattr(options, "none", [])
    if getattr(options, "groups", None) is not None:
        options.groups = source_of(options.groups, none)
    elif none:
        raise ValueError("--none is about the labels of --groups; give it, too")
    if "targets" in options:
        register_targets(options)
    return options.run(options)


def _add_evaluation(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the ``ir_measures`` command, except for the form of the output."""
    add_qrels(command)
    add_run(command, "run_file")
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


def _eval(options: argparse.Namespace) -> int:
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
        _add_evaluation(parser)
        parser.add_argument("-o", "--output_format", dest="format", choices=_FORMS,
                            default=_FORMS[0], help=f"form of the output (default: {_FORMS[0]})")
        add_imports(parser)
        parser.set_defaults(groups=groups, output=None, formats=_FORMS)
        options = parser.parse_args(arguments)
        check_output(options)
        import_modules(options.imports)
        _write_values(options)

    return guarded(program, command)


def _write_values(options: argparse.Namespace) -> None:
    """Compute the measures and write their values, as the ``ir_measures`` command does.

    :raises ValueError: there are no judgments or measures, or ``--no_summary`` leaves no values
    """
    from ir_measures.__main__ import OUTPUT_FORMATS, SUMMARY_QID

    from pt_fairness.analysis.inputs import one_run
    from pt_fairness.core.messages import MOST_DECIMALS, at_least, collecting_warnings, warn
    from pt_fairness.evaluation.plan import inputs_of, make_plan
    from pt_fairness.io.run_files import need_results
    from pt_fairness.provider.measure_lists import refuse_unknown, warn_of_one_list
    if options.no_summary and not options.by_query:
        raise ValueError("--no_summary (-n) is only possible with --by_query (-q)")
    at_least(-1, "--places", options.places, most=MOST_DECIMALS)
    measures = measures_of(options)
    run = one_run(options.run_file)
    need_results(run)
    _, judged, measures, groups = inputs_of({"run": run}, qrels_of(options), measures,
                                            groups=options.groups)
    plan = make_plan(judged, measures, workers=1, source=groups)
    warn_of_one_list(plan.measures, run)
    provider = ir_measures.providers.registry.get(options.provider, ir_measures)
    with collecting_warnings() as messages:
        averages, values = provider.calc(plan.measures, plan.qrels, run)
    refuse_unknown([messages])
    for cause, message in messages:
        warn(message, cause)
    results = values if options.by_query else []
    if not options.no_summary:
        results += [ir_measures.Metric(SUMMARY_QID, measure, averages[measure])
                    for measure in plan.measures]
    columns = dict(zip(plan.measures, plan.columns, strict=True))
    show = OUTPUT_FORMATS[options.format](options)
    with redirect_stdout(io.StringIO()) as text:
        for result in results:
            show(result._replace(measure=columns[result.measure]))
    write(text.getvalue(), options.output)
