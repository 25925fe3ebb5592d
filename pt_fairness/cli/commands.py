"""The commands, except for ``eval``, ``plug`` and ``unplug``."""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pt_fairness.cli.options import (
    TAKES,
    MethodHelp,
    add_certainty,
    add_comparison,
    add_groups,
    add_none,
    add_qrels,
    add_run,
    add_runs,
    add_targets,
    add_undefined,
    arguments_of,
    measures_of,
    params_of,
    qrels_of,
    source_of,
)
from pt_fairness.cli.output import add_command, say, write
from pt_fairness.collections import DOWNLOADS
from pt_fairness.measures import descriptions

#: The figures, and the minimum number of measures of each.
FIGURES = {"tradeoff": 2, "relevance_and_fairness": 2, "correlations": 2, "differences": 1,
           "distribution": 1, "bias_histogram": 1, "strips": 1, "explain": 1, "exposure": 1,
           "groups_per_topic": 1, "lorenz": 1}
#: The options of some figures: these figures, and why the others do not have it.
OF_FIGURES = {"topic": ("strips explain", "shows all topics"),
              "baseline": ("tradeoff differences", "compares nothing"),
              "correction": ("differences", "tests nothing"),
              "references": ("tradeoff", "shows no reference rankings"),
              "front": ("tradeoff", "shows no front")}
#: The options of comparisons, which tables without comparisons ignore.
_COMPARING = ("baseline", "references", "p_values", "test", "correction", "tolerance")
#: The forms of a table, and the default in words.
TABLES = ("csv", "md", "latex", "html", "json", "text")
AS_TEXT = "text on a terminal, else csv"
#: The values of the options of tests in commands without tests.
NOTHING_TESTED: dict[str, Any] = {"test": None, "ci": None, "tolerance": [], "undefined": "count"}
#: The number of documents of a ranking that the report shows by default.
DEPTH = 20


def add(commands: Any) -> None:
    """Add the parsers of the commands."""
    _add_table(commands)
    _add_explain(commands)
    _add_report(commands)
    correlate = add_command(commands, "correlate", _correlate, "print how two measures agree on "
                            "the systems: τ and its p, and AP τ", TABLES, AS_TEXT)
    add_runs(correlate)
    correlate.set_defaults(baseline=None, correction=None, **NOTHING_TESTED)
    _add_plot(commands)
    annotate = add_command(commands, "annotate", _annotate, "write qrels with the groups of the "
                           "judged documents in their second column", ("trec", "csv"))
    add_qrels(annotate)
    annotate.add_argument("groups", metavar="GROUPS", help=f"{TAKES}; qrels with the group as "
                          "label, such as stances, are a group file")
    add_none(annotate, "GROUPS")
    _add_rerank(commands)
    agreement = add_command(commands, "agreement", _agreement, "say how far the labels of a model "
                            "agree with human ones", ("text", "latex"))
    agreement.add_argument("human", metavar="HUMAN", help=f"the human labels: {TAKES}")
    agreement.add_argument("model", metavar="MODEL", help="the labels of the model, likewise")
    add_command(commands, "groups", _groups, "list the group sources that have a name, with their "
                "labels and what they download", ("text",))
    command = add_command(commands, "measures", _measures, "list the measures, or describe "
                          "some", [*descriptions.FORMATS], "text, and full by name")
    command.add_argument("names", metavar="NAME", nargs="*",
                         help="measures to describe, with parameters, formula and source")


def _add_table(commands: Any) -> None:
    table = add_command(commands, "table", _table, "compare runs: a row for each, a column for "
                        "each measure", (*TABLES, "long"), AS_TEXT)
    add_runs(table)
    add_certainty(table)
    table.add_argument("--digits", metavar="N", type=int,
                       help="decimals (default: 4 in text, md, latex and html, all in the other "
                       "forms)")
    table.add_argument("--references", action="store_true", help="also print reference rankings: "
                       "random order, proportional, groups one after the other")
    table.add_argument("--p-values", action="store_true",
                       help="also print p-values in text, md, latex and html")
    table.add_argument("--per-query", action="store_true",
                       help="print the value of every topic instead of the averages")


