"""The command-line interfaces ``pt-fairness`` and ``python -m pt_fairness``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pt_fairness
from pt_fairness.measures import catalog
from pt_fairness.plugging import pth


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
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] == "eval":
        return evaluate(arguments[1:])

    def command() -> int | None:
        options = _parser().parse_args(arguments)
        if getattr(options, "file", None) is None:
            _need_output()
        return options.run(options)

    return _guarded("pt-fairness", command)


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
        _need_output()
        theirs.main_cli()

    saved = sys.argv, theirs._get_qrels, theirs._get_measures, ir_measures.read_trec_run
    sys.argv = [program, *arguments]
    theirs._get_qrels, theirs._get_measures = _read_qrels, parse_measures
    ir_measures.read_trec_run = read_run
    try:
        return _guarded(program, command)
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


def _guarded(program: str, command: Callable[[], Any]) -> int:
    """Run a command with UTF-8 output; write each warning and error to standard error.

    :returns: the exit code
    """
    if sys.stderr is None:  # closed
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")

    def show(message: Any, *_: Any, **__: Any) -> None:
        sys.stderr.write(f"{program}: warning: {message}\n")

    with warnings.catch_warnings():
        warnings.showwarning = show
        try:
            code = int(command() or 0)
            if sys.stdout is not None:
                sys.stdout.flush()  # raises BrokenPipeError here for buffered text
            return code
        except BrokenPipeError:
            code = 1
        except KeyboardInterrupt:
            code = 130
        except (ValueError, OSError, ImportError, AssertionError) as error:
            sys.stderr.write(f"{program}: error: {error}\n")
            code = 2
    _drop_output()
    return code


def _need_output() -> None:
    """Raise an error if standard output is closed.

    :raises ValueError: standard output is closed
    """
    if sys.stdout is None:
        raise ValueError("standard output is closed, so the output has no place to go")


def _drop_output() -> None:
    """Discard output that cannot be written, which would raise an error at interpreter exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _annotate(options: argparse.Namespace) -> None:
    from pt_fairness import groups, io
    annotated = groups.get(options.groups).to_qrels(io.load_qrels(options.qrels))
    io.write_qrels(annotated, options.file)
    sys.stderr.write(f"pt-fairness: {groups.summary(annotated)}\n")


def _table(options: argparse.Namespace) -> int:
    from pt_fairness import evaluation
    measures = [measure for some in options.measures for measure in some.split()]
    averages, per_query = evaluation.evaluate(
        options.runs, options.qrels, measures, baseline=options.baseline, n_jobs=options.jobs,
        progress=sys.stderr.isatty())
    table = per_query if options.per_query else averages
    sys.stdout.write(evaluation.as_text(table, options.output))
    return 1 if averages.attrs[evaluation.BROKEN] else 0


def _plug(options: argparse.Namespace) -> None:
    where = pth.path()
    if not options.status:
        print(pth.plug())
    elif pth.plugged():
        print(f"plugged in: {where}")
    elif where.exists():
        print(f"not plugged in: {where} is of another version; plug again")
    else:
        print(f"not plugged in: there is no {where}")


def _unplug(_: argparse.Namespace) -> None:
    removed = pth.unplug()
    print(f"removed {removed}" if removed else f"nothing to remove: there is no {pth.path()}")


def _measures(options: argparse.Namespace) -> None:
    text = catalog.in_full(options.names) if options.names else catalog.FORMATS[options.format]()
    print(text.rstrip("\n"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pt-fairness",
                                     description="Fairness measures for rankings.")
    parser.add_argument("--version", action="version",
                        version=f"pt_fairness {pt_fairness.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], int | None] | None,
            help: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=help, description=help)
        command.set_defaults(run=run)
        return command

    # Listed for --help only: main handles eval before it parses arguments.
    add("eval", None,
        "evaluate a run: QRELS RUN MEASURE…, with the arguments of the ir_measures command")
    annotate = add("annotate", _annotate,
                   "write qrels with the groups of the judged documents in their second column")
    annotate.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    annotate.add_argument("groups", metavar="GROUPS", help="a registered name or a group file")
    annotate.add_argument("-o", "--output", dest="file", metavar="FILE",
                          help="where to write, compressed if it ends in .gz "
                               "(default: standard output)")
    table = add("table", _table, "compare runs: a row for each, a column for each measure")
    table.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    table.add_argument("runs", metavar="RUN", nargs="+",
                       help="a TREC run, compressed if it ends in .gz, or a .parquet file")
    table.add_argument("-m", "--measures", metavar="MEASURE", nargs="+", required=True,
                       help="measures of ir_measures or of this package")
    table.add_argument("--baseline", metavar="RUN",
                       help="test the others against this run (paired t-test)")
    table.add_argument("--jobs", metavar="N", type=int, default=1,
                       help="processes; -1 for all processors (default: 1)")
    table.add_argument("--per-query", action="store_true",
                       help="the value of every topic instead of the averages")
    table.add_argument("--output", choices=("csv", "md", "latex", "json"), default="csv",
                       help="format of the table (default: csv)")
    measures = add("measures", _measures,
                   "list the measures with range, fair end and parameters; by name, one in full")
    measures.add_argument("names", metavar="NAME", nargs="*",
                          help="show these in full, with formula and source")
    measures.add_argument("--format", choices=catalog.FORMATS, default="text",
                          help="text (default), a Markdown table, or a page of reStructuredText")
    plug = add("plug", _plug, "add this package to the plain ir_measures and ir_datasets commands "
               "of this environment")
    plug.add_argument("--status", action="store_true", help="only print whether it is added")
    add("unplug", _unplug, "undo plug")
    return parser
