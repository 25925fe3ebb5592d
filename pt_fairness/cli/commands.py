"""The commands, except for ``eval``, ``plot``, ``plug`` and ``unplug``."""

from __future__ import annotations

import argparse
import ast
import csv
import inspect
import re
import sys
from contextlib import suppress
from itertools import filterfalse
from typing import Any

from pt_fairness.cli.options import (
    SOURCES,
    add_columns,
    add_comparison,
    add_evaluation,
    add_front,
    add_groups,
    add_judged,
    add_qrels,
    add_references,
    add_run,
    add_tables,
    call,
    evaluated,
    group_source,
    option,
    refuse,
)
from pt_fairness.cli.output import add_command, say
from pt_fairness.collections import DOWNLOADS
from pt_fairness.measures import descriptions

#: The options of comparisons, which tables without comparisons ignore.
_COMPARING = ("baseline", "test", "correction", "tolerance", "references", "p_values")
#: The options that each table other than averages ignores.
_IGNORED = {
    "topic_groups": _COMPARING,
    "test_zero": ("baseline", "test", "tolerance", "references", "p_values", "confidence"),
    "uncertain": (*_COMPARING[1:], "labels", "undefined"),
    "per_query": (*_COMPARING, "confidence"),
    "shares": (*_COMPARING, "confidence", "undefined", "labels"),
    "long": (*_COMPARING, "confidence", "topic_groups", "test_zero", "uncertain", "shares")}


def add(commands: Any) -> None:
    """Add the parsers of the commands."""
    _add_table(commands)
    _add_explain(commands)
    _add_report(commands)
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
    agreement.add_argument("human", metavar="HUMAN", help=f"the human labels: {SOURCES}")
    agreement.add_argument("model", metavar="MODEL", help="the labels of the model, likewise")
    add_columns(agreement)
    add_command(commands, "groups", _groups, "list the group sources that have a name, with their "
                "labels and what they download", ("text",))
    command = add_command(commands, "measures", _measures, "list the measures, or describe "
                          "some", [*descriptions.FORMATS], "text, and full by name")
    command.add_argument("names", metavar="NAME", nargs="*", default=[],
                         help="measures to describe, with parameters, formula and source")


def _add_table(commands: Any) -> None:
    table = add_command(commands, "table", _table, "compare runs: a row for each, a column for "
                        "each measure", ("csv", "md", "latex", "html", "json", "text", "long"),
                        "text on a terminal, else csv")
    add_evaluation(table)
    add_comparison(table)
    group = table.add_argument_group("averages")
    add_references(group)
    group.add_argument("--p-values", action="store_true",
                       help="also print p-values in text, md, latex and html")
    group.add_argument("--digits", type=int,
                       help="decimals (default: 4 in text, md, latex and html, all in the other "
                       "forms)")
    group = table.add_argument_group("other tables", "print one of them instead of the averages")
    single = group.add_mutually_exclusive_group()
    single.add_argument("--per-query", action="store_true", help="the value of every topic")
    single.add_argument("--shares", action="store_true", help="who is shown: the share of each "
                        "group in the first documents, in attention and in the relevant documents")
    add_tables(single)


def _add_explain(commands: Any) -> None:
    explain = add_command(commands, "explain", _explain, "show how the value of one topic is "
                          "computed, with the numbers at each rank", ("text", "csv", "md", "json"))
    add_qrels(explain)
    add_run(explain)
    explain.add_argument("-m", "--measures", metavar="MEASURE", nargs=1, required=True,
                         help="a measure of ir_measures or of this package")
    explain.add_argument("--topic", required=True, help="the topic")
    add_groups(explain)


def _add_report(commands: Any) -> None:
    report = add_command(commands, "report", _report, "write one HTML page on several runs: table, "
                         "figures, topics, and a paragraph for a paper", ("html",))
    add_evaluation(report)
    add_comparison(report)
    group = report.add_argument_group("page")
    add_tables(group)
    add_front(group)
    group.add_argument("--depth", type=int,
                       help="documents of each ranking on the page (default: 20)")
    group.add_argument("--topics", help="the queries of the topics, to show beside their ids: a "
                       "file of topics, or a dataset id of ir_datasets")
    group.add_argument("--title", help="title of the page")


def _add_rerank(commands: Any) -> None:
    rerank = add_command(commands, "rerank", _rerank, "re-rank a run towards target shares of the "
                         "groups", ("trec",), add_help=False, usage="pt-fairness rerank RUN METHOD "
                         "--groups SOURCE [--PARAMETER VALUE …] [-o FILE]")
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