def _add_explain(commands: Any) -> None:
    explain = add_command(commands, "explain", _explain, "show how the value of one topic is "
                          "computed, with the numbers at each rank", ("text", "csv", "json"))
    add_qrels(explain)
    add_run(explain, "run_file")
    explain.add_argument("-m", "--measures", metavar="MEASURE", nargs="+", required=True,
                         help="one measure of ir_measures or of this package")
    explain.add_argument("--topic", metavar="QID", required=True, help="the topic")
    add_groups(explain)
    add_targets(explain)


def _add_report(commands: Any) -> None:
    report = add_command(commands, "report", _report, "write one HTML page on several runs: table, "
                         "figures, topics, and a paragraph for a paper", ("html",))
    add_runs(report)
    add_certainty(report)
    report.add_argument("--depth", metavar="K", type=int, default=DEPTH,
                        help=f"documents of each ranking on the page (default: {DEPTH})")
    report.add_argument("--topics", metavar="FILE", help="the queries of the topics, to show "
                        "beside their ids: a file of topics, or a dataset id of ir_datasets")
    report.add_argument("--title", default="Fairness report", help="title of the page")


def _add_plot(commands: Any) -> None:
    plot = add_command(commands, "plot", _plot, "draw a figure of several runs into a file",
                       ("pdf", "png", "svg"), "the suffix of --output")
    plot.add_argument("figure", metavar="FIGURE", choices=FIGURES, help=", ".join(FIGURES))
    add_runs(plot)
    add_comparison(plot)
    plot.add_argument("--topic", metavar="QID", help="the topic of strips and explain (default: "
                      "the first one of the qrels)")
    plot.add_argument("--references", action="store_true", help="also draw reference rankings in "
                      "tradeoff: random order, proportional, groups one after the other")
    plot.add_argument("--front", action="store_true", help="also draw the front of the judgments, "
                      "the best fairness that is possible at each nDCG or P, in tradeoff")
    plot.add_argument("--style", metavar="STYLE", help="paper: 3.3 inches wide, one column of two, "
                      "with a font of 8 points")
    plot.add_argument("--width", metavar="INCHES", type=float, help="the width of the figure, "
                      "which grows in height only")
    plot.add_argument("--font-size", metavar="POINTS", type=float,
                      help="the size of labels, names and titles")
    plot.set_defaults(**NOTHING_TESTED)


def _add_rerank(commands: Any) -> None:
    rerank = add_command(commands, "rerank", _rerank, "re-rank a run towards target shares of the "
                         "groups", ("trec",), add_help=False)
    rerank.usage = ("pt-fairness rerank RUN METHOD --groups SOURCE [--PARAMETER VALUE …] "
                    "[--compare QRELS -m MEASURE … [--drop-undefined]] [-o FILE]")
    rerank.add_argument("-h", "--help", action=MethodHelp, nargs=0,
                        help="show this help; after a METHOD, the parameters of the method")
    add_run(rerank, "run_file")
    rerank.add_argument("method", metavar="METHOD",
                        help="a re-ranker, such as xquad; its parameters "
                             "follow by name, such as --k 10 --lam 0.8")
    rerank.add_argument("--groups", metavar="SOURCE",
                        help=f"{TAKES}; policies without groups need none")
    rerank.add_argument("--compare", metavar="QRELS", help="print what the new order costs and "
                        "brings by the measures of -m: a TREC qrels file or an ir_datasets id; the "
                        "run itself is written with -o only")
    rerank.add_argument("-m", "--measures", metavar="MEASURE", nargs="+",
                        help="measures of --compare")
    add_undefined(rerank, "--compare")
    # main takes the options that the parser does not know as parameters of the method.
    rerank.set_defaults(of_method=[])


