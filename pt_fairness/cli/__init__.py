"""The command-line interfaces: ``pt-fairness``, ``python -m pt_fairness``, which is its ``eval``,
and a file that adds this package to the commands of ir_measures and ir_datasets.

``eval`` reads qrels, run and measures with this package. The readers of ir_measures reject labels
such as 4.0, and their errors do not name the line. ir_measures does not check cutoffs, and a cutoff
of 0 crashes the interpreter.

Neither the ir_measures command nor the ir_datasets command supports plugins. Python executes the
import lines of the ``.pth`` files in site-packages at startup. The line of the file that
``pt-fairness plug`` writes installs a hook that imports this package after one of the two packages
is imported.
"""

from __future__ import annotations

import argparse
import io
import sysconfig
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import ir_measures

import pt_fairness
from pt_fairness import core
from pt_fairness.cli import commands, experiments
from pt_fairness.cli.options import add_groups, add_qrels, add_run, call, resolve
from pt_fairness.cli.output import (
    add_command,
    add_imports,
    check_output,
    guarded,
    prepare,
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
    parser = argparse.ArgumentParser(prog="pt-fairness",
                                     description="Fairness measures for rankings.")
    parser.add_argument("--version", action="version",
                        version=f"pt_fairness {pt_fairness.__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    command = add_command(subparsers, "eval", _values, "evaluate a run", _FORMS)
    _add_arguments(command)
    add_groups(command)
    commands.add(subparsers)
    experiments.add(subparsers)
    plug = add_command(subparsers, "plug", _plug, "add this package to the plain ir_measures and "
                       "ir_datasets commands of this environment", ["text"])
    plug.add_argument("--status", action="store_true", help="only print whether it is added")
    add_command(subparsers, "unplug", _unplug, "undo plug", ["text"])
    if arguments is None:
        prepare()
    return guarded(parser.prog, lambda: _run(parser, arguments))


def evaluate(arguments: Sequence[str]) -> int:
    """Run the ``ir_measures`` command with the measures and readers of this package.

    :param arguments: the arguments of ``ir_measures``, without ``--provider``
    :returns: the exit code
    """
    parser = argparse.ArgumentParser("python -m pt_fairness")
    _add_arguments(parser)
    parser.add_argument("-o", "--output_format", dest="format", choices=_FORMS,
                        default="tsv", help="form of the output (default: tsv)")
    add_imports(parser)
    parser.set_defaults(run=_values, output=None)
    return guarded(parser.prog, lambda: _run(parser, arguments))


def _run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    options, unknown = parser.parse_known_args(arguments)
    if unknown and "parameters" not in options:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    options.parameters = unknown
    options.code = 0
    check_output(options)
    resolve(options)
    text = options.run(options)
    if text is not None:
        write(text, options.output)
    return options.code


def _add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the ``ir_measures`` command, except for the form of the output."""
    add_qrels(command)
    add_run(command)
    command.add_argument("measures", metavar="MEASURE", nargs="+",
                         help="measures of ir_measures or of this package")
    command.add_argument("-p", "--places", type=int, default=4,
                         help="decimals of tsv, -1 for all digits (default: 4)")
    command.add_argument("-q", "--by_query", action="store_true", default=False,
                         help="also print the value of every topic")
    command.add_argument("-n", "--no_summary", action="store_true", default=False,
                         help="with -q, do not print the averages")


def _values(options: Any) -> str:
    """Compute the measures and return their values as text, as the ``ir_measures`` command does.

    A topic for which a measure is undefined is NaN, and the average leaves it out.

    :raises ValueError: if the run is empty, or ``--no_summary`` leaves no values
    """
    import pandas as pd
    from ir_measures.__main__ import OUTPUT_FORMATS, SUMMARY_QID
    if options.no_summary and not options.by_query:
        raise ValueError("--no_summary (-n): not allowed without --by_query (-q)")
    averages, perquery = call(pt_fairness.evaluate, options, runs={"run": options.runs})
    parts = [perquery[["qid", "measure", "value"]]] if options.by_query else []
    if not options.no_summary:
        means = averages.drop(columns="name").iloc[0]
        parts.append(pd.DataFrame({"qid": SUMMARY_QID, "measure": means.index, "value": means}))
    show = OUTPUT_FORMATS[options.format](options)
    with redirect_stdout(io.StringIO()) as text:
        for row in pd.concat(parts).itertuples(index=False):
            show(ir_measures.Metric(row.qid, row.measure, row.value))
    return text.getvalue()


#: The packages whose import triggers the import of this one.
PACKAGES = ("ir_measures", "ir_datasets")
FILE_NAME = "pt_fairness_plug.pth"


def _plug_file() -> Path:
    """Return the path of the file, whether it exists or not."""
    return Path(sysconfig.get_path("purelib")) / FILE_NAME


# Python executes this at every startup, so it only adds a finder, which reads the file of core when
# one of the packages is imported. All errors are suppressed, in case this package was removed.
_PLUG_CODE = """try:
 class Finder:
  def find_spec(self, name, path=None, target=None):
   if name in {packages} and self in sys.meta_path:
    sys.meta_path.remove(self)
    try:
     names = {{'__name__': 'pt_fairness.core'}}
     exec(compile(open({file}, encoding='utf-8').read(), {file}, 'exec'), names)
     names['plug'](name, lambda: __import__('pt_fairness'))
     import importlib.util
     return importlib.util.find_spec(name)
    except Exception:
     pass
 sys.meta_path.insert(0, Finder())
except Exception:
 pass
"""


def _plug_line() -> str:
    """Return the content of the file, which names a file of this installation."""
    file = Path(core.__file__).resolve()
    code = _PLUG_CODE.format(packages=PACKAGES, file=ascii(str(file)))
    return f"import sys; exec({code!r}, {{'sys': sys, '__name__': 'pt_fairness_plug'}})\n"


def _plug(options: argparse.Namespace) -> str:
    file = _plug_file()
    text = str(file)
    if "status" not in options:
        file.write_text(_plug_line(), encoding="utf-8")
    elif file.exists() and file.read_text(encoding="utf-8") == _plug_line():
        text = f"plugged in: {file}"
    else:
        text = f"not plugged in: there is no {file} of this version"
    return f"{text}\n"


def _unplug(_: argparse.Namespace) -> str:
    file = _plug_file()
    text = f"nothing to remove: there is no {file}"
    if file.exists():
        file.unlink()
        text = f"removed {file}"
    return f"{text}\n"