def _table(options: argparse.Namespace) -> str:
    on_terminal = options.output is None and sys.stdout.isatty()
    form = options.format or ("text" if on_terminal else "csv")
    if form == "long":
        options.long = True
        form = "csv"
    for name, ignored in _IGNORED.items():
        if name in options:
            refuse(options, ignored, f"with {option(name)}")
    table = _uncertain(options) if "uncertain" in options else _evaluated(options)
    return table.form(form)


def _evaluated(options: argparse.Namespace) -> Any:
    """Return the table of an evaluation that the options ask for."""
    from pt_fairness import analysis, evaluate, table
    from pt_fairness.analysis.shares import shares_table
    from pt_fairness.evaluation import Evaluation
    shown = evaluation = evaluated(evaluate, options)
    facts = evaluation.facts
    perquery = evaluation.perquery
    defined = perquery[~perquery["measure"].isin(facts.never_defined)]
    more = {}
    if "topic_groups" in options:
        shown = call(analysis.intervals, options, perquery, by=options.topic_groups)
    elif "test_zero" in options:
        shown = call(analysis.bias_test, options, perquery)
    elif "long" in options:
        shown = _long(perquery, facts.undefined)
    elif "shares" in options:
        shown = Evaluation(shares_table(facts.shares), perquery, facts)
    elif "per_query" in options:
        shown = Evaluation(perquery, perquery, facts)
    elif "confidence" in options:
        more["intervals"] = call(analysis.intervals, options, defined)
    if "tolerance" in options and facts.comparison:
        baseline = facts.comparison.baseline
        more["verdicts"] = call(analysis.compare, options, defined, baseline=baseline, resamples=1)
    return call(table, options, shown, **more)


def _long(perquery: Any, undefined: Any) -> Any:
    """Return ``run, topic, measure, value, ideal, undefined``, the form for mixed models in R.

    :param undefined: the topics for which a measure is undefined, by measure
    """
    from pt_fairness.analysis.frames import fairness_measure
    frame = perquery.rename(columns={"name": "run", "qid": "topic"})
    names = frame["measure"]
    ideals = {name: getattr(fairness_measure(name), "IDEAL", None) for name in names.unique()}
    frame["ideal"] = names.map(ideals)
    pairs = zip(names, frame["topic"], strict=True)
    frame["undefined"] = [topic in undefined.get(name, ()) for name, topic in pairs]
    return frame


def _uncertain(options: argparse.Namespace) -> Any:
    """Return the table of intervals under uncertain labels, without measures of relevance."""
    from pt_fairness import analysis, table
    from pt_fairness.evaluation.plan import inputs_of
    from pt_fairness.provider.measure_lists import takes_groups
    runs, qrels, measures, groups = call(inputs_of, options)
    for measure in filterfalse(takes_groups, measures):
        say(f"without {measure}, which no label changes")
    if "baseline" in options:
        say(f"all values are differences from {options.baseline}")
    frame = call(analysis.uncertain_labels, options, runs=runs, qrels=qrels, groups=groups,
                 measures=filter(takes_groups, measures), draws=options.uncertain)
    return call(table, options, frame)


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


def _report(options: argparse.Namespace) -> str:
    from pt_fairness import report
    return evaluated(report, options).html


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
    sources = [_labelled_source(text, options.reading) for text in (options.model, options.human)]
    rates = groups.error_rates(*sources)
    frames = [rates.labels.set_index("label"), rates.summary]
    if options.format == "latex":
        return "\n".join(frame.to_latex(float_format="%.4f", escape=True) for frame in frames)
    return "\n\n".join(frame.to_string(float_format="{:.4f}".format) for frame in frames) + "\n"


def _labelled_source(text: str, reading: dict[str, Any]) -> Any:
    """Return a source without those labels of ``--none`` that it has."""
    from pt_fairness import groups
    from pt_fairness.core.messages import collecting_warnings
    reading = dict(reading)
    none = reading.pop("none", ())
    with collecting_warnings():
        labels = groups.get(group_source(text, **reading)).labels or ()
    reading["none"] = [label for label in none if label in labels]
    return group_source(text, **{name: value for name, value in reading.items() if value != []})


def _rerank(options: argparse.Namespace) -> str:
    from pt_fairness import groups, io, rerank
    from pt_fairness.core.messages import one_of
    from pt_fairness.io.files import need_no_space
    from pt_fairness.io.run_files import need_results
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
                                     argument_default=argparse.SUPPRESS)
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