def _table(options: argparse.Namespace) -> int:
    from pt_fairness import analysis, evaluation
    from pt_fairness.analysis.statistics import tests_of_zero
    from pt_fairness.io.document_files import read_topic_groups
    form = _form(options)
    broken = None
    per_query = options.per_query or form == "long"
    topic_groups = options.topic_groups and read_topic_groups(options.topic_groups)
    tables = options.uncertain is not None, topic_groups is not None, options.test_zero, per_query
    if sum(tables) > 1:
        raise ValueError("--uncertain, --topic-groups, --test-zero and --per-query (--format long) "
                         "each print a table of their own; give one of them")
    if options.uncertain is not None:
        _refuse(options, "--uncertain", "label", "tolerance", "undefined", "test", "correction",
                "references", "p_values")
        table = _uncertain(options)
        _say_matched(table)
    else:
        if topic_groups is not None:
            _refuse(options, "--topic-groups prints means, which are not compared; it", *_COMPARING)
        if per_query:
            _refuse(options, "--per-query (--format long)", "ci", *_COMPARING)
        if options.test_zero:
            tests = [name for name in _COMPARING if name != "correction"]
            _refuse(options, "--test-zero", "ci", *tests)
        else:
            _need_baseline(options, "test", "correction", "p_values")
        table, values = evaluation.evaluate(**arguments_of(options), references=options.references)
        _say_matched(table)
        broken = table.attrs[evaluation.BROKEN]
        if per_query:
            table = values
        if topic_groups is not None:
            table = analysis.topic_groups(values, topic_groups, confidence=options.ci or 0.95,
                                          seed=options.seed)
        if options.test_zero:
            table = tests_of_zero(values, arguments_of(options)["correction"])
    text = evaluation.as_text(table, form, options.digits, options.p_values)
    write(text, options.output, form)
    return int(bool(broken))


def _explain(options: argparse.Namespace) -> None:
    from pt_fairness import analysis, evaluation
    from pt_fairness.analysis.explanation import number
    from pt_fairness.evaluation.plan import inputs_of
    runs, qrels, measures, groups = inputs_of(
        options.run_file, qrels_of(options), measures_of(options), groups=options.groups)
    frame = analysis.explain(measures, runs, qrels, options.topic, groups=groups)
    facts = frame.attrs
    measure = facts["measure"]
    qid = facts["qid"]
    if "undefined" in facts:
        raise ValueError(f"{measure} is undefined for topic {qid!r}: {facts['undefined']}")
    if options.format != "text":
        write(evaluation.as_text(frame, options.format), options.output, options.format)
        return
    lines = [f"{measure} of topic {qid}: {number(facts['value'])}"]
    formula = facts["formula"]
    lines += [f"= {side}" for side in formula.split(" = ") if side]
    if formula and facts["where"]:
        lines.append(f"where {facts['where']}")
    if not frame["counts"].any():
        lines.append("No document counts: the measure gives every such list this value.")
    if len(frame):
        of_topic = frame.loc[0, "where":].drop("where")
        if len(of_topic):
            lines += ["", of_topic.to_string(float_format=number)]
        ranks = frame.loc[:, :"measure"].drop(columns="measure")
        lines += ["", ranks.to_string(index=False, na_rep="–", float_format=number)]
    write("\n".join([*lines, ""]), options.output)


def _form(options: argparse.Namespace) -> Any:
    """Return the form of a table."""
    on_terminal = options.output is None and sys.stdout.isatty()
    return options.format or ("text" if on_terminal else "csv")


def _correlate(options: argparse.Namespace) -> int:
    import pandas as pd

    from pt_fairness import analysis, evaluation
    averages = evaluation.evaluate(**arguments_of(options), perquery=False)
    _say_matched(averages)
    correlations = analysis.correlations(averages)
    ap = analysis.correlations(averages, "ap").coefficients
    pairs = [*itertools.combinations(ap.index, 2)]
    if not pairs:
        raise ValueError("correlate compares measures; give -m MEASURE MEASURE")
    columns = {"τ": correlations.coefficients, "p": correlations.p_values, "AP τ": ap}
    table = pd.DataFrame(pairs, columns=["measure", "another"])
    for column, matrix in columns.items():
        table[column] = [matrix.at[pair] for pair in pairs]
    form = _form(options)
    write(evaluation.as_text(table, form), options.output, form)
    return int(bool(averages.attrs[evaluation.BROKEN]))


def _say_matched(table: Any) -> None:
    """Print the number of documents that each source of groups or values has, to stderr."""
    from pt_fairness.analysis.columns import MATCHED
    for source, line in table.attrs[MATCHED].items():
        say(f"{source}: {line}")


