"""The options that commands share, and their values."""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

#: The help of the option ``--groups``: the forms of a group source.
TAKES = ("a name that pt-fairness groups lists, a group file, FILE:COLUMN or FILE:ID:COLUMN for "
         "other columns of groups and documents, FILE::LABEL,LABEL for columns of weights, a "
         "membership file (gmemb; FILE:LABEL,LABEL names its groups), or "
         "re:PATTERN for the part of the document id that a regular expression matches")
#: The prefix of a regular expression.
PATTERN = "re:"


def add_qrels(command: argparse.ArgumentParser) -> None:
    command.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id; "
                         "none for measures that depend on no judged document")


def add_run(command: argparse.ArgumentParser, name: str, **options: Any) -> None:
    command.add_argument(name, metavar="RUN", help="a TREC run, compressed if it ends in .gz, or a "
                         ".parquet file", **options)


def add_groups(command: argparse.ArgumentParser) -> None:
    command.add_argument("--groups", metavar="SOURCE", help="the group source of the measures "
                         f"whose parameter groups is not set: {TAKES}")
    add_none(command, "--groups")


def add_none(command: argparse.ArgumentParser, source: str) -> None:
    """Add the option ``--none``.

    :param source: the argument with the qrels
    """
    command.add_argument("--none", metavar="LABEL", nargs="+", default=[],
                         help=f"{source} are qrels with the group as label, and these labels mean "
                              "no group")


def add_targets(command: argparse.ArgumentParser) -> None:
    command.add_argument("--targets", metavar="FILE", action="append", default=[],
                         help="target distributions: a CSV file with the columns qid, group, "
                         "share, which measures name without its folder and suffixes: "
                         "target='census' for census.csv; may be repeated")


def add_undefined(command: argparse.ArgumentParser, where: str) -> None:
    command.add_argument("--drop-undefined", dest="undefined", action="store_const", const="drop",
                         default="count", help="leave the topics for which a measure is undefined "
                         f"out of {where}, instead of counting 0")


def add_runs(command: argparse.ArgumentParser) -> None:
    """Add the arguments of an evaluation: qrels, runs, measures, their groups and names."""
    add_qrels(command)
    add_run(command, "runs", nargs="+")
    command.add_argument("-m", "--measures", metavar="MEASURE", nargs="+", required=True,
                         help="measures of ir_measures or of this package")
    add_groups(command)
    add_targets(command)
    command.add_argument("--label", metavar="MEASURE=LABEL", action="append", default=[],
                         help="the name of a measure in the output, such as rKL@10=Unfairness; may "
                              "be repeated")
    command.add_argument("--names", metavar="NAME", nargs="+",
                         help="a name for each run, in their order")
    command.add_argument("--jobs", metavar="N", type=int, default=1,
                         help="processes; -1 for all processors (default: 1)")
    command.set_defaults(seed=0)


def add_comparison(command: argparse.ArgumentParser) -> None:
    """Add ``--baseline`` and ``--correction``, and ``--seed``."""
    command.add_argument("--baseline", metavar="RUN",
                         help="the run that the others are tested against")
    command.add_argument("--correction", metavar="METHOD",
                         help="correction of the tests for several systems, or none; a method of "
                              "statsmodels (default: holm)")
    command.add_argument("--seed", metavar="N", type=int, help="the random seed, such as of "
                         "intervals and random orders (default: 0)")


def add_certainty(command: argparse.ArgumentParser) -> None:
    """Add the options for tests, intervals and undefined topics."""
    add_comparison(command)
    command.add_argument("--test-zero", action="store_true", help="test each signed measure, such "
                         "as BiasP, against 0, instead of comparing runs")
    add_undefined(command, "its averages, tests and intervals")
    command.add_argument("--test", choices=("t", "randomisation"),
                         help="test of the comparison (default: t)")
    command.add_argument("--ci", metavar="LEVEL", type=float, help="intervals of the averages at "
                         "this confidence level, such as 0.95")
    command.add_argument("--tolerance", metavar="MEASURE=δ", action="append", default=[],
                         help="the difference from the baseline that does not matter, such as "
                              "nDCG@10=0.01, for a verdict on each run; may be repeated")
    command.add_argument("--topic-groups", metavar="FILE",
                         help="means by groups of topics, from a CSV file with the columns qid and "
                              "group")
    command.add_argument("--uncertain", metavar="DRAWS", type=int,
                         help="intervals under uncertain labels, whose probabilities are the "
                              "weights of --groups, from this many draws")


def source_of(text: str, none: Sequence[str] = ()) -> Any:
    """Return the group source that an argument names.

    :param text: a form that :data:`TAKES` lists, or the path of qrels with ``none``
    :param none: the labels of the qrels that mean no group
    :returns: a Groups object, or the text itself if it is a name or a plain group file
    :raises ValueError: a pattern or a file that cannot be read
    """
    from pt_fairness import groups
    from pt_fairness.io.document_files import memberships
    if none:
        return groups.from_qrels(text, none, text)
    if text.startswith(PATTERN):
        return groups.from_pattern(text[len(PATTERN):], name=text)
    if text in groups.names():
        return text
    for columns in (0, 1, 2):
        path, *names = text.rsplit(":", columns)
        if os.path.isfile(path):
            break
    else:
        return text
    shares = memberships(path)
    if shares:
        labels = names[0].split(",") if names else [str(i) for i in range(1, shares + 1)]
        return groups.from_file(path, text, labels=labels)
    if not names:
        return text
    *before, column = names
    if before == [""]:
        return groups.from_file(path, text, labels=column.split(","), weights="wide")
    return groups.from_file(path, text, column=column, id=before[0] if before else None)


