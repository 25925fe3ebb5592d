"""The commands on an experiment, several runs and measures: table, report, plot and label."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import filterfalse
from typing import Any

from pt_fairness.cli.options import (
    add_baseline,
    add_command,
    add_comparison,
    add_correction,
    add_evaluation,
    add_front,
    add_groups,
    add_human,
    add_labels,
    add_measures,
    add_qrels,
    add_references,
    add_run,
    add_seed,
    add_tables,
    call,
    evaluated,
    option,
    refuse,
    say,
)


def _add_topic(group: Any) -> None:
    group.add_argument("--topic", help="the topic (default: the first one of the qrels)")


#: The options of comparisons.
_COMPARING = ("baseline", "test", "correction", "tolerance", "references", "p_values")
#: The options that are not allowed with human labels.
_UNCORRECTED = (*_COMPARING[1:], "per_query", "uncertain", "topic_groups", "test_zero", "undefined")
#: For each option that prints another table than averages, the options not allowed with it.
_REFUSED = {
    "topic_groups": _COMPARING,
    "test_zero": ("baseline", "test", "tolerance", "references", "p_values", "confidence"),
    "uncertain": (*_COMPARING[1:], "labels", "undefined"),
    "per_query": (*_COMPARING, "confidence"),
    "shares": (*_COMPARING, "confidence", "undefined", "labels"),
    "human": _UNCORRECTED}


#: What the figures show, and the functions that add their options.
FIGURES: dict[str, Any] = {
    "tradeoff": ("two measures against each other, such as nDCG@10 and rKL@10", add_baseline,
                 add_references, add_front),
    "correlations": ("how every two measures agree on the runs",),
    "differences": ("the differences from the baseline, or else from the first run, by the first "
                    "measure", add_baseline, add_correction),
    "distribution": ("the values of the first measure in all topics",),
    "strips": ("the groups at each rank of one topic", _add_topic),
    "explain": ("how the value of the first measure for one topic of a run comes about",
                _add_topic),
    "shares": ("who is shown: the attention that the groups get from each run",)}


def add(commands: Any) -> None:
    """Add the parsers of the commands."""
    _add_table(commands)
    _add_report(commands)
    _add_plot(commands)
    _add_label(commands)


def _add_table(commands: Any) -> None:
    table = add_command(commands, "table", _table, "compare runs: a row for each, a column for "
                        "each measure", ("csv", "md", "latex", "html", "json", "text"),
                        "text on a terminal, else csv")
    add_evaluation(table)
    add_human(table)
    add_comparison(table)
    group = table.add_argument_group("averages")
    add_labels(group)
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


def _add_report(commands: Any) -> None:
    report = add_command(commands, "report", _report, "write one HTML page on several runs: table, "
                         "figures, topics, and a paragraph for a paper")
    add_evaluation(report)
    add_human(report)
    add_comparison(report)
    group = report.add_argument_group("page")
    add_labels(group)
    add_tables(group)
    add_front(group)
    group.add_argument("--depth", type=int,
                       help="documents of each ranking on the page (default: 20)")
    group.add_argument("--topics", help="the queries of the topics, to show beside their ids: a "
                       "file of topics, or a dataset id of ir_datasets")


def _add_plot(commands: Any) -> None:
    """Add the parser of ``plot``, with one for each figure."""
    text = "draw a figure of several runs into a file"
    plot = commands.add_parser("plot", help=text, description=text)
    figures = plot.add_subparsers(required=True, metavar="FIGURE")
    for name, (shows, *options) in FIGURES.items():
        figure = add_command(figures, name, _plot, shows, required=True)
        figure.set_defaults(figure=name)
        add_evaluation(figure)
        group = figure.add_argument_group("figure")
        for add_option in options:
            add_option(group)
        if name == "differences":
            figure.set_defaults(baseline=0)
        group.add_argument("--style", dest="name", metavar="STYLE", help="paper: 3.3 inches wide, "
                           "one column of two, with a font of 8 points")
        group.add_argument("--width", type=float, help="the width of the figure in inches; the "
                           "figure grows in height only")
        group.add_argument("--font-size", metavar="POINTS", type=float,
                           help="the size of labels, names and titles")


def _add_label(commands: Any) -> None:
    label = add_command(commands, "label", _label, "list documents to label by hand, in random "
                        "order and without the model's labels", required=True)
    add_qrels(label)
    add_run(label, "+")
    add_measures(label)
    add_groups(label)
    add_human(label)
    group = label.add_argument_group("documents")
    number = group.add_mutually_exclusive_group(required=True)
    number.add_argument("--documents", metavar="N", type=int, help="N documents at random, "
                        "including --human; 200 or more")
    number.add_argument("--whole-topics", metavar="N", type=int, help="all documents that the "
                        "measures need in N random topics, first in --human-topics; 20 or "
                        "more")
    group.add_argument("--queries", metavar="TOPICS", help="a file of topics or a dataset id of "
                       "ir_datasets, for their queries")
    group.add_argument("--texts", metavar="DATASET", help="a dataset id of ir_datasets, for the "
                       "texts of the documents")
    add_seed(group)


def _table(options: argparse.Namespace) -> str:
    on_terminal = options.output is None and sys.stdout.isatty()
    form = options.format or ("text" if on_terminal else "csv")
    for name, others in _REFUSED.items():
        if name in options:
            refuse(options, others, f"with {option(name)}")
    with _naming_the_rest(options):
        table = _uncertain(options) if "uncertain" in options else _evaluated(options)
    if form in ("csv", "json"):
        for line in table.notes if "human" in options else table.hidden:
            say(line)
    return str(getattr(table, form))


def _evaluated(options: argparse.Namespace) -> Any:
    """Return the table of an evaluation that the options ask for."""
    from pt_fairness import analysis, evaluate, groups, table
    from pt_fairness.analysis.exposure import shares_table
    from pt_fairness.evaluation import Evaluation
    model: Any = vars(options).get("groups")
    if "human" in options:
        options.groups = groups.model_labels(model, options.human.every)
    shown = evaluation = evaluated(evaluate, options)
    facts = evaluation.facts
    perquery = evaluation.perquery
    defined = perquery[~perquery["measure"].isin(facts.never_defined)]
    more = {}
    if "topic_groups" in options:
        shown = call(analysis.intervals, options, perquery, by=options.topic_groups)
    elif "test_zero" in options:
        shown = call(analysis.bias_test, options, perquery)
    elif "shares" in options:
        if "human" in options:
            say("the shares are by the model's labels")
        shown = Evaluation(shares_table(facts.shares), perquery, facts)
    elif "human" in options:
        return _corrected(options, evaluation, model)
    elif "per_query" in options:
        shown = Evaluation(perquery, perquery, facts)
    elif "confidence" in options:
        more["intervals"] = call(analysis.intervals, options, defined)
    if "tolerance" in options and facts.comparison:
        baseline = facts.comparison.baseline
        more["verdicts"] = call(analysis.compare, options, defined, baseline=baseline, resamples=1)
    return call(table, options, shown, **more)


def _corrected(options: argparse.Namespace, evaluation: Any, model: Any) -> Any:
    """Return the table of values corrected by human labels, and warn where they are unreliable.

    :param model: the labels of the model
    """
    from pt_fairness import table
    from pt_fairness.analysis.corrections import Corrections
    from pt_fairness.analysis.inputs import measure_columns
    from pt_fairness.core.messages import warn
    from pt_fairness.evaluation.plan import inputs_of
    averages = evaluation.averages
    runs, qrels, measures, _ = call(inputs_of, options)
    named = {name: runs[name] for name in averages["name"]}
    columns = dict(zip(measure_columns(averages), measures, strict=True))
    corrections = call(Corrections, options, runs=named, qrels=qrels, measures=columns, model=model)
    for message in corrections.warnings:
        warn(message)
    baseline = getattr(evaluation.facts.comparison, "baseline", None)
    frame = call(corrections.table, options, averages, baseline=baseline)
    shown = call(table, options, frame)
    shown.notes += [corrections.summary(), *corrections.assumptions(),
                    *corrections.disagreements()]
    return shown


@contextmanager
def _naming_the_rest(options: argparse.Namespace) -> Iterator[None]:
    """Add the command that lists the missing documents to the error of an incomplete topic.

    :raises ValueError: if a topic lacks human labels of some documents
    """
    from pt_fairness.analysis.corrections import IncompleteTopicError
    try:
        yield
    except IncompleteTopicError as error:
        typed = options.typed
        words = ["pt-fairness", "label", typed["qrels"], *typed["runs"], "--whole-topics",
                 len(options.human.topics), "-o", "rest.csv"]
        for name in ("measures", "groups", "human", "human_topics", "none", "sep", "weight",
                     "topic_column", "seed", "imports"):
            value = typed.get(name)
            if value or value == 0:
                words += [option(name), *(value if isinstance(value, list) else [value])]
        raise ValueError(f"{error}: {shlex.join(map(str, words))}") from None


def _label(options: argparse.Namespace) -> str | None:
    from pt_fairness import analysis
    from pt_fairness.evaluation.plan import inputs_of
    from pt_fairness.provider.measure_lists import takes_groups
    if os.path.exists(options.output):
        raise ValueError(f"--output {options.output!r} exists: it may hold labels; give another "
                         "file")
    runs, qrels, measures, model = call(inputs_of, options)
    human, topics = map(vars(options).get, ("human", "whole_topics"))
    rows = call(analysis.documents_to_label, options, runs=runs, qrels=qrels, model=model,
                measures=list(filter(takes_groups, measures)), topics=topics,
                human=human and human.documents, human_topics=human and human.of_topics)
    where = "" if topics is None else f" in {rows['qid'].nunique()} topics"
    say(f"{len(rows)} documents to label by hand{where}")
    return rows.to_csv(index=False, lineterminator="\n") if len(rows) else None


def _uncertain(options: argparse.Namespace) -> Any:
    """Return the table of intervals under uncertain labels, for measures of groups only."""
    from pt_fairness import analysis, table
    from pt_fairness.evaluation.plan import inputs_of, position
    from pt_fairness.provider.measure_lists import takes_groups
    runs, qrels, measures, groups = call(inputs_of, options)
    for measure in filterfalse(takes_groups, measures):
        say(f"without {measure}, which no label changes")
    if "baseline" in options:
        options.baseline = position(options.baseline, runs)
        say(f"all values are differences from {list(runs)[options.baseline]}")
    frame = call(analysis.uncertain_labels, options, runs=runs, qrels=qrels, groups=groups,
                 measures=filter(takes_groups, measures), draws=options.uncertain)
    return call(table, options, frame)


def _report(options: argparse.Namespace) -> str:
    from pt_fairness import report
    if "human" in options:
        refuse(options, _UNCORRECTED, "with --human")
    with _naming_the_rest(options):
        return evaluated(report, options).html


def _plot(options: argparse.Namespace) -> None:
    from pt_fairness import evaluate, plots
    from pt_fairness.io.files import written_whole
    evaluation = evaluated(evaluate, options)
    _, _, form = options.output.rpartition(".")
    with call(plots.style, options), written_whole(options.output) as out:
        figure = _drawn(options, evaluation).figure
        figure.savefig(out, format=form)


def _drawn(options: argparse.Namespace, evaluation: Any) -> Any:
    """Return the axes of a figure.

    :raises ValueError: if the figure has another number of measures or runs
    """
    from pt_fairness import analysis, plots
    from pt_fairness.evaluation.plan import inputs_of
    averages, perquery = evaluation
    baseline = getattr(evaluation.facts.comparison, "baseline", vars(options).get("baseline"))
    runs, qrels, measures, groups = call(inputs_of, options)
    first, *_ = runs
    topic = vars(options).get("topic", qrels.iloc[0, 0])
    if options.figure == "explain" and len(runs) > 1:
        raise ValueError(f"explain must have one run, got {', '.join(runs)}")
    match options.figure:
        case "tradeoff":
            if len(measures) != 2:
                raise ValueError("tradeoff must have two measures, got "
                                 f"{', '.join(map(str, measures))}")
            x, y = measures
            front = analysis.frontier(qrels, x, y, groups) if "front" in options else None
            return plots.tradeoff(averages, x, y, front=front, baseline=baseline)
        case "correlations":
            return plots.correlations(analysis.correlations(averages))
        case "differences":
            if len(runs) < 2:
                raise ValueError(f"differences must have two runs or more, got {first}")
            compared = call(analysis.compare, options, perquery, baseline=baseline)
            return plots.differences(compared, measures[0])
        case "distribution":
            return plots.distribution(perquery, measures[0])
        case "strips":
            depth = None if "cutoff" in measures[0].params else 10
            ranked = analysis.ranked_groups(runs, qrels, groups, depth)
            return plots.strips(ranked, topic, perquery=perquery, measure=measures[0])
        case "explain":
            return plots.explain(
                analysis.explain(measures[0], runs[first], qrels, topic, groups=groups))
        case "shares":
            return plots.shares(analysis.shares(runs, qrels, groups))