def _refuse(options: argparse.Namespace, table: str, *names: str) -> None:
    """Raise an error for an option that a table would ignore.

    :param table: the option of the table
    :param names: the options that it ignores, as attributes
    :raises ValueError: one of them is given
    """
    for name in names:
        if getattr(options, name) not in (None, False, [], "count"):
            option = "drop-undefined" if name == "undefined" else name.replace("_", "-")
            raise ValueError(f"{table} does not go with --{option}; leave one of them out")


def _need_baseline(options: argparse.Namespace, *names: str) -> None:
    """Raise an error for an option of comparisons if there is no baseline.

    :param names: the options, as attributes
    :raises ValueError: one of them is given without a baseline
    """
    for name in names:
        if options.baseline is None and getattr(options, name):
            option = name.replace("_", "-")
            raise ValueError(f"--{option} is of differences from a baseline; give --baseline, too")


def _uncertain(options: argparse.Namespace) -> Any:
    """Return the means and intervals under uncertain labels, without measures of relevance."""
    from pt_fairness import analysis
    from pt_fairness.analysis.drawn_labels import WHY
    from pt_fairness.analysis.inputs import run_frames
    from pt_fairness.core.messages import listed
    from pt_fairness.evaluation.plan import inputs_of, position
    from pt_fairness.io.run_files import need_results
    from pt_fairness.provider.measure_lists import takes_groups
    runs, qrels, measures, groups = inputs_of(
        options.runs, qrels_of(options), measures_of(options), groups=options.groups,
        names=options.names)
    baseline = None if options.baseline is None else position(options.baseline, runs)
    frames = run_frames(runs)
    for frame in frames.values():
        need_results(frame)
    of_groups = [measure for measure in measures if takes_groups(measure)]
    rest = [str(measure) for measure in measures if measure not in of_groups]
    table = analysis.uncertain_labels(
        frames, qrels, of_groups or measures, groups, options.uncertain,
        confidence=options.ci or 0.95, baseline=baseline, seed=options.seed)
    if rest:
        say(f"without {listed(rest)}, which no label changes")
    for column, reason in WHY.items():
        if column in table:
            say(reason)
    if baseline is None:
        return table
    say(f"all values are differences from {[*runs][baseline]}")
    return table.rename(columns={"mean": "difference"})


def _report(options: argparse.Namespace) -> int:
    from pt_fairness import report
    from pt_fairness.io.document_files import read_topic_groups
    topic_groups = options.topic_groups and read_topic_groups(options.topic_groups)
    _need_baseline(options, "test", *[] if options.test_zero else ["correction"])
    names = ("depth", "title", "topics", "uncertain", "test_zero")
    of_page = {name: getattr(options, name) for name in names}
    page = report(**arguments_of(options), topic_groups=topic_groups, **of_page)
    write(page.html, options.output)
    _say_matched(page.table)
    return int(bool(page.broken))


def _plot(options: argparse.Namespace) -> int:
    figure = options.figure
    form = options.format or (options.output or "").rpartition(".")[2]
    if options.output is None or form not in options.formats:
        raise ValueError("plot draws into a file that ends in .pdf, .png or .svg, such as "
                         f"-o {figure}.pdf")
    for name, (figures, reason) in OF_FIGURES.items():
        if getattr(options, name) and figure not in figures.split():
            raise ValueError(f"{figure} {reason}; leave out --{name}")
    from pt_fairness import evaluation, plots
    from pt_fairness.io.files import written_whole
    sized = (options.style, options.width, options.font_size) != (None, None, None)
    style: AbstractContextManager[None] = nullcontext()
    if sized:
        style = plots.style(options.style, width=options.width, font_size=options.font_size)
    arguments = arguments_of(options) | {"correction": None}  # the figure compares
    averages, values = evaluation.evaluate(**arguments, references=options.references)
    with style, written_whole(options.output) as out:
        axes = _drawn(options, averages, values)
        axes.figure.savefig(out, format=form, bbox_inches=None if sized else "tight")
    return int(bool(averages.attrs[evaluation.BROKEN]))


