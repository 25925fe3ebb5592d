"""``pt-fairness plot``: the figures of :mod:`pt_fairness.plots`, in files."""

from __future__ import annotations

import argparse
import re
from typing import Any

from pt_fairness.cli.options import (
    add_baseline,
    add_correction,
    add_evaluation,
    add_front,
    add_references,
    call,
    evaluated,
)
from pt_fairness.cli.output import add_command


def _add_topic(group: Any) -> None:
    group.add_argument("--topic", help="the topic (default: the first one of the qrels)")


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
    "shares": ("who is shown: the attention that the groups get from each run",),
    "exposure": ("the shares of the groups in the exposure of a run, and in the relevant "
                 "documents",),
    "groups_per_topic": ("the relevant documents of each group by topic",),
    "lorenz": ("how unequal the exposure of documents is",)}


def add(commands: Any) -> None:
    """Add the parser of ``plot``, with one for each figure."""
    text = "draw a figure of several runs into a file"
    plot = commands.add_parser("plot", help=text, description=text)
    figures = plot.add_subparsers(required=True, metavar="FIGURE")
    for name, (shows, *options) in FIGURES.items():
        figure = add_command(figures, name, _plot, shows, ("pdf", "png", "svg"),
                             "the suffix of --output", required=True)
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


def _plot(options: argparse.Namespace) -> None:
    from matplotlib.text import Text

    from pt_fairness import evaluate, plots
    from pt_fairness.io.files import written_whole
    evaluation = evaluated(evaluate, options)
    labels = vars(options).get("labels", {})
    with call(plots.style, options), written_whole(options.output) as out:
        figure = _drawn(options, evaluation).figure
        for text in figure.findobj(Text):
            for name, label in labels.items():
                letters = r"\n?".join(map(re.escape, name))  # a name can have several lines
                label = label.replace("\\", r"\\")
                text.set_text(re.sub(rf"(?<!\w){letters}(?!\w)", label, text.get_text()))
        figure.savefig(out, format=options.format or options.output.rpartition(".")[2])


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
    if options.figure in ("explain", "exposure") and len(runs) > 1:
        raise ValueError(f"{options.figure} must have one run, got {', '.join(runs)}")
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
        case "exposure":
            target = None
            if options.qrels is not None:
                relevant = analysis.group_distribution(qrels, groups)
                target = relevant[relevant["qid"] == "all"].set_index("group")["share"]
            return plots.exposure(analysis.ranked_groups(runs, qrels, groups), target)
        case "groups_per_topic":
            return plots.groups_per_topic(analysis.group_distribution(qrels, groups))
        case "lorenz":
            return plots.lorenz(analysis.document_exposure(runs))
