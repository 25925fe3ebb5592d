"""``pt-fairness plot``: a figure of several runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from pt_fairness.cli.comparing import add_options, arguments_of
from pt_fairness.cli.output import add_command

#: The minimum number of measures of each figure, and its drawing function.
FIGURES: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "tradeoff": (2, lambda x: x.plots.tradeoff(x.averages, *x.columns[:2])),
    "relevance_and_fairness": (2, lambda x: x.plots.relevance_and_fairness(
        x.averages, x.columns[0], x.columns[1:])),
    "correlations": (2, lambda x: x.plots.correlations(x.analysis.correlations(x.averages))),
    "differences": (1, lambda x: x.plots.differences(
        x.analysis.compare(x.perquery, x.baseline, x.correction), x.columns[0])),
    "bias_histogram": (1, lambda x: x.plots.bias_histogram(
        x.perquery[x.perquery["name"] == x.first], x.columns)),
    "strips": (1, lambda x: x.plots.strips(
        x.analysis.ranked_groups(x.runs, x.qrels, x.groups), x.topic, perquery=x.perquery,
        measure=x.columns[0])),
    "explain": (1, lambda x: x.plots.explain(x.analysis.explain(
        x.measures[0], x.runs[x.first], x.qrels, x.topic, groups=x.groups))),
    "exposure": (1, lambda x: x.plots.exposure(x.analysis.ranked_groups(
        {x.first: x.runs[x.first]}, x.qrels, x.groups))),
    "groups_per_topic": (1, lambda x: x.plots.groups_per_topic(
        x.analysis.group_distribution(x.qrels, x.groups))),
    "lorenz": (1, lambda x: x.plots.lorenz(x.analysis.document_exposure(x.runs))),
}


def add(commands: Any) -> None:
    """Add the command ``plot``."""
    plot = add_command(commands, "plot", _plot, "draw a figure of several runs into a file",
                       ("pdf", "png", "svg"), "the suffix of --output")
    plot.add_argument("figure", metavar="FIGURE", choices=FIGURES, help=", ".join(FIGURES))
    add_options(plot)
    plot.add_argument("--topic", metavar="QID", help="the topic of strips and explain (default: "
                      "the first one of the qrels)")
    plot.add_argument("--references", action="store_true", help="reference rankings in tradeoff: "
                      "random order, proportional, groups one after the other")
    plot.set_defaults(test=None, ci=None, tolerance=[], undefined="count")


def _plot(options: argparse.Namespace) -> int:
    form = options.format or (options.output or "").rpartition(".")[2]
    if options.output is None or form not in options.formats:
        raise ValueError("plot draws into a file that ends in .pdf, .png or .svg, such as "
                         f"-o {options.figure}.pdf")
    if options.topic is not None and options.figure not in ("strips", "explain"):
        raise ValueError(f"{options.figure} shows all topics; leave out --topic")
    if options.baseline is not None and options.figure not in ("tradeoff", "differences"):
        raise ValueError(f"{options.figure} compares nothing; leave out --baseline")
    if options.references and options.figure != "tradeoff":
        raise ValueError(f"{options.figure} shows no reference rankings; leave out --references")
    from pt_fairness import analysis, evaluation, io, plots
    from pt_fairness.analysis.columns import measure_columns, systems_of
    from pt_fairness.evaluation.plan import position
    from pt_fairness.io.files import written_whole
    from pt_fairness.io.run_files import named
    given = arguments_of(options)
    averages, perquery = evaluation.evaluate(**given, references=options.references)
    runs, qrels = named(options.runs, options.names), io.load_qrels(options.qrels)
    systems = systems_of(averages)["name"]
    least, draw = FIGURES[options.figure]
    columns = measure_columns(averages)
    if options.figure == "differences" and len(runs) < 2:
        raise ValueError("differences compares runs with a baseline; give two runs or more")
    if len(columns) < least:
        raise ValueError(f"{options.figure} needs {least} measures; give -m MEASURE MEASURE")
    ax = draw(SimpleNamespace(
        **given | {"runs": {name: io.read_run(str(runs[name])) for name in systems},
                   "qrels": qrels, "baseline": position(options.baseline or 0, runs)},
        plots=plots, analysis=analysis, averages=averages, perquery=perquery, columns=columns,
        first=averages["name"][0], topic=options.topic or qrels["qid"].iloc[0]))
    with written_whole(options.output) as out:
        ax.figure.savefig(out, format=form, bbox_inches="tight")
    return 1 if averages.attrs[evaluation.BROKEN] else 0