def qrels_of(options: argparse.Namespace) -> str | None:
    """Return the qrels of a command, or ``None`` if they are ``none``."""
    return None if options.qrels == "none" else options.qrels


def measures_of(options: argparse.Namespace) -> list[str]:
    """Return the measures of a command; an argument such as ``"P@5 RR"`` has several."""
    from pt_fairness.measures.measure_names import split
    return [measure for text in options.measures for measure in split(text)]


def register_targets(options: argparse.Namespace) -> None:
    """Register the distributions of ``--targets`` by the names of their files.

    :raises ValueError: no measure has one of them as its target, or a file cannot be read
    """
    from pt_fairness import targets
    for path in options.targets:
        name = os.path.basename(path).partition(".")[0]
        if not any(name in text for text in options.measures):
            raise ValueError(f"--targets {path}: no measure has the parameter target='{name}', as "
                             f"in RepBias(group='female',target='{name}')@10")
        targets.register(name, path)


def arguments_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that :func:`pt_fairness.evaluate` and :func:`pt_fairness.report` share.

    :raises ValueError: a label without a measure, or a tolerance that is no number
    """
    names = ("runs", "groups", "names", "baseline", "undefined", "seed")
    arguments = {name: getattr(options, name) for name in names}
    labels = dict(map(_label, options.label))
    tolerance = dict(map(_tolerance, options.tolerance))
    correction = options.correction or "holm"
    return arguments | {
        "qrels": qrels_of(options), "measures": measures_of(options), "labels": labels,
        "correction": None if correction == "none" else correction, "test": options.test or "t",
        "confidence": options.ci, "tolerance": tolerance or None, "n_jobs": options.jobs,
        "progress": sys.stderr.isatty()}


def _tolerance(text: str) -> tuple[str, float]:
    """Split ``MEASURE=δ`` at the last equals sign.

    :raises ValueError: there is no number behind it
    """
    measure, _, margin = text.rpartition("=")
    try:
        return measure, float(margin)
    except ValueError:
        raise ValueError(f"--tolerance {text!r} is not possible; it takes a measure, = and a "
                         "number, such as nDCG@10=0.01") from None


def _label(text: str) -> tuple[str, str]:
    """Split ``MEASURE=LABEL``; the parameters of a measure have equals signs, too.

    :raises ValueError: no part before an equals sign is a measure
    """
    from pt_fairness.provider.measure_lists import parsed_or_none
    for sign in re.finditer("=", text):
        if parsed_or_none(text[:sign.start()]) is not None:
            return text[:sign.start()], text[sign.end():]
    raise ValueError(f"--label {text!r} is not possible; it takes a measure, = and a label, such "
                     "as rKL@10=Unfairness")


class MethodHelp(argparse.Action):
    """Print the help of the re-ranker on the command line, or of the command without one."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
                 *_: Any) -> None:
        from pt_fairness import rerank
        for name in (namespace.method, namespace.run_file):
            if name in rerank.__all__:
                parser = _parser_of(getattr(rerank, name))
        parser.print_help()
        parser.exit()


def _parser_of(method: Any) -> argparse.ArgumentParser:
    """Return the parser of the parameters of a re-ranker.

    The help is the docstring of the re-ranker; the parameters that re-rankers share are in the
    docstring of the package.

    :param method: the class of the re-ranker
    """
    from pt_fairness import rerank
    docs = [inspect.getdoc(part) or "" for part in (rerank, method)]
    shared, text = [re.sub(r"``|:\w+:|`", "", doc).replace("%", "%%") for doc in docs]
    meanings = dict(re.findall(r"(?ms)^(?::param|\*) (\w+): (.*?)(?=^[:*]|\n\n|\Z)",
                               f"{shared}\n\n{text}"))
    parser = argparse.ArgumentParser(f"pt-fairness rerank RUN {method.__name__}", add_help=False,
                                     allow_abbrev=False, description=text.split("\n\n")[0])
    for name, param in method.parameters().items():
        if name == "groups":
            metavar, meaning = "SOURCE", TAKES
        else:
            default = "" if param.default is None else f" (default: {param.default})"
            metavar = "VALUE"
            meaning = meanings[name] + default
        parser.add_argument(f"--{name}", type=_value, default=argparse.SUPPRESS, metavar=metavar,
                            help=meaning)
    return parser


def params_of(options: argparse.Namespace, method: Any) -> dict[str, Any]:
    """Return the parameters of a re-ranker.

    :param method: the class of the re-ranker
    :raises ValueError: the groups are missing, or the re-ranker has none
    """
    grouped = "groups" in method.parameters()
    if grouped and options.groups is None:
        raise ValueError(f"{options.method} needs the groups of the documents: --groups NAME")
    if not grouped and options.groups is not None:
        raise ValueError(f"{options.method} has no parameter groups")
    parser = _parser_of(method)
    params = vars(parser.parse_args(options.of_method))
    if grouped:
        return {"groups": options.groups} | params
    return params


def _value(text: str) -> Any:
    """Return the value of a Python literal, or the text if it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # nested too deeply
        return text
