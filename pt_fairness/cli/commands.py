"""The commands on one run, on groups and on measures."""

from __future__ import annotations

import argparse
import ast
import csv
import inspect
import re
from contextlib import suppress
from typing import Any

from pt_fairness.cli.options import (
    SOURCES,
    add_columns,
    add_groups,
    add_judged,
    add_qrels,
    add_run,
    call,
    group_source,
    labelled_sources,
)
from pt_fairness.cli.output import add_command, say
from pt_fairness.collections import DOWNLOADS
from pt_fairness.measures import descriptions


def add(commands: Any) -> None:
    """Add the parsers of the commands."""
    _add_explain(commands)
    annotate = add_command(commands, "annotate", _annotate, "write qrels with the groups of the "
                           "judged documents in their second column", ("trec", "csv"))
    add_qrels(annotate)
    annotate.add_argument("groups", metavar="GROUPS", help=f"{SOURCES}; qrels with the group as "
                          "label, such as stances, are a group file")
    add_columns(annotate)
    add_judged(annotate)
    _add_rerank(commands)
    agreement = add_command(commands, "agreement", _agreement, "say how far the labels of a model "
                            "agree with human ones", ("text", "latex"))
    agreement.add_argument("people", metavar="HUMAN", help=f"the human labels: {SOURCES}")
    agreement.add_argument("model", metavar="MODEL", help="the labels of the model, likewise")
    add_columns(agreement)
    add_command(commands, "groups", _groups, "list the group sources that have a name, with their "
                "labels and what they download", ("text",))
    command = add_command(commands, "measures", _measures, "list the measures, or describe "
                          "some", [*descriptions.FORMATS], "text, and full by name")
    command.add_argument("names", metavar="NAME", nargs="*", default=[],
                         help="measures to describe, with parameters, formula and source")


def _add_explain(commands: Any) -> None:
    explain = add_command(commands, "explain", _explain, "show how the value of one topic is "
                          "computed, with the numbers at each rank", ("text", "csv", "md", "json"))
    add_qrels(explain)
    add_run(explain)
    explain.add_argument("-m", "--measures", metavar="MEASURE", nargs=1, required=True,
                         help="a measure of ir_measures or of this package")
    explain.add_argument("--topic", required=True, help="the topic")
    add_groups(explain)


def _add_rerank(commands: Any) -> None:
    rerank = add_command(commands, "rerank", _rerank, "re-rank a run towards target shares of the "
                         "groups", ("trec",), add_help=False, usage="pt-fairness rerank RUN METHOD "
                         "--groups SOURCE [--PARAMETER VALUE …] [--sep TEXT …] [-o FILE]")
    rerank.add_argument("-h", "--help", action=_MethodHelp, nargs=0,
                        help="show this help; after a METHOD, the parameters of the method")
    add_run(rerank)
    rerank.add_argument("method", metavar="METHOD",
                        help="a re-ranker, such as xquad; its parameters "
                             "follow by name, such as --groups stances.csv --lam 0.8")
    add_columns(rerank)
    add_judged(rerank)
    # main takes the options that the parser does not know as parameters of the method.
    rerank.set_defaults(parameters=[])


def _explain(options: argparse.Namespace) -> str:
    from pt_fairness import explain, table
    from pt_fairness.evaluation.plan import inputs_of
    runs, qrels, measures, groups = call(inputs_of, options)
    frame, value, formula, reason = explain(measures, runs, qrels, options.topic, groups=groups)
    head = f"{measures[0]} of topic {options.topic}"
    if reason:
        raise ValueError(f"{head} is undefined: {reason}")
    if options.format != "text":
        return table(frame).form(options.format)
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


def _annotate(options: argparse.Namespace) -> str | None:
    from pt_fairness import groups, io
    source = groups.get(options.groups)
    annotated = source.to_qrels(io.load_qrels(options.qrels))
    line = groups.summary(annotated)
    without = annotated[annotated["iteration"] == "-"]
    if len(without) == len(annotated) > 0 and source.name not in groups.names():
        raise ValueError(f"the ids of groups and qrels must match, got no group in "
                         f"{source.registered} of {len(without)} judged documents")
    if len(without):
        line += f" (first without: {without[io.qrels_columns(without)[1]].iloc[0]})"
    if source.weighted:
        line += "; weights are lost, because qrels lack a column for them"
    say(line)
    if options.format == "csv":
        return annotated.to_csv(index=False, lineterminator="\n")
    io.write_qrels(annotated, options.output)
    return None


def _agreement(options: argparse.Namespace) -> str:
    from pt_fairness import groups
    sources = labelled_sources([options.model, options.people], options.reading)
    rates = groups.error_rates(*sources)
    frames = [rates.labels.set_index("label"), rates.summary]
    if options.format == "latex":
        return "\n".join(frame.to_latex(float_format="%.4f", escape=True) for frame in frames)
    return "\n\n".join(frame.to_string(float_format="{:.4f}".format) for frame in frames) + "\n"


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
    """Return the value of a Python literal, or the text if it is another text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # nested too deeply
        return text


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
