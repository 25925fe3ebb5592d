"""The command-line interfaces: ``pt-fairness`` with its commands on one run, on groups and on
measures, and ``python -m pt_fairness``, which is its ``eval``.

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
import ast
import csv
import inspect
import io
import re
import sysconfig
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import ir_measures

import pt_fairness
from pt_fairness import core
from pt_fairness.cli import experiments
from pt_fairness.cli.options import (
    SOURCES,
    Parser,
    add_columns,
    add_command,
    add_groups,
    add_imports,
    add_judged,
    add_qrels,
    add_run,
    call,
    group_source,
    guarded,
    labelled_sources,
    prepare,
    run_command,
    say,
)
from pt_fairness.collections import DOWNLOADS
from pt_fairness.measures import descriptions

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
    parser = Parser(prog="pt-fairness", description="Fairness measures for rankings.")
    parser.add_argument("--version", action="version",
                        version=f"pt_fairness {pt_fairness.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = add_command(commands, "eval", _values, "evaluate a run", _FORMS)
    _add_arguments(command)
    add_groups(command)
    _add_explain(commands)
    _add_annotate(commands)
    _add_rerank(commands)
    _add_agreement(commands)
    _add_lists(commands)
    experiments.add(commands)
    _add_plug(commands)
    if arguments is None:
        prepare()
    return guarded(parser.prog, lambda: run_command(parser, arguments))


def evaluate(arguments: Sequence[str] | None = None) -> int:
    """Run the ``ir_measures`` command with the measures and readers of this package.

    :param arguments: the arguments of ``ir_measures``, without ``--provider``; by default
        ``sys.argv[1:]``
    :returns: the exit code
    """
    parser = Parser("python -m pt_fairness")
    _add_arguments(parser)
    parser.add_argument("-o", "--output_format", dest="format", choices=_FORMS,
                        default="tsv", help="form of the output (default: tsv)")
    add_imports(parser)
    parser.set_defaults(run=_values, output=None)
    if arguments is None:
        prepare()
    return guarded(parser.prog, lambda: run_command(parser, arguments))


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


def _add_explain(commands: Any) -> None:
    explain = add_command(commands, "explain", _explain, "show how the value of one topic is "
                          "computed, with the numbers at each rank")
    add_qrels(explain)
    add_run(explain)
    explain.add_argument("-m", "--measures", metavar="MEASURE", nargs=1, required=True,
                         help="a measure of ir_measures or of this package")
    explain.add_argument("--topic", required=True, help="the topic")
    add_groups(explain)


def _explain(options: argparse.Namespace) -> str:
    from pt_fairness import explain
    from pt_fairness.evaluation.plan import inputs_of
    runs, qrels, measures, groups = call(inputs_of, options)
    frame, value, formula, reason = explain(measures, runs, qrels, options.topic, groups=groups)
    head = f"{measures[0]} of topic {options.topic}"
    if reason:
        raise ValueError(f"{head} is undefined: {reason}")
    number = "{:.5g}".format
    sides = filter(None, formula.split(" = "))
    parts = ["\n= ".join([f"{head}: {number(value)}", *sides])]
    if len(frame):
        numbers = frame.loc[0, "where":]
        where = numbers.pop("where")
        if formula and where:
            parts[0] += f"\nwhere {where}"
        if len(numbers):
            parts.append(numbers.to_string(float_format=number))
        ranks = frame.loc[:, :"measure"].drop(columns="measure")
        parts.append(ranks.to_string(index=False, na_rep="–", float_format=number))
    return "\n\n".join(parts) + "\n"


def _add_annotate(commands: Any) -> None:
    annotate = add_command(commands, "annotate", _annotate, "write qrels with the groups of the "
                           "judged documents in their second column")
    add_qrels(annotate)
    annotate.add_argument("groups", metavar="GROUPS", help=f"{SOURCES}; qrels with the group as "
                          "label, such as stances, are a group file")
    add_columns(annotate)
    add_judged(annotate)


def _annotate(options: argparse.Namespace) -> None:
    from pt_fairness import groups, io
    source = groups.get(options.groups)
    annotated = source.to_qrels(io.load_qrels(options.qrels))
    line = groups.summary(annotated)
    without = annotated[annotated["iteration"] == "-"]
    if len(without) == len(annotated) > 0 and source.name not in groups.names():
        raise ValueError(f"the ids of groups and qrels must match, got no group in "
                         f"{source.registered} of {len(without)} judged documents")
    if len(without):
        docno = io.qrels_columns(without)[1]
        line += f" (first without: {without[docno].iloc[0]})"
    if source.weighted:
        line += "; weights are lost, because qrels lack a column for them"
    say(line)
    io.write_qrels(annotated, options.output)


def _add_rerank(commands: Any) -> None:
    rerank = add_command(commands, "rerank", _rerank, "re-rank a run towards target shares of the "
                         "groups", add_help=False, usage="pt-fairness rerank RUN METHOD "
                         "--groups SOURCE [--PARAMETER VALUE …] [--sep TEXT …] [-o FILE]")
    rerank.add_argument("-h", "--help", action=_MethodHelp, nargs=0,
                        help="show this help; after a METHOD, the parameters of the method")
    add_run(rerank)
    rerank.add_argument("method", metavar="METHOD",
                        help="a re-ranker, such as xquad; its parameters "
                             "follow by name, such as --groups stances.csv --lam 0.8")
    add_columns(rerank)
    add_judged(rerank)
    # The options that the parser does not know are parameters of the method.
    rerank.set_defaults(parameters=[])


def _rerank(options: argparse.Namespace) -> str:
    from pt_fairness import groups, io, rerank
    from pt_fairness.core.messages import one_of
    from pt_fairness.io.files import need_no_space
    from pt_fairness.io.runs import need_results
    one_of("METHOD", options.method, rerank.__all__)
    method = getattr(rerank, options.method)
    parameters = vars(_method_parser(method).parse_args(options.parameters))
    run = io.read_run(options.runs)
    need_results(run)
    need_no_space(run, ["qid", "docno"], "a TREC run")
    tag = options.method
    if "groups" in parameters:
        source = groups.get(group_source(parameters["groups"], **options.reading))
        parameters["groups"] = source
        item, *_ = source.annotate(run["qid"].to_numpy(object), run["docno"].to_numpy(object))
        say(f"{source.registered}: {len({*item})} of {len(run)} ranked documents have a group")
        if source.judged:
            say("the new order is an oracle: its groups are judgments, which no system knows")
            tag += "-oracle"
    ranked = method(**parameters)(run)
    lines = ranked[["qid"]].assign(q0="Q0", docno=ranked["docno"], rank=ranked["rank"] + 1,
                                   score=ranked["score"].astype(int), tag=tag)
    return lines.to_csv(sep=" ", header=False, index=False, lineterminator="\n",
                        quoting=csv.QUOTE_NONE)


class _MethodHelp(argparse.Action):
    """Print the help of the re-ranker on the command line, or of the command without one."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
                 *_: Any) -> None:
        from pt_fairness import rerank
        for name in vars(namespace).values():
            if name in rerank.__all__:
                parser = _method_parser(getattr(rerank, name))
        parser.print_help()
        parser.exit()