def _drawn(options: argparse.Namespace, averages: Any, values: Any) -> Any:
    """Return the axes of a figure.

    :param values: the values per topic
    :raises ValueError: too few measures
    """
    from pt_fairness import analysis, plots
    from pt_fairness.analysis.columns import measure_columns
    figure = options.figure
    columns = measure_columns(averages)
    measure, *rest = columns
    if len(columns) < FIGURES[figure]:
        raise ValueError(f"{figure} needs {FIGURES[figure]} measures; give -m MEASURE MEASURE")
    if figure == "tradeoff":
        front = None
        if options.front:
            relevance, fairness, *_ = measures_of(options)
            front = analysis.frontier(options.qrels, relevance, fairness, options.groups)
            front.columns = columns[:2]
        return plots.tradeoff(averages, measure, rest[0], front=front)
    if figure == "relevance_and_fairness":
        return plots.relevance_and_fairness(averages, measure, rest)
    if figure == "correlations":
        return plots.correlations(analysis.correlations(averages))
    if figure == "distribution":
        return plots.distribution(values, measure)
    return _drawn_of_runs(options, averages, values, columns)


def _drawn_of_runs(options: argparse.Namespace, averages: Any, values: Any,
                   columns: list[str]) -> Any:
    """Return the axes of a figure that needs the runs.

    :param columns: the measures of the table
    :raises ValueError: one run, where runs are compared
    """
    from pt_fairness import analysis, io, plots
    from pt_fairness.analysis.columns import systems_of
    from pt_fairness.evaluation.plan import inputs_of, position
    figure = options.figure
    runs, qrels, measures, groups = inputs_of(
        options.runs, qrels_of(options), measures_of(options), groups=options.groups,
        names=options.names)
    if figure == "differences":
        if len(runs) < 2:
            raise ValueError("differences compares runs with a baseline; give two runs or more")
        correction = arguments_of(options)["correction"]
        baseline = position(options.baseline or 0, runs)
        compared = analysis.compare(values, baseline, correction, seed=options.seed)
        return plots.differences(compared, columns[0])
    systems = {name: runs[name] for name in systems_of(averages)["name"]}
    first = next(iter(systems))
    if figure == "bias_histogram":
        of_first = values[values["name"] == first]
        return plots.bias_histogram(of_first, columns)
    if figure == "groups_per_topic":
        return plots.groups_per_topic(analysis.group_distribution(qrels, groups))
    if figure == "lorenz":
        return plots.lorenz(analysis.document_exposure(systems))
    if figure == "exposure":
        ranked = analysis.ranked_groups({first: systems[first]}, qrels, groups)
        return plots.exposure(ranked)
    qid, *_ = io.qrels_columns(qrels)
    topic = options.topic or qrels[qid].iloc[0]
    if figure == "strips":
        ranked = analysis.ranked_groups(systems, qrels, groups)
        return plots.strips(ranked, topic, perquery=values, measure=columns[0])
    steps = analysis.explain(measures[0], systems[first], qrels, topic, groups=groups)
    return plots.explain(steps)


def _annotate(options: argparse.Namespace) -> None:
    from pt_fairness import groups, io
    source = groups.get(options.groups)
    qrels = io.load_qrels(options.qrels)
    annotated = source.to_qrels(qrels)
    docno = annotated[io.qrels_columns(annotated)[1]]
    without = docno[annotated["iteration"] == "-"]
    if len(without) == len(docno) > 0 and source.name not in groups.names():
        raise ValueError(f"no judged document, such as {docno.iloc[0]!r}, has a group in "
                         f"{source.registered}; check that the ids match")
    if options.format == "csv":
        write(annotated.to_csv(index=False, lineterminator="\n"), options.output, "csv")
    else:
        io.write_qrels(annotated, options.output)
    line = groups.summary(annotated)
    if not without.empty:
        line += f" (first without: {without.iloc[0]})"
    if source.weighted:
        line += "; their weights are lost, for which qrels have no column"
    say(line)


def _agreement(options: argparse.Namespace) -> None:
    from pt_fairness import groups
    model, human = source_of(options.model), source_of(options.human)
    rates = groups.error_rates(model, human)
    text = rates.to_latex() if options.format == "latex" else f"{rates}\n"
    write(text, options.output, options.format)


