"""``pt-fairness table`` and ``pt-fairness report``: several runs in a table and on a page."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pt_fairness.cli.output import add_command, add_groups, write

#: The options of comparisons, which tables without averages ignore.
_COMPARING = ("baseline", "references", "p_values", "test", "correction", "tolerance")
#: The number of documents of a ranking that the report shows by default.
DEPTH = 20


def add(commands: Any) -> None:
    """Add the commands ``table`` and ``report``."""
    table = add_command(commands, "table", _table, "compare runs: a row for each, a column for "
                        "each measure", ("csv", "md", "latex", "json", "long", "text"),
                        "text on a terminal, else csv")
    add_options(table)
    _add_certainty(table)
    table.add_argument("--digits", metavar="N", type=int,
                       help="decimals (default: 4 in text, md and latex, all in the other forms)")
    table.add_argument("--references", action="store_true", help="rows of reference rankings below "
                       "the systems: random order, proportional, groups one after the other")
    table.add_argument("--p-values", action="store_true",
                       help="p-values in text, md and latex, too")
    table.add_argument("--per-query", action="store_true",
                       help="the value of every topic instead of the averages")
    report = add_command(commands, "report", _report, "write one HTML page on several runs: table, "
                         "figures, topics, and a paragraph for a paper", ("html",))
    add_options(report)
    _add_certainty(report)
    report.add_argument("--depth", metavar="K", type=int, default=DEPTH,
                        help=f"documents of each ranking on the page (default: {DEPTH})")
    report.add_argument("--topics", metavar="FILE", help="the queries of the topics, to show "
                        "beside their ids: a file of topics, or a dataset id of ir_datasets")
    report.add_argument("--title", default="Fairness report", help="title of the page")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the qrels, the runs, the measures, and what sets their groups and names."""
    command.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    command.add_argument("runs", metavar="RUN", nargs="+",
                         help="a TREC run, compressed if it ends in .gz, or a .parquet file")
    command.add_argument("-m", "--measures", metavar="MEASURE", nargs="+", required=True,
                         help="measures of ir_measures or of this package")
    add_groups(command)
    command.add_argument("--label", metavar="MEASURE=LABEL", action="append", default=[],
                         help="the name of a measure in the output, such as rKL@10=Unfairness; may "
                              "be repeated")
    command.add_argument("--names", metavar="NAME", nargs="+",
                         help="a name for each run, in their order")
    command.add_argument("--baseline", metavar="RUN",
                         help="test the others against this run")
    command.add_argument("--correction", metavar="METHOD",
                         help="correction of the tests for several systems, or none; a method of "
                              "statsmodels (default: holm)")
    command.add_argument("--jobs", metavar="N", type=int, default=1,
                         help="processes; -1 for all processors (default: 1)")


def _add_certainty(command: argparse.ArgumentParser) -> None:
    """Add the options of averages, tests and intervals."""
    command.add_argument("--drop-undefined", dest="undefined", action="store_const", const="drop",
                         default="count", help="leave the topics for which a measure is undefined "
                         "out of its averages, tests and intervals, instead of counting 0")
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


def _table(options: argparse.Namespace) -> int:
    from pt_fairness import analysis, evaluation
    from pt_fairness.io.document_files import read_topic_groups
    form: Any = options.format or (
        "text" if options.output is None and sys.stdout.isatty() else "csv")
    per_query = options.per_query or form == "long"
    topic_groups = options.topic_groups and read_topic_groups(options.topic_groups)
    if (options.uncertain is not None) + (topic_groups is not None) + per_query > 1:
        raise ValueError("--uncertain, --topic-groups and --per-query (--format long) each print a "
                         "table of their own; give one of them")
    if options.uncertain is not None:
        _refuse(options, "--uncertain", "label", "tolerance", "undefined", "test", "correction",
                "references", "p_values")
        return _uncertain(options, form)
    if topic_groups is not None:
        _refuse(options, "--topic-groups prints means, which are not compared; it", *_COMPARING)
    if per_query:
        _refuse(options, "--per-query (--format long)", "ci", *_COMPARING)
    averages, values = evaluation.evaluate(**arguments_of(options), references=options.references)
    if topic_groups is not None:
        values = analysis.topic_groups(values, topic_groups, confidence=options.ci or 0.95)
    text = evaluation.as_text(averages if not per_query and topic_groups is None else values,
                              form, options.digits, options.p_values)
    write(text, options.output, form)
    return 1 if averages.attrs[evaluation.BROKEN] else 0


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


def _uncertain(options: argparse.Namespace, form: Any) -> int:
    """Print the values under uncertain labels."""
    from pt_fairness import analysis, evaluation, io
    from pt_fairness.evaluation.plan import position
    from pt_fairness.io.run_files import named, need_results
    runs = named(options.runs, options.names)
    frames = {name: io.read_run(str(run)) for name, run in runs.items()}
    for frame in frames.values():
        need_results(frame)
    found = analysis.uncertain_labels(
        frames, io.load_qrels(options.qrels),
        arguments_of(options)["measures"], options.groups, options.uncertain,
        confidence=options.ci or 0.95,
        baseline=None if options.baseline is None else position(options.baseline, runs))
    write(evaluation.as_text(found, form, options.digits), options.output, form)
    return 0


def _report(options: argparse.Namespace) -> int:
    from pt_fairness import report
    from pt_fairness.io.document_files import read_topic_groups
    page = report(
        **arguments_of(options), depth=options.depth, title=options.title, topics=options.topics,
        topic_groups=options.topic_groups and read_topic_groups(options.topic_groups),
        uncertain=options.uncertain)
    write(page.html, options.output)
    return 1 if page.broken else 0


def arguments_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that :func:`pt_fairness.evaluate` and :func:`pt_fairness.report` share.

    :raises ValueError: a label without a measure, or a tolerance that is no number
    """
    from pt_fairness.measures.parsing import split
    correction = options.correction or "holm"
    return {
        "runs": options.runs, "qrels": options.qrels,
        "measures": [measure for some in options.measures for measure in split(some)],
        "groups": options.groups, "labels": dict(map(_label, options.label)),
        "names": options.names, "baseline": options.baseline,
        "correction": None if correction == "none" else correction,
        "test": options.test or "t", "confidence": options.ci, "n_jobs": options.jobs,
        "tolerance": dict(map(_tolerance, options.tolerance)) or None,
        "undefined": options.undefined, "progress": sys.stderr.isatty()}


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
    from pt_fairness.provider.parsing import parsed_or_none
    for i, character in enumerate(text):
        if character == "=" and parsed_or_none(text[:i]) is not None:
            return text[:i], text[i + 1:]
    raise ValueError(f"--label {text!r} is not possible; it takes a measure, = and a label, such "
                     "as rKL@10=Unfairness")