def _method_parser(method: Any) -> argparse.ArgumentParser:
    """Return the parser of the parameters of a re-ranker.

    Their help is in the docstrings of the package, for shared parameters, and of the re-ranker.

    :param method: the class of the re-ranker
    """
    from pt_fairness import rerank
    summary = inspect.cleandoc(method.__doc__)
    text = re.sub(r"``|:\w+:|`", "", f"{rerank.__doc__}\n{summary}").replace("%", "%%")
    meanings = dict(re.findall(r"(?ms)^(?:\*|:param) (\w+): (.*?)(?=^[*:]|\n\n|\Z)", text))
    meanings["groups"] = SOURCES
    parser = argparse.ArgumentParser(f"pt-fairness rerank RUN {method.__name__}",
                                     description=summary.partition("\n\n")[0],
                                     argument_default=argparse.SUPPRESS,
                                     epilog="pt-fairness rerank --help lists the options of how "
                                     "--groups are read, such as --sep.")
    for name, parameter in method.parameters().items():
        meaning = meanings[name]
        if parameter.default is not None:
            meaning += f" (default: {parameter.default})"
        parser.add_argument(f"--{name}", type=_value, required=name == "groups", metavar="VALUE",
                            help=meaning)
    return parser


def _value(text: str) -> Any:
    """Parse a Python literal; return other text unchanged."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # nested too deeply
        return text


def _add_agreement(commands: Any) -> None:
    agreement = add_command(commands, "agreement", _agreement, "say how far the labels of a model "
                            "agree with human ones")
    agreement.add_argument("people", metavar="HUMAN", help=f"the human labels: {SOURCES}")
    agreement.add_argument("model", metavar="MODEL", help="the labels of the model, likewise")
    add_columns(agreement)


def _agreement(options: argparse.Namespace) -> str:
    from pt_fairness import groups
    sources = labelled_sources([options.model, options.people], options.reading)
    rates = groups.error_rates(*sources)
    labels = rates.labels.set_index("label")
    number = "{:.4f}".format
    texts = [frame.to_string(float_format=number) for frame in (labels, rates.summary)]
    return "\n\n".join(texts) + "\n"


def _add_lists(commands: Any) -> None:
    """Add the parsers of ``groups`` and ``measures``."""
    add_command(commands, "groups", _groups, "list the group sources that have a name, with their "
                "labels and what they download")
    command = add_command(commands, "measures", _measures, "list the measures, or describe "
                          "some", [*descriptions.FORMATS], "text, and full by name")
    command.add_argument("names", metavar="NAME", nargs="*", default=[],
                         help="measures to describe, with parameters, formula and source")


def _groups(_: argparse.Namespace) -> str:
    from pt_fairness import groups
    text = ""
    for name in groups.names():
        collection = max(filter(name.startswith, DOWNLOADS), key=len, default="")
        text += (f"{name}\n    labels: {', '.join(groups.get(name).labels or [])}\n"
                 f"    downloads: {DOWNLOADS.get(collection, 'nothing')}\n")
    return text


def _measures(options: argparse.Namespace) -> str:
    form = options.format or ("full" if options.names else "text")
    measures = descriptions.named(options.names)
    text = descriptions.FORMATS[form](measures).rstrip("\n") + "\n"
    if form == "full":
        from pt_fairness.analysis import ladder
        from pt_fairness.analysis.inputs import compares_groups
        for measure in filter(compares_groups, measures):
            with suppress(ValueError):  # of a measure that needs other parameters
                text += (f"\n{measure.NAME} of ten documents that show less and less of a group:\n"
                         f"{ladder(measure).round(2).to_string()}\n")
    return text


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


def _add_plug(commands: Any) -> None:
    """Add the parsers of ``plug`` and ``unplug``."""
    plug = add_command(commands, "plug", _plug, "add this package to the plain ir_measures and "
                       "ir_datasets commands of this environment")
    plug.add_argument("--status", action="store_true", help="only print whether it is added")
    add_command(commands, "unplug", _unplug, "undo plug")


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