def _rerank(options: argparse.Namespace) -> None:
    from pt_fairness import io, rerank
    from pt_fairness.io.files import need_no_space
    from pt_fairness.io.run_files import need_results
    if (options.compare is None) != (options.measures is None):
        raise ValueError("--compare QRELS and -m MEASURE go together; give both or neither")
    if options.compare is None and options.undefined == "drop":
        raise ValueError("--drop-undefined belongs to --compare QRELS; give both or neither")
    if options.method not in rerank.__all__:
        raise ValueError(f"there is no re-ranker {options.method!r}; use one of "
                         f"{', '.join(rerank.__all__)}")
    method = getattr(rerank, options.method)
    params = params_of(options, method)
    run = io.read_run(options.run_file)
    need_results(run)
    if "iteration" in run:
        raise ValueError(f"{options.run_file} holds several rankings of a topic; give each as a "
                         "separate run")
    need_no_space(run, ["qid", "docno"], "a TREC run")
    ranked = method(**params)(run)
    oracle = "groups" in params and _say_ranked(run, params["groups"])
    if options.compare is None or options.output is not None:
        scores = ranked["score"].astype(int)
        tag = options.method + "-oracle" * oracle
        lines = ranked[["qid"]].assign(q0="Q0", docno=ranked["docno"], rank=ranked["rank"] + 1,
                                       score=scores, tag=tag)
        text = lines.to_csv(sep=" ", header=False, index=False, lineterminator="\n",
                            quoting=csv.QUOTE_NONE)
        write(text, options.output)
    if options.compare is not None:
        write(_compared(options, run, ranked), None)


def _say_ranked(run: Any, groups: Any) -> bool:
    """Print the number of documents with a group to stderr; return whether they are judged."""
    from pt_fairness.groups import get
    from pt_fairness.rankings.annotations import Matches, matched_line
    source = get(groups)
    item, *_ = source.annotate(run["qid"].to_numpy(object), run["docno"].to_numpy(object))
    without = run["docno"].drop(run.index[item])
    matches = Matches(len(run), len(without), next(iter(without), None))
    say(f"{source.registered}: {matched_line(matches)}")
    if source.judged:
        say("the new order is an oracle: its groups are judgments, which no system knows")
    return bool(source.judged)


def _compared(options: argparse.Namespace, run: Any, ranked: Any) -> str:
    """Return a table of the means before and after, with the differences and their intervals."""
    import pandas as pd

    from pt_fairness import analysis, evaluation
    from pt_fairness.analysis.columns import with_mark
    from pt_fairness.analysis.notes import changes, notes, short_p
    averages, values = evaluation.evaluate(
        {"before": run, "after": ranked}, options.compare, measures_of(options),
        groups=options.groups, baseline="before", correction=None, progress=False,
        undefined=options.undefined)
    compared = analysis.compare(values, "before", None)
    differences = compared["difference"].map("{:+.4f}".format)
    marks = changes(averages).iloc[1]
    intervals = compared.apply("[{low:.4f}, {high:.4f}]".format_map, axis=1)
    differences += compared["measure"].map(marks)
    names = [with_mark(name, averages, always=True) for name in compared["measure"]]
    table = pd.DataFrame({
        "measure": names, "before": compared["baseline"], "after": compared["mean"],
        "difference": differences, "95 % interval": intervals, "p": compared["p"].map(short_p)})
    lines = [evaluation.as_text(table, "text"), *notes(values)]
    if options.groups is not None:
        lines.append("The values are by the groups that decided the order; for those of the "
                     "judgments, name them in the measure, such as AWRF(groups='FILE')@10.")
    return "\n".join([*lines, "Intervals: BCa bootstrap over topics.", ""])


def _groups(options: argparse.Namespace) -> None:
    from pt_fairness import groups
    text = ""
    for name in groups.names():
        collection = max(filter(name.startswith, DOWNLOADS), key=len, default="")
        text += (f"{name}\n    labels: {', '.join(groups.get(name).labels or [])}\n"
                 f"    downloads: {DOWNLOADS.get(collection, 'nothing')}\n")
    write(text, options.output)


def _measures(options: argparse.Namespace) -> None:
    form = options.format or ("full" if options.names else "text")
    measures = descriptions.named(options.names)
    text = descriptions.FORMATS[form](measures)
    write(text.rstrip("\n") + "\n", options.output)
